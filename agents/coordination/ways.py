"""What is allowed next, computed by plain code from the ledger and from what the hub knows to help a failed step.

That is arguments adjusted, and tools for the same purpose (R7.3, R7.4). Without a model the first way is taken.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from switchyard.agents.by_rules.chooser import assigned
from switchyard.agents.by_rules.schema_call import known_words
from switchyard.agents.scope import RunScope
from switchyard.language.messages import message
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import AskState, ExecutionContext, RunStatus, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Action, Assignment, Candidate, Decision, Way
from switchyard.ledger.guard import repeated
from switchyard.ledger.limits import LimitName
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import Plan, Step
from switchyard.toolhub.memory.adjustments import AdjustedArguments
from switchyard.toolhub.memory.memory import THE_TOOLS_FAULT, may_stand_in, same_arguments
from switchyard.tools.core.masking import MASK
from switchyard.tools.core.spec import ToolSpec

_THERE = frozenset({"ready", "failing"})
"""The states of a tool that can be called."""
MOST_ON_TRIAL = 2
"""Tools for which only their arguments speak that are tried for a step."""


@dataclass(frozen=True, slots=True)
class Remedies:
    """By step, what may help."""

    adjusted: dict[str, AdjustedArguments] = field(default_factory=dict[str, AdjustedArguments])
    left: dict[str, list[Candidate]] = field(default_factory=dict[str, list[Candidate]])
    """Tools that have not failed on the step: those ranked for it, else those that serve the same purpose."""
    reasoned: list[str] = field(default_factory=list[str])
    """The steps whose tool only reads, so that a model's word is something in its place (R5.1)."""


def allowed(
    plan: Plan,
    assignments: Mapping[str, Assignment],
    context: ExecutionContext,
    options: RunOptions,
    found: Remedies,
    *,
    model: bool,
) -> list[Decision]:
    """The ways on, in the order in which they are tried; the last is always `complete`.

    `model`: whether one can adjust arguments, plan anew, and as the last resort reason.
    """
    if context.limits_hit:
        return [over_limit(context.limits_hit[-1])]
    if all(context.status(step.id) == "done" for step in plan.steps):
        return [Decision(action="complete", way="done", reason="every step is done")]
    failed = _failed(plan, context)
    untried = [step.id for step in plan.steps if step.id in assignments and context.status(step.id) == "pending"]
    better = found.adjusted
    # where there was nothing to run over, no call failed: another list, which a new plan has to name, is wanted
    called = [one for one in failed if one.items is not None or plan.step(one.step_id).for_each is None]
    open_to_tries = [one for one in called if tries(one, context) < options.max_attempts and not _is_shut(one, context)]
    again = [r.step_id for r in open_to_tries if r.step_id not in better and _may_pass(r, context, model=model)]
    by_model = model and not better and not again and context.stalls < options.max_stalls
    changeable = [record.step_id for record in open_to_tries if record.tool != NO_TOOL] if by_model else []
    others = {record.step_id: tools for record in called if (tools := found.left.get(record.step_id))}
    first = ", ".join(f"{tools[0].tool} for {step_id}" for step_id, tools in others.items() if tools[0].sure)
    switch = f"another tool is left: {first}" if first else "another tool, if one of these can do it"
    may_replan = context.replans < options.max_replans and (model or plan.by == "model")
    replanned = [record.step_id for record in failed] if may_replan else []
    adjusted = "adjusted " + " ".join(f"{step_id}: {one.reason}" for step_id, one in better.items())
    written = {step_id: one.arguments for step_id, one in better.items()}
    ways = [
        *_way("execute_tool", "first_try", "steps are still to be run", untried),
        *_way("execute_tool", "adjusted", adjusted, better, arguments=written),
        *_way("execute_tool", "again", "the failure may pass: the same call is tried again", again),
        *_way("execute_tool", "other_arguments", "with other arguments", changeable),
        *_way("switch_tool", "switch", switch, others, candidates=others),
        *_way("replan", "replan", "another way may lead there", replanned),
    ]
    if all(way.way == "other_arguments" for way in ways):
        nobody = {step_id: [Candidate(tool=NO_TOOL, why="last resort")] for step_id in found.reasoned}
        ways += _way("switch_tool", "reason", "no tool is left: reason, unverified", nobody, candidates=nobody)
    if ways:
        return [*ways, Decision(action="complete", way="stop", reason="answer with what is there")]
    return [Decision(action="complete", way="nothing_left", reason="there is no way left to try")]


def _way(action: Action, way: Way, reason: str, steps: Collection[str], **more: Any) -> list[Decision]:
    """A way on, where there are steps to go it with."""
    return [Decision(action=action, way=way, reason=reason, steps=list(steps), **more)] if steps else []


def over_limit(limit: LimitName) -> Decision:
    """The only way on when a limit of the run is reached."""
    return Decision(action="complete", way="limit", reason=f"the limit of {limit} is reached")


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
    return {failure.tool for failure in context.failures_of(step_id)}


