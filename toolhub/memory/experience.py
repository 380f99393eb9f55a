"""What use has taught, each user's own, kept in a LangGraph Store: wordings for recall, notes on failures (R3.7, R7.6).

A finished run teaches which wording which tool served, and which it failed on (R3.5).
A user's rows are read once, when first needed; what is learned is written with the run that taught it. Nothing of one
user reaches another.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from langgraph.store.base import BaseStore
from pydantic import Field, ValidationError

from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import ExecutionContext, StepRecord
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.journal import label
from switchyard.ledger.plan import Plan, Step
from switchyard.toolhub.memory.memory import FORGOTTEN_AFTER, THE_TOOLS_FAULT, Memory, ToolNotes
from switchyard.toolhub.recall.learned import Experience, Learned, is_same
from switchyard.tools.core.late_model import LateModel

USERS_AT_HAND = 64
UNUSED_AFTER = 180 * 86_400.0
"""Seconds after which a wording nobody used again is forgotten, and with the last one the tool."""
ENOUGH_TIMES = 5
"""A wording that served so often is known: another time in the same day teaches nothing."""
SURE = 0.8
"""Confidence below which a result confirms nothing: a wrong tool must not confirm itself."""
LONGEST_PLAN = 3
"""Steps of a plan up to which the question says what each of its tools is for."""
_DAY = 86_400.0
_ALL = 100_000


class Lesson(LateModel):
    """A step that a tool served, or failed on, in the words it was asked with."""

    tool: str
    wording: str
    success: bool


def lessons_of(plan: Plan | None, context: ExecutionContext) -> list[Lesson]:
    """The lessons of a run; only what was verified counts."""
    if plan is None or context.limits_hit:
        return []
    return [lesson for step in plan.steps for lesson in _of_step(step, plan, context)]


def refuted(context: ExecutionContext) -> Iterator[tuple[Failure, str, Mapping[str, Any]]]:
    """What failed in a step, and the call that came in its place and did not serve: not verified, or rejected."""
    for record in context.steps.values():
        failures = [failure for failure in context.failures if failure.step_id == record.step_id]
        wrong = [(one.tool, one.arguments) for one in failures if one.kind == "wrong_result"]
        served = (record.tool or "", record.arguments)
        if not _is_sure(record) and record.tool not in {None, NO_TOOL} and served not in wrong:
            wrong.append(served)
        for tool, arguments in wrong:
            yield from ((failure, tool, arguments) for failure in failures)


def _of_step(step: Step, plan: Plan, context: ExecutionContext) -> Iterator[Lesson]:
    record = context.steps.get(step.id)
    if record is None:
        return
    served = record.tool if _is_sure(record) and record.tool != NO_TOOL else None
    reads = step.call is not None and bool(step.call.reads)  # what another step fetched: it does not serve by itself
    failures = [failure for failure in context.failures if failure.step_id == step.id]
    is_makeshift = any(failure.tool != served for failure in failures)  # it came because another had failed
    if served and not reads and not is_makeshift:
        yield from (Lesson(tool=served, wording=text, success=True) for text in _wordings(step, plan, context))
    # it speaks against a tool that the failure is its own, or that another tool could do it
    failed = {failure.tool for failure in failures if served is not None or failure.kind in THE_TOOLS_FAULT}
    yield from (Lesson(tool=tool, wording=step.description, success=False) for tool in failed - {served, NO_TOOL})


def _wordings(step: Step, plan: Plan, context: ExecutionContext) -> list[str]:
    """What the tool was asked: the step, and its question where the plan is short.

    A step whose result another one needs serves that step, not the question: a look-up is not what was asked for.
    """
    if any(step.id in other.dependencies for other in plan.steps):
        return [] if is_same(step.description, context.task) else [step.description]
    question = [context.task] if len(plan.steps) <= LONGEST_PLAN else []
    return list(dict.fromkeys([step.description, *question]))


def _is_sure(record: StepRecord) -> bool:
    verdict = record.verdict
    return record.status == "done" and verdict is not None and verdict.verified and verdict.confidence >= SURE


def taught(learned: Learned, lessons: Iterable[Lesson], now: float) -> Learned:
    """What is known once these were taken in; a step often says what its question says."""
    taken: list[Lesson] = []
    for lesson in lessons:
        alike = (one for one in taken if (one.tool, one.success) == (lesson.tool, lesson.success))
        if any(is_same(one.wording, lesson.wording) for one in alike) or _is_known(learned, lesson, now):
            continue
        taken.append(lesson)
        note = learned.with_success if lesson.success else learned.with_failure
        learned = note(lesson.tool, lesson.wording, now)
    return learned


class Known(LateModel):
    """What is known of one tool for one user: a row of the store."""

    tool: str
    wordings: Experience = Field(default_factory=Experience)
    notes: ToolNotes = Field(default_factory=ToolNotes)
    at: float = 0.0
    """When it last changed, in seconds since the epoch."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known any more."""
        return self.notes.is_empty and not self.wordings.served and not self.wordings.failed


