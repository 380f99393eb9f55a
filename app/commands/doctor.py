"""`doctor`: what works, what does not, and what to do about it."""

import asyncio
import platform
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version

from pydantic import BaseModel

from switchyard.app.commands.running import EXIT, print_json, run_command
from switchyard.app.console import Console
from switchyard.app.hub import find_places, open_library
from switchyard.app.models import check_model_name
from switchyard.app.places import ROOT
from switchyard.app.settings import Settings
from switchyard.app.storage import open_storage
from switchyard.app.trust import Project, TrustedFolders
from switchyard.toolhub.sources.mcp import ServerHealth
from switchyard.tools.core.errors import SwitchyardError
from switchyard.tools.core.plain_words import counted
from switchyard.tools.core.spec import ToolType

REACHABLE_SECONDS = 5.0
TOOL_TYPES: tuple[ToolType, ...] = ("function", "skill", "mcp_server")


class Finding(BaseModel):
    """One thing that was looked at."""

    name: str
    ok: bool
    text: str


def examine(*, as_json: bool) -> int:
    """Look at everything a run needs."""

    async def work(settings: Settings) -> int:
        findings = [
            Finding(name="python", ok=True, text=f"{platform.python_version()} at {sys.executable}"),
            Finding(name="langgraph", ok=True, text=version("langgraph")),
            await _try("workspace", lambda: _workspace(settings)),
            await _try("database", lambda: _database(settings)),
            await _try("project", lambda: _project(settings)),
            *await _tools(settings),
            await _try("model", lambda: _model(settings)),
        ]
        if as_json:
            print_json([finding.model_dump() for finding in findings])
        else:
            rows = [(finding.name, "ok" if finding.ok else "PROBLEM", finding.text) for finding in findings]
            Console().show_table(("what", "state", "found"), rows)
        return 0 if all(finding.ok for finding in findings) else EXIT["failed"]

    return run_command(work)


async def _try(name: str, look: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding(name=name, ok=True, text=await look())
    except SwitchyardError as error:
        return Finding(name=name, ok=False, text=str(error))


async def _workspace(settings: Settings) -> str:
    return str(settings.checked_workspace())


async def _database(settings: Settings) -> str:
    async with open_storage(settings.database_path, wait=settings.database_wait):
        return settings.database_path


async def _project(settings: Settings) -> str:
    places = await asyncio.to_thread(find_places, settings)
    if places.notice is not None:
        return places.notice
    folder = settings.project.expanduser().resolve()
    if folder == ROOT:
        return f"{folder} is Switchyard's own folder, always used"
    trusted = folder in TrustedFolders(settings.config_dir)
    brings = ", ".join(Project(folder).brings()) or "nothing of its own"
    return f"{folder} {'is trusted and' if trusted else 'is not trusted; it'} brings {brings}"


async def _tools(settings: Settings) -> list[Finding]:
    try:
        async with open_library(settings) as library:
            counts = [f"{len(library.get_tools_by_type(kind))} of type {kind}" for kind in TOOL_TYPES]
            good = Finding(name="tools", ok=True, text=f"{counted(len(library.registry), 'tool')}: {', '.join(counts)}")
            bad = [Finding(name="tools", ok=False, text=f"{file.path}: {file.error}") for file in library.broken]
            return [good, *bad, *map(_server, library.mcp.health() if library.mcp else ())]
    except SwitchyardError as error:
        return [Finding(name="tools", ok=False, text=str(error))]


def _server(health: ServerHealth) -> Finding:
    text = health.error or f"{health.state}, {health.tools} tools"
    return Finding(name=f"mcp {health.name}", ok=health.problem is None, text=text)


async def _model(settings: Settings) -> str:
    name = settings.default_model
    if name is None:
        return "none set: works by rules. Set APP_MODEL with OPENAI_API_KEY or APP_BASE_URL to add one"
    check_model_name(name)
    if settings.base_url is None:
        return f"{name} (not called: doctor spends no tokens)"
    return f"{name} at {settings.base_url}{await _reachable(settings.base_url, name)}"


async def _reachable(base_url: str, name: str) -> str:
    import httpx  # noqa: PLC0415  only with an endpoint of one's own

    from switchyard.tools.core.errors import SettingsInvalid  # noqa: PLC0415  next to its use

    try:
        async with httpx.AsyncClient(timeout=REACHABLE_SECONDS) as client, asyncio.timeout(REACHABLE_SECONDS):
            answer = await client.get(f"{base_url.rstrip('/')}/models")
            names = [str(model.get("id")) for model in answer.json().get("data", [])]
    except (httpx.HTTPError, TimeoutError) as error:
        raise SettingsInvalid(
            f"{base_url} does not answer ({type(error).__name__}). Start it or set APP_BASE_URL."
        ) from error
    except (ValueError, AttributeError):
        return " (it does not list its models)"
    if names and name not in names:
        raise SettingsInvalid(f"{base_url} does not know the model '{name}'; it has {', '.join(names[:8])}.")
    return ""
