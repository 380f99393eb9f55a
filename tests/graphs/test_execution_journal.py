"""A round that was interrupted is entered again: what is in the journal is not done twice."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.app.storage import open_storage
from switchyard.ledger.attempts import Attempt, call_signature
from switchyard.ledger.context import ExecutionContext
from switchyard.ledger.options import RunOptions
from switchyard.tools.core import ToolContext, ToolFailed, ToolResult
from switchyard.tools.core.errors import FailureKind
from tests.support.bench import RUN, Bench, Task, statuses, task

READING = task("s1", "echo", label="甲")
WRITING = task("s1", "stamp", label="甲")


@pytest.fixture
def bench(workspace: Path) -> Bench:
    return Bench(workspace)


def attempt(of: Task, state: str, *, number: int = 1, at: float = 1.0, **given: Any) -> Attempt:
    """A row as an earlier process left it."""
    step, assignment = of
    tool = assignment.tool or ""
    return Attempt.model_validate(
        {
            "run_id": RUN,
            "step_id": step.id,
            "number": number,
            "tool": tool,
            "source": "native",
            "arguments": assignment.arguments,
            "signature": call_signature(tool, None, assignment.arguments),
            "writes": tool == "stamp",
            "state": state,
            "at": at,
            "idempotency_key": "k",
            **given,
        }
    )


def failed(kind: FailureKind) -> ToolResult:
    return ToolResult.failed("没有这个站", kind, source="native")


async def test_a_finished_attempt_is_taken_over_without_running(bench: Bench) -> None:
    await bench.journal.write_attempt(attempt(READING, "finished", result=ToolResult(result={"label": "旧"})))
    context = await bench.round(READING, task("s2", "echo", "s1", label="{{s1.label}}"))
    assert bench.calls == [("s2", "echo", {"label": "旧"})]
    assert statuses(context) == {"s1": "done", "s2": "done"}


async def test_a_finished_write_is_taken_over_and_nobody_is_asked(bench: Bench) -> None:
    await bench.journal.write_attempt(attempt(WRITING, "finished", result=ToolResult(result={"label": "旧"})))
    assert statuses(await bench.round(WRITING)) == {"s1": "done"}
    assert bench.calls == []


async def test_what_was_taken_over_counts_as_a_call(bench: Bench) -> None:
    await bench.journal.write_attempt(attempt(READING, "finished", result=ToolResult(result={})))
    await bench.round(READING)
    assert bench.scope is not None
    assert bench.scope.meter.close().tool_calls == 1


async def test_reasoning_as_a_last_resort_stays_unverified_when_it_is_taken_over(bench: Bench) -> None:
    step, assignment = task("s1", "none")
    row = attempt((step, assignment), "finished", result=ToolResult(result="大约102米"))
    await bench.journal.write_attempt(row)
    context = await bench.round((step, assignment.model_copy(update={"candidates": []})))
    verdict = context.steps["s1"].verdict
    assert verdict is not None
    assert not verdict.verified


async def test_finished_items_are_taken_over_and_the_others_run(bench: Bench) -> None:
    rows = task("s1", "echo", rows=["甲", "乙"])
    over = task("s2", "echo", over="s1", path=".rows", of="{{item}}")
    row = attempt(over, "finished", item=0, result=ToolResult(result={"of": "旧"}), arguments={"of": "甲"})
    await bench.journal.write_attempt(row)
    context = await bench.round(rows, over)
    assert bench.calls[1:] == [("s2", "echo", {"of": "乙"})]
    assert context.steps["s2"].excerpt == '[{"of": "旧"}, {"of": "乙"}]'


async def test_a_reading_call_that_was_under_way_runs_again(bench: Bench) -> None:
    assert statuses(await bench.round(READING)) == {"s1": "done"}
    assert bench.steps_called() == ["s1"]


@pytest.mark.parametrize("auto_approve", [False, True])
async def test_a_write_that_was_under_way_is_put_to_the_user(workspace: Path, *, auto_approve: bool) -> None:
    bench = Bench(workspace, options=RunOptions(auto_approve=auto_approve))
    await bench.journal.write_attempt(attempt(WRITING, "started"))
    context = await bench.round(WRITING, reply="refuse")
    assert [request.why for request in bench.asked] == ["may_have_happened"]
    assert "may already have happened" in bench.asked[0].reason
    assert bench.calls == []
    assert statuses(context) == {"s1": "refused"}


async def test_a_write_that_was_under_way_runs_when_the_user_wants_it(bench: Bench) -> None:
    await bench.journal.write_attempt(attempt(WRITING, "started"))
    assert statuses(await bench.round(WRITING, reply="approve")) == {"s1": "done"}
    assert bench.steps_called() == ["s1"]


async def test_a_repeated_write_has_the_same_idempotency_key(workspace: Path) -> None:
    first, second = Bench(workspace, options=RunOptions(auto_approve=True)), Bench(workspace)
    await first.round(WRITING)
    await second.journal.write_attempt(attempt(WRITING, "started"))
    await second.round(WRITING, reply="approve")
    assert first.contexts[0].idempotency_key == second.contexts[0].idempotency_key


async def test_different_calls_have_different_idempotency_keys(workspace: Path) -> None:
    bench = Bench(workspace, options=RunOptions(auto_approve=True))
    await bench.round(task("s1", "stamp", label="甲"), task("s2", "stamp", label="丙"), task("s3", "stamp", label="乙"))
    assert len({context.idempotency_key for context in bench.contexts}) == 3


async def test_a_write_is_in_the_journal_before_it_starts(workspace: Path) -> None:
    bench = Bench(workspace, options=RunOptions(auto_approve=True))
    seen: list[str] = []

    async def look(arguments: dict[str, Any], context: ToolContext) -> Any:
        seen.extend(row.state for row in await bench.journal.attempts(RUN))
        return {}

    bench.tool("look", look, writes=True)
    await bench.round(task("s1", "look"))
    assert seen == ["started"]
    assert [row.state for row in await bench.journal.attempts(RUN)] == ["finished"]


@pytest.mark.parametrize("kind", ["not_found", "timeout"])
async def test_an_attempt_that_failed_is_taken_over_with_its_own_error(bench: Bench, kind: FailureKind) -> None:
    broken = task("s1", "broken")
    await bench.journal.write_attempt(attempt(broken, "failed", result=failed(kind)))
    record = (await bench.round(broken)).steps["s1"]
    assert bench.calls == []
    assert (record.status, record.error, record.error_type) == ("failed", "没有这个站", kind)


async def test_an_attempt_that_failed_is_one_failure_after_a_resume_too(bench: Bench) -> None:
    broken = task("s1", "broken")
    await bench.journal.write_attempt(attempt(broken, "failed", result=failed("timeout")))
    assert [failure.kind for failure in (await bench.round(broken)).failures] == ["timeout"]


async def test_a_second_failure_of_the_same_call_is_recovered_too(bench: Bench) -> None:
    async def flaky(arguments: dict[str, Any], context: ToolContext) -> Any:
        raise ToolFailed("忙", kind="unavailable")

    bench.tool("flaky", flaky)
    step = task("s1", "flaky")
    context = await bench.round(step)
    await bench.journal.write_attempt(attempt(step, "failed", number=2, at=9e9, result=failed("unavailable")))
    context = await bench.round(step, context=context)
    assert len(bench.calls) == 1
    assert [failure.error for failure in context.failures] == ["忙", "没有这个站"]
    assert context.steps["s1"].attempts == 2


async def test_the_round_after_a_taken_over_failure_tries_again_what_may_pass(bench: Bench) -> None:
    await bench.journal.write_attempt(attempt(READING, "failed", result=failed("timeout")))
    context = await bench.round(READING)
    context = await bench.round(READING, context=context)
    assert statuses(context) == {"s1": "done"}
    assert context.steps["s1"].attempts == 2


async def test_a_call_that_failed_for_good_is_not_made_by_another_step(bench: Bench) -> None:
    context = await bench.round(task("s1", "broken", label="甲"))
    context = await bench.round(task("s1", "broken", label="甲"), task("s2", "broken", label=" 甲 "), context=context)
    assert bench.steps_called() == ["s1"]
    assert (context.steps["s2"].status, context.steps["s2"].error) == ("failed", "没有这个站")
    assert {one.step_id for one in context.repeats} == {"s1", "s2"}


async def test_the_same_tool_with_other_arguments_is_called(bench: Bench) -> None:
    context = await bench.round(task("s1", "broken", label="甲"))
    await bench.round(task("s1", "broken", label="乙"), context=context)
    assert [arguments["label"] for _, _, arguments in bench.calls] == ["甲", "乙"]


async def test_a_later_successful_write_allows_the_call_again(workspace: Path) -> None:
    bench = Bench(workspace, options=RunOptions(auto_approve=True, max_parallel=1))
    context = await bench.round(task("s1", "broken", file="a.md"))
    written, again = task("s2", "stamp", file="a.md"), task("s1", "broken", "s2", file="a.md")
    await bench.round(written, again, context=await bench.verified(context=context))
    assert bench.steps_called() == ["s1", "s2", "s1"]


async def test_a_failed_write_does_not(workspace: Path) -> None:
    async def no_room(arguments: dict[str, Any], context: ToolContext) -> Any:
        raise ToolFailed("磁盘已满", kind="crash")

    bench = Bench(workspace, options=RunOptions(auto_approve=True, max_parallel=1))
    bench.tool("no_room", no_room, writes=True)
    context = await bench.round(task("s1", "broken", file="a.md"))
    await bench.round(task("s2", "no_room", file="a.md"), task("s1", "broken", file="a.md"), context=context)
    assert bench.steps_called() == ["s1", "s2"]


async def test_a_killed_round_is_finished_from_a_real_file(tmp_path: Path, workspace: Path) -> None:
    path = str(tmp_path / "journal.sqlite")
    async with open_storage(path) as storage:
        await Bench(workspace, storage.store).round(task("s1", "echo", label="甲"), task("s2", "broken"))
    async with open_storage(path) as storage:
        bench = Bench(workspace, storage.store)
        context = await bench.round(
            task("s1", "echo", label="甲"),
            task("s2", "broken"),
            task("s3", "echo", "s1", label="{{s1.label}}"),
            context=ExecutionContext(run_id=RUN),
        )
    assert bench.calls == [("s3", "echo", {"label": "甲"})]
    assert statuses(context) == {"s1": "done", "s2": "failed", "s3": "done"}
