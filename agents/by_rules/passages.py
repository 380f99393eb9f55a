"""What documents are made of: lines of notes, pages and logs, entries of JSON objects, rows of lists and tables.

Each knows what it says itself and what stands over it: headings, outer keys, the names of columns, its file's name.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from switchyard.agents.by_rules.query import quoted
from switchyard.agents.by_rules.world import MOST_BYTES, MOST_ENTRIES
from switchyard.language.dictionary import LONGEST_MEANING, meanings_of
from switchyard.language.lexicon import stem
from switchyard.language.tables import listed, words
from switchyard.language.tokeniser import chinese_words
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import read_text, walk
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.workspace import shown

LOG = ".log"
NOTES = {".md", ".txt", ".rst", ".markdown", ".ini", ".cfg", ".toml", LOG}
LONGEST_HEADING = 60
ALL_SENSES = 6

_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+(?:['’][a-z]+)?|\d+(?:\.\d+)?")
_CODE = re.compile(r"(?=[A-Za-z]*\d)[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*")
"""A word with digits in it: E14."""
_HEADING = re.compile(r"(#{1,6})\s+(.+)|\[(\w[^\]]*)\]$")
ITEM = re.compile(r"\s*(?:[-*+•|]|\[[ xX✓√]?\]\s|\d+[.)、]|[一二三四五六七八九十]+、)")
_RULE = re.compile(r"[|\s:-]+")


class Words:
    """A text as its words are looked for."""

    def __init__(self, text: str) -> None:
        self.text = one_name(text.replace("_", " "))
        self.small = self.text.lower()

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its words without their endings."""
        return frozenset(map(base, [*_WORD.findall(self.text), *_CODE.findall(self.text)]))

    @cached_property
    def meanings(self) -> frozenset[str]:
        """What its Chinese words mean, stemmed."""
        return frozenset[str]().union(*map(english_of, chinese_words(self.text)))

    @cached_property
    def senses(self) -> frozenset[str]:
        """What its longer Chinese words mean first of all."""
        return frozenset[str]().union(*(meanings_of(word) for word in chinese_words(self.text) if len(word) > 1))

    def has(self, word: str) -> bool:
        """Whether this very word stands in it."""
        return word in self.stems if word.isascii() else word in self.small


_DAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())  # noqa: SIM905
_DAY = r"(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\.?"
_DAYS_ON = re.compile(
    rf"(?i)\b{_DAY}\s?(?:to|[-–~]|through|till|until)\s?{_DAY}(?![a-z])|周([一二三四五六日天])[至到~-]周?([一二三四五六日天])"
)


def one_name(text: str) -> str:
    """A text in which the days of the week are called by one name, and those between two are said: Monday to Friday."""
    text = text if text.isascii() else text.replace("星期", "周").replace("礼拜", "周")
    for first, last, begins, ends in _DAYS_ON.findall(text):
        names = [f"周{day}" for day in "一二三四五六日"] if begins else [*_DAYS]
        at = ["一二三四五六日".find(day.replace("天", "日")) for day in (begins, ends) if day]
        at = at or [
            next(i for i, name in enumerate(_DAYS) if name.startswith(day.lower()[:3])) for day in (first, last)
        ]
        days = [names[day % 7] for day in range(at[0], at[1] + 1 + 7 * (at[1] < at[0]))]
        text = f"{text} ({' '.join(days)})"
    return text


@lru_cache(maxsize=20_000)
def english_of(word: str) -> frozenset[str]:
    """The words, without their endings, that a Chinese word means: of a fire extinguisher the second, fit of fit up."""
    told = [part for one in meanings_of(word, ALL_SENSES) for part in re.split("[;,]", one)]
    short = (re.sub(r"\b(?:to be|to|an?|the|sth|sb|of|up|out|off|down|in|on)\b", "", one).split() for one in told)
    heads = {
        base(one[-1]) if base(one[-1]) not in words("words", "light") else base(one[0])
        for one in short
        if 0 < len(one) <= LONGEST_MEANING
    }
    return frozenset(heads | {base(code) for one in told for code in _CODE.findall(one)})  # carbon dioxide CO2


@lru_cache(maxsize=20_000)
def base(word: str) -> str:
    """A word without its ending, and in the form of the present: fed, feed."""
    small = word.lower()
    known = (one.split("/") for one in listed("words", "forms") if not small.endswith("s"))  # the bus leaves
    return stem(next((forms[0] for forms in known if small in forms), word))


@dataclass(frozen=True, slots=True)
class Passage:
    """One thing that a document says."""

    own: Words
    around: Words
    source: Words
    """The names of the file and its folders, or the title of a page."""
    path: str
    said: str
    """All that may answer: the line, the value with its unit, the cells with the names of their columns."""
    line: int = 0
    """Its number; of a row its place."""
    keys: tuple[str, ...] = ()
    """The way to an entry."""
    row: Mapping[str, Any] | None = None
    rows: str = ""
    """Of a row, the SELECT that makes its table of what is in the file."""


