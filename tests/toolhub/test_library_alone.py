"""The library by itself, as somebody uses it who has nothing else of the program."""

from pathlib import Path
from typing import Any

import pytest

from switchyard import ToolContext, ToolType, UnifiedToolLibrary
from switchyard.language.messages import said
from switchyard.tools.core import Language
from switchyard.tools.core.errors import ToolUnknown
from tests.support.hub_tools import answering, made


@pytest.fixture
async def library() -> UnifiedToolLibrary:
    opened = UnifiedToolLibrary()
    await opened.initialize()
    return opened


async def test_it_needs_no_argument_and_has_what_comes_with_the_program(library: UnifiedToolLibrary) -> None:
    found = {spec.tool_id: spec.tool_type for spec in await library.get_all_tools()}
    assert found["calculate"] is ToolType.FUNCTION
    assert ToolType.SKILL in found.values()


async def test_every_query_is_awaited(library: UnifiedToolLibrary) -> None:
    every = await library.get_all_tools()
    assert [spec.tool_id for spec in every] == sorted(spec.tool_id for spec in every)
    skills = await library.get_tools_by_type(ToolType.SKILL)
    assert {spec.tool_type for spec in skills} == {ToolType.SKILL}
    assert await library.get_tools_by_type("skill") == skills
    spec = await library.get_tool_by_id("calculate")
    assert spec is not None
    assert (spec.version, spec.enabled, spec.metadata) == ("1.0.0", True, {})
    assert await library.get_tool_by_id("没有") is None


@pytest.mark.parametrize("tags", [["搜索"], ["search"], "搜索", "search"])
async def test_tools_are_found_by_tags_of_either_language(library: UnifiedToolLibrary, tags: Any) -> None:
    assert "grep_search" in {spec.tool_id for spec in await library.search_tools_by_tags(tags)}


@pytest.mark.parametrize("need", ["the current time in a city", "东京现在几点"])
async def test_tools_are_found_by_what_is_needed(library: UnifiedToolLibrary, need: str) -> None:
    assert (await library.search_tools_by_requirements(need))[0].tool_id == "get_time"


async def test_a_summary_is_of_all_tools_or_of_a_category(library: UnifiedToolLibrary) -> None:
    assert len((await library.get_tools_summary()).splitlines()) == len(await library.get_all_tools())
    (line,) = (await library.get_tools_summary(category="calculation")).splitlines()
    assert line.startswith("- calculate [calculation]: ")
    assert await library.get_tools_summary("没有这一类") == ""
    (summary,) = await library.get_tool_summaries("calculation")
    assert (summary.tool_id, summary.name, summary.category) == ("calculate", "calculate", "calculation")


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        (
            "en",
            ("(ID: calculate)", "Type: function", "Tags: ", "When to use it: ", "“What is 15% of 2480?”", "example: "),
        ),
        ("zh", ("（ID：calculate）", "类型：function", "标签：", "使用场景：", "常见说法：", "示例：")),
    ],
)
async def test_a_description_for_an_agent_says_what_it_is_and_when_to_use_it(
    library: UnifiedToolLibrary, language: Language, parts: tuple[str, ...]
) -> None:
    text = await library.get_tool_description_for_agent("calculate", language)
    for part in (*parts, "expression (string, required)", '"parameters": {"expression": "15% of 2480"}'):
        assert part in text


async def test_all_tools_are_described_on_a_line_each(library: UnifiedToolLibrary) -> None:
    lines = (await library.get_all_tools_description_for_agent()).splitlines()
    assert len(lines) == len(await library.get_all_tools())


async def test_examples_are_calls_that_can_be_made_as_they_are(library: UnifiedToolLibrary) -> None:
    examples = await library.get_tool_usage_examples("calculate")
    assert examples == [{"tool_id": "calculate", "action": "calculate", "parameters": {"expression": "15% of 2480"}}]
    (result,) = await library.batch_execute_tools(examples)
    assert result.result["value"] == 372


@pytest.mark.parametrize("name", ["calculator", "没有"])
async def test_what_is_not_there_cannot_be_described(library: UnifiedToolLibrary, name: str) -> None:
    with pytest.raises(ToolUnknown, match=name):
        await library.get_tool_description_for_agent(name)
    with pytest.raises(ToolUnknown, match=name):
        await library.get_tool_usage_examples(name)
    with pytest.raises(ToolUnknown, match=name):
        await library.export_langchain_tools(tool_ids=[name])


# Calls


async def test_a_call_takes_id_action_and_parameters_and_needs_no_context(
    library: UnifiedToolLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "水位.md").write_text("一百米", encoding="utf-8")
    read = await library.execute_tool(tool_id="read_file", action="read_file", parameters={"path": "水位.md"})
    assert "一百米" in str(read.result)
    assert (await library.execute_tool("calculate", parameters='{"expression": "6*7"}')).result["value"] == 42


