"""What is done to amounts, by name: numbers stay exact as long as they can, and units must go together.

A number is a fraction until a function such as `sin` forces a float. Whole numbers that outgrow `MAX_DIGITS` are
refused; fractions that do become floats.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

from switchyard.language.errors import Impossible, Misread, Unreadable
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


class Part(Fraction):
    """A part said in words, a quarter or 三分之一: to raise something by it is to raise it by that part of itself."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, with what it counts and how it was said."""

    value: Number
    text: str = ""
    unit: Unit | None = None
    """A measure, a currency or percent."""
    problem: Unreadable | None = None
    """Why it has no value, where it has none."""


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
    """The outcome of an operation; one without a value says why, and so does whatever is made of it.

    Raises:
        Misread: it mixes what does not go together.
    """
    if without := next((amount for amount in amounts if amount.problem), None):
        return without
    try:
        return _with_unit(name, amounts)
    except Misread:
        raise
    except Impossible as error:
        return Amount(Fraction(0), problem=error)
    except ZeroDivisionError:
        return Amount(Fraction(0), problem=Impossible(message("divides_by_zero_no_value")))
    except (ArithmeticError, MemoryError):
        return Amount(Fraction(0), problem=Impossible(message("too_large_or_small")))
    except (TypeError, ValueError) as error:
        raise misread(message("cannot_be_worked_out")) from error


def _with_unit(name: str, amounts: Sequence[Amount]) -> Amount:
    """One operation; how it treats units is said beside it in the table below."""
    function, rule = _OPERATIONS[name]
    values, units = [amount.value for amount in amounts], [amount.unit for amount in amounts if amount.unit]
    if not units:
        return Amount(_bounded(function(*values)))
    counted = [amount for amount in amounts if not isinstance(amount.value, Percent)]
    if rule == "alike" and units[0].kind.startswith("currency"):  # $5 + 3
        units = [amount.unit or units[0] for amount in counted]
    alike = rule == "alike" or (rule == "ratio" and len(units) == len(amounts))
    if rule == "angle" and units[0].kind == "angle":
        return Amount(function(float(values[0]) * float(units[0].factor)))
    if alike and len(counted) == len(units):
        in_one = iter(_in_one_unit(counted, units))
        values = [value if isinstance(value, Percent) else next(in_one) for value in values]
        return Amount(_bounded(function(*values)), unit=None if rule == "ratio" else units[0])
    if (rule == "product" and len(units) == 1) or (rule in {"first", "ratio"} and units == [amounts[0].unit]):
        return Amount(_bounded(function(*values)), unit=units[0])
    raise misread(message("unit_with_number"))


def _in_one_unit(amounts: Sequence[Amount], units: Sequence[Unit]) -> list[Number]:
    if len({unit.kind for unit in units}) > 1:
        raise misread(message("currencies_mixed"))
    if len({unit.symbol for unit in units}) == 1:
        return [amount.value for amount in amounts]
    if any(unit.offset for unit in units):
        raise misread(message("convert_first"))
    return [amount.value * unit.factor / units[0].factor for amount, unit in zip(amounts, units, strict=True)]


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


def _of_itself(change: Number) -> Number:
    return Percent(change) if isinstance(change, Part) else change


def _part(left: Number, right: Number) -> Number:
    """`15% of 2480`, `80的三分之一`; a whole number of a whole number is no part of it."""
    if all(clean(value).denominator == 1 and not isinstance(value, Percent) for value in (left, right)):
        raise misread(message("of_without_share"))
    return left * right


def _off(discount: Number, price: Number) -> Number:
    if not isinstance(discount, Percent):
        raise misread(message("discount_is_percentage"))
    return price * (1 - discount)


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
        if abs(base) in {0, 1}:  # of any size of the exponent
            return Fraction(base) ** min(max(int(exponent), -1), 2 - int(exponent % 2))
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


def _wave(function: Callable[[float], float], angle: Number) -> float:
    """A sine or cosine; what rounding leaves of a zero is zero."""
    return round(function(float(angle)), 15)


def _tangent(angle: Number) -> float:
    if _wave(math.cos, angle) == 0:
        raise ZeroDivisionError
    return _wave(math.tan, angle)


