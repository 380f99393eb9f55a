"""LangGraph's SQLite store with transactions of ours; a file of its own because it brings numpy, which takes time."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from langgraph.store.sqlite import SqliteStore


class WriteFirstStore(SqliteStore):
    """Takes the write lock before it reads what it will write, and rolls back what fails."""

    writing = False

    @contextmanager
    def _cursor(self, *, transaction: bool = True) -> Generator[sqlite3.Cursor]:
        cursor = self.conn.cursor()
        begin = transaction and self.writing
        try:
            if begin:
                cursor.execute("BEGIN IMMEDIATE")
            yield cursor
            if begin:
                cursor.execute("COMMIT")
        except BaseException:
            if self.conn.in_transaction:
                cursor.execute("ROLLBACK")
            raise
        finally:
            cursor.close()
