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
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache

from switchyard.language.durations import (
    AFTER,
    BEFORE,
    CHINESE_NUMBER,
    Duration,
    days_in,
    find_durations,
    number_of,
    shifted,
)
from switchyard.language.errors import Impossible
from switchyard.language.festivals import day_of, nth_weekday
from switchyard.language.festivals import names as feast_names
from switchyard.language.messages import message
from switchyard.language.tables import listed, numbers

MONTHS = listed("calendar", "month")
WEEKDAYS = listed("calendar", "weekday")
ORDINALS = listed("calendar", "ordinal")
_NEAR = numbers("calendar", "near")
_STEPS = numbers("calendar", "step")
"""Weeks, months or years from the current one."""

_MONTH = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "May") + "|Sept|(?-i:May))"
_WEEKDAY = "|".join(WEEKDAYS)
_SHORT_DAY = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun"
_YEAR = r"(?:(?:[ ,\-]{0,2}|,? (?:in|of) )(?P<year>[12]\d{3}|(?:of )?(?:this|next|last) year))?"
_ISO = r"(?P<year>\d{4})(?P<by>[-/.])(?P<month>\d{1,2})(?P=by)(?P<day>\d{1,2})"
_DAY = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?|(?<!a )(?:{'|'.join(sorted(ORDINALS, key=len, reverse=True))}))"
_NAMED = rf"{BEFORE}(?:(?:{_WEEKDAY}|(?:{_SHORT_DAY})\.?),? )?(?:the )?"
_WORKDAY = "(?:working|business|work)[ -]?day"
_IN_MONTH = rf"(?:(?P<month>{_MONTH})\b{_YEAR}|(?P<step>the|this|next|last) month)"
_EDGE = "(?:the )?(?:end|(?P<first>first day)|last day)"
_NTH = rf"(?:the )?(?P<n>{'|'.join(ORDINALS[:5])}|[1-5](?:st|nd|rd|th)|last) (?P<weekday>{_WEEKDAY})"
_ENGLISH_STEP = "(?P<step>this|next|last|past)"
_STEP = "(?P<step>上上|上|这|本|当|下下|下)个?"
_HAN_BEFORE, _HAN_AFTER = r"(?<![/\\=_])", r"(?!\.[A-Za-z]|/)"
_HAN_YEAR = r"(?P<year>(?<!\d)\d{4}\s?|[零〇○一二三四五六七八九]{4}|[前去今明后])年的?\s?"
_HAN_MONTH = rf"(?:(?:{_HAN_YEAR})?(?P<month>\d{{1,2}}|{CHINESE_NUMBER})\s?月(?:份)?|(?:{_STEP})月)"
_ALONE = r"(?<![月年\d.\-A-Za-z])"
_HAN_DAY = "(?P<day>3[01]|[12]?[0-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
_HAN_WEEKDAY = r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六]|日(?![本元])|天(?!气))"
_NAMED_AFTER = r"(?:\s?[（(]?(?:周|星期|礼拜)[一二三四五六日天][）)]?)?"

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
    r"|\b(?:the )?next (?P<next>(?:business|working) day)(?= after )"
    r"|(?<=后)的?(?:第(?P<han>\d{1,4}|[一二三四五六七八九十百]{1,5})|下一?)个?(?P<what>天|工作日)"
)
"""One step, or the n-th, from another date: `the day before`, `the next working day after`, 之后的第5个工作日."""
_ASKS_HOW_MANY = r"(?i)how (?:many|much|long)|number of"


@dataclass(frozen=True, slots=True)
class Reference:
    """What a relative date is relative to."""

    today: date
    past: bool = False
    """Whether a day without its year is the latest one instead of the next."""


Rule = Callable[[re.Match[str], Reference], date]


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
    for pattern in _month_patterns():
        for match in pattern.finditer(text):
            try:
                found.append(_Found(*match.span(), date(*_month_of(match, Reference(today)), 1)))
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
    for pattern, rule in _rules():
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
        counted, kind = (
            match["nth"] or match["han"],
            (match["kind"] or match["what"] or match["next"] or match["unit"]).lower(),
        )
        count = _ordinal(counted) if counted else 1
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


