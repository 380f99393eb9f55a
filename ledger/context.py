"""The ExecutionContext all agents share (R1.3), and how updates to it merge."""

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, Field, ValidationError

from switchyard.language.messages import STORED, Said, message, quoted
from switchyard.ledger.attempts import Failure, Repeat
from switchyard.ledger.decisions import Decision, Downgrade, Verdict
from switchyard.ledger.limits import LimitName, Usage
from switchyard.ledger.plan import Plan
from switchyard.ledger.stored import KNOWN, ReadOnce, Versioned
from switchyard.tools.core.errors import FailureKind, StateUnreadable
from switchyard.tools.core.json_values import is_object, no_fields, no_items
from switchyard.tools.core.late_model import LateModel
from switchyard.tools.core.spec import Language

OBSERVATIONS_KEPT = 10

StepStatus = Literal["pending", "done", "failed", "blocked", "refused"]
"""`blocked`: a step it needs did not succeed. `refused`: a person said no."""

Problem = Literal["no_tool", "switched_off", "needs_model", "model_down"]
"""Why a step had no tool and was not reasoned about either: no tool fits and there is no model; what would fit is
switched off; reasoning was planned and there is no model; the model did not answer."""

RunStatus = Literal["running", "answered", "partial", "failed", "waiting", "cancelled"]

Basis = Literal["", "results", "model", "model_unchecked"]
"""What an answer rests on: results of tools, the model's own word, or its word where a tool should have been asked."""

M = TypeVar("M", bound=BaseModel)


class StepRecord(ReadOnce):
    """Where a step stands. Its full result lives in the journal under `journal_key`."""

    step_id: str
    status: StepStatus = "pending"
    tool: str | None = None
    source: str = ""
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=no_fields)
    wanted: dict[str, Any] = Field(default_factory=no_fields)
    """The arguments as they were written, where better ones were known and sent in their place."""
    signature: str = ""
    """Of the last call, to know it again."""
    attempts: int = 0
    journal_key: str | None = None
    """None where no attempt, or one for each item, gave the result."""
    items: int | None = None
    """How many items a for-each step ran over."""
    excerpt: str = ""
    error: Said | None = None
    error_type: FailureKind | None = None
    problem: Problem | None = None
    withheld: list[str] = Field(default_factory=no_items)
    """The tools that would serve the step, where the problem is that they are switched off."""
    verdict: Verdict | None = None
    checked: bool = False
    """Verified in full, not only by the gate: a step that writes may build on it."""
    ms: float = 0.0


class Observation(LateModel):
    """What a step saw, short enough for a prompt."""

    step_id: str
    tool: str
    text: str


class Pattern(LateModel):
    """Something learned in this run or an earlier one."""

    tool: str
    text: str
    learned: Literal["before", "failed", "adjusted", "switched"] = "before"
    """Before this run; or in it: arguments or an action that failed, what helped, what served in its place."""


class Clarification(LateModel):
    """What the planner asked the user; once in a run."""

    question: str
    reply: str | None = None
    """None while it is waited for."""


class AskState(LateModel):
    """What became of one thing that was asked for."""

    id: str
    text: str
    state: Literal["answered", "open", "given_up"] = "answered"
    steps: list[str] = Field(default_factory=no_items)
    """Those that serve it."""
    reason: Said = ""
    """Why it is not answered, where its steps do not say it."""


class ToolsInView(LateModel):
    """The tools this run knows of: the few it recalled by name, the rest by number."""

    names: list[str] = Field(default_factory=no_items)
    count: int = 0


class _Gathered(LateModel):
    """What the nodes of a run add to, one after the other."""

    original_plan: Plan | None = None
    unplanned: Said = ""
    """Why there is no plan, where there is none."""
    basis: Basis = ""
    asks: list[AskState] = Field(default_factory=no_items)
    issues: list[Said] = Field(default_factory=no_items)
    """What does not fit in the answer, or of how it came about."""
    steps: dict[str, StepRecord] = Field(default_factory=no_fields)
    observations: list[Observation] = Field(default_factory=no_items)
    failures: list[Failure] = Field(default_factory=no_items)
    repeats: list[Repeat] = Field(default_factory=no_items)
    """Calls that were wanted again after they had failed, and were not made."""
    refused: list[str] = Field(default_factory=no_items)
    """Signatures of the calls a person refused; none of them is put to anybody again."""
    patterns: list[Pattern] = Field(default_factory=no_items)
    decisions: list[Decision] = Field(default_factory=no_items)
    downgrades: list[Downgrade] = Field(default_factory=no_items)
    rejected_plans: list[str] = Field(default_factory=no_items)
    """Signatures of plans that did not work; none is followed twice."""
    usage: Usage = Field(default_factory=Usage)
    limits_hit: list[LimitName] = Field(default_factory=no_items)
    iterations: int = 0
    replans: int = 0
    stalls: int = 0
    """How far the run is from getting on: one more with each round that found out nothing, one less with another."""


