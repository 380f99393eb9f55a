"""Dates as people write and say them, in English and Chinese: read as a whole, or found in a sentence.

What a relative date means was decided once:

- `next Friday`, 下周五: in the next week, Monday to Sunday. `this Friday`, 这周五: in the current one.
- `Friday`, 周五: the next to come, today not counted. `last Friday`: the latest before today; 上周五: in the week
  before.
- a day without its year or its month (`16 November`, `Christmas`, 16号): the next to come, today counted; the latest
  one where `past` is asked for.
- 03/04/2026 is refused, because half of the world reads it the other way; 16/11/2026 is clear.

Weeks, months, weekends and feasts that move are no dates here. Nothing is found inside paths, addresses, versions and
amounts of money. Times of the day are read by `clocks`, lengths of time by `durations`.
"""

import re
from dataclasses import dataclass
from datetime import date

from switchyard.language.date_rules import ORDINALS, Reference, month_of, month_patterns, ordinal, rules
from switchyard.language.durations import Duration, find_durations, shifted
from switchyard.language.errors import Impossible

_HINT = (
    r"(?i)\d|day|week|month|year|tonight|morrow|jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|[日号天周节月年旦夕晚早夜]"
    r"|\b(?:mon|tues?|wed|thu|thurs?|fri|sat|sun)\b|christmas|xmas|valentine|easter|halloween|festival|thanksgiving"
    r"|qingming|qixi|double ninth|星期|礼拜|国庆|圣诞|端午|中秋|重阳|清明|元宵|五一|双十"
)
"""Without any of these a text names no day: most do not, and each rule costs."""
_LEAD = (
    r"(?i)(?:(?:算?起|起算|开始|算)?[，,]?\s?再?(?P<mark>(?:往|向)[后前回](?:再?[推数算倒退])?|倒[推数]|[推延]后|推迟|提前"
    r"|加上?|减去?|算?起|起算|开始|过后|[之以]?[后前])了?[的再过，]{0,2}|的"
    r"|(?P<ahead>\bin |[再经]过|(?<![\u4e00-\u9fff])过|(?<=[天日号节旦])过)"
    r"|\b(?P<verb>add|subtract|take|minus) |\s(?P<sum>plus|minus|[+−-])\s)?\s?$"
)
"""What may stand before a duration that makes a date."""
_TRAIL = (
    r"(?i)\s(?:(?P<joint>from|after|before|prior to|following|to)\s(?!now\b)|(?:from now|later|hence)\b"
    r"|(?P<back>ago|earlier)\b)(?:\stoday\b)?"
    r"|\s?[之以]?(?:(?P<behind>前)|后)(?:的(?:今天|这一?天|同一天))?"
)
"""What may stand after one."""
_BACK = r"before|prior|minus|subtract|take|[前回倒减−-]"
_THE_ONE = (
    r"(?i)\bthe (?P<unit>day|week|month|year)(?= (?:after|before) )"
    rf"|\bthe (?P<nth>\d{{1,4}}(?:st|nd|rd|th)|{'|'.join(ORDINALS[:20])}) (?P<kind>(?:business |working )?day)"
    r"(?= (?:after|before) )"
    r"|(?<=后)的?第(?P<han>\d{1,4}|[一二三四五六七八九十百]{1,5})个?(?P<what>天|工作日)"
)
"""One step, or the n-th, from another date: `the day before`, `the 5th business day after`, 之后的第5个工作日."""
_ASKS_HOW_MANY = r"(?i)how (?:many|much|long)|number of"


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    value: date | Impossible


def read_date(text: str, today: date, *, past: bool = False) -> date | None:
    """The date that the whole text names, or None.

    Raises:
        Impossible: it names a day that does not exist, or one of two.
    """
    wanted = re.sub(
        r"^(?:(?:on|by|since|until|till)\s|从|到|在)\s*|[\s.。?？!！,，]+$", "", text.strip(), flags=re.IGNORECASE
    )
    for spelling in (wanted, wanted.title(), f"on {wanted.title()}"):
        for found in _found(spelling, Reference(today, past)):
            if (found.start, found.end) == (0, len(spelling)):
                if isinstance(found.value, Impossible):
                    raise found.value
                return found.value
    return None


