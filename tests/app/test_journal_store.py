"""The journal's store ends what it began: no task waits for it when the loop goes."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from switchyard.app.journal_store import JournalStore
from tests.conftest import OpenOrchestrator


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[JournalStore]:
    store = JournalStore(str(tmp_path / "runs.sqlite"), wait=5)
    yield store
    await store.close()


def others() -> set["asyncio.Task[object]"]:
    current = asyncio.current_task()
    return {task for task in asyncio.all_tasks() if task is not current}


async def test_a_closed_store_leaves_no_task(tmp_path: Path) -> None:
    before = others()
    store = JournalStore(str(tmp_path / "runs.sqlite"), wait=5)
    await store.aput(("runs",), "甲", {"a": 1})
    await store.close()
    assert others() == before


async def test_a_store_that_could_not_be_opened_leaves_no_task(tmp_path: Path) -> None:
    before = others()
    store = JournalStore(str(tmp_path), wait=5)
    with pytest.raises(sqlite3.OperationalError):
        await store.aget(("runs",), "甲")
    await store.close()
    assert others() == before


async def test_what_is_under_way_is_written_before_the_store_closes(store: JournalStore, tmp_path: Path) -> None:
    async with asyncio.TaskGroup() as group:
        for name in ("甲", "b", "乙"):
            group.create_task(store.aput(("runs",), name, {"name": name}))
        group.create_task(store.close())
    again = JournalStore(str(tmp_path / "runs.sqlite"), wait=5)
    assert {item.key for item in await again.asearch(("runs",))} == {"甲", "b", "乙"}
    await again.close()


async def test_a_closed_store_says_so_and_begins_nothing(store: JournalStore) -> None:
    before = others()
    await store.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        await store.aget(("runs",), "甲")
    assert others() == before


async def test_a_closed_orchestrator_leaves_no_task(orchestrator_with: OpenOrchestrator, tmp_path: Path) -> None:
    before = others()
    async with orchestrator_with(database=str(tmp_path / "runs.sqlite")) as opened:
        await opened.ask("2+2等于多少")
    assert others() == before
