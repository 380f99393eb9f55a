"""What arithmetic comes to, with the unit of its answer, and how both are written.

Amounts of one kind are brought to one unit before they are computed. Whether the answer has that unit is found by
trying: when all of them are seven times as large, so is a length, a ratio stays as it is, and anything else was no
sensible question.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from switchyard.language.arithmetic.amounts import ANY, Amount
from switchyard.language.arithmetic.expression import Expression
from switchyard.language.arithmetic.functions import Value, evaluate
from switchyard.language.arithmetic.operations import Number, clean, misread, refused, rounded
from switchyard.language.messages import message
from switchyard.language.numbers import written
from switchyard.language.tables import rows
from switchyard.language.units import Unit

_SCALES = (Fraction(7), Fraction(1, 7))
_NEAR = 1e-9
_ROUNDING = re.compile(r"(?:round|floor|ceil|significant|to_multiple)\((.+?)(?:,n?[0-9]+)?\)")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A value and what it counts."""

    value: Value
    unit: str = ""
    """The symbol of a unit or a currency, `%`, 折, or nothing."""
    measure: Unit | None = None
    kind: str = ""
    """`prime` where it is asked whether a number is one, `factors` where those are: both have its factors as value."""


def worked_out(expression: Expression, unit: str = "") -> Outcome:
    """The value of an expression in its unit; `unit` is that of a sentence that asks for percent.

    Raises:
        Unreadable: it has no value, or mixes what does not go together.
    """
    if "deg(" in expression.source and not re.search(r"(?:sin|cos|tan)\(", expression.source):
        raise misread(message("degrees_only_angles"))
    counted = {name: amount for name, amount in expression.numbers.items() if amount.unit or amount.currency}
    values = _in_one_unit(expression.numbers, counted)
    value = evaluate(expression.source, values)
    if isinstance(value, tuple):
        if not expression.source.startswith(("prime(", "factors(")) or counted:
            raise misread(message("several_values"))
        return Outcome(value, kind=expression.source.partition("(")[0])
    first = next(iter(counted.values()), None)
    if first is not None:
        kept = _keeps_unit(expression.source, values, counted, value)
        if kept is None and (first.unit or unit):
            raise misread(message("unit_with_number"))
        if kept and unit:
            raise misread(message("percentage_of_like"))
        if kept:
            return Outcome(value, first.unit.symbol if first.unit else first.currency, first.unit)
    if unit == "%":
        return Outcome(value * 100, "%")
    return Outcome(value, unit)


def _in_one_unit(numbers: Mapping[str, Amount], counted: Mapping[str, Amount]) -> dict[str, Number]:
    values: dict[str, Number] = {name: amount.value for name, amount in numbers.items()}
    units = [amount.unit for amount in counted.values() if amount.unit]
    if len({amount.unit.kind if amount.unit else amount.currency for amount in counted.values()}) > 1:
        raise misread(message("currencies_mixed"))
    shifted = any(unit.offset or unit.inverse for unit in units)
    if shifted and len({unit.symbol for unit in units}) > 1:
        raise misread(message("convert_first"))
    for name, amount in counted.items():
        if amount.unit and not shifted:
            values[name] = amount.value * amount.unit.factor / units[0].factor
    return values


def _keeps_unit(source: str, values: Mapping[str, Number], counted: Mapping[str, Amount], value: Value) -> bool | None:
    """Whether the answer has the unit of what it was computed from; None where it has neither that nor none."""
    if rounding := _ROUNDING.fullmatch(source):
        source, value = rounding[1], evaluate(rounding[1], values)  # to round keeps a unit, and is no multiple
    keeps, drops = True, True
    for scale in _SCALES:
        other = evaluate(source, {**values, **{name: values[name] * scale for name in counted}})
        keeps &= _same(other, value, scale)
        drops &= _same(other, value, Fraction(1))
    return True if keeps else False if drops else None


def _same(one: Value, other: Value, times: Fraction) -> bool:
    ones, others = (value if isinstance(value, tuple) else (value,) for value in (one, other))
    return len(ones) == len(others) and all(
        abs(float(left) - float(right) * float(times)) <= _NEAR * max(abs(float(left)), abs(float(right)), _NEAR)
        for left, right in zip(ones, others, strict=True)
    )


_BRACKETS = re.compile(rf"(?<![\w])\((-?(?:[{ANY}]|[0-9.]+))\)")
_FUNCTION = re.compile(r"(\w+)\((.*)\)")
_PLACES, _DIGITS = 10, 15
_SMALL = Fraction(1, 10**6)


def formula(text: str) -> str:
    """A sentence put in order, without the brackets that it does not need."""
    before = ""
    while before != text:
        before, text = text, _BRACKETS.sub(r"\1", text)
    text = re.sub(r"^\(([^()]*)\)$", r"\1", text)
    return re.sub(r"(?<=[^\s(,^])([*/+-])(?=\S)", r" \1 ", re.sub(r",(?=\S)", ", ", text))


def shown_formula(text: str, *, chinese: bool) -> str:
    """A formula as people write it: `average of 3, 5 and 8`, 3、5、8的平均数, `(120 - 80) ÷ 80`."""
    text = text.replace(" * ", " × ").replace(" / ", " ÷ ")
    if remainder := re.fullmatch(r"([^()]+) mod ([^()]+)", text):
        return ("{} ÷ {} 的余数" if chinese else "remainder of {} ÷ {}").format(*remainder.groups())
    whole = _FUNCTION.fullmatch(text)
    parts = _parts(whole[2]) if whole else []
    if whole and whole[1] in _names() and len(parts) > 1:
        name = _names()[whole[1]][chinese]
        return f"{'、'.join(parts)}的{name}" if chinese else f"{name} of {', '.join(parts[:-1])} and {parts[-1]}"
    form = _FORMS.get((whole[1], len(parts))) if whole else None
    return form[chinese].format(*parts) if form else text


