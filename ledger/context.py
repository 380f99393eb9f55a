"""The ExecutionContext all agents share (R1.3), and how updates to it merge."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from ledger.attempts import Failure
from ledger.decisions import Decision, Downgrade, Verdict
from ledger.limits import LimitName, Usage
from ledger.plan import Plan
from tools.core.errors import FailureKind
from tools.core.spec import Language

OBSERVATIONS_KEPT = 10

StepStatus = Literal["pending", "done", "failed", "blocked", "refused"]
"""`blocked`: a step it needs did not succeed. `refused`: a person said no."""

RunStatus = Literal["answered", "partial", "failed", "waiting", "cancelled"]


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
    excerpt: str = ""
    error: str | None = None
    error_type: FailureKind | None = None
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
    original_plan: Plan | None = None
    steps: dict[str, StepRecord] = Field(default_factory=dict[str, StepRecord])
    observations: list[Observation] = Field(default_factory=list[Observation])
    failures: list[Failure] = Field(default_factory=list[Failure])
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
    patterns: list[Pattern] = Field(default_factory=list[Pattern])
    available_tools: ToolsInView | None = None
    decisions: list[Decision] = Field(default_factory=list[Decision])
    downgrades: list[Downgrade] = Field(default_factory=list[Downgrade])
    rejected_plans: list[str] = Field(default_factory=list[str])
    usage: Usage = Field(default_factory=Usage)
    limits_hit: list[LimitName] = Field(default_factory=list[LimitName])
    iterations: int = 0
    replans: int = 0


def merge_context(
    current: ExecutionContext, update: ContextUpdate | ExecutionContext | dict[str, Any]
) -> ExecutionContext:
    """The reducer of the `context` channel: concurrent updates merge in any order and nothing is lost."""
    if isinstance(update, ExecutionContext):
        return update
    if isinstance(update, dict):
        update = ContextUpdate.model_validate(update)
    base = current if update.fresh is None else update.fresh
    return base.model_copy(
        update={
            "original_plan": base.original_plan or update.original_plan,
            "steps": {**base.steps, **update.steps},
            "observations": (base.observations + update.observations)[-OBSERVATIONS_KEPT:],
            "failures": _joined(base.failures, update.failures),
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
