"""The entry of LangGraph's server and Studio: a graph without a checkpointer over a process-wide hub.

The hub and the journal open on the first question and close with the server. The server brings its own checkpoints;
the journal is ours here too, so that what Studio learns the shell knows.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

# imported here, where the server waits for it: elsewhere they are loaded on first use, which would block a node
import rapidfuzz.process
from starlette.applications import Starlette

from switchyard.agents import speech
from switchyard.agents.scope import Equipment
from switchyard.app.hub import open_library
from switchyard.app.models import ConfiguredModels
from switchyard.app.settings import NO_MODEL, load_settings
from switchyard.app.storage import open_storage
from switchyard.graphs.orchestrator import build_graph
from switchyard.ledger.journal import Journal
from switchyard.toolhub.memory.experience import Experiences


class SharedEquipment:
    """Opened by the first run that needs it, shared by all, closed by the server's lifespan."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._equipment: Equipment | None = None
        self._opening: asyncio.Lock | None = None

    async def __call__(self) -> Equipment:
        """The equipment, opened if this is the first call."""
        if self._equipment is not None:
            return self._equipment
        self._opening = self._opening or asyncio.Lock()
        async with self._opening:
            if self._equipment is None:
                self._equipment = await self._open()
        return self._equipment

    async def close(self) -> None:
        """Close what was opened."""
        self._equipment = None
        await self._stack.aclose()

    async def _open(self) -> Equipment:
        async with AsyncExitStack() as stack:  # what was opened before something failed is closed at once
            settings = await asyncio.to_thread(load_settings)
            storage = await stack.enter_async_context(open_storage(settings.database_path, wait=settings.database_wait))
            library = await stack.enter_async_context(open_library(settings))
            workspace = await asyncio.to_thread(settings.checked_workspace)
            models = ConfiguredModels(settings)
            stack.push_async_callback(models.close)
            equipment = Equipment(
                library,
                Journal(storage.store, volatile=storage.volatile),
                models,
                workspace,
                settings.options,
                settings.network,
                experience=Experiences(storage.store, library.memory, volatile=storage.volatile),
                by_meaning=settings.embeddings != NO_MODEL,
            )
            self._stack = stack.pop_all()
        return equipment


LOADED_EARLY = (speech, rapidfuzz.process)

equipment = SharedEquipment()
graph = build_graph(equipment)


@asynccontextmanager
async def lifespan(_: Starlette) -> AsyncGenerator[None]:
    """Close the hub when the server stops."""
    yield
    await equipment.close()


app = Starlette(lifespan=lifespan)
