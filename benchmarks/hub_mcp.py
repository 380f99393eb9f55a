"""What the hub costs around MCP: a call against the same call on a bare session, and a first plan with eight servers.

The bare session is the SDK's own, open before the first call; both talk to a process of mcp-server-time. Each first
plan is a process of its own, with the tool lists of eight servers cached, two of which cannot be started.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.orchestrator import open_orchestrator
from app.settings import load_settings
from app.shadowing import ROOT
from app.storage import MEMORY
from benchmarks.measuring import Line, clean_environment, in_turns, progress
from toolhub.library import UnifiedToolLibrary
from toolhub.sources.mcp import McpSource, resolve_entry
from toolhub.sources.mcp.cache import ToolListCache
from tools.core import ToolContext

if TYPE_CHECKING:
    from mcp import ClientSession

CALLS = 300
PLANS = 20
WARM_UP = 5
MOST_OF_BARE_CALL = 1.3
MOST_OF_NO_SERVERS = 1.1
QUESTION = "What is 15% of 2480?"

ARGUMENTS = ["-P", "-m", "mcp_server_time"]
ALIVE: dict[str, Any] = {"command": "${PYTHON}", "args": ARGUMENTS}
DEAD: dict[str, Any] = {"command": "no-such-command"}
EIGHT = {**{f"time{number}": ALIVE for number in range(6)}, "dead1": DEAD, "dead2": DEAD}
SERVERS: dict[str, dict[str, Any]] = {"eight": EIGHT, "none": {}}


def run() -> list[Line]:
    """The lines of this benchmark."""
    for name in os.environ.keys() - clean_environment().keys():
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> list[Line]:
    progress(f"hub_mcp: {CALLS} calls")
    async with opened({"time": ALIVE}, folder) as source, bare_session() as session:
        work = {"ours": partial(call_by_hub, hub_of(source), folder), "bare": partial(call_bare, session)}
        calls = await in_turns(work, rounds=CALLS, warm_up=WARM_UP)
        remember_eight(source, folder)
    progress(f"hub_mcp: {PLANS} first plans")
    processes = {name: partial(in_a_process, name, folder) for name in SERVERS}
    plans = await in_turns(processes, rounds=PLANS, warm_up=1)
    return [
        calls.versus("hub_mcp: a call, against a bare session", "ours", "bare", MOST_OF_BARE_CALL),
        plans.versus("hub_mcp: first plan, 8 servers against none", "eight", "none", MOST_OF_NO_SERVERS),
    ]


def opened(servers: Mapping[str, Any], folder: Path) -> McpSource:
    """A source whose cache is in the folder."""
    return McpSource(servers, cache_dir=folder / "cache", environment=os.environ)


@asynccontextmanager
async def bare_session() -> AsyncGenerator["ClientSession"]:
    """What the SDK gives, and nothing around it."""
    from mcp import ClientSession, StdioServerParameters  # noqa: PLC0415  a first plan does not load it
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    server = StdioServerParameters(command=sys.executable, args=ARGUMENTS)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


def hub_of(source: McpSource) -> UnifiedToolLibrary:
    """A library with the tools of the source and no others."""
    library = UnifiedToolLibrary(native=Path())
    for tool in source.tools():
        library.register(tool)
    return library


async def call_by_hub(library: UnifiedToolLibrary, workspace: Path) -> None:
    """The way a step calls it."""
    arguments = {"timezone": "Asia/Tokyo"}
    result = await library.execute_tool("time/get_current_time", None, arguments, ToolContext(workspace=workspace))
    assert result.success, result.error


async def call_bare(session: "ClientSession") -> None:
    """The same on the SDK's session."""
    result = await session.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})
    assert not result.isError, result


def remember_eight(source: McpSource, folder: Path) -> None:
    """Lists of all eight servers, as if they had been asked: those of the time server under each name."""
    specs = [tool.spec for tool in source.tools()]
    for name, entry in EIGHT.items():
        renamed = [spec.model_copy(update={"name": f"{name}/{spec.name.partition('/')[2]}"}) for spec in specs]
        ToolListCache(folder / "cache").save(resolve_entry(name, entry, os.environ).fingerprint, renamed)


async def in_a_process(name: str, folder: Path) -> None:
    """What a person waits for: everything loaded, opened, planned and closed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.hub_mcp", name, str(folder), cwd=ROOT
    )
    assert await process.wait() == 0


async def first_plan(servers: Mapping[str, Any], folder: Path) -> None:
    """Open everything, plan one question, close everything."""
    settings = load_settings(
        env_file=None, database=MEMORY, data_dir=folder, workspace=folder, model="none", plan_only=True
    )
    async with open_orchestrator(settings) as orchestrator, opened(servers, folder) as source:
        for tool in source.tools():
            orchestrator.library.register(tool)
        report = await orchestrator.ask(QUESTION)
        assert report.plan, report
        assert len(source.tools()) == 2 * len(servers), source.health()


if __name__ == "__main__":
    asyncio.run(first_plan(SERVERS[sys.argv[1]], Path(sys.argv[2])))
