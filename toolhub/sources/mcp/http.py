"""A server reached by streamable HTTP, through the SDK's transport."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import httpx
from mcp.client.streamable_http import streamable_http_client

from switchyard.toolhub.sources.mcp.config import ServerConfig
from switchyard.toolhub.sources.mcp.inbox import Inbox, Messages, Outgoing
from switchyard.toolhub.sources.mcp.secrets import Secrets

_LOGS = [logging.getLogger(name) for name in ("httpx", "mcp.client.streamable_http")]
"""Logs of others that name the address of every request."""
_CONNECT_SECONDS = 10.0
_MARGIN = 2.0
"""Seconds a request lives on after its call has given up, so that the call is the one to say so."""


class HttpServer:
    """Opens the streams; the server itself is somebody else's."""

    def __init__(self, config: ServerConfig, *, seconds: float) -> None:
        self._config = config
        self._timeout = httpx.Timeout(_CONNECT_SECONDS, read=seconds + _MARGIN)

    @asynccontextmanager
    async def open(self, inbox: Inbox) -> AsyncGenerator[Outgoing]:
        """Connect; what comes goes to the inbox, what is sent to the stream goes to the server."""
        hiding = _Hiding(self._config.secrets)
        for log in _LOGS:
            log.addFilter(hiding)
        headers = {name.encode(): value.encode() for name, value in self._config.headers.items()}  # UTF-8, not ASCII
        try:
            async with (
                _Client(headers=headers, timeout=self._timeout) as client,
                streamable_http_client(self._config.url, http_client=client) as (read, write, _),
                read,
                anyio.create_task_group() as tasks,
            ):
                tasks.start_soon(_read, read, inbox, write)
                yield write
                tasks.cancel_scope.cancel()
        finally:
            for log in _LOGS:
                log.removeFilter(hiding)


async def _read(read: Messages, inbox: Inbox, reply: Outgoing) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for message in read:
            await inbox.take(message, reply)
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
