"""Places people name when they mean a time zone, in English and Chinese; their names are in `data/places.tsv`.

Cities that few ask for are in `data/cities.tsv`, which is read when a question about time is not understood without.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta, timezone, tzinfo
from functools import cache

from switchyard.language.numbers import read_number
from switchyard.language.tables import rows, values, words

_OFFSET = r"(?i:utc|gmt)?\s*([+\-−])\s*(\d{1,2})(?::?([0-5]\d))?"
_CHINESE_OFFSET = r"([东西])(十[一二]?|[一二三四五六七八九]|1[0-2]|[1-9])时?区"
_MOST_HOURS = 14
_ENDING = r"(?i:\s+(?:time|city)|时间|当地|市)$"
_BEFORE, _AFTER = r"(?<![A-Za-zÀ-ɏ0-9_/\\.@\-])", r"(?![A-Za-zÀ-ɏ0-9_/\\@]|[.\-][A-Za-z0-9])"
_WORD = re.compile(rf"{_BEFORE}[A-Za-zÀ-ɏ]+|[\u3400-\u9fff]")
_END = re.compile(_AFTER)
_ZONE = re.compile(
    rf"{_BEFORE}(?:(?:UTC|GMT)(?:\s?[+\-−]\s?\d{{1,2}}(?::[0-5]\d)?)?"
    rf"|[A-Z][A-Za-z_]+/[A-Z][A-Za-z_+\-]+(?:/[A-Z][A-Za-z_]+)?){_AFTER}|{_CHINESE_OFFSET}"
)
_A_CLOCK_BEFORE = re.compile(r"(?i)(?:\d|[ap]\.?m\.?|noon|midnight|o['’]?clock)\s$")
_IN_BEFORE = re.compile(r"(?i)(?:\b(?:in|at|to|into|from|for)|->|→|=)\s$")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。！？：；\n])[\s\"'“(]*$")


@dataclass(frozen=True, slots=True)
class Place:
    """A place, its zone, and where in a text it was named."""

    name_en: str
    name_zh: str
    zone: str
    """An IANA name, or `UTC` with an offset such as `UTC+05:30`; nothing for a country with several zones."""
    start: int = 0
    end: int = 0
    cities: tuple[str, ...] = ()
    """Those to choose from in a country with several zones."""


def zone_of(name: str) -> Place | None:
    """The place called `name`: a city, a country with one zone, an IANA name or a UTC offset, in any case."""
    wanted = " ".join(name.split())
    if place := _exactly(wanted) or _exactly(re.sub(_ENDING, "", wanted)):
        return place
    town, _, country = (part.strip() for part in wanted.replace("，", ",").partition(","))
    place, around = _exactly(town), [_exactly(one) for one in (country, *cities_of(country))]
    return place if place and place.zone in {one.zone for one in around if one} else None


def find_places(text: str, *, asked: bool = False, cities: bool = False) -> list[Place]:
    """The places named in `text`, in order, each with its span; of overlapping names the longest counts.

    Args:
        text: what is looked through.
        asked: it is known to ask for a time. Then countries with several zones count, zones by their letters, and after
            "in" names that are ordinary words in small letters.
        cities: those count too that few ask for, as they are written, or after "in".
    """
    found: list[Place] = []
    after_a_clock = values("place_words", "clock")
    for start, end, name in sorted(_spans(text, asked=asked, cities=cities), key=lambda one: (one[0], -one[1])):
        if found and start < found[-1].end:
            continue
        meant = after_a_clock.get(name, name)
        if place := _exactly(meant) or (_places().get(meant.casefold()) if asked else None):
            found.append(replace(place, start=start, end=end))
    return found


def _spans(text: str, *, asked: bool, cities: bool) -> Iterator[tuple[int, int, str]]:
    for match in _ZONE.finditer(text):
        yield *match.span(), match[0]
    for match in _WORD.finditer(text):
        start = match.start()
        for name in _by_first(cities=cities).get(match[0].casefold(), ()):
            end = start + len(name)
            if text[start:end].casefold() == name.casefold() and _counts(text, name, start, asked=asked):
                yield start, end, name
                break


def _counts(text: str, name: str, start: int, *, asked: bool) -> bool:
    """Whether letters that spell a name mean the place here, and characters do not only meet by chance: 今日本月."""
    end = start + len(name)
    said, before = text[start:end], text[max(0, start - 20) : start]
    if name[0] >= "\u3400":
        chance = next((row[2:] for row in rows("place_words") if row[:2] == ("chance", name)), ("", ""))
        around = before[-1:], text[end : end + 1]
        return not any(letter and letter in others for letter, others in zip(around, chance, strict=True))
    if not _END.match(text, end):
        return False
    letters, is_word = values("place_words", "letters"), name in words("place_words", "word")
    after_in = asked and _IN_BEFORE.search(before) is not None
    if name in letters or name in values("place_words", "clock"):
        near = _A_CLOCK_BEFORE.search(before) is not None
        return near or (name in letters and (after_in or (asked and said.isupper())))
    is_rare = name.casefold() not in _places()
    if said != name and (is_word or is_rare or name in words("place_words", "capital")):
        return after_in and said != "us"
    return not (is_word and _SENTENCE_START.search(before) and text.strip(" \t\n.!?") != said)


def cities_of(country: str) -> tuple[str, ...]:
    """The cities to choose from in a country with several zones; empty for anything else."""
    known = _places().get(" ".join(country.split()).casefold())
    return known.cities if known else ()


def nearest_places(name: str, limit: int = 3) -> list[Place]:
    """The known places whose names look most like `name`."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - needed only after a miss; this module must import fast

    places = {name: place for name, place in _places().items() if place.zone}
    hits = process.extract(name.casefold(), places.keys(), scorer=fuzz.ratio, limit=limit * 3, score_cutoff=50)
    return list({places[key].name_en: places[key] for key, _, _ in hits}.values())[:limit]


