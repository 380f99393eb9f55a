"""Works out a plain expression with simpleeval, reduced to numbers, brackets and our functions.

Nothing else exists inside it: no names, no attributes, no calls of anything but what stands here.
"""

import ast
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from switchyard.language.arithmetic import aggregates, operations
from switchyard.language.arithmetic.operations import Number

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
    "pow": operations.power,
    "min": aggregates.smallest,
    "max": aggregates.largest,
    "sum": aggregates.total,
    "product": aggregates.product,
    "difference": aggregates.difference,
    "distance": aggregates.distance,
    "quotient": aggregates.quotient,
    "mean": aggregates.mean,
    "median": aggregates.median,
    "mode": aggregates.mode,
    "spread": aggregates.spread,
    "variance": aggregates.variance,
    "sample_variance": partial(aggregates.variance, sample=True),
    "deviation": aggregates.deviation,
    "sample_deviation": partial(aggregates.deviation, sample=True),
    "gcd": aggregates.common_divisor,
    "lcm": aggregates.common_multiple,
    "shares": aggregates.shares,
    "larger_share": aggregates.larger_share,
    "smaller_share": aggregates.smaller_share,
    "series": aggregates.series,
    "choices": aggregates.choices,
}


def evaluate(source: str, numbers: Mapping[str, Number]) -> Number | tuple[Number, ...]:
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
        raise operations.refused("That divides by zero, which has no value.") from error
    except ArithmeticError as error:
        raise operations.refused("That is too large or too small to compute.") from error
    except (RecursionError, MemoryError) as error:
        raise operations.refused("The expression is nested too deeply; work it out in parts.") from error
    except (InvalidExpression, SyntaxError, TypeError, ValueError) as error:
        raise operations.misread("That cannot be worked out as it is written.") from error
