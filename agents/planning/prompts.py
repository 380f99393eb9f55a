"""What the planner reads, and what it must answer."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from switchyard.agents.parsing import Reshaping
from switchyard.agents.prompt import (
    SPACE_BESIDE,
    Prompt,
    after,
    conversation,
    failure_lines,
    learned_lines,
    section,
    with_data_rule,
)
from switchyard.ledger.context import ExecutionContext, Pattern
from switchyard.ledger.plan import Ask, Plan, Step, StepDraft
from switchyard.toolhub.excerpts import shown_results
from switchyard.tools.core.context import Turn
from switchyard.tools.core.json_values import is_list, is_mapping

SYSTEM = with_data_rule("""\
You plan how to answer a question with tools. You do not run tools: others do.
You are part of Switchyard, an assistant that plans, uses tools on the user's files and data, and checks the results.

Answer with one JSON object and nothing else, in one of three forms:

1. You can answer, or write what is asked for, reliably by yourself: no tool, no fresh data, no file, no arithmetic:
   {"answer": "the answer, in the language of the question"}
2. The task cannot be understood without asking the user:
   {"ask_user": "one short question, in the language of the question"}
3. Otherwise, a plan: what is asked for, and the steps that find it out or do it. An example, for the question
   "What is the average price in laptops.csv, and what is that in euros?":
   {"asks": ["the average price in laptops.csv", "what is that in euros"],
    "steps": [
     {"id": "s1", "serves": ["1"], "description": "average of the column price of laptops.csv",
      "task_type": "calculation", "complexity": "low", "tool": "data_analyzer", "dependencies": []},
     {"id": "s2", "serves": ["2"], "description": "convert the average price of s1 to euros",
      "task_type": "calculation", "complexity": "low", "tool": null, "query": "convert a currency",
      "dependencies": ["s1"]}
    ]}

Rules for a plan:
- "asks" lists everything the question asks for, one entry each, in the question's own words, at most ten. "serves" of a
  step are the numbers of those it helps to answer. Every ask needs a step that serves it; what nothing here can find
  out or do is given up instead, beside "steps": "given_up": {"2": "why, for the user"}.
- "description" says what the step finds out or does, with every name, number and path it needs, in the language of the
  question. "task_type" is one word such as calculation, time, file, search, reasoning; "complexity" is low, medium, or
  high where the result has to be looked at twice.
- As few steps as possible. Steps that do not need each other have no dependencies and run at the same time.
- A step that uses the result of another lists that step's id in "dependencies".
- "tool" is the name of a tool, or null if you are not sure. Where it is null, "query" says in a few words what the tool
  has to do, in the language the tools below are described in: one is looked for by it.
- "none" as the tool is for reasoning or writing over earlier results. It returns text, or JSON if its description asks
  for a list or an object.
- Leave arithmetic and look-ups to tools: plan a step with one wherever there is one that can do it.
- To do the same thing for every item of an earlier result, use one step with
  "for_each": {"step": "s1", "path": "where the list is in its result, such as .entries"}. It returns a list with one
  result per item. If the items are inside a text, first plan a "none" step that returns them as a JSON list (path "").
- If the question speaks of something said before, say in the description what that is.
- No step for writing the final answer: that is done for you.
""")

DEFINED = """\
Tools whose arguments you write. A step that uses one of them has "arguments" too, such as {"path": "prices.txt"}, and
"action" where several are listed. Use only the tool's parameters, and leave out what is optional and not asked for.
Take values from the question and the files below; never invent one. A value that an earlier step will produce is
"{{s1.field}}", a field that the tool of s1 returns, also inside a text: "{{s1.value}} * 2"; the current item of a
"for_each" step is "{{item}}" or "{{item.field}}". Where a value cannot be known yet, leave "arguments" out: they are
asked for later.

"""

MORE = """\
({count} more tools exist{kinds}. Name one you know, or say in "query" what is needed.)
"""
KINDS_SHOWN = 8
"""Of the tools that are not shown: the largest servers and categories."""

AGAIN = """\
The plan did not work out. Make a new one that goes another way. Give new steps new ids.
{reason}
What is asked for (give each open one steps that serve it, by its number; or give it up: "given_up": {{"2": "why"}}):
{asks}

The original plan:
{original}

Finished steps (kept; do not repeat them; a step that depends on one gets its whole result):
{finished}

What failed (do not plan for these calls again, unless they are marked "(for the moment)"):
{failures}

