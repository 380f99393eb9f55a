"""What a user's tools were asked before joins their documents, over the index that all users share.

Only the few tools that have learned something are scored anew; the shared index is read, never copied.
"""

from collections.abc import Mapping

import numpy as np

from switchyard.language.tokeniser import tokens
from switchyard.toolhub.recall.index import K1, Floats, Slots, TermIndex, ToolIndex
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
        self._postings, lengths = _joined(index.terms, self.wordings)
        bare = sum(index.terms.bags[slot].length for slot in self.wordings)
        self._norms = index.terms.norms(lengths, float(lengths.sum()) - bare)
        self._rarities = {term: index.terms.rarity(self._frequency(term)) for term in self._postings}
        """Of the terms these documents have: what everybody asks with tells less, however rare it is among tools."""

    def weighted(self, terms: Mapping[str, float]) -> Mapping[str, float]:
        """The weights of terms as they are after what was learned."""
        known, rarity = self._rarities, self._index.terms.inverse_frequency
        return {
            term: weight * known[term] / rarity(term) if term in known else weight for term, weight in terms.items()
        }

    def apply(self, scores: Floats, terms: Mapping[str, float]) -> None:
        """Put the scores of the joined documents in the place of the bare ones."""
        if not len(self.slots):
            return
        own = np.zeros(len(self.slots), np.float32)
        for term, weight in terms.items():
            if term in self._postings:
                places, counts = self._postings[term]
                factor = np.float32(weight * self._rarities[term] * (K1 + 1))
                own[places] += factor * counts / (self._norms[places] + counts)
        scores[self.slots] = own

    def _frequency(self, term: str) -> int:
        """In how many documents a term is, learned wordings among them."""
        index = self._index.terms
        number = index.vocabulary.get(term, -1)
        slots: list[int] = self.slots[self._postings[term][0]].tolist()
        return index.frequency(term) + sum(number not in index.bags[slot].terms for slot in slots)

    def sink(self, scores: Floats, asked: Mapping[str, float]) -> None:
        """Take from tools that failed on such wordings, measured by the best score."""
        best = float(scores.max(initial=0.0))
        for tool, against in self.learned.penalties(asked).items():
            slot = self._index.slot_of.get(tool)
            if slot is not None and scores[slot] > 0:  # it sinks, but stays a match
                scores[slot] = max(scores[slot] - against * best, scores[slot] * 0.01)


def _joined(index: TermIndex, wordings: Mapping[int, list[str]]) -> tuple[dict[str, tuple[Slots, Floats]], Floats]:
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
    arrays = {term: (np.array(at, np.intp), np.array(of, np.float32)) for term, (at, of) in found.items()}
    return arrays, lengths
