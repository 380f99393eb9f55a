"""The planner: shows a model the few tools recalled for the question, or splits the question by rules."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from switchyard.agents.asking import ask, dated, has_model
from switchyard.agents.asks import asks_of, by_clause, is_beside, leaves_out, serving, unserved
from switchyard.agents.by_rules.checker import finds_nothing, is_echo, no_answer
from switchyard.agents.by_rules.planner import certain_steps, needs_tools, steps_of, told_help
from switchyard.agents.by_rules.reader import Reader
from switchyard.agents.planning.prompts import NO_ANSWER, NOT_BY_HEART, SENT_BACK, UNSERVED, PlanAnswer, plan_prompt
from switchyard.agents.prompt import Prompt
from switchyard.agents.scope import RunScope
from switchyard.agents.thoughts import spoken
from switchyard.agents.workspace_view import files_named, files_there
from switchyard.language.mentions import find_mentions
from switchyard.language.messages import message, quoted
from switchyard.language.words import is_other_language
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import Basis, ExecutionContext, Pattern, ToolsInView
from switchyard.ledger.decisions import By
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import ANY_TYPE, Ask, Plan, Step, StepDraft, signature, validated
from switchyard.toolhub.descriptions import summary_lines, takes_a_moment
from switchyard.toolhub.hub import ToolHub
from switchyard.tools.core.errors import PlanRejected

AGENT = "planning"

HISTORY = "get_conversation_history"
CORE_TOOLS = ("search_web", "calculate", "get_time", HISTORY)
"""Always shown to the planner, where they exist and can be of use (R2.1)."""
OPENERS = {"path": "read_file", "url": "web_scraper"}
"""By kind of mention, what opens it."""

OTHER_TOOLS = 10
"""How many recalled tools are shown beside them."""
PATTERNS_SHOWN, PATTERNS_OF_A_TOOL, PATTERN_LENGTH = 6, 2, 160
"""How much of what was learned a prompt carries: lines, lines for one tool, characters of a line."""


_UNFILLED: Mapping[str, None] = {"action": None, "arguments": None}
"""A step whose arguments are asked for."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, an answer at once, or a question to the user."""

    plan: Plan | None = None
    answer: str | None = None
    basis: Basis = ""
    ask_user: str | None = None
    reason: str = ""
    """Why there is neither plan nor answer."""
    tools: ToolsInView = field(default_factory=ToolsInView)
    patterns: list[Pattern] = field(default_factory=list[Pattern])
    """What earlier runs taught about the tools in view."""
    defined: Sequence[str] = ()
    """The tools whose definition the planner reads."""
    unusable: Mapping[str, str] = field(default_factory=dict[str, str])
    """The tools that would be in view and cannot work here, each with what is missing."""


async def make_plan(
    scope: RunScope,
    question: str,
    *,
    context: ExecutionContext | None = None,
    previous: Plan | None = None,
    by_rules: bool = False,
) -> Planned:
    """Plan a question, or plan it anew after `previous` did not work out; `by_rules`: without a model's help."""
    hub, model = scope.equipment.hub, has_model(scope, AGENT) and not by_rules
    recalled = [scored.name for scored in await scope.recall(question, for_model=model)]
    if model:
        recalled = _with_openers(scope, question, recalled)
    shown = shown_tools(hub, recalled, scope.options)
    unusable = await scope.unusable(shown) if model else {}
    unsaid = {HISTORY} - {*scope.options.named_tools} if model and not scope.history else set[str]()
    shown = [name for name in shown if name not in {*unusable, *unsaid}]
    count = len(hub.registry) if scope.options.allows_all else len(scope.options.named_tools)
    tools = ToolsInView(names=shown, count=count)
    begun = Planned(tools=tools, patterns=_patterns(scope, shown, question), unusable=unusable)
    await hub.cost.count()
    scope.count_tool_tokens()
    if model and previous is None and (certain := await _read(scope, question, scope.options.rules_first == "exact")):
        return replace(begun, plan=certain)
    begun = replace(begun, defined=[name for name in _defined(scope, recalled) if name in shown] if model else [])
    planned = await _by_model(scope, question, begun, context, previous) if model else None
    return planned or await _by_rules(scope, question, begun, context, previous)


async def _read(scope: RunScope, question: str, exact: bool) -> Plan | None:  # noqa: FBT001
    """The plan of a question that the rules read whole, where they may plan although there is a model."""
    if scope.options.rules_first == "never" or Reader(scope).leans(question):
        return None
    return await whole_reading(scope, question, exact=exact)


