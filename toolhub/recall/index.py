"""The catalogue as every recall strategy sees it: tools in slots and their texts; and the first strategy, by words.

A tool that comes is laid out beside the others, which stay as they are; when tools go or are described anew the
postings are laid out again, from counts that are kept. No match means no shared term, whatever the score: such tools
are cut, not padded in.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import compress
from typing import Any

import numpy as np

from switchyard.language.dictionary import Across, ToChinese, to_english
from switchyard.language.tokeniser import has_chinese, tokens
from switchyard.toolhub.calling.arguments import as_mapping
from switchyard.toolhub.recall.bm25 import Floats, TermIndex, bags_of, highest
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.recall.query import Query, Scored
from switchyard.tools.core.spec import ToolSpec

NEAR, SAME = 0.4, 0.7
"""How much of what a question and a wording tell they must share to be alike, and to be the same, each term counting by
how rare it is: the lowest at which `python -m benchmarks.recall --learn 10` shows no loss of tools that have not
learned."""
APART = 1e-4
"""By how much the first of tools that score the same is put before the last, relatively."""
STAYS = 0.005
"""The score of a tool that was found by what it was asked alone, and by no wording like the question."""
NAME_WEIGHT, DESCRIPTION_WEIGHT = 3, 2
"""How often a word of the name and of the description counts, see `terms_of`; one of the rest counts once. Fitted by
`benchmarks.recall_fit`."""


@dataclass(frozen=True, slots=True)
class ToolText:
    """A tool as text, in the parts that weigh differently."""

    name: str
    description: str
    tags: str
    parameters: str
    examples: str
    server: str = ""

    @property
    def said(self) -> str:
        """What the tool is and does, for an embedding model."""
        return f"{self.name}\n{self.description}\n{self.examples}"


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
        told = {name: text_of(spec) for name, spec in now.items() if self.specs.get(name) is not spec}
        if not told and len(now) == len(self.specs):
            return self
        new = {name: text for name, text in told.items() if name not in self.specs or text != self.text(name)}
        before = self
        if len(now) - len(new) < len(self.specs):  # tools have gone, or are described anew
            before = self._of(now.keys() - new.keys())
        bags = bags_of(list(map(terms_of, new.values())), before.terms.vocabulary)
        texts = [*before.texts, *new.values()] if new else before.texts
        return ToolIndex({**before.specs, **now}, texts, before.terms.plus(bags), before.across)

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
        slips = self.terms.vocabulary.near
        if has_chinese(query) is self.is_chinese or not query.strip():
            return Query(query, None, kind, slips)
        if self.is_chinese not in self.across:
            self.across[self.is_chinese] = ToChinese(self.terms.vocabulary) if self.is_chinese else to_english
        return Query(query, self.across[self.is_chinese], kind, slips)

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
    examples = [*spec.asked, *(example for one in spec.capabilities for example in one.asked)]
    return ToolText(
        name=spec.tool_id,
        description=description,
        tags="\n".join([*spec.tags, *spec.capability_tags, spec.category]),
        parameters="\n".join([*names, *(said for _, said in fields), *operations]),
        examples="\n".join(dict.fromkeys(examples)),
        server=spec.server,
    )


def terms_of(text: ToolText) -> list[str]:
    """The terms of a tool, each as often as it counts: a plain document for BM25."""
    return [
        *tokens(text.name) * NAME_WEIGHT,
        *tokens(text.description) * DESCRIPTION_WEIGHT,
        *_shared_terms(text.tags),
        *dict.fromkeys(_shared_terms(text.server)),
        *tokens(text.parameters),
        *tokens(text.examples),
    ]


@lru_cache(maxsize=1024)  # most tools of a catalogue share theirs with others
def _shared_terms(text: str) -> tuple[str, ...]:
    return tuple(tokens(text))


def _fields(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The name and the description of every parameter but the explanation that all tools take."""
    properties = as_mapping(schema.get("properties"))
    described = [(name, as_mapping(field).get("description")) for name, field in properties.items()]
    return [(name, text if isinstance(text, str) else "") for name, text in described if name != "explanation"]


