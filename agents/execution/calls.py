"""One call of one step: bound, guarded, approved, journaled, run, checked. It returns data and does not raise."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from agents.asking import ask, ask_for_text, has_model
from agents.execution.approval import REASONS, ApprovalReply, ApprovalRequest, unmasked
from agents.execution.hosting import RunHost
from agents.execution.outcomes import Outcome, Site, from_attempt, never_made
from agents.execution.prompts import LateAnswer, late_prompt, reason_prompt
from agents.execution.rules import late_arguments
from agents.parsing import read_json
from agents.scope import RunScope
from agents.verification.rules import check
from ledger.attempts import Attempt, Failure, call_signature
from ledger.decisions import NO_TOOL, Assignment, Verdict
from ledger.guard import refusal
from ledger.plan import Step
from ledger.references import bind
from toolhub.descriptions import definition
from toolhub.naming import with_action
from tools.core.context import ToolContext
from tools.core.errors import BadArguments
from tools.core.masking import shown_arguments
from tools.core.result import ResultMeta, ToolResult
from tools.core.spec import ToolSpec

AGENT = "execution"
NEEDS_MODEL = "this step needs a model, and none is set"
MODEL_DOWN = "the model did not answer"
NO_TOOL_FITS = "no tool fits this step, and no model is set to reason about it"
REASONED = "reasoned by the model from earlier results"
UNVERIFIED = "reasoned by the model without a tool: unverified"
NOBODY_APPROVED = "not done, because nobody approved it beforehand: {tools}"

LONGEST_DELAY = 8.0
"""Seconds; the back-off between tries of a call that failed in passing does not grow beyond."""


@dataclass(slots=True)
class Caller:
    """Makes the calls of one round. Its lists grow while it works: a failure is known to the next call at once."""

    scope: RunScope
    question: str
    attempts: list[Attempt]
    failures: list[Failure]
    uncounted: set[str]
    """Keys of attempts an earlier process made, whose count was lost with it."""
    replies: Mapping[str, ApprovalReply]
    slots: asyncio.Semaphore

    async def call(
        self,
        step: Step,
        assignment: Assignment,
        results: Mapping[str, Any],
        *,
        known_attempts: int,
        item: int | None = None,
    ) -> Outcome:
        """Make the call of a step, or of one item of it.

        Args:
            step: what to do.
            assignment: with which tool and arguments.
            results: what references may point at.
            known_attempts: how many attempts the context has seen; a later one that ended is taken over, as it ended.
            item: the position in a for-each step.
        """
        earlier = [a for a in self.attempts if a.step_id == step.id and a.item == item]
        site = Site(step, assignment, item, earlier)
        ended = site.ended_after(known_attempts)
        if ended is not None:
            return self._taken_over(ended, site)
        async with self.slots:
            outcome = await self._call(site, results)
        if outcome.failure is not None:
            self.failures.append(outcome.failure)
        return outcome

    def _taken_over(self, attempt: Attempt, site: Site) -> Outcome:
        """An attempt that ended before, as it ended. Its failure, if it is one, is known already."""
        if attempt.key in self.uncounted:
            self.uncounted.remove(attempt.key)
            self.scope.meter.added.tool_calls += attempt.tool != NO_TOOL
        if attempt.result is None or not attempt.result.success:
            return from_attempt(attempt, None)
        if attempt.tool == NO_TOOL:
            return from_attempt(attempt, _reasoned(planned=site.assignment.tool == NO_TOOL))
        return from_attempt(attempt, self._checked(attempt, attempt.result))

    async def _call(self, site: Site, results: Mapping[str, Any]) -> Outcome:
        if site.assignment.tool is None or site.assignment.tool == NO_TOOL:
            return await self._reason(site, results)
        tool, action = self.scope.equipment.library.resolve(site.assignment.tool, site.assignment.action)
        spec = self._spec(tool, action)
        try:
            arguments = await self._arguments(site, spec, results)
        except BadArguments as error:
            return never_made(site.step, tool, shown_arguments(site.assignment.arguments), "bad_arguments", str(error))
        if spec is not None and (known := self.scope.equipment.library.get_tool_by_id(tool)) is not None:
            action, arguments = with_action(known, action, arguments)
            spec = known.for_action(action)
        request = self._request(site, spec, action, arguments) if spec else None
        if request is not None:
            reply = self.replies.get(site.key)
            if reply is None:
                return Outcome("waiting", tool, request=request)
            if reply.decision == "refuse":
                return Outcome("refused", tool, spec.source if spec else "", action, shown_arguments(arguments))
            arguments = arguments if reply.arguments is None else unmasked(reply.arguments, arguments)
        capability = spec.capability(action) if spec else None
        signature = call_signature(tool, action, arguments, capability.parameters if capability else None)
        attempt = self._attempt(site, tool, arguments, signature, action=action, spec=spec)
        return await self._run(site, attempt, arguments)

    async def _run(self, site: Site, attempt: Attempt, arguments: dict[str, Any]) -> Outcome:
        """Make the call. A tool that is not there any more may be stood in for by another: the hub sees to that."""
        tool = attempt.tool
        reason = refusal(attempt.signature, self.failures, self.attempts, most=self.scope.options.max_attempts)
        if reason is not None:
            return never_made(site.step, tool, attempt.arguments, "bad_arguments", reason)
        await self._back_off(attempt.signature)
        if not self.scope.meter.take_tool_call():
            return Outcome("stopped", tool)
        self._emit_running(attempt)
        if attempt.writes:
            await self.scope.equipment.journal.write_attempt(attempt)
        result = await self.scope.equipment.library.execute_tool(
            tool, attempt.action, arguments, self._tool_context(attempt), seconds=self.scope.options.tool_timeout
        )
        for downgrade in result.meta.downgrades:
            self.scope.downgrade(AGENT, downgrade)
        outcome = await self._ended(attempt, result)
        if left := _not_done(result):
            outcome.verdict = Verdict(verified=False, confidence=0.5, issues=[NOBODY_APPROVED.format(tools=left)])
        return outcome

    async def _arguments(self, site: Site, spec: ToolSpec | None, results: Mapping[str, Any]) -> dict[str, Any]:
        if spec is None or not site.assignment.late:
            missing = site.assignment.missing
            if missing:
                raise BadArguments(f"{site.assignment.tool} needs {', '.join(missing)}, which the task does not say.")
            return bind(site.assignment.arguments, results)
        failures = [one for one in self.failures if one.tool == spec.name or one.step_id == site.step.id]
        prompt = late_prompt(self.question, site.step, results, definition(spec), failures)
        written = await ask(self.scope, AGENT, prompt, LateAnswer)
        today = self.scope.equipment.clock().date()
        answer = written or late_arguments(site.step, spec, results, self.question, today)
        if answer.missing:
            raise BadArguments(f"{spec.name} needs {', '.join(answer.missing)}, which no earlier result gives.")
        return bind(answer.arguments, results) if written else answer.arguments

    async def _reason(self, site: Site, results: Mapping[str, Any]) -> Outcome:
        """Reasoning without a tool: as planned, or as the last resort when no tool fits."""
        planned = site.assignment.tool == NO_TOOL
        message, started = None, time.perf_counter()
        signature = call_signature(NO_TOOL, None, {"task": site.step.description})
        attempt = self._attempt(site, NO_TOOL, {}, signature)
        if has_model(self.scope, AGENT):
            self._emit_running(attempt)
            message = await ask_for_text(
                self.scope, AGENT, reason_prompt(self.question, site.step, results, planned=planned)
            )
        if message is None:
            if self.scope.equipment.models.name_for(self.scope.options, AGENT) is not None:
                return never_made(site.step, NO_TOOL, {}, "unavailable", MODEL_DOWN)
            if off := site.assignment.withheld:
                return never_made(site.step, NO_TOOL, {}, "permission", ", ".join(off))
            error = NEEDS_MODEL if planned else NO_TOOL_FITS
            return never_made(site.step, NO_TOOL, {}, "not_found", error)
        meta = ResultMeta(source="model", ms=(time.perf_counter() - started) * 1000)
        outcome = await self._ended(attempt, ToolResult(result=read_json(str(message.text)), meta=meta))
        if outcome.state == "done":
            outcome.verdict = _reasoned(planned=planned)
        return outcome

    async def _ended(self, attempt: Attempt, result: ToolResult) -> Outcome:
        """Check the result, commit the attempt: from here on it is finished, whatever happens to the process."""
        verdict = self._checked(attempt, result) if result.success else None
        if verdict is not None and not verdict.verified:
            error = "; ".join(verdict.issues)
            result = result.model_copy(update={"success": False, "error": error, "error_type": "wrong_result"})
        state = "finished" if result.success else "failed"
        ended = attempt.model_copy(
            update={"state": state, "result": result, "source": result.meta.source, "at": time.time()}
        )
        await self.scope.equipment.journal.write_attempt(ended)
        self.attempts.append(ended)
        return from_attempt(ended, verdict)

    def _checked(self, attempt: Attempt, result: ToolResult) -> Verdict:
        """The cheap checks; what several tools gave together has the promised shape of none of them."""
        tool = result.meta.tool or attempt.tool
        return check(result.result, None if result.meta.synthesised else self._spec(tool, attempt.action))

    def _request(
        self, site: Site, spec: ToolSpec, action: str | None, arguments: dict[str, Any]
    ) -> ApprovalRequest | None:
        if any(_may_have_happened(attempt) for attempt in site.earlier):
            reason = "may_have_happened"
        elif spec.writes and any(_is_done(attempt, spec, action, arguments) for attempt in self.attempts):
            reason = "already_done"
        elif spec.asks_first and not self.scope.options.auto_approve:
            reason = "writes" if spec.writes else "asks"
        else:
            return None
        return ApprovalRequest(
            step_id=site.key,
            description=site.step.description,
            tool=spec.name,
            action=action,
            arguments=shown_arguments(arguments),
            reason=REASONS[reason][self.scope.language],
        )

    async def _back_off(self, signature: str) -> None:
        tries = sum(1 for failure in self.failures if failure.signature == signature)
        if tries:
            await asyncio.sleep(min(self.scope.options.retry_delay * 2 ** (tries - 1), LONGEST_DELAY))

    def _attempt(
        self,
        site: Site,
        tool: str,
        arguments: dict[str, Any],
        signature: str,
        *,
        action: str | None = None,
        spec: ToolSpec | None = None,
    ) -> Attempt:
        item = "" if site.item is None else site.item
        return Attempt(
            run_id=self.scope.run_id,
            step_id=site.step.id,
            item=site.item,
            number=site.number,
            tool=tool,
            source=spec.source if spec else "model" if tool == NO_TOOL else "",
            action=action,
            arguments=shown_arguments(arguments),  # the journal keeps no secrets
            signature=signature,
            writes=spec.writes if spec else False,
            state="started",
            at=time.time(),
            # the same for a repetition of the same call after a crash, so that a tool can tell
            idempotency_key=f"{self.scope.run_id}:{site.step.id}:{item}:{signature}",
        )

    def _emit_running(self, attempt: Attempt) -> None:
        shown = {"id": attempt.step_id, "state": "running", "tool": attempt.tool, "item": attempt.item}
        self.scope.emit("step", {**shown, "attempt": attempt.number, "arguments": attempt.arguments})

    def _tool_context(self, attempt: Attempt) -> ToolContext:
        return ToolContext(
            workspace=self.scope.equipment.workspace,
            user=self.scope.options.user,
            run_id=self.scope.run_id,
            thread_id=self.scope.thread_id,
            step_id=attempt.step_id,
            idempotency_key=attempt.idempotency_key,
            language=self.scope.language,
            history=self.scope.history,
            network=self.scope.equipment.network,
            skill_host=self._host(),
        )

    def _host(self) -> RunHost | None:
        """What a skill works with; without a model there is nothing to work with."""
        return RunHost(self.scope, self.attempts, self.failures) if has_model(self.scope, AGENT) else None

    def _spec(self, tool: str, action: str | None) -> ToolSpec | None:
        """The tool as this action of it is: what it takes, and whether it writes."""
        spec = self.scope.equipment.library.get_tool_by_id(tool)
        return spec and spec.for_action(action)


def _not_done(result: ToolResult) -> str:
    """The calls a skill wanted and nobody approved."""
    value: Any = result.result
    if result.meta.source != "skill" or not isinstance(value, dict):
        return ""
    calls = cast("dict[str, list[dict[str, Any]]]", value).get("not_done", [])
    return ", ".join(dict.fromkeys(str(call.get("tool")) for call in calls))


def _reasoned(*, planned: bool) -> Verdict:
    """What reasoning without a tool is worth: little, and nothing verified where a tool was wanted."""
    issues = [REASONED if planned else UNVERIFIED]
    return Verdict(verified=planned, confidence=0.6 if planned else 0.3, issues=issues)


def _may_have_happened(attempt: Attempt) -> bool:
    """A call that changes something was cut off: by the end of the process, or by the time limit it ran into."""
    timed_out = attempt.result is not None and attempt.result.error_type == "timeout"
    return attempt.writes and (attempt.state == "started" or timed_out)


def _is_done(attempt: Attempt, spec: ToolSpec, action: str | None, arguments: dict[str, Any]) -> bool:
    """Whether this very change was made before in the run, in whatever step or plan."""
    capability = spec.capability(action)
    signature = call_signature(spec.name, action, arguments, capability.parameters if capability else None)
    return attempt.state == "finished" and attempt.signature == signature
