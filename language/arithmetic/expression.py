"""Reads arithmetic as people write it, its amounts taken out, and turns it into a plain expression.

`15% of 2480`, `2的3次方`, `√16 × 2` become `part(n0,n1)`, `n0**n1`, `sqrt(n0)*n1`; the numbers travel beside the text,
exactly. Nothing is computed here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from switchyard.language.arithmetic.amounts import ANY, Amount, in_small_letters
from switchyard.language.arithmetic.operations import misread
from switchyard.language.messages import message
from switchyard.language.tables import rows

_NUMBER = re.compile(rf"[{ANY}]|[0-9]+(?:\.[0-9]+)?")
_NTH_POWER = re.compile(rf"的?\s*(-?)([{ANY}]|[0-9]+)\s*次[方幂](?!根)")
_NTH_ROOT = re.compile(rf"的?\s*([{ANY}])\s*次方?根|开\s*([{ANY}])\s*次方")
_IGNORED = re.compile(rf"\s+|the\b|了(?=[{ANY}])")

_OPERATORS = {
    "**": r"(?:raised )?to the power(?: of)?|raised to(?! the \S+ power)|\*\*|\^",
    "//": "//",
    "%": r"modulo|mod|取余|取模|(?<=\s)%(?=\s)|(?<!\s)%(?=\S)",
    "*": r"multiplied (?:by|with)|times|乘以|乘上|乘|[x×*]",
    "/": "divided by|over|除以|[/÷]",
    "+": "[+]",
    "+ ": "plus|added to|increased by|(?:增加|增长|上涨|涨|提高)了?(?!到|至)|加上|加(?!起来|到|在一起)",
    "-": "minus|negative|负|[-]",
    "- ": r"decreased by|reduced by|less(?! than)|take away|(?:减少|下降|降低|下跌|降)了?(?!到|至)|减去|减掉|减",
}
"""A space behind the name: the word stands between two values only, never as a sign before one."""
_POWERS = {"2": "²", "3": "³", " 2": "squared|的?平方(?!根)", " 3": "cubed|的?立方(?!根)"}
_INNER = ("discounted", "saved", "significant", "to_multiple", "grown", "shrunk", "prime", "factors")
"""Functions that are only named by the outcomes of sentences."""
_SEVERAL = ("round", "log", "pow", "root")
"""Functions that are written with brackets and take more than one value, but are none of a list."""
_CONSTANTS = {"pi": "pi|π|圆周率", "e": "e"}
_JOINTS = {"off": "(?:off|discount on)(?: of)?", "part": "of", "share": "的"}
_SEPARATORS = {",": r"[,;、]\s*(?:and\b|和|以及|还有)|[,;、和与跟及]|还有|and\b"}


class Expression(NamedTuple):
    """An expression ready for the evaluator."""

    source: str
    """Python syntax, with `n0`, `n1`, … in place of the numbers."""
    numbers: dict[str, Amount]


def read_expression(text: str, amounts: Mapping[str, Amount]) -> Expression:
    """Read a text whose amounts are taken out; Misread when it is no arithmetic."""
    text = in_small_letters(text)
    reader, position = _Reader(amounts), 0
    while position < len(text):
        position = _step(reader, text, position)
    return Expression(reader.finish(), reader.numbers)


def _step(reader: "_Reader", text: str, position: int) -> int:
    """Hand the token at `position` to the reader; return where the next one begins."""
    if ignored := _IGNORED.match(text, position):
        return ignored.end()
    if number := _NUMBER.match(text, position):
        reader.number(number[0])
        return number.end()
    if power := _NTH_POWER.match(text, position):
        reader.power(power[2], sign=power[1], spoken=True)
        return power.end()
    if root := _NTH_ROOT.match(text, position):
        reader.root(root[1] or root[2])
        return root.end()
    if symbol := _symbol().match(text, position):
        read, name = _readers()[int((symbol.lastgroup or "")[1:])][:2]
        read(reader, name)
        return symbol.end()
    raise misread(message("no_arithmetic", text=reader.spoken(text[position : position + 20])))


@dataclass(slots=True)
class _Level:
    """An open bracket with its function, or the whole expression: where it starts and where its content does."""

    start: int
    inside: int
    waiting: list[int] = field(default_factory=list[int])
    held: list[int] = field(default_factory=list[int])
    """Functions without brackets (`√16`): those waiting for the end of a value, and those for that of a list."""
    tail: str = ""
    needs_list: bool = False
    separated: bool = False


class _Reader:
    """Builds the source token by token; `_operand` is where the value just read begins."""

    def __init__(self, amounts: Mapping[str, Amount]) -> None:
        self.numbers: dict[str, Amount] = {}
        self._amounts = amounts
        self._out: list[str] = []
        self._operand: int | None = None
        self.levels = [_Level(0, 0)]

    def number(self, text: str) -> None:
        if self._operand is not None:
            raise misread(message("two_numbers_side_by_side", text=self.spoken(text)[:40]))
        name = f"n{len(self.numbers)}"
        self.numbers[name] = self._amounts.get(text) or Amount(Fraction(text), text)
        self.value(name)

    def spoken(self, text: str) -> str:
        """A piece of the text as it was written."""
        return re.sub(f"[{ANY}]", lambda match: self._amounts[match[0]].text, text)

    def value(self, source: str) -> None:
        self._begin()
        self._operand = len(self._out)
        self._out.append(source)

    def operator(self, name: str) -> None:
        """An operator between two values, or a sign before one."""
        level, sign = self.levels[-1], self._operand is None
        self._settle(loosely=name != "**")
        if sign and name not in {"+", "-"}:
            raise misread(message("number_missing_before", name=name))
        if level.separated and level.tail and not sign and name != "**":
            raise misread(message("belongs_unclear", name=name))
        self._out.append(name)
        self._operand = None
        if not (sign or level.separated or name == "**"):
            level.inside = len(self._out)

    def power(self, exponent: str, *, sign: str = "", spoken: bool = False) -> None:
        """`²`, or in words (`squared`, `的3次方`): there a sign before the number is ambiguous."""
        if (spoken or exponent.startswith(" ")) and self._is_signed():
            raise misread(message("power_of_signed"))
        self._settle(loosely=False)
        start = self._operand
        self.operator("**")
        if sign:
            self.operator("-")
        self.number(exponent.strip())
        if spoken and start is not None:  # 2的3次方的2次方 is (2^3)^2, where 2^3^2 groups from the right
            self._out.insert(start, "(")
            self._out.append(")")
            self._operand = start

    def root(self, degree: str) -> None:
        """`16的四次方根`: a function of two values, the second behind the first."""
        self.postfix("root")
        name = f"n{len(self.numbers)}"
        self.numbers[name] = self._amounts[degree]
        self._out[-1] = f",{name})"

    def postfix(self, function: str) -> None:
        """A function written after its value: `5!`, `15%`, `144的平方根`."""
        if self._operand is None:
            raise misread(message("nothing_before_sign"))
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
            raise misread(message("list_missing_before"))
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
        level.needs_list |= name in _functions()
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
            raise misread(message("nothing_before_of"))

    def separator(self, comma: str) -> None:
        self._settle()
        if self._operand is None:
            raise misread(message("value_missing_before_comma"))
        self._out.append(comma)
        self._operand = None
        self.levels[-1].separated = True

    def open(self, _: str) -> None:
        """A bracket: that of the function just named, or one around a part."""
        level, start = self.levels[-1], len(self._out) - 1
        if len(self.levels) > 50:  # noqa: PLR2004 - beyond any bracket a person would write
            raise misread(message("brackets_too_deep"))
        if not self._after_function():
            self._begin()
            start = len(self._out)
            self._out.append("(")
        elif start in level.waiting:
            level.waiting.pop()
        else:
            level.tail, level.needs_list, level.waiting = level.tail[len(level.held) + 1 :], False, level.held
        self._out.append("")
        self.levels.append(_Level(start, len(self._out)))
        self._operand = None

    def close(self, _: str) -> None:
        self._settle()
        if len(self.levels) == 1 or self._operand is None:
            raise misread(message("bracket_closed_early"))
        level = self._closed()
        self._out.append(level.tail + ")")
        self._operand = level.start
        self.levels[-1].separated |= level.separated and self._out[level.start] == "("

    def finish(self) -> str:
        """The source, with everything closed that was left open on purpose."""
        self._settle()
        if len(self.levels) > 1:
            raise misread(message("bracket_never_closed"))
        if self._operand is None:
            raise misread(message("ends_without_number"))
        return "".join(self._out) + self._closed().tail

    def _closed(self) -> _Level:
        level = self.levels.pop()
        if level.needs_list and not level.separated:
            raise misread(message("several_numbers_needed"))
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


@cache
def _functions() -> frozenset[str]:
    """The functions of a list."""
    return frozenset(row[1] for row in rows("functions") if row[0] == "list")


def _called(kind: str, *, after: bool) -> dict[str, str]:
    """What the functions of a value or of a list are called before it or after it, each as a pattern."""
    found: dict[str, str] = {}
    for _, name, *sides in (row for row in rows("functions") if row[0] == kind):
        names = [said for said in sides[after].split("|") if said] if len(sides) > after else []
        words = (_after(said, kind) if after else re.escape(said) for said in sorted(names, key=len, reverse=True))
        found |= {name: "|".join(words)} if names else {}
    return found


def _after(said: str, kind: str) -> str:
    """A name behind its value: 的 may join a Chinese one, and must join one that is also the "and" of a list (和)."""
    if said.isascii():
        return re.escape(said) + (r"(?!\s*(?:\(|of\b))" if said.isalpha() else "")
    if len(said) == 1:
        return f"[的之]{said}" if kind == "list" else re.escape(said)
    return f"[的之中里]?{said}" + ("(?:的数?)?" if re.fullmatch("最[大小]", said) else "")


@cache
def _readers() -> list[tuple[Callable[[_Reader, str], None], str, str]]:
    """Every sign and word of an expression: what reads it, its name, and its pattern."""
    brackets = {name: rf"{name}(?=\()" for name in (*_functions(), *_INNER)}
    tables: list[tuple[Callable[[_Reader, str], None], Mapping[str, str]]] = [
        (_Reader.list_postfix, _called("list", after=True)),
        (_Reader.operator, _OPERATORS),
        (_Reader.power, _POWERS),
        (_Reader.postfix, _called("value", after=True)),
        (_Reader.scalar_function, _called("value", after=False)),
        (_Reader.list_function, _called("list", after=False)),
        (_Reader.list_function, {name: name for name in _SEVERAL} | brackets),
        (_Reader.value, _CONSTANTS),
        (_Reader.of, _JOINTS),
        (_Reader.separator, _SEPARATORS),
        (_Reader.open, {"(": r"[(\[]"}),
        (_Reader.close, {")": r"[)\]]"}),
    ]
    return [(read, name, words) for read, table in tables for name, words in table.items()]


@cache
def _symbol() -> re.Pattern[str]:
    """All of them as groups `s0`, `s1`, …; a word made of letters must not run on into another letter."""
    groups = (rf"(?P<s{n}>(?:{words})(?:(?<![a-z0-9])|(?![a-z])))" for n, (_, _, words) in enumerate(_readers()))
    return re.compile("|".join(groups))
