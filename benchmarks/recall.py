"""How well stage one recalls, how fast, and when it recalls nothing: over every set of tools and questions in a folder.

    python -m benchmarks.recall --data DIR [--learn N] [--json]

Beside ours stands BM25 over words as spaces part them. "fused" ranks all tools; "as used" is what a run gets: nothing
where no tool fits, and no tool that falls far behind the best. A set without questions is measured for speed and
tokens. Learning: of each tool, N questions are learned, and the others are asked. A foreign question is one of another
set.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

from benchmarks.__main__ import print_table
from benchmarks.measuring import progress
from benchmarks.recall_costs import costs
from benchmarks.recall_sets import (
    DEPTHS,
    WANTED,
    WANTED_LEARNED,
    DataSet,
    Figures,
    Finds,
    Query,
    figures,
    read_sets,
    whitespace_baseline,
)
from switchyard.toolhub.recall.bm25 import Bm25Recall, Scored
from switchyard.toolhub.recall.embedding import EmbeddingRecall, VectorTable, WordVectors
from switchyard.toolhub.recall.fusion import Fusion, TypeMatch
from switchyard.toolhub.recall.index import ToolIndex
from switchyard.toolhub.recall.learned import WORDINGS_KEPT, Learned
from switchyard.toolhub.recall.overlay import Overlay

FOREIGN_ASKED = 300
"""Questions of every other set that are asked of a catalogue."""
HEADS = ("set", "by", "r@1", "r@5", "r@10", "r@20", "full@5", "full@10", "full@20", "MRR", "p50 ms", "p95 ms")

Row = dict[str, Any]


class Bench:
    """Strategies over the catalogue of a set."""

    def __init__(self, data: DataSet, vectors: WordVectors) -> None:
        started = time.perf_counter()
        self.index = ToolIndex.of(data.specs)
        self.build_s = time.perf_counter() - started
        self.data = data
        self.table = VectorTable(vectors)
        self.words = Bm25Recall(self.index)

    def fused(self, *, abstains: bool, learned: Learned | None = None) -> Fusion:
        """The default strategy."""
        overlay = None if learned is None else Overlay(self.index, learned)
        meaning = EmbeddingRecall(self.index, self.table, overlay)
        return Fusion(Bm25Recall(self.index, overlay), meaning, TypeMatch(self.index), abstains)


def main() -> int:
    """Measure, and say what is met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of sets")
    parser.add_argument("--learn", type=int, default=0, metavar="N", help="learn N questions of each tool first")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    chosen = parser.parse_args()
    try:
        sets = read_sets(chosen.data)
    except FileNotFoundError as error:
        parser.error(str(error))
    vectors = WordVectors()
    asked = [data for data in sets if data.queries]
    measured = [row for data in asked for row in _quality(Bench(data, vectors), chosen.learn)]
    foreign = [_abstention(Bench(data, vectors), asked, measured) for data in asked] if len(asked) > 1 else []
    agreed = fmean(row["found"][5] for row in measured if row["by"] == "fused") / 100 if measured else 1.0
    spent = [row for data in sets if not data.queries for row in costs(data, asked, vectors, agreed=agreed)]
    if chosen.json:
        print(json.dumps({"quality": measured, "foreign": foreign, "costs": spent}, ensure_ascii=False, indent=2))
        return 0
    print_table([HEADS, *(_cells(row) for row in measured)])
    for row in measured:
        for what, least in (WANTED_LEARNED if chosen.learn else WANTED).get((row["set"], row["by"]), {}).items():
            depth = int(what.partition("@")[2])
            reached = row["full" if what.startswith("full") else "found"][depth]
            met = "met" if reached >= least else "not met"
            print(f"{row['set']}, {row['by']}, {what}: {reached:.1f}, wanted {least:g}: {met}")
    if foreign:
        print()
        print_table([("set", "foreign questions abstained %", "r@5 lost, points"), *map(_foreign_cells, foreign)])
        abstained = fmean(share for row in foreign for share in row["by_set"].values())
        lost = fmean(row["lost"] for row in foreign)
        print(f"on average {abstained:.1f}% abstained (wanted ≥ 60) with {lost:.1f} points lost (wanted ≤ 3)")
    if spent:
        print()
        print_table(
            [("set", "what", "measured", "wanted", "met"), *([str(cell) for cell in row.values()] for row in spent)]
        )
    return 0