@cache
def _rules() -> list[tuple[re.Pattern[str], Rule]]:
    """Every form with its rule; of forms that meet in a text the longest counts."""
    english: list[tuple[str, Rule]] = [
        (rf"{_ISO}(?=T\d)", _full),
        (rf"{_ISO}{AFTER}{_NAMED_AFTER}", _full),
        (rf"(?P<first>\d{{1,2}})(?P<by>[-/.])(?P<second>\d{{1,2}})(?P=by)(?P<year>\d{{4}}){AFTER}", _either_way),
        (rf"{_NAMED}{_DAY}(?: of)?[ -]?(?P<month>{_MONTH})\b\.?{_YEAR}{AFTER}", _full),
        (rf"{_NAMED}(?P<month>{_MONTH})\.? ?(?:the )?{_DAY}{_YEAR}{AFTER}", _full),
        (rf"(?:the )?(?P<near>{'|'.join(name for name in _NEAR if name.isascii())}){AFTER}", _near),
        (rf"(?<!good )(?<!black )(?:{_ENGLISH_STEP} |(?:the |this )?coming )?(?P<weekday>{_WEEKDAY}){AFTER}", _weekday),
        (rf"(?:{_ENGLISH_STEP}|on) (?P<weekday>{_SHORT_DAY}){AFTER}", _weekday),
        (rf"(?P<weekday>{_WEEKDAY})(?: of)? (?P<week>this|next|last) week{AFTER}", _weekday),
        (rf"(?P<week>this|next|last) week(?:['’]s| on)? (?P<weekday>{_WEEKDAY}){AFTER}", _weekday),
        (rf"(?:the )?{_DAY} of (?:the )?(?P<step>this|next|last|current) month{AFTER}", _day_of_month),
        (r"the (?P<day>[12]?\d|3[01])(?:st|nd|rd|th)(?=\s*(?:$|[?.,!;]))", _day_of_month),
        (rf"{_EDGE} of (?P<step>the|this|next|last) (?P<unit>month|year){AFTER}", _edge),
        (rf"{_EDGE} of (?P<month>{_MONTH})\b{_YEAR}{AFTER}", _edge),
        (rf"{_NTH} (?:of|in) {_IN_MONTH}{AFTER}", _nth_weekday),
        (rf"(?:the )?next {_WORKDAY}(?! (?:after|before)\b){AFTER}", _next_workday),
        (rf"(?:the )?(?:(?P<first>first)|last) {_WORKDAY} (?:of|in) {_IN_MONTH}{AFTER}", _workday_of_month),
        (rf"(?:this day|today) (?P<step>last|next) (?P<unit>year|month|week){AFTER}", _this_day),
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
        (rf"(?:{_STEP})?(?<![\d一二三四五六七八九十])(?P<unit>月)[底末]", _edge),
        (rf"{_HAN_MONTH}的?(?:[底末]|最后一天|(?P<first>第一天))", _edge),
        (rf"{_HAN_MONTH}的?(?:第(?P<n>[一二三四五1-5])|最后一?)个?{_HAN_WEEKDAY}", _nth_weekday),
        (rf"{_HAN_MONTH}的?(?:(?P<first>第一)|最后一?)个?工作日", _workday_of_month),
        ("(?<![后的])下一?个工作日", _next_workday),
        (rf"(?:{_HAN_YEAR}年?|(?<![\d年])年)[底末]", _end_of_year),
        (r"(?P<step>[前去明后])年的?今[天日]", _this_day),
        (r"(?P<step>上|下)个(?P<unit>月)的?今[天日]", _this_day),
    ]
    english.append((rf"(?:{_ENGLISH_STEP} )?(?:{feast_names(chinese=False)}){_YEAR}{AFTER}", _feast))
    chinese.append((rf"(?:{_HAN_YEAR})?(?:{feast_names(chinese=True)})", _feast))
    return [
        *((re.compile(BEFORE + pattern, re.IGNORECASE), rule) for pattern, rule in english),
        *((re.compile(_HAN_BEFORE + pattern + _HAN_AFTER), rule) for pattern, rule in chinese),
    ]


