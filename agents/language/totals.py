"""What a text asks to make of several earlier numbers: "add the two numbers", 两者相差多少, "their average"."""

import re

_TOTALS: tuple[tuple[str, str], ...] = (
    (r"\b(?:average|mean)\b|平均", "mean"),
    (r"\b(?:difference|differ)\b|相差|之差|差多少", "distance"),
    (r"\b(?:product|multiply\s+(?:them|both|the\s+two))\b|相乘|乘积|之积", "product"),
    (r"\b(?:sum|total|altogether|combined|together)\b|相加|加起来|总和|之和|合计|求和|加在一起|总共", "sum"),
    (r"\badd\s+(?:(?:up\s+)?(?:the\s+two|both|them|these|those|all)|up)\b", "sum"),
)
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), name) for pattern, name in _TOTALS]


def find_total(text: str) -> str | None:
    """The function of several numbers a text names; none where it gives numbers of its own."""
    if re.search(r"\d", text):
        return None
    return next((name for pattern, name in _PATTERNS if pattern.search(text)), None)
