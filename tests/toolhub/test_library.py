"""The façade of the hub: find, describe and run tools by name."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from switchyard.app.places import ROOT
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import ExecutionContext
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.capabilities import Capability, CapabilityTable
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import function_tool
from switchyard.tools.core import FunctionToolSpec, ToolContext, ToolResult
from tests.support.counting_tools import calls, write_counting_tools
from tests.support.hub_tools import CONTEXT, Held, answering, failing, made

SIX = ["calculate", "get_conversation_history", "get_time", "grep_search", "list_dir", "read_file"]


@pytest.fixture
async def library() -> UnifiedToolLibrary:
    opened = UnifiedToolLibrary(hub=ToolHub(skills=None))
    await opened.initialize()
    return opened


async def test_a_library_is_empty_until_it_is_initialised() -> None:
    assert await UnifiedToolLibrary().get_all_tools() == []


async def test_all_tools_are_listed_by_name(library: UnifiedToolLibrary) -> None:
    names = [spec.tool_id for spec in library.hub.registry.listed()]
    assert names == sorted(names)
    assert set(names).issuperset(SIX)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("calculator", "calculate"), ("read_fle", "read_file"), ("grepsearch", "grep_search"), ("ListDir", "list_dir")],
)
async def test_an_unknown_name_is_answered_with_the_nearest(
    library: UnifiedToolLibrary, wrong: str, meant: str
) -> None:
    assert meant in str(library.hub.unknown(wrong))


@pytest.mark.parametrize("name", ["没有这个工具", "zzzzqqqq"])
async def test_a_name_like_no_other_is_answered_with_where_to_look(library: UnifiedToolLibrary, name: str) -> None:
    said = str(library.hub.unknown(name))
    assert f"There is no tool '{name}'" in said
    assert "tools list" in said


async def test_running_what_is_not_there_is_a_result_too(library: UnifiedToolLibrary) -> None:
    result = await library.execute_tool("calculator", None, {}, ToolContext(workspace=Path()))
    assert (result.success, result.error_type) == (False, "not_found")


async def test_a_tool_runs_by_name(library: UnifiedToolLibrary) -> None:
    result = await library.execute_tool("calculate", None, {"expression": "2480的15%"}, ToolContext(workspace=Path()))
    assert result.result == {"expression": "2480的15%", "value": 372, "sentence": "2480的15% = 372"}


async def test_bad_arguments_are_a_result_that_can_be_acted_on(library: UnifiedToolLibrary) -> None:
    result = await library.execute_tool("calculate", None, {"expresion": "1+1"}, ToolContext(workspace=Path()))
    assert result.error_type == "bad_arguments"
    assert "did you mean 'expression'?" in (result.error or "")


async def test_a_users_tool_gets_the_workspace_of_the_call(tmp_path: Path) -> None:
    library = UnifiedToolLibrary(
        hub=ToolHub(skills=None, native=ROOT / "tools", extra=[write_counting_tools(tmp_path / "mine")])
    )
    await library.initialize()
    await library.execute_tool("tally", None, {"label": "苹果"}, ToolContext(workspace=tmp_path, step_id="s7"))
    assert calls(tmp_path) == ["start s7 苹果", "end s7 苹果"]


async def test_definitions_are_given_for_the_names_asked_for(library: UnifiedToolLibrary) -> None:
    text = await library.get_tools_description_by_names(["calculate", "没有"])
    assert "expression (string, required)" in text
    assert "get_time" not in text


async def test_definitions_cost_more_than_nothing(library: UnifiedToolLibrary) -> None:
    assert library.hub.cost.tokens() > 100


def library_of(*tools: RegisteredTool, **options: Any) -> UnifiedToolLibrary:
    made_here = UnifiedToolLibrary(hub=ToolHub(skills=None, native=Path("nowhere"), **options))
    for tool in tools:
        made_here.hub.registry.add(tool)
    return made_here


# Finding and describing


async def test_tools_are_listed_by_type(library: UnifiedToolLibrary) -> None:
    assert {spec.tool_id for spec in library.hub.registry.listed("function")}.issuperset(SIX)
    assert library.hub.registry.listed("mcp_server") == []


async def test_tools_with_most_of_the_tags_come_first(library: UnifiedToolLibrary) -> None:
    found = [spec.tool_id for spec in library.hub.registry.with_tags(["搜索", "Files", "grep"])]
    assert found[0] == "grep_search"
    assert "read_file" in found
    assert "get_time" not in found
    assert library.hub.registry.with_tags(["没有这个标签"]) == []


async def test_tools_that_meet_most_requirements_come_first(library: UnifiedToolLibrary) -> None:
    found = await library.search_tools_by_requirements(["current time in a city", "东京现在几点"])
    assert found[0].tool_id == "get_time"
    assert await library.search_tools_by_requirements(["zzzzqqqq"]) == []


async def test_a_requirement_is_met_by_what_a_tool_produces() -> None:
    library = library_of(made("查站号", answering(1), produces=("station_code",)), made("b", answering(1)))
    assert [spec.tool_id for spec in await library.search_tools_by_requirements(["station_code"])] == ["查站号"]


async def test_a_disabled_tool_is_neither_listed_nor_recalled_and_says_why(library: UnifiedToolLibrary) -> None:
    library.hub.registry.disable("get_time", reason="时区数据太旧")
    assert library.hub.registry.get("get_time") is None
    assert "get_time" not in [
        scored.name for scored in await library.hub.finder.recall("What time is it in Tokyo?", 20)
    ]
    assert "is disabled: 时区数据太旧" in str(library.hub.unknown("get_time"))
    withheld = await library.hub.finder.withheld("东京现在几点？", 3)
    assert [(one.tool.spec.tool_id, one.reason) for _, one in withheld] == [("get_time", "时区数据太旧")]
    library.hub.registry.enable("get_time")
    assert await library.hub.finder.withheld("东京现在几点？", 3) == []
    assert (await library.hub.finder.recall("What time is it in Tokyo?", 1))[0].name == "get_time"


async def test_tools_can_be_disabled_from_the_start() -> None:
    library = UnifiedToolLibrary(hub=ToolHub(skills=None, disabled=["get_time"]))
    await library.initialize()
    assert library.hub.registry.get("get_time") is None
    assert "the settings say so" in str(library.hub.unknown("get_time"))


async def test_a_project_brings_its_own_capabilities() -> None:
    own = CapabilityTable().extended([Capability(tag="water_level", words=("水位", "water level"))])
    library = library_of(made("甲", answering(1), description="查询水位"), capabilities=own)
    assert [spec.tool_id for spec in library.hub.registry.with_tags(["water_level"])] == ["甲"]


# Plain functions


def add(
    left: Annotated[int, Field(description="甲数")],
    context: ToolContext,
    right: int = 1,
    extra: dict[str, int] | None = None,
) -> dict[str, Any]:
    """Add two numbers. 两数相加。

    The second one may be left out.
    """
    return {"sum": left + right + sum((extra or {}).values()), "step": context.step_id}


async def double(value: float) -> float:
    """Double a number. 翻倍。"""
    return value * 2


async def test_a_function_becomes_a_tool_by_its_own_name_docstring_and_annotations() -> None:
    library = library_of()
    (spec,) = (await library.register_function_tool(add, tags=("加法",))).tools
    assert (spec.tool_id, spec.summary) == ("add", "Add two numbers. 两数相加。")
    assert spec.details == "The second one may be left out."
    definition = await library.get_tool_description_for_agent("add")
    assert "left (integer, required): 甲数" in definition
    assert "right (integer, default 1)" in definition
    assert "context" not in definition
    assert [found.tool_id for found in library.hub.registry.with_tags(["加法"])] == ["add"]


async def test_a_function_is_called_with_checked_arguments_and_its_context() -> None:
    library = library_of()
    await library.register_function_tool(FunctionToolSpec.of(add))
    context = ToolContext(workspace=Path(), step_id="s3")
    result = await library.execute_tool("add", None, {"left": "2", "extra": '{"a": 10}'}, context)
    assert result.result == {"sum": 13, "step": "s3"}
    wrong = await library.execute_tool("add", None, {"lef": 2}, context)
    assert wrong.error_type == "bad_arguments"
    assert "did you mean 'left'?" in (wrong.error or "")


async def test_an_asynchronous_function_is_awaited() -> None:
    library = library_of()
    await library.register_function_tool(
        FunctionToolSpec(tool_id="翻倍", description="翻倍。", function=double, writes=True)
    )
    assert (await library.execute_tool("翻倍", None, {"value": 1.5}, CONTEXT)).result == 3.0
    spec = library.hub.registry.get("翻倍")
    assert spec is not None
    assert spec.asks_first


async def test_two_of_a_name_are_two_candidates() -> None:
    library = library_of(made("add", answering({"sum": 0}), source="skill"), function_tool(FunctionToolSpec.of(add)))
    result = await library.execute_tool("add", None, {"left": 1}, CONTEXT)
    assert result.meta.source_count == 2
    assert await library.unregister_tool("add")
    assert library.hub.registry.get("add") is None


# Calling


async def test_both_ways_of_writing_a_call_are_the_same() -> None:
    library = library_of(made("git/git_status", answering("干净"), source="mcp"))
    assert library.hub.registry.resolve("git", "git_status") == library.hub.registry.resolve("git/git_status", None)
    for name, action in (("git", "git_status"), ("git/git_status", None)):
        assert (await library.execute_tool(name, action, {}, CONTEXT)).result == "干净"


async def test_a_batch_gives_results_in_order_and_a_failure_takes_nobody_with_it() -> None:
    library = library_of(made("好", answering(1)), made("坏", failing()), made("也好", answering(3)))
    results = await library.batch_execute_tools([{"tool_id": name} for name in ("好", "坏", "没有", "也好")], CONTEXT)
    assert [(one.success, one.result) for one in results] == [(True, 1), (False, None), (False, None), (True, 3)]


async def test_in_a_batch_what_reads_runs_together_and_what_writes_in_turn() -> None:
    reads, writes = [Held(at) for at in range(3)], [Held(at) for at in range(2)]
    library = library_of(
        *(made(f"读{at}", work) for at, work in enumerate(reads)),
        *(made(f"写{at}", work, writes=True) for at, work in enumerate(writes)),
    )
    names = ["写0", "读0", "写1", "读1", "读2"]
    batch = asyncio.create_task(library.batch_execute_tools([{"tool_id": name} for name in names], CONTEXT))
    for work in (*reads, writes[0]):
        await work.started.wait()
    assert writes[1].calls == 0
    for work in (*reads, *writes):
        work.go.set()
    assert [one.result for one in await batch] == [0, 0, 1, 1, 2]


async def test_each_call_of_a_batch_has_a_key_of_its_own() -> None:
    keys: list[str] = []

    async def note(request: ToolRequest) -> ToolResult:
        keys.append(request.context.idempotency_key)
        return ToolResult(result=1)

    library = library_of(RegisteredTool(made("a", answering(1)).spec, note))
    context = ToolContext(workspace=Path(), idempotency_key="run:s1")
    await library.batch_execute_tools([{"tool_id": "a"}, {"tool_id": "a"}], context)
    assert sorted(keys) == ["run:s1:0", "run:s1:1"]


# In the light of what failed


def failed_before(
    library: UnifiedToolLibrary, tool: str, arguments: dict[str, Any], kind: Any = "not_found", error: str = "没有"
) -> ExecutionContext:
    signature = library.hub.identify(tool, None, arguments).signature
    failure = Failure(step_id="s", tool=tool, arguments=arguments, kind=kind, error=error, signature=signature, at=1)
    return ExecutionContext(run_id="r", failures=[failure])


async def test_a_call_that_failed_in_the_run_is_not_made_again() -> None:
    work = Held()
    library = library_of(made("查", work))
    result = await library.execute_tool_with_context(
        "查", None, {"站": "甲"}, failed_before(library, "查", {"站": "甲"}), context=CONTEXT
    )
    assert (result.error_type, work.calls) == ("not_found", 0)
    assert "it is not repeated" in (result.error or "")


async def test_another_call_is_made() -> None:
    library = library_of(made("查", answering("好")))
    result = await library.execute_tool_with_context(
        "查", None, {"站": "乙"}, failed_before(library, "查", {"站": "甲"}), context=CONTEXT
    )
    assert (result.result, result.meta.downgrades) == ("好", [])


async def test_a_call_that_failed_is_made_with_better_arguments(library: UnifiedToolLibrary, tmp_path: Path) -> None:
    (tmp_path / "报告.md").write_text("水位很高。", encoding="utf-8")
    context = ToolContext(workspace=tmp_path)
    before = failed_before(library, "read_file", {"path": "报告.MD"})
    result = await library.execute_tool_with_context("read_file", None, {"path": "报告.MD"}, before, context=context)
    assert "水位很高。" in str(result.result)
    assert "Adjusted path: '报告.md', the nearest path that exists." in result.meta.downgrades[0]


async def test_what_asks_first_is_not_made_with_other_arguments_than_were_approved(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    work = Held()
    library = library_of(made("送", work, sends=True))
    before = failed_before(library, "送", {"path": "A.md"})
    result = await library.execute_tool_with_context(
        "送", None, {"path": "A.md"}, before, context=ToolContext(workspace=tmp_path)
    )
    assert (result.success, work.calls) == (False, 0)


async def test_what_is_done_with_a_context_is_kept_in_it(tmp_path: Path) -> None:
    (tmp_path / "报告.md").write_text("x", encoding="utf-8")
    made_calls: list[str] = []

    async def look(arguments: dict[str, Any]) -> Any:
        made_calls.append(arguments["path"])
        return "好" if arguments["path"] == "报告.md" else ToolResult.failed("没有这个文件", "not_found")

    library = library_of(made("look_search", look), made("other_search", answering(1)))
    execution, context = ExecutionContext(task="看报告"), ToolContext(workspace=tmp_path, step_id="s1")
    typo = {"path": "报告.MD"}
    first = await library.execute_tool_with_context("look_search", None, typo, execution, context=context)
    assert [(one.tool, one.arguments, one.kind) for one in execution.failures] == [("look_search", typo, "not_found")]
    assert "报告.md" in first.meta.suggestions[0]
    assert "other_search" in first.meta.suggestions[1]
    second = await library.execute_tool_with_context("look_search", None, typo, execution, context=context)
    assert (second.result, made_calls) == ("好", ["报告.MD", "报告.md"])
    assert [one.learned for one in execution.patterns] == ["failed", "adjusted"]
    assert execution.observations[0].text == "好"


async def test_five_equal_failing_calls_with_a_context_are_one() -> None:
    work = Held(ToolResult.failed("坏", "crash"))
    work.go.set()
    library = library_of(made("查", work))
    execution = ExecutionContext()
    results = [
        await library.execute_tool_with_context("查", None, {"站": "甲"}, execution, context=CONTEXT) for _ in range(5)
    ]
    assert (work.calls, len(execution.failures), results[-1].error_type) == (1, 1, "crash")


# Coming, going and closing


async def test_a_tool_that_goes_while_it_runs_still_answers() -> None:
    work = Held("好")
    library = library_of(made("慢", work))
    call = asyncio.create_task(library.execute_tool("慢", None, {}, CONTEXT))
    await work.started.wait()
    assert await library.unregister_tool("慢")
    work.go.set()
    assert (await call).result == "好"
    assert not await library.unregister_tool("慢")


async def test_closing_waits_for_what_was_cancelled() -> None:
    may_clean = asyncio.Event()
    slow = Held(clean_up=may_clean)
    async with library_of(
        made("算", slow, capability_tags=("计算",)), made("算", answering(1), source="skill", capability_tags=("计算",))
    ) as library:
        assert (await library.execute_tool("算", None, {}, CONTEXT)).result == 1
        may_clean.set()
    assert slow.calls == 0 or slow.cleaned.is_set()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_what_a_tool_requires_is_recalled_behind_it(library: UnifiedToolLibrary) -> None:
    def query_level(code: str) -> str:
        return code

    def find_code(name: str) -> str:
        return name

    needs = FunctionToolSpec.of(query_level, description="查询水位 water level", requires=("code",))
    await library.register_function_tool(needs)
    await library.register_function_tool(FunctionToolSpec.of(find_code, description="按名称查编号", produces=("code",)))
    for question in ("某站水位", "water level"):
        assert [one.name for one in await library.hub.finder.recall(question, 5)][:2] == ["query_level", "find_code"]
