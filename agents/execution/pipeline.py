"""A call on its way, whoever makes it: a step of the plan, or a skill inside one.

    named ─▶ guarded ─▶ counted ─▶ journaled ─▶ made ─▶ covered ─▶ journaled

A step waits for a person where it has to and checks what came back (`calls`); a skill cannot wait, and goes by what it
did before (`skill_host`).
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchyard.agents.scope import RunScope
from switchyard.language.messages import Message
from switchyard.ledger.attempts import Attempt, CallIdentity, Failure, failures_of
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.guard import refusal
from switchyard.ledger.secrets import plain
from switchyard.toolhub.calling.request import ToolRequest, with_action
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

AGENT = "execution"

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
        library = self.scope.equipment.library
        tool, action = library.resolve(tool, action)
        known = library.get_tool_by_id(tool)
        if known is not None:
            action, arguments = with_action(known, action, arguments)
        return Call(tool, action, arguments, known and known.for_action(action), self.identity(tool, action, arguments))

    def identity(self, tool: str, action: str | None, arguments: Mapping[str, Any]) -> CallIdentity:
        """How the call is known again."""
        equipment = self.scope.equipment
        return equipment.library.identify(tool, action, arguments, equipment.workspace)

    def attempt(self, call: Call, step_id: str, number: int, *, item: int | None = None, key: str) -> Attempt:
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
        )

    def request(self, call: Call, context: ToolContext) -> ToolRequest:
        """The call as the hub takes it."""
        seconds = self.scope.options.tool_timeout
        return ToolRequest(call.tool, call.action, call.arguments, context, seconds, refuses=self.refusal)

    def refusal(self, signature: str) -> Message | None:
        """Why a call must not be made, if so."""
        return refusal(signature, self.failures, self.attempts, most=self.scope.options.max_attempts)

    async def make(self, attempt: Attempt, request: ToolRequest) -> ToolResult:
        """Make a call that was counted. One that changes something is in the journal before it starts.

        A tool that is not there any more may be stood in for by another: the hub sees to that.
        """
        if attempt.writes:
            await self.scope.equipment.journal.write_attempt(attempt)
        result = await self.scope.equipment.library.dispatcher.dispatch(request)
        for downgrade in result.meta.downgrades:
            self.scope.downgrade(AGENT, downgrade)
        return self.covered(result)

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


def may_have_happened(attempt: Attempt) -> bool:
    """A call that changes something was cut off: by the end of the process, or by the time limit it ran into."""
    timed_out = attempt.result is not None and attempt.result.error_type == "timeout"
    return attempt.writes and (attempt.state == "started" or timed_out)
