"""The operators and functions of one or two values, on numbers that stay exact as long as they can.

A number is a fraction until a function such as `sin` forces a float. Whole numbers that outgrow `MAX_DIGITS` are
refused; fractions that do become floats.
"""

import decimal
import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from switchyard.language.errors import Impossible, Misread
from switchyard.language.messages import message

Number = Fraction | float

MAX_DIGITS = 1000
"""Numbers with more digits are refused, as input and as result."""

_MAX_BITS = math.ceil(MAX_DIGITS * math.log2(10))
_MAX_FACTORIAL = 449
_SMALLEST = 1e-15
_PRECISE = decimal.Context(prec=50)
_LARGEST_FACTORED = 10**12


class Percent(Fraction):
    """A percentage: after plus or minus it is a part of what stands before it."""


class Part(Fraction):
    """A part said in words, a quarter or 三分之一: to raise something by it is to raise it by that part of itself."""


def refused(sentence: str) -> Impossible:
    """The error for a value that does not exist or is not computed."""
    return Impossible(sentence)


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


def _too_long() -> Impossible:
    return refused(message("result_too_long", digits=MAX_DIGITS))


def bounded(value: Number) -> Number:
    """A result that is not too long; a fraction with too many digits becomes a float."""
    if isinstance(value, float) or max(value.numerator.bit_length(), value.denominator.bit_length()) <= _MAX_BITS:
        return value
    if value.denominator == 1:
        raise _too_long()
    return float(value)


def _precisely(value: Number) -> decimal.Decimal:
    exact = Fraction(value)
    return _PRECISE.divide(decimal.Decimal(exact.numerator), decimal.Decimal(exact.denominator))


def percent(value: Number) -> Number:
    """`15%`."""
    return Percent(clean(value) / 100)


def add(left: Number, right: Number) -> Number:
    """A sum; 2480 + 14% adds 14 percent of 2480, and 5% + 3% is 8%."""
    if isinstance(right, Percent):
        return Percent(left + right) if isinstance(left, Percent) else multiply(left, 1 + right)
    return bounded(left + right)


def subtract(left: Number, right: Number) -> Number:
    """A difference, with percentages as in `add`."""
    return add(left, negative(right))


def multiply(left: Number, right: Number) -> Number:
    """A product."""
    return bounded(left * right)


def divide(left: Number, right: Number) -> Number:
    """A quotient."""
    return bounded(left / right)


def part(left: Number, right: Number) -> Number:
    """`15% of 2480`, `80的三分之一`; a whole number of a whole number is no part of it."""
    if all(isinstance(value, Fraction) and value.denominator == 1 for value in (left, right)) and not (
        isinstance(left, Percent) or isinstance(right, Percent)
    ):
        raise misread(message("of_without_share"))
    return multiply(left, right)


def off(discount: Number, price: Number) -> Number:
    """`20% off 150`."""
    if not isinstance(discount, Percent):
        raise misread(message("discount_is_percentage"))
    return multiply(1 - discount, price)


def grown(value: Number, by: Number) -> Number:
    """Raised by a percentage or a part of itself, or by an amount."""
    return add(value, Percent(by) if isinstance(by, Part) else by)


def shrunk(value: Number, by: Number) -> Number:
    """Lowered by a percentage or a part of itself, or by an amount."""
    return subtract(value, Percent(by) if isinstance(by, Part) else by)


def discounted(price: Number, discount: Number) -> Number:
    """What is left of a price after a Chinese discount: 8折 is 80%, 85折 is 85%."""
    share = Fraction(discount) / (10 if discount < 10 else 100)  # noqa: PLR2004 - one digit or two
    if not 0 < share < 1:
        raise refused(message("zhe_range"))
    return multiply(price, share)


def saved(price: Number, discount: Number) -> Number:
    """What such a discount takes off."""
    return subtract(price, discounted(price, discount))