def documents(root: Path, places: Sequence[str]) -> Iterator[Passage]:
    """What the notes, logs and JSON objects of a workspace say; those that are named, where some are."""
    for entry in walk(root, hidden=False, limit=MOST_ENTRIES):
        path = Path(entry.path)
        name = shown(root, path)
        if places and not any(place in (name, path.name) for place in places):
            continue
        if path.suffix.lower() not in NOTES | {".json"} or not entry.is_file(follow_symlinks=False):
            continue
        if (stat := entry.stat(follow_symlinks=False)).st_size <= MOST_BYTES:
            yield from _of_file(path, name, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _of_file(path: Path, name: str, _changed: int) -> tuple[Passage, ...]:
    source = re.sub(r"[/.]", " ", name.removesuffix(path.suffix))
    try:
        text = read_text(path, MOST_BYTES)
        if path.suffix.lower() == ".json":
            return tuple(in_json(json.loads(text), source, name))
    except (ToolError, OSError, ValueError):
        return ()
    return tuple(lines(text, source, name, marked=path.suffix.lower() in {".md", ".markdown"}))


def lines(text: str, source: str, path: str, *, marked: bool) -> Iterator[Passage]:
    """The lines of a text; where headings are not marked, a short line without figures over others is one."""
    over: dict[int, str] = {}
    head, before = "", ""
    of_file, is_log = Words(source), path.endswith(LOG)
    split = text.splitlines()
    for number, line in enumerate(split, start=1):
        below = split[number] if number < len(split) else ""
        level, heading = (0, "") if is_log else _heading(line, before, below, marked=marked, first=not over)
        before = line
        if level:
            over = {one: kept for one, kept in over.items() if one < level} | {level: heading}
        is_head = bool(_RULE.fullmatch(below)) and "-" in below
        head = (line if is_head else head) if line.lstrip().startswith("|") else ""
        if line.strip() and line is not head and not _RULE.fullmatch(line) and (not level or re.search(r"\d", line)):
            outer = " / ".join(kept for one, kept in over.items() if one != level)
            yield Passage(Words(line), Words(f"{outer} {head}"), of_file, path, line, number)


def _heading(line: str, before: str, below: str, *, marked: bool, first: bool) -> tuple[int, str]:
    """The level of a heading, and what it says; 0 for any other line."""
    if match := _HEADING.match(line):
        return len(match[1] or "#"), match[2] or match[3]
    bare = line.strip().rstrip(":：")
    is_title = first and not below.strip() and not re.search("[:：.。!?？]", bare)
    if not bare or len(bare) > LONGEST_HEADING * (1 + is_title) or ITEM.match(line):
        return 0, ""
    if line.rstrip().endswith((":", "：")):
        return 8, bare
    plain = not marked and not before.strip() and (is_title or not re.search(r"[:：,，.。!?？]", bare))
    is_heading = (first or below.strip()) and not re.search(r"\d", bare)
    return (1 if first else 7, bare) if plain and (is_title or is_heading) else (0, "")


def in_json(content: Any, source: str, path: str) -> Iterator[Passage]:
    """The entries of a JSON object and the rows of its lists, or those of a list."""
    if is_list(content):
        yield from rows_of(content, source, path)
    elif is_object(content):
        beside = (f"{key} {value}" for key, value in content.items() if isinstance(value, str | int))
        source = " ".join([source, *beside])
        yield from _entries(content, (), Words(source), path)
        for key, inner in content.items():
            table = f"(SELECT unnest({quoted(key)}, max_depth := 2) FROM data)"  # noqa: S608  names are quoted
            known = rows_of(inner, f"{source} {key}", path) if is_list(inner) else ()
            yield from (replace(one, rows=table) for one in known)


def _entries(content: Mapping[str, Any], way: tuple[str, ...], source: Words, path: str) -> Iterator[Passage]:
    """The single values of an object, and its lists of such."""
    for key, value in content.items():
        if is_object(value):
            yield from _entries(value, (*way, key), source, path)
        elif not is_list(value) or not any(is_object(one) or is_list(one) for one in value):
            own = Words(key)
            unit = [one.upper() if one in {"c", "f"} else one for one in own.small.split()[-1:]]
            yield Passage(own, Words(" ".join(way)), source, path, " ".join([f"{value}", *unit]), keys=(*way, key))


def rows_of(table: Sequence[Any], source: str, path: str) -> Iterator[Passage]:
    """The rows of a list of objects."""
    for at, row in enumerate(table if all(map(is_object, table)) else ()):
        said = "; ".join(f"{value} {column}" for column, value in row.items())
        own, around = Words(" ".join(map(str, [*row.values(), next(iter(row), "")]))), Words(" ".join(row))
        yield Passage(own, around, Words(source), path, said, at, row=row, rows="data")
