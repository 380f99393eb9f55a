"""What is done to amounts, by name: numbers stay exact as long as they can, and units must go together.

A number is a fraction until a function such as `sin` forces a float. Whole numbers that outgrow `MAX_DIGITS` are
refused; fractions that do become floats.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from switchyard.language.errors import Impossible, Misread
from switchyard.language.messages import message
from switchyard.language.units import Unit

Number = Fraction | float

MAX_DIGITS = 1000
"""Numbers with more digits are refused, as input and as result."""

_MAX_BITS = math.ceil(MAX_DIGITS * math.log2(10))
_MAX_FACTORIAL = 449
_LARGEST_FACTORED = 10**12


class Percent(Fraction):
    """A percentage or a multiple: after plus or minus it is a part of what stands before it."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, with what it counts and how it was said."""

    value: Number
    unit: Unit | None = None
    """A measure, a currency or percent."""
    text: str = ""


def misread(problem: str) -> Misread:
    """The error for an expression that cannot be read."""
    return Misread(problem, hint=message("write_arithmetic"))


def clean(value: Number) -> Fraction:
    """The exact value; of a float the decimal of its first 15 digits, so that 0.1 means 0.1."""
    if isinstance(value, Fraction):
        return value
    if not math.isfinite(value):
        raise OverflowError
    return Fraction(f"{value:.15g}")


def applied(name: str, amounts: Sequence[Amount]) -> Amount:
    """The outcome of an operation.

    Raises:
        Impossible: it has no value, or one that is too long.
        Misread: it mixes what does not go together.
    """
    function, rule = _OPERATIONS[name]
    values, unit = _in_one_unit(rule, amounts)
    try:
        return Amount(_bounded(function(*values)), unit)
    except ZeroDivisionError as error:
        raise Impossible(message("divides_by_zero_no_value")) from error
    except (ArithmeticError, MemoryError) as error:
        raise Impossible(message("too_large_or_small")) from error
    except (TypeError, ValueError) as error:
        raise misread(message("cannot_be_worked_out")) from error


def _in_one_unit(rule: str, amounts: Sequence[Amount]) -> tuple[list[Number], Unit | None]:
    """The values to compute with and the unit of the outcome; each rule is told beside the operations."""
    values, units = [amount.value for amount in amounts], [amount.unit for amount in amounts if amount.unit]
    if not units:
        return values, None
    first = units[0]
    if rule == "angle" and first.kind == "angle":
        return [float(values[0]) * float(first.factor)], None
    if rule == "alike" or (rule == "ratio" and len(units) == len(amounts)):
        bare = [amount for amount in amounts if amount.unit is None and not isinstance(amount.value, Percent)]
        same = all(unit.kind == first.kind and (unit == first or not unit.offset) for unit in units)
        if same and (not bare or first.is_money):  # $5 + 3
            sizes = [amount.unit.factor / first.factor if amount.unit else 1 for amount in amounts]
            scaled = [value if size == 1 else value * size for value, size in zip(values, sizes, strict=True)]
            return scaled, None if rule == "ratio" else first
    elif (rule == "product" and len(units) == 1) or (rule in {"first", "ratio"} and units == [amounts[0].unit]):
        return values, first
    raise misread(message("unit_with_number"))


def _bounded(value: Number) -> Number:
    """A result that is not too long; a fraction with too many digits becomes a float."""
    if isinstance(value, float) or max(value.numerator.bit_length(), value.denominator.bit_length()) <= _MAX_BITS:
        return value
    if value.denominator == 1:
        raise Impossible(message("result_too_long", digits=MAX_DIGITS))
    return float(value)


def whole(value: Number, least: int | None = None, most: int = MAX_DIGITS) -> int:
    """A whole number, where `least` is given from that up to `most`.

    Raises:
        Impossible: the value is none.
    """
    exact = clean(value)
    if exact.denominator != 1:
        raise Impossible(message("whole_number_needed"))
    if least is not None and not least <= exact <= most:
        raise Impossible(message("number_out_of_range", least=least, most=most))
    return int(exact)


def _add(left: Number, right: Number) -> Number:
    """2480 + 14% adds 14 percent of 2480, and 5% + 3% is 8%."""
    if isinstance(right, Percent):
        return Percent(left + right) if isinstance(left, Percent) else left * (1 + right)
    return left + right


def _negative(value: Number) -> Number:
    return Percent(-value) if isinstance(value, Percent) else -value


def _changed(value: Number, by: Number) -> Number:
    """By a share of itself, or by a number; a bare fraction could be either."""
    if not isinstance(by, Percent) and clean(by).denominator > 1 and abs(by) < 1:
        raise misread(message("cannot_be_worked_out"))
    return _add(value, by)


def _part(left: Number, right: Number) -> Number:
    """`15% of 2480`, `80的三分之一`; a whole number of a whole number is no part of it."""
    if all(clean(value).denominator == 1 and not isinstance(value, Percent) for value in (left, right)):
        raise misread(message("of_without_share"))
    return left * right


def _discounted(price: Number, discount: Number) -> Number:
    """What is left of a price after a Chinese discount: 8折 is 80%, 85折 is 85%."""
    share = Fraction(discount) / (10 if discount < 10 else 100)  # noqa: PLR2004 - one digit or two
    if not 0 < share < 1:
        raise Impossible(message("zhe_range"))
    return price * share


