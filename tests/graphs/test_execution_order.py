"""Steps run along their critical path; each waits for its own dependencies and for nothing else."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from switchyard.ledger.context import ExecutionContext
from switchyard.ledger.options import RunOptions
from switchyard.tools.core import ToolContext, ToolFailed
from tests.support.bench import RUN, Bench, statuses, task
from tests.support.passing_time import PassingTime


@pytest.fixture
def bench(workspace: Path) -> Bench:
    return Bench(workspace)


def signals(bench: Bench) -> dict[str, asyncio.Event]:
    """Tools `set` and `wait`: one step lets another go on by name."""
    events: dict[str, asyncio.Event] = {}

    async def set_(arguments: dict[str, Any], context: ToolContext) -> Any:
        events.setdefault(arguments["name"], asyncio.Event()).set()
        return {"name": arguments["name"]}

    async def wait(arguments: dict[str, Any], context: ToolContext) -> Any:
        await events.setdefault(arguments["name"], asyncio.Event()).wait()
        return {"name": arguments["name"]}

    bench.tool("set", set_)
    bench.tool("wait", wait)
    return events


async def test_a_step_starts_when_its_own_dependencies_are_done_whatever_its_siblings_do(bench: Bench) -> None:
    signals(bench)
    context = await bench.round(
        task("quick", "echo"),
        task("slow", "wait", name="从后面"),
        task("after_quick", "set", "quick", name="从后面"),
    )
    assert statuses(context) == {"quick": "done", "slow": "done", "after_quick": "done"}


async def test_a_step_does_not_start_before_its_dependencies_are_done(bench: Bench) -> None:
    seen: list[str] = []

    async def note(arguments: dict[str, Any], context: ToolContext) -> Any:
        seen.append(f"start {context.step_id}")
        await asyncio.sleep(0)
        seen.append(f"end {context.step_id}")
        return {}

    bench.tool("note", note)
    await bench.round(task("s3", "note", "s1", "s2"), task("s1", "note"), task("s2", "note", "s1"))
    assert seen == ["start s1", "end s1", "start s2", "end s2", "start s3", "end s3"]


async def test_a_step_that_fails_takes_no_sibling_with_it(bench: Bench) -> None:
    events = signals(bench)

    async def fails(arguments: dict[str, Any], context: ToolContext) -> Any:
        events.setdefault("go on", asyncio.Event()).set()
        raise ToolFailed("坏了", kind="crash")

    bench.tool("fails", fails)
    context = await bench.round(task("s1", "fails"), task("s2", "wait", name="go on"), task("s3", "echo", "s2"))
    assert statuses(context) == {"s1": "failed", "s2": "done", "s3": "done"}


async def test_a_tool_that_ends_the_program_takes_no_sibling_with_it(bench: Bench) -> None:
    async def exits(arguments: dict[str, Any], context: ToolContext) -> Any:
        raise SystemExit(3)

    bench.tool("exits", exits)
    assert statuses(await bench.round(task("s1", "exits"), task("s2", "echo"))) == {"s1": "failed", "s2": "done"}


async def test_what_builds_on_a_failed_step_is_blocked_and_not_run(bench: Bench) -> None:
    context = await bench.round(task("s1", "broken"), task("s2", "echo", "s1"), task("s3", "echo", "s2"))
    assert statuses(context) == {"s1": "failed", "s2": "blocked", "s3": "blocked"}
    assert bench.steps_called() == ["s1"]


async def test_one_failed_dependency_of_two_is_enough_to_block(bench: Bench) -> None:
    context = await bench.round(task("s1", "broken"), task("s2", "echo"), task("s3", "echo", "s1", "s2"))
    assert statuses(context)["s3"] == "blocked"


async def test_no_more_steps_run_at_once_than_allowed(workspace: Path) -> None:
    bench = Bench(workspace, options=RunOptions(max_parallel=2))
    running, peak, two = 0, 0, asyncio.Event()

    async def busy(arguments: dict[str, Any], context: ToolContext) -> Any:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        if running == 2:
            two.set()
        await two.wait()
        await asyncio.sleep(0)
        running -= 1
        return {}

    bench.tool("busy", busy)
    await bench.round(*(task(f"s{number}", "busy", number=number) for number in range(6)))
    assert peak == 2


async def test_waiting_for_a_dependency_holds_no_slot(workspace: Path) -> None:
    bench = Bench(workspace, options=RunOptions(max_parallel=2))
    signals(bench)
    context = await bench.round(
        task("s1", "wait", name="go"), task("s2", "echo", "s1"), task("s3", "echo", "s1"), task("s4", "set", name="go")
    )
    assert set(statuses(context).values()) == {"done"}


async def test_a_round_that_runs_out_of_time_keeps_what_was_done(workspace: Path, clock: PassingTime) -> None:
    async def outlast(arguments: dict[str, Any], context: ToolContext) -> None:
        clock.passes(100)
        await asyncio.Event().wait()

    bench = Bench(workspace, options=RunOptions(max_seconds=100, tool_timeout=1200))
    bench.tool("outlast", outlast)
    context = await bench.round(task("s1", "echo"), task("s2", "outlast", "s1"))
    assert statuses(context) == {"s1": "done"}
    assert bench.scope is not None
    assert bench.scope.meter.hit == ["seconds"]


WRITING = (task("s1", "echo", label="甲"), task("s2", "stamp", "s1", label="{{s1.label}}"))


@pytest.fixture
def approving(workspace: Path) -> Bench:
    return Bench(workspace, options=RunOptions(auto_approve=True))


async def test_a_step_that_writes_waits_until_what_it_builds_on_is_verified(approving: Bench) -> None:
    context = await approving.round(*WRITING)
    assert approving.steps_called() == ["s1"]
    assert statuses(context) == {"s1": "done"}


async def test_once_it_is_verified_the_step_that_writes_runs(approving: Bench) -> None:
    context = await approving.round(*WRITING)
    context = await approving.verified(*WRITING, context=context)
    context = await approving.round(*WRITING, context=context)
    assert approving.calls[1:] == [("s2", "stamp", {"label": "甲"})]
    assert statuses(context) == {"s1": "done", "s2": "done"}


async def test_a_step_that_writes_and_builds_on_nothing_runs_at_once(approving: Bench) -> None:
    assert statuses(await approving.round(task("s1", "stamp"))) == {"s1": "done"}


async def test_a_finished_step_is_not_run_again_in_the_next_round(bench: Bench) -> None:
    context = await bench.round(task("s1", "echo"))
    await bench.round(task("s1", "echo"), task("s2", "echo", "s1"), context=context)
    assert bench.steps_called() == ["s1", "s2"]


async def test_an_argument_is_bound_to_the_result_of_an_earlier_step(bench: Bench) -> None:
    await bench.round(task("s1", "echo", 水位=102.5), task("s2", "echo", "s1", level="{{s1.水位}}"))
    assert bench.calls[1] == ("s2", "echo", {"level": 102.5})


async def test_a_path_that_leads_nowhere_fails_the_step_and_names_the_fields(bench: Bench) -> None:
    context = await bench.round(task("s1", "echo", 水位=1), task("s2", "echo", "s1", level="{{s1.雨量}}"))
    assert context.steps["s2"].error_type == "bad_arguments"
    assert "there are 水位" in (context.steps["s2"].error or "")


ROWS = [{"name": "修武"}, {"name": "焦作"}, {"name": "新乡"}]


async def test_a_step_runs_once_per_item(bench: Bench) -> None:
    await bench.round(task("s1", "echo", rows=ROWS), task("s2", "echo", over="s1", path=".rows", of="{{item.name}}"))
    assert [arguments["of"] for _, _, arguments in bench.calls[1:]] == ["修武", "焦作", "新乡"]


async def test_the_items_results_are_one_list_to_those_who_build_on_it(bench: Bench) -> None:
    await bench.round(
        task("s1", "echo", rows=ROWS),
        task("s2", "echo", over="s1", path=".rows", of="{{item.name}}"),
        task("s3", "echo", "s2", all="{{s2[*].of}}"),
    )
    assert bench.calls[-1] == ("s3", "echo", {"all": ["修武", "焦作", "新乡"]})


async def test_the_items_results_reach_the_next_round(bench: Bench) -> None:
    tasks = (task("s1", "echo", rows=ROWS), task("s2", "echo", over="s1", path=".rows", of="{{item.name}}"))
    context = await bench.round(*tasks)
    await bench.round(*tasks, task("s3", "echo", "s2", all="{{s2[*].of}}"), context=context)
    assert bench.calls[-1] == ("s3", "echo", {"all": ["修武", "焦作", "新乡"]})


async def test_a_step_over_no_items_is_done(bench: Bench) -> None:
    context = await bench.round(task("s1", "echo", rows=[]), task("s2", "echo", over="s1", path=".rows"))
    assert statuses(context) == {"s1": "done", "s2": "done"}


async def test_the_empty_result_of_a_step_over_no_items_reaches_the_next_round(bench: Bench) -> None:
    tasks = (task("s1", "echo", rows=[]), task("s2", "echo", over="s1", path=".rows"))
    context = await bench.round(*tasks)
    await bench.round(*tasks, task("s3", "echo", "s2", all="{{s2}}"), context=context)
    assert bench.calls[-1] == ("s3", "echo", {"all": []})


async def test_more_items_than_allowed_are_left_out_and_it_is_said(workspace: Path) -> None:
    bench = Bench(workspace, options=RunOptions(max_items=2))
    context = await bench.round(task("s1", "echo", rows=ROWS), task("s2", "echo", over="s1", path=".rows"))
    verdict = context.steps["s2"].verdict
    assert len(bench.calls) == 3
    assert verdict is not None
    assert verdict.issues == ["1 more left out"]


async def test_an_item_that_fails_leaves_the_others_and_it_is_said(bench: Bench) -> None:
    async def only_xiuwu(arguments: dict[str, Any], context: ToolContext) -> Any:
        if arguments["of"] != "修武":
            raise ToolFailed("没有", kind="not_found")
        return arguments

    bench.tool("only", only_xiuwu)
    context = await bench.round(
        task("s1", "echo", rows=ROWS), task("s2", "only", over="s1", path=".rows", of="{{item.name}}")
    )
    verdict = context.steps["s2"].verdict
    assert context.steps["s2"].status == "done"
    assert verdict is not None
    (issue,) = verdict.issues
    assert issue.startswith("2 of 3 items failed: ")
    assert issue.count("(没有)") == 2


@pytest.mark.parametrize("path", [".rows", "", ".nowhere"])
async def test_without_a_list_there_is_nothing_to_go_through(bench: Bench, path: str) -> None:
    context = await bench.round(task("s1", "echo", rows=3), task("s2", "echo", over="s1", path=path))
    assert context.steps["s2"].error_type == "bad_arguments"


async def test_a_step_nobody_assigned_is_left_alone(bench: Bench) -> None:
    step, _ = task("s2", "echo")
    context = ExecutionContext(run_id=RUN)
    _, assignment = task("other", "echo")
    assert statuses(await bench.round((step, assignment), context=context)) == {}
