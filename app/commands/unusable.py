"""What cannot be used, in a sentence each: files that did not load, MCP servers that are down (R4.2, R4.7)."""

from collections.abc import Iterable

from switchyard.app.commands.running import complain
from switchyard.app.commands.trusting import in_untrusted_folder
from switchyard.app.settings import Settings
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.sources.mcp import ServerHealth
from switchyard.toolhub.sources.native import BrokenFile
from switchyard.tools.core.errors import ToolUnknown


def tell_unusable(files: Iterable[BrokenFile] = (), servers: Iterable[ServerHealth] = ()) -> None:
    """Say which files and servers cannot be used, and why."""
    for text in _sentences(files, servers):
        complain(text)


class Complaints:
    """Says what of a hub cannot be used, each thing once, however often it is asked."""

    def __init__(self, library: UnifiedToolLibrary) -> None:
        self._library = library
        self._said: set[str] = set()

    def tell(self) -> None:
        """Say what has not been said yet."""
        for text in _sentences(self._library.broken, servers_of(self._library)):
            if text not in self._said:
                self._said.add(text)
                complain(text)


async def unknown_tool(settings: Settings, library: UnifiedToolLibrary, name: str) -> ToolUnknown:
    """The error for a tool that is not there; files that did not load are said first, as it may be in one of them."""
    tell_unusable(library.broken)
    return await in_untrusted_folder(settings, name) or library.unknown(name)


def servers_of(library: UnifiedToolLibrary) -> list[ServerHealth]:
    """How the MCP servers of a hub are."""
    return library.mcp.health() if library.mcp is not None else []


def _sentences(files: Iterable[BrokenFile], servers: Iterable[ServerHealth]) -> list[str]:
    broken = [f"{file.path} did not load: {file.error}" for file in files]
    return broken + [f"{server.name} is {server.problem}" for server in servers if server.problem]
