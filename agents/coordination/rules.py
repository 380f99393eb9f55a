"""What is allowed next, computed from the ledger by plain code; without a model the first of these is taken."""

from collections.abc import Mapping
from types import MappingProxyType

from switchyard.ledger.context import ExecutionContext, RunStatus, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Assignment, Candidate, Decision
from switchyard.ledger.limits import LimitName, Limits
from switchyard.ledger.plan import Plan
from switchyard.toolhub.memory.adjustments import AdjustedArguments

Assignments = Mapping[str, Assignment]

OTHER_ARGUMENTS = "with other arguments"
"""Why a call that failed for good may be made again: a model changed it."""


def allowed(
    plan: Plan,
    assignments: Assignments,
    context: ExecutionContext,
    limits: Limits,
    *,
    model: bool,
    adjusted: Mapping[str, AdjustedArguments] = MappingProxyType({}),
    left: Mapping[str, list[Candidate]] | None = None,
) -> list[Decision]:
    """The ways on, in the order in which they are tried; the last is always `complete`.

    Args:
        plan: the plan under way.
        assignments: the tools of its steps.
        context: what happened so far.
        limits: what the run may take.
        model: whether a model can adjust arguments and plan anew.
        adjusted: by step, arguments that are likely to work where others failed.
        left: by step, the tools to switch to; those ranked for it when not given.
    """
    if context.limits_hit:
        return [Decision(action="complete", reason=f"the limit of {context.limits_hit[-1]} is reached")]
    failed = [record for record in _records(plan, context) if record.status == "failed"]
    waiting = [step.id for step in plan.steps if step.id in assignments and _is_open(context, step.id)]
    ways: list[Decision] = []
    if waiting:
        ways.append(Decision(action="execute_tool", reason="steps are still to be run", steps=waiting))
    better = {record.step_id: adjusted[record.step_id] for record in failed if record.step_id in adjusted}
    if better:
        reason = "adjusted " + " ".join(f"{step_id}: {one.reason}" for step_id, one in better.items())
        arguments = {step_id: one.arguments for step_id, one in better.items()}
        ways.append(Decision(action="execute_tool", reason=reason, steps=list(better), arguments=arguments))
    open_failures = [record for record in failed if record.step_id not in better]
    again = [record.step_id for record in open_failures if _may_try_again(record, context, limits)]
    if again:
        reason = "the failure may pass: the same call is tried again"
        ways.append(Decision(action="execute_tool", reason=reason, steps=again))
    if model:
        adjustable = [r.step_id for r in failed if r.tool != NO_TOOL and tries(r, context) < limits.attempts]
        if adjustable and not again and not better:
            ways.append(Decision(action="execute_tool", reason=OTHER_ARGUMENTS, steps=adjustable))
    if left is None:
        left = {record.step_id: remaining(assignments.get(record.step_id), context) for record in failed}
    next_tools = {r.step_id: tools[0].tool for r in failed if (tools := left.get(r.step_id))}
    if next_tools:
        reason = "another tool is left: " + ", ".join(f"{tool} for {step}" for step, tool in next_tools.items())
        ways.append(Decision(action="switch_tool", reason=reason, steps=list(next_tools)))
    if failed and context.replans < limits.replans and (model or plan.by == "model"):
        ways.append(Decision(action="replan", reason="another way may lead there", steps=[r.step_id for r in failed]))
    stop = "answer with what is there" if ways else "there is no way left to try"
    done = all(step.id in context.steps and context.steps[step.id].status == "done" for step in plan.steps)
    return [*ways, Decision(action="complete", reason="every step is done" if done else stop)]


def exhausted(plan: Plan, context: ExecutionContext, limits: Limits, *, model: bool) -> list[LimitName]:
    """The limits that leave a failed step without another way."""
    failed = [record for record in _records(plan, context) if record.status == "failed"]
    hit: list[LimitName] = []
    if any(tries(record, context) >= limits.attempts for record in failed):
        hit.append("attempts")
    if failed and model and context.replans >= limits.replans:
        hit.append("replans")
    return hit


def remaining(assignment: Assignment | None, context: ExecutionContext) -> list[Candidate]:
    """The candidates of a step that have not failed on it."""
    if assignment is None:
        return []
    failed = failed_tools(assignment.step_id, context)
    return [candidate for candidate in assignment.candidates if candidate.tool not in failed]


def failed_tools(step_id: str, context: ExecutionContext) -> set[str]:
    """The tools that failed on a step in this run."""
    return {failure.tool for failure in context.failures if failure.step_id == step_id}


def status_of(plan: Plan | None, context: ExecutionContext) -> RunStatus:
    """How a run ended, from what its steps came to."""
    if plan is None:
        return "failed"
    records = [context.steps.get(step.id) for step in plan.steps]
    done = [record for record in records if record is not None and record.status == "done"]
    if not done:
        return "failed"
    verified = [record for record in done if record.verdict is None or record.verdict.verified]
    return "answered" if len(verified) == len(records) else "partial"


def _records(plan: Plan, context: ExecutionContext) -> list[StepRecord]:
    return [context.steps[step.id] for step in plan.steps if step.id in context.steps]


def _is_open(context: ExecutionContext, step_id: str) -> bool:
    record = context.steps.get(step_id)
    return record is None or record.status == "pending"


def _may_try_again(record: StepRecord, context: ExecutionContext, limits: Limits) -> bool:
    last = next((f for f in reversed(context.failures) if f.step_id == record.step_id), None)
    return last is not None and last.transient and tries(record, context) < limits.attempts


def tries(record: StepRecord, context: ExecutionContext) -> int:
    """How often a step's tool failed on it."""
    return sum(1 for f in context.failures if f.step_id == record.step_id and f.tool == record.tool)
