"""The executor: runs the assigned DAG along its critical path.

Every step waits for its own dependencies, then takes a slot; one that fails takes no sibling with it. Steps that need a
person's word are collected while the others finish, and asked for once: by the graph, which keeps what was asked and
what was replied before it runs what was approved.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from langgraph.errors import GraphBubbleUp

from switchyard.agents.execution.approval import Approval
from switchyard.agents.execution.calls import StepCaller
from switchyard.agents.execution.outcomes import Outcome, never_made, together
from switchyard.agents.execution.pipeline import CallPipeline
from switchyard.agents.scope import RunScope
from switchyard.language.messages import message
from switchyard.ledger.attempts import Attempt, Failure, Repeat, failures_of
from switchyard.ledger.context import ContextUpdate, ExecutionContext, Observation, Pattern, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Assignment
from switchyard.ledger.patterns import of_failure, of_success
from switchyard.ledger.plan import Plan, Step
from switchyard.ledger.references import ITEM, references
from switchyard.ledger.results import by_item, items_of, results_by_step
from switchyard.ledger.secrets import plain
from switchyard.toolhub.excerpts import excerpt
from switchyard.tools.core.errors import BadArguments


async def execute(
    scope: RunScope,
    plan: Plan,
    assignments: Mapping[str, Assignment],
    context: ExecutionContext,
    *,
    approvals: Mapping[str, Approval] | None = None,
    again: set[str] | None = None,
) -> "ExecutionRound":
    """Run every step that can run, and say what a person has to be asked before the rest can.

    `approvals` is what a person replied in this round, `again` the failed steps to try again; None means all of them.
    """
    attempts = await scope.equipment.journal.attempts(scope.run_id)
    known = {(failure.signature, failure.at) for failure in context.failures}
    recovered = [one for attempt in attempts for one in failures_of(attempt) if (one.signature, one.at) not in known]
    # calls that an earlier process made and could not count
    made = sum(attempt.tool != NO_TOOL for attempt in attempts)
    scope.meter.added.tool_calls += max(0, made - context.usage.tool_calls)
    failures = [*context.failures, *recovered]
    round_ = ExecutionRound(scope, plan, assignments, context, attempts, failures, approvals or {}, again)
    await round_.run()
    return round_


@dataclass(slots=True)
class ExecutionRound:
    """One pass over the steps that are not over, what it changed, and what it left."""

    scope: RunScope
    plan: Plan
    assignments: Mapping[str, Assignment]
    context: ExecutionContext
    attempts: list[Attempt]
    failures: list[Failure]
    """Those of the context, and after them what it does not know yet."""
    approvals: Mapping[str, Approval]
    again: set[str] | None = None
    """The failed steps to try again; None means all of them."""
    records: dict[str, StepRecord] = field(default_factory=dict[str, StepRecord])
    results: dict[str, Any] = field(default_factory=dict[str, Any])
    observations: list[Observation] = field(default_factory=list[Observation])
    asked: dict[str, Approval] = field(default_factory=dict[str, Approval])
    """By step or item, what waits for a person."""
    waiting: set[str] = field(default_factory=set[str])
    """The steps that wait for a person, or have items that do."""
    repeats: list[Repeat] = field(default_factory=list[Repeat])
    """The calls that were not made, because they had failed before."""
    refused: list[str] = field(default_factory=list[str])
    """Signatures of the calls a person refused."""
    touched: set[str] = field(default_factory=set[str])
    """Steps whose state was set in this round."""
    made_before: dict[str, str] = field(default_factory=dict[str, str])
    """The signatures of earlier attempts, by their key."""

    def __post_init__(self) -> None:
        """Read what earlier rounds found out."""
        self.records = dict(self.context.steps)
        self.made_before = {attempt.key: attempt.signature for attempt in self.attempts}
        self.results = results_by_step(self.records, self.attempts)

    async def run(self) -> None:
        """Run the steps that are not over; each waits for its own dependencies only."""
        caller = StepCaller(
            CallPipeline(self.scope, self.attempts, self.failures),
            self.context.task,
            self.approvals,
            frozenset(self.context.refused),
            asyncio.Semaphore(self.scope.options.max_parallel),
            self.context.patterns,
            anew=self.plan.revision > 1,
        )
        done = {step.id: asyncio.Event() for step in self.plan.steps}
        steps = [step for step in self.plan.steps if self._status(step.id) == "pending" and step.id in self.assignments]
        for step_id in done.keys() - {step.id for step in steps}:
            done[step_id].set()
        try:
            async with asyncio.timeout(max(self.scope.meter.seconds_left(), 0)):
                if len(steps) == 1:
                    await self._when_ready(steps[0], caller, done)
                else:
                    async with asyncio.TaskGroup() as group:
                        for step in steps:
                            group.create_task(self._when_ready(step, caller, done))
        except TimeoutError:
            self.scope.meter.reached_time()
        except BaseExceptionGroup as group:
            # a tool that pauses the graph itself: LangGraph wants its signal bare
            raise next((error for error in group.exceptions if isinstance(error, GraphBubbleUp)), group) from None

    @property
    def learned(self) -> ContextUpdate:
        """What the shared context learns from this round."""
        known = self.context.steps
        made = {attempt.key: attempt.signature for attempt in self.attempts if attempt.key not in self.made_before}
        done = any(
            record.status == "done" and self.context.status(name) != "done" for name, record in self.records.items()
        )
        refused_alone = bool(self.repeats) and not made
        return ContextUpdate(
            steps={step_id: record for step_id, record in self.records.items() if record != known.get(step_id)},
            failures=self.failures[len(self.context.failures) :],
            observations=self.observations,
            repeats=self.repeats,
            patterns=self._patterns(),
            refused=self.refused,
            # what was approved belongs to the round that asked, and a refusal to none
            iterations=0 if self.approvals or refused_alone else 1,
            stalls=0 if self.asked else -1 if done or {*made.values()} - {*self.made_before.values()} else 1,
        )

    def _patterns(self) -> list[Pattern]:
        """What the round taught about tools."""
        found = [of_failure(failure) for failure in self.failures[len(self.context.failures) :]]
        for step_id in self.touched:
            record, before = self.records[step_id], [one for one in self.failures if one.step_id == step_id]
            if record.status == "done" and record.items is None:
                found += of_success(before, record.tool or NO_TOOL, record.arguments)
        return found

    @property
    def left(self) -> list[str]:
        """The steps to go on with when the person has replied; what failed in this round is not among them."""
        tried = self.touched - self.waiting
        return [s.id for s in self.plan.steps if s.id not in tried and (self.again is None or s.id in self.again)]

    async def _when_ready(self, step: Step, caller: StepCaller, done: Mapping[str, asyncio.Event]) -> None:
        try:
            for dependency in step.dependencies:
                await done[dependency].wait()
            if self._may_start(step):
                await self._run_step(step, self.assignments[step.id], caller)
        finally:
            done[step.id].set()

    def _may_start(self, step: Step) -> bool:
        states = {self._status(dependency) for dependency in step.dependencies}
        if states & {"failed", "blocked", "refused"}:
            return self._block(step, message("needed_step_failed"))
        if "pending" in states:
            return self._wait(step)
        assignment = self.assignments[step.id]
        spec = self.scope.spec(assignment.tool, assignment.action)
        if spec is None or not spec.writes:
            return True
        # a step that writes builds only on what was verified in full, which is the next node's work
        needed = [self.records[dependency] for dependency in step.dependencies]
        if any(record.checked and record.verdict and not record.verdict.verified for record in needed):
            return self._block(step, message("base_unverified"))
        return all(record.checked for record in needed) or self._wait(step)

    def _wait(self, step: Step) -> bool:
        """Leave a step to a later round; one that was blocked before is so no more."""
        before = self.records.get(step.id)
        if before is not None and before.status == "blocked":
            self.records[step.id] = before.model_copy(update={"status": "pending", "error": None})
        return False

    def _block(self, step: Step, error: str) -> bool:
        before = self.records.get(step.id) or StepRecord(step_id=step.id)
        changed: dict[str, Any] = {"status": "blocked", "error": error, "problem": None, "withheld": []}
        self._set(before.model_copy(update=changed))
        return False

    async def _run_step(self, step: Step, assignment: Assignment, caller: StepCaller) -> None:
        # a step may read what it depends on and what its arguments point at
        readable = {*step.dependencies, *(one.step for one in references(assignment.arguments, self.results))}
        # who reasons reads what there is, and who calls refers to it as it came
        told = by_item(self.plan.steps, self.results) if assignment.tool in {None, NO_TOOL} else self.results
        results = {step_id: value for step_id, value in told.items() if step_id in readable}
        known = self.records[step.id].attempts if step.id in self.records else 0
        if step.for_each is None:
            outcome = await caller.call(step, assignment, results, known_attempts=known)
            return self._keep([outcome], outcome)
        try:
            items = items_of(step.for_each, results)
        except BadArguments as error:
            tool = assignment.tool or NO_TOOL
            outcome = never_made(step.id, tool, {}, "bad_arguments", str(error))  # the arguments are not to blame
            self.failures.extend([outcome.failure] if outcome.failure else [])
            return self._keep([outcome], outcome)
        taken = items[: self.scope.options.max_items]
        calls = [
            partial(caller.call, step, assignment, {**results, ITEM: one}, item=at) for at, one in enumerate(taken)
        ]
        outcomes = await asyncio.gather(*(_tried(call, known) for call in calls))
        left_out = len(items) - len(taken)
        return self._keep(outcomes, together(step.id, outcomes, plain(assignment.arguments), left_out=left_out))

    def _keep(self, calls: Sequence[Outcome], whole: Outcome) -> None:
        """What became of a step, by what became of its calls; nothing yet where one of them is still to be made."""
        record = whole.record
        for call in calls:
            if call.request is not None:
                self.waiting.add(record.step_id)
                self.asked[call.request.step_id] = Approval(request=call.request)
            if call.repeat is not None:
                self.repeats.append(call.repeat)
            if call.record.status == "refused":
                self.refused.append(call.record.signature)
        if any(call.record.status == "pending" for call in calls):
            return
        before = self.records.get(record.step_id)
        record.attempts = max(record.attempts, before.attempts if before else 0)
        if record.status == "done" or record.items is not None:  # of several items, those that failed are left open
            spec = self.scope.spec(record.tool, record.action)
            record.excerpt = excerpt(whole.value, spec.category if spec else "general")
            self.results[record.step_id] = whole.value
            seen = Observation(step_id=record.step_id, tool=record.tool or "", text=record.excerpt)
            self.observations.append(seen)
        self._set(record)

    def _set(self, record: StepRecord) -> None:
        self.records[record.step_id] = record
        self.touched.add(record.step_id)
        shown = {"state": record.status, "tool": record.tool, "ms": record.ms, "text": record.excerpt}
        self.scope.emit("step", {"id": record.step_id, **shown, "error": record.error})

    def _status(self, step_id: str) -> str:
        record = self.records.get(step_id)
        if record is None:
            return "pending"
        # what failed or was blocked before this round is open again: that is why there is a round
        tried_again = record.status == "failed" and (self.again is None or step_id in self.again)
        opens = step_id not in self.touched and (tried_again or record.status == "blocked")
        return "pending" if opens else record.status


async def _tried(call: Callable[..., Awaitable[Outcome]], known: int) -> Outcome:
    """One item, tried again as a step is: as it was where the failure may pass, else as is known to be better."""
    outcome = await call(known_attempts=known)
    while outcome.record.status == "failed" and outcome.repeat is None and outcome.record.journal_key is not None:
        again = await call(known_attempts=outcome.record.attempts)
        if again.repeat is not None:
            break
        outcome = again
    return outcome
