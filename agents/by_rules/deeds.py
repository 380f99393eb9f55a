"""What is done: a clause as one call, by the sentences that tools bring with them (`toolhub.sentences`).

One sentence has to take the whole clause; two that lead to different calls mean that it is not understood.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from switchyard.agents.by_rules.pieces import LONGEST, Pieces, Place, pieces_of
from switchyard.agents.scope import RunScope
from switchyard.language.lexicon import stem
from switchyard.language.sentences import Piece, matches, prefixes
from switchyard.language.tokeniser import has_chinese
from switchyard.ledger.plan import Call
from switchyard.toolhub.sentences import EARLIER, Sentence, brought_along, sentences_beside
from switchyard.tools.core.spec import ToolSpec

NO_NAME = re.compile(r"每|哪|各(?!庄)|所有|全部|[这那][个座]|几[个座]|最[大小多少高低]|多少|什么|有无|是否|有$|的")
"""What is in words for several things, or for one that is asked for, but not in the name of one."""


@dataclass(frozen=True, slots=True)
class Deed:
    """A call that a sentence leads to."""

    call: Call
    gives: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What of its result a later clause may take."""
    look_up: Call | None = None
    """The call that has to find a value first."""
    loose: int = 0
    """Characters that were taken as they are."""

    @property
    def of(self) -> tuple[str, str]:
        """The tool and the action."""
        return self.call.tool, self.call.action or ""


@dataclass(frozen=True, slots=True)
class RowPhrase:
    """A phrase in a clause that stands for many things."""

    deed: Deed
    start: int
    end: int
    text: str
    """The clause it stands in, as it was cut."""


