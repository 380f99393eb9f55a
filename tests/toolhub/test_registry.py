"""Which tools there are: candidates by name, none silently replaced."""

from collections.abc import Callable
from typing import Any

import pytest

from switchyard.toolhub.registry import RegisteredTool, ToolRegistry
from switchyard.tools.core.spec import ToolSource
from tests.support.hub_tools import answering, made


def tool(name: str, source: ToolSource = "native", summary: str = "Do it. 做。", **spec: Any) -> RegisteredTool:
    return made(name, answering("好"), source=source, description=summary, **spec)


def registry_of(*tools: RegisteredTool) -> ToolRegistry:
    registry = ToolRegistry()
    for added in tools:
        registry.add(added)
    return registry


def names(tools: list[RegisteredTool]) -> list[str]:
    return [found.spec.tool_id for found in tools]


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


# Groups


def test_a_group_comes_and_goes_as_one() -> None:
    registry = registry_of(tool("calculate"))
    registry.replace("mcp:time", [tool("time/now", "mcp"), tool("time/时区", "mcp")])
    assert {spec.tool_id for spec in registry} == {"calculate", "time/now", "time/时区"}
    registry.replace("mcp:time", [])
    assert [spec.tool_id for spec in registry] == ["calculate"]


def test_a_group_takes_nothing_from_another_of_the_same_names() -> None:
    registry = registry_of(tool("a", summary="mine"))
    registry.replace("folder", [tool("a", summary="theirs")])
    registry.replace("folder", [])
    assert [found.spec.summary for found in registry.candidates("a")] == ["mine"]


def test_the_same_group_again_is_no_change() -> None:
    registry, tools = ToolRegistry(), [tool("搜索网页"), tool("b")]
    registry.replace("folder", tools)
    before = registry.revision
    registry.replace("folder", tools)
    assert registry.revision == before


def test_candidates_of_equal_priority_keep_the_order_of_their_groups() -> None:
    registry = ToolRegistry()
    registry.replace("ours", [tool("a", summary="ours")])
    registry.replace("theirs", [tool("a", summary="theirs")])
    registry.replace("ours", [tool("a", summary="ours, 新")])
    assert [found.spec.summary for found in registry.candidates("a")] == ["ours, 新", "theirs"]


# Indexes


@pytest.mark.parametrize("word", ["search", "搜索", " Search "])
def test_tools_are_found_by_capability_in_either_language(word: str) -> None:
    declared = tool("a", capability_tags=("搜索",))
    derived = tool("b", "mcp", summary="Search the web.")
    registry = registry_of(derived, declared, tool("c"))
    assert names(registry.with_capability(word)) == ["a", "b"]


def test_every_candidate_of_a_name_is_found_by_capability() -> None:
    registry = registry_of(tool("web_search", "mcp"), tool("web_search"))
    assert [found.spec.source for found in registry.with_capability("search")] == ["native", "mcp"]


def test_a_tool_without_capability_tags_gets_those_its_words_speak_for() -> None:
    registry = registry_of(tool("web_search", summary="Ask the web."))
    assert next(iter(registry)).capability_tags == ("search", "搜索")


@pytest.mark.parametrize("tag", ["河流", "river", "RIVER", "hydrology", "weather", "天气"])
def test_tools_are_found_by_tag_category_and_capability(tag: str) -> None:
    registry = registry_of(
        tool("a", tags=("河流", "River"), category="hydrology", capability_tags=("天气",)), tool("b", tags=("湖",))
    )
    assert [spec.tool_id for spec in registry.with_tags([tag])] == ["a"]


@pytest.mark.parametrize(("kind", "found"), [("function", ["a"]), ("skill", ["b"]), ("mcp_server", ["c/d"])])
def test_tools_are_found_by_type(kind: str, found: list[str]) -> None:
    registry = registry_of(tool("a"), tool("b", "skill", tool_type="skill"), tool("c/d", "mcp", tool_type="mcp_server"))
    assert [spec.tool_id for spec in registry.listed(kind)] == found


