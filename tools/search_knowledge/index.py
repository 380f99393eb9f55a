"""A full-text index of the files below a folder: in a SQLite file elsewhere, brought up to date on each use.

Texts are found by their terms, passage by passage, in English and Chinese. Chinese has no spaces, and FTS5 cannot
segment it: its words are kept as pairs of neighbouring characters. Against a segmenter's words and FTS5's own trigrams,
pairs found the most on Chinese questions, miss no word of two characters, and need no dictionary.
"""

import sqlite3
import time
import unicodedata
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import regex

from switchyard.language.tokeniser import stem
from switchyard.tools.core.files import split_lines
from switchyard.tools.files.text import LeftOut, Skipped, around, files_below, text_of

MAX_FILES = 20_000
"""Files beyond are left out."""
MAX_FILE_BYTES = 5_000_000
"""Larger files are left out."""
PER_FILE = 3
"""Passages of one file among the results."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, path TEXT UNIQUE, size INT, changed INT, is_text INT);
CREATE VIRTUAL TABLE IF NOT EXISTS passages
USING fts5 (path, body, line UNINDEXED, text UNINDEXED, tokenize='unicode61');
"""
_IN_A_FILE = 1 << 20
"""Numbers of passages that belong to one file: those of file 1 begin with this one."""
_FIND = f"""
SELECT files.path, line, text, -bm25(passages, 2.0, 1.0) AS score
FROM passages JOIN files ON files.id = passages.rowid / {_IN_A_FILE}
WHERE passages MATCH ? ORDER BY score DESC, passages.rowid LIMIT ?
"""  # noqa: S608  the number is ours
_DAMAGED = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
MAX_TERMS = 64
"""Terms of a question that are looked for."""
MAX_PASSAGE = 1000
"""Characters of a passage, the unit that is found."""
MAX_SNIPPET = 300
"""Characters of a passage that are shown."""
_SHORT_PASSAGE = 300
_WORDS = regex.compile(r"\p{Han}+|[^\W_\p{Han}]+")
_IS_HAN = regex.compile(r"\p{Han}")
_CAMEL = regex.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_EMPTY = """
a an and any are as at be been by can could did do does for from had has have how i if in is it me my of on or our
please should show so some tell that the their them there these they this those to us was we were what when where
which who why will with would you your
什么 怎么 么样 如何 哪些 哪个 哪里 多少 为什 我们 你们 他们 是否 可以 一个 这个 那个 请问 关于 有关 以及 或者 如果 因为
所以 但是 告诉 一下
"""
"""Words a question has whatever it asks for."""


class Hit(NamedTuple):
    """A passage that was found."""

    path: str
    """From the folder."""
    line: int
    text: str
    score: float


_Status = tuple[int, int]
"""A file as the folder has it: its size, and when it was changed."""


class KnowledgeIndex:
    """The index of one folder. Several may use it at once, in one process or in many."""

    def __init__(self, folder: Path, database: Path) -> None:
        self._folder = folder
        self._database = database.with_stem(f"{database.stem}-{_version()}")  # another version makes its own

    def search(self, question: str, most: int, seconds: float) -> tuple[list[Hit], int, Skipped]:
        """The passages that answer a question best, how many files were searched, and which were left out.

        Bringing the index up to date takes `seconds` at most. A damaged one is thrown away and made anew.
        """
        try:
            return self._search(question, most, seconds)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                raise
            for end in ("", "-wal", "-shm"):
                self._database.with_name(self._database.name + end).unlink(missing_ok=True)
            return self._search(question, most, seconds)

    def _search(self, question: str, most: int, seconds: float) -> tuple[list[Hit], int, Skipped]:
        terms, skipped = asked_terms(question), Skipped()
        with self._opened() as connection:
            self._update(connection, time.monotonic() + seconds, skipped)
            rows = connection.execute(_FIND, (expression(terms), most * PER_FILE * 2)).fetchall()
            (files,) = connection.execute("SELECT count(*) FROM files WHERE is_text").fetchone()
            for (path,) in connection.execute("SELECT path FROM files WHERE NOT is_text ORDER BY path"):
                skipped.add(self._folder / path, "binary")
        hits: list[Hit] = []
        for path, line, text, score in rows:
            if len(hits) < most and sum(hit.path == path for hit in hits) < PER_FILE:
                before, shown = snippet(text, terms)
                hits.append(Hit(path, line + before, shown, round(score, 3)))
        return hits, files, skipped

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        self._database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self._database, timeout=10.0, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.executescript(_SCHEMA)
            yield connection
        finally:
            connection.close()

    def _update(self, connection: sqlite3.Connection, deadline: float, skipped: Skipped) -> None:
        """Take out what is gone, put in what is new or changed, as long as there is time."""
        current = self._files(skipped)
        rows = connection.execute("SELECT path, size, changed FROM files")
        known: dict[str, _Status] = {path: (size, changed) for path, size, changed in rows}
        for path in known.keys() - current.keys():
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                _forget(connection, path)
        for path, status in current.items():
            if known.get(path) == status:
                continue
            if time.monotonic() > deadline:
                skipped.add(self._folder / path, "no_time")
            elif not self._take_in(connection, path, status):
                skipped.add(self._folder / path, "unreadable")

    def _files(self, skipped: Skipped) -> dict[str, _Status]:
        found: dict[str, _Status] = {}
        for entry in files_below(self._folder, skipped):
            file = Path(entry.path)
            path = file.relative_to(self._folder).as_posix()
            try:
                now = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it has gone since the folder was read
            if now.st_size > MAX_FILE_BYTES:
                skipped.add(file, "too_large")
            elif path.encode("utf-8", "replace").decode() != path:  # a name no database takes: it is no UTF-8
                skipped.add(file, "unreadable")
            elif len(found) == MAX_FILES:
                skipped.add(file, "no_room")
            else:
                found[path] = (now.st_size, now.st_mtime_ns)
        return found

    def _take_in(self, connection: sqlite3.Connection, path: str, status: _Status) -> bool:
        """Put a file in as it is now, if it can be read; one that has no text is remembered without passages."""
        try:
            text = text_of(self._folder / path, MAX_FILE_BYTES)
        except LeftOut as left_out:
            if left_out.reason != "binary":
                return False  # the next search looks again
            text = None
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            _forget(connection, path)
            row = (path, *status, text is not None)
            add_file = "INSERT INTO files (path, size, changed, is_text) VALUES (?, ?, ?, ?) RETURNING id"
            first = connection.execute(add_file, row).fetchone()[0] * _IN_A_FILE
            named = " ".join(terms_of(path))
            passages = (
                (number, named, " ".join(terms_of(passage)), line, passage)
                for number, (line, passage) in enumerate(passages_of(text or ""), start=first)
            )
            add_passage = "INSERT INTO passages (rowid, path, body, line, text) VALUES (?, ?, ?, ?, ?)"
            connection.executemany(add_passage, passages)
        return True


