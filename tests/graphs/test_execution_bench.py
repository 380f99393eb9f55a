"""One round of steps on a bench: real scope, journal and library, with tools a test controls from inside."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from agents.execution.agent import Approve, execute
from agents.execution.approval import ApprovalReply, ApprovalRequest
from agents.scope import Equipment, RunScope
from agents.verification.agent import verify
from app.models import ConfiguredModels
from app.settings import Settings
from ledger.context import ContextUpdate, ExecutionContext, merge_context
from ledger.decisions import Assignment, Candidate
from ledger.journal import Journal
from ledger.limits import Meter
from ledger.options import RunOptions
from ledger.plan import ForEach, Plan, Step, validated
from toolhub.library import UnifiedToolLibrary
from toolhub.registry import RegisteredTool
from tools.core import ToolCapability, ToolContext, ToolFailed, ToolResult, ToolSpec

RUN = "run"
PATIENCE = 20
"""Seconds after which a test that waits for what never comes fails instead of hanging."""

Work = Callable[[dict[str, Any], ToolContext], Awaitable[Any]]
Task = tuple[Step, Assignment]


def task(
    step_id: str,
    tool: str,
    *needs: str,
    over: str | None = None,
    path: str = "",
    **arguments: Any,
) -> Task:
    """A step with its tool: `needs` are the steps it waits for, `over` the one whose items it runs over."""
    loop = ForEach(step=over, path=path) if over else None
    step = Step(id=step_id, description=f"do {step_id} 做", dependencies=list(needs), for_each=loop)
    return step, Assignment(step_id=step_id, candidates=[Candidate(tool=tool)], arguments=arguments)


def nobody(requests: list[ApprovalRequest]) -> Mapping[str, ApprovalReply]:
    raise AssertionError(f"nobody was to be asked: {requests}")


@dataclass
class Bench:
    workspace: Path
    store: BaseStore = field(default_factory=InMemoryStore)
    options: RunOptions = field(default_factory=lambda: RunOptions(retry_delay=0))
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list[tuple[str, str, dict[str, Any]]])
    """Step, tool and arguments of every call that was really made."""
    contexts: list[ToolContext] = field(default_factory=list[ToolContext])
    scope: RunScope | None = None

    def __post_init__(self) -> None:
        self.library = UnifiedToolLibrary(native=self.workspace)
        self.journal = Journal(self.store)
        self.tool("echo", echo)
        self.tool("stamp", echo, writes=True)
        self.tool("broken", broken)

    def tool(self, name: str, work: Work, **spec: Any) -> None:
        async def run(action: str | None, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
            self.calls.append((context.step_id, name, arguments))
            self.contexts.append(context)
            value = await work(arguments, context)
            return value if isinstance(value, ToolResult) else ToolResult(result=value)

        described = {"name": name, "summary": name, "capabilities": (ToolCapability(name=name),), **spec}
        self.library.register(RegisteredTool(ToolSpec.model_validate(described), run))

    def steps_called(self) -> list[str]:
        return [step_id for step_id, _, _ in self.calls]

    async def round(
        self, *tasks: Task, context: ExecutionContext | None = None, approve: Approve = nobody
    ) -> ExecutionContext:
        """Execute once and give the context afterwards."""
        context = context or ExecutionContext(run_id=RUN, task="做")
        plan = validated([step for step, _ in tasks])
        assignments = {assignment.step_id: assignment for _, assignment in tasks}
        async with asyncio.timeout(PATIENCE):
            learned = await execute(self.open_scope(context), plan, assignments, context, approve)
        return merge_context(context, learned)

    async def verified(self, *tasks: Task, context: ExecutionContext) -> ExecutionContext:
        """What the next node does: check every result in full."""
        plan = Plan(steps=[step for step, _ in tasks])
        learned: ContextUpdate = await verify(self.open_scope(context), plan, context)
        return merge_context(context, learned)

    def open_scope(self, context: ExecutionContext) -> RunScope:
        models = ConfiguredModels(Settings(model="none"))
        equipment = Equipment(self.library, self.journal, models, self.workspace, self.options)
        meter = Meter(self.options.limits, context.usage)
        self.scope = RunScope(RUN, "thread", "en", self.options, meter, silent, equipment)
        return self.scope


def silent(event: str, data: dict[str, Any]) -> None:
    """Nobody listens."""


async def echo(arguments: dict[str, Any], context: ToolContext) -> Any:
    return arguments


async def broken(arguments: dict[str, Any], context: ToolContext) -> Any:
    raise ToolFailed("没有这个站", kind="not_found")


@pytest.fixture
def bench(workspace: Path) -> Bench:
    return Bench(workspace)


def statuses(context: ExecutionContext) -> dict[str, str]:
    return {step_id: record.status for step_id, record in context.steps.items()}


async def test_a_step_that_worked_is_done_with_its_tool_and_arguments(bench: Bench) -> None:
    record = (await bench.round(task("s1", "echo", label="水位"))).steps["s1"]
    assert (record.status, record.tool, record.arguments) == ("done", "echo", {"label": "水位"})


async def test_the_full_result_is_in_the_journal_under_the_steps_key(bench: Bench) -> None:
    record = (await bench.round(task("s1", "echo", label="水" * 2000))).steps["s1"]
    found = await bench.journal.result(RUN, record.journal_key or "")
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

    from app.storage import open_storage  # noqa: PLC0415  one test on a real file

    async with open_storage(str(tmp_path / "j.sqlite")) as storage:
        bench = Bench(workspace, storage.store)
        bench.tool("odd", odd)
        assert (await bench.round(task("s1", "odd"))).steps["s1"].status == "done"
