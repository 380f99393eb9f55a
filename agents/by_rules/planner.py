"""Planning without a model: the steps of what was understood, and for the rest what may help."""

import asyncio
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from switchyard.agents.by_rules.lookups import read_look_up
from switchyard.agents.by_rules.persons import PERSONS
from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.reader import ANALYZE, TABLES, Reader, Task, only_says_which
from switchyard.agents.by_rules.row_question import not_understood, phrasing_over
from switchyard.agents.by_rules.world import tables_in
from switchyard.agents.scope import RunScope
from switchyard.language.asides import SOMEBODY
from switchyard.language.clauses import MAX_CHARACTERS, Clause, clauses
from switchyard.language.mentions import find_mentions, is_file
from switchyard.language.messages import message
from switchyard.language.tables import phrases
from switchyard.language.tokeniser import has_chinese, tokens
from switchyard.language.words import asks, is_about_now, is_deed, is_vague, needs_a_model
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.plan import Call, Declined, Step
from switchyard.tools.core.errors import PlanRejected
from switchyard.tools.core.spec import ToolSpec

EXAMPLES_SHOWN = 12
_FULL_NAME = 3
"""Characters from which on a Chinese name is nobody else's."""


async def steps_of(scope: RunScope, question: str) -> list[Step]:
    """The steps a question asks for, with their calls; those that nothing serves say what may help.

    Raises:
        PlanRejected: when it is too long to be read whole.
    """
    if len(question) > MAX_CHARACTERS:
        raise PlanRejected(message("question_too_long", length=len(question), most=MAX_CHARACTERS))
    reader = Reader(scope)
    read = await reader.read(question)
    done = [one for one in read if isinstance(one, Task)]
    left = [one for one in read if isinstance(one, Clause)]
    reaches_out = any(reader.acts(one) or any("url" in call.arguments for call in one.calls) for one in done)
    if left and not reaches_out and (looked_up := await _look_up(scope, reader, question)):
        return looked_up
    asked = [one.asked.query for one in done if one.asked]
    of_all = any(not (one.conditions or one.extreme or one.limit) for one in asked)
    astray = any(SOMEBODY.search(one.text) for one in done)
    if left and (not done or reaches_out or astray or not all(_stands_alone(one, of_all=of_all) for one in left)):
        return [await _declined(scope, "s1", question)]  # half of it is not what was asked for
    steps: list[Step] = []
    for one in read:
        steps += one.steps if isinstance(one, Task) else [await _declined(scope, f"t{len(steps) + 1}", one.text)]
    return steps


def _stands_alone(clause: Clause, *, of_all: bool) -> bool:
    """Whether a clause is a task beside the others; a model's work always is.

    It is none beside a figure of all rows (`of_all`) where it asks something: that may be meant of what it speaks of.
    """
    if needs_a_model(clause.text):
        return True
    joined = clause.joint == "also" and clause.before.strip() not in {"", ",", "，"}
    parted = clause.joint in {"start", "end"} or joined
    is_part = clause.refers_back or only_says_which(clause.text) or (of_all and asks(clause.text))
    return parted and not is_part


async def certain_steps(scope: RunScope, question: str, *, exact: bool) -> list[Step]:
    """The steps of a question that the rules read whole; `exact`: only of calculations, times and tools named by id."""
    reader = Reader(scope)
    if exact and not all(map(reader.is_exact, clauses(question))):
        return []
    steps = await steps_of(scope, question)
    return steps if all(step.call is not None and not step.call.unsaid for step in steps) else []


async def needs_tools(scope: RunScope, question: str) -> bool:
    """Whether a question speaks of what nobody knows by heart: a file, an address, a sum, a time, what is so now.

    Or of somebody who is in a table: what is known of them is in the files. Or of what is not done by saying so:
    something to be sent, bought, deleted.
    """
    mentions = find_mentions(question, scope.equipment.clock().date())
    if is_about_now(question) or any(one.kind == "url" for one in mentions):
        return True
    paths = [str(one.value) for one in mentions if one.kind == "path"]
    if await asyncio.to_thread(_is_in_workspace, scope.equipment.workspace, question, paths):
        return True
    parts, reader = clauses(question) if len(question) <= MAX_CHARACTERS else [], Reader(scope)
    return any(reader.is_exact(one) or is_deed(one.text, tokens(one.text)) for one in parts)


def _is_in_workspace(workspace: Path, question: str, paths: list[str]) -> bool:
    """Whether one of these is a file (Node.js and TCP/IP are none), or somebody's full name stands in a table."""
    if any(is_file(path) or Place(workspace).exists(path) for path in paths):
        return True
    names = (
        value
        for table in tables_in(workspace)
        for kind in PERSONS
        if kind in table.concepts
        for value in table.column(table.concepts[kind]).values
    )
    return any(name in question for name in names if " " in name or (has_chinese(name) and len(name) >= _FULL_NAME))


