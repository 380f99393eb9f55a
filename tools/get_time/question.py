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
from switchyard.tools.get_time import reading
from switchyard.tools.get_time.reading import Given, is_now, moment_at, place_named, read_day, read_given, read_time
from switchyard.tools.get_time.wording import SECONDS, Wording, both_told, in_unit, told

Unit = Literal["days", "weeks", "months", "years", "hours", "minutes", "seconds"]
Fact = Literal["iso_week", "day_of_year", "leap_year", "month_length", "year_length", "zone", "timestamp"]


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
        self._asked, self._moment, self._words = params, moment, Wording(language)
        self._time = None if is_now(params.time) else params.time
        self._target = place_named(params.timezone) if params.timezone else None
        self._source = place_named(params.from_timezone) if params.from_timezone else self._place_in_words()
        self._duration = reading.read_length(params.add) if params.add else None

    def answer(self) -> dict[str, Any]:
        """The moment or date the answer arrives at, what was asked about it, and the answer as a sentence."""
        asked, place = self._asked, self._target or self._source or reading.local_place()
        if asked.tell == "timestamp":
            return self._stamp(place, self._start(place), "stamp")
        if asked.tell:
            return self._fact(place, asked.tell)
        if stamped := reading.read_timestamp(asked.date):
            return self._stamp(place, stamped, "stamped")
        given = asked.time or asked.date or asked.until or asked.add
        if self._source and self._target and not given and self._source.zone != self._target.zone:
            return self._compared(self._source, self._target)
        clocks = self._time or any(self._given(text).clock is not None for text in (asked.date, asked.until))
        if clocks or (self._duration and self._duration.seconds):
            return self._about_clocks()
        return self._about_dates(place)

    def _stamp(self, place: Place, moment: datetime, sentence: str) -> dict[str, Any]:
        """What moment a Unix timestamp is, or which one a moment has."""
        there = self._there(moment, place)
        return self._told(sentence, place, there, {"told": f"{there:%H:%M:%S}"}, value=int(moment.timestamp()))

    def _fact(self, place: Place, tell: Fact) -> dict[str, Any]:
        day = read_day(self._asked.date, self._there(self._moment, place).date())
        value = {
            "iso_week": day.isocalendar().week,
            "day_of_year": day.timetuple().tm_yday,
            "leap_year": days_in(day.year, 2),
            "month_length": days_in(day.year, day.month),
            "year_length": 337 + days_in(day.year, 2),
        }.get(tell)
        is_leap = days_in(day.year, 2) > 28  # noqa: PLR2004  the days of February in other years
        said = {
            "year": day.isocalendar().year if tell == "iso_week" else day.year,
            "month": self._words.either(f"{day:%B}", str(day.month)),
            "no": "" if is_leap else self._words.either("not ", "不"),
        }
        noon = datetime.combine(day, time(12), tzinfo_of(place.zone))
        return self._told(tell, place, noon, said, **({"value": value} if value else {}))

    def _compared(self, source: Place, target: Place) -> dict[str, Any]:
        """How far the clocks of two places are apart now."""
        there, here = self._there(self._moment, target), self._there(self._moment, source)
        ahead = (there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())
        way = ("ahead of", "快") if ahead > timedelta() else ("behind", "慢")
        size = self._words.length(Duration(seconds=int(ahead.total_seconds())))
        said = dict(zip(("there", "here"), both_told(there, here), strict=True))
        said |= {"size": size, "ahead": self._words.either(*way)}
        value = int(hours) if (hours := ahead / timedelta(hours=1)).is_integer() else hours
        more = {"from_place": self._name(source), "from_clock": f"{here:%H:%M}", "value": value}
        return self._told("apart" if ahead else "same_time", target, there, said, **more)

    def _about_dates(self, place: Place) -> dict[str, Any]:
        asked, here = self._asked, self._there(self._moment, place)
        today = here.date()
        if asked.until or (asked.date and asked.business_days):
            start, end = asked.date if asked.until else None, asked.until or asked.date or ""
            return self._between(place, *reading.read_span(start, end, today))
        start = read_day(asked.date, today)
        if self._duration:
            end = shifted(start, self._duration)
            said = self._moved(self._duration)
            return self._on(place, end, "added", said, from_date=start.isoformat(), days=(end - today).days)
        if is_now(asked.date):
            return self._told("now", place, here, {}, **({"days": 0} if asked.date else {}))
        days = (start - today).days
        sentence = "today" if not days else "to_come" if days > 0 else "gone"
        return self._on(place, start, sentence, {"size": self._words.listed({"day": abs(days)})}, days=days)

    def _between(self, place: Place, start: date, end: date) -> dict[str, Any]:
        asked, words = self._asked, self._words
        if asked.unit in SECONDS:
            return self._between_moments(place, start, end)
        workdays = workdays_between(start, end) if asked.business_days else None
        number = in_unit(start, end, asked.unit or "days") if workdays is None else workdays
        size, days = words.distance(start, end, asked.unit, workdays), (end - start).days
        from_today, to_today = not asked.until or is_now(asked.date), is_now(asked.until)
        sentence = "before" if days < 0 else "until" if from_today else "since" if to_today else "between"
        said = {"size": size, "first": start, "last": end, "are": "is" if size.startswith("1 ") else "are"}
        more: dict[str, Any] = {"from_date": start.isoformat()}
        more |= {} if number is None else {"value": number, "days": days}
        more |= {} if workdays is None else {"business_days": workdays}
        more |= {"difference": words.difference(start, end), "weeks": words.weeks(days)}
        return self._on(place, end, sentence, said, **more)

    def _between_moments(self, place: Place, start: date, end: date) -> dict[str, Any]:
        """Hours, minutes or seconds to the beginning of a day: from now, or from the beginning of another."""
        now = self._there(self._moment, place).replace(tzinfo=None, microsecond=0)
        first = now if is_now(self._asked.date) else datetime.combine(start, time())
        last = now if is_now(self._asked.until) else datetime.combine(end, time())
        return self._span(place, first, last, last.replace(tzinfo=tzinfo_of(place.zone)), from_date=start.isoformat())

    def _span(self, place: Place, first: datetime, last: datetime, moment: datetime, **more: Any) -> dict[str, Any]:
        """How long it is from one moment to another."""
        unit = self._asked.unit
        count = abs((last - first).total_seconds()) / SECONDS.get(unit or "", 3600)
        one, other = both_told(first, last)
        said = {"first": one, "last": other, "size": self._words.span(first, last, unit)}
        value = int(count) if count.is_integer() else round(count, 4)
        return self._told("before" if last < first else "span", place, moment, said, **more, value=value)

    def _about_clocks(self) -> dict[str, Any]:
        source = self._source or (self._target if not self._time else None) or reading.local_place()
        target = self._target or (reading.local_place() if self._source and self._time else source)
        start = self._start(source)
        if self._asked.until:
            return self._lasting(source, start, self._asked.until)
        then = self._there(self._after(start), target)
        shift = (then.date() - start.date()).days
        from_place, place = self._name(source), self._name(target)
        said = {"told": told(then), "on": self._words.shift(shift), "first": self._first(start, source, target)}
        more: dict[str, Any] = {"from_place": from_place, "from_clock": f"{start:%H:%M}", "day_shift": shift}
        if self._duration:
            sentence = "later_there" if self._source or self._target else "later"
            return self._told(sentence, target, then, said | self._moved(self._duration), **more)
        if from_place != place:
            return self._told("converted", target, then, said, **more)
        size = self._words.span(self._moment, then)
        sentence = "waiting" if then >= self._moment else "waited"
        return self._told(sentence, target, then, said | {"size": size}, **more, difference=size)

    def _first(self, start: datetime, source: Place, target: Place) -> str:
        """The time that is given, with its date where it is not today, and its place where it is another."""
        dated, there = start.date() != self._there(self._moment, source).date(), self._name(source)
        there = "" if there == self._name(target) else there
        english = told(start) + (f" on {start.date()}" if dated else "") + (f" in {there}" if there else "")
        return self._words.either(english, there + (f"{start.date()} " if dated else "") + told(start))

    def _start(self, source: Place) -> datetime:
        """The moment that is given: a time on a date, the beginning of a date, or now."""
        here, given = self._there(self._moment, source), self._asked.date
        day = read_day(given, here.date())
        if self._time:
            named, clock, _ = read_time(self._time, here.date())
            return moment_at(day if given else named or day, clock, source)
        if given and (clock := read_given(given, here.date()).clock) is not None:
            return moment_at(day, clock, source)
        if day == here.date():
            return here
        if self._asked.until:
            raise reading.refused(message("date_with_clock"))
        return moment_at(day, time(), source)

    def _after(self, start: datetime) -> datetime:
        """Days and months by the calendar, hours and minutes by the time that passes."""
        duration = self._duration or Duration()
        moved = datetime.combine(shifted(start.date(), duration), start.timetz())
        return (moved.astimezone(UTC) + timedelta(seconds=duration.seconds)).astimezone(start.tzinfo)

    def _lasting(self, source: Place, start: datetime, until: str) -> dict[str, Any]:
        if is_now(until):
            place, end = source, self._moment.astimezone(start.tzinfo)
            if end < start and not self._asked.date:  # since 17:30, asked at noon: that of yesterday
                start = moment_at(shifted(start.date(), Duration(days=-1)), start.time(), source)
        else:
            day, clock, named = read_time(until, start.date())
            place = named or source
            end = moment_at(day or start.date(), clock, place)
            if day is None and end <= start:
                end = moment_at(shifted(end.date(), Duration(days=1)), clock, place)
        more = {"from_place": self._name(source), "from_clock": f"{start:%H:%M}"}
        shift, size = (end.date() - start.date()).days, self._words.span(start, end)
        return self._span(place, start, end, end, **more, day_shift=shift, difference=size)

    def _moved(self, duration: Duration) -> dict[str, str]:
        return {"size": self._words.length(duration), "side": self._words.side(back=duration.is_negative)}

    def _there(self, moment: datetime, place: Place) -> datetime:
        return moment.astimezone(tzinfo_of(place.zone))

    def _given(self, text: str | None) -> Given:
        return read_given(text, self._moment.date()) if text else Given()

    def _place_in_words(self) -> Place | None:
        return self._given(self._time).zone or self._given(self._asked.date).zone

    def _name(self, place: Place) -> str:
        return self._words.either(place.name_en, place.name_zh)

    def _on(self, place: Place, day: date, sentence: str, said: dict[str, Any], **more: Any) -> dict[str, Any]:
        moment = datetime.combine(day, time(), tzinfo_of(place.zone))
        return self._told(sentence, place, moment, said, **more)

    def _told(self, name: str, place: Place, moment: datetime, said: dict[str, Any], **more: Any) -> dict[str, Any]:
        """The fields of every answer, those of this one, and its sentence."""
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
