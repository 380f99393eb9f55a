"""Arithmetic as people write it, exact where it can be.

`tools._expression` reads the text, `tools._numbers` knows the operators; between them stands simpleeval, reduced to
numbers, brackets and our functions: nothing else exists inside it.
"""

import ast
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from pydantic import Field
from simpleeval import InvalidExpression, SimpleEval

from tools import _numbers as numbers
from tools._expression import Expression, misread, read_expression
from tools.core import BaseToolParams, tool

MAX_LENGTH = 2000
"""Characters an expression may have."""

LARGEST_INTEGER = 2**63 - 1
"""Larger whole numbers are returned as text: JSON and the checkpoints hold integers of 64 bits, and digits must not be
lost."""

_OPERATORS: dict[type[ast.AST], Callable[..., numbers.Number]] = {
    ast.Add: numbers.add,
    ast.Sub: numbers.subtract,
    ast.Mult: numbers.multiply,
    ast.Div: numbers.divide,
    ast.FloorDiv: numbers.floor_divide,
    ast.Mod: numbers.remainder,
    ast.Pow: numbers.power,
    ast.USub: numbers.negative,
    ast.UAdd: numbers.positive,
}
_FUNCTIONS: dict[str, Callable[..., numbers.Number]] = {
    "pct": numbers.percent,
    "deg": numbers.degrees,
    "sqrt": numbers.square_root,
    "cbrt": numbers.cube_root,
    "abs": numbers.absolute,
    "round": numbers.rounded,
    "floor": numbers.floor,
    "ceil": numbers.ceiling,
    "log": numbers.logarithm,
    "log10": numbers.logarithm,
    "log2": numbers.binary_logarithm,
    "ln": numbers.natural_logarithm,
    "exp": numbers.exponential,
    "sin": numbers.sine,
    "cos": numbers.cosine,
    "tan": numbers.tangent,
    "factorial": numbers.factorial,
    "pow": numbers.power,
    "min": numbers.smallest,
    "max": numbers.largest,
    "sum": numbers.total,
    "mean": numbers.mean,
    "median": numbers.median,
}


class CalculateParams(BaseToolParams):
    """What to work out."""

    expression: str = Field(
        description=(
            "Arithmetic as people write it: 15% of 2480, 2,480 + 14%, 3^7, sqrt(2), 2480的15%, 2的3次方. "
            "log is base 10, ln natural, log(x, b) base b; angles are radians unless marked with °."
        )
    )


@tool(
    category="calculation",
    tags=(
        "math",
        "arithmetic",
        "calculator",
        "percent",
        "number",
        "数学",
        "算术",
        "计算",
        "计算器",
        "百分比",
        "等于多少",
    ),
    capability_tags=("calculate", "计算"),
    examples=(
        "What is 15% of 2480?",
        "2,480 + 14%",
        "Calculate (3 + 4) * 12 / 5",
        "square root of 144",
        "3 to the power of 7",
        "average of 3, 5 and 10",
        "2480的15%是多少？",
        "计算 128 乘以 46",
        "2的3次方",
        "144的平方根",
        "3、5和8的平均值",
    ),
    returns="expression and value: a number, or its digits as text beyond 64 bits",
    answers={"en": "{expression} = {value}", "zh": "{expression} = {value}"},
)
class Calculate:
    """Work out arithmetic: sums, products, percentages, powers, roots, logarithms, averages.

    Exact where possible: 0.1 + 0.2 is 0.3. A percentage after plus or minus is of what stands before it, so 2,480 + 14%
    is 2827.2. Functions: sqrt, cbrt, abs, round, floor, ceil, log, ln, log10, log2, exp, sin, cos, tan, factorial, pow,
    min, max, sum, mean, median; constants pi and e.
    """

    async def execute(self, params: CalculateParams) -> dict[str, Any]:
        """The cleaned expression and its value, a whole number where it is one."""
        if len(params.expression) > MAX_LENGTH:
            raise numbers.refused(f"The expression has more than {MAX_LENGTH} characters; work it out in parts.")
        expression = read_expression(params.expression)
        shown = expression.shown[:200]
        try:
            value = _finish(_evaluate(expression))
        except ZeroDivisionError as error:
            raise numbers.refused(f"'{shown}' divides by zero, which has no value.") from error
        except ArithmeticError as error:
            raise numbers.refused(f"'{shown}' is too large or too small to compute.") from error
        except (RecursionError, MemoryError) as error:
            raise numbers.refused("The expression is nested too deeply; work it out in parts.") from error
        except (InvalidExpression, SyntaxError, TypeError, ValueError) as error:
            raise misread(f"'{shown}' cannot be worked out as it is written.") from error
        return {"expression": expression.shown, "value": value}


def _evaluate(expression: Expression) -> object:
    names = {"pi": math.pi, "e": math.e, **expression.numbers}
    engine: Any = SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=names)

    def value_of(node: ast.AST) -> Any:
        return engine.eval(expression.source, previously_parsed=node)

    def several(node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(value_of(element) for element in node.elts)

    def chain(node: ast.BinOp) -> numbers.Number:
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
    return engine.eval(expression.source)


def _finish(value: object) -> int | float | str:
    """The value people see: whole where it is, else the nearest decimal of 15 digits."""
    if not isinstance(value, Fraction | float):
        raise misread("The expression gives several values, not one.")
    exact = numbers.clean(value)
    if exact.denominator == 1:
        whole = int(exact)
        return whole if abs(whole) <= LARGEST_INTEGER else str(whole)
    nearest = float(exact)
    if nearest == 0:
        raise OverflowError
    return nearest if Fraction(repr(nearest)) == exact else float(f"{nearest:.15g}")
