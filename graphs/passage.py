"""How a node gets its scope and hands over to the next: what it learned, what it cost, where it goes.

One way out is not drawn: a node that a caller's own small `recursion_limit` leaves no step after it ends the run with
the best answer so far.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, cast

import structlog
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage
from langgraph.graph.message import push_message
from langgraph.runtime import Runtime
from langgraph.types import Command

from switchyard.agents.coordination.agent import Conclusion, conclude
from switchyard.agents.scope import Equipment, RunScope
from switchyard.graphs.channels import as_json, plan_of
from switchyard.graphs.state import OrchestratorState
from switchyard.ledger.context import ContextUpdate, ExecutionContext, RunStatus, merge
from switchyard.ledger.journal import RunRow
from switchyard.ledger.limits import Meter
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import Plan
from switchyard.toolhub.memory.lessons import lessons_of
from switchyard.tools.core.context import Turn

EquipmentSource = Callable[[], Awaitable[Equipment]]
"""Gives the equipment when a node needs it; a server opens it on first use."""

Goto = Literal["plan", "select_tools", "execute", "verify", "coordinate", "__end__"]
GOTO: dict[str, Goto] = {
    "execute_tool": "execute",
    "switch_tool": "select_tools",
    "replan": "plan",
    "complete": "__end__",
}
"""Where each action leads."""


LAST_STEP = 1
"""`remaining_steps` in the last node LangGraph lets finish."""


class Passage:
    """What all nodes of one orchestrator share."""

    def __init__(self, equipment: EquipmentSource) -> None:
        self._equipment = equipment

    async def scope(
        self, state: OrchestratorState, runtime: Runtime[RunOptions], context: ExecutionContext
    ) -> RunScope:
        """What an agent is handed for this node's work."""
        equipment = await self._equipment()
        options = equipment.options.overridden_by(runtime.context)
        writer, info = runtime.stream_writer, runtime.execution_info
        structlog.contextvars.bind_contextvars(run_id=context.run_id)  # for every log line of this node

        held = equipment.secrets.of(context.run_id)

        def emit(event: str, data: dict[str, Any]) -> None:
            writer({"event": event, "run_id": context.run_id, **held.mask(data)})

        return RunScope(
            run_id=context.run_id,
            thread_id=(info.thread_id if info else None) or "",
            language=context.language,
            options=options,
            meter=Meter(options.limits, context.usage),
            emit=emit,
            equipment=equipment,
            history=_history(state.get("messages") or [], context.task),
            learned=await equipment.experience.learned(options.user) if equipment.experience else None,
            failures=await equipment.experience.failures(options.user) if equipment.experience else None,
            model_down=any(downgrade.lasting for downgrade in context.downgrades),
        )

    async def goto(
        self,
        target: Goto,
        update: Mapping[str, Any],
        learned: ContextUpdate,
        *,
        state: OrchestratorState,
        scope: RunScope,
        context: ExecutionContext,
    ) -> Command[Goto]:
        """On to the next node, unless the caller's recursion limit allows no other step."""
        if state.get("remaining_steps", LAST_STEP + 1) <= LAST_STEP:
            learned.limits_hit = [*learned.limits_hit, "recursion_limit"]
            context = merge(context, learned)
            plan = cast("Plan | None", update.get("plan", plan_of(state)))
            text = str(update.get("answer") or "")
            conclusion = Conclusion(text, early_status(context)) if text else None
            conclusion = conclusion or await conclude(scope, plan, context, use_model=False)
            update = {**update, "context": _joined(update, learned)}
            return await self.end(conclusion, update, scope, context, plan=plan)
        held = as_json({**update, "context": _joined(update, _spent(scope, learned))})
        return Command(goto=target, update=scope.secrets.cover(held))

    async def end(
        self,
        conclusion: Conclusion,
        update: Mapping[str, Any],
        scope: RunScope,
        context: ExecutionContext,
        *,
        plan: Plan | None = None,
    ) -> Command[Goto]:
        """The end of a run: its answer joins the conversation."""
        conclusion = replace(conclusion, text=scope.secrets.cover(conclusion.text))
        await asyncio.gather(
            self.note_run(scope, context, conclusion.status, conclusion.text), self._learn(scope, plan, context)
        )
        identity = conclusion.message.id if conclusion.message is not None else f"{scope.run_id}-answer"
        message = AIMessage(conclusion.text, id=identity)
        _stream_rest(conclusion)
        learned = _spent(scope, cast("ContextUpdate", update.get("context") or ContextUpdate()))
        scope.emit("answer", {"status": conclusion.status, "answer": conclusion.text})
        given = {key: value for key, value in update.items() if key not in {"context", "messages"}}
        rest, covered = scope.secrets.cover([as_json(given), as_json(learned)])
        scope.equipment.secrets.forget(scope.run_id)
        end: Goto = "__end__"
        return Command(
            goto=end,
            update={
                **rest,
                "messages": [*update.get("messages", []), message],
                "approvals": {},
                "answer": conclusion.text,
                "status": conclusion.status,
                "context": covered,
            },
        )

    async def _learn(self, scope: RunScope, plan: Plan | None, context: ExecutionContext) -> None:
        if scope.equipment.experience is not None:
            registry = scope.equipment.library.registry
            held = scope.secrets  # what is learned outlives the thread
            lessons = [
                lesson.model_copy(update={"wording": held.mask_said(lesson.wording)})
                for lesson in lessons_of(plan, context)
            ]
            await scope.equipment.experience.learn(scope.options.user, lessons, registry.file_of)

    async def note_run(self, scope: RunScope, context: ExecutionContext, status: Any, answer: str = "") -> None:
        """Keep where the run stands, for the list of its thread."""
        if scope.thread_id:
            row = RunRow(
                thread_id=scope.thread_id, run_id=scope.run_id, question=context.task, status=status, answer=answer
            )
            await scope.equipment.journal.write_run(row)
        else:
            await scope.equipment.journal.write_calls(scope.run_id)


def _stream_rest(conclusion: Conclusion) -> None:
    """Send what was added to a model's answer after its own words, to whoever has followed them as they came."""
    if conclusion.message is None or conclusion.message.id is None:
        return
    rest = conclusion.text.removeprefix(str(conclusion.message.text))
    if rest and rest != conclusion.text:
        push_message(AIMessageChunk(content=rest, id=conclusion.message.id), state_key=None)


def early_status(context: ExecutionContext) -> RunStatus:
    """How a run ended that needed no steps."""
    return "answered" if context.task else "failed"


def _spent(scope: RunScope, learned: ContextUpdate) -> ContextUpdate:
    """What the node learned, with what it cost."""
    learned.usage = learned.usage.plus(scope.meter.close())
    learned.downgrades = [*learned.downgrades, *scope.downgrades]
    learned.limits_hit = [*learned.limits_hit, *(name for name in scope.meter.hit if name not in learned.limits_hit)]
    return learned


def _joined(update: Mapping[str, Any], learned: ContextUpdate) -> ContextUpdate:
    """A fresh context travels inside the update, so that one write carries both."""
    fresh = update.get("context")
    return learned.model_copy(update={"fresh": fresh}) if isinstance(fresh, ExecutionContext) else learned


def _history(messages: list[AnyMessage], task: str) -> tuple[Turn, ...]:
    """The conversation before the question under way."""
    turns = [
        Turn("user" if message.type == "human" else "assistant", str(message.text))
        for message in messages
        if message.type in {"human", "ai"}
    ]
    if turns and turns[-1].role == "user" and task.startswith(turns[-1].text.strip()):
        turns.pop()
    return tuple(turns)
