"""What a document says: the one line of a note, or the one entry of a JSON file, that has every word of a question.

Words that every question has do not count; a question for a number needs one there. Where nothing has them all, or
several things do, it is not answered: what is nearly said is not said.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.query import quoted
from switchyard.agents.by_rules.world import MOST_BYTES, MOST_ENTRIES
from switchyard.language.dictionary import aliases, english_terms
from switchyard.language.lexicon import key_of, segment, senses_of, stem
from switchyard.language.mentions import Mention, find_mentions
from switchyard.language.tokeniser import chinese_words, has_chinese
from switchyard.ledger.plan import Call
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import read_text, walk
from switchyard.tools.core.workspace import shown

NOTES = {".md", ".txt", ".rst", ".markdown"}
LONGEST = 200
Has = Callable[[str, str], bool]
"""Whether a text has a word."""
LONG_WORD, LONG_CHINESE_WORD = 6, 3
"""Letters of a word that may be all that is asked for, where just one line has it."""

_EMPTY = (
    *("free", "show", "which", "who", "when", "is", "isit", "mark", "count", "amount", "money", "times", "row", "unit"),
    *("person", "title", "all", "compute", "period", "rowname", "long"),
)
_ASKS_NUMBER = ("count", "amount", "when", "times", "long", "is")
_CHANGES = ("not", "except", "empty", "sup", "agg", "share", "cmp", "each", "sort", "distinct")
"""Senses of words with which a line that has all words is no answer."""
_HOW = re.compile(
    r"\bhow (?!many|much|long|often|do|does|did|is|are|can|could|should|would|to)(\w+)"
    r"(?= (?:is|are|does|do|did|was|were|should|must|may|can)\b)",
    re.IGNORECASE,
)
"""How tight, how wide: a number is asked for, in words that no answer has."""
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百两]")
_CLOCK = re.compile(r"\d{1,2}[:：]\d{2}")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d+")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question looks for."""

    words: tuple[str, ...]
    """Stems, and Chinese words."""
    number: bool
    """Whether the answer has a number in it."""
    places: tuple[str, ...] = ()
    """The files or addresses it names."""
    amount: bool = False
    """Whether it is a sum of money: no time of day is one."""


def read_look_up(question: str, workspace: Path, today: date) -> Call | None:
    """The call that shows the line or the entry a question asks for; None where there is not just one."""
    if len(question) > LONGEST:
        return None
    place = Place(workspace)
    asked = asked_in(question, today, place)
    if asked is None or any("://" in place for place in asked.places):
        return None
    notes, entries = _documents(place.root, asked.places)
    found: list[Call] = []
    for has in (_has, _means):  # in its own language first
        found += [_line_call(shown(place.root, path), line) for path, line in _lines(notes, asked, has)]
        found += [_entry_call(shown(place.root, path), keys) for path, keys in _entries(entries, asked, has)]
        if found:
            break
    enough = len(asked.words) > 1 or all(map(_is_long, asked.words))
    return found[0] if len(found) == 1 and enough else None


def _line_call(path: str, line: int) -> Call:
    return Call(tool="read_file", arguments={"path": path, "start_line": line, "max_lines": 1}, about=f"{path}:{line}")


def _is_long(word: str) -> bool:
    return len(word) >= (LONG_CHINESE_WORD if has_chinese(word) else LONG_WORD)


def asked_in(question: str, today: date, place: Place | None = None) -> Asked | None:
    """The words of a question that a document has to have; None where there are none, or it denies something."""
    named = [one for one in find_mentions(question, today) if _names_place(one, place)]
    places = [place.apart(one) for one in named] if place else named
    text = question
    for one in reversed(places):
        text = f"{text[: one.start]} {text[one.end :]}"
    asks_number = _HOW.search(text) is not None
    text = _HOW.sub("", text)
    tokens = segment(text, [], {})
    numbers = [at for at, token in enumerate(tokens) if token.text[:1].isdigit()]
    for at, token in enumerate(tokens):
        if token.has(*_CHANGES) and not token.has("free") and not (token.has("cmp") and at + 1 not in numbers):
            return None
    if has_chinese(text):  # as a dictionary cuts it: what is looked for stands in no lexicon
        words = [word for word in chinese_words(text) if len(word) > 1 and not _says_nothing(word)]
        words += [stem(match[0]) for match in re.finditer(r"[A-Za-z][\w-]+|\d{3,}", text)]
    else:
        said = [part for token in tokens if not token.has(*_EMPTY, "cmp") for part in key_of(token.text)]
        words = [*(part for part in said if len(part) > 1), *re.findall(r"\d{3,}", text)]
    asks = asks_number or any(token.has("which", "who", "when", *_ASKS_NUMBER, "isit") for token in tokens)
    if not words or not (asks or text.rstrip().endswith(("?", "？", "吗"))):
        return None
    number = asks_number or any(token.has(*_ASKS_NUMBER) for token in tokens)
    amount = any(token.has("amount") for token in tokens)
    return Asked(tuple(dict.fromkeys(words)), number, tuple(str(one.value) for one in places), amount)


def _names_place(one: Mention, place: Place | None) -> bool:
    """Whether a file or an address is mentioned, in a workspace a file's name in quotes too."""
    is_quoted = one.kind == "quoted" and place is not None
    return one.kind in {"path", "url"} or (is_quoted and bool(re.fullmatch(r"[^\n:*?]+\.\w{1,8}", str(one.value))))


