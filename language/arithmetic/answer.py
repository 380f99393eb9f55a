"""How the outcome of a sum is written, in both languages."""

import math
from fractions import Fraction
from typing import Any

from switchyard.language.arithmetic.operations import Amount, Number, clean, factors, misread, rounded, whole
from switchyard.language.arithmetic.reading import Arithmetic
from switchyard.language.messages import message
from switchyard.language.numbers import written

_PLACES, _DIGITS = 10, 15
_SMALL = Fraction(1, 10**6)
_BASES = {"hexadecimal": "#x", "binary": "#b"}
_PRIME = ("{1} is a prime number", "{1} 是质数")
_FACTORS = {
    "factors": ("prime factors of {0} = {1}", "{0} 的质因数 = {1}"),
    "prime": ("{0} is not a prime number: {1}", "{0} 不是质数：{1}"),
}


def answer(found: Arithmetic) -> tuple[Any, str]:
    """The value, where the answer is no number but 0xff or prime factors, and the sentence that says it.

    Raises:
        Unreadable: the number has no such form.
    """
    outcome, chinese = found.outcome, found.chinese
    if told := _FACTORS.get(found.style):
        parts = factors(outcome.value)
        is_prime = found.style == "prime" and len(parts) == 1
        form = (_PRIME if is_prime else told)[chinese]
        value = is_prime if found.style == "prime" else list(parts)
        return value, form.format(found.shown, " × ".join(map(str, parts)))
    if base := _BASES.get(found.style):
        if outcome.unit:
            raise misread(message("unit_with_number"))
        digits = format(whole(outcome.value), base)
        return digits, f"{found.shown} = {digits}"
    digits, exact = _written(outcome, chinese=chinese)
    return None, f"{found.shown} {'=' if exact else '≈'} {digits}"


def _written(outcome: Amount, *, chinese: bool) -> tuple[str, bool]:
    """A value with its unit, and whether it is exact."""
    unit = outcome.unit
    digits, exact = _digits(outcome.value, measured=unit is not None, money=unit is not None and unit.is_money)
    if unit is None:
        return digits, exact
    name = unit.name(chinese=chinese)
    if unit.is_money and not name[0].isalpha():
        return f"{'-' if digits.startswith('-') else ''}{name}{digits.lstrip('-')}", exact
    return (f"{digits}{name}" if name in {"%", "°"} else f"{digits} {name}"), exact


def _digits(value: Number, *, measured: bool, money: bool) -> tuple[str, bool]:
    """The digits of a value that mean something, and whether they are all of it."""
    exact = clean(value)
    if exact.denominator == 1:
        return str(exact.numerator), True
    if money:
        cents = rounded(exact, Fraction(2))
        return f"{float(cents):.2f}", cents == exact
    full = written(exact)
    places = len(full.partition(".")[2])
    if "⁄" not in full and places <= (5 if measured else _PLACES) and len(full) <= _DIGITS + 2:
        return full, not isinstance(value, float)
    if abs(exact) < _SMALL:
        return f"{float(exact):.6g}", False
    first = math.floor(math.log10(abs(float(exact)))) + 1
    kept = max(2, 4 - first) if measured else min(max(6, 6 - first), max(0, _DIGITS - first))
    near = rounded(exact, Fraction(kept))
    return written(near), near == exact
