"""The ExecutionContext all agents share (R1.3), and how updates to it merge."""

from typing import Any, Literal, cast

from pydantic import BaseModel, Field

from switchyard.ledger.attempts import Failure
from switchyard.ledger.channels import read
from switchyard.ledger.decisions import Decision, Downgrade, Verdict
from switchyard.ledger.limits import LimitName, Usage
from switchyard.ledger.plan import Plan
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.spec import Language

OBSERVATIONS_KEPT = 10

StepStatus = Literal["pending", "done", "failed", "blocked", "refused"]
"""`blocked`: a step it needs did not succeed. `refused`: a person said no."""

Problem = Literal["no_tool", "switched_off", "needs_model", "model_down"]
"""Why a step had no tool and was not reasoned about either: no tool fits and there is no model; what would fit is
switched off; reasoning was planned and there is no model; the model did not answer."""

RunStatus = Literal["running", "answered", "partial", "failed", "waiting", "cancelled"]


class StepRecord(BaseModel):
    """Where a step stands. Its full result lives in the journal under `journal_key`."""

    step_id: str
    status: StepStatus = "pending"
    tool: str | None = None
    source: str = ""
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    signature: str = ""
    """Of the last call, to know it again."""
    attempts: int = 0
    journal_key: str | None = None
    """None where no attempt, or one for each item, gave the result."""
    items: int | None = None
    """How many items a for-each step ran over."""
    excerpt: str = ""
    error: str | None = None
    error_type: FailureKind | None = None
    problem: Problem | None = None
    withheld: list[str] = Field(default_factory=list[str])
    """The tools that would serve the step, where the problem is that they are switched off."""
    verdict: Verdict | None = None
    checked: bool = False
    """Verified in full, not only by the gate: a step that writes may build on it."""
    ms: float = 0.0


class Observation(BaseModel):
    """What a step saw, short enough for a prompt."""

    step_id: str
    tool: str
    text: str


class Pattern(BaseModel):
    """Something learned in this run or an earlier one."""

    tool: str
    text: str


class Clarification(BaseModel):
    """What the planner asked the user; once in a run."""

    question: str
    reply: str | None = None
    """None while it is waited for."""


class ToolsInView(BaseModel):
    """The tools this run knows of: the few it recalled by name, the rest by number."""

    names: list[str] = Field(default_factory=list[str])
    count: int = 0
    revision: int = 0


class ExecutionContext(BaseModel):
    """What the five agents know together about one run."""

    run_id: str = ""
    task: str = ""
    language: Language = "en"
    clarification: Clarification | None = None
    original_plan: Plan | None = None
    steps: dict[str, StepRecord] = Field(default_factory=dict[str, StepRecord])
    observations: list[Observation] = Field(default_factory=list[Observation])
    failures: list[Failure] = Field(default_factory=list[Failure])
    refused: list[str] = Field(default_factory=list[str])
    """Signatures of the calls a person refused; none of them is put to anybody again."""
    patterns: list[Pattern] = Field(default_factory=list[Pattern])
    available_tools: ToolsInView = Field(default_factory=ToolsInView)
    decisions: list[Decision] = Field(default_factory=list[Decision])
    downgrades: list[Downgrade] = Field(default_factory=list[Downgrade])
    rejected_plans: list[str] = Field(default_factory=list[str])
    """Signatures of plans that did not work; none is followed twice."""
    usage: Usage = Field(default_factory=Usage)
    limits_hit: list[LimitName] = Field(default_factory=list[LimitName])
    iterations: int = 0
    replans: int = 0


class ContextUpdate(BaseModel):
    """What one node adds. Lists are appended, steps replace their older selves, numbers are added."""

    fresh: ExecutionContext | None = None
    """Set by the first node of a run: the context starts here, whatever the thread held before."""
    original_plan: Plan | None = None
    steps: dict[str, StepRecord] = Field(default_factory=dict[str, StepRecord])
    observations: list[Observation] = Field(default_factory=list[Observation])
    failures: list[Failure] = Field(default_factory=list[Failure])
    refused: list[str] = Field(default_factory=list[str])
    patterns: list[Pattern] = Field(default_factory=list[Pattern])
    available_tools: ToolsInView | None = None
    decisions: list[Decision] = Field(default_factory=list[Decision])
    downgrades: list[Downgrade] = Field(default_factory=list[Downgrade])
    rejected_plans: list[str] = Field(default_factory=list[str])
    usage: Usage = Field(default_factory=Usage)
    limits_hit: list[LimitName] = Field(default_factory=list[LimitName])
    iterations: int = 0
    replans: int = 0


def merge_context(current: dict[str, Any], update: Any) -> dict[str, Any]:
    """The reducer of the `context` channel, on plain JSON: any checkpointer reads it back, and a person can edit it.

    A node's update has `fresh` among its fields and is merged; what has not was written by a person, and its fields
    replace those that were there.

    Raises:
        StateUnreadable: when the update is neither.
    """
    if isinstance(update, dict) and "fresh" not in update:
        return {**current, **cast("dict[str, Any]", update)}
    merged = merge(read(ExecutionContext, current, "context"), read(ContextUpdate, update, "context"))
    return merged.model_dump(mode="json")


def merge(current: ExecutionContext, update: ContextUpdate) -> ExecutionContext:
    """The context with what a node adds: updates merge in any order and nothing is lost."""
    base = current if update.fresh is None else update.fresh
    return base.model_copy(
        update={
            "original_plan": base.original_plan or update.original_plan,
            "steps": {**base.steps, **update.steps},
            "observations": (base.observations + update.observations)[-OBSERVATIONS_KEPT:],
            "failures": _joined(base.failures, update.failures),
            "refused": _joined(base.refused, update.refused),
            "patterns": _joined(base.patterns, update.patterns),
            "available_tools": update.available_tools or base.available_tools,
            "decisions": base.decisions + update.decisions,
            "downgrades": base.downgrades + update.downgrades,
            "rejected_plans": _joined(base.rejected_plans, update.rejected_plans),
            "usage": base.usage.plus(update.usage),
            "limits_hit": _joined(base.limits_hit, update.limits_hit),
            "iterations": base.iterations + update.iterations,
            "replans": base.replans + update.replans,
        }
    )


def _joined(old: list[Any], new: list[Any]) -> list[Any]:
    return old + [item for item in new if item not in old]
