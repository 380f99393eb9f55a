"""What a model reads when a step needs reasoning, or arguments that could only be written late."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from switchyard.agents.prompt import (
    SPACE_BESIDE,
    SPACE_TO_READ,
    Prompt,
    conversation,
    failure_lines,
    learned_lines,
    section,
    with_data_rule,
)
from switchyard.language.words import depends_on_the_day
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import Pattern
from switchyard.ledger.plan import Step
from switchyard.ledger.references import ITEM
from switchyard.toolhub.excerpts import shown_results
from switchyard.tools.core.context import Turn

REASON_SYSTEM = with_data_rule("""\
Do the task below by reasoning alone, in the language of the question. Use only the earlier results and what you know
for certain; say so plainly where you are not certain.
Answer with the outcome of the task and nothing around it; with bare JSON if the task asks for a list or a record.
""")

LATE_SYSTEM = with_data_rule("""\
Write the arguments for one call of a tool, using only its parameters, with the right types. Take values from the task
and from the earlier results; never invent one: if a required value is not there, list the parameter in "missing".
If the tool has several actions, put the name of the one to call under "action" among the arguments.
To pass on a result, or a field of it, as it is, write a reference: "{{s1}}", "{{s1.text}}", "{{s1.rows[0].name}}".
A call listed under "What failed" is not made again as it was, unless it is marked "(for the moment)".

Answer with one JSON object and nothing else, such as:
{"arguments": {"path": "reports/q1.txt", "text": "{{s1.text}}"}, "missing": []}
""")

NO_TOOL_FOUND = """\
No tool was found for this task. You can only write text: nothing is looked up, sent or changed. If the task needs that,
answer in one sentence that it could not be done because there is no tool for it.

"""

USER = """\
Earlier results:
{results}
{failures}
{conversation}Task: {task}
"""


class LateAnswer(BaseModel):
    """Arguments written when the results they need are there."""

    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    missing: list[str] = Field(default_factory=list[str])


def reason_prompt(
    question: str, step: Step, results: Mapping[str, Any], *, planned: bool = True, history: Sequence[Turn] = ()
) -> Prompt:
    """A step without a tool: as planned, or because none was found for it."""
    user = _user("" if planned else NO_TOOL_FOUND, step, results, history=history)
    return Prompt(REASON_SYSTEM, user, question, depends_on_the_day(step.description))


def late_prompt(
    question: str,
    step: Step,
    results: Mapping[str, Any],
    definition: str,
    failures: Sequence[Failure] = (),
    *,
    patterns: Sequence[Pattern] = (),
    files: Sequence[str] = (),
    history: Sequence[Turn] = (),
    dated: bool = False,
) -> Prompt:
    """The arguments of one step, now that its dependencies are done."""
    known = section("The files that are named", files)
    before = f"{learned_lines(patterns)}Tool:\n{definition}\n{known}\n"
    user = _user(before, step, results, failures, history, referable=True)
    return Prompt(LATE_SYSTEM, user, question, dated or depends_on_the_day(step.description))


def _user(
    before: str,
    step: Step,
    results: Mapping[str, Any],
    failures: Sequence[Failure] = (),
    history: Sequence[Turn] = (),
    *,
    referable: bool = False,
) -> str:
    # a call for one item is about that item: the list it is from would be shown again with each
    needed = [ITEM] if ITEM in results else list(results)
    space = SPACE_TO_READ if needed == list(results) else SPACE_BESIDE
    shown = shown_results(results, space, needed=needed, referable=referable)
    lines = "\n".join(f"{name}: {result}" for name, result in shown.items()) or "(none)"
    failed = section("What failed", failure_lines(failures))
    return before + USER.format(
        results=lines, failures=failed, conversation=conversation(history), task=step.description
    )
