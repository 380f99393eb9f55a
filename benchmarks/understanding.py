"""How well the rules understand: tool sequence, arguments and answer over a set of questions, both languages.

    python -m benchmarks.understanding [--json] [--half tuned|held|hard] [--show]

The set is split into a half that is tuned on and a half that is not; the hard ones were written later, by people who
looked for what does not work. A question counts as right when the tools were
called in the order expected, with the arguments that matter, and the answer says what it must; or, where it must be
declined, when nothing was given as an answer. Wrong is what was given as answered and is not right.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, cast

from pydantic import BaseModel, Field

from benchmarks.measuring import progress
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.report import RunReport
from switchyard.app.settings import Settings
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import NativeRunner
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolCapability, ToolSpec
from switchyard.tools.get_time.tool import GetTime

DATA = Path(__file__).parent / "understanding_data"
NOW = datetime(2026, 11, 16, 5, 0, tzinfo=UTC)
SETS = ("tuned", "held", "hard")
NATIVE = {"calculate", "get_time", "get_conversation_history", "read_file", "list_dir", "grep_search"}

AS_GOOD = {"file_processor": "read_file", "search_knowledge": "grep_search"}
"""What answers the same: both count the words of a file, both find the lines of the documents that have a text."""
NARROWS = "data_analyzer"
"""Takes of the rows of an earlier step those that were asked for; the answer is still looked at."""

Outcome = Literal["right", "declined", "wrong"]
"""`declined`: it should have been answered and was not; that is no wrong answer."""


class Question(BaseModel):
    """One line of the set."""

    id: str
    language: Literal["en", "zh"]
    question: str
    history: list[str] = Field(default_factory=list[str])
    foreign: bool = False
    wide: bool = False
    """More foreign tools than the first set has."""
    decline: bool = False
    tools: list[str] = Field(default_factory=list[str])
    arguments: list[dict[str, Any] | None] = Field(default_factory=list[dict[str, Any] | None])
    answer: list[str] = Field(default_factory=list[str])
    steps: int = 1
    repeat: int = 1
    partial: bool = False
    """One half can be done, and the other must be said to be left."""


class Judged(BaseModel):
    """What became of a question."""

    id: str
    outcome: Outcome
    why: str
    ms: float
    answer: str


class Half(BaseModel):
    """The figures of one half of the set."""

    half: str
    questions: int
    right: float
    wrong: float
    by_kind: dict[str, float]
    p50_ms: float
    p95_ms: float


Measured = tuple[float, dict[str, tuple[list[Question], list[Judged]]]]
"""What is loaded on first use, in seconds; and for each set its questions with what became of them."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.understanding", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--half", choices=SETS, help="one of the sets; all when left out")
    parser.add_argument("--show", action="store_true", help="show every question that was not right")
    chosen = parser.parse_args()
    load_seconds, judged = asyncio.run(measure([chosen.half] if chosen.half else list(SETS)))
    halves = [summed(half, questions, results) for half, (questions, results) in judged.items()]
    if chosen.json:
        print(json.dumps({"load_seconds": load_seconds, "halves": [half.model_dump() for half in halves]}, indent=2))
        return
    for half in halves:
        print(f"{half.half}: {half.questions} questions, right {half.right:.1%}, wrong answers {half.wrong:.1%}")
        print("  " + ", ".join(f"{kind} {share:.0%}" for kind, share in half.by_kind.items()))
        print(f"  a question takes {half.p50_ms:.1f} ms (median), {half.p95_ms:.1f} ms (95th percentile)")
    print(f"the first question, Chinese, takes {load_seconds:.2f} s longer")
    if chosen.show:
        for questions, results in judged.values():
            show(questions, results)


async def measure(halves: list[str]) -> Measured:
    """Ask every question of the halves, in a copy of the workspace: some of them write."""
    with TemporaryDirectory() as folder:
        workspace = shutil.copytree(DATA / "workspace", Path(folder) / "workspace")
        return await measure_in(workspace, halves)


async def measure_in(workspace: Path, halves: list[str]) -> Measured:
    """Ask every question of the halves."""
    settings = Settings(model="none", database=":memory:", workspace=workspace, auto_approve=True)
    judged: dict[str, tuple[list[Question], list[Judged]]] = {}
    async with (
        open_orchestrator(settings, clock=lambda: NOW) as native,
        open_orchestrator(settings, clock=lambda: NOW) as foreign,
        open_orchestrator(settings, clock=lambda: NOW) as wide,
    ):
        for orchestrator in (native, foreign, wide):
            fix_the_clock(orchestrator)
        for orchestrator in (foreign, wide):
            add_tools(orchestrator, "foreign_tools.json")
        add_tools(wide, "more_tools.json")
        load_seconds = await first_question(native)
        await first_question(foreign)
        await first_question(wide)
        for half in halves:
            questions = read(half)
            results = [
                await ask(wide if question.wide else foreign if question.foreign else native, question)
                for question in questions
            ]
            judged[half] = (questions, results)
            progress(f"{half}: {len(results)} questions asked")
    return load_seconds, judged


def read(half: str) -> list[Question]:
    """The questions of a half."""
    lines = (DATA / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Question.model_validate_json(line) for line in lines if line.strip()]


async def first_question(orchestrator: Orchestrator) -> float:
    """How much longer the first question takes than the second: what is loaded on first use."""
    seconds: list[float] = []
    for _ in range(2):
        started = time.perf_counter()
        await orchestrator.ask("东京现在几点？")
        seconds.append(time.perf_counter() - started)
    return seconds[0] - seconds[1]


