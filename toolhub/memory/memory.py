"""What the hub learned from calls: what worked, what failed, and what helped (R7.1, R7.3); and how tools are.

Bounded, free of secrets, and each user's own: only how often a tool was called, how fast it was and how it failed last
is known to all. Everything goes in through `note` and out as plain models, to be kept and taken in again (R7.6).
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from pydantic import Field

from switchyard.ledger.attempts import Failure
from switchyard.ledger.secrets import RunSecrets, plain
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import Absence, RegisteredTool, ToolRegistry
from switchyard.tools.core.errors import TRANSIENT, FailureKind
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.late_model import LateModel
from switchyard.tools.core.masking import shown_arguments
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolCapability, ToolSource, ToolSpec

FAILURES_KEPT = 50
"""Of each tool, the latest."""
FORGOTTEN_AFTER = 30 * 86_400.0
"""Seconds; an older failure says nothing any more."""
AVOIDED_FOR = 86_400.0
"""Seconds in which another tool is taken at once for one that failed, if it served in its place."""
VALUES_SHOWN = 10
UNSETTLED_KEPT = 1000
"""Places in runs whose last call failed, and of which it is not yet known what helped."""
LONGEST_VALUE = 200
"""Characters kept of an argument."""
FAILING_AFTER = 3
"""Faults in a row from which on a tool counts as failing."""

HealthState = Literal["ready", "failing", "unreachable", "disabled", "unknown"]

THE_TOOLS_FAULT: frozenset[FailureKind] = frozenset({"timeout", "rate_limit", "unavailable", "crash", "wrong_result"})
"""The others are the call's: a wrong path says nothing about the tool."""


