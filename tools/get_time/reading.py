"""What the parameters of `get_time` say: a date, a time of day and a place, alone or in one text."""

import os
import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, tzinfo
from pathlib import Path

from switchyard.language.clocks import find_clocks, read_clock
from switchyard.language.dates import date_spans, read_date
from switchyard.language.durations import Duration, read_duration
from switchyard.language.messages import Message, joined, message
from switchyard.language.places import Place, cities_of, find_places, nearest_places, tzinfo_of, zone_of
from switchyard.tools.core import ToolFailed

TODAY = frozenset({"today", "今天", "今日", "now", "right now", "现在", "此刻", "目前", "当前"})
"""The moment of the question."""

_BETWEEN = re.compile(r"(?:\s|[,，、的T@()（）]|\b(?:at|on|in|the|local|time)\b|在|当地|时间)*", re.IGNORECASE)
"""What may stand around a date, a time and a place without meaning more."""
_ISO_WITH_OFFSET = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)", re.IGNORECASE
)
_TIMESTAMP = re.compile(r"(?:(?:unix )?time ?stamp|unix(?: time)?|epoch|时间戳)?[\s:：]*(\d{9,13})", re.IGNORECASE)
_MILLISECONDS = 12
"""Digits from which a timestamp counts milliseconds."""
_LOCALTIME = Path("/etc/localtime")
_MOST = 200
"""Characters a date or a time may have."""


@dataclass(frozen=True, slots=True)
class Given:
    """What one text names."""

    text: str
    day: date | None = None
    clock: time | None = None
    zone: Place | None = None


def refused(sentence: str) -> ToolFailed:
    """The error for what cannot be read."""
    return ToolFailed(sentence, kind="bad_arguments")


def read_given(text: str, today: date, *, past: bool = False) -> Given | None:
    """The date, the time of day and the place that the whole text names."""
    if len(text) > _MOST:
        return None
    if _ISO_WITH_OFFSET.fullmatch(text):
        return _from_iso(text)
    day, clock = read_date(text, today, past=past), read_clock(text)
    if day is not None or clock is not None:
        return Given(text, day, clock)
    return _read_parts(text, today, past=past)


def read_timestamp(text: str | None) -> datetime | None:
    """The moment of a Unix timestamp, in seconds or in milliseconds; None where the text is none."""
    match = _TIMESTAMP.fullmatch(text.strip()) if text else None
    if match is None:
        return None
    seconds = int(match[1]) / (1000 if len(match[1]) >= _MILLISECONDS else 1)
    return datetime.fromtimestamp(seconds, UTC)


def _read_parts(text: str, today: date, *, past: bool) -> Given | None:
    spans, clocks, places = date_spans(text), find_clocks(text), find_places(text)
    if max(len(spans), len(clocks), len(places)) > 1 or not spans + clocks:
        return None
    rest = list(text)
    for start, end in [*spans, *(c[1:] for c in clocks), *((p.start or 0, p.end or 0) for p in places)]:
        rest[start:end] = " " * (end - start)
    if not _BETWEEN.fullmatch("".join(rest)):
        return None
    given = Given(text, clock=clocks[0][0] if clocks else None, zone=places[0] if places else None)
    return replace(given, day=read_date(text[slice(*spans[0])], today, past=past)) if spans else given


def read_day(text: str, today: date, *, past: bool = False) -> Given:
    """A text that must name a date."""
    given = Given(text, day=today) if text.lower() in TODAY else read_given(text, today, past=past)
    if given is None or given.day is None:
        raise refused(joined(message("no_date", text=text[:100]), message("write_date")))
    return given


def read_time(text: str, today: date) -> Given:
    """A text that must name a time of day."""
    given = read_given(text, today)
    if given is None or given.clock is None:
        raise refused(joined(message("no_clock", text=text[:100]), message("write_clock")))
    return given


def read_length(text: str) -> Duration:
    """A text that must name a duration."""
    duration = read_duration(text) if len(text) <= _MOST else None
    if duration is None:
        raise refused(joined(message("no_duration", text=text[:100]), message("write_duration")))
    return duration


def place_named(name: str) -> Place:
    """The place of that name.

    Raises:
        ToolFailed: there is none, or it has several time zones.
    """
    if place := zone_of(name):
        return place
    if cities := cities_of(name):
        raise ToolFailed(message("several_zones", place=name, cities=[_city(one) for one in cities]), kind="not_found")
    near = [
        message("named_twice", en=f"{place.name_en} ({place.name_zh})", zh=place.name_zh)
        for place in nearest_places(name)
    ]
    hint = message("did_you_mean", near=near) if near else message("name_larger_city")
    raise ToolFailed(joined(message("place_unknown", place=name[:100]), hint), kind="not_found")


def _city(name: str) -> Message:
    place = zone_of(name)
    return message("named_twice", en=name, zh=place.name_zh if place else name)


def local_place() -> Place:
    """The zone this machine is set to; its offset, where the name of the zone cannot be told."""
    wanted = os.environ.get("TZ", "").lstrip(":") or str(_LOCALTIME.resolve()).rpartition("zoneinfo/")[2]
    place = zone_of(wanted)
    if place is None:
        offset = datetime.now(UTC).astimezone().strftime("%z")
        place = zone_of(f"UTC{offset[:3]}:{offset[3:5]}")
    return Place("your time zone", "本地", place.zone if place else "UTC")


def moment_at(day: date, clock: time, place: Place) -> datetime:
    """That time on that day in a place.

    Raises:
        ToolFailed: the clocks go forward just then.
    """
    zone: tzinfo = tzinfo_of(place.zone)
    moment = datetime.combine(day, clock, zone)
    if moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment.replace(tzinfo=None):
        name = message("named_twice", en=place.name_en, zh=place.name_zh)
        raise refused(message("clocks_go_forward", clock=f"{clock:%H:%M}", day=str(day), place=name))
    return moment


def _from_iso(text: str) -> Given | None:
    try:
        moment = datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    offset = moment.strftime("%z")
    place = zone_of(f"UTC{offset[:3]}:{offset[3:5]}")
    return Given(text, moment.date(), moment.time().replace(microsecond=0), place) if place else None


def read_span(start: str | None, end: str, today: date) -> tuple[date, date]:
    """Two dates; one that leaves its year open is taken on the side of the other that fits."""
    first = _day_of(start, today) if start else today
    last = _day_of(end, today)
    if last < first and _day_of(end, today, past=True) != last:
        last = _day_of(end, first)
    elif last < first and start and _day_of(start, today, past=True) != first:
        first = _day_of(start, last, past=True)
    return first, last


def _day_of(text: str, today: date, *, past: bool = False) -> date:
    given = read_day(text, today, past=past)
    return given.day or today
