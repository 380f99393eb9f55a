"""Draws recall against the size of the catalogue: every set alone, then among ever more tools of a pool.

OPENBLAS_NUM_THREADS=1 python -m benchmarks.recall_plot --data DIR --in POOL --out docs/recall.svg [--most N]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks.measuring import progress
from benchmarks.recall import Bench
from benchmarks.recall_sets import DataSet, figures, read_pool, read_sets, some, within
from switchyard.toolhub.recall.embedding import VectorTable, WordVectors
from switchyard.tools.core.spec import ToolSpec

SIZES = (0, 1_000, 2_000, 4_000, 8_000)
"""Tools of the pool that are added, and at last all of them."""
DEPTH = 10
"""What the planner sees."""


def _points(data: DataSet, pool: Sequence[ToolSpec], table: VectorTable) -> list[tuple[int, float]]:
    points: list[tuple[int, float]] = []
    for size in [*(size for size in SIZES if size < len(pool)), len(pool)]:
        every = pool[:: max(1, len(pool) // size)][:size] if size else pool[:0]
        among = within(data, every)
        fused = Bench(among, table).fused()
        answers = [[one.name for one in fused.recall(query.query, DEPTH)] for query in among.queries]
        points.append((len(among.specs), figures(among.queries, answers).found[DEPTH]))
    progress(f"{data.name}: {', '.join(f'{tools} tools {found:.1f}' for tools, found in points)}")
    return points


def main() -> int:
    """Measure and draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall_plot", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of sets")
    parser.add_argument("--in", type=Path, dest="pool", required=True, help="a folder with tools to drown them in")
    parser.add_argument("--out", type=Path, required=True, help="the SVG to write")
    parser.add_argument("--most", type=int, default=300, metavar="N", help="ask at most so many questions of a set")
    chosen = parser.parse_args()
    try:
        sets, pool = [data for data in read_sets(chosen.data) if data.queries], read_pool(chosen.pool)
    except FileNotFoundError as error:
        parser.error(str(error))
    import matplotlib as mpl  # noqa: PLC0415  only drawing needs it

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "recall"  # the same figures give the same file
    from matplotlib import pyplot as plt  # noqa: PLC0415  after the way of drawing was chosen

    figure, axes = cast("tuple[Any, Any]", plt.subplots(figsize=(7, 4)))
    vectors = WordVectors()
    for data in sets:
        points = _points(some(data, chosen.most), pool, VectorTable(vectors))
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=data.name)
    axes.set(xlabel="tools in the catalogue", ylabel=f"recall@{DEPTH}, %", ylim=(0, 100))
    axes.grid(visible=True, alpha=0.3)
    axes.legend(loc="lower right", fontsize="small")
    figure.tight_layout()
    figure.savefig(chosen.out, metadata={"Date": None})
    return 0


if __name__ == "__main__":
    sys.exit(main())
