"""The entry of LangGraph's server and Studio: a graph without a checkpointer over a process-wide hub.

The hub and the journal open on the first question and close with the server. The server brings its own checkpoints;
the journal is ours here too, so that what Studio learns the shell knows.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

# imported here, where the server waits for it: elsewhere it is loaded on first use, which would block a node
import rapidfuzz.process
from starlette.applications import Starlette

from switchyard.agents.scope import Equipment
from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.settings import load_settings
from switchyard.graphs.orchestrator import build_graph


class SharedEquipment:
    """Opened by the first run that needs it, shared by all, closed by the server's lifespan."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._equipment: Equipment | None = None
        self._opening = asyncio.Lock()

    async def __call__(self) -> Equipment:
        """The equipment, opened if this is the first call."""
        async with self._opening:
            if self._equipment is None:
                settings = await asyncio.to_thread(load_settings)
                self._equipment = (await self._stack.enter_async_context(open_orchestrator(settings))).equipment
        return self._equipment

    async def close(self) -> None:
        """Close what was opened."""
        self._equipment = None
        await self._stack.aclose()


LOADED_EARLY = (rapidfuzz.process,)

equipment = SharedEquipment()
graph = build_graph(equipment)


@asynccontextmanager
async def lifespan(_: Starlette) -> AsyncGenerator[None]:
    """Close the hub when the server stops."""
    yield
    await equipment.close()


app = Starlette(lifespan=lifespan)