async def ask(orchestrator: Orchestrator, question: Question) -> Judged:
    """Ask a question, after those it follows up on, and judge what came."""
    thread_id = f"q-{question.id}"
    for earlier in question.history:
        await orchestrator.ask(earlier, thread_id=thread_id)
    started = time.perf_counter()
    report = await orchestrator.ask(question.question * question.repeat, thread_id=thread_id)
    ms = (time.perf_counter() - started) * 1000
    outcome, why = judge(question, report)
    return Judged(id=question.id, outcome=outcome, why=why, ms=ms, answer=report.answer[:300])


def judge(question: Question, report: RunReport) -> tuple[Outcome, str]:
    """Whether a report is what the question asked for."""
    answered = report.status == "answered"
    if question.decline:
        return ("wrong", "answered what it must decline") if answered else ("right", "")
    why = problem(question, report)
    if why is None:
        return "right", ""
    return ("wrong" if answered else "declined"), why


def problem(question: Question, report: RunReport) -> str | None:
    """What is not as expected."""
    wanted = "partial" if question.partial else "answered"
    if report.status != wanted:
        return f"status {report.status}"
    done = [step for step in report.steps if step.success]  # a for-each step is one, however many calls it makes
    used = [step.tool for step in done]
    if used != question.tools:
        done = [step for step in done if not (step.tool == NARROWS and "rows" in step.arguments)]
        if [AS_GOOD.get(step.tool, step.tool) for step in done] != question.tools:
            return f"tools {used}, expected {question.tools}"
    for step, expected in zip(done, question.arguments, strict=False):
        for name, value in (expected or {}).items():
            if value is not None and normal(given(step.arguments, name)) != normal(value):
                return f"{step.tool}.{name} is {given(step.arguments, name)!r}, expected {value!r}"
    text = report.answer.replace(",", "")
    missing = [part for part in question.answer if part.replace(",", "") not in text]
    return f"the answer lacks {missing}" if missing else None


def given(arguments: dict[str, Any], name: str) -> Any:
    """An argument, under whatever name the same is said: lines 5 to 7 are three lines from the fifth."""
    if name == "max_lines" and "end_line" in arguments:
        return arguments["end_line"] - arguments.get("start_line", 1) + 1
    return arguments.get(name, arguments.get("query") if name == "pattern" else None)


def normal(value: Any) -> Any:
    """Values that mean the same are equal."""
    if isinstance(value, str):
        text = value.strip().strip("./").lower()
        try:
            return float(text.replace(",", ""))
        except ValueError:
            return text
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, list):
        return [normal(part) for part in cast("list[Any]", value)]
    return value


def summed(half: str, questions: list[Question], results: list[Judged]) -> Half:
    """The figures of a half."""
    kinds = {
        "English": [q.language == "en" for q in questions],
        "Chinese": [q.language == "zh" for q in questions],
        "to decline": [q.decline for q in questions],
        "several steps": [q.steps > 1 for q in questions],
        "foreign tools": [not set(q.tools) <= NATIVE for q in questions],
    }
    right = [result.outcome == "right" for result in results]
    times = sorted(result.ms for result in results)
    return Half(
        half=half,
        questions=len(questions),
        right=statistics.mean(right),
        wrong=statistics.mean(result.outcome == "wrong" for result in results),
        by_kind={kind: share(right, mask) for kind, mask in kinds.items()},
        p50_ms=round(times[len(times) // 2], 1),
        p95_ms=round(times[int(len(times) * 0.95)], 1),
    )


def share(right: list[bool], mask: list[bool]) -> float:
    """How many of the masked are right."""
    chosen = [ok for ok, counts in zip(right, mask, strict=True) if counts]
    return statistics.mean(chosen) if chosen else 1.0


def show(questions: list[Question], results: list[Judged]) -> None:
    """Every question that was not right, with what came instead."""
    for question, result in zip(questions, results, strict=True):
        if result.outcome != "right":
            sys.stdout.write(f"{result.outcome:8} {result.id} {question.question[:90]}\n         {result.why}\n")


def fix_the_clock(orchestrator: Orchestrator, now: datetime = NOW) -> None:
    """The set was written for one moment."""
    spec = orchestrator.hub.registry.get("get_time")
    if spec is None:
        raise LookupError("get_time is not there")
    runner = NativeRunner(GetTime(clock=lambda: now), cast("Any", GetTime).__tool_calls__, spec.tool_id)
    orchestrator.hub.registry.remove("get_time")
    orchestrator.hub.registry.add(RegisteredTool(spec, runner))


def add_tools(orchestrator: Orchestrator, file: str) -> None:
    """Tools that are not ours: real schemas, canned results."""
    for raw in cast("list[dict[str, Any]]", json.loads((DATA / file).read_text(encoding="utf-8"))):
        capability = ToolCapability(name=raw["name"], description=raw["description"], parameters=raw["parameters"])
        fields = {
            key: raw[key] for key in ("category", "tags", "returns", "requires", "produces", "writes") if key in raw
        }
        spec = ToolSpec(
            tool_id=raw["name"], description=raw["description"], capabilities=(capability,), source="mcp", **fields
        )
        orchestrator.hub.registry.add(RegisteredTool(spec, Canned(raw["result"])))


class Canned:
    """Answers every call with the same result."""

    def __init__(self, result: Any) -> None:
        self._result = result

    async def __call__(self, request: ToolRequest) -> ToolResult:
        """The same, whatever is asked."""
        del request
        return ToolResult(result=self._result)


if __name__ == "__main__":
    main()
