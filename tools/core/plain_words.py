"""Small words of our own English sentences: how many of something, and what kind of value one is."""

from typing import Any

_KINDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
    "NoneType": "nothing",
}


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 step, 2 steps."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def kind_of_value(value: Any) -> str:
    """What a value is, as people call it: text, a whole number, a list."""
    name = type(value).__name__
    return _KINDS.get(name, f"a {name}")
