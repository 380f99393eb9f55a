"""Inside other people's code: a sub-graph, streams, synchronous callers, the caller's own model."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from langgraph.graph import END, START, MessagesState, StateGraph

from switchyard import ask_sync
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.settings import Settings


@pytest.mark.parametrize(("question", "expected"), [("What is 6*7?", "42"), ("6乘以7是多少", "42")])
async def test_the_graph_is_a_node_of_another_graph(orchestrator: Orchestrator, question: str, expected: str) -> None:
    outer = cast("Any", StateGraph(MessagesState))
    outer.add_node("switchyard", orchestrator.graph)
    outer.add_edge(START, "switchyard")
    outer.add_edge("switchyard", END)
    state = await outer.compile().ainvoke({"messages": [{"role": "user", "content": question}]})
    assert expected in state["messages"][-1].content


async def test_updates_come_node_by_node(orchestrator: Orchestrator) -> None:
    graph = cast("Any", orchestrator.graph)
    config = {"configurable": {"thread_id": "stream"}}
    nodes = [
        name
        async for update in graph.astream({"question": "What is 2+2?"}, config, stream_mode="updates")
        for name in update
    ]
    assert nodes == ["plan", "select_tools", "execute", "verify", "coordinate"]


async def test_progress_comes_as_custom_events(orchestrator: Orchestrator) -> None:
    events = [event async for event in orchestrator.stream("东京现在几点？", thread_id="events")]
    assert [event["event"] for event in events if event["event"] != "step"] == [
        *("run", "plan", "assignments", "verdicts", "decision", "answer"),
    ]
    assert [event["state"] for event in events if event["event"] == "step"] == ["running", "done"]


def test_synchronous_code_gets_an_answer(make_settings: Callable[..., Settings]) -> None:
    assert ask_sync("What is 2+2?", make_settings()).answer == "2+2 = 4."


async def test_synchronous_code_inside_a_running_loop_gets_an_answer(make_settings: Callable[..., Settings]) -> None:
    assert asyncio.get_running_loop().is_running()
    assert ask_sync("2加2是多少", make_settings()).answer == "2加2 = 4。"


async def test_two_orchestrators_keep_their_own_settings(make_settings: Callable[..., Settings]) -> None:
    async with open_orchestrator(make_settings(max_tool_calls=0)) as strict, open_orchestrator(make_settings()) as free:
        refused, answered = await asyncio.gather(strict.ask("What is 2+2?"), free.ask("What is 2+2?"))
    assert (refused.status, refused.limits_hit) == ("failed", ["tool_calls"])
    assert answered.status == "answered"
