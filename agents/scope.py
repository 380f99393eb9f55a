"""What an agent is handed: the equipment of the orchestrator, and the scope of the run it works for."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel

from switchyard.agents.prompt import Prompt
from switchyard.agents.protocols import Agents
from switchyard.ledger.context import ExecutionContext
from switchyard.ledger.decisions import Downgrade
from switchyard.ledger.journal import Journal
from switchyard.ledger.limits import Meter, ToolTokens
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import Step
from switchyard.ledger.results import results_by_step
from switchyard.ledger.secrets import HeldSecrets, RunSecrets
from switchyard.ledger.tokens import estimate_tokens
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.memory.experience import Experiences
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.recall.query import Scored
from switchyard.tools.core.context import Turn
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.core.spec import Language, ToolSpec

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


Recall = Callable[[str, int], Awaitable[list[Scored]]]
"""Stage one of selection: given a text and how many, the tools it may mean, best first; none where nothing fits. Names
that do not exist are left out."""

Ranker = Callable[[str, Sequence[Step], Mapping[str, Sequence[Scored]]], Awaitable[Mapping[str, Sequence[str]]]]
"""Stage two: given the question, its steps and what was recalled for each by its id, the names of the tools that serve
each step, best first, by the step's id."""

Prompts = Callable[[str, str, Prompt], Prompt]
"""Given an agent's name, the name of what it must answer (`PlanAnswer`, `RankAnswer`, … or `text`) and our prompt, the
prompt that is sent."""


@dataclass(frozen=True, slots=True)
class Custom:
    """What is replaced; what is left out stays ours."""

    recall: Recall | None = None
    ranker: Ranker | None = None
    prompts: Prompts | None = None
    agents: Agents = field(default_factory=Agents)


Emit = Callable[[str, Mapping[str, Any] | BaseModel], None]
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
    begins_thinking: bool = False
    """Whether its answers begin inside a thought, the opening tag being part of its prompt; found out when one does."""


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

    hub: ToolHub
    journal: Journal
    models: ModelSource
    workspace: Path
    options: RunOptions
    experience: Experiences
    """What use has taught."""
    network: NetworkPolicy = field(default_factory=NetworkPolicy)
    clock: Callable[[], datetime] = local_now
    """What "today" and "next Friday" count from."""
    custom: Custom = field(default_factory=Custom)
    by_meaning: bool = True
    """Whether tools shown to a model are recalled by meaning too, not by words alone."""
    secrets: HeldSecrets = field(default_factory=HeldSecrets)
    """What calls under way need and nothing stores."""
    usable: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """What the tools that may lack something said last, before each question anew: what is missing, or nothing."""


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
    secrets: RunSecrets = field(default_factory=RunSecrets)
    learned: Learned | None = None
    """What the user's earlier runs have taught recall."""
    failures: Learned | None = None
    """The part of it that speaks against tools: rules tell by a tool's own words what it is for, not by others'."""
    model_down: bool = False
    """The model could not be reached earlier in this run: it is not waited for again."""
    model_failures: int = 0
    """Calls in a row, whoever asked, that gave nothing usable."""
    downgrades: list[Downgrade] = field(default_factory=list[Downgrade])
    files: str | None = None
    """What a model is shown of the workspace, where that was looked at already."""

    async def recall(self, text: str, *, for_model: bool, task_type: str = "") -> list[Scored]:
        """Stage one for this run: within the tools its caller allows, with what was learned (R3.1, R3.4, R3.7).

        Args:
            text: the question, or a step.
            for_model: whether a model chooses among them, and judges whether any fits: it is shown what is near by
                meaning too. The rules find tools by words, and take one only where they are certain of it.
            task_type: what kind of task it is, as the planner says; it speaks for tools of that kind.
        """
        hub, options = self.equipment.hub, self.options
        if options.only_specified and for_model and not options.allows_all:
            return [Scored(name, 0.0) for name in options.named_tools if hub.registry.get(name)]
        depth = options.recall_topk if options.allows_all else len(hub.registry)
        if self.equipment.custom.recall is not None:
            found = await self.equipment.custom.recall(text, depth)
        else:
            strategy = "fused" if for_model and self.equipment.by_meaning else "bm25"
            learned = self.learned if for_model else self.failures
            found = await hub.finder.recall(text, depth, strategy=strategy, learned=learned, task_type=task_type)
        specs, named = hub.registry.specs, None if options.allows_all else {*options.named_tools}
        found = [one for one in found if one.name in specs and (named is None or one.name in named)]
        if for_model:  # the rules take it all the same, to say what is missing
            unusable = await self.unusable(one.name for one in found)
            found = [one for one in found if one.name not in unusable]
        known = {one.name for one in found[: options.recall_topk]}
        given = specs if options.only_specified and for_model else options.fixed
        fixed = [Scored(name, 0.0) for name in dict.fromkeys(given) if name in specs]
        return [*found[: options.recall_topk], *(one for one in fixed if one.name not in known)]

    async def unusable(self, names: Iterable[str]) -> dict[str, str]:
        """Of these tools, those that cannot work here, each with what is missing; they look for it in a thread."""
        known, conditional = self.equipment.usable, self.equipment.hub.registry.conditional
        asked = [name for name in names if name in conditional]
        if new := [name for name in asked if name not in known]:
            await asyncio.to_thread(self.ask_whether_usable, new)
        return {name: why for name in asked if (why := known[name]) is not None}

    def ask_whether_usable(self, names: Collection[str]) -> None:
        """Have tools say whether they can work here, for `unusable`; they may look at the disk."""
        missing = self.equipment.hub.registry.unusable(names, self.equipment.network)
        self.equipment.usable.update({name: missing.get(name) for name in names})

    async def results_so_far(self, context: ExecutionContext) -> dict[str, Any]:
        """The full result of every finished step, as references see it."""
        done = {step_id: record for step_id, record in context.steps.items() if record.status == "done"}
        found = results_by_step(done, await self.equipment.journal.attempts(self.run_id)) if done else {}
        return {step_id: found.get(step_id, record.excerpt) for step_id, record in done.items()}

    def count_tool_tokens(self, *, summaries: str = "", definitions: str = "") -> None:
        """Count what a prompt told of tools, against what all of them would have taken (R3.8)."""
        spent = ToolTokens(
            summaries=estimate_tokens(summaries),
            definitions=estimate_tokens(definitions),
            full_catalogue=self.equipment.hub.cost.tokens(),
        )
        self.meter.added.tool_tokens += spent

    def spec(self, tool: str | None, action: str | None) -> ToolSpec | None:
        """A tool as this action of it is: what it takes, and whether it writes; None where there is none."""
        spec = self.equipment.hub.registry.get(tool or "")
        return spec and spec.for_action(action)

    def allows(self, tool: str) -> bool:
        """Whether the run's caller lets it use a tool."""
        return self.options.allows_all or tool in self.options.named_tools

    def downgrade(self, agent: str, reason: str, *, lasting: bool = False) -> None:
        """Note that a plainer way was taken."""
        self.downgrades.append(Downgrade(agent=agent, reason=reason, lasting=lasting))
        self.model_down = self.model_down or lasting
        self.emit("downgrade", {"agent": agent, "reason": reason})
