"""One node at work: the scope its agent is handed, and how it hands over: what it learned, what it cost, where it goes.

A node that a caller's own small `recursion_limit` leaves no step after it ends the run with the best answer so far.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, ToolCall, ToolMessage
from langgraph.graph.message import push_message
from langgraph.runtime import Runtime
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from switchyard.agents.coordination.agent import Conclusion, conclude
from switchyard.agents.scope import Equipment, RunScope
from switchyard.graphs.channels import Channels, as_json, read_channels
from switchyard.graphs.state import OrchestratorState
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import ContextUpdate, ExecutionContext, RunStatus, merge
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.journal import RunRow
from switchyard.ledger.limits import Meter
from switchyard.ledger.options import RunOptions, options_of
from switchyard.ledger.plan import Plan
from switchyard.toolhub.memory.experience import lessons_of, refuted
from switchyard.tools.core.context import Turn
from switchyard.tools.core.logs import logged_run
from switchyard.tools.core.result import ToolResult

EquipmentSource = Callable[[], Awaitable[Equipment]]
"""Gives the equipment when a node needs it; a server opens it on first use."""

Update = dict[str, Any]
"""What a node changes in the state."""

LONGEST_TOLD = 4000
"""Characters of a result that the conversation has."""
_NOT_IN_NAMES = re.compile(r"[^\w-]+")
"""What models' own names of tools do not have: a server's tool is named `server/tool` here."""
KEPT = frozenset({"plan", "assignments", "approvals", "answer", "status"})
"""The channels that keep what they hold until it is replaced."""
LAST_STEP = 1
"""`remaining_steps` in the last node LangGraph lets finish."""


@dataclass(frozen=True, slots=True)
class NodeRun:
    """A node of one run at work."""

    state: OrchestratorState
    scope: RunScope
    seen: Channels
    """The state as it was when the node began."""

    @property
    def context(self) -> ExecutionContext:
        """What the agents knew together when the node began."""
        return self.seen.context

    async def go_on(self, update: Mapping[str, Any], learned: ContextUpdate | None = None) -> Update:
        """On to the node that the edges read from the state, unless the caller's recursion limit allows no other step.

        What is as it was is left out: whatever is written is merged, stored and sent.
        """
        learned = learned or ContextUpdate()
        if self.state.get("remaining_steps", LAST_STEP + 1) <= LAST_STEP:
            return await self._cut_short(update, learned)
        changed = {name: value for name, value in update.items() if not self._has(name, value)}
        held = as_json({**changed, "context": _joined(update, self._spent(learned))})
        return self.scope.secrets.cover(held)

    def _has(self, name: str, value: Any) -> bool:
        """Whether a channel that keeps what it holds has this value already."""
        held = self.state.get(name)
        same = (not held and not value) or held == value or (value is not None and value is self.seen.plan)
        return name in KEPT and same

    async def end(
        self,
        conclusion: Conclusion,
        update: Mapping[str, Any] | None = None,
        learned: ContextUpdate | None = None,
        *,
        plan: Plan | None = None,
        context: ExecutionContext | None = None,
    ) -> Update:
        """The end of a run: its answer joins the conversation. The plan and the whole context are what it teaches."""
        scope, learned = self.scope, learned or ContextUpdate()
        conclusion = replace(conclusion, text=scope.secrets.cover(conclusion.text))
        noted, learning = self.note(conclusion.status, conclusion.text), self._learn(plan, context or self.context)
        await scope.equipment.journal.together(noted, learning)
        identity = conclusion.message.id if conclusion.message is not None else f"{scope.run_id}-answer"
        message = AIMessage(conclusion.text, id=identity)
        calls = await self._tool_messages() if scope.options.tool_messages else []
        _stream_rest(conclusion)
        learned = self._spent(_joined(update or {}, learned))
        learned.asks, learned.issues = conclusion.asks, [*learned.issues, *conclusion.issues]
        scope.emit("answer", {"status": conclusion.status, "answer": conclusion.text, "asks": conclusion.asks})
        given = {key: value for key, value in (update or {}).items() if key not in {"context", "messages"}}
        rest, covered = scope.secrets.cover([as_json(given), as_json(learned)])
        scope.equipment.secrets.forget(scope.run_id)
        return {
            **rest,
            "messages": [*(update or {}).get("messages", []), *calls, message],
            **({"approvals": {}} if self.state.get("approvals") else {}),
            "answer": conclusion.text,
            "status": conclusion.status,
            "context": covered,
        }

    async def note(self, status: RunStatus, answer: str = "") -> None:
        """Keep where the run stands, for the list of its thread."""
        scope, journal = self.scope, self.scope.equipment.journal
        if not scope.thread_id:
            return await journal.write_calls(scope.run_id)
        question = self.context.task
        return await journal.write_run(
            RunRow(thread_id=scope.thread_id, run_id=scope.run_id, question=question, status=status, answer=answer)
        )

    async def _tool_messages(self) -> list[AnyMessage]:
        """The calls of the run and what came back, as a chat page shows them: one message that calls, one a result."""
        run_id = self.scope.run_id
        made = [
            one for one in await self.scope.equipment.journal.attempts(run_id) if one.result and one.tool != NO_TOOL
        ]
        if not made:
            return []
        names = [_NOT_IN_NAMES.sub("_", one.tool) for one in made]
        calls = [
            ToolCall(name=name, args=one.arguments, id=f"{run_id}-{one.key}", type="tool_call")
            for name, one in zip(names, made, strict=True)
        ]
        results = [
            ToolMessage(
                _told(one),
                id=f"{run_id}-{one.key}",
                tool_call_id=f"{run_id}-{one.key}",
                name=name,
                status="success" if one.state == "finished" else "error",
            )
            for name, one in zip(names, made, strict=True)
        ]
        return [AIMessage("", tool_calls=calls, id=f"{run_id}-calls"), *results]

    async def _cut_short(self, update: Mapping[str, Any], learned: ContextUpdate) -> Update:
        learned.limits_hit = [*learned.limits_hit, "recursion_limit"]
        context = merge(self.context, learned)
        plan = cast("Plan | None", update.get("plan", self.seen.plan))
        text = str(update.get("answer") or "")
        conclusion = Conclusion(text, early_status(context)) if text else None
        conclusion = conclusion or await conclude(self.scope, plan, context, use_model=False)
        return await self.end(conclusion, update, learned, plan=plan, context=context)

    async def _learn(self, plan: Plan | None, context: ExecutionContext) -> None:
        equipment, held = self.scope.equipment, self.scope.secrets  # what is learned outlives the thread
        lessons = [
            lesson.model_copy(update={"wording": held.mask_said(lesson.wording)})
            for lesson in lessons_of(plan, context)
        ]
        for failure, tool, arguments in refuted(context):
            equipment.hub.memory.take_back(self.scope.options.user, failure, tool, arguments)
        await equipment.experience.learn(self.scope.options.user, lessons)

    def _spent(self, learned: ContextUpdate) -> ContextUpdate:
        """What the node learned, with what it cost."""
        meter = self.scope.meter
        spent = meter.close()
        learned.usage = learned.usage + spent if "usage" in learned.model_fields_set else spent
        if self.scope.model_failures != self.context.model_failures:
            learned.model_failures = self.scope.model_failures
        if self.scope.downgrades:
            learned.downgrades = [*learned.downgrades, *self.scope.downgrades]
        if meter.hit:
            learned.limits_hit = [*learned.limits_hit, *(name for name in meter.hit if name not in learned.limits_hit)]
        return learned


async def open_run(
    equipment: Equipment, state: OrchestratorState, runtime: Runtime[RunOptions], seen: Channels | None = None
) -> NodeRun:
    """A node begins: what its agent is handed, as the run's caller and the equipment say."""
    seen = seen or read_channels(state)
    context = seen.context
    options = equipment.options.overridden_by(options_of(runtime.context))
    writer, info = runtime.stream_writer, runtime.execution_info
    logged_run.set(context.run_id)  # for every log line of this node
    held, followed = equipment.secrets.of(context.run_id), not _does_nothing(writer)

    def emit(event: str, data: Mapping[str, Any] | BaseModel) -> None:
        if followed:
            writer({"event": event, "run_id": context.run_id, **held.mask(to_jsonable_python(data))})

    scope = RunScope(
        run_id=context.run_id,
        thread_id=(info.thread_id if info else None) or "",
        language=context.language,
        options=options,
        meter=Meter(options, context.usage),
        emit=emit,
        equipment=equipment,
        secrets=held,
        history=_history(state.get("messages") or [], context.task),
        learned=await equipment.experience.learned(options.user),
        failures=await equipment.experience.failures(options.user),
        model_down=any(downgrade.lasting for downgrade in context.downgrades),
        model_failures=context.model_failures,
    )
    return NodeRun(state, scope, seen)