async def _by_model(
    scope: RunScope,
    question: str,
    begun: Planned,
    context: ExecutionContext | None,
    previous: Plan | None,
) -> Planned | None:
    """What the model makes of the question; None where that is nothing that can be followed."""
    hub, tools, defined = scope.equipment.hub, begun.tools, begun.defined
    definitions = "\n\n".join(hub.cost.of_parameters(name)[0] for name in defined)
    summaries = summary_lines(hub.registry, tools.names)
    prompt = plan_prompt(
        question,
        tools=summaries,
        defined=definitions,
        more=tools.count - len(tools.names),
        kinds=_kinds(scope, tools.names),
        withheld=[scored.name for scored, _ in await hub.finder.withheld(question, 3)],
        unusable=begun.unusable,
        patterns=begun.patterns,
        files=await files_there(scope, question, tools.names),
        columns=await files_named(scope, [question]) if defined else (),
        dated=takes_a_moment(spec for name in defined if (spec := hub.registry.get(name))),
        history=scope.history,
        context=context,
        plan=previous,
        results=await scope.results_so_far(context) if context is not None else {},
    )
    answer = await ask(scope, AGENT, prompt, PlanAnswer)
    if answer is None:
        return None
    planned = bool(answer.steps or answer.given_up)
    problem = _unfollowable(scope, question, answer, context, previous) if planned else ""
    problem = problem or await _too_early(scope, question, answer, prompt)
    if previous is None and (reading := await _read(scope, question, exact=False)):
        told, today = Prompt(prompt.system, ""), dated(scope.equipment.clock())
        steps = [_step(hub, one) for one in answer.steps]
        weak = problem or answer.answer or leaves_out(question, steps)
        weak = weak or any(is_echo("", one.description, told, today) for one in steps)
        named, read = Counter(step.tool for step in steps), Counter(step.tool for step in reading.steps)
        # a reading to the last word is worth more than any plan but one that makes its calls, and others beside them
        if weak or not named > read:
            if named != read:
                reason = message("plan_elsewhere" if steps else "needs_a_tool")
                scope.downgrade(AGENT, message("plan_rejected", reason=reason))
            return replace(begun, plan=reading)
    if problem:
        before = answer.model_dump_json(exclude_defaults=True)
        sent_back = replace(prompt, user=f"{prompt.user.rstrip()}\n\nYou answered: {before}\n{problem}\n")
        answer = await ask(scope, AGENT, sent_back, PlanAnswer) or answer
    scope.count_tool_tokens(summaries=summaries, definitions=definitions)
    # a model may think inside its JSON too; what is nothing but a thought says nothing
    planned = bool(answer.steps or answer.given_up)
    if not planned and (said := spoken(answer.answer or "")):
        return await _at_once(scope, question, said, begun, prompt, anew=previous is not None)
    if not planned and (asked := spoken(answer.ask_user or "")):
        return replace(begun, ask_user=asked)
    try:
        return replace(begun, plan=_drafted(scope, question, answer, context, previous))
    except PlanRejected as error:
        scope.downgrade(AGENT, message("plan_rejected", reason=quoted(str(error))))
        return None


def _unfollowable(
    scope: RunScope, question: str, answer: PlanAnswer, context: ExecutionContext | None, previous: Plan | None
) -> str:
    """Why a plan is sent back: it is none, or leaves out something that is asked for."""
    try:
        left = unserved(_drafted(scope, question, answer, context, previous))
    except PlanRejected as error:
        return SENT_BACK.format(reason=str(error).rstrip("."))
    return UNSERVED.format(asks="; ".join(one.text for one in left)) if left else ""


async def _too_early(scope: RunScope, question: str, answer: PlanAnswer, prompt: Prompt) -> str:
    """Why an answer that the planner gave at once is sent back; nothing where it is none, or may stand."""
    if answer.steps or not (said := spoken(answer.answer or "")):
        return ""
    if _is_none(scope, question, said, prompt):
        return NO_ANSWER
    return NOT_BY_HEART if await needs_tools(scope, question) else ""


def _is_none(scope: RunScope, question: str, said: str, prompt: Prompt) -> bool:
    """Whether what the planner gives as an answer is none; nor is one of another language, unless it may be wanted."""
    as_it_comes = not scope.history and scope.equipment.custom.prompts is None
    foreign = as_it_comes and is_other_language(question, said)
    return foreign or no_answer(question, said, prompt, dated(scope.equipment.clock()))


async def _at_once(
    scope: RunScope, question: str, said: str, begun: Planned, prompt: Prompt, *, anew: bool
) -> Planned | None:
    """A planner's answer without a step: the rules' reading where it needs a tool, else its word, marked as that."""
    if _is_none(scope, question, said, prompt):
        scope.downgrade(AGENT, message("plan_rejected", reason=message("no_answer_to_it")))
        return None
    looked_up = await needs_tools(scope, question)
    # where steps have failed, its own word is the last resort; that there is no answer is none
    if not looked_up and not anew and not finds_nothing(said):
        return replace(begun, answer=said, basis="model")
    if looked_up and (plan := await whole_reading(scope, question)):
        scope.downgrade(AGENT, message("plan_rejected", reason=message("needs_a_tool")))
        return replace(begun, plan=plan)
    return replace(begun, answer=said, basis="model_unchecked")


