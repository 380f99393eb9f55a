"""The order of retreat: a tool that is not there is replaced by one for the same purpose, or said to be missing."""

from typing import Any

import pytest

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core import ToolResult
from tests.support.hub_tools import CONTEXT, Hub, answering, failing, made, schema

TIME: dict[str, Any] = {"capability_tags": ("time", "时间"), "takes": schema(timezone="")}


def clock(name: str = "时间/now", answer: str = "十二点", **spec: Any) -> RegisteredTool:
    return made(name, answering(answer), source="mcp", **TIME, **spec)


async def test_a_tool_that_is_there_is_called_and_no_other() -> None:
    result = await Hub(made("get_time", answering("九点"), **TIME), clock()).call("get_time")
    assert (result.result, result.meta.tool, result.meta.downgrades) == ("九点", "", [])


async def test_a_disabled_tool_is_replaced_by_one_for_the_same_purpose() -> None:
    hub = Hub(made("get_time", answering("九点"), **TIME), clock())
    hub.registry.disable("get_time", reason="it is wrong")
    result = await hub.call("get_time", timezone="Asia/Tokyo")
    assert (result.success, result.result) == (True, "十二点")
    assert (result.meta.tool, result.meta.source) == ("时间/now", "mcp")
    (told,) = result.meta.downgrades
    assert told.startswith("The tool 'get_time' is disabled: it is wrong. Tools for a similar purpose: 时间/now.")
    assert told.endswith("Asked instead, for the same purpose: 时间/now.")


async def test_when_all_are_disabled_it_is_said_why() -> None:
    hub = Hub(made("get_time", answering("九点"), **TIME), clock())
    hub.registry.disable("get_time", reason="不准")
    hub.registry.disable("时间", reason="没有网络")
    result = await hub.call("get_time")
    assert (result.success, result.error_type) == (False, "not_found")
    assert result.error == ("The tool 'get_time' is disabled: 不准. No other tool is like it.")


async def test_a_disabled_tool_like_no_other_says_so() -> None:
    hub = Hub(made("get_time", answering("九点"), **TIME), made("算", answering(1)))
    hub.registry.disable("get_time", reason="不准.")
    assert (await hub.call("get_time")).error == "The tool 'get_time' is disabled: 不准. No other tool is like it."


async def test_a_tool_whose_server_is_dead_is_replaced() -> None:
    dead, other = clock("东/now"), clock("西/now", "一点")
    hub = Hub(dead, other, absent={"东/now": "The MCP server '东' is down: 坏了."})
    result = await hub.call("东/now")
    assert (result.result, result.meta.tool) == ("一点", "西/now")
    assert result.meta.downgrades[0].startswith("The MCP server '东' is down: 坏了. Asked instead")


async def test_where_nothing_is_like_it_a_dead_server_is_asked_itself() -> None:
    gone = ToolResult.failed("The MCP server '东' is not available.", "unavailable")
    hub = Hub(made("东/now", answering(gone), source="mcp", **TIME), absent={"东/now": "down"})
    result = await hub.call("东/now")
    assert (result.error_type, result.error) == ("unavailable", "The MCP server '东' is not available.")


async def test_a_server_that_turns_out_to_be_dead_is_replaced() -> None:
    hub = Hub(clock("西/now", "一点"))

    async def dying(arguments: dict[str, Any]) -> ToolResult:
        hub.absent["东/now"] = "The MCP server '东' is down: 没了."
        return ToolResult.failed("gone", "unavailable")

    hub.registry.add(made("东/now", dying, source="mcp", **TIME))
    assert (await hub.call("东/now")).result == "一点"


async def test_a_call_that_failed_on_a_living_server_is_not_replaced() -> None:
    hub = Hub(made("东/now", failing("没有", "unavailable"), source="mcp", **TIME), clock("西/now"))
    assert (await hub.call("东/now")).error == "没有"


@pytest.mark.parametrize("name", ["what_time_is_it", "时间查询", "GetCurrentTime", "clock/current_time"])
async def test_an_unknown_name_is_taken_by_what_it_speaks_of(name: str) -> None:
    result = await Hub(clock()).call(name)
    assert (result.result, result.meta.tool) == ("十二点", "时间/now")
    assert result.meta.downgrades[0].startswith(f"There is no tool '{name}'")


@pytest.mark.parametrize("name", ["frobnicate", "没有这个工具", "save_calendar", "read_clock", "发送时间"])
async def test_an_unknown_name_that_speaks_of_nothing_or_of_a_change_is_not_guessed(name: str) -> None:
    result = await Hub(clock()).call(name)
    assert (result.success, result.error_type) == (False, "not_found")
    assert f"There is no tool '{name}'" in (result.error or "")


@pytest.mark.parametrize("spec", [{"writes": True}, {"sends": True}, {"needs_approval": True}])
async def test_nothing_that_writes_or_asks_is_run_in_the_place_of_another(spec: dict[str, Any]) -> None:
    result = await Hub(clock(**spec)).call("current_time")
    assert (result.success, result.error_type) == (False, "not_found")


