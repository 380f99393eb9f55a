"""What a run takes from a model: calls, and the tokens of all its prompts, at 100 tools and at all of a pool.

python -m benchmarks.run_tokens --data DIR --pool DIR [--set NAME] [--questions N] [--json]

The model is one that knows the right tool: it names it where the planner is shown it, asks for it by what it does
where not, and writes arguments wherever it is shown what the tool takes. Asked with the definitions of the first
recalled tools before the planner (as a run does it), without them (arguments in a call of their own), and beside what
an agent would send that has every definition in its prompt, once to choose and once to answer.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, Field

from benchmarks.convergence.prompts_read import Prompt
from benchmarks.measuring import progress
from benchmarks.recall_sets import DataSet, Query, read_sets
from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.settings import load_settings
from switchyard.ledger.options import RunOptions
from switchyard.ledger.tokens import estimate_tokens
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

FEW = 100
FOUND = 7421


class Knowing(BaseChatModel):
    """Knows which tool each part of a question is for."""

    wanted: dict[str, ToolSpec] = Field(default_factory=dict[str, ToolSpec])
    """What is to be done, each with its tool."""
    calls: int = 0
    tokens: int = 0

    @property
    def _llm_type(self) -> str:
        return "knowing"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager
        shape = kwargs.get("response_format")
        roles = {"system": "system", "human": "user", "ai": "assistant"}
        told = [{"role": roles[one.type], "content": str(one.text)} for one in messages]
        prompt = Prompt({"messages": told, "response_format": shape})
        self.calls += 1
        self.tokens += sum(estimate_tokens(one["content"]) for one in told)
        usage = UsageMetadata(input_tokens=1, output_tokens=1, total_tokens=2)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self._said(prompt), usage_metadata=usage))])

    def _said(self, prompt: Prompt) -> str:
        names = {f"s{at}": (does, spec) for at, (does, spec) in enumerate(self.wanted.items(), 1)}
        match _kind(prompt):
            case "plan":
                asks = [does for does, _ in names.values()]
                steps = [self._step(prompt, name, *one) for name, one in names.items()]
                return json.dumps({"asks": asks, "steps": steps})
            case "rank":
                return json.dumps({"choices": {name: [spec.tool_id] for name, (_, spec) in names.items()}})
            case "fill":
                calls = [{"step": one.id, "arguments": _arguments(*names[one.id])} for one in prompt.steps]
                return json.dumps({"calls": calls})
            case _:
                return prompt.closed(f"It is {FOUND}.", [])

    @staticmethod
    def _step(prompt: Prompt, name: str, does: str, spec: ToolSpec) -> dict[str, Any]:
        number, tool = int(name[1:]), spec.tool_id
        step = {"id": name, "serves": [number], "description": does, "task_type": "task", "dependencies": []}
        if tool in prompt.defined:
            return {**step, "tool": tool, "arguments": _arguments(does, spec)}
        return {**step, "tool": tool} if tool in prompt.listed_tools else {**step, "tool": None, "query": spec.summary}


def _kind(prompt: Prompt) -> str:
    """Who asks: by how the instructions begin, since a model in the process is not sent a schema."""
    beginnings = {"You plan": "plan", "For each step, choose": "rank", "Write the arguments": "fill"}
    return next((kind for words, kind in beginnings.items() if prompt.system.startswith(words)), prompt.kind)


def _arguments(does: str, spec: ToolSpec) -> dict[str, Any]:
    fields = [*spec.capabilities[0].parameters.get("properties", {})]
    return {**dict.fromkeys(fields[:1], does), **dict.fromkeys(fields[1:], "x")}


class Row(BaseModel):
    """What one way took, over all questions."""

    tools: int
    asked: str
    definitions: int
    questions: int = 0
    answered: int = 0
    calls: float = 0.0
    """Of the model, in the middle; with a whole share where most questions are the same."""
    mean_calls: float = 0.0
    prompt_tokens: float = 0.0
    """Of all prompts of a run, on average."""
    every_definition: float = 0.0
    ms: float = 0.0


async def _run(request: ToolRequest) -> ToolResult:
    return ToolResult(result={"about": [*request.given.values()][:1], "value": FOUND})


def catalogue(chosen: DataSet, wanted: Sequence[ToolSpec], pool: Sequence[ToolSpec], count: int) -> list[ToolSpec]:
    """That many tools with the wanted ones among them."""
    by_name = {spec.tool_id: spec for spec in [*wanted, *(chosen.specs if count <= FEW else pool)]}
    return list(by_name.values())[:count]


async def measure(specs: Sequence[ToolSpec], questions: Sequence[dict[str, ToolSpec]], row: Row) -> Row:
    """Every question asked one way."""
    model = Knowing()
    counted: list[tuple[int, int, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(env_file=None).model_copy(update={"workspace": Path(folder), "data_dir": Path(folder)})
        async with open_orchestrator(settings, model=model, custom=None) as opened:
            registry = opened.hub.registry
            for spec in list(registry):
                registry.remove(spec.tool_id)
            for spec in specs:
                registry.add(RegisteredTool(spec, _run))
            row.every_definition = opened.hub.cost.tokens()
            options = RunOptions(
                planner_definitions=row.definitions, auto_approve=True, judge="never", rules_first="never"
            )
            for wanted in questions:
                model.wanted, model.calls, model.tokens = wanted, 0, 0
                started = time.perf_counter()
                report = await opened.ask(" ".join(wanted), options=options)
                counted.append((model.calls, model.tokens, (time.perf_counter() - started) * 1000))
                row.answered += report.status == "answered"
    row.questions = len(counted)
    row.calls = statistics.median(one[0] for one in counted)
    row.mean_calls = statistics.fmean(one[0] for one in counted)
    row.prompt_tokens = statistics.fmean(one[1] for one in counted)
    row.ms = statistics.median(one[2] for one in counted)
    return row


def _asked(chosen: DataSet, count: int) -> list[tuple[Query, ToolSpec]]:
    """Questions for one tool each, spread over the set."""
    specs = {spec.tool_id: spec for spec in chosen.specs}
    single = [one for one in chosen.queries if len(one.gold_groups) == 1 and one.gold_groups[0][0] in specs]
    step = max(len(single) // count, 1)
    return [(one, specs[one.gold_groups[0][0]]) for one in single[::step][:count]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run_tokens", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with sets, as benchmarks.recall takes them")
    parser.add_argument("--pool", type=Path, help="a folder with tools.jsonl; left out: at 100 tools alone")
    parser.add_argument("--set", default="bfcl", help="the set whose questions are asked")
    parser.add_argument("--questions", type=int, default=40, help="how many")
    parser.add_argument("--definitions", type=int, default=RunOptions().planner_definitions, help="the setting")
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    given = parser.parse_args()
    chosen = next(one for one in read_sets(given.data) if one.name == given.set)
    asked = _asked(chosen, given.questions)
    pools = read_sets(given.pool.parent) if given.pool else list[DataSet]()
    pool = next((one.specs for one in pools if one.name == given.pool.name), list[ToolSpec]())
    single = [{query.query: spec} for query, spec in asked]
    double = [one | other for one, other in zip(single[::2], single[1::2], strict=False)]
    rows: list[Row] = []
    for count in [FEW, *([len(pool)] if pool else [])]:
        specs = catalogue(chosen, [spec for _, spec in asked], pool, count)
        for name, questions in (("one tool", single), ("two independent steps", double)):
            for definitions in (0, given.definitions):
                progress(f"{len(specs)} tools, {name}, {definitions} tokens of definitions")
                row = Row(tools=len(specs), asked=name, definitions=definitions)
                rows.append(asyncio.run(measure(specs, questions, row)))
    if given.json:
        print(json.dumps([row.model_dump() for row in rows], indent=1))
        return
    print(
        "tools   asked                  definitions         calls  prompt tokens  every definition ×2    ms  answered"
    )
    for row in rows:
        calls, answered = f"{row.calls:g} ({row.mean_calls:.2f})", f"{row.answered}/{row.questions}"
        taken = f"{row.prompt_tokens:>14.0f} {2 * row.every_definition:>20.0f} {row.ms:>5.0f}"
        print(f"{row.tools:<7} {row.asked:<22} {row.definitions:>11}  {calls:>12} {taken}  {answered:>8}")


if __name__ == "__main__":
    main()
