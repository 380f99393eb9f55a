"""`mcp add` and `mcp remove`: entries of the file that names MCP servers; everything else in it stays."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from switchyard.app.commands.running import EXIT, complain, print_json, run_command
from switchyard.app.commands.servers import no_such_server, where_named
from switchyard.app.console import Console
from switchyard.app.hub import find_places, open_servers
from switchyard.app.places import ROOT
from switchyard.app.settings import Settings
from switchyard.app.trust import Project, TrustedFolders
from switchyard.toolhub.sources.mcp import ServerHealth, read_entries, resolve_entry, write_entry
from switchyard.toolhub.sources.mcp.secrets import secrets_written
from switchyard.tools.core.errors import SettingsInvalid
from switchyard.tools.core.spec import MCPServerSpec


class NewServer(BaseModel):
    """A server as the command line describes it."""

    name: str
    url: str | None = None
    command: list[str] = Field(default_factory=list[str])
    env: list[str] = Field(default_factory=list[str], repr=False)
    headers: list[str] = Field(default_factory=list[str], repr=False)
    cwd: str | None = None
    timeout: float | None = None

    def entry(self) -> dict[str, Any]:
        """The same as the file has it.

        Raises:
            SettingsInvalid: for what cannot be written down.
        """
        return MCPServerSpec(
            name=self.name,
            url=self.url,
            command=next(iter(self.command), None),
            args=tuple(self.command[1:]),
            env=_pairs(self.env, "--env"),
            headers=_pairs(self.headers, "--header"),
            cwd=_folder(self.cwd),
            timeout=self.timeout,
        ).entry()


def add_server(new: NewServer, file: Path | None, *, check: bool, as_json: bool) -> int:
    """Add a server to the file, and say whether it can be reached."""

    async def work(settings: Settings) -> int:
        target, entry = _target(settings, file), new.entry()
        await asyncio.to_thread(_write, settings, target, new.name, entry)
        _advise(entry)
        health = await _reached(settings, new.name, entry) if check else None
        if as_json:
            shown = health.model_dump(mode="json", include={"state", "tools", "error"}) if health else {}
            print_json({"name": new.name, "file": str(target), **shown})
        else:
            tools = f" It offers {health.tools} tools." if health and health.state == "ready" else ""
            Console().say(f"Added {new.name} to {target}.{tools}")
        if health and health.problem:
            complain(
                f"{new.name} cannot be reached: {health.error.rstrip('.')}. `mcp remove {new.name}` takes it out again."
            )
            return EXIT["failed"]
        return 0

    return run_command(work)


def remove_server(name: str, file: Path | None, *, as_json: bool) -> int:
    """Take a server out of the file."""

    async def work(settings: Settings) -> int:
        target = _target(settings, file)
        entries = await asyncio.to_thread(read_entries, target)
        if name not in entries:
            named = await asyncio.to_thread(lambda: where_named(find_places(settings).mcp))
            if name in named:
                raise SettingsInvalid(f"'{name}' is named in {named[name]}: add `--file {named[name]}`.")
            raise no_such_server(name, list(entries))
        await asyncio.to_thread(write_entry, target, name, None)
        if as_json:
            print_json({"name": name, "file": str(target)})
        else:
            Console().say(f"Removed {name} from {target}.")
        return 0

    return run_command(work)


def _target(settings: Settings, file: Path | None) -> Path:
    """The file that is written."""
    if file is None and settings.mcp_files is not None:
        if not settings.mcp_files:
            raise SettingsInvalid("APP_MCP_FILES=[] means that there are no servers: name a file with --file.")
        file = settings.mcp_files[-1]
    target = (file or Project(settings.project).mcp).expanduser().resolve()
    if not target.parent.is_dir():
        raise SettingsInvalid(f"The folder {target.parent} does not exist.")
    return target


def _write(settings: Settings, target: Path, name: str, entry: dict[str, Any]) -> None:
    """Check an entry against what is there, write it, and see to it that it is used."""
    resolve_entry(name, entry, os.environ, folder=target.parent)
    places = find_places(settings)
    if taken := where_named([*places.mcp, target]).get(name):
        raise SettingsInvalid(f"'{name}' is named in {taken} already; take another name, or `mcp remove {name}` first.")
    project = Project(settings.project.expanduser().resolve())
    was_bare = project.is_bare
    write_entry(target, name, entry)
    if target in [path.resolve() for path in find_places(settings).mcp]:
        return
    if target != project.mcp or settings.mcp_files is not None:
        complain(f"{target} is not read here: APP_MCP_FILES='[\"{target}\"]' makes it so.")
    elif was_bare and project.folder != ROOT:
        TrustedFolders(settings.config_dir).add(project.folder)  # all there is in it is what the user just wrote
        complain(f"{project.folder} is trusted from now on; `switchyard trust --remove` takes that back.")
    else:
        complain(f"{project.folder} has more in it than this server, and is not trusted: see `switchyard trust`.")


def _advise(entry: dict[str, Any]) -> None:
    env, headers = entry.get("env", {}), entry.get("headers", {})
    written = secrets_written(env, headers, entry.get("args", ()), entry.get("url"))
    if any(value and "${" not in value for value in written):
        complain("A secret now stands in the file as it is; '${NAME}' in its place takes it from the environment.")


async def _reached(settings: Settings, name: str, entry: dict[str, Any]) -> ServerHealth:
    with Console().working(f"starting {name}…"):
        async with open_servers(settings, {name: entry}) as source:
            return next(iter(await source.probe()))


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise SettingsInvalid(f"{option} is written NAME=VALUE.")  # what was given may be a secret
        pairs[name.strip()] = value
    return pairs


def _folder(written: str | None) -> str | None:
    """A folder as it is meant where the command is typed; the file may lie elsewhere."""
    if written is None or "${" in written:
        return written
    folder = Path(written).expanduser().absolute()
    if not folder.is_dir():
        raise SettingsInvalid(f"--cwd: {folder} is not a folder that exists.")
    return str(folder)
