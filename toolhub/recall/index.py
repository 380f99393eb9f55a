"""BM25 over postings: a query touches only the tools that share a word with it, and a tool comes or goes by itself.

rank-bm25 counts the documents, and its BM25Plus is the reference for the scores, which are worked out over postings of
our own: with its weights, but without what it adds to every document alike, shared words or not.
Inverse frequencies and the average length are worked out when a query comes, so that one more tool touches no other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from math import log
from typing import Any, Generic, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]
Slots = NDArray[np.intp]

K1, B = 3.0, 0.5
"""Weighted words repeat a lot, and long descriptions are not worse ones: later saturation, less regard to length."""
BLOCK = 16
"""Scores that are looked at together when the highest are looked for."""
COMMON = 16
"""A term that one of so many documents has is a common one."""


class Growing(Sequence[T], Generic[T]):
    """Values that never change; `plus` gives the longer sequence without copying these."""

    __slots__ = ("_count", "_values")

    def __init__(self, values: Iterable[T] = ()) -> None:
        self._values = list(values)
        self._count = len(self._values)

    def plus(self, more: Iterable[T]) -> "Growing[T]":
        """The sequence with more values; where another has grown out of this one already, apart from it."""
        longer = Growing[T]()
        longer._values = self._values if len(self._values) == self._count else self._values[: self._count]
        longer._values.extend(more)
        longer._count = len(longer._values)
        return longer

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return self._values[: self._count][place]
        if 0 <= place < self._count:
            return self._values[place]
        return self._values[range(self._count)[place]]


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of a document by number, and how often each stands there."""

    terms: Numbers
    counts: Floats
    length: float


