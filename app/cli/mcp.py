"""`mcp`: the MCP servers there are, what they offer, how they are, and the entries of the file that names them."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from switchyard.app.cli.command import EXIT, WrongUsage, command, complain, load, show, tell
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.notices import tell_untrusted, tell_unusable
from switchyard.app.cli.options import Json
from switchyard.app.places import ROOT
from switchyard.language.messages import message, quoted

with loaded_late():
    import asyncio

    from switchyard.app import hub, trust
    from switchyard.toolhub.sources.mcp import config as mcp

if TYPE_CHECKING:
    from switchyard.app.settings import Settings
    from switchyard.toolhub.sources.mcp.session import ServerHealth
    from switchyard.toolhub.sources.mcp.source import McpSource

group = typer.Typer(help="MCP servers: list, tools, health, add, remove.", no_args_is_help=True)

OneServer = Annotated[str | None, typer.Argument(metavar="[SERVER]", help="One server; without it, all.")]
ServersFile = Annotated[
    Path | None,
    typer.Option("--file", help="The file to change; else the last of APP_MCP_FILES, else mcp.local.json here."),
]


@group.command("list")
@command
async def list_servers(*, json: Json = False) -> None:
    """List the servers: how each is reached, its state, its tools, and the file that names it."""
    settings = load()
    await tell_untrusted(settings)
    async with hub.open_servers(settings) as source:  # none whose tools are known is started
        healths, configs = source.health(), {config.name: config for config in source.configs()}
    named = await asyncio.to_thread(_where_named, settings)
    servers: list[dict[str, Any]] = []
    rows: list[tuple[str, ...]] = []
    for one in healths:
        config, file = configs.get(one.name), named.get(one.name)
        servers.append({**one.model_dump(mode="json"), "entry": config and config.shown(), "file": file})
        reached = config.reached_by() if config else ""
        rows.append((one.name, one.transport, one.state, str(one.tools), str(file or ""), reached))
    heads = ("server", "transport", "state", "tools", "file", "reached by")
    show({"servers": servers}, heads, rows, json=json, cut=True)
    if not json:
        tell_unusable(servers=healths)


@group.command("tools")
@command
async def list_server_tools(server: OneServer = None, *, json: Json = False) -> int:
    """List the tools of the servers."""
    settings = load()
    async with hub.open_servers(settings) as source:
        healths = await _healths(settings, source, server)
        if server and healths[0].problem:
            await source.probe(server)  # who names it may have mended it
            healths = await _healths(settings, source, server)
        names = {health.name for health in healths}
        specs = [tool.spec for tool in source.tools() if tool.spec.tool_id.partition("/")[0] in names]
    rows = [(spec.tool_id, "yes" if spec.asks_first else "", spec.summary) for spec in specs]
    shown = {"tools": [spec.model_dump(mode="json") for spec in specs]}
    show(shown, ("name", "asks", "what it does"), rows, json=json, cut=True)
    tell_unusable(servers=healths)
    return EXIT["failed"] if server and not specs else 0


@group.command("health")
@command
async def check_servers(server: OneServer = None, *, json: Json = False) -> int:
    """Start the servers and ask each how it is. Exit code 1 when one is down or cannot be used."""
    settings = load()
    async with hub.open_servers(settings) as source:
        await source.probe(server)
        healths = await _healths(settings, source, server)
    rows = [(one.name, one.transport, one.state, str(one.tools), one.error) for one in healths]
    shown = {"servers": [health.model_dump(mode="json") for health in healths]}
    show(shown, ("server", "transport", "state", "tools", "error"), rows, json=json)
    return EXIT["failed"] if any(health.problem for health in healths) else 0


@group.command("add")
@command
async def add_server(
    name: Annotated[str, typer.Argument(help="The server's name; its tools are called NAME/TOOL.")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND ARGS...]", help="What starts it, after `--`.")
    ] = None,
    *,
    url: Annotated[str | None, typer.Option("--url", help="The address of a server over streamable HTTP.")] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", help="NAME=VALUE for the server; '${VAR}' is filled in at start.")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", help="NAME=VALUE sent to the address; '${VAR}' as above.")
    ] = None,
    file: ServersFile = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Do not try whether it can be reached.")] = False,
    json: Json = False,
) -> int:
    """Add a server to the file of servers. Exit code 1 when it was added and cannot be reached."""
    from switchyard.tools.core.spec import MCPServerSpec

    settings = load()
    target = _target(settings, file)
    program = command or []
    entry = MCPServerSpec(
        tool_id=name,
        endpoint=url or "",
        command=program[0] if program else "",
        args=tuple(program[1:]),
        env=_pairs(env or (), "--env"),
        headers=_pairs(header or (), "--header"),
    ).entry()
    await asyncio.to_thread(_write, settings, target, name, entry)
    _advise(entry)
    health = None
    if not no_check:
        async with hub.open_servers(settings, {name: entry}) as source:
            health = next(iter(await source.probe()))
    shown = health.model_dump(mode="json", include={"state", "tools", "error"}) if health else {}
    tools = f" It offers {health.tools} tools." if health and health.state == "ready" else ""
    tell({"name": name, "file": str(target), **shown}, f"Added {name} to {target}.{tools}", json=json)
    if health and health.problem:
        complain(message("mcp_unreachable", name=name, why=quoted(health.error)))
        return EXIT["failed"]
    return 0


@group.command("remove")
@command
async def remove_server(
    name: Annotated[str, typer.Argument(help="The server's name.")], *, file: ServersFile = None, json: Json = False
) -> None:
    """Take a server out of the file of servers."""
    settings = load()
    target = _target(settings, file)
    entries = await asyncio.to_thread(mcp.read_entries, target)
    if name not in entries:
        named = await asyncio.to_thread(_where_named, settings)
        if name in named:
            raise WrongUsage(message("mcp_named_in", name=name, file=str(named[name])))
        raise _no_such_server(name, list(entries))
    await asyncio.to_thread(mcp.write_entry, target, name, None)
    tell({"name": name, "file": str(target)}, f"Removed {name} from {target}.", json=json)


def _where_named(settings: "Settings", *more: Path) -> dict[str, Path]:
    """The file each server is named in; a later one counts, as it does for the servers."""
    from switchyard.tools.core.errors import SettingsInvalid

    found: dict[str, Path] = {}
    for file in [*hub.find_places(settings).mcp, *more]:
        try:
            found |= dict.fromkeys(mcp.read_entries(file), file)
        except SettingsInvalid:
            found[file.name] = file  # the source reports it under the file's name
    return found


def _no_such_server(name: str, names: list[str]) -> WrongUsage:
    return WrongUsage(message("mcp_unknown", name=name, names=names) if names else message("mcp_none", name=name))


async def _healths(settings: "Settings", source: "McpSource", server: str | None) -> "list[ServerHealth]":
    healths = source.health()
    found = [health for health in healths if server in {None, health.name}]
    if server is not None and not found:
        await tell_untrusted(settings)
        raise _no_such_server(server, [one.name for one in healths])
    return found


def _target(settings: "Settings", file: Path | None) -> Path:
    if file is None and settings.mcp_files is not None:
        if not settings.mcp_files:
            raise WrongUsage(message("mcp_files_empty"))
        file = settings.mcp_files[-1]
    target = (file or trust.Project(settings.project).mcp).expanduser().resolve()
    if not target.parent.is_dir():
        raise WrongUsage(message("folder_missing", folder=str(target.parent)))
    return target


def _write(settings: "Settings", target: Path, name: str, entry: dict[str, Any]) -> None:
    """Check an entry against what is there, write it, and see to it that it is used."""
    mcp.resolve_entry(name, entry, os.environ, folder=target.parent)
    if taken := _where_named(settings, target).get(name):
        raise WrongUsage(message("mcp_taken", name=name, file=str(taken)))
    project = trust.Project(settings.project.expanduser().resolve())
    was_bare = project.is_bare
    mcp.write_entry(target, name, entry)
    if target in [path.resolve() for path in hub.find_places(settings).mcp]:
        return
    if target != project.mcp or settings.mcp_files is not None:
        complain(message("mcp_not_read", file=str(target)))
    elif was_bare and project.folder != ROOT:
        trust.TrustedFolders(settings.config_dir).add(project.folder)  # all there is in it is what the user just wrote
        complain(message("now_trusted", folder=str(project.folder)))
    else:
        complain(message("more_than_server", folder=str(project.folder)))


def _advise(entry: dict[str, Any]) -> None:
    env, headers = entry.get("env", {}), entry.get("headers", {})
    written = mcp.secrets_written(env, headers, entry.get("args", ()), entry.get("url"))
    if any(value and "${" not in value for value in written):
        complain(message("secret_written"))


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise WrongUsage(message("written_as_pair", option=option))  # what was given may be a secret
        pairs[name.strip()] = value
    return pairs