class Overlay:
    """What a user's tools were asked before, joined to their documents, beside the index that all users share.

    A strategy scores every tool as it is and, behind them, once more those that have learned; `placed` joins the two.
    """

    def __init__(self, index: ToolIndex, learned: Learned) -> None:
        self.learned = learned
        self.wordings: dict[int, list[str]] = {
            index.slot_of[name]: [wording.text for wording in known.served]
            for name, known in learned.tools.items()
            if known.served and name in index.slot_of
        }
        """By slot."""
        self._index = index
        self.slots = np.array(list(self.wordings), np.intp)
        bare = [terms_of(index.texts[slot]) for slot in self.wordings]
        said = [[list(dict.fromkeys(tokens(text))) for text in texts] for texts in self.wordings.values()]
        asked = [[term for terms in texts for term in terms] for texts in said]
        longer = sum(map(len, asked)) / max(1, len(asked))  # those that learned are compared with each other
        self._bare = TermIndex.of(bare)
        joined = [[*terms, *more] for terms, more in zip(bare, asked, strict=True)]
        self._joined = TermIndex.of(joined, average=index.terms.average + longer)
        every = [(place, terms) for place, texts in enumerate(said) for terms in texts]
        self._owners = np.array([place for place, _ in every], np.intp)
        self._told = np.array([sum(map(index.terms.inverse_frequency, terms)) for _, terms in every], np.float32)
        """How much each wording tells."""
        self._having: dict[str, list[int]] = {}
        for number, (_, terms) in enumerate(every):
            for term in terms:
                self._having.setdefault(term, []).append(number)

    def scores(self, terms: Mapping[str, float]) -> Floats:
        """The scores for weighted terms of the tools that have learned: of what they are and what they were asked."""
        shared, joined = self._index.terms, self._joined
        weights: dict[str, float] = {}
        for term in filter(joined.frequency, terms):
            # what everybody asks with tells less, however rare it is among tools
            among = shared.frequency(term) - self._bare.frequency(term) + joined.frequency(term)
            weights[term] = terms[term] * (shared.rarity(among) / joined.inverse_frequency(term))
        return joined.scores(weights)

    def placed(self, scores: Floats, asked: Query) -> Floats:
        """The score of every slot, from those of the tools as they are and behind them those by what was learned.

        Tools that have learned change places among themselves: questions are like each other, whatever they are about,
        and no tool is put behind because it was never asked. One that was asked the same gets what it has learned, and
        one that was asked something like it too, but for the first place.
        """
        found, learned = np.split(scores, [len(scores) - len(self.slots)])
        order = self.slots[np.argsort(-learned, kind="stable")]
        found[order] = np.sort(found[self.slots])[::-1] * np.linspace(1 + APART, 1, len(order), dtype=np.float32)
        found[self.slots] = np.maximum(found[self.slots], np.where(learned > 0, np.float32(STAYS), np.float32(0.0)))
        first = np.delete(found, self.slots).max(initial=0.0) * np.float32(1 - APART)
        alike = self._alike(asked.terms)
        gained = np.where(alike >= SAME, learned, np.minimum(learned, first))
        found[self.slots] = np.maximum(found[self.slots], np.where(alike >= NEAR, gained, np.float32(0.0)))
        return found

    def _alike(self, asked: Mapping[str, float]) -> Floats:
        """Of each tool that has learned, how like the question the nearest of its wordings is."""
        shared = np.zeros(len(self._told), np.float32)
        rarities = {term: self._index.terms.inverse_frequency(term) for term in asked}
        for term in asked.keys() & self._having.keys():
            shared[self._having[term]] += np.float32(rarities[term])
        every = self._told + np.float32(sum(rarities.values())) - shared
        alike = np.zeros(len(self.slots), np.float32)
        np.maximum.at(alike, self._owners, shared / np.maximum(every, np.float32(0.01)))
        return alike

    def sink(self, scores: Floats, asked: Mapping[str, float]) -> None:
        """Take from tools that failed on such wordings, measured by the best score."""
        best = float(scores.max(initial=0.0))
        for tool, against in self.learned.penalties(asked).items():
            slot = self._index.slot_of.get(tool)
            if slot is not None and scores[slot] > 0:  # it sinks, but stays a match
                scores[slot] = max(scores[slot] - against * best, scores[slot] * 0.01)


class Bm25Recall:
    """Recalls tools whose documents share words with the query."""

    name = "bm25"

    def __init__(self, tools: ToolIndex | Iterable[ToolSpec], overlay: Overlay | None = None) -> None:
        self.index = tools if isinstance(tools, ToolIndex) else ToolIndex.of(tools)
        self.overlay = overlay

    def recall(self, query: str, topk: int) -> list[Scored]:
        """The best `topk` tools, best first; none where nothing matches."""
        asked = Query(query)
        scores = self.scores(asked)
        if self.overlay:
            scores = self.overlay.placed(scores, asked)
            self.overlay.sink(scores, asked.terms)
        return self.index.best(scores, topk, asked)

    def scores(self, asked: Query) -> Floats:
        """The score of every slot, and behind them of the tools that have learned."""
        scores = self.index.terms.scores(asked.weighted)
        return np.concatenate([scores, self.overlay.scores(asked.weighted)]) if self.overlay else scores
