"""A tool with several operations: each has its own parameters, and its own effects."""

from pathlib import Path

import pytest

from switchyard.toolhub.calling.dispatch import call_tool
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import ToolCapability, ToolContext, ToolResult, ToolSpec

NOTES = '''
from switchyard.tools.core import BaseToolParams, ToolContext, action, tool


class CountParams(BaseToolParams):
    text: str


class KeepParams(BaseToolParams):
    name: str
    text: str


@tool(tags=("notes", "笔记"), sentences=("Notes, please",))
class Notes:
    """Count words, or keep them. 数词，或保存。"""

    @action(sentences=("Count these words", "数一数"), returns="count", answers={"zh": "{count}个词"})
    def count(self, params: CountParams) -> int:
        """Count the words
        of a text."""
        return len(params.text.split())

    @action(writes=True, returns="path")
    async def keep(self, params: KeepParams, context: ToolContext) -> str:
        """Keep a text in a file."""
        return f"{context.step_id}:{params.name}"

    @action(name="send", sends=True, needs_approval=False)
    def send_away(self, params: CountParams) -> str:
        """Send it."""
        return "sent"
'''


@pytest.fixture
def notes(tmp_path: Path) -> RegisteredTool:
    (tmp_path / "notes.py").write_text(NOTES, encoding="utf-8")
    found = discover(tmp_path)
    assert found.broken == []
    return found.tools[0]


async def call(tool: RegisteredTool, action: str | None, **arguments: str) -> ToolResult:
    return await call_tool(
        tool, ToolRequest(tool.spec.tool_id, action, arguments, ToolContext(workspace=Path(), step_id="s1"), 120)
    )


def test_each_action_is_described(notes: RegisteredTool) -> None:
    count, keep, send = notes.spec.capabilities
    assert [one.name for one in (count, keep, send)] == ["count", "keep", "send"]
    assert count.description == "Count the words of a text."
    assert keep.parameters["required"] == ["name", "text"]
    assert notes.spec.asked == ("Notes, please", "Count these words", "数一数")


async def test_the_named_action_runs(notes: RegisteredTool) -> None:
    assert (await call(notes, "count", text="一 two 三")).result == 3
    assert (await call(notes, "keep", name="笔记", text="x")).result == "s1:笔记"
    assert (await call(notes, "send", text="x")).result == "sent"


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (None, "notes has several actions and none was named; Actions: count, keep, send."),
        ("cuont", "notes has no action 'cuont'; did you mean 'count'? Actions: count, keep, send."),
        ("删除", "notes has no action '删除'; Actions: count, keep, send."),
    ],
)
async def test_an_action_that_is_not_there_is_told_with_those_that_are(
    notes: RegisteredTool, action: str | None, said: str
) -> None:
    result = await call(notes, action, text="x")
    assert (result.error, result.error_type) == (said, "bad_arguments")


async def test_arguments_are_checked_against_the_actions_own_parameters(notes: RegisteredTool) -> None:
    result = await call(notes, "keep", text="x")
    assert result.error == "notes: 'name' is required. Fields: name, text."


def test_the_tool_is_as_careful_as_its_actions_together(notes: RegisteredTool) -> None:
    assert (notes.spec.writes, notes.spec.sends, notes.spec.asks_first) == (True, True, True)
    assert notes.spec.for_action(None) is notes.spec
    assert notes.spec.for_action("no such") is notes.spec


@pytest.mark.parametrize(
    ("action", "effects"),
    [("count", (False, False, False)), ("keep", (True, False, True)), ("send", (False, True, False))],
)
def test_an_action_has_its_own_effects(notes: RegisteredTool, action: str, effects: tuple[bool, bool, bool]) -> None:
    spec = notes.spec.for_action(action)
    assert (spec.writes, spec.sends, spec.asks_first) == effects
    assert spec.capability(None) is spec.capability(action) is not None
    assert spec.for_action(action) == spec


def test_an_action_has_its_own_words(notes: RegisteredTool) -> None:
    spec = notes.spec.for_action("count")
    assert (spec.returns, spec.answers["zh"], spec.asked) == (
        "count",
        "{count}个词",
        ("Count these words", "数一数"),
    )
    assert notes.spec.for_action("keep").asked == notes.spec.asked


def test_an_action_that_says_nothing_is_as_its_tool() -> None:
    actions = (ToolCapability(name="a"), ToolCapability(name="b", writes=False))
    spec = ToolSpec(tool_id="t", description="t", writes=True, capabilities=actions)
    assert spec.for_action("a").asks_first
    assert not spec.for_action("b").asks_first
    assert spec.asks_first


def test_a_marked_method_without_parameters_is_told(tmp_path: Path) -> None:
    text = NOTES.replace("def count(self, params: CountParams)", "def count(self)")
    (tmp_path / "notes.py").write_text(text, encoding="utf-8")
    (broken,) = discover(tmp_path).broken
    assert "Notes.count takes no parameter model" in broken.error
