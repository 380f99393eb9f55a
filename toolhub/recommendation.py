"""A tool that is recommended for a task, with score and reason (R3.9): `UnifiedToolLibrary.recommend` returns them."""

from collections.abc import Awaitable, Callable, Collection, Sequence

from pydantic import BaseModel, Field

from switchyard.language.messages import Said, joined, message, quoted
from switchyard.toolhub.recall.learned import Experience, Learned
from switchyard.toolhub.recall.query import Scored
from switchyard.toolhub.registry import ToolRegistry

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

    def ranked(self) -> "Recommendation":
        """The same, chosen by a model."""
        return self.model_copy(update={"reason": joined(message("found.ranked"), self.reason)})


def explained(
    recalled: Sequence[Scored], strategy: str, registry: ToolRegistry, learned: Learned
) -> dict[str, Recommendation]:
    """What was recalled, by name, each with the reason."""
    needed = {value for one in recalled if (spec := registry.get(one.name)) for value in spec.requires}
    return {one.name: _explained(one, strategy, registry, learned, needed) for one in recalled}


def _explained(
    scored: Scored, strategy: str, registry: ToolRegistry, learned: Learned, needed: Collection[str]
) -> Recommendation:
    spec, known = registry.get(scored.name), learned.tools.get(scored.name, Experience())
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
