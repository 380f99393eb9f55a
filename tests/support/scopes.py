"""The scope of a run, put together by hand: what an agent is given without an orchestrator around it."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from langgraph.store.memory import InMemoryStore

from switchyard.agents.scope import Emit, Equipment, ModelSource, RunScope, local_now
from switchyard.app.models import ConfiguredModels
from switchyard.app.settings import Settings
from switchyard.ledger.journal import Journal
from switchyard.ledger.limits import Meter, Usage
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.memory.experience import Experiences
from switchyard.tools.core.context import Turn

RUN = "run"


def silent(event: str, data: object) -> None:
    """Nobody listens."""


def scope_over(
    hub: ToolHub,
    workspace: Path,
    *,
    options: RunOptions | None = None,
    journal: Journal | None = None,
    models: ModelSource | None = None,
    usage: Usage | None = None,
    history: tuple[Turn, ...] = (),
    clock: Callable[[], datetime] = local_now,
    emit: Emit = silent,
) -> RunScope:
    """A run over a hub; what is left out is fresh and empty, and there is no model."""
    options = options or RunOptions()
    journal = journal or Journal(InMemoryStore())
    models = models or ConfiguredModels(Settings(model="none"))
    experience = Experiences(InMemoryStore(), hub.memory)
    equipment = Equipment(hub, journal, models, workspace, options, experience, clock=clock)
    meter = Meter(options, usage or Usage())
    return RunScope(RUN, "thread", "en", options, meter, emit, equipment, history)
