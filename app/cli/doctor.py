"""`doctor`: what works, what does not, and what to do about it."""

import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from switchyard.app.cli.command import EXIT, WrongUsage, command, load, show
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.notices import servers_of
from switchyard.app.cli.options import Json
from switchyard.app.places import ROOT
from switchyard.language.messages import message

with loaded_late():
    import asyncio
    import platform
    from importlib import metadata

    import httpx

    from switchyard.app import hub, models, storage, trust

if TYPE_CHECKING:
    from switchyard.app.settings import Settings
    from switchyard.tools.core.spec import ToolType

REACHABLE_SECONDS = 5.0
TOOL_TYPES: "tuple[ToolType, ...]" = ("function", "skill", "mcp_server")


class Finding(NamedTuple):
    """One thing that was looked at."""

    name: str
    ok: bool
    text: str


@command
async def doctor(*, json: Json = False) -> int:
    """Check settings, database, tools and model, and say what to do about what is wrong."""
    settings = load()
    findings = [
        Finding("python", ok=True, text=f"{platform.python_version()} at {sys.executable}"),
        Finding("langgraph", ok=True, text=metadata.version("langgraph")),
        *await _look("workspace", _workspace, settings),
        *await _look("database", _database, settings),
        *await _look("project", _project, settings),
        *await _look("tools", _tools, settings),
        *await _look("model", _model, settings),
    ]
    rows = [(finding.name, "ok" if finding.ok else "PROBLEM", finding.text) for finding in findings]
    show([finding._asdict() for finding in findings], ("what", "state", "found"), rows, json=json)
    return 0 if all(finding.ok for finding in findings) else EXIT["failed"]


async def _look(
    name: str, at: "Callable[[Settings], Awaitable[str | list[Finding]]]", settings: "Settings"
) -> list[Finding]:
    from switchyard.tools.core.errors import SwitchyardError

    try:
        found = await at(settings)
    except (SwitchyardError, WrongUsage) as error:
        return [Finding(name, ok=False, text=str(error))]
    return [Finding(name, ok=True, text=found)] if isinstance(found, str) else found


async def _workspace(settings: "Settings") -> str:
    return str(settings.checked_workspace())


async def _database(settings: "Settings") -> str:
    async with storage.open_storage(settings.database_path, wait=settings.database_wait):
        return settings.database_path


async def _project(settings: "Settings") -> str:
    places = await asyncio.to_thread(hub.find_places, settings)
    if notice := places.notice():
        return notice
    folder = settings.project.expanduser().resolve()
    if folder == ROOT:
        return f"{folder} is Switchyard's own folder, always used"
    trusted = folder in trust.TrustedFolders(settings.config_dir)
    brings = ", ".join(trust.Project(folder).brings()) or "nothing of its own"
    return f"{folder} {'is trusted and' if trusted else 'is not trusted; it'} brings {brings}"


async def _tools(settings: "Settings") -> list[Finding]:
    from switchyard.tools.core.plain_words import counted

    async with hub.open_library(settings) as library:
        counts = [f"{len(library.get_tools_by_type(one))} of type {one}" for one in TOOL_TYPES]
        good = Finding("tools", ok=True, text=f"{counted(len(library.registry), 'tool')}: {', '.join(counts)}")
        bad = [Finding("tools", ok=False, text=f"{file.path}: {file.error}") for file in library.broken]
        servers = [
            Finding(f"mcp {one.name}", ok=one.problem is None, text=one.error or f"{one.state}, {one.tools} tools")
            for one in servers_of(library)
        ]
        return [good, *bad, *servers]


async def _model(settings: "Settings") -> str:
    name = settings.default_model
    if name is None:
        return "none set: works by rules. Set APP_MODEL with OPENAI_API_KEY or APP_BASE_URL to add one"
    models.check_model_name(name)
    if settings.base_url is None:
        return f"{name} (not called: doctor spends no tokens)"
    return f"{name} at {settings.base_url}{await _reachable(settings.base_url, name)}"


async def _reachable(base_url: str, name: str) -> str:
    try:
        async with httpx.AsyncClient(timeout=REACHABLE_SECONDS) as client, asyncio.timeout(REACHABLE_SECONDS):
            answer = await client.get(f"{base_url.rstrip('/')}/models")
            names = [str(model.get("id")) for model in answer.json().get("data", [])]
    except (httpx.HTTPError, TimeoutError) as error:
        raise WrongUsage(message("endpoint_silent", url=base_url, why=type(error).__name__)) from error
    except (ValueError, AttributeError):
        return " (it does not list its models)"
    if names and name not in names:
        raise WrongUsage(message("endpoint_without_model", url=base_url, name=name, names=names[:8]))
    return ""