class Adjustment(LateModel):
    """One argument that was changed."""

    field: str
    before: Any = None
    after: Any = None
    beside: dict[str, Any] | None = None
    """The other arguments of the call, where this one alone was changed."""

    def fits(self, arguments: Mapping[str, Any]) -> bool:
        """Whether this is the very call that failed."""
        rest = {name: value for name, value in arguments.items() if name != self.field}
        return self.beside == rest and self.before is not None and arguments.get(self.field) == self.before

    def is_refuted_by(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call that failed is the one that had helped."""
        rest = {name: value for name, value in arguments.items() if name != self.field}
        return arguments.get(self.field) == self.after and self.beside in (None, rest)


class FailurePatterns(LateModel):
    """What is known about the failures of a tool."""

    tool: str
    kinds: dict[FailureKind, int] = Field(default_factory=dict[FailureKind, int])
    actions: dict[str, int] = Field(default_factory=dict[str, int])
    arguments: dict[str, list[Any]] = Field(default_factory=dict[str, list[Any]])
    """The values that failed, by field, latest first."""
    errors: list[str] = Field(default_factory=list[str])
    """What was said, latest first."""
    adjustments: list[Adjustment] = Field(default_factory=list[Adjustment])
    """Changes of arguments after which the same step succeeded."""
    switches: dict[str, int] = Field(default_factory=dict[str, int])
    """Tools that succeeded in a step where this one had failed."""

    def lessons(self, question: str | None = None) -> list[str]:
        """What to know before calling the tool, a sentence each, the most useful first.

        Of a question: what was learned of a value it names; another file's columns are of no use to it.
        """
        said = [
            f"{change.field} {change.after!r} worked where {change.before!r} had failed"
            for change in self.adjustments
            if change.before is not None and change.after is not None
            if question is None or _is_named(change.before, question)
        ]
        said += [f"{tool} served in its place ({times}×)" for tool, times in self.switches.items()]
        if THE_TOOLS_FAULT.intersection(self.kinds):  # a wrong path says nothing about the next call
            said += [f"failed: {error}" for error in self.errors]
        return said


def _is_named(value: Any, text: str) -> bool:
    parts = value if is_list(value) else [value]
    return any(str(part).casefold() in text.casefold() for part in parts)


class Record(LateModel):
    """How the calls of a tool went."""

    calls: int = 0
    failures: int = 0
    faults_in_a_row: int = 0
    """Failures of the tool's own since it last succeeded."""
    latency_ms: float | None = None
    """Of the last successful call."""
    last_error: str = ""
    last_success: float | None = None
    """Seconds since the epoch."""


class ToolNotes(LateModel):
    """What is kept of one tool for one user."""

    failures: list[Failure] = Field(default_factory=list[Failure])
    """Oldest first. Each success takes the oldest away, and so does time."""
    adjustments: list[Adjustment] = Field(default_factory=list[Adjustment])
    """Oldest first."""
    switches: dict[str, int] = Field(default_factory=dict[str, int])

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return not (self.failures or self.adjustments or self.switches)


class Memory:
    """Notes on every tool that was called."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._records: defaultdict[str, Record] = defaultdict(Record)
        self._notes: dict[tuple[str, str], ToolNotes] = {}
        """By user and tool."""
        self._changed: set[tuple[str, str]] = set()
        self._successful: dict[str, tuple[str, ToolSource, str]] = {}
        self._unsettled: dict[str, Failure] = {}

    def note(self, tool: RegisteredTool, request: ToolRequest, result: ToolResult) -> None:
        """Remember how a call went."""
        name, context, arguments = tool.spec.tool_id, request.context, request.given
        user = context.user
        record = self._records[name]
        record.calls += 1
        place = context.idempotency_key.rpartition(":")[0]  # run, step and item: what follows stands for the arguments
        if result.success:
            record.faults_in_a_row = 0
            record.last_success = self._clock()
            record.latency_ms = result.meta.ms
            if self.notes(user, name).failures:
                notes = self._noted(user, name)
                notes.failures = notes.failures[1:]
            if earlier := self._unsettled.pop(place, None):
                self._settle(earlier, user, name, arguments)
            return
        held = RunSecrets()
        kept = _short(plain(held.hide(dict(arguments))))
        failure = Failure(
            step_id=context.step_id,
            tool=name,
            action=request.action,
            arguments=kept,
            kind=result.error_type or "crash",
            error=held.mask_said(result.error or "")[: LONGEST_VALUE * 5],
            at=self._clock(),
        )
        record.failures += 1
        record.faults_in_a_row += failure.kind in THE_TOOLS_FAULT
        record.last_error = failure.error
        notes = self._noted(user, name)
        notes.failures = [*notes.failures, failure][-FAILURES_KEPT:]
        if failure.kind not in TRANSIENT:
            notes.adjustments = [one for one in notes.adjustments if not one.is_refuted_by(kept)]
        if place:
            if (earlier := self._unsettled.get(place)) and earlier.tool != name:
                self.take_back(user, earlier, name, arguments)
            self._unsettled[place] = failure
            if len(self._unsettled) > UNSETTLED_KEPT:
                del self._unsettled[next(iter(self._unsettled))]

    def prefer(self, key: str, tool: RegisteredTool) -> None:
        """Remember which candidate served a name or a capability last."""
        self._successful[key] = _identity(tool)

    def is_preferred(self, key: str, tool: RegisteredTool) -> bool:
        """Whether this candidate is the one that served last."""
        return self._successful.get(key) == _identity(tool)

    def record(self, name: str) -> Record:
        """How the calls of a tool went."""
        return self._records[name].model_copy() if name in self._records else Record()

    def known(self, user: str = "") -> set[str]:
        """The tools of which something is kept."""
        return {name for owner, name in self._notes if owner == user}

    def patterns(self, name: str, user: str = "") -> FailurePatterns:
        """What is known about the failures of a tool."""
        notes = self.notes(user, name)
        latest = [failure for failure in reversed(notes.failures) if self._clock() - failure.at < FORGOTTEN_AFTER]
        values: dict[str, list[Any]] = {}
        for failure in latest:
            for field_name, value in failure.arguments.items():
                known = values.setdefault(field_name, [])
                if value not in known and len(known) < VALUES_SHOWN:
                    known.append(value)
        return FailurePatterns(
            tool=name,
            kinds=dict(Counter(failure.kind for failure in latest)),
            actions=dict(Counter(failure.action for failure in latest if failure.action)),
            arguments=values,
            errors=list(dict.fromkeys(failure.error for failure in latest))[:VALUES_SHOWN],
            adjustments=list(reversed(notes.adjustments)),
            switches=dict(notes.switches),
        )

    def stand_in(self, name: str, user: str = "") -> str | None:
        """The tool that served in the place of one that failed of itself not long ago."""
        notes, now = self.notes(user, name), self._clock()
        faults = THE_TOOLS_FAULT | {"permission"}
        failing = any(one.kind in faults and now - one.at < AVOIDED_FOR for one in notes.failures)
        return max(notes.switches, key=lambda tool: notes.switches[tool], default=None) if failing else None

    def forget(self, name: str | None, user: str) -> None:
        """Forget a tool, or everything, for a user."""
        for key in [key for key in self._notes if key[0] == user and name in {None, key[1]}]:
            del self._notes[key]
            self._changed.add(key)
        self._unsettled = {place: last for place, last in self._unsettled.items() if name not in {None, last.tool}}

    def notes(self, user: str, name: str) -> ToolNotes:
        """What is kept of a tool for a user."""
        return self._notes.get((user, name)) or ToolNotes()

    def take_in(self, user: str, name: str, notes: ToolNotes) -> None:
        """Know again what was kept, where nothing newer is known."""
        self._notes.setdefault((user, name), notes)

    def take_changes(self, user: str) -> set[str]:
        """The tools whose notes changed for a user since this was last asked."""
        changed = {name for owner, name in self._changed if owner == user}
        self._changed = {key for key in self._changed if key[0] != user}
        return changed

    def _noted(self, user: str, name: str) -> ToolNotes:
        """A tool's notes, about to change."""
        self._changed.add((user, name))
        return self._notes.setdefault((user, name), ToolNotes())

    def _settle(self, failure: Failure, user: str, name: str, arguments: Mapping[str, Any]) -> None:
        """A step that had failed succeeded: what made the difference."""
        notes = self._noted(user, failure.tool)
        if name != failure.tool:
            notes.switches[name] = notes.switches.get(name, 0) + 1
            return
        for change in _changes(failure.arguments, arguments):
            known = [one for one in notes.adjustments if one != change]
            notes.adjustments = [*known, change][-FAILURES_KEPT:]

    def take_back(self, user: str, failure: Failure, name: str, arguments: Mapping[str, Any]) -> None:
        """Unlearn what a call taught that only seemed to serve in the place of one that had failed."""
        notes = self._noted(user, failure.tool)
        if name != failure.tool:
            left = notes.switches.pop(name, 0) - 1
            notes.switches |= {name: left} if left > 0 else {}
            return
        wrong = _changes(_short(failure.arguments), arguments)
        notes.adjustments = [one for one in notes.adjustments if one not in wrong]


class ToolHealth(LateModel):
    """How a tool is."""

    name: str
    state: HealthState
    reason: str = ""
    """Why it is not ready."""
    sources: list[str] = Field(default_factory=list[str])
    """Where its candidates that can be called come from, in the order they are called."""
    record: Record = Field(default_factory=Record)
    """How its calls went in this process."""


class Health:
    """Tells how tools are."""

    def __init__(self, registry: ToolRegistry, memory: Memory, absence: Absence) -> None:
        self._registry = registry
        self._memory = memory
        self._absence = absence

    def of(self, name: str) -> ToolHealth:
        """The health of a name, whatever stands behind it."""
        candidates = self._registry.candidates(name)
        health = ToolHealth(name=name, state="ready", record=self._memory.record(name))
        absences = list(map(self._absence, candidates))
        if not candidates:
            health.state = "disabled" if self._registry.withheld(name) else "unknown"
            health.reason = str(self._registry.unknown(name))
        elif all(absences):
            health.state, health.reason = "unreachable", absences[0] or ""
        else:
            present = [tool for tool, why in zip(candidates, absences, strict=True) if not why]
            health.sources = [tool.spec.source for tool in present]
            if health.record.faults_in_a_row >= FAILING_AFTER:
                health.state = "failing"
                times = health.record.faults_in_a_row
                health.reason = f"It failed {times} times in a row: {health.record.last_error}"
        return health

    def is_there(self, name: str) -> bool:
        """Whether a tool can be called."""
        return self.of(name).state in {"ready", "failing"}

    def alternatives(self, name: str, failed: Collection[str] = ()) -> list[ToolSpec]:
        """Tools that share a capability tag with this one and can be called, most alike first; those failing come last.

        The one that cannot or should not be used need not exist; `failed` are left out.
        """
        withheld = [one.tool.spec for one in self._registry.withheld(name)]
        spec = self._registry.get(name) or next(iter(withheld), ToolSpec(tool_id=name, description=""))
        similar = [other for other in self._registry.similar(spec) if other.tool_id not in failed]
        there = [other for other in similar if self.is_there(other.tool_id)]
        return sorted(there, key=lambda other: self.of(other.tool_id).state == "failing")


def may_stand_in(failed: ToolSpec | None, other: ToolSpec, action: str | None) -> bool:
    """Whether one tool can do at all what an action of another should have done (R7.4)."""
    writes = failed is not None and failed.for_action(action).writes
    if all(other.for_action(one.name).writes != writes for one in other.capabilities or (ToolCapability(name=""),)):
        return False
    if failed is None:
        return True
    # what a tool needs is no answer to what it was asked, nor is what needs it
    return not {*failed.requires} & {*other.produces} and not {*other.requires} & {*failed.produces}


def same_arguments(one: ToolSpec, other: ToolSpec) -> list[str]:
    """What both tools have to be given; nothing where one needs something else."""
    mine, others = (
        {name for part in spec.capabilities for name in part.parameters.get("required", ())} for spec in (one, other)
    )
    return sorted(mine) if mine == others else []


def _identity(tool: RegisteredTool) -> tuple[str, ToolSource, str]:
    """What tells candidates of one name apart, in this process and in the next."""
    return tool.spec.tool_id, tool.spec.source, tool.spec.summary


def _changes(before: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Adjustment]:
    """What is different in the arguments of two calls."""
    after: dict[str, Any] = _short(shown_arguments(arguments))
    every = sorted((before.keys() | after.keys()) - {"explanation"})
    names = [name for name in every if before.get(name) != after.get(name)]
    rest = {name: value for name, value in after.items() if name not in names}
    beside = rest if len(names) == 1 else None
    return [Adjustment(field=one, before=before.get(one), after=after.get(one), beside=beside) for one in names]


def _short(value: Any) -> Any:
    """Arguments as they are remembered: not too long."""
    if isinstance(value, str):
        return value[:LONGEST_VALUE]
    if is_object(value):
        return {name: _short(part) for name, part in value.items()}
    if is_list(value):
        return [_short(part) for part in value[:VALUES_SHOWN]]
    return value
