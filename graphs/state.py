"""What travels through the graph. Small: results live in the journal, the catalogue in the hub.

The channels hold plain JSON. So anybody's checkpointer reads them back, no list of allowed types decides whether a run
resumes, a thread outlives a module that moves, and a person can edit the state in Studio. A node reads it into our
models where it begins, and writes it back as JSON where it ends.
"""

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from pydantic import Field
from typing_extensions import TypedDict  # typing's own breaks the server's schemas on Python 3.11

from switchyard.ledger.context import RunStatus, merge_context

Json = dict[str, Any]


class OrchestratorInput(TypedDict, total=False):
    """What a caller gives: a question, or messages whose last human one is the question."""

    question: Annotated[str, Field(description="What to answer, in English or Chinese.")]
    messages: Annotated[
        list[AnyMessage],
        Field(description="Instead of a question: the conversation, whose last human message is the question."),
        add_messages,
    ]


class OrchestratorOutput(TypedDict, total=False):
    """What a caller gets."""

    messages: Annotated[list[AnyMessage], add_messages]
    answer: str
    status: RunStatus
    plan: Json | None
    context: Annotated[Json, merge_context]


class OrchestratorState(TypedDict, total=False):
    """The whole state."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation of the thread."""
    question: Annotated[str, EphemeralValue(str)]
    """The question of this run; there for its first node alone, so that an old one never answers for a new one."""
    plan: Json | None
    """A `Plan`."""
    assignments: dict[str, Json]
    """An `Assignment` by step. Secrets among its arguments have a handle in their place."""
    context: Annotated[Json, merge_context]
    """The `ExecutionContext`, shared by all agents; starts afresh with every run."""
    decision: Annotated[Json, EphemeralValue(dict)]
    """The `Decision` that led from `coordinate` to the node after it, or from `execute` to itself when a person is
    asked; there for that node alone. A node without one is on its way from the question."""
    leads: Annotated[str, EphemeralValue(str)]
    """Where `plan` leads instead of to its steps: to a `question`, which it asks the user and waits, or, although there
    is a plan, to what was `answered at once`: it is an old one, or all that the caller wants."""
    approvals: dict[str, Json]
    """An `Approval` by step, or by item of one: what `execute` asks a person, and what was replied."""
    answer: str
    status: RunStatus
    remaining_steps: RemainingSteps