"""

NO_ANSWER = """\
That was no answer to the question. Answer again: with a plan whose steps use tools, or with the
answer itself."""

NOT_BY_HEART = """\
That was answered at once. The question speaks of a file, an address, a calculation or what is so now: nobody
knows that by heart. Answer with a plan whose steps use tools."""

SENT_BACK = """\
That plan cannot be followed: {reason}. Answer again with a plan that can."""

UNSERVED = """\
In that plan no step serves what the question asks for here: {asks}. Answer again with a plan that has steps for it, and
says so in "serves", or that gives it up."""


def _texts(listed: Any) -> Any:
    """Asks as texts, whether they came as such or as objects that carry one."""
    if not is_list(listed):
        return [listed] if isinstance(listed, str) else []
    return [str(one.get("text") or one.get("ask") or "") if is_mapping(one) else str(one) for one in listed]


class PlanAnswer(Reshaping):
    """What the planner must answer: one of the three."""

    answer: str | None = None
    ask_user: str | None = None
    asks: Annotated[list[str], BeforeValidator(_texts)] = Field(default_factory=list[str])
    given_up: dict[str, str] = Field(default_factory=dict[str, str])
    steps: list[StepDraft] = Field(default_factory=list[StepDraft])

    @property
    def has_plan(self) -> bool:
        """Whether it is a plan, if only one that gives everything up."""
        return bool(self.steps or self.given_up)

    @classmethod
    def reshaped(cls, found: Any) -> Any:
        """The steps alone, or under the name of a plan."""
        if is_list(found) and all(map(is_mapping, found)):
            return {"steps": found}
        if not is_mapping(found) or "steps" in found or "plan" not in found:
            return found
        inner = found["plan"]
        return {**found, **inner} if is_mapping(inner) else {**found, "steps": inner}


def plan_prompt(
    question: str,
    *,
    tools: str,
    more: int,
    kinds: Mapping[str, int] = MappingProxyType({}),
    defined: str = "",
    withheld: Sequence[str] = (),
    unusable: Mapping[str, str] = MappingProxyType({}),
    files: str = "",
    columns: Sequence[str] = (),
    dated: bool = False,
    patterns: Sequence[Pattern] = (),
    history: Sequence[Turn],
    context: ExecutionContext | None = None,
    plan: Plan | None = None,
    results: Mapping[str, Any] = MappingProxyType({}),
) -> Prompt:
    """The prompt of a first plan, or of a new one when a plan, its context and its results are given."""
    again = "" if context is None or plan is None else _what_happened(context, plan, results, referable=bool(defined))
    told = [
        f"Tools:\n{tools or '(none)'}",
        (MORE.format(count=more, kinds=_listed(kinds)) if more else "")
        + (f"(Switched off by the user, say so if it matters: {', '.join(withheld)}.)\n" if withheld else "")
        + "".join(f"({name} cannot be used here. {why})\n" for name, why in unusable.items()),
        f"\n{DEFINED}{defined}\n" if defined else "",
        f"\n{files}\n" if files else "",
        section("The files that are named", columns),
        f"\n{again}{learned_lines(patterns)}{conversation(history)}",
    ]
    user = "".join(f"{part.rstrip()}\n" for part in told if part.strip())
    return Prompt(SYSTEM, user, question, dated)


def _listed(kinds: Mapping[str, int]) -> str:
    """The largest kinds with their counts."""
    first = sorted(kinds, key=lambda kind: (-kinds[kind], kind))[:KINDS_SHOWN]
    named = ", ".join(f"{kind} {kinds[kind]}" for kind in first)
    return f", by kind: {named}{', …' if len(kinds) > KINDS_SHOWN else ''}" if named else ""


def _planned(step: Step) -> str:
    return f"- {step.id}{f' ({step.tool})' if step.tool else ''}{after(step)}: {step.description}"


def _what_happened(context: ExecutionContext, plan: Plan, results: Mapping[str, Any], *, referable: bool) -> str:
    needed = {name for step in plan.steps if step.id not in results for name in step.dependencies}
    shown = shown_results(results, SPACE_BESIDE, needed=needed, referable=referable)
    finished = [
        f"- {step.id} ({context.steps[step.id].tool}): {step.description} -> {shown[step.id]}"
        for step in plan.steps
        if step.id in shown
    ]
    last = context.decisions[-1].reason.rstrip(".") if context.decisions else ""
    return AGAIN.format(
        reason=f"Why a new one is wanted: {last}.\n" if last else "",
        asks="\n".join(_ask(ask, plan, context) for ask in plan.asks),
        original="\n".join(map(_planned, (context.original_plan or plan).steps)),
        finished="\n".join(finished) or "(none)",
        failures="\n".join(failure_lines(context.failures)) or "(nothing was recorded)",
    )


def _ask(ask: Ask, plan: Plan, context: ExecutionContext) -> str:
    steps = [step.id for step in plan.steps if ask.id in step.serves]
    is_done = bool(steps) and all(context.status(step) == "done" for step in steps)
    return f"{ask.id}. {ask.text} ({'done by ' + ', '.join(steps) if is_done else 'open'})"
