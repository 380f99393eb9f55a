"""The coordinator: decides among what is allowed, and writes the answer when the run is complete."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from switchyard.agents.asking import ask, ask_for_text, dated, has_model
from switchyard.agents.asks import left_out, states_of
from switchyard.agents.by_rules.checker import has_something_of, no_answer, numbers_of_nobody
from switchyard.agents.by_rules.turns import leaned_on
from switchyard.agents.by_rules.wording import problems_of, sentence_for, stopped_at
from switchyard.agents.coordination.prompts import BEGUN_OPEN, OPEN, DecideAnswer, answer_prompt, decide_prompt
from switchyard.agents.coordination.ways import Remedies, allowed, needs_no_word, remedies, status_of
from switchyard.agents.parsing import EVERY_STEP
from switchyard.agents.prompt import SPACE_TO_READ
from switchyard.agents.scope import RunScope
from switchyard.language.messages import Said, message, said
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import AskState, ExecutionContext, RunStatus, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Assignment, Candidate, Decision
from switchyard.ledger.plan import Plan, Step
from switchyard.ledger.results import by_item, finished_attempts, full_result
from switchyard.toolhub.descriptions import definition, takes_a_moment
from switchyard.toolhub.excerpts import cut, shown_results
from switchyard.toolhub.hub import ToolHub
from switchyard.tools.core.json_values import is_mapping

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

AGENT = "coordination"

ABOUT_LENGTH = 40
"""Characters of an argument that is named in an answer."""
OFFER_LENGTH = 200
"""Characters that tell what a tool does that may be switched to."""
CHANGE_LENGTH = 160
"""Characters of what was taken in the place of something, with that: a program is not told."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The answer of a run, and how it ended."""

    text: str
    status: RunStatus
    message: "AIMessage | None" = None
    """The model's own message, which was streamed already."""
    asks: list[AskState] = field(default_factory=list[AskState])
    issues: list[Said] = field(default_factory=list[Said])
    """What of the text is in no result."""


async def decide(
    scope: RunScope, plan: Plan, assignments: Mapping[str, Assignment], context: ExecutionContext
) -> Decision:
    """How the run goes on, with what was allowed. A model chooses among that; else the first allowed is taken."""
    model = has_model(scope, AGENT)
    found = await remedies(scope, plan, assignments, context, model=model)
    ways = allowed(plan, assignments, context, scope.options, found, model=model)
    open_ways = [f"{way.action} ({', '.join(way.steps) or 'end'}): {way.reason}" for way in ways]
    decision = await _by_model(scope, plan, context, found, ways) if model else None
    decision = decision or next(way for way in map(_by_rules, ways) if way is not None)
    return decision.model_copy(update={"allowed": open_ways})


async def _by_model(
    scope: RunScope, plan: Plan, context: ExecutionContext, found: Remedies, ways: list[Decision]
) -> Decision | None:
    """What a model chooses where something failed, or what no model has to be asked about; None: as the rules do."""
    failed = [record for record in context.steps.values() if record.status == "failed"]
    ways = [way for way in ways if way.way != "reason"]  # no model's choice, but what is left where it makes none
    if not failed or len(ways) == 1:
        return None
    sure = {step for step, adjusted in found.adjusted.items() if adjusted.sure}
    if (known := needs_no_word(ways, sure, context)) is not None:
        return known
    hub = scope.equipment.hub
    # each with the action that failed; of a tool that was given none, all it can do
    tools = {(one.tool, one.action): spec for one in failed if (spec := hub.registry.get(one.tool or ""))}
    prompt = decide_prompt(
        plan,
        context,
        ways,
        "\n\n".join(definition(spec, action) for (_, action), spec in tools.items()),
        results=await scope.results_so_far(context),
        others={step: _offered(hub, tools) for step, tools in found.left.items()},
        history=leaned_on(scope.history, context.task),
        dated=takes_a_moment(tools.values()),
    )
    answer = await ask(scope, AGENT, prompt, DecideAnswer)
    return answer and _chosen(scope, answer, ways)


def _by_rules(way: Decision) -> Decision | None:
    """A way as the rules would go it, which write no arguments and take no tool they cannot vouch for."""
    if way.way == "other_arguments":
        return None
    return way if way.way != "switch" else _to_sure_tools(way, {})


