"""What tool authors inherit from: every parameter model, and classes of whoever likes a base."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from switchyard.tools.core.spec import ToolSpec, ToolSummary


class BaseToolParams(BaseModel):
    """What a tool is called with. Unknown fields are refused, so that a misspelt one is named."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    explanation: str | None = Field(default=None, description="Why this call is made, in one sentence.")


class BaseTool:
    """What a tool says of itself, once `@tool()` has described its class; that alone makes a class a tool."""

    __tool_spec__: ClassVar[ToolSpec]

    @property
    def spec(self) -> ToolSpec:
        """The whole description."""
        return self.__tool_spec__

    def get_summary(self) -> ToolSummary:
        """The line it is chosen by."""
        return ToolSummary.of(self.spec)
