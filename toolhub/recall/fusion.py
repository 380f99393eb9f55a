"""The default of stage one: words, meaning and kind together; a tool that shares none of them is not recalled.

Scores are fused, not ranks: each strategy's are measured by their own spread over the catalogue. A question is scored
as a whole and by its parts, of which the best counts, so that each of several tasks in it finds its tool:

    z(x)  = (x - mean) / deviation, over all tools
    mixed = z((1 - PART_SHARE) * z(whole) + PART_SHARE * z(best part))
    score = mixed(words) + MEANING_WEIGHT * known * mixed(meaning) + KIND_WEIGHT * z(kind)

where `known` says how much the embedding model has to say about the question's language. Tools that have learned stand
behind all others once more, with what they were asked (`Overlay.placed`). The weights are fitted by
`python -m benchmarks.recall_fit`, with each set of questions left out in turn.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np

from switchyard.toolhub.capabilities import CapabilityTable
from switchyard.toolhub.recall.bm25 import Floats, highest
from switchyard.toolhub.recall.embedding import LEAST_LIKENESS, EmbeddingRecall
from switchyard.toolhub.recall.index import Bm25Recall, ToolIndex
from switchyard.toolhub.recall.query import Query, Scored

MEANING_WEIGHT = 2.5
"""What meaning counts against words: words that are shared stand out far more from their spread."""
KIND_WEIGHT = 0.3
GENERAL = "general"
"""What a plan and a tool say that are of no type."""
PART_SHARE_WORDS, PART_SHARE_MEANING = 0.35, 0.5
"""What the best part of a question counts against the whole of it."""
SHORTLIST = 200
"""So many tools are looked at closely."""
NO_SPREAD = 1e-6
"""A deviation that is none."""


class TypeMatch:
    """Recalls tools of the kind a query names: `search`, 搜索, or a sentence with such words in it."""

    name = "type"

    def __init__(
        self, index: ToolIndex, capabilities: CapabilityTable | None = None, before: "TypeMatch | None" = None
    ) -> None:
        """Sort the tools by their tags; what one `before` has sorted is taken over where tools have only come since."""
        self.index = index
        self._capabilities = capabilities or CapabilityTable()
        specs, known = list(index.specs.values()), list(before.index.specs.values()) if before else []
        start = len(known) if specs[: len(known)] == known else 0
        sorted_before = before.slots if before and start else dict[str, list[int]]()
        self.slots = {tag: list(slots) for tag, slots in sorted_before.items()}
        """By tag."""
        canonical = self._capabilities.canonical
        for slot, spec in enumerate(specs[start:], start):
            tags = {*self._capabilities.tags_of(spec), *map(canonical, spec.tags), canonical(spec.category)}
            for tag in tags:
                self.slots.setdefault(tag, []).append(slot)

    def recall(self, query: str, topk: int, task_type: str = "") -> list[Scored]:
        """The tools that share most tags with the query and its type."""
        asked = Query(query, kind=task_type)
        return self.index.best(self.scores(asked), topk, asked)

    def scores(self, asked: Query) -> Floats:
        """How many of the query's tags each slot has."""
        found = np.zeros(len(self.index.texts), np.float32)
        for tag in {tag for text in (asked.text, asked.kind) for tag in self._asked_for(text)}:
            found[self.slots.get(tag, [])] += 1.0
        return found

    def _asked_for(self, text: str) -> set[str]:
        """The tags a question or a type speaks for; a general one says nothing."""
        said = {self._capabilities.canonical(text), *self._capabilities.derived(text[:200])}
        return said if text not in {"", GENERAL} else set()


@dataclass(frozen=True, slots=True)
class Fusion:
    """Recalls by several strategies at once."""

    words: Bm25Recall
    meaning: EmbeddingRecall
    kind: TypeMatch

    def recall(self, query: str, topk: int, task_type: str = "") -> list[Scored]:
        """The best `topk` of the tools that are related at all, best first, with what each strategy says."""
        index, overlay = self.words.index, self.words.overlay
        asked, count = index.asked(query, task_type), len(index.texts)
        pieces = [asked, *asked.parts]
        lexical = np.array([self.words.scores(piece) for piece in pieces])
        likeness = self.meaning.likeness([piece.text for piece in pieces])
        kinds = self.kind.scores(asked)
        kinds = np.concatenate([kinds, kinds[overlay.slots]]) if overlay else kinds
        fused = _plus(_mixed(lexical, PART_SHARE_WORDS, count), KIND_WEIGHT, _measured(kinds, count))
        parts = {self.words.name: lexical[0], self.kind.name: kinds}
        related = (lexical[0] > 0) | (kinds > 0)
        slots = np.arange(len(fused))
        if likeness is not None:
            weight = MEANING_WEIGHT * likeness.known
            rough = _plus(fused, weight, _mixed(likeness.rows, PART_SHARE_MEANING, count))
            near = highest(rough[:count], max(SHORTLIST, 4 * topk))
            likeness.look_closely(near)
            slots = np.concatenate([near, slots[count:]])
            fused = _plus(fused, weight, _mixed(likeness.rows, PART_SHARE_MEANING, count))
            related[slots] |= likeness.rows[:, slots].max(axis=0) >= LEAST_LIKENESS
            parts[self.meaning.name] = np.zeros_like(fused)
            parts[self.meaning.name][slots] = likeness.rows[0, slots]
        slots = slots[related[slots]]
        if not len(slots):
            return []
        # what is related scores above zero, whatever its distance from the mean
        scores = np.zeros(len(fused), np.float32)
        scores[slots] = fused[slots] - np.float32(min(0.0, float(fused[slots].min())) - 0.01)
        if overlay:
            scores = overlay.placed(scores, asked)
            for part in parts.values():
                part[overlay.slots] = part[count:]
            overlay.sink(scores, asked.terms)
        return index.best(scores, topk, asked, parts)


def _plus(scores: Floats, weight: float, others: Floats) -> Floats:
    return cast("Floats", scores + np.float32(weight) * others)


def _measured(scores: Floats, count: int) -> Floats:
    """Scores by their distance from the mean of the first `count`, all tools as they are, in standard deviations."""
    bare, count = scores[:count], max(1, count)
    mean = bare.sum() / count
    variance = float(bare @ bare) / count - float(mean) ** 2
    deviation = np.float32(max(0.0, variance) ** 0.5)
    return (scores - np.float32(mean)) / deviation if deviation > NO_SPREAD else np.zeros_like(scores)


def _mixed(rows: Floats, share: float, count: int) -> Floats:
    """A question's scores with those of the best of its parts, which are the rows behind it, as such a share."""
    whole = _measured(rows[0], count)
    if len(rows) == 1:
        return whole
    best = _measured(rows[1:].max(axis=0), count)
    return _measured(_plus(np.float32(1 - share) * whole, share, best), count)
