"""What `get_time` says, in both languages."""

from datetime import date, datetime, timedelta

from switchyard.language.durations import Duration, shifted
from switchyard.tools.core import Language
from switchyard.tools.core.plain_words import counted

WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}
_CHINESE_UNITS = {
    "year": "年",
    "month": "个月",
    "week": "周",
    "day": "天",
    "business day": "个工作日",
    "hour": "小时",
    "minute": "分钟",
    "second": "秒",
}
_SHIFTS: dict[Language, dict[int, str]] = {
    "en": {-1: "on the previous day", 0: "on the same day", 1: "on the next day"},
    "zh": {-1: "前一天的", 0: "同一天的", 1: "第二天的"},
}
_SIDE: dict[Language, tuple[str, str]] = {"en": ("after", "before"), "zh": ("后", "前")}
_DAY, _WEEK = 86400, 7


def length(duration: Duration, language: Language) -> str:
    """A duration without its sign: `2 years, 9 months and 6 days`, 2年9个月6天."""
    months, days, seconds = abs(duration.months), abs(duration.days), abs(duration.seconds)
    parts = {
        "year": months // 12,
        "month": months % 12,
        "day": days,
        "business day": abs(duration.workdays),
        "hour": seconds // 3600,
        "minute": seconds // 60 % 60,
        "second": seconds % 60,
    }
    return _listed(parts, language, "day" if not seconds else "second")


def apart(start: date, end: date) -> Duration:
    """Whole months and the days left over, from the earlier to the later date."""
    start, end = sorted((start, end))
    months = (end.year - start.year) * 12 + end.month - start.month
    months -= shifted(start, Duration(months=months)) > end
    return Duration(months=months, days=(end - shifted(start, Duration(months=months))).days)


def difference(start: date, end: date, language: Language) -> str:
    """The time between two dates in years, months and days; in weeks and days below a month."""
    between = apart(start, end)
    return length(between, language) if between.months else in_weeks(between.days, language)


