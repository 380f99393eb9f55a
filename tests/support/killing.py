"""Runs questions in processes of their own and kills them where they are seen to be.

A process of its own, because it forks: everything is loaded once, then each run is a fork of that. What is seen of a
run is its events and the rows of its journal, each before and after it is written. A fork is killed at every one of
these, or while a call is held; then the run is resumed, in some trials to be killed again.

It prints one JSON line per trial: at each kill, what the journal held and how often each tool had really run; and how
the run ended.

    python -m tests.support.killing FOLDER
"""

import asyncio
import json
import os
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from switchyard.app.events import Event
from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.settings import Settings
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.journal import Journal
from switchyard.tools.core.errors import ThreadUnknown
from tests.support.counting_tools import calls, held, write_counting_tools

THREAD = "killed"
QUESTIONS = {
    'tally "apple"; tally "pear"; tally "plum"; then stamp "letter"': ("apple", "pear", "plum", "letter"),
    "计数“苹果”；计数“梨”；计数“李子”；然后盖章“信件”": ("苹果", "梨", "李子", "信件"),
}
"""Three that read, at the same time, and one that writes, after them."""

Fatal = Callable[[list[str]], bool]
"""Whether a process that saw this much is to be killed now."""


@dataclass
class Watch:
    """Sees a run go on, and kills the process where it is told to."""

    fatal: Fatal = lambda _: False
    note: Path = Path(os.devnull)
    """Where the last sight is written."""
    seen: list[str] = field(default_factory=list[str])

    def see(self, what: str) -> None:
        self.seen.append(what)
        if self.fatal(self.seen):
            self.note.write_text(what, encoding="utf-8")
            os.kill(os.getpid(), signal.SIGKILL)

    def see_rows(self, journal: Journal) -> None:
        """See the rows of attempts that are written from now on."""
        write = journal.write_attempt

        async def write_attempt(attempt: Attempt) -> Attempt:
            self.see(f"before a row: {attempt.state}")
            written = await write(attempt)
            self.see(f"after a row: {attempt.state}")
            return written

        journal.write_attempt = write_attempt

    async def see_events(self, events: AsyncIterator[Event]) -> None:
        async for event in events:
            self.see(f"event: {event['event']} {event.get('state', '')}".rstrip())


Work = Callable[[Watch], Coroutine[Any, Any, None]]


