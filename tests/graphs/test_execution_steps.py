"""What becomes of a single step."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.ledger.options import RunOptions
from switchyard.tools.core import ToolContext
from tests.support.bench import RUN, Bench, statuses, task


async def test_a_step_that_worked_is_done_with_its_tool_and_arguments(bench: Bench) -> None:
    record = (await bench.round(task("s1", "echo", label="水位"))).steps["s1"]
    assert (record.status, record.tool, record.arguments) == ("done", "echo", {"label": "水位"})


async def test_the_full_result_is_in_the_journal_under_the_steps_key(bench: Bench) -> None:
    record = (await bench.round(task("s1", "echo", label="水" * 2000))).steps["s1"]
    found = {attempt.key: attempt.result for attempt in await bench.journal.attempts(RUN)}[record.journal_key or ""]
    assert found is not None
    assert found.result == {"label": "水" * 2000}
    assert len(record.excerpt) == 500


async def test_what_a_step_saw_is_observed(bench: Bench) -> None:
    context = await bench.round(task("s1", "echo", label="水位"))
    assert [(seen.step_id, seen.text) for seen in context.observations] == [("s1", '{"label": "水位"}')]


async def test_a_step_that_failed_keeps_its_error(bench: Bench) -> None:
    context = await bench.round(task("s1", "broken"))
    record = context.steps["s1"]
    assert (record.status, record.error, record.error_type) == ("failed", "没有这个站", "not_found")
    assert [failure.tool for failure in context.failures] == ["broken"]


async def test_a_tool_that_is_not_there_fails_the_step_with_the_nearest_name(bench: Bench) -> None:
    record = (await bench.round(task("s1", "ecco"))).steps["s1"]
    assert record.error_type == "not_found"
    assert "echo" in (record.error or "")


async def test_what_is_missing_is_named_and_nothing_is_called(bench: Bench) -> None:
    step, assignment = task("s1", "echo")
    record = (await bench.round((step, assignment.model_copy(update={"missing": ["站点"]})))).steps["s1"]
    assert "站点" in (record.error or "")
    assert bench.calls == []


@pytest.mark.parametrize("tool", ["none", ""])
async def test_reasoning_without_a_model_fails_and_says_so(bench: Bench, tool: str) -> None:
    step, assignment = task("s1", tool)
    candidates = assignment.candidates if tool else []
    record = (await bench.round((step, assignment.model_copy(update={"candidates": candidates})))).steps["s1"]
    assert record.status == "failed"
    assert "model" in (record.error or "")


async def test_a_result_that_cannot_be_believed_fails_the_step(bench: Bench) -> None:
    async def lies(arguments: dict[str, Any], context: ToolContext) -> Any:
        return "错误：没有数据"

    bench.tool("lies", lies)
    assert (await bench.round(task("s1", "lies"))).steps["s1"].error_type == "wrong_result"


async def test_every_call_counts(bench: Bench) -> None:
    await bench.round(task("s1", "echo"), task("s2", "broken"))
    assert bench.scope is not None
    assert bench.scope.meter.close().tool_calls == 2


async def test_a_call_beyond_the_limit_is_not_made_and_the_step_stays_open(workspace: Path) -> None:
    bench = Bench(workspace, options=RunOptions(max_tool_calls=1, max_parallel=1))
    context = await bench.round(task("s1", "echo"), task("s2", "echo"))
    assert bench.steps_called() == ["s1"]
    assert statuses(context) == {"s1": "done"}
    assert bench.scope is not None
    assert bench.scope.meter.hit == ["tool_calls"]


async def test_a_name_that_is_no_utf8_reaches_the_journal(tmp_path: Path, workspace: Path) -> None:
    async def odd(arguments: dict[str, Any], context: ToolContext) -> Any:
        return {"name": "文\udc80件"}

    from switchyard.app.storage import open_storage  # noqa: PLC0415  one test on a real file

    async with open_storage(str(tmp_path / "j.sqlite")) as storage:
        bench = Bench(workspace, storage.store)
        bench.tool("odd", odd)
        assert (await bench.round(task("s1", "odd"))).steps["s1"].status == "done"