def status_of(plan: Plan | None, context: ExecutionContext, asks: Sequence[AskState]) -> RunStatus:
    """How a run ended: from what its steps came to, and what became of each thing that was asked for."""
    if plan is None:
        return "failed"
    done = {step.id for step in plan.steps if context.status(step.id) == "done"}
    if not done:
        return "failed"
    if asks and not any(step in done for one in asks for step in one.steps):
        return "failed"  # what was found is not what was asked for
    whole = all(context.is_good(step.id) for step in plan.steps) and all(one.state == "answered" for one in asks)
    return "answered" if whole else "partial"


def tries(record: StepRecord, context: ExecutionContext) -> int:
    """How often a step's tool failed on it; the same call in another step, or an earlier plan, counts too."""
    return sum(f.tool == record.tool for f in context.failures_of(record.step_id))


def _failed(plan: Plan, context: ExecutionContext) -> list[StepRecord]:
    records = [context.steps[step.id] for step in plan.steps if step.id in context.steps]
    return [record for record in records if record.status == "failed"]


def _is_shut(record: StepRecord, context: ExecutionContext) -> bool:
    """Whether a tool is not let in here, whatever it is given, or the last resort was tried."""
    failures = context.failures_of(record.step_id)
    shut = bool(failures) and failures[-1].lasting and failures[-1].kind == "permission"
    return shut or _is_reasoned(record.step_id, context)


def _is_reasoned(step_id: str, context: ExecutionContext) -> bool:
    return any(one.way == "reason" and step_id in one.steps for one in context.decisions)


def _may_pass(record: StepRecord, context: ExecutionContext, *, model: bool) -> bool:
    failures = context.failures_of(record.step_id)
    # what has no tool is a model's work: where there is none, waiting brings none
    return bool(failures) and failures[-1].transient and (model or record.problem is None)


def needs_no_word(ways: Sequence[Decision], sure: Collection[str], context: ExecutionContext) -> Decision | None:
    """The way that is gone without asking a model: a first try again, or arguments that are beyond doubt."""
    for way in ways:
        first = [step for step in way.steps if tries(context.steps[step], context) == 1] if way.way == "again" else []
        steps = [step for step in way.steps if step in sure] if way.way == "adjusted" else first
        if steps:
            arguments = {step: given for step, given in way.arguments.items() if step in steps}
            return way.model_copy(update={"steps": steps, "arguments": arguments})
    return None


async def remedies(
    scope: RunScope, plan: Plan, assignments: Mapping[str, Assignment], context: ExecutionContext, *, model: bool
) -> Remedies:
    """What may help the failed steps. Without a model, only what needs no judgement."""
    found = Remedies()
    for record in _failed(plan, context):
        step = plan.step(record.step_id)
        failures = [failure for failure in reversed(context.failures_of(step.id)) if failure.tool == record.tool]
        left = remaining(assignments.get(step.id), context)
        if failures and record.tool != NO_TOOL:
            better = await _adjusted(scope, record, failures, context) if step.for_each is None else None
            if better is not None:
                found.adjusted[step.id] = better
            tried = assignments.get(step.id)
            on_trial = any(one.on_trial and one.tool == record.tool for one in (tried.candidates if tried else ()))
            # what a tool on trial told says nothing of the others
            left = left if on_trial else await _stand_ins(scope, step, failures[0], left, context, model=model)
            spec = scope.spec(record.tool, record.action)
            reads = spec is not None and not spec.writes and step.for_each is None
            if model and reads and not _is_reasoned(step.id, context):
                found.reasoned.append(step.id)
        if left:
            found.left[step.id] = left
    return found


async def _adjusted(
    scope: RunScope, record: StepRecord, failures: Sequence[Failure], context: ExecutionContext
) -> AdjustedArguments | None:
    """Other arguments for the call that failed last, or for one before it, unless they failed too.

    Where what earlier runs taught was sent in the place of what was written, they are those that were written.
    """
    if tries(record, context) >= scope.options.max_attempts:
        return None
    hub, workspace, user = scope.equipment.hub, scope.equipment.workspace, scope.options.user
    attempts = await scope.equipment.journal.attempts(scope.run_id)
    seen = [attempt.result.result for attempt in attempts if attempt.result is not None]

    def is_new(action: str | None, arguments: dict[str, Any]) -> bool:
        call = hub.identify(record.tool or "", action, arguments, workspace)
        return repeated(call.signature, context.failures, attempts) is None

    for one in failures:
        if not one.lasting and not _is_masked(one.arguments):
            why: dict[str, Any] = {"kind": one.kind, "error": one.error, "observed": seen}
            found = await hub.adjusted(one.tool, one.action, one.arguments, workspace=workspace, user=user, **why)
            if found and is_new(one.action, found.arguments):
                return found
    if record.wanted and not _is_masked(record.wanted) and is_new(record.action, record.wanted):
        return AdjustedArguments(arguments=record.wanted, reason=message("changed_back"))
    return None


