"""Several calls at once: the first good answer or all, and nothing left behind."""

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any

import pytest
from langgraph.errors import GraphInterrupt

from switchyard.toolhub.calling import dispatch as racing
from switchyard.toolhub.calling.dispatch import Stragglers, bounded, collect
from switchyard.tools.core import ToolResult
from tests.support.hub_tools import Held

pick_best = partial(collect, until_success=True)


async def good(value: Any = "好") -> ToolResult:
    return ToolResult(result=value)


async def bad() -> ToolResult:
    return ToolResult.failed("坏了", "crash")


async def interrupting() -> ToolResult:
    raise GraphInterrupt(())


async def held(tool: Held) -> ToolResult:
    return ToolResult(result=await tool({}))


def others() -> set[asyncio.Task[Any]]:
    """The tasks there are, but for the test's own."""
    return {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}


def results(answers: dict[int, ToolResult]) -> dict[int, Any]:
    return {at: answer.result if answer.success else answer.error for at, answer in answers.items()}


async def test_the_first_success_is_taken_without_waiting_for_the_others() -> None:
    slow, stragglers = Held(), Stragglers()
    answers = await pick_best([partial(held, slow), good], stragglers)
    assert results(answers) == {1: "好"}
    await stragglers.settle()
    assert slow.cancelled.is_set()


async def test_the_winner_does_not_wait_for_the_clean_up_of_the_others() -> None:
    may_clean = asyncio.Event()
    slow, stragglers = Held(clean_up=may_clean), Stragglers()

    async def after_the_slow_one_started() -> ToolResult:
        await slow.started.wait()
        return await good("快")

    answers = await pick_best([partial(held, slow), after_the_slow_one_started], stragglers)
    assert results(answers) == {1: "快"}
    assert len(stragglers) == 1
    assert not slow.cleaned.is_set()
    may_clean.set()
    await stragglers.settle()
    assert slow.cleaned.is_set()
    assert len(stragglers) == 0


async def test_a_failure_does_not_end_the_race() -> None:
    slow = Held("慢")
    race = asyncio.create_task(pick_best([bad, partial(held, slow)], Stragglers()))
    await slow.started.wait()
    slow.go.set()
    assert results(await race) == {0: "坏了", 1: "慢"}


async def test_of_two_that_succeed_together_the_first_counts() -> None:
    answers = await pick_best([partial(good, "一"), partial(good, "二")], Stragglers())
    assert results(answers) == {0: "一"}


async def test_when_all_fail_all_failures_come_back() -> None:
    assert results(await pick_best([bad, bad], Stragglers())) == {0: "坏了", 1: "坏了"}


async def test_collecting_waits_for_all() -> None:
    slow = Held("慢")
    race = asyncio.create_task(collect([partial(held, slow), good, bad], Stragglers()))
    await slow.started.wait()
    assert not race.done()
    slow.go.set()
    assert results(await race) == {0: "慢", 1: "好", 2: "坏了"}


@pytest.mark.parametrize("race", [pick_best, collect])
async def test_a_cancelled_race_leaves_nothing_behind(race: Any) -> None:
    first, second, before = Held(), Held(), others()
    running = asyncio.create_task(race([partial(held, first), partial(held, second)], Stragglers()))
    await first.started.wait()
    await second.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert first.cleaned.is_set()
    assert second.cleaned.is_set()
    assert others() == before


@pytest.mark.parametrize("race", [pick_best, collect])
async def test_langgraphs_control_flow_passes_through_a_race(race: Any) -> None:
    slow, stragglers = Held(), Stragglers()
    with pytest.raises(GraphInterrupt):
        await race([partial(held, slow), interrupting], stragglers)
    await stragglers.settle()
    assert slow.calls == 0 or slow.cancelled.is_set()


async def test_a_call_that_answers_in_time_answers() -> None:
    answer = await bounded(good, 5, Stragglers())
    assert answer is not None
    assert answer.result == "好"


def stubborn(go: asyncio.Event) -> Coroutine[Any, Any, ToolResult]:
    """A call that does not let itself be cancelled."""

    async def work() -> ToolResult:
        while not go.is_set():
            try:
                await go.wait()
            except asyncio.CancelledError:
                continue
        return await good()

    return work()


async def test_a_call_that_will_not_be_cancelled_holds_nobody_up() -> None:
    go, stragglers = asyncio.Event(), Stragglers()
    assert await bounded(partial(stubborn, go), 0.01, stragglers) is None
    assert len(stragglers) == 1
    go.set()
    await stragglers.settle()
    assert len(stragglers) == 0


async def test_the_end_of_the_hub_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racing, "LAST_GRACE", 0.01)
    go, stragglers = asyncio.Event(), Stragglers()
    await bounded(partial(stubborn, go), 0.01, stragglers)
    await stragglers.settle()
    assert len(stragglers) == 1
    go.set()
    await asyncio.gather(*others())


async def test_a_cancelled_call_is_waited_for() -> None:
    slow, before = Held(), others()
    running = asyncio.create_task(bounded(partial(held, slow), 30, Stragglers()))
    await slow.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert slow.cleaned.is_set()
    assert others() == before