def in_weeks(days: int, language: Language) -> str:
    """Days as weeks and days."""
    return _listed({"week": abs(days) // _WEEK, "day": abs(days) % _WEEK}, language, "day")


def span(start: datetime, end: datetime, language: Language) -> str:
    """The time between two moments, in either order, to the minute; to the second below one."""
    seconds = abs(int((end - start).total_seconds()))
    seconds = seconds // 60 * 60 or seconds
    return length(Duration(days=seconds // _DAY, seconds=seconds % _DAY), language)


def now_sentence(fields: dict[str, str], language: Language) -> str:
    """What time it is."""
    if language == "zh":
        return "{place}现在是{date} {weekday} {clock}（{timezone}）".format(**fields)
    return "It is {clock} on {weekday}, {date} in {place} ({timezone})".format(**fields)


def date_sentence(day: date, days: int, language: Language) -> str:
    """Which weekday a date is, and how far away."""
    weekday = WEEKDAYS[language][day.weekday()]
    if language == "zh":
        distance = "就是今天" if not days else f"距今天还有{days}天" if days > 0 else f"距今天已过{-days}天"
        return f"{day}是{weekday}，{distance}"
    count = counted(abs(days), "day")
    distance = "today" if not days else f"{count} from today" if days > 0 else f"{count} ago"
    return f"{day} {'was' if days < 0 else 'is'} a {weekday}, {distance}"


def difference_sentence(
    start: date,
    end: date,
    language: Language,
    business_days: int | None,
    unit: str | None,
    *,
    from_today: bool,
    to_today: bool,
) -> str:
    """How many days lie between two dates, or how many of the unit that was asked for."""
    days, zh = (end - start).days, language == "zh"
    total = f"{abs(days)}天" if zh else counted(abs(days), "day")
    count, spelled = _told_in(start, end, unit, language), total
    if business_days is not None:
        count = f"{abs(business_days)}个工作日" if zh else counted(abs(business_days), "business day")
        spelled = f"周一至周五，共{total}" if zh else f"Monday to Friday, of {total} in all"
    elif count == total:
        spelled = difference(start, end, language)
    more = "" if spelled == count else f"（{spelled}）" if zh else f" ({spelled})"
    if days < 0:
        return f"{end}在{start}之前{count}{more}" if zh else f"{end} is {count}{more} before {start}"
    if from_today:
        return f"从今天（{start}）到{end}还有{count}{more}" if zh else f"It is {count}{more} from today until {end}"
    if to_today:
        return f"从{start}到今天（{end}）已过{count}{more}" if zh else f"It is {count}{more} from {start} until today"
    verb = "is" if count.startswith("1 ") else "are"
    return f"从{start}到{end}有{count}{more}" if zh else f"There {verb} {count}{more} between {start} and {end}"


def _told_in(start: date, end: date, unit: str | None, language: Language) -> str:
    days, between = abs((end - start).days), apart(start, end)
    if unit == "weeks":
        return in_weeks(days, language)
    if unit == "years":
        return length(between, language)
    if unit == "months":
        return _listed({"month": between.months, "day": between.days}, language, "month")
    return _listed({"day": days}, language, "day")


def in_unit(start: date, end: date, unit: str) -> int | float | None:
    """The time between two dates as one number; None where it is no whole number of months or years."""
    days, between = abs((end - start).days), apart(start, end)
    if unit in {"months", "years"}:
        whole, rest = divmod(between.months, 12 if unit == "years" else 1)
        return None if rest or between.days else whole
    if unit == "weeks":
        return round(days / _WEEK, 2) if days % _WEEK else days // _WEEK
    return days


def fact_sentence(tell: str, day: date, value: int, fields: dict[str, str], language: Language) -> str:
    """What a date or a place is, beside its weekday and its time."""
    zh, year = language == "zh", day.isocalendar().year if tell == "iso_week" else day.year
    leap = value > 28  # noqa: PLR2004  the days of February in other years
    said = {
        "iso_week": (f"{day} is in week {value} of {year} (ISO)", f"{day}在{year}年的第{value}周（ISO 周）"),
        "day_of_year": (f"{day} is day {value} of {year}", f"{day}是{year}年的第{value}天"),
        "month_length": (f"{day:%B} {year} has {value} days", f"{year}年{day.month}月有{value}天"),
        "year_length": (f"{year} has {value} days", f"{year}年有{value}天"),
        "leap_year": (
            f"{year} is {'' if leap else 'not '}a leap year: its February has {value} days",
            f"{year}年{'' if leap else '不'}是闰年，2月有{value}天",
        ),
        "zone": (
            f"{fields['place']} is in the time zone {fields['timezone']}, UTC{fields['utc_offset']}",
            f"{fields['place']}的时区是{fields['timezone']}，UTC{fields['utc_offset']}",
        ),
    }
    return said[tell][zh]


def timestamp_sentence(fields: dict[str, str], clock: str, value: int, language: Language, *, tells: str) -> str:
    """What moment a Unix timestamp is, or which timestamp a moment has."""
    place, day = fields["place"], fields["date"]
    if tells == "value":
        if language == "zh":
            return f"{place}{day} {clock}的 Unix 时间戳是 {value}"
        return f"The Unix timestamp of {day} {clock} in {place} is {value}"
    if language == "zh":
        return f"Unix 时间戳 {value} 是{place}时间{day} {fields['weekday']} {clock}（{fields['timezone']}）"
    return f"The Unix timestamp {value} is {clock} on {fields['weekday']}, {day} in {place} ({fields['timezone']})"


def zones_sentence(there: datetime, here: datetime, names: tuple[str, str], language: Language) -> str:
    """How far the clocks of two places are apart."""
    zh, apart_by = language == "zh", (there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())
    size = length(Duration(seconds=abs(int(apart_by.total_seconds()))), language)
    near = there.date() == here.date()
    clocks = [(_clock(moment) if near else f"{moment.date()} {_clock(moment)}") for moment in (there, here)]
    target, source = names
    if zh:
        side = "时间相同" if not apart_by else f"时间比{source}{'快' if apart_by > timedelta() else '慢'}{size}"
        first = f"{target}和{source}" if not apart_by else target
        return f"{first}{side}（现在{target}{clocks[0]}，{source}{clocks[1]}）"
    now = f"(now {clocks[0]} in {target}, {clocks[1]} in {source})"
    if not apart_by:
        return f"{target} and {source} have the same time {now}"
    return f"{target} is {size} {'ahead of' if apart_by > timedelta() else 'behind'} {source} {now}"


def added_sentence(start: date, duration: Duration, end: date, language: Language) -> str:
    """Which date is so far from another."""
    size, weekday = length(duration, language), WEEKDAYS[language][end.weekday()]
    if language == "zh":
        return f"{start}之{_SIDE['zh'][duration.is_negative]}{size}是{end}，{weekday}"
    return f"{size} {_SIDE['en'][duration.is_negative]} {start} is {weekday}, {end}"


def clock_sentence(
    given: datetime,
    places: tuple[str, str],
    then: datetime,
    language: Language,
    added: Duration | None,
    *,
    dated: bool,
) -> str:
    """What a time in one place is in another, or so much later."""
    shift, (source, target), clock = (then.date() - given.date()).days, places, _clock(then)
    side = added is not None and added.is_negative
    if language == "zh":
        first = ("" if source == target else source) + (f"{given.date()} " if dated else "") + _clock(given)
        on = _SHIFTS["zh"].get(shift, f"{abs(shift)}天{'后' if shift > 0 else '前'}的")
        then_is = f"，{target}是{on}{clock}" if target else f"是{on}{clock}"
        return f"{first}时{then_is}" if added is None else f"{first}之{_SIDE['zh'][side]}{length(added, 'zh')}{then_is}"
    first = _clock(given) + (f" on {given.date()}" if dated else "") + ("" if source == target else f" in {source}")
    on = _SHIFTS["en"].get(shift, f"{abs(shift)} days {'later' if shift > 0 else 'earlier'}")
    if added is None:
        return f"{first} is {clock} in {target} {on}"
    where = f" in {target}" if target else ""
    return f"{length(added, 'en')} {_SIDE['en'][side]} {first} it is {clock}{where} {on}"


def waiting_sentence(now: datetime, then: datetime, place: str, language: Language) -> str:
    """How far away a moment is."""
    size, ahead = span(now, then, language), then >= now
    if language == "zh":
        side = f"还有{size}" if ahead else f"已过{size}"
        return f"{place}{then.date()} {_clock(then)}距现在{side}"
    side = f"is {size} from now" if ahead else f"was {size} ago"
    return f"{_clock(then)} on {then.date()} in {place} {side}"


def span_sentence(start: datetime, end: datetime, language: Language, unit: str | None = None) -> str:
    """How long it is from one moment to another."""
    size = span(start, end, language)
    seconds = abs(int((end - start).total_seconds()))
    each = {"hours": 3600, "minutes": 60, "seconds": 1}.get(unit or "")
    if each and seconds >= each:
        rest = {"minute": seconds % each // 60} if unit == "hours" else {}
        told = _listed({(unit or "")[:-1]: seconds // each, **rest}, language, "minute")
        size += "" if told == size else f"（{told}）" if language == "zh" else f" ({told})"
    near = start.date() == end.date()
    first, last = (_clock(moment) if near else f"{moment.date()} {_clock(moment)}" for moment in (start, end))
    if end < start:
        return f"{last}在{first}之前{size}" if language == "zh" else f"{last} is {size} before {first}"
    return f"从{first}到{last}是{size}" if language == "zh" else f"From {first} to {last} it is {size}"


def _clock(moment: datetime) -> str:
    return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")


def _listed(parts: dict[str, int], language: Language, empty: str) -> str:
    said = {unit: count for unit, count in parts.items() if count} or {empty: 0}
    if language == "zh":
        return "".join(f"{count}{_CHINESE_UNITS[unit]}" for unit, count in said.items())
    *most, last = [counted(count, unit) for unit, count in said.items()]
    return f"{', '.join(most)} and {last}" if most else last
