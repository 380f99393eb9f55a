"""What travels through the graph. Small: results live in the journal, the catalogue in the hub."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict  # typing's own breaks the server's schemas on Python 3.11

from ledger.context import ExecutionContext, RunStatus, merge_context
from ledger.decisions import Assignment, Decision
from ledger.plan import Plan


class OrchestratorInput(TypedDict, total=False):
    """What a caller gives: a question, or messages whose last human one is the question."""

    question: str
    messages: Annotated[list[AnyMessage], add_messages]
    run_id: str


class OrchestratorOutput(TypedDict, total=False):
    """What a caller gets."""

    messages: Annotated[list[AnyMessage], add_messages]
    answer: str
    status: RunStatus
    plan: Plan | None
    context: Annotated[ExecutionContext, merge_context]


class OrchestratorState(TypedDict, total=False):
    """The whole state."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation of the thread."""
    question: Annotated[str, EphemeralValue(str)]
    """The question of this run; there for its first node alone, so that an old one never answers for a new one."""
    run_id: Annotated[str, EphemeralValue(str)]
    """A caller's own id for this run."""
    plan: Plan | None
    assignments: dict[str, Assignment]
    context: Annotated[ExecutionContext, merge_context]
    """Shared by all agents; starts afresh with every run."""
    decision: Annotated[Decision, EphemeralValue(Decision)]
    """What led from `coordinate` to the node after it; there for that node alone. A node without one is on its way
    from the question."""
    answer: str
    status: RunStatus
    remaining_steps: RemainingSteps
