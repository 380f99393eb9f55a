"""A question about time with what it names masked by capital letters, so that the rest can be looked at.

D is a date, C a time of day, L a length of time, P a place, M a month, Y a year, S a Unix timestamp: "What time is it
in Tokyo in 2 hours?" becomes "what time is it in P in L?". What the letters stand for is kept beside the text. Words
that may stand around them without meaning more than is asked are in `data/time_words.tsv`, by what is asked.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time
from functools import cache
from typing import Any, Literal

from switchyard.language.clocks import beside, find_clocks
from switchyard.language.dates import date_spans, find_months, read_date
from switchyard.language.durations import days_in, find_durations
from switchyard.language.errors import Impossible
from switchyard.language.places import find_places, zone_of
from switchyard.language.tables import rows
from switchyard.language.words import courtesy

Topic = Literal["now", "dates", "counts", "clocks", "ages", "zones", "facts", "stamps"]
"""What a question may be about."""
TAGS = "DCLPMYS"
_YEAR = re.compile(
    r"(?<![\d.,/-])(?:1[5-9]|20|21)\d\d(?![\d.,/-]\d|\d)(?:\s?年)?|\b(?:this|next|last) year\b|[今明去后]年",
    re.IGNORECASE,
)
_STAMP = re.compile(r"(?<![A-Za-z0-9_.,+-])[0-9]{9,13}(?![A-Za-z0-9_]|[.,][0-9])")
_OF_STAMPS = re.compile(
    r"time ?stamp|\b(?:unix|epoch)\b|时间戳|\bto (?:a )?date\b|转换?[成为]?(?:日期|时间)", re.IGNORECASE
)
_YEARS_AWAY = {"this": 0, "next": 1, "last": -1, "今": 0, "明": 1, "去": -1, "后": 2}


@dataclass(frozen=True, slots=True)
class Part:
    """Something a text names."""

    tag: str
    text: str
    value: Any
    start: int
    end: int

    def clock(self) -> str:
        """A time of day in figures."""
        value: time = self.value
        return value.strftime("%H:%M:%S" if value.second else "%H:%M")

    def first_day(self) -> date:
        """The first day of a month or a year."""
        return self.value if self.tag == "M" else date(self.value, 1, 1)

    def last_day(self) -> date:
        """The last day of a month or a year."""
        day = self.first_day()
        month = day.month if self.tag == "M" else 12
        return day.replace(month=month, day=days_in(day.year, month))


class Masked:
    """A text in small letters with its parts masked."""

    def __init__(self, said: str, today: date) -> None:
        self.said, self.today = said, today
        found = sorted(_parts(said, today), key=lambda part: part.start)
        pieces: list[str] = []
        end = 0
        for part in found:
            pieces += [said[end : part.start].lower(), part.tag]
            end = part.end
        self.text = "".join([*pieces, said[end:].lower()]).strip()
        self.parts: dict[str, list[Part]] = {tag: [part for part in found if part.tag == tag] for tag in TAGS}

    def has(self, **counts: int | tuple[int, int]) -> bool:
        """Whether so many of each kind are named, and none of the kinds left out."""
        for tag, found in self.parts.items():
            wanted = counts.get(tag, 0)
            least, most = wanted if isinstance(wanted, tuple) else (wanted, wanted)
            if not least <= len(found) <= most:
                return False
        return True

    def texts(self, tag: str) -> list[str]:
        """What is named, in the words of the text."""
        return [part.text for part in self.parts[tag]]

    def place(self) -> dict[str, str]:
        """The place to answer for, as an argument, where one is named."""
        return {"timezone": self.texts("P")[0]} if self.parts["P"] else {}

    def date(self) -> dict[str, str]:
        """The date, as an argument, where one is named."""
        return {"date": self.texts("D")[0]} if self.parts["D"] else {}

    def says(self, *patterns: str) -> bool:
        """Whether one of the patterns is found."""
        return any(re.search(pattern, self.text) for pattern in patterns)


def _parts(text: str, today: date) -> Iterator[Part]:
    """What a text names, each kind hidden from the next."""
    rest = text
    stamps = [
        Part("S", match[0], int(match[0]), *match.span())
        for match in (_STAMP.finditer(text) if _OF_STAMPS.search(text) else ())
    ]
    yield from stamps
    rest = text = _hidden(rest, stamps)
    days = [Part("D", text[start:end], _day(text[start:end], today), start, end) for start, end in date_spans(text)]
    yield from days
    rest = _hidden(rest, days)
    clocks: list[Part] = []
    for clock, start, end in find_clocks(rest):
        near = next((d.text for d in days if 0 <= start - d.end <= 4 or 0 <= d.start - end <= 1), "")  # noqa: PLR2004  " at "
        clocks.append(Part("C", text[start:end], beside(near, clock, text[start:end]), start, end))
    yield from clocks
    rest = _hidden(rest, clocks)
    lengths = [Part("L", text[start:end], length, start, end) for length, start, end in find_durations(rest)]
    yield from lengths
    rest = _hidden(_hidden(rest, lengths), clocks, "0")  # a zone such as ET is one only after a time of day
    places = list(_places(rest))
    yield from places
    rest = _hidden(rest, places)
    months = [Part("M", text[start:end], month, start, end) for month, start, end in find_months(rest, today)]
    yield from months
    for match in _YEAR.finditer(_hidden(rest, months)):
        yield Part("Y", match[0], _year(match[0], today), match.start(), match.end())


def _hidden(text: str, parts: list[Part], by: str = " ") -> str:
    for part in parts:
        text = text[: part.start] + by * (part.end - part.start) + text[part.end :]
    return text


def _day(text: str, today: date) -> date:
    try:
        return read_date(text, today) or today
    except Impossible:
        return today  # a day that does not exist: the tool says why


def _places(text: str) -> Iterator[Part]:
    """The places; a city with its country (Paris, France; 法国巴黎) is one, and so is one that is not there."""
    last: Part | None = None
    found = find_places(text, asked=True)
    for place in found:
        said, start, end = text[place.start : place.end], place.start or 0, place.end or 0
        name = said if not place.zone or zone_of(said) else place.name_en
        if last is not None:
            alone = len(found) == 2 and not re.search(r"\w", text[end:])  # noqa: PLR2004  Paris, Texas
            if text[last.end : start] in {", ", ","} and (alone or zone_of(f"{last.text}, {name}")):
                last = Part("P", f"{last.text}, {name}", last.value, last.start, end)
                continue
            if last.end == start and zone_of(f"{name}, {last.text}"):
                last = Part("P", name, place, last.start, end)
                continue
            yield last
        last = Part("P", name, place, start, end)
    if last is not None:
        yield last


def _year(text: str, today: date) -> int:
    if text[0].isdigit():
        return int(text[:4])
    return today.year + _YEARS_AWAY[text.partition(" ")[0].lower() if text.isascii() else text[0]]


def unknown_words(masked: str, topic: Topic) -> list[str]:
    """What a masked text says that is no word of such questions."""
    english, chinese = _vocabulary(topic)
    rest = chinese.sub(" ", re.sub(f"[{TAGS}]", " ", _courtesy().sub(" ", masked)))
    unknown = [word for word in re.findall(r"[a-zà-ɏ]+(?:['’][a-z]+)?", rest) if not {word, _bare(word)} & english]
    return unknown + re.findall(r"[^\W_a-zà-ɏ]+", rest)


def without_courtesy(masked: str) -> str:
    """A masked text without what is only said to be polite."""
    return _courtesy().sub(" ", masked).strip(" ,.?!，。？！")


@cache
def _courtesy() -> re.Pattern[str]:
    occasion = r"\bmy (?:deadline|birthday|exam|trip|wedding|flight|interview|vacation|holiday)(?: is)? (?:on )?(?=D)"
    return re.compile(f"{courtesy('before', 'asking', 'after', 'filler')}|{occasion}")


@cache
def _vocabulary(topic: Topic) -> tuple[frozenset[str], re.Pattern[str]]:
    more: tuple[Topic, ...] = ("now", "counts", topic) if topic == "ages" else ("now", topic)
    words = [row for row in rows("time_words") if row[0] in more]
    english = {word for row in words for word in row[1].split()}
    chinese = {word for row in words for word in "".join(row[2:]).split()}
    return frozenset(english), re.compile("|".join(sorted(chinese, key=len, reverse=True)))


def _bare(word: str) -> str:
    return re.sub(r"['’](?:s|re|ll|d|m|ve)$", "", word)
