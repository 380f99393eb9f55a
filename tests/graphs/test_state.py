"""What travels through the graph survives a checkpoint as the same objects of the same types."""

import json
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from app.orchestrator import Orchestrator
from app.shadowing import ROOT
from graphs.serialiser import ALLOWED_TYPES, serialiser
from graphs.state import OrchestratorInput, OrchestratorOutput, OrchestratorState
from ledger.attempts import Failure
from ledger.context import ContextUpdate, ExecutionContext, Observation, Pattern, StepRecord, ToolsInView
from ledger.decisions import Assignment, Candidate, Decision, Downgrade, Verdict
from ledger.limits import ToolTokens, Usage
from ledger.plan import ForEach, Plan, Step
from tests.conftest import OpenOrchestrator
from tests.support.counting_tools import write_counting_tools

PLAN = Plan(
    revision=2,
    by="model",
    steps=[
        Step(id="s1", description="查 水位", tool="tally", complexity="high"),
        Step(id="s2", description="each", dependencies=["s1"], for_each=ForEach(step="s1", path=".rows")),
    ],
    repairs=["step 'x' is called 's1' here"],
)
ARGUMENTS: dict[str, Any] = {"label": "{{s1.名}}", "deep": [{"a": None, "b": [1, 2.5, True]}], "空": {}}
DECISION = Decision(action="execute_tool", reason="因为", by="model", steps=["s1"], arguments={"s1": ARGUMENTS})
FAILURE = Failure(
    step_id="s1", tool="tally", action="a", arguments=ARGUMENTS, kind="timeout", error="超时", signature="sig", at=1.5
)
RECORD = StepRecord(
    step_id="s1",
    status="done",
    tool="tally",
    source="native",
    arguments=ARGUMENTS,
    signature="sig",
    attempts=2,
    journal_key="s1#002",
    excerpt="水位 🎉",
    error="旧",
    error_type="crash",
    verdict=Verdict(verified=False, confidence=0.3, issues=["疑"]),
    checked=True,
    ms=1.25,
)
USAGE = Usage(seconds=0.1, model_calls=1, tool_calls=2, tool_tokens=ToolTokens(summaries=3, full_catalogue=9))
CONTEXT = ExecutionContext(
    run_id="run",
    task="盘石头水库当前水位",
    language="zh",
    original_plan=PLAN,
    steps={"s1": RECORD},
    observations=[Observation(step_id="s1", tool="tally", text="见")],
    failures=[FAILURE],
    patterns=[Pattern(tool="tally", text="慢")],
    available_tools=ToolsInView(names=["tally"], count=7, revision=3),
    decisions=[DECISION],
    downgrades=[Downgrade(agent="planning", reason="坏", lasting=True)],
    rejected_plans=["|x"],
    usage=USAGE,
    limits_hit=["seconds"],
    iterations=3,
    replans=1,
)
VALUES: list[BaseModel] = [
    PLAN,
    Plan(),
    Assignment(
        step_id="s1", candidates=[Candidate(tool="t", score=1.5, why="水")], arguments=ARGUMENTS, missing=["站"]
    ),
    DECISION,
    CONTEXT,
    ExecutionContext(),
    ContextUpdate(fresh=CONTEXT, original_plan=PLAN, steps={"s1": RECORD}, failures=[FAILURE], usage=USAGE),
    ContextUpdate(),
]


def revived(value: Any) -> Any:
    serde = serialiser()
    return serde.loads_typed(serde.dumps_typed(value))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_equal_and_of_its_own_type(value: BaseModel) -> None:
    back = revived(value)
    assert type(back) is type(value)
    assert back == value


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_from_inside_a_channel(value: BaseModel) -> None:
    assert revived({"channel": {"s1": value}, "list": [value]}) == {"channel": {"s1": value}, "list": [value]}


def test_what_is_nested_comes_back_as_models() -> None:
    back = cast("ExecutionContext", revived(CONTEXT))
    assert back.original_plan is not None
    inner = [
        back.original_plan.steps[1].for_each,
        back.steps["s1"].verdict,
        back.failures[0],
        back.decisions[0],
        back.usage.tool_tokens,
    ]
    assert [type(part) for part in inner] == [ForEach, Verdict, Failure, Decision, ToolTokens]


