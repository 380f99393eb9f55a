"""The graph of Switchyard.

question ─▶ plan ─▶ select_tools ─▶ execute ─▶ verify ─▶ coordinate ─▶ answer
             ▲            ▲            ▲                  │  │  │      (complete)
             │            │            └─ execute_tool ───┘  │  │
             │            └────────────── switch_tool ───────┘  │
             └─────────────────────────── replan ───────────────┘

`plan` and `execute` also lead to themselves: there a person is asked, a question or for approval.
"""

from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from switchyard.graphs.node_run import EquipmentSource
from switchyard.graphs.nodes import Nodes
from switchyard.graphs.routes import EDGES, leaving
from switchyard.graphs.state import OrchestratorInput, OrchestratorOutput, OrchestratorState
from switchyard.ledger.options import RunOptions

OrchestratorGraph = CompiledStateGraph[OrchestratorState, RunOptions, OrchestratorInput, OrchestratorOutput]


def build_graph(
    equipment: EquipmentSource, *, checkpointer: BaseCheckpointSaver[Any] | None = None
) -> OrchestratorGraph:
    """The compiled graph: a plain LangGraph graph, to invoke, stream, nest or serve."""
    nodes = Nodes(equipment)
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
        graph.add_node(name, getattr(nodes, name))
        graph.add_conditional_edges(name, leaving(name), edges)
    graph.add_edge(START, "plan")
    return cast("OrchestratorGraph", graph.compile(checkpointer=checkpointer, name="switchyard"))
