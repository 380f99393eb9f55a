"""How a tool is: offered or not, reachable or not, and how its calls went."""

from collections.abc import Collection
from typing import Literal

from pydantic import BaseModel

from switchyard.toolhub.memory.memory import Memory, Record
from switchyard.toolhub.registry import Absence, ToolRegistry
from switchyard.tools.core.spec import ToolSpec

FAILING_AFTER = 3
"""Faults in a row from which on a tool counts as failing."""

HealthState = Literal["ready", "failing", "unreachable", "disabled", "unknown"]


class ToolHealth(BaseModel):
    """How a tool is."""

    name: str
    state: HealthState
    reason: str = ""
    """Why it is not ready."""
    sources: list[str] = []
    """Where its candidates that can be called come from, in the order they are called."""
    record: Record = Record()
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
        record = self._memory.record(name)
        if not candidates:
            state: HealthState = "disabled" if self._registry.withheld(name) else "unknown"
            return ToolHealth(name=name, state=state, reason=str(self._registry.unknown(name)), record=record)
        missing = [why for tool in candidates if (why := self._absence(tool))]
        if len(missing) == len(candidates):
            return ToolHealth(name=name, state="unreachable", reason=missing[0], record=record)
        failing = record.faults_in_a_row >= FAILING_AFTER
        return ToolHealth(
            name=name,
            state="failing" if failing else "ready",
            reason=f"It failed {record.faults_in_a_row} times in a row: {record.last_error}" if failing else "",
            sources=[tool.spec.source for tool in candidates if self._absence(tool) is None],
            record=record,
        )

    def alternatives(self, name: str, failed: Collection[str] = ()) -> list[ToolSpec]:
        """Tools that share a capability tag with this one and can be called, most alike first; those failing come last.

        Args:
            name: the tool that cannot or should not be used; it need not exist.
            failed: tools that failed too.
        """
        withheld = [one.tool.spec for one in self._registry.withheld(name)]
        spec = self._registry.get(name) or next(iter(withheld), ToolSpec(name=name, summary=""))
        similar = [other for other in self._registry.similar(spec) if other.name not in failed]
        states = {other.name: self.of(other.name).state for other in similar}
        there = [other for other in similar if states[other.name] in {"ready", "failing"}]
        return sorted(there, key=lambda other: states[other.name] == "failing")