def _says_nothing(word: str) -> bool:
    senses = senses_of(key_of(word))
    return bool(senses) and all(sense.kind in _EMPTY for sense in senses)


def _documents(root: Path, places: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """The notes and JSON files of a workspace; those that are named, where some are."""
    files = [
        Path(entry.path)
        for entry in walk(root, hidden=False, limit=MOST_ENTRIES)
        if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_size <= MOST_BYTES
    ]
    if places:
        files = [one for one in files if any(shown(root, one) == place or one.name == place for place in places)]
    notes = [one for one in files if one.suffix.lower() in NOTES]
    return notes, [one for one in files if one.suffix.lower() == ".json"]


def _lines(paths: Sequence[Path], asked: Asked, has: Has) -> list[tuple[Path, int]]:
    """The lines that have every word, or have the rest of what their heading has."""
    found: list[tuple[Path, int]] = []
    for path in paths:
        for number, line, heading in _text_of(path, path.stat().st_mtime_ns):
            whole = f"{path.stem.replace('_', ' ')} {heading} {line}"
            asks = line.rstrip("*_`\"'”」） )").endswith(("?", "？"))  # another question is no answer
            fits = not asks and all(has(whole, word) for word in asked.words)
            fits = fits and any(has(line, word) for word in asked.words)
            fits = fits and 3 * sum(has(line, word) for word in asked.words) >= len(asked.words)
            if fits and (not asked.number or _NUMBER.search(_CLOCK.sub("", line) if asked.amount else line)):
                found.append((path, number))
    return found


@lru_cache(maxsize=256)
def _text_of(path: Path, _changed: int) -> tuple[tuple[int, str, str], ...]:
    """The lines of a document, each with its number and the heading it stands under."""
    try:
        lines = read_text(path, MOST_BYTES).splitlines()
    except (ToolError, OSError):
        return ()
    found: list[tuple[int, str, str]] = []
    heading = ""
    for number, line in enumerate(lines, start=1):
        if line.startswith("#"):
            heading = line
        elif line.strip():
            found.append((number, line, heading))
    return tuple(found)


def _has(text: str, word: str) -> bool:
    """Whether a text has a word."""
    return word in text.lower() if has_chinese(word) else word in _stems(text)


def _means(text: str, word: str) -> bool:
    """Whether a text has a word, or one of the other language that means the same."""
    if _has(text, word) or not has_chinese(word) or not text.isascii():
        return _has(text, word)
    return any(one in _stems(text) for one in (*english_terms(word), *aliases(word)))


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(match[0]) for match in _WORD.finditer(text))


def _entries(paths: Sequence[Path], asked: Asked, has: Has) -> list[tuple[Path, tuple[str, ...]]]:
    return [
        (path, keys)
        for path in paths
        for keys in _leaves(path, path.stat().st_mtime_ns)
        if all(has(" ".join(keys).replace("_", " "), word) for word in asked.words)
    ]


@lru_cache(maxsize=64)
def _leaves(path: Path, _changed: int) -> tuple[tuple[str, ...], ...]:
    """The ways to the single values of a JSON object."""
    try:
        content = json.loads(read_text(path, MOST_BYTES))
    except (ToolError, OSError, ValueError):
        return ()
    return tuple(_ways(content, ())) if isinstance(content, dict) else ()


def _ways(value: Any, way: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        for key, part in cast("dict[str, Any]", value).items():
            yield from _ways(part, (*way, key))
    elif not isinstance(value, list) and value is not None:
        yield way


def _entry_call(path: str, keys: tuple[str, ...]) -> Call:
    place = ".".join(map(quoted, keys))
    sql = f"SELECT {place} AS {quoted(keys[-1])} FROM data"  # noqa: S608  names are quoted
    about = f"{path}, {'.'.join(keys)}"
    return Call(tool="data_analyzer", action="query", arguments={"path": path, "sql": sql}, about=about)


def sql_of_line(asked: Asked) -> str:
    """The one line, among lines called `value`, that has the most words of a question.

    The others stand in the line before it, or in a line without numbers: a heading, or the head of a table.
    """
    words = [word.replace("'", "''") for word in asked.words]
    own = " + ".join(f"contains(around, '{word}')::INT" for word in words)
    headed = "EXISTS (SELECT 1 FROM data WHERE contains(lower(value), '{}') AND NOT regexp_matches(value, '\\d'))"
    every = " AND ".join(f"(contains(around, '{word}') OR {headed.format(word)})" for word in words)
    number = "regexp_matches(value, '\\d')" if asked.number else "TRUE"
    return (
        "WITH numbered AS (SELECT value, coalesce(lag(value) OVER (), '') AS above FROM data), "  # noqa: S608
        "lines AS (SELECT value, lower(CASE WHEN regexp_matches(above, '\\d') THEN value "
        "ELSE above || ' ' || value END) AS around FROM numbered), "
        f"scored AS (SELECT value, {own} AS score FROM lines WHERE {number} AND {every}), "
        "best AS (SELECT value FROM scored WHERE score = (SELECT max(score) FROM scored) AND score > 0) "
        "SELECT value AS line FROM best WHERE (SELECT count(*) FROM best) = 1"
    )
