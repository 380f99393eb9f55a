"""What is allowed next, computed by plain code from the ledger and from what the hub knows to help a failed step.

That is arguments adjusted, and tools for the same purpose (R7.3, R7.4). Without a model the first way is taken.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from switchyard.agents.by_rules.chooser import assigned
from switchyard.agents.scope import RunScope
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import ExecutionContext, RunStatus, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Action, Assignment, Candidate, Decision, Way
from switchyard.ledger.guard import refusal
from switchyard.ledger.limits import LimitName
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import Plan, Step
from switchyard.toolhub.memory.adjustments import AdjustedArguments
from switchyard.toolhub.memory.memory import THE_TOOLS_FAULT
from switchyard.tools.core.masking import MASK
from switchyard.tools.core.spec import ToolSpec


def allowed(
    plan: Plan,
    assignments: Mapping[str, Assignment],
    context: ExecutionContext,
    options: RunOptions,
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
        options: with the limits of the run.
        model: whether a model can adjust arguments and plan anew.
        adjusted: by step, arguments that are likely to work where others failed.
        left: by step, the tools to switch to; those ranked for it when not given.
    """
    if context.limits_hit:
        return [over_limit(context.limits_hit[-1])]
    failed = _failed(plan, context)
    if left is None:
        left = {record.step_id: remaining(assignments.get(record.step_id), context) for record in failed}
    untried = [step.id for step in plan.steps if step.id in assignments and context.status(step.id) == "pending"]
    better = {record.step_id: adjusted[record.step_id] for record in failed if record.step_id in adjusted}
    reasons = " ".join(f"{step_id}: {one.reason}" for step_id, one in better.items())
    written = {step_id: one.arguments for step_id, one in better.items()}
    open_to_tries = [record for record in failed if tries(record, context) < options.max_attempts]
    again = [r.step_id for r in open_to_tries if r.step_id not in better and _may_pass(r, context)]
    by_model = model and not better and not again
    changeable = [record.step_id for record in open_to_tries if record.tool != NO_TOOL] if by_model else []
    others = {record.step_id: tools for record in failed if (tools := left.get(record.step_id))}
    first = ", ".join(f"{tools[0].tool} for {step_id}" for step_id, tools in others.items())
    may_replan = context.replans < options.max_replans and (model or plan.by == "model")
    replanned = [record.step_id for record in failed] if may_replan else []
    possible = [
        _way("execute_tool", "first_try", "steps are still to be run", untried),
        _way("execute_tool", "adjusted", f"adjusted {reasons}", better, arguments=written),
        _way("execute_tool", "again", "the failure may pass: the same call is tried again", again),
        _way("execute_tool", "other_arguments", "with other arguments", changeable),
        _way("switch_tool", "switch", f"another tool is left: {first}", others, candidates=others),
        _way("replan", "replan", "another way may lead there", replanned),
    ]
    ways = [way for way in possible if way.steps]
    return [*ways, _completion(plan, context, others=bool(ways))]


def _way(action: Action, way: Way, reason: str, steps: Iterable[str], **more: Any) -> Decision:
    return Decision(action=action, way=way, reason=reason, steps=list(steps), **more)


def over_limit(limit: LimitName) -> Decision:
    """The only way on when a limit of the run is reached."""
    return Decision(action="complete", way="limit", reason=f"the limit of {limit} is reached")


def _completion(plan: Plan, context: ExecutionContext, *, others: bool) -> Decision:
    if all(context.status(step.id) == "done" for step in plan.steps):
        return Decision(action="complete", way="done", reason="every step is done")
    if others:
        return Decision(action="complete", way="stop", reason="answer with what is there")
    return Decision(action="complete", way="nothing_left", reason="there is no way left to try")


def exhausted(plan: Plan, context: ExecutionContext, options: RunOptions, *, model: bool) -> list[LimitName]:
    """The limits that leave a failed step without another way."""
    failed = _failed(plan, context)
    hit: list[LimitName] = []
    if any(tries(record, context) >= options.max_attempts for record in failed):
        hit.append("attempts")
    if failed and model and context.replans >= options.max_replans:
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


def tries(record: StepRecord, context: ExecutionContext) -> int:
    """How often a step's tool failed on it."""
    return sum(1 for f in context.failures if f.step_id == record.step_id and f.tool == record.tool)


