"""What the hub knows to help a failed step: arguments adjusted, and tools for the same purpose (R7.3, R7.4)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from switchyard.agents.by_rules.chooser import assigned
from switchyard.agents.coordination.ways import failed_tools, remaining, tries
from switchyard.agents.scope import RunScope
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import ExecutionContext, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Assignment, Candidate
from switchyard.ledger.guard import refusal
from switchyard.ledger.plan import Plan, Step
from switchyard.toolhub.memory.adjustments import AdjustedArguments
from switchyard.toolhub.memory.memory import THE_TOOLS_FAULT
from switchyard.tools.core.masking import MASK
from switchyard.tools.core.spec import ToolSpec


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
