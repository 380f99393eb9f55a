"""Real servers in processes of their own, and a look at what is left when they are closed."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psutil

from switchyard.toolhub.calling.dispatch import call_tool
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.sources.mcp.session import Patience, ServerHealth
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.tools.core import ToolContext, ToolResult

SERVERS = Path(__file__).parent / "mcp_servers"
PATIENT = Patience(call=120, start=120, ping=120, first_list=120)
"""A busy machine must not make a test fail; one that waits for what never comes says how long."""


def faulty(*switches: str, **entry: Any) -> dict[str, Any]:
    """The entry of a server that misbehaves when asked to."""
    return {"command": "${PYTHON}", "args": [str(SERVERS / "faulty.py"), *switches], **entry}


def lean(*switches: str, **entry: Any) -> dict[str, Any]:
    """The same without the SDK: it starts at once."""
    return {"command": "${PYTHON}", "args": ["-I", "-S", str(SERVERS / "lean.py"), *switches], **entry}


async def call(source: McpSource, name: str, /, **arguments: Any) -> ToolResult:
    """Call a tool the way the hub does."""
    tool = next(tool for tool in source.tools() if tool.spec.tool_id == name)
    return await call_tool(tool, ToolRequest(tool.spec.tool_id, None, arguments, ToolContext(workspace=Path()), 180))


def health(source: McpSource, name: str) -> ServerHealth:
    return next(found for found in source.health() if found.name == name)


def names(source: McpSource) -> set[str]:
    return {tool.spec.tool_id for tool in source.tools()}


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that comes by itself; a test that waits in vain fails instead of hanging."""
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110  another process decides when
            await asyncio.sleep(0.01)


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


@asynccontextmanager
async def nothing_left() -> AsyncGenerator[None]:
    """Whatever happens inside: no task, process or file handle is there afterwards that was not before."""
    handles, processes, tasks = psutil.Process().num_fds(), len(children()), asyncio.all_tasks()
    yield
    await until(lambda: psutil.Process().num_fds() <= handles)  # pipes of a process are closed a moment after it
    assert len(children()) <= processes
    assert asyncio.all_tasks() - {asyncio.current_task()} <= tasks


class WebServer:
    """A server over streamable HTTP in a process of its own, always on the same port."""

    def __init__(self) -> None:
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        command = [sys.executable, str(SERVERS / "web.py"), str(self._port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        self._port = int(self._process.stdout.readline())

    def kill(self) -> None:
        if self._process and self._process.stdout:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()


@contextmanager
def web_server() -> Generator[WebServer]:
    server = WebServer()
    server.start()
    try:
        yield server
    finally:
        server.kill()
