"""Reads arithmetic as people write it and turns it into a plain expression.

`15% of 2480`, `2的3次方`, `√16 × 2` become `pct(n0)*n1`, `n0**n1`, `sqrt(n0)*n1`; the numbers travel beside the text,
exactly. Nothing is computed here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from tools._numbers import exact
from tools.core import RetryTool

_SCALAR_FUNCTIONS = {
    **{name: name for name in ("floor", "log2", "exp", "factorial")},
    "sqrt": "sqrt|square root|√|根号",
    "cbrt": "cbrt|cube root",
    "abs": "abs|absolute value",
    "ceil": "ceiling|ceil",
    "ln": "natural log|ln",
    "log10": "log10|lg",
    "sin": "sine|sin",
    "cos": "cosine|cos",
    "tan": "tangent|tan",
    "pct": "百分之",
}
_LIST_FUNCTIONS = {
    **{name: name for name in ("round", "log", "pow")},
    "min": "minimum|min",
    "max": "maximum|max",
    "sum": "sum",
    "mean": "average|mean|avg",
    "median": "median",
}
_POSTFIX = {
    "factorial": "!|的?阶乘",
    "deg": "°|degrees?|度",
    "pct": "percent|per cent|%",
    "sqrt": "的?(?:算术)?平方根",
    "cbrt": "的?立方根",
    "abs": "的?绝对值",
}
_LIST_POSTFIX = {
    "mean": "的?平均[值数]|的?均值",
    "median": "的?中位数",
    "sum": "的总?和|的?总和",
    "max": "的?最大值",
    "min": "的?最小值",
}
_OPERATORS = {
    "**": r"to the power(?: of)?|raised to|\*\*|\^",
    "//": "//",
    "%": r"modulo|mod|取余|取模|(?<=\s)%(?=\s+[0-9.(])|(?<!\s)%(?=[0-9.(])",
    "*": r"multiplied by|times|乘以|乘上|乘|[x×*·⋅∙]",
    "/": "divided by|over|除以|[/÷∕]",
    "+": "plus|加上|加|[+]",
    "-": "minus|减去|减|[-−–—]",
}
_POWERS = {"2": "squared|的?平方(?!根)|²", "3": "cubed|的?立方(?!根)|³"}
_CONSTANTS = {"pi": "pi|π|圆周率", "e": "e"}

_PLAIN_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NUMBER = re.compile(rf"[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9])(?:\.[0-9]+)?|{_PLAIN_NUMBER.pattern}")
_NTH_POWER = re.compile(r"的?\s*(-?[0-9]+(?:\.[0-9]+)?)\s*次[方幂]")
_IGNORED = re.compile(r"[\s$€£¥]+|the\b")

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0xFFE5: "¥", 0xFFE1: "£"}
_LEAD_IN = re.compile(
    r"^(?:\s|:|please\b|can you\b|could you\b|what is\b|what's\b|how much is\b|calculate\b|compute\b|evaluate\b"
    r"|work out\b|the\b|请问?|帮我|计算一?下?|算一?下|求)+",
    re.IGNORECASE,
)
_LEAD_OUT = re.compile(r"(?:\s|[=?.。]|等于|是|多少)+$")


def _names(table: dict[str, str]) -> list[tuple[str, re.Pattern[str]]]:
    """Each name with its pattern; a word made of letters must not run on into another letter."""
    return [
        (name, re.compile(rf"(?:{words})(?:(?<![a-zA-Z0-9])|(?![a-zA-Z]))", re.IGNORECASE))
        for name, words in table.items()
    ]


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression ready for the evaluator."""

    shown: str
    """As people read it."""
    source: str
    """Python syntax, with `n0`, `n1`, … in place of the numbers."""
    numbers: dict[str, Fraction]


def read_expression(text: str) -> Expression:
    """Read `text`.

    Raises:
        RetryTool: when it is no arithmetic this reader knows; the hint shows the forms that work.
    """
    shown = " ".join(_LEAD_OUT.sub("", _LEAD_IN.sub("", text.translate(_FULL_WIDTH))).split())
    if not shown:
        raise misread("The expression is empty.")
    reader = _Reader()
    position = 0
    while position < len(shown):
        position = _step(reader, shown, position)
    return Expression(shown, reader.finish(), reader.numbers)


def misread(problem: str) -> RetryTool:
    """The error for an expression that cannot be read."""
    return RetryTool(problem, hint="Write it like 2480 * 15%, (3 + 4)^2, sqrt(144) or 2480的15%.")


def _step(reader: "_Reader", text: str, position: int) -> int:
    """Hand the token at `position` to the reader; return where the next one begins."""
    if ignored := _IGNORED.match(text, position):
        return ignored.end()
    if number := (_PLAIN_NUMBER if reader.commas_separate else _NUMBER).match(text, position):
        reader.number(number[0])
        return number.end()
    if power := _NTH_POWER.match(text, position):
        reader.power(power[1])
        return power.end()
    for read, symbols in _SYMBOLS:
        for name, pattern in symbols:
            if match := pattern.match(text, position):
                read(reader, name)
                return match.end()
    raise misread(f"'{text[position : position + 20]}' in '{text[:200]}' is not arithmetic I can read.")


@dataclass(slots=True)
class _Level:
    """An open bracket with its function, or the whole expression: where it starts and where its content does."""

    start: int
    inside: int
    commas_separate: bool = False
    waiting: list[int] = field(default_factory=list[int])
    """Functions without brackets (`√16`) whose value has not ended yet."""
    tail: str = ""


