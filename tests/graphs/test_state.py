"""What travels through the graph is plain JSON: any checkpointer keeps it, and a person can edit it."""

import json
import re
from typing import Any, cast

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from switchyard.agents.execution.approval import Approval, ApprovalReply, ApprovalRequest
from switchyard.graphs.channels import as_json, read_channels
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import (
    ContextUpdate,
    ExecutionContext,
    Observation,
    Pattern,
    StepRecord,
    ToolsInView,
    merge,
    merge_context,
)
from switchyard.ledger.decisions import Assignment, Candidate, Decision, Downgrade, Verdict
from switchyard.ledger.limits import ToolTokens, Usage
from switchyard.ledger.plan import ForEach, Plan, Step
from switchyard.tools.core.errors import SettingsInvalid, StateUnreadable
from tests.conftest import OpenOrchestrator
from tests.graphs.conftest import OpenHanded
from tests.support.plans import Handed, call

PLAN = Plan(
    revision=2,
    by="model",
    steps=[
        Step(id="s1", description="查 水位", tool="tally", complexity="high"),
        Step(id="s2", description="each", dependencies=["s1"], for_each=ForEach(step="s1", path=".rows")),
    ],
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
    available_tools=ToolsInView(names=["tally"], count=7),
    decisions=[DECISION],
    downgrades=[Downgrade(agent="planning", reason="坏", lasting=True)],
    rejected_plans=["|x"],
    usage=USAGE,
    limits_hit=["seconds"],
    iterations=3,
    replans=1,
)
STATE: dict[str, Any] = {
    "plan": PLAN,
    "assignments": {
        "s1": Assignment(
            step_id="s1", candidates=[Candidate(tool="t", score=1.5, why="水")], arguments=ARGUMENTS, missing=["站"]
        )
    },
    "context": CONTEXT,
    "decision": DECISION,
    "approvals": {
        "s1": Approval(
            request=ApprovalRequest(step_id="s1", description="盖章", tool="stamp", arguments=ARGUMENTS, reason="写"),
            reply=ApprovalReply(decision="edit", arguments={"label": "信"}),
        )
    },
}
SERIALISERS = {
    "any type": JsonPlusSerializer(allowed_msgpack_modules=True),
    "no type of ours": JsonPlusSerializer(allowed_msgpack_modules=None),
}


def test_what_an_older_version_stored_is_read() -> None:
    loop = {"step_id": "s1", "status": "done", "journal_key": "s1[*]", "error_type": "permission"}
    switch = {"action": "switch_tool", "reason": "另", "steps": ["s1"], "tools": {"s1": "tally"}}
    context = read_channels({"context": {"steps": {"s1": loop}, "decisions": [switch]}}).context
    assert (context.steps["s1"].problem, context.steps["s1"].items) == (None, None)
    assert (context.decisions[0].way, context.decisions[0].candidates) == (None, {})


@pytest.mark.parametrize("serde", SERIALISERS.values(), ids=SERIALISERS)
@pytest.mark.parametrize("channel", STATE)
def test_a_channel_comes_back_equal_whatever_a_serialiser_allows(
    channel: str, serde: JsonPlusSerializer, caplog: pytest.LogCaptureFixture
) -> None:
    stored = as_json({channel: STATE[channel]})
    back = serde.loads_typed(serde.dumps_typed(stored))
    assert back == json.loads(json.dumps(stored))
    assert getattr(read_channels(back), channel) == STATE[channel]
    assert caplog.records == []


@pytest.mark.parametrize("channel", STATE)
def test_a_thread_that_was_stored_as_objects_is_read_too(channel: str) -> None:
    serde = SERIALISERS["no type of ours"]
    stored = serde.loads_typed(serde.dumps_typed({channel: STATE[channel]}))
    assert getattr(read_channels(stored), channel) == STATE[channel]


@pytest.mark.parametrize(
    ("channel", "value", "named"),
    [
        ("plan", {"steps": [{"id": "s1"}]}, "plan.steps.0.description"),
        ("assignments", {"s1": "echo"}, "assignments.s1"),
        ("context", {"language": "fr"}, "context.language"),
        ("decision", {"action": "dance", "reason": "跳舞"}, "decision.action"),
        ("approvals", {"s1": {}}, "approvals.s1.request"),
        ("plan", "文字", "plan: "),
        ("context", "文字", "context: "),
        ("decision", 5, "decision: "),
        *(
            (channel, value, f"{channel}: ")
            for channel in ("assignments", "approvals")
            for value in ("文字", 5, ["s1"])
        ),
        *(
            ("decision", {"action": "execute_tool", "reason": "续", "steps": value}, f"decision.steps{place}")
            for value, place in (("s1", ""), (5, ""), ({"s1": 1}, ""), ([5], ".0"))
        ),
        *(("answer", value, "answer: ") for value in (5, ["答"], {"a": 1})),
    ],
)
def test_what_a_person_wrote_wrongly_is_named(channel: str, value: Any, named: str) -> None:
    with pytest.raises(StateUnreadable, match=re.escape(named)):
        read_channels({channel: value})


