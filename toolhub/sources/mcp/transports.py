"""The two ways to a server, a process of ours or streamable HTTP through the SDK's transport, and what comes by them.

The SDK's own way to a process gives no hold on it. Here it has a group of its own that is ended as a whole, its last
words are kept for the error, and nothing it writes reaches a terminal.
"""

import asyncio
import logging
import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self, cast

import anyio
import httpx
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage, JSONRPCNotification
from pydantic import ValidationError

from switchyard.language.messages import message
from switchyard.toolhub.sources.mcp.config import Secrets, ServerConfig
from switchyard.toolhub.sources.mcp.health import Garbage, ServerFailed

Outgoing = MemoryObjectSendStream[SessionMessage]
Messages = MemoryObjectReceiveStream[SessionMessage | Exception]

INHERITED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
"""What a server gets of our environment; everything else must be named in its `env`."""
MAX_MESSAGE = 64_000_000
"""Bytes of one message; a server that sends more is ended."""
_GRACE = 1.0
"""Seconds between asking a process to leave, telling it, and making it."""
_LONGEST_LINE = 64_000
_LONGEST_KEPT = 500
_LAST_WORDS = 0.3
"""Seconds to wait for the exit code and the end of standard error after standard output has ended."""
_LOGS = [logging.getLogger(name) for name in ("httpx", "mcp.client.streamable_http")]
"""Logs of others that name the address of every request."""
_LIST_CHANGED = "notifications/tools/list_changed"
_CONNECT_SECONDS = 10.0
_MARGIN = 2.0
"""Seconds a request lives on after its call has given up, so that the call is the one to say so."""


