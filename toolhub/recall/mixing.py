"""Scores of several kinds made comparable and added up: each is measured by its own spread over the catalogue."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from switchyard.toolhub.recall.index import Floats, Slots

NO_SPREAD = 1e-6
"""A deviation that is none."""
BLOCK = 16
"""Scores that are looked at together when the highest are looked for."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Measures scores by their distance from the mean of all tools, in standard deviations."""

    mean: np.float32
    deviation: np.float32

    @classmethod
    def of(cls, scores: Floats) -> "Spread":
        """The spread of scores."""
        count = max(1, len(scores))
        mean = scores.sum() / count
        variance = float(scores @ scores) / count - float(mean) ** 2
        return cls(np.float32(mean), np.float32(max(0.0, variance) ** 0.5))

    def __call__(self, scores: Floats) -> Floats:
        """Other scores, measured by it."""
        return (scores - self.mean) / self.deviation if self.deviation > NO_SPREAD else np.zeros_like(scores)


class Mixture:
    """A question's scores with those of the best of its parts, as they are spread over all tools."""

    def __init__(self, rows: Floats, share: float) -> None:
        self._share = share
        self._whole = Spread.of(rows[0])
        self._best = self._mixed = None
        self.all = self._whole(rows[0])
        """Of every tool."""
        if len(rows) > 1:
            best = rows[1:].max(axis=0)
            self._best = Spread.of(best)
            self.all = mixed(self.all, self._best(best), self._share)
            self._mixed = Spread.of(self.all)
            self.all = self._mixed(self.all)

    def of(self, rows: Floats) -> Floats:
        """Of some tools, measured as all are."""
        whole = self._whole(rows[0])
        if self._best is None or self._mixed is None:
            return whole
        best = self._best(rows[1:].max(axis=0))
        return self._mixed(mixed(whole, best, self._share))


def highest(scores: Floats, count: int) -> Slots:
    """The slots of the highest scores, in no order; more than `count` where the last are equal."""
    if len(scores) <= count:
        return np.arange(len(scores))
    blocks = len(scores) // BLOCK
    if blocks > count:
        # as many blocks as slots are wanted hold a score as high as the lowest of their maxima: few slots are left
        whole = blocks * BLOCK
        maxima = np.append(scores[:whole].reshape(BLOCK, blocks).max(axis=0), scores[whole:])
        found = np.flatnonzero(scores >= np.partition(maxima, -count)[-count])
        return found[highest(scores[found], count)] if count < len(found) < whole // 2 else found
    return np.flatnonzero(scores >= np.partition(scores, -count)[-count])


def plus(scores: Floats, others: Floats, weight: float) -> Floats:
    """The sum of scores, of which the others weigh so much."""
    return cast("Floats", scores + np.float32(weight) * others)


def mixed(scores: Floats, others: Floats, share: float) -> Floats:
    """Scores of which the others are such a share."""
    return cast("Floats", np.float32(1 - share) * scores + np.float32(share) * others)
