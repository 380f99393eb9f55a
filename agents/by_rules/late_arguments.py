"""Late arguments without a model: what the step says, and where it speaks of an earlier result, what that is."""

from collections.abc import Mapping
from datetime import date
from typing import Any, cast

from switchyard.agents.by_rules.extraction import Filled, fill
from switchyard.agents.by_rules.fields import kind_of, plain
from switchyard.agents.by_rules.superlatives import FIELD_WORDS, Superlative, find_superlative
from switchyard.language.units import unit_named
from switchyard.ledger.plan import Step
from switchyard.ledger.references import ITEM, as_text
from switchyard.ledger.results import pick, rows_of
from switchyard.tools.core.spec import ToolSpec


def late_arguments(
    step: Step, spec: ToolSpec, results: Mapping[str, Any], question: str = "", today: date | None = None
) -> Filled:
    """The arguments of one step, now that its dependencies are done."""
    capability = spec.capability(None)
    schema = capability.parameters if capability else {}
    needed = [results[ITEM]] if ITEM in results else [results.get(name) for name in step.dependencies]
    numbers = [number_text(one, question) for one in needed]
    told = [number for number in numbers if number is not None]
    earlier = ", ".join(told) if told and len(told) == len(numbers) else None
    filled = fill(schema, step.description, earlier=earlier, today=today, follows=bool(needed))
    result = needed[-1] if needed else None
    if len(filled.missing) != 1 or result is None:
        return filled
    # one value is missing and one result is there: it is the value, or has a field of that name
    name = filled.missing[0]
    field = plain(schema.get("properties", {}).get(name, {}))
    wanted = find_superlative(step.description) or find_superlative(question)
    kind = kind_of(name, field)
    if kind == "number":
        found = number_in(result, f"{step.description} {question}")
        value: Any = found[1] if found else None
    else:
        value = value_for(name, result, wanted, step.description)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and kind == "text" and field.get("type") == "string":
            value = as_text(value)  # a text is written down; an expression would be worked out to itself
    return filled if value is None else Filled({**filled.arguments, name: value}, [])


def value_for(name: str, result: Any, wanted: Superlative | None, said: str = "") -> Any:
    """What a result has for a field: of the row that is meant, where it has rows with that field."""
    rows = [cast("Mapping[str, Any]", row) for row in rows_of(result) or [] if isinstance(row, Mapping)]
    values = [row[name] for row in rows if name in row]
    if values:
        row = pick(rows, wanted) if wanted else None
        same = values[0] if all(value == values[0] for value in values) else None
        return cast("Mapping[str, Any]", row).get(name) if isinstance(row, Mapping) else same
    if not isinstance(result, Mapping):
        return result
    fields = cast("Mapping[str, Any]", result)
    named = [value for field, value in fields.items() if field.replace("_", " ") in said.lower()]
    texts = [value for value in fields.values() if isinstance(value, str)]
    if name in fields or named:
        return fields.get(name, named[0] if named else None)
    if len(texts) == 1 and len(fields) == 1:
        return texts[0]
    number = number_in(result, said)
    return as_text(number[1]) if number else None


def number_text(result: Any, question: str) -> str | None:
    """The number a result is about, with its unit where the result says one: {"distance_km": 27.4} is "27.4 km"."""
    if isinstance(result, list):
        each = [number_text(row, question) for row in cast("list[Any]", result)]
        return ", ".join(number for number in each if number) if each and all(each) else None
    found = number_in(result, question)
    if found is None:
        return None
    name, number = found
    unit = cast("Mapping[str, Any]", result).get("unit") if isinstance(result, Mapping) else None
    last = name.rpartition("_")[2]
    return " ".join([as_text(number), *([str(unit)] if unit else [last] if last != name and unit_named(last) else [])])


def number_in(result: Any, question: str) -> tuple[str, int | float] | None:
    """The number a result is about, with its name: its value, the one the question names, or the only one."""
    if isinstance(result, int | float) and not isinstance(result, bool):
        return "value", result
    rows, wanted = rows_of(result), find_superlative(question)
    if rows and wanted is not None and (row := pick(rows, wanted)) is not None:
        return number_in(row, question)
    if not isinstance(result, Mapping):
        return None
    numbers = {
        name: value
        for name, value in cast("Mapping[str, Any]", result).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    if "value" in numbers:
        return "value", numbers["value"]
    asked = question.lower()
    named = [name for name in numbers if any(w in asked for w in FIELD_WORDS.get(name, (name.replace("_", " "),)))]
    if len(named) > 1 and "count" in named:
        named.remove("count")
    if len(named) == 1:
        return named[0], numbers[named[0]]
    return next(iter(numbers.items())) if len(numbers) == 1 else None
