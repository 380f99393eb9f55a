"""What became of a call, or of all calls of a for-each step: the record of its step, and what is not kept there."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from switchyard.agents.execution.approval import ApprovalRequest
from switchyard.language.messages import Message, message, quoted
from switchyard.ledger.attempts import Attempt, Failure, Repeat
from switchyard.ledger.context import StepRecord
from switchyard.ledger.decisions import Verdict
from switchyard.ledger.guard import refusal
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.result import ToolResult

ITEMS_NAMED = 10
"""Items that failed and are told one by one."""
ITEM_LENGTH = 80


@dataclass(slots=True)
class Outcome:
    """What became of one call."""

    record: StepRecord
    """Where it leaves its step: `pending` if it waits for a person, or was stopped by a limit before it began."""
    value: Any = None
    """The full result."""
    failure: Failure | None = None
    """Why it could not be made; what was made and failed is in the journal."""
    repeat: Repeat | None = None
    """It was not made, because it would only have repeated that failure."""
    request: ApprovalRequest | None = None
    """What a person is asked."""


def record_of(attempt: Attempt, **more: Any) -> StepRecord:
    """The record of a step by the call that was made for it, or was to be."""
    call = {name: getattr(attempt, name) for name in ("step_id", "tool", "source", "action", "arguments", "signature")}
    return StepRecord.model_validate({**call, **more})


def from_attempt(attempt: Attempt, result: ToolResult, verdict: Verdict | None) -> Outcome:
    """The outcome of an attempt that ended."""
    record = record_of(
        attempt,
        status="failed" if attempt.state == "failed" else "done",
        tool=result.meta.tool or attempt.tool,  # what stood in for it, or itself
        attempts=attempt.number,
        journal_key=attempt.key,
        error=result.error,
        error_type=result.error_type,
        verdict=verdict,
        ms=result.meta.ms,
    )
    return Outcome(record, result.result)


def never_made(
    step_id: str,
    tool: str,
    arguments: dict[str, Any],
    kind: FailureKind,
    error: str,
    *,
    action: str | None = None,
    **more: Any,
) -> Outcome:
    """The outcome of a call that could not be made at all, with more that its record says."""
    call: dict[str, Any] = {"step_id": step_id, "tool": tool, "action": action, "arguments": arguments}
    record = StepRecord(**call, status="failed", error=error, error_type=kind, **more)
    return Outcome(record, failure=Failure(**call, kind=kind, error=error, at=time.time()))


def repeating(attempt: Attempt, failure: Failure) -> Outcome:
    """The outcome of a call that is not made, because it failed before: its step has failed as that call did."""
    record = record_of(attempt, status="failed", error=failure.error, error_type=failure.kind)
    call = attempt.model_dump(include=set(Repeat.model_fields))
    return Outcome(record, repeat=Repeat.model_validate({**call, "reason": refusal(failure)}))


def _lost(record: StepRecord) -> Message:
    """An item that failed, by what its call was about, and why."""
    about = next(
        (value for value in record.arguments.values() if isinstance(value, str | int | float)), record.tool or ""
    )
    return message("item_lost", item=str(about)[:ITEM_LENGTH], why=quoted(record.error or ""))


def together(step_id: str, outcomes: Sequence[Outcome], arguments: dict[str, Any], *, left_out: int) -> Outcome:
    """The outcomes of a for-each step as one: done when any item is, with what is missing said.

    The arguments are those of the step, and of no single call; `left_out` items were too many.
    """
    records = [outcome.record for outcome in outcomes]
    refused = sum(record.status == "refused" for record in records)
    done = sum(record.status == "done" for record in records)
    failures = len(records) - done - refused
    lost = [_lost(record) for record in records if record.status == "failed"]
    issues: list[str] = (
        [message("items_failed", failed=failures, all=len(records), items=lost[:ITEMS_NAMED])] if lost else []
    )
    issues += [message("items_refused", refused=refused, all=len(records))] if refused else []
    issues += [message("items_left_out", count=left_out)] if left_out else []
    first_failed = next((record for record in records if record.status == "failed"), StepRecord(step_id=step_id))
    confidence = min((one.verdict.confidence if one.verdict else 0.0 for one in records), default=1.0)
    last = records[-1] if records else StepRecord(step_id=step_id)
    record = StepRecord(
        step_id=step_id,
        status="done" if done or not records else "failed" if failures else "refused",
        tool=last.tool,
        source=last.source,
        action=last.action,
        arguments=arguments,
        attempts=max((one.attempts for one in records), default=0),
        items=len(records),
        error=first_failed.error or (message("refused_by_user") if refused else None),
        error_type=first_failed.error_type,
        problem=first_failed.problem,
        withheld=first_failed.withheld,
        verdict=Verdict(verified=not issues, confidence=confidence, issues=issues),
        ms=sum(one.ms for one in records),
    )
    return Outcome(record, [one.value if one.record.status == "done" else None for one in outcomes])