@dataclass(slots=True)
class _User:
    learned: Learned = field(default_factory=Learned)
    failures: Learned | None = None
    """Of what was learned, what speaks against tools."""
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)


class Experiences:
    """What was learned, by user."""

    def __init__(self, store: BaseStore, memory: Memory, clock: Callable[[], float] = time.time) -> None:
        """Nothing is read yet. The `memory` of the hub is told its notes when a user is first met."""
        self._store = store
        self._memory = memory
        self._clock = clock
        self._users: dict[str, _User] = {}
        """The one met last comes last."""

    async def learned(self, user: str) -> Learned:
        """What recall lays over its index for a user."""
        return (await self._user(user)).learned

    async def failures(self, user: str) -> Learned | None:
        """What a user's tools failed on; None where none did."""
        return (await self._user(user)).failures

    async def learn(self, user: str, lessons: Iterable[Lesson]) -> None:
        """Take in what a run taught, and write what changed."""
        known, now = await self._user(user), self._clock()
        async with known.writing:
            before = known.learned
            learned = taught(before, lessons, now)
            self._know(known, learned)
            every = before.tools.keys() | learned.tools.keys()
            changed = {tool for tool in every if before.tools.get(tool) is not learned.tools.get(tool)}
            changed |= self._memory.take_changes(user)
            await asyncio.gather(*(self._write(user, tool, learned, now) for tool in changed))

    async def listed(self, user: str) -> list[Known]:
        """Everything known for a user, by tool."""
        return sorted(await self._rows(user), key=lambda known: known.tool)

    async def clear(self, user: str, tool: str | None = None) -> int:
        """Forget a tool, or everything; says how many tools were forgotten."""
        known = await self._user(user)
        async with known.writing:
            names = [row.tool for row in await self._rows(user) if tool in {None, row.tool}]
            await asyncio.gather(*(self._store.adelete(_namespace(user), name) for name in names))
            self._know(known, Learned() if tool is None else known.learned.without(tool))
            self._memory.forget(tool, user)
            self._memory.take_changes(user)
        return len(names)

    async def _user(self, user: str) -> _User:
        if user not in self._users:
            rows = await self._rows(user)
            known = self._users.setdefault(user, _User())  # two runs may have met them at once
            if not known.learned.tools:
                self._know(known, Learned(tools={row.tool: row.wordings for row in rows}))
            for row in rows:
                self._memory.take_in(user, row.tool, row.notes)
        self._users[user] = known = self._users.pop(user)  # the latest
        if len(self._users) > USERS_AT_HAND:
            del self._users[next(iter(self._users))]
        return known

    def _know(self, user: _User, learned: Learned) -> None:
        user.learned, failures = learned, learned.failures()
        if failures != user.failures:  # recall remembers its answers by the object
            user.failures = failures

    async def _write(self, user: str, tool: str, learned: Learned, now: float) -> None:
        wordings, notes = learned.tools.get(tool, Experience()), self._memory.notes(user, tool)
        row = Known(tool=tool, wordings=wordings, notes=notes, at=now)
        if row.is_empty:
            await self._store.adelete(_namespace(user), tool)
        else:
            await self._store.aput(_namespace(user), tool, row.model_dump(mode="json"), index=False)

    async def _rows(self, user: str) -> list[Known]:
        found = await self._store.asearch(_namespace(user), limit=_ALL)
        rows: list[Known] = []
        for item in found:
            if item.namespace != _namespace(user):
                continue  # a store may search by the beginning of the text
            try:
                row = _faded(Known.model_validate(item.value), self._clock())
            except ValidationError:
                continue  # written by another version: learned anew
            if not row.is_empty:
                rows.append(row)
        return rows


def _namespace(user: str) -> tuple[str, ...]:
    return ("experience", label(user))


def _is_known(learned: Learned, lesson: Lesson, now: float) -> bool:
    served = learned.tools.get(lesson.tool, Experience()).served if lesson.success else ()
    often = [one for one in served if one.times >= ENOUGH_TIMES and now - one.last < _DAY]
    return any(is_same(one.text, lesson.wording) for one in often)


def _faded(row: Known, now: float) -> Known:
    """A row without what time has taken."""
    served = tuple(one for one in row.wordings.served if now - one.last < UNUSED_AFTER)
    failed = tuple(one for one in row.wordings.failed if now - one.last < FORGOTTEN_AFTER)
    failures = [one for one in row.notes.failures if now - one.at < FORGOTTEN_AFTER]
    notes = row.notes.model_copy(update={"failures": failures}) if now - row.at < UNUSED_AFTER else ToolNotes()
    return row.model_copy(update={"wordings": Experience(served=served, failed=failed), "notes": notes})
