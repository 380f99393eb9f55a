"""What a tool is told about the run it serves."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel

from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import Language, ToolSpec

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation."""

    role: Literal["user", "assistant"]
    text: str


class SkillHost(Protocol):
    """What a run lends to a skill: its model and its tools, within the run's own limits.

    A skill never calls a model or a tool past the run. What asks, counts, guards, journals and gets approval stays with
    the side that runs the steps; a skill sees only this.
    """

    async def ask(self, system: str, user: str, answer: type[T]) -> T | None:
        """Ask the model for an object; None when it gives nothing usable or a limit of the run is reached."""
        ...

    def find_tool(self, name: str) -> ToolSpec | None:
        """The tool of that name."""
        ...

    async def suggest_tools(self, task: str) -> list[ToolSpec]:
        """The few tools that suit a task best, for a skill that names none."""
        ...

    async def call_tool(
        self, name: str, action: str | None, arguments: dict[str, Any], context: "ToolContext"
    ) -> ToolResult:
        """Call a tool for a skill; a failure, a refusal and a limit that is reached are results too, never raised."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The run, the step and the place a call belongs to."""

    workspace: Path = Path()
    """File tools stay inside this folder; the current one where none is named."""
    user: str = ""
    """Whose run it is; empty where users are not told apart."""
    run_id: str = ""
    thread_id: str = ""
    step_id: str = ""
    idempotency_key: str = ""
    """Equal for every repetition of the same attempt: a tool that writes can refuse to do it twice."""
    language: Language = "en"
    history: Sequence[Turn] = field(default=())
    """The conversation before the question under way, oldest first."""
    network: NetworkPolicy = field(default_factory=NetworkPolicy)
    """Which hosts network tools may reach, and who searches for them."""
    skill_host: SkillHost | None = None
    """The model and the tools a skill works with; None when the run has no model."""
    inside_skills: tuple[str, ...] = ()
    """The skills this call is made for, outermost first."""
