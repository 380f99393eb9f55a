"""Small words of our own English sentences: how many of something, and what kind of value one is."""

from typing import Any

from switchyard.language.messages import is_known, message


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 step, 2 steps."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def kind_of_value(value: Any) -> str:
    """What a value is, as people call it: text, a whole number, a list."""
    name = type(value).__name__
    return message(f"value.{name}") if is_known(f"value.{name}") else f"a {name}"
