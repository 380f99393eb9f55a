"""300 calls over servers that are killed at random: a kill fails at most the call in flight on that server."""

import asyncio
import random
from collections import Counter
from contextlib import suppress
from typing import Any

import psutil

from switchyard.toolhub.sources.mcp.source import McpSource
from tests.support.mcp_bench import call, lean, nothing_left
from tests.toolhub.mcp.conftest import SourceWith

TIME = {"command": "${PYTHON}", "args": ["-P", "-m", "mcp_server_time"]}
SERVERS: dict[str, tuple[dict[str, Any], int]] = {
    "spared": (lean("spared"), 0),
    "幸免": (lean("spared too"), 0),
    "first": (lean("first"), 8),
    "second": (lean("second"), 8),
    "第三": (lean("third"), 8),
    "time": (TIME, 1),
}
"""Each with the number of times it is killed."""
CALLS = 50
"""Of each server, one after the other; the servers all at once."""


async def test_calls_under_fire(source_with: SourceWith) -> None:
    chance = random.Random(20_261_116)  # noqa: S311  a test's own dice
    failed: Counter[str] = Counter()
    killed: Counter[str] = Counter()

    async def use(source: McpSource, server: str, entry: dict[str, Any], kills: int) -> None:
        fatal = set(chance.sample(range(CALLS - 1), kills))  # a death behind one call may be found out by the next
        for number in range(CALLS):
            calling = asyncio.create_task(ask(source, server))
            if number in fatal:
                for _ in range(chance.randrange(40)):  # before the call is sent, while it is under way, after it
                    await asyncio.sleep(0)
                killed[server] += kill(entry)
            result = await calling
            if not result.success:
                assert result.error_type == "unavailable", result.error
                failed[server] += 1

    async with nothing_left(), source_with({name: entry for name, (entry, _) in SERVERS.items()}) as source:
        async with asyncio.timeout(600):
            await asyncio.gather(*(use(source, name, *server) for name, server in SERVERS.items()))
        for server, (_, kills) in SERVERS.items():
            assert failed[server] <= killed[server] <= kills, (server, failed, killed)
            last = await ask(source, server)
            assert last.success, last.error
    assert killed.total() > 12, "most kills found no process"
    assert failed.total() > 0, "no kill met a call"


async def ask(source: McpSource, server: str) -> Any:
    if server == "time":
        return await call(source, "time/get_current_time", timezone="Asia/Shanghai")
    return await call(source, f"{server}/pid")


def kill(entry: dict[str, Any]) -> int:
    """Kill the process of a server; says how many that were: none when it has just ended."""
    killed = 0
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # zombies are none either
            if child.cmdline()[1:] == entry["args"]:
                child.kill()
                killed += 1
    return killed
