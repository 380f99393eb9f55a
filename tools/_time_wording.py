"""What `get_time` says, in both languages."""

from datetime import date, datetime

from tools.core import Language
from tools.core.dates import Duration, shifted

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
    count = _counted("day", abs(days))
    distance = "today" if not days else f"{count} from today" if days > 0 else f"{count} ago"
    return f"{day} is a {weekday}, {distance}"


def difference_sentence(start: date, end: date, language: Language, business_days: int | None) -> str:
    """How many days lie between two dates."""
    days, spelled = (end - start).days, difference(start, end, language)
    zh = language == "zh"
    count = f"{abs(days)}天" if zh else _counted("day", abs(days))
    if business_days is not None:
        work = f"{abs(business_days)}个工作日" if zh else _counted("business day", abs(business_days))
        total, count = count, work
        spelled = f"周一至周五，共{total}" if zh else f"Monday to Friday, of {total} in all"
    more = "" if spelled == count else f"（{spelled}）" if zh else f" ({spelled})"
    if days < 0:
        return f"{end}在{start}之前{count}{more}" if zh else f"{end} is {count} before {start}{more}"
    return f"从{start}到{end}有{count}{more}" if zh else f"From {start} to {end} it is {count}{more}"


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
        then_is = f"{target}是{on}{clock}"
        return (
            f"{first}时，{then_is}"
            if added is None
            else f"{first}之{_SIDE['zh'][side]}{length(added, 'zh')}，{then_is}"
        )
    first = _clock(given) + (f" on {given.date()}" if dated else "") + ("" if source == target else f" in {source}")
    on = _SHIFTS["en"].get(shift, f"{abs(shift)} days {'later' if shift > 0 else 'earlier'}")
    if added is None:
        return f"{first} is {clock} in {target} {on}"
    return f"{length(added, 'en')} {_SIDE['en'][side]} {first} it is {clock} in {target} {on}"


def waiting_sentence(now: datetime, then: datetime, place: str, language: Language) -> str:
    """How far away a moment is."""
    size, ahead = span(now, then, language), then >= now
    if language == "zh":
        side = f"还有{size}" if ahead else f"已过{size}"
        return f"{place}{then.date()} {_clock(then)}距现在{side}"
    side = f"is {size} from now" if ahead else f"was {size} ago"
    return f"{_clock(then)} on {then.date()} in {place} {side}"


def span_sentence(start: datetime, end: datetime, language: Language) -> str:
    """How long it is from one moment to another."""
    size = span(start, end, language)
    near = start.date() == end.date()
    first, last = (_clock(moment) if near else f"{moment.date()} {_clock(moment)}" for moment in (start, end))
    if end < start:
        return f"{last}在{first}之前{size}" if language == "zh" else f"{last} is {size} before {first}"
    return f"从{first}到{last}是{size}" if language == "zh" else f"From {first} to {last} it is {size}"


def _clock(moment: datetime) -> str:
    return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")


def _counted(unit: str, count: int) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _listed(parts: dict[str, int], language: Language, empty: str) -> str:
    counted = {unit: count for unit, count in parts.items() if count} or {empty: 0}
    if language == "zh":
        return "".join(f"{count}{_CHINESE_UNITS[unit]}" for unit, count in counted.items())
    *most, last = [_counted(unit, count) for unit, count in counted.items()]
    return f"{', '.join(most)} and {last}" if most else last
