"""Where tools come from: folders and MCP servers fill the registry, and keep it up to date (R4.1).

Folders are looked at again: a file that came, went or changed is noticed (R4.2, R4.6).
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from switchyard.language.messages import message
from switchyard.toolhub.registry import RegisteredTool, ToolRegistry
from switchyard.toolhub.sources.mcp.session import ServerHealth
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.toolhub.sources.native import BrokenFile, Discovery, Stamp, discover, stamp
from switchyard.toolhub.sources.shipped import LateRunner, discover_shipped
from switchyard.toolhub.sources.skills.source import discover_skills, skill_files
from switchyard.tools.core.errors import SettingsInvalid, ToolFailed
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.spec import MCPServerSpec, ToolCapability, ToolSpec

OpensMcp = Callable[..., McpSource]
"""Makes the source of MCP tools, such as a `partial` of `McpSource`, with what is told of changes as `on_change`."""

log = get_logger(__name__)


class Folder:
    """Where tools or skills are, and what it gave when it was last read."""

    def __init__(
        self, path: Path, package: str | None = None, *, skills: bool = False, cache_dir: Path | None = None
    ) -> None:
        """Nothing is read yet. `package` is the importable one the folder is, if it is ours."""
        self.path = path
        self._package = package
        self._skills = skills
        self._cache_dir = cache_dir
        self.group = f"{'skills' if skills else 'tools'}:{path.absolute()}"
        """What its tools are registered under as one."""
        self.found = Discovery()
        self._stamps: dict[str, Stamp | None] = {}
        """The files that were read."""
        self._watched: dict[str, Stamp | None] | None = None
        """What tells that something has changed: the files, and the folders they are in."""

    def has_changed(self) -> bool:
        """Whether something in the folder may have come, gone or changed since it was read; looks at the disk.

        Before every question: what is known is looked at, nothing is listed.
        """
        return self._watched is None or any(stamp(path) != known for path, known in self._watched.items())

    def read_again(self, taken: Mapping[str, Path]) -> bool:
        """Read the folder if something in it has changed; says whether it had. Other folders' skills took names."""
        folders: list[Path] = [self.path]
        files: list[Path] = []
        with suppress(OSError):  # no such folder
            folders += [] if self._skills else self.path.glob("*/")
            files += [file for folder in folders for file in folder.glob("*.py")]
            files += skill_files(self.path, folders) if self._skills else []
        stamps = {str(file): stamp(file) for file in files}
        # a module of ours that was imported stays as it is: there, what came or went is all that counts
        looked_at = {} if self._package is not None and not self._skills else stamps
        self._watched = {**looked_at, **{str(folder): stamp(folder) for folder in folders}}
        if stamps == self._stamps:
            return False
        found = self._read(taken)
        if self._package is not None:
            # a module that was imported stays as it is, so a tool that looks the same is the same: it keeps its state
            known = [(tool.spec, tool) for tool in self.found.tools]
            found.tools = [next((one for spec, one in known if spec == tool.spec), tool) for tool in found.tools]
        self._stamps, self.found = stamps, found
        return True

    def skills(self) -> dict[str, Path]:
        """The names the folder's skills take, with their files."""
        return {tool.spec.tool_id: tool.file or self.path for tool in self.found.tools} if self._skills else {}

    def _read(self, taken: Mapping[str, Path]) -> Discovery:
        if not self.path.is_dir():
            return Discovery()
        if self._skills:
            return discover_skills(self.path, self._package, taken=taken)
        if self._package is not None:
            return discover_shipped(self.path, self._package, self._cache_dir)
        return discover(self.path)


