"""The full result of a step, which lives in the journal once; its rows, and the one of them that is meant."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import StepRecord
from switchyard.ledger.plan import Step
from switchyard.tools.core.json_values import is_list, is_mapping

Direction = Literal["most", "least", "position"]


@dataclass(frozen=True, slots=True)
class OneOfSeveral:
    """Which of several rows is meant."""

    direction: Direction
    fields: tuple[str, ...] = ()
    """What may measure it; none: the one number there is."""
    position: int = 0


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


def pick(rows: Sequence[Any], wanted: OneOfSeveral) -> Any:
    """The row that is meant; None where the rows do not say."""
    if wanted.direction == "position":
        inside = -len(rows) <= wanted.position < len(rows)
        return rows[wanted.position] if inside else None
    best = max if wanted.direction == "most" else min
    if rows and all(_is_number(row) for row in rows):
        return best(rows)
    tables = [row for row in rows if is_mapping(row)]
    named = (name for name in wanted.fields if any(_orders(row.get(name)) for row in tables))
    numeric = [name for name in (tables[0] if tables else ()) if all(_is_number(row.get(name)) for row in tables)]
    field = next(named, numeric[0] if len(numeric) == 1 else None)
    known = [row for row in tables if _orders(row.get(field or ""))]
    return best(known, key=lambda row: _key(row[field or ""])) if known else None


def rows_of(result: Any) -> list[Any] | None:
    """The rows of a result: itself, or the one list it has."""
    if is_list(result):
        return result
    if not is_mapping(result):
        return None
    lists = [part for part in result.values() if is_list(part)]
    return lists[0] if len(lists) == 1 else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _orders(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, str) and re.fullmatch(r"[\d:TZ .+-]+", value) is not None)


def _key(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value
