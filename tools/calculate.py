"""Arithmetic as people write and say it, exact where it can be.

Conversions go to `tools.core.units`. Of the rest, whole sentences ("increase 80 by 25%") are put in order here,
`tools._expression` reads the outcome, `tools._numbers` knows the operators; between them stands simpleeval, reduced to
numbers, brackets and our functions: nothing else exists inside it.
"""

import ast
import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from pydantic import Field
from simpleeval import InvalidExpression, SimpleEval

from tools import _numbers as numbers
from tools._expression import Expression, read_expression
from tools.core import BaseToolParams, tool
from tools.core.numbers import in_digits
from tools.core.units import read_conversion

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
    ast.UAdd: lambda *values: values[0],
}
_FUNCTIONS: dict[str, Callable[..., numbers.Number]] = {
    "pct": numbers.percent,
    "part": numbers.part,
    "share": numbers.part,
    "off": numbers.off,
    "multiple": numbers.Percent,
    "double": partial(numbers.multiply, Fraction(2)),
    "square": partial(numbers.power, exponent=Fraction(2)),
    "cube": partial(numbers.power, exponent=Fraction(3)),
    "deg": math.radians,
    "sqrt": numbers.square_root,
    "cbrt": numbers.cube_root,
    "abs": numbers.absolute,
    "round": numbers.rounded,
    "floor": numbers.floor,
    "ceil": numbers.ceiling,
    "log": numbers.logarithm,
    "log10": numbers.logarithm,
    "log2": partial(numbers.logarithm, base=Fraction(2)),
    "ln": numbers.natural_logarithm,
    "exp": math.exp,
    "sin": partial(numbers.wave, math.sin),
    "cos": partial(numbers.wave, math.cos),
    "tan": numbers.tangent,
    "factorial": numbers.factorial,
    "pow": numbers.power,
    "min": lambda *values: min(numbers.flattened(values)),
    "max": lambda *values: max(numbers.flattened(values)),
    "sum": numbers.total,
    "product": numbers.product,
    "difference": numbers.difference,
    "distance": lambda *values: abs(numbers.difference(*values)),
    "quotient": numbers.quotient,
    "mean": numbers.mean,
    "median": numbers.median,
    "mode": numbers.mode,
    "spread": lambda *values: max(numbers.flattened(values)) - min(numbers.flattened(values)),
    "variance": numbers.variance,
    "sample_variance": partial(numbers.variance, sample=True),
    "deviation": lambda *values: numbers.square_root(numbers.variance(*values)),
    "sample_deviation": lambda *values: numbers.square_root(numbers.variance(*values, sample=True)),
}

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0xFFE5: "¥", 0xFFE1: "£"}
_LEAD_IN = re.compile(
    r"^(?:\s|:|please\b|can you\b|could you\b|tell me\b|what is\b|what's\b|how much is\b|calculate\b|compute\b"
    r"|evaluate\b|work out\b|find\b|convert\b|the\b|请问?|帮我|给我|告诉我|计算一?下?|算一?[下算]|算|求|[把将])+",
    re.IGNORECASE,
)
_LEAD_OUT = re.compile(
    r"(?:\s|[=?.。]|等于|得到?|结果|(?<!百分之)(?:是|为)|(?:一共|总共)|(?<!百分之)(?:多少钱?|几)|呢)+$"
)
_ATOM = r"(?:[-+]?[$€£¥]?[0-9][0-9,.]*(?:⁄[0-9]+)?\s*(?:%|percent\b|元)?|\([^()]*\))"
_NEAREST = {"10": -1, "100": -2, "hundred": -2, "1000": -3, "thousand": -3, "tenth": 1, "hundredth": 2}
_PHRASES = [
    (re.compile(pattern.replace("ATOM", _ATOM), re.IGNORECASE), outcome)
    for pattern, outcome in (
        (
            r"(?:round )?(.+?),? (?:rounded )?(?:off )?to (\d+) (?:decimal )?(?:places?|decimals?|digits?)",
            "round(({}),{})",
        ),
        (r"(?:round )?(.+?),? (?:rounded )?(?:off )?to (?:the nearest )?(?:integer|whole number)", "round({})"),
        (r"(?:round )?(.+?),? (?:rounded )?(?:off )?to the nearest (\w+)", "round(({}),{})"),
        (r"(.+?)[,，]?\s*(?:四舍五入)?(?:保留|精确到|到)小数点后面?(\d+)位(?:小数)?", "round(({}),{})"),
        (r"(.+?)[,，]?\s*(?:四舍五入)?(?:保留|精确到|到)(\d+)位小数", "round(({}),{})"),
        (r"(.+?)[,，]?\s*四舍五入(?:[到取]整数?)?|(.+?)[,，]?\s*(?:保留|精确到)整数|四舍五入(.+)", "round({})"),
        (r"what percent(?:age)? of (.+) is (ATOM)", "%({1})/({0})*100"),
        (r"(.+) (?:is|are) what percent(?:age)? of (ATOM)", "%({})/({})*100"),
        (r"(.+) (?:as|in) (?:a )?percent(?:age)? of (ATOM)", "%({})/({})*100"),
        (r"(.+) out of (ATOM) (?:as|in) (?:a )?percent(?:age)?", "%({})/({})*100"),
        (r"(.+?)(?:是|占|为)(.+)的(?:百分之(?:几|多少)?|百分比|多少%)", "%({})/({})*100"),
        (r"(.+)的(?:百分之(?:几|多少)|多少%)是(ATOM)", "%({1})/({0})*100"),
        (r"(.+) (?:as|in|to) (?:a )?percent(?:age)?|(.+?)(?:换算|转换|转化|化|转|换)[成为]百分[数比]", "%({})*100"),
        (r"percent(?:age)? (?:change|increase) from (.+) to (ATOM)", "%(({1})-({0}))/({0})*100"),
        (r"percent(?:age)? (?:decrease|drop) from (.+) to (ATOM)", "%(({0})-({1}))/({0})*100"),
        (
            r"从(.+)(?:增长|增加|上涨|涨|提高)到(.+?)[,，]?(?:增长|增加|上涨|涨|提高)了?百分之(?:几|多少)?",
            "%(({1})-({0}))/({0})*100",
        ),
        (r"(?:increase|raise) (.+) by (ATOM)|(.+) with (?:an? )?(ATOM) (?:tax|tip)", "({})+({})"),
        (r"(?:decrease|reduce|lower) (.+) by (ATOM)|(.+) with (?:an? )?(ATOM) (?:off|discount)", "({})-({})"),
        (r"add (.+) (?:to|and) (ATOM)|(ATOM) more than (ATOM)", "({1})+({0})"),
        (r"subtract (.+) from (ATOM)|(ATOM) less than (ATOM)", "({1})-({0})"),
        (r"multiply (.+) (?:by|and|with) (ATOM)", "({})*({})"),
        (r"divide (.+) by (ATOM)", "({})/({})"),
        (r"(?:从|用)(.+)(?:减去|减|里减去|中减去)(ATOM)|比(ATOM)[少小低](ATOM)(?:的数)?", "({})-({})"),
        (r"比(ATOM)[多大高](ATOM)(?:的数)?", "({})+({})"),
        (r"(ATOM)的?打([1-9](?:\.\d+)?)折", "({})*({}/10)"),
        (r"(ATOM)的?打对折", "({})/2"),
        (r"(ATOM)的?打([1-9]\d)折", "({})*({}/100)"),
        (r"(.+) to the (\d+)(?:st|nd|rd|th) power", "({})^{}"),
        (r"square (?!root|of)(.+)", "({})^2"),
        (r"cube (?!root|of)(.+)", "({})^3"),
    )
]
"""Sentences and what they come to; a percent sign in front: the answer is in percent. Where a sentence could end in
more than one place, only a number or a bracket may stand: "divide 10 by 4 plus 1" is refused."""


