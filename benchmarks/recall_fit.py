"""Fits the constants of recall with each set left out in turn, and measures the set that was left out with them.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.recall_fit --data DIR [--in POOL] [--most N]

Each constant is tried at a few values while the others stay as they ship. A value takes its place where the other sets,
alone and in the pool, find more than `NOISE` points more by it, on average over r@5, r@10 and r@20. The set that was
left out is then asked all of its questions with everything that was fitted without it.
"""

import argparse
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from types import MappingProxyType, ModuleType

from benchmarks.__main__ import print_table
from benchmarks.measuring import progress
from benchmarks.recall import Bench
from benchmarks.recall_sets import DataSet, Figures, figures, read_pool, read_sets, some, within
from switchyard.toolhub.recall import bm25, embedding, fusion, index, query
from switchyard.toolhub.recall.embedding import WordVectors
from switchyard.tools.core.spec import ToolSpec

TRIED: Mapping[str, tuple[ModuleType, tuple[float, ...]]] = MappingProxyType(
    {
        "MEANING_WEIGHT": (fusion, (1.5, 2.0, 2.5, 3.0, 4.0)),
        "KIND_WEIGHT": (fusion, (0.0, 0.15, 0.3, 0.6)),
        "PART_SHARE_WORDS": (fusion, (0.2, 0.35, 0.5)),
        "PART_SHARE_MEANING": (fusion, (0.35, 0.5, 0.65)),
        "ALIAS_SHARE": (query, (0.15, 0.3, 0.5)),
        "K1": (bm25, (2.0, 3.0, 4.0)),
        "B": (bm25, (0.4, 0.5, 0.6, 0.7, 0.8)),
        "NAME_WEIGHT": (index, (2, 3, 4)),
        "DESCRIPTION_WEIGHT": (index, (1, 2, 3)),
        "PARAMETER_SHARE": (embedding, (0.15, 0.3, 0.5)),
    }
)
"""Where each constant is, and what it could be."""
NOISE = 0.3
"""Points below which one value is as good as another."""
DEPTH = 20

Values = Mapping[str, float]


@contextmanager
def _set_to(values: Values) -> Generator[None]:
    shipped = {name: getattr(TRIED[name][0], name) for name in values}
    for name, value in values.items():
        setattr(TRIED[name][0], name, value)
    try:
        yield
    finally:
        for name, value in shipped.items():
            setattr(TRIED[name][0], name, value)


class Place:
    """A set as it is asked, alone or in the pool; what does not depend on a constant is made once."""

    def __init__(self, data: DataSet, vectors: WordVectors) -> None:
        self.data = data
        self._bench = Bench(data, vectors)
        self._vectors = vectors

    def measured(self, values: Values) -> Figures:
        """What is found with other constants than those that ship."""
        with _set_to(values):
            touched = {TRIED[name][0].__name__ for name in values}
            bench = self._bench
            if not touched <= {fusion.__name__, query.__name__}:
                bench = Bench(self.data, self._vectors if embedding.__name__ in touched else bench.table)
            fused = bench.fused()
            answers = [[one.name for one in fused.recall(asked.query, DEPTH)] for asked in self.data.queries]
        return figures(self.data.queries, answers)


def _worth(places: Sequence[Place], values: Values) -> float:
    """What a set finds, alone and in the pool."""
    found = [place.measured(values).found for place in places]
    return fmean(one[depth] for one in found for depth in (5, 10, 20))


def _fitted(gains: Mapping[tuple[str, float], Mapping[str, float]], without: str) -> dict[str, float]:
    """The values that are better than what ships for all sets but one."""
    found: dict[str, tuple[float, float]] = {}
    for (name, value), by_set in gains.items():
        gain = fmean(points for data, points in by_set.items() if data != without)
        if gain > found.get(name, (NOISE, 0.0))[0]:
            found[name] = gain, value
    return {name: value for name, (_, value) in found.items()}


def _places(data: DataSet, pool: Sequence[ToolSpec], vectors: WordVectors) -> list[Place]:
    return [Place(one, vectors) for one in [data, *([within(data, pool)] if pool else [])]]


def main() -> int:
    """Fit, and say what each set finds with what was fitted without it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall_fit", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of sets")
    parser.add_argument("--in", type=Path, dest="pool", metavar="POOL", help="a folder with tools to drown them in")
    parser.add_argument("--most", type=int, default=250, metavar="N", help="fit by at most so many questions of a set")
    chosen = parser.parse_args()
    try:
        sets = {data.name: data for data in read_sets(chosen.data) if data.queries}
        pool = read_pool(chosen.pool) if chosen.pool else []
    except FileNotFoundError as error:
        parser.error(str(error))
    vectors = WordVectors()
    fitting = {name: _places(some(data, chosen.most), pool, vectors) for name, data in sets.items()}
    shipped = {name: float(getattr(module, name)) for name, (module, _) in TRIED.items()}
    base = {name: _worth(places, {}) for name, places in fitting.items()}
    gains: dict[tuple[str, float], dict[str, float]] = {}
    for name, value in ((name, value) for name, (_, values) in TRIED.items() for value in values):
        if value != shipped[name]:
            found = {of: _worth(places, {name: value}) - base[of] for of, places in fitting.items()}
            gains[name, value] = found
            each = ", ".join(f"{of} {points:+.1f}" for of, points in found.items())
            progress(f"{name} {value:g} for {shipped[name]:g}: {each}")
    rows = [["left out", "fitted without it", "tools", "r@5", "r@10", "r@20", "full@20", "as shipped r@20"]]
    for name, data in sets.items():
        values = _fitted(gains, without=name)
        told = ", ".join(f"{one} {value:g}" for one, value in values.items()) or "as shipped"
        for place in _places(data, pool, vectors):
            got = place.measured(values)
            before = place.measured({}) if values else got
            cells = [got.found[5], got.found[10], got.found[20], got.full[20], before.found[20]]
            rows.append([name, told, str(len(place.data.specs)), *(f"{cell:.1f}" for cell in cells)])
    print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
