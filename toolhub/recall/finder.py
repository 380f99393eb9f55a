"""Recall over the registry as it is now: the index follows the catalogue, equal queries are answered from a cache."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from switchyard.language.tokeniser import has_chinese, warm
from switchyard.toolhub.recall.embedding import EmbeddingRecall, VectorTable, word_vectors
from switchyard.toolhub.recall.fusion import Fusion, TypeMatch
from switchyard.toolhub.recall.index import Bm25Recall, Overlay, ToolIndex
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.recall.query import Scored, Strategy
from switchyard.toolhub.registry import ToolRegistry, Withheld
from switchyard.tools.core.spec import ToolSpec

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

ANSWERS_KEPT = 1024
"""Queries whose answers are remembered until the catalogue changes."""
USERS_KEPT = 64
"""Users whose learned wordings are laid over the index at a time."""
REQUIREMENT_DEPTH = 20
"""Tools recalled for each requirement."""


class Finder:
    """Finds tools by what they are for."""

    def __init__(self, registry: ToolRegistry, embeddings: "Embeddings | None" = None) -> None:
        """Nothing is loaded yet. Without embeddings, word vectors that come in a package are used."""
        self.registry = registry
        self._embeddings = embeddings
        self._index: ToolIndex | None = None
        self._revision = -1
        self._follows = Lock()
        self._vectors: VectorTable | None = None
        self._kinds: TypeMatch | None = None
        self._warm: set[bool] = set()
        self._answers: dict[tuple[str, int, Strategy, int, str], list[Scored]] = {}
        """Those to an older catalogue are left behind with their dictionary."""
        self._users: dict[int, _User] = {}
        """By the id of what they have learned."""

    async def recall(
        self, query: str, topk: int, *, strategy: Strategy = "bm25", learned: Learned | None = None, task_type: str = ""
    ) -> list[Scored]:
        """The tools for a query, best first, with what a user's tools have served and failed on laid over the index.

        `fused` finds by words, meaning and kind, the `task_type` of a step among them, and in the other language by
        what a dictionary brings nearest. Whether the best fit is for whoever asks to judge.
        """
        index = await self._prepare(query)
        answers = self._answers
        key = (query, topk, strategy, id(learned), task_type)
        known = answers.get(key)
        if known is None:
            user = await self._user(index, learned)
            if strategy == "bm25":
                known = user.words.recall(query, topk)
            else:  # the vectors of a large catalogue take a moment, and so may a model behind them
                known = await asyncio.to_thread(self._recalled, user, query, topk, strategy, task_type)
            known = answers[key] = self._with_makers(index, known)[:topk]
            if len(answers) > ANSWERS_KEPT:
                del answers[next(iter(answers))]
        return list(known)

    def _with_makers(self, index: ToolIndex, found: list[Scored]) -> list[Scored]:
        """What a tool requires comes along: who produces it stands right behind the first that needs it (R3.2)."""
        placed: dict[str, Scored] = {}
        known = {scored.name: scored for scored in found}
        for scored in found:
            placed.setdefault(scored.name, scored)
            required = (value for tool in self.registry.candidates(scored.name) for value in tool.spec.requires)
            for maker in (maker for value in required for maker in index.makers.get(value, ())):
                placed.setdefault(maker, known.get(maker) or Scored(maker, 0.0))
        return list(placed.values())

    async def meeting(self, requirements: Iterable[str]) -> list[str]:
        """The tools that meet one of the requirements: those that meet most first, then the best matches."""
        met: dict[str, int] = {}
        scores: dict[str, float] = {}
        for requirement in requirements:
            found = {scored.name: scored.score for scored in await self.recall(requirement, REQUIREMENT_DEPTH)}
            found |= {
                spec.tool_id: found.get(spec.tool_id, 0.0) for spec in self.registry if requirement in spec.produces
            }
            for name, score in found.items():
                met[name] = met.get(name, 0) + 1
                scores[name] = scores.get(name, 0.0) + score
        return sorted(met, key=lambda name: (-met[name], -scores[name], name))

    async def withheld(self, query: str, topk: int) -> list[tuple[Scored, Withheld]]:
        """The disabled tools that share words with the query, best first."""
        off = {one.tool.spec.tool_id: one for one in self.registry.withheld()}
        off = {name: one for name, one in off.items() if name not in self.registry}
        if not off:
            return []
        specs = [one.tool.spec for one in off.values()]
        found = await asyncio.to_thread(lambda: Bm25Recall(specs).recall(query, topk))
        return [(scored, off[scored.name]) for scored in found]

    async def _user(self, index: ToolIndex, learned: Learned | None) -> "_User":
        """The strategies over the index for a user; the latest users' are kept."""
        known = self._users.pop(id(learned), None)
        if known is None or known.words.index is not index:
            overlay = await asyncio.to_thread(Overlay, index, learned) if learned else None
            known = _User(learned, Bm25Recall(index, overlay))
        self._users[id(learned)] = known  # the latest
        while len(self._users) > USERS_KEPT:
            gone = next(iter(self._users))
            del self._users[gone]
            # an id may come again once its object is gone
            self._answers = {key: found for key, found in self._answers.items() if key[3] != gone}
        return known

    def _recalled(self, user: "_User", query: str, topk: int, strategy: Strategy, task_type: str) -> list[Scored]:
        """Recall by another strategy than words alone; meant for a thread."""
        if user.fusion is None:
            index = user.words.index
            with self._follows:
                self._vectors = self._vectors or VectorTable(self._embeddings or word_vectors())
                if self._kinds is None or self._kinds.index is not index:
                    self._kinds = TypeMatch(index, self.registry.capabilities, self._kinds)
                meaning = EmbeddingRecall(index, self._vectors, user.words.overlay)
                user.fusion = Fusion(user.words, meaning, self._kinds)
        if strategy == "embedding":
            return user.fusion.meaning.recall(query, topk)
        if strategy == "type":
            return user.fusion.kind.recall(query, topk, task_type)
        return user.fusion.recall(query, topk, task_type)

    async def _prepare(self, query: str) -> ToolIndex:
        """Bring the index up to the catalogue as it is now; what takes long is done in a thread."""
        chinese, revision = has_chinese(query), self.registry.revision
        if chinese not in self._warm:
            await asyncio.to_thread(warm, query)
            self._warm.add(chinese)
        if self._index is None or self._revision != revision:
            return await asyncio.to_thread(self._follow, revision, self.registry.specs)
        return self._index

    def _follow(self, revision: int, specs: Mapping[str, ToolSpec]) -> ToolIndex:
        """Take over the catalogue of a revision, unless a newer one was taken over meanwhile."""
        with self._follows:
            before = self._index or ToolIndex()
            if self._index is None or revision > self._revision:
                self._index, self._revision = before.updated(specs), revision
                if self._index is not before:
                    self._answers = {}
            return self._index


@dataclass
class _User:
    """The strategies for one user, over one index."""

    learned: Learned | None
    """Kept, so that its id is not another's."""
    words: Bm25Recall
    fusion: Fusion | None = None
    """Made when it is first asked for."""
