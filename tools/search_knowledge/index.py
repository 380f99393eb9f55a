"""A full-text index of the files below a folder: in a SQLite file elsewhere, brought up to date on each use."""

import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from switchyard.tools.core.files import decode
from switchyard.tools.core.workspace import open_real
from switchyard.tools.files.text import Skipped, files_below
from switchyard.tools.search_knowledge import terms as terms_in

MAX_FILES = 20_000
"""Files beyond are left out."""
MAX_FILE_BYTES = 5_000_000
"""Larger files are left out."""
MAX_TOTAL_BYTES = 200_000_000
"""Text of all files together; files beyond are left out."""
PER_FILE = 3
"""Passages of one file among the results."""
_SCHEMA = (
    "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT UNIQUE, size INT, changed INT, read INT, is_text INT)",
    "CREATE VIRTUAL TABLE passages USING fts5 (path, body, line UNINDEXED, text UNINDEXED, tokenize='unicode61')",
)
_IN_A_FILE = 1 << 20
"""Numbers of passages that belong to one file: those of file 1 begin with this one."""
_FIND = f"""
SELECT files.path, line, text, -bm25(passages, 2.0, 1.0) AS score
FROM passages JOIN files ON files.id = passages.rowid / {_IN_A_FILE}
WHERE passages MATCH ? ORDER BY score DESC, passages.rowid LIMIT ?
"""  # noqa: S608  the number is ours
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


class _Status(NamedTuple):
    """A file as the folder has it."""

    size: int
    changed: int


class KnowledgeIndex:
    """The index of one folder. Several may use it at once, in one process or in many."""

    def __init__(self, folder: Path, database: Path, room: int = MAX_TOTAL_BYTES) -> None:
        self._folder = folder
        self._database = database
        self._room = room

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
        terms, skipped = terms_in.asked_terms(question), Skipped()
        with self._opened() as connection:
            self._update(connection, time.monotonic() + seconds, skipped)
            rows = connection.execute(_FIND, (terms_in.expression(terms), most * PER_FILE * 2)).fetchall()
            (files,) = connection.execute("SELECT count(*) FROM files WHERE is_text").fetchone()
            for (path,) in connection.execute("SELECT path FROM files WHERE NOT is_text ORDER BY path"):
                skipped.add(path, "binary")
        hits: list[Hit] = []
        for path, line, text, score in rows:
            if len(hits) < most and sum(hit.path == path for hit in hits) < PER_FILE:
                before, shown = terms_in.snippet(text, terms)
                hits.append(Hit(path, line + before, shown, round(score, 3)))
        return hits, files, skipped

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

    def _update(self, connection: sqlite3.Connection, deadline: float, skipped: Skipped) -> None:
        """Take out what is gone, put in what is new or changed, as long as there is time."""
        current = self._files(skipped)
        rows = connection.execute("SELECT path, size, changed, read FROM files")
        known = {path: (_Status(size, changed), read) for path, size, changed, read in rows}
        for path in known.keys() - current.keys():
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                _forget(connection, path)
        total = sum(status.size for path, (status, _) in known.items() if path in current)
        for path, status in current.items():
            before, read = known.get(path, (_Status(0, 0), 0))
            if before == status and read > status.changed + _UNSURE:
                continue
            if time.monotonic() > deadline:
                skipped.add(path, "no_time")
            elif total + status.size - before.size > self._room:
                skipped.add(path, "no_room")
            elif self._take_in(connection, path, status):
                total += status.size - before.size
            else:
                skipped.add(path, "unreadable")

    def _files(self, skipped: Skipped) -> dict[str, _Status]:
        found: dict[str, _Status] = {}
        for entry in files_below(self._folder, skipped, lambda path: path.relative_to(self._folder).as_posix()):
            path = Path(entry.path).relative_to(self._folder).as_posix()
            try:
                now = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it has gone since the folder was read
            status = _Status(now.st_size, now.st_mtime_ns)
            if status.size > MAX_FILE_BYTES:
                skipped.add(path, "too_large")
            elif path.encode("utf-8", "replace").decode() != path:  # a name no database takes: it is no UTF-8
                skipped.add(path, "unreadable")
            elif len(found) == MAX_FILES:
                skipped.add(path, "no_room")
            else:
                found[path] = status
        return found

    def _take_in(self, connection: sqlite3.Connection, path: str, status: _Status) -> bool:
        """Put a file in as it is now, if it can be read; one that has no text is remembered without passages."""
        read = time.time_ns()
        try:
            with open_real(self._folder / path) as file:
                text = decode(file.read(MAX_FILE_BYTES))
        except FileNotFoundError:
            return True  # there is nothing to be found in it any more
        except OSError:
            return False  # the next search looks again
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            _forget(connection, path)
            row = (path, *status, read, text is not None)
            add_file = "INSERT INTO files (path, size, changed, read, is_text) VALUES (?, ?, ?, ?, ?) RETURNING id"
            first = connection.execute(add_file, row).fetchone()[0] * _IN_A_FILE
            named = " ".join(terms_in.terms_of(path))
            passages = (
                (number, named, " ".join(terms_in.terms_of(passage)), line, passage)
                for number, (line, passage) in enumerate(terms_in.passages_of(text or ""), start=first)
            )
            add_passage = "INSERT INTO passages (rowid, path, body, line, text) VALUES (?, ?, ?, ?, ?)"
            connection.executemany(add_passage, passages)
        return True


def _prepare(connection: sqlite3.Connection) -> None:
    wanted = (terms_in.terms_version(),)
    if connection.execute("PRAGMA user_version").fetchone() == wanted:
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone() == wanted:
            return  # somebody else was faster
        for name in ("passages", "files"):
            connection.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {wanted[0]}")


def _forget(connection: sqlite3.Connection, path: str) -> None:
    for (number,) in connection.execute("DELETE FROM files WHERE path = ? RETURNING id", (path,)).fetchall():
        first = number * _IN_A_FILE
        connection.execute("DELETE FROM passages WHERE rowid BETWEEN ? AND ?", (first, first + _IN_A_FILE - 1))
