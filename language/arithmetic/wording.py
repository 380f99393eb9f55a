"""How what was computed is written: the digits of its value that mean something, its unit."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from switchyard.language.arithmetic.operations import Amount, Number, clean, factors, misread, rounded, whole
from switchyard.language.messages import message
from switchyard.language.numbers import written
from switchyard.language.units import Unit

PER_CENT = Unit("%", "percent", Fraction(1), "%")
"""The unit of an answer that was asked for in percent."""

_PLACES, _DIGITS = 10, 15
_SMALL = Fraction(1, 10**6)
_BASES = {"hexadecimal": "#x", "binary": "#b"}


def styled(outcome: Amount, style: str) -> Any:
    """What an answer of a style is: 0xff, prime factors, yes or no; None where it is a number.

    Raises:
        Unreadable: the number has none.
    """
    if style == "truth":
        return outcome.value == 1
    if style in {"prime", "factors"}:
        found = factors(outcome.value)
        return len(found) == 1 if style == "prime" else list(found)
    if style not in _BASES:
        return None
    if outcome.unit:
        raise misread(message("unit_with_number"))
    return format(whole(outcome.value), _BASES[style])


def sentence(shown: str, outcome: Amount, style: str, *, chinese: bool) -> str:
    """What was computed, and what it comes to."""
    if style == "truth":
        answer = ("是" if chinese else "yes") if styled(outcome, style) else ("否" if chinese else "no")
        return f"{shown}{'：' if chinese else ': '}{answer}"
    if style in {"prime", "factors"}:
        product = " × ".join(str(factor) for factor in factors(outcome.value))
        if style == "factors":
            return f"{shown} 的质因数 = {product}" if chinese else f"prime factors of {shown} = {product}"
        if styled(outcome, style):
            return f"{product} 是质数" if chinese else f"{product} is a prime number"
        return f"{shown} 不是质数：{product}" if chinese else f"{shown} is not a prime number: {product}"
    digits, exact = (styled(outcome, style), True) if style else _outcome_shown(outcome, chinese=chinese)
    return f"{shown} {'=' if exact else '≈'} {digits}"


def shown_list(values: Sequence[str], *, chinese: bool) -> str:
    """3, 5 and 8; 3、5、8."""
    return "、".join(values) if chinese else f"{', '.join(values[:-1])} and {values[-1]}"


def _number_shown(value: Number, *, measured: bool, money: bool) -> tuple[str, bool]:
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


def _outcome_shown(outcome: Amount, *, chinese: bool) -> tuple[str, bool]:
    """A value with its unit, and whether it is exact."""
    unit = outcome.unit
    money = unit is not None and unit.kind.startswith("currency")
    digits, exact = _number_shown(outcome.value, measured=unit is not None and not money, money=money)
    if unit is None:
        return digits, exact
    name = unit.name(chinese=chinese)
    if money and not name[0].isalpha():
        return f"{'-' if digits.startswith('-') else ''}{name}{digits.lstrip('-')}", exact
    return (f"{digits}{name}" if name in {"%", "°"} else f"{digits} {name}"), exact
