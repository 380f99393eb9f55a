"""One open session with a server, on the MCP SDK. Imported only when a server is first used: the SDK is slow to load.

A session is opened and closed by one task, its owner; calls may come from any task, several at a time.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import anyio
import httpx
from mcp import ClientSession, McpError
from mcp.types import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    CancelledNotification,
    CancelledNotificationParams,
    ClientNotification,
    ClientRequest,
    ErrorData,
    Implementation,
    PaginatedRequestParams,
    RequestParams,
    Tool,
)
from pydantic import ValidationError

from switchyard.toolhub.sources.mcp.config import ServerConfig
from switchyard.toolhub.sources.mcp.health import Garbage, Gone, NoAnswer, NotSent, Refused, ServerFailed
from switchyard.toolhub.sources.mcp.transports import HttpServer, Inbox, ServerProcess
from switchyard.tools.core.errors import FailureKind

MAX_TOOLS = 10_000

_CLIENT = Implementation(name="switchyard", version="0.1")
_CODES: dict[int, FailureKind] = {INVALID_PARAMS: "bad_arguments", METHOD_NOT_FOUND: "not_found"}
_SESSION_UNKNOWN = "Session terminated"  # the SDK's words for a 404: the server was restarted

# The SDK logs what servers send; unhandled, that would end on the terminal.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("mcp").propagate = False


class Connection:
    """An open session: what can be asked of it."""

    def __init__(self, session: "_Session", inbox: Inbox) -> None:
        self._session = session
        self._has_tools = False
        self.inbox = inbox
        """What it has to tell its owner."""

    async def shake_hands(self) -> None:
        """What comes before anything else."""
        greeting = await self._session.initialize()
        self._has_tools = greeting.capabilities.tools is not None

    async def tools(self) -> list[Tool]:
        """All pages of the server's list."""
        self.inbox.list_changed = False
        found: dict[str, Tool] = {}
        cursor: str | None = None
        while self._has_tools and len(found) < MAX_TOOLS:
            page = await self._session.list_tools(params=PaginatedRequestParams(cursor=cursor))
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
        self, tool: str, arguments: dict[str, Any], *, deadline: float, meta: Mapping[str, str]
    ) -> CallToolResult:
        """One call.

        Raises:
            NotSent: the connection had ended before.
            Gone: it ended during the call.
            NoAnswer: the deadline has passed; with what came instead.
            Refused: the server answered with an error of the protocol.
            Garbage: it answered with something else.
        """
        inbox, began = self.inbox, anyio.current_time()
        if inbox.ended is not None:
            raise NotSent
        with anyio.CancelScope(deadline=deadline) as scope:
            inbox.waiting.add(scope)
            try:
                return await self._session.call(tool, arguments, meta)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
                inbox.end("the session was closed")
                raise NotSent from error
            except McpError as error:
                if error.error.message == _SESSION_UNKNOWN:
                    inbox.end("it no longer knows the session")
                    raise NotSent from error
                if inbox.ended is not None:
                    raise Gone(inbox.ended) from error
                raise Refused(error.error.message, _CODES.get(error.error.code)) from error
            except ValidationError as error:
                raise Garbage(str(error)) from error
            finally:
                inbox.waiting.discard(scope)
        if inbox.ended is not None:
            raise Gone(inbox.ended)
        inbox.doubt()
        raise NoAnswer(inbox.garbage_since(began))


class _Session(ClientSession):
    """The SDK's session, with calls that tell the server when nobody waits for them any more."""

    async def call(self, tool: str, arguments: dict[str, Any], meta: Mapping[str, str]) -> CallToolResult:
        """`tools/call`; unlike the SDK's own, the answer is not checked here: that is verification's part."""
        request_id = self._request_id  # the one the next request gets
        params = CallToolRequestParams(
            name=tool, arguments=arguments, _meta=RequestParams.Meta.model_validate(meta) if meta else None
        )
        try:
            return await self.send_request(ClientRequest(CallToolRequest(params=params)), CallToolResult)
        except asyncio.CancelledError:
            with suppress(RuntimeError):  # the session is being closed
                self._task_group.start_soon(self._forget, request_id)
            raise

    async def _forget(self, request_id: int) -> None:
        params = CancelledNotificationParams(requestId=request_id, reason="nobody waits for it any more")
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self.send_notification(ClientNotification(CancelledNotification(params=params)))


@asynccontextmanager
async def connect(
    config: ServerConfig,
    environment: Mapping[str, str],
    *,
    workspace: Path | None,
    start_seconds: float,
    call_seconds: float,
    hear: Callable[[str], None],
) -> AsyncGenerator[Connection]:
    """Start or reach the server and shake hands; everything is ended on the way out.

    Raises:
        ServerFailed: when it does not start, or breaks in a way the connection could not tell.
    """
    if config.url:
        transport = HttpServer(config, seconds=call_seconds)
    else:
        transport = ServerProcess(config, environment, hear, workspace=workspace)
    with Inbox() as inbox:
        try:
            async with (
                inbox.messages as messages,
                transport.open(inbox) as write,
                _Session(messages, write, client_info=_CLIENT) as session,
            ):
                connection = Connection(session, inbox)
                with inbox:  # calls under way need not wait until the server has been ended
                    with anyio.fail_after(start_seconds):
                        await connection.shake_hands()
                    yield connection
        except Exception as error:
            raise ServerFailed(_explained(error, inbox)) from error


def _explained(error: BaseException, inbox: Inbox) -> str:
    """What went wrong first, for a person."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    match error:
        case McpError():
            return _refusal(error.error, inbox)
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


def _refusal(error: ErrorData, inbox: Inbox) -> str:
    if error.code == CONNECTION_CLOSED and inbox.ended:
        return inbox.ended
    if error.message == _SESSION_UNKNOWN:
        return "its address answered 404: nothing is there; correct 'url'"
    return f"it refused: {error.message}"
