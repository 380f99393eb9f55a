"""Plans, picks the right few tools out of very many, checks what came back, and changes course.

    from switchyard import Settings, ask_sync, open_orchestrator      # ask questions
    from switchyard import BaseToolParams, ToolContext, tool          # write a tool
    from switchyard import UnifiedToolLibrary                         # use the tools by themselves
    from switchyard import SwitchyardToolSelection, SwitchyardFailureGuard   # for an agent of `create_agent`

The rooms of the program (`switchyard.app`, `switchyard.graphs`, …) are the folders beside this one. No name is loaded
before it is used, so that `--help` does not wait for LangGraph.
"""

TYPE_CHECKING = False  # not from `typing`: with `python -m`, the current folder still comes first here
if TYPE_CHECKING:
    from typing import Any

    from switchyard.agents.execution.agent import ExecutionRound
    from switchyard.agents.execution.approval import ApprovalReply, ApprovalRequest
    from switchyard.agents.planning.agent import Planned
    from switchyard.agents.protocols import (
        Agents,
        CoordinationAgent,
        ExecutionAgent,
        PlanningAgent,
        ToolSelectionAgent,
        VerificationAgent,
    )
    from switchyard.agents.scope import Custom, Model, RunScope
    from switchyard.app.events import Event
    from switchyard.app.middleware.guard import SwitchyardFailureGuard as SwitchyardFailureGuard
    from switchyard.app.middleware.selection import SwitchyardToolSelection as SwitchyardToolSelection
    from switchyard.app.orchestrator import Orchestrator, ask_sync, open_orchestrator
    from switchyard.app.report import RunReport, Source, StepReport
    from switchyard.app.settings import Settings, load_settings
    from switchyard.ledger.context import AskState, ContextUpdate, ExecutionContext, StepRecord
    from switchyard.ledger.decisions import Assignment, Candidate, Decision, Verdict
    from switchyard.ledger.options import RunOptions
    from switchyard.ledger.plan import Plan, Step
    from switchyard.toolhub.library import RegistrationResult, UnifiedToolLibrary
    from switchyard.tools.core import (
        BaseTool,
        BaseToolParams,
        Effect,
        FunctionToolSpec,
        MCPServerSpec,
        ResultMeta,
        RetryTool,
        SwitchyardError,
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
    from switchyard.tools.core.errors import (
        ModelFailed,
        OrchestratorClosed,
        SettingsInvalid,
        StateUnreadable,
        StorageUnavailable,
        ThreadDamaged,
        ThreadUnknown,
        ToolError,
        ToolUnknown,
    )

__all__ = [
    "Agents",
    "ApprovalReply",
    "ApprovalRequest",
    "AskState",
    "Assignment",
    "BaseTool",
    "BaseToolParams",
    "Candidate",
    "ContextUpdate",
    "CoordinationAgent",
    "Custom",
    "Decision",
    "Effect",
    "Event",
    "ExecutionAgent",
    "ExecutionContext",
    "ExecutionRound",
    "FunctionToolSpec",
    "MCPServerSpec",
    "Model",
    "ModelFailed",
    "Orchestrator",
    "OrchestratorClosed",
    "Plan",
    "Planned",
    "PlanningAgent",
    "RegistrationResult",
    "ResultMeta",
    "RetryTool",
    "RunOptions",
    "RunReport",
    "RunScope",
    "Settings",
    "SettingsInvalid",
    "Source",
    "StateUnreadable",
    "Step",
    "StepRecord",
    "StepReport",
    "StorageUnavailable",
    "SwitchyardError",
    "ThreadDamaged",
    "ThreadUnknown",
    "ToolCapability",
    "ToolContext",
    "ToolError",
    "ToolFailed",
    "ToolResult",
    "ToolSelectionAgent",
    "ToolSpec",
    "ToolSummary",
    "ToolType",
    "ToolUnknown",
    "UnifiedToolLibrary",
    "Verdict",
    "VerificationAgent",
    "action",
    "ask_sync",
    "load_settings",
    "open_orchestrator",
    "tool",
]

_KIT = "tools.core"
_HOMES = {
    "ExecutionRound": "agents.execution.agent",
    **dict.fromkeys(("ApprovalReply", "ApprovalRequest"), "agents.execution.approval"),
    "Planned": "agents.planning.agent",
    **dict.fromkeys(
        ("Agents", "CoordinationAgent", "ExecutionAgent", "PlanningAgent", "ToolSelectionAgent", "VerificationAgent"),
        "agents.protocols",
    ),
    **dict.fromkeys(("Custom", "Model", "RunScope"), "agents.scope"),
    "Event": "app.events",
    "SwitchyardFailureGuard": "app.middleware.guard",
    "SwitchyardToolSelection": "app.middleware.selection",
    **dict.fromkeys(("Orchestrator", "ask_sync", "open_orchestrator"), "app.orchestrator"),
    **dict.fromkeys(("RunReport", "Source", "StepReport"), "app.report"),
    **dict.fromkeys(("Settings", "load_settings"), "app.settings"),
    **dict.fromkeys(("AskState", "ContextUpdate", "ExecutionContext", "StepRecord"), "ledger.context"),
    **dict.fromkeys(("Assignment", "Candidate", "Decision", "Verdict"), "ledger.decisions"),
    "RunOptions": "ledger.options",
    **dict.fromkeys(("Plan", "Step"), "ledger.plan"),
    **dict.fromkeys(("RegistrationResult", "UnifiedToolLibrary"), "toolhub.library"),
    **dict.fromkeys(
        (
            "ModelFailed",
            "OrchestratorClosed",
            "SettingsInvalid",
            "StateUnreadable",
            "StorageUnavailable",
            "ThreadDamaged",
            "ThreadUnknown",
            "ToolError",
            "ToolUnknown",
        ),
        "tools.core.errors",
    ),
}


def _with_rooms(path: "list[str]") -> "list[str]":
    """Where the rooms are found: here, or beside this folder where the links to them came out as text files."""
    import os  # noqa: PLC0415  nothing is loaded before it is used

    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  pathlib would have to be loaded
    return path if os.path.isdir(os.path.join(here, "app")) else [*path, os.path.dirname(here)]  # noqa: PTH112, PTH118, PTH120


__path__ = _with_rooms(list(__path__))


def __getattr__(name: str) -> "Any":
    if name not in __all__ and name not in _HOMES:  # what needs an extra is in no star
        raise AttributeError(f"module 'switchyard' has no attribute '{name}'")
    import gc  # noqa: PLC0415  part of loading late
    from importlib import import_module  # noqa: PLC0415

    collecting = gc.isenabled()
    gc.disable()  # what modules make stays: to look for garbage among it takes a tenth of the time of their import
    try:
        return getattr(import_module(f"switchyard.{_HOMES.get(name, _KIT)}"), name)
    finally:
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()  # it is of the oldest generation now, without having been looked through
        if collecting:
            gc.enable()
