"""What the model reads while it carries out a skill, and what it must answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from switchyard.toolhub.descriptions import definition
from switchyard.toolhub.excerpts import DATA_RULE, as_data, head_and_tail
from switchyard.toolhub.sources.skills.format import Skill
from switchyard.tools.core.late_model import LateModel
from switchyard.tools.core.spec import ToolSpec

MAX_INSTRUCTIONS = 60_000
"""Characters of the instructions that are shown."""
MAX_SEEN = 8_000
"""Characters of one result that are shown."""
MAX_ALL_SEEN = 24_000
"""Characters of all results together; the oldest are shortened first."""
SHORTENED = 400
"""Characters left of a result that is shortened; files of the skill are instructions, and are not."""
TURNS_TOLD = 3
"""From how many turns on it is told that they come to an end."""
OPENING = """\
You carry out one task by a skill: instructions written for tasks of this kind. Follow them where they fit the task.
You work in turns: you say what to do next and see what came of it.

Answer each turn with one JSON object and nothing else: {"moves": [...]}, one or several of these:
{"do": "call", "tool": "a tool below", "arguments": {"name": "value"}}   "action" too, if the tool has several
"""
READ_MOVE = """\
{"do": "read", "path": "references/guide.md"}   a file of the skill; files of the user are read with a tool
"""
RUN_MOVE = """\
{"do": "run", "path": "scripts/check.py", "args": ["..."]}   a Python script of the skill, started in the user's folder
"""
CLOSING = (
    """\
{"do": "finish", "answer": "..."}   alone, when you have seen all you need: a text, or a list or an object if asked for

- Moves that do not need each other belong in one turn.
- What failed is refused if it is repeated as it was. What nobody approved stays undone: finish and say what is missing.
- Never invent what you did not see. The answer stands by itself, in the language of the task.

"""
    + DATA_RULE
)

USER = """\
Skill: {name}

Instructions of the skill:
{instructions}

{files}Tools:
{tools}

So far:
{seen}
{left}
Task: {task}
"""


class Move(LateModel):
    """One thing to do."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    do: Literal["call", "read", "run", "finish"]
    tool: str = ""
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    path: str = ""
    args: list[str] = Field(default_factory=list[str])
    answer: Any = None

    @model_validator(mode="after")
    def _complete(self) -> "Move":
        needed = {"call": "tool", "read": "path", "run": "path", "finish": "answer"}[self.do]
        if getattr(self, needed) in ("", None):
            raise ValueError(f"a move that does '{self.do}' needs '{needed}'")
        return self


class Moves(LateModel):
    """What the model answers in one turn."""

    moves: list[Move] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Seen:
    """A move and what came of it."""

    move: str
    outcome: str
    lasting: bool = False
    """Kept in full: it is part of the instructions."""


def system_prompt(*, files: bool, scripts: bool) -> str:
    """What holds for every turn; moves that there is nothing for are not offered."""
    return OPENING + (READ_MOVE if files else "") + (RUN_MOVE if scripts else "") + CLOSING


def user_prompt(
    skill: Skill,
    instructions: str,
    task: str,
    *,
    files: Sequence[str],
    tools: Sequence[ToolSpec],
    missing: Sequence[str],
    seen: Sequence[Seen],
    turns_left: int,
) -> str:
    """Everything the model needs for its next turn; what does not change comes first."""
    described = [_described(spec) for spec in tools]
    if missing:
        described.append(f"Named by the skill, but not there: {', '.join(missing)}. Do without them.")
    left = "This is the last turn: finish now." if turns_left == 1 else f"{turns_left} turns are left."
    return USER.format(
        name=skill.name,
        instructions=shortened(instructions, MAX_INSTRUCTIONS) or "(none)",
        files=f"Files of the skill: {', '.join(files)}\n\n" if files else "",
        tools="\n\n".join(described) or "(none)",
        task=task,
        seen="\n".join(_shown(seen)) or "(nothing yet)",
        left=f"\n{left}\n" if turns_left <= TURNS_TOLD else "",
    )


def _described(spec: ToolSpec) -> str:
    """What it takes to call a tool; examples of questions help to choose one, which the skill has done."""
    approval = "\nRefused unless it was approved beforehand." if spec.asks_first else ""
    return definition(spec.model_copy(update={"sentences": ()})) + approval


def shortened(text: str, length: int) -> str:
    """The text, cut with a word about how much of it is there."""
    return text if len(text) <= length else f"{text[:length]}\n… ({length:,} of {len(text):,} characters)"


def _shown(seen: Sequence[Seen]) -> list[str]:
    """Each move with its outcome, the newest in full, older ones as the space allows."""
    space, lines = MAX_ALL_SEEN, list[str]()
    for number, one in reversed(list(enumerate(seen, start=1))):
        if one.lasting:
            outcome = shortened(one.outcome, MAX_SEEN)
        else:
            text = head_and_tail(one.outcome, MAX_SEEN if space > 0 else SHORTENED)
            space -= len(text)
            outcome = as_data(text)
        lines.append(f"{number}. {one.move}\n{outcome}")
    return lines[::-1]
