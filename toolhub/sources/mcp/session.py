"""A server and the task that owns its session: opened on first use, kept open, opened again when it ends.

    idle ──first use──▶ starting ──▶ ready ──ended──▶ down ──after a pause──▶ starting …

The pause is nothing after one failure in a row, and doubles after each further one up to a minute. What a server offers
is kept, so that nobody waits for it to learn what it can do; what it says of itself is not trusted: names and texts are
bounded.
"""

import asyncio
import contextvars
import importlib
import json
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ValidationError

from switchyard.language.messages import message, quoted
from switchyard.toolhub.calling.arguments import as_mapping
from switchyard.toolhub.sources.mcp.config import ServerConfig
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.files import write_whole
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolCapability, ToolSpec, ToolType

if TYPE_CHECKING:
    from mcp.types import Tool

    from switchyard.toolhub.sources.mcp.connection import Connection

FAILURE_AGE = 600
"""Seconds for which nobody waits again for a server that did not answer."""
MAX_SUMMARY = 300
MAX_DETAILS = 2_000
MAX_NAME = 128
MAX_SCHEMA = 100_000
"""Characters; a tool with a larger schema is left out."""
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|\n\s*\n")

log = get_logger(__name__)


class ToolList(BaseModel):
    """What a server offered when it was last asked."""

    tools: list[ToolSpec] | None
    """None: it did not answer. It is asked again, but nobody waits for it."""
    error: str = ""
    """Why it did not answer, where that is known."""
    at: float


class ToolListCache:
    """One small file per server, named by the hash of its configuration; it can be deleted at any time."""

    def __init__(self, folder: Path | None) -> None:
        """Without a folder nothing is kept."""
        self._folder = folder

    def load(self, fingerprint: str) -> ToolList | None:
        """The list, or None when there is none that can be read, or it did not answer long ago."""
        if self._folder is None:
            return None
        with suppress(OSError, ValidationError):
            known = ToolList.model_validate_json((self._folder / _file_name(fingerprint)).read_bytes())
            if known.tools is not None or 0 <= time.time() - known.at <= FAILURE_AGE:
                return known
        return None

    def save(self, fingerprint: str, tools: list[ToolSpec] | None, error: str = "") -> None:
        """Keep a list, or why there is none. Where nothing can be written, the next start asks again."""
        if self._folder is None or (tools is None and (known := self.load(fingerprint)) and known.tools is not None):
            return  # an answer was better
        content = ToolList(tools=tools, error=error, at=time.time()).model_dump_json()
        with suppress(OSError):
            write_whole(self._folder / _file_name(fingerprint), content)


def _file_name(fingerprint: str) -> str:
    return f"{fingerprint[:32]}.json"


def described(config: ServerConfig, tools: "list[Tool]", about: str = "") -> list[ToolSpec]:
    """The tools that can be used, as `server/tool`; `about`: what the server says of itself."""
    specs: list[ToolSpec] = []
    about = _cleaned(config.secrets.text(about))[:MAX_SUMMARY]
    for tool in tools:
        size = len(json.dumps([tool.inputSchema, tool.outputSchema], default=str))
        if tool.name.isprintable() and 0 < len(tool.name) <= MAX_NAME and size <= MAX_SCHEMA:
            specs.append(_spec(config, tool, about))
        else:
            log.warning("mcp_tool_left_out", server=config.name, tool=repr(tool.name)[:MAX_NAME], schema_size=size)
    return specs


