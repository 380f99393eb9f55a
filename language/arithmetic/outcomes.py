"""What arithmetic comes to, with the unit of its answer.

Amounts of one kind are brought to one unit before they are computed. Whether the answer has that unit is found by
trying: when all of them are seven times as large, so is a length, a ratio stays as it is, and anything else was no
sensible question.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from switchyard.language.arithmetic.evaluation import evaluate
from switchyard.language.arithmetic.expression import Expression
from switchyard.language.arithmetic.operations import Number, misread
from switchyard.language.arithmetic.tokens import Amount
from switchyard.language.units import Unit

Value = Number | tuple[Number, ...]
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


def worked_out(expression: Expression, unit: str = "") -> Outcome:
    """The value of an expression in its unit; `unit` is that of a sentence that asks for percent.

    Raises:
        Unreadable: it has no value, or mixes what does not go together.
    """
    if "deg(" in expression.source and not re.search(r"(?:sin|cos|tan)\(", expression.source):
        raise misread("Degrees are angles only inside sin, cos and tan.")
    counted = {name: amount for name, amount in expression.numbers.items() if amount.unit or amount.currency}
    values = _in_one_unit(expression.numbers, counted)
    value = evaluate(expression.source, values)
    if isinstance(value, tuple) and not expression.source.startswith("shares("):
        raise misread("The expression gives several values, not one.")
    first = next(iter(counted.values()), None)
    if first is not None:
        kept = _keeps_unit(expression.source, values, counted, value)
        if kept is None and (first.unit or unit):
            raise misread("Amounts with a unit and numbers without one do not go together there.")
        if kept and unit:
            raise misread("A percentage is one of two amounts of the same kind.")
        if kept:
            return Outcome(value, first.unit.symbol if first.unit else first.currency, first.unit)
    if unit == "%":
        return Outcome(tuple(part * 100 for part in value) if isinstance(value, tuple) else value * 100, "%")
    return Outcome(value, unit)


def _in_one_unit(numbers: Mapping[str, Amount], counted: Mapping[str, Amount]) -> dict[str, Number]:
    values: dict[str, Number] = {name: amount.value for name, amount in numbers.items()}
    units = [amount.unit for amount in counted.values() if amount.unit]
    if len({amount.unit.kind if amount.unit else amount.currency for amount in counted.values()}) > 1:
        raise misread("Amounts in several currencies, or of several kinds, are not computed together.")
    shifted = any(unit.offset or unit.inverse for unit in units)
    if shifted and len({unit.symbol for unit in units}) > 1:
        raise misread("Convert these to one unit first.")
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
