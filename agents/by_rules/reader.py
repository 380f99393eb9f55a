"""A question read whole, without a model: each clause is something that is done, or something that is asked of rows."""

import asyncio

from switchyard.agents.by_rules.deeds import Deeds
from switchyard.agents.by_rules.lookups import read_look_up
from switchyard.agents.by_rules.row_question import read_call_about_rows
from switchyard.agents.scope import RunScope
from switchyard.language.arithmetic import find_arithmetic
from switchyard.language.clauses import clauses
from switchyard.language.time_questions import read_time_question
from switchyard.ledger.plan import MAX_STEPS, Call, Step


async def look_up_steps(scope: RunScope, question: str) -> list[Step] | None:
    """The step that shows what a document says, for a question that nothing else serves."""
    call = await _looked_up(scope, question)
    return None if call is None else [_step(1, question, call)]


async def read_steps(scope: RunScope, question: str) -> list[Step] | None:
    """The steps of a question of which every word is understood; None where one is not."""
    call = await _read(scope, question)
    if call is not None:
        return [_step(1, question, call)]
    parts = clauses(question)
    if not 1 < len(parts) <= MAX_STEPS or any(part.refers_back for part in parts):
        return None
    steps: list[Step] = []
    for part in parts:
        call = await _read(scope, part.text)
        if call is None:
            return None
        steps.append(_step(len(steps) + 1, part.text, call))
    return steps


async def _read(scope: RunScope, text: str) -> Call | None:
    today = scope.equipment.clock().date()
    if find_arithmetic(text) is not None or read_time_question(text, today) is not None:
        return None  # which have readers of their own, and need nothing that is there
    done = await asyncio.to_thread(Deeds(scope).read, text)
    return done or await read_call_about_rows(scope, text)


async def _looked_up(scope: RunScope, text: str) -> Call | None:
    equipment = scope.equipment
    call = await asyncio.to_thread(read_look_up, text, equipment.workspace, equipment.clock().date())
    return call if call is not None and scope.allows(call.tool) else None


def _step(number: int, text: str, call: Call) -> Step:
    return Step(id=f"s{number}", description=text, tool=call.tool, call=call)
