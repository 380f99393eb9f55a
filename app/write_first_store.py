"""LangGraph's SQLite store with transactions of ours; a file of its own because it brings numpy, which takes time."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager

from langgraph.store.sqlite import SqliteStore


class WriteFirstStore(SqliteStore):
    """Takes the write lock before it reads what it will write, and rolls back what fails."""

    writing = False

    @contextmanager
    def _cursor(self, *, transaction: bool = True) -> Generator[sqlite3.Cursor]:
        with closing(self.conn.cursor()) as cursor, self.conn:
            if transaction and self.writing:
                cursor.execute("BEGIN IMMEDIATE")
            yield cursor
