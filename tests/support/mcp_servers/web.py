"""A server over streamable HTTP, `python web.py [PORT]`. It prints the port it listens on.

It wants `Authorization: Bearer let-me-in-`; `/html` answers with a page, `/silent` never answers.
"""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from mcp.server.fastmcp import Context, FastMCP
from mcp.types import ToolAnnotations
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

PASS = "Bearer let-me-in"

web = FastMCP("web", log_level="CRITICAL")
reads = web.tool(annotations=ToolAnnotations(readOnlyHint=True))
cancelled: list[str] = []


@reads
async def pid() -> dict[str, int]:
    """The number of this process. 进程号。"""
    return {"pid": os.getpid()}


@reads
async def headers(name: str, context: Context[Any, Any, Any]) -> dict[str, str]:
    """A header of the request."""
    request = context.request_context.request
    return {"value": request.headers.get(name, "") if isinstance(request, Request) else ""}


@reads
async def hang() -> str:
    """Never answer."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        cancelled.append("hang")
        raise
    return ""


@reads
async def called_off() -> dict[str, list[str]]:
    """Which calls were called off."""
    return {"cancelled": cancelled}


@reads
async def learn(name: str, context: Context[Any, Any, Any]) -> str:
    """Offer one more tool, and say so."""

    async def more() -> str:
        return name

    web.add_tool(more, name=name, description="新的")
    await context.session.send_tool_list_changed()
    return name


async def page(request: Request) -> HTMLResponse:
    return HTMLResponse("<h1>not here 不在这里</h1>")


async def silence(request: Request) -> HTMLResponse:
    await asyncio.Event().wait()
    return HTMLResponse("")


class Guarded:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope["headers"]).get(b"authorization", b"").decode()
        app = self._app if given == PASS else JSONResponse({"error": f"wrong: {given}"}, 401)
        await app(scope, receive, send)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncGenerator[None]:
    async with web.session_manager.run():
        yield


def main() -> None:
    inner = web.streamable_http_app()
    routes = [
        Route("/html", page, methods=["GET", "POST"]),
        Route("/silent", silence, methods=["GET", "POST"]),
        Mount("/", Guarded(inner)),
    ]
    listening = socket.create_server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0))
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    app = Starlette(routes=routes, lifespan=lifespan)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
