"""What a server says: answers go to the session, notices to the owner, and nothing to a terminal."""

import asyncio
from typing import Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import (
    METHOD_NOT_FOUND,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    ServerRequest,
)
from pydantic import ValidationError

from switchyard.toolhub.sources.mcp.health import Garbage

Outgoing = MemoryObjectSendStream[SessionMessage]
Messages = MemoryObjectReceiveStream[SessionMessage | Exception]

_LIST_CHANGED = "notifications/tools/list_changed"


class Inbox:
    """Sorts what comes in until the connection is over.

    The SDK logs messages it does not understand, to the terminal if nobody set up logging. They end here.
    """

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

    async def take(self, message: SessionMessage | Exception, reply: Outgoing) -> None:
        """Sort one message.

        Raises:
            ClosedResourceError, BrokenResourceError: when it is over.
        """
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
        elif isinstance(root, JSONRPCRequest) and not _understood(root):
            refusal = ErrorData(code=METHOD_NOT_FOUND, message="Method not found")
            await reply.send(SessionMessage(JSONRPCMessage(JSONRPCError(jsonrpc="2.0", id=root.id, error=refusal))))
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


def _understood(request: JSONRPCRequest) -> bool:
    try:
        ServerRequest.model_validate(request.model_dump(by_alias=True, mode="json", exclude_none=True))
    except ValidationError:
        return False
    return True