def _is_masked(arguments: Mapping[str, Any]) -> bool:
    """Whether something in a call is hidden, so that it cannot be sent again."""
    return MASK in json.dumps(arguments, ensure_ascii=False, default=str)


async def _stand_ins(
    scope: RunScope, step: Step, last: Failure, ranked: Sequence[Candidate], context: ExecutionContext, *, model: bool
) -> list[Candidate]:
    """The tools that may do a step in the place of the one that failed, the likeliest first, each with why (R7.4).

    Those ranked for the step, and where the tool failed and not the call, tools of the same capability, and on trial
    those that only read and take the same arguments. What writes is replaced only by what writes, and a look-up never
    by what needs it or the other way round. Siblings come before strangers: tools of the same category that take the
    same arguments.
    """
    hub, used_up = scope.equipment.hub, failed_tools(step.id, context)
    failed, before = hub.registry.get(last.tool), {one.tool: one for one in ranked}
    alike = [spec.tool_id for spec in hub.health.alternatives(last.tool, used_up)]
    served = alike if last.kind in THE_TOOLS_FAULT else []
    on_trial: list[str] = []
    if last.kind in THE_TOOLS_FAULT | {"permission"}:
        # what was ranked is a model's to choose; the rules try what is not sure
        known = {*served, *used_up, *(one.tool for one in ranked if one.sure or model)}
        on_trial = [name for name in _takers(hub.registry, failed, last, step) if name not in known][:MOST_ON_TRIAL]
    names = dict.fromkeys([*before, *served, *on_trial])
    absent = await scope.unusable(names)
    words = {one.name: set(one.terms) for one in await scope.recall(step.description, for_model=False)}
    found: list[tuple[int, Candidate]] = []
    for spec in filter(None, map(hub.registry.get, names)):
        there = scope.allows(spec.tool_id) and spec.tool_id not in absent
        there = there and hub.health.of(spec.tool_id).state in _THERE
        if not there or not may_stand_in(failed, spec, last.action):
            continue
        # one of the same kind does all that the other does: a search of notes is none of the web
        same_kind = failed is not None and {*failed.capability_tags} <= {*spec.capability_tags}
        tried = spec.tool_id in on_trial and not (spec.tool_id in alike and same_kind)
        same = same_arguments(failed, spec) if failed and (tried or spec.category == failed.category) else []
        speaks = 2 * len(words.get(spec.tool_id, set()) & words.get(last.tool, set())) > len(words.get(last.tool, ()))
        earlier = before.get(spec.tool_id)
        taken = (_taken_over(same, last) if step.for_each is None else None) or (earlier.arguments if earlier else None)
        # a model writes the arguments; without one they are those of the call that failed, or the step has to say them
        vouched = spec.tool_id in alike and bool(speaks or same) and not tried
        if vouched and not model and taken is None:
            vouched = spec.tool_type != "skill" and not assigned(scope, step, spec).missing
        used, unknown = known_words(spec, step.description, last.arguments) if tried else (set[str](), set[str]())
        likely = bool(used) and len(unknown) <= 1  # the one word may be what its result is called
        sure = vouched or likely or (earlier is not None and earlier.sure)
        if not (sure or speaks or (same and not tried)):
            continue  # a tag, or the name of a parameter, is no purpose
        why = f"takes {', '.join(same)}, as {last.tool} does" if same else f"serves the same purpose as {last.tool}"
        why = why if same or spec.tool_id in alike else "found by the words of the step"
        one = Candidate(tool=spec.tool_id, why=why, sure=sure, arguments=taken, on_trial=tried)
        found.append((-1 if tried else 2 * bool(same) + (spec.tool_id in alike), one))
    found = [(rank, one) for rank, one in found if model or one.sure]
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])]


def _takers(registry: Iterable[ToolSpec], failed: ToolSpec | None, last: Failure, step: Step) -> list[str]:
    """The tools that only read, ask nobody and take just what a call that failed was given, the likeliest first."""
    if failed is None or failed.for_action(last.action).writes or step.for_each is not None:
        return []
    found: dict[str, int] = {}
    for spec in registry:
        plain = spec.tool_type != "skill" and len(spec.capabilities) == 1 and not (spec.writes or spec.asks_first)
        if plain and _taken_over(same_arguments(failed, spec), last) is not None:
            used, unknown = known_words(spec, step.description, last.arguments)
            found[spec.tool_id] = len(unknown) - len(used)
    return sorted(found, key=lambda name: found[name])


def _taken_over(names: Sequence[str], failed: Failure) -> dict[str, Any] | None:
    """The arguments of a call that failed, for a tool that wants the same ones."""
    given = {name: failed.arguments[name] for name in names if name in failed.arguments}
    whole = bool(names) and given.keys() == {*names} == failed.arguments.keys()
    return given if whole and not _is_masked(given) else None
