"""Recall by kind: the tools whose tags are those a task's type or wording speaks for."""

import numpy as np

from toolhub.capabilities import CapabilityTable
from toolhub.recall.asked import Asked
from toolhub.recall.bm25 import Scored
from toolhub.recall.index import Floats
from toolhub.recall.tool_index import ToolIndex


class TypeMatch:
    """Recalls tools of the kind a query names: `search`, 搜索, or a sentence with such words in it."""

    name = "type"

    def __init__(self, index: ToolIndex, capabilities: CapabilityTable | None = None) -> None:
        self.index = index
        self._capabilities = capabilities or CapabilityTable()
        self._slots: dict[str, list[int]] = {}
        for name, spec in index.specs.items():
            tags = {*self._capabilities.tags_of(spec), *map(self._capabilities.canonical, spec.tags)}
            for tag in {*tags, self._capabilities.canonical(spec.category)}:
                self._slots.setdefault(tag, []).append(index.slot_of[name])

    def recall(self, query: str, topk: int) -> list[Scored]:
        """The tools that share most tags with the query."""
        asked = Asked(query)
        return self.index.best(self.scores(asked), topk, asked)

    def scores(self, asked: Asked) -> Floats:
        """How many of the query's tags each slot has."""
        found = np.zeros(len(self.index.texts), np.float32)
        for tag in {self._capabilities.canonical(asked.text), *self._capabilities.derived(asked.text[:200])}:
            found[self._slots.get(tag, [])] += 1.0
        return found
