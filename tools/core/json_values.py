"""What a JSON value is, for code and type checker alike: `isinstance` does not say what is inside."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

no_items: Callable[[], list[Any]] = list
no_fields: Callable[[], dict[str, Any]] = dict
"""What the fields of models begin with that are made by the dozen for each question: `list[X]()` takes ten times as
long as `list()`."""


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether it is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether it is a list."""
    return isinstance(value, list)


def json_in(text: str) -> Any:
    """The object or list that a text is; None where it is none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def with_texts(value: Any, change: Callable[[str], Any]) -> Any:
    """A JSON value with every text in it changed, but for names."""
    if isinstance(value, str):
        return change(value)
    if is_mapping(value):
        return {name: with_texts(part, change) for name, part in value.items()}
    return [with_texts(part, change) for part in value] if is_list(value) else value


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether it has fields, whatever class it is of."""
    return isinstance(value, Mapping)
