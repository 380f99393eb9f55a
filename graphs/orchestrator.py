"""The graph of Switchyard.

question ─▶ plan ─▶ select_tools ─▶ execute ─▶ verify ─▶ coordinate ─▶ answer
             ▲            ▲            ▲                  │  │  │      (complete)
             │            │            └─ execute_tool ───┘  │  │
             │            └────────────── switch_tool ───────┘  │
             └─────────────────────────── replan ───────────────┘

`plan` and `execute` also lead to themselves: there a person is asked, a question or for approval.
"""

import asyncio
import importlib
from typing import TYPE_CHECKING, Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from switchyard.graphs.routes import EDGES, Leaving
from switchyard.graphs.state import OrchestratorInput, OrchestratorOutput, OrchestratorState
from switchyard.ledger.options import RunOptions
from switchyard.tools.core.late_model import LateModel

if TYPE_CHECKING:
    from switchyard.graphs.node_run import EquipmentSource

NODES = "switchyard.graphs.nodes"
_loaded: list[Any] = []
"""That module, once it is whole."""
OrchestratorGraph = CompiledStateGraph[OrchestratorState, RunOptions, OrchestratorInput, OrchestratorOutput]


def build_graph(
    equipment: "EquipmentSource", *, checkpointer: BaseCheckpointSaver[Any] | None = None
) -> OrchestratorGraph:
    """The compiled graph: a plain LangGraph graph, to invoke, stream, nest or serve."""
    graph = cast(  # its own signatures are only partly typed
        "Any",
        StateGraph(
            OrchestratorState,
            context_schema=RunOptions,
            input_schema=OrchestratorInput,
            output_schema=OrchestratorOutput,
        ),
    )
    for name, edges in EDGES.items():
        graph.add_node(name, _node(name, equipment))
        graph.add_conditional_edges(name, Leaving(name), edges)
    graph.add_edge(START, "plan")
    return cast("OrchestratorGraph", graph.compile(checkpointer=checkpointer, name="switchyard"))


def _node(name: str, equipment: "EquipmentSource") -> Any:
    """A node whose agents are loaded with the first question: a service is up before anybody asks."""

    async def node(state: OrchestratorState, runtime: Runtime[RunOptions]) -> dict[str, Any]:
        if not _loaded:  # not `sys.modules`: there a module is before it is whole, and others ask at the same time
            _loaded.append(await asyncio.to_thread(_load))
        return await getattr(_loaded[0].Nodes(equipment), name)(state, runtime)

    return node


def _load() -> Any:
    """The agents, and the models they work with."""
    nodes = importlib.import_module(NODES)
    LateModel.build()
    return nodes
