"""How well stage one recalls, and how fast: over every set of tools and questions in a folder, worst set first.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.recall --data DIR [--in POOL] [--learn N] [--most N] [--json]

Each set is asked alone and, with `--in`, drowned in a catalogue that nobody asks about. "spaces" is BM25 over words as
spaces part them; "words" and "fused" are our strategies; "used" is what a run's model gets of them and "used, rules"
what the rules get, from the finder that runs use. A set without questions is measured for speed and tokens. Learning:
of every other tool N questions are learned; then the questions that are left are asked, of the tools that learned and
of the others.
"""

import argparse
import asyncio
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

from benchmarks.__main__ import print_table
from benchmarks.measuring import progress
from benchmarks.recall_costs import costs, registry_of
from benchmarks.recall_sets import (
    DEPTHS,
    WANTED,
    WANTED_LEARNED,
    DataSet,
    Figures,
    Finds,
    Query,
    figures,
    read_pool,
    read_sets,
    some,
    whitespace_baseline,
    within,
)
from switchyard.toolhub.recall.embedding import EmbeddingRecall, VectorTable, WordVectors
from switchyard.toolhub.recall.finder import Finder
from switchyard.toolhub.recall.fusion import Fusion, TypeMatch
from switchyard.toolhub.recall.index import Bm25Recall, Overlay, ToolIndex
from switchyard.toolhub.recall.learned import WORDINGS_KEPT, Learned
from switchyard.toolhub.recall.query import Scored, Strategy

HEADS = ("set", "tools", "by", "r@1", "r@5", "r@10", "r@20", "full@5", "full@20", "MRR", "p50 ms", "p95 ms")

Row = dict[str, Any]


class Bench:
    """Strategies over the catalogue of a set."""

    def __init__(self, data: DataSet, vectors: WordVectors | VectorTable) -> None:
        self.index = ToolIndex.of(data.specs)
        self.data = data
        self.table = VectorTable(vectors) if isinstance(vectors, WordVectors) else vectors
        self.words = Bm25Recall(self.index)

    def fused(self, learned: Learned | None = None) -> Fusion:
        """The default strategy."""
        overlay = None if learned is None else Overlay(self.index, learned)
        meaning = EmbeddingRecall(self.index, self.table, overlay)
        return Fusion(Bm25Recall(self.index, overlay), meaning, TypeMatch(self.index))


