"""Dates as people write and say them, in English and Chinese: read as a whole, or found in a sentence.

What a relative date means was decided once:

- `next Friday`, 下周五: in the next week, Monday to Sunday. `this Friday`, 这周五: in the current one.
- `Friday`, 周五: the next to come, today not counted. `last Friday`: the latest before today; 上周五: in the week
  before.
- a day without its year or its month (`16 November`, `Christmas`, 16号): the next to come, today counted.
- 03/04/2026 is refused, because half of the world reads it the other way; 16/11/2026 is clear.

Weeks, months, weekends and feasts that move are no dates here. Nothing is found inside paths, addresses, versions and
amounts of money. Times of the day are read by `clocks`, lengths of time by `durations`.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from functools import cache
from typing import Any, NamedTuple

from switchyard.language.durations import (
    AFTER,
    BEFORE,
    CHINESE_NUMBER,
    Duration,
    days_in,
    find_durations,
    number_of,
    read_duration,
    shifted,
)
from switchyard.language.errors import Impossible
from switchyard.language.messages import message
from switchyard.language.tables import listed, numbers, rows

MONTHS = listed("calendar", "month")
WEEKDAYS = listed("calendar", "weekday")
_ORDINALS = listed("calendar", "ordinal")
_NEAR = numbers("calendar", "near")
_STEPS = numbers("calendar", "step")
"""Weeks, months or years from the current one."""

_MONTH = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "May") + "|Sept|(?-i:May))"
_WEEKDAY = "|".join(WEEKDAYS)
_SHORT_DAY = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun"
_YEAR = r"(?:(?:[ ,\-]{0,2}|,? (?:in|of) )(?P<year>[12]\d{3}|(?:of )?(?:this|next|last) year))?"
_ISO = r"(?P<year>\d{4})(?P<by>[-/.])(?P<month>\d{1,2})(?P=by)(?P<day>\d{1,2})"
_DAY = r"(?P<day>\d{1,2}(?:st|nd|rd|th)?)"
_NAMED = rf"{BEFORE}(?:(?:{_WEEKDAY}|(?:{_SHORT_DAY})\.?),? )?(?:the )?"
_WORKDAY = "(?P<work>(?:working|business|work)[ -]?day)"
_IN_MONTH = rf"(?:(?P<month>{_MONTH})\b{_YEAR}|(?P<step>the|this|next|last) month)"
_NTH = rf"(?:the )?(?P<n>{'|'.join(_ORDINALS)}|[1-5](?:st|nd|rd|th)|last)"
_ENGLISH_STEP = "(?P<step>this|next|last|past)"
_NUMERAL = r"[零〇一二三四五六七八九十百千万亿两\d点折成]"
_OF_OTHERS = "".join(rf"(?<!{people} )" for people in ("chinese", "lunar", "jewish", "persian", "islamic", "thai"))
"""Whose new year is not the one of the first of January."""
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
_DATE, _LENGTH = "\ue000", "\ue001"
"""What stands for every character of a date and of a length where the words between them are looked at."""
_COUNTED = (
    r"L\s(?:from|after|following|(?P<back>before|prior to))\sD",
    r"\badd L\s(?:to|from|after)\sD",
    r"\b(?P<back>subtract|take|minus) L\sfrom\sD",
    r"D\s(?:plus|\+|(?P<back>[−-])|(?P<signed>))\s?L",
    r"L\s(?:from now|later|hence|(?P<back>ago|earlier))\b(?:\stoday\b)?",
    r"\bin L(?!\s(?:from now|later|ago))",
    r"D(?:算?起|起算|开始|算)?[，,]?\s?再?(?:[往向]后[再推数算]{0,2}|[推延]后|推迟|加上?|经?过|[过之以]?后)了?[的再过，]{0,2}\s?L",
    r"D(?:算?起|起算|开始|算)?[，,]?\s?再?(?P<back>[往向][前回][再推数算倒退]{0,2}|倒[推数]|提前|减去?|[之以]?前)了?的?\s?L",
    r"D(?:算?起|起算|开始)?[的再过，]{0,2}\s?L\s?[之以]?(?:(?P<back>前)|后)(?:的(?:\ue000{2}|这一?天|同一天))?",
    r"D(?:算?起|起算|开始)[的再过，]{0,2}\s?L",
    r"(?:[再经]|(?<![\u4e00-\u9fff]))过\s?L(?!\s?[之以]?[前后])",
    r"(?:[往向]后[再推数算]{0,2}|(?P<back>[往向][前回][再推数算倒退]{0,2}|倒[推数]))\s?L",
    r"D[\u4e00-\u9fff]{1,6}[，,]\s?再?经?过?\s?L\s?[之以]?后",
    r"D[\u4e00-\u9fff]{1,6}[，,]\s?再?经?过\s?L",
    r"L\s?[之以]?(?:(?P<back>前)|后)(?:的(?:\ue000{2}|这一?天|同一天))?",
)
"""How a date (D) is said by its distance (L) from another, or from today."""
_ONE_STEP = re.compile(r"(?i)\bthe (?:next )?((?:business |working )?day|week|month|year)(?= (?:after|before) )")
_DATED = r"(?i)\d{4}|[零〇一二三四五六七八九]{4}年|[今明去前后]年|year"
_DAY_OF_A_MONTH = r"\d|[一二三四五六七八九十]月"
_WITH_MONTH = r"\d.*[a-z月]|[a-z].*\d|月"
_ASKS_HOW_MANY = r"(?i)how (?:many|much|long)|number of"


Words = defaultdict[str, str]
"""What the groups of a pattern took, in small letters; nothing for one that is not there."""
Rule = Callable[[Words, date], date]
"""The day that words name, seen from today."""


class Found(NamedTuple):
    """A date named in a text, with its span."""

    value: date | Impossible
    start: int
    end: int
    said: str
    """What `read_date` takes for it: the words themselves, or the date where other words decide on its year."""


def read_date(text: str, today: date) -> date | None:
    """The date that the whole text names, or None.

    Raises:
        Impossible: it names a day that does not exist, or one of two.
    """
    found = _whole(text, today)
    if isinstance(found, Impossible):
        raise found
    return found


def _whole(text: str, today: date) -> date | Impossible | None:
    wanted = re.sub(
        r"^(?:(?:on|by|since|until|till)\s|从|到|在)\s*|[\s.。?？!！,，]+$", "", text.strip(), flags=re.IGNORECASE
    )
    spellings = (wanted, wanted.title(), f"on {wanted.title()}")
    found = (one for said in spellings for one in _found(said, today) if (one.start, one.end) == (0, len(said)))
    return next((one.value for one in found), None)


def find_dates(text: str, today: date) -> list[Found]:
    """The dates named in `text`, in order; days that do not exist are left out."""
    return [found for found in dates_named(text, today) if isinstance(found.value, date)]


def dates_named(text: str, today: date) -> list[Found]:
    """The same with those that do not exist or can be read in two ways.

    A date without its year that follows another is the next after it: from 3 March 2026 to 14 July.
    """
    since: date | None = None
    result: list[Found] = []
    for found in _found(text, today):
        dated, told = re.search(_DATED, found.said), found
        if since and not dated and re.search(_DAY_OF_A_MONTH, found.said):
            moved = _whole(found.said, since)
            told = Found(moved, found.start, found.end, str(moved)) if isinstance(moved, date) else found
        if isinstance(told.value, date) and (dated or told != found or re.search(_WITH_MONTH, found.said)):
            since = told.value
        result.append(told)
    return result


def _found(text: str, today: date) -> list[Found]:
    if not re.search(_HINT, text):
        return []
    found: list[Found] = []
    for pattern, rule in _rules():
        for match in pattern.finditer(text):
            words = defaultdict(str, {name: (said or "").lower() for name, said in match.groupdict().items()})
            words["text"] = match[0]
            found.append(Found(_value(rule, words, today), *match.span(), match[0]))
    plain = _apart(found)
    return _apart([*_counted(text, plain, today), *plain])


def _value(rule: Callable[..., date], *given: Any) -> date | Impossible:
    try:
        return rule(*given)
    except Impossible as error:
        return error


def _apart(found: list[Found]) -> list[Found]:
    """Those that do not overlap: the first counts, of several that begin together the longest."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _counted(text: str, dates: list[Found], today: date) -> list[Found]:
    """Dates so and so far from today or from another date: `3 weeks ago`, `90 days from today`, 圣诞节前三天."""
    steps = [(read_duration(f"1 {match[1]}") or Duration(), *match.span()) for match in _ONE_STEP.finditer(text)]
    lengths = [length for length in [*find_durations(text), *steps] if not length[0].seconds]
    if not lengths:
        return []
    masked = text
    durations = {(start, end): duration for duration, start, end in lengths}
    days = {(one.start, one.end): one.value for one in dates}
    for start, end in (*days, *durations):
        if _DATE not in masked[start:end]:
            masked = masked[:start] + (_DATE if (start, end) in days else _LENGTH) * (end - start) + masked[end:]
    days[-1, -1] = today
    found: list[Found] = []
    for pattern in _counted_patterns():
        for match in pattern.finditer(masked):
            words, duration, (start, end) = match.groupdict(), durations.get(match.span("l")), match.span()
            base = days.get(match.span("d") if "d" in words else (-1, -1))
            fits = words.get("signed") is None or (duration and duration.is_negative)
            asked = match[0].startswith("in ") and re.search(_ASKS_HOW_MANY, text[:start])
            if base is not None and duration is not None and fits and not asked:
                way = -duration if words.get("back") else duration
                value = _value(shifted, base, way) if isinstance(base, date) else base
                found.append(Found(value, start, end, text[start:end]))
    return found