@cache
def _month_patterns() -> list[re.Pattern[str]]:
    """The forms of a month as a whole: `October 2026`, 2026-10, 上个月."""
    return [
        re.compile(rf"{BEFORE}(?P<year>\d{{4}})-(?P<month>0[1-9]|1[0-2])(?![\w/.:-])"),
        re.compile(rf"{BEFORE}(?P<month>{_MONTH})\b\.?{_YEAR.removesuffix('?')}{AFTER}", re.IGNORECASE),
        re.compile(rf"{BEFORE}(?P<month>{'|'.join(MONTHS)}){AFTER}"),  # without its year only with a capital letter
        re.compile(rf"{BEFORE}(?P<step>this|next|last|previous|the current|the) (?P<unit>month){AFTER}", re.IGNORECASE),
        re.compile(rf"{_HAN_BEFORE}{_HAN_MONTH}(?![底末初中半\d一二三四五六七八九十]|\s?\d){_HAN_AFTER}"),
    ]


def _month_of(match: re.Match[str], reference: Reference) -> tuple[int, int]:
    """The year and the month a match of those names; one without its year is in the current year."""
    words = match.groupdict()
    year, month = _month({**words, "step": (words.get("step") or "").lower().removeprefix("the ") or None}, reference)
    return (year if words.get("year") or words.get("step") else reference.today.year), month


def _day(year: int, month: int, day: int) -> date:
    if not 1 <= month <= len(MONTHS):
        raise _refused(message("no_such_month", month=month))
    if not 1 <= year <= 9999:  # noqa: PLR2004  all years of the calendar
        raise _refused(message("no_such_year", year=year))
    if not 1 <= day <= days_in(year, month):
        named, days = f"{MONTHS[month - 1]} {year}", days_in(year, month)
        raise _refused(message("no_such_day", day=f"{year:04}-{month:02}-{day:02}", month=named, days=days))
    return date(year, month, day)


def _without_year(month: int, day: int, reference: Reference) -> date:
    """The next of that name, today counted; the latest for `past`."""
    if 1 <= month <= len(MONTHS) and day > days_in(2000, month):
        days = days_in(2000, month)
        raise _refused(message("month_without_day", month=MONTHS[month - 1], day=day, days=days))
    step = -1 if reference.past else 1
    for year in range(reference.today.year, reference.today.year + 9 * step, step):
        if day > days_in(year, month):
            continue  # 29 February
        found = _day(year, month, day)
        if found >= reference.today if step > 0 else found <= reference.today:
            return found
    raise _refused(message("years_exceeded"))


def _full(match: re.Match[str], reference: Reference) -> date:
    month = _ordinal(match["month"])
    year = _year(match["year"], reference)
    if year is None:
        return _without_year(month, _ordinal(match["day"]), reference)
    return _day(year, month, _ordinal(match["day"]))


def _either_way(match: re.Match[str], _: Reference) -> date:
    year, first, second = int(match["year"]), int(match["first"]), int(match["second"])
    if first <= len(MONTHS) and second <= len(MONTHS) and first != second:
        one, other = f"{year:04}-{second:02}-{first:02}", f"{year:04}-{first:02}-{second:02}"
        raise _refused(message("date_read_two_ways", text=match[0], one=one, other=other))
    return _day(year, first, second) if second > len(MONTHS) else _day(year, second, first)


def _near(match: re.Match[str], reference: Reference) -> date:
    return shifted(reference.today, Duration(days=_NEAR[match["near"].lower()]))


def _weekday(match: re.Match[str], reference: Reference) -> date:
    wanted, words = _weekday_number(match["weekday"]), match.groupdict()
    today, step = reference.today, (words.get("step") or "").lower()
    back = (today.weekday() - wanted - 1) % 7 + 1
    if step in {"last", "past"} or (not step and not words.get("week") and reference.past):
        return shifted(today, Duration(days=-back))
    if week := (words.get("week") or "").lower() or step:
        return shifted(today, Duration(days=wanted - today.weekday() + 7 * _STEPS[week]))
    return shifted(today, Duration(days=(wanted - today.weekday() - 1) % 7 + 1))


def _day_of_month(match: re.Match[str], reference: Reference) -> date:
    day, step = _ordinal(match["day"]), (match.groupdict().get("step") or "").lower()
    if step:
        first = shifted(reference.today.replace(day=1), Duration(months=_STEPS[step]))
        return _day(first.year, first.month, day)
    months = range(0, -4, -1) if reference.past else range(4)
    near = [shifted(reference.today.replace(day=1), Duration(months=month)) for month in months]
    days = [first.replace(day=day) for first in near if 1 <= day <= days_in(first.year, first.month)]
    for found in days:
        if found <= reference.today if reference.past else found >= reference.today:
            return found
    raise _refused(message("day_of_no_month", day=day))


