"""How a tool is: offered or not, reachable or not, and how its calls went."""

from typing import Literal

from pydantic import BaseModel

from switchyard.toolhub.calling.retreat import Absence
from switchyard.toolhub.memory.memory import Memory, Record
from switchyard.toolhub.naming import unknown
from switchyard.toolhub.registry import ToolRegistry

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


def health_of(name: str, registry: ToolRegistry, memory: Memory, absence: Absence) -> ToolHealth:
    """The health of a name, whatever stands behind it."""
    candidates = registry.candidates(name)
    record = memory.record(name)
    if not candidates:
        state: HealthState = "disabled" if registry.withheld(name) else "unknown"
        return ToolHealth(name=name, state=state, reason=str(unknown(registry, name)), record=record)
    missing = [why for tool in candidates if (why := absence(tool))]
    if len(missing) == len(candidates):
        return ToolHealth(name=name, state="unreachable", reason=missing[0], record=record)
    failing = record.faults_in_a_row >= FAILING_AFTER
    return ToolHealth(
        name=name,
        state="failing" if failing else "ready",
        reason=f"It failed {record.faults_in_a_row} times in a row: {record.last_error}" if failing else "",
        sources=[tool.spec.source for tool in candidates if absence(tool) is None],
        record=record,
    )
