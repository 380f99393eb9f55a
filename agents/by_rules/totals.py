"""What a text asks to make of several earlier numbers: "add the two numbers", 两者相差多少, "their average"."""

import re

_TOTALS: tuple[tuple[str, str], ...] = (
    (r"\b(?:average|mean)\b|平均", "mean"),
    (r"\b(?:difference|differ)\b|相差|之差|差多少", "distance"),
    (r"\b(?:product|multiply\s+(?:them|both|the\s+two))\b|相乘|乘积|之积", "product"),
    (r"\b(?:sum|total|altogether|combined|together)\b|相加|加起来|总和|之和|合计|求和|加在一起|总共", "sum"),
    (r"\badd\s+(?:(?:up\s+)?(?:the\s+two|both|them|these|those|all)|up)\b", "sum"),
)
_EMPTY_ENDS = re.compile(
    r"^(?:what is the|the)\s+(?:of|in|between)\b\s*|\s*(?:的|是|有|为|多少|几|分别)+$", re.IGNORECASE
)
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), name) for pattern, name in _TOTALS]


def find_total(text: str) -> str | None:
    """The function of several numbers a text names; none where it gives numbers of its own."""
    if re.search(r"\d", text):
        return None
    return next((name for pattern, name in _PATTERNS if pattern.search(text)), None)


def without_total(text: str) -> tuple[str, str] | None:
    """A text without the words for what to make of several numbers, and these words."""
    if find_total(text) is None:
        return None
    match = next(found for pattern, _ in _PATTERNS if (found := pattern.search(text)))
    rest = _EMPTY_ENDS.sub("", f"{text[: match.start()]} {text[match.end() :]}".strip())
    return (rest, match[0]) if rest else None
