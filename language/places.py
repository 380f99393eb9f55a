"""Places people name when they mean a time zone, in English and Chinese; their names are in `data/places.tsv`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta, timezone, tzinfo
from functools import cache

from switchyard.language.tables import rows, values, words

_OFFSET = r"(?i:utc|gmt)?\s*([+\-−])\s*(\d{1,2})(?::?([0-5]\d))?"
_CHINESE_OFFSET = r"([东西])(十[一二]?|[一二三四五六七八九]|1[0-2]|[1-9])时?区"
_MOST_HOURS = 14
_ENDING = r"(?i:\s+(?:time|city)|时间|当地|市)$"
_BEFORE, _AFTER = r"(?<![A-Za-zÀ-ɏ0-9_/\\.@\-])", r"(?![A-Za-zÀ-ɏ0-9_/\\@]|[.\-][A-Za-z0-9])"
_WORD = re.compile(rf"{_BEFORE}[A-Za-zÀ-ɏ]+")
_END = re.compile(_AFTER)
_A_CLOCK_BEFORE = re.compile(r"(?i)(?:\d|[ap]\.?m\.?|noon|midnight|o['’]?clock)\s$")
_IN_BEFORE = re.compile(r"(?i)(?:\b(?:in|at|to|into|from|for)|->|→|=)\s$")
_OFFSET_IN_TEXT = r"(?:UTC|GMT)(?:\s?[+\-−]\s?\d{1,2}(?::[0-5]\d)?)?"
_ZONE_NAME = r"[A-Z][A-Za-z_]+/[A-Z][A-Za-z_+\-]+(?:/[A-Z][A-Za-z_]+)?"
_SENTENCE_START = r"(?:^|[.!?:;。！？：；\n])[\s\"'“(]*$"


@dataclass(frozen=True, slots=True)
class Place:
    """A place, its zone, and where in a text it was named."""

    name_en: str
    name_zh: str
    zone: str
    """An IANA name, or `UTC` with an offset such as `UTC+05:30`."""
    start: int | None = None
    end: int | None = None


def zone_of(name: str) -> Place | None:
    """The place called `name`: a city, a country with one zone, an IANA name or a UTC offset, in any case."""
    wanted = " ".join(name.split())
    place = _exactly(wanted) or _exactly(re.sub(_ENDING, "", wanted))
    if place:
        return place
    town, _, country = (part.strip() for part in wanted.replace("，", ",").partition(","))
    place = _exactly(town)
    return place if place and _lies_in(place, country) else None


def find_places(text: str, *, asked: bool = False) -> list[Place]:
    """The places named in `text`, in order, each with its span; of overlapping names the longest counts.

    Args:
        text: what is looked through.
        asked: it is known to ask for a time. Then countries with several zones count (their `zone` is empty), zones by
            their letters, and after "in" names that are ordinary words in small letters.
    """
    found: list[Place] = []
    for start, end in sorted(_spans(text, asked=asked), key=lambda span: (span[0], -span[1])):
        if found and start < (found[-1].end or 0):
            continue
        name = text[start:end]
        after_a_clock = values("place_words", "clock")
        name = after_a_clock.get(name) or after_a_clock.get(name.title()) or name
        place = _exactly(name) or (Place(name, name, "") if asked and cities_of(name) else None)
        if place:
            found.append(replace(place, start=start, end=end))
    return found


def _spans(text: str, *, asked: bool) -> Iterator[tuple[int, int]]:
    for match in _zone_pattern().finditer(text):
        yield match.span()
    english, chinese, first = _by_first()
    for match in _WORD.finditer(text):
        start = match.start()
        for name in english.get(match[0].casefold(), ()):
            end = start + len(name)
            said = text[start:end]
            if said.casefold() == name.casefold() and _END.match(text, end) and _counts(text, name, said, start, asked):
                yield (start, end)
                break
    for match in first.finditer(text):
        for name in chinese[match[0]]:
            if text.startswith(name, match.start()) and _stands_alone(text, name, match.start()):
                yield (match.start(), match.start() + len(name))
                break


def _stands_alone(text: str, name: str, start: int) -> bool:
    """Whether these characters are the name, and do not only meet by chance: 今日本月."""
    before, after = _by_chance().get(name, ("", ""))
    around = text[start - 1 : start], text[start + len(name) : start + len(name) + 1]
    return not (around[0] and around[0] in before) and not (around[1] and around[1] in after)


def _counts(text: str, name: str, said: str, start: int, asked: bool) -> bool:  # noqa: FBT001  a plain rule
    """Whether letters that spell a name mean the place here."""
    before = text[max(0, start - 12) : start]
    words_too, letters = words("place_words", "word"), values("place_words", "letters")
    if name in letters or name in values("place_words", "clock"):
        near = _A_CLOCK_BEFORE.search(before) is not None
        return near or (asked and name in letters and (said.isupper() or _IN_BEFORE.search(before) is not None))
    if name in words_too | words("place_words", "capital") and said != name:
        return asked and _IN_BEFORE.search(before) is not None
    return not (name in words_too and _is_just_a_word(text, start, said))


def cities_of(country: str) -> tuple[str, ...]:
    """The cities to choose from in a country with several zones; empty for anything else."""
    wanted = " ".join(country.split()).casefold()
    return _countries().get(wanted, ())


def nearest_places(name: str, limit: int = 3) -> list[Place]:
    """The known places whose names look most like `name`."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - needed only after a miss; this module must import fast

    places = _places()
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
    return _places().get(name.casefold()) or _offset(name) or _zone_named(name)