class Supply:
    """All sources of one registry."""

    def __init__(self, registry: ToolRegistry, folders: Sequence[Folder], open_mcp: OpensMcp) -> None:
        self._registry = registry
        self._folders = list({folder.group: folder for folder in reversed(folders)}.values())[::-1]
        self._open_mcp = open_mcp
        self.mcp: McpSource | None = None
        self._reading = asyncio.Lock()
        self._late: list[LateRunner] = []
        """What runs tools that are known and not imported yet."""
        self._said: dict[str, MCPServerSpec] = {}
        """What was said of the servers that were registered."""

    async def open(self) -> None:
        """Read the folders and open the source of MCP tools, at the same time; once open, look for changes."""
        if self.mcp is not None:
            await self.refresh()
            return
        source = self._open_mcp(on_change=self._server_changed)
        opening = asyncio.create_task(source.__aenter__())
        try:
            await self._read_folders()
            await opening
        except BaseException:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
            await source.__aexit__()
            raise
        self.mcp = source
        for server in source.configs():
            self._server_changed(server.name, source.tools(server.name))

    async def load(self) -> None:
        """Import what runs the tools, in a thread: modules read files, for which the event loop must not wait."""
        if self._late:
            await asyncio.to_thread(self._load)

    async def refresh(self, beside: Callable[[], None] = lambda: None) -> None:
        """Take over what has changed, and have everything imported; what is done `beside` goes to the same thread."""
        # one trip to a thread for all: this stands before every question
        if not await asyncio.to_thread(self._has_changed, beside):
            return
        await self._read_folders()
        if self.mcp is not None:
            await self.mcp.refresh()

    async def close(self) -> None:
        """End the servers."""
        source, self.mcp = self.mcp, None
        if source is not None:
            await source.__aexit__()

    def broken(self) -> list[BrokenFile]:
        """Files that did not load."""
        return [broken for folder in self._folders for broken in folder.found.broken]

    def absence(self, tool: RegisteredTool) -> str | None:
        """Why the server of a tool cannot be reached; None when it can, or the tool has none."""
        if tool.spec.source != "mcp" or self.mcp is None:
            return None
        try:
            return self.mcp.find(tool.spec.tool_id.partition("/")[0]).absence()
        except ToolFailed as error:
            return str(error)

    def why_missing(self, name: str) -> str | None:
        """Why a server, or the server of a tool, offers nothing; None where that is not the reason."""
        found = self._server_of(name)
        if found and found.state == "disabled":
            return message("server_disabled", server=found.name)
        problem = found and found.problem
        return message("server_is", server=name.partition("/")[0], state=problem.rstrip(".")) if problem else None

    async def reach(self, name: str) -> None:
        """Try a server that is down at once, when somebody names it or one of its tools."""
        found = self._server_of(name)
        if self.mcp is not None and found is not None and found.problem:
            await self.mcp.probe(found.name)

    def _server_of(self, name: str) -> ServerHealth | None:
        server = name.partition("/")[0]
        return next((one for one in (self.mcp.health() if self.mcp else ()) if one.name == server), None)

    def has_server(self, name: str) -> bool:
        """Whether there is a server of that name."""
        return self.mcp is not None and any(server.name == name for server in self.mcp.configs())

    async def add_server(self, spec: MCPServerSpec) -> None:
        """Add a server and wait until it has told its tools.

        Raises:
            SettingsInvalid: when it cannot be described like this, or does not answer; it is not kept then.
        """
        name = spec.tool_id
        if self.mcp is None:
            raise SettingsInvalid(message("library_not_open"))
        self._said[name] = spec
        answered = False
        try:
            answered = await self.mcp.add_server(name, spec.entry())
            why = None if answered else self.why_missing(name)
        finally:
            if not answered:
                await self.remove_server(name)
        if not answered:
            raise SettingsInvalid(why or message("server_is", server=name, state="down: it did not answer in time"))

    async def remove_server(self, name: str) -> bool:
        """Take a server's tools away and close it; says whether it was there."""
        self._said.pop(name, None)
        return self.mcp is not None and await self.mcp.remove_server(name)

    def _load(self) -> None:
        while self._late:
            self._late.pop().load()

    def _has_changed(self, beside: Callable[[], None]) -> bool:
        self._load()
        beside()
        mcp = self.mcp
        return any(folder.has_changed() for folder in self._folders) or (mcp is not None and mcp.has_changed())

    async def _read_folders(self) -> None:
        async with self._reading:
            for folder in self._folders:
                others = [other for other in self._folders if other is not folder]
                taken = {name: file for other in others for name, file in other.skills().items()}
                if not await asyncio.to_thread(folder.read_again, taken):
                    continue
                self._registry.replace(folder.group, folder.found.tools)
                self._late += [tool.run for tool in folder.found.tools if isinstance(tool.run, LateRunner)]
                for broken in folder.found.broken:
                    log.info("tool_file_broken", file=str(broken.path), error=broken.error)

    def _server_changed(self, server: str, tools: Sequence[RegisteredTool]) -> None:
        if self.mcp is None:  # behind the folders, so that tools stand in the same order at every start
            return
        said = self._said.get(server)
        told = [replace(tool, spec=_as_said(tool.spec, said)) for tool in tools] if said else tools
        self._registry.replace(f"mcp:{server}", told)


def _as_said(spec: ToolSpec, said: MCPServerSpec) -> ToolSpec:
    """A server's tool with what whoever registered the server says of it."""
    (capability,) = spec.capabilities
    known = next((one for one in said.capabilities if one.name == capability.name), ToolCapability(name=""))
    own = {"examples": known.examples, "category": known.category, "sentences": known.sentences}
    return spec.model_copy(
        update={
            "tags": (*spec.tags, *said.tags),
            "server": f"{said.description}\n{spec.server}".strip(),
            "sentences": known.sentences,
            "category": spec.category if known.category == capability.category else known.category,
            "capabilities": (capability.model_copy(update=own),),
        }
    )
