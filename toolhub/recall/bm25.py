"""BM25 over the catalogue, by rank-bm25.

BM25Plus: its term weights are positive whatever the size of the catalogue, where Okapi's are zero or negative on a
small one. No match means no shared term, whatever the score: such tools are cut, not padded in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from toolhub.recall.tokeniser import tokens
from tools.core.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class Scored:
    """A tool with its score and the words it was found by."""

    name: str
    score: float
    terms: tuple[str, ...] = ()


class Bm25Recall:
    """Recalls tools whose documents share words with the query."""

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        from rank_bm25 import BM25Plus  # noqa: PLC0415  brings numpy: only recall needs it

        documents = {spec.name: tokens(document(spec)) for spec in specs}
        self._names = list(documents)
        self._terms = [frozenset(terms) for terms in documents.values()]
        # an empty corpus divides by zero
        self._index: Any = cast("Any", BM25Plus)(list(documents.values())) if any(self._terms) else None

    def recall(self, query: str, topk: int) -> list[Scored]:
        """The best `topk` tools, best first; none where nothing matches."""
        terms = tokens(query)
        if self._index is None or not terms:
            return []
        scores = cast("Sequence[float]", self._index.get_scores(terms))
        found = [
            Scored(name, float(score), tuple(sorted(shared)))
            for name, own, score in zip(self._names, self._terms, scores, strict=True)
            if (shared := own.intersection(terms))
        ]
        found.sort(key=lambda scored: (-scored.score, scored.name))
        return found[:topk]


def document(spec: ToolSpec) -> str:
    """What a tool is found by: name, tags, description, parameters and examples."""
    parameters = [name for capability in spec.capabilities for name in capability.parameters.get("properties", {})]
    parts = [spec.name, spec.name, *spec.tags, *spec.capability_tags, spec.summary, spec.details, spec.category]
    return "\n".join([*parts, *(name for name in parameters if name != "explanation"), *spec.examples])
