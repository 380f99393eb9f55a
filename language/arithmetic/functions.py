"""The functions of a list, and what a plain expression comes to by all functions there are.

It is worked out with simpleeval, reduced to numbers, brackets and our functions. Nothing else exists inside it: no
names, no attributes, no calls of anything but what stands here.
"""

import ast
import math
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from switchyard.language.arithmetic import operations
from switchyard.language.arithmetic.operations import (
    Number,
    bounded,
    clean,
    divide,
    multiply,
    power,
    refused,
    square_root,
    subtract,
)
from switchyard.language.messages import message

Value = Number | tuple[Number, ...]
"""A value of a list: a number, or several in brackets."""


def flattened(values: tuple[Value, ...]) -> list[Number]:
    """The values of a list, whether they came one by one or in brackets."""
    flat = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    if not flat:
        raise refused(message("aggregate_empty"))
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
        raise refused(message("exactly_two_numbers"))
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
        raise refused(message("no_single_mode"))
    return first[0]


def variance(*values: Value, sample: bool = False) -> Number:
    """Of all there are; of a sample, divided by one less."""
    flat, middle = flattened(values), mean(*values)
    if len(flat) == int(sample):
        raise refused(message("sample_of_one"))
    return divide(total(*(power(value - middle, Fraction(2)) for value in flat)), Fraction(len(flat) - sample))


def deviation(*values: Value, sample: bool = False) -> Number:
    """The standard deviation, of all there are or of a sample."""
    return square_root(variance(*values, sample=sample))


def common_divisor(*values: Value) -> Number:
    """The greatest whole number that divides all of several."""
    return Fraction(math.gcd(*_whole(values)))


def common_multiple(*values: Value) -> Number:
    """The least whole number that all of several divide."""
    return bounded(Fraction(math.lcm(*_whole(values))))


def _whole(values: tuple[Value, ...]) -> list[int]:
    exact = [clean(value) for value in flattened(values)]
    if any(value.denominator != 1 for value in exact):
        raise refused(message("divisors_whole"))
    return [int(value) for value in exact]


_OPERATORS: dict[type[ast.AST], Callable[..., Number]] = {
    ast.Add: operations.add,
    ast.Sub: operations.subtract,
    ast.Mult: operations.multiply,
    ast.Div: operations.divide,
    ast.FloorDiv: operations.floor_divide,
    ast.Mod: operations.remainder,
    ast.Pow: operations.power,
    ast.USub: operations.negative,
    ast.UAdd: lambda *values: values[0],
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "pct": operations.percent,
    "part": operations.part,
    "share": operations.part,
    "off": operations.off,
    "multiple": operations.Percent,
    "double": partial(operations.multiply, Fraction(2)),
    "triple": partial(operations.multiply, Fraction(3)),
    "quadruple": partial(operations.multiply, Fraction(4)),
    "half": partial(operations.multiply, Fraction(1, 2)),
    "reciprocal": partial(operations.divide, Fraction(1)),
    "square": partial(operations.power, exponent=Fraction(2)),
    "cube": partial(operations.power, exponent=Fraction(3)),
    "deg": math.radians,
    "sqrt": operations.square_root,
    "cbrt": operations.cube_root,
    "root": operations.root,
    "abs": operations.absolute,
    "round": operations.rounded,
    "significant": operations.significant,
    "to_multiple": operations.to_multiple,
    "discounted": operations.discounted,
    "saved": operations.saved,
    "grown": operations.grown,
    "shrunk": operations.shrunk,
    "floor": operations.floor,
    "ceil": operations.ceiling,
    "log": operations.logarithm,
    "log10": operations.logarithm,
    "log2": partial(operations.logarithm, base=Fraction(2)),
    "ln": operations.natural_logarithm,
    "exp": math.exp,
    "sin": partial(operations.wave, math.sin),
    "cos": partial(operations.wave, math.cos),
    "tan": operations.tangent,
    "factorial": operations.factorial,
    "prime": operations.factors,
    "factors": operations.factors,
    "pow": operations.power,
    "min": smallest,
    "max": largest,
    "sum": total,
    "product": product,
    "difference": difference,
    "distance": distance,
    "quotient": quotient,
    "mean": mean,
    "median": median,
    "mode": mode,
    "spread": spread,
    "variance": variance,
    "sample_variance": partial(variance, sample=True),
    "deviation": deviation,
    "sample_deviation": partial(deviation, sample=True),
    "gcd": common_divisor,
    "lcm": common_multiple,
}


def evaluate(source: str, numbers: Mapping[str, Number]) -> Value:
    """The value of an expression, or its values where it has several.

    Raises:
        Unreadable: it has no value, or is nothing our functions take.
    """
    from simpleeval import InvalidExpression, SimpleEval  # noqa: PLC0415 - not before something is worked out

    engine: Any = SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names={"pi": math.pi, "e": math.e, **numbers})

    def value_of(node: ast.AST) -> Any:
        return engine.eval(source, previously_parsed=node)

    def several(node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(value_of(element) for element in node.elts)

    def chain(node: ast.BinOp) -> Number:
        """A long sum is a deep tree on its left side: walked in a loop, not in recursion."""
        steps = [node]
        while isinstance(steps[-1].left, ast.BinOp):
            steps.append(steps[-1].left)
        value = value_of(steps[-1].left)
        for step in reversed(steps):
            value = _OPERATORS[type(step.op)](value, value_of(step.right))
        return value

    kept = {kind: engine.nodes[kind] for kind in (ast.Expr, ast.UnaryOp, ast.Name, ast.Call)}
    engine.nodes = {**kept, ast.Tuple: several, ast.BinOp: chain}
    try:
        return engine.eval(source)
    except ZeroDivisionError as error:
        raise operations.refused(message("divides_by_zero_no_value")) from error
    except ArithmeticError as error:
        raise operations.refused(message("too_large_or_small")) from error
    except (RecursionError, MemoryError) as error:
        raise operations.refused(message("nested_too_deeply")) from error
    except (InvalidExpression, SyntaxError, TypeError, ValueError) as error:
        raise operations.misread(message("cannot_be_worked_out")) from error
