"""Recall over the registry as it is now: the index follows the catalogue, equal queries are answered from a cache."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable

from toolhub.recall.bm25 import Bm25Recall, Scored
from toolhub.recall.tokeniser import has_chinese, warm
from toolhub.registry import ToolRegistry, Withheld

ANSWERS_KEPT = 1024
"""Queries whose answers are remembered until the catalogue changes."""
REQUIREMENT_DEPTH = 20
"""Tools recalled for each requirement."""


class Finder:
    """Finds tools by what they are for."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._index = Bm25Recall([])
        self._revision = -1
        self._warm: set[bool] = set()
        self._answers: OrderedDict[tuple[str, int], list[Scored]] = OrderedDict()

    async def recall(self, query: str, topk: int) -> list[Scored]:
        """The tools that share words with the query, best first."""
        await self._prepare(query)
        known = self._answers.get((query, topk))
        if known is None:
            known = self._index.recall(query, topk)
            self._answers[query, topk] = known
            while len(self._answers) > ANSWERS_KEPT:
                self._answers.popitem(last=False)
        return list(known)

    async def meeting(self, requirements: Iterable[str]) -> list[str]:
        """The tools that meet one of the requirements: those that meet most first, then the best matches."""
        met: dict[str, int] = {}
        scores: dict[str, float] = {}
        for requirement in requirements:
            found = {scored.name: scored.score for scored in await self.recall(requirement, REQUIREMENT_DEPTH)}
            found |= {spec.name: found.get(spec.name, 0.0) for spec in self._registry if requirement in spec.produces}
            for name, score in found.items():
                met[name] = met.get(name, 0) + 1
                scores[name] = scores.get(name, 0.0) + score
        return sorted(met, key=lambda name: (-met[name], -scores[name], name))

    async def withheld(self, query: str, topk: int) -> list[tuple[Scored, Withheld]]:
        """The disabled tools that share words with the query, best first."""
        off = {one.tool.spec.name: one for one in self._registry.withheld()}
        off = {name: one for name, one in off.items() if name not in self._registry}
        if not off:
            return []
        specs = [one.tool.spec for one in off.values()]
        found = await asyncio.to_thread(lambda: Bm25Recall(specs).recall(query, topk))
        return [(scored, off[scored.name]) for scored in found]

    async def _prepare(self, query: str) -> None:
        """Bring the index up to the catalogue as it is now; what takes long is done in a thread."""
        chinese, revision = has_chinese(query), self._registry.revision
        if chinese not in self._warm:
            await asyncio.to_thread(warm, query)
            self._warm.add(chinese)
        if self._revision != revision:
            index = await asyncio.to_thread(Bm25Recall, list(self._registry))
            if revision > self._revision:  # another question may have been faster, on a newer catalogue
                self._index, self._revision = index, revision
                self._answers.clear()
