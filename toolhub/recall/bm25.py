"""BM25 over the catalogue, by rank-bm25.

BM25Plus: its term weights are positive whatever the size of the catalogue, where Okapi's are zero or negative on a
small one. No match means no shared term, whatever the score: such tools are cut, not padded in.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from toolhub.recall.aliases import aliases
from toolhub.recall.tokeniser import MAX_CHARACTERS, tokens
from tools.core.spec import ToolSpec

ALIAS_SHARE = 0.3
"""What a word for the same thing counts against the word itself."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A tool with its score and the words it was found by."""

    name: str
    score: float
    terms: tuple[str, ...] = ()


class Bm25Recall:
    """Recalls tools whose documents share words with the query.

    The weights are those of rank-bm25's BM25Plus, laid out by term, so that a query touches only the tools that share a
    word with it. What BM25Plus adds to every document alike, shared words or not, is left out.
    """

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        documents = {spec.name: tokens(document(spec)) for spec in specs}
        self._names = list(documents)
        self._postings = _postings(list(documents.values()))

    def recall(self, query: str, topk: int) -> list[Scored]:
        """The best `topk` tools, best first; none where nothing matches."""
        scores: dict[int, float] = {}
        terms: dict[int, set[str]] = {}
        asked = tokens(query)
        others = {alias for term in asked for alias in aliases(term)}
        # a tool's tag may be one character, which segmentation keeps inside a longer word: 灯 of 客厅灯
        others |= {letter for letter in query[:MAX_CHARACTERS] if letter in self._postings and not letter.isascii()}
        others.difference_update(asked)
        for term, share in [*((term, 1.0) for term in asked), *((term, ALIAS_SHARE) for term in sorted(others))]:
            for position, weight in self._postings.get(term, ()):
                scores[position] = scores.get(position, 0.0) + weight * share
                terms.setdefault(position, set()).add(term)
        best = sorted(scores, key=lambda position: (-scores[position], self._names[position]))[:topk]
        return [Scored(self._names[position], scores[position], tuple(sorted(terms[position]))) for position in best]


def _postings(documents: list[list[str]]) -> dict[str, list[tuple[int, float]]]:
    """For each term, the documents that have it and what it adds to their score."""
    if not any(documents):
        return {}  # an empty corpus divides by zero
    from rank_bm25 import BM25Plus  # noqa: PLC0415  brings numpy: only recall needs it

    model: Any = cast("Any", BM25Plus)(documents)
    found: dict[str, list[tuple[int, float]]] = {}
    for position, (counts, length) in enumerate(zip(model.doc_freqs, model.doc_len, strict=True)):
        norm = model.k1 * (1 - model.b + model.b * length / model.avgdl)
        for term, count in counts.items():
            weight = model.idf[term] * count * (model.k1 + 1) / (norm + count)
            found.setdefault(term, []).append((position, float(weight)))
    return found


def document(spec: ToolSpec) -> str:
    """What a tool is found by: name, tags, description, parameters and examples."""
    parameters = [name for capability in spec.capabilities for name in capability.parameters.get("properties", {})]
    parts = [spec.name, spec.name, *spec.tags, *spec.capability_tags, spec.summary, spec.details, spec.category]
    return "\n".join([*parts, *(name for name in parameters if name != "explanation"), *spec.examples])