def _forget(connection: sqlite3.Connection, path: str) -> None:
    for (number,) in connection.execute("DELETE FROM files WHERE path = ? RETURNING id", (path,)).fetchall():
        first = number * _IN_A_FILE
        connection.execute("DELETE FROM passages WHERE rowid BETWEEN ? AND ?", (first, first + _IN_A_FILE - 1))


def terms_of(text: str, *, asked: bool = False) -> list[str]:
    """The terms of a text, in order.

    A run of Chinese also ends in its last character, so that every character begins a term; a question (`asked`) of
    more than one does not ask for it.
    """
    found: list[str] = []
    for word in _WORDS.findall(unicodedata.normalize("NFKC", text)):
        if _IS_HAN.match(word):
            last = len(word) - 1 if asked and len(word) > 1 else len(word)
            found += [word[at : at + 2] for at in range(last)]
        else:
            parts = _CAMEL.split(word)
            found += [_stem(part) for part in (word, *(parts if len(parts) > 1 else ()))]
    return found


def asked_terms(question: str) -> list[str]:
    """The terms of a question, each once, without those that every question has, unless it has no others."""
    words = dict.fromkeys(terms_of(question, asked=True))
    return ([word for word in words if word not in _empty_terms()] or list(words))[:MAX_TERMS]


def expression(terms: list[str]) -> str:
    """What FTS5 is asked: any of the terms; a single Chinese character begins a pair."""
    return " OR ".join(f'"{term}"*' if _is_one_han(term) else f'"{term}"' for term in terms)


def _version() -> int:
    """A number that changes with what `terms_of` makes of a text, and with what an index keeps."""
    return zlib.crc32(f"5 {version('PyStemmer')} {unicodedata.unidata_version}".encode())


def passages_of(text: str) -> Iterator[tuple[int, str]]:
    """The passages of a text, each with the number of its first line: paragraphs, put together where they are short."""
    lines: list[str] = []
    first, length = 1, 0
    for number, line in enumerate(split_lines(text), start=1):
        ended = not line.strip() and length >= _SHORT_PASSAGE
        if lines and (ended or length + len(line) > MAX_PASSAGE):
            yield first, "\n".join(lines)
            lines, length = [], 0
        if not lines:
            first = number
        if len(line) > MAX_PASSAGE:
            yield from ((number, line[at : at + MAX_PASSAGE]) for at in range(0, len(line), MAX_PASSAGE))
        elif line.strip() or lines:
            lines.append(line)
            length += len(line) + 1
    if lines:
        yield first, "\n".join(lines)


def snippet(text: str, terms: list[str]) -> tuple[int, str]:
    """The lines of a passage that say most of what was asked, and how many lines come before them."""
    lines = text.split("\n")
    said = [_said(line, terms) for line in lines]
    best = said.index(max(said))
    places = [place for place in map(lines[best].casefold().find, terms) if place >= 0]
    shown = around(lines[best], min(places, default=0), MAX_SNIPPET)
    for line in lines[best + 1 :]:
        if len(shown) + len(line) >= MAX_SNIPPET:
            break
        shown += "\n" + line
    return best, shown.strip()


def _said(line: str, terms: list[str]) -> int:
    own = set(terms_of(line))
    return sum(term in own or (_is_one_han(term) and term in line) for term in terms)


def _is_one_han(term: str) -> bool:
    return len(term) == 1 and _IS_HAN.match(term) is not None


@lru_cache(maxsize=1)
def _empty_terms() -> frozenset[str]:
    return frozenset(terms_of(_EMPTY, asked=True))


@lru_cache(maxsize=50_000)  # the same words over and over
def _stem(word: str) -> str:
    return stem(word.casefold())
