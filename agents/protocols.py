"""The five agents as a caller may bring them: each is called as the one of ours that it takes the place of."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from switchyard.agents.execution.agent import ExecutionRound
    from switchyard.agents.planning.agent import Planned
    from switchyard.agents.scope import RunScope
    from switchyard.ledger.context import ContextUpdate, ExecutionContext
    from switchyard.ledger.decisions import Assignment, Decision
    from switchyard.ledger.plan import Plan

PlanningAgent = Callable[..., Awaitable["Planned"]]
"""Turns a question into steps, or into an answer at once, as `make_plan` in `agents/planning/agent.py`."""

ToolSelectionAgent = Callable[..., Awaitable["list[Assignment]"]]
"""Gives steps their tools and arguments, as `select_tools` in `agents/tool_selection/agent.py`."""

ExecutionAgent = Callable[..., Awaitable["ExecutionRound"]]
"""Makes the calls, as `execute` in `agents/execution/agent.py`."""

VerificationAgent = Callable[["RunScope", "Plan", "ExecutionContext"], Awaitable["ContextUpdate"]]
"""Checks what came back, as `verify` in `agents/verification/agent.py`."""

CoordinationAgent = Callable[
    ["RunScope", "Plan", "Mapping[str, Assignment]", "ExecutionContext"], Awaitable["Decision"]
]
"""Decides how the run goes on, as `decide` in `agents/coordination/agent.py`."""


class Agents(TypedDict, total=False):
    """The agents that a caller replaces, by their nodes; the others stay ours."""

    plan: PlanningAgent
    select_tools: ToolSelectionAgent
    execute: ExecutionAgent
    verify: VerificationAgent
    coordinate: CoordinationAgent