class CalculateParams(BaseToolParams):
    """What to work out."""

    expression: str = Field(
        description=(
            "Arithmetic or a conversion as people say it: 15% of 2480, a third of 99, 3^7, 20% off 150, median of 3, 5 "
            "and 8, 72 °F in °C, 2480的15%, 一百二十除以八, 3斤等于多少克. "
            "log is base 10, ln natural, log(x, b) base b; angles are radians unless marked with °."
        )
    )


_TAGS = """math arithmetic calculator percent percentage fraction number discount round power factorial average median
sum statistics deviation unit convert conversion temperature length weight volume area speed fahrenheit celsius miles
pounds 数学 算术 计算 计算器 百分比 百分之几 分数 打折 四舍五入 平方 阶乘 平均数 中位数 标准差 统计 等于多少 换算
单位换算 温度 长度 重量 体积 面积 速度 华氏度 摄氏度 公里 公斤"""


@tool(
    category="calculation",
    tags=tuple(_TAGS.split()),
    capability_tags=("calculate", "convert", "计算", "换算"),
    examples=(
        "What is 15% of 2480?",
        "Calculate (3 + 4) * 12 / 5",
        "three hundred and five times twelve",
        "square root of 144",
        "what percent of 80 is 20",
        "average of 3, 5 and 10",
        "convert 72 fahrenheit to celsius",
        "how many km is 5 miles",
        "2480的15%是多少？",
        "一百二十除以八",
        "2的3次方",
        "20是80的百分之几",
        "3、5和8的平均值",
        "把72华氏度换算成摄氏度",
        "3斤等于多少克",
    ),
    returns="expression and value: a number, or its digits as text beyond 64 bits; unit of a conversion or percentage",
    answers={"en": "{expression} = {value}", "zh": "{expression} = {value}"},
)
class Calculate:
    """Work out arithmetic, percentages, statistics over a list, and unit conversions, in words or digits.

    Exact where possible: 0.1 + 0.2 is 0.3. A percentage after plus or minus is of what stands before it, so 2,480 + 14%
    is 2827.2. Powers, roots, logarithms, sin, cos, tan, factorial, rounding; sum, product, mean, median, mode, min,
    max, range, variance and standard deviation (of all values unless "sample" is said); constants pi and e. Converts
    length, mass, temperature, volume, area, speed, time, data (GB is 10^9 bytes, GiB 2^30), energy, power, pressure.
    """

    async def execute(self, params: CalculateParams) -> dict[str, Any]:
        """The cleaned expression and its value, a whole number where it is one; the unit where it has one."""
        if len(params.expression) > MAX_LENGTH:
            raise numbers.refused(f"The expression has more than {MAX_LENGTH} characters; work it out in parts.")
        shown = " ".join(_LEAD_OUT.sub("", _LEAD_IN.sub("", params.expression.translate(_FULL_WIDTH))).split())
        try:
            return _work_out(shown)
        except ZeroDivisionError as error:
            raise numbers.refused(f"'{shown[:200]}' divides by zero, which has no value.") from error
        except ArithmeticError as error:
            raise numbers.refused(f"'{shown[:200]}' is too large or too small to compute.") from error
        except (RecursionError, MemoryError) as error:
            raise numbers.refused("The expression is nested too deeply; work it out in parts.") from error
        except (InvalidExpression, SyntaxError, TypeError, ValueError) as error:
            raise numbers.misread(f"'{shown[:200]}' cannot be worked out as it is written.") from error


