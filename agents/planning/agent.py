"""The planner: shows a model the few tools recalled for the question, or splits the question by rules."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from switchyard.agents.asking import ask, dated, has_model
from switchyard.agents.asks import asks_of, by_clause, is_beside, serving, unserved
from switchyard.agents.by_rules.checker import finds_nothing, no_answer
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
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import ANY_TYPE, Plan, Step, signature, validated
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
    tools = ToolsInView(names=shown, count=len(hub.registry if scope.options.allows_all else scope.options.named_tools))
    begun = Planned(tools=tools, patterns=_patterns(scope, shown, question), unusable=unusable)
    await hub.cost.count()
    scope.count_tool_tokens()
    work = _Work(scope, question, context or ExecutionContext(), previous, begun)
    if not model:
        return await work.by_rules()
    if certain := await work.reading(exact=scope.options.rules_first == "exact"):
        return replace(begun, plan=certain)
    defined = [name for name in _defined(scope, recalled) if name in shown]
    return await work.by_model(defined) or await work.by_rules()


@dataclass(frozen=True, slots=True)
class _Work:
    """A question that is planned, for the first time or after a plan did not work out."""

    scope: RunScope
    question: str
    context: ExecutionContext
    previous: Plan | None
    begun: Planned

    async def reading(self, *, exact: bool) -> Plan | None:
        """The plan of a question that the rules read whole, where they may plan although there is a model."""
        if self.previous or self.scope.options.rules_first == "never" or Reader(self.scope).leans(self.question):
            return None
        return await whole_reading(self.scope, self.question, exact=exact)

    async def by_model(self, defined: Sequence[str]) -> Planned | None:
        """What the model makes of the question; None where that is nothing that can be followed."""
        hub, names = self.scope.equipment.hub, self.begun.tools.names
        definitions = "\n\n".join(hub.cost.of_parameters(name)[0] for name in defined)
        summaries = summary_lines(hub.registry, names)
        prompt = await self._prompt(summaries, definitions, defined)
        answer = await ask(self.scope, AGENT, prompt, PlanAnswer)
        if answer is None:
            return None
        if reading := await self.reading(exact=False):
            planned, read = (Counter(step.tool for step in steps) for steps in (self._steps(answer), reading.steps))
            late = any(step.call is not None and step.call.reads for step in reading.steps)
            # a reading to the last word is worth more than any plan but one that makes its calls, and others too; how
            # a page is read is not known before it was fetched
            if not (planned > read or (late and answer.has_plan)):
                if planned != read:
                    reason = message("plan_elsewhere" if answer.steps else "needs_a_tool")
                    self.scope.downgrade(AGENT, message("plan_rejected", reason=reason))
                return replace(self.begun, plan=reading)
        plan, problem = await self._looked_at(answer, prompt)
        if problem:
            before = answer.model_dump_json(exclude_defaults=True)
            sent_back = replace(prompt, user=f"{prompt.user.rstrip()}\n\nYou answered: {before}\n{problem}\n")
            answer, plan = await ask(self.scope, AGENT, sent_back, PlanAnswer) or answer, None
        self.scope.count_tool_tokens(summaries=summaries, definitions=definitions)
        # a model may think inside its JSON too; what is nothing but a thought says nothing
        if not answer.has_plan and (said := spoken(answer.answer or "")):
            return await self._at_once(said, prompt)
        if not answer.has_plan and (asked := spoken(answer.ask_user or "")):
            return replace(self.begun, ask_user=asked)
        try:
            return replace(self.begun, plan=plan or self._drafted(answer))
        except PlanRejected as error:
            self.scope.downgrade(AGENT, message("plan_rejected", reason=quoted(str(error))))
            return None

    async def by_rules(self) -> Planned:
        """The plan of what the rules understand; what is not understood whole is no other way than one that failed."""
        if (help_ := told_help(self.scope, self.question)) is not None:
            return replace(self.begun, answer=help_)
        try:
            steps = await steps_of(self.scope, self.question)
            anew = self.previous is not None
            asks, steps = by_clause([] if anew and any(step.call is None for step in steps) else steps)
            return replace(self.begun, plan=self._read_anew(steps) if anew else validated(steps, asks=asks))
        except PlanRejected as error:
            if self.previous is not None:
                self.scope.downgrade(AGENT, message("no_other_plan", reason=quoted(str(error))))
            return replace(self.begun, reason=str(error))

    async def _prompt(self, summaries: str, definitions: str, defined: Sequence[str]) -> Prompt:
        scope, question, tools, hub = self.scope, self.question, self.begun.tools, self.scope.equipment.hub
        return plan_prompt(
            question,
            tools=summaries,
            defined=definitions,
            more=tools.count - len(tools.names),
            kinds=_kinds(scope, tools.names),
            withheld=[scored.name for scored, _ in await hub.finder.withheld(question, 3)],
            unusable=self.begun.unusable,
            patterns=self.begun.patterns,
            files=await files_there(scope, question, tools.names),
            columns=await files_named(scope, [question]) if defined else (),
            dated=takes_a_moment(spec for name in defined if (spec := hub.registry.get(name))),
            history=scope.history,
            context=self.context,
            plan=self.previous,
            results=await scope.results_so_far(self.context),
        )

    async def _looked_at(self, answer: PlanAnswer, prompt: Prompt) -> tuple[Plan | None, str]:
        """The plan, and why what a model wrote is sent back: it is none, leaves something out, or needs a tool."""
        if answer.has_plan:
            try:
                plan = self._drafted(answer)
            except PlanRejected as error:
                return None, SENT_BACK.format(reason=str(error).rstrip("."))
            left = unserved(plan)
            return plan, UNSERVED.format(asks="; ".join(one.text for one in left)) if left else ""
        if not (said := spoken(answer.answer or "")):
            return None, ""
        if self._is_none(said, prompt):
            return None, NO_ANSWER
        return None, NOT_BY_HEART if await needs_tools(self.scope, self.question) else ""

    def _is_none(self, said: str, prompt: Prompt) -> bool:
        """Whether what is given as an answer is none; nor is one of another language, unless it may be wanted."""
        as_it_comes = not self.scope.history and self.scope.equipment.custom.prompts is None
        foreign = as_it_comes and is_other_language(self.question, said)
        return foreign or no_answer(self.question, said, prompt, dated(self.scope.equipment.clock()))

    async def _at_once(self, said: str, prompt: Prompt) -> Planned | None:
        """A planner's answer without a step: the rules' reading where it needs a tool, else its word, marked so."""
        if self._is_none(said, prompt):
            self.scope.downgrade(AGENT, message("plan_rejected", reason=message("no_answer_to_it")))
            return None
        looked_up = await needs_tools(self.scope, self.question)
        if looked_up and (plan := await whole_reading(self.scope, self.question)):
            self.scope.downgrade(AGENT, message("plan_rejected", reason=message("needs_a_tool")))
            return replace(self.begun, plan=plan)
        # where steps have failed, its own word is the last resort; that there is no answer is none
        known = self.previous is None and not finds_nothing(said) and not looked_up
        return replace(self.begun, answer=said, basis="model" if known else "model_unchecked")

    def _steps(self, answer: PlanAnswer) -> list[Step]:
        """The steps of a plan; models write functions.NAME for a NAME they were shown."""
        registry, steps = self.scope.equipment.hub.registry, list[Step]()
        for draft in answer.steps:
            plain = (draft.tool or "").removeprefix("functions.").removesuffix("()")
            tool = plain if registry.get(plain) and not registry.get(draft.tool or "") else draft.tool
            update = {"description": spoken(draft.description) or draft.description, "tool": tool}
            steps.append(Step.model_validate({**draft.model_dump(), **update}))
        return steps

    def _drafted(self, answer: PlanAnswer) -> Plan:
        """The plan that a model wrote, with the look-ups its tools need and the asks its steps serve.

        Raises:
            PlanRejected: when it cannot be followed.
        """
        previous, context = self.previous or Plan(revision=0), self.context
        asks = previous.asks if self.previous else asks_of(self.question, answer.asks)
        given_up = {name.strip().casefold(): why for name, why in answer.given_up.items()}
        reasons = {ask.id: given_up.get(ask.id) or given_up.get(ask.text.casefold(), "") for ask in asks}
        asks = [ask.model_copy(update={"given_up": reasons[ask.id]}) for ask in asks]
        steps = self._steps(answer)
        if steps and self.previous is None and is_beside(self.question, steps):
            raise PlanRejected(message("plan_beside"))
        steps = serving(with_look_ups(self.scope, steps), asks)
        kept = [one for one in previous.steps if context.status(one.id) == "done"]
        revision = previous.revision + 1
        if asks and not steps and not unserved(Plan(asks=asks, steps=kept)):
            # nothing is left to do: what was given up is told, with the reason
            return Plan(revision=revision, by="model", asks=asks, steps=kept)
        done = {step.id for step in kept}
        if signature([step for step in steps if step.id not in done]) in context.rejected_plans:
            raise PlanRejected(message("plan_repeated"))
        taken = [*context.steps, *(step.id for step in previous.steps)]
        return validated(steps, revision=revision, by="model", asks=asks, kept=kept, taken=taken)

    def _read_anew(self, steps: Sequence[Step]) -> Plan:
        """The rules' plan of the whole question in the place of one that did not work out.

        What is asked stays as it was first listed, and all of it is served. Nothing of what the other plan found is
        needed. A plan is known by its calls: in other words than a model's it may be the same.

        Raises:
            PlanRejected: when there is none, or it makes a call that failed.
        """
        previous = self.previous or Plan()
        asks = [ask.model_copy(update={"given_up": ""}) for ask in previous.asks]
        steps = serving([step.model_copy(update={"serves": []}) for step in steps], asks)
        left = [ask.id for ask in unserved(Plan(asks=asks, steps=steps))]
        steps = [step.model_copy(update={"serves": [*step.serves, *left]}) for step in steps]
        if repeats(steps, self.context.failures):
            raise PlanRejected(message("plan_repeated"))
        taken = [*self.context.steps, *(step.id for step in previous.steps)]
        return validated(steps, revision=previous.revision + 1, asks=asks, taken=taken)


def repeats(steps: Iterable[Step], failures: Sequence[Failure]) -> bool:
    """Whether one of the steps carries a call that failed, and not for the moment only."""
    calls = [step.call for step in steps if step.call is not None]
    lasting = [failure for failure in failures if not failure.transient]
    return any(call.tool == one.tool and call.arguments == one.arguments for call in calls for one in lasting)


async def whole_reading(scope: RunScope, question: str, *, exact: bool = False) -> Plan | None:
    """The plan of a question that the rules read to its last word."""
    try:
        asks, steps = by_clause(await certain_steps(scope, question, exact=exact))
        return validated(steps, asks=asks) if steps else None
    except PlanRejected:
        return None


def shown_tools(hub: ToolHub, recalled: list[str], options: RunOptions) -> list[str]:
    """The tools the planner sees a line of: the core ones, those that are always offered, and the first recalled."""
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
