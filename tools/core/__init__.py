"""The kit of a tool author: describe a tool, read its context, return a result, fail well.

Everything here is stable and small. What happens to a tool at run time (finding, choosing, calling it)
belongs to `toolhub`.
"""

from switchyard.tools.core.context import ToolContext, Turn
from switchyard.tools.core.decorator import action, tool
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import FailureKind, RetryTool, SwitchyardError, ToolFailed
from switchyard.tools.core.params import BaseTool, BaseToolParams
from switchyard.tools.core.result import ResultMeta, ToolResult
from switchyard.tools.core.spec import (
    FunctionToolSpec,
    Language,
    MCPServerSpec,
    ToolCapability,
    ToolSpec,
    ToolSummary,
    ToolType,
)
from switchyard.tools.core.workspace import resolve_inside

__all__ = [
    "BaseTool",
    "BaseToolParams",
    "Effect",
    "FailureKind",
    "FunctionToolSpec",
    "Language",
    "MCPServerSpec",
    "ResultMeta",
    "RetryTool",
    "SwitchyardError",
    "ToolCapability",
    "ToolContext",
    "ToolFailed",
    "ToolResult",
    "ToolSpec",
    "ToolSummary",
    "ToolType",
    "Turn",
    "action",
    "resolve_inside",
    "tool",
]
