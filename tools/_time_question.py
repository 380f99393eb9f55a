"""What `get_time` answers: which of its parameters are given decides what is asked.

`tools._time_reading` reads the texts, `tools._time_wording` says the answer.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from tools import _time_reading as reading
from tools import _time_wording as wording
from tools.core import Language
from tools.core.dates import Duration, shifted
from tools.core.durations import workdays_between
from tools.core.places import Place, tzinfo_of


class TimeQuestion:
    """One call of `get_time`: where it is asked, and which of the answers it wants."""

    def __init__(
        self,
        *,
        moment: datetime,
        language: Language,
        timezone: str | None,
        time: str | None,
        from_timezone: str | None,
        date: str | None,
        until: str | None,
        add: str | None,
        business_days: bool,
    ) -> None:
        self._moment = moment
        self._language: Language = language
        self._date, self._until, self._business_days = date, until, business_days
        self._time = time if time and time.lower() not in reading.TODAY else None
        self._target = reading.place_named(timezone) if timezone else None
        self._source = reading.place_named(from_timezone) if from_timezone else self._place_in_words()
        self._duration = reading.read_length(add) if add else None

    def answer(self) -> dict[str, Any]:
        """The moment or date the answer arrives at, what was asked about it, and the answer as a sentence."""
        of_clocks = self._time or self._clock_in(self._date) or self._clock_in(self._until)
        if of_clocks or (self._duration and self._duration.seconds):
            return self._about_clocks()
        place = self._target or self._source or reading.local_place()
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

    def _between(self, place: Place, start: date, end: date) -> dict[str, Any]:
        days, language = (end - start).days, self._language
        count = workdays_between(start, end) if self._business_days else None
        return self._result(
            place,
            end,
            wording.difference_sentence(start, end, language, count),
            from_date=start.isoformat(),
            days=days,
            **({} if count is None else {"business_days": count}),
            difference=wording.difference(start, end, language),
            weeks=wording.in_weeks(days, language),
        )

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
            sentence = wording.clock_sentence(start, names, then, self._language, self._duration, dated=dated)
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
            raise reading.refused("A date without a time of day and a time of day cannot be compared; give `time` too.")
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
            "difference": wording.span(start, end, self._language),
            "sentence": wording.span_sentence(start, end, self._language),
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
