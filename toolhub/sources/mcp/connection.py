"""One open session with a server, on the MCP SDK, the two ways to it, and what it answers in our shape.

Imported only when a server is first used: the SDK is slow to load. A server is a process of ours, or reached by
streamable HTTP. The SDK's own way to a process gives no hold on it: here it has a group of its own that is ended as a
whole, its last words are kept for the error, and nothing it writes reaches a terminal. A session is opened and closed
by one task, its owner; calls may come from any task, several at a time.
"""

import asyncio
import logging
import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self, cast

import anyio
import httpx
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import ClientSession, McpError
from mcp import types as mcp_types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import CallToolResult, ContentBlock, InitializeResult, JSONRPCMessage, JSONRPCNotification, Tool
from pydantic import ValidationError

from switchyard.language.messages import joined, message, quoted
from switchyard.toolhub.calling.dispatch import classified
from switchyard.toolhub.sources.mcp.config import Secrets, ServerConfig
from switchyard.toolhub.sources.mcp.session import Garbage, NotSent, Patience, ServerFailed
from switchyard.tools.core.errors import FailureKind, ToolFailed, first_of
from switchyard.tools.core.json_values import json_in
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.masking import every_text
from switchyard.tools.core.result import ResultMeta, ToolResult

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
MAX_TOOLS = 10_000
MAX_ERROR = 2_000
_CLIENT = mcp_types.Implementation(name="switchyard", version="0.1")
_CODES: dict[int, FailureKind] = {mcp_types.INVALID_PARAMS: "bad_arguments", mcp_types.METHOD_NOT_FOUND: "not_found"}
_SESSION_UNKNOWN = "Session terminated"  # the SDK's words for a 404: the server was restarted

log = get_logger(__name__)

# The SDK logs what servers send; unhandled, that would end on the terminal.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("mcp").propagate = False


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

    def __init__(self, config: ServerConfig, environment: Mapping[str, str], workspace: Path | None) -> None:
        self._config = config
        self._environment = {name: environment[name] for name in INHERITED if name in environment}
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
            log.debug("mcp_server_said", server=self._config.name, text=text)


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
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with anyio.move_on_after(_GRACE):
            await process.wait()
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


