"""A call on its way, whoever makes it: a step of the plan, or a skill inside one.

    named ─▶ guarded ─▶ counted ─▶ journaled ─▶ made ─▶ covered ─▶ journaled

A step waits for a person where it has to and checks what came back (`calls`). A skill works inside a step, in the midst
of which nobody is asked: what would need a person's word is not done, and the skill says so; it goes by what it did
before.
"""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from langchain_core.runnables.config import (
    ensure_config,
    get_async_callback_manager_for_config,
    patch_config,
    set_config_context,
)
from pydantic import BaseModel

from switchyard.agents.asking import ask, listening
from switchyard.agents.prompt import Prompt
from switchyard.agents.scope import RunScope
from switchyard.language.messages import Message, joined, message, quoted
from switchyard.ledger.attempts import Attempt, CallIdentity, Failure, failures_of
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.guard import refusal, repeated
from switchyard.ledger.secrets import plain
from switchyard.toolhub.calling.request import ToolRequest, with_action
from switchyard.toolhub.memory.adjustments import AdjustedArguments
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

AGENT = "execution"

TOOLS_SUGGESTED = 5
"""Tools offered to a skill that names none."""

T = TypeVar("T", bound=BaseModel)

Turns = defaultdict[str, asyncio.Lock]
"""By signature: equal calls are made one after the other, so that the second knows what became of the first."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is to be called: the tool by its own name, the one of its actions that is meant, and how it is known."""

    tool: str
    action: str | None
    arguments: dict[str, Any]
    spec: ToolSpec | None
    """The tool as this action of it is; None where there is no such tool."""
    identity: CallIdentity


@dataclass(frozen=True, slots=True)
class CallPipeline:
    """Makes the calls of one round. Its lists grow while it works: a failure is known to the next call at once."""

    scope: RunScope
    attempts: list[Attempt]
    failures: list[Failure]
    turns: Turns = field(default_factory=lambda: Turns(asyncio.Lock))

    def named(self, tool: str, action: str | None, arguments: dict[str, Any]) -> Call:
        """The call that is meant by a name, an action and arguments as a model or a plan writes them."""
        hub = self.scope.equipment.hub
        tool, action = hub.registry.resolve(tool, action)
        known = hub.registry.get(tool)
        if known is not None:
            action, arguments = with_action(known, action, arguments)
        return Call(tool, action, arguments, known and known.for_action(action), self.identity(tool, action, arguments))

    def identity(self, tool: str, action: str | None, arguments: Mapping[str, Any]) -> CallIdentity:
        """How the call is known again."""
        equipment = self.scope.equipment
        return equipment.hub.identify(tool, action, arguments, equipment.workspace)

    def attempt(
        self, call: Call, step_id: str, number: int, *, item: int | None = None, key: str, given: str = ""
    ) -> Attempt:
        """The row of the journal for a call, before it starts; the journal keeps no secrets."""
        spec = call.spec
        return Attempt(
            run_id=self.scope.run_id,
            step_id=step_id,
            item=item,
            number=number,
            tool=call.tool,
            source=spec.source if spec else "model" if call.tool == NO_TOOL else "",
            action=call.action,
            arguments=plain(self.scope.secrets.hide(call.arguments)),
            signature=call.identity.signature,
            names=list(call.identity.names),
            writes=spec.writes if spec else False,
            refreshes=any(capability.refreshes for capability in spec.capabilities) if spec else False,
            state="started",
            at=time.time(),
            idempotency_key=key,
            given=given,
        )

    def request(self, call: Call, context: ToolContext) -> ToolRequest:
        """The call as the hub takes it."""
        late = [one for one in self.failures if (one.kind, one.tool) == ("timeout", call.tool)]
        patience = 2 ** sum(one.step_id == context.step_id for one in late)
        return ToolRequest(
            call.tool,
            call.action,
            call.arguments,
            context,
            self.scope.options.tool_timeout,
            patience=patience,
            refuses=self.refusal,
        )

    def refusal(self, signature: str) -> Message | None:
        """Why a call must not be made, if so."""
        failure = self.repeated(signature)
        return refusal(failure) if failure else None

    def repeated(self, signature: str) -> Failure | None:
        """The failure that a call would only repeat."""
        return repeated(signature, self.failures, self.attempts, most=self.scope.options.max_attempts)

    async def better(self, call: Call, earlier: Sequence[Attempt]) -> Call:
        """What is made of a call: itself, or where it would repeat a failure and a better one is known, that (R7.2).

        `earlier` are the attempts in its place.
        """
        failure, options = self.repeated(call.identity.signature), self.scope.options
        hub, workspace = self.scope.equipment.hub, self.scope.equipment.workspace
        tries = sum(one.tool == call.tool for one in earlier)
        if failure is None:
            found = hub.learned_adjustment(call.tool, call.action, call.arguments, workspace, options.user)
            found = found or await self._with_right_fields(call)
        elif failure.lasting or tries >= options.max_attempts:
            return call
        else:
            found = await hub.adjusted(
                call.tool,
                call.action,
                call.arguments,
                kind=failure.kind,
                error=failure.error,
                workspace=workspace,
                user=options.user,
                observed=[one.result.result for one in self.attempts if one.result is not None],
            )
        better = self.named(call.tool, call.action, found.arguments) if found else None
        if found is None or better is None or self.repeated(better.identity.signature):
            return call
        change = message("adjusted", change=quoted(found.reason))
        self.scope.downgrade(AGENT, joined(refusal(failure), change) if failure else change)
        return better

    async def _with_right_fields(self, call: Call) -> AdjustedArguments | None:
        """A call that its own schema refuses, where it is beyond doubt what was meant."""
        hub, workspace = self.scope.equipment.hub, self.scope.equipment.workspace
        request = ToolRequest(call.tool, call.action, call.arguments, ToolContext(workspace=workspace))
        wrong = hub.dispatcher.check(request)
        if wrong is None:
            return None
        found = await hub.adjusted(
            call.tool, call.action, call.arguments, kind="bad_arguments", error=wrong, workspace=workspace
        )
        return found if found and found.sure else None

    async def make(self, attempt: Attempt, request: ToolRequest) -> ToolResult:
        """Make a call that was counted. One that changes something is in the journal before it starts.

        A tool that is not there any more may be stood in for by another: the hub sees to that.
        """
        if attempt.writes:
            await self.scope.equipment.journal.write_attempt(attempt)
        result = await self._traced(attempt, request)
        for downgrade in result.meta.downgrades:
            self.scope.downgrade(AGENT, downgrade)
        return result

    async def _traced(self, attempt: Attempt, request: ToolRequest) -> ToolResult:
        """The result of a call that is told to LangChain's callbacks as a tool's run: LangSmith and the like see it.

        It is told without secrets: neither the attempt nor the result has any.
        """
        if not listening():
            return await self._dispatched(request)
        config = ensure_config()
        spec = self.scope.equipment.hub.registry.get(attempt.tool)
        run = await get_async_callback_manager_for_config(config).on_tool_start(
            {"name": attempt.tool, "description": spec.summary if spec else ""},
            json.dumps(attempt.arguments, ensure_ascii=False, default=str),
            name=attempt.tool,
            inputs=attempt.arguments,
            tool_call_id=attempt.key,
        )
        try:
            with set_config_context(patch_config(config, callbacks=run.get_child())):
                result = await self._dispatched(request)
        except BaseException as error:
            await run.on_tool_error(error)
            raise
        if result.success:
            await run.on_tool_end(result.result)
        else:
            await run.on_tool_error(ToolFailed(result.error or "", kind=result.error_type))
        return result

    async def _dispatched(self, request: ToolRequest) -> ToolResult:
        return self.covered(await self.scope.equipment.hub.dispatcher.dispatch(request))

    def covered(self, result: ToolResult) -> ToolResult:
        """A result without the secrets of its run, which a tool may repeat."""
        cover = self.scope.secrets.cover
        return result.model_copy(update={"result": cover(result.result), "error": cover(result.error)})

    async def end(self, attempt: Attempt, result: ToolResult) -> Attempt:
        """Commit the attempt: from here on it is finished, whatever happens to the process."""
        state = "finished" if result.success else "failed"
        source = result.meta.source or attempt.source
        ended = attempt.model_copy(update={"state": state, "result": result, "source": source, "at": time.time()})
        ended = await self.scope.equipment.journal.write_attempt(ended)
        self.attempts[:] = [one for one in self.attempts if one.key != ended.key] + [ended]
        self.failures.extend(failures_of(ended))
        return ended


