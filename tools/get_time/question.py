"""What `get_time` answers: which of its parameters are given decides what is asked.

`reading` reads the texts, `wording` says the answer.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from pydantic import Field

from switchyard.language.durations import Duration, days_in, shifted, workdays_between
from switchyard.language.messages import message
from switchyard.language.places import Place, tzinfo_of
from switchyard.tools.core import BaseToolParams, Language
from switchyard.tools.get_time import reading, wording

Unit = Literal["days", "weeks", "months", "years", "hours", "minutes", "seconds"]
Fact = Literal["iso_week", "day_of_year", "leap_year", "month_length", "year_length", "zone", "timestamp"]
_PARTS_OF_A_DAY = frozenset({"hours", "minutes", "seconds"})
_SECONDS = {"hours": 3600, "minutes": 60, "seconds": 1}


class GetTimeParams(BaseToolParams):
    """Which time or date, and what about it."""

    timezone: str | None = Field(
        default=None,
        description=(
            "A city or country in English or Chinese (Tokyo, 东京), an IANA zone (Asia/Tokyo) or an offset (UTC+8). "
            "Leave it out for the local time. With `time`: the place to convert to."
        ),
    )
    time: str | None = Field(
        default=None,
        description=(
            "A given time of day to convert or to add to (09:30, 9:30 am, half past nine, 上午九点半, 下午3点). "
            "Leave it out for the current time."
        ),
    )
    from_timezone: str | None = Field(
        default=None,
        description=(
            "With `time`: the city, country, zone or offset in which that time is given. Default: local. "
            "With `timezone` alone: the other place of a time difference."
        ),
    )
    date: str | None = Field(
        default=None,
        description=(
            "A date to tell the weekday and the distance of, or to start from (2026-11-16, 16 November 2026, "
            "2026年11月16日, tomorrow, 后天, next Wednesday, 下周三, 上个月五号, 90 days from today, 3 weeks ago, "
            "Christmas, the last Friday of this month, next working day, timestamp 1700000000). Default: today."
        ),
    )
    until: str | None = Field(
        default=None,
        description=(
            "The second date of a difference: how many days from `date` (default today) until then. "
            "A time of day gives how long it is from `time` (default now) until then."
        ),
    )
    add: str | None = Field(
        default=None,
        description=(
            "A duration to add to `date` or `time` (90 days, 2 weeks, 10 business days, 3个月, 45分钟); "
            "with a minus to go back (-1 year)."
        ),
    )
    business_days: bool = Field(
        default=False,
        description=(
            "Count only business days, 工作日: Mondays to Fridays after `date` up to and with `until`. "
            "Public holidays are not known."
        ),
    )
    unit: Unit | None = Field(default=None, description="The unit in which the time from `date` until `until` is told.")
    tell: Fact | None = Field(
        default=None,
        description=(
            "Something else to tell: of `date` its ISO week, its day of the year, whether its year is a leap year, the "
            "days of its month or year, its Unix timestamp; of `timezone` its zone."
        ),
    )


class TimeQuestion:
    """One call of `get_time`: where it is asked, and which of the answers it wants."""

    def __init__(self, params: GetTimeParams, moment: datetime, language: Language) -> None:
        self._moment = moment
        self._language: Language = language
        self._date, self._until, self._business_days = params.date, params.until, params.business_days
        self._unit: Unit | None = params.unit
        self._tell: Fact | None = params.tell
        given = params.time or params.date or params.until or params.add
        self._compares = bool(params.timezone and params.from_timezone and not given)
        self._time = params.time if params.time and params.time.lower() not in reading.TODAY else None
        self._target = reading.place_named(params.timezone) if params.timezone else None
        named = params.from_timezone
        self._source = reading.place_named(named) if named else self._place_in_words()
        self._duration = reading.read_length(params.add) if params.add else None

    def answer(self) -> dict[str, Any]:
        """The moment or date the answer arrives at, what was asked about it, and the answer as a sentence."""
        if self._tell == "timestamp":
            return self._stamp()
        if self._tell:
            return self._told(self._tell)
        if stamped := reading.read_timestamp(self._date):
            return self._stamped(stamped)
        if self._compares and self._source and self._target and self._source.zone != self._target.zone:
            return self._compared(self._source, self._target)
        of_clocks = self._time or self._clock_in(self._date) or self._clock_in(self._until)
        if of_clocks or (self._duration and self._duration.seconds):
            return self._about_clocks()
        return self._about_dates(self._target or self._source or reading.local_place())

    def _about_dates(self, place: Place) -> dict[str, Any]:
        today = self._today(place)
        if self._until or (self._date and self._business_days):
            start, end = self._date if self._until else None, self._until or self._date or ""
            return self._between(place, *reading.read_span(start, end, today))
        if self._duration:
            start = self._day(today)
            return self._added(place, start, shifted(start, self._duration), self._duration)
        if self._date and self._date.lower() not in reading.TODAY:
            day = self._day(today)
            days = (day - today).days
            return self._result(place, day, wording.date_sentence(day, days, self._language), days=days)
        fields = self._fields(place, self._moment.astimezone(tzinfo_of(place.zone)))
        days = {"days": 0} if self._date else {}
        return {**fields, **days, "sentence": wording.now_sentence(fields, self._language)}

    def _stamped(self, stamped: datetime) -> dict[str, Any]:
        """What moment a Unix timestamp is."""
        place = self._target or self._source or reading.local_place()
        return self._with_stamp(place, stamped.astimezone(tzinfo_of(place.zone)))

    def _stamp(self) -> dict[str, Any]:
        """Which Unix timestamp a moment has: the one given, the beginning of a date, or now."""
        place = self._target or self._source or reading.local_place()
        return self._with_stamp(place, self._start(place), tells="value")

    def _with_stamp(self, place: Place, moment: datetime, tells: str = "moment") -> dict[str, Any]:
        fields, value = self._fields(place, moment), int(moment.timestamp())
        said = wording.timestamp_sentence(fields, f"{moment:%H:%M:%S}", value, self._language, tells=tells)
        return {**fields, "value": value, "sentence": said}

    def _told(self, tell: Fact) -> dict[str, Any]:
        place = self._target or self._source or reading.local_place()
        day = self._day(self._today(place))
        fields = self._fields(place, datetime.combine(day, time(12), tzinfo_of(place.zone)))
        value = {
            "iso_week": day.isocalendar().week,
            "day_of_year": day.timetuple().tm_yday,
            "leap_year": days_in(day.year, 2),
            "month_length": days_in(day.year, day.month),
            "year_length": 337 + days_in(day.year, 2),
        }.get(tell)
        said = {"value": value} if value else {}
        return {**fields, **said, "sentence": wording.fact_sentence(tell, day, value or 0, fields, self._language)}

    def _compared(self, source: Place, target: Place) -> dict[str, Any]:
        """How far the clocks of two places are apart now."""
        there, here = (self._moment.astimezone(tzinfo_of(place.zone)) for place in (target, source))
        ahead = (there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())
        return {
            **self._fields(target, there),
            "from_place": self._name(source),
            "from_clock": here.strftime("%H:%M"),
            "value": int(hours) if (hours := ahead / timedelta(hours=1)).is_integer() else hours,
            "sentence": wording.zones_sentence(there, here, (self._name(target), self._name(source)), self._language),
        }

    def _between(self, place: Place, start: date, end: date) -> dict[str, Any]:
        if self._unit in _PARTS_OF_A_DAY:
            return self._between_moments(place, start, end)
        days, language, unit = (end - start).days, self._language, self._unit
        count = workdays_between(start, end) if self._business_days else None
        number = count if count is not None else wording.in_unit(start, end, unit or "days")
        return self._result(
            place,
            end,
            wording.difference_sentence(
                start,
                end,
                language,
                count,
                unit,
                from_today=not self._until or _is_now(self._date),
                to_today=bool(self._until) and _is_now(self._until),
            ),
            from_date=start.isoformat(),
            **({} if number is None else {"value": number, "days": days}),
            **({} if count is None else {"business_days": count}),
            difference=wording.difference(start, end, language),
            weeks=wording.in_weeks(days, language),
        )

    def _between_moments(self, place: Place, start: date, end: date) -> dict[str, Any]:
        """Hours, minutes or seconds to the beginning of a day: from now, or from the beginning of another."""
        zone = tzinfo_of(place.zone)
        now = self._moment.astimezone(zone).replace(tzinfo=None, microsecond=0)
        first = now if _is_now(self._date) else datetime.combine(start, time())
        last = now if _is_now(self._until) else datetime.combine(end, time())
        return {
            **self._fields(place, last.replace(tzinfo=zone)),
            "from_date": start.isoformat(),
            "value": self._counted(first, last),
            "sentence": wording.span_sentence(first, last, self._language, self._unit),
        }

    def _counted(self, start: datetime, end: datetime) -> float:
        """How many of the unit asked for lie between two moments."""
        count = abs((end - start).total_seconds()) / _SECONDS.get(self._unit or "", 3600)
        return int(count) if count.is_integer() else round(count, 4)

    def _added(self, place: Place, start: date, end: date, duration: Duration) -> dict[str, Any]:
        sentence = wording.added_sentence(start, duration, end, self._language)
        days = (end - self._today(place)).days
        return self._result(place, end, sentence, from_date=start.isoformat(), days=days)

    def _about_clocks(self) -> dict[str, Any]:
        source = self._source or (self._target if not self._time else None) or reading.local_place()
        target = self._target or (reading.local_place() if self._source and self._time else source)
        start = self._start(source)
        if self._until:
            return self._lasting(source, start, self._until)
        then = self._after(start).astimezone(tzinfo_of(target.zone))
        names = self._name(source), self._name(target)
        if self._duration or names[0] != names[1]:
            dated = start.date() != self._today(source)
            shown = names if self._source or self._target else ("", "")
            sentence = wording.clock_sentence(start, shown, then, self._language, self._duration, dated=dated)
            more = {}
        else:
            here = self._moment.astimezone(start.tzinfo)
            sentence = wording.waiting_sentence(here, then, names[1], self._language)
            more = {"difference": wording.span(here, then, self._language)}
        return {
            **self._fields(target, then),
            "from_place": names[0],
            "from_clock": start.strftime("%H:%M"),
            "day_shift": (then.date() - start.date()).days,
            **more,
            "sentence": sentence,
        }

    def _start(self, source: Place) -> datetime:
        """The moment that is given: a time on a date, the beginning of a date, or now."""
        here = self._moment.astimezone(tzinfo_of(source.zone))
        given = reading.read_day(self._date, here.date()) if self._date else None
        day = (given and given.day) or here.date()
        if self._time:
            asked = reading.read_time(self._time, here.date())
            return reading.moment_at((asked.day if not self._date else None) or day, asked.clock or time(), source)
        if given and given.clock:
            return reading.moment_at(day, given.clock, source)
        if day == here.date():
            return here
        if self._until:
            raise reading.refused(message("date_with_clock"))
        return reading.moment_at(day, time(), source)

    def _after(self, start: datetime) -> datetime:
        """Days and months by the calendar, hours and minutes by the time that passes."""
        duration = self._duration or Duration()
        moved = datetime.combine(shifted(start.date(), duration), start.timetz())
        return (moved.astimezone(UTC) + timedelta(seconds=duration.seconds)).astimezone(start.tzinfo)

    def _lasting(self, source: Place, start: datetime, until: str) -> dict[str, Any]:
        if until.lower() in reading.TODAY:
            place, end = source, self._moment.astimezone(start.tzinfo)
            if end < start and not self._date:  # since 17:30, asked at noon: that of yesterday
                start = reading.moment_at(shifted(start.date(), Duration(days=-1)), start.time(), source)
        else:
            asked = reading.read_time(until, start.date())
            place = asked.zone or source
            end = reading.moment_at(asked.day or start.date(), asked.clock or time(), place)
            if asked.day is None and end <= start:
                end = reading.moment_at(shifted(end.date(), Duration(days=1)), end.time(), place)
        return {
            **self._fields(place, end),
            "from_place": self._name(source),
            "from_clock": start.strftime("%H:%M"),
            "day_shift": (end.date() - start.date()).days,
            "value": self._counted(start, end),
            "difference": wording.span(start, end, self._language),
            "sentence": wording.span_sentence(start, end, self._language, self._unit),
        }

    def _day(self, today: date) -> date:
        return (reading.read_day(self._date, today).day if self._date else None) or today

    def _today(self, place: Place) -> date:
        return self._moment.astimezone(tzinfo_of(place.zone)).date()

    def _given(self, text: str | None) -> reading.Given | None:
        return reading.read_given(text, self._moment.date()) if text else None

    def _clock_in(self, text: str | None) -> bool:
        given = self._given(text)
        return given is not None and given.clock is not None

    def _place_in_words(self) -> Place | None:
        given = [self._given(text) for text in (self._time, self._date)]
        return next((one.zone for one in given if one and one.zone), None)

    def _name(self, place: Place) -> str:
        return place.name_zh if self._language == "zh" else place.name_en

    def _result(self, place: Place, day: date, sentence: str, **more: Any) -> dict[str, Any]:
        moment = datetime.combine(day, time(), tzinfo_of(place.zone))
        return {**self._fields(place, moment), **more, "sentence": sentence}

    def _fields(self, place: Place, moment: datetime) -> dict[str, str]:
        offset = moment.strftime("%z")
        return {
            "place": self._name(place),
            "timezone": place.zone,
            "time": moment.isoformat(timespec="seconds"),
            "clock": moment.strftime("%H:%M"),
            "date": moment.date().isoformat(),
            "weekday": wording.WEEKDAYS[self._language][moment.weekday()],
            "utc_offset": f"{offset[:3]}:{offset[3:5]}",
        }


def _is_now(text: str | None) -> bool:
    return not text or text.lower() in reading.TODAY