def test_the_values_tested_cover_every_allowed_type() -> None:
    assert {(type(value).__module__, type(value).__name__) for value in VALUES} == set(ALLOWED_TYPES)


def test_a_type_that_is_not_allowed_is_not_revived(caplog: pytest.LogCaptureFixture) -> None:
    assert not isinstance(revived(Observation(step_id="s1", tool="t", text="x")), Observation)
    assert caplog.records


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_no_type_is_called_unregistered(value: BaseModel, caplog: pytest.LogCaptureFixture) -> None:
    revived(value)
    assert caplog.records == []


def test_the_development_server_allows_the_same_types() -> None:
    settings = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    listed = settings["checkpointer"]["serde"]["allowed_msgpack_modules"]
    assert {tuple(entry) for entry in listed} == set(ALLOWED_TYPES)


@pytest.mark.parametrize(("module", "name"), ALLOWED_TYPES)
def test_every_allowed_type_is_there(module: str, name: str) -> None:
    found = getattr(__import__(module, fromlist=[name]), name)
    assert issubclass(found, BaseModel)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The pydantic models a channel holds: in its type, and in what its reducer accepts."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not issubclass(annotation, BaseMessage):  # LangChain's own are always allowed
            yield annotation
        return
    for part in typing.get_args(annotation):
        yield from models_in(part)
    for reducer in getattr(cast("Any", annotation), "__metadata__", ()):
        if callable(reducer) and getattr(reducer, "__module__", "").startswith("ledger"):
            for accepted in typing.get_type_hints(reducer).values():
                yield from models_in(accepted)


@pytest.mark.parametrize("schema", [OrchestratorState, OrchestratorInput, OrchestratorOutput])
def test_every_type_of_a_channel_is_allowed(schema: type) -> None:
    hints = typing.get_type_hints(schema, include_extras=True)
    found = {(model.__module__, model.__name__) for hint in hints.values() for model in models_in(hint)}
    assert found <= set(ALLOWED_TYPES)


def test_every_allowed_type_is_in_a_channel() -> None:
    hints = typing.get_type_hints(OrchestratorState, include_extras=True)
    found = {(model.__module__, model.__name__) for hint in hints.values() for model in models_in(hint)}
    assert found == set(ALLOWED_TYPES)


async def values_of(orchestrator: Orchestrator, thread_id: str) -> dict[str, Any]:
    state = await orchestrator.graph.aget_state({"configurable": {"thread_id": thread_id}})
    return cast("dict[str, Any]", state.values)


@pytest.mark.parametrize(
    "question", ['tally "apples"; break "cup"; stamp "letter"', "计数“苹果”；损坏“杯子”；盖章“信件”"]
)
async def test_the_state_of_a_run_is_the_same_after_the_process_has_ended(
    orchestrator_with: OpenOrchestrator, tmp_path: Path, question: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings: dict[str, Any] = {
        "tool_folders": [write_counting_tools(tmp_path / "counting")],
        "database": str(tmp_path / "runs.sqlite"),
    }
    async with orchestrator_with(**settings) as first:
        await first.ask(question, thread_id="t")
        await first.resume("t", "approve")
        before = await values_of(first, "t")
    async with orchestrator_with(**settings) as second:
        after = await values_of(second, "t")
    assert after == before
    assert [type(after[name]) for name in ("plan", "context")] == [Plan, ExecutionContext]
    assert {type(assignment) for assignment in after["assignments"].values()} == {Assignment}
    assert {record.status for record in after["context"].steps.values()} == {"done", "failed"}
    assert not [record for record in caplog.records if "unregistered" in record.getMessage().lower()]


async def test_a_run_that_waits_revives_its_plan_and_context(
    orchestrator_with: OpenOrchestrator, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {
        "tool_folders": [write_counting_tools(tmp_path / "counting")],
        "database": str(tmp_path / "runs.sqlite"),
    }
    async with orchestrator_with(**settings) as first:
        await first.ask("盖章“信件”", thread_id="t")
        before = await values_of(first, "t")
    async with orchestrator_with(**settings) as second:
        assert await values_of(second, "t") == before
