"""Arithmetic inside a sentence, as people write it."""

import re

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
