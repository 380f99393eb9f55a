"""Lengths of time as people write them, in English and Chinese, and dates moved by them.

A duration keeps months, days and seconds apart, because a month is no number of days. Half a month is 15 days, as the
Chinese 半个月 is; no other part of a month is read. `dates` and `clocks` stand on this.
"""

import re
from calendar import monthrange
from dataclasses import astuple, dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cache

from switchyard.language.errors import Impossible
from switchyard.language.messages import message
from switchyard.language.numbers import numerals, read_number
from switchyard.language.tables import numbers

_ANY = "|".join
ENGLISH_NUMBER = (
    rf"(?:{_ANY(numerals('tens'))})(?:[ -](?:{_ANY(numerals('ones'))}))?"
    rf"|{_ANY(sorted({'zero': 0} | numerals('ones', 'teens'), key=len, reverse=True))}|(?:an?|one) hundred"
)
CHINESE_NUMBER = r"[零〇○一二两三四五六七八九十百千]{1,9}"
BEFORE = r"(?<![A-Za-z0-9_.$€£¥￥/\\@#=&\-])"
"""What may not stand right before a date, a time or a number: it belongs to a longer word, a path or a sum of money."""
AFTER = r"(?![A-Za-z0-9_%/\\@]|[.:\-][A-Za-z0-9]|,\d{3}(?!\d))"

