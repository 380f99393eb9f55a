"""What a user's tools were asked before joins their documents, over the index that all users share.

Only the few tools that have learned something are scored anew; the shared index is read, never copied.
"""

from collections.abc import Mapping

import numpy as np

from toolhub.recall.index import K1, Floats, Numbers, TermIndex
from toolhub.recall.learned import Learned
from toolhub.recall.tokeniser import tokens
from toolhub.recall.tool_index import ToolIndex


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
        self._postings, lengths = _joined(index.terms, self.wordings)
        self._norms = index.terms.norms(lengths)

    def apply(self, scores: Floats, terms: Mapping[str, float]) -> None:
        """Put the scores of the joined documents in the place of the bare ones."""
        if not len(self.slots):
            return
        own = np.zeros(len(self.slots), np.float32)
        index = self._index.terms
        for term, weight in terms.items():
            if term in self._postings:
                places, counts = self._postings[term]
                rarity = index.inverse_frequency(term)
                own[places] += np.float32(weight * rarity * (K1 + 1)) * counts / (self._norms[places] + counts)
        scores[self.slots] = own

    def sink(self, scores: Floats, asked: Mapping[str, float]) -> None:
        """Take from tools that failed on such wordings, measured by the best score."""
        best = float(scores.max(initial=0.0))
        for tool, against in self.learned.penalties(asked).items():
            slot = self._index.slot_of.get(tool)
            if slot is not None and scores[slot] > 0:  # it sinks, but stays a match
                scores[slot] = max(scores[slot] - against * best, scores[slot] * 0.01)


def _joined(index: TermIndex, wordings: Mapping[int, list[str]]) -> tuple[dict[str, tuple[Numbers, Floats]], Floats]:
    names: list[str] = list(index.vocabulary) if wordings else []
    found: dict[str, tuple[list[int], list[float]]] = {}
    lengths = np.zeros(len(wordings), np.float32)
    for place, (slot, texts) in enumerate(wordings.items()):
        bag = index.bags[slot]
        counts: dict[str, float] = {
            names[number]: count for number, count in zip(bag.terms.tolist(), bag.counts.tolist(), strict=True)
        }
        learned = [term for text in texts for term in dict.fromkeys(tokens(text))]
        for term in learned:
            counts[term] = counts.get(term, 0.0) + 1.0
        lengths[place] = bag.length + len(learned)
        for term, count in counts.items():
            places, numbers = found.setdefault(term, ([], []))
            places.append(place)
            numbers.append(count)
    arrays = {term: (np.array(at, np.int32), np.array(of, np.float32)) for term, (at, of) in found.items()}
    return arrays, lengths
