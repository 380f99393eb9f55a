"""The default of stage one: words, meaning and kind together, and nothing where nothing fits.

Scores are fused, not ranks: each strategy's are measured by their own spread over the catalogue. A question is scored
as a whole and by its parts, of which the best counts, so that each of several tasks in it finds its tool.
"""

from dataclasses import dataclass

import numpy as np

from toolhub.recall.aliases import aliases
from toolhub.recall.asked import Asked
from toolhub.recall.bm25 import Bm25Recall, Scored
from toolhub.recall.embedding import LEAST_LIKENESS, EmbeddingRecall
from toolhub.recall.mixing import Mixture, Spread, highest, plus
from toolhub.recall.type_match import TypeMatch

MEANING_WEIGHT = 2.5
"""What meaning counts against words: words that are shared stand out far more from their spread."""
KIND_WEIGHT = 0.3
PART_SHARE_WORDS, PART_SHARE_MEANING = 0.35, 0.5
"""What the best part of a question counts against the whole of it."""
SHORTLIST = 200
"""So many tools are looked at closely."""
LOOKED_AT = 5
"""The first so many tools decide whether anything fits."""
LIKENESS_SHARE, LIKENESS_UNKNOWN = 0.2, 0.4
"""What likeness adds to the share of words known, and what is taken where no model could say."""
LEAST_KNOWN = 0.033
"""What has to be known of a question, for each e-fold of tools: the more there are, the more fit by chance."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """Recalls by several strategies at once."""

    words: Bm25Recall
    meaning: EmbeddingRecall
    kind: TypeMatch | None = None
    abstains: bool = True
    """Whether a question that no tool fits recalls nothing."""

    def recall(self, query: str, topk: int) -> list[Scored]:
        """The best `topk` tools, best first, with what each strategy says; none where nothing fits."""
        asked, index = Asked(query), self.words.index
        pieces = [asked, *asked.parts]
        lexical = self.words.rows(pieces)
        likeness = self.meaning.likeness([piece.text for piece in pieces])
        fused = Mixture(lexical, PART_SHARE_WORDS).all
        parts = {self.words.name: lexical[0]}
        related = lexical[0] > 0
        if self.kind:
            parts[self.kind.name] = kinds = self.kind.scores(asked)
            fused = plus(fused, Spread.of(kinds)(kinds), KIND_WEIGHT)
            related |= kinds > 0
        slots = np.arange(len(fused))
        if likeness is not None:
            mixture = Mixture(likeness.rough(), PART_SHARE_MEANING)
            slots = highest(plus(fused, mixture.all, MEANING_WEIGHT), max(SHORTLIST, 4 * topk))
            exact = likeness.of(slots)
            fused[slots] = plus(fused[slots], mixture.of(exact), MEANING_WEIGHT)
            related[slots] |= exact.max(axis=0) >= LEAST_LIKENESS
            parts[self.meaning.name] = np.zeros_like(fused)
            parts[self.meaning.name][slots] = exact[0]
        slots = slots[related[slots] & index.terms.alive[slots]]
        if not len(slots):
            return []
        # what is related scores above zero, whatever its distance from the mean
        scores = np.zeros(len(fused), np.float32)
        scores[slots] = fused[slots] - np.float32(min(0.0, float(fused[slots].min())) - 0.01)
        if self.words.overlay:
            self.words.overlay.sink(scores, asked.terms)
        best = index.best(scores, max(topk, LOOKED_AT), asked, parts)
        return best[:topk] if not self.abstains or self._fits(asked, best[:LOOKED_AT]) else []

    def _fits(self, asked: Asked, first: list[Scored]) -> bool:
        """Whether the first tools know enough of what is asked."""
        index = self.words.index
        rarity = {word: index.terms.inverse_frequency(word) for word in asked.words}
        total = sum(rarity.values())
        known = max((self._known(one, rarity) / total for one in first), default=0.0) if total else 0.0
        likeness = max((one.parts.get(self.meaning.name, LIKENESS_UNKNOWN) for one in first), default=0.0)
        return known + LIKENESS_SHARE * likeness >= LEAST_KNOWN * np.log(1 + index.terms.size)

    def _known(self, one: Scored, rarity: dict[str, float]) -> float:
        found, overlay, slot = set(one.terms), self.words.overlay, self.words.index.slot_of[one.name]
        return sum(
            weight
            for word, weight in rarity.items()
            if not found.isdisjoint(_meanings(word)) or (overlay and overlay.has(slot, word))
        )


def _meanings(word: str) -> set[str]:
    """A word and words for the same; of a Chinese one, also what it is made of: 今天天气 speaks of 天气."""
    ends = range(1, len(word) + 1)
    pieces = {word} if word.isascii() else {word[start:end] for end in ends for start in range(max(0, end - 4), end)}
    return pieces.union(*map(aliases, pieces))
