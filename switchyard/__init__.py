"""Plans, picks the right few tools out of very many, checks what came back, and changes course.

    from switchyard import Settings, ask_sync, open_orchestrator      # ask questions
    from switchyard import BaseToolParams, ToolContext, tool          # write a tool
    from switchyard import UnifiedToolLibrary                         # use the tools by themselves

The rooms of the program (`switchyard.app`, `switchyard.graphs`, …) are the folders beside this one. No name is loaded
before it is used, so that `--help` does not wait for LangGraph.
"""

TYPE_CHECKING = False  # not from `typing`: with `python -m`, the current folder still comes first here
if TYPE_CHECKING:
    from typing import Any

    from switchyard.agents.scope import Custom
    from switchyard.app.orchestrator import Orchestrator, ask_sync, open_orchestrator
    from switchyard.app.report import RunReport
    from switchyard.app.settings import Settings
    from switchyard.ledger.context import ExecutionContext
    from switchyard.ledger.options import RunOptions
    from switchyard.toolhub.library import RegistrationResult, UnifiedToolLibrary
    from switchyard.tools.core import (
        BaseTool,
        BaseToolParams,
        Effect,
        FunctionToolSpec,
        MCPServerSpec,
        ResultMeta,
        RetryTool,
        ToolCapability,
        ToolContext,
        ToolFailed,
        ToolResult,
        ToolSpec,
        ToolSummary,
        ToolType,
        action,
        tool,
    )

__all__ = [
    "BaseTool",
    "BaseToolParams",
    "Custom",
    "Effect",
    "ExecutionContext",
    "FunctionToolSpec",
    "MCPServerSpec",
    "Orchestrator",
    "RegistrationResult",
    "ResultMeta",
    "RetryTool",
    "RunOptions",
    "RunReport",
    "Settings",
    "ToolCapability",
    "ToolContext",
    "ToolFailed",
    "ToolResult",
    "ToolSpec",
    "ToolSummary",
    "ToolType",
    "UnifiedToolLibrary",
    "action",
    "ask_sync",
    "open_orchestrator",
    "tool",
]

_KIT = "tools.core"
_HOMES = {
    "Custom": "agents.scope",
    "Orchestrator": "app.orchestrator",
    "ask_sync": "app.orchestrator",
    "open_orchestrator": "app.orchestrator",
    "RunReport": "app.report",
    "Settings": "app.settings",
    "RunOptions": "ledger.options",
    "ExecutionContext": "ledger.context",
    "RegistrationResult": "toolhub.library",
    "UnifiedToolLibrary": "toolhub.library",
}


def _with_rooms(path: "list[str]") -> "list[str]":
    """Where the rooms are found: here, or beside this folder where the links to them came out as text files."""
    import os  # noqa: PLC0415  nothing is loaded before it is used

    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  pathlib would have to be loaded
    return path if os.path.isdir(os.path.join(here, "app")) else [*path, os.path.dirname(here)]  # noqa: PTH112, PTH118, PTH120


__path__ = _with_rooms(list(__path__))


def __getattr__(name: str) -> "Any":
    if name not in __all__:
        raise AttributeError(f"module 'switchyard' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415  part of loading late

    return getattr(import_module(f"switchyard.{_HOMES.get(name, _KIT)}"), name)
