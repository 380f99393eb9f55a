"""The channels of the state as our models, and our models as JSON. Without LangGraph: a report is read in no time."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from switchyard.agents.execution.approval import Approval
from switchyard.language.messages import STORED
from switchyard.ledger.channels import read, unreadable
from switchyard.ledger.context import ContextUpdate, ExecutionContext
from switchyard.ledger.decisions import Assignment, Decision
from switchyard.ledger.plan import Plan
from switchyard.tools.core.json_values import is_list, is_mapping, is_object

M = TypeVar("M", bound=BaseModel)


def context_of(state: Mapping[str, Any]) -> ExecutionContext:
    """What the agents know together."""
    return read(ExecutionContext, state.get("context") or {}, "context")


def plan_of(state: Mapping[str, Any]) -> Plan | None:
    """The plan, if there is one."""
    plan = state.get("plan")
    return None if plan is None else read(Plan, plan, "plan")


def assignments_of(state: Mapping[str, Any]) -> dict[str, Assignment]:
    """The tools and arguments of each step."""
    return _read_each(Assignment, state, "assignments")


def approvals_of(state: Mapping[str, Any]) -> dict[str, Approval]:
    """What a person is asked in this round."""
    return _read_each(Approval, state, "approvals")


def decision_of(state: Mapping[str, Any]) -> Decision | None:
    """What led to this node from `coordinate`."""
    decision = state.get("decision")
    return None if decision is None else read(Decision, decision, "decision")


def again_of(state: Mapping[str, Any]) -> list[str]:
    """The steps `execute` goes on with; none where it is not said."""
    again: Any = state.get("again") or []
    if not is_list(again) or not all(isinstance(step, str) for step in again):
        raise unreadable("again", "Input should be a list of the ids of steps")
    return again


def answer_of(state: Mapping[str, Any]) -> str:
    """The answer, as far as there is one."""
    answer = state.get("answer") or ""
    if not isinstance(answer, str):
        raise unreadable("answer", "Input should be a text")
    return answer


def as_json(value: Any) -> Any:
    """A value of ours as a channel holds it; what is no model of ours stays as it is."""
    if isinstance(value, BaseModel):
        stored = value.model_dump(mode="json", context=STORED)
        if isinstance(value, ContextUpdate):  # `fresh` marks it as one; what is empty adds nothing
            return {name: part for name, part in stored.items() if part or name == "fresh"}
        return stored
    if is_object(value):
        return {name: as_json(part) for name, part in value.items()}
    return value


def _read_each(model: type[M], state: Mapping[str, Any], channel: str) -> dict[str, M]:
    values: Any = state.get(channel) or {}
    if not is_mapping(values):
        raise unreadable(channel, "Input should be an object with an entry by step")
    return {name: read(model, value, f"{channel}.{name}") for name, value in values.items()}
