"""The default of stage one: words, meaning and kind together, and nothing where nothing fits.

Scores are fused, not ranks: each strategy's are measured by their own spread over the catalogue. A question is scored
as a whole and by its parts, of which the best counts, so that each of several tasks in it finds its tool.
"""

from dataclasses import dataclass

import numpy as np

from switchyard.toolhub.recall.bm25 import Bm25Recall, Scored
from switchyard.toolhub.recall.embedding import LEAST_LIKENESS, EmbeddingRecall
from switchyard.toolhub.recall.fitting import LOOKED_AT, fits
from switchyard.toolhub.recall.mixing import Mixture, Spread, highest, plus
from switchyard.toolhub.recall.query import Query
from switchyard.toolhub.recall.type_match import TypeMatch

MEANING_WEIGHT = 2.5
"""What meaning counts against words: words that are shared stand out far more from their spread."""
KIND_WEIGHT = 0.3
PART_SHARE_WORDS, PART_SHARE_MEANING = 0.35, 0.5
"""What the best part of a question counts against the whole of it."""
SHORTLIST = 200
"""So many tools are looked at closely."""
SURE, CUT = 5, 0.25
"""Behind the first so many, a tool that scores less than this share of the best is not recalled."""


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
        found = self._ranked(Query(query), topk, check=self.abstains)
        asked = self.words.index.asked(query)
        return self._ranked(asked, topk, check=False) if found and asked.across else found

    def nearest_across(self, query: str, topk: int) -> list[Scored]:
        """What comes nearest to a question in the other language than the tools'; none where it is in theirs.

        Whether they fit cannot be told from a dictionary: whoever asks has to judge.
        """
        asked = self.words.index.asked(query)
        return self._ranked(asked, topk, check=False) if asked.across else []

    def _ranked(self, asked: Query, topk: int, *, check: bool) -> list[Scored]:
        index = self.words.index
        pieces = [asked, *asked.parts]
        lexical = self.words.rows(pieces)
        likeness = self.meaning.likeness(list(map(self.meaning.readable, pieces)))
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
        first = highest(scores, LOOKED_AT)
        first = first[scores[first] > 0]
        if check and not fits(asked, index.terms, lexical[0], parts.get(self.meaning.name), first):
            return []
        best = index.best(scores, topk, asked, parts)
        if not self.abstains:
            return best
        return [one for place, one in enumerate(best) if place < SURE or one.score >= CUT * best[0].score]
