"""The journal's SQLite store: LangGraph's own, used so that many runs at once neither lock nor wait for each other.

LangGraph's asynchronous store hops to its thread for every statement and opens a deferred transaction, which fails at
once when another connection commits between its read and its write. Here a batch is one hop, and it asks for the write
lock first.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from langgraph.store.base import BaseStore, Op, PutOp, Result

if TYPE_CHECKING:
    from switchyard.app.write_first_store import WriteFirstStore

T = TypeVar("T")


class DamagedRow(sqlite3.DatabaseError, ValueError):
    """A row that is no JSON: the damage of a thread where its reader knows whose row it is, else of the file."""


class JournalStore(BaseStore):
    """A LangGraph Store over one SQLite connection, worked by one thread."""

    def __init__(self, database: str, *, wait: float) -> None:
        """Connects, and makes its tables, when it is first used."""
        self._database = database
        self._wait = wait
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._store: WriteFirstStore | None = None
        self._closed = False

    async def close(self) -> None:
        """Finish what is under way, then close the connection and end the thread."""
        if self._closed:
            return
        closing = asyncio.wrap_future(self._in_turn(self._disconnect))
        self._closed = True
        await closing
        self._worker.shutdown(wait=False)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The operations of a synchronous caller."""
        return self._in_turn(lambda: self._run(list(ops))).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The operations in one transaction; they are committed when this returns."""
        return await asyncio.wrap_future(self._in_turn(lambda: self._run(list(ops))))

    async def keys(self, namespace: tuple[str, ...]) -> list[str]:
        """The keys of a namespace, also of rows that cannot be read."""
        wanted = "SELECT key FROM store WHERE prefix = ?", (".".join(namespace),)
        found = await asyncio.wrap_future(self._in_turn(lambda: self._connected().conn.execute(*wanted).fetchall()))
        return [str(key) for (key,) in found]

    def _in_turn(self, work: Callable[[], T]) -> Future[T]:
        if self._closed:
            raise sqlite3.ProgrammingError("the journal is closed")
        return self._worker.submit(work)

    def _connected(self) -> "WriteFirstStore":
        if self._store is None:
            from switchyard.app.write_first_store import WriteFirstStore  # noqa: PLC0415  brings numpy

            connection = sqlite3.connect(self._database, timeout=self._wait, isolation_level=None)
            store = WriteFirstStore(connection)
            try:
                store.setup()
                connection.execute("PRAGMA synchronous = NORMAL")
            except sqlite3.Error:
                connection.close()
                raise
            self._store = store
        return self._store

    def _disconnect(self) -> None:
        if self._store is not None:
            self._store.conn.close()

    def _run(self, ops: list[Op]) -> list[Result]:
        store = self._connected()
        puts = [op for op in ops if isinstance(op, PutOp)]
        store.writing = bool(puts)
        # a killed process loses nothing either way; what changes the world outside waits for the disk itself,
        # so that not even a power cut makes a writing call look as if it had never begun
        durable = any(op.value is not None and op.value.get("writes") for op in puts)
        if durable:
            store.conn.execute("PRAGMA synchronous = FULL")
        try:
            return store.batch(ops)
        except ValueError as error:
            raise DamagedRow(f"a row of the store is damaged: {error}") from error
        finally:
            if durable:
                store.conn.execute("PRAGMA synchronous = NORMAL")