def _to_nobody(_: Any) -> None:
    pass


def _does_nothing(writer: Callable[[Any], None]) -> bool:
    """Whether nobody follows the run: LangGraph does not say so, but its writer is a function without a body then."""
    code = getattr(writer, "__code__", None)
    return code is not None and code.co_code == _to_nobody.__code__.co_code


def _told(attempt: Attempt) -> str:
    result = attempt.result or ToolResult()
    told = result.error if attempt.state == "failed" else json.dumps(result.result, ensure_ascii=False, default=str)
    return str(told)[:LONGEST_TOLD]


def _stream_rest(conclusion: Conclusion) -> None:
    """Send what was added to a model's answer after its own words, to whoever has followed them as they came."""
    if conclusion.message is None or conclusion.message.id is None:
        return
    rest = conclusion.text.removeprefix(str(conclusion.message.text))
    if rest and rest != conclusion.text:
        push_message(AIMessageChunk(content=rest, id=conclusion.message.id), state_key=None)


def early_status(context: ExecutionContext) -> RunStatus:
    """How a run ended that needed no steps."""
    if context.basis == "model_unchecked":
        return "partial"
    return "answered" if context.task else "failed"


def _joined(update: Mapping[str, Any], learned: ContextUpdate) -> ContextUpdate:
    """A fresh context travels inside the update, so that one write carries both."""
    fresh = update.get("context")
    return learned.model_copy(update={"fresh": fresh}) if isinstance(fresh, ExecutionContext) else learned


def _history(messages: list[AnyMessage], task: str) -> tuple[Turn, ...]:
    """The conversation before the question under way."""
    if messages and messages[-1].type == "human" and task.startswith(str(messages[-1].text).strip()):
        messages = messages[:-1]
    return tuple(
        Turn("user" if message.type == "human" else "assistant", text)
        for message in messages
        if message.type in {"human", "ai"} and (text := str(message.text))
    )
