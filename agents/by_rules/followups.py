"""A question that leans on the conversation: "and in London?", 那伦敦呢？, "times 3", "how many words?"."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from switchyard.language.arithmetic import find_arithmetic, find_change
from switchyard.language.clauses import clauses
from switchyard.language.mentions import Mention, find_mentions
from switchyard.language.units import find_units
from switchyard.tools.core.context import Turn

_LEADS = re.compile(
    r"^(?:and|but|or|what about|how about|what if|ok(?:ay)?|now|then|also|only|just|那么?|那如果|换成|换作|改成|再|然后"
    r"|如果是|只看|只要|只)[\s,，]*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?:的话)?呢?[?？。.!！\s]*$")
_THERE = re.compile(r"\bthere\b|那里|那儿|那边|当地", re.IGNORECASE)
TURNS_BACK = 3
LONGEST_PIECE = 30
LONGEST = 60
"""Characters of a question that may lean on another."""


_LEANS = re.compile(
    r"^(?:and|but|what about|how about|only|just|same for|那|换成|换作|改成|只看|只要|只|再)|呢[?？。\s]*$"
    r"|\b(?:instead|too|as well)[?.\s]*$",
    re.IGNORECASE,
)


def leans(question: str) -> bool:
    """Whether the wording itself says that a question goes on from the one before."""
    return _LEANS.search(question) is not None


_LEANS_ON = re.compile(
    r"^[\s,，?？]*(?:and|what about|how about)\s+(?:in|on|at|for|to)?\b|^[\s，?？]*那|呢[?？。\s]*$", re.IGNORECASE
)


def leans_on(piece: str, today: date) -> bool:
    """Whether a piece of a question goes on from the piece before with something else: "… And in Paris?", 后天呢."""
    return len(piece) <= LONGEST_PIECE and _LEANS_ON.search(piece) is not None and bool(_things(piece, today))


def resolved(question: str, history: Sequence[Turn], today: date) -> Iterator[str]:
    """What a question means after the ones before it, the surest reading first."""
    said = [turn.text for turn in history if turn.role == "user"]
    answers = [turn.text for turn in history if turn.role == "assistant"]
    if not said or len(question) > LONGEST:
        return
    bare = _LEADS.sub("", _ENDS.sub("", question))
    if find_arithmetic(bare) is not None:
        yield bare  # "and 3+3?" is a sum of its own, not the numbers of the one before
    parts = clauses(question)
    number = _number_of(answers[-1], today) if answers else None
    if number and parts and (change := find_change(parts[0].text, number)) is not None:
        yield change
    for before in reversed(said[-TURNS_BACK:]):  # "and in Oslo?" may follow one that leaned itself
        yield from _after(question, before, today)


def _after(question: str, before: str, today: date) -> Iterator[str]:
    """What a question means after another one."""
    new, old = _things(question, today), _things(before, today)
    yield from _replaced(before, old, new)
    bare = _LEADS.sub("", _ENDS.sub("", question))
    if (place := next((m.text for m in reversed(old) if m.kind == "place"), None)) and _THERE.search(bare):
        yield _THERE.sub(place, bare)
    carried = [mention.text for mention in old if mention.kind not in {m.kind for m in new}]
    if carried:
        yield " ".join([bare, *carried])
    if new:
        yield f"{_ENDS.sub('', before)} {bare}"


def _things(text: str, today: date) -> list[Mention]:
    """What a text mentions, units too: "and in pounds?" swaps one for another."""
    found = list(find_mentions(text, today))
    units = [Mention("unit", unit.unit, text[unit.start : unit.end], unit.start, unit.end) for unit in find_units(text)]
    return found + [unit for unit in units if not any(m.start < unit.end and unit.start < m.end for m in found)]


def _replaced(before: str, old: Sequence[Mention], new: Sequence[Mention]) -> Iterator[str]:
    """The question before with what is mentioned now in the place of what was mentioned then."""
    swaps: list[tuple[Mention, Mention]] = []
    for mention in new:
        same = [m for m in old if m.kind == mention.kind]
        # the unit of a number takes the place of one, not that of the unit it is wanted in
        same = [m for m in same if _is_counted(m, old) == _is_counted(mention, new)] or same
        if not same:
            return
        swaps.append((same[-1], mention))
    if not swaps:
        return
    text = before
    for then, now in sorted(swaps, key=lambda swap: -swap[0].start):
        text = text[: then.start] + now.text + text[then.end :]
    yield text


def _is_counted(unit: Mention, mentions: Sequence[Mention]) -> bool:
    return unit.kind in {"unit", "currency"} and any(
        m.kind == "number" and 0 <= unit.start - m.end <= 1 for m in mentions
    )


def _number_of(answer: str, today: date) -> str | None:
    """The number an answer ends with: what a calculation came to."""
    numbers = [m for m in find_mentions(answer.splitlines()[0] if answer else "", today) if m.kind == "number"]
    return numbers[-1].text if numbers else None