def _edge(match: re.Match[str], reference: Reference) -> date:
    """The first or the last day of a month or a year."""
    words, today = match.groupdict(), reference.today
    if (words.get("unit") or "").lower() == "year":
        year = today.year + _STEPS[match["step"].lower()]
        return _day(year, 1, 1) if words.get("first") else _day(year, 12, 31)
    year, month = _month(words, reference)
    return _day(year, month, 1 if words.get("first") else days_in(year, month))


def _nth_weekday(match: re.Match[str], reference: Reference) -> date:
    words = match.groupdict()
    year, month = _month(words, reference)
    n = _ordinal(words["n"]) if words["n"] and words["n"].lower() != "last" else -1
    found = nth_weekday(year, month, _weekday_number(match["weekday"]), n)
    if found is None:
        raise _refused(message("only_four_weekdays", month=MONTHS[month - 1], year=year))
    return found


def _next_workday(_: re.Match[str], reference: Reference) -> date:
    return shifted(reference.today, Duration(workdays=1))


def _workday_of_month(match: re.Match[str], reference: Reference) -> date:
    """The first or the last day of a month from Monday to Friday."""
    year, month = _month(match.groupdict(), reference)
    if match["first"]:
        return shifted(shifted(_day(year, month, 1), Duration(days=-1)), Duration(workdays=1))
    return shifted(shifted(_day(year, month, days_in(year, month)), Duration(days=1)), Duration(workdays=-1))


def _month(words: dict[str, str | None], reference: Reference) -> tuple[int, int]:
    """The year and the month that are named; a month without a year is the current or the next to come."""
    today, named = reference.today, words.get("month")
    if not named:
        first = shifted(today.replace(day=1), Duration(months=_STEPS[(words.get("step") or "this").lower()]))
        return first.year, first.month
    month, year = _ordinal(named), _year(words.get("year"), reference)
    if not 1 <= month <= len(MONTHS):
        raise _refused(message("no_such_month", month=month))
    return year if year is not None else today.year + (month < today.month and not reference.past), month


def _end_of_year(match: re.Match[str], reference: Reference) -> date:
    year = _year(match["year"], reference)
    return _day(reference.today.year if year is None else year, 12, 31)


def _this_day(match: re.Match[str], reference: Reference) -> date:
    step, unit = _STEPS[match["step"].lower()], (match.groupdict().get("unit") or "year").lower()
    months, days = {"year": (12, 0), "month": (1, 0), "月": (1, 0), "week": (0, 7)}[unit]
    return shifted(reference.today, Duration(months=months * step, days=days * step))


def _feast(match: re.Match[str], reference: Reference) -> date:
    words, today = match.groupdict(), reference.today
    feast = next(int(name[5:]) for name, said in words.items() if name.startswith("feast") and said)
    year, step = _year(words["year"], reference), (words.get("step") or "").lower()
    if year is None and step == "this":
        year = today.year
    if year is not None:
        return day_of(feast, _day(year, 1, 1).year)
    near = [day_of(feast, other) for other in range(max(1, today.year - 1), min(9999, today.year + 1) + 1)]
    if step in {"last", "past"}:
        return max((day for day in near if day < today), default=near[0])
    if reference.past:
        return max((day for day in near if day <= today), default=near[0])
    return min((day for day in near if day >= today), default=near[-1])


def _year(text: str | None, reference: Reference) -> int | None:
    if text is None:
        return None
    if (number := number_of(text)) is not None:
        return int(number)
    return reference.today.year + _STEPS[text.lower().removeprefix("of ").removesuffix(" year")]


def _weekday_number(named: str) -> int:
    return min("一二三四五六日天".find(named), 6) if len(named) == 1 else _index(WEEKDAYS, named)


def _ordinal(text: str) -> int:
    """The number that a day or a month is called by: `5th`, `fifth`, `May`, 十五."""
    if text.lower() in ORDINALS:
        return ORDINALS.index(text.lower()) + 1
    if text[0].isascii() and text[0].isalpha():
        return _index(MONTHS, text) + 1
    return int(number_of(re.sub(r"(?i)(?:st|nd|rd|th)$", "", text)) or 0)


def _index(names: tuple[str, ...], name: str) -> int:
    return next(place for place, full in enumerate(names) if full.lower().startswith(name[:3].lower()))


def _refused(sentence: str) -> Impossible:
    return Impossible(sentence)
