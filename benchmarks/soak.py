"""A long day: a thousand questions through one orchestrator, a hundred of them at once, fifty in one thread.

By rules, so that every question is planned, executed and answered here. What must not grow is measured: memory, the
CPU time a question takes, and the bytes a question adds to the database.

python -m benchmarks.soak --questions 10000 has a longer day: what was learned must not make a question dearer.
"""

import argparse
import asyncio
import gc
import os
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.measuring import Line, clean_environment, compared, progress
from benchmarks.questions import question
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.settings import Settings, load_settings

QUESTIONS = 1000
BATCH = 100
MOST_GROWTH = 5.0
"""Percent of the memory after the first batch."""
THREAD_LENGTH = 50
EARLY, LATE = slice(10, 20), slice(40, 50)
STEADY = (0.5, 2.0)
MOST_OF_FIRST = 1.1


def run(questions: int = QUESTIONS) -> list[Line]:
    """The lines of this benchmark."""
    for name in os.environ.keys() - clean_environment().keys():
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        text = "# Notes\nThe quick brown fox.\nTODO: 写完这一页\n"
        (workspace / "notes.md").write_text(text, encoding="utf-8")
        day, thread = (
            load_settings(env_file=None, data_dir=Path(folder) / name, workspace=workspace, model="none")
            for name in ("day", "thread")
        )
        return [*asyncio.run(_day(day, questions)), asyncio.run(_thread(thread))]


async def _day(settings: Settings, questions: int) -> list[Line]:
    """Batches of questions, the second of them at once."""
    memory: list[float] = []
    times: list[float] = []
    wrong: list[str] = []
    wrong_at_once = 0
    async with open_orchestrator(settings) as orchestrator:
        for first in range(0, questions, BATCH):
            batch = [question(number) for number in range(first, first + BATCH)]
            if first == BATCH:
                wrong += [said for said in await asyncio.gather(*(_ask(orchestrator, text) for text in batch)) if said]
                wrong_at_once = len(wrong)
            else:
                taken: list[float] = []
                for text in batch:
                    started = time.process_time()
                    wrong += filter(None, [await _ask(orchestrator, text)])
                    taken.append((time.process_time() - started) * 1000)
                times.append(statistics.median(taken))
            memory.append(_resident())
            progress(f"soak: {first + BATCH} questions, {memory[-1]:.1f} MB, {times[-1]:.1f} ms a question")
    for said in dict.fromkeys(wrong):
        progress(f"soak: {said}")
    growth = (memory[-1] / memory[0] - 1) * 100
    return [
        compared(
            f"soak: memory after {questions:,} questions, against after 100",
            *(memory[-1], memory[0]),
            wanted=f"< {1 + MOST_GROWTH / 100:g}",
            met=growth < MOST_GROWTH,
            unit="MB",
            note=f"{growth:+.1f}%; by hundreds: {', '.join(f'{size:.0f}' for size in memory)}",
        ),
        compared(
            f"soak: memory after {questions:,} questions, against after 200",
            *(memory[-1], memory[1]),
            unit="MB",
            note="without what the hundred at once took and kept",
        ),
        compared(
            "soak: answered of 100 at once",
            *(BATCH - wrong_at_once, BATCH),
            wanted="1",
            met=not wrong_at_once,
            unit="",
            note=f"of all {questions}, {len(wrong)} were not answered",
        ),
        compared(
            "soak: CPU time of a question, last 100 against first 100",
            *(times[-1], times[0]),
            wanted=f"≤ {MOST_OF_FIRST:g}",
            met=times[-1] <= MOST_OF_FIRST * times[0],
            unit="ms",
            note=f"by hundreds: {', '.join(f'{taken:.0f}' for taken in times)}",
        ),
    ]


async def _thread(settings: Settings) -> Line:
    """One conversation, and what each of its questions adds to the database."""
    progress(f"soak: {THREAD_LENGTH} questions in one thread")
    sizes: list[int] = []
    async with open_orchestrator(settings) as orchestrator:
        for number in range(THREAD_LENGTH):
            report = await orchestrator.ask(question(number), thread_id="long")
            assert report.status == "answered", report
            sizes.append(_database_size(settings.database_path))
    added = [after - before for before, after in zip([0, *sizes], sizes, strict=False)]
    early, late = statistics.mean(added[EARLY]), statistics.mean(added[LATE])
    low, high = STEADY
    return compared(
        "soak: bytes a question adds to a thread, 41–50 against 11–20",
        *(late, early),
        wanted=f"{low:g} to {high:g}",
        met=low <= late / early <= high,
        unit="B",
        note=f"by tens: {', '.join(f'{size / 1024:.0f} KB' for size in sizes[9::10])}",
    )


async def _ask(orchestrator: Orchestrator, text: str) -> str:
    """Nothing when the question was answered, else what came instead."""
    try:
        report = await orchestrator.ask(text)
    except Exception as error:  # noqa: BLE001  what goes wrong is counted, the others go on
        return f"{type(error).__name__}: {error}"
    return "" if report.status == "answered" else f"{report.status}: {text}: {report.answer}"


def _resident() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20


def _database_size(path: str) -> int:
    """The database with its log, after the log was written back."""
    connection = sqlite3.connect(path)
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        assert not busy, "someone is still reading the database"
    finally:
        connection.close()
    return sum(file.stat().st_size for file in (Path(path), Path(f"{path}-wal")) if file.exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="how many are asked, in hundreds")
    for line in run(parser.parse_args().questions):
        against = f"{line.ours:.1f} {line.unit} / {line.reference:.1f} = {line.ratio:.2f}"
        print(f"{line.name}: {against} {line.wanted} ({line.note[:200]})")
