"""One call of one step: bound, guarded, approved, journaled, run, checked. It returns data and does not raise."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from switchyard.agents.asking import ask, ask_for_text, dated, has_model
from switchyard.agents.by_rules.checker import check, finds_nothing, is_echo
from switchyard.agents.by_rules.chooser import late_arguments
from switchyard.agents.by_rules.fetched import query_of
from switchyard.agents.by_rules.planner import needs_tools
from switchyard.agents.by_rules.schema_call import tells
from switchyard.agents.by_rules.turns import leaned_on
from switchyard.agents.execution.approval import Approval, ApprovalRequest, Why, effects_of
from switchyard.agents.execution.outcomes import Outcome, from_attempt, never_made, record_of, repeating
from switchyard.agents.execution.pipeline import AGENT, Call, CallPipeline, SkillHost, may_have_happened
from switchyard.agents.execution.prompts import REASON_SYSTEM, LateAnswer, late_prompt, reason_prompt
from switchyard.agents.parsing import read_json
from switchyard.agents.prompt import Prompt
from switchyard.agents.scope import RunScope
from switchyard.agents.workspace_view import files_named
from switchyard.language.mentions import find_mentions
from switchyard.language.messages import joined, message, quoted
from switchyard.ledger.attempts import Attempt, digest_of
from switchyard.ledger.context import Pattern, Problem, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Assignment, Verdict
from switchyard.ledger.guard import back_off
from switchyard.ledger.plan import Step
from switchyard.ledger.references import bind, references
from switchyard.ledger.secrets import plain, unmasked
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.descriptions import definition, takes_a_moment
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import BadArguments, FailureKind, ToolError
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.masking import shown_arguments
from switchyard.tools.core.result import ResultMeta, ToolResult
from switchyard.tools.core.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class StepCall:
    """Where a call belongs: the step, its assignment, the item of a for-each step, and the tries before."""

    step: Step
    assignment: Assignment
    item: int | None
    earlier: list[Attempt]
    given: str
    """As its attempts have it."""

    @property
    def number(self) -> int:
        """The number of the next attempt."""
        return max((attempt.number for attempt in self.earlier), default=0) + 1

    @property
    def key(self) -> str:
        """How a person's reply names it."""
        return self.step.id if self.item is None else f"{self.step.id}[{self.item}]"


