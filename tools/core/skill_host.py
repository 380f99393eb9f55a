"""What a run lends to a skill: its model and its tools, within the run's own limits.

A skill never calls a model or a tool past the run. What asks, counts, guards, journals and gets approval stays with the
side that runs the steps; a skill sees only this.
"""

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel

from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

if TYPE_CHECKING:
    from switchyard.tools.core.context import ToolContext

T = TypeVar("T", bound=BaseModel)


class SkillHost(Protocol):
    """The run, as a skill sees it."""

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
