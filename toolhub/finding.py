"""Recall over the registry as it is now: the index follows the catalogue, equal queries are answered from a cache."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from toolhub.recall.bm25 import Bm25Recall, Scored
from toolhub.recall.tokeniser import has_chinese, warm
from toolhub.registry import ToolRegistry, Withheld
from tools.core.spec import ToolSpec

if TYPE_CHECKING:
    from toolhub.recall.embedding import Embeds, VectorTable
    from toolhub.recall.fusion import Fusion
    from toolhub.recall.learned import Learned
    from toolhub.recall.tool_index import ToolIndex

ANSWERS_KEPT = 1024
"""Queries whose answers are remembered until the catalogue changes."""
USERS_KEPT = 64
"""Users whose learned wordings are laid over the index at a time."""
REQUIREMENT_DEPTH = 20
"""Tools recalled for each requirement."""

Strategy = Literal["lexical", "fused"]
"""By shared words alone, at once; or by words, meaning and kind together, and nothing where no tool fits."""


class Finder:
    """Finds tools by what they are for."""

    def __init__(self, registry: ToolRegistry, embeddings: "Embeds | None" = None) -> None:
        """Nothing is loaded yet.

        Args:
            registry: the tools.
            embeddings: any LangChain embeddings; word vectors that come in a package when left out.
        """
        self._registry = registry
        self._embeddings = embeddings
        self._index: ToolIndex | None = None
        self._vectors: VectorTable | None = None
        self._makers: dict[str, list[str]] = {}
        """Which tools produce a value that others require."""
        self._revision = -1
        self._warm: set[bool] = set()
        self._answers: OrderedDict[tuple[str, int, Strategy, int], list[Scored]] = OrderedDict()
        self._users: OrderedDict[int, tuple[Learned | None, Fusion]] = OrderedDict()

    async def recall(
        self, query: str, topk: int, *, strategy: Strategy = "lexical", learned: "Learned | None" = None
    ) -> list[Scored]:
        """The tools for a query, best first; with what a user's tools have learned laid over them."""
        index = await self._prepare(query)
        key = (query, topk, strategy, id(learned))
        known = self._answers.get(key)
        if known is None:
            fusion = self._fusion(index, learned)
            if strategy == "lexical":
                known = fusion.words.recall(query, topk)
            else:  # the vectors of a large catalogue take a moment, and so may a model behind them
                known = await asyncio.to_thread(fusion.recall, query, topk)
            known = self._with_makers(known)[:topk]
            if index is self._index:
                self._answers[key] = known
            while len(self._answers) > ANSWERS_KEPT:
                self._answers.popitem(last=False)
        return list(known)

    def _with_makers(self, found: list[Scored]) -> list[Scored]:
        """What a tool requires comes along: who produces it stands right behind the first that needs it (R3.2)."""
        placed: dict[str, Scored] = {}
        known = {scored.name: scored for scored in found}
        for scored in found:
            placed.setdefault(scored.name, scored)
            required = (value for tool in self._registry.candidates(scored.name) for value in tool.spec.requires)
            for maker in (maker for value in required for maker in self._makers.get(value, ())):
                placed.setdefault(maker, known.get(maker) or Scored(maker, 0.0))
        return list(placed.values())

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

    def _fusion(self, index: "ToolIndex", learned: "Learned | None") -> "Fusion":
        """The strategies over the index for a user; the latest users' are kept."""
        known = self._users.get(id(learned))
        if known is not None and known[1].words.index is index:
            self._users.move_to_end(id(learned))
            return known[1]
        from toolhub.recall.embedding import EmbeddingRecall, VectorTable  # noqa: PLC0415  numpy: only recall needs it
        from toolhub.recall.fusion import Fusion  # noqa: PLC0415
        from toolhub.recall.overlay import Overlay  # noqa: PLC0415
        from toolhub.recall.type_match import TypeMatch  # noqa: PLC0415
        from toolhub.recall.vectors import WordVectors  # noqa: PLC0415

        self._vectors = self._vectors or VectorTable(self._embeddings or WordVectors())
        overlay = None if learned is None else Overlay(index, learned)
        meaning = EmbeddingRecall(index, self._vectors, overlay)
        fusion = Fusion(Bm25Recall(index, overlay), meaning, TypeMatch(index, self._registry.capabilities))
        self._users[id(learned)] = (learned, fusion)
        while len(self._users) > USERS_KEPT:
            gone, _ = self._users.popitem(last=False)
            # an id may come again once its object is gone
            self._answers = OrderedDict((key, found) for key, found in self._answers.items() if key[3] != gone)
        return fusion

    async def _prepare(self, query: str) -> "ToolIndex":
        """Bring the index up to the catalogue as it is now; what takes long is done in a thread."""
        chinese, revision = has_chinese(query), self._registry.revision
        if chinese not in self._warm:
            await asyncio.to_thread(warm, query)
            self._warm.add(chinese)
        if self._index is None or self._revision != revision:
            index = await asyncio.to_thread(_followed, self._index, list(self._registry))
            if revision > self._revision:  # another question may have been faster, on a newer catalogue
                if index is not self._index:
                    self._answers.clear()
                    self._users.clear()
                self._index, self._revision = index, revision
                self._makers = {}
                for spec in self._registry:
                    for value in spec.produces:
                        self._makers.setdefault(value, []).append(spec.name)
            return index
        return self._index


def _followed(index: "ToolIndex | None", specs: list[ToolSpec]) -> "ToolIndex":
    from toolhub.recall.tool_index import ToolIndex  # noqa: PLC0415  brings numpy: only recall needs it

    return ToolIndex.of(specs) if index is None else index.updated(specs)
