"""The default of stage one: words, meaning and kind together, and nothing where nothing fits.

Scores are fused, not ranks: each strategy's are measured by their own spread over the catalogue. A question is scored
as a whole and by its parts, of which the best counts, so that each of several tasks in it finds its tool.
"""

from dataclasses import dataclass

import numpy as np

from toolhub.recall.asked import Asked
from toolhub.recall.bm25 import Bm25Recall, Scored
from toolhub.recall.embedding import LEAST_LIKENESS, EmbeddingRecall
from toolhub.recall.index import Floats
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
LIKENESS_UNKNOWN = 0.4
"""The likeness that is taken where no model could say."""
SURE, CUT = 5, 0.5
"""Behind the first so many, a tool that scores less than this share of the best is not recalled."""
FEW = 50
"""Among so few tools whatever is related is recalled: the best of them are quickly looked through."""
CHANCE, LEAST_ABOVE_CHANCE = 0.4, -0.87
"""How fast the best score that comes by chance grows with the catalogue and the question, and how far above it a
question has to come, in e-folds: fitted on a sample of the questions of five public sets."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """Recalls by several strategies at once."""

    words: Bm25Recall
    meaning: EmbeddingRecall
    kind: TypeMatch | None = None
    abstains: bool = True
    """Whether a question that no tool fits recalls nothing, and others only what comes near the best."""

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
        fused[~index.terms.alive] = -np.inf
        slots = np.arange(len(fused))
        if likeness is not None:
            mixture = Mixture(likeness.rough(), PART_SHARE_MEANING)
            slots = highest(plus(fused, mixture.all, MEANING_WEIGHT), max(SHORTLIST, 4 * topk))
            exact = likeness.of(slots)
            fused[slots] = plus(fused[slots], mixture.of(exact), MEANING_WEIGHT)
            related[slots] |= exact.max(axis=0) >= LEAST_LIKENESS
            parts[self.meaning.name] = np.zeros_like(fused)
            parts[self.meaning.name][slots] = exact[0]
        slots = slots[related[slots] & np.isfinite(fused[slots])]
        if not len(slots):
            return []
        # what is related scores above zero, whatever its distance from the mean
        scores = np.zeros(len(fused), np.float32)
        scores[slots] = fused[slots] - np.float32(min(0.0, float(fused[slots].min())) - 0.01)
        if self.words.overlay:
            self.words.overlay.sink(scores, asked.terms)
        least = CUT if self.abstains else 0.0
        if self.abstains and not self._fits(asked, float(lexical[0].max()), parts.get(self.meaning.name), scores):
            return []
        best = index.best(scores, topk, asked, parts)
        return [one for place, one in enumerate(best) if place < SURE or one.score >= least * best[0].score]

    def _fits(self, asked: Asked, best: float, likeness: Floats | None, scores: Floats) -> bool:
        """Whether the best score by words is above what comes by chance, the more so the less like the first tools are.

        The more tools there are and the more is said, the higher a score some tool reaches without being meant.
        """
        terms = self.words.index.terms
        if terms.size <= FEW:
            return True
        told = sum(map(terms.inverse_frequency, asked.words))
        first = highest(scores, LOOKED_AT)
        like = LIKENESS_UNKNOWN if likeness is None else float(likeness[first].max())
        return np.log1p(best) + like - CHANCE * np.log(terms.size * (1 + told)) >= LEAST_ABOVE_CHANCE
