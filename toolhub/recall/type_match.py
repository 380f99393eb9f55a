"""Recall by kind: the tools whose tags are those a task's type or wording speaks for."""

import numpy as np

from switchyard.toolhub.capabilities import CapabilityTable
from switchyard.toolhub.recall.bm25 import Scored
from switchyard.toolhub.recall.index import Floats, ToolIndex
from switchyard.toolhub.recall.query import Query
from switchyard.tools.core.spec import ToolSpec

GENERAL = "general"
"""What a plan and a tool say that are of no type."""


class TypeMatch:
    """Recalls tools of the kind a query names: `search`, 搜索, or a sentence with such words in it."""

    name = "type"

    def __init__(self, index: ToolIndex, capabilities: CapabilityTable | None = None) -> None:
        self.index = index
        self._capabilities = capabilities or CapabilityTable()
        self._slots: dict[str, list[int]] = {}
        """By tag."""
        for slot, spec in enumerate(index.specs.values()):
            for tag in self._tags(spec):
                self._slots.setdefault(tag, []).append(slot)

    def recall(self, query: str, topk: int) -> list[Scored]:
        """The tools that share most tags with the query."""
        asked = Query(query)
        return self.index.best(self.scores(asked), topk, asked)

    def scores(self, asked: Query) -> Floats:
        """How many of the query's tags each slot has."""
        found = np.zeros(len(self.index.texts), np.float32)
        for tag in {tag for text in (asked.text, asked.kind) for tag in self._asked_for(text)}:
            found[self._slots.get(tag, [])] += 1.0
        return found

    def _asked_for(self, text: str) -> set[str]:
        """The tags a question or a type speaks for; a general one says nothing."""
        said = {self._capabilities.canonical(text), *self._capabilities.derived(text[:200])}
        return said if text not in {"", GENERAL} else set()

    def _tags(self, spec: ToolSpec) -> set[str]:
        canonical = self._capabilities.canonical
        return {*self._capabilities.tags_of(spec), *map(canonical, spec.tags), canonical(spec.category)}
