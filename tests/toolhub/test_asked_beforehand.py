"""What can be told of a call before it is made: whether its arguments will do, and what it would change."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool as langchain_tool

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.sources.langchain import from_langchain
from switchyard.toolhub.sources.native import discover, function_tool
from switchyard.tools.core import Effect, FunctionToolSpec
from switchyard.tools.core.errors import ToolFailed
from tests.support.hub_tools import CONTEXT, answering, made

OWN = '''
from switchyard.tools.core import BaseToolParams, Effect, ToolContext, ToolFailed, action, tool


class NameParams(BaseToolParams):
    name: str


@tool(writes=True)
class Keep:
    """Keep a name. 保存。"""

    def execute(self, params: NameParams) -> str:
        raise AssertionError("a preview calls nothing")

    def preview(self, params: NameParams, context: ToolContext) -> list[Effect]:
        if params.name == "full 满":
            raise ToolFailed("There is no room. 没有地方了。", kind="unavailable")
        return [Effect(kind="creates", target=params.name)]


@tool()
class Desk:
    """Look at a desk, or clear it. 看桌子，或清空。"""

    @action()
    def look(self, params: NameParams) -> str:
        """Look."""
        return params.name

    @action(name="clear", writes=True)
    async def clear_all(self, params: NameParams) -> str:
        """Clear it."""
        return params.name

    async def preview_clear_all(self, params: NameParams) -> list[Effect]:
        return [Effect(kind="changes", target=params.name)]
'''


@pytest.fixture
def hub(tmp_path: Path) -> ToolHub:
    def add(count: int) -> int:
        """Add one."""
        return count + 1

    @langchain_tool
    def shout(text: str) -> str:
        """Shout a text."""
        return text.upper()

    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    opened = ToolHub(skills=None, native=tmp_path)
    found = discover(tmp_path)
    assert found.broken == []
    for one in found.tools:
        opened.registry.add(one)
    opened.registry.add(function_tool(FunctionToolSpec.of(add)))
    opened.registry.add(from_langchain(shout))
    opened.registry.add(made("plain", answering(1)))
    return opened


@pytest.mark.parametrize(
    ("tool", "action", "arguments", "wrong"),
    [
        ("keep", None, {"name": "小明"}, None),
        ("keep", "anything", {"name": "小明"}, None),
        ("keep", None, {"name": 4}, "'name'"),
        ("keep", None, {"nome": "小明"}, "did you mean 'name'?"),
        ("desk", "clear", {}, "'name' is required"),
        ("desk", "burn", {"name": "小明"}, "no action 'burn'"),
        ("add", None, {"count": 1}, None),
        ("add", None, {"count": "多"}, "'count'"),
        ("shout", None, {"text": "喂"}, None),
        ("shout", None, {"text": ["喂"]}, "'text'"),
        ("plain", None, {"whatever": 1}, None),
        ("not_there", None, {}, None),
    ],
)
async def test_arguments_are_judged_as_the_call_itself_would(
    *, hub: ToolHub, tool: str, action: str | None, arguments: dict[str, Any], wrong: str | None
) -> None:
    said = hub.dispatcher.check(ToolRequest(tool, action, arguments))
    if wrong is None:
        assert said is None
        return
    assert said is not None
    assert wrong in said
    assert (await hub.dispatcher.dispatch(ToolRequest(tool, action, arguments, CONTEXT))).error == said


async def test_one_candidate_that_takes_the_arguments_is_enough(hub: ToolHub) -> None:
    hub.registry.add(made("keep", answering("kept 好")))
    assert hub.dispatcher.check(ToolRequest("keep", None, {"name": 4})) is None


@pytest.mark.parametrize(
    ("tool", "action", "effects"),
    [
        ("keep", None, [Effect(kind="creates", target="小明")]),
        ("desk", "clear", [Effect(kind="changes", target="小明")]),
        ("desk", "look", []),
        ("plain", None, []),
        ("not_there", None, []),
    ],
)
async def test_a_tool_says_what_it_would_do_and_does_not_do_it(
    hub: ToolHub, tool: str, action: str | None, effects: list[Effect]
) -> None:
    assert await hub.dispatcher.preview(ToolRequest(tool, action, {"name": "小明"}, CONTEXT)) == effects


async def test_what_a_tool_says_against_a_call_comes_as_its_own_error(hub: ToolHub) -> None:
    with pytest.raises(ToolFailed, match="没有地方了"):
        await hub.dispatcher.preview(ToolRequest("keep", None, {"name": "full 满"}, CONTEXT))


def test_a_preview_that_cannot_be_called_is_named_when_the_tool_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN.replace("def preview(self, params: NameParams", "def preview(self, name: str"))
    [broken] = discover(tmp_path).broken
    assert "Keep.preview: 'name' must be annotated" in broken.error
