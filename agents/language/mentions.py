"""What a text mentions: quotes, addresses, paths, dates, times, durations, places, money, numbers, each with its place.

Found in that order, and what one kind has taken is hidden from the next: a number inside a path is no number.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from tools.core.clocks import find_clocks
from tools.core.dates import find_dates, read_date
from tools.core.durations import find_durations
from tools.core.numbers import find_numbers
from tools.core.places import find_places

Kind = Literal[
    "quoted", "url", "email", "glob", "path", "date", "clock", "duration", "place", "currency", "code", "number"
]

_QUOTED = re.compile(r"\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|`([^`]+)`|“([^”]+)”|「([^」]+)」|‘([^’]+)’|《([^》]+)》")
_URL = re.compile(r"https?://[^\s，。；！？、“”\"'）),]+", re.IGNORECASE)
_EMAIL = re.compile(r"[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}")
_GLOB = re.compile(r"(?<![\w*])\*+[\w./*?-]+")
_PATH = re.compile(
    # a name with an ending, Chinese too; where no space parts it from the verb before, without the verb
    r"(?:(?<![\w*./~-])|(?<=读取|打开|查看|显示|统计))(?!读取|打开|查看|显示|统计)"
    r"(?:[\w~.-]{1,100}/){0,20}[\w-]{1,100}(?:\.[\w-]{1,30}){0,5}\.[A-Za-z][A-Za-z0-9]{0,5}(?![A-Za-z0-9_/])"
    r"|(?<![A-Za-z0-9_*./~-])(?:[A-Za-z0-9_~.-]{1,100}/[A-Za-z0-9_./*-]*|\.{1,2}(?=\s|$)"
    r"|(?:README|LICENSE|Makefile|Dockerfile)(?![A-Za-z0-9_]))"
    r"|(?<![\w./:*~-])/[\w.-][\w./-]{0,300}"
)
_CODE = re.compile(
    r"(?<![\w.-])\d{6,}-\d{2,}(?![\w.-])|(?<![A-Za-z0-9])(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9][A-Z0-9-]{3,40}(?![A-Za-z0-9])"
)

CURRENCIES = {
    "USD": ("$", "usd", "us dollar", "dollar", "dollars", "美元", "美金"),
    "EUR": ("€", "eur", "euro", "euros", "欧元"),
    "CNY": ("cny", "rmb", "yuan", "renminbi", "人民币", "块钱"),
    "GBP": ("£", "gbp", "pound sterling", "british pound", "pounds", "英镑"),
    "JPY": ("jpy", "japanese yen", "yen", "日元", "日圆"),
    "HKD": ("hkd", "hong kong dollar", "港币", "港元"),
    "KRW": ("krw", "won", "韩元"),
    "CHF": ("chf", "swiss franc", "瑞士法郎"),
    "CAD": ("cad", "canadian dollar", "加元"),
    "AUD": ("aud", "australian dollar", "澳元"),
    "INR": ("inr", "rupee", "rupees", "卢比"),
    "SGD": ("sgd", "singapore dollar", "新加坡元", "新币"),
}
"""Currencies by their code, with the words people use."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of a text that means something."""

    kind: Kind
    value: Any
    text: str
    start: int
    end: int


def find_mentions(text: str, today: date) -> list[Mention]:
    """Everything a text mentions, in the order it stands there."""
    found: list[Mention] = []
    rest = text
    for kind, find in _FINDERS:
        for value, start, end in find(rest, today):
            found.append(Mention(kind, value, text[start:end], start, end))
        rest = hidden(text, found)
    return _in_one_year(sorted(found, key=lambda mention: mention.start))


def _in_one_year(mentions: list[Mention]) -> list[Mention]:
    """A date without a year that follows one with a year is in that year: from 3 March 2026 to 14 July."""
    since: date | None = None
    result: list[Mention] = []
    for mention in mentions:
        told = mention
        if mention.kind == "date":
            has_year = re.search(r"\d{4}|[〇零一二三四五六七八九]{4}年", mention.text) is not None
            if not has_year and since is not None and re.search(r"\d|[一二三四五六七八九十]月", mention.text):
                moved = read_date(mention.text, since)
                told = mention if moved is None else replace(mention, value=moved, text=moved.isoformat())
            since = told.value if has_year else since
        result.append(told)
    return result


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
        yield path, match.start(), match.start() + len(path)


def _places(text: str, _: date) -> Spans:
    spans = [(place.start or 0, place.end or 0) for place in find_places(text)]
    return [(text[start:end], start, end) for start, end in spans]


def _currencies(text: str, _: date) -> Spans:
    lowered, found = text.lower(), list[tuple[Any, int, int]]()
    for code, names in CURRENCIES.items():
        for name in names:
            edge = r"\b" if name.isascii() and name.isalpha() else ""
            found += [(code, m.start(), m.end()) for m in re.finditer(f"{edge}{re.escape(name)}{edge}", lowered)]
    kept: list[tuple[Any, int, int]] = []
    for item in sorted(found, key=lambda item: (item[1], -item[2])):
        if not kept or item[1] >= kept[-1][2]:
            kept.append(item)
    return kept


def _plain(find: Callable[[str], Iterable[Any]]) -> Callable[[str, date], Spans]:
    def wrapped(text: str, _: date) -> Spans:
        return [tuple(item) for item in find(text)]

    return wrapped


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
    ("number", _plain(find_numbers)),
)
