"""The catalogue as every recall strategy sees it: tools in slots, their texts, and BM25 over postings of their terms.

rank-bm25 counts the documents, and its BM25Plus is the reference for the scores, which are worked out over postings of
our own, so that a query touches only the tools that share a word with it: with its weights, but without what it adds to
every document alike, shared words or not. A tool that comes is laid out beside the others, which stay as they are; when
tools go or are described anew the postings are laid out again, from counts that are kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import compress, islice
from math import log
from operator import is_
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from switchyard.language.dictionary import Across, ToChinese, ToEnglish
from switchyard.language.tokeniser import has_chinese, tokens
from switchyard.toolhub.calling.schema import as_mapping
from switchyard.toolhub.recall.bm25 import Scored
from switchyard.toolhub.recall.query import Query
from switchyard.tools.core.spec import ToolSpec

Floats = NDArray[np.float32]
Slots = NDArray[np.intp]

K1, B = 3.0, 0.5
"""Weighted words repeat a lot, and long descriptions are not worse ones: later saturation, less regard to length."""
NAME_WEIGHT = 3
"""How often a word of the name counts; a word of the rest counts once."""
DESCRIPTION_WEIGHT = 2
WORN = 4
"""A vocabulary so many times as large as what the tools of today say is begun anew."""
LATE = 256
"""When so many tools have come one by one, all are laid out together."""
BLOCK = 16
"""Scores of which the highest is looked for first, to find the few highest of all."""


@dataclass(frozen=True, slots=True)
class ToolText:
    """A tool as text, in the parts that weigh differently."""

    name: str
    description: str
    tags: str
    parameters: str
    examples: str

    @property
    def said(self) -> str:
        """What the tool is and does, for an embedding model."""
        return f"{self.name}\n{self.description}\n{self.examples}"


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


class TermIndex:
    """Documents by slot, and for each term the slots that have it. It never changes; `plus` gives a longer one."""

    def __init__(
        self,
        bags: Sequence[Bag] = (),
        vocabulary: dict[str, int] | None = None,
        average: float | None = None,
        before: Postings | None = None,
    ) -> None:
        """Lay out the postings of documents, but for those that are laid out already, `before`.

        The vocabulary is shared with later indexes, which add to it. `average` is the length of a document, where these
        are some of many.
        """
        self.bags = bags
        self.vocabulary = {} if vocabulary is None else vocabulary
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
        vocabulary: dict[str, int] = {}
        return cls(_bags(documents, vocabulary), vocabulary, average)

    def plus(self, bags: Sequence[Bag]) -> "TermIndex":
        """The index with more documents; only those that came late are laid out, unless they are many."""
        every, before = [*self.bags, *bags], self._parts[0]
        few = len(every) - len(before.lengths) <= LATE
        return TermIndex(every, self.vocabulary, before=before if few else None) if bags else self

    @property
    def worn(self) -> bool:
        """Whether most of the vocabulary is of tools that have gone."""
        said = sum(int(np.count_nonzero(np.diff(part.starts))) for part in self._parts)
        return len(self.vocabulary) > WORN * max(1000, said)

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


@dataclass(frozen=True)
class ToolIndex:
    """Tools in slots. It never changes; `updated` gives the next one."""

    specs: Mapping[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    """By name, in the order of their slots."""
    texts: Sequence[ToolText] = ()
    terms: TermIndex = field(default_factory=TermIndex)
    across: dict[bool, Across] = field(default_factory=dict[bool, Across])
    """What puts questions into Chinese or not, once one needed it; it follows the words of the catalogue."""

    @classmethod
    def of(cls, specs: Iterable[ToolSpec]) -> "ToolIndex":
        """The index of a catalogue."""
        return cls().updated({spec.tool_id: spec for spec in specs})

    def updated(self, now: Mapping[str, ToolSpec]) -> "ToolIndex":
        """The index of the catalogue as it is now, by name; this one where nothing has changed."""
        same = came_after(self.specs, now)
        others = islice(now.items(), same, None)
        told = {name: text_of(spec) for name, spec in others if self.specs.get(name) is not spec}
        if not told and len(now) == len(self.specs):
            return self
        new = {name: text for name, text in told.items() if name not in self.specs or text != self.text(name)}
        before = self
        if len(now) - len(new) < len(self.specs):  # tools have gone, or are described anew
            if self.terms.worn:
                return ToolIndex.of(now.values())
            before = self._of(now.keys() - new.keys())
        bags = _bags(list(map(terms_of, new.values())), before.terms.vocabulary)
        texts = [*before.texts, *new.values()] if new else before.texts
        return ToolIndex(now if same else {**before.specs, **now}, texts, before.terms.plus(bags), before.across)

    def _of(self, names: AbstractSet[str]) -> "ToolIndex":
        """The index of those of these tools that are in it."""
        kept = [name in names for name in self.specs]
        specs = dict(compress(self.specs.items(), kept))
        terms = TermIndex(list(compress(self.terms.bags, kept)), self.terms.vocabulary)
        return ToolIndex(specs, list(compress(self.texts, kept)), terms, self.across)

    @cached_property
    def names(self) -> list[str]:
        """Of every slot."""
        return list(self.specs)

    @cached_property
    def slot_of(self) -> dict[str, int]:
        """By name."""
        return {name: slot for slot, name in enumerate(self.names)}

    @cached_property
    def makers(self) -> dict[str, list[str]]:
        """By what others require: the tools that produce it."""
        found: dict[str, list[str]] = {}
        for spec in self.specs.values():
            for value in spec.produces:
                found.setdefault(value, []).append(spec.tool_id)
        return found

    @cached_property
    def is_chinese(self) -> bool:
        """Whether most tools are described in Chinese."""
        chinese = sum(has_chinese(text.description) for text in self.texts)
        return 2 * chinese > len(self.texts)

    def asked(self, query: str, kind: str = "") -> Query:
        """A question to these tools; in the other language than theirs, it is put into theirs."""
        if has_chinese(query) is self.is_chinese or not query.strip():
            return Query(query, kind=kind)
        if self.is_chinese not in self.across:
            self.across[self.is_chinese] = ToChinese(self.terms.vocabulary) if self.is_chinese else ToEnglish()
        return Query(query, self.across[self.is_chinese], kind)

    def text(self, name: str) -> ToolText:
        """The text a tool is found by."""
        return self.texts[self.slot_of[name]]

    def best(self, scores: Floats, topk: int, asked: Query, parts: Mapping[str, Floats] | None = None) -> list[Scored]:
        """The tools with the best scores above zero, equal ones by name, with the words they were found by."""
        if topk < 1:
            return []
        slots: list[int] = [slot for slot in highest(scores, topk).tolist() if scores[slot] > 0]
        ranked = sorted(slots, key=lambda slot: (-scores[slot], self.names[slot]))[:topk]
        known = self.terms.vocabulary
        numbers = {known[term]: term for term in asked.weighted if term in known}
        return [
            Scored(
                self.names[slot],
                float(scores[slot]),
                tuple(sorted(numbers[number] for number in numbers.keys() & self.terms.bags[slot].terms.tolist())),
                {name: float(part[slot]) for name, part in (parts or {}).items()},
            )
            for slot in ranked
        ]


def came_after(before: Mapping[str, ToolSpec], now: Mapping[str, ToolSpec]) -> int:
    """Behind how many tools the new ones stand; 0 where one of those before has gone or changed."""
    same = len(before) <= len(now) and all(map(is_, before.values(), now.values()))
    return len(before) if same else 0


def text_of(spec: ToolSpec) -> ToolText:
    """The text a tool is found by."""
    description = f"{spec.summary}\n{spec.details}"
    chinese = has_chinese(description)
    fields = [field for one in spec.capabilities for field in _fields(one.parameters)]
    # what a field is called in English says nothing about a tool that is described in Chinese
    names = [name for name, _ in fields if not chinese or has_chinese(name)]
    operations = [f"{one.name}\n{one.description}" for one in spec.capabilities] if len(spec.capabilities) > 1 else []
    examples = [*spec.asked, *(example for one in spec.capabilities for example in one.asked)]
    return ToolText(
        name=spec.tool_id,
        description=description,
        tags="\n".join([*spec.tags, *spec.capability_tags, spec.category]),
        parameters="\n".join([*names, *(said for _, said in fields), *operations]),
        examples="\n".join(dict.fromkeys(examples)),
    )


def terms_of(text: ToolText) -> list[str]:
    """The terms of a tool, each as often as it counts: a plain document for BM25."""
    return [
        *tokens(text.name) * NAME_WEIGHT,
        *tokens(text.description) * DESCRIPTION_WEIGHT,
        *_tag_terms(text.tags),
        *tokens(text.parameters),
        *tokens(text.examples),
    ]


@lru_cache(maxsize=1024)  # most tools of a catalogue share theirs with others
def _tag_terms(tags: str) -> tuple[str, ...]:
    return tuple(tokens(tags))


def _fields(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The name and the description of every parameter but the explanation that all tools take."""
    properties = as_mapping(schema.get("properties"))
    described = [(name, as_mapping(field).get("description")) for name, field in properties.items()]
    return [(name, text if isinstance(text, str) else "") for name, text in described if name != "explanation"]


def highest(scores: Floats, count: int) -> Slots:
    """The slots of the highest scores, in no order; more than `count` where the last are equal."""
    if len(scores) <= count:
        return np.arange(len(scores))
    size = min(BLOCK, len(scores) // count)
    blocks = len(scores) // size
    # as many blocks as slots are wanted hold a score as high as the lowest of their maxima: few slots are left
    maxima = scores[: size * blocks].reshape(size, blocks).max(axis=0)
    found = np.flatnonzero(scores >= np.partition(maxima, -count)[-count])
    return found[scores[found] >= np.partition(scores[found], -count)[-count]]


def _bags(documents: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> list[Bag]:
    """Documents as rank-bm25 counts them; their terms join the vocabulary."""
    if not documents:
        return []
    from rank_bm25 import BM25Plus  # noqa: PLC0415  only an index needs it

    model: Any = cast("Any", BM25Plus)(documents, k1=K1, b=B)
    counted: list[dict[str, int]] = model.doc_freqs
    return [
        Bag(
            np.array([vocabulary.setdefault(term, len(vocabulary)) for term in counts], np.intp),
            np.array(list(counts.values()), np.float32),
            float(length),
        )
        for counts, length in zip(counted, model.doc_len, strict=True)
    ]
