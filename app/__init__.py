"""What people touch: the shell, the console view, settings, logs, the Studio entry; opens and closes everything.

    from app import Settings, open_orchestrator, ask_sync

The names are loaded when first used, so that `--help` does not wait for LangGraph.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.orchestrator import Orchestrator, ask_sync, open_orchestrator
    from app.report import RunReport
    from app.settings import Settings
    from ledger.options import RunOptions

__all__ = ["Orchestrator", "RunOptions", "RunReport", "Settings", "ask_sync", "open_orchestrator"]

_HOMES = {
    "Orchestrator": "app.orchestrator",
    "ask_sync": "app.orchestrator",
    "open_orchestrator": "app.orchestrator",
    "RunReport": "app.report",
    "Settings": "app.settings",
    "RunOptions": "ledger.options",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'app' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415  part of loading late

    from app.shadowing import check_own_packages  # noqa: PLC0415  part of loading late

    check_own_packages()
    return getattr(import_module(_HOMES[name]), name)
