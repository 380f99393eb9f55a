"""What stays of a thread on disk: the last run's checkpoints, to fork from, and nothing of the runs before (R1.5)."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest

from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.settings import Settings
from switchyard.app.storage import Storage
from tests.support.counting_tools import calls, write_counting_tools

THREAD: Any = {"configurable": {"thread_id": "one"}}
NODES = ["plan", "select_tools", "execute", "verify", "coordinate"]
STAMP = "盖章“信件”"


@pytest.fixture
async def orchestrator(make_settings: Callable[..., Settings], tmp_path: Path) -> AsyncGenerator[Orchestrator]:
    """On a real SQLite file, with a tool that asks before it writes."""
    folders = [write_counting_tools(tmp_path / "counting")]
    settings = make_settings(database=str(tmp_path / "threads.sqlite"), tool_folders=folders)
    async with open_orchestrator(settings) as opened:
        yield opened


async def history(orchestrator: Orchestrator) -> list[Any]:
    """The checkpoints of the thread, oldest first."""
    return [state async for state in orchestrator.graph.aget_state_history(THREAD)][::-1]


async def following(orchestrator: Orchestrator) -> list[str]:
    """The node that follows each checkpoint, oldest first; the last has none."""
    return [node for state in await history(orchestrator) for node in state.next]


async def test_the_checkpoints_of_the_last_run_stay_and_older_ones_go(orchestrator: Orchestrator) -> None:
    for n in range(4):
        report = await orchestrator.ask(f"{n}加1是多少", thread_id="one")
        assert await following(orchestrator) == ["__start__", *NODES]
        contexts = [state.values.get("context") for state in await history(orchestrator)]
        assert {context["run_id"] for context in contexts[2:]} == {report.run_id}


async def test_the_last_run_can_be_forked_at_each_of_its_nodes(orchestrator: Orchestrator) -> None:
    await orchestrator.ask("What is 1+1?", thread_id="one")
    await orchestrator.ask("What is 2+2?", thread_id="one")
    kept = await history(orchestrator)
    for state in kept[:-1]:
        output = await cast("Any", orchestrator.graph).ainvoke(None, state.config)
        assert output["answer"] == "2+2 = 4."
    await orchestrator.ask("What is 3+3?", thread_id="one")
    assert await following(orchestrator) == ["__start__", *NODES]


async def test_a_run_that_waited_keeps_what_came_before_the_reply(orchestrator: Orchestrator) -> None:
    await orchestrator.ask("What is 1+1?", thread_id="one")
    assert (await orchestrator.ask(STAMP, thread_id="one")).status == "waiting"
    asked = [*NODES[:3], "execute"]
    assert await following(orchestrator) == ["__start__", *asked]
    assert (await orchestrator.resume("one", "approve")).status == "answered"
    assert await following(orchestrator) == ["__start__", *asked, *NODES[2:]]


async def test_a_run_that_was_stopped_keeps_what_came_before_it_was_resumed(
    orchestrator: Orchestrator, workspace: Path
) -> None:
    await orchestrator.ask("What is 1+1?", thread_id="one")
    stream = cast("AsyncGenerator[dict[str, Any]]", orchestrator.stream('tally "pear"', thread_id="one"))
    async with aclosing(stream) as events:
        async for event in events:
            if event["event"] == "assignments":
                break
    assert calls(workspace) == []
    assert [run.status for run in await orchestrator.journal.runs("one")] == ["answered", "cancelled"]
    assert (await orchestrator.threads())["one"][-1].status == "cancelled"
    assert (await orchestrator.resume("one")).status == "answered"
    assert [run.status for run in await orchestrator.journal.runs("one")] == ["answered", "answered"]
    assert await following(orchestrator) == ["__start__", *NODES]


async def test_a_run_that_was_given_up_goes_with_the_next(orchestrator: Orchestrator, workspace: Path) -> None:
    assert (await orchestrator.ask(STAMP, thread_id="one")).status == "waiting"
    async for _ in orchestrator.stream("What is 2+2?", thread_id="one", abandon=True):
        pass
    assert (await orchestrator.report("one")).answer == "2+2 = 4."
    assert await following(orchestrator) == ["__start__", *NODES]
    assert calls(workspace) == []


async def test_other_threads_are_left_alone(orchestrator: Orchestrator) -> None:
    await orchestrator.ask("What is 1+1?", thread_id="one")
    await asyncio.gather(*(orchestrator.ask(f"What is {n}+2?", thread_id=f"one{n}") for n in range(3)))
    assert await following(orchestrator) == ["__start__", *NODES]


async def test_a_saver_of_somebody_else_keeps_everything(orchestrator: Orchestrator) -> None:
    orchestrator.storage = Storage(orchestrator.storage.saver, orchestrator.storage.store)
    for n in range(2):
        await orchestrator.ask(f"{n}加1是多少", thread_id="one")
    assert await following(orchestrator) == ["__start__", *NODES] * 2
