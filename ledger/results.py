"""The full result of a step, which lives in the journal once."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from switchyard.language.messages import message
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import StepRecord
from switchyard.ledger.plan import ForEach, Step
from switchyard.ledger.references import follow
from switchyard.tools.core.errors import BadArguments
from switchyard.tools.core.json_values import is_list, is_mapping
from switchyard.tools.core.plain_words import kind_of_value


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


def items_of(loop: ForEach, results: Mapping[str, Any]) -> list[Any]:
    """What a for-each step runs over.

    Raises:
        BadArguments: when there is no list there.
    """
    whole = results.get(loop.step)
    # a field that is no list, or not there, can only mean the one list that is
    only = rows_of(whole) if re.fullmatch(r"\.?\w*", loop.path) else None
    try:
        found = follow(whole, loop.path, name=loop.step)
    except BadArguments:
        if only is None:
            raise
        return only
    found = found if is_list(found) else only or found
    if not is_list(found):
        raise BadArguments(message("loop_needs_list", where=f"{loop.step}{loop.path}", what=kind_of_value(found)))
    return found


def by_item(steps: Iterable[Step], results: Mapping[str, Any]) -> dict[str, Any]:
    """The results as they are told: of a for-each step, each beside its item, unless it names that itself."""
    told = dict(results)
    for step in steps:
        values = results.get(step.id)
        if step.for_each is None or not is_list(values):
            continue
        try:
            items = items_of(step.for_each, results)[: len(values)]
        except BadArguments:
            continue
        if len(items) == len(values) and not all(map(_names, values, items)):
            told[step.id] = [{"item": item, "result": value} for item, value in zip(items, values, strict=True)]
    return told


def _names(result: Any, item: Any) -> bool:
    """Whether a result says which item it is of: one of the item's texts is in it."""
    parts: list[Any] = list(item.values()) if is_mapping(item) else [item]
    texts = [part for part in parts if isinstance(part, str)] or [str(part) for part in parts]
    said = json.dumps(result, ensure_ascii=False, default=str)
    return any(text and text in said for text in texts)


def rows_of(result: Any) -> list[Any] | None:
    """The rows of a result: itself, or the one list it has."""
    if is_list(result):
        return result
    if not is_mapping(result):
        return None
    lists = [part for part in result.values() if is_list(part)]
    return lists[0] if len(lists) == 1 else None
