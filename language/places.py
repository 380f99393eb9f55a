"""Places people name when they mean a time zone, in English and Chinese; their names are in `data/places.tsv`.

Cities that few ask for are in `data/cities.tsv`, which is read when a question about time is not understood without.
Towns are known by what the dictionary says of them: Danyang, county-level city in Zhenjiang, Jiangsu.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from pathlib import Path
from unicodedata import normalize

from switchyard.language.dictionary import towns_called
from switchyard.language.numbers import read_number
from switchyard.language.tables import rows, values, words
from switchyard.language.tokeniser import cut_at

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
_TOWN = re.compile(
    r"(?:\b[Ii]n|\b[Aa]t|\bto|\b[Ff]rom|\bnear)\s(?:[Tt]he\s)?(?P<in>[A-Z][\w'’-]*[a-z](?: [A-Z][\w'’-]*[a-z])?)\b"
    r"|\b(?P<of>[A-Z][\w'’-]*[a-z])(?= time\b)"
)
"""Where a name is one of a place, and not of a person."""
_LONGEST_TOWN = 6
_LOCALTIME = Path("/etc/localtime")
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
    bare = re.sub(_ENDING, "", wanted)
    if place := _exactly(wanted) or _exactly(bare) or _town(wanted) or _town(bare):
        return place
    town, _, country = (part.strip() for part in wanted.replace("，", ",").partition(","))
    place, around = _exactly(town), [_exactly(one) for one in (country, *cities_of(country))]
    return place if place and place.zone in {one.zone for one in around if one} else None


def find_places(text: str, *, asked: bool = False, cities: bool = False, towns: bool = False) -> list[Place]:
    """The places named in `text`, in order, each with its span; of overlapping names the longest counts.

    Args:
        text: what is looked through.
        asked: it is known to ask for a time. Then countries with several zones count, zones by their letters, and after
            "in" names that are ordinary words in small letters.
        cities: those count too that few ask for, as they are written, or after "in".
        towns: those count too that only the dictionary knows.
    """
    found: list[Place] = []
    spans = [*_spans(text, asked=asked, cities=cities), *(_towns(text) if towns else ())]
    after_a_clock = values("place_words", "clock")
    for start, end, name in sorted(spans, key=lambda one: (one[0], -one[1])):
        if found and start < found[-1].end:
            continue
        meant = after_a_clock.get(name, name)
        if place := _exactly(meant) or (_places().get(meant.casefold()) if asked else None) or _town(name):
            found.append(replace(place, start=start, end=end))
    return found


def _spans(text: str, *, asked: bool, cities: bool) -> Iterator[tuple[int, int, str]]:
    for match in _ZONE.finditer(text):
        yield *match.span(), match[0]
    plain = _plain(text)
    for match in _WORD.finditer(plain):
        start = match.start()
        for name in _by_first(cities=cities).get(match[0].casefold(), ()):
            end = start + len(name)
            if plain[start:end].casefold() == _plain(name).casefold() and _counts(text, name, start, asked=asked):
                yield start, end, name
                break


def _towns(text: str) -> Iterator[tuple[int, int, str]]:
    """Where towns of the dictionary may be named: whole Chinese words, English names where a place is named."""
    for match in _TOWN.finditer(text):
        for kind in ("in", "of"):
            if match[kind] and _town(match[kind]):
                yield *match.span(kind), match[kind]
    ends = cut_at(text)
    for at, start in enumerate(ends):
        for end in ends[at + 1 : at + 4]:
            if 1 < end - start <= _LONGEST_TOWN and text[start] >= "\u3400" and _town(text[start:end]):
                yield start, end, text[start:end]


@cache
def _town(name: str) -> Place | None:
    """A town by what the dictionary says of it; none where those of that name have different zones."""
    towns = towns_called(name)
    around = [{one.zone for one in find_places(where, asked=True, cities=True)} - {""} for *_, where in towns]
    zones = set[str]().union(*around)
    return Place(*towns[0][:2], zones.pop()) if len(zones) == 1 and all(around) else None


def _counts(text: str, name: str, start: int, *, asked: bool) -> bool:
    """Whether letters that spell a name mean the place here, and characters do not only meet by chance: 今日本月."""
    end = start + len(name)
    said, before = _plain(text[start:end]), text[max(0, start - 20) : start]
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
    is_rare = _plain(name).casefold() not in _places()
    if said != _plain(name) and (is_word or is_rare or name in words("place_words", "capital")):
        return after_in and said != "us"
    return not (is_word and _SENTENCE_START.search(before) and text.strip(" \t\n.!?") != said)


def cities_of(country: str) -> tuple[str, ...]:
    """The cities to choose from in a country with several zones; empty for anything else."""
    known = _places().get(_plain(" ".join(country.split())).casefold())
    return known.cities if known else ()


def nearest_places(name: str, limit: int = 3) -> list[Place]:
    """The known places whose names look most like `name`."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - needed only after a miss; this module must import fast

    places = {name: place for name, place in _places().items() if place.zone}
    hits = process.extract(name.casefold(), places.keys(), scorer=fuzz.ratio, limit=limit * 3, score_cutoff=50)
    return list({places[key].name_en: places[key] for key, _, _ in hits}.values())[:limit]


def local_zone() -> str:
    """The zone this machine is set to; its offset, where the name of the zone cannot be told."""
    wanted = os.environ.get("TZ", "").lstrip(":") or str(_LOCALTIME.resolve()).rpartition("zoneinfo/")[2]
    place = zone_of(wanted) or zone_of(f"UTC{datetime.now(UTC).astimezone():%z}")
    return place.zone if place else "UTC"


def tzinfo_of(zone: str) -> tzinfo:
    """The clock rules of a `Place.zone`."""
    if match := re.fullmatch(_OFFSET, zone):
        size = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        return timezone(size if match[1] == "+" else -size, zone)
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - loads the zone database; this module must import fast

    return ZoneInfo(zone)


def _exactly(name: str) -> Place | None:
    known = _places().get(_plain(name).casefold())
    return known if known and known.zone else _offset(name) or _zone_named(name) or _cities().get(_plain(name))


def _plain(text: str) -> str:
    """The text without the accents of its letters, each at its place: Valparaíso, Malmö."""
    return text if text.isascii() else "".join(normalize("NFD", one)[0] for one in text)


@cache
def _cities() -> dict[str, Place]:
    named = ((zone, one.split("|")) for zone, cities in rows("cities") for one in cities.split(", "))
    return {_plain(name): Place(names[0], names[-1], zone) for zone, names in named for name in names}


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
    return {_plain(name).casefold(): place for name, place in _names()}


@cache
def _by_first(*, cities: bool) -> dict[str, list[str]]:
    """English names by their first word and Chinese ones by their first character, long before short."""
    found: dict[str, list[str]] = {}
    named = [*(name for name, _ in _names()), *(_cities() if cities else ())]
    for name in sorted([*named, *values("place_words", "letters"), *values("place_words", "clock")], key=len)[::-1]:
        first = re.split(r"[^A-Za-zÀ-ɏ]", _plain(name).casefold())[0] or name[0]
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
