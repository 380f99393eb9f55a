"""What was learned is kept by user, fades with time, and is read again by the next process."""

import asyncio
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from switchyard.app.storage import open_storage
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.memory.experience import UNUSED_AFTER, Experiences, Lesson
from switchyard.toolhub.memory.memory import FORGOTTEN_AFTER, Memory
from switchyard.tools.core import ToolContext, ToolResult
from tests.support.hub_tools import answering, failing, made, schema

DAY = 86_400.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000_000.0

    def __call__(self) -> float:
        return self.now


def lesson(tool: str, wording: str, *, success: bool = True) -> Lesson:
    return Lesson(tool=tool, wording=wording, success=success)


@pytest.mark.parametrize("user", ["", "安娜", "a.b", "a"])
async def test_what_was_learned_is_read_again_from_the_database(tmp_path: Path, user: str) -> None:
    database = str(tmp_path / "库.sqlite")
    async with open_storage(database) as storage:
        await Experiences(storage.store, Memory()).learn(
            user, [lesson("clock", "几点了"), lesson("clock", "what time")]
        )
    async with open_storage(database) as storage:
        again = Experiences(storage.store, Memory())
        learned = await again.learned(user)
        strangers = [await again.learned(f"{user}x"), await again.learned(f"{user}.b")]
    assert {wording.text for wording in learned.tools["clock"].served} == {"几点了", "what time"}
    assert all(other.tools == {} for other in strangers)


async def test_time_takes_what_nobody_used_again() -> None:
    clock, store = Clock(), InMemoryStore()
    first = Experiences(store, Memory(clock), clock=clock)
    await first.learn("", [lesson("clock", "几点了"), lesson("sundial", "what time", success=False)])
    clock.now += FORGOTTEN_AFTER + DAY
    later = await Experiences(store, Memory(clock), clock=clock).learned("")
    clock.now += UNUSED_AFTER
    much_later = await Experiences(store, Memory(clock), clock=clock).learned("")
    assert list(later.tools) == ["clock"]
    assert much_later.tools == {}


async def test_failures_and_what_helped_are_kept_and_taken_in_again() -> None:
    store, memory = InMemoryStore(), Memory()
    context = ToolContext(workspace=Path(), user="安娜", idempotency_key="run:s1:0:x")
    tool = made("读", answering("好"), takes=schema("path"))
    broken = ToolResult.failed("没有 note.md", "not_found")
    memory.note(tool, ToolRequest("a", None, {"path": "note.md"}, context), broken)
    memory.note(tool, ToolRequest("a", None, {"path": "notes.md"}, context), ToolResult(result="好"))
    memory.note(made("坏", failing()), ToolRequest("坏", context=context), ToolResult.failed("crashed", "crash"))
    await Experiences(store, memory).learn("安娜", [])
    taken = Memory()
    again = Experiences(store, taken)
    await again.learned("安娜")
    known = taken.patterns("读", "安娜")
    assert [(change.before, change.after) for change in known.adjustments] == [("note.md", "notes.md")]
    assert known.lessons() == ["path 'notes.md' worked where 'note.md' had failed"]  # success took the failure away
    assert taken.patterns("坏", "安娜").lessons() == ["failed: crashed"]
    assert taken.patterns("读").lessons() == []
    assert known.lessons("How long is note.md? 多长") == known.lessons()
    assert known.lessons("How long is plan.md? 多长") == []  # what another file is called is of no use
    assert taken.patterns("坏", "安娜").lessons("plan.md") == ["failed: crashed"]
    assert await again.clear("安娜", "坏") == 1
    assert [row.tool for row in await again.listed("安娜")] == ["读"]
    assert taken.patterns("坏", "安娜").errors == []


async def test_runs_that_end_at_once_lose_nothing() -> None:
    experience = Experiences(InMemoryStore(), Memory())
    words = ["alpha 甲", "beta 乙", "gamma 丙", "delta 丁", "epsilon 戊"]
    await asyncio.gather(*(experience.learn("", [lesson("tool", word)]) for word in words))
    (row,) = await experience.listed("")
    assert {wording.text for wording in row.wordings.served} == set(words)


async def test_a_row_of_another_version_is_learned_anew() -> None:
    store = InMemoryStore()
    await store.aput(("experience", "%00"), "clock", {"tool": 3})
    assert (await Experiences(store, Memory()).learned("")).tools == {}
