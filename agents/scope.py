"""What an agent is handed: the equipment of the orchestrator, and the scope of the run it works for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ledger.decisions import Downgrade
from ledger.journal import Journal
from ledger.limits import Meter
from ledger.options import RunOptions
from toolhub.library import UnifiedToolLibrary
from tools.core.context import Turn
from tools.core.network import NetworkPolicy
from tools.core.spec import Language

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Emit = Callable[[str, dict[str, Any]], None]
"""Reports progress: the name of an event and its data."""


def local_now() -> datetime:
    """The time here."""
    return datetime.now().astimezone()


@dataclass(slots=True)
class Model:
    """A chat model and what is known of its endpoint."""

    name: str
    chat: "BaseChatModel"
    inner: dict[str, Any] = field(default_factory=dict[str, Any])
    """What calls that are not the answer add: an endpoint that streams them loses their usage."""
    secret: str | None = field(default=None, repr=False)
    """The key it is called with: an endpoint may repeat it in an error."""
    takes_response_format: bool = False
    """Whether it takes OpenAI's `response_format`; found out when an endpoint refuses it."""


class ModelSource(Protocol):
    """Where models come from; built when first used, because importing a provider takes a second."""

    def name_for(self, options: RunOptions, agent: str) -> str | None:
        """The model an agent uses in a run; None when it works by rules."""
        ...

    async def get(self, name: str) -> Model:
        """The model of that name.

        Raises:
            ModelFailed: when it cannot be built.
        """
        ...


@dataclass(frozen=True, slots=True)
class Equipment:
    """What all runs of one orchestrator share."""

    library: UnifiedToolLibrary
    journal: Journal
    models: ModelSource
    workspace: Path
    options: RunOptions
    network: NetworkPolicy = field(default_factory=NetworkPolicy)
    clock: Callable[[], datetime] = local_now
    """What "today" and "next Friday" count from."""


@dataclass(slots=True)
class RunScope:
    """One node's view of the run it works for; what it adds is read off when the node ends."""

    run_id: str
    thread_id: str
    language: Language
    options: RunOptions
    meter: Meter
    emit: Emit
    equipment: Equipment
    history: Sequence[Turn] = ()
    model_down: bool = False
    """The model could not be reached earlier in this run: it is not waited for again."""
    downgrades: list[Downgrade] = field(default_factory=list[Downgrade])

    def downgrade(self, agent: str, reason: str, *, lasting: bool = False) -> None:
        """Note that a plainer way was taken."""
        self.downgrades.append(Downgrade(agent=agent, reason=reason, lasting=lasting))
        self.model_down = self.model_down or lasting
        self.emit("downgrade", {"agent": agent, "reason": reason})