@cache
def _counted_patterns() -> list[re.Pattern[str]]:
    named = (way.replace("D", f"(?P<d>{_DATE}+)", 1).replace("L", f"(?P<l>{_LENGTH}+)", 1) for way in _COUNTED)
    return [re.compile(f"(?i){way}") for way in named]


@cache
def _rules() -> list[tuple[re.Pattern[str], Rule]]:
    """Every form with its rule; of forms that meet in a text the longest counts."""
    english: list[tuple[str, Rule]] = [
        (rf"{_ISO}(?=T\d)", _full),
        (rf"{_ISO}{AFTER}{_NAMED_AFTER}", _full),
        (rf"(?P<first>\d{{1,2}})(?P<by>[-/.])(?P<second>\d{{1,2}})(?P=by)(?P<year>\d{{4}}){AFTER}", _either_way),
        (rf"{_NAMED}{_DAY}(?: of)?[ -]?(?P<month>{_MONTH})\b\.?{_YEAR}{AFTER}", _full),
        (rf"{_NAMED}(?P<month>{_MONTH})\.? ?(?:the )?{_DAY}{_YEAR}{AFTER}", _full),
        (rf"(?:the )?(?P<near>{'|'.join(name for name in _NEAR if name.isascii())}){AFTER}", _from_today),
        (rf"(?<!good )(?<!black )(?:{_ENGLISH_STEP} |(?:the |this )?coming )?(?P<weekday>{_WEEKDAY}){AFTER}", _weekday),
        (rf"(?:{_ENGLISH_STEP}|on) (?P<weekday>{_SHORT_DAY}){AFTER}", _weekday),
        (rf"(?P<weekday>{_WEEKDAY})(?: of)? (?P<week>this|next|last) week{AFTER}", _weekday),
        (rf"(?P<week>this|next|last) week(?:['’]s| on)? (?P<weekday>{_WEEKDAY}){AFTER}", _weekday),
        (rf"(?:the )?{_DAY} of (?:the )?(?P<step>this|next|last|current) month{AFTER}", _day_of_month),
        (r"the (?P<day>[12]?\d|3[01])(?:st|nd|rd|th)(?=\s*(?:$|[?.,!;]))", _day_of_month),
        (rf"(?:(?:the )?end|{_NTH} day) of (?P<step>the|this|next|last) (?P<unit>year){AFTER}", _of_month),
        (
            rf"(?:(?:the )?end of|{_NTH} (?:day|{_WORKDAY}|(?P<weekday>{_WEEKDAY})) (?:of|in)) {_IN_MONTH}{AFTER}",
            _of_month,
        ),
        (rf"(?:the )?next {_WORKDAY}(?! (?:after|before)\b){AFTER}", _from_today),
    ]
    number = rf"(?:\d{{1,2}}|{CHINESE_NUMBER})"
    chinese: list[tuple[str, Rule]] = [
        (rf"(?:{_HAN_YEAR})?(?<![\d.])(?P<month>{number})\s?月\s?(?P<day>{number})\s?[日号]{_NAMED_AFTER}", _full),
        (r"(?P<near>大?[前后](?=[天日](?!气))|[昨今明](?=[天日晚早]))[天日晚早]", _from_today),
        (rf"{_STEP}{_HAN_WEEKDAY}", _weekday),
        (rf"(?<![每个几一二两三四五六七八九十\d]){_HAN_WEEKDAY}", _weekday),
        (rf"{_STEP}月的?{_HAN_DAY}[日号]", _day_of_month),
        (rf"(?<![第零一二三四五六七八九十百]){_ALONE}{_HAN_DAY}号(?![线楼门房间码台机井公厅馆院字员])", _day_of_month),
        (rf"{_ALONE}(?P<day>[12]?\d|3[01])日(?![本元语游内前后间报])", _day_of_month),
        (r"(?<![\d一二三四五六七八九十上这本当下个])月[底末]", _of_month),
        (
            rf"{_HAN_MONTH}的?(?:[底末]|(?:第(?P<n>[一二三四五1-5])|最后一?)个?(?:天|(?P<work>工作日)|{_HAN_WEEKDAY}))",
            _of_month,
        ),
        ("(?<![后的])下一?个(?P<work>工作日)", _from_today),
        (rf"(?:{_HAN_YEAR}年?|(?<![\d年])年)(?P<unit>[底末])", _of_month),
        (r"(?P<step>[前去明后])年的?今[天日]", _from_today),
    ]
    english.append((rf"(?:{_ENGLISH_STEP} )?(?:{_feasts(chinese=False)}){_YEAR}{AFTER}", _feast))
    chinese.append((rf"(?:{_HAN_YEAR})?(?:{_feasts(chinese=True)})", _feast))
    return [
        *((re.compile(BEFORE + pattern, re.IGNORECASE), rule) for pattern, rule in english),
        *((re.compile(_HAN_BEFORE + pattern + _HAN_AFTER), rule) for pattern, rule in chinese),
    ]


