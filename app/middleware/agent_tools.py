"""What the middleware have in common: the agent's own tools in a hub, and how its messages are read."""

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool

from switchyard.agents.by_rules.checker import error_like
from switchyard.agents.parsing import read_json
from switchyard.language.tables import words
from switchyard.language.tokeniser import tokens
from switchyard.toolhub.calling.dispatch import classified
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.langchain import from_langchain
from switchyard.tools.core.errors import FailureKind

T = TypeVar("T")

SUGGESTED = "switchyard_suggested"
"""What a tool message of the guard carries beside its text: the tools it names."""
_GROUP = "agent"


class AgentTools(AgentMiddleware[Any, Any, Any]):
    """What both have: the agent's own tools in a hub."""

    def __init__(self) -> None:
        super().__init__()
        self._library = UnifiedToolLibrary(hub=ToolHub(skills=None))  # never opened: it has no tools but the agent's
        self._hub = self._library.hub
        self._known: list[BaseTool] = []

    def _know(self, tools: Sequence[BaseTool]) -> None:
        """Make these the tools of the hub."""
        known = self._known
        if len(known) != len(tools) or any(one is not other for one, other in zip(known, tools, strict=True)):
            self._hub.registry.replace(_GROUP, list(map(_registered, tools)))
            self._known = list(tools)


def _registered(tool: BaseTool) -> RegisteredTool:
    """A tool that does not say whether it changes something is judged by the verb in its name."""
    hints = tool.metadata or {}
    if "writes" in hints or "readOnlyHint" in hints:
        writes = bool(hints.get("writes", not hints.get("readOnlyHint")))
    else:
        verbs = words("words", "act") | words("words", "change")
        writes = not verbs.isdisjoint(tokens(tool.name))
    return from_langchain(tool, writes=writes)


def question_of(messages: Sequence[AnyMessage]) -> str:
    """What was asked last; empty where nobody asked."""
    return next((one.text for one in reversed(messages) if isinstance(one, HumanMessage)), "")


def failure_in(one: ToolMessage) -> FailureKind | None:
    """The class of what went wrong; None where nothing did. Some tools return what others raise."""
    is_error = one.status == "error" or error_like(read_json(one.text)) is not None
    return classified(one.text) if is_error else None


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """What is awaited, for a synchronous agent: in a thread, because a loop may be running here."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(copy_context().run, asyncio.run, work).result()
