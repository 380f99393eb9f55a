"""The catalogue as every recall strategy sees it: tools in slots, their texts and terms, and the best of them.

Built once per catalogue: a tool whose text is as it was stays where it is, whatever object describes it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from toolhub.recall.asked import Asked
from toolhub.recall.bm25 import Scored
from toolhub.recall.documents import ToolText, terms_of, text_of
from toolhub.recall.index import Floats, TermIndex
from tools.core.spec import ToolSpec


@dataclass(frozen=True)
class ToolIndex:
    """Tools in slots. It never changes; `updated` gives the next one."""

    terms: TermIndex = field(default_factory=TermIndex)
    texts: tuple[ToolText, ...] = ()
    specs: Mapping[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    slot_of: Mapping[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, specs: Iterable[ToolSpec]) -> "ToolIndex":
        """The index of a catalogue."""
        by_name = {spec.name: spec for spec in specs}
        texts = tuple(map(text_of, by_name.values()))
        terms = TermIndex.of(dict(zip(by_name, map(terms_of, texts), strict=True)))
        return cls(terms, texts, by_name, {name: slot for slot, name in enumerate(by_name)})

    def updated(self, specs: Iterable[ToolSpec]) -> "ToolIndex":
        """The index of the catalogue as it is now; this one where no tool's text has changed."""
        listed = {id(spec): spec for spec in specs}
        before = {id(spec): spec for spec in self.specs.values()}
        fresh = [listed[key] for key in listed.keys() - before.keys()]
        left = {before[key].name for key in before.keys() - listed.keys()}
        if not fresh and not left:
            return self
        now = dict(self.specs)
        for name in left.difference(spec.name for spec in fresh):
            del now[name]
        now |= {spec.name: spec for spec in sorted(fresh, key=lambda spec: spec.name)}
        texts = {name: text_of(now[name]) for name in sorted(spec.name for spec in fresh)}
        changed = {name: text for name, text in texts.items() if name not in self.specs or text != self.text(name)}
        gone = [self.slot_of[name] for name in left if name not in now]
        if not changed and not gone:
            return ToolIndex(self.terms, self.texts, now, self.slot_of)
        gone += [self.slot_of[name] for name in changed if name in self.specs]
        if len(changed) > len(now) // 4:
            return ToolIndex.of(now.values())
        documents = {name: terms_of(text) for name, text in changed.items()}
        terms = self.terms.changed(documents, gone)
        if terms.worn:
            return ToolIndex.of(now.values())
        slot_of = dict(self.slot_of)
        for slot in gone:
            slot_of.pop(self.terms.names[slot], None)
        slot_of |= {name: slot for slot, name in enumerate(changed, start=len(self.texts))}
        return ToolIndex(terms, (*self.texts, *changed.values()), now, slot_of)

    def text(self, name: str) -> ToolText:
        """The text a tool is found by."""
        return self.texts[self.slot_of[name]]

    def best(self, scores: Floats, topk: int, asked: Asked, parts: Mapping[str, Floats] | None = None) -> list[Scored]:
        """The tools with the best scores above zero, equal ones by name, with the words they were found by."""
        if topk < 1 or not len(scores):
            return []
        count = min(topk, len(scores))
        least = max(np.partition(scores, -count)[-count], np.finfo(np.float32).tiny)
        found = [int(slot) for slot in np.flatnonzero(scores >= least)]
        names = self.terms.names
        found.sort(key=lambda slot: (-scores[slot], names[slot]))
        numbers = {number: term for term in asked.weighted if (number := self.terms.number(term)) is not None}
        return [
            Scored(
                names[slot],
                float(scores[slot]),
                tuple(sorted(numbers[int(number)] for number in self.terms.bags[slot].terms if int(number) in numbers)),
                {name: float(part[slot]) for name, part in (parts or {}).items()},
            )
            for slot in found[:count]
        ]
