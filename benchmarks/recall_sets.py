"""Sets of tools and questions for measuring recall, and the figures they are measured by."""

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, Field

from switchyard.toolhub.capabilities import CapabilityTable
from switchyard.tools.core.spec import ToolCapability, ToolSpec

EXPECTED = (
    "a folder per set with tools.jsonl (name, description, tags, parameters: [{name, description}]) "
    "and queries.jsonl (query, gold_groups: a list of lists of tool names, of which one of each is wanted)"
)
DEPTHS = (1, 5, 10, 20)

WANTED: dict[tuple[str, str], dict[str, float]] = {
    ("metatool_single", "used"): {"r@5": 75.3, "r@20": 88},
    ("metatool_multi", "used"): {"full@20": 83.3},
    ("sealtools", "used"): {"full@20": 94.5},
    ("bfcl", "used"): {"r@5": 85.3, "r@20": 95.5},
    ("acebench_zh", "used"): {"r@5": 97},
}
"""What a run has to get on the public sets, each alone, without learning."""
WANTED_LEARNED: dict[tuple[str, str], dict[str, float]] = {
    ("metatool_single", "every tool, 10 learned"): {"r@5": 87},
}
"""And with it."""

Finds = Callable[[str], Sequence[str]]
"""Names of tools for a query, best first."""


class Query(BaseModel):
    """A question and the tools that serve it."""

    query: str
    gold_groups: list[list[str]] = Field(default_factory=list[list[str]])


@dataclass(frozen=True)
class DataSet:
    """A catalogue and what is asked of it."""

    name: str
    specs: list[ToolSpec]
    queries: list[Query]


class Figures(BaseModel):
    """How well tools were found, in per cent, and how fast."""

    found: dict[int, float]
    """By depth: the share of wanted tools among the first so many."""
    full: dict[int, float]
    """By depth: the share of questions all of whose tools are there."""
    mrr: float
    p50_ms: float = 0.0
    p95_ms: float = 0.0


def read_sets(folder: Path) -> list[DataSet]:
    """Every set in a folder, by name.

    Raises:
        FileNotFoundError: when there is none.
    """
    files = sorted(folder.glob("*/tools.jsonl")) if folder.is_dir() else []
    if not files:
        raise FileNotFoundError(f"no data in {folder}: expected {EXPECTED}")
    return [DataSet(file.parent.name, _specs(file), _queries(file.with_name("queries.jsonl"))) for file in files]


def read_pool(folder: Path) -> list[ToolSpec]:
    """The tools of a folder.

    Raises:
        FileNotFoundError: when there are none.
    """
    file = folder / "tools.jsonl"
    if not file.is_file():
        raise FileNotFoundError(f"no tools in {folder}: expected {file.name}")
    return _specs(file)


def within(data: DataSet, pool: Sequence[ToolSpec]) -> DataSet:
    """A set drowned in other tools; of equal names the set's own stays."""
    specs = {spec.tool_id: spec for spec in [*pool, *data.specs]}
    return DataSet(data.name, list(specs.values()), data.queries)


def some(data: DataSet, most: int) -> DataSet:
    """A set with at most so many of its questions, evenly taken; with all of them for 0."""
    every = -(-len(data.queries) // most) if most else 1
    return DataSet(data.name, data.specs, data.queries[::every])


def figures(queries: Sequence[Query], answers: Sequence[Sequence[str]]) -> Figures:
    """What was found against what was wanted."""
    found: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    first: list[float] = []
    for query, names in zip(queries, answers, strict=True):
        ranks = [_rank(group, names) for group in query.gold_groups]
        first.append(1 / min(ranks) if min(ranks) else 0.0)
        for depth in DEPTHS:
            found[depth].append(sum(rank <= depth for rank in ranks) / len(ranks))
    return Figures(
        found={depth: 100 * statistics.fmean(shares) for depth, shares in found.items()},
        full={depth: 100 * statistics.fmean(share == 1 for share in shares) for depth, shares in found.items()},
        mrr=100 * statistics.fmean(first),
    )


def whitespace_baseline(specs: Sequence[ToolSpec]) -> Finds:
    """BM25 over words as spaces part them, names and descriptions only: what MetaGPT recalls by.

    The scores are rank-bm25's; they are added up over postings, because its own loop takes minutes for all questions.
    """
    import numpy as np  # noqa: PLC0415  only measuring needs them
    from rank_bm25 import BM25Okapi  # noqa: PLC0415

    names = [spec.tool_id for spec in specs]
    model: Any = cast("Any", BM25Okapi)([f"{spec.tool_id} {spec.summary}".split() for spec in specs])
    norms = model.k1 * (1 - model.b + model.b * np.array(model.doc_len) / model.avgdl)
    postings: dict[str, list[tuple[int, int]]] = {}
    for slot, counts in enumerate(model.doc_freqs):
        for word, count in counts.items():
            postings.setdefault(word, []).append((slot, count))
    weights = {word: np.array(pairs).T for word, pairs in postings.items()}

    def finds(query: str) -> list[str]:
        scores = np.zeros(len(names))
        for word in query.split():
            if word in weights:
                slots, counts = weights[word]
                scores[slots] += model.idf[word] * counts * (model.k1 + 1) / (counts + norms[slots])
        best = scores.argsort()[::-1][: DEPTHS[-1]]
        return [names[place] for place in best if scores[place] > 0]

    return finds


def _rank(group: Sequence[str], names: Sequence[str]) -> float:
    return min((place for place, name in enumerate(names, start=1) if name in group), default=float("inf"))


def _specs(file: Path) -> list[ToolSpec]:
    table = CapabilityTable()
    return [table.described(_spec(json.loads(line))) for line in file.read_text("utf-8").splitlines() if line.strip()]


def _spec(row: dict[str, Any]) -> ToolSpec:
    fields = {field["name"]: {"description": field.get("description") or ""} for field in row.get("parameters", [])}
    capability = ToolCapability(name=row["name"], parameters={"type": "object", "properties": fields})
    tags = tuple(row.get("tags") or ())
    return ToolSpec(tool_id=row["name"], description=row["description"], tags=tags, capabilities=(capability,))


def _queries(file: Path) -> list[Query]:
    if not file.exists():
        return []
    return [Query.model_validate_json(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