def told_help(scope: RunScope, question: str) -> str | None:
    """What may be asked here, for who asks that, or only greets; None for every other question."""
    said = question.strip(" \t\n/!?？！.。,，啊呀呢吗").lower()
    if said not in phrases("help", "asks"):
        return None
    specs = [spec for spec in scope.equipment.hub.registry if spec.asked and scope.allows(spec.tool_id)]
    examples = [_example_of(spec, question) for spec in specs if spec.tool_type != "skill"]
    shown = "\n".join(f"- {one}" for one in examples[:EXAMPLES_SHOWN] if one)
    return message("help", examples=shown, count=len(scope.equipment.hub.registry)).text(scope.language)


async def _look_up(scope: RunScope, reader: Reader, question: str) -> list[Step]:
    """The steps that show what documents say, for a question that nothing else serves."""
    equipment = scope.equipment
    given = (equipment.workspace, equipment.clock().date())
    if reader.leans(question):
        calls = await asyncio.to_thread(lambda: _looked_up_again(*reader.with_changes(question), *given))
    else:
        follows = bool(scope.history)
        calls = await asyncio.to_thread(lambda: read_look_up(question, *given, follows=follows))
    if any(not scope.allows(one.tool) or equipment.hub.registry.get(one.tool) is None for one in calls):
        return []
    return [Step(id=f"s{at}", description=question, tool=one.tool, call=one) for at, one in enumerate(calls, 1)]


def _looked_up_again(before: str, changed: Sequence[str], workspace: Path, today: date) -> list[Call]:
    """The call that shows of one other thing what the last question was shown; none where several may be meant."""
    first = read_look_up(before, workspace, today) if changed else []
    if len(first) != 1:
        return []
    found: list[Call] = []
    for text in changed:
        calls = read_look_up(text, workspace, today)
        if len(calls) == 1 and calls[0] not in found and _shows_the_same(first[0], calls[0]):
            found += calls
    return found if len(found) == 1 else []


def _shows_the_same(one: Call, other: Call) -> bool:
    """Whether two calls look in one file and differ in one thing: a name in the SQL, or a line."""
    if one.unsaid or other.unsaid or one.arguments.get("path") != other.arguments.get("path"):
        return False
    parts = [str(call.arguments.get("sql", call.arguments.get("start_line"))).split('"') for call in (one, other)]
    return (
        len(parts[0]) == len(parts[1]) and len({pair for pair in zip(*parts, strict=True) if len(set(pair)) > 1}) == 1
    )


async def _declined(scope: RunScope, step_id: str, text: str) -> Step:
    """A step that nothing serves, with a tool that is near, if one is, and a wording of it that works."""
    equipment = scope.equipment
    today, place = equipment.clock().date(), Place(equipment.workspace)
    table, unknown = await asyncio.to_thread(not_understood, text, place, today)
    paths = [Path(str(one.value)).suffix.lower() for one in find_mentions(text, today) if one.kind == "path"]
    analyzer = equipment.hub.registry.get(ANALYZE) if table or TABLES.intersection(paths) else None
    nearest, example, is_skill = "", "", False
    if analyzer is not None and scope.allows(ANALYZE):  # it speaks of a table
        own = await asyncio.to_thread(phrasing_over, table, place, today, scope.language) if table else ""
        nearest, example = ANALYZE, own or _example_of(analyzer.for_action("aggregate"), text)
    else:
        said = {term for term in tokens(text) if not is_vague(term)}
        for scored in await scope.recall(text, for_model=False):
            spec = equipment.hub.registry.get(scored.name)
            shared = {term for term in scored.terms if not is_vague(term)}
            if spec is not None and len(shared) > (spec.tool_type == "skill") and 2 * len(shared) >= len(said):
                nearest, example, is_skill = spec.tool_id, _example_of(spec, text), spec.tool_type == "skill"
                break
    declined = Declined(words=unknown, nearest=nearest, example=example, is_skill=is_skill)
    return Step(id=step_id, description=text, tool=NO_TOOL, declined=declined)


def _example_of(spec: ToolSpec, text: str) -> str:
    """A wording that the tool prints, in the language of the question."""
    chinese = has_chinese(re.sub(r"\S+\.\w+", "", text[:200]))
    return next((one for one in spec.asked if has_chinese(re.sub(r"\S+\.\w+", "", one)) is chinese), "")
