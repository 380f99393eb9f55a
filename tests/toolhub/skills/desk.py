"""A run's side of a skill: real scope, meter, library and model endpoint; what executes steps does the same."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel

from agents.asking import Prompt, ask, has_model
from agents.scope import Equipment, RunScope
from app.models import ConfiguredModels
from app.settings import Settings
from app.shadowing import ROOT
from ledger.journal import Journal
from ledger.limits import Meter, Usage
from ledger.options import RunOptions
from tests.support.bench import silent
from tests.support.endpoint import Endpoint
from toolhub.library import UnifiedToolLibrary
from toolhub.sources.skills import SkillDiscovery, discover_skills
from tools.core import ToolContext, ToolResult, ToolSpec

T = TypeVar("T", bound=BaseModel)

AGENT = "execution"
NOT_APPROVED = "{tool} needs a person's approval, which a call inside a skill cannot get; it was not made."


@dataclass
class RunHost:
    """The run as a skill sees it."""

    scope: RunScope
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    """What was really called."""

    async def ask(self, system: str, user: str, answer: type[T]) -> T | None:
        return await ask(self.scope, AGENT, Prompt(system, user), answer)

    def find_tool(self, name: str) -> ToolSpec | None:
        return self.scope.equipment.library.get_tool_by_id(name)

    async def suggest_tools(self, task: str) -> list[ToolSpec]:
        found = await self.scope.equipment.library.recall(task, 5)
        return [spec for one in found if (spec := self.find_tool(one.name))]

    async def call_tool(
        self, name: str, action: str | None, arguments: dict[str, Any], context: ToolContext
    ) -> ToolResult:
        spec = self.find_tool(name)
        if spec is not None and spec.asks_first and not self.scope.options.auto_approve:
            return ToolResult.failed(NOT_APPROVED.format(tool=name), "permission")
        if not self.scope.meter.take_tool_call():
            return ToolResult.failed(f"The run's limit of {self.scope.meter.hit[-1]} is reached.", "unavailable")
        self.calls.append((name, arguments))
        return await self.scope.equipment.library.execute_tool(name, action, arguments, context)


@dataclass
class Desk:
    """A hub with skills in it, and a run to use them in."""

    scope: RunScope
    host: RunHost
    found: list[SkillDiscovery]

    @property
    def library(self) -> UnifiedToolLibrary:
        return self.scope.equipment.library

    async def use(self, skill: str, task: str, **context: Any) -> ToolResult:
        """Call a skill as a step does."""
        host = self.host if has_model(self.scope, AGENT) else None
        inside = ToolContext(workspace=self.scope.equipment.workspace, run_id="run", skill_host=host, **context)
        return await self.library.execute_tool(skill, None, {"task": task}, inside)


@asynccontextmanager
async def open_desk(
    workspace: Path,
    url: str | None = None,
    *,
    skills: Sequence[Path] = (),
    tools: Sequence[Path] = (),
    options: RunOptions | None = None,
) -> AsyncGenerator[Desk]:
    """The native tools, the skills of some folders, and the model behind a URL, if there is one."""
    settings = {"model": "scripted", "base_url": url, "model_retries": 0} if url else {"model": "none"}
    models = ConfiguredModels(Settings.model_validate(settings))
    library = UnifiedToolLibrary(native=ROOT / "tools", extra=tools)
    await library.initialize()
    found = [discover_skills(folder) for folder in skills]
    for tool in (tool for one in found for tool in one.tools):
        library.register(tool)
    options = options or RunOptions()
    equipment = Equipment(library, Journal(InMemoryStore()), models, workspace, options)
    meter = Meter(options.limits, Usage())
    scope = RunScope("run", "thread", "en", options, meter, silent, equipment)
    try:
        yield Desk(scope, RunHost(scope), found)
    finally:
        await models.close()


def write_skill(folder: Path, name: str, body: str = "Do it. 照做。", *, front: str = "", **files: str) -> Path:
    """A skill folder; keywords are its other files, with `__` for `/` and `_dot_` for `.`."""
    place = folder / name
    place.mkdir(parents=True)
    text = front or f"name: {name}\ndescription: Does what {name} does. 做{name}的事。"
    (place / "SKILL.md").write_text(f"---\n{text}\n---\n\n{body}\n", encoding="utf-8")
    for path, content in files.items():
        file = place / path.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return place


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A call; `tool` is `name`, or `name.action` for a tool that has several."""
    name, _, action = tool.partition(".")
    return {"do": "call", "tool": name, "action": action or None, "arguments": arguments}


def read(path: str) -> dict[str, Any]:
    return {"do": "read", "path": path}


def run(path: str, *args: str) -> dict[str, Any]:
    return {"do": "run", "path": path, "args": list(args)}


def finish(answer: Any) -> dict[str, Any]:
    return {"do": "finish", "answer": answer}


def turns(*moves: dict[str, Any] | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the model says turn by turn."""
    return [{"moves": move if isinstance(move, list) else [move]} for move in moves]


def mine(skills: Path, tools: str, body: str = "Do it. 照做。", **files: str) -> Path:
    """A skill called mine with these allowed-tools."""
    return write_skill(
        skills, "mine", body, front=f"name: mine\ndescription: Does it. 做事。\nallowed-tools: {tools}", **files
    )


async def use(
    endpoint: Endpoint, workspace: Path, skills: Path, replies: list[Any], *, task: str = "做事", **options: Any
) -> tuple[ToolResult, Desk]:
    """Use the skill called mine, with a model that says these things."""
    endpoint.script(unknown=replies)
    async with open_desk(workspace, endpoint.url, skills=[skills], options=RunOptions(**options)) as desk:
        return await desk.use("mine", task), desk