def _to_sure_tools(way: Decision, chosen: Mapping[str, str]) -> Decision | None:
    """A switch with the chosen tools first, of the steps that have one chosen or sure; None where none has."""
    ordered = {
        step: sorted(
            (one for one in left if one.sure or one.tool == chosen.get(step)),
            key=lambda one: one.tool != chosen.get(step),
        )
        for step, left in way.candidates.items()
    }
    kept = {step: left for step, left in ordered.items() if left}
    return way.model_copy(update={"candidates": kept, "steps": list(kept)}) if kept else None


def _offered(hub: ToolHub, candidates: Sequence[Candidate]) -> str:
    """A line of each tool, with why it is offered; what it returns is for whoever calls it."""
    specs = [(hub.registry.get(one.tool), one.why) for one in candidates]
    return "\n".join(
        f"- {spec.tool_id} [{spec.category}]: {cut(' '.join(spec.summary.split()), OFFER_LENGTH)} ({why})"
        for spec, why in specs
        if spec is not None
    )


def _chosen(scope: RunScope, answer: DecideAnswer, ways: Sequence[Decision]) -> Decision | None:
    """What the model decided, as far as it is allowed; None where it is not."""
    open_to_it = [way for way in ways if way.action == answer.action]
    if not open_to_it:
        scope.downgrade(AGENT, message("not_allowed_now", action=answer.action))
        return None
    # the action may be open to several groups of steps: the arguments say which is meant
    way = next((way for way in open_to_it if answer.arguments.keys() & set(way.steps)), open_to_it[0])
    way = way.model_copy(update={"reason": answer.reason or way.reason, "by": "model"})
    # what names no step is about the only one there is
    renamed = {EVERY_STEP: way.steps[0]} if len(way.steps) == 1 else {}
    if way.action == "execute_tool":
        written = {renamed.get(step, step): given for step, given in answer.arguments.items()}
        arguments = way.arguments | {step: given for step, given in written.items() if step in way.steps}
        if way.way != "other_arguments":
            return way.model_copy(update={"arguments": arguments})
        if arguments:
            return way.model_copy(update={"arguments": arguments, "steps": list(arguments)})
        scope.downgrade(AGENT, message("no_new_arguments"))
        return None
    if way.action == "switch_tool":
        tools = {renamed.get(step, step): tool for step, tool in answer.tools.items()}
        offered = {(step, one.tool) for step, left in way.candidates.items() for one in left}
        if unknown := [tool for step, tool in tools.items() if (step, tool) not in offered]:
            scope.downgrade(AGENT, message("not_to_switch_to", tools=unknown))
        return _to_sure_tools(way, tools)
    return way


@dataclass(frozen=True, slots=True)
class Found:
    """A finished step and what it gave."""

    step: Step
    record: StepRecord
    result: Any
    merged: bool
    """Several tools gave it together: it has the shape of none of them."""
    changed: list[tuple[str, str]]
    """What was asked for and did not work, and what was taken in its place."""

    @property
    def unverified(self) -> bool:
        """Whether nobody could confirm it."""
        return self.record.verdict is not None and not self.record.verdict.verified

    @property
    def issues(self) -> list[Said]:
        """What speaks against it."""
        return self.record.verdict.issues if self.record.verdict else []

    @property
    def about(self) -> str:
        """What the call was about, in a few words."""
        texts = [value for value in self.record.arguments.values() if isinstance(value, str)]
        return ", ".join([text for text in texts if len(text) <= ABOUT_LENGTH][:2])

    def line(self, shown: str, task: str) -> str:
        """The finding as the writer of the answer reads it, with as much of its result as is shown."""
        # that a model reasoned without a tool is all that "unverified" says of its own words
        issues = self.issues if self.record.source != "model" else []
        notes = ["unverified", *issues] if self.unverified else issues if self.record.source == "skill" else []
        # what the user did not name was a mistake on the way, and is none of theirs
        swaps = [pair for pair in self.changed if pair[0] in task]
        notes = notes + [f"{after!r} was taken, because {before!r} did not work" for before, after in swaps]
        note = f" ({'; '.join(notes)})" if notes else ""
        return f"{self.step.description}{note}: {shown}"


