"""The channels of the state as our models, and our models as JSON. Without LangGraph: a report is read in no time."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from switchyard.agents.execution.approval import Approval
from switchyard.language.messages import STORED
from switchyard.ledger.context import ContextUpdate, ExecutionContext, RunStatus, read
from switchyard.ledger.decisions import Assignment, Decision
from switchyard.ledger.plan import Plan
from switchyard.ledger.stored import ReadOnce
from switchyard.tools.core.json_values import is_object, no_fields
from switchyard.tools.core.late_model import LateModel

_WHOLE = frozenset({"original_plan", "steps"})
"""Of an update, what the next node is not to read again."""


class Channels(LateModel):
    """What a node reads of the state; `graphs/state.py` says what each is."""

    context: ExecutionContext = Field(default_factory=ExecutionContext)
    plan: Plan | None = None
    assignments: dict[str, Assignment] = Field(default_factory=no_fields)
    approvals: dict[str, Approval] = Field(default_factory=no_fields)
    decision: Decision | None = None
    answer: str = ""
    status: RunStatus = "failed"


def read_channels(state: Mapping[str, Any]) -> Channels:
    """The channels that hold something, which a person may have edited.

    Raises:
        StateUnreadable: naming the place that cannot be read.
    """
    return read(Channels, {name: state[name] for name in Channels.model_fields if state.get(name)})


def as_json(value: Any) -> Any:
    """A value of ours as a channel holds it; what is no model of ours stays as it is."""
    if isinstance(value, ReadOnce):
        return value.stored()
    if isinstance(value, ContextUpdate):
        given = dict(value.given())
        apart = {name: as_json(given[name]) for name in _WHOLE & given.keys()}
        # `fresh` marks it as an update
        rest = value.model_dump(mode="json", context=STORED, include=given.keys() - apart.keys())
        return {"fresh": None, **rest, **apart}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", context=STORED)
    if is_object(value):
        return {name: as_json(part) for name, part in value.items()}
    return value
