"""Tools a test holds in its hands: it decides when they answer, and sees whether they were started and cleaned up."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.calling.retreat import Dispatcher
from switchyard.toolhub.memory.memory import Memory
from switchyard.toolhub.registry import RegisteredTool, ToolRegistry
from switchyard.tools.core import ToolCapability, ToolContext, ToolResult, ToolSpec
from switchyard.tools.core.context import SkillHost
from switchyard.tools.core.errors import FailureKind

Work = Callable[[dict[str, Any]], Awaitable[Any]]

CONTEXT = ToolContext(workspace=Path())


def schema(*required: str, **defaults: Any) -> dict[str, Any]:
    """The schema of a tool that takes texts: some required, some with a default."""
    fields = {name: {"type": "string"} for name in required}
    fields |= {name: {"type": "string", "default": value} for name, value in defaults.items()}
    return {"type": "object", "properties": fields, "required": list(required)}


def made(name: str, work: Work, *, takes: dict[str, Any] | None = None, **spec: Any) -> RegisteredTool:
    """A tool of the test's own."""

    async def run(request: ToolRequest) -> ToolResult:
        value = await work(request.given)
        return value if isinstance(value, ToolResult) else ToolResult(result=value)

    capability = ToolCapability(name=name, parameters=schema() if takes is None else takes)
    described = {"tool_id": name, "description": f"{name} 工具", "capabilities": (capability,), **spec}
    return RegisteredTool(ToolSpec.model_validate(described), run)


def with_model(ask: Any, **fields: Any) -> ToolContext:
    """The context of a run whose model answers like this."""
    return ToolContext(skill_host=cast("SkillHost", SimpleNamespace(ask=ask)), **fields)


def answering(value: Any) -> Work:
    async def work(arguments: dict[str, Any]) -> Any:
        return value

    return work


def failing(error: str = "坏了", kind: FailureKind = "crash") -> Work:
    async def work(arguments: dict[str, Any]) -> Any:
        return ToolResult.failed(error, kind)

    return work


class Held:
    """Answers when it is let go; counts its calls, and knows how they ended."""

    def __init__(self, value: Any = "held 等", *, clean_up: asyncio.Event | None = None) -> None:
        self.value = value
        self.calls = 0
        self.started = asyncio.Event()
        self.go = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.cleaned = asyncio.Event()
        self._clean_up = clean_up

    async def __call__(self, arguments: dict[str, Any]) -> Any:
        del arguments
        self.calls += 1
        self.started.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            if self._clean_up:
                await self._clean_up.wait()
            self.cleaned.set()
            raise
        return self.value


class Hub:
    """A dispatcher over tools of the test's own."""

    def __init__(self, *tools: RegisteredTool, seed: int = 0, absent: dict[str, str] | None = None) -> None:
        self.absent = absent or {}
        self.registry = ToolRegistry()
        self.memory = Memory()
        for tool in tools:
            self.registry.add(tool)
        self.dispatcher = Dispatcher(
            self.registry,
            self.memory,
            absence=lambda tool: self.absent.get(tool.spec.tool_id),
            rng=random.Random(seed),  # noqa: S311  an order, no secret
        )

    async def call(
        self,
        name: str,
        action: str | None = None,
        *,
        context: ToolContext = CONTEXT,
        seconds: float = 120,
        **arguments: Any,
    ) -> ToolResult:
        request = ToolRequest(name, action, arguments, context, seconds)
        async with asyncio.timeout(120):  # a test that waits in vain fails instead of hanging
            return await self.dispatcher.dispatch(request)