def _day(year: int, month: int, day: int) -> date:
    if not 1 <= year <= 9999:  # noqa: PLR2004  all years of the calendar
        raise Impossible(message("no_such_year", year=year))
    if not 1 <= month <= len(MONTHS):
        raise Impossible(message("no_such_month", month=month))
    if not 1 <= day <= (days := days_in(year, month)):
        named = f"{year:04}-{month:02}-{day:02}"
        raise Impossible(message("no_such_day", day=named, month=f"{MONTHS[month - 1]} {year}", days=days))
    return date(year, month, day)


def _nearest(days: Iterable[date | Impossible], today: date) -> date:
    """The next of these that exist, today counted."""
    found = list(days)
    near = min((day for day in found if isinstance(day, date) and day >= today), default=None)
    if near is None:
        raise next((day for day in found if isinstance(day, Impossible)), Impossible(message("years_exceeded")))
    return near


def _full(words: Words, today: date) -> date:
    month, day, year = _ordinal(words["month"]), _ordinal(words["day"]), _year(words["year"], today)
    if year is not None:
        return _day(year, month, day)
    years = range(today.year, min(today.year + 9, 10_000))  # 29 February
    return _nearest((_value(_day, year, month, day) for year in years), today)


def _either_way(words: Words, _: date) -> date:
    year, first, second = int(words["year"]), int(words["first"]), int(words["second"])
    if first <= len(MONTHS) and second <= len(MONTHS) and first != second:
        one, other = f"{year:04}-{second:02}-{first:02}", f"{year:04}-{first:02}-{second:02}"
        raise Impossible(message("date_read_two_ways", text=words["text"], one=one, other=other))
    return _day(year, first, second) if second > len(MONTHS) else _day(year, second, first)


