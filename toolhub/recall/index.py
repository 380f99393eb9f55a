"""The catalogue as every recall strategy sees it: tools in slots, their texts, and BM25 over postings of their terms.

rank-bm25 counts the documents, and its BM25Plus is the reference for the scores, which are worked out over postings of
our own, so that a query touches only the tools that share a word with it: with its weights, but without what it adds to
every document alike, shared words or not. When the catalogue changes the postings are laid out anew; text, terms and
counts of a tool that is described as before are taken over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import log
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


class TermIndex:
    """Documents by slot, and for each term the slots that have it. It never changes."""

    def __init__(
        self, bags: Sequence[Bag] = (), vocabulary: dict[str, int] | None = None, average: float | None = None
    ) -> None:
        """Lay out the postings of documents.

        Args:
            bags: the documents.
            vocabulary: the numbers of their terms; it is shared with later indexes, which add to it.
            average: the length of a document, where these are some of many.
        """
        self.bags = bags
        self.vocabulary = {} if vocabulary is None else vocabulary
        terms = np.concatenate([np.zeros(0, np.intp), *(bag.terms for bag in bags)])
        counts = np.concatenate([np.zeros(0, np.float32), *(bag.counts for bag in bags)])
        order = np.argsort(terms, kind="stable")
        self._slots = np.repeat(np.arange(len(bags)), [len(bag.terms) for bag in bags])[order]
        self._counts = counts[order]
        self._frequencies = np.bincount(terms, minlength=len(self.vocabulary))
        self._ends = np.cumsum(self._frequencies)
        """The postings of a term end here and begin its frequency before."""
        lengths = np.array([bag.length for bag in bags], np.float32)
        self.average = float(lengths.sum(dtype=np.float64)) / max(1, len(bags)) if average is None else average
        """The length of a document."""
        self._norms: Floats = np.float32(K1) * (np.float32(1 - B) + np.float32(B / (self.average or 1.0)) * lengths)
        """What the counts in each document are weighed against."""
        self._worths: dict[str, tuple[Slots, Floats]] = {}

    @classmethod
    def of(cls, documents: Sequence[Sequence[str]], average: float | None = None) -> "TermIndex":
        """The index of documents, each a list of terms."""
        vocabulary: dict[str, int] = {}
        return cls(_bags(documents, vocabulary), vocabulary, average)

    @property
    def worn(self) -> bool:
        """Whether most of the vocabulary is of tools that have gone."""
        return len(self.vocabulary) > WORN * max(1000, int(np.count_nonzero(self._frequencies)))

    def frequency(self, term: str) -> int:
        """In how many documents a term is."""
        number = self.vocabulary.get(term, len(self._frequencies))
        return int(self._frequencies[number]) if number < len(self._frequencies) else 0

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
            slots, worth = self._worths.get(term) or self._worth(term)
            found[slots] += np.float32(weight) * worth
        return found

    def _worth(self, term: str) -> tuple[Slots, Floats]:
        """What a term adds to which slots; kept for the next query, if any has it."""
        frequency = self.frequency(term)
        end = self._ends[self.vocabulary[term]] if frequency else 0
        slots, counts = self._slots[end - frequency : end], self._counts[end - frequency : end]
        factor = np.float32(self.rarity(frequency) * (K1 + 1))
        found = slots, cast("Floats", factor * counts / (self._norms[slots] + counts))
        if frequency:
            self._worths[term] = found
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
        return cls().updated(specs)

    def updated(self, specs: Iterable[ToolSpec]) -> "ToolIndex":
        """The index of the catalogue as it is now; this one where nothing has changed."""
        now = {spec.name: spec for spec in specs}
        same = {name for name, spec in now.items() if self.specs.get(name) is spec}
        if len(same) == len(now) == len(self.specs):
            return self
        texts = [self.text(name) if name in same else text_of(spec) for name, spec in now.items()]
        if texts == self.texts:
            return ToolIndex(now, self.texts, self.terms, self.across)
        if self.terms.worn:
            return ToolIndex.of(now.values())
        known = dict(zip(self.texts, self.terms.bags, strict=True))
        new = list(dict.fromkeys(text for text in texts if text not in known))
        known |= zip(new, _bags(list(map(terms_of, new)), self.terms.vocabulary), strict=True)
        terms = TermIndex([known[text] for text in texts], self.terms.vocabulary)
        return ToolIndex(now, texts, terms, self.across)

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
                found.setdefault(value, []).append(spec.name)
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


def text_of(spec: ToolSpec) -> ToolText:
    """The text a tool is found by."""
    description = f"{spec.summary}\n{spec.details}"
    chinese = has_chinese(description)
    fields = [field for one in spec.capabilities for field in _fields(one.parameters)]
    # what a field is called in English says nothing about a tool that is described in Chinese
    names = [name for name, _ in fields if not chinese or has_chinese(name)]
    operations = [f"{one.name}\n{one.description}" for one in spec.capabilities] if len(spec.capabilities) > 1 else []
    examples = [*spec.examples, *(example for one in spec.capabilities for example in one.examples)]
    return ToolText(
        name=spec.name,
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
    return [(name, _description(field)) for name, field in properties.items() if name != "explanation"]


def _description(field: Any) -> str:
    said = as_mapping(field).get("description")
    return said if isinstance(said, str) else ""


def highest(scores: Floats, count: int) -> Slots:
    """The slots of the highest scores, in no order; more than `count` where the last are equal."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, -count)[-count])


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