def repeats(steps: Iterable[Step], failures: Sequence[Failure]) -> bool:
    """Whether one of the steps carries a call that failed, and not for the moment only."""
    calls = [step.call for step in steps if step.call is not None]
    lasting = [failure for failure in failures if not failure.transient]
    return any(call.tool == one.tool and call.arguments == one.arguments for call in calls for one in lasting)


async def whole_reading(scope: RunScope, question: str, *, exact: bool = False) -> Plan | None:
    """The plan of a question that the rules read to its last word."""
    try:
        steps = await certain_steps(scope, question, exact=exact)
    except PlanRejected:
        return None
    return _by_clause(steps) if steps else None


def _by_clause(steps: list[Step], **more: Any) -> Plan:
    asks, steps = by_clause(steps)
    return validated(steps, asks=asks, **more)


async def _by_rules(
    scope: RunScope, question: str, begun: Planned, context: ExecutionContext | None, previous: Plan | None
) -> Planned:
    if (help_ := told_help(scope, question)) is not None:
        return replace(begun, answer=help_)
    try:
        steps = await steps_of(scope, question)
        # what is not understood whole is no other way than the one that failed
        asks, steps = by_clause(steps if previous is None or all(step.call is not None for step in steps) else [])
        return replace(begun, plan=_accepted(steps, "rules", asks, context, previous))
    except PlanRejected as error:
        if previous is not None:
            scope.downgrade(AGENT, message("no_other_plan", reason=quoted(str(error))))
        return replace(begun, reason=str(error))


def shown_tools(hub: ToolHub, recalled: list[str], options: RunOptions | None = None) -> list[str]:
    """The tools the planner sees a line of: the core ones, those that are always offered, and the first recalled."""
    options = options or RunOptions()
    allowed = [name for name in CORE_TOOLS if options.allows_all or name in options.named_tools]
    core = [name for name in allowed if hub.registry.get(name)]
    first = [name for name in options.fixed if name in recalled]
    others = [name for name in dict.fromkeys([*first, *recalled]) if name not in core]
    if options.allows_all and len(hub.registry) <= len(core) + OTHER_TOOLS:
        # the whole catalogue fits: hiding the last few would only cost a call
        others += [spec.tool_id for spec in hub.registry.listed() if spec.tool_id not in {*core, *others}]
    return [*core, *others[:OTHER_TOOLS]]


def _kinds(scope: RunScope, shown: Sequence[str]) -> dict[str, int]:
    """Of what servers and categories the tools are that the planner is not shown, with how many there are of each."""
    registry = scope.equipment.hub.registry
    specs = (registry.get(name) for name in scope.options.named_tools)
    every = registry.categories() if scope.options.allows_all else Counter(spec.category for spec in specs if spec)
    every.subtract(spec.category for name in shown if (spec := registry.get(name)))
    return {kind: count for kind, count in every.items() if count > 0 and kind != ANY_TYPE}


def _with_openers(scope: RunScope, question: str, recalled: list[str]) -> list[str]:
    """The recalled tools, and among the first of them what opens what the question names."""
    kinds = dict.fromkeys(one.kind for one in find_mentions(question, date.min))
    openers = [name for kind in kinds if (name := OPENERS.get(kind)) and name not in recalled[:OTHER_TOOLS]]
    openers = [name for name in openers if scope.equipment.hub.registry.get(name) and scope.allows(name)]
    keep = OTHER_TOOLS - len(openers)
    return [*recalled[:keep], *openers, *(name for name in recalled[keep:] if name not in openers)]


def _defined(scope: RunScope, recalled: Sequence[str]) -> list[str]:
    """The first recalled tools whose definitions fit where arguments can be written with the plan: a call less.

    Whoever ranks tools for a caller is asked which of them it is to be.
    """
    if scope.equipment.custom.ranker is not None:
        return []
    cost, space, found = scope.equipment.hub.cost, scope.options.planner_definitions, list[str]()
    for name in recalled[:OTHER_TOOLS] if space else ():
        _, tokens = cost.of_parameters(name)
        if tokens <= space:
            found.append(name)
            space -= tokens
    return found