def _spec(config: ServerConfig, tool: "Tool", about: str) -> ToolSpec:
    hints = tool.annotations
    title = tool.title or (hints.title if hints else None) or tool.name.replace("_", " ")
    text = _cleaned(config.secrets.text(tool.description or ""))
    summary, *_ = _SENTENCE.split(text, maxsplit=1) if text else [_cleaned(title)]
    reads = bool(hints and hints.readOnlyHint)
    destroys = not reads and bool(hints and hints.destructiveHint)
    output: dict[str, Any] | None = config.secrets.data(tool.outputSchema)
    summary = " ".join(summary.split())[:MAX_SUMMARY]
    return ToolSpec(
        tool_id=f"{config.name}/{tool.name}",
        name=_cleaned(title)[:MAX_NAME],
        description=f"{summary}\n{text[:MAX_DETAILS]}" if text != summary else summary,
        tool_type=ToolType.MCP_SERVER,
        source="mcp",
        category=config.name,
        tags=(config.name, *(("destructive",) if destroys else ())),
        capabilities=(
            ToolCapability(name=tool.name, description=summary, parameters=config.secrets.data(tool.inputSchema)),
        ),
        returns=", ".join(as_mapping((output or {}).get("properties")))[:MAX_SUMMARY],
        returns_schema=output,
        writes=not reads,
        server=about,
    )


def _cleaned(text: str) -> str:
    """Without control characters: a terminal and a prompt show the rest as it is."""
    return "".join(character for character in text if character.isprintable() or character == "\n").strip()


ServerState = Literal["idle", "starting", "ready", "down", "disabled", "invalid"]


class NotSent(Exception):
    """The connection had ended before the call was sent: another one can take it."""


class Garbage(Exception):
    """The server said something that is no MCP message."""


class ServerFailed(Exception):
    """The server could not be started or reached, or broke; the text says why and what to change."""


class ServerHealth(BaseModel):
    """How a server is."""

    name: str
    transport: str = ""
    state: ServerState
    tools: int = 0
    error: str = ""
    """Why it could not be reached or ended, until it is reached again."""
    restarts: int = 0

    @property
    def problem(self) -> str | None:
        """What it is and why, where it cannot be used although it should: `down: the command 'x' was not found`."""
        if self.state in {"down", "invalid"}:
            return f"{self.state}: {self.error}"
        # asked, without an answer, and being started again
        return f"down: {self.error}" if self.state == "starting" and self.error else None


@dataclass(frozen=True)
class Patience:
    """How long things may take, in seconds."""

    call: float = 30.0
    """A call, where the server's entry has no `timeout` of its own."""
    start: float = 20.0
    """Until a server that was started answers; a call waits this long for the session it needs."""
    ping: float = 5.0
    """Until a server that left a call unanswered must have answered a ping; then it is started anew."""
    first_list: float = 10.0
    """Until start-up goes on without the list of a server that has none cached."""
    behind: float = 3.0
    """Until a server is asked again that failed lately: a first question goes before it."""
    longest_pause: float = 60.0
    """Between two attempts to reach a server that is down."""


FAILURES_WAITED_FOR = 3
"""A call waits while the server has failed fewer times in a row than this; then it fails at once."""
FAILED_LATELY = "{reason} (when it was last asked; it is asked again)"
FIRST_PAUSE = 0.5
RELIST_PAUSE = 0.5
"""Seconds between two lists of a session."""
CLOSE_SECONDS = 6.0
"""What a server may take to be closed; then its connection is cut."""


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
        return message("server_unavailable", server=self.config.name, reason=quoted(self._health.error))

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
            self._health.error = FAILED_LATELY.format(reason=known.error or "it did not answer in time")
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
        while True:
            connection = await self._connected()
            with suppress(NotSent):  # nothing has happened: the next session takes it
                answer = await connection.call(tool, arguments(), seconds=self.seconds, meta=meta)
                self._failures = 0
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
                connecting = module.connect(self.config, self._environment, self._workspace, self._patience)
                async with connecting as connection:
                    await self._serve(connection)
                reason = connection.inbox.ended or ""
            except (ServerFailed, ImportError) as error:
                reason = str(error)
            lasted = time.monotonic() - opened > self._patience.longest_pause
            self._failures = 1 if lasted else self._failures + 1
            reason = self.config.secrets.text(reason)
            tell = log.debug if reason == self._health.error else log.info
            tell("mcp_server_down", server=self.config.name, error=reason)
            self._health.error = reason
            self.asked.set()
            self._move("down")
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

    def _move(self, state: ServerState) -> None:
        """Enter a state and wake whoever waits for one."""
        self._health.state = state
        self._moved.set()
        self._moved = asyncio.Event()
