"""What a command tells its user before it works: what of a folder or of the hub cannot be used, and why."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from switchyard.app.cli.command import complain, spoken
from switchyard.app.cli.late import loaded_late
from switchyard.language.messages import message, quoted

with loaded_late():
    import asyncio

    from switchyard.app import hub

if TYPE_CHECKING:
    from switchyard.app.settings import Settings
    from switchyard.toolhub.hub import ToolHub
    from switchyard.toolhub.sources.mcp.session import ServerHealth
    from switchyard.toolhub.sources.native import BrokenFile


def tell_unusable(
    files: "Iterable[BrokenFile]" = (), servers: "Iterable[ServerHealth]" = (), *, said: set[str] | None = None
) -> None:
    """Say which files and servers cannot be used, and why; what was said before is left out, and the rest joins it."""
    told = [message("file_did_not_load", path=str(file.path), why=quoted(file.error)) for file in files]
    told += [f"{server.name} is {server.problem}" for server in servers if server.problem]
    said = set() if said is None else said
    for text in told:
        if text not in said:
            complain(text)
    said.update(told)


async def tell_untrusted(settings: "Settings") -> None:
    """Say that the project folder has something that is not used."""
    places = await asyncio.to_thread(hub.find_places, settings)
    if notice := places.notice(spoken()):
        complain(notice)


async def unknown_tool(settings: "Settings", toolhub: "ToolHub", name: str) -> Exception:
    """The error for a tool that is not there; what is left out is said first, as it may be in that."""
    tell_unusable(toolhub.supply.broken())
    await tell_untrusted(settings)
    return toolhub.unknown(name)


def servers_of(toolhub: "ToolHub") -> "list[ServerHealth]":
    """How the MCP servers of a hub are."""
    return toolhub.supply.mcp.health() if toolhub.supply.mcp is not None else []
