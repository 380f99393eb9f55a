"""Arithmetic inside a sentence, as people write it."""

import re
from datetime import date

from agents.language.mentions import find_mentions
from tools.core.units import find_units

_WORDS = (
    (r"\b(?:plus|added to)\b|加上|加", "+"),
    (r"\bminus\b|减去|减", "-"),
    (r"\b(?:times|multiplied by)\b|乘以|乘", "*"),
    (r"\bdivided by\b|除以", "/"),
    (r"\bto the power of\b", "^"),
    (r"\bsquared\b", "^2"),
    (r"\bcubed\b", "^3"),
    (r"\s*\bpercent\b", "%"),
)
_PIECE = (
    r"(?:\d[\d,]*(?:\.\d+)?(?:\s*%)?|[-+*/^×÷−()（）,，]|\bof\b|的|次方|平方根|平方|立方|"
    r"\b(?:sqrt|cbrt|abs|round|floor|ceil|log|ln|log10|exp|sin|cos|tan|factorial|min|max|sum|mean|median|pi|e)\b|"
    r"\b(?:the\s+)?(?:square|cube)\s+root\s+of\b|\bfactorial\s+of\b)"
)
_RUN = re.compile(rf"{_PIECE}(?:\s*{_PIECE})*", re.IGNORECASE)
_OPERATION = re.compile(r"[-+*/^×÷−%]|[a-z]{2,}|的|次方|平方|立方", re.IGNORECASE)
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?%?"
_OF_SEVERAL = re.compile(
    rf"\b(?P<en>sum|total|mean|average|median|max|maximum|min|minimum|product)\s+of\s+"
    rf"(?P<numbers>{_NUMBER}(?:\s*(?:,\s*and\b|,|\band\b)\s*{_NUMBER}){{1,50}})"
    rf"|(?<![\d.,])(?P<several>{_NUMBER}(?:\s*[、，,和与]\s*{_NUMBER}){{1,50}})\s*的\s*"
    r"(?P<zh>总和|和|平均值|平均数|平均|中位数|最大值|最小值|乘积|积)",
    re.IGNORECASE,
)
_FUNCTIONS = {
    **dict.fromkeys(("sum", "total", "和", "总和"), "sum"),
    **dict.fromkeys(("mean", "average", "平均值", "平均数", "平均"), "mean"),
    **dict.fromkeys(("median", "中位数"), "median"),
    **dict.fromkeys(("max", "maximum", "最大值"), "max"),
    **dict.fromkeys(("min", "minimum", "最小值"), "min"),
}
_JOINED_BEFORE = re.compile(r"\d\s*%?\s*(?:\band|\bor|[和与或、])\s*$", re.IGNORECASE)
_JOINED_AFTER = re.compile(r"\s*(?:and\b|or\b|[和与或、])\s*[\d(（]", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}:\d{2}")

_AROUND = " ,，的"

_ON_RESULT = (
    (re.compile(r"\b(?:add|plus)\s+(?P<n>[\d.,]+\s*%?)|加上?\s*(?P<m>[\d.,]+\s*%?)", re.IGNORECASE), "+"),
    (re.compile(r"\b(?:subtract|minus)\s+(?P<n>[\d.,]+\s*%?)|减去?\s*(?P<m>[\d.,]+\s*%?)", re.IGNORECASE), "-"),
    (
        re.compile(r"\b(?:multiply\b.*?\bby|times)\s+(?P<n>[\d.,]+\s*%?)|乘以?\s*(?P<m>[\d.,]+\s*%?)", re.IGNORECASE),
        "*",
    ),
    (re.compile(r"\bdivided?\b.*?\bby\s+(?P<n>[\d.,]+\s*%?)|除以\s*(?P<m>[\d.,]+\s*%?)", re.IGNORECASE), "/"),
)


