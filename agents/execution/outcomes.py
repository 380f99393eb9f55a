"""What became of a call, and how a row of the journal turns into it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from switchyard.agents.execution.approval import ApprovalRequest
from switchyard.language.messages import message
from switchyard.ledger.attempts import Attempt, Failure, failures_of
from switchyard.ledger.context import Problem
from switchyard.ledger.decisions import Assignment, Verdict
from switchyard.ledger.plan import Step
from switchyard.ledger.references import references
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.result import ResultMeta, ToolResult


@dataclass(slots=True)
class Outcome:
    """What became of one call."""

    state: Literal["done", "failed", "waiting", "refused", "stopped"]
    """`waiting` for a person; `stopped` by a limit of the run before it began."""
    tool: str | None = None
    source: str = ""
    action: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    signature: str = ""
    result: ToolResult | None = None
    verdict: Verdict | None = None
    failure: Failure | None = None
    request: ApprovalRequest | None = None
    number: int = 0
    journal_key: str | None = None
    problem: Problem | None = None
    withheld: list[str] = field(default_factory=list[str])
    """The tools that would serve it, where they are switched off."""


@dataclass(frozen=True, slots=True)
class StepCall:
    """Where a call belongs: the step, its assignment, the item of a for-each step, and the tries before."""

    step: Step
    assignment: Assignment
    item: int | None
    earlier: list[Attempt]

    @property
    def number(self) -> int:
        """The number of the next attempt."""
        return max((attempt.number for attempt in self.earlier), default=0) + 1

    @property
    def key(self) -> str:
        """How a person's reply names it."""
        return self.step.id if self.item is None else f"{self.step.id}[{self.item}]"

    def idempotency_key(self, run_id: str, signature: str) -> str:
        """The same for a repetition of the same call after a crash, so that a tool can tell."""
        return f"{run_id}:{self.step.id}:{'' if self.item is None else self.item}:{signature}"

    def ended_after(self, known_attempts: int) -> Attempt | None:
        """The last attempt, if it ended but never reached the context: the run was stopped in between."""
        last = max(self.earlier, key=lambda attempt: attempt.number, default=None)
        if last is None or last.state == "started" or last.result is None or last.number <= known_attempts:
            return None
        return last


def from_attempt(attempt: Attempt, verdict: Verdict | None) -> Outcome:
    """The outcome of an attempt that ended."""
    failed = attempt.state == "failed"
    return Outcome(
        state="failed" if failed else "done",
        tool=(attempt.result.meta.tool if attempt.result else None) or attempt.tool,  # or what stood in for it
        source=attempt.source,
        action=attempt.action,
        arguments=attempt.arguments,
        signature=attempt.signature,
        result=attempt.result,
        verdict=verdict,
        failure=failures_of(attempt)[-1] if failed else None,
        number=attempt.number,
        journal_key=attempt.key,
    )


def never_made(
    step: Step, tool: str, arguments: dict[str, Any], kind: FailureKind, error: str, *, action: str | None = None
) -> Outcome:
    """The outcome of a call that could not be made at all."""
    failure = Failure(
        step_id=step.id,
        tool=tool,
        action=action,
        arguments=arguments,
        kind=kind,
        error=error,
        at=time.time(),
    )
    result = ToolResult.failed(error, kind)
    return Outcome("failed", tool, action=action, arguments=arguments, failure=failure, result=result)


def together(outcomes: Sequence[Outcome], arguments: dict[str, Any], *, left_out: int) -> Outcome:
    """The outcomes of a for-each step as one: done when any item is, with what is missing said.

    Args:
        outcomes: what became of its items.
        arguments: of the step: those of no single call.
        left_out: items that were too many.
    """
    refused = sum(outcome.state == "refused" for outcome in outcomes)
    done = sum(outcome.state == "done" for outcome in outcomes)
    failures = len(outcomes) - done - refused
    issues: list[str] = [message("items_failed", failed=failures, all=len(outcomes))] if failures else []
    issues += [message("items_refused", refused=refused, all=len(outcomes))] if refused else []
    issues += [message("items_left_out", count=left_out)] if left_out else []
    failed = next((outcome for outcome in outcomes if outcome.failure), Outcome("failed"))
    confidence = min((one.verdict.confidence if one.verdict else 0.0 for one in outcomes), default=1.0)
    last = outcomes[-1] if outcomes else Outcome("done")
    return Outcome(
        state="done" if done or not outcomes else "failed" if failures else "refused",
        tool=last.tool,
        source=last.source,
        action=last.action,
        arguments=arguments,
        result=ToolResult(
            success=done > 0 or not outcomes,
            result=[one.result.result if one.state == "done" and one.result else None for one in outcomes],
            error=failed.failure.error if failed.failure else message("refused_by_user") if refused else None,
            error_type=failed.failure.kind if failed.failure else None,
            meta=ResultMeta(ms=sum(outcome.result.meta.ms for outcome in outcomes if outcome.result)),
        ),
        verdict=Verdict(verified=not issues, confidence=confidence, issues=issues),
        number=max((outcome.number for outcome in outcomes), default=0),
        problem=failed.problem,
        withheld=failed.withheld,
    )


def needed_results(assignment: Assignment, step: Step, results: Mapping[str, Any]) -> dict[str, Any]:
    """The results a step may read: those it depends on and those its arguments point at."""
    named = {reference.step for reference in references(assignment.arguments, results)}
    return {step_id: value for step_id, value in results.items() if step_id in named or step_id in step.dependencies}