def _from_today(words: Words, today: date) -> date:
    """`tomorrow`, `the next working day`, 明年今天."""
    years, days = _STEPS.get(words["step"], 0), _NEAR.get(words["near"], 0)
    return shifted(today, Duration(12 * years, days, workdays=1 if words["work"] else 0))


def _weekday(words: Words, today: date) -> date:
    step = words["step"]
    ahead = (_weekday_number(words["weekday"]) - today.weekday()) % 7
    if step in {"last", "past"}:
        return shifted(today, Duration(days=ahead - 7))
    if week := words["week"] or step:
        monday = shifted(today, Duration(days=7 * _STEPS[week] - today.weekday()))
        return shifted(monday, Duration(days=_weekday_number(words["weekday"])))
    return shifted(today, Duration(days=ahead or 7))


def _day_of_month(words: Words, today: date) -> date:
    day, this_month = _ordinal(words["day"]), today.replace(day=1)
    if words["step"]:
        first = shifted(this_month, Duration(months=_STEPS[words["step"]]))
        return _day(first.year, first.month, day)
    months = (shifted(this_month, Duration(months=away)) for away in range(4))
    return _nearest((_value(_day, first.year, first.month, day) for first in months), today)


def _of_month(words: Words, today: date) -> date:
    """The n-th or the last day, weekday or working day of a month; with `unit`, the first or the last day of a year."""
    n = _ordinal(words["n"]) if words["n"] not in {"", "last"} else 0
    if words["unit"]:
        year = _year(words["year"] or words["step"] or "this", today) or 0
        return _day(year, 1, n) if n else _day(year, 12, 31)
    year, month = _month(words, today)
    wanted = {_weekday_number(words["weekday"])} if words["weekday"] else set(range(5 if words["work"] else 7))
    days = [_day(year, month, day) for day in range(1, days_in(year, month) + 1)]
    days = [day for day in days if day.weekday() in wanted]
    if n > len(days):
        raise Impossible(message("only_four_weekdays", month=MONTHS[month - 1], year=year))
    return days[n - 1]