def test_what_a_node_adds_is_merged() -> None:
    added = ContextUpdate(iterations=1, failures=[FAILURE], usage=USAGE)
    merged = merge_context(as_json(CONTEXT), as_json(added))
    assert merged == as_json(merge(CONTEXT, added))
    assert (merged["iterations"], len(merged["failures"]), merged["usage"]["tool_calls"]) == (4, 1, 4)


def test_a_fresh_context_starts_anew() -> None:
    fresh = ExecutionContext(run_id="next", task="下一个问题")
    merged = merge_context(as_json(CONTEXT), as_json(ContextUpdate(fresh=fresh)))
    assert read_channels({"context": merged}).context == fresh


def test_what_a_person_edits_replaces_what_was_there() -> None:
    merged = merge_context(as_json(CONTEXT), {"task": "另一个问题", "iterations": 0})
    assert read_channels({"context": merged}).context == CONTEXT.model_copy(
        update={"task": "另一个问题", "iterations": 0}
    )


NONSENSE: list[Any] = [
    "text",
    "文字",
    5,
    [],
    ["甲"],
    None,
    {"fresh": "文字"},
    {"fresh": {"language": "fr"}},
    {"fresh": 5},
]


@pytest.mark.parametrize("value", NONSENSE, ids=str)
def test_a_context_that_is_none_is_named_where_it_would_be_merged(value: Any) -> None:
    with pytest.raises(StateUnreadable, match=r"The state of this run cannot be read: context\b"):
        merge_context(as_json(CONTEXT), value)


@pytest.mark.parametrize("value", NONSENSE, ids=str)
async def test_nonsense_for_a_context_leaves_the_thread_as_it_was(handed_with: OpenHanded, value: Any) -> None:
    async with handed_with() as opened:
        await opened.ask(call("calculate", expression="2+2"), thread_id="t")
        before = await values_of(opened, "t")
        with pytest.raises(StateUnreadable, match="context"):
            await opened.graph.aupdate_state({"configurable": {"thread_id": "t"}}, {"context": value})
        assert await values_of(opened, "t") == before
        assert "9" in (await opened.ask(call("calculate", expression="4+5"), thread_id="t")).answer


@pytest.mark.parametrize("value", [5, ["甲"], {"text": "a"}, False], ids=str)
async def test_what_a_caller_gives_is_a_text(orchestrator_with: OpenOrchestrator, value: Any) -> None:
    said = re.escape(f"`question` has to be a text, in any language; got {value!r}.")
    async with orchestrator_with() as opened:
        graph = cast("Any", opened.graph)
        with pytest.raises(SettingsInvalid, match=said):
            await graph.ainvoke({"question": value}, {"configurable": {"thread_id": "given"}})
        edited: Any = {"configurable": {"thread_id": "edited"}}
        await graph.aupdate_state(edited, {"question": value}, as_node="__start__")
        with pytest.raises(SettingsInvalid, match=said):
            await graph.ainvoke(None, edited)


async def values_of(opened: Handed, thread_id: str) -> dict[str, Any]:
    return (await opened.graph.aget_state({"configurable": {"thread_id": thread_id}})).values


async def test_the_state_of_a_run_is_the_same_after_the_process_has_ended(
    handed_with: OpenHanded, kept_counting: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with handed_with(**kept_counting) as first:
        planned = [call("tally", label="apples"), call("break", label="杯子"), call("stamp", label="信件")]
        await first.ask(*planned, question="数一数，再盖章", thread_id="t")
        await first.resume("t", "approve")
        before = await values_of(first, "t")
    async with handed_with(**kept_counting) as second:
        after = await values_of(second, "t")
    assert after == before
    assert json.loads(json.dumps({**after, "messages": []})) == {**after, "messages": []}
    assert {record.status for record in read_channels(after).context.steps.values()} == {"done", "failed"}
    assert not [record for record in caplog.records if "serde" in record.name]


async def test_a_run_that_waits_revives_its_plan_and_context(
    handed_with: OpenHanded, kept_counting: dict[str, Any]
) -> None:
    async with handed_with(**kept_counting) as first:
        await first.ask(call("stamp", label="信件"), thread_id="t")
        before = await values_of(first, "t")
    async with handed_with(**kept_counting) as second:
        assert await values_of(second, "t") == before