async def test_files_outside_the_workspace_stay_out_of_reach(library: UnifiedToolLibrary, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "秘密.md").write_text("x", encoding="utf-8")
    context = ToolContext(workspace=tmp_path / "inner")
    result = await library.execute_tool("read_file", None, {"path": "../秘密.md"}, context)
    assert (result.success, result.error_type) == (False, "permission")


@pytest.mark.parametrize(
    ("tool_id", "action", "kind", "en", "zh"),
    [
        ("calculator", None, "not_found", "There is no tool 'calculator'; did you mean", "没有名为“calculator”的工具"),
        ("没有的", None, "not_found", "There is no tool '没有的'", "没有名为“没有的”的工具"),
        ("calculate", "divide", "bad_arguments", "calculate has no action 'divide'", "calculate 没有操作“divide”"),
        ("file_processor", "数", "bad_arguments", "file_processor has no action '数'", "file_processor 没有操作“数”"),
    ],
)
async def test_a_tool_or_an_action_that_is_not_there_is_a_result_that_says_so(
    library: UnifiedToolLibrary, tool_id: str, action: str | None, *, kind: str, en: str, zh: str
) -> None:
    for result in (
        await library.execute_tool(tool_id, action, {}),
        await library.execute_tool_with_context(tool_id, action, {}),
        *await library.batch_execute_tools([{"tool_id": tool_id, "action": action}]),
    ):
        assert (result.success, result.error_type) == (False, kind)
        assert en in (result.error or "")
        assert zh in in_chinese(result.error)


async def test_a_call_of_a_batch_that_is_none_fails_alone(library: UnifiedToolLibrary) -> None:
    good: dict[str, Any] = {"tool_id": "calculate", "parameters": {"expression": "1+1"}}
    results = await library.batch_execute_tools([good, {"tool": "calculate"}, {**good, "arguments": {}}, good])
    assert [one.success for one in results] == [True, False, False, True]
    assert "tool_id: Field required" in (results[1].error or "")
    assert "一次调用应写成 {tool_id, action, parameters}" in in_chinese(results[2].error)


# What helps


@pytest.mark.parametrize(
    ("given", "error", "better"),
    [
        ({"path": "报告.MD"}, "not found: 报告.MD", {"path": "报告.md"}),
        ({"path": "报告.MD"}, "找不到文件 报告.MD", {"path": "报告.md"}),
        ({"path": "zzzz.bin"}, "not found", {"path": "zzzz.bin"}),
    ],
)
async def test_parameters_are_adjusted_by_the_words_of_the_error(
    library: UnifiedToolLibrary, tmp_path: Path, given: dict[str, Any], error: str, better: dict[str, Any]
) -> None:
    (tmp_path / "报告.md").write_text("x", encoding="utf-8")
    context = ToolContext(workspace=tmp_path)
    found = await library.suggest_parameter_adjustments(
        tool_id="read_file", action=None, failed_parameters=given, error_message=error, context=context
    )
    assert found == better


@pytest.mark.parametrize("error", ["the request timed out", "请求超时"])
async def test_a_call_that_ran_out_of_time_gets_more_of_it(library: UnifiedToolLibrary, error: str) -> None:
    given = {"url": "https://example.com", "timeout": 20}
    assert (await library.suggest_parameter_adjustments("web_scraper", None, given, error))["timeout"] == 40
    assert await library.suggest_parameter_adjustments("没有的", None, given, error) == given


async def test_another_tool_is_found_for_the_task() -> None:
    library = UnifiedToolLibrary()
    for name in ("search_books", "搜索书籍"):
        library.hub.registry.add(made(name, answering(1)))
    found = await library.get_alternative_tools(
        failed_tool_id="search_books", task_context="搜索书籍", execution_context=None
    )
    assert [spec.tool_id for spec in found] == ["搜索书籍"]
    assert (await library.get_tool_failure_patterns("search_books")).adjustments == []
    assert (await library.get_tool_health_status("search_books")).state == "ready"


async def test_a_folder_that_is_named_brings_its_tools(tmp_path: Path) -> None:
    (tmp_path / "shout.py").write_text(TOOL, encoding="utf-8")
    async with UnifiedToolLibrary(tools=[tmp_path]) as library:
        spec = await library.get_tool_by_id("shout")
        assert spec is not None
        assert (spec.name, spec.version, spec.metadata) == ("大声说", "2.1", {"owner": "小明"})
        assert (await library.execute_tool("shout", None, {"text": "水位"})).result == "水位! 大声说"


TOOL = '''
from switchyard import BaseTool, BaseToolParams, tool


class ShoutParams(BaseToolParams):
    text: str


@tool(name="大声说", version="2.1", metadata={"owner": "小明"})
class Shout(BaseTool):
    """Say it loudly. 大声说。"""

    def execute(self, params: ShoutParams) -> str:
        return f"{params.text}! {self.get_summary().name}"
'''


def in_chinese(error: str | None) -> str:
    return said(error or "", "zh")
