"""The journal on the stores it runs on: in memory, and a real SQLite file."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Literal

import pytest
from langgraph.store.memory import InMemoryStore

from switchyard.app.storage import open_storage
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.journal import Journal, ModelCall, RunRow
from switchyard.tools.core.result import ResultMeta, ToolResult

RESULT = {"水位": 102.5, "rows": [{"path": "a.md", "n": None}], "ok": True, "text": "第一行\nsecond — 🎉"}
THREADS = ["plain", "with.dot", "a%2Eb", "100%", "盘石头", "", "a b/c", "%00", "x" * 500]


@pytest.fixture(params=["memory", "sqlite"])
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Journal]:
    if request.param == "memory":
        yield Journal(InMemoryStore())
        return
    async with open_storage(str(tmp_path / "journal.sqlite")) as storage:
        yield Journal(storage.store)


def attempt(
    run_id: str = "run",
    *,
    number: int = 1,
    at: float = 1.0,
    state: Literal["started", "finished", "failed"] = "finished",
    **given: Any,
) -> Attempt:
    return Attempt.model_validate(
        {
            "run_id": run_id,
            "step_id": "s1",
            "number": number,
            "tool": "tally",
            "arguments": {"label": "苹果"},
            "signature": "sig",
            "state": state,
            "result": ToolResult(result=RESULT, meta=ResultMeta(source="native", sources=["a.md"], ms=1.5)),
            "at": at,
            "idempotency_key": "key",
            **given,
        }
    )


async def test_an_attempt_comes_back_as_it_was_written(journal: Journal) -> None:
    await journal.write_attempt(attempt())
    assert await journal.attempts("run") == [attempt(order=1)]


async def test_an_attempt_that_ends_replaces_the_one_that_started(journal: Journal) -> None:
    await journal.write_attempt(attempt(state="started"))
    await journal.write_attempt(attempt(state="finished"))
    assert [row.state for row in await journal.attempts("run")] == ["finished"]


async def test_attempts_come_in_the_order_they_ended(journal: Journal) -> None:
    for number in (2, 3, 1):
        await journal.write_attempt(attempt(number=number, state="started"))
    for number, at in ((3, 3.0), (1, 1.0), (2, 2.0)):
        await journal.write_attempt(attempt(number=number, at=at))
    assert [row.number for row in await journal.attempts("run")] == [3, 1, 2]


async def test_rows_that_are_written_together_have_a_place_each(journal: Journal) -> None:
    written = await asyncio.gather(*(journal.write_attempt(attempt(number=number)) for number in range(1, 6)))
    assert sorted(row.order for row in written) == [1, 2, 3, 4, 5]


async def test_rows_without_a_place_come_first_and_by_their_time() -> None:
    store = InMemoryStore()
    for number, at in ((1, 3.0), (2, 1.0)):
        old = attempt(number=number, at=at).model_dump(mode="json", exclude={"order", "names", "refreshes"})
        await store.aput(("attempts", "run"), attempt(number=number).key, old)
    journal = Journal(store)
    await journal.write_attempt(attempt(number=3, at=0.0))
    assert [row.number for row in await journal.attempts("run")] == [2, 1, 3]


async def test_the_items_of_a_step_have_rows_of_their_own(journal: Journal) -> None:
    for item in (None, 0, 1):
        await journal.write_attempt(attempt(item=item))
    assert len(await journal.attempts("run")) == 3


async def test_more_than_ten_rows_come_back(journal: Journal) -> None:
    for number in range(1, 26):
        await journal.write_attempt(attempt(number=number))
    assert len(await journal.attempts("run")) == 25


@pytest.mark.parametrize("neighbour", ["run2", "RUN", "run.2", "r_n", "run%", "ru*"])
async def test_runs_with_similar_ids_do_not_mix(journal: Journal, neighbour: str) -> None:
    await journal.write_attempt(attempt("run"))
    await journal.write_attempt(attempt(neighbour))
    assert [row.run_id for row in await journal.attempts("run")] == ["run"]
    assert [row.run_id for row in await journal.attempts(neighbour)] == [neighbour]


async def test_model_calls_come_back_oldest_first(journal: Journal) -> None:
    calls = [
        ModelCall(run_id="run", agent="planning", model="m", messages=[{"role": "human", "text": "问"}], at=at)
        for at in (2.0, 1.0)
    ]
    for call in calls:
        journal.note_call(call)
    assert await journal.calls("run") == [calls[1], calls[0]]


@pytest.mark.parametrize("thread_id", THREADS)
async def test_any_thread_id_finds_its_runs_again(journal: Journal, thread_id: str) -> None:
    row = RunRow(thread_id=thread_id, run_id="run", question="水位？", status="answered", answer="102.5", at=1.0)
    await journal.write_run(row)
    assert await journal.runs(thread_id) == [row]


async def test_no_two_thread_ids_share_their_runs(journal: Journal) -> None:
    for thread_id in THREADS:
        await journal.write_run(RunRow(thread_id=thread_id, run_id="run", question="q"))
    for thread_id in THREADS:
        assert [row.thread_id for row in await journal.runs(thread_id)] == [thread_id]


async def test_all_runs_are_listed_oldest_first(journal: Journal) -> None:
    for number, thread_id in enumerate(THREADS):
        await journal.write_run(RunRow(thread_id=thread_id, run_id="run", question="q", at=-number))
    assert [row.thread_id for row in await journal.runs()] == THREADS[::-1]


@pytest.mark.parametrize("thread_id", THREADS)
async def test_a_forgotten_thread_leaves_nothing_behind(journal: Journal, thread_id: str) -> None:
    await journal.write_run(RunRow(thread_id=thread_id, run_id="run", question="q"))
    await journal.write_attempt(attempt())
    journal.note_call(ModelCall(run_id="run", agent="planning", model="m"))
    await journal.write_calls("run")
    await journal.forget_thread(thread_id)
    assert await journal.runs(thread_id) == []
    assert await journal.attempts("run") == []
    assert await journal.calls("run") == []


async def test_forgetting_a_thread_leaves_the_others_alone(journal: Journal) -> None:
    for thread_id, run_id in (("t", "one"), ("t.2", "two"), ("t2", "three"), ("T", "four")):
        await journal.write_run(RunRow(thread_id=thread_id, run_id=run_id, question="q"))
        await journal.write_attempt(attempt(run_id))
    await journal.forget_thread("t")
    assert {row.thread_id for row in await journal.runs()} == {"t.2", "t2", "T"}
    assert await journal.attempts("two") == [attempt("two", order=1)]


async def test_rows_outlive_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "journal.sqlite")
    async with open_storage(path) as storage:
        await Journal(storage.store).write_attempt(attempt())
    async with open_storage(path) as storage:
        journal = Journal(storage.store)
        assert await journal.attempts("run") == [attempt(order=1)]
        assert (await journal.write_attempt(attempt(number=2))).order == 2
