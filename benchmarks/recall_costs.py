"""What recall costs on a large catalogue: time of a query, of building, of one more tool; tokens a model reads."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

from benchmarks.recall_sets import DataSet
from switchyard.agents.planning.agent import CORE_TOOLS, OTHER_TOOLS
from switchyard.ledger.tokens import estimate_tokens
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.descriptions import definition, summary_line
from switchyard.toolhub.recall.embedding import EmbeddingRecall, VectorTable, WordVectors
from switchyard.toolhub.recall.fusion import Fusion, TypeMatch
from switchyard.toolhub.recall.index import Bm25Recall, ToolIndex
from switchyard.toolhub.registry import RegisteredTool, ToolRegistry
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

QUERIES = 300
RANKED, SMALL = 20, 100
"""Tools a ranker sees at most, and a catalogue that is small."""
TOOLS = Path(__file__).resolve().parent.parent / "tools"
LONGEST_QUESTION = 200
"""Characters of a description that are asked."""


def costs(data: DataSet, asked: Sequence[DataSet], vectors: WordVectors, *, agreed: float) -> list[dict[str, Any]]:
    """The rows for a catalogue; its questions are taken from the other sets.

    Args:
        data: the catalogue.
        asked: the sets with questions.
        vectors: the words' vectors.
        agreed: how often the tool a step needs is among the first recalled, from 0 to 1: it is not ranked then.
    """
    queries = [
        query.query for other in asked for query in other.queries[:: max(1, len(other.queries) * len(asked) // QUERIES)]
    ]
    queries = queries or [spec.summary for spec in data.specs[:QUERIES]]
    started = time.thread_time()
    index = ToolIndex.of(data.specs)
    build = time.thread_time() - started
    words = Bm25Recall(index)
    fused = Fusion(words, EmbeddingRecall(index, VectorTable(vectors)), TypeMatch(index))
    started = time.thread_time()
    fused.recall(queries[-1], RANKED)
    first = time.thread_time() - started
    rows = [
        _row(data, "build, words, s", build, 2.0),
        {"set": data.name, "what": "first fused query, s", "measured": f"{first:.2f}", "wanted": "", "met": ""},
        _row(data, "query p95, words, ms", _p95(words.recall, queries), 1.1),
        _row(data, "query p95, fused, ms", _p95(fused.recall, queries), 5.5),
        _row(data, "one more tool, ms", _adding(index), 5.0),
        _row(data, f"tool tokens, {len(data.specs)} tools, %", _tokens(data.specs, fused, agreed), 0.5),
    ]
    few = data.specs[:: max(1, len(data.specs) // SMALL)][:SMALL]
    small = ToolIndex.of(few)
    careful = Fusion(Bm25Recall(small), EmbeddingRecall(small, VectorTable(vectors)), TypeMatch(small))
    return [*rows, _row(data, f"tool tokens, {len(few)} tools, %", _tokens(few, careful, agreed), 25.0)]


def _p95(recall: Callable[[str, int], object], queries: Sequence[str]) -> float:
    """The middle of three rounds, in time of the processor: others who use the machine are measured less."""
    rounds: list[float] = []
    for _ in range(3):
        times: list[float] = []
        for query in queries:
            started = time.thread_time()
            recall(query, RANKED)
            times.append((time.thread_time() - started) * 1000)
        rounds.append(quantiles(times, n=20)[18])
    return median(rounds)


def _adding(index: ToolIndex) -> float:
    """The middle time of one tool more, of fifty: from the registry's change to the index that has it."""
    registry, times = registry_of(index.specs.values()), list[float]()
    for number in range(50):
        spec = ToolSpec(tool_id=f"one_more_{number}", description=f"Counts the apples of orchard {number} 统计苹果")
        started = time.thread_time()
        registry.add(RegisteredTool(spec, _nothing))
        index = index.updated(registry.specs)
        times.append((time.thread_time() - started) * 1000)
    return sorted(times)[len(times) // 2]


def registry_of(specs: Iterable[ToolSpec]) -> ToolRegistry:
    """A registry of tools that do nothing."""
    registry = ToolRegistry()
    registry.replace("all", [RegisteredTool(spec, _nothing) for spec in specs])
    len(registry)  # its tables are made now
    return registry


async def _nothing(request: ToolRequest) -> ToolResult:
    return ToolResult(result=[request.action, request.given, request.context.step_id])


def _tokens(specs: Sequence[ToolSpec], fused: Fusion, agreed: float) -> float:
    """What a question of one step makes a model read of tools, in per cent of all definitions.

    The planner reads lines, always those of the core tools; where its tool is not among the first recalled, the ranker
    reads them too; then comes one definition. The questions are what tools say of themselves, since each is sure to
    have its tool here.
    """
    by_name = {spec.tool_id: spec for spec in specs}
    core = [tool.spec for tool in discover(TOOLS, TOOLS.name).tools if tool.spec.tool_id in CORE_TOOLS]
    always = sum(estimate_tokens(summary_line(spec)) for spec in core)
    spent: list[float] = []
    for asked in specs[:: max(1, len(specs) // QUERIES)]:
        found = [by_name[one.name] for one in fused.recall(asked.summary[:LONGEST_QUESTION], RANKED)]
        lines = [estimate_tokens(summary_line(spec)) for spec in found]
        chosen = sum(estimate_tokens(definition(spec)) for spec in found[:1])
        spent.append(always + sum(lines[:OTHER_TOOLS]) + (1 - agreed) * sum(lines) + chosen)
    return 100 * fmean(spent) / sum(estimate_tokens(definition(spec)) for spec in [*core, *specs])


def _row(data: DataSet, what: str, measured: float, most: float) -> dict[str, Any]:
    met = "yes" if measured <= most else "no"
    return {"set": data.name, "what": what, "measured": f"{measured:.2f}", "wanted": f"≤ {most:g}", "met": met}
