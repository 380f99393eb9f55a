"""The catalogue as every recall strategy sees it: tools in slots, their texts and terms, and the best of them.

Built once per catalogue: a tool whose text is as it was stays where it is, whatever object describes it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from switchyard.language.dictionary import Across, ToChinese, ToEnglish
from switchyard.language.tokeniser import has_chinese
from switchyard.toolhub.recall.bm25 import Scored
from switchyard.toolhub.recall.documents import ToolText, terms_of, text_of
from switchyard.toolhub.recall.index import Floats, Growing, TermIndex, highest
from switchyard.toolhub.recall.query import Query
from switchyard.tools.core.spec import ToolSpec


@dataclass(frozen=True)
class ToolIndex:
    """Tools in slots. It never changes; `updated` gives the next one."""

    terms: TermIndex = field(default_factory=TermIndex)
    texts: Growing[ToolText] = field(default_factory=Growing[ToolText])
    specs: Mapping[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    slot_of: Mapping[str, int] = field(default_factory=dict[str, int])
    layout: object = field(default_factory=object)
    """The same as long as tools only come in new slots: what was worked out for the slots before holds."""
    across: dict[bool, Across] = field(default_factory=dict[bool, Across])
    """What puts questions into Chinese or not, once one needed it; it follows the words of the catalogue."""

    @classmethod
    def of(cls, specs: Iterable[ToolSpec]) -> "ToolIndex":
        """The index of a catalogue."""
        by_name = {spec.name: spec for spec in specs}
        texts = Growing(map(text_of, by_name.values()))
        terms = TermIndex.of(dict(zip(by_name, map(terms_of, texts), strict=True)))
        return cls(terms, texts, by_name, {name: slot for slot, name in enumerate(by_name)})

    def updated(self, specs: Iterable[ToolSpec]) -> "ToolIndex":
        """The index of the catalogue as it is now; this one where no tool's text has changed."""
        now: dict[str, ToolSpec | None] = {spec.name: spec for spec in specs}
        gone = dict.fromkeys(self.specs.keys() - now.keys())
        return self.changed({name: spec for name, spec in now.items() if spec is not self.specs.get(name)} | gone)

    def changed(self, specs: Mapping[str, ToolSpec | None]) -> "ToolIndex":
        """The index with these tools new, different, or gone where there is none."""
        here = {name: spec for name, spec in specs.items() if spec is not None}
        left = [name for name in specs if name not in here and name in self.specs]
        if not here and not left:
            return self
        now = {**self.specs, **here}
        for name in left:
            del now[name]
        texts = {name: text_of(spec) for name, spec in sorted(here.items())}
        texts = {name: text for name, text in texts.items() if name not in self.specs or text != self.text(name)}
        if len(texts) > len(now) // 4:
            return ToolIndex.of(now.values())
        gone = [self.slot_of[name] for name in (*left, *texts) if name in self.specs]
        terms = self.terms.changed({name: terms_of(text) for name, text in texts.items()}, gone)
        if terms.worn:
            return ToolIndex.of(now.values())
        slot_of = dict(self.slot_of)
        for name in left:
            del slot_of[name]
        slot_of |= {name: slot for slot, name in enumerate(texts, start=len(self.texts))}
        return ToolIndex(terms, self.texts.plus(texts.values()), now, slot_of, self.layout, self.across)

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
        found = highest(scores, topk)
        found = found[scores[found] > 0]
        if not len(found):
            return []
        names = self.terms.names
        numbers: list[int] = found.tolist()
        above: list[float] = scores[found].tolist()
        ranked = sorted((-score, names[slot], slot) for score, slot in zip(above, numbers, strict=True))[:topk]
        slots = [slot for _, _, slot in ranked]
        said = {name: part[slots].tolist() for name, part in (parts or {}).items()}
        return [
            Scored(name, -score, tuple(sorted(terms)), {part: values[place] for part, values in said.items()})
            for place, ((score, name, _), terms) in enumerate(zip(ranked, self._shared(slots, asked), strict=True))
        ]

    def _shared(self, slots: list[int], asked: Query) -> list[list[str]]:
        """The asked terms that each slot has."""
        known, bags = self.terms.vocabulary, self.terms.bags
        numbers = {known[term]: term for term in asked.weighted if term in known}
        wanted = np.zeros(len(known), np.bool_)
        wanted[list(numbers)] = True
        theirs = [bags[slot].terms for slot in slots]
        owners = np.repeat(np.arange(len(slots)), list(map(len, theirs)))
        terms = np.concatenate(theirs)
        shared = wanted[terms]
        found: list[list[str]] = [[] for _ in slots]
        places: list[int] = owners[shared].tolist()
        for owner, number in zip(places, terms[shared].tolist(), strict=True):
            found[owner].append(numbers[number])
        return found
