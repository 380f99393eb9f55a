"""Results as short text, cut where a sentence ends, English or Chinese (R5.5). The full result stays in the journal."""

import json
import re
from typing import Any

LENGTHS = {"calculation": 100, "time": 200, "search": 500, "history": 1000}
"""Characters kept by category; everything else keeps `DEFAULT_LENGTH`."""
DEFAULT_LENGTH = 500

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？；…]|\n")


def excerpt(result: Any, category: str) -> str:
    """The result as text of the length its category allows."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    return cut(text, LENGTHS.get(category, DEFAULT_LENGTH))


def cut(text: str, length: int) -> str:
    """At most `length` characters, ending at a sentence if one ends in the second half."""
    if len(text) <= length:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, length - 1) if match.end() >= length // 2]
    return (text[: ends[-1]].rstrip() if ends else text[: length - 1].rstrip()) + "…"
