"""What a user's tools were asked before joins their documents, over the index that all users share.

Only the few tools that have learned something are scored anew; the shared index is read, never copied.
"""

from collections.abc import Mapping

import numpy as np

from switchyard.language.tokeniser import tokens
from switchyard.toolhub.recall.index import Floats, TermIndex, ToolIndex, terms_of
from switchyard.toolhub.recall.learned import Learned


class Overlay:
    """The documents of tools that have learned, with their wordings in them."""

    def __init__(self, index: ToolIndex, learned: Learned) -> None:
        self.learned = learned
        self.wordings: dict[int, list[str]] = {
            index.slot_of[name]: [wording.text for wording in known.served]
            for name, known in learned.tools.items()
            if known.served and name in index.slot_of
        }
        """By slot."""
        self._index = index
        self.slots = np.array(list(self.wordings), np.intp)
        bare = [terms_of(index.texts[slot]) for slot in self.wordings]
        asked = [[term for text in texts for term in dict.fromkeys(tokens(text))] for texts in self.wordings.values()]
        longer = sum(map(len, asked)) / max(1, len(index.texts))
        self._bare = TermIndex.of(bare)
        joined = [[*terms, *more] for terms, more in zip(bare, asked, strict=True)]
        self._joined = TermIndex.of(joined, average=index.terms.average + longer)

    def scores(self, terms: Mapping[str, float]) -> Floats:
        """The score of every slot for weighted terms: of joined documents where there are some, else of bare ones."""
        known, told = self._joined, {term: self._rarity(term) for term in terms if self._joined.frequency(term)}
        shared = self._index.terms
        bare = {term: told[term] / shared.inverse_frequency(term) if term in told else 1.0 for term in terms}
        joined = {term: rarity / known.inverse_frequency(term) for term, rarity in told.items()}
        scores = shared.scores({term: terms[term] * factor for term, factor in bare.items()})
        scores[self.slots] = known.scores({term: terms[term] * factor for term, factor in joined.items()})
        return scores

    def _rarity(self, term: str) -> float:
        """How much a term tells: what everybody asks with tells less, however rare it is among tools."""
        shared = self._index.terms
        return shared.rarity(shared.frequency(term) - self._bare.frequency(term) + self._joined.frequency(term))

    def sink(self, scores: Floats, asked: Mapping[str, float]) -> None:
        """Take from tools that failed on such wordings, measured by the best score."""
        best = float(scores.max(initial=0.0))
        for tool, against in self.learned.penalties(asked).items():
            slot = self._index.slot_of.get(tool)
            if slot is not None and scores[slot] > 0:  # it sinks, but stays a match
                scores[slot] = max(scores[slot] - against * best, scores[slot] * 0.01)