@dataclass
class Trial:
    """A run in a folder of its own, what the folder held at each kill, and how the run ended."""

    folder: Path
    question: str
    stops: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def __post_init__(self) -> None:
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir(parents=True)
        self.settings = Settings.model_validate(
            {
                "workspace": self.workspace,
                "data_dir": self.folder / "data",
                "tool_folders": [write_counting_tools(self.folder / "own_tools")],
                "auto_approve": True,
                "model": "none",
            }
        )

    async def ask(self, watch: Watch) -> None:
        async with open_orchestrator(self.settings) as orchestrator:
            watch.see_rows(orchestrator.journal)
            await watch.see_events(orchestrator.stream(self.question, thread_id=THREAD))

    async def resume(self, watch: Watch) -> None:
        async with open_orchestrator(self.settings) as orchestrator:
            watch.see_rows(orchestrator.journal)
            try:
                await watch.see_events(orchestrator.stream_resume(THREAD))
            except ThreadUnknown:  # killed before the question was written down: nothing to resume
                await watch.see_events(orchestrator.stream(self.question, thread_id=THREAD))
            report = await orchestrator.report(THREAD)
            waited = report.status == "waiting"
            if waited:
                report = await orchestrator.resume(THREAD, "refuse")
            done = [step.arguments["label"] for step in report.steps if step.success]
            outcome = {"status": report.status, "waited": waited, "answer": report.answer, "done": done}
            await asyncio.to_thread((self.folder / "outcome.json").write_text, json.dumps(outcome), encoding="utf-8")

    def killed_at(self, fatal: Fatal, work: Work) -> bool:
        """Run a process until it saw what is fatal; says whether it did before it ended."""
        return self._was_killed(fork(work, Watch(fatal, self.folder / "sight")))

    def killed_during(self, label: str, work: Work) -> None:
        """Run a process until the call for this label is under way and those beside or before it are over."""
        (self.folder / "sight").write_text("a call under way", encoding="utf-8")
        *reading, _ = QUESTIONS[self.question]
        before = self.starts()[label]
        with held(self.workspace, label):
            child = fork(work, Watch())
            while self.starts()[label] == before or not set(reading) - {label} <= set(self.journal()["finished"]):
                assert os.waitpid(child, os.WNOHANG) == (0, 0), "the process ended before it was killed"
                time.sleep(0.005)
            os.kill(child, signal.SIGKILL)
            assert self._was_killed(child)

    def resumed(self) -> dict[str, Any]:
        """Resume the run and let it end; gives the trial as it is printed."""
        assert not self.killed_at(lambda _: False, self.resume)
        return self.outcome()

    def outcome(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "stops": self.stops,
            "starts": self.starts(),
            "check": self._rows("PRAGMA integrity_check"),
            **json.loads((self.folder / "outcome.json").read_text(encoding="utf-8")),
        }

    def _was_killed(self, child: int) -> bool:
        """Wait for the end of a process, and keep what it left if it was killed."""
        _, code = os.waitpid(child, 0)
        ended = os.waitstatus_to_exitcode(code)
        assert ended in {0, -signal.SIGKILL}, "the process failed"
        if ended:
            sight = (self.folder / "sight").read_text(encoding="utf-8")
            self.stops.append({"sight": sight, "starts": self.starts(), **self.journal()})
        return ended != 0

    def journal(self) -> dict[str, list[str]]:
        """The labels the journal holds as finished and as started, read as another program would."""
        attempts = [json.loads(row) for row in self._rows("SELECT value FROM store WHERE prefix LIKE 'attempts.%'")]
        return {
            state: [attempt["arguments"]["label"] for attempt in attempts if attempt["state"] == state]
            for state in ("finished", "started")
        }

    def starts(self) -> Counter[str]:
        return Counter(line.split()[-1] for line in calls(self.workspace) if line.startswith("start"))

    def _rows(self, sql: str) -> list[str]:
        database = self.folder / "data" / "switchyard.sqlite"
        if not database.exists():
            return []
        with closing(sqlite3.connect(database)) as connection:
            try:
                return [row[0] for row in connection.execute(sql)]
            except sqlite3.OperationalError:  # its tables are still to be made
                return []


def fork(work: Work, watch: Watch) -> int:
    """Start a process that does this and ends; gives its id."""
    child = os.fork()
    if child:
        return child
    try:
        asyncio.run(work(watch))
    except BaseException as error:  # noqa: BLE001  the fork must never return into its parent's code
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        os._exit(1)
    os._exit(0)


def trials(folder: Path) -> Iterator[dict[str, Any]]:
    numbers = count()

    def begin(question: str) -> Trial:
        return Trial(folder / str(next(numbers)), question)

    for question, labels in QUESTIONS.items():
        whole = Watch()
        asyncio.run(begin(question).ask(whole))  # what a run shows, and everything it needs is loaded
        for sight, times in Counter(whole.seen).items():
            for nth in range(1, times + 1):
                trial = begin(question)
                assert trial.killed_at(lambda seen, of=(sight, nth): seen.count(of[0]) == of[1], trial.ask)
                yield trial.resumed()
        for label in labels:
            trial = begin(question)
            trial.killed_during(label, trial.ask)
            if label != labels[-1]:  # the one that writes is put to the user instead
                trial.killed_during(label, trial.resume)
            yield trial.resumed()
        trial = begin(question)
        assert trial.killed_at(lambda seen: len(seen) == 1, trial.ask)
        for much in count(2):
            if not trial.killed_at(lambda seen, much=much: len(seen) == much, trial.resume):
                break
        yield trial.outcome()


def main() -> None:
    for trial in trials(Path(sys.argv[1])):
        sys.stdout.write(json.dumps(trial, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
