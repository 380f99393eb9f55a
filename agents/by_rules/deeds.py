"""What is done: a clause as one call, by the sentences that tools bring with them (`toolhub.sentences`).

One sentence has to take the whole clause; two that lead to different calls mean that it is not understood.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from switchyard.agents.by_rules.pieces import LONGEST, Pieces, Place, pieces_of
from switchyard.agents.scope import RunScope
from switchyard.language.lexicon import stem
from switchyard.language.sentences import Piece, Run, matches, prefixes
from switchyard.language.tokeniser import has_chinese
from switchyard.ledger.plan import Call
from switchyard.toolhub.sentences import EARLIER, Sentence, brought_along, sentences_beside
from switchyard.tools.core.spec import ToolSpec

LONGEST_KEPT = 500
"""Characters of a clause that has something found and written down."""
_BEFORE_ASKED = 12
"""Words that may stand before what is found and written down."""
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
    def _sentences(self) -> Mapping[str, list[Sentence]]:
        """The sentences by use: alone, after an earlier result, asking for something found first, phrases for rows."""
        registry = self._scope.equipment.hub.registry
        found: dict[str, list[Sentence]] = {"alone": [], "after": [], "asking": [], "rows": []}
        for spec in registry:
            if not self._scope.allows(spec.tool_id):
                continue
            file = registry.file_of(spec.tool_id) if spec.source == "native" else ""
            beside = sentences_beside(spec.tool_id, Path(file)) if file else ()
            for one in (*brought_along(spec.tool_id, spec.sentences), *beside):
                use = "rows" if one.of_rows else "asking" if one.asks else "after" if one.of_earlier else "alone"
                found[use].append(one)
        return found

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that have sentences."""
        return frozenset(one.tool for use, said in self._sentences.items() for one in said if use != "rows")

    def read(self, clause: str, *, earlier: str | None = None, only: Sequence[str] = ()) -> Deed | None:
        """The call a clause asks for; None where no sentence takes all of it, or two lead to different calls.

        `earlier` is the reference that words for an earlier result stand for, `only` the tools that may be meant.
        """
        found = self.readings(clause, earlier=earlier, only=only)
        return found[0] if len(found) == 1 else None

    def readings(self, clause: str, *, earlier: str | None = None, only: Sequence[str] = ()) -> list[Deed]:
        """The different calls a clause may ask for."""
        use = "alone" if earlier is None else "after"
        return _fullest([*self._fitting(use, self._cut(clause).pieces, earlier, only)])

    def read_kept(self, clause: str) -> Deed | None:
        """The call a clause asks for that has something found first, with the words for that in its place."""
        cut = self._cut(clause)
        if len(clause) > LONGEST_KEPT or not any("target" in piece.kinds for piece in cut.pieces):
            return None
        pieces = list(cut.pieces)
        for first, (start, _) in enumerate(cut.spans[:_BEFORE_ASKED]):
            ends = enumerate(cut.spans[first + 1 :], 2)
            runs = (Run("asked", length, cut.text[start:end]) for length, (_, end) in ends)
            pieces[first] = replace(pieces[first], runs=(*pieces[first].runs, *runs))
        found = _fullest([*self._fitting("asking", pieces)])
        return found[0] if len(found) == 1 else None

    def row_phrases(self, clause: str) -> list[RowPhrase]:
        """The phrases in a clause that stand for many things, the longest first."""
        cut = self._cut(clause)
        found: list[RowPhrase] = []
        for sentence in _near(self._sentences["rows"], cut.pieces):
            for start in range(len(cut.pieces)):
                for end, taken in prefixes(sentence.part, start, cut.pieces, sentence.lists):
                    deed = self._deed(sentence, taken, None)
                    if deed is not None and end > start:
                        found.append(RowPhrase(deed, cut.spans[start][0], cut.spans[end - 1][1], cut.text))
        return sorted(found, key=lambda one: (one.start - one.end, -len(one.deed.call.arguments)))

    def _cut(self, clause: str) -> Pieces:
        if clause not in self._known:
            is_read = len(clause) <= LONGEST
            cut = pieces_of(clause, self._place, self._scope.equipment.clock().date()) if is_read else None
            self._known[clause] = cut or Pieces("", [], [])
        return self._known[clause]

    def _fitting(
        self, use: str, pieces: Sequence[Piece], earlier: str | None = None, only: Sequence[str] = ()
    ) -> Iterator[Deed]:
        """The calls of the sentences of a use that take all the pieces."""
        for sentence in _near(self._sentences[use], pieces):
            if only and sentence.tool not in only:
                continue
            lists = {**sentence.lists, "earlier": dict.fromkeys(sentence.lists["earlier"], earlier)}
            for taken in matches(sentence.part, pieces, lists):
                if (deed := self._deed(sentence, taken, earlier)) is not None:
                    yield deed

    def _deed(self, sentence: Sentence, taken: Mapping[str, Any], earlier: str | None) -> Deed | None:
        """The call, after the one that looks up what it needs; None where nothing finds that."""
        filled = {name: earlier if value == EARLIER else value for name, value in sentence.filled(taken).items()}
        call = Call(tool=sentence.tool, action=sentence.action, arguments=filled)
        loose = sum(len(str(taken[name])) for name in sentence.open_slots & taken.keys())
        spec = self._scope.equipment.hub.registry.get(sentence.tool)
        known = _fields(spec, call.action)
        others = {name: value for name, value in filled.items() if name not in known}
        if not others or spec is None:
            return Deed(call, sentence.given(taken), None, loose)
        if any(NO_NAME.search(str(taken[name])) for name in sentence.open_slots & taken.keys()):
            return None
        for other in self._scope.equipment.hub.registry:
            made = [name for name in spec.requires if name in other.produces and name not in filled]
            if made and self._scope.allows(other.tool_id) and others.keys() <= _fields(other, None).keys():
                own = {name: value for name, value in filled.items() if name in known}
                needs = call.model_copy(update={"arguments": {**own, made[0]: made[0]}})
                return Deed(needs, sentence.given(taken), Call(tool=other.tool_id, arguments=others), loose)
        return None


