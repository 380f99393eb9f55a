"""Plans of many steps: how close they come to their critical path, and what a killed process repeats.

    python -m benchmarks.parallel [--json] [--plans N] [--kills N]

Plans are random DAGs of 20 steps that take 10 to 300 ms each. Their wall time, from the first step's start to the last
one's end, and that of the whole run, is set against the longest way through the plan. Then runs of such plans, with
steps that write and are approved one round after the other, are killed (SIGKILL) at points of their progress: events,
rows of the journal before and after they are written, approvals asked and given. Each is resumed by another process;
every call notes that it began, so that what ran twice is counted.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel

from benchmarks.measuring import clean_environment, progress
from switchyard.agents.planning.prompts import SYSTEM as PLAN_SYSTEM
from switchyard.agents.scope import Model
from switchyard.agents.tool_selection.prompts import FILL_SYSTEM
from switchyard.app.events import Event
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.settings import Settings
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.journal import Journal
from switchyard.tools.core.errors import ThreadUnknown

STEPS = 20
MILLISECONDS = (10, 300)
MOST = 1.1
"""The largest ratio of wall time and critical path."""
QUESTIONS = ("carry out the plan", "执行这个计划")
KILLED_STEPS = 9
"""Of the plans that are killed: rounds enough for approvals, short enough for two hundred."""
THREAD = "killed"
HANDED = "handed"

TOOLS = '''"""Tools that take their time and note that they began."""

import asyncio
import os

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, tool


class Params(BaseToolParams):
    """What is done, and how long it takes."""

    label: str = Field(description="What is done.")
    ms: int = Field(default=0, description="How long it takes.")


async def work(params: Params, context: ToolContext) -> dict[str, object]:
    handle = os.open(context.workspace.parent / "calls.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{params.label}\\n".encode())
    os.close(handle)
    await asyncio.sleep(params.ms / 1000)
    return {"label": params.label}


@tool(category="pace", tags=("pause",))
class PauseStep:
    """Wait for a while and read nothing. 等一会儿。"""

    async def execute(self, params: Params, context: ToolContext) -> dict[str, object]:
        """Wait."""
        return await work(params, context)


@tool(category="pace", tags=("mark",), writes=True)
class MarkStep:
    """Put a mark, which changes the world. 做记号。"""

    async def execute(self, params: Params, context: ToolContext) -> dict[str, object]:
        """Mark."""
        return await work(params, context)
'''


@dataclass(frozen=True)
class Task:
    """A step of a plan: how long it takes, what it waits for, whether it writes."""

    id: str
    ms: int
    needs: tuple[str, ...]
    writes: bool = False

    @property
    def tool(self) -> str:
        """What does it."""
        return "mark_step" if self.writes else "pause_step"


def random_plan(rng: random.Random, steps: int, *, writing: float = 0.0) -> list[Task]:
    """A random DAG: every step waits for none to three of those before it."""
    tasks: list[Task] = []
    for number in range(steps):
        earlier = [task.id for task in tasks]
        needs = tuple(sorted(rng.sample(earlier, min(len(earlier), rng.choice((0, 1, 1, 2, 3))))))
        tasks.append(Task(f"s{number + 1}", rng.randint(*MILLISECONDS), needs, rng.random() < writing))
    return tasks


def critical_path(tasks: Sequence[Task]) -> float:
    """Milliseconds of the longest way through a plan."""
    ends: dict[str, float] = {}
    for task in tasks:
        ends[task.id] = max((ends[one] for one in task.needs), default=0.0) + task.ms
    return max(ends.values())


class Handed(BaseChatModel):
    """A chat model that plans what it is handed, and names tools and arguments for it."""

    tasks: list[Task]

    @property
    def _llm_type(self) -> str:
        return HANDED

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager, kwargs
        said = json.dumps(self._said(str(messages[0].text)))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(said))])

    def _said(self, system: str) -> dict[str, Any]:
        if system == PLAN_SYSTEM:
            drafts = [
                {"id": one.id, "description": f"{one.tool} {one.id}", "tool": one.tool, "dependencies": list(one.needs)}
                for one in self.tasks
            ]
            return {"steps": drafts}
        if system == FILL_SYSTEM:
            calls = [{"step": one.id, "arguments": {"label": one.id, "ms": one.ms}} for one in self.tasks]
            return {"calls": calls}
        return {"choices": {one.id: [one.tool] for one in self.tasks}}


def settings_in(folder: Path, **given: Any) -> Settings:
    """Settings with the tools above, in a folder of their own."""
    for name in ("workspace", "own_tools"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "own_tools" / "pace.py").write_text(TOOLS, encoding="utf-8")
    agents = dict.fromkeys(("planning", "tool_selection"), HANDED)
    defaults: dict[str, Any] = {
        "workspace": folder / "workspace",
        "data_dir": folder / "data",
        "config_dir": folder / "config",
        "cache_dir": folder / "cache",
        "project": folder,
        "tool_folders": [folder / "own_tools"],
        "mcp_files": [],
        "agent_models": agents,
        "max_parallel": STEPS,
        "max_replans": 0,
        "rules_first": "never",
    }
    return Settings.model_validate({**defaults, **given})


class Pace(BaseModel):
    """How a plan went."""

    critical_ms: float
    steps_ms: float
    run_ms: float

    @property
    def ratio(self) -> float:
        """Of the steps."""
        return self.steps_ms / self.critical_ms

    @property
    def whole(self) -> float:
        """Of the run, with planning, selection and the answer."""
        return self.run_ms / self.critical_ms


async def paces(plans: int, folder: Path) -> list[Pace]:
    """Random plans, one after the other."""
    found: list[Pace] = []
    planner = Handed(tasks=[])
    async with open_orchestrator(settings_in(folder), model=Model(HANDED, planner)) as orchestrator:
        for number in range(-1, plans):
            planner.tasks = random_plan(random.Random(number), STEPS)  # noqa: S311  nothing is secret
            begun: list[float] = []
            ended: list[float] = []
            started = time.perf_counter()
            events = orchestrator.stream(QUESTIONS[number % 2], thread_id=f"pace{number}")
            async for event in events:
                if event["event"] == "step":
                    (begun if event.get("state") == "running" else ended).append(time.perf_counter())
            run_ms = (time.perf_counter() - started) * 1000
            done = [step for step in (await orchestrator.report(f"pace{number}")).steps if step.success]
            assert len(done) == STEPS, f"{len(done)} of {STEPS} steps are done"
            if number < 0:
                continue  # what is loaded on first use
            steps_ms = (max(ended) - min(begun)) * 1000
            found.append(Pace(critical_ms=critical_path(planner.tasks), steps_ms=steps_ms, run_ms=run_ms))
    return found


# Kills

Fatal = Callable[[list[str]], bool]


@dataclass
class Watch:
    """Sees a run go on, and kills the process where it is told to."""

    fatal: Fatal = lambda _: False
    seen: list[str] = field(default_factory=list[str])

    def see(self, what: str) -> None:
        """Something was seen."""
        self.seen.append(what)
        if self.fatal(self.seen):
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
        """See the events of a run."""
        async for event in events:
            self.see(f"event: {event['event']} {event.get('state', '')}".rstrip())


class Killed(BaseModel):
    """A run that was killed and resumed."""

    sight: str
    finished_again: list[str]
    """Steps the journal held as finished when the process was killed, and which ran again."""
    writes_twice: list[str]
    status: str
    complete: bool
    """Every step is done, but a write that was under way, which a person declined to repeat."""


@dataclass
class Victim:
    """A run in a folder of its own."""

    folder: Path
    tasks: list[Task]
    question: str

    def __post_init__(self) -> None:
        self.settings = settings_in(self.folder)

    async def begin(self, watch: Watch) -> None:
        """Ask, and approve what has to be, until the run has ended."""
        async with self._opened(watch) as orchestrator:
            await watch.see_events(orchestrator.stream(self.question, thread_id=THREAD))
            await self._approve(orchestrator, watch)

    async def resume(self, watch: Watch) -> None:
        """Go on with what is left, and write down how it ended."""
        async with self._opened(watch) as orchestrator:
            try:
                await watch.see_events(orchestrator.stream_resume(THREAD))
            except ThreadUnknown:  # killed before the question was written down: nothing to resume
                await watch.see_events(orchestrator.stream(self.question, thread_id=THREAD))
            declined = await self._approve(orchestrator, watch)
            report = await orchestrator.report(THREAD)
            done = [step.id for step in report.steps if step.success]
            outcome = json.dumps({"status": report.status, "done": done, "declined": declined})
            await asyncio.to_thread((self.folder / "outcome.json").write_text, outcome, encoding="utf-8")

    async def _approve(self, orchestrator: Orchestrator, watch: Watch) -> list[str]:
        """Approve what writes; a write that may have happened is not to be repeated."""
        declined: list[str] = []
        while (report := await orchestrator.report(THREAD)).status == "waiting":
            assert isinstance(report.waiting_for, list)
            replies = {
                one.step_id: "refuse" if one.why in {"may_have_happened", "already_done"} else "approve"
                for one in report.waiting_for
            }
            declined += [step for step, reply in replies.items() if reply == "refuse"]
            watch.see("approvals asked")
            await watch.see_events(orchestrator.stream_resume(THREAD, replies))
        return declined

    def _opened(self, watch: Watch) -> Any:
        return _watched(self.settings, self.tasks, watch)

    def killed(self, fatal: Fatal) -> Killed | None:
        """Kill a process of the run where it is fatal, and resume it; None where it ended before."""
        watch = Watch(fatal)
        if not _was_killed(self.begin, watch):
            return None
        at_kill, finished = self._starts(), self._finished()
        assert not _was_killed(self.resume, Watch()), "the process that resumes was killed"
        outcome = json.loads((self.folder / "outcome.json").read_text(encoding="utf-8"))
        after = self._starts()
        writing = {task.id for task in self.tasks if task.writes}
        left = {task.id for task in self.tasks} - set(outcome["done"])
        waits = {one for task in self.tasks if set(task.needs) & left for one in [task.id]}
        return Killed(
            sight="",
            finished_again=[step for step in finished if after[step] > at_kill[step]],
            writes_twice=[step for step in writing if after[step] > 1],
            status=outcome["status"],
            complete=left <= set(outcome["declined"]) | waits,
        )

    def _starts(self) -> Counter[str]:
        log = self.folder / "calls.log"
        return Counter(log.read_text(encoding="utf-8").split() if log.exists() else [])

    def _finished(self) -> set[str]:
        database = self.folder / "data" / "switchyard.sqlite"
        if not database.exists():
            return set()
        with closing(sqlite3.connect(database)) as connection:
            try:
                rows = connection.execute("SELECT value FROM store WHERE prefix LIKE 'attempts.%'").fetchall()
            except sqlite3.OperationalError:  # its tables are still to be made
                return set()
        attempts = [json.loads(row[0]) for row in rows]
        return {one["step_id"] for one in attempts if one["state"] == "finished"}


class _watched:  # noqa: N801  used as a function
    """An orchestrator that is handed a plan, and watched."""

    def __init__(self, settings: Settings, tasks: list[Task], watch: Watch) -> None:
        self._opening = open_orchestrator(settings, model=Model(HANDED, Handed(tasks=tasks)))
        self._watch = watch

    async def __aenter__(self) -> Orchestrator:
        orchestrator = await self._opening.__aenter__()
        self._watch.see_rows(orchestrator.journal)
        return orchestrator

    async def __aexit__(self, *error: object) -> None:
        await self._opening.__aexit__(*error)  # pyright: ignore[reportArgumentType]


Work = Callable[[Watch], Coroutine[Any, Any, None]]


def _was_killed(work: Work, watch: Watch) -> bool:
    """Do some work in a fork of this process; says whether it was killed."""
    child = os.fork()
    if not child:
        try:
            asyncio.run(work(watch))
        except BaseException as error:  # noqa: BLE001  the fork must never return into its parent's code
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
        os._exit(0)
    _, code = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(code)
    assert ended in {0, -signal.SIGKILL}, "the process failed"
    return ended != 0


def kills(count: int, folder: Path) -> list[Killed]:
    """Runs killed at points of their progress, spread over plans in both languages."""
    found: list[Killed] = []
    number = 0
    while len(found) < count:
        tasks = [
            Task(one.id, one.ms // 10, one.needs, one.writes)
            for one in random_plan(random.Random(1000 + number), KILLED_STEPS, writing=0.4)  # noqa: S311  the same
        ]
        question = QUESTIONS[number % 2]
        whole = Watch()
        asyncio.run(Victim(folder / f"{number}-whole", tasks, question).begin(whole))
        for point in range(1, len(whole.seen) + 1):
            victim = Victim(folder / f"{number}-{point}", tasks, question)
            killed = victim.killed(lambda seen, at=point: len(seen) == at)
            if killed is not None:
                found.append(killed.model_copy(update={"sight": whole.seen[point - 1]}))
            if len(found) == count:
                break
            if len(found) % 25 == 0:
                progress(f"{len(found)} of {count} kills")
        number += 1
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parallel", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--plans", type=int, default=10, help="random plans that are timed")
    parser.add_argument("--kills", type=int, default=200, help="points of progress at which a run is killed")
    chosen = parser.parse_args()
    clean = clean_environment()
    for name in set(os.environ) - set(clean):
        del os.environ[name]
    with TemporaryDirectory() as folder:
        found = asyncio.run(paces(chosen.plans, Path(folder) / "paces")) if chosen.plans else []
        killed = kills(chosen.kills, Path(folder) / "kills") if chosen.kills else []
    if chosen.json:
        print(
            json.dumps({"paces": [_with_ratios(one) for one in found], "kills": [one.model_dump() for one in killed]})
        )
        return
    for line in lines(found, killed):
        print(line)


def lines(found: Sequence[Pace], killed: Sequence[Killed]) -> list[str]:
    """The figures, one a line."""
    told: list[str] = []
    if found:
        ratios, whole = sorted(one.ratio for one in found), sorted(one.whole for one in found)
        middle = statistics.median(ratios)
        told.append(
            f"steps against the critical path: {middle:.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f}), n={len(found)}; "
            f"wanted ≤ {MOST}: {'yes' if middle <= MOST else 'no'}"
        )
        told.append(f"the whole run: {statistics.median(whole):.2f} ({whole[0]:.2f}–{whole[-1]:.2f})")
    if killed:
        again = sum(len(one.finished_again) for one in killed)
        twice = sum(len(one.writes_twice) for one in killed)
        open_ones = [one for one in killed if not one.complete]
        sights = Counter(one.sight for one in killed)
        told.append(f"killed at {len(killed)} points: {', '.join(f'{name} ×{n}' for name, n in sights.most_common())}")
        told.append(f"finished attempts run again: {again}; wanted 0: {'yes' if not again else 'no'}")
        told.append(f"writes run twice: {twice}; wanted 0: {'yes' if not twice else 'no'}")
        told.append(
            f"runs that did not end as they should: {len(open_ones)}; wanted 0: {'yes' if not open_ones else 'no'}"
        )
    return told


def _with_ratios(pace: Pace) -> dict[str, float]:
    return {**pace.model_dump(), "ratio": pace.ratio, "whole": pace.whole}


if __name__ == "__main__":
    sys.exit(main())