async def conclude(
    scope: RunScope,
    plan: Plan | None,
    context: ExecutionContext,
    *,
    use_model: bool = True,
    states: list[AskState] | None = None,
) -> Conclusion:
    """Write the answer from what was verified, with what could not be done; `states`: of the asks, where known."""
    attempts = await scope.equipment.journal.attempts(scope.run_id) if context.steps else []
    found = _findings(plan, context, attempts)
    problems = problems_of(plan, context)
    states = states_of(plan or Plan(), context, attempts) if states is None else states
    ended = Conclusion("", status_of(plan, context, states), asks=states)
    if (by_skill := _written_by_skill(found)) is not None and not problems:
        return replace(ended, text=by_skill)
    by_rules = plan is not None and plan.by == "rules" and ended.status == "answered"
    by_rules = by_rules and scope.options.rules_first != "never"
    by_tool = scope.options.word_for_word and ended.status == "answered" and _is_told(scope, plan, found, context)
    if found and use_model and not by_rules and not by_tool and has_model(scope, AGENT):
        ended = await _written(scope, plan or Plan(), context, found, ended)
        if ended.text:
            return ended
    sentences: list[str] = []
    for one in found:
        spec = None if one.merged else scope.spec(one.record.tool, one.record.action)
        changed = [message("taken_instead", before=before, after=after) for before, after in one.changed]
        sentences += [change.text(context.language) for change in changed]
        needing = [other for other in plan.steps if one.step.id in other.dependencies] if plan else []
        if any(other.description == one.step.description for other in needing):
            continue  # nobody asked for it: another step, of the same words, needed it
        text = sentence_for(one.step, one.result, spec, context.language, about=one.about)
        sentences.append(message("unverified", text=text).text(context.language) if one.unverified else text)
        sentences += [said(issue, context.language) for issue in one.issues] if one.record.items else []
    problems += _left_open(states, context)
    problems += [stopped_at(name, context.language) for name in scope.meter.hit if name not in context.limits_hit]
    text = "\n".join([*dict.fromkeys(sentences), *problems])
    return replace(ended, text=text or message("nothing_to_do").text(context.language))


def _is_told(scope: RunScope, plan: Plan | None, found: Sequence[Found], context: ExecutionContext) -> bool:
    """Whether a tool's own sentence is the answer: one thing was asked, and its verified result says it."""
    if plan is None or len(plan.asks) != 1 or len(plan.steps) != 1 or len(found) != 1:
        return False
    (one,) = found
    own = None if one.merged else scope.spec(one.record.tool, one.record.action)
    return own is not None and context.language in own.answers and not one.unverified and one.record.items is None


async def _written(
    scope: RunScope, plan: Plan, context: ExecutionContext, found: Sequence[Found], ended: Conclusion
) -> Conclusion:
    """The end of a run as a model writes it of the results, with what it leaves open; it may have no text to use."""
    problems = problems_of(plan, context)
    told_open = [*problems, *_left_open(ended.asks, context)]
    results = {one.step.id: one.result for one in found} | await scope.results_so_far(context)
    paired = by_item(plan.steps, results)
    shown = shown_results({one.step.id: paired[one.step.id] for one in found}, SPACE_TO_READ)
    lines = [one.line(shown[one.step.id], context.task) for one in found]
    prompt = answer_prompt(context.task, plan.asks, lines, told_open, _in_vain(plan, context, found))
    written = await ask_for_text(scope, AGENT, prompt, is_answer=True, held_back=BEGUN_OPEN)
    if written is None:
        return ended
    reply = str(written.text)
    trailer = OPEN.search(reply)
    text = reply[: trailer.start()].rstrip() if trailer else reply
    left = set(re.findall(r"\d+", trailer[1])) if trailer else set[str]()
    ends = [one for one in found if not any(one.step.id in other.step.dependencies for other in found)]
    told = all(has_something_of(text, one.result, context.task) for one in ends if _finds(scope, one.record))
    if no_answer(context.task, text, prompt, dated(scope.equipment.clock())) or not told:
        scope.downgrade(AGENT, message("answer_replaced"))
        return _with_open(ended, dict.fromkeys(left, message("ask_left_open")), plan, context)
    untold = left_out([one for one in ended.asks if one.id not in left], text, results, context.task)
    reasons = dict.fromkeys(untold, message("ask_left_out")) | dict.fromkeys(left, message("ask_left_open"))
    ended = _with_open(ended, reasons, plan, context)
    known = [context.task, *told_open, *(one.result for one in found), *(one.record.arguments for one in found)]
    unknown = numbers_of_nobody(text, known)
    issues: list[Said] = [message("numbers_of_nobody", numbers=unknown)] if unknown else []
    missing = _unsaid(text, found, problems, context)
    missing += _left_open([one for one in ended.asks if one.id not in left], context)
    more = [one for one in dict.fromkeys(missing) if one not in text]
    said_of_it = written.model_copy(update={"content": text})
    return replace(ended, text="\n".join([f"{text}\n", *more]) if more else text, message=said_of_it, issues=issues)


