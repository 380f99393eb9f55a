"""The full result of a step, which lives in the journal once."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import StepRecord
from switchyard.ledger.plan import Step
from switchyard.tools.core.json_values import is_list, is_mapping


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


def results_by_step(records: Mapping[str, StepRecord], attempts: Sequence[Attempt]) -> dict[str, Any]:
    """What references point at: the result of every finished step, with None for an item that failed."""
    done = {step_id: record for step_id, record in records.items() if record.status == "done"}
    # a step over no items has no attempt to read its empty list from
    results: dict[str, Any] = {key: [] for key, record in done.items() if record.items == 0}
    for attempt in attempts:
        record = done.get(attempt.step_id)
        if record is None or attempt.result is None:
            continue
        value = attempt.result.result if attempt.state == "finished" else None
        if attempt.item is None:
            if attempt.key == record.journal_key:
                results[attempt.step_id] = value
            continue
        values = cast("list[Any]", results.setdefault(attempt.step_id, []))
        values.extend([None] * (attempt.item + 1 - len(values)))
        values[attempt.item] = value if value is not None else values[attempt.item]
    return results


def rows_of(result: Any) -> list[Any] | None:
    """The rows of a result: itself, or the one list it has."""
    if is_list(result):
        return result
    if not is_mapping(result):
        return None
    lists = [part for part in result.values() if is_list(part)]
    return lists[0] if len(lists) == 1 else None
