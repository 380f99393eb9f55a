"""A run to use skills in: real scope, meter, hub, journal and model endpoint."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchyard.agents.asking import has_model
from switchyard.agents.execution.pipeline import AGENT, CallPipeline, SkillHost
from switchyard.agents.scope import RunScope
from switchyard.app.models import ConfiguredModels
from switchyard.app.settings import Settings
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.sources.native import Discovery
from switchyard.toolhub.sources.skills.source import discover_skills
from switchyard.tools.core import ToolContext, ToolResult
from tests.support.endpoint import Endpoint
from tests.support.scopes import scope_over


@dataclass
class Desk:
    """A hub with skills in it, and a run to use them in."""

    scope: RunScope
    host: SkillHost
    found: list[Discovery]

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """What was really called."""
        return [(attempt.tool, attempt.arguments) for attempt in self.host.pipeline.attempts]

    @property
    def hub(self) -> ToolHub:
        return self.scope.equipment.hub

    async def use(self, skill: str, task: str, **context: Any) -> ToolResult:
        """Call a skill as a step does."""
        host = self.host if has_model(self.scope, AGENT) else None
        inside = ToolContext(workspace=self.scope.equipment.workspace, run_id="run", skill_host=host, **context)
        return await self.hub.dispatcher.dispatch(ToolRequest(skill, None, {"task": task}, inside))


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
    hub = ToolHub(skills=None, extra=tools)
    await hub.open()
    found = [discover_skills(folder) for folder in skills]
    for tool in (tool for one in found for tool in one.tools):
        hub.registry.add(tool)
    scope = scope_over(hub, workspace, options=options, models=models)
    try:
        yield Desk(scope, SkillHost(CallPipeline(scope, [], [])), found)
    finally:
        await models.aclose()


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
    endpoint.script(skill=replies)
    async with open_desk(workspace, endpoint.url, skills=[skills], options=RunOptions(**options)) as desk:
        return await desk.use("mine", task), desk