@cache
def _names() -> dict[str, tuple[str, str]]:
    """What the functions of a list are called in an answer."""
    first = {row[1]: tuple(cell.partition("|")[0] for cell in row[2:]) for row in rows("functions") if row[0] == "list"}
    both = {name: (cells[0], cells[1]) for name, cells in first.items() if len(cells) > 1}
    return both | {"distance": both["difference"]}


def _parts(text: str) -> list[str]:
    """What a function is of: parted at the commas outside brackets; nothing where the brackets are not its own."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return []
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


_FORMS: dict[tuple[str, int], tuple[str, str]] = {
    ("round", 1): ("{0} rounded", "{0} 四舍五入"),
    ("round", 2): ("{0} rounded to {1} decimals", "{0} 保留 {1} 位小数"),
    ("floor", 1): ("{0} rounded down", "{0} 向下取整"),
    ("ceil", 1): ("{0} rounded up", "{0} 向上取整"),
    ("significant", 2): ("{0} to {1} significant digits", "{0} 保留 {1} 位有效数字"),
    ("to_multiple", 2): ("{0} to the nearest {1}", "{0} 精确到 {1}"),
    ("grown", 2): ("{0} increased by {1}", "{0} 增加 {1}"),
    ("shrunk", 2): ("{0} reduced by {1}", "{0} 减少 {1}"),
    ("discounted", 2): ("{0} at {1}折", "{0} 打 {1} 折"),
    ("saved", 2): ("saved on {0} at {1}折", "{0} 打 {1} 折省下"),
    ("factors", 1): ("prime factors of {0}", "{0} 的质因数"),
    ("prime", 1): ("is {0} prime", "{0} 是质数吗"),
    ("log", 2): ("log base {1} of {0}", "以 {1} 为底 {0} 的对数"),
    ("root", 2): ("root of degree {1} of {0}", "{0} 的 {1} 次方根"),
}
"""How functions are put in words, by their name and how many values they have."""


def number_shown(value: Number, *, measured: bool = False, money: bool = False) -> tuple[str, bool]:
    """The digits of a value that mean something, and whether they are all of it."""
    exact = clean(value)
    if exact.denominator == 1:
        return str(exact.numerator), True
    if money:
        cents = clean(rounded(exact, Fraction(2)))
        return f"{float(cents):.2f}", cents == exact
    full = written(exact)
    places = len(full.partition(".")[2])
    if "⁄" not in full and places <= (5 if measured else _PLACES) and len(full) <= _DIGITS + 2:
        return full, not isinstance(value, float)
    if abs(exact) < _SMALL:
        return f"{float(exact):.6g}", False
    first = math.floor(math.log10(abs(float(exact)))) + 1
    kept = max(2, 4 - first) if measured else min(max(6, 6 - first), max(0, _DIGITS - first))
    near = clean(rounded(exact, Fraction(kept)))
    return written(near), near == exact


BASES = {"hexadecimal": "#x", "binary": "#b", "octal": "#o"}
"""The ways to write a whole number in another base, and how they are formatted."""


def in_base(outcome: Outcome, style: str) -> str:
    """A whole number in another base: 0xff.

    Raises:
        Impossible: it is no whole number.
    """
    value = Fraction(1, 2) if isinstance(outcome.value, tuple) else clean(outcome.value)
    if value.denominator != 1 or outcome.unit:
        raise refused(message("whole_in_base"))
    return format(int(value), BASES[style])


def sentence(shown: str, outcome: Outcome, *, chinese: bool, style: str = "") -> str:
    """What was computed, and what it comes to."""
    if outcome.kind and isinstance(outcome.value, tuple):
        product = " × ".join(number_shown(factor)[0] for factor in outcome.value)
        if outcome.kind == "factors":
            return f"{shown} = {product}"
        number = number_shown(math.prod(outcome.value, start=Fraction(1)))[0]
        if len(outcome.value) == 1:
            return f"{number} 是质数" if chinese else f"{number} is a prime number"
        return f"{number} 不是质数：{product}" if chinese else f"{number} is not a prime number: {product}"
    digits, exact = (
        (in_base(outcome, style), True) if style in BASES else outcome_shown(outcome, chinese=chinese, style=style)
    )
    return f"{shown} {'=' if exact else '≈'} {digits}"


def outcome_shown(outcome: Outcome, *, chinese: bool, style: str = "") -> tuple[str, bool]:
    """A value with its unit, and whether it is exact."""
    value = outcome.value[0] if isinstance(outcome.value, tuple) else outcome.value
    money = bool(outcome.unit) and outcome.measure is None and outcome.unit not in {"%", "折"}
    measured = outcome.measure is not None or outcome.unit in {"%", "折"}
    digits, exact = number_shown(value, measured=measured, money=money)
    if style == "fraction" and not outcome.unit:
        fraction = clean(value)
        digits, exact = f"{fraction.numerator}/{fraction.denominator}", not isinstance(value, float)
    unit = outcome.measure.name(chinese=chinese) if outcome.measure else outcome.unit
    if not unit:
        return digits, exact
    if money and not unit[0].isalpha():
        return f"{'-' if digits.startswith('-') else ''}{unit}{digits.lstrip('-')}", exact
    return (f"{digits}{unit}" if unit in {"%", "°", "折"} else f"{digits} {unit}"), exact
