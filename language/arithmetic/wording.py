"""How arithmetic and its outcome are written in an answer: what was computed, and as many digits as mean something."""

import math
import re
from fractions import Fraction

from switchyard.language.arithmetic.operations import Number, clean, rounded
from switchyard.language.arithmetic.outcomes import Outcome
from switchyard.language.arithmetic.tokens import ANY
from switchyard.language.numbers import written

_BRACKETS = re.compile(rf"(?<![\w])\((-?(?:[{ANY}]|[0-9.]+))\)")
_FUNCTION = re.compile(r"(\w+)\((.*)\)")
_NAMES: dict[str, tuple[str, str]] = {
    "sum": ("sum", "总和"),
    "mean": ("average", "平均数"),
    "median": ("median", "中位数"),
    "mode": ("mode", "众数"),
    "max": ("largest", "最大值"),
    "min": ("smallest", "最小值"),
    "spread": ("range", "极差"),
    "product": ("product", "乘积"),
    "variance": ("population variance", "总体方差"),
    "sample_variance": ("sample variance", "样本方差"),
    "deviation": ("population standard deviation", "总体标准差"),
    "sample_deviation": ("sample standard deviation", "样本标准差"),
    "distance": ("difference", "差"),
    "gcd": ("greatest common divisor", "最大公约数"),
    "lcm": ("least common multiple", "最小公倍数"),
}
_PLACES, _DIGITS = 10, 15
_SMALL = Fraction(1, 10**6)


def formula(text: str) -> str:
    """A sentence put in order, without the brackets that it does not need."""
    before = ""
    while before != text:
        before, text = text, _BRACKETS.sub(r"\1", text)
    text = re.sub(r"^\(([^()]*)\)$", r"\1", text)
    return re.sub(r"(?<=[^\s(,^])([*/+-])(?=\S)", r" \1 ", re.sub(r",(?=\S)", ", ", text))


def shown_formula(text: str, *, chinese: bool) -> str:
    """A formula as people write it: `average of 3, 5 and 8`, 3、5、8的平均数, `(120 - 80) ÷ 80`."""
    text = text.replace(" * ", " × ").replace(" / ", " ÷ ")
    if remainder := re.fullmatch(r"([^()]+) mod ([^()]+)", text):
        return ("{} ÷ {} 的余数" if chinese else "remainder of {} ÷ {}").format(*remainder.groups())
    whole = _FUNCTION.fullmatch(text)
    parts = _parts(whole[2]) if whole else []
    if whole and whole[1] in _NAMES and len(parts) > 1:
        name = _NAMES[whole[1]][chinese]
        return f"{'、'.join(parts)}的{name}" if chinese else f"{name} of {', '.join(parts[:-1])} and {parts[-1]}"
    if whole and whole[1] in _SHARES and len(parts) > 2:  # noqa: PLR2004 - an amount and the two sides of a ratio
        return _SHARES[whole[1]][chinese].format(parts[0], ":".join(parts[1:]))
    form = _FORMS.get((whole[1], len(parts))) if whole else None
    return form[chinese].format(*parts) if form else text


def _parts(text: str) -> list[str]:
    """What a function is of: parted at the commas outside brackets; nothing where the brackets are not its own."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return []
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


_SHARES = {
    "shares": ("{0} in the ratio {1}", "{0} 按 {1} 分"),
    "larger_share": ("larger share of {0} in the ratio {1}", "{0} 按 {1} 分的较大份"),
    "smaller_share": ("smaller share of {0} in the ratio {1}", "{0} 按 {1} 分的较小份"),
}
_FORMS: dict[tuple[str, int], tuple[str, str]] = {
    ("round", 1): ("{0} rounded", "{0} 四舍五入"),
    ("round", 2): ("{0} rounded to {1} decimals", "{0} 保留 {1} 位小数"),
    ("floor", 1): ("{0} rounded down", "{0} 向下取整"),
    ("ceil", 1): ("{0} rounded up", "{0} 向上取整"),
    ("significant", 2): ("{0} to {1} significant digits", "{0} 保留 {1} 位有效数字"),
    ("to_multiple", 2): ("{0} to the nearest {1}", "{0} 精确到 {1}"),
    ("grown", 2): ("{0} increased by {1}", "{0} 增加 {1}"),
    ("shrunk", 2): ("{0} reduced by {1}", "{0} 减少 {1}"),
    ("discounted", 2): ("{0} at {1}折", "{0} 打 {1} 折"),
    ("saved", 2): ("saved on {0} at {1}折", "{0} 打 {1} 折省下"),
    ("series", 2): ("sum of all whole numbers from {0} to {1}", "从 {0} 加到 {1}"),
    ("choices", 2): ("{0} choose {1}", "{0} 选 {1} 的组合数"),
    ("log", 2): ("log base {1} of {0}", "以 {1} 为底 {0} 的对数"),
    ("root", 2): ("root of degree {1} of {0}", "{0} 的 {1} 次方根"),
}
"""How functions are put in words, by their name and how many values they have."""


def number_shown(value: Number, *, measured: bool = False, money: bool = False) -> tuple[str, bool]:
    """The digits of a value that mean something, and whether they are all of it."""
    exact = clean(value)
    if exact.denominator == 1:
        return str(exact.numerator), True
    if money:
        cents = clean(rounded(exact, Fraction(2)))
        return f"{float(cents):.2f}", cents == exact
    full = written(exact)
    places = len(full.partition(".")[2])
    if "⁄" not in full and places <= (5 if measured else _PLACES) and len(full) <= _DIGITS + 2:
        return full, not isinstance(value, float)
    if abs(exact) < _SMALL:
        return f"{float(exact):.6g}", False
    first = math.floor(math.log10(abs(float(exact)))) + 1
    kept = max(2, 4 - first) if measured else min(max(6, 6 - first), max(0, _DIGITS - first))
    near = clean(rounded(exact, Fraction(kept)))
    return written(near), near == exact


def outcome_shown(outcome: Outcome, *, chinese: bool, style: str = "") -> tuple[str, bool]:
    """A value with its unit, and whether it is exact."""
    values = outcome.value if isinstance(outcome.value, tuple) else (outcome.value,)
    money = bool(outcome.unit) and outcome.measure is None and outcome.unit not in {"%", "折"}
    measured = outcome.measure is not None or outcome.unit in {"%", "折"}
    pieces = [number_shown(value, measured=measured, money=money) for value in values]
    if style == "fraction" and len(values) == 1 and not outcome.unit:
        fraction = clean(values[0])
        pieces = [(f"{fraction.numerator}/{fraction.denominator}", not isinstance(values[0], float))]
    digits, exact = " : ".join(piece for piece, _ in pieces), all(sure for _, sure in pieces)
    unit = outcome.measure.name(chinese=chinese) if outcome.measure else outcome.unit
    if not unit:
        return digits, exact
    if money and not unit[0].isalpha():
        return f"{'-' if digits.startswith('-') else ''}{unit}{digits.lstrip('-')}", exact
    return (f"{digits}{unit}" if unit in {"%", "°", "折"} else f"{digits} {unit}"), exact
