"""服务台：一个更大的图，编排器是其中一个节点；分流、批准、收尾都是自己的。

A help desk: a bigger graph in which the orchestrator is one node. What comes before and after it is the desk's own.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from switchyard import Orchestrator, RunOptions, Settings, open_orchestrator

GREETINGS = {"hello": "Hello! What can I do for you?", "你好": "你好！有什么可以帮您？"}


@dataclass
class DeskContext:
    """The desk's own context; ours is the field `switchyard` of it and reaches our node by itself."""

    desk: str = "north"
    switchyard: RunOptions = field(default_factory=RunOptions)


class DeskState(MessagesState, total=False):
    """The desk's own state; `messages` is all that it shares with our node."""

    handled_by: str


def heard(state: DeskState) -> str:
    """What was said last, without its punctuation."""
    return str(state["messages"][-1].content).strip(" !！。.").lower()


def who_answers(state: DeskState) -> Literal["greet", "switchyard"]:
    """A greeting is answered by the desk; everything else goes to our node."""
    return "greet" if heard(state) in GREETINGS else "switchyard"


def greet(state: DeskState) -> dict[str, Any]:
    """The desk's own answer."""
    return {"messages": [AIMessage(GREETINGS[heard(state)])], "handled_by": "greet"}


def sign(_: DeskState, runtime: Runtime[DeskContext]) -> dict[str, str]:
    """Comes after our node, with the desk's own context as it was given."""
    return {"handled_by": runtime.context.desk}


def build_desk(orchestrator: Orchestrator) -> Any:
    """The desk's graph. Its saver keeps the conversation, also while a call inside our node waits for approval."""
    builder = cast("Any", StateGraph(DeskState, context_schema=DeskContext))
    builder.add_node("greet", greet)
    builder.add_node("switchyard", orchestrator.graph)
    builder.add_node("sign", sign)
    builder.add_conditional_edges(START, who_answers)
    builder.add_edge("greet", END)
    builder.add_edge("switchyard", "sign")
    builder.add_edge("sign", END)
    return builder.compile(checkpointer=InMemorySaver())


async def main() -> None:
    """Three things said at the desk, the last of which waits for approval."""
    async with open_orchestrator(Settings(model="none", database=":memory:")) as orchestrator:
        desk = build_desk(orchestrator)
        context = DeskContext(desk="南", switchyard=RunOptions(user="王芳", max_seconds=20))
        config = {"configurable": {"thread_id": "counter"}}
        for said in ("你好！", "What is 15% of 2480?", "把“买牛奶”写入 待办.txt"):
            state = await desk.ainvoke({"messages": [("user", said)]}, config, context=context)
            for waits in state.get("__interrupt__", ()):
                print("waits:", waits.value["action_requests"][0]["name"])  # noqa: T201  what it is for
                reply = Command(resume={"decisions": [{"type": "approve"}]})
                state = await desk.ainvoke(reply, config, context=context)
            print(f"{state['handled_by']}: {state['messages'][-1].content}")  # noqa: T201  what it is for


if __name__ == "__main__":
    asyncio.run(main())
