"""Which tools there are: candidates by name, none silently replaced."""

from typing import Any

import pytest

from toolhub.registry import RegisteredTool, ToolRegistry
from tools.core.context import ToolContext
from tools.core.result import ToolResult
from tools.core.spec import ToolSource, ToolSpec


async def run(action: str | None, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    return ToolResult(result=arguments)


def tool(name: str, source: ToolSource = "native", summary: str = "Do it. 做。") -> RegisteredTool:
    return RegisteredTool(ToolSpec(name=name, summary=summary, source=source), run)


def registry_of(*tools: RegisteredTool) -> ToolRegistry:
    registry = ToolRegistry()
    for added in tools:
        registry.add(added)
    return registry


def test_two_tools_of_one_name_are_two_candidates() -> None:
    registry = registry_of(tool("search", summary="first"), tool("search", summary="second"))
    assert [found.spec.summary for found in registry.candidates("search")] == ["first", "second"]


def test_a_name_with_two_candidates_is_listed_once() -> None:
    assert len(registry_of(tool("search"), tool("search"))) == 1


def test_native_tools_come_before_skills_and_skills_before_mcp() -> None:
    registry = registry_of(tool("查询", "mcp"), tool("查询", "skill"), tool("查询", "native"))
    assert [found.spec.source for found in registry.candidates("查询")] == ["native", "skill", "mcp"]


def test_the_first_candidate_speaks_for_the_name() -> None:
    registry = registry_of(tool("search", "mcp"), tool("search", "native"))
    assert [spec.source for spec in registry] == ["native"]


def test_every_addition_gives_a_new_revision() -> None:
    registry = ToolRegistry()
    seen = [registry.revision]
    for name in ("a", "a", "b"):
        registry.add(tool(name))
        seen.append(registry.revision)
    assert len(set(seen)) == 4


def test_a_removal_gives_a_new_revision() -> None:
    registry = registry_of(tool("a"))
    before = registry.revision
    registry.remove("a")
    assert registry.revision != before


def test_removing_what_is_not_there_changes_nothing() -> None:
    registry = registry_of(tool("a"))
    before = registry.revision
    assert not registry.remove("b")
    assert registry.revision == before


def test_a_removed_name_loses_all_its_candidates() -> None:
    registry = registry_of(tool("a"), tool("a", "mcp"))
    assert registry.remove("a")
    assert registry.candidates("a") == []


@pytest.mark.parametrize(("name", "there"), [("a", True), ("b", False)])
def test_a_registry_knows_its_names(name: str, *, there: bool) -> None:
    assert (name in registry_of(tool("a"))) is there


def test_a_list_of_candidates_is_the_callers_own() -> None:
    registry = registry_of(tool("a"))
    registry.candidates("a").clear()
    assert len(registry.candidates("a")) == 1