def test_indexes_follow_every_change() -> None:
    registry = registry_of(tool("web_search"))
    assert len(registry.with_capability("search")) == 1
    registry.add(tool("ask_web", summary="搜索网页"))
    assert names(registry.with_capability("search")) == ["web_search", "ask_web"]
    registry.remove("web_search")
    assert names(registry.with_capability("search")) == ["ask_web"]


# Tools that are switched off


def test_a_disabled_tool_is_not_offered_and_says_why() -> None:
    registry = registry_of(tool("搜索", summary="Search."), tool("b"))
    registry.disable("搜索", reason="太慢")
    assert "搜索" not in registry
    assert registry.candidates("搜索") == []
    assert registry.with_capability("search") == []
    assert [spec.tool_id for spec in registry] == ["b"]
    assert [(one.tool.spec.tool_id, one.reason) for one in registry.withheld("搜索")] == [("搜索", "太慢")]


def test_all_tools_of_a_server_can_be_disabled_at_once() -> None:
    registry = registry_of(tool("时间/now", "mcp"), tool("时间/zone", "mcp"), tool("时间"))
    registry.disable("时间")
    assert {one.tool.spec.tool_id for one in registry.withheld()} == {"时间/now", "时间/zone", "时间"}


def test_a_folder_in_a_native_name_is_no_server() -> None:
    registry = registry_of(tool("a/b"))
    registry.disable("a")
    assert "a/b" in registry


def test_what_is_registered_later_is_disabled_too() -> None:
    registry = ToolRegistry()
    registry.disable("a")
    registry.add(tool("a"))
    assert "a" not in registry


def test_a_tool_can_be_enabled_again() -> None:
    registry = registry_of(tool("a"))
    registry.disable("a")
    before = registry.revision
    registry.enable("a")
    assert "a" in registry
    assert registry.revision != before


def test_a_disabled_tool_can_be_removed() -> None:
    registry = registry_of(tool("a"))
    registry.disable("a")
    assert registry.remove("a")
    assert registry.withheld() == []


# Changes under a reader


def test_a_reader_is_not_disturbed_by_what_comes_and_goes() -> None:
    registry = registry_of(tool("a"), tool("b"), tool("c"))
    seen: list[str] = []
    for spec in registry:
        seen.append(spec.tool_id)
        registry.remove("c")
        registry.add(tool(f"new {spec.tool_id}"))
        registry.disable("b")
    assert seen == ["a", "b", "c"]
    assert {spec.tool_id for spec in registry} == {"a", "new a", "new b", "new c"}


def test_a_server_that_is_disabled_takes_all_its_tools_along() -> None:
    registry = registry_of(tool("time/now", "mcp"), tool("time/时区", "mcp"), tool("timer"))
    registry.disable("time")
    assert [spec.tool_id for spec in registry] == ["timer"]


def test_a_registry_read_after_every_change_offers_what_one_read_at_the_end_does() -> None:
    read, unread = ToolRegistry(), ToolRegistry()
    changes: list[Callable[[ToolRegistry], object]] = [
        lambda registry: registry.replace("folder", [tool("a"), tool("b", summary="before"), tool("time/now", "mcp")]),
        lambda registry: registry.add(tool("a", summary="second")),
        lambda registry: registry.disable("time"),
        lambda registry: registry.replace(
            "folder", [tool("b", summary="after"), tool("time/now", "mcp"), tool("查询")]
        ),
        lambda registry: registry.disable("b"),
        lambda registry: registry.enable("time"),
        lambda registry: registry.remove("查询"),
    ]
    for change in changes:
        change(read)
        assert len(read) == len(list(read))
        change(unread)
    assert dict(read.specs) == dict(unread.specs)
    assert read.specs.keys() == {"a", "time/now"}
    assert [one.tool.spec for one in read.withheld()] == [one.tool.spec for one in unread.withheld()]
