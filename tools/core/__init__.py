"""The kit of a tool author: describe a tool, read its context, return a result, fail well.

Everything here is stable and small. What happens to a tool at run time (finding, choosing, calling it)
belongs to `toolhub`.
"""

from tools.core.context import ToolContext, Turn
from tools.core.decorator import action, tool
from tools.core.errors import FailureKind, RetryTool, SwitchyardError, ToolFailed
from tools.core.params import BaseToolParams
from tools.core.result import ResultMeta, ToolResult
from tools.core.spec import FunctionToolSpec, Language, MCPServerSpec, ToolCapability, ToolSpec, ToolSummary
from tools.core.workspace import resolve_inside

__all__ = [
    "BaseToolParams",
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
    "Turn",
    "action",
    "resolve_inside",
    "tool",
]
