"""Which tools are for a task, with reasons and scores: the two stages of selection as one call (R3.9).

Stage one recalls by a strategy, without a model. Stage two, where it is wanted, shows what was recalled to whatever
ranks, which may say that nothing fits.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, cast, get_args

from pydantic import BaseModel, Field

from switchyard.language.messages import Said, joined, message, quoted
from switchyard.ledger.options import ALL_TOOLS
from switchyard.toolhub.recall.learned import Experience, Learned
from switchyard.toolhub.recall.query import Scored, Strategy
from switchyard.tools.core.errors import BadArguments

if TYPE_CHECKING:
    from switchyard.toolhub.hub import ToolHub

Rank = Callable[[str, Sequence[Scored], int], Awaitable[Sequence[str] | None]]
"""The names of at most so many of the tools recalled for a question, best first; None where it could not be told."""


class Recommendation(BaseModel):
    """A tool for a task."""

    tool_id: str
    score: float = 0.0
    reason: Said = ""
    """Why it is here, for a person."""
    terms: tuple[str, ...] = ()
    """The words it was found by."""
    parts: dict[str, float] = Field(default_factory=dict[str, float])
    """What each strategy says."""


class Recommender:
    """Recommends among the tools of a hub, or among those that are named."""

    def __init__(
        self,
        hub: "ToolHub",
        tools: Sequence[str] = (ALL_TOOLS,),
        *,
        only_specified: bool = False,
        rank: Rank | None = None,
        learned: Learned | None = None,
    ) -> None:
        """Nothing is recalled yet.

        Args:
            hub: where the tools are.
            tools: those to recommend among; `<all>` means every one.
            only_specified: take them as they are given, whatever is asked.
            rank: stage two.
            learned: what earlier runs have taught about the tools.

        Raises:
            ToolUnknown: when one of the tools cannot be called.
        """
        named = [name for name in dict.fromkeys(tools) if name != ALL_TOOLS]
        if unknown := next((name for name in named if name not in hub.registry), None):
            raise hub.unknown(unknown)
        self._hub, self._rank, self._learned = hub, rank, learned
        self._only_specified = only_specified
        self._named = None if ALL_TOOLS in tools else named

    async def recommend(
        self, question: str, topk: int, *, strategy: str = "fused", recall_topk: int = 20, fixed: Iterable[str] = ()
    ) -> list[Recommendation]:
        """The tools for a question, best first, and behind them the fixed ones.

        Raises:
            BadArguments: when there is no such strategy.
        """
        if strategy not in get_args(Strategy):
            raise BadArguments(message("strategy_unknown", strategy=strategy, names=list(get_args(Strategy))))
        if self._only_specified or not question.strip():
            found = [Recommendation(tool_id=name, reason=message("found.specified")) for name in self._given()]
        else:
            found = await self._selected(question, topk, cast("Strategy", strategy), max(topk, recall_topk))
        known = {one.tool_id for one in found}
        always = [name for name in dict.fromkeys(fixed) if name in self._hub.registry and name not in known]
        return [*found, *(Recommendation(tool_id=name, reason=message("found.specified")) for name in always)]

    def _given(self) -> list[str]:
        return [spec.tool_id for spec in self._hub.registry.listed()] if self._named is None else self._named

    async def _selected(self, question: str, topk: int, strategy: Strategy, depth: int) -> list[Recommendation]:
        """Both stages; what cannot be ranked stays as it was recalled."""
        reach = depth if self._named is None else len(self._hub.registry)
        found = await self._hub.finder.recall(question, reach, strategy=strategy, learned=self._learned)
        found = [one for one in found if self._named is None or one.name in self._named][:depth]
        ranked = await self._rank(question, found, topk) if self._rank and found else None
        if ranked is None:
            return [self._explained(one, found, strategy) for one in found[:topk]]
        known = {one.name: one for one in found}
        chosen = [self._explained(known[name], found, strategy) for name in dict.fromkeys(ranked) if name in known][
            :topk
        ]
        why = message("found.ranked")
        return [one.model_copy(update={"reason": joined(why, one.reason)}) for one in chosen]

    def _explained(self, scored: Scored, found: Sequence[Scored], strategy: Strategy) -> Recommendation:
        registry = self._hub.registry
        spec, known = registry.get(scored.name), (self._learned or Learned()).tools.get(scored.name, Experience())
        needed = {value for one in found if (other := registry.get(one.name)) for value in other.requires}
        made = [value for value in (spec.produces if spec else ()) if value in needed]
        why = [
            message("found.words", words=list(scored.terms)) if scored.terms else "",
            message("found.served", wording=quoted(known.served[-1].text)) if known.served else "",
            message("found.failed", wording=quoted(known.failed[-1].text)) if known.failed else "",
            message("found.needed", values=made) if made else "",
        ]
        alone = message("found.kind" if strategy == "type" or scored.parts.get("type") else "found.meaning")
        parts = dict(scored.parts)
        return Recommendation(
            tool_id=scored.name, score=scored.score, reason=joined(*why) or alone, terms=scored.terms, parts=parts
        )
