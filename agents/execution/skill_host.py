"""The run as a skill sees it: its model, and its tools behind the run's own guard, limits, approval and journal (R4.6).

A call a skill makes is a row of the journal like any other, under the step and the skill it is made for. A person is
asked before a step, not in the middle of it: what would need their word is not done, and the skill says so.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel

from switchyard.agents.asking import ask
from switchyard.agents.execution.pipeline import AGENT, Call, CallPipeline, may_have_happened
from switchyard.agents.prompt import Prompt
from switchyard.language.messages import message
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

TOOLS_SUGGESTED = 5
"""Tools offered to a skill that names none."""

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class SkillHost:
    """Lends the run to the skills of one round."""

    pipeline: CallPipeline

    async def ask(self, system: str, user: str, answer: type[T]) -> T | None:
        """Ask the run's model."""
        return await ask(self.pipeline.scope, AGENT, Prompt(system, user), answer)

    def find_tool(self, name: str) -> ToolSpec | None:
        """The tool of that name, if the run may use it."""
        return self.pipeline.scope.equipment.library.get_tool_by_id(name) if self.pipeline.scope.allows(name) else None

    async def suggest_tools(self, task: str) -> list[ToolSpec]:
        """The tools recalled for a task."""
        found = await self.pipeline.scope.recall(task, for_model=True)
        return [spec for one in found[:TOOLS_SUGGESTED] if (spec := self.find_tool(one.name))]

    async def call_tool(
        self, name: str, action: str | None, arguments: dict[str, Any], context: ToolContext
    ) -> ToolResult:
        """Make a call for a skill, as a step would; what was done before the run stopped is not done again."""
        call = self.pipeline.named(name, action, arguments)
        if call.spec is not None and call.spec.type == "skill":  # it waits itself: two could wait for each other
            return await self._call(call, context)
        async with self.pipeline.turns[call.identity.signature]:
            return await self._call(call, context)

    async def _call(self, call: Call, context: ToolContext) -> ToolResult:
        spec, signature, meter = call.spec, call.identity.signature, self.pipeline.scope.meter
        place = "/".join((context.step_id, *context.inside_skills))
        if spec is not None and spec.writes and (written := self._written(place, signature)):
            return written
        if spec is not None and spec.asks_first and not self.pipeline.scope.options.auto_approve:
            return ToolResult.failed(message("approval_inside_skill", tool=call.tool), "permission")
        if reason := self.pipeline.refusal(signature):
            return ToolResult.failed(reason, "bad_arguments")
        if not meter.take_tool_call():
            limit = meter.hit[-1]
            reached = message("limit_reached_inside_skill", name=limit, limit=message(f"limit.{limit}"))
            return ToolResult.failed(reached, "unavailable")
        return await self._made(call, place, context)

    async def _made(self, call: Call, place: str, context: ToolContext) -> ToolResult:
        pipeline = self.pipeline
        number = 1 + max((one.number for one in pipeline.attempts if one.step_id == place), default=0)
        # the same when the skill is repeated, so that a tool can tell
        key = f"{context.idempotency_key}:{call.identity.signature}" if context.idempotency_key else ""
        attempt = pipeline.attempt(call, place, number, key=key)
        pipeline.attempts.append(attempt)  # before anything is waited for: items of one step count their calls together
        skill = context.inside_skills[-1] if context.inside_skills else ""
        shown = {"id": context.step_id, "skill": skill, "tool": attempt.tool}
        pipeline.scope.emit("skill_call", {**shown, "action": attempt.action, "arguments": attempt.arguments})
        result = await pipeline.make(attempt, pipeline.request(call, replace(context, idempotency_key=key)))
        await pipeline.end(attempt, result)
        return result

    def _written(self, place: str, signature: str) -> ToolResult | None:
        """What a change that was made before gives: for this skill its result; else a person would have to be asked."""
        same = [one for one in self.pipeline.attempts if one.writes and one.signature == signature]
        here = next((one for one in same if one.step_id == place and one.state != "failed"), None)
        if here is not None and here.result is not None:
            return here.result
        if any(may_have_happened(one) for one in same):
            return ToolResult.failed(message("may_have_happened_inside_skill", tool=same[0].tool), "permission")
        if any(one.state == "finished" for one in same):
            return ToolResult.failed(message("already_done_inside_skill", tool=same[0].tool), "permission")
        return None
