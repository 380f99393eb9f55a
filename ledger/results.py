"""The full result of a step, which lives in the journal once."""

from collections.abc import Sequence
from typing import Any

from ledger.attempts import Attempt
from ledger.context import StepRecord
from ledger.plan import Step


def finished_attempts(step: Step, record: StepRecord, attempts: Sequence[Attempt]) -> list[Attempt]:
    """The attempts a finished step's result is made of: one, or one for each item that succeeded."""
    own = [a for a in attempts if a.step_id == step.id and a.state == "finished" and a.result is not None]
    if step.for_each is not None:
        return sorted(own, key=lambda attempt: attempt.item or 0)
    return [attempt for attempt in own if attempt.key == record.journal_key][:1]


def full_result(step: Step, record: StepRecord, attempts: Sequence[Attempt]) -> Any:
    """What a finished step gave: a value, or for a for-each step the list of what its items gave."""
    values = [a.result.result for a in finished_attempts(step, record, attempts) if a.result is not None]
    return values if step.for_each is not None else next(iter(values), None)
