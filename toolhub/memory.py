"""What the hub learned from calls: what worked, what failed, and what helped (R7.1, R7.3).

Kept per library, bounded, and free of secrets. Everything goes in through `note` and out as plain models.
"""

import statistics
import time
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, Field

from ledger.attempts import Failure, call_signature
from ledger.secrets import masked
from toolhub.registry import RegisteredTool
from tools.core.context import ToolContext
from tools.core.errors import FailureKind
from tools.core.masking import MASK, is_secret_name
from tools.core.result import ToolResult
from tools.core.spec import ToolSource

FAILURES_KEPT = 50
"""Of each tool, the latest."""
VALUES_SHOWN = 10
LATENCIES_KEPT = 20
UNSETTLED_KEPT = 1000
"""Places in runs whose last call failed, and of which it is not yet known what helped."""
LONGEST_VALUE = 200
"""Characters kept of an argument."""

THE_TOOLS_FAULT: frozenset[FailureKind] = frozenset({"timeout", "rate_limit", "unavailable", "crash", "wrong_result"})
"""The others are the call's: a wrong path says nothing about the tool."""


class Adjustment(BaseModel):
    """One argument that was changed."""

    field: str
    before: Any = None
    after: Any = None


class FailurePatterns(BaseModel):
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


class Record(BaseModel):
    """How the calls of a tool went."""

    calls: int = 0
    failures: int = 0
    faults_in_a_row: int = 0
    """Failures of the tool's own since it last succeeded."""
    latency_ms: float | None = None
    """The middle of the last successful calls."""
    last_error: str = ""
    last_success: float | None = None
    """Seconds since the epoch."""


@dataclass(slots=True)
class _Notes:
    record: Record = field(default_factory=Record)
    latencies: deque[float] = field(default_factory=lambda: deque[float](maxlen=LATENCIES_KEPT))
    failures: deque[Failure] = field(default_factory=lambda: deque[Failure](maxlen=FAILURES_KEPT))
    adjustments: deque[Adjustment] = field(default_factory=lambda: deque[Adjustment](maxlen=FAILURES_KEPT))
    switches: Counter[str] = field(default_factory=Counter[str])


class Memory:
    """Notes on every tool that was called."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._notes: defaultdict[str, _Notes] = defaultdict(_Notes)
        self._successful: dict[str, tuple[str, ToolSource, str]] = {}
        self._unsettled: OrderedDict[str, Failure] = OrderedDict()

    def note(
        self,
        tool: RegisteredTool,
        action: str | None,
        arguments: Mapping[str, Any],
        result: ToolResult,
        context: ToolContext,
    ) -> None:
        """Remember how a call went."""
        name, notes = tool.spec.name, self._notes[tool.spec.name]
        notes.record.calls += 1
        place = context.idempotency_key.rpartition(":")[0]  # run, step and item: what follows stands for the arguments
        if result.success:
            self._succeeded(notes, result.meta.ms)
            if earlier := self._unsettled.pop(place, None):
                self._settle(earlier, name, arguments)
            return
        failure = Failure(
            step_id=context.step_id,
            tool=name,
            action=action,
            arguments=_kept(arguments),
            kind=result.error_type or "crash",
            error=masked(result.error or "")[: LONGEST_VALUE * 5],
            signature=call_signature(name, action, arguments),
            at=self._clock(),
        )
        notes.record.failures += 1
        notes.record.faults_in_a_row += failure.kind in THE_TOOLS_FAULT
        notes.record.last_error = failure.error
        notes.failures.append(failure)
        if place:
            self._unsettled[place] = failure
            while len(self._unsettled) > UNSETTLED_KEPT:
                self._unsettled.popitem(last=False)

    def prefer(self, key: str, tool: RegisteredTool) -> None:
        """Remember which candidate served a name or a capability last."""
        self._successful[key] = _identity(tool)

    def is_preferred(self, key: str, tool: RegisteredTool) -> bool:
        """Whether this candidate is the one that served last."""
        return self._successful.get(key) == _identity(tool)

    def record(self, name: str) -> Record:
        """How the calls of a tool went."""
        notes = self._notes.get(name)
        if notes is None:
            return Record()
        latency = statistics.median(notes.latencies) if notes.latencies else None
        return notes.record.model_copy(update={"latency_ms": latency})

    def patterns(self, name: str) -> FailurePatterns:
        """What is known about the failures of a tool."""
        notes = self._notes.get(name, _Notes())
        latest = list(reversed(notes.failures))
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

    def failed_values(self, name: str) -> list[Any]:
        """Every argument that was in a failed call of a tool, latest first."""
        return [value for values in self.patterns(name).arguments.values() for value in values]

    def forget(self, name: str | None = None) -> None:
        """Forget a tool, or everything."""
        names = list(self._notes) if name is None else [name]
        for one in names:
            self._notes.pop(one, None)
        self._successful = {key: served for key, served in self._successful.items() if served[0] not in names}
        self._unsettled = OrderedDict((key, last) for key, last in self._unsettled.items() if last.tool not in names)

    def _succeeded(self, notes: _Notes, ms: float) -> None:
        notes.record.faults_in_a_row = 0
        notes.record.last_success = self._clock()
        notes.latencies.append(ms)

    def _settle(self, failure: Failure, name: str, arguments: Mapping[str, Any]) -> None:
        """A step that had failed succeeded: what made the difference."""
        notes = self._notes[failure.tool]
        if name != failure.tool:
            notes.switches[name] += 1
            return
        before, after = failure.arguments, _kept(arguments)
        for changed in sorted(before.keys() | after.keys()):
            if before.get(changed) != after.get(changed) and changed != "explanation":
                change = Adjustment(field=changed, before=before.get(changed), after=after.get(changed))
                notes.adjustments.append(change)


def _identity(tool: RegisteredTool) -> tuple[str, ToolSource, str]:
    """What tells candidates of one name apart, in this process and in the next."""
    return tool.spec.name, tool.spec.source, tool.spec.summary


def _kept(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as they are remembered: without secrets, and not too long."""
    return {name: MASK if is_secret_name(name) else _short(value) for name, value in arguments.items()}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)[:LONGEST_VALUE]
    if isinstance(value, Mapping):
        return _kept(cast("Mapping[str, Any]", value))
    if isinstance(value, list):
        return [_short(part) for part in cast("list[Any]", value)[:VALUES_SHOWN]]
    return value
