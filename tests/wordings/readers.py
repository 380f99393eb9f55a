"""What is read in a question, by name: the readers of the tables beside this file.

A reader is given the question, and what its cell says after its name (a tool, an argument, a unit). It gives what it
found: a text, a number, yes or no, JSON, or nothing.
"""

import json
from collections.abc import Callable
from functools import cache
from inspect import isawaitable
from typing import Any

from switchyard.agents.by_rules.schema_call import Filled, fill
from switchyard.agents.scope import RunScope
from switchyard.app.places import ROOT
from switchyard.language.clauses import clauses, joined
from switchyard.language.errors import Unreadable
from switchyard.language.mentions import find_mentions
from switchyard.language.words import language_of, needs_a_model
from switchyard.ledger.decisions import Assignment
from switchyard.ledger.plan import Step
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import ToolFailed
from switchyard.tools.core.context import Turn
from switchyard.tools.core.spec import ToolSpec
from tests.support.reading import open_scope, planned
from tests.wordings.language_readers import LANGUAGE_READERS, TODAY, listed
from tests.wordings.row_readers import look_up, read_rows, read_rows_after


async def read(reader: str, question: str) -> Any:
    """What the reader of a row finds; an error for people is its name or kind, and its text."""
    name, _, told = reader.partition(" ")
    try:
        found = READERS[name](question, told) if told else READERS[name](question)
        return await found if isawaitable(found) else found
    except Unreadable as error:
        return f"{type(error).__name__}: {error}"
    except ToolFailed as error:
        return f"{error.kind}: {error}"


# clauses


def read_clauses(question: str) -> str | None:
    return listed([clause.text for clause in clauses(question)])


def _joint(question: str) -> str | None:
    return clauses(question)[1].joint


def _joined(question: str) -> str:
    return joined(clauses(question)).text


def _refers_back(question: str) -> bool:
    return clauses(question)[0].refers_back


def _quoted(question: str) -> str | None:
    return listed([mention.value for mention in find_mentions(question, TODAY) if mention.kind == "quoted"])


# plans


@cache
def _scope(foreign: str) -> RunScope:
    return open_scope(foreign=foreign == "foreign")


def _step(step: Step, assignment: Assignment, *, arguments: bool) -> str:
    given = json.dumps(assignment.arguments, ensure_ascii=False, sort_keys=True) if arguments else ""
    needs = f"after {' '.join(step.dependencies)}" if step.dependencies else ""
    each = f"for each of {step.for_each.step}" if step.for_each else ""
    return " ".join(part for part in (assignment.tool or "-", given, needs, each) if part)


async def _planned(question: str, scope: RunScope, *, arguments: bool) -> str:
    steps, assignments = await planned(question, scope)
    pairs = zip(steps, assignments, strict=True)
    return "; ".join(_step(step, assignment, arguments=arguments) for step, assignment in pairs)


async def _tools(question: str, foreign: str = "") -> str:
    """The tool of each step; with `foreign`, other people's tools are there too."""
    return await _planned(question, _scope(foreign), arguments=False)


async def _plan(question: str, foreign: str = "") -> str:
    """The tool and the arguments of each step."""
    return await _planned(question, _scope(foreign), arguments=True)


async def _argument(question: str, name: str) -> list[Any]:
    """One argument of each step."""
    _, assignments = await planned(question, _scope("foreign"))
    return [assignment.arguments.get(name) for assignment in assignments]


async def _follow_up(question: str) -> str:
    """What is planned after a question and its answer, all in one cell."""
    said, answered, asked = question.split(" / ")
    scope = open_scope(history=(Turn("user", said), Turn("assistant", answered)))
    return await _planned(asked, scope, arguments=True)


async def _changes(question: str) -> str | None:
    """The tools taken that change or send something, whether or not other people's tools are there."""
    changing: list[str] = []
    for scope in (_scope(""), _scope("foreign")):
        steps, assignments = await planned(question, scope)
        assert steps
        hub = scope.equipment.hub
        taken = [(hub.registry.get(one.tool), one.action) for one in assignments if one.tool]
        specs = [spec.for_action(action) for spec, action in taken if spec]
        changing += [spec.tool_id for spec in specs if spec.writes or spec.sends]
    return listed(changing)


@cache
def _specs() -> dict[str, ToolSpec]:
    return {found.spec.tool_id: found.spec for found in discover(ROOT / "tools", "switchyard.tools").tools}


# arguments

SCHEMAS: dict[str, dict[str, Any]] = {
    "zoned": {
        "properties": {"timezone": {"type": "string", "description": "IANA timezone name (e.g., 'Europe/London')"}},
        "required": ["timezone"],
    },
    "counter": {
        "properties": {
            "label": {"type": "string"},
            "count": {"type": "integer"},
            "ratio": {"type": "number"},
            "mode": {"enum": ["fast", "慢"]},
            "limit": {"type": "integer", "default": 10},
            "explanation": {"type": "string"},
        },
        "required": ["label", "count"],
    },
    "past": {
        "properties": {"hours": {"type": "integer", "description": "最近多少小时, the past hours", "maximum": 240}}
    },
    "to_come": {"properties": {"hours": {"type": "integer", "description": "未来多少小时, the next hours"}}},
    "station": {
        "properties": {"station_name": {"type": "string", "description": "水库或站的名称"}},
        "required": ["station_name"],
    },
    "city": {"properties": {"city": {"enum": ["安阳市"], "description": "安阳市 (安阳, Anyang)"}}},
}
"""Schemas of tools nobody knows."""


def _filled(question: str, tool: str) -> Filled:
    return fill(SCHEMAS.get(tool) or _specs()[tool].capabilities[0].parameters, question, TODAY)


def _fill(question: str, tool: str) -> dict[str, Any]:
    return _filled(question, tool).arguments


def _missing(question: str, tool: str) -> str | None:
    return listed(_filled(question, tool).missing)


READERS: dict[str, Callable[..., Any]] = {
    **LANGUAGE_READERS,
    "rows": read_rows,
    "after": read_rows_after,
    "lookup": look_up,
    "clauses": read_clauses,
    "joint": _joint,
    "joined": _joined,
    "refers_back": _refers_back,
    "quoted": _quoted,
    "language": language_of,
    "needs_model": needs_a_model,
    "tools": _tools,
    "plan": _plan,
    "argument": _argument,
    "follow_up": _follow_up,
    "changes": _changes,
    "fill": _fill,
    "missing": _missing,
}
