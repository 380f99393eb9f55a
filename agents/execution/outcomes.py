"""What became of a call, and how a row of the journal turns into it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agents.execution.approval import ApprovalRequest
from ledger.attempts import Attempt, Failure, call_signature
from ledger.decisions import Assignment, Verdict
from ledger.plan import Step
from ledger.references import references
from tools.core.errors import FailureKind
from tools.core.result import ToolResult


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


@dataclass(frozen=True, slots=True)
class Site:
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
        tool=served_by(attempt),
        source=attempt.source,
        action=attempt.action,
        arguments=attempt.arguments,
        signature=attempt.signature,
        result=attempt.result,
        verdict=verdict,
        failure=failure_of(attempt) if failed else None,
        number=attempt.number,
        journal_key=attempt.key,
    )


def served_by(attempt: Attempt) -> str:
    """The tool that gave the result: another of the same purpose where the one called was not there."""
    return (attempt.result.meta.tool if attempt.result else None) or attempt.tool


def never_made(step: Step, tool: str, arguments: dict[str, Any], kind: FailureKind, error: str) -> Outcome:
    """The outcome of a call that could not be made at all."""
    failure = Failure(
        step_id=step.id,
        tool=tool,
        arguments=arguments,
        kind=kind,
        error=error,
        signature=call_signature(tool, None, {**arguments, "step": step.id, "error": error}),
        at=time.time(),
    )
    return Outcome("failed", tool, arguments=arguments, failure=failure, result=ToolResult.failed(error, kind))


def failure_of(attempt: Attempt) -> Failure:
    """A failed attempt as the failure the run remembers."""
    result = attempt.result or ToolResult.failed("no result", "crash")
    return Failure(
        step_id=attempt.step_id,
        tool=attempt.tool,
        action=attempt.action,
        arguments=attempt.arguments,
        kind=result.error_type or "crash",
        error=result.error or "no reason was given",
        signature=attempt.signature,
        at=attempt.at,
    )


def needed_results(assignment: Assignment, step: Step, results: Mapping[str, Any]) -> dict[str, Any]:
    """The results a step may read: those it depends on and those its arguments point at."""
    named = {reference.step for reference in references(assignment.arguments, results)}
    return {step_id: value for step_id, value in results.items() if step_id in named or step_id in step.dependencies}
