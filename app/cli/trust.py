"""`trust`: whose folders' tools, skills and MCP servers may be run."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from switchyard.app.cli.command import EXIT, WRONG_USAGE, command, complain, load, print_json, say, show_table
from switchyard.app.cli.options import Json

if TYPE_CHECKING:
    from switchyard.app.trust import Project, TrustedFolders


@command
async def trust(
    folder: Annotated[Path | None, typer.Argument(help="The folder; without one, the current.")] = None,
    *,
    show: Annotated[bool, typer.Option("--list", help="List the folders that are trusted.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Trust the folder no longer.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> int:
    """Let the tools/, skills/ and mcp.local.json of a folder be used, after showing what they would run."""
    if show and (remove or folder):
        raise typer.BadParameter("--list stands alone.")
    from switchyard.app.trust import Project, TrustedFolders

    settings = load()
    trusted = TrustedFolders(settings.config_dir)
    if show:
        return _list(trusted, as_json=json)
    project = Project((folder or settings.project).expanduser().resolve())
    if remove:
        return _forget(project, trusted, as_json=json)
    return await _trust(project, trusted, yes=yes, as_json=json)


def _list(trusted: "TrustedFolders", *, as_json: bool) -> int:
    from switchyard.app.trust import Project

    projects = [(Project(folder), folder.is_dir()) for folder in trusted.folders()]
    if as_json:
        shown = [
            {"folder": str(project.folder), "exists": exists, "brings": project.brings()}
            for project, exists in projects
        ]
        print_json({"folders": shown})
        return 0
    rows = [
        (str(project.folder), ", ".join(project.brings()) if exists else "no longer there")
        for project, exists in projects
    ]
    show_table(("folder", "brings"), rows)
    return 0


def _forget(project: "Project", trusted: "TrustedFolders", *, as_json: bool) -> int:
    from switchyard.tools.core.errors import SettingsInvalid

    if not trusted.remove(project.folder):
        raise SettingsInvalid(f"{project.folder} was not trusted; `trust --list` shows those that are.")
    if as_json:
        print_json({"folder": str(project.folder), "trusted": False})
    else:
        say(f"{project.folder} is not trusted any more.")
    return 0


async def _trust(project: "Project", trusted: "TrustedFolders", *, yes: bool, as_json: bool) -> int:
    """Show what a folder brings, ask, and remember the answer."""
    from switchyard.app.console import Console
    from switchyard.app.places import ROOT
    from switchyard.tools.core.errors import SettingsInvalid

    if not project.folder.is_dir():
        raise SettingsInvalid(f"{project.folder} is not a folder that exists.")
    is_ours, console = project.folder == ROOT, Console()
    known = is_ours or project.folder in trusted
    if not as_json:
        _show(project)
    if not known and not yes:
        if not console.has_person or as_json:
            complain("Nobody is there to say yes: `--yes` trusts the folder without asking.")
            return WRONG_USAGE
        if not await console.confirm("Let this be run from now on, and what is added there later?"):
            say("Nothing was changed.")
            return EXIT["failed"]
    if not known:
        trusted.add(project.folder)
    if as_json:
        print_json({"folder": str(project.folder), "trusted": True, "new": not known, "brings": _brought(project)})
        return 0
    already = "is Switchyard's own folder: it is always used" if is_ours else "was trusted already"
    say(f"{project.folder} {already if known else 'is trusted from now on'}.")
    return 0


def _brought(project: "Project") -> dict[str, Any]:
    from switchyard.toolhub.sources.mcp import read_configs

    servers = read_configs([project.mcp], os.environ)
    shown = {name: config.shown() for name, config in servers.servers.items()}
    return {
        "tools": project.tool_files(),
        "skills": project.skill_names(),
        "servers": {**shown, **{name: {"problem": text} for name, text in servers.problems.items()}},
    }


def _show(project: "Project") -> None:
    """What would be run, by name: who says yes should know to what."""
    from switchyard.app.trust import MCP_FILE
    from switchyard.toolhub.sources.mcp import read_configs

    servers = read_configs([project.mcp], os.environ)
    lines = [f"imported: {name}" for name in project.tool_files()]
    lines += [f"skill: {name}" for name in project.skill_names()]
    lines += [f"MCP server {name}: {config.reached_by()}" for name, config in servers.servers.items()]
    lines += [f"MCP server that cannot be used: {text}" for text in servers.problems.values()]
    if lines:
        say("\n".join([f"{project.folder} brings", *(f"  {line}" for line in lines)]))
    else:
        say(f"{project.folder} brings no tools/, no skills/ and no {MCP_FILE} yet.")
