"""What recall costs on a large catalogue: time of a query, of building, of one more tool; tokens a model reads."""

import time
from collections.abc import Callable, Sequence
from statistics import fmean, quantiles
from typing import Any

from benchmarks.recall_sets import DataSet
from ledger.tokens import estimate_tokens
from toolhub.descriptions import definition, summary_line
from toolhub.recall.bm25 import Bm25Recall
from toolhub.recall.embedding import EmbeddingRecall, VectorTable
from toolhub.recall.fusion import Fusion
from toolhub.recall.tool_index import ToolIndex
from toolhub.recall.type_match import TypeMatch
from toolhub.recall.vectors import WordVectors
from tools.core.spec import ToolSpec

QUERIES = 300
PLANNER_LINES, RANKED, SMALL = 10, 20, 100
"""Tools a planner and a ranker see, and a catalogue that is small."""


def costs(data: DataSet, asked: Sequence[DataSet], vectors: WordVectors) -> list[dict[str, Any]]:
    """The rows for a catalogue; its questions are taken from the other sets."""
    queries = [
        query.query for other in asked for query in other.queries[:: max(1, len(other.queries) * len(asked) // QUERIES)]
    ]
    queries = queries or [spec.summary for spec in data.specs[:QUERIES]]
    started = time.perf_counter()
    index = ToolIndex.of(data.specs)
    build = time.perf_counter() - started
    words = Bm25Recall(index)
    fused = Fusion(words, EmbeddingRecall(index, VectorTable(vectors)), TypeMatch(index))
    started = time.perf_counter()
    fused.recall(queries[0], RANKED)
    first = time.perf_counter() - started
    rows = [
        _row(data, "build, words, s", build, 2.0),
        {"set": data.name, "what": "first fused query, s", "measured": f"{first:.2f}", "wanted": "", "met": ""},
        _row(data, "query p95, words, ms", _p95(words.recall, queries), 2.0),
        _row(data, "query p95, fused, ms", _p95(fused.recall, queries), 6.0),
        _row(data, "one more tool, ms", _adding(index), 5.0),
        _row(data, f"tool tokens, {len(data.specs)} tools, %", _tokens(data.specs, fused, queries), 0.5),
    ]
    few = data.specs[:: max(1, len(data.specs) // SMALL)][:SMALL]
    small = ToolIndex.of(few)
    careful = Fusion(Bm25Recall(small), EmbeddingRecall(small, VectorTable(vectors)), TypeMatch(small))
    return [*rows, _row(data, f"tool tokens, {len(few)} tools, %", _tokens(few, careful, queries), 25.0)]


def _p95(recall: Callable[[str, int], object], queries: Sequence[str]) -> float:
    times: list[float] = []
    for query in queries:
        started = time.perf_counter()
        recall(query, RANKED)
        times.append((time.perf_counter() - started) * 1000)
    return quantiles(times, n=20)[18]


def _adding(index: ToolIndex) -> float:
    """The middle time of one tool more, of fifty."""
    times: list[float] = []
    for number in range(50):
        spec = ToolSpec(name=f"one_more_{number}", summary=f"Counts the apples of orchard {number} 统计苹果")
        specs = [*index.specs.values(), spec]
        started = time.perf_counter()
        index = index.updated(specs)
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times)[len(times) // 2]


def _tokens(specs: Sequence[ToolSpec], fused: Fusion, queries: Sequence[str]) -> float:
    """What a question of one step makes a model read of tools, in per cent of all definitions."""
    by_name = {spec.name: spec for spec in specs}
    spent: list[int] = []
    for query in queries:
        found = [by_name[one.name] for one in fused.recall(query, RANKED)]
        lines = [estimate_tokens(summary_line(spec)) for spec in found]
        chosen = sum(estimate_tokens(definition(spec)) for spec in found[:1])
        spent.append(sum(lines[:PLANNER_LINES]) + sum(lines) + chosen)
    return 100 * fmean(spent) / sum(estimate_tokens(definition(spec)) for spec in specs)


def _row(data: DataSet, what: str, measured: float, most: float) -> dict[str, Any]:
    met = "yes" if measured <= most else "no"
    return {"set": data.name, "what": what, "measured": f"{measured:.2f}", "wanted": f"≤ {most:g}", "met": met}
