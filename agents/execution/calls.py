"""One call of one step: bound, guarded, approved, journaled, run, checked. It returns data and does not raise."""

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from switchyard.agents.asking import ask, ask_for_text, has_model
from switchyard.agents.by_rules.checker import check
from switchyard.agents.by_rules.late_arguments import late_arguments
from switchyard.agents.execution.approval import Approval, ApprovalRequest, Why
from switchyard.agents.execution.effects import effects_of
from switchyard.agents.execution.hosting import RunHost
from switchyard.agents.execution.outcomes import (
    Outcome,
    Site,
    Turns,
    covered,
    from_attempt,
    may_have_happened,
    never_made,
)
from switchyard.agents.execution.prompts import LateAnswer, late_prompt, reason_prompt
from switchyard.agents.parsing import read_json
from switchyard.agents.scope import RunScope
from switchyard.language.messages import joined, message
from switchyard.ledger.attempts import Attempt, CallIdentity, Failure, failures_of
from switchyard.ledger.context import Problem
from switchyard.ledger.decisions import NO_TOOL, Assignment, Verdict
from switchyard.ledger.guard import refusal
from switchyard.ledger.plan import Step
from switchyard.ledger.references import bind
from switchyard.ledger.secrets import plain, unmasked
from switchyard.toolhub.calling.request import with_action
from switchyard.toolhub.descriptions import definition
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import BadArguments, FailureKind, ToolError
from switchyard.tools.core.masking import shown_arguments
from switchyard.tools.core.result import ResultMeta, ToolResult
from switchyard.tools.core.spec import ToolSpec

AGENT = "execution"
PROBLEMS: dict[Problem, FailureKind] = {
    "no_tool": "not_found",
    "needs_model": "not_found",
    "model_down": "unavailable",
    "switched_off": "permission",
}
"""The failure of a step without a tool, by what its problem is."""

LONGEST_DELAY = 8.0
"""Seconds; the back-off between tries of a call that failed in passing does not grow beyond."""


