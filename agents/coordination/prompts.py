"""What the coordinator and the writer of the answer read, and what they must answer."""

import re
from collections.abc import Mapping, Sequence
from textwrap import indent
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from switchyard.agents.parsing import EVERY_STEP
from switchyard.agents.prompt import (
    SPACE_BESIDE,
    Prompt,
    after,
    conversation,
    failure_lines,
    learned_lines,
    repeat_lines,
    section,
    with_data_rule,
)
from switchyard.ledger.context import ExecutionContext, ToolsInView
from switchyard.ledger.decisions import Action, Decision
from switchyard.ledger.plan import Ask, Plan
from switchyard.toolhub.excerpts import as_data, shown_results
from switchyard.tools.core.context import Turn
from switchyard.tools.core.json_values import is_list, is_mapping

OBSERVATIONS_SHOWN = 2

DECIDE_SYSTEM = with_data_rule("""\
A run is under way and something failed. Choose how it goes on. Only the actions listed under "Allowed" may be chosen:
- execute_tool: call the same tool again. Where the reason says that the same call is tried again, or that arguments
  were adjusted, leave "arguments" empty to do just that. Otherwise give, for each step, ALL arguments of the new call
  (references to results such as "{{s1.value}}" are allowed; "action" among them names one of several actions of a
  tool). A call that failed is not made again as it was, unless it is marked "(for the moment)".
- switch_tool: let another tool do the step, one that gives what the step asks for. "tools" says by step which of those
  listed. Its arguments are asked for afterwards.
- replan: make a new plan that goes another way. Finished steps are kept.
- complete: stop and answer with what is there. Take it where nothing listed can do what the step asks for.
Where several steps failed, you are asked again about those that your choice leaves.

Answer with one JSON object and nothing else; "arguments" only for execute_tool, "tools" only for switch_tool, such as:
{"action": "execute_tool", "reason": "it is in docs", "arguments": {"s1": {"path": "docs/a.md"}}, "tools": {}}
""")

DECIDE_USER = """\
{learned}Definitions of the tools that failed:
{definitions}

Steps so far:
{steps}

What failed:
{failures}
{refused}{observations}{in_view}
Allowed:
{allowed}

{conversation}"""

ANSWER_SYSTEM = with_data_rule("""\
Write the answer to the question from the results below, in the language of the question.
- Use only what the results say; you may restate a value in other words. Do not add facts, do not calculate anew, do not
  mention steps, tools or this task.
- Say plainly what could not be found out and why, if anything.
- What is marked unverified must be called unverified. Where something else was used than what was asked for, say so.
- Be brief: whole sentences, or a short list where the question asks for several things; exact numbers, with their
  units if given.
After the answer, on a last line of its own, write OPEN: and the numbers of those things asked for that the results do
not answer, or none; what something else than what was named really answers is not open. Such as, where the second thing
asked for is in no result:
The average price is 830 euros. What shipping costs is not in prices.csv.
OPEN: 2
""")

ANSWER_USER = """\
Results:
{results}
{problems}
Asked for:
{asks}
"""

OPEN = re.compile(r"(?:^|\n)[ \t*_`>#-]{0,9}OPEN[*_`]{0,3}\s?[:：]([^\n]{0,200})\s{0,9}\Z", re.IGNORECASE)
"""The last line of an answer, with the numbers of what it leaves open."""
BEGUN_OPEN = re.compile(
    r"(?:^|\n)[ \t*_`>#-]{0,9}(?:O(?:P(?:E(?:N[*_`]{0,3}\s?(?:[:：][^\n]{0,200})?)?)?)?)?\s{0,9}\Z", re.IGNORECASE
)
"""As much of that line as may have come yet."""


def _by_step(value: Any) -> Any:
    """Arguments by step; those of one step alone, without its name, are for whichever step it is."""
    return value if not is_mapping(value) or all(map(is_mapping, value.values())) else {EVERY_STEP: value}


def _tool_by_step(value: Any) -> Any:
    first = value[0] if is_list(value) and value else value
    return {EVERY_STEP: first} if isinstance(first, str) else {} if is_list(value) else value