def _power(base: Number, exponent: Number) -> Number:
    """Exact for whole exponents."""
    if clean(exponent).denominator != 1 and base < 0:
        raise Impossible(message("negative_power"))
    if isinstance(base, Fraction) and clean(exponent).denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if bits * abs(exponent) <= _MAX_BITS + bits:
            return Fraction(base) ** int(exponent)
        if base.denominator == 1 and exponent > 0:
            raise Impossible(message("result_too_long", digits=MAX_DIGITS))
    return float(base) ** float(exponent)


def _root(value: Number, degree: Number = Fraction(2)) -> Number:
    """Of any whole degree, exact where it comes out; a negative number has odd roots only."""
    order = whole(degree, 2)
    if value < 0 and order % 2 == 0:
        raise Impossible(message("negative_root"))
    near = math.exp(math.log(abs(value)) / order) if value else 0.0
    nearest = Fraction(near).limit_denominator(10**6)
    size = nearest if isinstance(value, Fraction) and nearest**order == abs(value) else near
    return size if value >= 0 else -size


def _logarithm(value: Number, base: Number = Fraction(10)) -> Number:
    if value <= 0 or base <= 0 or base == 1:
        raise Impossible(message("logarithm_base"))
    return math.log(value) / math.log(base)


def rounded(value: Number, digits: Number = Fraction(0)) -> Fraction:
    """Halves go away from zero, as people do it."""
    shift = Fraction(10) ** whole(digits, -MAX_DIGITS)
    size = math.floor(abs(clean(value)) * shift + Fraction(1, 2)) / shift
    return size if value >= 0 else -size


def _factorial(value: Number) -> Number:
    if value > _MAX_FACTORIAL:
        raise Impossible(message("result_too_long", digits=MAX_DIGITS))
    return Fraction(math.factorial(whole(value, 0)))


@lru_cache(maxsize=64)
def factors(value: Number) -> tuple[int, ...]:
    """The prime factors of a whole number from 2 on, the smallest first."""
    number, found, divisor = whole(value, 2, _LARGEST_FACTORED), list[int](), 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1 if divisor == 2 else 2  # noqa: PLR2004 - after 2 the odd ones
    return (*found, number) if number > 1 else tuple(found)


_OF_ONE: dict[str, tuple[Callable[[Number], Number], str]] = {
    "negative": (_negative, "first"),
    "percent": (lambda value: Percent(clean(value) / 100), "plain"),
    "multiple": (lambda value: Percent(clean(value)), "plain"),
    "abs": (lambda value: abs(value), "first"),  # noqa: PLW0108 - of a fraction or a float
    "floor": (lambda value: Fraction(math.floor(clean(value))), "first"),
    "ceil": (lambda value: Fraction(math.ceil(clean(value))), "first"),
    "ln": (lambda value: _logarithm(value, math.e), "plain"),
    "exp": (math.exp, "plain"),
    # what rounding leaves of a zero is zero
    "sin": (lambda angle: round(math.sin(angle), 15), "angle"),
    "cos": (lambda angle: round(math.cos(angle), 15), "angle"),
    "tan": (lambda angle: round(math.sin(angle) / round(math.cos(angle), 15), 14), "angle"),
    "factorial": (_factorial, "plain"),
}
_OF_TWO: dict[str, tuple[Callable[[Number, Number], Number], str]] = {
    "+": (_add, "alike"),
    "-": (lambda left, right: _add(left, _negative(right)), "alike"),
    "*": (lambda left, right: left * right, "product"),
    "/": (lambda left, right: left / right, "ratio"),
    "//": (lambda left, right: Fraction(clean(left) // clean(right)), "plain"),
    "mod": (lambda left, right: clean(left) % clean(right), "alike"),
    "^": (_power, "plain"),
    "part": (_part, "product"),
    "off": (lambda discount, price: price - _part(discount, price), "product"),
    "grown": (_changed, "alike"),
    "shrunk": (lambda value, by: _changed(value, _negative(by)), "alike"),
    "untaxed": (lambda value, share: value / (1 + share), "alike"),
    "discounted": (_discounted, "first"),
    "root": (_root, "plain"),
    "log": (_logarithm, "plain"),
    "round": (rounded, "first"),
    "to_multiple": (lambda value, step: rounded(value / step) * step, "first"),
    "distance": (lambda left, right: abs(left - right), "alike"),
}
_OF_LISTS: dict[str, tuple[Callable[..., Number], str]] = {
    "sum": (lambda *values: sum(values, Fraction(0)), "alike"),
    "product": (lambda *values: math.prod(values, start=Fraction(1)), "product"),
    "mean": (lambda *values: sum(values, Fraction(0)) / len(values), "alike"),
    "median": (lambda *values: statistics.median(values), "alike"),
    "max": (lambda *values: max(values), "alike"),
    "min": (lambda *values: min(values), "alike"),
    "spread": (lambda *values: max(values) - min(values), "alike"),
    "variance": (lambda *values: statistics.pvariance(values), "plain"),
    "sample_variance": (lambda *values: statistics.variance(values), "plain"),
    "deviation": (lambda *values: statistics.pstdev(values), "alike"),
    "sample_deviation": (lambda *values: statistics.stdev(values), "alike"),
    "gcd": (lambda *values: Fraction(math.gcd(*map(whole, values))), "plain"),
    "lcm": (lambda *values: Fraction(math.lcm(*map(whole, values))), "plain"),
}
_OPERATIONS: dict[str, tuple[Callable[..., Number], str]] = {**_OF_ONE, **_OF_TWO, **_OF_LISTS}
"""Every operation with its rule for units: those it takes are all `alike` and the outcome keeps theirs, one of a
`product` has one, a `ratio` of two has none, only the `first` has one, or there is none at all (`plain`, `angle`)."""