class Inbox:
    """Sorts what comes in until the connection is over."""

    def __init__(self) -> None:
        self._to_session, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        self.messages: Messages = messages
        """What the session reads."""
        self.news = asyncio.Event()
        """Set when one of the following has changed."""
        self.ended: str | None = None
        """Why it is over."""
        self.list_changed = False
        self.doubted = False
        """A call was not answered: the server may hang."""
        self.waiting: set[anyio.CancelScope] = set()
        """The calls under way."""
        self._garbage: tuple[float, str] = (0.0, "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end("the connection was closed")

    async def take(self, message: SessionMessage | Exception) -> None:
        """Sort one message."""
        if isinstance(message, Exception):
            self._garbage = (anyio.current_time(), str(message)[:200])
            if not isinstance(message, Garbage):
                self.end(f"it answered with something that is no MCP message ({self.garbage_since()})")
            return
        root = message.message.root
        if isinstance(root, JSONRPCNotification):
            if root.method == _LIST_CHANGED:
                self.list_changed = True
                self.news.set()
        else:
            await self._to_session.send(message)

    def garbage_since(self, moment: float = 0.0) -> str:
        """The last that was no MCP message, if it was said after a moment."""
        at, text = self._garbage
        return text if at >= moment else ""

    def doubt(self) -> None:
        """Have the owner find out whether the server still answers."""
        self.doubted = True
        self.news.set()

    def end(self, reason: str) -> None:
        """Nothing more will come: no call waits any longer. The first reason counts."""
        if self.ended is None:
            self.ended = reason
        self.news.set()
        self._to_session.close()
        for scope in self.waiting:
            scope.cancel()


class ServerProcess:
    """Starts the process and ends it."""

    def __init__(
        self, config: ServerConfig, environment: Mapping[str, str], hear: Callable[[str], None], workspace: Path | None
    ) -> None:
        self._config = config
        self._environment = {name: environment[name] for name in INHERITED if name in environment}
        self._hear = hear
        self._cwd = config.cwd or workspace
        self._stderr_ended = anyio.Event()
        self._last_said = ""

    @asynccontextmanager
    async def open(self, inbox: Inbox) -> AsyncGenerator[Outgoing]:
        """Run the process; what it says goes to the inbox, what is sent to the stream goes to the process."""
        process = await self._start()
        write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read, process, inbox)
                tasks.start_soon(self._write, process, inbox, outgoing)
                tasks.start_soon(self._listen, cast("ByteReceiveStream", process.stderr))
                try:
                    yield write
                finally:
                    with anyio.CancelScope(shield=True):
                        await _end(process)
                    tasks.cancel_scope.cancel()
        finally:
            write.close()
            outgoing.close()
            with anyio.CancelScope(shield=True):
                await process.aclose()

    async def _epitaph(self, process: Process) -> str:
        """How the process ended, and the last it said."""
        with anyio.move_on_after(_LAST_WORDS, shield=True):
            await process.wait()
            await self._stderr_ended.wait()
        code = process.returncode
        how = "closed its output" if code is None else f"ended by signal {-code}" if code < 0 else f"exited with {code}"
        return f"it {how}" + (f": {self._last_said}" if self._last_said else "")

    async def _start(self) -> Process:
        config = self._config
        if self._cwd is not None and not await anyio.Path(self._cwd).is_dir():
            raise ServerFailed(message("mcp_folder", folder=str(self._cwd)))
        try:
            return await anyio.open_process(
                [config.command, *config.args],
                env={**self._environment, **config.env},
                cwd=self._cwd,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise ServerFailed(message("mcp_command", command=config.command)) from error
        except (OSError, ValueError) as error:
            raise ServerFailed(message("mcp_command_fails", command=config.command, why=str(error))) from error

    async def _read(self, process: Process, inbox: Inbox) -> None:
        stdout = BufferedByteReceiveStream(cast("ByteReceiveStream", process.stdout))
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.IncompleteRead):
            try:
                while True:
                    line = await stdout.receive_until(b"\n", MAX_MESSAGE)
                    if line.strip():
                        await inbox.take(_message(line))
            except anyio.DelimiterNotFound:
                await inbox.take(ValueError(f"more than {MAX_MESSAGE // 1_000_000} MB without an end"))
        inbox.end(await self._epitaph(process))

    async def _write(self, process: Process, inbox: Inbox, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """A process that takes no messages any more has ended for us, whatever else it does."""
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for message in outgoing:
                line = message.message.model_dump_json(by_alias=True, exclude_none=True) + "\n"
                await cast("ByteSendStream", process.stdin).send(line.encode())
        inbox.end(await self._epitaph(process))

    async def _listen(self, stderr: ByteReceiveStream) -> None:
        pending = b""
        with suppress(anyio.ClosedResourceError):
            async for chunk in stderr:
                *lines, pending = (pending + chunk).split(b"\n")
                if len(pending) > _LONGEST_LINE:
                    lines, pending = [*lines, pending], b""
                for line in lines:
                    self._keep(line)
        self._keep(pending)
        self._stderr_ended.set()

    def _keep(self, line: bytes) -> None:
        if text := self._config.secrets.text(line.decode("utf-8", "replace").strip())[:_LONGEST_KEPT]:
            self._last_said = text
            self._hear(text)


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(JSONRPCMessage.model_validate_json(line))
    except ValidationError:
        return Garbage(line[:100].decode("utf-8", "replace").strip())


async def _end(process: Process) -> None:
    """Ask, tell, make: by the end of its input, by SIGTERM, by SIGKILL; then whatever it left in its group."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        if process.stdin:
            await process.stdin.aclose()
    for sign in (None, signal.SIGTERM, signal.SIGKILL):
        if sign is not None:
            _signal(process, sign)
        with anyio.move_on_after(_GRACE):
            await process.wait()
            break
    _signal(process, signal.SIGKILL)


def _signal(process: Process, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, sign)


@asynccontextmanager
async def http_server(config: ServerConfig, inbox: Inbox, seconds: float) -> AsyncGenerator[Outgoing]:
    """Connect; what comes goes to the inbox, what is sent to the stream to the server, which is somebody else's."""
    hiding = _Hiding(config.secrets)
    for log in _LOGS:
        log.addFilter(hiding)
    headers = {name.encode(): value.encode() for name, value in config.headers.items()}  # UTF-8, not ASCII
    try:
        async with (
            _Client(headers=headers, timeout=httpx.Timeout(_CONNECT_SECONDS, read=seconds + _MARGIN)) as client,
            streamable_http_client(config.url, http_client=client) as (read, write, _),
            read,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(_read, read, inbox)
            yield write
            tasks.cancel_scope.cancel()
    finally:
        for log in _LOGS:
            log.removeFilter(hiding)


async def _read(read: Messages, inbox: Inbox) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for message in read:
            await inbox.take(message)
    inbox.end("the connection ended")


class _Hiding(logging.Filter):
    """Takes the secrets out of a log that is not ours."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record passes, with its text made final."""
        record.msg, record.args = self._secrets.text(record.getMessage()), ()
        return True


class _Client(httpx.AsyncClient):
    """Gives up on an answer nobody waits for any more without breaking the connection of the other calls."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """The stream of notices (GET) may be silent for ever; an answer (POST) may not."""
        if request.method == "GET":
            request.extensions["timeout"] = {**request.extensions["timeout"], "read": None}
        try:
            return await super().send(request, **options)
        except httpx.ReadTimeout:
            if request.method != "POST":
                raise
            return httpx.Response(202, request=request)  # accepted, and no answer will come: the SDK drops the request
