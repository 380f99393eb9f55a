"""Runs of one thread share the conversation and nothing else; orchestrators share nothing."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import HumanMessage

from switchyard.app.orchestrator import Orchestrator
from switchyard.graphs.channels import read_channels
from switchyard.ledger.context import ExecutionContext
from switchyard.tools.core.errors import SettingsInvalid
from tests.graphs.conftest import OpenHanded
from tests.support.counting_tools import write_counting_tools
from tests.support.plans import Handed, call

SUM, SHARE = call("calculate", expression="3 + 4"), call("calculate", expression="15% of 2480")
HISTORY = call("get_conversation_history")


@pytest.fixture
async def handed(handed_with: OpenHanded) -> AsyncGenerator[Handed]:
    async with handed_with() as opened:
        yield opened


async def stored_context(orchestrator: Orchestrator, thread_id: str) -> ExecutionContext:
    state = await orchestrator.graph.aget_state({"configurable": {"thread_id": thread_id}})
    return read_channels(state.values).context


async def invoke(orchestrator: Orchestrator, given: dict[str, Any], thread_id: str = "t") -> dict[str, Any]:
    graph = cast("Any", orchestrator.graph)
    return cast("dict[str, Any]", await graph.ainvoke(given, {"configurable": {"thread_id": thread_id}}))


async def test_the_context_starts_afresh_with_every_run(handed: Handed) -> None:
    await handed.ask(SUM, call("read_file", path="nowhere.md"), thread_id="t")
    before = await stored_context(handed.orchestrator, "t")
    await handed.ask(SHARE, question="and now?", thread_id="t")
    after = await stored_context(handed.orchestrator, "t")
    assert before.failures
    assert after.failures == []
    assert after.task == "and now?"
    assert set(after.steps) == {"s1"}
    assert after.iterations == 1
    assert after.run_id != before.run_id


async def test_a_run_in_an_old_thread_costs_what_a_run_in_a_new_one_does(handed: Handed) -> None:
    await handed.ask(SUM, thread_id="t")
    old, new = await handed.ask(SHARE, thread_id="t"), await handed.ask(SHARE)
    assert old.usage.tool_calls == new.usage.tool_calls


async def test_the_thread_keeps_the_conversation(handed: Handed) -> None:
    await handed.ask(SUM, question="first 先", thread_id="t")
    await handed.ask(SHARE, question="second 后", thread_id="t")
    messages = (await handed.graph.aget_state({"configurable": {"thread_id": "t"}})).values["messages"]
    assert [message.type for message in messages] == ["human", "ai", "human", "ai"]
    assert [message.text for message in messages if message.type == "human"] == ["first 先", "second 后"]


async def test_a_later_run_can_look_the_conversation_up(handed: Handed) -> None:
    await handed.ask(SUM, question="first 先", thread_id="t")
    await handed.ask(SHARE, question="second 后", thread_id="t")
    report = await handed.ask(HISTORY, thread_id="t")
    assert report.steps[0].tool == "get_conversation_history"
    assert [turn["role"] for turn in report.steps[0].result["turns"]] == ["user", "assistant"] * 2
    assert "first 先" in report.answer


async def test_another_thread_sees_nothing_of_it(handed: Handed) -> None:
    await handed.ask(SUM, thread_id="one")
    report = await handed.ask(HISTORY, thread_id="two")
    assert report.steps[0].result["count"] == 0


async def test_the_last_human_message_is_the_question(orchestrator: Orchestrator) -> None:
    out = await invoke(orchestrator, {"messages": [HumanMessage("hello"), HumanMessage("3加4等于多少？")]})
    assert out["status"] == "answered"
    assert "7" in out["answer"]


async def test_a_later_message_is_not_answered_with_an_old_question(orchestrator: Orchestrator) -> None:
    await invoke(orchestrator, {"question": "What is 3 + 4?"})
    out = await invoke(orchestrator, {"messages": [HumanMessage("What is 15% of 2480?")]})
    assert "372" in out["answer"]
    assert read_channels(out).context.task == "What is 15% of 2480?"


async def test_a_question_goes_before_the_messages(orchestrator: Orchestrator) -> None:
    out = await invoke(orchestrator, {"question": "3加4等于多少", "messages": [HumanMessage("What is 15% of 2480?")]})
    assert "7" in out["answer"]


@pytest.mark.parametrize("given", [{"messages": []}, {"question": "   "}, {"question": ""}])
async def test_a_run_without_a_question_says_so(orchestrator: Orchestrator, given: dict[str, Any]) -> None:
    out = await invoke(orchestrator, given)
    assert out["status"] == "failed"
    assert out["answer"]


@pytest.mark.parametrize("question", ["", "  \n"])
async def test_an_empty_question_is_not_asked(orchestrator: Orchestrator, question: str) -> None:
    with pytest.raises(SettingsInvalid, match="empty"):
        await orchestrator.ask(question)


async def test_two_orchestrators_with_different_settings_do_not_mix(handed_with: OpenHanded, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "only_here.md").write_text("独此一份", encoding="utf-8")
    folder = write_counting_tools(tmp_path / "counting")
    stamp, read = call("stamp", label="letter"), call("read_file", path="only_here.md")
    async with (
        handed_with() as plain,
        handed_with(workspace=other, tool_folders=[folder], auto_approve=True) as rich,
    ):
        assert (await rich.ask(stamp, thread_id="t")).status == "answered"
        assert (await plain.ask(stamp, thread_id="t")).status == "failed"
        assert (await rich.ask(read, thread_id="t")).status == "answered"
        assert (await plain.ask(read, thread_id="t")).status == "failed"
        runs = [await one.orchestrator.journal.runs("t") for one in (rich, plain)]
        assert [len(found) for found in runs] == [2, 2]
        assert plain.hub.registry.get("stamp") is None
