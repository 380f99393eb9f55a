"""BM25 over the catalogue: rank-bm25 counts the documents, `recall.index` scores them over postings.

rank-bm25's BM25Plus is the reference for our scores: its term weights are positive whatever the size of the catalogue,
where Okapi's are zero or negative on a small one. No match means no shared term, whatever the score: such tools are
cut, not padded in.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from switchyard.toolhub.recall.query import Query
from switchyard.tools.core.spec import ToolSpec

if TYPE_CHECKING:
    from switchyard.toolhub.recall.index import Floats, ToolIndex
    from switchyard.toolhub.recall.overlay import Overlay

Strategy = Literal["lexical", "fused"]
"""By shared words alone, at once; or by words, meaning and kind together, and nothing where no tool fits, unless the
question is in the other language than the tools'."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A tool with its score and the words it was found by."""

    name: str
    score: float
    terms: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict[str, float], compare=False)
    """What each strategy says, where several do."""


class Bm25Recall:
    """Recalls tools whose documents share words with the query."""

    name = "bm25"

    def __init__(self, tools: "ToolIndex | Iterable[ToolSpec]", overlay: "Overlay | None" = None) -> None:
        from switchyard.toolhub.recall.index import ToolIndex  # noqa: PLC0415  brings numpy: only recall needs it

        self.index = tools if isinstance(tools, ToolIndex) else ToolIndex.of(tools)
        self.overlay = overlay

    def recall(self, query: str, topk: int) -> list[Scored]:
        """The best `topk` tools, best first; none where nothing matches."""
        asked = Query(query)
        scores = self.scores(asked)
        if self.overlay:
            self.overlay.sink(scores, asked.terms)
        return self.index.best(scores, topk, asked)

    def scores(self, asked: Query) -> "Floats":
        """The score of every slot."""
        return (self.overlay or self.index.terms).scores(asked.weighted)
