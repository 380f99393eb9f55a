"""`trust`: whose folders' tools, skills and MCP servers may be run."""

import os
from pathlib import Path
from typing import Annotated

import typer

from switchyard.app.cli.command import EXIT, WRONG_USAGE, WrongUsage, command, complain, load, say, show, tell
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.options import Json
from switchyard.app.places import ROOT
from switchyard.language.messages import message

with loaded_late():
    from switchyard.app import console
    from switchyard.app import trust as trusting
    from switchyard.toolhub.sources.mcp import config as mcp


@command
async def trust(
    folder: Annotated[Path | None, typer.Argument(help="The folder; without one, the current.")] = None,
    *,
    listed: Annotated[bool, typer.Option("--list", help="List the folders that are trusted.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Trust the folder no longer.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> int:
    """Let the tools/, skills/ and mcp.local.json of a folder be used, after showing what they would run."""
    if listed and (remove or folder):
        raise WrongUsage(message("list_alone"))
    settings = load()
    trusted = trusting.TrustedFolders(settings.config_dir)
    if listed:
        found = [(folder, folder.is_dir(), trusting.Project(folder).brings()) for folder in trusted.folders()]
        shown = [{"folder": str(folder), "exists": exists, "brings": brings} for folder, exists, brings in found]
        rows = [(str(folder), ", ".join(brings) if exists else "no longer there") for folder, exists, brings in found]
        show({"folders": shown}, ("folder", "brings"), rows, json=json)
        return 0
    project = trusting.Project((folder or settings.project).expanduser().resolve())
    if not remove:
        return await _trust(project, trusted, yes=yes, as_json=json)
    if not trusted.remove(project.folder):
        raise WrongUsage(message("was_not_trusted", folder=str(project.folder)))
    tell({"folder": str(project.folder), "trusted": False}, f"{project.folder} is not trusted any more.", json=json)
    return 0


async def _trust(project: "trusting.Project", trusted: "trusting.TrustedFolders", *, yes: bool, as_json: bool) -> int:
    """Show what a folder brings, ask, and remember the answer."""
    if not project.folder.is_dir():
        raise WrongUsage(message("folder_missing", folder=str(project.folder)))
    is_ours, person = project.folder == ROOT, console.Console()
    known = is_ours or project.folder in trusted
    tools, skills, servers = project.tool_files(), project.skill_names(), mcp.read_configs([project.mcp], os.environ)
    if not as_json:  # who says yes should know to what
        lines = [f"imported: {name}" for name in tools] + [f"skill: {name}" for name in skills]
        lines += [f"MCP server {name}: {config.reached_by()}" for name, config in servers.servers.items()]
        lines += [f"MCP server that cannot be used: {text}" for text in servers.problems.values()]
        brought = "\n  ".join(["", *lines]) if lines else f" no tools/, no skills/ and no {trusting.MCP_FILE} yet."
        say(f"{project.folder} brings{brought}")
    if not known and not yes:
        if not person.has_person or as_json:
            complain(message("nobody_says_yes"))
            return WRONG_USAGE
        if not await person.confirm("Let this be run from now on, and what is added there later?"):
            say("Nothing was changed.")
            return EXIT["failed"]
    if not known:
        trusted.add(project.folder)
    shown = {name: config.shown() for name, config in servers.servers.items()}
    shown |= {name: {"problem": text} for name, text in servers.problems.items()}
    brings = {"tools": tools, "skills": skills, "servers": shown}
    already = "is Switchyard's own folder: it is always used" if is_ours else "was trusted already"
    text = f"{project.folder} {already if known else 'is trusted from now on'}."
    tell({"folder": str(project.folder), "trusted": True, "new": not known, "brings": brings}, text, json=as_json)
    return 0
