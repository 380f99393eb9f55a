"""What the graph costs around the model: one question with one tool, against bare LangGraph and create_agent.

All three ask the same instant model, use the same saver with the same settings (ours, from `open_storage`), LangGraph's
default durability, and a fresh thread per question. Ours keeps its journal as well; the others have none.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]  only partly typed
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from benchmarks.instant_model import ANSWER, QUESTION, InstantModel
from benchmarks.measuring import Line, clean_environment, in_turns, progress
from switchyard.agents.scope import Model
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.settings import load_settings
from switchyard.app.storage import MEMORY, open_storage
from switchyard.tools.calculate import Calculate, CalculateParams

ROUNDS = 150
WARM_UP = 15
NODES = 5
MODEL_CALLS = 2
"""A plan with its arguments, and the answer; by rules alone it would be none, so `rules_first` is "never"."""
MOST_OF_FIVE_NODES = 3.0
MOST_OF_CREATE_AGENT = 2.0

Ask = Callable[[], Awaitable[Any]]


def run() -> list[Line]:
    """The lines of this benchmark."""
    for name in os.environ.keys() - clean_environment().keys():
        del os.environ[name]
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        for saver in ("memory", "sqlite"):
            progress(f"graph_overhead: {ROUNDS} rounds with {saver}")
            lines += asyncio.run(_measure(saver, Path(folder)))
    return lines


async def _measure(saver: str, folder: Path) -> list[Line]:
    async with _everyone(saver, folder) as work:
        samples = await in_turns(work, rounds=ROUNDS, warm_up=WARM_UP)
    return [
        samples.versus(f"graph_overhead {saver}: five nodes", "ours", "nodes", MOST_OF_FIVE_NODES),
        samples.versus(f"graph_overhead {saver}: create_agent", "ours", "agent", MOST_OF_CREATE_AGENT),
        samples.told(f"graph_overhead {saver}: ask, with its report", "ask", "agent"),
    ]


@asynccontextmanager
async def _everyone(saver: str, folder: Path) -> AsyncGenerator[dict[str, Ask]]:
    """Ours and the references, each with storage of its own."""

    def place(name: str) -> str:
        return MEMORY if saver == "memory" else str(folder / f"{name}.sqlite")

    settings = load_settings(
        env_file=None, database=place("ours"), data_dir=folder, workspace=folder, model="instant", rules_first="never"
    )
    model = Model("instant", InstantModel())
    async with (
        open_orchestrator(settings, model=model) as ours,
        open_storage(place("nodes")) as for_nodes,
        open_storage(place("agent")) as for_agent,
    ):
        nodes, agent = five_nodes(for_nodes.saver), calculating_agent(for_agent.saver)
        yield {
            "ours": partial(ask_graph, ours),
            "nodes": partial(ask_nodes, nodes),
            "agent": partial(ask_agent, agent),
            "ask": partial(ask_orchestrator, ours),
        }


async def ask_graph(orchestrator: Orchestrator) -> None:
    """Our graph, as any LangGraph graph is invoked."""
    graph = cast("Any", orchestrator.graph)
    state = await graph.ainvoke({"question": QUESTION}, fresh_thread())
    assert state["answer"] == ANSWER, state
    assert not state["context"]["downgrades"], state
    assert state["context"]["usage"]["model_calls"] == MODEL_CALLS, state


async def ask_orchestrator(orchestrator: Orchestrator) -> None:
    """The way people call it: events, pruning and the report included."""
    report = await orchestrator.ask(QUESTION)
    assert report.status == "answered", report


async def ask_nodes(graph: Any) -> None:
    """The least LangGraph can do with as many nodes as ours."""
    state = await graph.ainvoke({"question": QUESTION, "visited": 0, "answer": ""}, fresh_thread())
    assert state["visited"] == NODES, state


async def ask_agent(agent: Any) -> None:
    """The peer: a loop of model and tools."""
    state = await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}, fresh_thread())
    assert state["messages"][-1].text == ANSWER, state


def fresh_thread() -> dict[str, Any]:
    """A config with a thread nobody used."""
    return {"configurable": {"thread_id": uuid4().hex}}


class Passed(TypedDict):
    """What the bare nodes hand on."""

    question: str
    visited: int
    answer: str


def five_nodes(saver: BaseCheckpointSaver[Any]) -> Any:
    """Five async nodes in a row that hand a small dict on."""

    async def step(state: Passed) -> dict[str, Any]:
        return {"visited": state["visited"] + 1, "answer": ANSWER}

    graph = cast("Any", StateGraph(Passed))
    names = [f"node{number}" for number in range(NODES)]
    for name in names:
        graph.add_node(name, step)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    return graph.compile(checkpointer=saver)


def calculating_agent(saver: BaseCheckpointSaver[Any]) -> Any:
    """LangChain's agent with our own arithmetic as its tool."""
    arithmetic = Calculate()

    @tool
    async def calculate(expression: str) -> str:
        """Work out arithmetic."""
        return str(await arithmetic.execute(CalculateParams(expression=expression)))

    return cast("Any", create_agent)(InstantModel(), tools=[calculate], checkpointer=saver)
