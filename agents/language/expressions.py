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
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}:\d{2}")

_ON_RESULT = (
    (re.compile(r"\badd\s+(?P<n>[\d.,]+\s*%?)|加上?\s*(?P<m>[\d.,]+\s*%?)", re.IGNORECASE), "+"),
    (re.compile(r"\bsubtract\s+(?P<n>[\d.,]+\s*%?)|减去?\s*(?P<m>[\d.,]+\s*%?)", re.IGNORECASE), "-"),
    (re.compile(r"\bmultiply\b.*?\bby\s+(?P<n>[\d.,]+\s*%?)|乘以?\s*(?P<m>[\d.,]+\s*%?)", re.IGNORECASE), "*"),
    (re.compile(r"\bdivide\b.*?\bby\s+(?P<n>[\d.,]+\s*%?)|除以\s*(?P<m>[\d.,]+\s*%?)", re.IGNORECASE), "/"),
)


def find_expression(text: str) -> str | None:
    """The longest piece of arithmetic in a text; None where there is none."""
    for pattern, symbol in _WORDS:
        text = re.sub(pattern, symbol, text, flags=re.IGNORECASE)
    if _DATE.search(text):
        return None
    found = [match[0].strip(" ,，的") for match in _RUN.finditer(text)]
    usable = [piece for piece in found if re.search(r"\d", piece) and _OPERATION.search(piece.lstrip("-+ "))]
    return max(usable, key=len, default=None)


def find_change(text: str, reference: str) -> str | None:
    """What a text asks to do with an earlier number, as an expression: "add 14% to it" gives `reference + 14%`."""
    for pattern, operator in _ON_RESULT:
        match = pattern.search(text)
        if match:
            return f"{reference} {operator} {match['n'] or match['m']}"
    return None
