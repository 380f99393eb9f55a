"""Planning without a model: each clause of the question is a step."""

from agents.language.clauses import MAX_CHARACTERS, Clause, clauses
from agents.language.expressions import find_arithmetic, find_change
from ledger.plan import Step


def steps_of(question: str) -> list[Step]:
    """The steps a question asks for, with their dependencies; none where it is too long to be read whole."""
    if len(question) > MAX_CHARACTERS:
        return []
    steps: list[Step] = []
    for clause in _joined(clauses(question)):
        needs_previous = bool(steps) and (clause.follows or clause.refers_back)
        steps.append(
            Step(
                id=f"s{len(steps) + 1}",
                description=clause.text,
                dependencies=[steps[-1].id] if needs_previous else [],
            )
        )
    return steps


def _joined(parts: list[Clause]) -> list[Clause]:
    """A clause that only says more about the one before is part of it: "read a.md and say how many words it has"."""
    joined: list[Clause] = []
    for part in parts:
        says_more = part.refers_back and not part.follows and not _calculates(part.text)
        if joined and (says_more or not (part.follows or part.is_task or _calculates(part.text))):
            before = joined[-1]
            joined[-1] = Clause(f"{before.text}, {part.text}", before.follows, before.refers_back, before.is_task)
        else:
            joined.append(part)
    return joined


def _calculates(text: str) -> bool:
    return find_arithmetic(text) is not None or find_change(text, "it") is not None
