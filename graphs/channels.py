"""The channels of the state as our models, and our models as JSON. Without LangGraph: a report is read in no time."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from switchyard.agents.execution.approval import Approval
from switchyard.language.messages import STORED
from switchyard.ledger.context import ContextUpdate, ExecutionContext, RunStatus, read
from switchyard.ledger.decisions import Assignment, Decision
from switchyard.ledger.plan import Plan
from switchyard.tools.core.json_values import is_object, no_fields, no_items
from switchyard.tools.core.late_model import LateModel


class Channels(LateModel):
    """What a node reads of the state; `graphs/state.py` says what each is."""

    context: ExecutionContext = Field(default_factory=ExecutionContext)
    plan: Plan | None = None
    assignments: dict[str, Assignment] = Field(default_factory=no_fields)
    approvals: dict[str, Approval] = Field(default_factory=no_fields)
    decision: Decision | None = None
    again: list[str] = Field(default_factory=no_items)
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
    if isinstance(value, BaseModel):
        if not isinstance(value, ContextUpdate):
            return value.model_dump(mode="json", context=STORED)
        # `fresh` marks it as one
        return value.model_dump(mode="json", context=STORED, include={"fresh", *(name for name, _ in value.given())})
    if is_object(value):
        return {name: as_json(part) for name, part in value.items()}
    return value