def _month(words: Words, today: date) -> tuple[int, int]:
    """The year and the month that are named; a month without a year is the current or the next to come."""
    if not words["month"]:
        first = shifted(today.replace(day=1), Duration(months=_STEPS[words["step"] or "this"]))
        return first.year, first.month
    month, year = _day(2000, _ordinal(words["month"]), 1).month, _year(words["year"], today)
    return year if year is not None else today.year + (month < today.month), month


def _feast(words: Words, today: date) -> date:
    step = words["step"]
    feast = next(int(name[5:]) for name, said in words.items() if name.startswith("feast") and said)
    year = today.year if step == "this" and not words["year"] else _year(words["year"], today)
    if year is not None:
        return _feast_day(feast, _day(year, 1, 1).year)
    near = [_value(_feast_day, feast, other) for other in range(max(1, today.year - 1), min(9999, today.year + 1) + 1)]
    if step in {"last", "past"}:
        return max(day for day in near if isinstance(day, date) and day < today)
    return _nearest(near, today)


def _year(text: str, today: date) -> int | None:
    if not text:
        return None
    if (number := number_of(text)) is not None:
        return int(number)
    return today.year + _STEPS[text.removeprefix("of ").removesuffix(" year")]


def _weekday_number(named: str) -> int:
    return min("一二三四五六日天".find(named), 6) if len(named) == 1 else _index(WEEKDAYS, named)


def _ordinal(text: str) -> int:
    """The number that a day or a month is called by: `5th`, `fifth`, `May`, 十五."""
    if text in _ORDINALS:
        return _ORDINALS.index(text) + 1
    if text[0].isascii() and text[0].isalpha():
        return _index(MONTHS, text) + 1
    return int(number_of(re.sub(r"(?:st|nd|rd|th)$", "", text)) or 0)


def _index(names: tuple[str, ...], name: str) -> int:
    return next(place for place, full in enumerate(names) if full.lower().startswith(name[:3].lower()))


def _feasts(*, chinese: bool) -> str:
    """The names of all feasts in a language as one pattern, each feast as a group: its row."""
    return "|".join(
        f"(?P<feast{number}>{_feast_pattern(row[1 + chinese], *row[3:])})"
        for number, row in enumerate(rows("festivals"))
        if row[1 + chinese] != "-"
    )


def _feast_pattern(listed: str, not_after: str = "-", not_before: str = "") -> str:
    """The names of a row; numerals alone (五一) only where no other number is meant."""
    found: list[str] = []
    for name in listed.split("|"):
        said = re.escape(name).replace("'", "['’]?")
        if re.fullmatch(_NUMERAL + "+", name):
            said = f"(?<!{_NUMERAL}){said}(?!{_NUMERAL}|[个分天年月])"
        found.append(f"(?:the )?{_OF_OTHERS}{said}" if name.isascii() else said)
    before = "" if not_after == "-" else f"(?<![{not_after}])"
    return f"{before}(?:{'|'.join(found)})" + (rf"(?!\s?(?:{not_before}))" if not_before else "")


def _feast_day(row: int, year: int) -> date:
    """The day of a feast in a year; lunar ones are known for some decades, as seen in Beijing."""
    rule, *given = rows("festivals")[row][0].split()
    later = timedelta(days=int(given.pop()) if given and given[-1][0] in "+-" else 0)
    if rule == "easter":
        return _easter(year) + later
    if rule == "lunar":
        days = {row[0]: row[1 + int(given[0])] for row in rows("lunar_days")}
        if str(year) not in days:
            raise Impossible(message("lunar_feasts_unknown", first=min(days), last=max(days)))
        return date.fromisoformat(f"{year}-{days[str(year)]}") + later
    if not given:
        return date.fromisoformat(f"{year:04}-{rule}")
    first = date(year, int(rule), 1)
    return first + timedelta(days=(int(given[0]) - first.weekday()) % 7, weeks=int(given[1]) - 1) + later


def _easter(year: int) -> date:
    century, golden = year // 100, year % 19
    epact = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    moon = epact - (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    sunday = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
    return date(year, 3, 1) + timedelta(days=sunday + 27)