def tzinfo_of(zone: str) -> tzinfo:
    """The clock rules of a `Place.zone`."""
    if match := re.fullmatch(_OFFSET, zone):
        size = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        return timezone(size if match[1] == "+" else -size, zone)
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - loads the zone database; this module must import fast

    return ZoneInfo(zone)


def _exactly(name: str) -> Place | None:
    known = _places().get(name.casefold())
    return known if known and known.zone else _offset(name) or _zone_named(name) or _cities().get(name)


@cache
def _cities() -> dict[str, Place]:
    named = ((zone, one.split("|")) for zone, cities in rows("cities") for one in cities.split(", "))
    return {name: Place(names[0], names[-1], zone) for zone, names in named for name in names}


@cache
def _names() -> list[tuple[str, Place]]:
    """Every spelling of the table with its place."""
    found: list[tuple[str, Place]] = []
    for zone, named, *cities in rows("places"):
        for entry in named.split(", "):
            english, chinese = (said.split("|") for said in entry.rsplit(" ", 1))
            choice = tuple(cities[0].split(", ")) if cities else ()
            place = Place(english[0], chinese[0], zone.strip("-"), cities=choice)
            found += [(name, place) for name in english + chinese]
    return found


@cache
def _places() -> dict[str, Place]:
    return {name.casefold(): place for name, place in _names()}


@cache
def _by_first(*, cities: bool) -> dict[str, list[str]]:
    """English names by their first word and Chinese ones by their first character, long before short."""
    found: dict[str, list[str]] = {}
    named = [*(name for name, _ in _names()), *(_cities() if cities else ())]
    for name in sorted([*named, *values("place_words", "letters"), *values("place_words", "clock")], key=len)[::-1]:
        first = re.split(r"[^A-Za-zÀ-ɏ]", name.casefold())[0] or name[0]
        found.setdefault(first, []).append(name)
    return found


def _offset(name: str) -> Place | None:
    if name.casefold() in {"utc", "gmt", "z"}:
        return Place("UTC", "UTC", "UTC")
    if offset := values("place_words", "letters").get(name.upper()):
        shown = f"{name.upper()} (UTC{offset})"
        return Place(shown, shown, f"UTC{offset}")
    match = re.fullmatch(_CHINESE_OFFSET, name) or re.fullmatch(_OFFSET, name)
    if match is None:
        return None
    sign, hours = "+" if match[1] in "东+" else "-", int(read_number(match[2]) or 0)
    minutes = int(match[3] or 0) if match.re.groups > 2 else 0  # noqa: PLR2004  only the first form has none
    short = f"UTC{sign}{hours}" + (f":{minutes:02}" if minutes else "")
    return Place(short, short, f"UTC{sign}{hours:02}:{minutes:02}") if hours <= _MOST_HOURS else None


def _zone_named(name: str) -> Place | None:
    zone = _zone_names().get(name.casefold().replace(" ", "_"))
    if zone is None:
        return None
    city = zone.rpartition("/")[2].replace("_", " ")
    known = _places().get(city.casefold())
    return known if known and known.zone == zone else Place(city, city, zone)


@cache
def _zone_names() -> dict[str, str]:
    from zoneinfo import available_timezones  # noqa: PLC0415 - reads the zone database; this module must import fast

    return {zone.casefold(): zone for zone in available_timezones()}