_WRITTEN = re.compile(r"(?:[\d.+*/^()-]|\d,(?=\d{3})|%(?! ?\d)|\s|\bof\b)+", re.ASCII)
"""Arithmetic without a word to interpret: nothing to look up in tables."""


def _work_out(text: str) -> dict[str, Any]:
    if _WRITTEN.fullmatch(text):
        return {"expression": text, "value": _finish(_evaluate(read_expression(text)))}
    chinese = re.search("[一-鿿]", text) is not None
    if conversion := read_conversion(text):
        shown = conversion.shown(chinese=chinese)
        return {"expression": shown, "value": _finish(conversion.value), "unit": conversion.target.symbol}
    source = _in_order(in_digits(text))
    expression = read_expression(source.removeprefix("%"))
    shown, value = text, _finish(_evaluate(expression))
    if re.match(r"(?:deviation|variance)\(", expression.source) and not re.search("population|总体", text):
        shown += "（总体）" if chinese else " (population)"
    return {"expression": shown, "value": value} | ({"unit": "%"} if source.startswith("%") else {})


def _in_order(text: str) -> str:
    """The text as one expression: "subtract 4 from 9" is (9)-(4)."""
    for pattern, outcome in _PHRASES:
        if match := pattern.fullmatch(text):
            parts = [_in_order(part) for part in match.groups() if part is not None]
            if "nearest" in pattern.pattern and len(parts) > 1:
                parts[1] = str(_NEAREST.get(parts[1], parts[1]))
            sign = "%" if outcome.startswith("%") or parts[0].startswith("%") else ""
            return sign + outcome.removeprefix("%").format(*(part.removeprefix("%") for part in parts))
    return text


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
        raise numbers.misread("The expression gives several values, not one.")
    exact = numbers.clean(value)
    if exact.denominator == 1:
        whole = int(exact)
        return whole if abs(whole) <= LARGEST_INTEGER else str(whole)
    nearest = float(exact)
    if nearest == 0:
        raise OverflowError
    return nearest if Fraction(repr(nearest)) == exact else float(f"{nearest:.15g}")
