"""BM25 over postings: rank-bm25 builds the index, and its scores are the reference for ours.

rank-bm25 scores every document for every query, which takes 25 ms at 10,000 tools. Its BM25Plus counts the documents
here; the scores are worked out over postings, so that a query touches only the tools that share a word with it: with
its weights, but without what it adds to every document alike, shared words or not. `tests/toolhub/test_recall.py` holds
both against each other. BM25Plus, because its term weights are positive whatever the size of the catalogue, where
Okapi's are zero or negative on a small one.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Plus
from rapidfuzz import process
from rapidfuzz.distance import OSA

Floats = NDArray[np.float32]
Slots = NDArray[np.intp]

K1, B = 3.0, 0.6
"""Weighted words repeat a lot, and long descriptions are not worse ones: later saturation, less regard to length.
rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average)); fitted by `benchmarks.recall_fit`."""
LATE = 256
"""When so many tools have come one by one, all are laid out together."""

_SPELT = re.compile(r"[a-z]{4,}")
"""Words that are spelt by letters, as stems; shorter ones are like too many others."""


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of a document by number, and how often each stands there."""

    terms: Slots
    counts: Floats
    length: float


class Postings:
    """Of documents whose slots follow each other: for each term those that have it, and how often."""

    def __init__(self, bags: Sequence[Bag], first: int = 0) -> None:
        terms = np.concatenate([np.zeros(0, np.intp), *(bag.terms for bag in bags)])
        counts = np.concatenate([np.zeros(0, np.float32), *(bag.counts for bag in bags)])
        order = np.argsort(terms, kind="stable")
        self.lengths = np.array([bag.length for bag in bags], np.float32)
        self._slots = np.repeat(np.arange(first, first + len(bags)), [len(bag.terms) for bag in bags])[order]
        self._counts = counts[order]
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(terms))])
        """Where the postings of each term begin, and those of the one before end."""

    def of(self, number: int) -> tuple[Slots, Floats]:
        """The slots that have a term, and how often."""
        start, end = self.starts[number : number + 2] if number + 1 < len(self.starts) else (0, 0)
        return self._slots[start:end], self._counts[start:end]


class Vocabulary(dict[str, int]):
    """The terms of documents, numbered as they come; none ever goes."""

    def __init__(self) -> None:
        super().__init__()
        self._alike: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        """Words by first letter and length."""
        self._sorted = 0

    def near(self, word: str) -> list[str]:
        """What a word that is no term may be a slip of: terms that are it but for one letter, which is not the first.

        It is missing, too many, or has changed places with its neighbour; another letter makes another word too often.
        """
        if word in self or not _SPELT.fullmatch(word):
            return []
        if self._sorted < len(self):
            new = list(self)[self._sorted :]
            self._sorted += len(new)
            for term in filter(_SPELT.fullmatch, new):
                self._alike[term[0], len(term)].append(term)
        size, letters = len(word), sorted(word)
        alike = [term for length in (size - 1, size, size + 1) for term in self._alike.get((word[0], length), ())]
        near = process.extract_iter(word, alike, scorer=OSA.distance, score_cutoff=1)
        return [term for term, _, _ in near if len(term) != size or sorted(term) == letters]


class TermIndex:
    """Documents by slot, and for each term the slots that have it. It never changes; `plus` gives a longer one."""

    def __init__(
        self,
        bags: Sequence[Bag] = (),
        vocabulary: Vocabulary | None = None,
        average: float | None = None,
        before: Postings | None = None,
    ) -> None:
        """Lay out the postings of documents, but for those that are laid out already, `before`.

        The vocabulary is shared with later indexes, which add to it. `average` is the length of a document, where these
        are some of many.
        """
        self.bags = bags
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary
        before = before or Postings(bags)
        self._parts = (before, Postings(bags[len(before.lengths) :], len(before.lengths)))
        lengths = np.concatenate([part.lengths for part in self._parts])
        self.average = float(lengths.sum(dtype=np.float64)) / max(1, len(bags)) if average is None else average
        """The length of a document."""
        self._norms: Floats = np.float32(K1) * (np.float32(1 - B) + np.float32(B / (self.average or 1.0)) * lengths)
        """What the counts in each document are weighed against."""
        self._worths: dict[int, tuple[Slots, Floats]] = {}
        """What a term adds to which slots, once it was asked for."""

    @classmethod
    def of(cls, documents: Sequence[Sequence[str]], average: float | None = None) -> "TermIndex":
        """The index of documents, each a list of terms."""
        vocabulary = Vocabulary()
        return cls(bags_of(documents, vocabulary), vocabulary, average)

    def plus(self, bags: Sequence[Bag]) -> "TermIndex":
        """The index with more documents; only those that came late are laid out, unless they are many."""
        every, before = [*self.bags, *bags], self._parts[0]
        few = len(every) - len(before.lengths) <= LATE
        return TermIndex(every, self.vocabulary, before=before if few else None) if bags else self

    def frequency(self, term: str) -> int:
        """In how many documents a term is."""
        return len(self._worth(term)[0])

    def inverse_frequency(self, term: str) -> float:
        """How much a term tells; most where no document has it."""
        return self.rarity(self.frequency(term))

    def rarity(self, frequency: int) -> float:
        """How much a term tells that is in so many documents."""
        return log((len(self.bags) + 1) / (frequency or 0.5))

    def scores(self, terms: Mapping[str, float]) -> Floats:
        """The score of every slot for weighted terms; zero where none is shared."""
        found = np.zeros(len(self.bags), np.float32)
        for term, weight in terms.items():
            slots, worth = self._worth(term)
            if len(slots):
                found[slots] += np.float32(weight) * worth
        return found

    def _worth(self, term: str) -> tuple[Slots, Floats]:
        number = self.vocabulary.get(term, len(self.vocabulary))
        if number in self._worths:
            return self._worths[number]
        parts = [part.of(number) for part in self._parts]
        slots, counts = (np.concatenate(both) for both in zip(*parts, strict=True))
        factor = np.float32(self.rarity(len(slots)) * (K1 + 1))
        self._worths[number] = found = slots, cast("Floats", factor * counts / (self._norms[slots] + counts))
        return found


def highest(scores: Floats, count: int) -> Slots:
    """The slots of the highest scores, in no order; more than `count` where the last are equal."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, -count)[-count])


def bags_of(documents: Sequence[Sequence[str]], vocabulary: Vocabulary) -> list[Bag]:
    """Documents as rank-bm25 counts them; their terms join the vocabulary."""
    if not documents:
        return []
    model: Any = cast("Any", BM25Plus)(documents, k1=K1, b=B)  # which has no types
    counted: list[dict[str, int]] = model.doc_freqs
    return [
        Bag(
            np.array([vocabulary.setdefault(term, len(vocabulary)) for term in counts], np.intp),
            np.array(list(counts.values()), np.float32),
            float(length),
        )
        for counts, length in zip(counted, model.doc_len, strict=True)
    ]
