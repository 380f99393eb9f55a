"""Reads arithmetic as people write it and turns it into a plain expression.

`15% of 2480`, `2的3次方`, `√16 × 2` become `pct(n0)*n1`, `n0**n1`, `sqrt(n0)*n1`; the numbers travel beside the text,
exactly. Nothing is computed here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from tools._numbers import exact, misread

_NAMED_BEFORE = r"floor exp log2 log10|lg ln|natural\slog ceil|ceiling sin|sine cos|cosine tan|tangent"
_SCALAR_FUNCTIONS = {
    **{words.split("|")[0]: (words, "") for words in _NAMED_BEFORE.split()},
    "factorial": ("factorial", r"!|的?阶乘|factorial(?!\s*(?:[(\d]|of\b))"),
    "deg": ("", "°|degrees?|度"),
    "pct": ("百分之", "percent|per cent|%"),
    "sqrt": ("sqrt|square root|√|根号", "的?(?:算术)?平方根|开平方|开根号"),
    "cbrt": ("cbrt|cube root", "的?立方根|开立方"),
    "square": (r"square(?=\s+of\b)", ""),
    "cube": (r"cube(?=\s+of\b)", ""),
    "multiple": ("", "倍"),
    "double": ("double|twice", "doubled"),
    "abs": ("abs|absolute value", "的?绝对值"),
}
"""Functions of one value: what they are called before it and after it; below, those of a list."""
_LIST_FUNCTIONS = {
    "min": ("minimum|min|smallest|lowest", "的?最小[值数]|[中里]最小的数?"),
    "max": ("maximum|max|largest|highest|greatest|biggest", "的?最大[值数]|[中里]最大的数?"),
    "sum": ("sum|total", "的?总和|的和|之和|相加(?:的和)?"),
    "product": ("product", "的?乘?积|之积|相乘"),
    "distance": ("(?:positive )?difference between", ""),
    "difference": ("difference", "的差|之差|相减"),
    "quotient": ("quotient", "的商|之商|相除"),
    "mean": ("average|mean|avg", "的?平均[值数]?|的?均值"),
    "median": ("median", "的?中位[数值]"),
    "mode": ("mode", "的?众数"),
    "spread": ("range", "的?极差"),
    "sample_deviation": ("sample standard deviation", "的?样本标准差"),
    "deviation": ("(?:population )?(?:standard deviation|std dev|stdev|std)", "的?(?:总体)?标准差"),
    "sample_variance": ("sample variance", "的?样本方差"),
    "variance": ("(?:population )?variance", "的?(?:总体)?方差"),
}
_OPERATORS = {
    "**": r"(?:raised )?to the power(?: of)?|raised to|\*\*|\^",
    "//": "//",
    "%": r"modulo|mod|取余|取模|(?<=\s)%(?=\s+[0-9.(])|(?<!\s)%(?=[0-9.(])",
    "*": r"multiplied by|times|乘以|乘上|乘|[x×*·⋅∙]",
    "/": "divided by|over|除以|[/÷∕]",
    "+": "[+]",
    "+ ": "plus|increased by|(?:增加|增长|上涨|涨|提高)了?(?!到|至)|加上|加",
    "-": "minus|negative|负|[-−–—]",
    "- ": r"decreased by|reduced by|less(?! than)|(?:减少|下降|降低|下跌|降)了?(?!到|至)|减去|减",
}
"""A space behind the name: the word stands between two values only, never as a sign before one."""
_PLAIN_NUMBER = re.compile(r"[0-9]+⁄[1-9][0-9]*|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NUMBER = re.compile(rf"[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9])(?:\.[0-9]+)?|{_PLAIN_NUMBER.pattern}")
_NTH_POWER = re.compile(r"的?\s*(-?[0-9]+(?:\.[0-9]+)?)\s*次[方幂](?!根)")
_IGNORED = re.compile(r"[\s$€£¥]+|the\b|元|块钱?|了(?=\s*[0-9])")


def _names(table: Mapping[str, str | tuple[str, str]], side: int = 0) -> list[tuple[str, re.Pattern[str]]]:
    """Each name with its pattern; a word made of letters must not run on into another letter."""
    return [
        (name, re.compile(rf"(?:{words})(?:(?<![a-zA-Z0-9])|(?![a-zA-Z]))", re.IGNORECASE))
        for name, words in ((name, words if isinstance(words, str) else words[side]) for name, words in table.items())
        if words
    ]


class Expression(NamedTuple):
    """An expression ready for the evaluator."""

    source: str
    """Python syntax, with `n0`, `n1`, … in place of the numbers."""
    numbers: dict[str, Fraction]


def read_expression(text: str) -> Expression:
    """Read `text`, whose numbers are digits; RetryTool when it is no arithmetic."""
    if len({*re.findall("[$€£¥]", text)}) > 1:
        raise misread("Amounts in several currencies are not added up.")
    reader, position = _Reader(), 0
    while position < len(text):
        position = _step(reader, text, position)
    return Expression(reader.finish(), reader.numbers)


def _step(reader: "_Reader", text: str, position: int) -> int:
    """Hand the token at `position` to the reader; return where the next one begins."""
    if ignored := _IGNORED.match(text, position):
        return ignored.end()
    if number := (_PLAIN_NUMBER if reader.levels[-1].commas_separate else _NUMBER).match(text, position):
        reader.number(number[0])
        return number.end()
    if power := _NTH_POWER.match(text, position):
        reader.power(f" {power[1]}")
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
    commas_separate: bool = False  # `1,234` is two values inside the brackets of a function that takes several
    waiting: list[int] = field(default_factory=list[int])
    held: list[int] = field(default_factory=list[int])
    """Functions without brackets (`√16`): those waiting for the end of a value, and those for that of a list."""
    tail: str = ""
    needs_list: bool = False
    separated: bool = False


class _Reader:
    """Builds the source token by token; `_operand` is where the value just read begins."""

    def __init__(self) -> None:
        self.numbers: dict[str, Fraction] = {}
        self._out: list[str] = []
        self._operand: int | None = None
        self.levels = [_Level(0, 0)]

    def number(self, text: str) -> None:
        if self._operand is not None and self._out[-1] in self.numbers:
            raise misread(f"Two numbers stand side by side before '{text[:40]}'.")
        name = f"n{len(self.numbers)}"
        self.numbers[name] = exact(text)
        self.value(name)

    def value(self, source: str) -> None:
        self._begin()
        self._operand = len(self._out)
        self._out.append(source)

    def operator(self, name: str) -> None:
        """An operator between two values, or a sign before one."""
        level, sign = self.levels[-1], self._operand is None
        self._settle(loosely=name != "**")
        if sign and name not in {"+", "-"}:
            raise misread(f"A number is missing before '{name}'.")
        if level.separated and level.tail and not sign and name != "**":
            raise misread(f"Whether '{name}' belongs to the list or comes after it is not clear: put it in brackets.")
        self._out.append(name)
        self._operand = None
        if not (sign or level.separated or name == "**"):
            level.inside = len(self._out)

    def power(self, exponent: str) -> None:
        """`²`; with a space in front, in words (`squared`, `的3次方`): there a sign before the number is ambiguous."""
        if exponent.startswith(" ") and self._is_signed():
            raise misread("The power of a number with a sign needs brackets: (-3)^2 or -(3^2).")
        self.operator("**")
        if "-" in exponent:
            self.operator("-")
        self.number(exponent.strip(" -"))

    def postfix(self, function: str) -> None:
        """A function written after its value: `5!`, `15%`, `144的平方根`."""
        if self._operand is None:
            raise misread("A percent sign, factorial or the like has no number before it.")
        waiting = self.levels[-1].waiting
        if waiting and self._out[waiting[-1]] == "share(" and function not in {"pct", "multiple", "deg"}:
            self._settle()
        if function in {"sqrt", "cbrt", "abs"} and self._is_signed():
            self._operand -= 1
        self._out.insert(self._operand, f"{function}(")
        self._out.append(")")

    def list_postfix(self, function: str) -> None:
        """A function written after a list, which begins after the last operator: `3、5和8的平均值`, `2乘以3和5的和`."""
        self._settle()
        level = self.levels[-1]
        if self._operand is None or not level.separated:
            raise misread("A sum, an average or the like needs a list of numbers before it.")
        self._operand, level.separated = level.inside, False
        self.postfix(function)

    def scalar_function(self, name: str) -> None:
        """A function of one value; without brackets it takes the next one: `√16`."""
        self._begin()
        self.levels[-1].waiting.append(len(self._out))
        self._out.append(f"{name}(")

    def list_function(self, name: str) -> None:
        """A function of several values; without brackets it takes all that follow: `sum of 3, 4 and 5`."""
        self._begin()
        level = self.levels[-1]
        level.held, level.waiting = level.waiting, []
        level.tail += ")" * (len(level.held) + 1)
        level.needs_list |= name in _LIST_FUNCTIONS
        self._out.append(f"{name}(")

    def of(self, function: str) -> None:
        """`15% of 2480` takes a part, before other operators do; in `square root of 144` it only joins."""
        if self._operand is not None:
            self._out.insert(self._operand, f"{function}(")
            self._out.append(",")
            self.levels[-1].waiting.append(self._operand)
            self._operand = None
        elif self._after_function():
            self._out.append("")
        else:
            raise misread("Nothing stands before 'of'.")

    def separator(self, comma: str) -> None:
        self._settle()
        if self._operand is None:
            raise misread("A value is missing before a comma.")
        self._out.append(comma)
        self._operand = None
        self.levels[-1].separated = True

    def open(self, _: str) -> None:
        """A bracket: that of the function just named, or one around a part."""
        level, start, several = self.levels[-1], len(self._out) - 1, False
        if len(self.levels) > 50:  # noqa: PLR2004 - beyond any bracket a person would write
            raise misread("The brackets are nested too deeply.")
        if not self._after_function():
            self._begin()
            start, several = len(self._out), level.commas_separate
            self._out.append("(")
        elif start in level.waiting:
            level.waiting.pop()
        else:
            level.tail, level.needs_list, level.waiting = level.tail[len(level.held) + 1 :], False, level.held
            several = True
        self._out.append("")
        self.levels.append(_Level(start, len(self._out), several))
        self._operand = None

    def close(self, _: str) -> None:
        self._settle()
        if len(self.levels) == 1 or self._operand is None:
            raise misread("A bracket is closed too early.")
        level = self._closed()
        self._out.append(level.tail + ")")
        self._operand = level.start
        self.levels[-1].separated |= level.separated and self._out[level.start] == "("

    def finish(self) -> str:
        """The source, with everything closed that was left open on purpose."""
        self._settle()
        if len(self.levels) > 1:
            raise misread("A bracket is opened and never closed.")
        if self._operand is None:
            raise misread("The expression ends where a number is expected.")
        return "".join(self._out) + self._closed().tail

    def _closed(self) -> _Level:
        level = self.levels.pop()
        if level.needs_list and not level.separated:
            raise misread("A sum, an average or the like needs several numbers: write them like 100, 200 and 300.")
        return level

    def _after_function(self) -> bool:
        return bool(self._out) and self._operand is None and self._out[-1].endswith("(") and self._out[-1] != "("

    def _is_signed(self) -> bool:
        before = (self._operand or 0) - 1
        return before == self.levels[-1].inside and self._out[before] == "-"

    def _begin(self) -> None:
        """Two values side by side are a product: `2(3+4)`, `2π`."""
        self._settle()
        if self._operand is not None:
            self.operator("*")

    def _settle(self, *, loosely: bool = True) -> None:
        """End the functions without brackets that wait for the value just read; a power comes before `of`."""
        waiting = self.levels[-1].waiting
        while self._operand is not None and waiting and (loosely or self._out[waiting[-1]] not in {"part(", "off("}):
            self._out.append(")")
            self._operand = waiting.pop()


_SYMBOLS: list[tuple[Callable[[_Reader, str], None], list[tuple[str, re.Pattern[str]]]]] = [
    (_Reader.list_postfix, _names(_LIST_FUNCTIONS, 1)),
    (_Reader.operator, _names(_OPERATORS)),
    (_Reader.power, _names({"2": "²", "3": "³", " 2": "squared|的?平方(?!根)", " 3": "cubed|的?立方(?!根)"})),
    (_Reader.postfix, _names(_SCALAR_FUNCTIONS, 1)),
    (_Reader.scalar_function, _names(_SCALAR_FUNCTIONS)),
    (_Reader.list_function, _names({**_LIST_FUNCTIONS, "round": "round", "log": "log", "pow": "pow"})),
    (_Reader.value, _names({"pi": "pi|π|圆周率", "e": "e"})),
    (_Reader.of, _names({"off": "(?:off|discount on)(?: of)?", "part": "of", "share": "的"})),
    (_Reader.separator, _names({",": r"[,;、，]\s*(?:and\b|和)|[,;、，和与跟]|and"})),
    (_Reader.open, _names({"(": r"[(\[]"})),
    (_Reader.close, _names({")": r"[)\]]"})),
]
