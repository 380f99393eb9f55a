"""A run as one object: what `--json` prints and what `ask` returns."""

import json
from itertools import islice
from typing import Annotated, Any

from pydantic import BaseModel, Field, PlainSerializer

from switchyard.agents.execution.approval import ApprovalRequest
from switchyard.graphs.channels import Channels
from switchyard.language.messages import Said
from switchyard.ledger.attempts import Attempt, Failure
from switchyard.ledger.context import AskState, Basis, ExecutionContext, RunStatus, StepRecord
from switchyard.ledger.decisions import Assignment, Decision, Downgrade
from switchyard.ledger.limits import Usage
from switchyard.ledger.plan import Plan, Step
from switchyard.ledger.results import full_result
from switchyard.ledger.secrets import plain
from switchyard.tools.core.json_values import is_list, is_object

MOST_REPORTED = 20_000
"""Characters of a step's result in a report."""
SHORTER = ((8000, 200), (2000, 50), (500, 10), (200, 3))
"""What a longer one is cut to, the first that fits: characters of a text, items of a list."""


class Source(BaseModel):
    """Where a part of the answer comes from."""

    step: str
    tool: str
    source: str
    items: list[str] = Field(default_factory=list[str])
    """What the tool consulted: files, addresses, tables."""


class StepReport(BaseModel):
    """What became of a step."""

    id: str
    tool: str | None = None
    source: str = ""
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    attempts: int = 0
    success: bool = False
    result: Any = None
    cut: bool = Field(default=False, exclude_if=lambda value: not value)
    """The result is longer than what stands here: `Orchestrator.result` and `threads show --step` have all of it."""
    error: Said | None = None
    error_type: str | None = None
    verified: bool = False
    confidence: float = 0.0
    issues: list[Said] = Field(default_factory=list[Said])
    ms: float = 0.0


def _only(*fields: str) -> PlainSerializer:
    """Of a record of the ledger, a report tells these fields."""
    return PlainSerializer(lambda record: record.model_dump(mode="json", include=set(fields)))


class RunReport(BaseModel):
    """Everything a caller may want to know about a run."""

    thread_id: str
    run_id: str
    question: str
    status: RunStatus
    answer: str
    basis: Basis = ""
    """What the answer rests on; `model`: nothing was looked up, it is the model's own word."""
    asks: list[AskState] = Field(default_factory=list[AskState])
    """What was asked for, and whether it is answered: the status is made of it."""
    issues: list[Said] = Field(default_factory=list[Said])
    """What of the answer is in no result."""
    sources: list[Source] = Field(default_factory=list[Source])
    plan: Annotated[Plan, _only("revision", "by", "asks", "steps")] = Field(default_factory=lambda: Plan(revision=0))
    """The one that was followed last."""
    steps: list[StepReport] = Field(default_factory=list[StepReport])
    failures: list[Failure] = Field(default_factory=list[Failure])
    """The calls that were made and failed; why one could not be made, its step says."""
    decisions: list[Annotated[Decision, _only("action", "reason", "by", "allowed")]] = Field(
        default_factory=list[Decision]
    )
    usage: Usage = Field(default_factory=Usage)
    limits_hit: list[str] = Field(default_factory=list[str])
    downgrades: list[Annotated[Downgrade, _only("agent", "reason")]] = Field(default_factory=list[Downgrade])
    model: str | None = None
    waiting_for: list[ApprovalRequest] | str | None = Field(default=None, exclude_if=lambda value: value is None)
    """The calls that wait for a person, or the question the planner asks; only there while the status is `waiting`."""


def build_report(
    thread_id: str, seen: Channels, attempts: list[Attempt], *, model: str | None, interrupts: list[Any]
) -> RunReport:
    """The report of the thread's last run, from the graph's state and the journal."""
    context, plan = seen.context, seen.plan
    planned = {step.id: step for step in plan.steps} if plan else {}
    # steps of an earlier plan that the last one left behind come last
    every = planned | {gone: Step(id=gone, description="") for gone in context.steps if gone not in planned}
    steps = [
        _step(step, context.steps.get(step.id), seen.assignments.get(step.id), attempts) for step in every.values()
    ]
    waiting = waiting_for(interrupts)
    return RunReport(
        thread_id=thread_id,
        run_id=context.run_id,
        question=context.task,
        status="waiting" if waiting is not None else seen.status,
        answer=seen.answer,
        basis=context.basis or _basis(context),
        asks=context.asks,
        issues=context.issues,
        sources=_sources(steps, attempts),
        plan=plan or Plan(revision=0),
        steps=steps,
        failures=context.failures,
        decisions=context.decisions,
        usage=context.usage,
        limits_hit=list(context.limits_hit),
        downgrades=context.downgrades,
        model=model,
        waiting_for=waiting,
    )


def _basis(context: ExecutionContext) -> Basis:
    """What the answer of finished steps rests on: a model's own word alone, or what tools gave."""
    done = [one for one in context.steps.values() if one.status == "done"]
    return "" if not done else "model" if all(one.source == "model" for one in done) else "results"


def _step(step: Step, record: StepRecord | None, assignment: Assignment | None, attempts: list[Attempt]) -> StepReport:
    if record is None:
        return StepReport(
            id=step.id,
            tool=assignment.tool if assignment else step.tool,
            arguments=plain(assignment.arguments) if assignment else {},
        )
    verdict = record.verdict
    done = record.status == "done"
    shared: dict[str, Any] = {name: value for name, value in record if name in StepReport.model_fields}
    shared["ms"] = round(record.ms, 3)
    whole = full_result(step, record, attempts) if done else None
    result = _bounded(whole)
    return StepReport(
        **shared,
        id=step.id,
        success=done,
        result=result,
        cut=result is not whole,
        verified=done and (verdict is None or verdict.verified),
        confidence=verdict.confidence if verdict else 0.0,
        issues=verdict.issues if verdict else [],
    )


def _bounded(whole: Any) -> Any:
    """A result as far as a report carries it: whole files stay in the journal."""
    if _size(whole) <= MOST_REPORTED:
        return whole
    for longest, items in SHORTER:
        shorter = _shortened(whole, longest, items)
        if _size(shorter) <= MOST_REPORTED:
            return shorter
    return json.dumps(whole, ensure_ascii=False, default=str)[: SHORTER[-1][0]]


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str))


def _shortened(value: Any, longest: int, items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}…"
    if is_list(value):
        return [_shortened(one, longest, items) for one in value[:items]]
    if is_object(value):
        return {name: _shortened(one, longest, items) for name, one in islice(value.items(), 10 * items)}
    return value


def _sources(steps: list[StepReport], attempts: list[Attempt]) -> list[Source]:
    found: list[Source] = []
    for step in steps:
        if step.success and step.tool:
            own = [one.result for one in attempts if one.step_id == step.id and one.result and one.state == "finished"]
            items = list(dict.fromkeys(item for result in own for item in result.meta.sources))
            found.append(Source(step=step.id, tool=step.tool, source=step.source, items=items))
    return found


def waiting_for(interrupts: list[Any]) -> list[ApprovalRequest] | str | None:
    """What a paused run waits for: calls to approve, or a question to answer."""
    if not interrupts:
        return None
    value: dict[str, Any] = interrupts[0].value
    if value.get("type") == "question":
        return str(value["question"])
    return [ApprovalRequest.model_validate(request) for request in value.get("requests", [])]
