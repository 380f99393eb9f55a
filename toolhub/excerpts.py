"""Results as short text, cut where a sentence ends, English or Chinese (R5.5). The full result stays in the journal."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

LENGTHS = {"calculation": 100, "time": 200, "search": 500, "history": 1000}
"""Characters kept by category; everything else keeps `DEFAULT_LENGTH`."""
DEFAULT_LENGTH = 500
SEARCH_RESULTS = 3
"""Results of a search that are shown."""

_SENTENCE_END = re.compile(
    r"(?<!\b[A-Z])(?<!\b(?:Mr|Ms|Dr|St|No|vs|al))(?<!\b(?:Mrs|e\.g|i\.e|etc|Fig))(?<!\bProf)\.[\"')\]]*(?=\s)"
    r"|[!?][\"')\]]*(?=\s)"
    r"|[。！？；…]+[”’」』）]*"
    r"|\n"
)


def excerpt(result: Any, category: str) -> str:
    """The result as text of the length its category allows; of a search, the first results."""
    shown = _first(result) if category == "search" else result
    return cut(as_text(shown), LENGTHS.get(category, DEFAULT_LENGTH))


def as_text(result: Any) -> str:
    """A result as people and models read it."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)


def cut(text: str, length: int) -> str:
    """At most `length` characters, ending at a sentence if one ends in the second half."""
    if len(text) <= length:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, length - 1) if match.end() >= length // 2]
    return (text[: ends[-1]].rstrip() if ends else text[: length - 1].rstrip()) + "…"


def _first(result: Any) -> Any:
    """A search's result with the first few of what it lists."""
    if isinstance(result, list):
        return cast("list[Any]", result)[:SEARCH_RESULTS]
    if isinstance(result, Mapping):
        fields = cast("Mapping[str, Any]", result)
        return {name: _first(value) if isinstance(value, list) else value for name, value in fields.items()}
    return result