def find_dates(text: str, today: date, *, past: bool = False) -> list[tuple[date, int, int]]:
    """The dates named in `text`, in order, each with its span; days that do not exist are left out."""
    found = _found(text, Reference(today, past))
    return [(one.value, one.start, one.end) for one in found if isinstance(one.value, date)]


def find_months(text: str, today: date) -> list[tuple[date, int, int]]:
    """The months named in `text`, in which dates are hidden, each by its first day, with its span."""
    found: list[_Found] = []
    for pattern in month_patterns():
        for match in pattern.finditer(text):
            try:
                found.append(_Found(*match.span(), date(*month_of(match, Reference(today)), 1)))
            except (Impossible, ValueError):
                continue
    return [(one.value, one.start, one.end) for one in _apart(found) if isinstance(one.value, date)]


def find_month(text: str, today: date) -> tuple[str, int, int] | None:
    """The first month that a text names with its year or by this one, as YYYY-MM: October 2026, 上个月."""
    for month, start, end in find_months(text, today):
        if re.search(r"(?i)\d{4}|this|last|previous|current|next|[上下这本当]", text[start:end]):
            return f"{month:%Y-%m}", start, end
    return None


def date_spans(text: str) -> list[tuple[int, int]]:
    """Where `text` names dates, those among them that do not exist or can be read in two ways."""
    return [(found.start, found.end) for found in _found(text, Reference(date(2000, 1, 1)))]


def _found(text: str, reference: Reference) -> list[_Found]:
    if not re.search(_HINT, text):
        return []
    plain: list[_Found] = []
    for pattern, rule in rules():
        for match in pattern.finditer(text):
            try:
                value = rule(match, reference)
            except Impossible as error:
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
    now = _Found(0, 0, reference.today)
    found: list[_Found] = []
    for duration, start, end in [*find_durations(text), *_steps(text)]:
        if duration.seconds:
            continue
        before, after = lead.search(text, max(0, start - 16), start), trail.match(text, end)
        joint, verb = (after["joint"] or "").lower() if after else "", ((before and before["verb"]) or "").lower()
        base, back, span = None, False, (start, end)
        if after and joint and (joint != "to" or verb == "add"):
            base, back = starts.get(after.end()), bool(re.search(_BACK, f"{joint} {verb}"))
            span = (before.start("verb") if before and verb else start, base.end) if base else span
        elif before and before.start() in ends and (before.group().strip(" 的") or after or duration.is_negative):
            base, mark = ends[before.start()], before["sum"] or before["mark"] or ""
            if after and mark not in {"", "起", "算起", "起算", "开始"}:
                after = None  # of two words the first says which way
            back, span = (
                bool(re.search(_BACK, after[0] if after else mark)),
                (base.start, after.end() if after else end),
            )
        elif after and not joint:
            base, back, span = now, bool(after["back"] or after["behind"]), (start, after.end())
        elif before and before["ahead"] and not after and not re.search(_ASKS_HOW_MANY, text[:start]):
            base, span = now, (before.start("ahead"), end)
        elif before and (before["mark"] or "")[:1] in {"往", "向", "倒"}:
            base, back, span = now, bool(re.search(_BACK, before["mark"])), (before.start("mark"), end)
        if base is not None:
            found.append(_Found(*span, _moved(base.value, -duration if back else duration)))
    return found


def _steps(text: str) -> list[tuple[Duration, int, int]]:
    """Single steps and n-th days as durations."""
    found: list[tuple[Duration, int, int]] = []
    for match in re.finditer(_THE_ONE, text):
        counted, kind = match["nth"] or match["han"], (match["kind"] or match["what"] or match["unit"]).lower()
        count = ordinal(counted) if counted else 1
        months = {"month": 1, "year": 12}.get(kind, 0) * count
        working = kind not in {"day", "week", "month", "year", "天"}
        days = 0 if months or working else count * (7 if kind == "week" else 1)
        found.append((Duration(months, days, count if working else 0), match.start(), match.end()))
    return found


def _moved(base: date | Impossible, duration: Duration) -> date | Impossible:
    if isinstance(base, Impossible):
        return base
    try:
        return shifted(base, duration)
    except Impossible as error:
        return error