def floor_divide(left: Number, right: Number) -> Number:
    """The whole part of a quotient."""
    return bounded(Fraction(clean(left) // clean(right)))


def remainder(left: Number, right: Number) -> Number:
    """What a division leaves."""
    return bounded(clean(left) % clean(right))


def negative(value: Number) -> Number:
    """The number with the other sign; a percentage stays one."""
    return Percent(-value) if isinstance(value, Percent) else -value


def power(base: Number, exponent: Number) -> Number:
    """Exact for whole exponents, precise to a float's last digit otherwise."""
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    whole = clean(exponent).denominator == 1
    if base < 0 and not whole:
        raise refused(message("negative_power"))
    if isinstance(base, Fraction) and whole:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(base) in {0, 1}:
            return Fraction(base ** (2 - int(exponent % 2))) if exponent else Fraction(1)
        if bits * abs(exponent) <= _MAX_BITS + bits:
            return bounded(Fraction(base) ** int(exponent))
        if base.denominator == 1 and exponent > 0:
            raise _too_long()
    return float(_PRECISE.power(_precisely(base), _precisely(exponent)))


def square_root(value: Number) -> Number:
    """Exact for squares."""
    if value < 0:
        raise refused(message("negative_square_root"))
    if isinstance(value, Fraction):
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root * root == value:
            return root
    return float(_PRECISE.sqrt(_precisely(value)))


def cube_root(value: Number) -> Number:
    """Exact for small cubes."""
    root = math.cbrt(value)
    nearest = clean(root).limit_denominator(10**6)
    return nearest if nearest**3 == value else root


def root(value: Number, degree: Number) -> Number:
    """Of any whole degree, exact where it comes out; a negative number has odd roots only."""
    order = clean(degree)
    if order.denominator != 1 or not 2 <= order <= MAX_DIGITS:  # noqa: PLR2004 - the square root is the first
        raise refused(message("root_degree"))
    if value < 0 and order % 2 == 0:
        raise refused(message("negative_root"))
    near = math.copysign(float(abs(value)) ** (1 / int(order)), value)
    nearest = clean(near).limit_denominator(10**6)
    return nearest if isinstance(value, Fraction) and nearest ** int(order) == value else near


def natural_logarithm(value: Number) -> Number:
    """To the base e."""
    if value <= 0:
        raise refused(message("logarithm_positive"))
    return float(_PRECISE.ln(_precisely(value)))


def logarithm(value: Number, base: Number = Fraction(10)) -> Number:
    """To the base 10 unless another is given."""
    if value <= 0 or base <= 0 or base == 1:
        raise refused(message("logarithm_base"))
    return float(_PRECISE.divide(_PRECISE.ln(_precisely(value)), _PRECISE.ln(_precisely(base))))


def wave(function: Callable[[float], float], angle: Number) -> float:
    """A sine or cosine; what rounding leaves of a zero is zero."""
    value = function(float(angle))
    return 0.0 if abs(value) < _SMALLEST < abs(angle) else value


def tangent(angle: Number) -> Number:
    """Of an angle in radians."""
    below = wave(math.cos, angle)
    if below == 0:
        raise refused(message("tangent_right_angle"))
    return wave(math.sin, angle) / below


def absolute(value: Number) -> Number:
    """The number without its sign."""
    return abs(value)


def floor(value: Number) -> Number:
    """The next whole number below."""
    return Fraction(math.floor(clean(value)))


def ceiling(value: Number) -> Number:
    """The next whole number above."""
    return Fraction(math.ceil(clean(value)))


def rounded(value: Number, digits: Number = Fraction(0)) -> Number:
    """Halves go away from zero, as people do it."""
    places = clean(digits)
    if places.denominator != 1 or abs(places) > MAX_DIGITS:
        raise refused(message("round_decimals"))
    shift = Fraction(10) ** int(places)
    size = math.floor(abs(clean(value)) * shift + Fraction(1, 2)) / shift
    return size if value >= 0 else -size


def significant(value: Number, digits: Number) -> Number:
    """Rounded to so many digits from the first that is not zero."""
    if clean(digits).denominator != 1 or not 1 <= digits <= MAX_DIGITS:
        raise refused(message("significant_digits"))
    if value == 0:
        return value
    first = math.floor(math.log10(abs(value))) + 1
    return rounded(value, Fraction(int(digits) - first))


def to_multiple(value: Number, step: Number) -> Number:
    """The nearest multiple of a step: to the nearest 5, or 0.25."""
    if step <= 0:
        raise refused(message("rounded_to"))
    return rounded(divide(value, step)) * step


def factorial(value: Number) -> Number:
    """Of a whole number."""
    whole = clean(value)
    if whole < 0 or whole.denominator != 1:
        raise refused(message("factorial_whole"))
    if whole > _MAX_FACTORIAL:
        raise _too_long()
    return Fraction(math.factorial(int(whole)))


@lru_cache(maxsize=64)
def factors(value: Number) -> tuple[Number, ...]:
    """The prime factors of a whole number from 2 on, the smallest first."""
    rest = clean(value)
    if rest.denominator != 1 or not 2 <= rest <= _LARGEST_FACTORED:  # noqa: PLR2004 - the first prime
        raise refused(message("primes_range", most=_LARGEST_FACTORED))
    number, found, divisor = int(rest), list[Number](), 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found.append(Fraction(divisor))
            number //= divisor
        divisor += 1 if divisor == 2 else 2  # noqa: PLR2004 - after 2 the odd ones
    return (*found, Fraction(number)) if number > 1 else tuple(found)
