"""Small words of our own sentences: how many of something, what kind of value one is, what somebody may have meant."""

from collections.abc import Iterable
from typing import Any

from switchyard.language.messages import is_known, message


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 step, 2 steps."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def nearest(name: str, choices: Iterable[str], *, likeness: float, most: int = 1) -> list[str]:
    """The choices that look most like a name that is none of them, the best first."""
    from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

    return [found for found, _, _ in process.extract(name, list(choices), limit=most, score_cutoff=likeness)]


def kind_of_value(value: Any) -> str:
    """What a value is, as people call it: text, a whole number, a list."""
    name = type(value).__name__
    return message(f"value.{name}") if is_known(f"value.{name}") else f"a {name}"
