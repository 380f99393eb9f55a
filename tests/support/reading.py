"""Planning and selecting by rules, over the native tools and tools of others whose schemas are real."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from langgraph.store.memory import InMemoryStore

from switchyard.agents.by_rules.planner import steps_of
from switchyard.agents.scope import Equipment, RunScope
from switchyard.agents.tool_selection.agent import select_tools
from switchyard.app.models import ConfiguredModels
from switchyard.app.places import ROOT
from switchyard.app.settings import Settings
from switchyard.ledger.decisions import Assignment
from switchyard.ledger.journal import Journal
from switchyard.ledger.limits import Meter, Usage
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import Step
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import ToolCapability, ToolContext, ToolResult, ToolSpec
from switchyard.tools.core.context import Turn

NOW = datetime(2026, 11, 16, 5, 0, tzinfo=UTC)
DATA = ROOT / "benchmarks" / "understanding_data"


def foreign_specs() -> list[ToolSpec]:
    """Tools that are not ours."""
    specs: list[ToolSpec] = []
    for file in ("foreign_tools.json", "more_tools.json"):
        for raw in cast("list[dict[str, Any]]", json.loads((DATA / file).read_text(encoding="utf-8"))):
            capability = ToolCapability(name=raw["name"], description=raw["description"], parameters=raw["parameters"])
            told = {
                key: raw[key] for key in ("category", "tags", "returns", "requires", "produces", "writes") if key in raw
            }
            specs.append(
                ToolSpec(name=raw["name"], summary=raw["description"], capabilities=(capability,), source="mcp", **told)
            )
    return specs


async def nothing(action: str | None, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    return ToolResult(result=None)


def open_scope(*, foreign: bool = True, history: tuple[Turn, ...] = ()) -> RunScope:
    library = UnifiedToolLibrary(native=ROOT / "tools")
    for tool in discover(ROOT / "tools", "switchyard.tools").tools:
        library.register(tool)
    for spec in foreign_specs() if foreign else ():
        library.register(RegisteredTool(spec, nothing))
    options = RunOptions()
    models = ConfiguredModels(Settings(model="none"))
    equipment = Equipment(library, Journal(InMemoryStore()), models, Path(), options, clock=lambda: NOW)
    meter = Meter(options.limits, Usage())
    return RunScope("run", "thread", "en", options, meter, lambda _event, _data: None, equipment, history)


async def planned(question: str, scope: RunScope | None = None) -> tuple[list[Step], list[Assignment]]:
    """The steps of a question and what they were given."""
    scope = scope or open_scope()
    steps = await steps_of(scope, question)
    return steps, await select_tools(scope, question, steps)
