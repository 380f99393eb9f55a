"""Conversations and the journal in one SQLite file; whatever is wrong with it is named, with what to do."""

import asyncio
import importlib
import sqlite3
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.store.base import BaseStore

from switchyard.language.messages import Message, message, quoted
from switchyard.tools.core.errors import (
    SettingsInvalid,
    StateNewer,
    StateUnreadable,
    StorageUnavailable,
    ThreadDamaged,
    first_of,
)

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

MEMORY = ":memory:"
"""Keeps nothing beyond the process."""
_NEEDED = ("aget_tuple", "aput", "aput_writes", "alist", "adelete_thread")
"""What a saver must be able to do; LangGraph's base class has each, and raises."""


@dataclass(frozen=True, slots=True)
class Storage:
    """Where checkpoints and the journal go."""

    saver: BaseCheckpointSaver[Any]
    store: BaseStore
    volatile: bool = False
    """Lives and dies with this process."""
    file: "AsyncSqliteSaver | None" = None
    """The saver, where it was made here over a file; old checkpoints of any other are its owner's business."""

    async def prune(self, thread_id: str) -> None:
        """Keep only the checkpoints of a thread's last run, to fork from.

        Each checkpoint holds the whole conversation: without this, a thread's size would grow with its square.
        """
        if self.file is None:
            return
        older = f"thread_id = ? AND checkpoint_ns = '' AND checkpoint_id < ({_LAST_INPUT})"
        async with self.file.lock:
            for table in ("writes", "checkpoints"):
                await self.file.conn.execute(f"DELETE FROM {table} WHERE {older}", (thread_id, thread_id))  # noqa: S608  two fixed names
            await self.file.conn.commit()


_LAST_INPUT = """
    SELECT MAX(checkpoint_id) FROM checkpoints
    WHERE thread_id = ? AND checkpoint_ns = '' AND json_extract(CAST(metadata AS TEXT), '$.source') = 'input'
"""
"""Where a thread's last run began: LangGraph writes such a checkpoint for a question, none for a reply or a resume."""


@asynccontextmanager
async def open_storage(
    database: str,
    *,
    wait: float = 10.0,
    saver: BaseCheckpointSaver[Any] | None = None,
    store: BaseStore | None = None,
) -> AsyncGenerator[Storage]:
    """A caller's own saver, for conversations, and store, for the journal and what is learned; else our database.

    That file is opened, or made; `wait` is how many seconds another program that writes to it is waited for.
    """
    _check(saver, store)
    if saver is not None and store is not None:
        yield Storage(saver, store)
        return
    async with _own_storage(database, wait) as own:
        kept = own if saver is None else replace(own, saver=saver, file=None)
        yield kept if store is None else replace(kept, store=store, volatile=False)


def _check(saver: object, store: object) -> None:
    kind = type(saver).__name__
    missing = [name for name in _NEEDED if getattr(type(saver), name, None) is getattr(BaseCheckpointSaver, name)]
    if saver is not None and not isinstance(saver, BaseCheckpointSaver):
        raise SettingsInvalid(message("no_saver", kind=kind))
    if missing:
        raise SettingsInvalid(message("saver_without", kind=kind, methods=missing))
    if store is not None and not isinstance(store, BaseStore):
        raise SettingsInvalid(message("no_store", kind=type(store).__name__))


@asynccontextmanager
async def _own_storage(database: str, wait: float) -> AsyncGenerator[Storage]:
    if database == MEMORY:
        from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415  one of two
        from langgraph.store.memory import InMemoryStore  # noqa: PLC0415  one of two

        yield Storage(InMemorySaver(serde=_serialiser()), InMemoryStore(), volatile=True)
        return
    async with AsyncExitStack() as stack:
        with explained(database):
            await asyncio.to_thread(_prepare, database)
            import aiosqlite  # noqa: PLC0415  loaded by now
            from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver  # noqa: PLC0415  loaded by now

            from switchyard.app.journal_store import JournalStore  # noqa: PLC0415  loaded by now

            connection = await stack.enter_async_context(aiosqlite.connect(database, timeout=wait))
            saver = AsyncSqliteSaver(connection, serde=_serialiser())
            stack.push_async_callback(_settle, saver)
            await saver.setup()
            await connection.execute("PRAGMA synchronous = NORMAL")
            store = JournalStore(database, wait=wait)
            stack.push_async_callback(store.close)
        yield Storage(saver, store, file=saver)


async def _settle(saver: "AsyncSqliteSaver") -> None:
    """Wait for a write that a cancelled run left under way: closed in the middle of it, the file would stay locked."""
    async with saver.lock:
        await saver.conn.rollback()


def _serialiser() -> JsonPlusSerializer:
    """A serialiser that revives no type but LangGraph's and LangChain's own: our channels hold plain JSON."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


def _prepare(database: str) -> None:
    """What blocks: making the folder, loading the drivers."""
    try:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageUnavailable(message("database_folder", database=database, error=quoted(str(error)))) from error
    for module in ("langgraph.checkpoint.sqlite.aio", "switchyard.app.journal_store"):
        importlib.import_module(module)


@contextmanager
def explained(database: str) -> Generator[None]:
    """Turns SQLite's errors into sentences about a file, also those that come out of a group of tasks."""
    try:
        yield
    except (sqlite3.Error, BaseExceptionGroup) as error:
        found = first_of(error)
        if not isinstance(found, sqlite3.Error):
            raise
        raise StorageUnavailable(_what(found, database)) from error


_DAMAGE = (StateUnreadable, AttributeError, LookupError, NotImplementedError, RecursionError, TypeError, ValueError)


@contextmanager
def readable(thread_id: str) -> Generator[None]:
    """Turns what reading damaged checkpoints raises, and that is nearly anything, into a sentence about the thread."""
    try:
        yield
    except StateNewer as error:
        raise ThreadDamaged(message("thread_newer", thread=thread_id)) from error
    except _DAMAGE as error:
        raise ThreadDamaged(message("thread_damaged", thread=thread_id, error=type(error).__name__)) from error


def _what(error: sqlite3.Error, database: str) -> Message:
    text, words = str(error).lower(), quoted(str(error))
    if "locked" in text or "busy" in text:
        return message("database_in_use", database=database)
    if "not a database" in text or "malformed" in text or "corrupt" in text:
        return message("database_damaged", database=database, error=words)
    if "readonly" in text or "unable to open" in text:
        return message("database_not_writable", database=database, error=words)
    is_full = "disk" in text or "full" in text
    return message("database_no_room" if is_full else "database_unusable", database=database, error=words)
