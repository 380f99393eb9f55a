"""Objects and lists that stand in a text, as JSON or as Python writes them."""

import ast
import json
from collections.abc import Iterator
from typing import Any

MOST_TRIED = 50
"""Brackets of one text that are looked at: what has more is no sentence."""

_CLOSED_BY = {"{": "}", "[": "]"}


def find_structures(text: str) -> Iterator[tuple[Any, int, int]]:
    """Each object or list with its place, from left to right; those inside another are not told of."""
    end = 0
    for start in [place for place, letter in enumerate(text) if letter in _CLOSED_BY][:MOST_TRIED]:
        opening, closing = text[start], _CLOSED_BY[text[start]]
        closed = [place + 1 for place in range(start, len(text)) if text[place] == closing][:MOST_TRIED]
        for stop in closed if start >= end else ():
            inner = text[start:stop]
            if inner.count(opening) == inner.count(closing) and (value := _read(inner)) is not None:
                end = stop
                yield value, start, end
                break


def _read(text: str) -> Any:
    """The object or list a text is; None where it is none, or has what JSON cannot carry."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
            same = json.loads(json.dumps(value, allow_nan=False)) == value
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if same and isinstance(value, dict | list):
            return value  # pyright: ignore[reportUnknownVariableType]
    return None
