"""What the hub learns from calls: health, patterns, alternatives, and arguments that are likely to help."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import ExecutionContext
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.memory.adjustments import AdjustedArguments
from switchyard.toolhub.memory.memory import FAILING_AFTER, FAILURES_KEPT, Memory
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core import ToolContext, ToolResult
from switchyard.tools.core.errors import FailureKind
from tests.support.hub_tools import Hub, answering, failing, made, schema


def library_of(*tools: RegisteredTool, **options: Any) -> UnifiedToolLibrary:
    library = UnifiedToolLibrary(hub=ToolHub(skills=None, native=Path("nowhere"), **options))
    for tool in tools:
        library.hub.registry.add(tool)
    return library


def at(place: str) -> ToolContext:
    """The context of a call in a run: its key ends in what stands for the arguments."""
    return ToolContext(workspace=Path(), run_id="r", step_id="s", idempotency_key=f"{place}:0123")


def failed_by(*tools: str) -> ExecutionContext:
    """A run in which these tools failed."""
    return ExecutionContext(failures=[Failure(step_id="s", tool=one, kind="crash", error="坏", at=1) for one in tools])


class Choosy:
    """Takes only one value of an argument."""

    def __init__(self, field: str, value: Any) -> None:
        self.field = field
        self.value = value

    async def __call__(self, arguments: dict[str, Any]) -> Any:
        right = arguments.get(self.field) == self.value
        return "好" if right else ToolResult.failed(f"'{arguments.get(self.field)}' 不对", "not_found")


# Health


async def test_a_tool_nobody_called_is_ready() -> None:
    health = await library_of(made("查", answering(1))).get_tool_health_status("查")
    assert (health.state, health.sources, health.record.calls) == ("ready", ["native"], 0)


async def test_calls_are_counted() -> None:
    library = library_of(made("查", answering(1)), made("坏", failing("没电了", "unavailable")))
    for name in ("查", "坏", "查"):
        await library.execute_tool(name, None, {}, at("a"))
    good, bad = (library.hub.health.of(name).record for name in ("查", "坏"))
    assert (good.calls, good.failures, good.last_error) == (2, 0, "")
    assert good.latency_ms is not None
    assert good.last_success is not None
    assert (bad.calls, bad.failures, bad.last_error, bad.latency_ms) == (1, 1, "没电了", None)


async def test_a_tool_that_keeps_failing_is_told_until_it_succeeds() -> None:
    answers: list[Any] = [*[ToolResult.failed("坏了", "crash")] * FAILING_AFTER, "好"]

    async def work(arguments: dict[str, Any]) -> Any:
        return answers.pop(0)

    library = library_of(made("查", work))
    for _ in range(FAILING_AFTER):
        await library.execute_tool("查", None, {}, at("a"))
    health = library.hub.health.of("查")
    assert (health.state, health.reason) == ("failing", "It failed 3 times in a row: 坏了")
    await library.execute_tool("查", None, {}, at("a"))
    assert library.hub.health.of("查").state == "ready"


@pytest.mark.parametrize("kind", ["bad_arguments", "not_found", "permission"])
async def test_a_wrong_call_says_nothing_about_the_tool(kind: FailureKind) -> None:
    library = library_of(made("查", failing("错", kind)))
    for _ in range(FAILING_AFTER):
        await library.execute_tool("查", None, {}, at("a"))
    assert library.hub.health.of("查").state == "ready"


async def test_a_tool_that_is_not_offered_says_why() -> None:
    library = library_of(made("查", answering(1)))
    library.hub.registry.disable("查", reason="太贵")
    health = library.hub.health.of("查")
    assert (health.state, health.sources) == ("disabled", [])
    assert "太贵" in health.reason
    assert library.hub.health.of("查查").state == "unknown"


# Alternatives


async def test_tools_for_the_same_purpose_are_alternatives_the_most_alike_first() -> None:
    library = library_of(
        made("搜一", answering(1), capability_tags=("search", "web")),
        made("only_search", answering(1), capability_tags=("搜索",)),
        made("both", answering(1), source="mcp", capability_tags=("搜索", "web")),
        made("算", answering(1), capability_tags=("计算",)),
    )
    assert [spec.tool_id for spec in await library.get_alternative_tools("搜一")] == ["both", "only_search"]
    assert [spec.tool_id for spec in await library.get_alternative_tools("搜一", "", failed_by("both"))] == [
        "only_search"
    ]
    assert await library.get_alternative_tools("算") == []


async def test_what_is_disabled_is_no_alternative_and_what_fails_comes_last() -> None:
    library = library_of(*(made(f"{name}_search", failing() if name == "a" else answering(1)) for name in "abcd"))
    library.hub.registry.disable("d_search")
    for _ in range(FAILING_AFTER):
        await library.execute_tool("a_search", None, {}, at("a"))
    assert [spec.tool_id for spec in await library.get_alternative_tools("b_search")] == ["c_search", "a_search"]


@pytest.mark.parametrize("name", ["没有的搜索", "web_search", "off_search"])
async def test_a_tool_that_cannot_be_called_has_alternatives_too(name: str) -> None:
    library = library_of(made("a_search", answering(1)), made("off_search", answering(1)))
    library.hub.registry.disable("off_search")
    assert [spec.tool_id for spec in await library.get_alternative_tools(name)] == ["a_search"]


@pytest.mark.parametrize("task", ["the level of a river", "河流的水位"])
async def test_the_task_says_which_alternatives_come_first(task: str) -> None:
    library = library_of(
        made("search_all", failing()),
        made("search_books", answering(1), description="Search books. 搜索书籍。"),
        made("search_levels", answering(1), description="Search the level of a river. 搜索河流水位。"),
        made("river_level", answering(1), description="The level of a river now. 河流当前水位。"),
        made("set_river_level", answering(1), description="Set the level of a river. 设置河流水位。", writes=True),
    )
    found = [spec.tool_id for spec in await library.get_alternative_tools("search_all", task, failed_by("search_all"))]
    assert found == ["search_levels", "search_books", "river_level"]


async def test_a_tool_of_several_actions_is_judged_by_each() -> None:
    actions = [{"name": "look", "writes": False}, {"name": "change", "writes": True}]
    library = library_of(
        made("read_search", failing()), made("file_search", answering(1), writes=True, capabilities=actions)
    )
    assert [spec.tool_id for spec in await library.get_alternative_tools("read_search")] == ["file_search"]


# Patterns


async def test_failures_are_kept_by_kind_argument_and_error() -> None:
    library = library_of(made("查", Choosy("站", "修武"), capabilities=[{"name": "看"}, {"name": "写"}]))
    for station, action in (("盘石头", "看"), ("盘石头", "看"), ("小南海", "写")):
        await library.execute_tool("查", action, {"站": station}, at("a"))
    patterns = library.hub.memory.patterns("查")
    assert (patterns.tool, patterns.kinds) == ("查", {"not_found": 3})
    assert patterns.actions == {"看": 2, "写": 1}
    assert patterns.arguments == {"站": ["小南海", "盘石头"]}
    assert patterns.errors == ["'小南海' 不对", "'盘石头' 不对"]


async def test_what_helped_is_learned() -> None:
    library = library_of(made("查", Choosy("path", "b.md")))
    await library.execute_tool("查", None, {"path": "a.md", "n": 1}, at("run:step"))
    await library.execute_tool("查", None, {"path": "b.md", "n": 1}, at("run:step"))
    (change,) = library.hub.memory.patterns("查").adjustments
    assert (change.field, change.before, change.after) == ("path", "a.md", "b.md")


async def test_what_helped_elsewhere_is_not_mistaken_for_help() -> None:
    library = library_of(made("查", Choosy("path", "b.md")))
    await library.execute_tool("查", None, {"path": "a.md"}, at("run:step:0"))
    await library.execute_tool("查", None, {"path": "b.md"}, at("run:step:1"))
    assert library.hub.memory.patterns("查").adjustments == []


async def test_a_switch_that_helped_is_learned() -> None:
    library = library_of(made("坏", failing()), made("好", answering(1)))
    await library.execute_tool("坏", None, {}, at("run:step"))
    await library.execute_tool("好", None, {}, at("run:step"))
    assert library.hub.memory.patterns("坏").switches == {"好": 1}


async def test_what_helped_is_unlearned_when_it_fails_in_the_same_call() -> None:
    right = Choosy("path", "b.md")
    library = library_of(made("查", right))
    for path in ("a.md", "b.md"):
        await library.execute_tool("查", None, {"path": path, "站": "甲"}, at("run:step"))
    right.value = "c.md"
    await library.execute_tool("查", None, {"path": "b.md", "站": "乙"}, at("other:step"))
    assert library.hub.memory.patterns("查").adjustments  # of another call nothing is known
    await library.execute_tool("查", None, {"path": "b.md", "站": "甲"}, at("third:step"))
    assert library.hub.memory.patterns("查").adjustments == []


async def test_a_switch_is_unlearned_when_the_other_tool_fails_in_its_place() -> None:
    works: list[Any] = ["好", ToolResult.failed("坏", "crash")]

    async def other(arguments: dict[str, Any]) -> Any:
        return works.pop(0)

    library = library_of(made("坏", failing()), made("好", other))
    for run in ("one", "two"):
        await library.execute_tool("坏", None, {}, at(f"{run}:step"))
        await library.execute_tool("好", None, {}, at(f"{run}:step"))
    assert library.hub.memory.patterns("坏").switches == {}


@pytest.mark.parametrize(("given", "known"), [({"path": "a.md", "n": 1}, True), ({"path": "a.md", "n": 2}, False)])
async def test_the_very_call_that_failed_is_known_before_it_is_made(given: dict[str, Any], known: bool) -> None:  # noqa: FBT001  by position
    library = library_of(made("查", Choosy("path", "b.md")))
    for path in ("a.md", "b.md"):
        await library.execute_tool("查", None, {"path": path, "n": 1}, at("run:step"))
    found = library.hub.learned_adjustment("查", None, given, Path())
    assert (found is not None) == known
    assert found is None or found.arguments == {"path": "b.md", "n": 1}


async def test_secrets_and_long_texts_are_not_kept() -> None:
    library = library_of(made("查", failing("Bearer abcdefgh was refused", "permission")))
    arguments = {
        "api_key": "hush-hush-hush",
        "headers": {"Authorization": "Basic hush-hush-hush"},
        "note": "sk-abcdefghijklmnop",
        "text": "长" * 5000,
    }
    await library.execute_tool("查", None, arguments, at("a"))
    patterns = library.hub.memory.patterns("查")
    shown = patterns.model_dump_json()
    assert "hush" not in shown
    assert "abcdefgh" not in shown
    assert len(patterns.arguments["text"][0]) == 200


async def test_what_is_kept_is_bounded() -> None:
    library = library_of(made("查", Choosy("站", "无")))
    for number in range(FAILURES_KEPT + 20):
        await library.execute_tool("查", None, {"站": number}, at("a"))
    patterns = library.hub.memory.patterns("查")
    assert patterns.kinds == {"not_found": FAILURES_KEPT}
    assert patterns.arguments["站"][0] == FAILURES_KEPT + 19
    assert len(patterns.arguments["站"]) == 10


async def test_a_tool_can_be_forgotten() -> None:
    hub = Hub(made("查", failing()), made("好", answering(1)))
    await hub.call("查", context=at("a"))
    await hub.call("好", context=at("b"))
    hub.memory.forget("查", "")
    assert hub.memory.known() == set()
    assert hub.memory.record("好").calls == 1


async def test_two_libraries_share_nothing_unless_they_are_told_to() -> None:
    memory = Memory()
    first, second, third = (library_of(made("查", failing()), memory=one) for one in (memory, memory, None))
    await first.execute_tool("查", None, {}, at("a"))
    counts = [library.hub.health.of("查").record.calls for library in (first, second, third)]
    assert counts == [1, 1, 0]


# Adjustments


async def adjusted(
    arguments: dict[str, Any],
    kind: FailureKind,
    error: str = "",
    *,
    workspace: Path = Path(),
    library: UnifiedToolLibrary | None = None,
    **spec: Any,
) -> AdjustedArguments | None:
    library = library or library_of(made("查", answering(1), **spec))
    return await library.hub.adjusted("查", None, arguments, kind=kind, error=error, workspace=workspace)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"timeout": 10}, {"timeout": 20}),
        ({"timeout": 2.5, "url": "x"}, {"timeout": 5.0, "url": "x"}),
        ({"timeout_ms": 20_000}, {"timeout_ms": 40_000}),
        ({"超时": 40}, {"超时": 60}),
        ({"timeout_ms": 45_000}, {"timeout_ms": 60_000}),
    ],
)
async def test_a_timeout_is_doubled_up_to_a_minute(before: dict[str, Any], after: dict[str, Any]) -> None:
    better = await adjusted(before, "timeout")
    assert better is not None
    assert better.arguments == after
    assert "to wait longer" in better.reason


@pytest.mark.parametrize("before", [{"timeout": 60}, {"url": "x"}, {"timeout": "soon"}, {"timeout": 0}])
async def test_where_there_is_no_more_time_to_give_nothing_is_suggested(before: dict[str, Any]) -> None:
    assert await adjusted(before, "timeout") is None


async def test_a_timeout_that_was_left_out_starts_from_its_default() -> None:
    takes = {"type": "object", "properties": {"timeout": {"type": "number", "default": 8}}}
    better = await adjusted({}, "timeout", takes=takes)
    assert better is not None
    assert better.arguments == {"timeout": 16}


@pytest.mark.parametrize(("wrong", "right"), [("README.txt", "README.md"), ("文挡/水位.csv", "文档/水位.csv")])
async def test_a_missing_path_becomes_the_nearest_there_is(tmp_path: Path, wrong: str, right: str) -> None:
    for name in ("README.md", "文档/水位.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    better = await adjusted({"path": wrong, "start_line": 1}, "not_found", workspace=tmp_path)
    assert better is not None
    assert better.arguments == {"path": right, "start_line": 1}


@pytest.mark.parametrize("path", ["../../etc/passwd", "zzzzqqqq", "a.md", "https://example.com/a.md"])
async def test_a_path_that_is_outside_like_no_other_or_there_is_left_alone(tmp_path: Path, path: str) -> None:
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    assert await adjusted({"path": path}, "not_found", workspace=tmp_path) is None


async def test_what_writes_is_not_sent_to_another_path(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    assert await adjusted({"path": "b.md"}, "not_found", workspace=tmp_path, writes=True) is None


@pytest.mark.parametrize(
    ("error", "seen"),
    [
        ("Nothing on the page fits '#buy'. The nearest on the page: #bye (再见); .buy-now (立即购买: 现货).", "#bye"),
        ("3 elements fit '#buy'. Choose one: a:nth-child(2) (Buy); b.", "a:nth-child(2)"),
        ("Nothing on https://example.com/x fits '#buy'. Similar ones that are there: '.buy', 'b'.", ".buy"),
    ],
)
async def test_a_failed_selector_becomes_one_the_tool_saw(error: str, seen: str) -> None:
    better = await adjusted({"url": "https://example.com", "selector": "#buy"}, "bad_arguments", error)
    assert better is not None
    assert better.arguments == {"url": "https://example.com", "selector": seen}


async def test_a_selector_among_fields_is_replaced_in_its_place() -> None:
    error = "Nothing on https://example.com fits '.prise'. Similar ones that are there: '.price', '.名称'."
    better = await adjusted({"fields": {"名称": "h2", "价格": ".prise"}}, "bad_arguments", error)
    assert better is not None
    assert better.arguments == {"fields": {"名称": "h2", "价格": ".price"}}


async def test_a_selector_that_failed_too_is_not_suggested() -> None:
    library = library_of(made("查", Choosy("selector", "#c")))
    await library.execute_tool("查", None, {"selector": "#b"}, at("a"))
    error = "Nothing on the page fits '#a'. The nearest on the page: #b; #c."
    better = await adjusted({"selector": "#a"}, "bad_arguments", error, library=library)
    assert better is not None
    assert better.arguments == {"selector": "#c"}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"selector": "#a"}, "Nothing on the page fits '#a'. Nothing else on the page could be meant."),
        ({"selector": "#a"}, "'#z' is wrong: '#b'."),
        ({"query": "#a"}, "Nothing fits '#a'. Similar ones: '#b'."),
        ({}, ""),
    ],
)
async def test_where_nothing_was_seen_nothing_is_suggested(arguments: dict[str, Any], error: str) -> None:
    assert await adjusted(arguments, "bad_arguments", error) is None


async def test_what_helped_before_is_suggested_first(tmp_path: Path) -> None:
    library = library_of(made("查", Choosy("selector", "#new")))
    await library.execute_tool("查", None, {"selector": "#old"}, at("run:step"))
    await library.execute_tool("查", None, {"selector": "#new"}, at("run:step"))
    better = await adjusted({"selector": "#old"}, "crash", library=library)
    assert better is not None
    assert better.arguments == {"selector": "#new"}
    assert "which helped before" in better.reason


async def test_what_is_asked_is_not_changed_because_something_else_once_helped() -> None:
    library = library_of(made("查", Choosy("query", "乙"), takes=schema("query")))
    await library.execute_tool("查", None, {"query": "甲"}, at("run:step"))
    await library.execute_tool("查", None, {"query": "乙"}, at("run:step"))
    assert await adjusted({"query": "甲"}, "not_found", library=library) is None


@pytest.mark.parametrize("kind", ["crash", "permission", "rate_limit", "unavailable", "wrong_result"])
async def test_other_failures_are_not_the_arguments_fault(kind: FailureKind) -> None:
    assert await adjusted({"timeout": 1, "path": "x", "selector": "#a"}, kind) is None


async def test_for_a_tool_that_is_not_there_nothing_is_suggested() -> None:
    library = library_of()
    assert await adjusted({"timeout": 1}, "timeout", library=library) is None