def _with_open(ended: Conclusion, reasons: Mapping[str, str], plan: Plan, context: ExecutionContext) -> Conclusion:
    """The end of a run with what the answer's writer leaves open, or out."""
    states = [
        one.model_copy(update={"state": "open", "reason": reasons[one.id]})
        if one.state == "answered" and one.id in reasons
        else one
        for one in ended.asks
    ]
    return replace(ended, asks=states, status=status_of(plan, context, states))


def _unsaid(text: str, found: Sequence[Found], problems: Sequence[str], context: ExecutionContext) -> list[str]:
    """What an answer has to say whatever its writer says: what is unverified, taken instead, lost or not done."""
    language = context.language
    marked = message("unverified", text="").text(language).strip(" :：").casefold()
    made_up = [one for one in found if one.unverified and one.record.source == "model" and one.step.tool != NO_TOOL]
    unmarked = made_up if marked not in text.casefold() else []
    # what the user did not name, nobody misses
    swaps = [one for each in found for one in each.changed if one[0] in context.task and one[1] not in text]
    # of several items, those that failed are told by nobody else
    short = [one for one in found if one.record.items and one.record.error]
    return [
        *(message("unverified", text=one.step.description).text(language) for one in unmarked),
        *(message("taken_instead", before=before, after=after).text(language) for before, after in swaps),
        *(said(issue, language) for one in short for issue in one.issues),
        *(one for one in problems if context.limits_hit or not has_something_of(text, one, context.task)),
    ]


def _in_vain(plan: Plan, context: ExecutionContext, found: Sequence[Found]) -> list[str]:
    """Why tools failed that something else was taken for, in their step or in a new plan; the last reason of each."""
    served = {one.record.tool for one in found} | {NO_TOOL}
    open_steps = {step.id for step in plan.steps if context.status(step.id) != "done"}
    failures = [one for one in context.failures if one.tool not in served and one.step_id not in open_steps]
    reasons = {one.tool: one.error for one in failures}
    return [f"{tool}: {cut(said(reason, 'en'), OFFER_LENGTH)}" for tool, reason in reasons.items()]


def _finds(scope: RunScope, record: StepRecord) -> bool:
    """Whether a step found something that an answer has to have: what is written or thought up is told in any words."""
    spec = scope.spec(record.tool, record.action)
    return spec is not None and not spec.writes and record.source != "skill"


def _left_open(states: Sequence[AskState], context: ExecutionContext) -> list[str]:
    """What is asked for and not answered, where no failed step says it already."""
    told = [message("ask_open", ask=one.text, reason=one.reason) for one in states if one.reason]
    return [one.text(context.language) for one in told]


def _findings(plan: Plan | None, context: ExecutionContext, attempts: Sequence[Attempt]) -> list[Found]:
    """Every finished step with its full result."""
    found: list[Found] = []
    for step in plan.steps if plan else []:
        record = context.steps.get(step.id)
        if record is None or record.status != "done":
            continue
        made_of = [one.result for one in finished_attempts(step, record, attempts) if one.result is not None]
        merged = any(result.meta.synthesised for result in made_of)
        found.append(Found(step, record, full_result(step, record, attempts), merged, _changed(record, context)))
    return found


def _changed(record: StepRecord, context: ExecutionContext) -> list[tuple[str, str]]:
    """The texts among the arguments that were adjusted after the call had failed."""
    if record.items is not None:
        return []  # its arguments are those of no single call: each item had its own
    failed = [f for f in context.failures if f.step_id == record.step_id and f.tool == record.tool]
    before: Mapping[str, Any] = failed[0].arguments if failed else record.wanted
    if before.keys() != record.arguments.keys():
        return []
    pairs = [(value, record.arguments[name]) for name, value in before.items() if value != record.arguments[name]]
    texts = [(asked, taken) for asked, taken in pairs if asked and taken and isinstance(asked, str)]
    return [(asked, taken) for asked, taken in texts if isinstance(taken, str) and len(asked + taken) <= CHANGE_LENGTH]


def _written_by_skill(found: list[Found]) -> str | None:
    """The answer of a run that was one skill's work: it is written as its instructions want it."""
    if len(found) != 1 or found[0].record.source != "skill" or found[0].unverified:
        return None
    result = found[0].result
    answer = result.get("answer") if is_mapping(result) else None
    return answer if isinstance(answer, str) and answer.strip() else None
