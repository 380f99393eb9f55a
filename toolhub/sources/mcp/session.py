"""A server and the task that owns its session: opened on first use, kept open, opened again when it ends.

    idle ──first use──▶ starting ──▶ ready ──ended──▶ down ──after a pause──▶ starting …

The pause is nothing after one failure in a row, and doubles after each further one up to a minute.
"""

import asyncio
import contextvars
import importlib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from switchyard.language.messages import message, quoted
from switchyard.toolhub.sources.mcp.config import ServerConfig
from switchyard.toolhub.sources.mcp.health import NotSent, Patience, ServerFailed, ServerHealth, ServerState
from switchyard.toolhub.sources.mcp.tool_lists import ToolList, ToolListCache, described
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

if TYPE_CHECKING:
    from switchyard.toolhub.sources.mcp.connection import Connection

FAILURES_WAITED_FOR = 3
"""A call waits while the server has failed fewer times in a row than this; then it fails at once."""
FAILED_LATELY = "{reason} (when it was last asked; it is asked again)"
FIRST_PAUSE = 0.5
RELIST_PAUSE = 0.5
"""Seconds between two lists of a session."""
CLOSE_SECONDS = 6.0
"""What a server may take to be closed; then its connection is cut."""


log = get_logger(__name__)


class Server:
    """One configured server: its tools, its session, its health."""

    def __init__(
        self,
        config: ServerConfig,
        *,
        cache: ToolListCache,
        environment: Mapping[str, str],
        workspace: Path | None,
        patience: Patience,
        listed: Callable[["Server"], None],
    ) -> None:
        self.config = config
        self.tools: list[ToolSpec] | None = None
        """None: not known yet."""
        self.asked = asyncio.Event()
        """Set when the server has given its list, or has failed to."""
        self.seconds = config.timeout or patience.call
        """What a call may take once the session is open."""
        self._cache = cache
        self._environment = environment
        self._workspace = workspace
        self._patience = patience
        self._listed = listed
        self._owner: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        self._moved = asyncio.Event()
        self._hurried = asyncio.Event()
        state: ServerState = "disabled" if config.disabled else "idle"
        self._health = ServerHealth(name=config.name, transport=config.transport, state=state)
        self._reason = ""
        self._closed = False
        self._listed_at = 0.0
        self._was_open = False
        self._failures = 0

    def health(self) -> ServerHealth:
        """How it is now."""
        return self._health.model_copy(update={"tools": len(self.tools or ())})

    def absence(self) -> str | None:
        """Why a call would fail at once; None when it is worth making."""
        if self._failures < FAILURES_WAITED_FOR or self._connection is not None:
            return None
        return message("server_unavailable", server=self.config.name, reason=quoted(self._reason))

    def take(self, known: ToolList | None) -> None:
        """Use a cached list. Without one the server is started and asked."""
        if self.config.disabled:
            self.asked.set()
            return
        if known is None:
            self.start()
            return
        self.tools = known.tools
        self.asked.set()
        self._listed(self)
        if known.tools is None:
            reason = known.error or "it did not answer in time"
            self._health.error = self._reason = FAILED_LATELY.format(reason=reason)
            self._failures = FAILURES_WAITED_FOR - 1  # one more attempt decides
            self._move("down")
            # loading the SDK for it now would take its time from the first question
            asyncio.get_running_loop().call_later(self._patience.behind, self.start)

    async def probe(self) -> None:
        """Find out how the server is; one that is down is tried at once, whatever pause it is in."""
        if self.config.disabled:
            return
        with suppress(ToolFailed):
            connection = await self._connected(at_once=True)
            await connection.confirm(self._patience.ping)

    def start(self) -> None:
        """Have the session opened, if it is not; returns at once."""
        if self._owner is None and not self._closed and not self.config.disabled:
            # a context of its own: the session outlives the run that happens to need it first
            self._owner = asyncio.create_task(self._own(), context=contextvars.Context())

    async def close(self) -> None:
        """End the session and everything that belongs to it; calls under way fail."""
        self._closed = True
        owner, self._owner = self._owner, None
        if owner is None:
            return
        owner.cancel()
        _, late = await asyncio.wait({owner}, timeout=CLOSE_SECONDS)
        if late:
            owner.cancel()
            await asyncio.wait(late)
        self._move("idle")

    async def call(self, tool: str, arguments: Callable[[], dict[str, Any]], meta: Mapping[str, str]) -> ToolResult:
        """Call a tool; `arguments` are asked for when the session is open."""
        started = time.perf_counter()
        self._health.calls += 1
        answer: ToolResult | None = None
        try:
            while answer is None:
                connection = await self._connected()
                with suppress(NotSent):  # nothing has happened: the next session takes it
                    answer = await connection.call(tool, arguments(), seconds=self.seconds, meta=meta)
        except ToolFailed as error:
            self._health.failed_calls += 1
            self._health.error = str(error)
            raise
        self._failures = 0
        self._health.latency_ms = (time.perf_counter() - started) * 1000
        return answer

    async def _connected(self, *, at_once: bool = False) -> "Connection":
        """The open session, waited for if it is worth it; with `at_once` one attempt is made in any case."""
        if connection := self._open_connection():
            return connection
        self.start()
        enough = max(FAILURES_WAITED_FOR, self._failures + 1) if at_once else FAILURES_WAITED_FOR
        try:
            async with asyncio.timeout(self._patience.start):
                while self._owner is not None:
                    if connection := self._open_connection():
                        return connection
                    if self._failures >= enough and (absence := self.absence()):
                        raise ToolFailed(absence, kind="unavailable")
                    if at_once:
                        self._hurried.set()  # ends the pause, also one that began since
                    await self._moved.wait()
        except TimeoutError as error:
            slow = message("server_not_ready", server=self.config.name, seconds=self._patience.start)
            raise ToolFailed(slow, kind="timeout") from error
        raise ToolFailed(message("server_taken_away", server=self.config.name), kind="unavailable")

    def _open_connection(self) -> "Connection | None":
        connection = self._connection
        return connection if connection is not None and connection.inbox.ended is None else None

    async def _own(self) -> None:
        """The owner: the only task that opens and closes the session."""
        while not self._closed:  # a cancellation is lost where a connection fails at the same moment
            opened = time.monotonic()
            self._move("starting")
            try:
                module = await asyncio.to_thread(importlib.import_module, "switchyard.toolhub.sources.mcp.connection")
                async with module.connect(
                    self.config, self._environment, self._workspace, self._patience, self._hear
                ) as connection:
                    await self._serve(connection)
                reason = connection.inbox.ended or ""
            except (ServerFailed, ImportError) as error:
                reason = str(error)
            lasted = time.monotonic() - opened > self._patience.longest_pause
            self._failures = 1 if lasted else self._failures + 1
            self._down(reason)
            self._hurried.clear()
            # nothing after the first failure in a row: most ends are restarts
            pause = FIRST_PAUSE * 2 ** (self._failures - 2) if self._failures > 1 else 0.0
            with suppress(TimeoutError):
                async with asyncio.timeout(min(pause, self._patience.longest_pause)):
                    await self._hurried.wait()

    async def _serve(self, connection: "Connection") -> None:
        inbox, loop = connection.inbox, asyncio.get_running_loop()
        await self._list(connection)
        self._health.restarts += self._was_open
        self._was_open = True
        self._connection = connection
        self._health.error = ""
        self._move("ready")
        try:
            while inbox.ended is None:
                await inbox.news.wait()
                inbox.news.clear()
                if inbox.list_changed and (wait := self._listed_at + RELIST_PAUSE - loop.time()) > 0:
                    loop.call_later(wait, inbox.news.set)  # a server may say so as often as it likes
                elif inbox.list_changed:
                    await self._list(connection)
                if inbox.doubted:
                    await connection.confirm(self._patience.ping)
        finally:
            self._connection = None

    async def _list(self, connection: "Connection") -> None:
        async with asyncio.timeout(self._patience.start):
            tools = described(self.config, await connection.tools(), connection.about)
        self._listed_at = asyncio.get_running_loop().time()
        await asyncio.to_thread(self._cache.save, self.config.fingerprint, tools)
        changed, self.tools = tools != self.tools, tools
        self.asked.set()
        if changed:
            self._listed(self)

    def _down(self, reason: str) -> None:
        reason = self.config.secrets.text(reason)
        tell = log.debug if reason == self._reason else log.info
        tell("mcp_server_down", server=self.config.name, error=reason)
        self._reason = self._health.error = reason
        self.asked.set()
        self._move("down")

    def _move(self, state: ServerState) -> None:
        """Enter a state and wake whoever waits for one."""
        self._health.state = state
        self._moved.set()
        self._moved = asyncio.Event()

    def _hear(self, text: str) -> None:
        log.debug("mcp_server_said", server=self.config.name, text=text)
