"""The selector: recall per step, rank what is open in one call, fill all arguments in one call."""

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, zip_longest
from types import MappingProxyType
from typing import Any

from switchyard.agents.asking import ask, has_model
from switchyard.agents.by_rules.chooser import assigned, assigned_by_words
from switchyard.agents.by_rules.turns import leaned_on
from switchyard.agents.parsing import EVERY_STEP
from switchyard.agents.prompt import SPACE_BESIDE
from switchyard.agents.scope import Equipment, RunScope
from switchyard.agents.tool_selection.prompts import FillAnswer, RankAnswer, fill_prompt, rank_prompt
from switchyard.agents.workspace_view import files_named
from switchyard.language.messages import message
from switchyard.language.tokeniser import has_chinese
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import Pattern
from switchyard.ledger.decisions import NO_TOOL, Assignment, Candidate
from switchyard.ledger.limits import Meter, Usage
from switchyard.ledger.plan import ANY_TYPE, Step
from switchyard.ledger.plan import Call as PlannedCall
from switchyard.ledger.references import references
from switchyard.toolhub.calling.arguments import fits
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.descriptions import definitions_of, summary_lines, takes_a_moment
from switchyard.toolhub.excerpts import shown_results
from switchyard.toolhub.memory.memory import same_arguments
from switchyard.toolhub.recall.query import Scored
from switchyard.tools.core.errors import BadArguments

AGENT = "tool_selection"

NOT_RECALLED = -1.0
"""The score of a tool that only the planner's word speaks for; a look-up that comes along with another has none."""

Recalled = dict[str, list[Scored]]


async def select_tools(
    scope: RunScope,
    question: str,
    steps: Sequence[Step],
    *,
    finished: Mapping[str, Any] = MappingProxyType({}),
    failures: Sequence[Failure] = (),
    patterns: Sequence[Pattern] = (),
    avoid: Mapping[str, set[str]] = MappingProxyType({}),
    ranked_before: Mapping[str, list[Candidate]] = MappingProxyType({}),
) -> list[Assignment]:
    """Give every step that is not done its tools in order and its arguments.

    Per step, `avoid` are tools that must not be chosen (again); what is `ranked_before` is not ranked again.
    """
    known = {
        one.id: _known(scope, one.id, one.call)
        for one in steps
        if one.call and one.call.tool not in avoid.get(one.id, ())
    }
    steps_open = [step for step in steps if step.id not in known]
    model = has_model(scope, AGENT)
    recalled: Recalled = {}
    if model or scope.equipment.custom.ranker is not None:  # without either, the rules recall by themselves
        recalled = {one.id: await _recalled(scope, one, avoid.get(one.id, ()), model=model) for one in steps_open}
    written = {one.id for one in steps_open if model and _is_written(scope, one, steps, finished, failures)}
    chosen = {
        step.id: ranked_before.get(step.id)
        or (_planned(scope, step, recalled[step.id], avoid.get(step.id, set()), written) if model else None)
        for step in steps_open
    }
    if recalled:
        chosen |= await _rank(scope, question, [step for step in steps_open if chosen[step.id] is None], recalled)
    found: dict[str, Assignment] = {}
    for step in steps_open:
        candidates = chosen[step.id]
        if candidates is None:  # no model, or nothing usable from it
            found[step.id] = await assigned_by_words(scope, step, avoid.get(step.id, set()))
        elif step.id in ranked_before and candidates[0].tool == NO_TOOL:
            found[step.id] = Assignment(step_id=step.id, by="model")  # the last resort: no tool, and none was wanted
        else:
            candidates = _served_before(scope, candidates)[: scope.options.topk]
            found[step.id] = Assignment(step_id=step.id, candidates=candidates, by="model")
    filled = [step for step in steps_open if step.id in written and found[step.id].tool == step.tool]
    for step in filled:
        update = {"action": step.action, "arguments": step.arguments}
        found[step.id] = found[step.id].model_copy(update=update)
    await _fill(scope, question, steps_open, filled, found, finished=finished, failures=failures, patterns=patterns)
    return [known.get(step.id) or found[step.id] for step in steps]


