"""What a text mentions: quotes, addresses, paths, dates, times, durations, places, money, numbers, each with its place.

Found in that order, and what one kind has taken is hidden from the next: a number inside a path is no number.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Any, Literal

from switchyard.language.clocks import find_clocks, read_clock
from switchyard.language.dates import find_dates
from switchyard.language.durations import find_durations
from switchyard.language.numbers import find_numbers
from switchyard.language.places import find_places
from switchyard.language.tables import rows

Kind = Literal[
    "quoted", "url", "email", "glob", "path", "code", "number", "unit", "date", "clock", "duration", "place", "currency"
]

_QUOTED = re.compile(r"\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|`([^`]+)`|“([^”]+)”|「([^」]+)」|‘([^’]+)’|《([^》]+)》")
_URL = re.compile(r"(?i)https?://[^\s，。；！？、“”\"'）),]+")
_EMAIL = re.compile(r"[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}")
_GLOB = re.compile(r"(?<![A-Za-z0-9_*./~-])(?:[A-Za-z0-9_.~-]{1,100}/){0,20}\*+[A-Za-z0-9_./*?-]+")
_PATH = re.compile(
    # a name with an ending, Chinese too; where no space parts it from the verb before, without the verb
    r"(?:(?<![\w*./~-])|(?<=读取|打开|查看|显示|统计)|(?<=[A-Za-z0-9][和与跟比或把将]))(?!读取|打开|查看|显示|统计)"
    r"(?:[\w~.-]{1,100}/){0,20}[\w-]{1,100}(?:\.(?:(?![和与跟比或把将])[\w-]){1,30}){0,5}\.[A-Za-z][A-Za-z0-9]{0,6}(?![A-Za-z0-9_/])"
    r"|(?<![A-Za-z0-9_*./~-])(?!\d+/\d+(?![A-Za-z0-9_./*-]))(?:[A-Za-z0-9_~.-]{1,100}/[A-Za-z0-9_./*-]*|\.{1,2}(?=\s|$)"
    r"|(?:README|LICENSE|Makefile|Dockerfile)(?![A-Za-z0-9_]))"
    r"|(?<![\w./:*~-])/[\w.-][\w./-]{0,300}"
)
_FILE = re.compile(
    r"(?i)\.(?:[ct]sv|jsonl?|txt|md|log|pdf|xlsx?|docx|html?|xml|ya?ml|toml|ini|cfg|conf|db|sqlite3?|sql|py|ipynb|png|jpe?g|zip)$"
)
"""The endings that are a file's, and nothing else's."""
_WRITTEN_TO = re.compile(r"[\u4e00-\u9fff]*(?:写[入到进]|存[入到为]|[追添]加到)(?=[A-Za-z0-9])")
"""A verb that no space parts from the name of a file: 写入a.txt, 把结果保存到a.txt."""
_CODE = re.compile(
    r"(?<![\w.-])\d{6,}-\d{2,}(?![\w.-])|(?<![A-Za-z0-9])(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9][A-Z0-9-]{3,40}(?![A-Za-z0-9])"
)

_GOES_ON = re.compile(r"[kKmMbB](?![A-Za-z])")
_ARTICLE = re.compile(
    r"一(?=[\u4e00-\u9fff])(?![百千万亿点天周月年日号小分秒元块公米斤半倍成打分之二三四五六七八九十])"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of a text that means something."""

    kind: Kind
    value: Any
    text: str
    start: int
    end: int


@lru_cache(maxsize=256)
def find_mentions(text: str, today: date) -> tuple[Mention, ...]:
    """Everything a text mentions, in the order it stands there. Remembered: each tool that may serve looks again."""
    found: list[Mention] = []
    rest = text
    for kind, find in _FINDERS:
        for value, start, end, *said in find(rest, text, today):
            found.append(Mention(kind, value, said[0] if said else text[start:end], start, end))
        rest = hidden(text, found)
    return tuple(sorted(found, key=lambda mention: mention.start))


def is_file(path: str) -> bool:
    """Whether what looks like a path can only be a file: km/h, TCP/IP and Node.js look like one, too."""
    return _FILE.search(path) is not None


def hidden(text: str, mentions: Iterable[Mention]) -> str:
    """The text with these mentions blanked out, every other character in its place."""
    letters = list(text)
    for mention in mentions:
        letters[mention.start : mention.end] = " " * (mention.end - mention.start)
    return "".join(letters)


Spans = Iterable[tuple[Any, ...]]
"""What is found: a value, where it begins and ends, and what stands for its words where they alone do not say it."""
Finder = Callable[[str, str, date], Spans]
"""Looks through what is left of a text; the whole of it says what is around, and the day what is relative."""


def _matches(pattern: re.Pattern[str]) -> Finder:
    def find(rest: str, _: str, __: date) -> Spans:
        for match in pattern.finditer(rest):
            inner = next((group for group in match.groups() if group), match[0])
            yield inner, match.start(), match.end()

    return find


def _paths(rest: str, _: str, __: date) -> Spans:
    for match in _PATH.finditer(rest):
        path = match[0].rstrip(".,") or match[0]
        if "/" in path and any((place.start, place.end) == (0, len(path)) for place in find_places(path)):
            continue  # Asia/Tokyo is no folder
        verb = _WRITTEN_TO.match(path)
        start = match.start() + (verb.end() if verb else 0)
        yield path[start - match.start() :], start, match.start() + len(path)


def _clocks(rest: str, text: str, _: date) -> Spans:
    for clock, start, end in find_clocks(rest, text):
        said = text[start:end]
        yield clock, start, end, said if read_clock(said) == clock else f"{clock:%H:%M}"


def _currencies(rest: str, _: str, __: date) -> Spans:
    codes, pattern = currencies()
    return [(codes[match[0].lower()], *match.span()) for match in pattern.finditer(rest)]


@cache
def currencies() -> tuple[dict[str, str], re.Pattern[str]]:
    """The code of every currency by the words people use, and how they are found (`data/currencies.tsv`)."""
    codes: dict[str, str] = {}
    for code, sign, *names in rows("currencies"):
        said = [name for cell in names[:2] for name in cell.split("|")] + ([] if sign.isalpha() else [sign])
        codes |= {name: code for name in said if name and code != "-"}
    ordered = sorted(codes, key=len, reverse=True)
    found = (
        rf"\b{name}\b" if name.isascii() and name.replace(" ", "").isalpha() else re.escape(name) for name in ordered
    )
    return codes, re.compile("|".join(found), re.IGNORECASE)


def _numbers(rest: str, _: str, __: date) -> Spans:
    # 一 before a measure word is an article: 一封邮件, 一个日程
    # 250k is no 250: a number that goes on in letters is read by what knows them, or not at all
    return [
        found
        for found in find_numbers(rest)
        if not _ARTICLE.match(rest, found.start) and not _GOES_ON.match(rest, found.end)
    ]


_FINDERS: tuple[tuple[Kind, Finder], ...] = (
    ("quoted", _matches(_QUOTED)),
    ("url", _matches(_URL)),
    ("email", _matches(_EMAIL)),
    ("glob", _matches(_GLOB)),
    ("path", _paths),
    ("code", _matches(_CODE)),
    ("date", lambda rest, _, today: find_dates(rest, today)),
    ("clock", _clocks),
    ("duration", lambda rest, _, __: find_durations(rest)),
    ("place", lambda rest, _, __: ((rest[p.start : p.end], p.start, p.end) for p in find_places(rest))),
    ("currency", _currencies),
    ("number", _numbers),
)
