"""A full-text index of the files below a folder: in a SQLite file elsewhere, brought up to date on each use."""

import hashlib
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from switchyard.tools.core.files import MAX_VISITED, decode, walk
from switchyard.tools.core.workspace import open_real
from switchyard.tools.files.text import Skipped
from switchyard.tools.search_knowledge.terms import (
    asked_terms,
    expression,
    passages_of,
    snippet,
    terms_of,
    terms_version,
)

MAX_FILES = 20_000
"""Files beyond are left out."""

MAX_FILE_BYTES = 5_000_000
"""Larger files are left out."""

MAX_TOTAL_BYTES = 200_000_000
"""Text of all files together; files beyond are left out."""

PER_FILE = 3
"""Passages of one file among the results."""

_SCHEMA = (
    """CREATE TABLE files
    (id INTEGER PRIMARY KEY, path TEXT UNIQUE, size INT, changed INT, read INT, digest BLOB, is_text INT)""",
    "CREATE TABLE passages (id INTEGER PRIMARY KEY, file INT, line INT, text TEXT)",
    "CREATE INDEX passages_of_file ON passages (file)",
    "CREATE VIRTUAL TABLE terms USING fts5 (path, body, content='', tokenize='unicode61')",
)
_FIND = """
SELECT files.path, passages.line, passages.text, -bm25(terms, 2.0, 1.0) AS score
FROM terms JOIN passages ON passages.id = terms.rowid JOIN files ON files.id = passages.file
WHERE terms MATCH ? ORDER BY score DESC, passages.id LIMIT ?
"""
_UNSURE = 2_000_000_000
"""Nanoseconds: a file that changed so shortly before it was read may have changed again with the same time."""
_DAMAGED = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Hit(NamedTuple):
    """A passage that was found."""

    path: str
    """From the folder."""
    line: int
    text: str
    score: float


class State(NamedTuple):
    """How far the index has come."""

    files: int
    skipped: Skipped
    """What is not in it, by paths from the folder."""

    @property
    def complete(self) -> bool:
        """Whether every text of the folder is in it."""
        return not self.skipped.holds_text


class _Entry(NamedTuple):
    """A file as the folder, or the index, knows it."""

    size: int
    changed: int
    read: int = 0
    digest: bytes = b""