class DecideAnswer(BaseModel):
    """What the coordinator must answer."""

    action: Action
    reason: str = ""
    arguments: Annotated[dict[str, dict[str, Any]], BeforeValidator(_by_step)] = Field(
        default_factory=dict[str, dict[str, Any]]
    )
    tools: Annotated[dict[str, str], BeforeValidator(_tool_by_step)] = Field(default_factory=dict[str, str])


def decide_prompt(
    plan: Plan,
    context: ExecutionContext,
    ways: list[Decision],
    definitions: str = "",
    *,
    results: Mapping[str, Any] = MappingProxyType({}),
    others: Mapping[str, str] = MappingProxyType({}),
    history: Sequence[Turn] = (),
    dated: bool = False,
) -> Prompt:
    """What happened, what to avoid, and what may be done; `others`: by step, the tools it can be switched to."""
    seen = context.observations[-OBSERVATIONS_SHOWN:]
    # a decision depends on what the open steps build on, and on what was seen last
    open_steps = [step for step in plan.steps if context.status(step.id) != "done"]
    needed = {name for step in open_steps for name in step.dependencies} | {one.step_id for one in seen}
    shown = shown_results(results, SPACE_BESIDE, needed=needed, referable=True)
    unseen = [f"- {one.step_id} {one.tool}: {as_data(one.text)}" for one in seen if one.step_id not in shown]
    still_open = [one for one in context.failures if context.status(one.step_id) != "done"]
    repeats = [one for one in context.repeats if context.status(one.step_id) != "done"]
    user = DECIDE_USER.format(
        learned=learned_lines(context.patterns),
        definitions=definitions or "(none)",
        steps="\n".join(_steps(plan, context, shown)),
        failures="\n".join(failure_lines(still_open)) or "(none)",
        refused=section("Proposed again and refused, because it had failed", repeat_lines(repeats)),
        observations=section("Last observations", unseen),
        in_view=_in_view(context.available_tools),
        allowed="\n".join(_way(way, others) for way in ways),
        conversation=conversation(history),
    )
    return Prompt(DECIDE_SYSTEM, user, context.task, dated)


def answer_prompt(
    question: str, asks: Sequence[Ask], results: list[str], problems: list[str], in_vain: Sequence[str] = ()
) -> Prompt:
    """Everything the answer may say; `in_vain`: what was tried first, and something else was taken for."""
    missing = section("Not done", [f"- {as_data(problem)}" for problem in problems])
    tried = section("Tried before, in vain; the results are from elsewhere", [f"- {as_data(one)}" for one in in_vain])
    lines = "\n".join(f"- {result}" for result in results) or "(none)"
    asked = "\n".join(f"{ask.id}. {ask.text}" for ask in asks) or f"1. {question}"
    return Prompt(ANSWER_SYSTEM, ANSWER_USER.format(asks=asked, results=lines, problems=missing + tried), question)


def _in_view(tools: ToolsInView) -> str:
    more = tools.count - len(tools.names)
    others = f" ({more} more exist)" if more > 0 else ""
    return f"\nTools in view for a new plan: {', '.join(tools.names)}{others}\n" if tools.names else ""


def _steps(plan: Plan, context: ExecutionContext, shown: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    for step in plan.steps:
        record = context.steps.get(step.id)
        tool = (record.tool if record else None) or step.tool or "no tool yet"
        found = f" -> {shown[step.id]}" if step.id in shown else ""
        lines.append(f"- {step.id} [{context.status(step.id)}] {tool}{after(step)}: {step.description}{found}")
    return lines


def _way(way: Decision, others: Mapping[str, str]) -> str:
    line = f"- {way.action} ({', '.join(way.steps) or 'end'}): {way.reason}"
    listed = [(step, others[step]) for step in way.steps if step in others] if way.action == "switch_tool" else []
    return "\n".join([line, *(f"  for {step}:\n{indent(tools, '  ')}" for step, tools in listed)])
