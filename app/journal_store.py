"""The journal's SQLite store: LangGraph's own, used so that many runs at once neither lock nor wait for each other.

LangGraph's asynchronous store hops to its thread for every statement and opens a deferred transaction, which fails at
once when another connection commits between its read and its write. Here a batch is one hop, and it asks for the write
lock first.
"""

import asyncio
import sqlite3
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, cast

from langgraph.store.base import GetOp, Op, PutOp, Result
from langgraph.store.base.batch import AsyncBatchedBaseStore
from langgraph.store.sqlite import SqliteStore


class DamagedRow(sqlite3.DatabaseError, ValueError):
    """A row that is no JSON: the damage of a thread where its reader knows whose row it is, else of the file."""


class JournalStore(AsyncBatchedBaseStore):
    """A LangGraph Store over one SQLite connection, worked by one thread."""

    _aqueue: "asyncio.Queue[tuple[asyncio.Future[Any], Op]]"
    _task: "asyncio.Task[None] | None"
    _closed = False

    def __init__(self, database: str, *, wait: float) -> None:
        super().__init__()
        self._database = database
        self._wait = wait
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._store: _WriteFirstStore | None = None

    async def open(self) -> None:
        """Connect and make the tables."""
        await asyncio.get_running_loop().run_in_executor(self._worker, self._connect)

    async def close(self) -> None:
        """Finish what is under way, then close the connection and end the task and the thread."""
        if self._closed:
            return
        self._ensure_task()
        last: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._aqueue.put_nowait((last, GetOp(("closing",), "")))  # its turn comes after all that wait
        self._closed = True
        await asyncio.gather(last, return_exceptions=True)
        task = cast("asyncio.Task[None]", self._task)
        task.cancel()  # a loop that ends while a task of it waits says so on the terminal
        await asyncio.wait([task])
        if self._store is not None:
            await asyncio.get_running_loop().run_in_executor(self._worker, self._store.conn.close)
            self._store = None
        self._worker.shutdown(wait=False)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The operations of a synchronous caller."""
        return self._worker.submit(self._run, list(ops)).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The operations of everybody who waits, in one transaction; they are committed when this returns."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._run, list(ops))

    async def keys(self, namespace: tuple[str, ...]) -> list[str]:
        """The keys of a namespace, also of rows that cannot be read."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._find_keys, ".".join(namespace))

    def _find_keys(self, prefix: str) -> list[str]:
        found = self._opened().conn.execute("SELECT key FROM store WHERE prefix = ?", (prefix,))
        return [str(row[0]) for row in found]

    def _opened(self) -> "_WriteFirstStore":
        if self._store is None:
            raise sqlite3.ProgrammingError("the journal is closed")
        return self._store

    def _ensure_task(self) -> None:
        """The base class begins its task anew when something is asked; after the end, nobody would end that one."""
        if self._closed:
            raise sqlite3.ProgrammingError("the journal is closed")
        super()._ensure_task()

    def _connect(self) -> None:
        connection = sqlite3.connect(self._database, timeout=self._wait, isolation_level=None, check_same_thread=False)
        self._store = _WriteFirstStore(connection)
        try:
            self._store.setup()
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error:
            connection.close()
            self._store = None
            raise

    def _run(self, ops: list[Op]) -> list[Result]:
        store = self._opened()
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


class _WriteFirstStore(SqliteStore):
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