class _Reader:
    """Builds the source token by token; `_operand` is where the value just read begins."""

    def __init__(self) -> None:
        self.numbers: dict[str, Fraction] = {}
        self._out: list[str] = []
        self._operand: int | None = None
        self._levels = [_Level(0, 0)]

    @property
    def commas_separate(self) -> bool:
        """Whether `1,234` here is two values: inside the brackets of a function that takes several."""
        return self._levels[-1].commas_separate

    def number(self, text: str) -> None:
        """A number, kept exactly."""
        if self._operand is not None and self._out[-1] in self.numbers:
            raise misread(f"Two numbers stand side by side before '{text[:40]}'.")
        name = f"n{len(self.numbers)}"
        self.numbers[name] = exact(text)
        self.value(name)

    def value(self, source: str) -> None:
        """A number or a constant."""
        self._begin()
        self._operand = len(self._out)
        self._out.append(source)

    def operator(self, name: str) -> None:
        """An operator between two values, or a sign before one."""
        self._settle()
        if self._operand is None and name not in "+-":
            raise misread(f"A number is missing before '{name}'.")
        self._out.append(name)
        self._operand = None

    def power(self, exponent: str) -> None:
        """`²`, `squared`, `的3次方`."""
        self.operator("**")
        if exponent.startswith("-"):
            self.operator("-")
        self.number(exponent.lstrip("-"))

    def postfix(self, function: str) -> None:
        """A function written after its value: `5!`, `15%`, `144的平方根`."""
        if self._operand is None:
            raise misread("A percent sign, factorial or the like has no number before it.")
        self._out.insert(self._operand, f"{function}(")
        self._out.append(")")

    def list_postfix(self, function: str) -> None:
        """A function written after a list: `3、5和8的平均值`."""
        self._settle()
        if self._operand is not None:
            self._operand = self._levels[-1].inside
        self.postfix(function)

    def scalar_function(self, name: str) -> None:
        """A function of one value; without brackets it takes the next one: `√16`."""
        self._begin()
        self._levels[-1].waiting.append(len(self._out))
        self._out.append(f"{name}(")

    def list_function(self, name: str) -> None:
        """A function of several values; without brackets it takes all that follow: `sum of 3, 4 and 5`."""
        self._begin()
        self._levels[-1].tail += ")"
        self._out.append(f"{name}(")

    def of(self, _: str) -> None:
        """`15% of 2480` multiplies; in `square root of 144` it only joins."""
        if self._operand is not None:
            self.operator("*")
        elif self._after_function():
            self._out.append("")
        else:
            raise misread("Nothing stands before 'of'.")

    def separator(self, comma: str) -> None:
        """What stands between the values of a list."""
        self._settle()
        if self._operand is None:
            raise misread("A value is missing before a comma.")
        self._out.append(comma)
        self._operand = None

    def open(self, _: str) -> None:
        """A bracket: that of the function just named, or one around a part."""
        level, start, several = self._levels[-1], len(self._out) - 1, self.commas_separate
        if len(self._levels) > 50:  # noqa: PLR2004 - beyond any bracket a person would write
            raise misread("The brackets are nested too deeply.")
        if not self._after_function():
            self._begin()
            start = len(self._out)
            self._out.append("(")
        elif start in level.waiting:
            level.waiting.pop()
            several = False
        else:
            level.tail = level.tail[1:]
            several = True
        self._out.append("")
        self._levels.append(_Level(start, len(self._out), several))
        self._operand = None

    def close(self, _: str) -> None:
        """The end of a bracket."""
        self._settle()
        if len(self._levels) == 1 or self._operand is None:
            raise misread("A bracket is closed too early.")
        level = self._levels.pop()
        self._out.append(level.tail + ")")
        self._operand = level.start

    def finish(self) -> str:
        """The source, with everything closed that was left open on purpose."""
        self._settle()
        if len(self._levels) > 1:
            raise misread("A bracket is opened and never closed.")
        if self._operand is None:
            raise misread("The expression ends where a number is expected.")
        return "".join(self._out) + self._levels[0].tail

    def _after_function(self) -> bool:
        return bool(self._out) and self._operand is None and self._out[-1].endswith("(") and self._out[-1] != "("

    def _begin(self) -> None:
        """Two values side by side are a product: `2(3+4)`, `2π`."""
        self._settle()
        if self._operand is not None:
            self.operator("*")

    def _settle(self) -> None:
        """End the functions without brackets that were waiting for the value just read."""
        waiting = self._levels[-1].waiting
        while self._operand is not None and waiting:
            self._out.append(")")
            self._operand = waiting.pop()


_SYMBOLS: list[tuple[Callable[[_Reader, str], None], list[tuple[str, re.Pattern[str]]]]] = [
    (_Reader.list_postfix, _names(_LIST_POSTFIX)),
    (_Reader.operator, _names(_OPERATORS)),
    (_Reader.power, _names(_POWERS)),
    (_Reader.postfix, _names(_POSTFIX)),
    (_Reader.scalar_function, _names(_SCALAR_FUNCTIONS)),
    (_Reader.list_function, _names(_LIST_FUNCTIONS)),
    (_Reader.value, _names(_CONSTANTS)),
    (_Reader.of, _names({"of": "of|的"})),
    (_Reader.separator, _names({",": "[,;、和与]|and"})),
    (_Reader.open, _names({"(": r"[(\[]"})),
    (_Reader.close, _names({")": r"[)\]]"})),
]
