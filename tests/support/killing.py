"""Runs questions in processes of their own and kills them in the middle.

A process of its own, because it forks: everything is imported once, then each trial is a fork of that. It prints one
JSON line per trial: what the journal held as finished when the process was gone, and how often each tool really ran,
before and after the run was resumed.

    python -m tests.support.killing FOLDER TRIALS SEED
"""

import asyncio
import importlib
import json
import os
import random
import signal
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from agents.language.expressions import find_arithmetic, find_change
from agents.language.mentions import find_mentions
from app.orchestrator import open_orchestrator
from app.settings import Settings
from tests.support.counting_tools import calls, write_counting_tools
from toolhub.recall import tokeniser
from tools.core.errors import ThreadUnknown
from tools.core.time_questions import read_time_question

QUESTIONS = (
    'tally "apple"; tally "pear"; tally "plum"; then stamp "letter"',
    "计数“苹果”；计数“梨”；计数“李子”；然后盖章“信件”",
)
STEP_MS = 25


def seconds_of_a_run(folder: Path) -> float:
    """How long a run takes here and now, from the moment it is ready: kills fall anywhere within."""
    settings, seconds = settings_for(folder), folder / "seconds"

    async def ask(ready: Callable[[], Any]) -> None:
        async with open_orchestrator(settings) as orchestrator:
            ready()
            started = time.perf_counter()
            await orchestrator.ask(QUESTIONS[0])
            await asyncio.to_thread(seconds.write_text, str(time.perf_counter() - started))

    assert in_a_fork(ask), "the run that is measured failed"
    return float(seconds.read_text())


def settings_for(folder: Path) -> Settings:
    workspace = folder / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    return Settings.model_validate(
        {
            "workspace": workspace,
            "data_dir": folder / "data",
            "tool_folders": [write_counting_tools(folder / "own_tools", ms=STEP_MS)],
            "auto_approve": True,
            "model": "none",
        }
    )


def in_a_fork(work: Any, *, kill_after: float | None = None) -> bool:
    """Run a coroutine function in a forked process; says whether it ended by itself.

    The function is given something to call when it is ready: the time to the kill counts from there.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(work(lambda: os.write(writing, b"!")))
        except BaseException as error:  # noqa: BLE001  the fork must never return into its parent's code
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
        os._exit(0)
    os.close(writing)
    timer = threading.Timer(kill_after or 0, os.kill, (child, signal.SIGKILL))
    os.read(reading, 1)
    if kill_after is not None:
        timer.start()
    _, code = os.waitpid(child, 0)
    timer.cancel()
    os.close(reading)
    return os.waitstatus_to_exitcode(code) == 0


def journal(folder: Path) -> dict[str, list[str]]:
    """The labels the journal holds as finished and as started, read as another program would."""
    database = folder / "data" / "switchyard.sqlite"
    if not database.exists():
        return {"finished": [], "started": []}
    with sqlite3.connect(database) as connection:
        try:
            rows = connection.execute("SELECT value FROM store WHERE prefix LIKE 'attempts.%'").fetchall()
        except sqlite3.OperationalError:
            rows = []  # killed before the table was made
    attempts = [json.loads(row[0]) for row in rows]
    return {
        state: [attempt["arguments"]["label"] for attempt in attempts if attempt["state"] == state]
        for state in ("finished", "started")
    }


def starts(folder: Path) -> dict[str, int]:
    return dict(Counter(line.split()[-1] for line in calls(folder / "workspace") if line.startswith("start")))


def trial(folder: Path, question: str, kill_after: float) -> dict[str, Any]:
    settings = settings_for(folder)

    async def ask(ready: Callable[[], Any]) -> None:
        async with open_orchestrator(settings) as orchestrator:
            ready()
            await orchestrator.ask(question, thread_id="killed")

    async def resume(ready: Callable[[], Any]) -> None:
        ready()
        async with open_orchestrator(settings) as orchestrator:
            try:
                report = await orchestrator.resume("killed")
            except ThreadUnknown:  # killed before the question was written down: nothing to resume
                report = await orchestrator.ask(question, thread_id="killed")
            waited = report.status == "waiting"
            if waited:
                report = await orchestrator.resume("killed", "refuse")
            done = [step.arguments["label"] for step in report.steps if step.success]
            outcome = {"status": report.status, "waited": waited, "answer": report.answer, "done": done}
            await asyncio.to_thread((folder / "outcome.json").write_text, json.dumps(outcome), encoding="utf-8")

    completed = in_a_fork(ask, kill_after=kill_after)
    before = {**journal(folder), "starts": starts(folder)}
    assert in_a_fork(resume), "resuming failed"
    outcome = json.loads((folder / "outcome.json").read_text(encoding="utf-8"))
    return {"killed": not completed, "before": before, "after": {"starts": starts(folder)}, **outcome}


def warm() -> None:
    """Load what questions need, before the fork: the steps, not the loading, are to fill a run."""
    importlib.import_module("rank_bm25")
    for question in QUESTIONS:
        tokeniser.warm(question)
        find_mentions(question, date(2026, 11, 16))
        find_arithmetic(question)
        find_change(question, "it")
        read_time_question(question, date(2026, 11, 16))


def main() -> None:
    folder, trials, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)  # noqa: S311  a test's own dice
    warm()
    longest = seconds_of_a_run(folder / "measured")
    for number in range(trials):
        moment = longest * chance.random() ** 0.4  # anywhere, the end more often: that is where the steps are
        outcome = trial(folder / str(number), QUESTIONS[number % len(QUESTIONS)], moment)
        sys.stdout.write(json.dumps(outcome, ensure_ascii=False) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