def _lies_in(place: Place, country: str) -> bool:
    around = _exactly(country)
    if around:
        return around.zone == place.zone
    return place.zone in {city.zone for city in map(_exactly, cities_of(country)) if city}


def _is_just_a_word(text: str, start: int, said: str) -> bool:
    return bool(re.search(_SENTENCE_START, text[max(0, start - 20) : start])) and text.strip(" \t\n.!?") != said


def _spellings(entry: str) -> tuple[list[str], list[str]]:
    english, _, chinese = entry.rpartition(" ")
    return english.split("|"), chinese.split("|")


@cache
def _entries() -> list[tuple[str, list[str], list[str]]]:
    """Each zone (empty for a country with several) with the English and the Chinese spellings of a place."""
    named = [(row[0].strip("-"), entry) for row in rows("places") for entry in row[1].split(", ")]
    return [(zone, *_spellings(entry)) for zone, entry in named]


@cache
def _countries() -> dict[str, tuple[str, ...]]:
    """The cities of every country with several zones, by its spellings in small letters."""
    several = [(_spellings(row[1]), tuple(row[2].split(", "))) for row in rows("places") if row[0] == "-"]
    return {spelling.casefold(): cities for (english, chinese), cities in several for spelling in (*english, *chinese)}


@cache
def _by_chance() -> dict[str, tuple[str, str]]:
    """Chinese names that are none after the first characters, nor before the second."""
    return {
        name: (before, after) for _, name, before, after in (row for row in rows("place_words") if row[0] == "chance")
    }


@cache
def _places() -> dict[str, Place]:
    """The place of every spelling, in small letters."""
    return {
        spelling.casefold(): Place(english[0], chinese[0], zone)
        for zone, english, chinese in _entries()
        for spelling in english + chinese
        if zone
    }


@cache
def _zone_pattern() -> re.Pattern[str]:
    return re.compile(rf"{_BEFORE}(?:{_OFFSET_IN_TEXT}|{_ZONE_NAME}){_AFTER}|{_CHINESE_OFFSET}")


@cache
def _by_first() -> tuple[dict[str, list[str]], dict[str, list[str]], re.Pattern[str]]:
    """English names by their first word and Chinese ones by their first character, long before short."""
    english: dict[str, list[str]] = {}
    chinese: dict[str, list[str]] = {}
    western = [name for _, names, _ in _entries() for name in names]
    for name in sorted(
        [*western, *values("place_words", "letters"), *values("place_words", "clock")], key=len, reverse=True
    ):
        english.setdefault(re.split(r"[^A-Za-zÀ-ɏ]", name.casefold())[0], []).append(name)
    for name in sorted((name for _, _, names in _entries() for name in names), key=len, reverse=True):
        chinese.setdefault(name[0], []).append(name)
    return english, chinese, re.compile("[" + "".join(re.escape(character) for character in chinese) + "]")


def _offset(name: str) -> Place | None:
    if name.casefold() in {"utc", "gmt", "z"}:
        return Place("UTC", "UTC", "UTC")
    if offset := values("place_words", "letters").get(name.upper()):
        shown = f"{name.upper()} (UTC{offset})"
        return Place(shown, shown, f"UTC{offset}")
    if match := re.fullmatch(_CHINESE_OFFSET, name):
        sign, hours, minutes = "+" if match[1] == "东" else "-", _chinese_number(match[2]), 0
    elif match := re.fullmatch(_OFFSET, name):
        sign, hours, minutes = "+" if match[1] == "+" else "-", int(match[2]), int(match[3] or 0)
    else:
        return None
    if hours > _MOST_HOURS:
        return None
    short = f"UTC{sign}{hours}" + (f":{minutes:02}" if minutes else "")
    return Place(short, short, f"UTC{sign}{hours:02}:{minutes:02}")


def _chinese_number(text: str) -> int:
    if text.isascii():
        return int(text)
    return (10 if text[0] == "十" else 0) + "〇一二三四五六七八九".find(text[-1]) + (text[-1] == "十")


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
