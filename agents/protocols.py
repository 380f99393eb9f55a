"""The five agents as a caller may bring them: what each is handed, and what it gives back."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from typing_extensions import TypedDict

if TYPE_CHECKING:
    from switchyard.agents.execution.agent import ExecutionRound
    from switchyard.agents.execution.approval import Approval
    from switchyard.agents.planning.agent import Planned
    from switchyard.agents.scope import RunScope
    from switchyard.ledger.attempts import Failure
    from switchyard.ledger.context import ContextUpdate, ExecutionContext, Pattern
    from switchyard.ledger.decisions import Assignment, Candidate, Decision
    from switchyard.ledger.plan import Plan, Step


class PlanningAgent(Protocol):
    """Turns a question into steps, or into an answer at once."""

    async def __call__(
        self,
        scope: "RunScope",
        question: str,
        *,
        context: "ExecutionContext | None",
        previous: "Plan | None",
        by_rules: bool,
    ) -> "Planned":
        """A plan; a new one after `previous` did not work out."""
        ...


class ToolSelectionAgent(Protocol):
    """Gives steps their tools and arguments."""

    async def __call__(
        self,
        scope: "RunScope",
        question: str,
        steps: "Sequence[Step]",
        *,
        finished: Mapping[str, Any],
        failures: "Sequence[Failure]",
        patterns: "Sequence[Pattern]",
        avoid: Mapping[str, set[str]],
        ranked_before: "Mapping[str, list[Candidate]]",
    ) -> "list[Assignment]":
        """An assignment for each step."""
        ...


class ExecutionAgent(Protocol):
    """Makes the calls."""

    async def __call__(
        self,
        scope: "RunScope",
        plan: "Plan",
        assignments: "Mapping[str, Assignment]",
        context: "ExecutionContext",
        *,
        approvals: "Mapping[str, Approval]",
        again: set[str] | None,
    ) -> "ExecutionRound":
        """What came of the round, and what a person has to be asked."""
        ...


class VerificationAgent(Protocol):
    """Checks what came back."""

    async def __call__(self, scope: "RunScope", plan: "Plan", context: "ExecutionContext") -> "ContextUpdate":
        """The verdicts, as an update of the context."""
        ...


class CoordinationAgent(Protocol):
    """Decides how the run goes on."""

    async def __call__(
        self, scope: "RunScope", plan: "Plan", assignments: "Mapping[str, Assignment]", context: "ExecutionContext"
    ) -> "Decision":
        """One of the four actions."""
        ...


class Agents(TypedDict, total=False):
    """The agents that a caller replaces, by their nodes; the others stay ours."""

    plan: PlanningAgent
    select_tools: ToolSelectionAgent
    execute: ExecutionAgent
    verify: VerificationAgent
    coordinate: CoordinationAgent
