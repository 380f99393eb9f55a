"""A conversation whose checkpoints are damaged gets a sentence, can be deleted, and costs no other."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from switchyard.tools.core.errors import ThreadDamaged, ThreadUnknown
from tests.app.conftest import Invoke
from tests.conftest import OpenOrchestrator

Damage = Callable[[bytes], tuple[bytes | None, str | None]]

DAMAGES: dict[str, Damage] = {
    "garbage": lambda _: (b"\xc1 garbage \xff", "msgpack"),
    "nothing": lambda _: (b"", "msgpack"),
    "null": lambda _: (None, "msgpack"),
    "the first half": lambda whole: (whole[: len(whole) // 2], "msgpack"),
    "a list": lambda _: (b"\x92\x01\x02", "msgpack"),
    "a number": lambda _: (b"\x07", "msgpack"),
    "an empty object": lambda _: (b"\x80", "msgpack"),
    "an object of another kind": lambda _: (b'{"a": 1}', "json"),
    "deep nesting": lambda _: (b"\x91" * 5000 + b"\x01", "msgpack"),
    "an unknown form": lambda whole: (whole, "nope"),
    "no form": lambda whole: (whole, None),
}
TABLES = {"checkpoints": "checkpoint", "writes": "value"}


def damage(database: Path, table: str, how: Damage) -> None:
    """Damage what is stored of the thread `mine`."""
    column = TABLES[table]
    with closing(sqlite3.connect(database)) as connection, connection:
        found = f"SELECT rowid, {column} FROM {table} WHERE thread_id = 'mine'"  # noqa: S608  two fixed names
        rows = connection.execute(found).fetchall()
        assert rows
        for row, whole in rows:
            change = f"UPDATE {table} SET {column} = ?, type = ? WHERE rowid = ?"  # noqa: S608  two fixed names
            connection.execute(change, (*how(whole), row))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("how", DAMAGES)
async def test_a_damaged_thread_is_named_and_can_be_deleted(
    orchestrator_with: OpenOrchestrator, tmp_path: Path, table: str, how: str
) -> None:
    database = tmp_path / "threads.sqlite"
    async with orchestrator_with(database=str(database)) as opened:
        await opened.ask('把 "你好" 写入 a.txt', thread_id="mine")  # waits for approval: something is under way
        await opened.ask("What is 2+2?", thread_id="other")
    damage(database, table, DAMAGES[how])
    async with orchestrator_with(database=str(database)) as opened:
        for act in (opened.report("mine"), opened.resume("mine", "approve")):
            with pytest.raises(ThreadDamaged, match=r"thread mine is damaged.*threads delete mine"):
                await act
        assert list(await opened.threads()) == ["mine", "other"]
        assert (await opened.report("other")).answer == "2+2 = 4."
        await opened.delete_thread("mine")
        assert list(await opened.threads()) == ["other"]
        with pytest.raises(ThreadUnknown):
            await opened.report("mine")


@pytest.mark.parametrize("kind", ["runs", "attempts"])
async def test_a_thread_with_a_damaged_row_in_the_journal_can_be_deleted(
    orchestrator_with: OpenOrchestrator, tmp_path: Path, kind: str
) -> None:
    database = tmp_path / "threads.sqlite"
    async with orchestrator_with(database=str(database)) as opened:
        await opened.ask("What is 2+2?", thread_id="mine")
        (run,) = await opened.journal.runs("mine")
        await opened.ask("What is 3+3?", thread_id="other")
    prefix = "runs.mine" if kind == "runs" else f"attempts.{run.run_id}"
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute("UPDATE store SET value = '{坏' WHERE prefix = ?", (prefix,)).rowcount == 1
    async with orchestrator_with(database=str(database)) as opened:
        for act in [opened.report("mine"), *([opened.threads()] if kind == "runs" else [])]:
            with pytest.raises(ThreadDamaged, match="thread mine is damaged"):
                await act
        await opened.delete_thread("mine")
        assert list(await opened.threads()) == ["other"]


def test_the_shell_says_what_to_do(invoke: Invoke, tmp_path: Path) -> None:
    invoke("run", "2加2是多少", "--thread", "mine")
    damage(tmp_path / "data" / "switchyard.sqlite", "checkpoints", DAMAGES["garbage"])
    for command in (("threads", "show", "mine"), ("resume", "mine"), ("run", "再加1", "--thread", "mine")):
        done = invoke(*command)
        assert done.exit_code == 1
        assert ("对话 mine 存储的内容已损坏" if "再加1" in command else "thread mine is damaged") in done.stderr
    assert invoke("threads", "list").exit_code == 0
    assert "Deleted mine" in invoke("threads", "delete", "mine").stdout
    assert invoke("run", "2加2是多少", "--thread", "mine").exit_code == 0
