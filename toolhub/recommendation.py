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


async def recommended(
    hub: "ToolHub",
    question: str,
    topk: int,
    *,
    strategy: str,
    recall_topk: int,
    tools: Iterable[str],
    only_specified: bool,
    fixed: Iterable[str],
    rank: Rank | None,
    learned: Learned | None,
) -> list[Recommendation]:
    """The tools for a question, best first, and behind them the fixed ones.

    Arguments and errors are those of `UnifiedToolLibrary.recommend`.
    """
    if strategy not in get_args(Strategy):
        raise BadArguments(message("strategy_unknown", strategy=strategy, names=list(get_args(Strategy))))
    given = list(dict.fromkeys(tools))
    named = None if ALL_TOOLS in given else given
    if unknown := next((name for name in given if name != ALL_TOOLS and name not in hub.registry), None):
        raise hub.unknown(unknown)
    if only_specified or not question.strip():
        names = [spec.tool_id for spec in hub.registry.listed()] if named is None else named
        found = [Recommendation(tool_id=name, reason=message("found.specified")) for name in names]
    else:
        depth = max(topk, recall_topk)
        reach = depth if named is None else len(hub.registry)
        scored = await hub.finder.recall(question, reach, strategy=cast("Strategy", strategy), learned=learned)
        scored = [one for one in scored if named is None or one.name in named][:depth]
        ranked = await rank(question, scored, topk) if rank and scored else None
        known = {one.name: _explained(one, scored, strategy, hub, learned or Learned()) for one in scored}
        if ranked is None:  # what cannot be ranked stays as it was recalled
            found = list(known.values())[:topk]
        else:
            chosen = [known[name] for name in dict.fromkeys(ranked) if name in known][:topk]
            why = message("found.ranked")
            found = [one.model_copy(update={"reason": joined(why, one.reason)}) for one in chosen]
    there = {one.tool_id for one in found}
    always = [name for name in dict.fromkeys(fixed) if name in hub.registry and name not in there]
    return [*found, *(Recommendation(tool_id=name, reason=message("found.specified")) for name in always)]


def _explained(
    scored: Scored, found: Sequence[Scored], strategy: str, hub: "ToolHub", learned: Learned
) -> Recommendation:
    spec, known = hub.registry.get(scored.name), learned.tools.get(scored.name, Experience())
    needed = {value for one in found if (other := hub.registry.get(one.name)) for value in other.requires}
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