async def test_what_would_have_written_is_not_replaced_by_what_only_looks() -> None:
    hub = Hub(made("set_clock", answering("好"), writes=True, **TIME), clock())
    hub.registry.disable("set_clock")
    result = await hub.call("set_clock")
    assert (result.success, result.error_type) == (False, "not_found")
    assert "时间/now" in (result.error or "")


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        ({"q": "水位"}, True),
        ({"q": "水位", "explanation": "要知道", "limit": None}, True),
        ({"q": "水位", "language": "zh"}, True),
        ({"q": "水位", "language": "en"}, False),
        ({"query": "水位"}, False),
        ({"q": "水位", "site": "example.com"}, False),
        ({}, False),
    ],
)
async def test_only_a_tool_that_takes_the_same_arguments_stands_in(arguments: dict[str, Any], *, fits: bool) -> None:
    original = made("search_web", answering("旧"), takes=schema("q", language="zh"), capability_tags=("search",))
    hub = Hub(original, made("别处搜索", answering("新"), takes=schema("q")))
    hub.registry.disable("search_web")
    assert (await hub.call("search_web", **arguments)).success is fits


async def test_several_that_stand_in_are_merged_or_raced_as_their_kind_says() -> None:
    sites = [made(f"{site}/search", answering(site), source="mcp") for site in "甲乙丙"]
    result = await Hub(*sites).call("web_search")
    assert {part["result"] for part in result.result["results"]} == set("甲乙丙")
    assert result.meta.synthesised


async def called_first(seed: int) -> list[str]:
    """The first three of eight equals that a request reaches by capability, one native tool among them."""
    called: list[str] = []

    def noting(name: str) -> Any:
        async def work(arguments: dict[str, Any]) -> ToolResult:
            called.append(name)
            return ToolResult.failed("坏了", "crash")

        return work

    equals = [made(f"第{at}/search", noting(f"第{at}"), source="mcp") for at in range(8)]
    await Hub(*equals, made("search_knowledge", noting("native")), seed=seed).call("web_search")
    return called


async def test_by_capability_equals_are_tried_in_random_order_after_what_comes_first() -> None:
    orders = [await called_first(seed) for seed in range(5)]
    assert all(called[0] == "native" for called in orders)
    assert all(sorted(called) == sorted(orders[0]) for called in orders)
    assert len({tuple(called) for called in orders}) > 1
    assert await called_first(3) == orders[3]


async def test_the_one_that_served_last_comes_first() -> None:
    hub = Hub(*(clock(f"第{at}/now", f"第{at}") for at in range(9)))
    first = (await hub.call("current_time")).meta.tool
    for _ in range(5):
        assert (await hub.call("current_time")).meta.tool == first


async def test_when_those_that_stand_in_fail_too_both_are_told() -> None:
    hub = Hub(made("时间/now", failing("坏了"), source="mcp", **TIME))
    result = await hub.call("current_time")
    assert (result.success, result.error_type) == (False, "not_found")
    assert "There is no tool 'current_time'" in (result.error or "")
    assert result.meta.downgrades[-1] == "That failed too: 坏了"


# Names and arguments


@pytest.mark.parametrize(
    ("name", "action"), [("git", "git_status"), ("git/git_status", None), ("git/git_status", "git_status")]
)
async def test_a_servers_tool_is_called_either_way(name: str, action: str | None) -> None:
    hub = Hub(made("git/git_status", answering("干净"), source="mcp"))
    assert (await hub.call(name, action)).result == "干净"


async def test_a_tools_action_is_called_either_way() -> None:
    seen: list[str | None] = []

    async def run(request: ToolRequest) -> ToolResult:
        seen.append(request.action)
        return ToolResult(result="好")

    browser = made("浏览器", answering(""), capabilities=[{"name": "click"}, {"name": "打开"}])
    hub = Hub(type(browser)(browser.spec, run))
    for name, action in [("浏览器", "打开"), ("浏览器/打开", None), ("浏览器/click", None)]:
        assert (await hub.call(name, action)).success
    assert seen == ["打开", "打开", "click"]


async def test_a_servers_name_alone_is_answered_with_its_tools() -> None:
    result = await Hub(made("git/git_status", answering(""), source="mcp")).call("git")
    assert result.error == "'git' is an MCP server with 1 tool; name one of them: git/git_status."


@pytest.mark.parametrize(
    ("arguments", "error"),
    [('{"a": 1', "not JSON"), ("[1]", "must be an object"), ("[" * 100_000, "not JSON"), ("你好", "not JSON")],
)
async def test_arguments_that_are_no_object_are_told(arguments: str, error: str) -> None:
    hub = Hub(made("a", answering("好")))
    result = await hub.dispatcher.dispatch(ToolRequest("a", None, arguments, CONTEXT, 120))
    assert result.error_type == "bad_arguments"
    assert error in (result.error or "")


async def test_arguments_may_be_json_text() -> None:
    async def echo(arguments: dict[str, Any]) -> Any:
        return arguments

    hub = Hub(made("a", echo))
    result = await hub.dispatcher.dispatch(ToolRequest("a", None, '{"城市": "东京"}', CONTEXT, 120))
    assert result.result == {"城市": "东京"}
