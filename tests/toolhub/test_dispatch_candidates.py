"""Several candidates of one name: raced or merged where they read, one at a time where they write."""

import asyncio
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from switchyard.toolhub.calling import dispatch as racing
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core import ToolResult
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.spec import ToolSource
from tests.support.hub_tools import CONTEXT, Held, Hub, answering, failing, made, with_model

T = TypeVar("T", bound=BaseModel)

BEST = {"capability_tags": ("calculate", "计算")}
MERGED = {"capability_tags": ("search", "搜索")}
WRITES = {"writes": True}
ASKS = {"needs_approval": True}
SOURCES: list[ToolSource] = ["native", "skill", "mcp", "mcp", "mcp"]


class Counted:
    """Work that counts its calls."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.calls = 0

    async def __call__(self, arguments: dict[str, Any]) -> Any:
        del arguments
        self.calls += 1
        return self.value


def bad(kind: FailureKind = "crash") -> ToolResult:
    return ToolResult.failed("坏了", kind)


def candidates(*works: Any, **spec: Any) -> list[RegisteredTool]:
    sources = enumerate(zip(works, SOURCES, strict=False))
    return [made("算", work, source=source, description=f"第{at}", **spec) for at, (work, source) in sources]


async def test_one_candidate_is_called() -> None:
    result = await Hub(*candidates(answering(42))).call("算")
    assert (result.result, result.meta.source, result.meta.synthesised) == (42, "native", False)
    assert (result.meta.tool, result.meta.downgrades) == ("", [])


async def test_a_failed_call_is_returned_as_failed() -> None:
    result = await Hub(*candidates(failing("没有", "not_found"))).call("算")
    assert (result.success, result.error, result.error_type) == (False, "没有", "not_found")


@pytest.mark.parametrize("tag", ["calculate", "time", "计算", "时间"])
async def test_calculation_and_time_take_the_first_success(tag: str) -> None:
    slow = Held()
    hub = Hub(*candidates(slow, answering("快"), capability_tags=(tag,)))
    result = await hub.call("算")
    assert (result.result, result.meta.source, result.meta.synthesised) == ("快", "skill", False)
    await hub.dispatcher.stragglers.settle()
    assert slow.cancelled.is_set()


@pytest.mark.parametrize("tag", ["search", "extract", "搜索", "提取"])
async def test_search_and_extraction_are_merged(tag: str) -> None:
    result = await Hub(*candidates(*map(answering, "甲乙丙"), capability_tags=(tag,))).call("算")
    assert [part["result"] for part in result.result["results"]] == ["甲", "乙", "丙"]
    assert (result.meta.synthesised, result.meta.source_count) == (True, 3)


async def test_any_two_are_merged() -> None:
    result = await Hub(*candidates(answering("甲"), answering("乙"))).call("算")
    assert [part["source"] for part in result.result["results"]] == ["native", "skill"]


async def test_of_three_others_the_first_success_is_taken() -> None:
    hub = Hub(*candidates(answering("甲"), Held(), Held()))
    result = await hub.call("算")
    assert (result.result, result.meta.synthesised) == ("甲", False)
    await hub.dispatcher.stragglers.settle()


async def test_of_those_that_are_merged_a_failed_one_is_left_out_and_told() -> None:
    result = await Hub(*candidates(failing(), answering("乙"), **MERGED)).call("算")
    assert (result.success, result.result, result.meta.synthesised) == (True, "乙", False)
    assert result.meta.downgrades == ["算 (native) failed: 坏了"]


async def test_the_model_merges_in_the_language_of_the_run() -> None:
    asked: list[str] = []

    async def ask(system: str, user: str, answer: type[T]) -> T | None:
        asked.append(user)
        return answer.model_validate({"text": "合在一起"})

    hub = Hub(*candidates(answering("甲"), answering("乙"), **MERGED))
    result = await hub.call("算", context=with_model(ask), query="水位")
    assert result.result["text"] == "合在一起"
    assert asked[0].startswith('Call: 算 {"query": "水位"}')


async def test_at_most_three_run_at_once() -> None:
    running = [Held(f"第{at}") for at in range(5)]
    hub = Hub(*candidates(*running, **MERGED))
    call = asyncio.create_task(hub.call("算"))
    for one in running[:3]:
        await one.started.wait()
        one.go.set()
    assert len((await call).result["results"]) == 3
    assert [one.calls for one in running] == [1, 1, 1, 0, 0]


@pytest.mark.parametrize("spec", [BEST, MERGED])
async def test_when_the_first_three_fail_the_rest_are_tried_one_by_one(spec: dict[str, Any]) -> None:
    last = Counted("丁")
    after = Counted("戊")
    result = await Hub(*candidates(failing(), failing(), failing(), last, after, **spec)).call("算")
    assert (result.result, after.calls) == ("丁", 0)
    assert len(result.meta.downgrades) == 3


async def test_when_all_fail_the_first_failure_counts_and_the_others_are_told() -> None:
    works = [failing(f"第{at}坏了") for at in range(4)]
    result = await Hub(*candidates(*works, **BEST)).call("算")
    assert (result.success, result.error) == (False, "第0坏了")
    assert result.meta.downgrades == [f"算 ({SOURCES[at]}) failed: 第{at}坏了" for at in (1, 2, 3)]


async def test_the_last_successful_one_comes_first() -> None:
    held = [Held() for _ in range(3)]
    late = Counted("丁")
    hub = Hub(*candidates(*held, late, **BEST))
    hub.memory.prefer("算", hub.registry.candidates("算")[3])
    assert (await hub.call("算")).result == "丁"
    await hub.dispatcher.stragglers.settle()
    assert [one.calls for one in held] == [1, 1, 0]


async def test_a_success_is_remembered_for_the_next_call() -> None:
    fast, slow = Counted("快"), Held()
    hub = Hub(*candidates(slow, fast, **BEST))
    await hub.call("算")
    skill = hub.registry.candidates("算")[1]
    assert hub.memory.is_preferred("算", skill)


# What writes or asks


@pytest.mark.parametrize("spec", [WRITES, ASKS, WRITES | MERGED, ASKS | BEST])
async def test_what_writes_or_asks_is_called_one_at_a_time(spec: dict[str, Any]) -> None:
    first, second = Counted("甲"), Counted("乙")
    result = await Hub(*candidates(first, second, **spec)).call("算")
    assert (result.result, first.calls, second.calls) == ("甲", 1, 0)


@pytest.mark.parametrize("kind", ["not_found", "bad_arguments", "permission", "rate_limit"])
async def test_where_nothing_can_have_happened_the_next_one_writes(kind: FailureKind) -> None:
    result = await Hub(*candidates(answering(bad(kind)), answering("乙"), **WRITES)).call("算")
    assert result.result == "乙"
    assert result.meta.downgrades == ["算 (native) failed: 坏了"]


@pytest.mark.parametrize("kind", ["timeout", "crash", "unavailable", "wrong_result"])
async def test_what_may_have_been_written_is_not_written_again(kind: FailureKind) -> None:
    second = Counted("乙")
    result = await Hub(*candidates(answering(bad(kind)), second, **WRITES)).call("算")
    assert (result.error_type, second.calls) == (kind, 0)


@pytest.mark.parametrize("spec", [WRITES, ASKS, {"sends": True}])
async def test_nobody_writes_or_asks_in_the_place_of_one_that_reads(spec: dict[str, Any]) -> None:
    careful = Counted("写了")
    hub = Hub(made("算", failing()), made("算", careful, source="skill", **spec))
    result = await hub.call("算")
    assert (result.success, careful.calls) == (False, 0)


async def test_an_action_that_reads_is_not_held_back_by_one_that_writes() -> None:
    actions = [{"name": "看", "writes": False}, {"name": "写", "writes": True}]
    works = [Counted("甲"), Counted("乙")]
    hub = Hub(*candidates(*works, capabilities=actions, writes=True))
    result = await hub.call("算", "看")
    assert [part["result"] for part in result.result["results"]] == ["甲", "乙"]
    assert (await hub.call("算", "写")).result == "甲"
    assert [work.calls for work in works] == [2, 1]


# Time and cancellation


async def test_a_call_has_the_time_the_caller_gives() -> None:
    result = await Hub(*candidates(Held())).call("算", seconds=0.01)
    assert (result.error_type, result.error) == ("timeout", "算 did not answer within 0.01 s.")


async def test_a_tool_that_ignores_its_cancellation_does_not_hold_up_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("switchyard.toolhub.calling.retreat.GRACE", 0.01)
    go = asyncio.Event()

    async def stubborn(arguments: dict[str, Any]) -> str:
        while not go.is_set():
            try:
                await go.wait()
            except asyncio.CancelledError:
                continue
        return "太晚了"

    hub = Hub(made("倔", stubborn))
    result = await hub.call("倔", seconds=0.01)
    assert (result.error_type, result.meta.source) == ("timeout", "native")
    assert len(hub.dispatcher.stragglers) == 1
    go.set()
    await hub.dispatcher.stragglers.settle()
    assert len(hub.dispatcher.stragglers) == 0


@pytest.mark.parametrize("spec", [BEST, MERGED, WRITES])
async def test_a_cancelled_request_leaves_nothing_behind(spec: dict[str, Any]) -> None:
    before = asyncio.all_tasks()
    running = [Held(), Held()]
    hub = Hub(*candidates(*running, **spec))
    call = asyncio.create_task(hub.dispatcher.dispatch(ToolRequest("算", context=CONTEXT)))
    await running[0].started.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert [one.cleaned.is_set() for one in running] == [bool(one.calls) for one in running]
    assert asyncio.all_tasks() == before


async def test_racing_waits_a_moment_for_what_it_cancels() -> None:
    assert 0 < racing.GRACE < racing.LAST_GRACE