@dataclass(slots=True)
class StepCaller:
    """Makes the calls of the steps of one round."""

    pipeline: CallPipeline
    question: str
    approvals: Mapping[str, Approval]
    """What a person replied, by step or by item of one."""
    refused: Collection[str]
    """Signatures of the calls a person refused in this run."""
    slots: asyncio.Semaphore
    patterns: Sequence[Pattern] = ()
    """What was learned about tools."""
    anew: bool = False
    """Whether the plan is not the first one: what tools could not find out is not known by heart."""

    @property
    def scope(self) -> RunScope:
        """The run."""
        return self.pipeline.scope

    async def call(
        self,
        step: Step,
        assignment: Assignment,
        results: Mapping[str, Any],
        *,
        known_attempts: int,
        item: int | None = None,
    ) -> Outcome:
        """Make the call of a step, or of one item of it; references in its arguments may point at `results`.

        `known_attempts` is how many the context has seen: a later one that ended is taken over, as it ended.
        """
        earlier = [a for a in self.pipeline.attempts if a.step_id == step.id and a.item == item]
        last = max(earlier, key=lambda attempt: attempt.number, default=None)
        site = StepCall(step, assignment, item, earlier, self._given(step, assignment))
        ended = last is not None and last.state != "started" and last.number > known_attempts
        if last is not None and last.result is not None and ended and last.given in {site.given, ""}:
            return await self._taken_over(site, last, last.result, results)  # it ended as the run was stopped
        async with self.slots:
            outcome = await self._call(site, results)
        if outcome.failure is not None:
            self.pipeline.failures.append(outcome.failure)
        return outcome

    def _given(self, step: Step, assignment: Assignment) -> str:
        """What the attempts of a step go by: its assignment, and the attempts it builds on."""
        asked = assignment.model_dump(mode="json", include={"tool", "action", "arguments", "late"})
        built_on = sorted(one.key for one in self.pipeline.attempts if one.step_id in step.dependencies)
        return digest_of(asked, built_on)

    async def _taken_over(
        self, site: StepCall, attempt: Attempt, result: ToolResult, results: Mapping[str, Any]
    ) -> Outcome:
        """An attempt that ended before, as it ended. Its failure, if it is one, is known already."""
        if not result.success:
            return from_attempt(attempt, result, None)
        if attempt.tool == NO_TOOL:
            return from_attempt(attempt, result, await self._reasoned(site, result.result, results))
        return from_attempt(attempt, result, self._checked(attempt, result))

    async def _call(self, site: StepCall, results: Mapping[str, Any]) -> Outcome:
        if site.assignment.tool is None or site.assignment.tool == NO_TOOL:
            return await self._reason(site, results)
        tool, action = self.scope.equipment.hub.registry.resolve(site.assignment.tool, site.assignment.action)
        spec, approval = self.scope.spec(tool, action), self._approval(site, tool)
        try:
            if approval is None:
                arguments = self.scope.secrets.reveal(await self._arguments(site, spec, results))
            else:  # bound when the person was asked: nothing else may run
                action, arguments = approval.request.action, self._approved(approval)
        except BadArguments as error:
            shown = plain(shown_arguments(site.assignment.arguments))
            return never_made(site.step.id, tool, shown, "bad_arguments", str(error), action=action)
        lacks: list[str] = arguments.pop("unsaid", []) if site.step.call and site.step.call.reads else []
        wanted = self.pipeline.named(tool, action, arguments)
        call = wanted if approval is not None else await self.pipeline.better(wanted, site.earlier)
        attempt = self._attempt(site, call)
        refused = approval is not None and approval.reply is not None and approval.reply.decision == "refuse"
        if refused or attempt.signature in self.refused:  # what a person refused is not put to them again
            return Outcome(record_of(attempt, status="refused", error=message("refused_by_user")))
        async with self.pipeline.turns[attempt.signature]:  # what an equal call does decides whether this one is made
            if why := self._why_ask(site, call, attempt, approval):
                return await self._asked(site, call, attempt, why)
            outcome = await self._run(site, call, attempt)
        if lacks and outcome.record.verdict and outcome.record.verdict.verified:
            outcome.record.verdict = Verdict(verified=True, issues=[message("ask_words_unsaid", words=lacks)])
        if call is not wanted:
            outcome.record.wanted = plain(self.scope.secrets.hide(wanted.arguments))
        return outcome

    def _approval(self, site: StepCall, tool: str) -> Approval | None:
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

    async def _run(self, site: StepCall, call: Call, attempt: Attempt) -> Outcome:
        if failure := self.pipeline.repeated(attempt.signature):
            return repeating(attempt, failure)
        if delay := back_off(attempt.signature, self.pipeline.failures, self.scope.options.retry_delay):
            await asyncio.sleep(delay)
        if not self.scope.meter.take_tool_call():
            return Outcome(StepRecord(step_id=site.step.id))
        self._emit_running(attempt)
        result = await self.pipeline.make(attempt, self._request(call, attempt))
        outcome = await self._ended(attempt, result, site=site)
        if left := _not_done(result):
            outcome.record.verdict = Verdict(
                verified=False, confidence=0.5, issues=[message("nobody_approved", tools=left)]
            )
        return outcome

    async def _arguments(self, site: StepCall, spec: ToolSpec | None, results: Mapping[str, Any]) -> dict[str, Any]:
        if spec is None or not site.assignment.late:
            missing = site.assignment.missing
            if missing:
                raise BadArguments(message("fields_unsaid", tool=site.assignment.tool or NO_TOOL, fields=missing))
            call = site.step.call
            if spec is not None and call is None and spec.for_action(site.assignment.action).writes:
                _refuse_parts(site.assignment.arguments, results)
            bound = bind(site.assignment.arguments, results)
            if call is None or not call.reads:
                return bound
            # a question about what an earlier step fetched
            today, language = self.scope.equipment.clock().date(), self.scope.language
            read = await asyncio.to_thread(query_of, call.reads, bound.get("rows"), call.about, today, language)
            return bound | read
        written: LateAnswer | None = None
        if has_model(self.scope, AGENT):
            failures = [
                one for one in self.pipeline.failures if one.tool == spec.tool_id or one.step_id == site.step.id
            ]
            patterns = [one for one in self.patterns if one.tool == spec.tool_id]
            prompt = late_prompt(
                self.question,
                site.step,
                results,
                definition(spec),
                failures,
                patterns=patterns,
                files=await files_named(self.scope, [site.step.description]),
                history=leaned_on(self.scope.history, self.question),
                dated=takes_a_moment([spec]),
            )
            written = await ask(self.scope, AGENT, prompt, LateAnswer)
        today = self.scope.equipment.clock().date()
        answer = written or late_arguments(site.step, spec, results, today)
        if answer.missing:
            raise BadArguments(message("fields_not_given", tool=spec.tool_id, fields=answer.missing))
        if written is None:
            return answer.arguments
        if spec.for_action(site.assignment.action).writes:
            _refuse_parts(answer.arguments, results)
        return bind(answer.arguments, results)

    async def _reason(self, site: StepCall, results: Mapping[str, Any]) -> Outcome:
        """Reasoning without a tool: as planned, or as the last resort when no tool fits."""
        reply, started = None, time.perf_counter()
        identity = self.pipeline.identity(NO_TOOL, None, {"task": site.step.description})
        attempt = self._attempt(site, Call(NO_TOOL, None, {}, None, identity))
        if has_model(self.scope, AGENT):
            self._emit_running(attempt)
            planned = site.assignment.tool == NO_TOOL
            history = leaned_on(self.scope.history, self.question)
            prompt = reason_prompt(self.question, site.step, results, planned=planned, history=history)
            reply = await ask_for_text(self.scope, AGENT, prompt)
        if reply is None:
            return self._nobody_to_reason(site)
        meta = ResultMeta(source="model", ms=(time.perf_counter() - started) * 1000)
        wants_json = "json" in site.step.description.lower()
        result = await asyncio.to_thread(read_json, str(reply.text), anywhere=wants_json)
        given, told = ToolResult(result=result, meta=meta), Prompt(REASON_SYSTEM, "")  # results may be passed on whole
        if isinstance(result, str) and is_echo(self.question, result, told, dated(self.scope.equipment.clock())):
            given = ToolResult(success=False, error=message("no_answer_to_it"), error_type="wrong_result", meta=meta)
        outcome = await self._ended(attempt, self.pipeline.covered(given))
        if outcome.record.status == "done":
            outcome.record.verdict = await self._reasoned(site, result, results)
        return outcome

    async def _reasoned(self, site: StepCall, found: Any, results: Mapping[str, Any]) -> Verdict:
        """What reasoning without a tool is worth: little, and nothing verified where a tool was wanted."""
        known = not results and not _is_listed(found, site.step.description, self.scope.equipment.clock().date())
        by_heart = known and (self.anew or await needs_tools(self.scope, site.step.description))
        unplanned = site.assignment.tool != NO_TOOL or site.step.declined is not None
        if unplanned or by_heart or finds_nothing(found):
            return Verdict(verified=False, confidence=0.3, issues=[message("reasoned_without_tool")])
        return Verdict(verified=True, confidence=0.6, issues=[message("reasoned" if results else "own_word")])

    def _nobody_to_reason(self, site: StepCall) -> Outcome:
        """A step that has no tool, where no model does it either."""
        withheld = site.assignment.withheld
        problem: Problem = "needs_model" if site.assignment.tool == NO_TOOL else "no_tool"
        kind: FailureKind = "not_found"
        if self.scope.equipment.models.name_for(self.scope.options, AGENT) is not None:
            problem, kind, withheld = "model_down", "unavailable", []
        elif withheld:
            problem, kind = "switched_off", "permission"
        error = ", ".join(withheld) or message(f"problem.{problem}")
        return never_made(site.step.id, NO_TOOL, {}, kind, error, problem=problem, withheld=withheld)

    async def _ended(self, attempt: Attempt, result: ToolResult, *, site: StepCall | None = None) -> Outcome:
        """Check the result and commit the attempt; a call by rules may want rows to be found."""
        verdict = self._checked(attempt, result) if result.success else None
        read = site and site.step.call
        if site and verdict is not None and not self._is_proven(site, attempt, result):
            first = next((one.error for one in self.pipeline.failures if one.step_id == site.step.id), "")
            other = message("tells_something_else", error=quoted(first), tool=attempt.tool)
            verdict = Verdict(verified=False, confidence=0.0, issues=[other])
        if read and verdict is not None and is_object(result.result) and is_list(rows := result.result.get("rows")):
            empty = all(is_object(row) and not any(value not in (None, "") for value in row.values()) for row in rows)
            if (read.must_find and not rows) or (rows and empty):
                why = message("nothing_recorded") if rows else message("not_said_there")
                verdict = Verdict(verified=False, confidence=0.0, issues=[why])
        if verdict is not None and not verdict.verified:
            error = joined(*verdict.issues, by="; ")
            result = result.model_copy(update={"success": False, "error": error, "error_type": "wrong_result"})
        return from_attempt(await self.pipeline.end(attempt, result), result, verdict)

    def _is_proven(self, site: StepCall, attempt: Attempt, result: ToolResult) -> bool:
        """Whether what a tool on trial gave is what its step is after."""
        on_trial = any(one.on_trial and one.tool == attempt.tool for one in site.assignment.candidates[:1])
        spec = self.scope.spec(attempt.tool, attempt.action) if on_trial else None
        return spec is None or tells(spec, site.step.description, attempt.arguments, result.result)

    def _checked(self, attempt: Attempt, result: ToolResult) -> Verdict:
        """The cheap checks; what several tools gave together has the promised shape of none of them."""
        tool = result.meta.tool or attempt.tool
        spec = None if result.meta.synthesised else self.scope.spec(tool, attempt.action)
        return check(result.result, spec, attempt.arguments)

    def _why_ask(self, site: StepCall, call: Call, attempt: Attempt, approval: Approval | None) -> Why | None:
        """Why a person has to be asked about this call; None where nobody has to, or somebody has said yes to it."""
        if call.spec is None:
            return None
        same = [one for one in self.pipeline.attempts if one.signature == attempt.signature]
        why: Why | None = None
        if any(may_have_happened(one) for one in [*site.earlier, *same]):
            why = "may_have_happened"
        elif call.spec.writes and any(one.state == "finished" for one in same):
            why = "already_done"
        elif call.spec.asks_first and not self.scope.options.auto_approve:
            why = "writes" if call.spec.writes else "asks"
        if why is not None and approval is not None and approval.covers(why, attempt.signature):
            why = None
        lost = self.scope.secrets.lost(call.arguments)
        return "secret_lost" if lost and why != "may_have_happened" else why

    async def _asked(self, site: StepCall, call: Call, attempt: Attempt, why: Why) -> Outcome:
        """A call that waits for a person, with what it would do; a failure where it could not run if they approved."""
        if failure := self.pipeline.repeated(attempt.signature):
            return repeating(attempt, failure)
        effects: list[Effect] = []
        try:
            if not self.scope.secrets.lost(call.arguments):  # else the person writes them anew
                request, dispatcher = self._request(call, attempt), self.scope.equipment.hub.dispatcher
                if wrong := dispatcher.check(request):
                    raise BadArguments(wrong)
                effects = await effects_of(dispatcher, request)
        except ToolError as error:
            return never_made(site.step.id, call.tool, attempt.arguments, error.kind, str(error), action=call.action)
        asked = ApprovalRequest(
            step_id=site.key,
            description=site.step.description,
            tool=call.tool,
            action=call.action,
            arguments=self.scope.secrets.hide(call.arguments),
            reason=message(f"ask.{why}").text(self.scope.language),
            why=why,
            signature=attempt.signature,
            attempt=attempt.number,
            effect=effects,
        )
        return Outcome(StepRecord(step_id=site.step.id), request=asked)

    def _attempt(self, site: StepCall, call: Call) -> Attempt:
        # the same for a repetition of the same call after a crash, so that a tool can tell
        item = "" if site.item is None else site.item
        key = f"{self.scope.run_id}:{site.step.id}:{item}:{call.identity.signature}"
        return self.pipeline.attempt(call, site.step.id, site.number, item=site.item, key=key, given=site.given)

    def _request(self, call: Call, attempt: Attempt) -> ToolRequest:
        context = ToolContext(
            workspace=self.scope.equipment.workspace,
            user=self.scope.options.user,
            run_id=self.scope.run_id,
            thread_id=self.scope.thread_id,
            step_id=attempt.step_id,
            idempotency_key=attempt.idempotency_key,
            language=self.scope.language,
            history=self.scope.history,
            network=self.scope.equipment.network,
            # without a model a skill has nothing to work with
            skill_host=SkillHost(self.pipeline) if has_model(self.scope, AGENT) else None,
        )
        return self.pipeline.request(call, context)

    def _emit_running(self, attempt: Attempt) -> None:
        shown = {"id": attempt.step_id, "state": "running", "tool": attempt.tool, "item": attempt.item}
        self.scope.emit("step", {**shown, "attempt": attempt.number, "arguments": attempt.arguments})


def _is_listed(result: Any, text: str, today: date) -> bool:
    """Whether what was reasoned is what a text itself lists, all of it: the files to look at, one by one."""
    named = {str(one.value) for one in find_mentions(text, today) if one.kind in {"path", "url", "quoted", "place"}}
    return is_list(result) and len(result) > 1 and {str(one) for one in result} == named


def _not_done(result: ToolResult) -> list[str]:
    """The tools a skill wanted to call and nobody approved."""
    value: Any = result.result
    if result.meta.source != "skill" or not is_object(value):
        return []
    calls = value.get("not_done", [])
    return list(dict.fromkeys(str(call.get("tool")) for call in calls))


def _refuse_parts(arguments: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    """What a step gave only the first rows of is not written in place of all of them."""
    for one in references(arguments, results):
        given = results.get(one.step)
        if is_object(given) and given.get("truncated") is True:
            raise BadArguments(message("only_a_part", step=one.step, total=given.get("total", "more")))