def _served_before(scope: RunScope, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates, the first behind the one that lately served in its place (R7.7)."""
    first, hub = candidates[0].tool if candidates else NO_TOOL, scope.equipment.hub
    instead = hub.memory.stand_in(first, scope.options.user)
    if instead is None or not scope.allows(instead) or hub.registry.get(instead) is None:
        return candidates
    others = [one for one in candidates if one.tool != instead]
    return [Candidate(tool=instead, why=f"served in the place of {first}"), *others]


def _known(scope: RunScope, step_id: str, call: PlannedCall) -> Assignment:
    """The call that came with a step; where its tool failed of itself not long ago, with the tool that served then."""
    planned = Candidate(tool=call.tool, why="planned")
    first, registry = _served_before(scope, [planned])[0], scope.equipment.hub.registry
    failing, other = registry.get(call.tool), registry.get(first.tool)
    if first is not planned and failing and other and same_arguments(failing, other) == sorted(call.arguments):
        on_trial = other.tool_id not in {spec.tool_id for spec in registry.similar(failing)}
        first = first.model_copy(update={"on_trial": on_trial})
        planned = planned.model_copy(update={"arguments": call.arguments})
        return Assignment(step_id=step_id, candidates=[first, planned], arguments=call.arguments)
    return Assignment(step_id=step_id, candidates=[planned], action=call.action, arguments=call.arguments)


async def _recalled(scope: RunScope, step: Step, avoid: Collection[str], *, model: bool) -> list[Scored]:
    """Stage one for a step: what its own words find, and the planner's for the tool where it names none."""
    task_type = "" if step.task_type == ANY_TYPE else step.task_type
    found = await scope.recall(step.description, for_model=model, task_type=task_type)
    if model and step.query:
        named = await scope.recall(step.query, for_model=True, task_type=task_type)
        both: dict[str, Scored] = {}  # in the planner's words for tools and in the step's own, best of both first
        for scored in filter(None, chain.from_iterable(zip_longest(named, found))):
            both.setdefault(scored.name, scored)
        found = list(both.values())[: scope.options.recall_topk]
    known = {one.name for one in found}
    if step.tool and step.tool not in known and scope.equipment.hub.registry.get(step.tool) and scope.allows(step.tool):
        found = [Scored(step.tool, NOT_RECALLED), *found]  # who knows a tool by name is not overruled by words
    return [scored for scored in found if scored.name not in avoid]


def _is_written(
    scope: RunScope, step: Step, steps: Sequence[Step], finished: Mapping[str, Any], failures: Sequence[Failure]
) -> bool:
    """Whether the planner wrote arguments that the step's tool takes; of a step that failed they are asked for anew."""
    spec = scope.equipment.hub.registry.get(step.tool or "")
    capability = spec.capability(step.action) if spec is not None and scope.allows(spec.tool_id) else None
    if step.arguments is None or spec is None or capability is None:
        return False
    if any(one.step_id == step.id for one in failures):
        return False
    earlier = {one.id for one in steps if one.id != step.id} | {*finished}
    waiting = {name for name, value in step.arguments.items() if any(references(value, earlier))}
    literal = {name: value for name, value in step.arguments.items() if name not in waiting}
    if "{{" in str(literal):
        return False
    if waiting:
        return fits(capability.parameters, literal, waiting)
    return scope.equipment.hub.dispatcher.check(ToolRequest(spec.tool_id, step.action, literal)) is None


def _planned(
    scope: RunScope, step: Step, recalled: list[Scored], avoid: set[str], written: Collection[str]
) -> list[Candidate] | None:
    """The planner's tool stands where it is among the first recalled, or was called, or is reasoning without a tool."""
    if step.tool == NO_TOOL:
        return [Candidate(tool=NO_TOOL, why="planned")]
    known = step.tool and scope.equipment.hub.registry.get(step.tool) and scope.allows(step.tool)
    if not step.tool or not known or step.tool in avoid:
        return None
    first = recalled[: scope.options.topk]
    near = len(recalled) <= scope.options.topk or step.id in written
    if not near and step.tool not in {scored.name for scored in first if scored.score > NOT_RECALLED}:
        return None  # many others are nearer by their words: a model looks at them again, this one first
    others = [_candidate(scored) for scored in first if scored.name != step.tool]
    return [Candidate(tool=step.tool, score=first[0].score if first else 0.0, why="planned"), *others]


async def _rank(scope: RunScope, question: str, steps: list[Step], recalled: Recalled) -> dict[str, list[Candidate]]:
    """Stage two: one call for every step whose tool is open. Empty where there is no model."""
    if not any(recalled[step.id] for step in steps):
        return {}
    answer = await _choices(scope, question, steps, recalled)
    if answer is not None:
        return {step.id: _ranked(scope, step, answer.of(step.id), recalled[step.id]) for step in steps}
    if not has_model(scope, AGENT):
        return {}
    # a model that cannot rank may still fill: the planner's tool stands, and after it what recall puts first
    planned_first = {
        step.id: sorted(recalled[step.id], key=lambda one, tool=step.tool: one.name != tool) for step in steps
    }
    return {step_id: [_candidate(one) for one in found] for step_id, found in planned_first.items() if found}


def _ranked(scope: RunScope, step: Step, chosen: list[str] | None, recalled: list[Scored]) -> list[Candidate]:
    """The tools chosen for a step that there are; the recall order where nothing usable was said of it."""
    by_name = {scored.name: scored for scored in recalled}
    known = [name for name in chosen or () if scope.equipment.hub.registry.get(name) and scope.allows(name)]
    unknown = [name for name in chosen or () if name not in known]
    if unknown:
        scope.downgrade(AGENT, message("no_such_tools", step=step.id, tools=unknown))
    if not known and (unknown or chosen is None):
        scope.downgrade(AGENT, message("not_ranked", step=step.id))
        known, chosen = list(by_name), None
    return [
        _candidate(by_name[name], sure=chosen is not None) if name in by_name else Candidate(tool=name, why="ranked")
        for name in known
    ]


async def rank_for(equipment: Equipment, question: str, recalled: Sequence[Scored], topk: int) -> list[str] | None:
    """Stage two by itself, outside any run: at most `topk` names; None where the model gave nothing usable.

    Raises:
        BadArguments: when there is nothing that ranks.
    """
    options = equipment.options.model_copy(update={"topk": topk})
    language = "zh" if has_chinese(question) else "en"
    scope = RunScope("", "", language, options, Meter(options, Usage()), lambda _event, _data: None, equipment)
    if equipment.custom.ranker is None and not has_model(scope, AGENT):
        raise BadArguments(message("no_model_to_rank"))
    step = Step(id="s1", description=question)
    answer = await _choices(scope, question, [step], {step.id: list(recalled)})
    return answer.of(step.id) if answer else None


async def _choices(scope: RunScope, question: str, steps: list[Step], recalled: Recalled) -> RankAnswer | None:
    if scope.equipment.custom.ranker is not None:
        chosen = await scope.equipment.custom.ranker(question, steps, recalled)
        return RankAnswer(choices={step: list(tools) for step, tools in chosen.items()})
    names = dict.fromkeys(scored.name for step in steps for scored in recalled[step.id])
    summaries = summary_lines(scope.equipment.hub.registry, names)
    answer = await ask(scope, AGENT, rank_prompt(question, steps, summaries, scope.options.topk), RankAnswer)
    if answer is not None:
        scope.count_tool_tokens(summaries=summaries)
    return answer


async def _fill(
    scope: RunScope,
    question: str,
    steps: list[Step],
    written: list[Step],
    assignments: dict[str, Assignment],
    *,
    finished: Mapping[str, Any],
    failures: Sequence[Failure],
    patterns: Sequence[Pattern],
) -> None:
    """The arguments of every step with a tool that has none yet, in one call; by rules where that gives none."""
    hub = scope.equipment.hub
    known = [(step, hub.registry.get(assignments[step.id].tool or "")) for step in steps if step not in written]
    callable_steps = [(step, spec) for step, spec in known if spec is not None]
    answer: FillAnswer | None = None
    if callable_steps and has_model(scope, AGENT):
        named = [(step, spec.tool_id) for step, spec in callable_steps]
        needed = {name for step, _ in named for name in _all_needs(step, steps)}
        returning = [step.tool or "" for step in written if step.id in needed]
        definitions = definitions_of(hub.registry, dict.fromkeys([*(name for _, name in named), *returning]))
        prompt = fill_prompt(
            question,
            named,
            definitions,
            [*_referable(steps, assignments, finished), *(_called(step) for step in written if step.id in needed)],
            failures,
            patterns=patterns,
            files=await files_named(scope, [*(step.description for step, _ in named), question]),
            history=leaned_on(scope.history, question),
            dated=takes_a_moment(spec for _, spec in callable_steps),
        )
        answer = await ask(scope, AGENT, prompt, FillAnswer)
        if answer is not None:
            scope.count_tool_tokens(definitions=definitions)
    alone = callable_steps[0][0].id if len(callable_steps) == 1 else EVERY_STEP
    calls = {alone if call.step == EVERY_STEP else call.step: call for call in answer.calls} if answer else {}
    for step, spec in callable_steps:
        current = assignments[step.id]
        if (call := calls.get(step.id)) is not None:
            filled = {**call.model_dump(exclude={"step"}), "by": "model"}
        elif (taken := current.candidates[0].arguments) is not None:
            filled = {"arguments": taken}
        elif current.by == "model":  # chosen by a model, but it gave no arguments
            if answer is not None:
                scope.downgrade(AGENT, message("no_arguments_given", step=step.id))
            read = assigned(scope, step, spec)
            filled = read.model_dump(include={"action", "arguments", "missing"})
            filled["late"] = bool(read.missing and step.dependencies)
        else:
            continue
        assignments[step.id] = current.model_copy(update=filled)


def _called(step: Step) -> str:
    """A line for a step whose call is written: what it returns is in the definition of its tool."""
    return f"- {step.id} with {step.tool}({json.dumps(step.arguments, ensure_ascii=False)}): {step.description}"


def _referable(steps: Sequence[Step], assignments: Mapping[str, Assignment], finished: Mapping[str, Any]) -> list[str]:
    """A line for each step that needs no arguments but may be referred to: reasoning, and what is done."""
    called = {step.id for step in steps if assignments[step.id].tool != NO_TOOL}
    # what waits for every call that is to be written is of use to none of them
    reasoned = [step for step in steps if step.id not in called and called - _all_needs(step, steps)]
    lines = [f"- {step.id} (reasoning, returns text or the JSON asked for): {step.description}" for step in reasoned]
    needed = {name for step in steps for name in step.dependencies}
    shown = shown_results(finished, SPACE_BESIDE, needed=needed, referable=True)
    return lines + [f"- {step_id} is done and returned: {result}" for step_id, result in shown.items()]


def _all_needs(step: Step, steps: Sequence[Step]) -> set[str]:
    """Everything a step waits for, directly or not."""
    needs = {*step.dependencies}
    for other in reversed(steps):  # a plan's order makes one pass enough
        needs |= {*other.dependencies} if other.id in needs else set()
    return needs


def _candidate(scored: Scored, *, sure: bool = False) -> Candidate:
    """A recalled tool; `sure`: somebody who knows the step has named it for that."""
    return Candidate(tool=scored.name, score=scored.score, why=", ".join(scored.terms), sure=sure)
