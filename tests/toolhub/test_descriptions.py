"""What a model reads about a tool: one line to choose by, a definition to call it by."""

from enum import Enum
from typing import Literal

from pydantic import BaseModel, Field

from switchyard.toolhub.descriptions import definition, parameter_lines, summary_line, takes_a_moment
from switchyard.tools.core import BaseToolParams, ToolCapability, ToolSpec, ToolSummary

LONG = "查询水库的水位。" * 100


class Unit(Enum):
    METRE = "m"
    FOOT = "ft"


class Filter(BaseModel):
    column: str
    least: float = 0


class Node(BaseModel):
    children: "list[Node]" = Field(default_factory=list["Node"])


class Params(BaseToolParams):
    station: str = Field(description="测站名称")
    limit: int = 10
    order: Literal["新", "旧"] = "新"
    tags: list[str] = Field(default_factory=list[str])
    since: str | None = None
    unit: Unit = Unit.METRE
    filters: list[Filter] = Field(default_factory=list[Filter])
    only: Literal["x"] = "x"
    tree: Node | None = None


LINES = list(parameter_lines(Params.model_json_schema()))


def line(name: str) -> str:
    return next(found for found in LINES if found.startswith(f"{name} "))


def spec(**given: object) -> ToolSpec:
    return ToolSpec.model_validate(
        {"tool_id": "query", "description": "Query a  station. 查询。", "category": "hydrology", **given}
    )


def test_a_tool_is_chosen_by_one_line() -> None:
    assert summary_line(spec()) == "- query [hydrology]: Query a station. 查询。"


def test_the_line_says_what_comes_back() -> None:
    assert summary_line(spec(returns="水位 and time.")).endswith(" Returns 水位 and time.")


def test_a_summary_is_never_cut() -> None:
    assert LONG in summary_line(spec(description=LONG))
    assert ToolSummary.of(spec(description=LONG)).description == LONG


def test_a_required_parameter_says_so_with_its_meaning() -> None:
    assert line("station") == "station (string, required): 测站名称"


def test_a_default_is_shown() -> None:
    assert line("limit") == "limit (integer, default 10)"


def test_a_choice_is_shown_with_its_values() -> None:
    assert line("order") == 'order (one of "新", "旧", default "新")'


def test_a_choice_of_an_enumeration_is_shown_with_its_values() -> None:
    assert line("unit") == 'unit (one of "m", "ft", default "m")'


def test_a_single_possible_value_is_shown() -> None:
    assert line("only") == 'only (one of "x", default "x")'


def test_a_list_says_of_what() -> None:
    assert line("tags").startswith("tags (list of string")


def test_an_optional_value_shows_its_type_alone() -> None:
    assert line("since") == "since (string)"


def test_a_nested_object_shows_its_fields() -> None:
    assert line("filters") == "filters (list of object with column: string, least: number)"


def test_a_shape_inside_itself_comes_to_an_end() -> None:
    assert line("tree") == "tree (object with children: list of any)"


def test_the_explanation_is_not_spent_tokens_on() -> None:
    assert not any(found.startswith("explanation") for found in LINES)


def test_a_definition_has_everything_needed_for_a_call() -> None:
    tool = spec(
        description="Query a station.\n细节在此",
        returns="水位",
        sentences=("one", "两", "three", "four"),
        capabilities=(ToolCapability(name="query", parameters=Params.model_json_schema()),),
    )
    text = definition(tool)
    assert text.startswith("query: Query a")
    for part in ("细节在此", "  station (string, required): 测站名称", "returns: 水位", "examples: one | 两 | three"):
        assert part in text


def test_a_definition_shows_three_examples_at_most() -> None:
    assert "four" not in definition(spec(sentences=("one", "two", "three", "four")))


def test_several_actions_are_named_each() -> None:
    actions = tuple(ToolCapability(name=name, description=f"do {name}") for name in ("click", "导航"))
    text = definition(spec(capabilities=actions))
    assert "action click: do click" in text
    assert "action 导航: do 导航" in text


def test_each_of_several_actions_says_what_it_returns() -> None:
    actions = (ToolCapability(name="click", description="点击", returns="the page"), ToolCapability(name="看"))
    assert "action click: 点击\n  returns: the page\naction 看:" in definition(spec(capabilities=actions))


def test_a_tool_narrowed_to_one_action_says_what_that_does() -> None:
    actions = tuple(ToolCapability(name=name, description=f"do {name}") for name in ("click", "导航"))
    text = definition(spec(capabilities=actions).for_action("导航"))
    assert "action 导航: do 导航" in text
    assert "click" not in text


def test_the_only_action_is_not_named() -> None:
    assert "action" not in definition(spec(capabilities=(ToolCapability(name="query"),)))


class Shared(BaseToolParams):
    station: str = Field(description="测站名称")


class Extra(Shared):
    since: str = Field(default="", description="起始日期")


def _of(**models: type[BaseToolParams]) -> ToolSpec:
    parts = tuple(
        ToolCapability(name=name, description=f"{name} 说明", parameters=model.model_json_schema())
        for name, model in models.items()
    )
    return ToolSpec(tool_id="levels", description="水位", capabilities=parts, sentences=("水位多少",))


def test_what_every_action_takes_stands_once() -> None:
    text = definition(_of(last=Shared, since=Extra))
    assert text.count("station (string, required): 测站名称") == 1
    assert text.index("every action takes:") < text.index("action last: last 说明")


def test_a_definition_of_one_action_only_names_the_others() -> None:
    text = definition(_of(last=Shared, since=Extra), "last")
    assert "action last: last 说明\n  station (string, required): 测站名称" in text
    assert text.endswith("other actions: since(station, since)")


def test_a_tool_that_takes_a_day_is_known_by_its_parameters() -> None:
    assert takes_a_moment([_of(last=Shared, since=Extra)])
    assert not takes_a_moment([_of(last=Shared)])


class Ranged(BaseToolParams):
    limit: int = Field(default=5, ge=1, le=20, description="最多几行")
    depth: float = Field(gt=0)
    least: int | None = Field(default=None, ge=3)


def test_ranges_are_told() -> None:
    lines = list(parameter_lines(Ranged.model_json_schema()))
    assert lines == [
        "limit (integer, 1 to 20, default 5): 最多几行",
        "depth (number, above 0, required)",
        "least (integer, at least 3)",
    ]
