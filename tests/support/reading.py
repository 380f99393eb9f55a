"""Planning and selecting by rules, over the native tools and tools of others whose schemas are like real ones."""

import json
import shutil
import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from switchyard.agents.by_rules.planner import steps_of
from switchyard.agents.scope import RunScope
from switchyard.agents.tool_selection.agent import select_tools
from switchyard.app.places import ROOT
from switchyard.ledger.decisions import Assignment
from switchyard.ledger.plan import Step
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import ToolCapability, ToolResult, ToolSpec
from switchyard.tools.core.context import Turn
from tests.support.scopes import scope_over

NOW = datetime(2026, 11, 16, 5, 0, tzinfo=UTC)
FOREIGN = Path(__file__).with_name("foreign_tools.json")


def foreign_specs() -> list[ToolSpec]:
    """Tools that are not ours."""
    specs: list[ToolSpec] = []
    for raw in json.loads(FOREIGN.read_text(encoding="utf-8")):
        described = {"name": raw["name"], "description": raw["description"], "parameters": raw.pop("parameters")}
        capability = ToolCapability.model_validate(described)
        own = {key: raw[key] for key in raw.keys() - {"name", "result"}}
        specs.append(
            ToolSpec.model_validate({"tool_id": raw["name"], **own, "capabilities": (capability,), "source": "mcp"})
        )
    return specs


async def nothing(request: ToolRequest) -> ToolResult:
    return ToolResult(result=None)


@cache
def workspace() -> Path:
    """Some of this project: documents and code, as a user has them, and not the thousands of files around them."""
    root = Path(tempfile.mkdtemp(prefix="workspace-"))
    for kind in ("README.md", "LICENSE", "docs/*.md", "tools/*.py"):
        for file in ROOT.glob(kind):
            copy = root / file.relative_to(ROOT)
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(file, copy)
    return root


def open_scope(*, foreign: bool = True, history: tuple[Turn, ...] = ()) -> RunScope:
    hub = ToolHub(skills=None)
    for tool in discover(ROOT / "tools", "switchyard.tools").tools:
        hub.registry.add(tool)
    for spec in foreign_specs() if foreign else ():
        hub.registry.add(RegisteredTool(spec, nothing))
    return scope_over(hub, workspace(), history=history, clock=lambda: NOW)


async def planned(question: str, scope: RunScope | None = None) -> tuple[list[Step], list[Assignment]]:
    """The steps of a question and what they were given."""
    scope = scope or open_scope()
    steps = await steps_of(scope, question)
    return steps, await select_tools(scope, question, steps)
