"""The functions of a list: sums, averages, what is largest, how far it spreads, what whole numbers have in common."""

import math
from collections import Counter
from fractions import Fraction

from switchyard.language.arithmetic.operations import (
    Number,
    bounded,
    clean,
    divide,
    factorial,
    multiply,
    power,
    refused,
    square_root,
    subtract,
)

Value = Number | tuple[Number, ...]
"""A value of a list: a number, or several in brackets."""


def flattened(values: tuple[Value, ...]) -> list[Number]:
    """The values of a list, whether they came one by one or in brackets."""
    flat = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    if not flat:
        raise refused("A sum, an average, a minimum or the like needs at least one number.")
    return flat


def total(*values: Value) -> Number:
    """The sum of several."""
    return bounded(sum(flattened(values), Fraction(0)))


def mean(*values: Value) -> Number:
    """The average of several."""
    return divide(total(*values), Fraction(len(flattened(values))))


def median(*values: Value) -> Number:
    """The middle one of several, or the average of the two in the middle."""
    ordered = sorted(flattened(values))
    return mean(ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2])


def product(*values: Value) -> Number:
    """All of several, multiplied."""
    result: Number = Fraction(1)
    for value in flattened(values):
        result = multiply(result, value)
    return result


def _two(values: tuple[Value, ...]) -> tuple[Number, Number]:
    flat = flattened(values)
    if len(flat) != 2:  # noqa: PLR2004 - two is what the sentence below asks for
        raise refused("A difference or a quotient is one of exactly two numbers.")
    return flat[0], flat[1]


def difference(*values: Value) -> Number:
    """The first less the second."""
    return subtract(*_two(values))


def distance(*values: Value) -> Number:
    """How far two are apart."""
    return abs(difference(*values))


def quotient(*values: Value) -> Number:
    """The first divided by the second."""
    return divide(*_two(values))


def smallest(*values: Value) -> Number:
    """The least of several."""
    return min(flattened(values))


def largest(*values: Value) -> Number:
    """The greatest of several."""
    return max(flattened(values))


def spread(*values: Value) -> Number:
    """From the least to the greatest."""
    return subtract(largest(*values), smallest(*values))


def mode(*values: Value) -> Number:
    """The one that comes most often."""
    first, *others = Counter(flattened(values)).most_common(2)
    if others and others[0][1] == first[1]:
        raise refused("No number comes more often than every other: there is no single mode.")
    return first[0]


def variance(*values: Value, sample: bool = False) -> Number:
    """Of all there are; of a sample, divided by one less."""
    flat, middle = flattened(values), mean(*values)
    if len(flat) == int(sample):
        raise refused("A sample of one number has no variance and no standard deviation.")
    return divide(total(*(power(value - middle, Fraction(2)) for value in flat)), Fraction(len(flat) - sample))


def deviation(*values: Value, sample: bool = False) -> Number:
    """The standard deviation, of all there are or of a sample."""
    return square_root(variance(*values, sample=sample))


def shares(amount: Number, *parts: Value) -> tuple[Number, ...]:
    """An amount divided in a ratio: 900 in 2:3 is 360 and 540."""
    whole = total(*parts)
    return tuple(divide(multiply(amount, part), whole) for part in flattened(parts))


def larger_share(amount: Number, *parts: Value) -> Number:
    """The largest of the shares."""
    return max(shares(amount, *parts))


def smaller_share(amount: Number, *parts: Value) -> Number:
    """The least of the shares."""
    return min(shares(amount, *parts))


def common_divisor(*values: Value) -> Number:
    """The greatest whole number that divides all of several."""
    return Fraction(math.gcd(*_whole(values)))


def common_multiple(*values: Value) -> Number:
    """The least whole number that all of several divide."""
    return bounded(Fraction(math.lcm(*_whole(values))))


def _whole(values: tuple[Value, ...]) -> list[int]:
    exact = [clean(value) for value in flattened(values)]
    if any(value.denominator != 1 for value in exact):
        raise refused("Divisors and multiples are those of whole numbers.")
    return [int(value) for value in exact]


def series(first: Number, last: Number) -> Number:
    """The sum of all whole numbers from one to another."""
    begin, end = _whole((first, last))
    if end < begin:
        raise refused("A series goes from the smaller number to the larger.")
    return bounded(Fraction((begin + end) * (end - begin + 1), 2))


def choices(of: Number, chosen: Number) -> Number:
    """How many ways there are to choose some of several."""
    several, some = _whole((of, chosen))
    if not 0 <= some <= several:
        raise refused("What is chosen is a part of what there is.")
    return divide(factorial(of), multiply(factorial(chosen), factorial(of - chosen)))
