"""Dates as people write and say them, in English and Chinese: read as a whole, or found in a sentence.

What a relative date means was decided once:

- `next Friday`, 下周五: in the next week, Monday to Sunday. `this Friday`, 这周五: in the current one.
- `Friday`, 周五: the next to come, today not counted. `last Friday`: the latest before today; 上周五: in the week
  before.
- a day without its year or its month (`16 November`, `Christmas`, 16号): the next to come, today counted; the latest
  one where `past` is asked for.
- 03/04/2026 is refused, because half of the world reads it the other way; 16/11/2026 is clear.

Weeks, months, weekends and feasts that move are no dates here. Nothing is found inside paths, addresses, versions and
amounts of money. Times of the day are read by `tools.core.clocks`, lengths of time by `tools.core.durations`.
"""

import re
from dataclasses import dataclass
from datetime import date

from tools.core.clocks import find_clocks, read_clock
from tools.core.date_rules import Reference, rules
from tools.core.durations import Duration, find_durations, read_duration, shifted
from tools.core.errors import ToolFailed

__all__ = [
    "Duration",
    "date_spans",
    "find_clocks",
    "find_dates",
    "find_durations",
    "read_clock",
    "read_date",
    "read_duration",
    "shifted",
]

_LEAD = r"(?i)(?:(?P<mark>算?起|开始|[之以]?[后前])[的再过，]{0,2}|的|\b(?P<ahead>in |再过|过))?\s?$"
"""What may stand before a duration that makes a date."""
_TRAIL = (
    r"(?i)\s(?:(?P<joint>from|after|before)\s(?!now\b)|(?:from now|later|hence)\b|(?P<back>ago|earlier)\b)"
    r"|\s?[之以]?(?:(?P<behind>前)|后)"
)
"""What may stand after one."""
_ASKS_HOW_MANY = r"(?i)how (?:many|much|long)|number of"


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    value: date | ToolFailed


def read_date(text: str, today: date, *, past: bool = False) -> date | None:
    """The date that the whole text names, or None.

    Raises:
        ToolFailed: it names a day that does not exist, or one of two.
    """
    wanted = re.sub(
        r"^(?:(?:on|by|since|until|till)\s|从|到|在)\s*|[\s.。?？!！,，]+$", "", text.strip(), flags=re.IGNORECASE
    )
    for spelling in (wanted, wanted.title(), f"on {wanted.title()}"):
        for found in _found(spelling, Reference(today, past)):
            if (found.start, found.end) == (0, len(spelling)):
                if isinstance(found.value, ToolFailed):
                    raise found.value
                return found.value
    return None


def find_dates(text: str, today: date, *, past: bool = False) -> list[tuple[date, int, int]]:
    """The dates named in `text`, in order, each with its span; days that do not exist are left out."""
    found = _found(text, Reference(today, past))
    return [(one.value, one.start, one.end) for one in found if isinstance(one.value, date)]


def date_spans(text: str) -> list[tuple[int, int]]:
    """Where `text` names dates, those among them that do not exist or can be read in two ways."""
    return [(found.start, found.end) for found in _found(text, Reference(date(2000, 1, 1)))]


def _found(text: str, reference: Reference) -> list[_Found]:
    plain: list[_Found] = []
    for pattern, rule in rules():
        for match in pattern.finditer(text):
            try:
                value = rule(match, reference)
            except ToolFailed as error:
                value = error
            plain.append(_Found(match.start(), match.end(), value))
    plain = _apart(plain)
    return _apart([*_counted(text, plain, reference), *plain])


def _apart(found: list[_Found]) -> list[_Found]:
    """Those that do not overlap: the first counts, of several that begin together the longest."""
    kept: list[_Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _counted(text: str, dates: list[_Found], reference: Reference) -> list[_Found]:
    """Dates so and so far from today or from another date: `3 weeks ago`, `90 days from today`, 圣诞节前三天."""
    starts, ends = {one.start: one for one in dates}, {one.end: one for one in dates}
    lead, trail = re.compile(_LEAD), re.compile(_TRAIL)  # kept by `re`; not at import, which must be fast
    found: list[_Found] = []
    for duration, start, end in find_durations(text):
        if duration.seconds:
            continue
        before, after = lead.search(text, max(0, start - 12), start), trail.match(text, end)
        base, sign, span = None, 1, (start, end)
        if after and after["joint"]:
            base, sign = starts.get(after.end()), -1 if after["joint"].lower() == "before" else 1
            span = (start, base.end) if base else span
        elif before and before.start() in ends and (before["mark"] or after):
            base, mark = ends[before.start()], (after or before)[0]
            sign, span = -1 if "前" in mark else 1, (base.start, after.end() if after else end)
        elif after:
            base, sign, span = (
                _Found(0, 0, reference.today),
                -1 if after["back"] or after["behind"] else 1,
                (start, after.end()),
            )
        elif before and before["ahead"] and not re.search(_ASKS_HOW_MANY, text[:start]):
            base, span = _Found(0, 0, reference.today), (before.start("ahead"), end)
        if base is not None:
            found.append(_Found(*span, _moved(base.value, duration if sign > 0 else -duration)))
    return found


def _moved(base: date | ToolFailed, duration: Duration) -> date | ToolFailed:
    if isinstance(base, ToolFailed):
        return base
    try:
        return shifted(base, duration)
    except ToolFailed as error:
        return error
