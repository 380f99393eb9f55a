"""What an orchestrator works with, opened once: storage, hub, journal, models and what use has taught."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from datetime import datetime

from switchyard.agents.scope import Custom, Equipment, Model, local_now
from switchyard.app.hub import open_library
from switchyard.app.models import ConfiguredModels
from switchyard.app.settings import NO_MODEL, Settings
from switchyard.app.storage import Storage, open_storage
from switchyard.ledger.journal import Journal
from switchyard.toolhub.memory.experience import Experiences


@asynccontextmanager
async def open_equipment(
    settings: Settings,
    *,
    model: Model | None = None,
    clock: Callable[[], datetime] = local_now,
    custom: Custom | None = None,
) -> AsyncGenerator[tuple[Equipment, Storage]]:
    """Open what the runs of one orchestrator share, and where it is stored; all of it is closed with the block."""
    async with open_storage(settings.database_path, wait=settings.database_wait) as storage:
        workspace = await asyncio.to_thread(settings.checked_workspace)
        async with open_library(settings) as library, aclosing(ConfiguredModels(settings)) as models:
            if model is not None:
                models.add(model)
            equipment = Equipment(
                library,
                Journal(storage.store, volatile=storage.volatile),
                models,
                workspace,
                settings.options,
                settings.network,
                clock,
                experience=Experiences(storage.store, library.memory, volatile=storage.volatile),
                custom=custom or Custom(),
                by_meaning=settings.embeddings != NO_MODEL,
            )
            yield equipment, storage
