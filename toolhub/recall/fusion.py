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
from toolhub.recall.index import Floats
from toolhub.recall.type_match import TypeMatch

MEANING_WEIGHT = 2.5
"""What meaning counts against words: words that are shared stand out far more from their spread."""
KIND_WEIGHT = 0.3
PART_SHARE_WORDS, PART_SHARE_MEANING = 0.35, 0.5
"""What the best part of a question counts against the whole of it."""
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
        lexical = self.words.scores(asked)
        fused = _mixed(lexical, [self.words.scores(part) for part in asked.parts], PART_SHARE_WORDS)
        related = lexical > 0
        parts = {self.words.name: lexical}
        rows = self.meaning.likeness([asked.text, *(part.text for part in asked.parts)])
        if rows is not None:
            fused += np.float32(MEANING_WEIGHT) * _mixed(rows[0], list(rows[1:]), PART_SHARE_MEANING)
            related |= rows.max(axis=0) >= LEAST_LIKENESS
            parts[self.meaning.name] = rows[0]
        if self.kind:
            kinds = self.kind.scores(asked)
            fused += np.float32(KIND_WEIGHT) * _spread(kinds)
            related |= kinds > 0
            parts[self.kind.name] = kinds
        related &= index.terms.alive
        if not related.any():
            return []
        # what is related scores above zero, whatever its distance from the mean
        fused = np.where(related, fused - fused[related].min() + np.float32(0.01), np.float32(0.0))
        if self.words.overlay:
            self.words.overlay.sink(fused, asked.terms)
        best = index.best(fused, max(topk, LOOKED_AT), asked, parts)
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


def _spread(scores: Floats) -> Floats:
    """Scores by their distance from the mean, in standard deviations."""
    deviation = scores.std() if len(scores) else 0.0
    return (scores - scores.mean()) / deviation if deviation > 0 else np.zeros_like(scores)


def _mixed(whole: Floats, parts: list[Floats], share: float) -> Floats:
    """A question's scores with those of the best of its parts."""
    if not parts:
        return _spread(whole)
    best: Floats = np.stack(parts).max(axis=0)
    mixed = np.float32(1 - share) * _spread(whole) + np.float32(share) * _spread(best)
    return _spread(mixed.astype(np.float32))
