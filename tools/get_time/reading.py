"""What the parameters of `get_time` say: a date, a time of day and a place, alone or in one text."""

import os
import re
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import NamedTuple

from switchyard.language.clocks import find_clocks, read_clock
from switchyard.language.dates import dates_named, read_date
from switchyard.language.durations import Duration, read_duration
from switchyard.language.messages import Message, joined, message
from switchyard.language.places import Place, cities_of, find_places, nearest_places, tzinfo_of, zone_of
from switchyard.tools.core import ToolFailed

_NOW = frozenset({"today", "今天", "今日", "now", "right now", "现在", "此刻", "目前", "当前"})
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


class Given(NamedTuple):
    """What one text names."""

    day: date | None = None
    clock: time | None = None
    zone: Place | None = None


def is_now(text: str | None) -> bool:
    """Whether a text says nothing but the moment of the question."""
    return not text or text.lower() in _NOW


def refused(sentence: str) -> ToolFailed:
    """The error for what cannot be read."""
    return ToolFailed(sentence, kind="bad_arguments")


def read_given(text: str, today: date, *, past: bool = False) -> Given:
    """The date, the time of day and the place that the whole text names; nothing where it says more."""
    if len(text) > _MOST:
        return Given()
    if _ISO_WITH_OFFSET.fullmatch(text):
        return _from_iso(text)
    day, clock = read_date(text, today, past=past), read_clock(text)
    return Given(day, clock) if day or clock is not None else _read_parts(text, today, past=past)


def _from_iso(text: str) -> Given:
    try:
        moment = datetime.fromisoformat(text.upper())
    except ValueError:
        return Given()
    place = zone_of(f"UTC{moment:%z}")
    return Given(moment.date(), moment.time().replace(microsecond=0), place) if place else Given()


def _read_parts(text: str, today: date, *, past: bool) -> Given:
    days, clocks, places = dates_named(text, today, past=past), find_clocks(text), find_places(text)
    if max(len(days), len(clocks), len(places)) > 1 or not [*days, *clocks]:
        return Given()
    rest = list(text)
    for start, end in [*(found[1:3] for found in [*days, *clocks]), *((p.start or 0, p.end or 0) for p in places)]:
        rest[start:end] = " " * (end - start)
    if not _BETWEEN.fullmatch("".join(rest)):
        return Given()
    day = read_date(days[0].said, today, past=past) if days else None
    return Given(day, clocks[0][0] if clocks else None, places[0] if places else None)


def read_timestamp(text: str | None) -> datetime | None:
    """The moment of a Unix timestamp, in seconds or in milliseconds; None where the text is none."""
    match = _TIMESTAMP.fullmatch(text.strip()) if text else None
    if match is None:
        return None
    seconds = int(match[1]) / (1000 if len(match[1]) >= _MILLISECONDS else 1)
    return datetime.fromtimestamp(seconds, UTC)


def read_day(text: str | None, today: date, *, past: bool = False) -> date:
    """The date a text names: today where there is none."""
    day = today if text is None or is_now(text) else read_given(text, today, past=past).day
    if day is None:
        raise refused(joined(message("no_date", text=(text or "")[:100]), message("write_date")))
    return day


def read_time(text: str, today: date) -> tuple[date | None, time, Place | None]:
    """The time of day a text names, with its date and its place where it names them."""
    day, clock, zone = read_given(text, today)
    if clock is None:
        raise refused(joined(message("no_clock", text=text[:100]), message("write_clock")))
    return day, clock, zone


def read_length(text: str) -> Duration:
    """The duration a text names."""
    duration = read_duration(text) if len(text) <= _MOST else None
    if duration is None:
        raise refused(joined(message("no_duration", text=text[:100]), message("write_duration")))
    return duration


def read_span(start: str | None, end: str, today: date) -> tuple[date, date]:
    """Two dates; one that leaves its year open is taken on the side of the other that fits."""
    first, last = read_day(start, today), read_day(end, today)
    if last < first and read_day(end, today, past=True) != last:
        last = read_day(end, first)
    elif last < first and start and read_day(start, today, past=True) != first:
        first = read_day(start, last, past=True)
    return first, last


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
    place = zone_of(wanted) or zone_of(f"UTC{datetime.now(UTC).astimezone():%z}")
    return Place("your time zone", "本地", place.zone if place else "UTC")


def moment_at(day: date, clock: time, place: Place) -> datetime:
    """That time on that day in a place.

    Raises:
        ToolFailed: the clocks go forward just then.
    """
    zone = tzinfo_of(place.zone)
    moment = datetime.combine(day, clock, zone)
    if moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment.replace(tzinfo=None):
        name = message("named_twice", en=place.name_en, zh=place.name_zh)
        raise refused(message("clocks_go_forward", clock=f"{clock:%H:%M}", day=str(day), place=name))
    return moment
