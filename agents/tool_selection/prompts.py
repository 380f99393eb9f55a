"""What the ranker and the filler of arguments read, and what they must answer."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agents.customising import Prompt
from agents.recounting import after, failure_lines
from ledger.attempts import Failure
from ledger.plan import Step
from toolhub.showing import DATA_RULE

RANK_SYSTEM = (
    """\
For each step, choose the tools that can do it, best first, at most {topk}. Take only names from the list.
If no tool in the list can do a step, give it an empty list.

Answer with one JSON object and nothing else:
{{"choices": {{"s1": ["best_tool", "second_tool"], "s2": []}}}}

"""
    + DATA_RULE
)

RANK_USER = """\
Question: {question}

Tools:
{tools}

Steps:
{steps}
"""

FILL_SYSTEM = (
    """\
Write the arguments for each step's tool.

- Use only the parameters of the tool, with the right types. Leave out what is optional and not asked for.
- If a tool's definition lists several actions, name the one to call in "action", also when the arguments come late.
- Take values from the step and the question. Never invent one: if a required value is not there, list the parameter in
  "missing".
- A value that an earlier step will produce is written as a reference: "{{s1.field}}", for example "{{s1.value}}",
  "{{s1.entries[0].path}}" or, inside text, "{{s1.value}} + 14%"; "{{s1}}" is the whole result, as for a step of
  reasoning that returns text. What a tool returns is said in its definition; if it says nothing, set "late".
- A step that runs once per item returns a list: "{{s2[*].value}}" is the list of all its values.
- Inside a step that runs once per item, "{{item}}" or "{{item.field}}" is the current item.
- If the arguments depend on reading an earlier result in a way no reference can express, set "late" to true and leave
  the arguments empty: you will be asked again when the result is there.
- A call listed under "What failed" is refused if it is made again as it was, unless its failure may pass: give other
  arguments, and mind the reason.

Answer with one JSON object and nothing else:
{"calls": [{"step": "s1", "action": null, "arguments": {"name": "value"}, "missing": [], "late": false}]}

"""
    + DATA_RULE
)

FILL_USER = """\
Definitions:
{definitions}

Question: {question}
{others}{failures}
Steps:
{steps}
"""


class RankAnswer(BaseModel):
    """Tool names by step, best first."""

    choices: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])

    @field_validator("choices", mode="before")
    @classmethod
    def _names(cls, choices: Any) -> Any:
        """One name instead of a list, and objects that carry a name, are meant as names."""
        if not isinstance(choices, Mapping):
            return choices
        return {step: _listed(names) for step, names in cast("Mapping[Any, Any]", choices).items()}


class Call(BaseModel):
    """The arguments of one step."""

    model_config = ConfigDict(coerce_numbers_to_str=True)  # steps are often numbered

    step: str
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    missing: list[str] = Field(default_factory=list[str])
    late: bool = False


class FillAnswer(BaseModel):
    """The arguments of all steps."""

    calls: list[Call] = Field(default_factory=list[Call])


def rank_prompt(question: str, steps: list[Step], tools: str, topk: int) -> Prompt:
    """One call for all steps whose tool is open."""
    lines = "\n".join(f"- {step.id}{after(step)}: {step.description}" for step in steps)
    return Prompt(RANK_SYSTEM.format(topk=topk), RANK_USER.format(question=question, tools=tools, steps=lines))


def fill_prompt(
    question: str,
    steps: list[tuple[Step, str]],
    definitions: str,
    others: Sequence[str] = (),
    failures: Sequence[Failure] = (),
) -> Prompt:
    """One call for the arguments of all steps.

    Args:
        question: what the user asked.
        steps: the steps to fill, each with its tool.
        definitions: what the tools take and return.
        others: a line each for steps that need no arguments but may be referred to.
        failures: what failed earlier in the run.
    """
    lines = "\n".join(f"- {step.id} with {tool}{after(step)}: {step.description}" for step, tool in steps)
    known = "\nOther steps, which may be referred to:\n" + "\n".join(others) + "\n" if others else ""
    failed = "\nWhat failed:\n" + "\n".join(failure_lines(failures)) + "\n" if failures else ""
    return Prompt(
        FILL_SYSTEM,
        FILL_USER.format(definitions=definitions, question=question, steps=lines, others=known, failures=failed),
    )


def _listed(names: Any) -> Any:
    if names is None:
        return []
    items = cast("list[Any]", names) if isinstance(names, list) else [names]
    return [_name(item) for item in items]


def _name(item: Any) -> Any:
    if isinstance(item, Mapping):
        fields = cast("Mapping[str, Any]", item)
        return fields.get("name") or fields.get("tool")
    return item
