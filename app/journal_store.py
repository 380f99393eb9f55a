"""The journal's SQLite store: LangGraph's own, used so that many runs at once neither lock nor wait for each other.

LangGraph's asynchronous store hops to its thread for every statement and opens a deferred transaction, which fails at
once when another connection commits between its read and its write. Here a batch is one hop, and it asks for the write
lock first.
"""

import asyncio
import sqlite3
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

from langgraph.store.base import GetOp, Op, PutOp, Result
from langgraph.store.base.batch import AsyncBatchedBaseStore

if TYPE_CHECKING:
    from switchyard.app.write_first_store import WriteFirstStore


class DamagedRow(sqlite3.DatabaseError, ValueError):
    """A row that is no JSON: the damage of a thread where its reader knows whose row it is, else of the file."""


LAST = GetOp(("closing",), "")


class JournalStore(AsyncBatchedBaseStore):
    """A LangGraph Store over one SQLite connection, worked by one thread."""

    _aqueue: "asyncio.Queue[tuple[asyncio.Future[Any], Op]]"
    _task: "asyncio.Task[None] | None"
    _closed = False
    _ended = False

    def __init__(self, database: str, *, wait: float) -> None:
        """Connects, and makes its tables, when it is first used."""
        super().__init__()
        self._database = database
        self._wait = wait
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._store: WriteFirstStore | None = None

    async def close(self) -> None:
        """Finish what is under way, then close the connection and end the task and the thread."""
        if self._closed:
            return
        self._ensure_task()
        last: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._aqueue.put_nowait((last, LAST))  # its turn comes after all that wait
        self._closed = True
        await asyncio.gather(last, return_exceptions=True)
        task = cast("asyncio.Task[None]", self._task)
        task.cancel()  # a loop that ends while a task of it waits says so on the terminal
        await asyncio.wait([task])
        if self._store is not None:
            await asyncio.get_running_loop().run_in_executor(self._worker, self._store.conn.close)
            self._store = None
        self._ended = True
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

    def _opened(self) -> "WriteFirstStore":
        if self._ended:
            raise sqlite3.ProgrammingError("the journal is closed")
        if self._store is None:
            self._store = self._connected()
        return self._store

    def _ensure_task(self) -> None:
        """The base class begins its task anew when something is asked; after the end, nobody would end that one."""
        if self._closed:
            raise sqlite3.ProgrammingError("the journal is closed")
        super()._ensure_task()

    def _connected(self) -> "WriteFirstStore":
        from switchyard.app.write_first_store import WriteFirstStore  # noqa: PLC0415  brings numpy

        connection = sqlite3.connect(self._database, timeout=self._wait, isolation_level=None, check_same_thread=False)
        store = WriteFirstStore(connection)
        try:
            store.setup()
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error:
            connection.close()
            raise
        return store

    def _run(self, ops: list[Op]) -> list[Result]:
        if ops == [LAST]:
            return [None]
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
