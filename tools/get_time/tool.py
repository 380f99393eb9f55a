"""Times and dates: what it is now, anywhere; which weekday, how far away, how much later, what it is elsewhere.

Which of its texts are given decides what is asked. How relative dates are understood stands in `language.dates`, the
sentences of the answers in `language/data/time_answers.tsv`.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, NamedTuple

from pydantic import Field

from switchyard.language.clocks import find_clocks, read_clock
from switchyard.language.dates import WEEKDAYS, dates_named, read_date
from switchyard.language.durations import Duration, read_duration, shifted, workdays_between
from switchyard.language.messages import joined, message
from switchyard.language.places import Place, cities_of, local_zone, nearest_places, tzinfo_of, zone_of
from switchyard.language.tables import rows
from switchyard.tools.core import BaseToolParams, Language, ToolContext, ToolFailed, tool
from switchyard.tools.core.plain_words import counted

_NOW = frozenset({"today", "今天", "今日", "now", "right now", "现在", "此刻", "目前", "当前"})
_BETWEEN = re.compile(r"(?:\s|[,，、的T@]|\b(?:at|on|the)\b)*", re.IGNORECASE)
"""What may stand around a date and a time without meaning more."""
_TIMESTAMP = re.compile(r"(?:(?:unix )?time ?stamp|unix(?: time)?|epoch|时间戳)?[\s:：]*(\d{9,13})", re.IGNORECASE)
_MILLISECONDS = 12
"""Digits from which a timestamp counts milliseconds."""
_OPEN = (366, 31, 7)
"""Days in which a date comes again that leaves its year, its month or its week open."""
_MOST = 200
"""Characters a date or a time may have."""
_SECONDS = {"hours": 3600, "minutes": 60, "seconds": 1}
_DAY = 86400

Unit = Literal["days", "weeks", "months", "years", "hours", "minutes", "seconds"]


class GetTimeParams(BaseToolParams):
    """Which time or date, and what about it."""

    timezone: str | None = Field(
        default=None,
        description="A city or country in English or Chinese (Tokyo, 东京), an IANA zone (Asia/Tokyo) or an offset "
        "(UTC+8). Leave it out for the local time. With `time`: the place to convert to.",
    )
    time: str | None = Field(
        default=None,
        description="A given time of day to convert or to add to (09:30, 9:30 am, half past nine, 上午九点半, "
        "下午3点). Leave it out for the current time.",
    )
    from_timezone: str | None = Field(
        default=None,
        description="With `time`: the city, country, zone or offset in which that time is given. Default: local. "
        "With `timezone` alone: the other place of a time difference.",
    )
    date: str | None = Field(
        default=None,
        description="A date to tell the weekday and the distance of, or to start from (2026-11-16, 16 November 2026, "
        "2026年11月16日, tomorrow, 后天, next Wednesday, 下周三, 上个月五号, 90 days from today, 3 weeks ago, "
        "Christmas, the last Friday of this month, next working day, timestamp 1700000000). Default: today.",
    )
    until: str | None = Field(
        default=None,
        description="The second date of a difference: how many days from `date` (default today) until then. "
        "A time of day gives how long it is from `time` (default now) until then.",
    )
    add: str | None = Field(
        default=None,
        description="A duration to add to `date` or `time` (90 days, 2 weeks, 10 business days, 3个月, 45分钟); "
        "with a minus to go back (-1 year).",
    )
    business_days: bool = Field(
        default=False,
        description="Count only business days, 工作日: Mondays to Fridays after `date` up to and with `until`. "
        "Public holidays are not known.",
    )
    unit: Unit | None = Field(default=None, description="The unit in which the time from `date` until `until` is told.")
    tell: Literal["timestamp"] | None = Field(
        default=None, description="Something else to tell: the Unix timestamp of `date` and `time`, default now."
    )


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


@tool(
    category="time",
    capability_tags=("time", "时间"),
    returns="place, timezone, time, clock, date, weekday, utc_offset of the moment the answer arrives at, and "
    "sentence; as asked value (the number asked for), days, business_days, from_date",
)
class GetTime:
    """Tell the current time, date and weekday anywhere; reckon with dates and convert times between zones.

    Weekday and distance of a date, days, weeks or business days between two dates, a date or time so much later or
    earlier, a given time in another city, the time difference of two. Feasts by name (Christmas, Thanksgiving as in the
    United States, Easter, 春节, 中秋). `next Friday` and 下周五 are in the next week from Monday to Sunday, `this
    Friday` in the current one, `Friday` is the next to come, `last Friday` the latest one, 上周五 in the week before.
    A date without its year is the next to come. 03/04/2026 is refused: write 2026-04-03.
    """

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._clock = clock

    def execute(self, params: GetTimeParams, context: ToolContext) -> dict[str, Any]:
        """The moment or date asked for, what was asked about it, and the answer as a sentence."""
        if params.until and params.add:
            raise ToolFailed(message("add_or_until"), kind="bad_arguments")
        try:
            return _TimeQuestion(params, self._clock(), context.language).answer()
        except OverflowError as error:
            raise ToolFailed(message("years_exceeded"), kind="bad_arguments") from error


Answer = dict[str, Any]


class _TimeQuestion:
    """One call of `get_time`: where it is asked, and which of the answers it wants."""

    def __init__(self, params: GetTimeParams, moment: datetime, language: Language) -> None:
        self._asked, self._moment, self._words = params, moment, _Wording(language)
        self._time = None if _is_now(params.time) else params.time
        self._target = _place_named(params.timezone) if params.timezone else None
        given = _place_named(params.from_timezone) if params.from_timezone else None
        self._source = given or (_read_given(self._time, moment.date()).zone if self._time else None)
        self._duration = read_duration(params.add[:_MOST]) if params.add else None
        if params.add and self._duration is None:
            raise _unreadable(message("no_duration", text=params.add[:100]), message("write_duration"))

    def answer(self) -> Answer:
        """The moment or date the answer arrives at, what was asked about it, and the answer as a sentence."""
        asked, place = self._asked, self._target or self._source or _local_place()
        stamped = _read_timestamp(asked.date)
        if stamped or asked.tell:
            there = (stamped or self._start(place)).astimezone(tzinfo_of(place.zone))
            said = {"told": f"{there:%H:%M:%S}"}
            return self._told("stamped" if stamped else "stamp", place, there, said, value=int(there.timestamp()))
        given = asked.time or asked.date or asked.until or asked.add
        if self._source and self._target and not given and self._source.zone != self._target.zone:
            return self._compared(self._source, self._target)
        clocks = (_read_given(text, self._moment.date()).clock for text in (asked.date, asked.until) if text)
        if self._time or any(clock is not None for clock in clocks) or (self._duration and self._duration.seconds):
            return self._about_clocks()
        return self._about_dates(place)

    def _compared(self, source: Place, target: Place) -> Answer:
        there, here = self._now(target), self._now(source)
        ahead = (there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())
        first, second = _both_told(there, here)
        said = {
            "there": first,
            "here": second,
            "from_place": self._name(source),
            "size": self._words.length(Duration(seconds=int(ahead.total_seconds()))),
            "ahead": self._words.either(*(("ahead of", "快") if ahead > timedelta() else ("behind", "慢"))),
        }
        return self._told("apart" if ahead else "same_time", target, there, said, value=_plain(ahead, 3600))

    def _about_dates(self, place: Place) -> Answer:
        asked, here = self._asked, self._now(place)
        today = here.date()
        if asked.until or (asked.date and asked.business_days):
            first, last = asked.date if asked.until else None, asked.until or asked.date or ""
            return self._between(place, *_read_span(first, last, today))
        start = _read_day(asked.date, today)
        if self._duration:
            end, said = shifted(start, self._duration), self._moved(self._duration)
            return self._told("added", place, end, said, from_date=start.isoformat(), days=(end - today).days)
        if _is_now(asked.date):
            return self._told("now", place, here, {}, **({"days": 0} if asked.date else {}))
        days = (start - today).days
        sentence = "today" if not days else "to_come" if days > 0 else "gone"
        return self._told(sentence, place, start, {"size": self._words.listed({"day": abs(days)})}, days=days)

    def _between(self, place: Place, start: date, end: date) -> Answer:
        asked, days = self._asked, (end - start).days
        from_today, to_today = not asked.until or _is_now(asked.date), _is_now(asked.until)
        if asked.unit in _SECONDS:  # to the beginning of a day: from now, or from the beginning of another
            now = self._now(place).replace(microsecond=0)
            first = now if from_today else datetime.combine(start, time(), now.tzinfo)
            last = now if to_today else datetime.combine(end, time(), now.tzinfo)
            return self._span(place, first, last)
        workdays = workdays_between(start, end) if asked.business_days else None
        size, number = self._words.distance(start, end, asked.unit, workdays)
        sentence = "before" if days < 0 else "until" if from_today else "since" if to_today else "between"
        said = {"size": size, "first": start, "last": end, "are": "is" if size.startswith("1 ") else "are"}
        more: Answer = {} if number is None else {"value": number, "days": days}
        more |= {} if workdays is None else {"business_days": workdays}
        return self._told(sentence, place, end, said, from_date=start.isoformat(), **more)

    def _span(self, place: Place, first: datetime, last: datetime) -> Answer:
        unit = self._asked.unit
        said: Answer = dict(zip(("first", "last"), _both_told(first, last), strict=True))
        said["size"] = self._words.span(first, last, unit)
        value = _plain(abs(last - first), _SECONDS.get(unit or "", 3600))
        return self._told("before" if last < first else "span", place, last, said, value=value)

    def _about_clocks(self) -> Answer:
        source = self._source or (self._target if not self._time else None) or _local_place()
        target = self._target or (_local_place() if self._source and self._time else source)
        start = self._start(source)
        if self._asked.until:
            return self._lasting(source, start, self._asked.until)
        # days and months by the calendar, hours and minutes by the time that passes
        duration = self._duration or Duration()
        moved = datetime.combine(shifted(start.date(), duration), start.timetz()).astimezone(UTC)
        then = (moved + timedelta(seconds=duration.seconds)).astimezone(tzinfo_of(target.zone))
        if not self._duration and self._name(source) == self._name(target):
            return self._span(target, self._now(target).replace(microsecond=0), then)
        day, moved_on = then.date(), (then.date() - start.date()).days
        dated = self._words.either(f" ({day})", f"（{day}）") if moved_on and self._asked.date else ""
        first, on = self._first(start, source, target), self._words.shift(moved_on)
        said = {"told": _told(then), "on": on, "first": first, "dated": dated}
        return self._told("later" if self._duration else "converted", target, then, said | self._moved(duration))

    def _first(self, start: datetime, source: Place, target: Place) -> str:
        """The time that is given, with its date where it is not today, and its place where it is another."""
        dated, there = start.date() != self._now(source).date(), self._name(source)
        there = "" if there == self._name(target) else there
        english = _told(start) + (f" on {start.date()}" if dated else "") + (f" in {there}" if there else "")
        return self._words.either(english, there + (f"{start.date()} " if dated else "") + _told(start))

    def _start(self, source: Place) -> datetime:
        """The moment that is given: a time on a date, the beginning of a date, or now."""
        here, given = self._now(source), self._asked.date
        day = _read_day(given, here.date())
        if self._time:
            named, clock = _read_time(self._time, here.date())
            return _moment_at(day if given else named or day, clock, source)
        if given and (clock := _read_given(given, here.date()).clock) is not None:
            return _moment_at(day, clock, source)
        if day == here.date():
            return here
        if self._asked.until:
            raise _unreadable(message("date_with_clock"))
        return _moment_at(day, time(), source)

    def _lasting(self, place: Place, start: datetime, until: str) -> Answer:
        if _is_now(until):
            return self._span(place, start, self._moment.astimezone(start.tzinfo))
        day, clock = _read_time(until, start.date())
        end = _moment_at(day or start.date(), clock, place)
        if day is None and end <= start:
            end = _moment_at(shifted(end.date(), Duration(days=1)), clock, place)
        return self._span(place, start, end)

    def _moved(self, duration: Duration) -> dict[str, str]:
        side = self._words.either("before", "前") if duration.is_negative else self._words.either("after", "后")
        return {"size": self._words.length(duration), "side": side}

    def _now(self, place: Place) -> datetime:
        return self._moment.astimezone(tzinfo_of(place.zone))

    def _name(self, place: Place) -> str:
        return self._words.either(place.name_en, place.name_zh)

    def _told(self, name: str, place: Place, when: date, said: Answer, **more: Any) -> Answer:
        """The fields of every answer, those of this one, and its sentence; a day is told as its beginning."""
        moment = when if isinstance(when, datetime) else datetime.combine(when, time(), tzinfo_of(place.zone))
        offset = moment.strftime("%z")
        fields = {
            "place": self._name(place),
            "timezone": place.zone,
            "time": moment.isoformat(timespec="seconds"),
            "clock": moment.strftime("%H:%M"),
            "date": moment.date().isoformat(),
            "weekday": self._words.weekday(moment),
            "utc_offset": f"{offset[:3]}:{offset[3:5]}",
            **more,
        }
        return {**fields, "sentence": self._words.sentence(name, {**fields, **said})}


def _plain(span: timedelta, seconds: int) -> int | float:
    count = span.total_seconds() / seconds
    return int(count) if count.is_integer() else round(count, 4)


# what the texts say


class _Given(NamedTuple):
    """What one text names."""

    day: date | None = None
    clock: time | None = None
    zone: Place | None = None


def _is_now(text: str | None) -> bool:
    return not text or text.lower() in _NOW


def _unreadable(*sentences: str) -> ToolFailed:
    return ToolFailed(joined(*sentences), kind="bad_arguments")


def _read_given(text: str, today: date) -> _Given:
    """The date and the time of day that the whole text names; nothing where it says more."""
    if len(text) > _MOST:
        return _Given()
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        if moment.tzinfo:
            return _Given(moment.date(), moment.time().replace(microsecond=0), zone_of(f"UTC{moment:%z}"))
    day, clock = read_date(text, today), read_clock(text)
    days, clocks = dates_named(text, today), find_clocks(text)
    if day or clock is not None or not len(days) == len(clocks) == 1:
        return _Given(day, clock)
    rest = list(text)
    for start, end in (days[0][1:3], clocks[0][1:3]):
        rest[start:end] = " " * (end - start)
    if not _BETWEEN.fullmatch("".join(rest)):
        return _Given()
    return _Given(read_date(days[0].said, today), clocks[0][0])


def _read_timestamp(text: str | None) -> datetime | None:
    """The moment of a Unix timestamp, in seconds or in milliseconds; None where the text is none."""
    match = _TIMESTAMP.fullmatch(text.strip()) if text else None
    if match is None:
        return None
    seconds = int(match[1]) / (1000 if len(match[1]) >= _MILLISECONDS else 1)
    return datetime.fromtimestamp(seconds, UTC)


def _read_day(text: str | None, today: date) -> date:
    day = today if not text or _is_now(text) else _read_given(text, today).day
    if day is None:
        raise _unreadable(message("no_date", text=(text or "")[:100]), message("write_date"))
    return day


def _read_time(text: str, today: date) -> tuple[date | None, time]:
    day, clock, _ = _read_given(text, today)
    if clock is None:
        raise _unreadable(message("no_clock", text=text[:100]), message("write_clock"))
    return day, clock


def _read_span(start: str | None, end: str, today: date) -> tuple[date, date]:
    """Two dates; one that leaves its year, month or week open is taken on the side of the other that fits."""
    first, last = _read_day(start, today), _read_day(end, today)
    if last < first and not _is_now(end):
        last = _read_day(end, first)
    for days in _OPEN if start and last < first else ():
        nearer = _read_day(start, shifted(last, Duration(days=-days)))
        first = nearer if nearer <= last else first
    return first, last


def _place_named(name: str) -> Place:
    if place := zone_of(name):
        return place
    if cities := cities_of(name):
        known = [message("named_twice", en=one, zh=place.name_zh) for one in cities if (place := zone_of(one))]
        raise ToolFailed(message("several_zones", place=name, cities=known), kind="not_found")
    places = nearest_places(name)
    near = [message("named_twice", en=f"{one.name_en} ({one.name_zh})", zh=one.name_zh) for one in places]
    hint = message("did_you_mean", near=near) if near else message("name_larger_city")
    raise ToolFailed(joined(message("place_unknown", place=name[:100]), hint), kind="not_found")


def _local_place() -> Place:
    return Place("your time zone", "本地", local_zone())


def _moment_at(day: date, clock: time, place: Place) -> datetime:
    """That time on that day in a place, unless the clocks go forward just then."""
    zone = tzinfo_of(place.zone)
    moment = datetime.combine(day, clock, zone)
    if moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment.replace(tzinfo=None):
        name = message("named_twice", en=place.name_en, zh=place.name_zh)
        raise _unreadable(message("clocks_go_forward", clock=f"{clock:%H:%M}", day=str(day), place=name))
    return moment


# what is said, in both languages


class _Wording:
    """The words of one language."""

    def __init__(self, language: Language) -> None:
        self._zh = language == "zh"

    def sentence(self, name: str, said: dict[str, Any]) -> str:
        """One of the sentences with its blanks filled."""
        return next(row for row in rows("time_answers") if row[0] == name)[1 + self._zh].format(**said)

    def either(self, english: str, chinese: str) -> str:
        """What is said in this language."""
        return chinese if self._zh else english

    def weekday(self, day: date) -> str:
        """Its name."""
        return self.either(WEEKDAYS[day.weekday()], f"星期{'一二三四五六日'[day.weekday()]}")

    def shift(self, days: int) -> str:
        """On which day, seen from another."""
        name = f"shift{days:+}" if abs(days) <= 1 else "shift_on" if days > 0 else "shift_back"
        return self.sentence(name, {"days": abs(days)})

    def listed(self, parts: dict[str, int]) -> str:
        """`2 years, 9 months and 6 days`, 2年9个月6天; parts that are nothing are left out."""
        said = {unit: count for unit, count in parts.items() if count} or {next(iter(parts)): 0}
        if self._zh:
            return "".join(f"{count}{self.sentence(unit, {})}" for unit, count in said.items())
        *most, last = [counted(count, unit) for unit, count in said.items()]
        return f"{', '.join(most)} and {last}" if most else last

    def length(self, duration: Duration) -> str:
        """A duration without its sign."""
        months, seconds = abs(duration.months), abs(duration.seconds)
        parts = {"year": months // 12, "month": months % 12, "business day": abs(duration.workdays)}
        clock = {"hour": seconds // 3600, "minute": seconds // 60 % 60, "second": seconds % 60}
        return self.listed({**parts, "day": abs(duration.days), **clock})

    def span(self, start: datetime, end: datetime, unit: str | None = None) -> str:
        """The time between two moments, in either order, to the minute; to the second below one."""
        seconds = abs(int((end - start).total_seconds()))
        if unit in _SECONDS and seconds >= _SECONDS[unit]:
            rest = {"minute": seconds % 3600 // 60} if unit == "hours" else {}
            return self.listed({unit[:-1]: seconds // _SECONDS[unit], **rest})
        whole = seconds // 60 * 60 or seconds
        return self.length(Duration(days=whole // _DAY, seconds=whole % _DAY))

    def distance(self, start: date, end: date, unit: str | None, workdays: int | None) -> tuple[str, int | None]:
        """The time between two dates in the unit asked for, and as one number where it is a whole one."""
        start, end = sorted((start, end))
        days, months = (end - start).days, (end.year - start.year) * 12 + end.month - start.month
        months -= shifted(start, Duration(months=months)) > end
        rest = (end - shifted(start, Duration(months=months))).days
        parts = {
            "weeks": {"week": days // 7, "day": days % 7},
            "months": {"month": months, "day": rest},
            "years": {"year": months // 12, "month": months % 12, "day": rest},
        }.get(unit or "", {"day": days})
        if workdays is not None:
            note = self.either(" (Monday to Friday)", "（周一至周五）")
            return self.listed({"business day": abs(workdays)}) + note, workdays
        first, *others = parts.values()
        return self.listed(parts), None if any(others) else first


def _told(moment: datetime) -> str:
    """A time of day, with its seconds where it has any."""
    return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")


def _both_told(first: datetime, second: datetime) -> tuple[str, str]:
    """Two moments, with their dates where these differ."""
    near = first.date() == second.date()
    one, other = (_told(moment) if near else f"{moment.date()} {_told(moment)}" for moment in (first, second))
    return one, other
