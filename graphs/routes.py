"""The edges of the graph: where each node may lead, under which label, and where it does lead.

They read the state, so that a run goes on from wherever a person has edited it, in Studio or by `update_state`.
"""

from collections.abc import Mapping
from typing import Any, Literal

from langchain_core.runnables import Runnable, RunnableConfig
from typing_extensions import override

from switchyard.graphs.channels import read_channels
from switchyard.graphs.state import OrchestratorState
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


class Leaving(Runnable[OrchestratorState, str]):
    """What chooses among the edges of a node: as the node said, or for an edited state as the rest of it says.

    No plain function: LangGraph would take it to a thread and back, which costs more than all that it does.
    """

    def __init__(self, node: str) -> None:
        self.name = f"after_{node}"
        self._node = node
        self._labels = {target: label for label, target in EDGES[node].items()}

    @override
    def invoke(self, input: OrchestratorState, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        return self._labels[_ended(input) or input.get("next") or _leads(self._node, input)]

    @override
    async def ainvoke(self, input: OrchestratorState, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        return self.invoke(input)


def _ended(state: Mapping[str, Any]) -> Goto | None:
    return None if state.get("status") in {None, "running", "waiting"} else "__end__"


def _leads(node: str, state: OrchestratorState) -> Goto:
    seen = read_channels(state)
    match node:
        case "plan":
            return "coordinate" if seen.answer or seen.plan is None else "select_tools"
        case "select_tools":
            return "execute"
        case "execute":
            return "execute" if seen.approvals else "verify"
        case "verify":
            return "coordinate"
        case _:
            return ACTIONS[seen.context.decisions[-1].action] if seen.context.decisions else "__end__"
