"""One open session with a server, on the MCP SDK, and what it answers in our shape.

Imported only when a server is first used: the SDK is slow to load.

A session is opened and closed by one task, its owner; calls may come from any task, several at a time.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import httpx
from mcp import ClientSession, McpError
from mcp import types as mcp_types
from mcp.types import CallToolResult, ContentBlock, InitializeResult, Tool
from pydantic import ValidationError

from switchyard.language.messages import joined, message, quoted
from switchyard.toolhub.calling.dispatch import classified
from switchyard.toolhub.sources.mcp.config import Secrets, ServerConfig
from switchyard.toolhub.sources.mcp.health import NotSent, Patience, ServerFailed
from switchyard.toolhub.sources.mcp.transports import Inbox, ServerProcess, http_server
from switchyard.tools.core.errors import FailureKind, ToolFailed, first_of
from switchyard.tools.core.json_values import json_in
from switchyard.tools.core.masking import every_text
from switchyard.tools.core.result import ResultMeta, ToolResult

MAX_TOOLS = 10_000
MAX_ERROR = 2_000

_CLIENT = mcp_types.Implementation(name="switchyard", version="0.1")
_CODES: dict[int, FailureKind] = {mcp_types.INVALID_PARAMS: "bad_arguments", mcp_types.METHOD_NOT_FOUND: "not_found"}
_SESSION_UNKNOWN = "Session terminated"  # the SDK's words for a 404: the server was restarted

# The SDK logs what servers send; unhandled, that would end on the terminal.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("mcp").propagate = False


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
    hear: Callable[[str], None],
) -> AsyncGenerator[Connection]:
    """Start or reach the server and shake hands; everything is ended on the way out."""
    with Inbox() as inbox:
        if config.url:
            transport = http_server(config, inbox, config.timeout or patience.call)
        else:
            transport = ServerProcess(config, environment, hear, workspace).open(inbox)
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
        if not text:
            silent = message("server_gave_no_reason")
            return ToolResult.failed(silent, classified(silent))
        text = secrets.text(text)
        return ToolResult.failed(text[:MAX_ERROR], classified(text))
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
