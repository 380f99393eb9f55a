"""What a text mentions: quotes, addresses, paths, dates, times, durations, places, money, numbers, each with its place.

Found in that order, and what one kind has taken is hidden from the next: a number inside a path is no number.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache
from typing import Any, Literal

from switchyard.language.clocks import beside, find_clocks
from switchyard.language.dates import find_dates, read_date
from switchyard.language.durations import find_durations
from switchyard.language.numbers import find_numbers
from switchyard.language.places import find_places
from switchyard.language.tables import rows

Kind = Literal[
    "quoted", "url", "email", "glob", "path", "code", "number", "unit", "date", "clock", "duration", "place", "currency"
]

_QUOTED = re.compile(r"\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|`([^`]+)`|“([^”]+)”|「([^」]+)」|‘([^’]+)’|《([^》]+)》")
_URL = re.compile(r"https?://[^\s，。；！？、“”\"'）),]+", re.IGNORECASE)
_EMAIL = re.compile(r"[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}")
_GLOB = re.compile(r"(?<![A-Za-z0-9_*./~-])(?:[A-Za-z0-9_.~-]{1,100}/){0,20}\*+[A-Za-z0-9_./*?-]+")
_PATH = re.compile(
    # a name with an ending, Chinese too; where no space parts it from the verb before, without the verb
    r"(?:(?<![\w*./~-])|(?<=读取|打开|查看|显示|统计)|(?<=[A-Za-z0-9][和与跟比或]))(?!读取|打开|查看|显示|统计)"
    r"(?:[\w~.-]{1,100}/){0,20}[\w-]{1,100}(?:\.(?:(?![和与跟比或])[\w-]){1,30}){0,5}\.[A-Za-z][A-Za-z0-9]{0,6}(?![A-Za-z0-9_/])"
    r"|(?<![A-Za-z0-9_*./~-])(?!\d+/\d+(?![A-Za-z0-9_./*-]))(?:[A-Za-z0-9_~.-]{1,100}/[A-Za-z0-9_./*-]*|\.{1,2}(?=\s|$)"
    r"|(?:README|LICENSE|Makefile|Dockerfile)(?![A-Za-z0-9_]))"
    r"|(?<![\w./:*~-])/[\w.-][\w./-]{0,300}"
)
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
        for value, start, end in find(rest, today):
            found.append(Mention(kind, value, text[start:end], start, end))
        rest = hidden(text, found)
    return tuple(_in_one_year(_in_the_evening(sorted(found, key=lambda mention: mention.start))))


def _in_the_evening(mentions: list[Mention]) -> list[Mention]:
    """A time beside 今晚 or `tonight` is one of the evening."""
    days = [mention for mention in mentions if mention.kind == "date"]
    result: list[Mention] = []
    for mention in mentions:
        near = next((d.text for d in days if 0 <= mention.start - d.end <= 4 or 0 <= d.start - mention.end <= 1), "")  # noqa: PLR2004  " at "
        late = beside(near, mention.value, mention.text) if mention.kind == "clock" else mention.value
        result.append(mention if late == mention.value else replace(mention, value=late, text=f"{late:%H:%M}"))
    return result


def _in_one_year(mentions: list[Mention]) -> list[Mention]:
    """A date without a year that follows one with a year is in that year: from 3 March 2026 to 14 July."""
    since: date | None = None
    result: list[Mention] = []
    for mention in mentions:
        told = mention
        if mention.kind == "date":
            has_year = re.search(r"\d{4}|[〇零一二三四五六七八九]{4}年", mention.text) is not None
            if since is not None and (day := _DAY_ONLY.fullmatch(mention.text)):
                moved = _next_with_day(since, int(day[1] or day[2]))
                told = mention if moved is None else replace(mention, value=moved, text=moved.isoformat())
                has_year = moved is not None
            elif not has_year and since is not None and re.search(r"\d|[一二三四五六七八九十]月", mention.text):
                moved = read_date(mention.text, since)
                told = mention if moved is None else replace(mention, value=moved, text=moved.isoformat())
            since = told.value if has_year or re.search(r"\d.*[a-z月]|[a-z].*\d|月", mention.text) else since
        result.append(told)
    return result


_DAY_ONLY = re.compile(r"(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)|(\d{1,2})[号日]", re.IGNORECASE)


def _next_with_day(since: date, day: int) -> date | None:
    """The next such day of a month: 12月24号入住，27号离店."""
    for months in range(3):
        year, month = divmod(since.year * 12 + since.month - 1 + months, 12)
        try:
            found = date(year, month + 1, day)
        except ValueError:
            continue
        if found >= since:
            return found
    return None


def hidden(text: str, mentions: Iterable[Mention]) -> str:
    """The text with these mentions blanked out, every other character in its place."""
    letters = list(text)
    for mention in mentions:
        letters[mention.start : mention.end] = " " * (mention.end - mention.start)
    return "".join(letters)


Spans = Iterable[tuple[Any, int, int]]


def _matches(pattern: re.Pattern[str]) -> Callable[[str, date], Spans]:
    def find(text: str, _: date) -> Spans:
        for match in pattern.finditer(text):
            inner = next((group for group in match.groups() if group), match[0])
            yield inner, match.start(), match.end()

    return find


def _paths(text: str, _: date) -> Spans:
    for match in _PATH.finditer(text):
        path = match[0].rstrip(".,") or match[0]
        if _is_zone(path):
            continue
        verb = _WRITTEN_TO.match(path)
        start = match.start() + (verb.end() if verb else 0)
        yield path[start - match.start() :], start, match.start() + len(path)


def _is_zone(path: str) -> bool:
    """Whether it names a time zone: Asia/Tokyo is no folder."""
    return "/" in path and any((place.start, place.end) == (0, len(path)) for place in find_places(path))


def _places(text: str, _: date) -> Spans:
    spans = [(place.start or 0, place.end or 0) for place in find_places(text)]
    return [(text[start:end], start, end) for start, end in spans]


def _currencies(text: str, _: date) -> Spans:
    codes, pattern = currencies()
    return [(codes[match[0].lower()], match.start(), match.end()) for match in pattern.finditer(text)]


@cache
def currencies() -> tuple[dict[str, str], re.Pattern[str]]:
    """The code of every currency by the words people use, and how they are found (`data/currencies.tsv`)."""
    named = [
        (row[0], [row[1]] if not row[1].isalpha() else [], row[2:4]) for row in rows("currencies") if row[0] != "-"
    ]
    codes = {name: code for code, signs, cells in named for name in (*signs, *"|".join(cells).split("|")) if name}
    ordered = sorted(codes, key=len, reverse=True)
    words = (
        rf"\b{name}\b" if (name.isascii() and name.isalpha()) or " " in name else re.escape(name) for name in ordered
    )
    return codes, re.compile("|".join(words), re.IGNORECASE)


def _plain(find: Callable[[str], Iterable[Any]]) -> Callable[[str, date], Spans]:
    def wrapped(text: str, _: date) -> Spans:
        return [tuple(item) for item in find(text)]

    return wrapped


def _numbers(text: str, _: date) -> Spans:
    # 一 before a measure word is an article: 一封邮件, 一个日程
    # 250k is no 250: a number that goes on in letters is read by what knows them, or not at all
    return [
        (found.value, found.start, found.end)
        for found in find_numbers(text)
        if not _ARTICLE.match(text, found.start) and not _GOES_ON.match(text, found.end)
    ]


_FINDERS: tuple[tuple[Kind, Callable[[str, date], Spans]], ...] = (
    ("quoted", _matches(_QUOTED)),
    ("url", _matches(_URL)),
    ("email", _matches(_EMAIL)),
    ("glob", _matches(_GLOB)),
    ("path", _paths),
    ("code", _matches(_CODE)),
    ("date", find_dates),
    ("clock", _plain(find_clocks)),
    ("duration", _plain(find_durations)),
    ("place", _places),
    ("currency", _currencies),
    ("number", _numbers),
)