def _patterns(scope: RunScope, names: list[str], question: str) -> list[Pattern]:
    """What earlier calls taught about these tools and such a question: the most useful of each, not too much of it."""
    hub, user = scope.equipment.hub, scope.options.user
    known = hub.memory.known(user)
    found = [
        Pattern(tool=name, text=" ".join(text.split())[:PATTERN_LENGTH])
        for name in names
        if name in known
        for text in hub.memory.patterns(name, user).lessons(question)[:PATTERNS_OF_A_TOOL]
    ]
    return found[:PATTERNS_SHOWN]


def _step(hub: ToolHub, draft: StepDraft) -> Step:
    said = spoken(draft.description) or draft.description
    tool = draft.tool
    if tool and hub.registry.get(tool) is None:  # models write functions.NAME for a NAME they were shown
        plain = tool.removeprefix("functions.").removesuffix("()")
        tool = plain if hub.registry.get(plain) is not None else tool
    return Step.model_validate({**draft.model_dump(), "description": said, "tool": tool})


def _drafted(
    scope: RunScope, question: str, answer: PlanAnswer, context: ExecutionContext | None, previous: Plan | None
) -> Plan:
    """The plan that a model wrote, with the look-ups its tools need and the asks its steps serve.

    Raises:
        PlanRejected: when it cannot be followed.
    """
    asks = previous.asks if previous is not None else asks_of(question, answer.asks)
    given_up = {name.strip().casefold(): why for name, why in answer.given_up.items()}
    asks = [
        ask.model_copy(update={"given_up": given_up.get(ask.id) or given_up.get(ask.text.casefold(), "")})
        for ask in asks
    ]
    steps = [_step(scope.equipment.hub, one) for one in answer.steps]
    if steps and previous is None and is_beside(question, steps):
        raise PlanRejected(message("plan_beside"))
    return _accepted(
        serving(with_look_ups(scope, steps), asks),
        "model",
        asks,
        context,
        previous,
    )


def with_look_ups(scope: RunScope, steps: Sequence[Step]) -> list[Step]:
    """The steps with the look-ups that their tools require and nobody planned: a code for a name, before it is used."""
    hub = scope.equipment.hub
    steps = [step.model_copy(update={"id": step.id or f"s{at}"}) for at, step in enumerate(steps, 1)]
    specs = [hub.registry.get(step.tool or "") for step in steps]
    made = {value for spec in specs if spec is not None for value in spec.produces}
    found: list[Step] = []
    for step, spec in zip(steps, specs, strict=True):
        needs = list(step.dependencies)
        for value in spec.requires if spec is not None and not step.for_each else ():
            makers = (one for one in hub.registry if value in one.produces and not one.writes)
            maker = next((one for one in makers if scope.allows(one.tool_id)), None)
            if value not in made and maker is not None:
                look_up = f"{step.id}_{value}"
                taken_along = {"id": look_up, "tool": maker.tool_id, "query": "", "complexity": "low", **_UNFILLED}
                found.append(step.model_copy(update=taken_along))
                needs.append(look_up)
        guessed = len(needs) > len(step.dependencies)  # what is looked up now stands in no question
        found.append(step.model_copy(update={"dependencies": needs, **(_UNFILLED if guessed else {})}))
    return found


def _accepted(
    steps: list[Step], by: By, asks: list[Ask], context: ExecutionContext | None, previous: Plan | None
) -> Plan:
    done = {step_id for step_id, record in context.steps.items() if record.status == "done"} if context else set[str]()
    if by == "rules":
        done.clear()  # what they read whole needs nothing of what a model's plan found
    kept = [step for step in previous.steps if step.id in done] if previous else []
    if by == "model" and asks and not steps and not unserved(Plan(asks=asks, steps=kept)):
        # nothing is left to do: what was given up is told, with the reason
        return Plan(revision=previous.revision + 1 if previous else 1, by=by, asks=asks, steps=kept)
    if context is None or previous is None:
        return validated(steps, by=by, asks=asks)
    if by == "rules":  # what is asked stays as it was first listed
        asks = previous.asks
        steps = serving([step.model_copy(update={"serves": []}) for step in steps], asks)
        if all(step.call is not None for step in steps):  # read whole: every ask is served, and none given up
            asks = [ask.model_copy(update={"given_up": ""}) for ask in asks]
            left = [ask.id for ask in unserved(Plan(asks=asks, steps=steps))]
            steps = [step.model_copy(update={"serves": [*step.serves, *left]}) for step in steps]
    new = [step for step in steps if step.id not in done]
    # what the rules plan is known by its calls: in other words than the model's it may be the same
    if repeats(new, context.failures) if by == "rules" else signature(new) in context.rejected_plans:
        raise PlanRejected(message("plan_repeated"))
    return validated(
        steps,
        revision=previous.revision + 1,
        by=by,
        asks=asks,
        kept=kept,
        taken=[*context.steps, *(step.id for step in previous.steps)],
    )