def main() -> int:
    """Measure, and say what is met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of sets")
    parser.add_argument("--in", type=Path, dest="pool", metavar="POOL", help="a folder with tools to drown them in")
    parser.add_argument("--learn", type=int, default=0, metavar="N", help="learn N questions of every other tool")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="ask at most so many questions of a set")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    chosen = parser.parse_args()
    try:
        sets = read_sets(chosen.data)
        pool = read_pool(chosen.pool) if chosen.pool else []
    except FileNotFoundError as error:
        parser.error(str(error))
    vectors = WordVectors()
    asked = [some(data, chosen.most) for data in sets if data.queries]
    if chosen.learn:
        measured = [row for data in asked for row in _taught(Bench(data, vectors), chosen.learn)]
        spent = list[Row]()
    else:
        measured = _worst_first(row for data in asked for row in _quality(data, vectors))
        if pool:
            measured += _worst_first(row for data in asked for row in _quality(within(data, pool), vectors))
        agreed = fmean(row["found"][5] for row in measured if row["by"] == "fused") / 100 if measured else 1.0
        spent = [row for data in sets if not data.queries for row in costs(data, asked, vectors, agreed=agreed)]
    if chosen.json:
        print(json.dumps({"quality": measured, "costs": spent}, ensure_ascii=False, indent=2))
        return 0
    print_table([HEADS, *(_cells(row) for row in measured)])
    wanted = WANTED_LEARNED if chosen.learn else {} if chosen.most else WANTED
    own = {data.name: len(data.specs) for data in asked}
    for row in (row for row in measured if row["tools"] == own[row["set"]]):
        for what, least in wanted.get((row["set"], row["by"]), {}).items():
            depth = int(what.partition("@")[2])
            reached = row["full" if what.startswith("full") else "found"][depth]
            met = "met" if round(reached, 1) >= least else "not met"  # as it is printed
            print(f"{row['set']}, {row['by']}, {what}: {reached:.1f}, wanted {least:g}: {met}")
    if spent:
        print()
        print_table(
            [("set", "what", "measured", "wanted", "met"), *([str(cell) for cell in row.values()] for row in spent)]
        )
    return 0


def _worst_first(rows: Iterable[Row]) -> list[Row]:
    """The rows by set, the set first of which a run finds least."""
    listed = list(rows)
    found = {row["set"]: row["found"][20] for row in listed if row["by"] == "used"}
    return sorted(listed, key=lambda row: found[row["set"]])


def _quality(data: DataSet, vectors: WordVectors) -> list[Row]:
    bench = Bench(data, vectors)
    fused = bench.fused()
    with asyncio.Runner() as runner:
        finder = Finder(registry_of(data.specs))

        def used(strategy: Strategy) -> Finds:
            return lambda query: _names(runner.run(finder.recall(query, DEPTHS[-1], strategy=strategy)))

        return _rows(
            data,
            data.queries,
            {
                "spaces": whitespace_baseline(data.specs),
                "words": lambda query: _names(bench.words.recall(query, DEPTHS[-1])),
                "fused": lambda query: _names(fused.recall(query, DEPTHS[-1])),
                "used": used("fused"),
                "used, rules": used("bm25"),
            },
        )


def _taught(bench: Bench, count: int) -> list[Row]:
    """What was asked before of every other tool is learned; the rest is asked before and after."""
    tools = sorted({group[0] for query in bench.data.queries for group in query.gold_groups})
    learns = set(tools[::2])
    learned, left = _lesson([query for query in bench.data.queries if _is_for(query, learns.__contains__)], count)
    others = [query for query in bench.data.queries if _is_for(query, lambda tool: tool not in learns)]
    every, all_left = _lesson(bench.data.queries, count)
    rows: list[Row] = []
    for who, queries, known in (("every tool", all_left, every), ("those", left, learned), ("others", others, learned)):
        before, after = bench.fused(), bench.fused(known)
        ways: dict[str, Finds] = {
            f"{who}, before": lambda query, way=before: _names(way.recall(query, DEPTHS[-1])),
            f"{who}, {count} learned": lambda query, way=after: _names(way.recall(query, DEPTHS[-1])),
        }
        rows += _rows(bench.data, queries, ways) if len(queries) > 1 else []
    return rows


def _rows(data: DataSet, queries: Sequence[Query], ways: dict[str, Finds]) -> list[Row]:
    progress(f"{data.name}: {len(data.specs)} tools, {len(queries)} questions, by {', '.join(ways)}")
    about: Row = {"set": data.name, "tools": len(data.specs)}
    return [{**about, "by": way, **_timed(queries, finds).model_dump()} for way, finds in ways.items()]


def _names(found: Sequence[Scored]) -> list[str]:
    return [one.name for one in found]


def _is_for(query: Query, wanted: Callable[[str], bool]) -> bool:
    return all(wanted(group[0]) for group in query.gold_groups)


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
        started = time.process_time()
        answers.append(finds(query.query))
        times.append((time.process_time() - started) * 1000)
    parts = quantiles(times, n=20)
    return figures(queries, answers).model_copy(update={"p50_ms": parts[9], "p95_ms": parts[18]})


def _cells(row: Row) -> list[str]:
    found, full = row["found"], row["full"]
    numbers = [found[1], found[5], found[10], found[20], full[5], full[20], row["mrr"]]
    times = [f"{row['p50_ms']:.2f}", f"{row['p95_ms']:.2f}"]
    return [row["set"], str(row["tools"]), row["by"], *(f"{number:.1f}" for number in numbers), *times]


if __name__ == "__main__":
    sys.exit(main())
