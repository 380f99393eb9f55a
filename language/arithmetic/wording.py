"""How what was computed is written: its formula, the digits of its value that mean something, its unit."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from switchyard.language.arithmetic.operations import Amount, Number, clean, factors, rounded
from switchyard.language.errors import Impossible
from switchyard.language.messages import message
from switchyard.language.numbers import written
from switchyard.language.tables import rows
from switchyard.language.units import Unit

PER_CENT = Unit("%", "percent", Fraction(1), "%")
"""The unit of an answer that was asked for in percent."""

_PLACES, _DIGITS = 10, 15
_SMALL = Fraction(1, 10**6)
_BASES = {"hexadecimal": "#x", "binary": "#b", "octal": "#o"}
_CALL = re.compile(r"(\w+)\(([^()]*,[^()]*)\)")


def styled(outcome: Amount, style: str) -> Any:
    """What an answer of a style is: 0xff, whether a number is prime, its prime factors; None where it is a number.

    Raises:
        Impossible: the number has none.
    """
    if style == "truth":
        return outcome.value == 1
    if style in {"prime", "factors"}:
        found = factors(outcome.value)
        return len(found) == 1 if style == "prime" else list(found)
    if style not in _BASES:
        return None
    value = clean(outcome.value)
    if value.denominator != 1 or outcome.unit:
        raise Impossible(message("whole_in_base"))
    return format(int(value), _BASES[style])


def sentence(shown: str, outcome: Amount, style: str, *, chinese: bool) -> str:
    """What was computed, and what it comes to."""
    if style == "truth":
        return (
            f"{shown}：{'是' if outcome.value else '否'}" if chinese else f"{shown}: {'yes' if outcome.value else 'no'}"
        )
    if style in {"prime", "factors"}:
        product = " × ".join(str(factor) for factor in factors(outcome.value))
        if style == "factors":
            return f"{shown} 的质因数 = {product}" if chinese else f"prime factors of {shown} = {product}"
        if product == str(outcome.value):
            return f"{product} 是质数" if chinese else f"{product} is a prime number"
        return f"{shown} 不是质数：{product}" if chinese else f"{shown} is not a prime number: {product}"
    digits, exact = styled(outcome, style), True
    if digits is None:
        digits, exact = _outcome_shown(outcome, style, chinese=chinese)
    return f"{shown} {'=' if exact else '≈'} {digits}"


def shown_formula(text: str, *, chinese: bool) -> str:
    """A formula as people write it: `average of 3, 5 and 8`, 3、5、8的平均数, `(120 - 80) ÷ 80`."""
    text = text.replace(" * ", " × ").replace(" / ", " ÷ ")
    if remainder := re.fullmatch(r"(\S+) mod (\S+)", text):
        return ("{} ÷ {} 的余数" if chinese else "remainder of {} ÷ {}").format(*remainder.groups())
    call = _CALL.fullmatch(text)
    if call is None or call[1] not in _names():
        return text
    values, name = [value.strip() for value in call[2].split(",")], _names()[call[1]][chinese]
    return (
        f"{shown_list(values, chinese=True)}的{name}" if chinese else f"{name} of {shown_list(values, chinese=False)}"
    )


def shown_list(values: Sequence[str], *, chinese: bool) -> str:
    """3, 5 and 8; 3、5、8."""
    return "、".join(values) if chinese else f"{', '.join(values[:-1])} and {values[-1]}"


def list_name(said: str, *, chinese: bool) -> str:
    """What an answer calls the function of a list that was named so."""
    return next(row[2 + chinese].partition("|")[0] for row in _lists() if said.lower() in "|".join(row[2:]).split("|"))


@cache
def _names() -> dict[str, tuple[str, str]]:
    """What the functions of a list are called in an answer, in English and Chinese."""
    both = {row[1]: (row[2].partition("|")[0], row[3].partition("|")[0]) for row in _lists()}
    return both | {"distance": both["difference"]}


def _lists() -> list[tuple[str, ...]]:
    return [row for row in rows("functions") if row[0] == "list" and len(row) > 3]  # noqa: PLR2004 - with both names


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


def _outcome_shown(outcome: Amount, style: str, *, chinese: bool) -> tuple[str, bool]:
    """A value with its unit, and whether it is exact."""
    unit = outcome.unit
    money = unit is not None and unit.kind.startswith("currency")
    digits, exact = _number_shown(outcome.value, measured=unit is not None and not money, money=money)
    if unit is None:
        if style == "fraction":
            fraction = clean(outcome.value)
            return f"{fraction.numerator}/{fraction.denominator}", not isinstance(outcome.value, float)
        return digits, exact
    name = unit.name(chinese=chinese)
    if money and not name[0].isalpha():
        return f"{'-' if digits.startswith('-') else ''}{name}{digits.lstrip('-')}", exact
    return (f"{digits}{name}" if name in {"%", "°"} else f"{digits} {name}"), exact
