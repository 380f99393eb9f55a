"""`trust`: whose folders' tools, skills and MCP servers may be run; and the word to a user whose folder is left out."""

import asyncio
import os
from pathlib import Path
from typing import Any

from switchyard.app.commands.running import EXIT, WRONG_USAGE, complain, print_json, run_command
from switchyard.app.console import Console
from switchyard.app.hub import find_places
from switchyard.app.places import ROOT
from switchyard.app.settings import Settings
from switchyard.app.trust import MCP_FILE, Project, TrustedFolders
from switchyard.toolhub.sources.mcp import read_configs
from switchyard.tools.core.errors import SettingsInvalid, ToolUnknown
from switchyard.tools.core.spec import Language


async def tell_untrusted(settings: Settings, language: Language = "en") -> None:
    """Say on standard error that the project folder has something that is not used."""
    places = await asyncio.to_thread(find_places, settings)
    if notice := places.notice_in(language):
        complain(notice)


async def in_untrusted_folder(settings: Settings, name: str) -> ToolUnknown | None:
    """The error for a name that is not there, where it is in the project folder and that is not trusted yet."""
    places = await asyncio.to_thread(find_places, settings)
    project = places.untrusted
    if project is None:
        return None
    names = await asyncio.to_thread(project.names, servers=settings.mcp_files is None)
    if names.isdisjoint({name, name.partition("/")[0]}):
        return None
    return ToolUnknown(
        f"'{name}' is in {project.folder}, which is not trusted yet: `switchyard trust` lets what lies there be run."
    )


def trust_folder(folder: Path | None, *, yes: bool, as_json: bool) -> int:
    """Show what a folder brings, ask, and remember the answer."""

    async def work(settings: Settings) -> int:
        project, trusted = _project(settings, folder), TrustedFolders(settings.config_dir)
        if not project.folder.is_dir():
            raise SettingsInvalid(f"{project.folder} is not a folder that exists.")
        is_ours, console = project.folder == ROOT, Console()
        known = is_ours or project.folder in trusted
        if not as_json:
            _show(console, project)
        if not known and not yes:
            if not console.has_person or as_json:
                complain("Nobody is there to say yes: `--yes` trusts the folder without asking.")
                return WRONG_USAGE
            if not await console.confirm("Let this be run from now on, and what is added there later?"):
                console.say("Nothing was changed.")
                return EXIT["failed"]
        if not known:
            trusted.add(project.folder)
        if as_json:
            print_json({"folder": str(project.folder), "trusted": True, "new": not known, "brings": _brought(project)})
            return 0
        already = "is Switchyard's own folder: it is always used" if is_ours else "was trusted already"
        console.say(f"{project.folder} {already if known else 'is trusted from now on'}.")
        return 0

    return run_command(work)


def list_trusted(*, as_json: bool) -> int:
    """List the folders that are trusted."""

    async def work(settings: Settings) -> int:
        projects = [Project(folder) for folder in TrustedFolders(settings.config_dir).folders()]
        if as_json:
            found = [
                {"folder": str(project.folder), "exists": project.folder.is_dir(), "brings": project.brings()}
                for project in projects
            ]
            print_json({"folders": found})
            return 0
        rows = [
            (str(project.folder), ", ".join(project.brings()) if project.folder.is_dir() else "no longer there")
            for project in projects
        ]
        Console().show_table(("folder", "brings"), rows)
        return 0

    return run_command(work)


def forget_folder(folder: Path | None, *, as_json: bool) -> int:
    """Trust a folder no longer."""

    async def work(settings: Settings) -> int:
        project = _project(settings, folder)
        if not TrustedFolders(settings.config_dir).remove(project.folder):
            raise SettingsInvalid(f"{project.folder} was not trusted; `trust --list` shows those that are.")
        if as_json:
            print_json({"folder": str(project.folder), "trusted": False})
        else:
            Console().say(f"{project.folder} is not trusted any more.")
        return 0

    return run_command(work)


def _project(settings: Settings, folder: Path | None) -> Project:
    return Project((folder or settings.project).expanduser().resolve())


def _brought(project: Project) -> dict[str, Any]:
    servers = read_configs([project.mcp], os.environ)
    shown = {name: config.shown() for name, config in servers.servers.items()}
    return {
        "tools": project.tool_files(),
        "skills": project.skill_names(),
        "servers": {**shown, **{name: {"problem": text} for name, text in servers.problems.items()}},
    }


def _show(console: Console, project: Project) -> None:
    """What would be run, by name: who says yes should know to what."""
    servers = read_configs([project.mcp], os.environ)
    lines = [f"imported: {name}" for name in project.tool_files()]
    lines += [f"skill: {name}" for name in project.skill_names()]
    lines += [f"MCP server {name}: {config.reached_by()}" for name, config in servers.servers.items()]
    lines += [f"MCP server that cannot be used: {text}" for text in servers.problems.values()]
    if lines:
        console.say("\n".join([f"{project.folder} brings", *(f"  {line}" for line in lines)]))
    else:
        console.say(f"{project.folder} brings no tools/, no skills/ and no {MCP_FILE} yet.")