@dataclass(frozen=True, slots=True)
class SkillHost:
    """The run as the skills of one round see it: its model, and its tools behind its guard, limits and journal (R4.6).

    A call a skill makes is a row of the journal like any other, under the step and the skill it is made for.
    """

    pipeline: CallPipeline

    async def ask(self, system: str, user: str, answer: type[T]) -> T | None:
        """Ask the run's model."""
        return await ask(self.pipeline.scope, AGENT, Prompt(system, user), answer)

    def find_tool(self, name: str) -> ToolSpec | None:
        """The tool of that name, if the run may use it."""
        return self.pipeline.scope.equipment.hub.registry.get(name) if self.pipeline.scope.allows(name) else None

    async def suggest_tools(self, task: str) -> list[ToolSpec]:
        """The tools recalled for a task."""
        found = await self.pipeline.scope.recall(task, for_model=True)
        return [spec for one in found[:TOOLS_SUGGESTED] if (spec := self.find_tool(one.name))]

    async def call_tool(
        self, name: str, action: str | None, arguments: dict[str, Any], context: ToolContext
    ) -> ToolResult:
        """Make a call for a skill, as a step would; what was done before the run stopped is not done again."""
        place = "/".join((context.step_id, *context.inside_skills))
        earlier = [attempt for attempt in self.pipeline.attempts if attempt.step_id == place]
        call = await self.pipeline.better(self.pipeline.named(name, action, arguments), earlier)
        if call.spec is not None and call.spec.tool_type == "skill":  # it waits itself: two could wait for each other
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


def may_have_happened(attempt: Attempt) -> bool:
    """A call that changes something was cut off: by the end of the process, or by the time limit it ran into."""
    timed_out = attempt.result is not None and attempt.result.error_type == "timeout"
    return attempt.writes and (attempt.state == "started" or timed_out)
