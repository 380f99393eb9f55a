"""What is done: a clause as one call, by the sentences that tools bring with them (`toolhub.sentences`).

One sentence has to take the whole clause; two that lead to different calls mean that it is not understood.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from switchyard.agents.by_rules.pieces import LONGEST, pieces_of
from switchyard.agents.scope import RunScope
from switchyard.language.lexicon import stem
from switchyard.language.sentences import matches
from switchyard.language.tokeniser import has_chinese
from switchyard.ledger.plan import Call
from switchyard.toolhub.sentences import Sentence, sentences_beside


@dataclass(frozen=True, slots=True)
class Reading:
    """A call that a sentence leads to."""

    call: Call
    loose: int
    """Characters that were taken as they are."""

    @property
    def of(self) -> tuple[str, str]:
        """The tool and the action."""
        return self.call.tool, self.call.action or ""


class Deeds:
    """The sentences of the tools a run may use."""

    def __init__(self, scope: RunScope) -> None:
        self._scope = scope

    def read(self, clause: str) -> Call | None:
        """The call a clause asks for; None where no sentence takes all of it, or two lead to different calls."""
        calls = self.readings(clause)
        return calls[0] if len(calls) == 1 else None

    def readings(self, clause: str) -> list[Call]:
        """The different calls a clause may ask for."""
        if len(clause) > LONGEST:
            return []
        equipment = self._scope.equipment
        pieces = pieces_of(clause, equipment.workspace, equipment.clock().date())
        kinds = {kind for piece in pieces for kind in (*piece.kinds, *(run.kind for run in piece.runs))}
        words = {stem(piece.text) for piece in pieces if piece.is_word}
        chinese = any(has_chinese(word) for word in words)
        found: list[Reading] = []
        for sentence in self._sentences():
            if sentence.chinese is (not chinese) or not sentence.needs <= kinds:
                continue
            if any(words.isdisjoint(one_of) for one_of in sentence.literals):
                continue
            for taken in matches(sentence.part, pieces, sentence.lists):
                call = Call(tool=sentence.tool, action=sentence.action, arguments=sentence.filled(taken))
                found.append(Reading(call, sum(len(str(taken[name])) for name in sentence.open_slots & taken.keys())))
        return _fullest(found)

    def _sentences(self) -> Iterator[Sentence]:
        registry = self._scope.equipment.library.registry
        for spec in registry:
            file = registry.file_of(spec.name) if self._scope.allows(spec.name) and spec.source == "native" else ""
            if file:
                yield from sentences_beside(spec.name, Path(file))


def _fullest(readings: Iterable[Reading]) -> list[Call]:
    """The calls that make the most of what is said.

    Of one action, those that leave the fewest words as they are, and none that has only a part of another's arguments.
    """
    kept: dict[str, Call] = {}
    for _, group in groupby(sorted(readings, key=lambda one: one.of), key=lambda one: one.of):
        same = list(group)
        least = min(one.loose for one in same)
        calls = [one.call for one in same if one.loose == least]
        for call in calls:
            if not any(call.arguments.items() < other.arguments.items() for other in calls):
                kept[call.model_dump_json()] = call
    return list(kept.values())
