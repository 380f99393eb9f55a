"""All MCP servers together: their tools, their health, and the file that names them (R4.7)."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

from switchyard.language.messages import message
from switchyard.toolhub.calling.arguments import SchemaCheck
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.mcp.config import Configured, ServerConfig, read_configs, resolve_entry
from switchyard.toolhub.sources.mcp.session import Patience, Server, ServerHealth, ToolListCache
from switchyard.toolhub.sources.native import Stamp, stamp
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

Changed = Callable[[str, list[RegisteredTool]], None]
"""Told when a server's tools are known or have changed: its name, and all it offers now."""

IDEMPOTENCY_KEY = "switchyard/idempotency-key"
"""The `_meta` field a server finds the key of the attempt in."""
_GRACE = 1.0
"""Seconds the hub waits longer than we do, so that it is our sentence that is heard."""

log = get_logger(__name__)


class McpSource:
    """Servers from files that may change while it is open, and servers added at run time.

    Opening waits for no server whose tool list is cached, and a bounded time for the others. Servers are started when
    one of their tools is first called, or when their list is not known.
    """

    def __init__(
        self,
        config: Path | Sequence[Path] | Mapping[str, Any],
        *,
        cache_dir: Path | None,
        environment: Mapping[str, str],
        on_change: Changed | None = None,
        workspace: Path | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Nothing is read or started yet.

        `config` is files in the `mcpServers` form, a later one winning, or the servers themselves by name; `${VAR}` is
        taken from the `environment`, of which servers get PATH, HOME and the like. Without a `cwd` of their own they
        are started in the `workspace`. Without a `cache_dir`, no tool list is kept.
        """
        self._given = (config,) if isinstance(config, Path | Mapping) else tuple(config)
        self._paths = [one for one in self._given if isinstance(one, Path)]
        self._cache = ToolListCache(cache_dir)
        self._environment = environment
        self._on_change = on_change
        self._patience = patience or Patience()
        self._new_server = partial(
            Server,
            cache=self._cache,
            environment=environment,
            workspace=workspace,
            patience=self._patience,
            listed=self._listed,
        )
        self._configured = Configured()
        self._added: dict[str, ServerConfig] = {}
        self._servers: dict[str, Server] = {}
        self._tools: dict[str, list[RegisteredTool]] = {}
        self._stamps: list[Stamp | None] | None = None
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> Self:
        try:
            await self.refresh()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        servers, self._servers = self._servers, {}
        await asyncio.gather(*(server.close() for server in servers.values()))

    def tools(self, server: str | None = None) -> list[RegisteredTool]:
        """Every tool of every server, or of one, as far as it is known."""
        return [tool for name, tools in self._tools.items() if server in {None, name} for tool in tools]

    def configs(self) -> list[ServerConfig]:
        """The servers there are; `shown()` of each is for people."""
        return [server.config for server in self._servers.values()]

    def health(self) -> list[ServerHealth]:
        """How each server is, those that cannot be used included; nothing is started."""
        problems = self._configured.problems.items()
        invalid = [ServerHealth(name=name, state="invalid", error=problem) for name, problem in problems]
        return [*(server.health() for server in self._servers.values()), *invalid]

    async def probe(self, name: str | None = None) -> list[ServerHealth]:
        """The same after asking one server, or each; one that is down is tried at once."""
        asked = [server for server in self._servers.values() if name in {None, server.config.name}]
        await asyncio.gather(*(server.probe() for server in asked))
        return self.health()

    def has_changed(self) -> bool:
        """Whether the files changed since they were read; looks at the disk."""
        return self._stamped() != self._stamps

    def _stamped(self) -> list[Stamp | None]:
        return list(map(stamp, self._paths))

    async def refresh(self) -> None:
        """Take over what has changed in the files; cheap when nothing has. Meant to be called before each question.

        A file that cannot be read changes nothing but `health`: it may be half written.
        """
        async with self._lock:
            if not await asyncio.to_thread(self.has_changed):
                return
            self._stamps = await asyncio.to_thread(self._stamped)
            found = await asyncio.to_thread(read_configs, self._given, self._environment)
            known = self._configured.servers if found.unreadable else dict[str, ServerConfig]()
            self._configured = replace(found, servers={**known, **found.servers})
            for name, problem in found.problems.items():
                log.info("mcp_config_problem", server=name, error=problem)
            await self._apply()

    async def add_server(self, name: str, entry: Mapping[str, Any]) -> bool:
        """Add or replace a server for as long as this source is open; says whether it told its tools in time."""
        config = resolve_entry(name, entry, self._environment)
        async with self._lock:
            self._added[name] = config
            await self._apply()
            server = self._servers[name]
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.start):
                await server.asked.wait()
        return server.tools is not None

    async def remove_server(self, name: str) -> bool:
        """Close a server and take its tools away; says whether it was there. Files stay as they are."""
        async with self._lock:
            there = name in self._servers
            self._added.pop(name, None)
            self._configured.servers.pop(name, None)
            await self._apply()
            return there

    def find(self, name: str) -> Server:
        """The server of that name as it is now."""
        if server := self._servers.get(name):
            return server
        raise ToolFailed(message("server_not_configured", server=name), kind="unavailable")

    async def _apply(self) -> None:
        wanted = {**self._configured.servers, **self._added}
        old = [name for name, server in self._servers.items() if wanted.get(name) != server.config]
        closing = [self._servers.pop(name) for name in old]
        for name in old:
            self._offer(name, [])
        new = [self._new_server(config) for name, config in wanted.items() if name not in self._servers]
        self._servers |= {server.config.name: server for server in new}
        await asyncio.gather(self._open(new), *(server.close() for server in closing))

    async def _open(self, servers: list[Server]) -> None:
        """Take cached lists; start the servers that have none and wait for them, but not for long."""
        lists = await asyncio.to_thread(lambda: [self._cache.load(server.config.fingerprint) for server in servers])
        for server, known in zip(servers, lists, strict=True):
            server.take(known)
        unknown = [server for server in servers if not server.asked.is_set()]
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.first_list):
                for server in unknown:
                    await server.asked.wait()
        for server in unknown:
            if server.tools is None:
                error = server.health().error
                await asyncio.to_thread(self._cache.save, server.config.fingerprint, None, error)

    def _listed(self, server: Server) -> None:
        """A server's tools are known, or are others than before."""
        if self._servers.get(server.config.name) is server:
            limit = {"timeout": self._patience.start + server.seconds + _GRACE}
            specs = [spec.model_copy(update=limit) for spec in server.tools or ()]
            self._offer(server.config.name, [RegisteredTool(spec, McpRunner(self, spec)) for spec in specs])

    def _offer(self, name: str, tools: list[RegisteredTool]) -> None:
        self._tools[name] = tools
        if self._on_change:
            self._on_change(name, tools)


class McpRunner:
    """Runs one tool; its server is looked up anew for each call, because the file may have changed it."""

    def __init__(self, source: McpSource, spec: ToolSpec) -> None:
        self._source = source
        self._server, _, self._tool = spec.tool_id.partition("/")
        self._spec = spec

    @cached_property
    def _check(self) -> SchemaCheck:
        return SchemaCheck(self._spec.tool_id, self._spec.capabilities[0].parameters)

    async def __call__(self, request: ToolRequest) -> ToolResult:
        """Check the arguments, call the tool, convert what it answers."""
        key = request.context.idempotency_key
        meta = {IDEMPOTENCY_KEY: key} if key else {}
        server = self._source.find(self._server)
        return await server.call(self._tool, lambda: self._check.checked(request.given), meta)

    def read(self, action: str | None, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as they are sent."""
        del action
        return self._check.checked(arguments)
