"""A base for tool classes, for whoever likes one: `@tool()` alone makes a class a tool."""

from typing import ClassVar

from switchyard.tools.core.spec import ToolSpec, ToolSummary


class BaseTool:
    """What a tool says of itself, once `@tool()` has described its class."""

    __tool_spec__: ClassVar[ToolSpec]

    @property
    def spec(self) -> ToolSpec:
        """The whole description."""
        return self.__tool_spec__

    def get_summary(self) -> ToolSummary:
        """The line it is chosen by."""
        return ToolSummary.of(self.spec)
