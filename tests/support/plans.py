"""Plans handed to the graph: a test says which tools are called with what, and everything after that works by rules.

report = await opened.ask(call("tally", label="apples"), call("stamp", "s1", label="letter"))
"""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from typing_extensions import override

from switchyard.agents.scope import Model
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.report import RunReport
from switchyard.app.settings import Settings
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.hub import ToolHub
from tests.support.endpoint import fills, kind_of, steps

HANDED = "handed"
QUESTION = "do it"
"""What is asked: nothing can be read in it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A step of a plan: its tool, the others that would do, what it waits for, and its arguments."""

    tool: str
    needs: tuple[str, ...]
    arguments: dict[str, Any]
    others: tuple[str, ...] = ()


def call(tool: str, *needs: str, others: tuple[str, ...] = (), **arguments: Any) -> Call:
    """A step that calls a tool; `needs` are the ids of the steps it waits for. Ids are s1, s2 … in order."""
    return Call(tool, needs, arguments, others)


class Planner(BaseChatModel):
    """A chat model that plans what it is handed, and says nothing else."""

    calls: list[Call] = Field(default_factory=list[Call])

    @property
    @override
    def _llm_type(self) -> str:
        return HANDED

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        said = json.dumps(self._said(kind_of({"messages": [{"content": messages[0].text}]})), ensure_ascii=False)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(said))])

    def _said(self, kind: str) -> dict[str, Any]:
        named = {f"s{position}": one for position, one in enumerate(self.calls, start=1)}
        match kind:
            case "plan":
                return steps(*(_draft(one) for one in self.calls))
            case "rank":
                return {"choices": {step_id: [one.tool, *one.others] for step_id, one in named.items()}}
            case "fill":
                return fills(**{step_id: one.arguments for step_id, one in named.items()})
            case _:
                raise AssertionError(f"a planner is not asked for {kind}")


def _draft(one: Call) -> dict[str, Any]:
    # no tool is named here: the planner's own is one of those recalled, the ranked ones are all there are
    return {"description": f"{one.tool} {one.arguments}", "dependencies": list(one.needs)}


@dataclass(frozen=True, slots=True)
class Handed:
    """An orchestrator that is handed its plans."""

    orchestrator: Orchestrator
    planner: Planner = field(default_factory=Planner)

    @property
    def graph(self) -> Any:
        """The graph itself, as a program of somebody else's invokes it."""
        return self.orchestrator.graph

    @property
    def hub(self) -> ToolHub:
        return self.orchestrator.hub

    def plan(self, *calls: Call) -> None:
        """What is planned whatever is asked next."""
        self.planner.calls = list(calls)

    async def ask(
        self,
        *calls: Call,
        question: str = QUESTION,
        thread_id: str | None = None,
        options: RunOptions | None = None,
    ) -> RunReport:
        self.plan(*calls)
        return await self.orchestrator.ask(question, thread_id=thread_id, options=options)

    async def resume(self, thread_id: str, reply: Any = None, *, options: RunOptions | None = None) -> RunReport:
        return await self.orchestrator.resume(thread_id, reply, options=options)


@asynccontextmanager
async def open_handed(settings: Settings) -> AsyncGenerator[Handed]:
    """Planning and selection are told what to do; execution, verification and coordination work by rules."""
    agents = dict.fromkeys(("planning", "tool_selection"), HANDED)
    planner = Planner()
    told = settings.model_copy(update={"agent_models": agents, "max_replans": 0})  # there is no plan but this one
    async with open_orchestrator(told, model=Model(HANDED, planner)) as opened:
        yield Handed(opened, planner)