@dataclass(slots=True)
class Caller:
    """Makes the calls of one round. Its lists grow while it works: a failure is known to the next call at once."""

    scope: RunScope
    question: str
    attempts: list[Attempt]
    failures: list[Failure]
    approvals: Mapping[str, Approval]
    """What a person replied, by step or by item of one."""
    refused: Collection[str]
    """Signatures of the calls a person refused in this run."""
    slots: asyncio.Semaphore
    turns: Turns = field(default_factory=lambda: Turns(asyncio.Lock))

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
        if outcome.failure is not None and outcome.journal_key is None:  # what was made is known since it ended
            self.failures.append(outcome.failure)
        return outcome

    def _taken_over(self, attempt: Attempt, site: Site) -> Outcome:
        """An attempt that ended before, as it ended. Its failure, if it is one, is known already."""
        if attempt.result is None or not attempt.result.success:
            return from_attempt(attempt, None)
        if attempt.tool == NO_TOOL:
            return from_attempt(attempt, _reasoned(planned=site.assignment.tool == NO_TOOL))
        return from_attempt(attempt, self._checked(attempt, attempt.result))

    async def _call(self, site: Site, results: Mapping[str, Any]) -> Outcome:
        if site.assignment.tool is None or site.assignment.tool == NO_TOOL:
            return await self._reason(site, results)
        tool, action = self.scope.equipment.library.resolve(site.assignment.tool, site.assignment.action)
        spec, approval = self._spec(tool, action), self._approval(site, tool)
        try:
            if approval is None:
                arguments = self.scope.secrets.reveal(await self._arguments(site, spec, results))
            else:  # bound when the person was asked: nothing else may run
                action, arguments = approval.request.action, self._approved(approval)
        except BadArguments as error:
            shown = plain(shown_arguments(site.assignment.arguments))
            return never_made(site.step, tool, shown, "bad_arguments", str(error))
        if spec is not None and (known := self.scope.equipment.library.get_tool_by_id(tool)) is not None:
            action, arguments = with_action(known, action, arguments)
            spec = known.for_action(action)
        attempt = self._attempt(
            site, tool, arguments, self._identified(tool, action, arguments), action=action, spec=spec
        )
        refused = approval is not None and approval.reply is not None and approval.reply.decision == "refuse"
        if refused or attempt.signature in self.refused:  # what a person refused is not put to them again
            return Outcome("refused", tool, attempt.source, action, attempt.arguments, attempt.signature)
        async with self.turns[attempt.signature]:  # what an equal call is doing decides whether this one is made
            if spec is not None and (why := self._why_ask(site, spec, attempt, arguments, approval)):
                return await self._asked(site, attempt, arguments, why)
            return await self._run(site, attempt, arguments)

    def _approval(self, site: Site, tool: str) -> Approval | None:
        """What a person replied about this call; not what was said of one that has begun since."""
        found = self.approvals.get(site.key)
        if found is None or found.reply is None:
            return None
        asked = found.request
        return found if (asked.tool, asked.attempt) == (tool, site.number) else None

    def _approved(self, approval: Approval) -> dict[str, Any]:
        """The arguments as the person saw them, or as the person wrote them instead."""
        asked, edited = approval.request.arguments, approval.reply.arguments if approval.reply else None
        return self.scope.secrets.reveal(asked if edited is None else unmasked(edited, asked))

    async def _run(self, site: Site, attempt: Attempt, arguments: dict[str, Any]) -> Outcome:
        """Make the call. A tool that is not there any more may be stood in for by another: the hub sees to that."""
        tool = attempt.tool
        reason = self._refusal(attempt.signature)
        if reason is not None:
            return never_made(site.step, tool, attempt.arguments, "bad_arguments", reason)
        await self._back_off(attempt.signature)
        if not self.scope.meter.take_tool_call():
            return Outcome("stopped", tool)
        self._emit_running(attempt)
        if attempt.writes:
            await self.scope.equipment.journal.write_attempt(attempt)
        result = await self.scope.equipment.library.execute_tool(
            tool,
            attempt.action,
            arguments,
            self._tool_context(attempt),
            seconds=self.scope.options.tool_timeout,
            refuses=self._refusal,
        )
        for downgrade in result.meta.downgrades:
            self.scope.downgrade(AGENT, downgrade)
        outcome = await self._ended(attempt, result)
        if left := _not_done(result):
            outcome.verdict = Verdict(verified=False, confidence=0.5, issues=[message("nobody_approved", tools=left)])
        return outcome

    async def _arguments(self, site: Site, spec: ToolSpec | None, results: Mapping[str, Any]) -> dict[str, Any]:
        if spec is None or not site.assignment.late:
            missing = site.assignment.missing
            if missing:
                raise BadArguments(message("fields_unsaid", tool=site.assignment.tool or NO_TOOL, fields=missing))
            return bind(site.assignment.arguments, results)
        written: LateAnswer | None = None
        if has_model(self.scope, AGENT):
            failures = [one for one in self.failures if one.tool == spec.name or one.step_id == site.step.id]
            prompt = late_prompt(self.question, site.step, results, definition(spec), failures)
            written = await ask(self.scope, AGENT, prompt, LateAnswer)
        today = self.scope.equipment.clock().date()
        answer = written or late_arguments(site.step, spec, results, self.question, today)
        if answer.missing:
            raise BadArguments(message("fields_not_given", tool=spec.name, fields=answer.missing))
        return bind(answer.arguments, results) if written else answer.arguments

    async def _reason(self, site: Site, results: Mapping[str, Any]) -> Outcome:
        """Reasoning without a tool: as planned, or as the last resort when no tool fits."""
        planned = site.assignment.tool == NO_TOOL
        reply, started = None, time.perf_counter()
        attempt = self._attempt(site, NO_TOOL, {}, self._identified(NO_TOOL, None, {"task": site.step.description}))
        if has_model(self.scope, AGENT):
            self._emit_running(attempt)
            reply = await ask_for_text(
                self.scope, AGENT, reason_prompt(self.question, site.step, results, planned=planned)
            )
        if reply is None:
            return self._nobody_to_reason(site)
        meta = ResultMeta(source="model", ms=(time.perf_counter() - started) * 1000)
        result = await asyncio.to_thread(read_json, str(reply.text))
        outcome = await self._ended(attempt, ToolResult(result=result, meta=meta))
        if outcome.state == "done":
            outcome.verdict = _reasoned(planned=planned)
        return outcome

    def _nobody_to_reason(self, site: Site) -> Outcome:
        """A step that has no tool, where no model does it either."""
        problem: Problem = "needs_model" if site.assignment.tool == NO_TOOL else "no_tool"
        withheld = site.assignment.withheld
        if self.scope.equipment.models.name_for(self.scope.options, AGENT) is not None:
            problem = "model_down"
        elif withheld:
            problem = "switched_off"
        error = ", ".join(withheld) if problem == "switched_off" else message(f"problem.{problem}")
        outcome = never_made(site.step, NO_TOOL, {}, PROBLEMS[problem], error)
        outcome.problem, outcome.withheld = problem, withheld if problem == "switched_off" else []
        return outcome

    async def _ended(self, attempt: Attempt, result: ToolResult) -> Outcome:
        """Check the result, commit the attempt: from here on it is finished, whatever happens to the process."""
        result = covered(result, self.scope.secrets)
        verdict = self._checked(attempt, result) if result.success else None
        if verdict is not None and not verdict.verified:
            error = joined(*verdict.issues, by="; ")
            result = result.model_copy(update={"success": False, "error": error, "error_type": "wrong_result"})
        state = "finished" if result.success else "failed"
        ended = attempt.model_copy(
            update={"state": state, "result": result, "source": result.meta.source, "at": time.time()}
        )
        ended = await self.scope.equipment.journal.write_attempt(ended)
        self.attempts.append(ended)
        self.failures.extend(failures_of(ended))
        return from_attempt(ended, verdict)

    def _checked(self, attempt: Attempt, result: ToolResult) -> Verdict:
        """The cheap checks; what several tools gave together has the promised shape of none of them."""
        tool = result.meta.tool or attempt.tool
        return check(result.result, None if result.meta.synthesised else self._spec(tool, attempt.action))

    def _why_ask(
        self, site: Site, spec: ToolSpec, attempt: Attempt, arguments: dict[str, Any], approval: Approval | None
    ) -> Why | None:
        """Why a person has to be asked about this call; None where nobody has to, or somebody has said yes to it."""
        why: Why | None = None
        same = [one for one in self.attempts if one.signature == attempt.signature]
        if any(may_have_happened(one) for one in [*site.earlier, *same]):
            why = "may_have_happened"
        elif spec.writes and any(one.state == "finished" for one in same):
            why = "already_done"
        elif spec.asks_first and not self.scope.options.auto_approve:
            why = "writes" if spec.writes else "asks"
        lost = self.scope.secrets.lost(arguments)
        if why is None or (approval is not None and approval.is_for(why, attempt.signature, attempt.number)):
            return "secret_lost" if lost else None
        return "secret_lost" if lost and why != "may_have_happened" else why

    async def _asked(self, site: Site, attempt: Attempt, arguments: dict[str, Any], why: Why) -> Outcome:
        """A call that waits for a person, with what it would do; a failure where it could not run if they approved."""
        library, tool, action, effects = self.scope.equipment.library, attempt.tool, attempt.action, list[Effect]()
        try:
            if wrong := self._refusal(attempt.signature):
                raise BadArguments(wrong)
            if not self.scope.secrets.lost(arguments):  # else the person writes them anew
                if wrong := library.check_arguments(tool, action, arguments):
                    raise BadArguments(wrong)
                effects = await effects_of(library, tool, action, arguments, self._tool_context(attempt))
        except ToolError as error:
            return never_made(site.step, tool, attempt.arguments, error.kind, str(error), action=action)
        request = ApprovalRequest(
            step_id=site.key,
            description=site.step.description,
            tool=attempt.tool,
            action=attempt.action,
            arguments=self.scope.secrets.hide(arguments),
            reason=message(f"ask.{why}").text(self.scope.language),
            why=why,
            signature=attempt.signature,
            attempt=attempt.number,
            effect=effects,
        )
        return Outcome("waiting", tool, request=request)

    def _identified(self, tool: str, action: str | None, arguments: Mapping[str, Any]) -> CallIdentity:
        equipment = self.scope.equipment
        return equipment.library.identify(tool, action, arguments, equipment.workspace)

    def _refusal(self, signature: str) -> str | None:
        return refusal(signature, self.failures, self.attempts, most=self.scope.options.max_attempts)

    async def _back_off(self, signature: str) -> None:
        tries = sum(1 for failure in self.failures if failure.signature == signature)
        if tries:
            await asyncio.sleep(min(self.scope.options.retry_delay * 2 ** (tries - 1), LONGEST_DELAY))

    def _attempt(
        self,
        site: Site,
        tool: str,
        arguments: dict[str, Any],
        call: CallIdentity,
        *,
        action: str | None = None,
        spec: ToolSpec | None = None,
    ) -> Attempt:
        return Attempt(
            run_id=self.scope.run_id,
            step_id=site.step.id,
            item=site.item,
            number=site.number,
            tool=tool,
            source=spec.source if spec else "model" if tool == NO_TOOL else "",
            action=action,
            arguments=plain(self.scope.secrets.hide(arguments)),  # the journal keeps no secrets
            signature=call.signature,
            names=list(call.names),
            writes=spec.writes if spec else False,
            refreshes=any(capability.refreshes for capability in spec.capabilities) if spec else False,
            state="started",
            at=time.time(),
            idempotency_key=site.idempotency_key(self.scope.run_id, call.signature),
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
        return RunHost(self.scope, self.attempts, self.failures, self.turns) if has_model(self.scope, AGENT) else None

    def _spec(self, tool: str, action: str | None) -> ToolSpec | None:
        """The tool as this action of it is: what it takes, and whether it writes."""
        spec = self.scope.equipment.library.get_tool_by_id(tool)
        return spec and spec.for_action(action)


def _not_done(result: ToolResult) -> list[str]:
    """The tools a skill wanted to call and nobody approved."""
    value: Any = result.result
    if result.meta.source != "skill" or not isinstance(value, dict):
        return []
    calls = cast("dict[str, list[dict[str, Any]]]", value).get("not_done", [])
    return list(dict.fromkeys(str(call.get("tool")) for call in calls))


def _reasoned(*, planned: bool) -> Verdict:
    """What reasoning without a tool is worth: little, and nothing verified where a tool was wanted."""
    issues: list[str] = [message("reasoned" if planned else "reasoned_without_tool")]
    return Verdict(verified=planned, confidence=0.6 if planned else 0.3, issues=issues)
