"""`doctor`: what works, what does not, and what to do about it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from switchyard.app.cli.command import EXIT, command, load, print_json, show_table
from switchyard.app.cli.notices import servers_of
from switchyard.app.cli.options import Json

if TYPE_CHECKING:
    from switchyard.app.settings import Settings
    from switchyard.toolhub.sources.mcp import ServerHealth
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
    import platform
    import sys
    from importlib.metadata import version

    settings = load()
    findings = [
        Finding("python", ok=True, text=f"{platform.python_version()} at {sys.executable}"),
        Finding("langgraph", ok=True, text=version("langgraph")),
        await _try("workspace", _workspace, settings),
        await _try("database", _database, settings),
        await _try("project", _project, settings),
        *await _tools(settings),
        await _try("model", _model, settings),
    ]
    if json:
        print_json([finding._asdict() for finding in findings])
    else:
        rows = [(finding.name, "ok" if finding.ok else "PROBLEM", finding.text) for finding in findings]
        show_table(("what", "state", "found"), rows)
    return 0 if all(finding.ok for finding in findings) else EXIT["failed"]


async def _try(name: str, look: "Callable[[Settings], Awaitable[str]]", settings: "Settings") -> Finding:
    from switchyard.tools.core.errors import SwitchyardError

    try:
        return Finding(name, ok=True, text=await look(settings))
    except SwitchyardError as error:
        return Finding(name, ok=False, text=str(error))


async def _workspace(settings: "Settings") -> str:
    return str(settings.checked_workspace())


async def _database(settings: "Settings") -> str:
    from switchyard.app.storage import open_storage

    async with open_storage(settings.database_path, wait=settings.database_wait):
        return settings.database_path


async def _project(settings: "Settings") -> str:
    import asyncio

    from switchyard.app.hub import find_places
    from switchyard.app.places import ROOT
    from switchyard.app.trust import Project, TrustedFolders

    places = await asyncio.to_thread(find_places, settings)
    if notice := places.notice():
        return notice
    folder = settings.project.expanduser().resolve()
    if folder == ROOT:
        return f"{folder} is Switchyard's own folder, always used"
    trusted = folder in TrustedFolders(settings.config_dir)
    brings = ", ".join(Project(folder).brings()) or "nothing of its own"
    return f"{folder} {'is trusted and' if trusted else 'is not trusted; it'} brings {brings}"


async def _tools(settings: "Settings") -> list[Finding]:
    from switchyard.app.hub import open_library
    from switchyard.tools.core.errors import SwitchyardError
    from switchyard.tools.core.plain_words import counted

    try:
        async with open_library(settings) as library:
            counts = [f"{len(library.get_tools_by_type(one))} of type {one}" for one in TOOL_TYPES]
            good = Finding("tools", ok=True, text=f"{counted(len(library.registry), 'tool')}: {', '.join(counts)}")
            bad = [Finding("tools", ok=False, text=f"{file.path}: {file.error}") for file in library.broken]
            return [good, *bad, *map(_server, servers_of(library))]
    except SwitchyardError as error:
        return [Finding("tools", ok=False, text=str(error))]


def _server(health: "ServerHealth") -> Finding:
    text = health.error or f"{health.state}, {health.tools} tools"
    return Finding(f"mcp {health.name}", ok=health.problem is None, text=text)


async def _model(settings: "Settings") -> str:
    from switchyard.app.models import check_model_name

    name = settings.default_model
    if name is None:
        return "none set: works by rules. Set APP_MODEL with OPENAI_API_KEY or APP_BASE_URL to add one"
    check_model_name(name)
    if settings.base_url is None:
        return f"{name} (not called: doctor spends no tokens)"
    return f"{name} at {settings.base_url}{await _reachable(settings.base_url, name)}"


async def _reachable(base_url: str, name: str) -> str:
    import asyncio

    import httpx

    from switchyard.tools.core.errors import SettingsInvalid

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