def rounded(value: Number, digits: Number = Fraction(0)) -> Fraction:
    """Halves go away from zero, as people do it."""
    shift = Fraction(10) ** whole(digits, -MAX_DIGITS)
    size = math.floor(abs(clean(value)) * shift + Fraction(1, 2)) / shift
    return size if value >= 0 else -size


def _to_multiple(value: Number, step: Number) -> Number:
    """The nearest multiple of a step: to the nearest 5, or 0.25."""
    if step <= 0:
        raise Impossible(message("rounded_to"))
    return rounded(value / step) * step


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


def _mode(*values: Number) -> Number:
    first, *others = statistics.multimode(values)
    if others:
        raise Impossible(message("no_single_mode"))
    return first


def _mean(*values: Number) -> Number:
    return sum(values, Fraction(0)) / len(values)


def _variance(*values: Number, sample: bool = False) -> Number:
    """Of all there are; of a sample, divided by one less."""
    if len(values) == int(sample):
        raise Impossible(message("sample_of_one"))
    return sum(((value - _mean(*values)) ** 2 for value in values), Fraction(0)) / (len(values) - sample)


_OF_ONE: dict[str, tuple[Callable[[Number], Number], str]] = {
    "negative": (_negative, "first"),
    "percent": (lambda value: Percent(clean(value) / 100), "plain"),
    "multiple": (lambda value: Percent(clean(value)), "plain"),
    "abs": (lambda value: abs(value), "first"),  # noqa: PLW0108 - of a fraction or a float
    "floor": (lambda value: Fraction(math.floor(clean(value))), "first"),
    "ceil": (lambda value: Fraction(math.ceil(clean(value))), "first"),
    "ln": (lambda value: _logarithm(value, math.e), "plain"),
    "exp": (math.exp, "plain"),
    "sin": (partial(_wave, math.sin), "angle"),
    "cos": (partial(_wave, math.cos), "angle"),
    "tan": (_tangent, "angle"),
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
    "off": (_off, "product"),
    "grown": (lambda value, by: _add(value, _of_itself(by)), "alike"),
    "shrunk": (lambda value, by: _add(value, _negative(_of_itself(by))), "alike"),
    "discounted": (_discounted, "first"),
    "saved": (lambda price, discount: price - _discounted(price, discount), "first"),
    "root": (_root, "plain"),
    "log": (_logarithm, "plain"),
    "round": (rounded, "first"),
    "to_multiple": (_to_multiple, "first"),
    "difference": (lambda left, right: left - right, "alike"),
    "distance": (lambda left, right: abs(left - right), "alike"),
    "quotient": (lambda left, right: left / right, "ratio"),
}
_OF_LISTS: dict[str, tuple[Callable[..., Number], str]] = {
    "sum": (lambda *values: sum(values, Fraction(0)), "alike"),
    "product": (lambda *values: math.prod(values, start=Fraction(1)), "product"),
    "mean": (_mean, "alike"),
    "median": (lambda *values: statistics.median(values), "alike"),
    "mode": (_mode, "alike"),
    "max": (lambda *values: max(values), "alike"),
    "min": (lambda *values: min(values), "alike"),
    "spread": (lambda *values: max(values) - min(values), "alike"),
    "variance": (_variance, "plain"),
    "sample_variance": (partial(_variance, sample=True), "plain"),
    "deviation": (lambda *values: _root(_variance(*values)), "alike"),
    "sample_deviation": (lambda *values: _root(_variance(*values, sample=True)), "alike"),
    "gcd": (lambda *values: Fraction(math.gcd(*map(whole, values))), "plain"),
    "lcm": (lambda *values: Fraction(math.lcm(*map(whole, values))), "plain"),
}
_OPERATIONS: dict[str, tuple[Callable[..., Number], str]] = {**_OF_ONE, **_OF_TWO, **_OF_LISTS}
"""Every operation with its rule for units: those it takes are all `alike` and the outcome keeps theirs, one of a
`product` has one, a `ratio` of two has none, only the `first` has one, or there is none at all (`plain`, `angle`)."""