_ENGLISH_UNIT = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|(?:business|working|work)[ -]?days?|days?|weeks?|fortnights?"
    r"|months?|years?|yrs?|decades?)"
)
_CHINESE_UNIT = (
    r"(?:秒钟?|分钟|刻钟|小时|钟头|工作日|天(?![气然空堂])|周(?![末年围一二三四五六日])"
    r"|(?:星期|礼拜)(?![几一二三四五六日天])|季度|年(?![级代底末初份])|(?<=[个半])月)"
)
_MINUTES = rf"(?:{_CHINESE_UNIT}|分(?!之))"
"""A bare 分 is a mark or a coin, unless hours go before."""
_AMOUNT = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,7}}(?:\.\d{{1,4}})?|{ENGLISH_NUMBER})"
_SINGLE = r"(?<!times )(?<!once )(?<!twice )(?<!what )(?<!such )(?<!s in )\ban?"
_ENGLISH = rf"(?:half an?|(?:{_AMOUNT}|{_SINGLE})(?: and a half)?)[ -]?{_ENGLISH_UNIT}(?: and a half)?"
_CHINESE = rf"(?:\d{{1,7}}(?:\.\d{{1,4}})?|{CHINESE_NUMBER}|半)\s?个?半?%s(?:半(?![价夜路途小个天年数]))?"
_PART = (
    rf"(?:(?P<half>half an?)|(?P<count>{_AMOUNT}|an?|{CHINESE_NUMBER}|半)\s?个?(?P<more> and a half|半)?)[ -]?"
    rf"(?P<unit>{_ENGLISH_UNIT}|{_CHINESE_UNIT}|分)(?P<extra> and a half|半)?"
)
_LAST_YEAR_COUNT = 1000


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time; the parts of a negative one are negative."""

    months: int = 0
    days: int = 0
    workdays: int = 0
    """Monday to Friday."""
    seconds: int = 0

    def __add__(self, other: "Duration") -> "Duration":
        return Duration(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def __neg__(self) -> "Duration":
        return Duration(*(-part for part in astuple(self)))

    @property
    def is_negative(self) -> bool:
        """Whether it leads back."""
        return min(astuple(self)) < 0


def read_duration(text: str) -> Duration | None:
    """The length that the whole text names: `90 days`, `-1 year`, `3个月`, `two weeks ago`."""
    match = re.fullmatch(
        r"(?P<minus>-|−|minus\s|负|减去?)?(?:\+|plus\s|add\s|in\s|再过|过|加上?)?\s*(?P<length>.+?)"
        r"(?:(?P<back>\s+(?:ago|before|earlier)|之?前|以前)|\s+(?:later|from now|after|hence)|之?后|以后)?[.。]?",
        text.strip(),
        re.IGNORECASE,
    )
    found = find_durations(match["length"]) if match else []
    if match is None or [span for _, *span in found] != [[0, len(match["length"])]]:
        return None
    return -found[0][0] if match["minus"] or match["back"] else found[0][0]


def find_durations(text: str) -> list[tuple[Duration, int, int]]:
    """The lengths named in `text`, each with its span; those inside dates such as `90 days ago` are among them."""
    found: list[tuple[Duration, int, int]] = []
    for match in _pattern().finditer(text):
        parts = [_length(part) for part in re.finditer(_PART, match[0], re.IGNORECASE)]
        known = [part for part in parts if part is not None]
        if known and len(known) == len(parts):
            whole = sum(known, Duration())
            found.append((-whole if match["minus"] or match["less"] else whole, *match.span()))
    return found


def shifted(day: date, duration: Duration) -> date:
    """The date a duration away: months first, kept inside the month they lead to, then days, then working days."""
    months = day.year * 12 + day.month - 1 + duration.months
    try:
        first = date(months // 12, months % 12 + 1, 1)
        moved = first.replace(day=min(day.day, days_in(first.year, first.month))) + timedelta(days=duration.days)
        return _past_workdays(moved, duration.workdays)
    except (OverflowError, ValueError) as error:
        raise Impossible(message("years_exceeded")) from error


def days_in(year: int, month: int) -> int:
    """The length of a month."""
    return monthrange(year, month)[1]


def workdays_between(start: date, end: date) -> int:
    """Mondays to Fridays from the day after `start` up to and with `end`; negative where `end` lies before."""
    if end < start:
        return -workdays_between(end, start)
    weeks, rest = divmod((end - start).days, 7)
    return weeks * 5 + sum((start.weekday() + day) % 7 < 5 for day in range(1, rest + 1))  # noqa: PLR2004  five a week


def number_of(text: str) -> Fraction | None:
    """The number written in digits, English words or Chinese characters; "a" counts one, 半 a half."""
    text = text.lower().strip()
    if text.isdecimal() and text.isascii():
        return Fraction(text)
    counted = {"a": Fraction(1), "an": Fraction(1), "半": Fraction(1, 2)}.get(text)
    return counted or read_number(text.translate(str.maketrans("○两", "〇二")))


def _past_workdays(day: date, count: int) -> date:
    step = 1 if count > 0 else -1
    weeks, rest = divmod(max(abs(count) - 1, 0), 5)
    moved = day + timedelta(weeks=step * weeks)
    for _ in range(rest + 1 if count else 0):
        moved += timedelta(days=step)
        while moved.weekday() > 4:  # noqa: PLR2004  Saturday and Sunday
            moved += timedelta(days=step)
    return moved


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?i)(?:(?<!\S)(?P<minus>[-−]|minus )|{BEFORE})(?:{_ENGLISH}(?:(?:,? and |, ?| ){_ENGLISH})*){AFTER}"
        r"|(?:(?<!\S)(?P<less>[-−])|(?<!星期)(?<![第哪那这同某周拜.,$€£¥￥/A-Za-z_\-\d零〇一二两三四五六七八九十百千]))"
        rf"{_CHINESE % _CHINESE_UNIT}(?:[零又、，]?\s?{_CHINESE % _MINUTES})*"
    )


def _length(part: re.Match[str]) -> Duration | None:
    count = Fraction(1, 2) if part["half"] else number_of(part["count"])
    if count is None:
        return None
    count += Fraction(bool(part["more"]) + bool(part["extra"]), 2)
    by_months, by_days, by_seconds = (numbers("calendar", kind) for kind in ("months", "days", "seconds"))
    unit = part["unit"].lower().removesuffix("s")
    if unit in by_months:
        months, rest = divmod(count * by_months[unit], 1)
        if rest not in {0, Fraction(1, 2)} or (unit == "年" and count >= _LAST_YEAR_COUNT):
            return None
        return Duration(months=months, days=15 if rest else 0)
    if unit in by_seconds:
        return Duration(seconds=int(count * by_seconds[unit]))
    if unit in by_days:
        days, rest = divmod(count * by_days[unit], 1)
        return Duration(days=days, seconds=int(rest * 86400))
    return Duration(workdays=int(count)) if count.denominator == 1 else None
