"""What the ranker and the filler of arguments read, and what they must answer."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from switchyard.agents.parsing import EVERY_STEP, Reshaping
from switchyard.agents.prompt import Prompt, after, conversation, failure_lines, learned_lines, section, with_data_rule
from switchyard.language.words import depends_on_the_day
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import Pattern
from switchyard.ledger.plan import Step
from switchyard.tools.core.context import Turn
from switchyard.tools.core.json_values import is_list, is_mapping

RANK_SYSTEM = with_data_rule("""\
For each step, choose the tools that can do it, best first, at most {topk}. Take only names from the list.
If no tool in the list can do a step, give it an empty list.

Answer with one JSON object and nothing else, such as:
{{"choices": {{"s1": ["read_file", "grep_search"], "s2": []}}}}
""")

RANK_USER = """\
Tools:
{tools}

Steps:
{steps}
"""

FILL_SYSTEM = with_data_rule("""\
Write the arguments for each step's tool.

- Use only the parameters of the tool, with the right types. Leave out what is optional and not asked for.
- If a tool's definition lists several actions, name the one to call in "action", also when the arguments come late.
- Take values from the step and the question, and names of columns and keys from the files below where they are shown.
  Never invent one: if a required value is nowhere, list the parameter in "missing". A text that the step wants written
  is yours to write.
- A value that an earlier step will produce is written as a reference: "{{s1.field}}", for example "{{s1.value}}",
  "{{s1.entries[0].path}}" or, inside text, "{{s1.value}} + 14%"; "{{s1}}" is the whole result, as for a step of
  reasoning that returns text. What a tool returns is said in its definition; if it says nothing, set "late".
- A step that runs once per item returns a list: "{{s2[*].value}}" is the list of all its values.
- Inside a step that runs once per item, "{{item}}" or "{{item.field}}" is the current item.
- If the arguments depend on reading an earlier result in a way no reference can express, set "late" to true and leave
  the arguments empty: you will be asked again when the result is there.
- A call listed under "What failed" is not made again as it was, unless it is marked "(for the moment)": give other
  arguments, and mind the reason. A result that is marked as truncated has only the first rows: give its step a larger
  limit before all of them are written.

Answer with one JSON object and nothing else, such as:
{"calls": [
 {"step": "s1", "action": null, "arguments": {"path": "prices.txt"}, "missing": [], "late": false},
 {"step": "s2", "action": null, "arguments": {"expression": "{{s1.lines}} * 2"}, "missing": [], "late": false}]}
""")

_CHOSEN = ("choices", "tools", "selected_tools", "names")
"""What the field with the names is called."""
_NAMED = ("tools", "choices", "names", "tool", "name")
"""The same, in an object that names its step."""
_STEP = re.compile(r"(?:s|step)?[ _-]?\d+", re.IGNORECASE)

FILL_USER = """\
{learned}Definitions:
{definitions}
{files}{others}{failures}
Steps:
{steps}

{conversation}"""


class RankAnswer(Reshaping):
    """Tool names by step, best first."""

    choices: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])

    @classmethod
    def reshaped(cls, found: Any) -> Any:
        """A list of objects with a step each, names by step without more around them, or names for every step."""
        inner = next((_fields(found)[name] for name in _CHOSEN if name in _fields(found)), found)
        if is_list(inner):
            stepped = [item for item in map(_fields, inner) if "step" in item]
            every = len(stepped) < len(inner)
            named = {str(item["step"]): next((item[key] for key in _NAMED if key in item), None) for item in stepped}
            inner = {EVERY_STEP: inner} if every else named
        elif inner is found and not _is_by_step(found):
            return found
        return {"choices": {step: _names(named) for step, named in _fields(inner).items()}}

    def of(self, step: str) -> list[str] | None:
        """The names for a step, each once; None where nothing was said of it."""
        names = self.choices.get(step, self.choices.get(EVERY_STEP))
        return None if names is None else list(dict.fromkeys(names))


class Call(BaseModel):
    """The arguments of one step."""

    model_config = ConfigDict(coerce_numbers_to_str=True)  # steps are often numbered

    step: str = EVERY_STEP
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    missing: list[str] = Field(default_factory=list[str])
    late: bool = False


class FillAnswer(Reshaping):
    """The arguments of all steps."""

    calls: list[Call] = Field(default_factory=list[Call])

    @classmethod
    def reshaped(cls, found: Any) -> Any:
        """Calls by step instead of a list, with their arguments alone or with all that belongs to a call; or one."""
        inner = _fields(found).get("calls", found)
        by_step = _fields(inner)
        if "arguments" in by_step:
            return {"calls": [by_step]}
        if not _is_by_step(inner) or not all(is_mapping(call) for call in by_step.values()):
            return found
        whole = {"arguments", "missing", "late"}
        calls = {step: call if call.keys() & whole else {"arguments": call} for step, call in by_step.items()}
        return {"calls": [{"step": step, **call} for step, call in calls.items()]}


def rank_prompt(question: str, steps: list[Step], tools: str, topk: int) -> Prompt:
    """One call for all steps whose tool is open."""
    lines = "\n".join(f"- {step.id}{after(step)}: {step.description}" for step in steps)
    return Prompt(RANK_SYSTEM.format(topk=topk), RANK_USER.format(tools=tools, steps=lines), question)


def fill_prompt(
    question: str,
    steps: list[tuple[Step, str]],
    definitions: str,
    others: Sequence[str] = (),
    failures: Sequence[Failure] = (),
    *,
    patterns: Sequence[Pattern] = (),
    files: Sequence[str] = (),
    history: Sequence[Turn] = (),
    dated: bool = False,
) -> Prompt:
    """One call for the arguments of all steps, each given with its tool; `others`: lines of what may be referred to."""
    tools = {tool for _, tool in steps}
    lines = "\n".join(f"- {step.id} with {tool}{after(step)}: {step.description}" for step, tool in steps)
    user = FILL_USER.format(
        learned=learned_lines([one for one in patterns if one.tool in tools]),
        definitions=definitions,
        steps=lines,
        files=section("The files that are named", files),
        conversation=conversation(history),
        others=section("Other steps, which may be referred to", others),
        failures=section("What failed", failure_lines(failures)),
    )
    return Prompt(FILL_SYSTEM, user, question, dated or any(depends_on_the_day(step.description) for step, _ in steps))


def _fields(found: Any) -> Mapping[str, Any]:
    return found if is_mapping(found) else {}


def _is_by_step(found: Any) -> bool:
    """Whether its fields are steps: by their names, or because each has a list."""
    fields = _fields(found)
    return bool(fields) and (all(map(_STEP.fullmatch, fields)) or all(map(is_list, fields.values())))


def _names(named: Any) -> list[Any]:
    """One name instead of a list, and objects that carry a name, are meant as names."""
    listed = named if is_list(named) else [] if named is None else [named]
    return [fields.get("name") or fields.get("tool") if (fields := _fields(item)) else item for item in listed]