class Deeds:
    """The sentences of the tools a run may use."""

    def __init__(self, scope: RunScope, place: Place | None = None) -> None:
        self._scope = scope
        self._place = place or Place(scope.equipment.workspace)
        self._known: dict[str, Pieces] = {}

    @cached_property
    def _all(self) -> tuple[list[Sentence], list[Sentence]]:
        """Sentences, and phrases for rows."""
        found = list(self._sentences())
        return [one for one in found if not one.of_rows], [one for one in found if one.of_rows]

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that have sentences."""
        return frozenset(sentence.tool for sentence in self._all[0])

    def read(self, clause: str, *, earlier: str | None = None, only: Sequence[str] = ()) -> Deed | None:
        """The call a clause asks for; None where no sentence takes all of it, or two lead to different calls.

        `earlier` is the reference that words for an earlier result stand for, `only` the tools that may be meant.
        """
        found = self.readings(clause, earlier=earlier, only=only)
        return found[0] if len(found) == 1 else None

    def readings(self, clause: str, *, earlier: str | None = None, only: Sequence[str] = ()) -> list[Deed]:
        """The different calls a clause may ask for."""
        if len(clause) > LONGEST:
            return []
        cut = self._cut(clause)
        found: list[Deed] = []
        for sentence in _near(self._all[0], cut.pieces, earlier=earlier is not None):
            if only and sentence.tool not in only:
                continue
            lists = {**sentence.lists, "earlier": dict.fromkeys(sentence.lists["earlier"], earlier)}
            for taken in matches(sentence.part, cut.pieces, lists):
                deed = self._deed(sentence, taken, earlier)
                found += [deed] if deed is not None else []
        return _fullest(found)

    def row_phrases(self, clause: str) -> list[RowPhrase]:
        """The phrases in a clause that stand for many things, the longest first."""
        cut = self._cut(clause) if len(clause) <= LONGEST else Pieces("", [], [])
        found: list[RowPhrase] = []
        for sentence in _near(self._all[1], cut.pieces, earlier=False):
            for start in range(len(cut.pieces)):
                for end, taken in prefixes(sentence.part, start, cut.pieces, sentence.lists):
                    deed = self._deed(sentence, taken, None)
                    if deed is not None and end > start:
                        found.append(RowPhrase(deed, cut.spans[start][0], cut.spans[end - 1][1], cut.text))
        return sorted(found, key=lambda one: (one.start - one.end, -len(one.deed.call.arguments)))

    def _cut(self, clause: str) -> Pieces:
        if clause not in self._known:
            self._known[clause] = pieces_of(clause, self._place, self._scope.equipment.clock().date())
        return self._known[clause]

    def _deed(self, sentence: Sentence, taken: Mapping[str, Any], earlier: str | None) -> Deed | None:
        """The call, after the one that looks up what it needs; None where nothing finds that."""
        filled = {name: earlier if value == EARLIER else value for name, value in sentence.filled(taken).items()}
        call = Call(tool=sentence.tool, action=sentence.action, arguments=filled)
        loose = sum(len(str(taken[name])) for name in sentence.open_slots & taken.keys())
        spec = self._scope.equipment.hub.registry.get(sentence.tool)
        known = _fields(spec, call.action)
        others = {name: value for name, value in call.arguments.items() if name not in known}
        if not others or spec is None:
            return Deed(call, sentence.given(taken), None, loose)
        if any(NO_NAME.search(str(taken[name])) for name in sentence.open_slots & taken.keys()):
            return None
        for other in self._scope.equipment.hub.registry:
            made = [name for name in spec.requires if name in other.produces and name not in call.arguments]
            if made and self._scope.allows(other.tool_id) and others.keys() <= _fields(other, None).keys():
                own = {name: value for name, value in call.arguments.items() if name in known}
                needs = call.model_copy(update={"arguments": {**own, made[0]: made[0]}})
                return Deed(needs, sentence.given(taken), Call(tool=other.tool_id, arguments=others), loose)
        return None

    def _sentences(self) -> Iterator[Sentence]:
        registry = self._scope.equipment.hub.registry
        for spec in registry:
            if not self._scope.allows(spec.tool_id):
                continue
            if spec.sentences:
                yield from brought_along(spec.tool_id, spec.sentences)
            file = registry.file_of(spec.tool_id) if spec.source == "native" else ""
            if file:
                yield from sentences_beside(spec.tool_id, Path(file))


def _fields(spec: ToolSpec | None, action: str | None) -> Mapping[str, Any]:
    capability = spec.capability(action) if spec else None
    return capability.parameters.get("properties", {}) if capability else {}


def _near(sentences: Iterable[Sentence], pieces: Sequence[Piece], *, earlier: bool) -> Iterator[Sentence]:
    """The sentences that may take a clause, in a first look: by its language, its mentions and its words."""
    kinds = {kind for piece in pieces for kind in (*piece.kinds, *(run.kind for run in piece.runs))}
    words = {stem(piece.text) for piece in pieces if piece.is_word}
    chinese = any(has_chinese(word) for word in words)
    for sentence in sentences:
        if sentence.chinese is (not chinese) or not sentence.needs <= kinds:
            continue
        if sentence.of_earlier is not earlier:
            continue  # what speaks of an earlier result is read where there is one
        if not any(words.isdisjoint(one_of) for one_of in sentence.literals):
            yield sentence


def _fullest(readings: Iterable[Deed]) -> list[Deed]:
    """The calls that make the most of what is said.

    Of one action, those that leave the fewest words as they are, and none that has only a part of another's arguments;
    of those that look a name up, those with the shortest name.
    """
    readings = list(readings)
    shortest = min((one.loose for one in readings if one.look_up), default=0)
    readings = [one for one in readings if not one.look_up or one.loose == shortest]
    kept: dict[str, Deed] = {}
    for _, group in groupby(sorted(readings, key=lambda one: one.of), key=lambda one: one.of):
        same = list(group)
        least = min(one.loose for one in same)
        deeds = [one for one in same if one.loose == least]
        for deed in deeds:
            if not any(deed.call.arguments.items() < other.call.arguments.items() for other in deeds):
                kept[f"{deed.call.model_dump_json()} {deed.look_up and deed.look_up.model_dump_json()}"] = deed
    return list(kept.values())
