"""`mcp list`, `tools` and `health`: the MCP servers there are, what they offer and how they are."""

import asyncio
from pathlib import Path

from app.commands.running import EXIT, complain, print_json, run_command
from app.commands.trusting import tell_untrusted
from app.console import Console
from app.hub import find_places, open_servers
from app.settings import Settings
from toolhub.sources.mcp import McpSource, ServerHealth, read_entries
from tools.core.errors import SettingsInvalid

UNWELL = {"down", "invalid"}
"""States in which a server cannot be used, although it should."""


def is_unwell(health: ServerHealth) -> bool:
    """Whether a server cannot be used: it is down, or it was asked, did not answer and is being started again."""
    return health.state in UNWELL or (health.state == "starting" and bool(health.error))


def list_servers(*, as_json: bool) -> int:
    """List the servers, with where each is named; those whose tools are known are not started."""

    async def work(settings: Settings) -> int:
        await tell_untrusted(settings)
        files = await asyncio.to_thread(lambda: find_places(settings).mcp)
        with Console().working("looking at the MCP servers…"):
            async with open_servers(settings) as source:
                healths, configs = source.health(), {config.name: config for config in source.configs()}
        named = await asyncio.to_thread(where_named, files)
        if as_json:
            shown = {name: config.shown() for name, config in configs.items()}
            servers = [
                {**health.model_dump(mode="json"), "entry": shown.get(health.name), "file": named.get(health.name)}
                for health in healths
            ]
            print_json({"servers": servers})
            return 0
        reached = {name: config.reached_by() for name, config in configs.items()}
        rows = [
            (
                one.name,
                one.transport,
                one.state,
                str(one.tools),
                str(named.get(one.name, "")),
                reached.get(one.name, ""),
            )
            for one in healths
        ]
        Console().show_table(("server", "transport", "state", "tools", "file", "reached by"), rows, cut=True)
        _complain_of(healths)
        return 0

    return run_command(work)


def list_server_tools(server: str | None, *, as_json: bool) -> int:
    """List the tools of one server, or of all."""

    async def work(settings: Settings) -> int:
        with Console().working("asking the MCP servers…"):
            async with open_servers(settings) as source:
                healths = _of(source, server)
                names = {health.name for health in healths}
                specs = [tool.spec for tool in source.tools() if tool.spec.name.partition("/")[0] in names]
        if as_json:
            print_json({"tools": [spec.model_dump(mode="json") for spec in specs]})
        else:
            rows = [(spec.name, "yes" if spec.asks_first else "", spec.summary) for spec in specs]
            Console().show_table(("name", "asks", "what it does"), rows, cut=True)
        _complain_of(healths)
        return EXIT["failed"] if server and not specs else 0

    return run_command(work)


def check_servers(server: str | None, *, as_json: bool) -> int:
    """Start the servers and ask each how it is."""

    async def work(settings: Settings) -> int:
        with Console().working("starting the MCP servers…"):
            async with open_servers(settings) as source:
                names = [health.name for health in _of(source, server)]
                known = [config.name for config in source.configs() if config.name in names]
                await asyncio.gather(*(source.find(name).probe() for name in known))
                healths = _of(source, server)
        if as_json:
            print_json({"servers": [health.model_dump(mode="json") for health in healths]})
        else:
            rows = [(one.name, one.transport, one.state, str(one.tools), one.error) for one in healths]
            Console().show_table(("server", "transport", "state", "tools", "error"), rows)
        return EXIT["failed"] if any(map(is_unwell, healths)) else 0

    return run_command(work)


def where_named(files: list[Path]) -> dict[str, Path]:
    """The file each server is named in; a later one counts, as it does for the servers."""
    found: dict[str, Path] = {}
    for file in files:
        try:
            found |= dict.fromkeys(read_entries(file), file)
        except SettingsInvalid:
            found[file.name] = file  # the source reports it under the file's name
    return found


def no_such_server(name: str, names: list[str]) -> SettingsInvalid:
    """The error for a server that is not there."""
    there = f"there are {', '.join(names)}." if names else "none is configured; `mcp add` adds one."
    return SettingsInvalid(f"There is no MCP server '{name}'; {there}")


def _of(source: McpSource, server: str | None) -> list[ServerHealth]:
    """How the server asked for is, or all."""
    healths = source.health()
    found = [health for health in healths if server in {None, health.name}]
    if server is not None and not found:
        raise no_such_server(server, [health.name for health in healths])
    return found


def _complain_of(healths: list[ServerHealth]) -> None:
    for health in healths:
        if is_unwell(health):
            complain(f"{health.name} is {health.state}: {health.error}")
