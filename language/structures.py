"""Objects and lists that stand in a text, as JSON or as Python writes them."""

import ast
import json
from collections.abc import Iterator
from typing import Any, cast

MOST_TRIED = 50
"""Brackets of one text that are looked at: what has more is no sentence."""

_CLOSED_BY = {"{": "}", "[": "]"}


def find_structures(text: str) -> Iterator[tuple[Any, int, int]]:
    """Each object or list with its place, from left to right; those inside another are not told of."""
    end = 0
    starts = [place for place, letter in enumerate(text) if letter in _CLOSED_BY][:MOST_TRIED]
    for start in starts:
        if start < end:
            continue
        close = _closing(text, start)
        value = None if close is None else _read(text[start:close])
        if close is not None and value is not None:
            end = close
            yield value, start, end


def _closing(text: str, start: int) -> int | None:
    """Where the bracket at `start` is closed; brackets in quotes do not count."""
    wanted: list[str] = []
    quote, place = "", start
    while place < len(text):
        letter = text[place]
        if quote:
            place += letter == "\\"
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in _CLOSED_BY:
            wanted.append(_CLOSED_BY[letter])
        elif letter in "]}":
            if wanted.pop() != letter:
                return None
            if not wanted:
                return place + 1
        place += 1
    return None


def _read(text: str) -> Any:
    """The object or list a text is; None where it is none, or has what JSON cannot carry."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
            same = json.loads(json.dumps(value, allow_nan=False)) == value
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if same and isinstance(value, dict | list):
            return cast("Any", value)
    return None
