"""Late arguments without a model: what the step says, and where it speaks of an earlier result, what that is."""

from collections.abc import Mapping
from typing import Any, cast

from agents.language.extraction import Filled, fill
from ledger.plan import Step
from ledger.references import as_text
from tools.core.spec import ToolSpec

FIELD_WORDS: dict[str, tuple[str, ...]] = {
    "lines": ("line", "行"),
    "words": ("word", "词", "字数", "多少字"),
    "characters": ("character", "字符"),
    "count": ("how many", "number of", "多少", "几"),
    "days": ("day", "天", "日"),
    "business_days": ("business day", "工作日"),
    "price": ("price", "价"),
    "size": ("size", "大小"),
}
"""How people call the numbers that results often have."""


def late_arguments(step: Step, spec: ToolSpec, results: Mapping[str, Any], question: str = "") -> Filled:
    """The arguments of one step, now that its dependencies are done."""
    capability = spec.capability(None)
    schema = capability.parameters if capability else {}
    result = results.get(step.dependencies[-1]) if step.dependencies else None
    number = number_in(result, question)
    filled = fill(schema, step.description, earlier=None if number is None else as_text(number))
    if len(filled.missing) != 1 or not step.dependencies:
        return filled
    # one value is missing and one result is there: it is the value, or has a field of that name
    name = filled.missing[0]
    value = cast("Mapping[str, Any]", result).get(name) if isinstance(result, Mapping) else result
    return filled if value is None else Filled({**filled.arguments, name: value}, [])


def number_in(result: Any, question: str) -> int | float | None:
    """The number a result is about: its value, the one the question names, or the only one."""
    if isinstance(result, int | float) and not isinstance(result, bool):
        return result
    if not isinstance(result, Mapping):
        return None
    numbers = {
        name: value
        for name, value in cast("Mapping[str, Any]", result).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    if "value" in numbers:
        return numbers["value"]
    asked = question.lower()
    named = [name for name in numbers if any(w in asked for w in FIELD_WORDS.get(name, (name.replace("_", " "),)))]
    if len(named) > 1 and "count" in named:
        named.remove("count")
    if len(named) == 1:
        return numbers[named[0]]
    return next(iter(numbers.values())) if len(numbers) == 1 else None
