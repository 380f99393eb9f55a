"""One round of steps on a bench: real scope, journal and hub, with tools a test controls from inside."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from switchyard.agents.execution.agent import execute
from switchyard.agents.execution.approval import Approval, ApprovalRequest, read_replies
from switchyard.agents.scope import RunScope
from switchyard.agents.verification.agent import verify
from switchyard.ledger.context import ContextUpdate, ExecutionContext, merge
from switchyard.ledger.decisions import Assignment, Candidate
from switchyard.ledger.journal import Journal
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import ForEach, Plan, Step, validated
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core import ToolCapability, ToolContext, ToolFailed, ToolResult, ToolSpec
from tests.support.scopes import RUN, scope_over

PATIENCE = 120
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


@dataclass
class Bench:
    workspace: Path
    store: BaseStore = field(default_factory=InMemoryStore)
    options: RunOptions = field(default_factory=lambda: RunOptions(retry_delay=0))
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list[tuple[str, str, dict[str, Any]]])
    """Step, tool and arguments of every call that was really made."""
    contexts: list[ToolContext] = field(default_factory=list[ToolContext])
    scope: RunScope | None = None
    asked: list[ApprovalRequest] = field(default_factory=list[ApprovalRequest])
    """What a person was asked in the last round."""

    def __post_init__(self) -> None:
        self.hub = ToolHub(skills=None, native=self.workspace)
        self.journal = Journal(self.store)
        self.tool("echo", echo)
        self.tool("stamp", echo, writes=True)
        self.tool("broken", broken)

    def tool(self, name: str, work: Work, **spec: Any) -> None:
        async def run(request: ToolRequest) -> ToolResult:
            self.calls.append((request.context.step_id, name, request.given))
            self.contexts.append(request.context)
            value = await work(request.given, request.context)
            return value if isinstance(value, ToolResult) else ToolResult(result=value)

        described = {"tool_id": name, "description": name, "capabilities": (ToolCapability(name=name),), **spec}
        self.hub.registry.add(RegisteredTool(ToolSpec.model_validate(described), run))

    def steps_called(self) -> list[str]:
        return [step_id for step_id, _, _ in self.calls]

    async def round(
        self, *tasks: Task, context: ExecutionContext | None = None, reply: str | None = None
    ) -> ExecutionContext:
        """Execute once and give the context afterwards; `reply` is what a person says who has to be asked."""
        context = context or ExecutionContext(run_id=RUN, task="做")
        plan = validated([step for step, _ in tasks])
        assignments = {assignment.step_id: assignment for _, assignment in tasks}
        async with asyncio.timeout(PATIENCE):
            done = await execute(self.open_scope(context), plan, assignments, context)
            context = merge(context, done.learned)
            self.asked = [approval.request for approval in done.asked.values()]
            if done.asked:
                assert reply is not None, f"nobody was to be asked: {self.asked}"
                replies = read_replies(reply, self.asked)
                approvals = {one.step_id: Approval(request=one, reply=replies[one.step_id]) for one in self.asked}
                scope, again = self.open_scope(context), set(done.left)
                done = await execute(scope, plan, assignments, context, approvals=approvals, again=again)
                assert not done.asked
                context = merge(context, done.learned)
        return context

    async def verified(self, *tasks: Task, context: ExecutionContext) -> ExecutionContext:
        """What the next node does: check every result in full."""
        plan = Plan(steps=[step for step, _ in tasks])
        learned: ContextUpdate = await verify(self.open_scope(context), plan, context)
        return merge(context, learned)

    def open_scope(self, context: ExecutionContext) -> RunScope:
        self.scope = scope_over(
            self.hub, self.workspace, options=self.options, journal=self.journal, usage=context.usage
        )
        return self.scope


async def echo(arguments: dict[str, Any], context: ToolContext) -> Any:
    return arguments


async def broken(arguments: dict[str, Any], context: ToolContext) -> Any:
    raise ToolFailed("没有这个站", kind="not_found")


def statuses(context: ExecutionContext) -> dict[str, str]:
    return {step_id: record.status for step_id, record in context.steps.items()}
