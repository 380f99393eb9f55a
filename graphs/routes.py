"""The edges of the graph: where each node may lead, under which label, and where it does lead.

They read the state, so that a run goes on from wherever a person has edited it, in Studio or by `update_state`. Each
reads the few channels that decide: LangGraph merges what a node wrote into those for it, and leaves the rest alone.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict, override  # typing's own TypedDict breaks the server's schemas on Python 3.11

from switchyard.graphs.channels import read_channels
from switchyard.ledger.context import RunStatus, merge_context
from switchyard.ledger.decisions import Action

Goto = Literal["plan", "select_tools", "execute", "verify", "coordinate", "__end__"]

ACTIONS: dict[Action, Goto] = {
    "execute_tool": "execute",
    "switch_tool": "select_tools",
    "replan": "plan",
    "complete": "__end__",
}
"""Where each action leads."""

EDGES: dict[str, dict[str, Goto]] = {
    "plan": {"steps": "select_tools", "answered at once": "coordinate", "question": "plan", "limit": "__end__"},
    "select_tools": {"execute": "execute", "limit": "__end__"},
    "execute": {"results": "verify", "approval": "execute", "limit": "__end__"},
    "verify": {"coordinate": "coordinate", "limit": "__end__"},
    "coordinate": {**ACTIONS},
}
"""By node and label. `limit`: a caller's own `recursion_limit` allows no other node."""

Json = dict[str, Any]


class Ending(TypedDict, total=False):
    """What says that a run is over."""

    status: RunStatus


class AfterPlan(Ending, total=False):
    """What decides after `plan`."""

    clarifying: Annotated[bool, EphemeralValue(bool)]
    no_new_steps: Annotated[bool, EphemeralValue(bool)]
    answer: str
    plan: Json | None


class AfterExecute(Ending, total=False):
    """What decides after `execute`."""

    approvals: dict[str, Json]


class AfterCoordinate(Ending, total=False):
    """What decides after `coordinate`."""

    context: Annotated[Json, merge_context]


def after_plan(state: AfterPlan) -> Goto:
    """To the user, to the steps, or with an answer to the end."""
    if state.get("clarifying"):
        return "plan"
    to_steps = state.get("plan") and not state.get("answer") and not state.get("no_new_steps")
    return "select_tools" if to_steps else "coordinate"


def after_select_tools(_: Ending) -> Goto:
    """To the calls."""
    return "execute"


def after_execute(state: AfterExecute) -> Goto:
    """To a person, or with what they replied back to the calls; else to what checks the results."""
    return "execute" if state.get("approvals") else "verify"


def after_verify(_: Ending) -> Goto:
    """To the decision."""
    return "coordinate"


def after_coordinate(state: AfterCoordinate) -> Goto:
    """Where the last decision leads."""
    decisions = read_channels(state).context.decisions
    return ACTIONS[decisions[-1].action] if decisions else "__end__"


AFTER: dict[str, Callable[[Any], Goto]] = {
    "plan": after_plan,
    "select_tools": after_select_tools,
    "execute": after_execute,
    "verify": after_verify,
    "coordinate": after_coordinate,
}


class Leaving(RunnableLambda[Mapping[str, Any], str]):
    """What chooses among the edges of a node; LangGraph takes from its function which channels it reads.

    No plain function: LangGraph would take it to a thread and back, which costs more than all that it does.
    """

    def __init__(self, node: str) -> None:
        super().__init__(AFTER[node], name=f"after_{node}")
        self._leads = AFTER[node]
        self._labels = {target: label for label, target in EDGES[node].items()}

    @override
    def invoke(self, input: Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> str:
        ended = input.get("status") not in {None, "running", "waiting"}
        return self._labels["__end__" if ended else self._leads(input)]

    @override
    async def ainvoke(self, input: Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> str:
        return self.invoke(input)