@dataclass(frozen=True)
class TermIndex:
    """Documents by slot, and for each term the slots that have it. It never changes; `changed` gives the next one."""

    names: Growing[str] = field(default_factory=Growing[str])
    """Of every slot; those of tools that have gone keep theirs."""
    bags: Growing[Bag] = field(default_factory=Growing[Bag])
    vocabulary: dict[str, int] = field(default_factory=dict[str, int])
    """Only ever grows, and is shared with the index this one came from."""
    lengths: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    alive: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    frequencies: Numbers = field(default_factory=lambda: np.zeros(0, np.int32))
    """By term: in how many documents it is."""
    starts: Slots = field(default_factory=lambda: np.zeros(1, np.intp))
    slots: Slots = field(default_factory=lambda: np.zeros(0, np.intp))
    counts: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    """The postings of term t are `slots[starts[t]:starts[t + 1]]` with their counts."""
    late: Mapping[int, tuple[tuple[int, float], ...]] = field(default_factory=dict[int, tuple[tuple[int, float], ...]])
    """Postings of documents that came after the others were laid out, by term."""
    laid_out: int = 0
    """How many slots are in `slots`; the others are in `late`."""
    size: int = 0
    total_length: float = 0.0

    @classmethod
    def of(cls, documents: Mapping[str, Sequence[str]]) -> "TermIndex":
        """The index of documents, each a list of terms."""
        if not documents:
            return cls()
        from rank_bm25 import BM25Plus  # noqa: PLC0415  only an index needs it

        model: Any = cast("Any", BM25Plus)(list(documents.values()), k1=K1, b=B)
        bags, vocabulary = _bags(model.doc_freqs, model.doc_len)
        terms = np.concatenate([bag.terms for bag in bags])
        slots = np.repeat(np.arange(len(bags)), [len(bag.terms) for bag in bags])
        order = np.argsort(terms, kind="stable")
        frequencies = np.bincount(terms, minlength=len(vocabulary)).astype(np.int32)
        return cls(
            names=Growing(documents),
            bags=Growing(bags),
            vocabulary=vocabulary,
            lengths=np.array(model.doc_len, np.float32),
            alive=np.ones(len(bags), np.bool_),
            frequencies=frequencies,
            starts=np.concatenate([[0], np.cumsum(frequencies)]),
            slots=slots[order],
            counts=np.concatenate([bag.counts for bag in bags])[order],
            laid_out=len(bags),
            size=len(bags),
            total_length=float(sum(model.doc_len)),
        )

    def changed(self, added: Mapping[str, Sequence[str]], removed: Iterable[int]) -> "TermIndex":
        """The index with these documents more and those slots less; this one where there are none of either."""
        gone = [slot for slot in removed if self.alive[slot]]
        if not added and not gone:
            return self
        bags, _ = _bags(map(_counted, added.values()), map(len, added.values()), self.vocabulary)
        frequencies = np.zeros(len(self.vocabulary), np.int32)
        frequencies[: len(self.frequencies)] = self.frequencies
        late = dict(self.late)
        for slot, bag in enumerate(bags, start=len(self.bags)):
            frequencies[bag.terms] += 1
            for term, count in zip(bag.terms.tolist(), bag.counts.tolist(), strict=True):
                late[term] = (*late.get(term, ()), (slot, count))
        alive = np.concatenate([self.alive, np.ones(len(bags), np.bool_)])
        for slot in gone:
            frequencies[self.bags[slot].terms] -= 1
            alive[slot] = False
        longer = sum(bag.length for bag in bags) - sum(self.bags[slot].length for slot in gone)
        return TermIndex(
            names=self.names.plus(added),
            bags=self.bags.plus(bags),
            vocabulary=self.vocabulary,
            lengths=np.concatenate([self.lengths, np.array([bag.length for bag in bags], np.float32)]),
            alive=alive,
            frequencies=frequencies,
            starts=self.starts,
            slots=self.slots,
            counts=self.counts,
            late=late,
            laid_out=self.laid_out,
            size=self.size + len(bags) - len(gone),
            total_length=self.total_length + longer,
        )

    @property
    def worn(self) -> bool:
        """Whether so much has come and gone that laying it out anew pays."""
        came, went = len(self.bags) - self.laid_out, len(self.bags) - self.size
        return came + went > max(64, self.size // 8)

    def inverse_frequency(self, term: str) -> float:
        """How much a term tells; most where no document has it."""
        return self.rarity(self.frequency(term))

    def frequency(self, term: str) -> int:
        """In how many documents a term is."""
        number = self.vocabulary.get(term, len(self.frequencies))
        return int(self.frequencies[number]) if number < len(self.frequencies) else 0

    def rarity(self, frequency: int) -> float:
        """How much a term tells that is in so many documents."""
        return log((self.size + 1) / (frequency or 0.5))

    def norms(self, lengths: Floats, longer: float = 0.0) -> Floats:
        """What counts are weighed against in documents of these lengths, where all together are so much longer."""
        average = (self.total_length + longer) / max(1, self.size) or 1.0
        return np.float32(K1) * (np.float32(1 - B) + np.float32(B / average) * lengths)

    def scores(self, terms: Mapping[str, float]) -> Floats:
        """The score of every slot for weighted terms; zero where none is shared."""
        return self.rows([terms])[0]

    def rows(self, asked: Sequence[Mapping[str, float]]) -> Floats:
        """The same for several questions at once, a row each."""
        found = np.zeros((len(asked), len(self.bags)), np.float32)
        for row, terms in zip(found, asked, strict=True):
            slots: list[Slots] = []
            worths: list[Floats] = []
            weights: list[float] = []
            for term, weight in terms.items():
                number = self.vocabulary.get(term)
                if number is None:
                    continue
                at, worth = self._worths.get(number) or self._worth(number)
                if at is None:
                    np.add(row, worth if weight == 1.0 else np.float32(weight) * worth, out=row)
                else:
                    slots.append(at)
                    worths.append(worth)
                    weights.append(weight)
            if slots:  # added up at once, which is half the work of one term after the other
                each = np.repeat(np.array(weights, np.float32), list(map(len, slots)))
                np.add.at(row, np.concatenate(slots), np.concatenate(worths) * each)
        if self.size < len(self.bags):
            found[:, ~self.alive] = 0.0
        return found

    @cached_property
    def _worths(self) -> dict[int, tuple[Slots | None, Floats]]:
        """What a term adds to which slots, once it was asked for; no slots: to each its own."""
        return {}

    @cached_property
    def _norms(self) -> Floats:
        """Of every slot."""
        return self.norms(self.lengths)

    def _worth(self, number: int) -> tuple[Slots | None, Floats]:
        slots, counts = self.postings(number)
        rarity = self.rarity(int(self.frequencies[number]) if len(slots) else 0)
        factor = np.float32(rarity * (K1 + 1))
        worth = cast("Floats", factor * counts / (self._norms[slots] + counts))
        found: tuple[Slots | None, Floats] = slots, worth
        if len(slots) * COMMON > len(self.bags):  # adding to all is faster than to these
            everywhere = np.zeros(len(self.bags), np.float32)
            everywhere[slots] = worth
            found = None, everywhere
        self._worths[number] = found
        return found

    def postings(self, number: int) -> tuple[Slots, Floats]:
        """The slots that have a term, and how often."""
        if number + 1 >= len(self.starts):
            slots, counts = self.slots[:0], self.counts[:0]
        else:
            start, end = self.starts[number], self.starts[number + 1]
            slots, counts = self.slots[start:end], self.counts[start:end]
        late = self.late.get(number)
        if not late:
            return slots, counts
        more, their_counts = zip(*late, strict=True)
        return np.append(slots, np.array(more, np.intp)), np.append(counts, np.array(their_counts, np.float32))


def _counted(terms: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for term in terms:
        found[term] = found.get(term, 0) + 1
    return found


def _bags(
    documents: Iterable[Mapping[str, int]], lengths: Iterable[int], vocabulary: dict[str, int] | None = None
) -> tuple[tuple[Bag, ...], dict[str, int]]:
    """The bags of counted documents, and the vocabulary with their terms in it."""
    listed = list(documents)
    vocabulary = {} if vocabulary is None else vocabulary
    numbers = [vocabulary.setdefault(term, len(vocabulary)) for counted in listed for term in counted]
    terms = np.array(numbers, np.int32)
    counts = np.array(list(chain.from_iterable(counted.values() for counted in listed)), np.float32)
    ends = [0, *np.cumsum([len(counted) for counted in listed]).tolist()]
    return tuple(
        Bag(terms[start:end], counts[start:end], float(length))
        for (start, end), length in zip(pairwise(ends), lengths, strict=True)
    ), vocabulary


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
