"""The forms of a date: patterns, each with the rule that makes a day of it. `tools.core.dates` applies them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from tools.core.durations import AFTER, BEFORE, CHINESE_NUMBER, Duration, days_in, number_of, shifted
from tools.core.errors import ToolFailed

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_NEAR_ENGLISH = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1} | {
    "day before yesterday": -2,
    "day after tomorrow": 2,
}
_NEAR_CHINESE = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_STEPS = (
    {"last": -1, "past": -1, "this": 0, "the": 0, "current": 0, "next": 1}
    | {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
    | {"前": -2, "去": -1, "今": 0, "明": 1, "后": 2}
)
"""Weeks, months or years from the current one."""
_FEASTS = (
    ("christmas eve", "平安夜", 12, 24),
    ("christmas(?: day)?|xmas", "圣诞节?", 12, 25),
    ("new year['’]?s eve", "", 12, 31),
    ("(?:the )?new year(?:['’]?s(?: day)?)?", "元旦节?", 1, 1),
    ("valentine['’]?s day", "情人节", 2, 14),
    ("", "妇女节", 3, 8),
    ("", "(?:五一)?劳动节|五一节", 5, 1),
    ("", "儿童节", 6, 1),
    ("", "教师节", 9, 10),
    ("", "国庆节?", 10, 1),
    ("halloween", "万圣节", 10, 31),
)
"""Those that keep their date: the names in both languages, month and day."""

_MONTH = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "May") + "|Sept|(?-i:May))"
_WEEKDAY = "|".join(WEEKDAYS)
_SHORT_DAY = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun"
_YEAR = r"(?:[ ,\-]{0,2}(?P<year>[12]\d{3}|(?:of )?(?:this|next|last) year))?"
_ISO = r"(?P<year>\d{4})(?P<by>[-/.])(?P<month>\d{1,2})(?P=by)(?P<day>\d{1,2})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_NAMED = rf"{BEFORE}(?:(?:{_WEEKDAY}|(?:{_SHORT_DAY})\.?),? )?(?:the )?"
_ENGLISH_STEP = "(?P<step>this|next|last|past)"
_STEP = "(?P<step>上上|上|这|本|当|下下|下)个?"
_HAN_BEFORE, _HAN_AFTER = r"(?<![/\\=_])", r"(?!\.[A-Za-z]|/)"
_HAN_YEAR = r"(?P<year>(?<!\d)\d{4}|[零〇○一二三四五六七八九]{4}|[前去今明后])年的?\s?"
_ALONE = r"(?<![月年\d.\-A-Za-z])"
_HAN_DAY = "(?P<day>3[01]|[12]?[0-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
_HAN_WEEKDAY = r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六]|日(?![本元])|天(?!气))"
_NAMED_AFTER = r"(?:\s?[（(]?(?:周|星期|礼拜)[一二三四五六日天][）)]?)?"


@dataclass(frozen=True, slots=True)
class Reference:
    """What a relative date is relative to."""

    today: date
    past: bool = False
    """Whether a day without its year is the latest one instead of the next."""


Rule = Callable[[re.Match[str], Reference], date]


@cache
def rules() -> list[tuple[re.Pattern[str], Rule]]:
    """Every form with its rule; of forms that meet in a text the longest counts."""
    english: list[tuple[str, Rule]] = [
        (rf"{_ISO}(?=T\d)", _full),
        (rf"{_ISO}{AFTER}{_NAMED_AFTER}", _full),
        (rf"(?P<first>\d{{1,2}})(?P<by>[-/.])(?P<second>\d{{1,2}})(?P=by)(?P<year>\d{{4}}){AFTER}", _either_way),
        (rf"{_NAMED}{_DAY}(?: of)?[ -]?(?P<month>{_MONTH})\b\.?{_YEAR}{AFTER}", _full),
        (rf"{_NAMED}(?P<month>{_MONTH})\.? ?(?:the )?{_DAY}{_YEAR}{AFTER}", _full),
        (rf"(?:the )?(?P<near>{'|'.join(_NEAR_ENGLISH)}){AFTER}", _near),
        (rf"(?<!good )(?<!black )(?:{_ENGLISH_STEP} |(?:the |this )?coming )?(?P<weekday>{_WEEKDAY}){AFTER}", _weekday),
        (rf"(?:{_ENGLISH_STEP}|on) (?P<weekday>{_SHORT_DAY}){AFTER}", _weekday),
        (rf"(?P<weekday>{_WEEKDAY})(?: of)? (?P<week>this|next|last) week{AFTER}", _weekday),
        (rf"(?P<week>this|next|last) week(?:['’]s| on)? (?P<weekday>{_WEEKDAY}){AFTER}", _weekday),
        (rf"(?:the )?{_DAY} of (?:the )?(?P<step>this|next|last|current) month{AFTER}", _day_of_month),
        (r"the (?P<day>[12]?\d|3[01])(?:st|nd|rd|th)(?=\s*(?:$|[?.,!;]))", _day_of_month),
        (rf"(?:the )?end of (?P<step>the|this|next|last) (?P<unit>month|year){AFTER}", _last_day),
    ]
    number = rf"(?:\d{{1,2}}|{CHINESE_NUMBER})"
    chinese: list[tuple[str, Rule]] = [
        (rf"(?:{_HAN_YEAR})?(?<![\d.])(?P<month>{number})\s?月\s?(?P<day>{number})\s?[日号]{_NAMED_AFTER}", _full),
        (r"(?P<near>大?[前后](?=[天日](?!气))|[昨今明](?=[天日晚早]))[天日晚早]", _near),
        (rf"{_STEP}{_HAN_WEEKDAY}", _weekday),
        (rf"(?<![每个几一二两三四五六七八九十\d]){_HAN_WEEKDAY}", _weekday),
        (rf"{_STEP}月的?{_HAN_DAY}[日号]", _day_of_month),
        (rf"(?<![第零一二三四五六七八九十百]){_ALONE}{_HAN_DAY}号(?![线楼门房间码台机井公厅馆院字员])", _day_of_month),
        (rf"{_ALONE}(?P<day>[12]?\d|3[01])日(?![本元语游内前后间报])", _day_of_month),
        (rf"(?:{_STEP})?(?<![\d一二三四五六七八九十])(?P<unit>月)[底末]", _last_day),
        (rf"(?:{_HAN_YEAR}年?|(?<![\d年])年)[底末]", _end_of_year),
        (r"(?P<step>[前去明后])年的?今[天日]", _this_day),
    ]
    for western, eastern, month, day in _FEASTS:
        if western:
            english.append((rf"(?:{western}){_YEAR}{AFTER}", _feast(month, day)))
        if eastern:
            chinese.append((rf"(?:{_HAN_YEAR})?(?:{eastern})", _feast(month, day)))
    return [
        *((re.compile(BEFORE + pattern, re.IGNORECASE), rule) for pattern, rule in english),
        *((re.compile(_HAN_BEFORE + pattern + _HAN_AFTER), rule) for pattern, rule in chinese),
    ]


def _day(year: int, month: int, day: int) -> date:
    if not 1 <= month <= len(MONTHS):
        raise _refused(f"There is no month {month}; the months are 1 to 12.")
    if not 1 <= year <= 9999:  # noqa: PLR2004  all years of the calendar
        raise _refused(f"The year {year} cannot be reckoned with; years run from 1 to 9999.")
    if not 1 <= day <= days_in(year, month):
        raise _refused(
            f"{year:04}-{month:02}-{day:02} does not exist: {MONTHS[month - 1]} {year} has {days_in(year, month)} days."
        )
    return date(year, month, day)


def _without_year(month: int, day: int, reference: Reference) -> date:
    """The next of that name, today counted; the latest for `past`."""
    if 1 <= month <= len(MONTHS) and day > days_in(2000, month):
        raise _refused(f"{MONTHS[month - 1]} has no day {day}: it has {days_in(2000, month)} days at most.")
    step = -1 if reference.past else 1
    for year in range(reference.today.year, reference.today.year + 9 * step, step):
        if day > days_in(year, month):
            continue  # 29 February
        found = _day(year, month, day)
        if found >= reference.today if step > 0 else found <= reference.today:
            return found
    raise _refused("That leads out of the years 1 to 9999.")


def _full(match: re.Match[str], reference: Reference) -> date:
    month = _number(match["month"])
    year = _year(match["year"], reference)
    if year is None:
        return _without_year(month, _number(match["day"]), reference)
    return _day(year, month, _number(match["day"]))


def _either_way(match: re.Match[str], _: Reference) -> date:
    year, first, second = int(match["year"]), int(match["first"]), int(match["second"])
    if first <= len(MONTHS) and second <= len(MONTHS) and first != second:
        raise _refused(
            f"{match[0]} can be read in two ways; write {year:04}-{second:02}-{first:02} "
            f"or {year:04}-{first:02}-{second:02}."
        )
    return _day(year, first, second) if second > len(MONTHS) else _day(year, second, first)


def _near(match: re.Match[str], reference: Reference) -> date:
    near = _NEAR_ENGLISH | _NEAR_CHINESE
    return shifted(reference.today, Duration(days=near[match["near"].lower()]))


def _weekday(match: re.Match[str], reference: Reference) -> date:
    named, words = match["weekday"], match.groupdict()
    wanted = "一二三四五六日天".find(named) if len(named) == 1 else _index(WEEKDAYS, named)
    wanted = min(wanted, 6)
    today, step = reference.today, (words.get("step") or "").lower()
    back = (today.weekday() - wanted - 1) % 7 + 1
    if step in {"last", "past"} or (not step and not words.get("week") and reference.past):
        return shifted(today, Duration(days=-back))
    if week := (words.get("week") or "").lower() or step:
        return shifted(today, Duration(days=wanted - today.weekday() + 7 * _STEPS[week]))
    return shifted(today, Duration(days=(wanted - today.weekday() - 1) % 7 + 1))


def _day_of_month(match: re.Match[str], reference: Reference) -> date:
    day, step = _number(match["day"]), (match.groupdict().get("step") or "").lower()
    if step:
        first = shifted(reference.today.replace(day=1), Duration(months=_STEPS[step]))
        return _day(first.year, first.month, day)
    months = range(0, -4, -1) if reference.past else range(4)
    near = [shifted(reference.today.replace(day=1), Duration(months=month)) for month in months]
    days = [first.replace(day=day) for first in near if 1 <= day <= days_in(first.year, first.month)]
    for found in days:
        if found <= reference.today if reference.past else found >= reference.today:
            return found
    raise _refused(f"No month has a day {day}.")


def _last_day(match: re.Match[str], reference: Reference) -> date:
    step = _STEPS[(match["step"] or "this").lower()]
    if match["unit"].lower() == "year":
        return _day(reference.today.year + step, 12, 31)
    next_month = shifted(reference.today.replace(day=1), Duration(months=step + 1))
    return next_month - timedelta(days=1)


def _end_of_year(match: re.Match[str], reference: Reference) -> date:
    year = _year(match["year"], reference)
    return _day(reference.today.year if year is None else year, 12, 31)


def _this_day(match: re.Match[str], reference: Reference) -> date:
    return shifted(reference.today, Duration(months=12 * _STEPS[match["step"]]))


def _feast(month: int, day: int) -> Rule:
    def rule(match: re.Match[str], reference: Reference) -> date:
        year = _year(match["year"], reference)
        return _without_year(month, day, reference) if year is None else _day(year, month, day)

    return rule


def _year(text: str | None, reference: Reference) -> int | None:
    if text is None:
        return None
    if (number := number_of(text)) is not None:
        return int(number)
    return reference.today.year + _STEPS[text.lower().removeprefix("of ").removesuffix(" year")]


def _number(text: str) -> int:
    if text[0].isascii() and text[0].isalpha():
        return _index(MONTHS, text) + 1
    return int(number_of(text) or 0)


def _index(names: tuple[str, ...], name: str) -> int:
    return next(place for place, full in enumerate(names) if full.lower().startswith(name[:3].lower()))


def _refused(sentence: str) -> ToolFailed:
    return ToolFailed(sentence, kind="bad_arguments")