def _fields(spec: ToolSpec | None, action: str | None) -> Mapping[str, Any]:
    capability = spec.capability(action) if spec else None
    return capability.parameters.get("properties", {}) if capability else {}


def _near(sentences: Sequence[Sentence], pieces: Sequence[Piece]) -> Iterator[Sentence]:
    """The sentences that may take a clause, in a first look: by its language, its mentions and its words."""
    kinds = {kind for piece in pieces for kind in (*piece.kinds, *(run.kind for run in piece.runs))}
    words = {stem(piece.text) for piece in pieces if piece.is_word}
    chinese = any(has_chinese(word) for word in words)
    for sentence in sentences:
        if sentence.chinese is (not chinese) or not sentence.needs <= kinds:
            continue
        if not any(words.isdisjoint(one_of) for one_of in sentence.literals):
            yield sentence


def _fullest(readings: Sequence[Deed]) -> list[Deed]:
    """The calls that make the most of what is said.

    Of one action, those that leave the fewest words as they are, and none that has only a part of another's arguments;
    of those that look a name up, those with the shortest name.
    """
    shortest = min((one.loose for one in readings if one.look_up), default=0)
    readings = [one for one in readings if not one.look_up or one.loose == shortest]
    kept: list[Deed] = []
    for _, group in groupby(sorted(readings, key=_action), key=_action):
        same = list(group)
        tight = [one for one in same if one.loose == min(other.loose for other in same)]
        for one in tight:
            less = any(one.call.arguments.items() < other.call.arguments.items() for other in tight)
            if not less and (one.call, one.look_up) not in [(deed.call, deed.look_up) for deed in kept]:
                kept.append(one)
    return kept


def _action(deed: Deed) -> tuple[str, str]:
    return deed.call.tool, deed.call.action or ""