class ExecutionContext(_Gathered, Versioned):
    """What the five agents know together about one run."""

    run_id: str = ""
    task: str = ""
    language: Language = "en"
    clarification: Clarification | None = None
    available_tools: ToolsInView = Field(default_factory=ToolsInView)
    model_failures: int = 0
    """Calls of the model in a row that gave nothing usable."""

    def status(self, step_id: str) -> StepStatus:
        """Where a step stands."""
        record = self.steps.get(step_id)
        return record.status if record else "pending"

    def is_good(self, step_id: str) -> bool:
        """Whether a step was done, and what it gave confirmed."""
        record = self.steps.get(step_id)
        return record is not None and record.status == "done" and (record.verdict is None or record.verdict.verified)

    def failures_of(self, step_id: str) -> list[Failure]:
        """What failed on a step: its own calls, and the one it would have repeated."""
        record = self.steps.get(step_id)
        same = record.signature if record and record.status == "failed" else ""
        return [one for one in self.failures if one.step_id == step_id or (same and one.signature == same)]


class ContextUpdate(_Gathered):
    """What one node adds. Lists are appended, steps replace their older selves, numbers are added."""

    fresh: ExecutionContext | None = None
    """Set by the first node of a run: the context starts here, whatever the thread held before."""
    available_tools: ToolsInView | None = None
    model_failures: int | None = None

    def given(self) -> Iterator[tuple[str, Any]]:
        """The fields that say something: what is empty adds nothing, but no failures any more are news."""
        return ((name, part) for name, part in self if part or name == "model_failures")


def read(model: type[M], value: Any, *where: str) -> M:
    """A value of the graph's state, which a person may have edited, as one of our models.

    Raises:
        StateUnreadable: when it is something else; the sentence names the place, inside of `where`.
    """
    try:
        return model.model_validate(value, context=KNOWN)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise _unreadable(".".join(map(str, (*where, *problem["loc"]))), problem["msg"]) from error


def _unreadable(where: str, problem: str) -> StateUnreadable:
    return StateUnreadable(message("state_unreadable", where=where, problem=quoted(problem)))


def merge_context(current: Any, update: Any) -> dict[str, Any]:
    """The reducer of the `context` channel, on plain JSON: any checkpointer reads it back, and a person can edit it.

    A node's update has `fresh` among its fields and is merged as `merge` does it; a field it leaves out adds nothing.
    What has no `fresh` was written by a person, and its fields replace those that were there. A node reads the context
    before it works on it: that is where what a person wrote is checked.

    Raises:
        StateUnreadable: when the update is none.
    """
    if isinstance(current, BaseModel):  # a thread that was stored as objects
        current = current.model_dump(mode="json", context=STORED)
    if not is_object(update):
        raise _unreadable("context", "Input should be an object")
    if "fresh" not in update:
        return {**current, **update}
    if update["fresh"] is not None:
        read(ExecutionContext, update["fresh"], "context", "fresh")
    base = cast("dict[str, Any]", update["fresh"] or current)
    return {**base, **{name: how(base.get(name), update[name]) for name, how in _MERGED.items() if name in update}}


def merge(current: ExecutionContext, update: ContextUpdate) -> ExecutionContext:
    """The context with what a node adds: updates merge in any order and nothing is lost."""
    base = current if update.fresh is None else update.fresh
    merged = {name: _MERGED[name](getattr(base, name), part) for name, part in update.given() if name in _MERGED}
    return base.model_copy(update=merged)


def _joined(old: list[Any] | None, new: list[Any]) -> list[Any]:
    return (old or []) + [item for item in new if item not in (old or [])]


def _appended(old: list[Any] | None, new: list[Any]) -> list[Any]:
    return (old or []) + new


def _replaced(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    return {**(old or {}), **new}


def _added(old: Any, new: Any) -> Any:
    """Usage, or a number; of the whole catalogue the size is told, which is no sum."""
    if not is_object(new):
        return (old or 0) + new
    total: dict[str, Any] = {**(old or {})}
    for name, part in new.items():
        if not part and name in total:
            continue  # most nodes spend time alone
        before = total.get(name)
        total[name] = max(before or 0, part) if name == "full_catalogue" else _added(before, part)
    return total


_MERGED: dict[str, Callable[[Any, Any], Any]] = {
    "original_plan": lambda old, new: old or new,
    "unplanned": lambda old, new: new or old,
    "basis": lambda old, new: new or old,
    "asks": lambda old, new: new or old,
    "issues": _joined,
    "steps": _replaced,
    "observations": lambda old, new: _appended(old, new)[-OBSERVATIONS_KEPT:],
    "failures": _joined,
    "repeats": _appended,
    "refused": _joined,
    "patterns": _joined,
    "available_tools": lambda old, new: new or old,
    "model_failures": lambda old, new: old if new is None else new,
    "decisions": _appended,
    "downgrades": _appended,
    "rejected_plans": _joined,
    "usage": _added,
    "limits_hit": _joined,
    "iterations": _added,
    "replans": _added,
    "stalls": lambda old, new: max(0, (old or 0) + new),
}
"""How each field takes what a node adds to it, as models and as JSON alike."""