_SPOKEN = re.compile(
    r"\b(?:plus|minus|times|multipl\w+|divided?|over|product|sum|difference|average|mean|median|maximum|minimum"
    r"|largest of|smallest of|standard deviation|squared?|cubed?|root|factorial|power|percent|off|remainder|half"
    r"|thirds?|quarters?"
    r"|round(?:ed)?|dozen|increase\w*|decrease\w*)\b|[%+*/^×÷!＋－％]"
    r"|加|减|乘|除|平方|立方|次方|阶乘|方根|平均|中位|总和|之和|的和|的差"
    r"|的积|的商|最大|最小|百分|分之|[一二三四五六七八九]折|保留|四舍五入|余数|标准差",
    re.IGNORECASE,
)
_STARTS = re.compile(r"[-\d(（]|[a-z]{2,}\s*\(|the\s+(?:square|cube)|(?:square|cube|factorial)", re.IGNORECASE)
_CONVERTS = re.compile(r"\b(?:in|to|into|equals?|many|much|convert)\b|多少|换算|等于|换成|转换|=", re.IGNORECASE)
_FRAME = re.compile(
    r"^(?:(?:so|well|please|could you|can you|and)\b[\s,]*)*(?:what(?:'s|\s+is|\s+are|\s+do)"
    r"|how much (?:is|are)|calculate|compute"
    r"|work out|tell me|give me|convert|find|evaluate|take|which is|请问?|计算一?下?|算一?下?|求|帮我|把)?\s*|"
    r"[\s?？。.!]*(?:请|please)?[\s?？。.]*$",
    re.IGNORECASE,
)
_ASKED = re.compile(r"(?:是|等于|得|一共)?(?:多少|几|哪个|什么|何)(?=\s*$)|等于\s*$")


def find_arithmetic(text: str) -> str | None:
    """What is to be worked out: the piece that is written as arithmetic if it has every number, else what is said."""
    written = find_expression(text)
    numbers = [mention.text for mention in find_mentions(text, date.min) if mention.kind == "number"]
    if written is not None and _STARTS.match(written) and all(number.strip("%％") in written for number in numbers):
        return written
    return find_spoken(text) or (written if written is not None and _STARTS.match(written) else None)


def find_spoken(text: str) -> str | None:
    """Arithmetic or a conversion said in words, without the question around it; None where there is none."""
    if not any(mention.kind == "number" for mention in find_mentions(text, date.min)):
        return None
    bare = _ASKED.sub("", _FRAME.sub("", text)).strip(" ,，的")
    if _SPOKEN.search(bare) or (find_units(bare) and _CONVERTS.search(text)):
        return bare
    return None


def find_expression(text: str) -> str | None:
    """The longest piece of arithmetic in a text; None where there is none, or where it is one of several."""
    text = _OF_SEVERAL.sub(_as_function, re.sub(r"\s+", " ", text))
    for pattern, symbol in _WORDS:
        text = re.sub(pattern, symbol, text, flags=re.IGNORECASE)
    if _DATE.search(text):
        return None
    usable = [match for match in _RUN.finditer(text) if _is_arithmetic(match[0].strip(_AROUND))]
    longest = max(usable, key=lambda match: len(match[0].strip(_AROUND)), default=None)
    if longest is None or _is_one_of_several(text, longest):
        return None
    return longest[0].strip(_AROUND)


def _as_function(match: re.Match[str]) -> str:
    """`sum(3, 4)`, where people say "the sum of 3 and 4"."""
    name = (match["en"] or match["zh"]).lower()
    numbers = [found.replace(",", "") for found in re.findall(_NUMBER, match["numbers"] or match["several"])]
    return f"{_FUNCTIONS[name]}({', '.join(numbers)})" if name in _FUNCTIONS else f"({' * '.join(numbers)})"


def _is_arithmetic(piece: str) -> bool:
    return re.search(r"\d", piece) is not None and _OPERATION.search(piece.lstrip("-+ ")) is not None


def _is_one_of_several(text: str, found: re.Match[str]) -> bool:
    """Whether a number goes with this piece that is not in it: half of a task is not answered as if it were all."""
    before = _JOINED_BEFORE.search(text[: found.start()])
    return before is not None or _JOINED_AFTER.match(text, found.end()) is not None


def find_change(text: str, reference: str) -> str | None:
    """What a text asks to do with an earlier number, as an expression: "add 14% to it" gives `reference + 14%`."""
    for pattern, operator in _ON_RESULT:
        match = pattern.search(text)
        if match:
            return f"{reference} {operator} {match['n'] or match['m']}"
    return None