def _failed(plan: Plan, context: ExecutionContext) -> list[StepRecord]:
    records = [context.steps[step.id] for step in plan.steps if step.id in context.steps]
    return [record for record in records if record.status == "failed"]


def _may_pass(record: StepRecord, context: ExecutionContext) -> bool:
    last = next((f for f in reversed(context.failures) if f.step_id == record.step_id), None)
    return last is not None and last.transient


@dataclass(frozen=True, slots=True)
class Remedies:
    """By step, what may help."""

    adjusted: dict[str, AdjustedArguments] = field(default_factory=dict[str, AdjustedArguments])
    left: dict[str, list[Candidate]] = field(default_factory=dict[str, list[Candidate]])
    """Tools that have not failed on the step: those ranked for it, else those that serve the same purpose."""


async def remedies(
    scope: RunScope, plan: Plan, assignments: Mapping[str, Assignment], context: ExecutionContext, *, model: bool
) -> Remedies:
    """What may help the failed steps. Without a model, only what needs no judgement."""
    found = Remedies()
    for step in plan.steps:
        record = context.steps.get(step.id)
        if record is None or record.status != "failed":
            continue
        last = next((f for f in reversed(context.failures) if f.step_id == step.id and f.tool == record.tool), None)
        left = remaining(assignments.get(step.id), context)
        if last is not None and record.tool != NO_TOOL:
            is_whole = step.for_each is None and MASK not in json.dumps(last.arguments, ensure_ascii=False, default=str)
            if is_whole and (better := await _adjusted(scope, record, last, context)):
                found.adjusted[step.id] = better
            similar = _similar(scope, step, last, context, model=model)
            left = _best_first(scope, last.tool, [*left, *similar]) if model else left or similar
        if left:
            found.left[step.id] = left
    return found


async def _adjusted(
    scope: RunScope, record: StepRecord, last: Failure, context: ExecutionContext
) -> AdjustedArguments | None:
    """Other arguments for the call that failed last, unless they failed too."""
    library = scope.equipment.library
    better = await library.suggest_parameter_adjustments(
        last.tool,
        last.action,
        last.arguments,
        kind=last.kind,
        error=last.error,
        workspace=scope.equipment.workspace,
        user=scope.options.user,
    )
    if better is None or tries(record, context) >= scope.options.max_attempts:
        return None
    call = library.identify(last.tool, last.action, better.arguments, scope.equipment.workspace)
    return better if refusal(call.signature, context.failures, ()) is None else None


def _similar(scope: RunScope, step: Step, last: Failure, context: ExecutionContext, *, model: bool) -> list[Candidate]:
    """Tools for the same purpose, where the tool failed and not the call; for rules, if the step says enough."""
    if last.kind not in THE_TOOLS_FAULT:
        return []
    found = scope.equipment.library.get_alternative_tools(last.tool, failed=failed_tools(step.id, context))
    return [
        Candidate(tool=spec.name, why=f"serves the same purpose as {last.tool}")
        for spec in found
        if scope.allows(spec.name) and (model or _says_enough(scope, step, spec))
    ]


def _best_first(scope: RunScope, failed: str, candidates: list[Candidate]) -> list[Candidate]:
    """What a model is offered, each once: tools of the same capability first; what cannot be called is left out.

    So is what would change something where the tool that failed only looks: recall finds it by its words alone.
    """
    library = scope.equipment.library
    alike = [spec.name for spec in library.get_alternative_tools(failed)]
    known = library.get_tool_by_id(failed)
    looks = known is not None and not known.writes

    def serves(name: str) -> bool:
        spec = library.get_tool_by_id(name)
        if spec is None or (looks and spec.writes and name not in alike):
            return False
        return library.get_tool_health_status(name).state in {"ready", "failing"}

    names = list(dict.fromkeys(one.tool for one in candidates))
    order = [*(name for name in alike if name in names), *(name for name in names if name not in alike)]
    by_name = {one.tool: one for one in reversed(candidates)}
    return [by_name[name] for name in order if serves(name)]


def _says_enough(scope: RunScope, step: Step, spec: ToolSpec) -> bool:
    return spec.type != "skill" and not assigned(scope, step, spec).missing
