"""Runs of one thread share the conversation and nothing else; orchestrators share nothing."""

from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import HumanMessage

from switchyard.app.orchestrator import Orchestrator
from switchyard.graphs.channels import context_of
from switchyard.ledger.context import ExecutionContext
from switchyard.tools.core.errors import SettingsInvalid
from tests.conftest import OpenOrchestrator
from tests.support.counting_tools import write_counting_tools

PAIRS = [
    ("What is 3 + 4?", "What is 15% of 2480?", "Show our conversation so far"),
    ("3加4等于多少？", "2480的15%是多少？", "查看对话历史"),
]


async def stored_context(orchestrator: Orchestrator, thread_id: str) -> ExecutionContext:
    state = await orchestrator.graph.aget_state({"configurable": {"thread_id": thread_id}})
    return context_of(state.values)


async def invoke(orchestrator: Orchestrator, given: dict[str, Any], thread_id: str = "t") -> dict[str, Any]:
    graph = cast("Any", orchestrator.graph)
    return cast("dict[str, Any]", await graph.ainvoke(given, {"configurable": {"thread_id": thread_id}}))


@pytest.mark.parametrize(("first", "second", "_"), PAIRS)
async def test_the_context_starts_afresh_with_every_run(
    orchestrator: Orchestrator, first: str, second: str, _: str
) -> None:
    await orchestrator.ask(f"{first[:-1]}; read nowhere.md", thread_id="t")
    before = await stored_context(orchestrator, "t")
    await orchestrator.ask(second, thread_id="t")
    after = await stored_context(orchestrator, "t")
    assert before.failures
    assert after.failures == []
    assert after.task == second
    assert set(after.steps) == {"s1"}
    assert after.iterations == 1
    assert after.run_id != before.run_id


@pytest.mark.parametrize(("first", "second", "_"), PAIRS)
async def test_a_run_in_an_old_thread_costs_what_a_run_in_a_new_one_does(
    orchestrator: Orchestrator, first: str, second: str, _: str
) -> None:
    await orchestrator.ask(first, thread_id="t")
    old, new = await orchestrator.ask(second, thread_id="t"), await orchestrator.ask(second)
    assert old.usage.tool_calls == new.usage.tool_calls


@pytest.mark.parametrize(("first", "second", "_"), PAIRS)
async def test_the_thread_keeps_the_conversation(orchestrator: Orchestrator, first: str, second: str, _: str) -> None:
    await orchestrator.ask(first, thread_id="t")
    await orchestrator.ask(second, thread_id="t")
    state = await orchestrator.graph.aget_state({"configurable": {"thread_id": "t"}})
    messages = state.values["messages"]
    assert [message.type for message in messages] == ["human", "ai", "human", "ai"]
    assert [message.text for message in messages if message.type == "human"] == [first, second]


@pytest.mark.parametrize(("first", "second", "history"), PAIRS)
async def test_a_later_run_can_look_the_conversation_up(
    orchestrator: Orchestrator, first: str, second: str, history: str
) -> None:
    for question in (first, second):
        await orchestrator.ask(question, thread_id="t")
    report = await orchestrator.ask(history, thread_id="t")
    assert report.steps[0].tool == "get_conversation_history"
    assert [turn["role"] for turn in report.steps[0].result["turns"]] == ["user", "assistant"] * 2
    assert first in report.answer


@pytest.mark.parametrize(("_first", "_second", "history"), PAIRS)
async def test_another_thread_sees_nothing_of_it(
    orchestrator: Orchestrator, _first: str, _second: str, history: str
) -> None:
    await orchestrator.ask(_first, thread_id="one")
    report = await orchestrator.ask(history, thread_id="two")
    assert report.steps[0].result["count"] == 0


@pytest.mark.parametrize(("question", "_", "__"), PAIRS)
async def test_the_last_human_message_is_the_question(
    orchestrator: Orchestrator, question: str, _: str, __: str
) -> None:
    out = await invoke(orchestrator, {"messages": [HumanMessage("hello"), HumanMessage(question)]})
    assert out["status"] == "answered"
    assert "7" in out["answer"]


@pytest.mark.parametrize(("first", "second", "_"), PAIRS)
async def test_a_later_message_is_not_answered_with_an_old_question(
    orchestrator: Orchestrator, first: str, second: str, _: str
) -> None:
    await invoke(orchestrator, {"question": first})
    out = await invoke(orchestrator, {"messages": [HumanMessage(second)]})
    assert "372" in out["answer"]
    assert context_of(out).task == second


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


async def test_two_orchestrators_with_different_settings_do_not_mix(
    orchestrator_with: OpenOrchestrator, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "only_here.md").write_text("独此一份", encoding="utf-8")
    folder = write_counting_tools(tmp_path / "counting")
    async with (
        orchestrator_with() as plain,
        orchestrator_with(workspace=other, tool_folders=[folder], auto_approve=True) as rich,
    ):
        assert (await rich.ask('stamp "letter"', thread_id="t")).status == "answered"
        assert (await plain.ask('stamp "letter"', thread_id="t")).status == "failed"
        assert (await rich.ask("read only_here.md", thread_id="t")).status == "answered"
        assert (await plain.ask("read only_here.md", thread_id="t")).status == "failed"
        assert len(await rich.journal.runs("t")) == len(await plain.journal.runs("t")) == 2
        assert plain.library.get_tool_by_id("stamp") is None
