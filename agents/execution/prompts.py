"""What a model reads when a step needs reasoning, or arguments that could only be written late."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from switchyard.agents.prompt import (
    SPACE_BESIDE,
    SPACE_TO_READ,
    Prompt,
    failure_lines,
    learned_lines,
    section,
    with_data_rule,
)
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import Pattern
from switchyard.ledger.plan import Step
from switchyard.ledger.references import ITEM
from switchyard.toolhub.excerpts import shown_results

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

Answer with one JSON object and nothing else:
{"arguments": {"name": "value"}, "missing": []}
""")

NO_TOOL_FOUND = """\
No tool was found for this task. You can only write text: nothing is looked up, sent or changed. If the task needs that,
answer in one sentence that it could not be done because there is no tool for it.

"""

USER = """\
Question: {question}

Task: {task}

Earlier results:
{results}
"""


class LateAnswer(BaseModel):
    """Arguments written when the results they need are there."""

    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    missing: list[str] = Field(default_factory=list[str])


def reason_prompt(question: str, step: Step, results: Mapping[str, Any], *, planned: bool = True) -> Prompt:
    """A step without a tool: as planned, or because none was found for it."""
    return Prompt(REASON_SYSTEM, _user("" if planned else NO_TOOL_FOUND, question, step, results))


def late_prompt(
    question: str,
    step: Step,
    results: Mapping[str, Any],
    definition: str,
    failures: Sequence[Failure] = (),
    *,
    patterns: Sequence[Pattern] = (),
) -> Prompt:
    """The arguments of one step, now that its dependencies are done."""
    user = _user(f"{learned_lines(patterns)}Tool:\n{definition}\n\n", question, step, results, referable=True)
    return Prompt(LATE_SYSTEM, user + section("What failed", failure_lines(failures)))


def _user(before: str, question: str, step: Step, results: Mapping[str, Any], *, referable: bool = False) -> str:
    # a call for one item is about that item: the list it is from would be shown again with each
    needed = [ITEM] if ITEM in results else list(results)
    space = SPACE_TO_READ if needed == list(results) else SPACE_BESIDE
    shown = shown_results(results, space, needed=needed, referable=referable)
    lines = "\n".join(f"{name}: {result}" for name, result in shown.items()) or "(none)"
    return before + USER.format(question=question, task=step.description, results=lines)
