"""Checks without a model: what is empty, what looks like an error, numbers, times, the declared shape (R6.1)."""

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, cast

from switchyard.language.messages import Message, message
from switchyard.language.tokeniser import tokens
from switchyard.ledger.decisions import Verdict
from switchyard.tools.core.plain_words import kind_of_value
from switchyard.tools.core.spec import ToolSpec

_ERROR_LIKE = re.compile(
    r"^\s*(?:traceback \(most recent|\w*(?:error|exception)\s*(?:[:：]|\d|in\b|$)|fatal\s*[:：]"
    r"|(?:错误|异常|失败|出错)(?:\s*[:：]|\S{0,4}\s*$))",
    re.IGNORECASE,
)
"""Not every text that begins with the word: "Error handling in Python" is an answer."""
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
}
_PYTHON = {"object": "dict", "array": "list", "string": "str", "number": "float", "integer": "int", "boolean": "bool"}
SAME_PURPOSE = 0.6
"""Jaccard of two steps' wordings from which on they are after the same thing."""
DISAGREE = 0.2
"""Jaccard of two results below which they disagree."""


def check(result: Any, spec: ToolSpec | None) -> Verdict:
    """Whether a result can be believed at all. An empty list is a result; so is a zero."""
    if result is None or result == "":
        return Verdict(verified=True, confidence=0.5, issues=[message("nothing_came_back")])
    problem = _not_a_number(result) or _error_like(result)
    if problem is None and spec is not None:
        problem = (_bad_time(result) if spec.category == "time" else None) or _wrong_shape(result, spec.returns_schema)
    if problem is not None:
        return Verdict(verified=False, confidence=0.0, issues=[problem])
    return Verdict(verified=True, confidence=0.9)


def disagreement(wording: str, excerpt: str, other_wording: str, other_excerpt: str) -> bool:
    """Whether two steps that were after the same thing found different things. Advice, not a verdict."""
    if _jaccard(wording, other_wording) < SAME_PURPOSE:
        return False
    return _jaccard(excerpt, other_excerpt) < DISAGREE


def _jaccard(left: str, right: str) -> float:
    a, b = set(tokens(left)), set(tokens(right))
    return len(a & b) / len(a | b) if a | b else 1.0


def _not_a_number(value: Any) -> Message | None:
    if isinstance(value, float) and not math.isfinite(value):
        return message("no_number_to_answer", number=value)
    if isinstance(value, Mapping):
        value = list(cast("Mapping[str, Any]", value).values())
    if isinstance(value, list):
        return next((problem for part in cast("list[Any]", value) if (problem := _not_a_number(part))), None)
    return None


def _error_like(value: Any) -> Message | None:
    if isinstance(value, str) and _ERROR_LIKE.search(value):
        return message("reads_like_error", text=value.strip()[:80])
    if isinstance(value, Mapping):
        error = cast("Mapping[str, Any]", value).get("error")
        return message("carries_error", text=str(error)[:80]) if error else None
    return None


def _bad_time(value: Any) -> Message | None:
    if not isinstance(value, Mapping):
        return None
    fields = cast("Mapping[str, Any]", value)
    for name, read in (("time", datetime.fromisoformat), ("date", date.fromisoformat)):
        text = fields.get(name)
        if isinstance(text, str):
            try:
                read(text)
            except ValueError:
                return message("is_not_a", text=text, what=message(f"moment.{name}"))
    return None


def _is_a(value: Any, wanted: str) -> bool:
    """Whether a value is of a JSON type: true is no number, and 3.0 is an integer."""
    if isinstance(value, bool):
        return wanted == "boolean"
    if isinstance(value, float) and wanted == "integer":
        return value.is_integer()
    return isinstance(value, _TYPES[wanted])


def _wrong_shape(value: Any, schema: Mapping[str, Any] | None) -> Message | None:
    if not schema:
        return None
    wanted = schema.get("type")
    if isinstance(wanted, str) and wanted in _TYPES and not _is_a(value, wanted):
        promised = message(f"value.{_PYTHON[wanted]}")
        return message("promised_otherwise", what=promised, found=kind_of_value(value))
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        missing = [name for name in cast("list[str]", schema.get("required", [])) if name not in fields]
        if missing:
            return message("promised_fields_missing", fields=missing)
        properties = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties", {}))
        for name, field in properties.items():
            if fields.get(name) is not None and (problem := _wrong_shape(fields[name], field)):
                return message("in_field", name=name, problem=problem)
    return None
