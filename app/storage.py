"""Conversations and the journal in one SQLite file; whatever is wrong with it is named, with what to do."""

import asyncio
import importlib
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore

from graphs.serialiser import serialiser
from tools.core.errors import StorageUnavailable

MEMORY = ":memory:"
"""Keeps nothing beyond the process."""


@dataclass(frozen=True, slots=True)
class Storage:
    """Where checkpoints and the journal go."""

    saver: BaseCheckpointSaver[Any]
    store: BaseStore
    volatile: bool = False
    """Lives and dies with this process."""

    async def prune(self, thread_id: str) -> int:
        """Keep only the newest checkpoint of a thread; says how many went.

        Each checkpoint holds the whole conversation: without this, a thread's size would grow with its square.
        """
        connection = getattr(self.saver, "conn", None)
        if connection is None:
            return 0
        newest = "SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
        async with self.saver.lock:  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]  SQLite's saver has one
            removed = 0
            for table in ("writes", "checkpoints"):
                cursor = await connection.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id < ({newest})",  # noqa: S608  two fixed names
                    (thread_id, thread_id),
                )
                removed = cursor.rowcount
            await connection.commit()
        return removed


@asynccontextmanager
async def open_storage(database: str, *, wait: float = 10.0) -> AsyncGenerator[Storage]:
    """Open the database, making it if it is not there; `wait` seconds for another program that writes to it.

    Raises:
        StorageUnavailable: naming the file and what to do.
    """
    if database == MEMORY:
        from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415  one of two
        from langgraph.store.memory import InMemoryStore  # noqa: PLC0415  one of two

        yield Storage(InMemorySaver(serde=serialiser()), InMemoryStore(), volatile=True)
        return
    async with AsyncExitStack() as stack:
        with explained(database):
            await asyncio.to_thread(_prepare, database)
            import aiosqlite  # noqa: PLC0415  loaded by now
            from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver  # noqa: PLC0415  loaded by now

            from app.journal_store import JournalStore  # noqa: PLC0415  loaded by now

            connection = await stack.enter_async_context(aiosqlite.connect(database, timeout=wait))
            saver = AsyncSqliteSaver(connection, serde=serialiser())
            await saver.setup()
            await connection.execute("PRAGMA synchronous = NORMAL")
            store = JournalStore(database, wait=wait)
            stack.push_async_callback(store.close)
            await store.open()
        yield Storage(saver, store)


def _prepare(database: str) -> None:
    """What blocks: making the folder, loading the drivers."""
    try:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageUnavailable(
            f"The folder of the database {database} cannot be made: {error}. Set APP_DATA_DIR to another."
        ) from error
    for module in ("langgraph.checkpoint.sqlite.aio", "app.journal_store"):
        importlib.import_module(module)


class explained:  # noqa: N801  a context manager read as a word
    """Turns SQLite's errors into sentences about a file."""

    def __init__(self, database: str) -> None:
        self._database = database

    def __enter__(self) -> None:
        """Nothing to open."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Raise the sentence instead, also for an error that comes out of a group of tasks."""
        found = error
        while isinstance(found, BaseExceptionGroup):
            found = cast("BaseExceptionGroup[BaseException]", found).exceptions[0]
        if isinstance(found, sqlite3.Error):
            raise StorageUnavailable(f"The database {self._database} {_what(found)}") from error


def _what(error: sqlite3.Error) -> str:
    text = str(error).lower()
    if "locked" in text or "busy" in text:
        return "is in use by another program that does not let go of it. Close that program and try again."
    if "not a database" in text or "malformed" in text or "corrupt" in text:
        return f"is damaged ({error}). Move it away, or set APP_DATABASE to another file: a new one is made."
    if "readonly" in text or "unable to open" in text:
        return f"cannot be opened for writing ({error}). Check its permissions or set APP_DATABASE to another file."
    if "disk" in text or "full" in text:
        return f"cannot be written ({error}). Make room on the disk."
    return f"cannot be used ({error}). Set APP_DATABASE to another file."
