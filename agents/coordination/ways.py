"""What is allowed next, computed from the ledger by plain code; without a model the first of these is taken."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from switchyard.ledger.context import ExecutionContext, RunStatus, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Assignment, Candidate, Decision
from switchyard.ledger.limits import LimitName, Limits
from switchyard.ledger.plan import Plan
from switchyard.toolhub.memory.adjustments import AdjustedArguments

Assignments = Mapping[str, Assignment]
Adjusted = Mapping[str, AdjustedArguments]


def allowed(
    plan: Plan,
    assignments: Assignments,
    context: ExecutionContext,
    limits: Limits,
    *,
    model: bool,
    adjusted: Adjusted = MappingProxyType({}),
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
        return [over_limit(context.limits_hit[-1])]
    failed = [record for record in _records(plan, context) if record.status == "failed"]
    if left is None:
        left = {record.step_id: remaining(assignments.get(record.step_id), context) for record in failed}
    found = [
        _first_try([step.id for step in plan.steps if step.id in assignments and context.status(step.id) == "pending"]),
        *_calls_again(failed, adjusted, context, limits, model=model),
        _switch({record.step_id: tools for record in failed if (tools := left.get(record.step_id))}),
        _replan(failed) if context.replans < limits.replans and (model or plan.by == "model") else None,
    ]
    ways = [way for way in found if way is not None]
    return [*ways, _completion(plan, context, others=bool(ways))]


def over_limit(limit: LimitName) -> Decision:
    """The only way on when a limit of the run is reached."""
    return Decision(action="complete", way="limit", reason=f"the limit of {limit} is reached")


def _first_try(steps: list[str]) -> Decision | None:
    if not steps:
        return None
    return Decision(action="execute_tool", way="first_try", reason="steps are still to be run", steps=steps)


def _calls_again(
    failed: Sequence[StepRecord], adjusted: Adjusted, context: ExecutionContext, limits: Limits, *, model: bool
) -> list[Decision]:
    """The same tools once more: with better arguments, as before if the failure may pass, or as a model changes it."""
    better = {record.step_id: adjusted[record.step_id] for record in failed if record.step_id in adjusted}
    again = [r.step_id for r in failed if r.step_id not in better and _may_try_again(r, context, limits)]
    ways: list[Decision] = []
    if better:
        reason = "adjusted " + " ".join(f"{step_id}: {one.reason}" for step_id, one in better.items())
        arguments = {step_id: one.arguments for step_id, one in better.items()}
        ways.append(
            Decision(action="execute_tool", way="adjusted", reason=reason, steps=list(better), arguments=arguments)
        )
    if again:
        reason = "the failure may pass: the same call is tried again"
        ways.append(Decision(action="execute_tool", way="again", reason=reason, steps=again))
    changeable = [r.step_id for r in failed if r.tool != NO_TOOL and tries(r, context) < limits.attempts]
    if model and changeable and not ways:
        reason = "with other arguments"
        ways.append(Decision(action="execute_tool", way="other_arguments", reason=reason, steps=changeable))
    return ways


def _switch(left: Mapping[str, list[Candidate]]) -> Decision | None:
    if not left:
        return None
    reason = "another tool is left: " + ", ".join(f"{tools[0].tool} for {step}" for step, tools in left.items())
    return Decision(action="switch_tool", way="switch", reason=reason, steps=list(left), candidates=dict(left))


def _replan(failed: Sequence[StepRecord]) -> Decision | None:
    if not failed:
        return None
    steps = [record.step_id for record in failed]
    return Decision(action="replan", way="replan", reason="another way may lead there", steps=steps)


def _completion(plan: Plan, context: ExecutionContext, *, others: bool) -> Decision:
    if all(context.status(step.id) == "done" for step in plan.steps):
        return Decision(action="complete", way="done", reason="every step is done")
    if others:
        return Decision(action="complete", way="stop", reason="answer with what is there")
    return Decision(action="complete", way="nothing_left", reason="there is no way left to try")


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


def _may_try_again(record: StepRecord, context: ExecutionContext, limits: Limits) -> bool:
    last = next((f for f in reversed(context.failures) if f.step_id == record.step_id), None)
    return last is not None and last.transient and tries(record, context) < limits.attempts


def tries(record: StepRecord, context: ExecutionContext) -> int:
    """How often a step's tool failed on it."""
    return sum(1 for f in context.failures if f.step_id == record.step_id and f.tool == record.tool)