def _quality(bench: Bench, learn: int) -> list[Row]:
    progress(f"{bench.data.name}: {len(bench.data.specs)} tools, built in {bench.build_s:.2f} s")
    learned, queries = _lesson(bench.data.queries, learn)
    if not queries:
        progress(f"{bench.data.name}: every question was learned, none is left to ask")
        return []
    fused, used = bench.fused(abstains=False), bench.fused(abstains=True)
    ways: dict[str, Finds] = {
        "spaces": whitespace_baseline(bench.data.specs),
        "words": lambda query: _names(bench.words.recall(query, DEPTHS[-1])),
        "fused": lambda query: _names(fused.recall(query, DEPTHS[-1])),
        "as used": lambda query: _names(used.recall(query, DEPTHS[-1])),
    }
    if learn:
        taught = bench.fused(abstains=False, learned=learned)
        ways[f"{learn} learned"] = lambda query: _names(taught.recall(query, DEPTHS[-1]))
    rows: list[Row] = []
    for way, finds in ways.items():
        progress(f"{bench.data.name}, {way}: {len(queries)} questions")
        shown = _timed(queries, finds)
        rows.append({"set": bench.data.name, "by": way, "build_s": bench.build_s, **shown.model_dump()})
    return rows


def _names(found: Sequence[Scored]) -> list[str]:
    return [one.name for one in found]


def _lesson(queries: Sequence[Query], count: int) -> tuple[Learned, list[Query]]:
    """What is learned from the first `count` questions of each tool, and the questions that are left."""
    taught: dict[str, int] = defaultdict(int)
    learned, left = Learned(), list[Query]()
    for query in queries:
        tool = query.gold_groups[0][0]
        if len(query.gold_groups) > 1 or taught[tool] >= min(count, WORDINGS_KEPT):
            left.append(query)
            continue
        taught[tool] += 1
        learned = learned.with_success(tool, query.query, float(taught[tool]))
    return learned, left


def _timed(queries: Sequence[Query], finds: Finds) -> Figures:
    finds(queries[0].query)
    answers: list[Sequence[str]] = []
    times: list[float] = []
    for query in queries:
        started = time.thread_time()
        answers.append(finds(query.query))
        times.append((time.thread_time() - started) * 1000)
    parts = quantiles(times, n=20)
    return figures(queries, answers).model_copy(update={"p50_ms": parts[9], "p95_ms": parts[18]})


def _abstention(bench: Bench, sets: Sequence[DataSet], measured: Sequence[Row]) -> Row:
    """How many questions of other sets recall nothing, and what that costs the set's own."""
    found = {row["by"]: row["found"][5] for row in measured if row["set"] == bench.data.name}
    used = bench.fused(abstains=True)
    tools = {spec.tool_id for spec in bench.data.specs}
    nothing: dict[str, float] = {}
    for other in sets:
        if not tools.isdisjoint(spec.tool_id for spec in other.specs):
            continue  # shares tools: its questions are not foreign
        foreign = other.queries[:: max(1, len(other.queries) // FOREIGN_ASKED)]
        progress(f"{bench.data.name}: {len(foreign)} questions of {other.name}")
        nothing[other.name] = 100 * fmean(not used.recall(query.query, 5) for query in foreign)
    return {
        "set": bench.data.name,
        "abstained": fmean(nothing.values()) if nothing else 0.0,
        "by_set": nothing,
        "lost": found.get("fused", 0.0) - found.get("as used", 0.0),
    }


def _foreign_cells(row: Row) -> list[str]:
    each = ", ".join(f"{name} {share:.0f}" for name, share in row["by_set"].items())
    return [row["set"], f"{row['abstained']:.1f} ({each})", f"{row['lost']:.1f}"]


def _cells(row: Row) -> list[str]:
    found, full = row["found"], row["full"]
    numbers = [found[1], found[5], found[10], found[20], full[5], full[10], full[20], row["mrr"]]
    return [
        row["set"],
        row["by"],
        *(f"{number:.1f}" for number in numbers),
        f"{row['p50_ms']:.2f}",
        f"{row['p95_ms']:.2f}",
    ]


if __name__ == "__main__":
    sys.exit(main())
