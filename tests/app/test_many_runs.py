"""Many questions through one orchestrator on a real SQLite file (R10.1)."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.settings import Settings
from switchyard.tools.core.errors import StorageUnavailable

MANY = 100


def on_disk(make_settings: Callable[..., Settings], tmp_path: Path, **given: object) -> Settings:
    return make_settings(database=str(tmp_path / "many.sqlite"), **given)


async def test_a_hundred_questions_at_once_are_all_answered(
    make_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    async with open_orchestrator(on_disk(make_settings, tmp_path)) as orchestrator:
        questions = [f"What is {n} * 3?" if n % 2 else f"{n}乘以3是多少" for n in range(MANY)]
        reports = await asyncio.gather(*(orchestrator.ask(question) for question in questions))
    assert [report.status for report in reports] == ["answered"] * MANY
    assert all(str(n * 3) in report.answer for n, report in enumerate(reports))
    assert len({report.run_id for report in reports}) == MANY


async def test_questions_of_one_thread_wait_for_each_other(
    make_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    async with open_orchestrator(on_disk(make_settings, tmp_path)) as orchestrator:
        await asyncio.gather(*(orchestrator.ask(f"What is {n}+1?", thread_id="one") for n in range(5)))
        runs = await orchestrator.journal.runs("one")
        state = await orchestrator.graph.aget_state({"configurable": {"thread_id": "one"}})
    assert len(runs) == 5
    assert len(state.values["messages"]) == 10


async def test_two_orchestrators_share_one_database(make_settings: Callable[..., Settings], tmp_path: Path) -> None:
    settings = on_disk(make_settings, tmp_path)
    async with open_orchestrator(settings) as one, open_orchestrator(settings) as other:
        reports = await asyncio.gather(
            *(orchestrator.ask(f"What is {n}+1?") for n in range(20) for orchestrator in (one, other))
        )
        assert {report.status for report in reports} == {"answered"}
        assert len(await one.threads()) == 40


async def test_a_database_that_breaks_in_the_middle_is_named(
    make_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    settings = on_disk(make_settings, tmp_path, database_wait=1)
    async with open_orchestrator(settings) as orchestrator:
        await orchestrator.ask("What is 1+1?", thread_id="one")
        holder = sqlite3.connect(tmp_path / "many.sqlite", isolation_level=None)
        try:
            holder.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StorageUnavailable, match=r"many\.sqlite is in use"):
                await orchestrator.ask("What is 2+2?", thread_id="one")
        finally:
            holder.close()
        assert (await orchestrator.ask("What is 3+3?", thread_id="one")).status == "answered"
