"""The façade of the hub: find, describe and run tools by name."""

from pathlib import Path

import pytest

from app.shadowing import ROOT
from tests.support.counting_tools import calls, write_counting_tools
from toolhub.library import UnifiedToolLibrary
from tools.core.context import ToolContext

SIX = ["calculate", "get_conversation_history", "get_time", "grep_search", "list_dir", "read_file"]


@pytest.fixture
async def library() -> UnifiedToolLibrary:
    opened = UnifiedToolLibrary(native=ROOT / "tools")
    await opened.initialize()
    return opened


def test_a_library_is_empty_until_it_is_initialised() -> None:
    assert UnifiedToolLibrary(native=ROOT / "tools").get_all_tools() == []


async def test_all_tools_are_listed_by_name(library: UnifiedToolLibrary) -> None:
    names = [spec.name for spec in library.get_all_tools()]
    assert names == sorted(names)
    assert set(names).issuperset(SIX)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("calculator", "calculate"), ("read_fle", "read_file"), ("grepsearch", "grep_search"), ("ListDir", "list_dir")],
)
async def test_an_unknown_name_is_answered_with_the_nearest(
    library: UnifiedToolLibrary, wrong: str, meant: str
) -> None:
    assert meant in str(library.unknown(wrong))


@pytest.mark.parametrize("name", ["没有这个工具", "zzzzqqqq"])
async def test_a_name_like_no_other_is_answered_with_where_to_look(library: UnifiedToolLibrary, name: str) -> None:
    said = str(library.unknown(name))
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
    library = UnifiedToolLibrary(native=ROOT / "tools", extra=[write_counting_tools(tmp_path / "mine")])
    await library.initialize()
    await library.execute_tool("tally", None, {"label": "苹果"}, ToolContext(workspace=tmp_path, step_id="s7"))
    assert calls(tmp_path) == ["start s7 苹果", "end s7 苹果"]


async def test_summaries_leave_out_names_that_are_not_there(library: UnifiedToolLibrary) -> None:
    lines = library.get_tools_summary(["calculate", "没有", "get_time"]).splitlines()
    assert [line.split(" ")[1] for line in lines] == ["calculate", "get_time"]


async def test_definitions_are_given_for_the_names_asked_for(library: UnifiedToolLibrary) -> None:
    text = library.get_tools_description_by_names(["calculate"])
    assert "expression (string, required)" in text
    assert "get_time" not in text


async def test_definitions_cost_more_than_nothing(library: UnifiedToolLibrary) -> None:
    assert library.full_catalogue_tokens() > 100