class KnowledgeIndex:
    """The index of one folder. Several may use it at once, in one process or in many."""

    def __init__(self, folder: Path, database: Path, room: int = MAX_TOTAL_BYTES) -> None:
        self._folder = folder
        self._database = database
        self._room = room

    def search(self, question: str, most: int, seconds: float) -> tuple[list[Hit], State]:
        """The passages that answer a question best, after `seconds` at most of bringing the index up to date.

        A damaged index is thrown away and made anew.

        Raises:
            sqlite3.Error: when the index cannot be used even so.
        """
        try:
            return self._search(question, most, seconds)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                raise
            self._remove()
            return self._search(question, most, seconds)

    def _search(self, question: str, most: int, seconds: float) -> tuple[list[Hit], State]:
        terms = asked_terms(question)
        with self._opened() as connection:
            state = self._update(connection, time.monotonic() + seconds)
            rows = connection.execute(_FIND, (expression(terms), most * PER_FILE * 2)).fetchall()
        hits: list[Hit] = []
        for path, line, text, score in rows:
            if len(hits) < most and sum(hit.path == path for hit in hits) < PER_FILE:
                before, shown = snippet(text, terms)
                hits.append(Hit(path, line + before, shown, round(score, 3)))
        return hits, state

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        self._database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self._database, timeout=10.0, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            _prepare(connection)
            yield connection
        finally:
            connection.close()

    def _remove(self) -> None:
        for end in ("", "-wal", "-shm"):
            self._database.with_name(self._database.name + end).unlink(missing_ok=True)

    def _update(self, connection: sqlite3.Connection, deadline: float) -> State:
        """Take out what is gone, put in what is new or changed, as long as there is time."""
        skipped = Skipped()
        current = self._files(skipped)
        known = _known(connection)
        for path in known.keys() - current.keys():
            with _transaction(connection):
                _forget(connection, path)
        total = sum(entry.size for path, entry in known.items() if path in current)
        for path, entry in current.items():
            before = known.get(path)
            if before and before[:2] == entry[:2] and before.read > entry.changed + _UNSURE:
                continue
            grown = entry.size - (before.size if before else 0)
            if time.monotonic() > deadline:
                skipped.add(path, "no_time")
            elif total + grown > self._room:
                skipped.add(path, "no_room")
            elif self._take_in(connection, path, entry):
                total += grown
            else:
                skipped.add(path, "unreadable")
        (count,) = connection.execute("SELECT count(*) FROM files WHERE is_text").fetchone()
        for (path,) in connection.execute("SELECT path FROM files WHERE NOT is_text ORDER BY path"):
            skipped.add(path, "binary")
        return State(count, skipped)

    def _files(self, skipped: Skipped) -> dict[str, _Entry]:
        """The files that may be in the index."""
        found: dict[str, _Entry] = {}
        visited = 0
        for entry in walk(
            self._folder, hidden=False, unreadable=lambda path: skipped.add(self._named(path), "unreadable")
        ):
            visited += 1
            if not entry.is_file(follow_symlinks=False) or (status := _status(entry)) is None:
                continue
            path = self._named(Path(entry.path))
            if status.size > MAX_FILE_BYTES:
                skipped.add(path, "too_large")
            elif not _is_text(path):
                skipped.add(path, "unreadable")
            elif len(found) == MAX_FILES:
                skipped.add(path, "no_room")
            else:
                found[path] = status
        if visited >= MAX_VISITED:
            skipped.add(".", "too_many")
        return found

    def _named(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix()

    def _take_in(self, connection: sqlite3.Connection, path: str, entry: _Entry) -> bool:
        """Put a file in as it is now, if it can be read; one that has no text is remembered without passages."""
        read = time.time_ns()
        try:
            with open_real(self._folder / path) as file:
                data = file.read(MAX_FILE_BYTES)
        except FileNotFoundError:
            return True  # there is nothing to be found in it any more
        except OSError:
            return False  # the next search looks again
        digest = hashlib.sha256(data).digest()
        with _transaction(connection):
            row = connection.execute("SELECT id, digest FROM files WHERE path = ?", (path,)).fetchone()
            if row is None or row[1] != digest:
                _forget(connection, path)
                row = connection.execute("INSERT INTO files (path) VALUES (?) RETURNING id", (path,)).fetchone()
                text = decode(data)
                _remember(connection, path, row[0], text or "")
                connection.execute("UPDATE files SET is_text = ? WHERE id = ?", (text is not None, row[0]))
            connection.execute(
                "UPDATE files SET size = ?, changed = ?, read = ?, digest = ? WHERE id = ?",
                (entry.size, entry.changed, read, digest, row[0]),
            )
        return True


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, where there are none or those of another version."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == terms_version():
        return
    with _transaction(connection):
        if connection.execute("PRAGMA user_version").fetchone()[0] == terms_version():
            return  # somebody else was faster
        for name in ("terms", "passages", "files"):
            connection.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {terms_version()}")


def _known(connection: sqlite3.Connection) -> dict[str, _Entry]:
    rows = connection.execute("SELECT path, size, changed, read, digest FROM files")
    return {path: _Entry(*rest) for path, *rest in rows}


def _remember(connection: sqlite3.Connection, path: str, file: int, text: str) -> None:
    named = " ".join(terms_of(path))
    for line, passage in passages_of(text):
        (number,) = connection.execute(
            "INSERT INTO passages (file, line, text) VALUES (?, ?, ?) RETURNING id", (file, line, passage)
        ).fetchone()
        body = " ".join(terms_of(passage))
        connection.execute("INSERT INTO terms (rowid, path, body) VALUES (?, ?, ?)", (number, named, body))


def _forget(connection: sqlite3.Connection, path: str) -> None:
    """Take a file out. Its terms have to be named: the index keeps them only the other way round."""
    named = " ".join(terms_of(path))
    rows = connection.execute(
        "SELECT passages.id, text FROM passages JOIN files ON files.id = file WHERE path = ?", (path,)
    ).fetchall()
    for number, passage in rows:
        body = " ".join(terms_of(passage))
        connection.execute(
            "INSERT INTO terms (terms, rowid, path, body) VALUES ('delete', ?, ?, ?)", (number, named, body)
        )
        connection.execute("DELETE FROM passages WHERE id = ?", (number,))
    connection.execute("DELETE FROM files WHERE path = ?", (path,))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[None]:
    """All or nothing, and nobody else writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _status(entry: os.DirEntry[str]) -> _Entry | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None  # it has gone since the folder was read
    return _Entry(status.st_size, status.st_mtime_ns)


def _is_text(path: str) -> bool:
    """Whether a database takes the name: one that is no UTF-8 has half characters in it."""
    return path.encode("utf-8", "replace").decode() == path
