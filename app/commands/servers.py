"""`mcp list`, `tools` and `health`: the MCP servers there are, what they offer and how they are."""

import asyncio
from pathlib import Path

from switchyard.app.commands.running import EXIT, print_json, run_command
from switchyard.app.commands.trusting import in_untrusted_folder, tell_untrusted
from switchyard.app.commands.unusable import tell_unusable
from switchyard.app.console import Console
from switchyard.app.hub import find_places, open_servers
from switchyard.app.settings import Settings
from switchyard.toolhub.sources.mcp import McpSource, ServerHealth, read_entries
from switchyard.tools.core.errors import SettingsInvalid


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
        tell_unusable(servers=healths)
        return 0

    return run_command(work)


def list_server_tools(server: str | None, *, as_json: bool) -> int:
    """List the tools of one server, or of all."""

    async def work(settings: Settings) -> int:
        with Console().working("asking the MCP servers…"):
            async with open_servers(settings) as source:
                healths = await _of(settings, source, server)
                if server and healths[0].problem:
                    await source.probe(server)  # who names it may have mended it
                    healths = await _of(settings, source, server)
                names = {health.name for health in healths}
                specs = [tool.spec for tool in source.tools() if tool.spec.name.partition("/")[0] in names]
        if as_json:
            print_json({"tools": [spec.model_dump(mode="json") for spec in specs]})
        else:
            rows = [(spec.name, "yes" if spec.asks_first else "", spec.summary) for spec in specs]
            Console().show_table(("name", "asks", "what it does"), rows, cut=True)
        tell_unusable(servers=healths)
        return EXIT["failed"] if server and not specs else 0

    return run_command(work)


def check_servers(server: str | None, *, as_json: bool) -> int:
    """Start the servers and ask each how it is."""

    async def work(settings: Settings) -> int:
        with Console().working("starting the MCP servers…"):
            async with open_servers(settings) as source:
                await source.probe(server)
                healths = await _of(settings, source, server)
        if as_json:
            print_json({"servers": [health.model_dump(mode="json") for health in healths]})
        else:
            rows = [(one.name, one.transport, one.state, str(one.tools), one.error) for one in healths]
            Console().show_table(("server", "transport", "state", "tools", "error"), rows)
        return EXIT["failed"] if any(health.problem for health in healths) else 0

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


async def _of(settings: Settings, source: McpSource, server: str | None) -> list[ServerHealth]:
    """How the server asked for is, or all."""
    healths = source.health()
    found = [health for health in healths if server in {None, health.name}]
    if server is not None and not found:
        raise await in_untrusted_folder(settings, server) or no_such_server(server, [one.name for one in healths])
    return found
