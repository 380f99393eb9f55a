"""A month in a text: October 2026, 2026年10月, 2026-10, last month, 上个月."""

import re
from datetime import date

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WRITTEN = re.compile(
    r"(?P<y>\d{4})\s*年\s*(?P<m>\d{1,2})\s*月(?!\d{1,2}[日号])|(?<!\d)(?P<y2>\d{4})-(?P<m2>\d{2})(?![-\d])"
    rf"|\b(?P<name>{'|'.join(_NAMES)})[a-z]*\.?,?\s+(?P<y3>\d{{4}})\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?P<en>last|previous|this|current|next)\s+month\b|(?P<zh>上上|上|这|本|当|下)个?月(?!\d)", re.IGNORECASE
)
_BY = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1} | {
    "上上": -2,
    "上": -1,
    "这": 0,
    "本": 0,
    "当": 0,
    "下": 1,
}


def find_month(text: str, today: date) -> tuple[str, int, int] | None:
    """The first month in a text as YYYY-MM, and where it stands."""
    match = _WRITTEN.search(text)
    if match:
        year = int(match["y"] or match["y2"] or match["y3"])
        month = int(match["m"] or match["m2"] or 0) or _NAMES.index(match["name"].lower()) + 1
        return (f"{year}-{month:02}", *match.span()) if month <= len(_NAMES) else None
    match = _RELATIVE.search(text)
    if match is None:
        return None
    months = today.year * 12 + today.month - 1 + _BY[(match["en"] or match["zh"]).lower()]
    return (f"{months // 12}-{months % 12 + 1:02}", *match.span())
