"""What the hub costs: around a call, at the first plan, in finding tools, and in racing candidates.

Calls are made in one process, in turns with the same call without the hub: an MCP tool on a session of the SDK's own,
a native tool as the coroutine it is, the fastest of three candidates alone. `benchmarks.hub_starts` has the rest.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.hub_starts import first_plans, found_tools, remember_lists
from benchmarks.measuring import Line, Samples, clean_environment, in_turns, progress
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.mcp.session import Patience
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.tools.calculate import Calculate, CalculateParams
from switchyard.tools.core import ToolContext, ToolResult, ToolSpec

if TYPE_CHECKING:
    from mcp import ClientSession

MCP_CALLS = 300
NATIVE_CALLS = 1000
RACES = 60
WARM_UP = 10
MOST_OF_BARE_SESSION = 1.3
MOST_OVER_COROUTINE = 0.3
"""Milliseconds."""
MOST_OF_FASTEST = 1.1

EXPRESSION = "2480 * 15 / 100"
ZONE = {"timezone": "Asia/Tokyo"}
SERVER = ["-P", "-m", "mcp_server_time"]
CANDIDATES = {"fast": 0.02, "slow": 0.2, "slower": 0.4}
"""Seconds until they answer."""
CLEAN_UP = 0.05
"""Seconds a candidate takes to end once it was cancelled."""


def run() -> list[Line]:
    """The lines of this benchmark."""
    for name in os.environ.keys() - clean_environment().keys():
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        return [*asyncio.run(_calls(Path(folder))), first_plans(Path(folder)), found_tools(Path(folder))]


async def _calls(folder: Path) -> list[Line]:
    servers = partial(
        McpSource,
        {"time": {"command": "${PYTHON}", "args": SERVER}},
        cache_dir=folder / "cache" / "mcp",
        environment=os.environ,
        patience=Patience(first_list=60, start=60),
    )
    context = ToolContext(workspace=folder)
    async with ToolHub(skills=None, mcp=servers) as hub:
        remember_lists(hub.registry.listed("mcp_server"), folder)
        progress(f"hub: {MCP_CALLS} calls of an MCP tool")
        async with bare_session() as session:
            work = {"hub": partial(call_server, hub, context), "bare": partial(call_bare, session)}
            mcp = await in_turns(work, rounds=MCP_CALLS, warm_up=WARM_UP)
        progress(f"hub: {NATIVE_CALLS} calls of a native tool")
        plain = partial(Calculate().execute, CalculateParams(expression=EXPRESSION))
        work = {"hub": partial(call_native, hub, context), "plain": plain}
        native = await in_turns(work, rounds=NATIVE_CALLS, warm_up=WARM_UP)
        progress(f"hub: {RACES} races of {len(CANDIDATES)} candidates")
        races = await in_turns(_raced(hub, context), rounds=RACES, warm_up=2)
    return [
        mcp.versus("hub: an MCP call, against a bare session", "hub", "bare", MOST_OF_BARE_SESSION),
        _over(native),
        races.versus("hub: first of three candidates, against the fastest alone", "all", "alone", MOST_OF_FASTEST),
    ]


def _over(samples: Samples) -> Line:
    """What a native call costs more than its coroutine, as a difference: a ratio to next to nothing says nothing."""
    hub, plain = samples.median("hub"), samples.median("plain")
    return Line(
        name="hub: a native call, over its coroutine",
        ours=hub,
        reference=plain,
        wanted=f"≤ {MOST_OVER_COROUTINE:g} ms more",
        met=hub - plain <= MOST_OVER_COROUTINE,
        note=f"{hub - plain:.2f} ms more; middle half {samples.spread('hub')} against {samples.spread('plain')}",
    )


@asynccontextmanager
async def bare_session() -> AsyncGenerator["ClientSession"]:
    """What the SDK gives, and nothing around it."""
    from mcp import ClientSession, StdioServerParameters  # noqa: PLC0415  the processes of `hub_starts` do without
    from mcp.client.stdio import stdio_client  # noqa: PLC0415  the same

    server = StdioServerParameters(command=sys.executable, args=SERVER)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


async def call_bare(session: "ClientSession") -> None:
    """A call on the SDK's session."""
    result = await session.call_tool("get_current_time", ZONE)
    assert not result.isError, result


async def call_server(hub: ToolHub, context: ToolContext) -> None:
    """The same the way a step calls it."""
    result = await hub.dispatcher.dispatch(ToolRequest("time/get_current_time", None, ZONE, context))
    assert result.success, result.error
    assert result.meta.source == "mcp", result.meta


async def call_native(hub: ToolHub, context: ToolContext) -> None:
    """A native tool the way a step calls it."""
    result = await hub.dispatcher.dispatch(ToolRequest("calculate", None, {"expression": EXPRESSION}, context))
    assert result.success, result.error


def _raced(hub: ToolHub, context: ToolContext) -> dict[str, Any]:
    """Three candidates of one name, and the fastest of them under another."""
    for name, seconds in CANDIDATES.items():
        hub.registry.add(_candidate("measure_level", name, seconds))
    hub.registry.add(_candidate("measure_level_alone", "fast", CANDIDATES["fast"]))

    async def ask(tool: str) -> None:
        result = await hub.dispatcher.dispatch(ToolRequest(tool, None, {}, context))
        assert result.result == "fast", result

    return {
        "all": partial(ask, "measure_level"),
        "the rest ends": partial(asyncio.sleep, 2 * CLEAN_UP),  # so that it does not fall on the other
        "alone": partial(ask, "measure_level_alone"),
    }


def _candidate(tool: str, name: str, seconds: float) -> RegisteredTool:
    async def answer(request: ToolRequest) -> ToolResult:
        del request
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            await asyncio.sleep(CLEAN_UP)
            raise
        return ToolResult(result=name)

    return RegisteredTool(ToolSpec(tool_id=tool, description=f"The level by a {name} gauge.", writes=False), answer)
