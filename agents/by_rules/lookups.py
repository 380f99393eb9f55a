"""What a document says: the one line of a note, or the one entry of a JSON file, that has every word of a question.

Words that every question has do not count; a question for a number needs one there. Where nothing has them all, or
several things do, it is not answered: what is nearly said is not said.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from switchyard.agents.by_rules.world import MOST_BYTES, MOST_ENTRIES, quoted
from switchyard.language.lexicon import Sense, Token, key_of, lexicon, segment, stem
from switchyard.language.mentions import find_mentions
from switchyard.language.tokeniser import chinese_words, has_chinese
from switchyard.ledger.plan import Call
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import read_text, walk
from switchyard.tools.core.workspace import shown

NOTES = {".md", ".txt", ".rst", ".markdown"}
FEWEST_WORDS = 2
"""Words of a question that have to be found."""
LONGEST = 200

_EMPTY = (
    *("free", "show", "which", "who", "when", "is", "isit", "mark", "count", "amount", "money", "times", "row", "unit"),
    *("person", "title", "all", "compute", "period", "rowname", "long"),
)
_ASKS_NUMBER = ("count", "amount", "when", "times", "long")
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百两]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d+")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question looks for."""

    words: tuple[str, ...]
    """Stems, and Chinese words."""
    number: bool
    """Whether the answer has a number in it."""


def read_look_up(question: str, workspace: Path, today: date) -> Call | None:
    """The call that shows the line or the entry a question asks for; None where there is not just one."""
    asked = asked_in(question, today)
    if asked is None or len(question) > LONGEST:
        return None
    root = workspace.resolve()
    notes, entries = _documents(root)
    found: list[Call] = [
        Call(tool="read_file", arguments={"path": path, "start_line": line, "max_lines": 1}, about=f"{path}:{line}")
        for path, line in _lines(notes, asked)
    ]
    found += [_entry_call(path, keys) for path, keys in _entries(entries, asked)]
    return inside(root, found[0]) if len(found) == 1 else None


def asked_in(question: str, today: date) -> Asked | None:
    """The words of a question that a document has to have; None where they are too few, or it denies something."""
    mentions = [
        Token(one.text, one.start, one.end, frozenset({Sense("said", one.text)}))
        for one in find_mentions(question, today)
        if one.kind in {"path", "url", "quoted"}
    ]
    tokens = segment(question, mentions, {})
    if any(token.has("not", "except", "empty", "sup", "agg", "share", "cmp", "said") for token in tokens):
        return None
    if has_chinese(question):  # as a dictionary cuts it: what is looked for stands in no lexicon
        words = [word for word in chinese_words(question) if len(word) > 1 and not _says_nothing(word)]
    else:
        words = [part for token in tokens if not token.has(*_EMPTY) for part in key_of(token.text) if len(part) > 1]
    if len(set(words)) < FEWEST_WORDS or not any(
        token.has("which", "who", "when", *_ASKS_NUMBER, "isit") for token in tokens
    ):
        return None
    return Asked(tuple(dict.fromkeys(words)), any(token.has(*_ASKS_NUMBER) for token in tokens))


def _says_nothing(word: str) -> bool:
    senses = lexicon().get(key_of(word), frozenset()) | lexicon().get(
        tuple(f"{part}\0" for part in key_of(word)), frozenset()
    )
    return bool(senses) and all(sense.kind in _EMPTY for sense in senses)


def _documents(root: Path) -> tuple[list[Path], list[Path]]:
    files = [
        Path(entry.path)
        for entry in walk(root, hidden=False, limit=MOST_ENTRIES)
        if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_size <= MOST_BYTES
    ]
    return [one for one in files if one.suffix.lower() in NOTES], [
        one for one in files if one.suffix.lower() == ".json"
    ]


def _lines(paths: Sequence[Path], asked: Asked) -> list[tuple[str, int]]:
    """The lines that have every word, or have the rest of what their heading has."""
    found: list[tuple[str, int]] = []
    for path in paths:
        for number, line, heading in _text_of(path, path.stat().st_mtime_ns):
            whole = f"{path.stem.replace('_', ' ')} {heading} {line}"
            asks = line.rstrip("*_`\"'”」） )").endswith(("?", "？"))  # another question is no answer
            fits = not asks and _has_all(whole, asked.words) and any(_has(line, word) for word in asked.words)
            if fits and (not asked.number or _NUMBER.search(line)):
                found.append((str(path), number))
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


def _has_all(text: str, words: Iterable[str]) -> bool:
    return all(_has(text, word) for word in words)


def _has(text: str, word: str) -> bool:
    return word in text.lower() if has_chinese(word) else word in _stems(text)


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(match[0]) for match in _WORD.finditer(text))


def _entries(paths: Sequence[Path], asked: Asked) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (str(path), keys)
        for path in paths
        for keys in _leaves(path, path.stat().st_mtime_ns)
        if _has_all(" ".join(keys).replace("_", " "), asked.words)
    ]


@lru_cache(maxsize=64)
def _leaves(path: Path, _changed: int) -> tuple[tuple[str, ...], ...]:
    """The ways to the single values of a JSON object."""
    try:
        content = json.loads(read_text(path, MOST_BYTES))
    except (ToolError, OSError, ValueError):
        return ()
    return tuple(_ways(content, ())) if isinstance(content, dict) else ()


def _ways(value: Any, way: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    if isinstance(value, dict):
        for key, part in cast("dict[str, Any]", value).items():
            yield from _ways(part, (*way, key))
    elif not isinstance(value, list) and value is not None:
        yield way


def _entry_call(path: str, keys: tuple[str, ...]) -> Call:
    place = ".".join(map(quoted, keys))
    sql = f"SELECT {place} AS {quoted(keys[-1])} FROM data"  # noqa: S608  names are quoted
    return Call(
        tool="data_analyzer", action="query", arguments={"path": path, "sql": sql}, about=f"{path}, {'.'.join(keys)}"
    )


def inside(root: Path, call: Call) -> Call:
    """The call with its path as the workspace names it."""
    name = shown(root, Path(call.arguments["path"]))
    return call.model_copy(
        update={
            "arguments": {**call.arguments, "path": name},
            "about": call.about.replace(call.arguments["path"], name),
        }
    )