class Connection:
    """An open session: what can be asked of it."""

    def __init__(self, session: "_Session", greeting: InitializeResult, inbox: Inbox, config: ServerConfig) -> None:
        self._session = session
        self._config = config
        self._has_tools = greeting.capabilities.tools is not None
        self.about = f"{greeting.serverInfo.title or greeting.serverInfo.name}\n{greeting.instructions or ''}"
        """The server's title and instructions."""
        self.inbox = inbox
        """What it has to tell its owner."""

    async def tools(self) -> list[Tool]:
        """All pages of the server's list."""
        self.inbox.list_changed = False
        found: dict[str, Tool] = {}
        cursor: str | None = None
        while self._has_tools and len(found) < MAX_TOOLS:
            page = await self._session.list_tools(params=mcp_types.PaginatedRequestParams(cursor=cursor))
            known = len(found)
            found |= {tool.name: tool for tool in page.tools}
            cursor = page.nextCursor
            if cursor is None or len(found) == known:
                break
        return list(found.values())[:MAX_TOOLS]

    async def confirm(self, seconds: float) -> None:
        """Make sure that the server answers; one that does not is given up."""
        self.inbox.doubted = False
        try:
            with anyio.fail_after(seconds):
                await self._session.send_ping()
        except (TimeoutError, McpError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.inbox.end("it did not answer in time")

    async def call(
        self, tool: str, arguments: dict[str, Any], *, seconds: float, meta: Mapping[str, str]
    ) -> ToolResult:
        """One call; `NotSent` where the connection had ended before."""
        inbox, server, began = self.inbox, self._config.name, anyio.current_time()
        if inbox.ended is not None:
            raise NotSent
        with anyio.move_on_after(seconds) as scope:
            inbox.waiting.add(scope)
            try:
                return converted(await self._session.call(tool, arguments, meta), self._config.secrets)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
                inbox.end("the session was closed")
                raise NotSent from error
            except McpError as error:
                said = error.error
                if said.message == _SESSION_UNKNOWN:
                    inbox.end("it no longer knows the session")
                    raise NotSent from error
                if inbox.ended is None:
                    refused = message("server_refused", server=server, reason=quoted(said.message))
                    raise self._failed(refused, _CODES.get(said.code) or classified(said.message)) from error
            except ValidationError as error:
                raise self._failed(message("server_answered_garbage", server=server), "wrong_result") from error
            finally:
                inbox.waiting.discard(scope)
        if inbox.ended is not None:
            ended = message("server_ended", server=server, reason=quoted(inbox.ended))
            raise self._failed(ended, "unavailable")
        inbox.doubt()
        instead = inbox.garbage_since(began)
        wrote = message("server_wrote_instead", text=instead) if instead else ""
        silent = message("server_no_answer", server=server, seconds=seconds)
        raise self._failed(joined(silent, wrote), "timeout")

    def _failed(self, text: str, kind: FailureKind) -> ToolFailed:
        return ToolFailed(every_text(text, self._config.secrets.text), kind=kind)


class _Session(ClientSession):
    """The SDK's session, with calls that tell the server when nobody waits for them any more."""

    async def call(self, tool: str, arguments: dict[str, Any], meta: Mapping[str, str]) -> CallToolResult:
        """`tools/call`; unlike the SDK's own, the answer is not checked here: that is verification's part."""
        request_id = self._request_id  # the one the next request gets
        about = mcp_types.RequestParams.Meta.model_validate(meta) if meta else None
        params = mcp_types.CallToolRequestParams(name=tool, arguments=arguments, _meta=about)
        request = mcp_types.ClientRequest(mcp_types.CallToolRequest(params=params))
        try:
            return await self.send_request(request, CallToolResult)
        except asyncio.CancelledError:
            with suppress(RuntimeError):  # the session is being closed
                self._task_group.start_soon(self._forget, request_id)
            raise

    async def _forget(self, request_id: int) -> None:
        params = mcp_types.CancelledNotificationParams(requestId=request_id, reason="nobody waits for it any more")
        notice = mcp_types.ClientNotification(mcp_types.CancelledNotification(params=params))
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self.send_notification(notice)


@asynccontextmanager
async def connect(
    config: ServerConfig,
    environment: Mapping[str, str],
    workspace: Path | None,
    patience: Patience,
) -> AsyncGenerator[Connection]:
    """Start or reach the server and shake hands; everything is ended on the way out."""
    with Inbox() as inbox:
        if config.url:
            transport = http_server(config, inbox, config.timeout or patience.call)
        else:
            transport = ServerProcess(config, environment, workspace).open(inbox)
        try:
            async with (
                inbox.messages as messages,
                transport as write,
                _Session(messages, write, client_info=_CLIENT) as session,
            ):
                with inbox:  # calls under way need not wait until the server has been ended
                    with anyio.fail_after(patience.start):
                        greeting = await session.initialize()
                    yield Connection(session, greeting, inbox, config)
        except Exception as error:
            raise ServerFailed(_explained(error, inbox)) from error


def _explained(error: BaseException, inbox: Inbox) -> str:
    match error := first_of(error):
        case McpError(error=said):
            if said.code == mcp_types.CONNECTION_CLOSED and inbox.ended:
                return inbox.ended
            absent = "its address answered 404: nothing is there; correct 'url'"
            return absent if said.message == _SESSION_UNKNOWN else f"it refused: {said.message}"
        case TimeoutError():
            said = inbox.garbage_since()
            return "it did not answer in time" + (f"; it said '{said}', which is no MCP message" if said else "")
        case httpx.HTTPStatusError():
            status = error.response.status_code
            return f"its address answered HTTP {status}" + ("; check 'headers'" if status in {401, 403} else "")
        case httpx.TransportError():
            return f"it cannot be reached at its address: {str(error) or type(error).__name__}"
        case _:
            return str(error) if isinstance(error, ServerFailed) else f"{type(error).__name__}: {error}"


def converted(answer: CallToolResult, secrets: Secrets) -> ToolResult:
    """Structured content if there is some, else the texts; an error is classified by its words."""
    if answer.isError:
        text = "\n".join(block.text for block in answer.content if block.type == "text").strip()
        said = secrets.text(text)[:MAX_ERROR] or message("server_gave_no_reason")
        return ToolResult.failed(said, classified(said))
    value: Any = answer.structuredContent
    if value is None:
        blocks = [_block(block) for block in answer.content]
        value = blocks[0] if len(blocks) == 1 else blocks or None
    linked = [getattr(getattr(block, "resource", block), "uri", None) for block in answer.content]
    sources = [str(uri) for uri in linked if uri]
    return ToolResult(result=secrets.data(value), meta=ResultMeta(sources=secrets.data(sources)))


def _block(block: ContentBlock) -> Any:
    """One piece of content as data; of pictures and sounds, what they are and their size."""
    match block.type:
        case "text":
            value = json_in(block.text)  # servers send objects as JSON text; later steps want their fields
            return block.text if value is None else value
        case "image" | "audio":
            return {"type": block.type, "mime_type": block.mimeType, "bytes": len(block.data) * 3 // 4}
        case "resource_link":
            return {"type": "link", "uri": str(block.uri), "name": block.name, "description": block.description}
        case "resource":
            inside = block.resource
            text = getattr(inside, "text", None)
            content = {"text": text} if text is not None else {"bytes": len(getattr(inside, "blob", "")) * 3 // 4}
            return {"type": "resource", "uri": str(inside.uri), "mime_type": inside.mimeType, **content}
