"""The edges of the graph: where each node may lead, under which label, and where it does lead.

They read the state, so that a run goes on from wherever a person has edited it, in Studio or by `update_state`. Each
reads the few channels that decide: LangGraph merges what a node wrote into those for it, and leaves the rest alone.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict, override  # typing's own TypedDict breaks the server's schemas on Python 3.11

from switchyard.ledger.context import RunStatus, merge_context, read
from switchyard.ledger.decisions import Action, Decision

EDGES: dict[str, dict[str, str]] = {
    "plan": {"steps": "select_tools", "answered at once": "coordinate", "question": "plan", "limit": "__end__"},
    "select_tools": {"execute": "execute", "limit": "__end__"},
    "execute": {"results": "verify", "approval": "execute", "limit": "__end__"},
    "verify": {"coordinate": "coordinate", "limit": "__end__"},
    "coordinate": {"execute_tool": "execute", "switch_tool": "select_tools", "replan": "plan", "complete": "__end__"},
}
"""By node and label. `limit`: a caller's own `recursion_limit` allows no other node."""


class Ending(TypedDict, total=False):
    """What says that a run is over."""

    status: RunStatus


class AfterPlan(Ending, total=False):
    """What decides after `plan`."""

    leads: Annotated[str, EphemeralValue(str)]
    answer: str
    plan: dict[str, Any] | None


class AfterExecute(Ending, total=False):
    """What decides after `execute`."""

    approvals: dict[str, dict[str, Any]]


class AfterCoordinate(Ending, total=False):
    """What decides after `coordinate`."""

    context: Annotated[dict[str, Any], merge_context]


def _after_plan(state: AfterPlan) -> str:
    if (leads := state.get("leads")) in EDGES["plan"]:
        return leads
    return "steps" if state.get("plan") and not state.get("answer") else "answered at once"


def _after_execute(state: AfterExecute) -> str:
    return "approval" if state.get("approvals") else "results"


def _after_coordinate(state: AfterCoordinate) -> Action:
    decisions = (state.get("context") or {}).get("decisions")
    return read(Decision, decisions[-1], "context", "decisions").action if decisions else "complete"


def _to(label: str) -> Callable[[Ending], str]:
    """What leads one way alone, unless the run is over."""

    def after(_: Ending) -> str:
        return label

    return after


_AFTER: dict[str, Callable[[Any], str]] = {
    "plan": _after_plan,
    "select_tools": _to("execute"),
    "execute": _after_execute,
    "verify": _to("coordinate"),
    "coordinate": _after_coordinate,
}


class Leaving(RunnableLambda[Mapping[str, Any], str]):
    """What chooses among the edges of a node; LangGraph takes from its function which channels it reads.

    No plain function: LangGraph would take it to a thread and back, which costs more than all that it does.
    """

    def __init__(self, node: str) -> None:
        super().__init__(_AFTER[node], name=f"after_{node}")
        self._chooses = _AFTER[node]
        self._end = next(label for label, target in EDGES[node].items() if target == "__end__")

    @override
    def invoke(self, input: Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> str:
        ended = input.get("status") not in {None, "running", "waiting"}
        return self._end if ended else self._chooses(input)

    @override
    async def ainvoke(self, input: Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> str:
        return self.invoke(input)
