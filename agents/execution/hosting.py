"""The run as a skill sees it: its model, and its tools behind the run's own guard, limits, approval and journal (R4.6).

A call a skill makes is a row of the journal like any other, under the step and the skill it is made for. A person is
asked before a step, not in the middle of it: what would need their word is not done, and the skill says so.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel

from switchyard.agents.asking import ask
from switchyard.agents.execution.outcomes import Turns, covered, may_have_happened
from switchyard.agents.prompt import Prompt
from switchyard.agents.scope import RunScope
from switchyard.language.messages import message
from switchyard.ledger.attempts import Attempt, CallIdentity, Failure, failures_of
from switchyard.ledger.guard import refusal
from switchyard.ledger.secrets import plain
from switchyard.toolhub.calling.request import with_action
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

AGENT = "execution"
TOOLS_SUGGESTED = 5
"""Tools offered to a skill that names none."""


T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RunHost:
    """Lends the run to the skills of one round; the lists are the round's own and grow."""

    scope: RunScope
    attempts: list[Attempt]
    failures: list[Failure]
    turns: Turns

    async def ask(self, system: str, user: str, answer: type[T]) -> T | None:
        """Ask the run's model."""
        return await ask(self.scope, AGENT, Prompt(system, user), answer)

    def find_tool(self, name: str) -> ToolSpec | None:
        """The tool of that name, if the run may use it."""
        return self.scope.equipment.library.get_tool_by_id(name) if self.scope.allows(name) else None

    async def suggest_tools(self, task: str) -> list[ToolSpec]:
        """The tools recalled for a task."""
        found = await self.scope.recall(task, for_model=True)
        return [spec for one in found[:TOOLS_SUGGESTED] if (spec := self.find_tool(one.name))]

    async def call_tool(
        self, name: str, action: str | None, arguments: dict[str, Any], context: ToolContext
    ) -> ToolResult:
        """Make a call for a skill, as a step would; what was done before the run stopped is not done again."""
        library = self.scope.equipment.library
        name, action = library.resolve(name, action)
        known = library.get_tool_by_id(name)
        if known is not None:
            action, arguments = with_action(known, action, arguments)
        spec = known and known.for_action(action)
        call = library.identify(name, action, arguments, self.scope.equipment.workspace)
        if spec is not None and spec.type == "skill":  # which waits for calls itself: two could wait for each other
            return await self._call(name, action, arguments, context, spec=spec, call=call)
        async with self.turns[call.signature]:
            return await self._call(name, action, arguments, context, spec=spec, call=call)

    async def _call(
        self,
        name: str,
        action: str | None,
        arguments: dict[str, Any],
        context: ToolContext,
        *,
        spec: ToolSpec | None,
        call: CallIdentity,
    ) -> ToolResult:
        place = "/".join((context.step_id, *context.inside_skills))
        if spec is not None and spec.writes and (written := self._written(place, call.signature)):
            return written
        if spec is not None and spec.asks_first and not self.scope.options.auto_approve:
            return ToolResult.failed(message("approval_inside_skill", tool=name), "permission")
        reason = self._refusal(call.signature)
        if reason is not None:
            return ToolResult.failed(reason, "bad_arguments")
        if not self.scope.meter.take_tool_call():
            name = self.scope.meter.hit[-1]
            reached = message("limit_reached_inside_skill", name=name, limit=message(f"limit.{name}"))
            return ToolResult.failed(reached, "unavailable")
        attempt = Attempt(
            run_id=self.scope.run_id,
            step_id=place,
            number=1 + max((one.number for one in self.attempts if one.step_id == place), default=0),
            tool=name,
            source=spec.source if spec else "",
            action=action,
            arguments=plain(self.scope.secrets.hide(arguments)),
            signature=call.signature,
            names=list(call.names),
            writes=spec.writes if spec else False,
            refreshes=any(capability.refreshes for capability in spec.capabilities) if spec else False,
            state="started",
            at=time.time(),
            # the same when the skill is repeated, so that a tool can tell
            idempotency_key=f"{context.idempotency_key}:{call.signature}" if context.idempotency_key else "",
        )
        own = replace(context, idempotency_key=attempt.idempotency_key)
        return await self._made(attempt, arguments, own)

    async def _made(self, attempt: Attempt, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        scope = self.scope
        skill: Sequence[str] = context.inside_skills
        shown = {"id": context.step_id, "skill": skill[-1] if skill else "", "tool": attempt.tool}
        scope.emit("skill_call", {**shown, "action": attempt.action, "arguments": attempt.arguments})
        self.attempts.append(attempt)  # before anything is waited for: items of one step count their calls together
        if attempt.writes:
            await scope.equipment.journal.write_attempt(attempt)
        result = await scope.equipment.library.execute_tool(
            attempt.tool,
            attempt.action,
            arguments,
            context,
            seconds=scope.options.tool_timeout,
            refuses=self._refusal,
        )
        for downgrade in result.meta.downgrades:
            scope.downgrade(AGENT, downgrade)
        result = covered(result, scope.secrets)
        state = "finished" if result.success else "failed"
        ended = attempt.model_copy(update={"state": state, "result": result, "at": time.time()})
        ended = await scope.equipment.journal.write_attempt(ended)
        self.attempts[:] = [one for one in self.attempts if one.key != ended.key] + [ended]
        self.failures.extend(failures_of(ended))
        return result

    def _refusal(self, signature: str) -> str | None:
        return refusal(signature, self.failures, self.attempts, most=self.scope.options.max_attempts)

    def _written(self, place: str, signature: str) -> ToolResult | None:
        """What a change that was made before gives: for this skill its result; else a person would have to be asked."""
        same = [one for one in self.attempts if one.writes and one.signature == signature]
        here = next((one for one in same if one.step_id == place and one.state != "failed"), None)
        if here is not None and here.result is not None:
            return here.result
        if any(may_have_happened(one) for one in same):
            return ToolResult.failed(message("may_have_happened_inside_skill", tool=same[0].tool), "permission")
        if any(one.state == "finished" for one in same):
            return ToolResult.failed(message("already_done_inside_skill", tool=same[0].tool), "permission")
        return None
