"""`UnifiedToolLibrary`: the one façade of the hub that agents and users call (R4.8).

    servers = partial(McpSource, Path("mcp.local.json"), cache_dir=..., environment=os.environ)
    async with UnifiedToolLibrary(native=Path("tools"), mcp=servers) as library:
        result = await library.execute_tool("git", "git_status", {"repo_path": "."}, context)

It is made of parts that know nothing of it: the registry, the sources that fill it, recall, dispatch and memory.
"""

import asyncio
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from switchyard.ledger.attempts import CallIdentity
from switchyard.ledger.context import ExecutionContext
from switchyard.ledger.guard import refusal
from switchyard.toolhub.calling.identity import identified
from switchyard.toolhub.calling.racing import collect
from switchyard.toolhub.calling.request import Ask, Refuses, ToolRequest
from switchyard.toolhub.calling.retreat import Dispatcher
from switchyard.toolhub.capabilities import CapabilityTable
from switchyard.toolhub.catalogue import Catalogue
from switchyard.toolhub.memory.adjustments import AdjustedArguments, Adjuster
from switchyard.toolhub.memory.health import ToolHealth, health_of
from switchyard.toolhub.memory.memory import FailurePatterns, Memory
from switchyard.toolhub.naming import similar_tools
from switchyard.toolhub.registry import SWITCHED_OFF, RegisteredTool, ToolRegistry
from switchyard.toolhub.sources.functions import function_tool
from switchyard.toolhub.sources.langchain import as_langchain, from_langchain
from switchyard.toolhub.sources.mcp import McpSource
from switchyard.toolhub.sources.native import BrokenFile
from switchyard.toolhub.sources.supply import Folder, OpensMcp, Supply
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import FailureKind, ToolUnknown
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import FunctionToolSpec, MCPServerSpec, ToolSource, ToolSpec

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.tools import BaseTool, StructuredTool

BATCH_AT_ONCE = 8
"""Reading calls of a batch that run together."""


class UnifiedToolLibrary(Catalogue):
    """Every tool there is: to list, to recall, to describe, to run."""

    def __init__(
        self,
        *,
        native: Path,
        extra: Sequence[Path] = (),
        skills: Path | None = None,
        extra_skills: Sequence[Path] = (),
        mcp: OpensMcp | None = None,
        disabled: Iterable[str] = (),
        capabilities: CapabilityTable | None = None,
        memory: Memory | None = None,
        embeddings: "Embeddings | None" = None,
        tool_timeout: float = 30.0,
        rng: random.Random | None = None,
    ) -> None:
        """Nothing is read or started yet.

        Args:
            native: the folder that is the package `tools`.
            extra: more folders of tools, loaded by path.
            skills: the folder that is the package `skills`.
            extra_skills: more folders of skills.
            mcp: makes the source of MCP tools.
            disabled: names of tools and of MCP servers that are not offered.
            capabilities: the table of capability tags, where a project has extended it.
            memory: what was learned before.
            embeddings: a model to recall tools by meaning with; word vectors that come in a package when left out.
            tool_timeout: seconds a call may take where neither tool nor caller say otherwise.
            rng: shuffles equals among tools of one capability.
        """
        super().__init__(ToolRegistry(capabilities), embeddings)
        for name in disabled:
            self.registry.disable(name, reason="the settings say so")
        packages = [Folder(native, "switchyard.tools")]
        packages += [Folder(skills, "switchyard.skills", skills=True)] if skills else []
        others = [Folder(path) for path in extra] + [Folder(path, skills=True) for path in extra_skills]
        self._supply = Supply(self.registry, [*packages, *others], mcp)
        self._timeout = tool_timeout
        self.memory = memory or Memory()
        self.dispatcher = Dispatcher(self.registry, self.memory, absence=self._supply.absence, rng=rng)
        self._loop: asyncio.AbstractEventLoop | None = None

    # Opening and closing

    async def initialize(self) -> None:
        """Find the tools and open the source of MCP tools; servers whose tools are known are not waited for.

        Doing it again only looks for what has changed.
        """
        self._loop = asyncio.get_running_loop()
        await self._supply.open()

    async def refresh(self) -> None:
        """Take over what has changed in folders and in the file of MCP servers; cheap when nothing has.

        Meant to be called before each question.
        """
        await self._supply.refresh()

    async def close(self) -> None:
        """End the servers and what is left of calls; nothing stays behind."""
        await self.dispatcher.stragglers.settle()
        await self._supply.close()

    async def __aenter__(self) -> Self:
        await self.initialize()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def broken(self) -> list[BrokenFile]:
        """Files of tools and skills that did not load, each with its error."""
        return self._supply.broken()

    @property
    def mcp(self) -> McpSource | None:
        """The open source of MCP tools: its servers and their health."""
        return self._supply.mcp

    async def reach(self, name: str) -> None:
        """Try the server of a name at once if it is down: whoever names it may have mended it meanwhile."""
        await self._supply.reach(name)

    def unknown(self, name: str) -> ToolUnknown:
        """The error for a tool that cannot be called: its server is down, or else why, and the nearest that can."""
        missing = self._supply.why_missing(name)
        return ToolUnknown(missing) if missing else super().unknown(name)

    # Coming and going

    def register(self, tool: RegisteredTool) -> None:
        """Add a tool at run time; one of a name that is there becomes its next candidate."""
        self.registry.add(tool)

    def register_function_tool(self, spec: FunctionToolSpec) -> ToolSpec:
        """Add a plain function as a tool.

        Raises:
            ToolBroken: when an argument of the function cannot be given by name.
        """
        tool = function_tool(spec)
        self.register(tool)
        return tool.spec

    def register_langchain_tool(self, tool: "BaseTool", **fields: Any) -> ToolSpec:
        """Add a LangChain tool as it is; `fields` say what its `ToolSpec` has beyond it, such as `writes=False`."""
        registered = from_langchain(tool, **fields)
        self.register(registered)
        return registered.spec

    async def register_mcp_server(self, spec: MCPServerSpec) -> list[ToolSpec]:
        """Add an MCP server, or replace it, until the library is closed; waits a bounded time for its tools.

        Raises:
            SettingsInvalid: with what to change in the description, or when the library was made without MCP.
        """
        await self._supply.add_server(spec)
        return [tool for tool in self.get_tools_by_type("mcp_server") if tool.name.startswith(f"{spec.name}/")]

    def unregister_tool(self, name: str) -> bool:
        """Remove a tool with all its candidates, or an MCP server with all its tools; says whether it was there.

        Calls under way go on. A server is closed behind.
        """
        return self.registry.remove(name) or self._supply.remove_server(name)

    def disable(self, name: str, *, source: ToolSource | None = None, reason: str = SWITCHED_OFF) -> None:
        """Stop offering a tool, its candidate of one source, or all tools of an MCP server; calls are told why."""
        self.registry.disable(name, source=source, reason=reason)

    def enable(self, name: str, *, source: ToolSource | None = None) -> bool:
        """Take a `disable` back; says whether there was one."""
        return self.registry.enable(name, source=source)

    # Calling

    def identify(
        self, name: str, action: str | None, arguments: Mapping[str, Any], workspace: Path | None = None
    ) -> CallIdentity:
        """Which call this is, however it is written: what tells that it failed before, and what it may depend on."""
        return identified(self.registry, name, action, arguments, workspace)

    async def execute_tool(
        self,
        name: str,
        action: str | None,
        arguments: Mapping[str, Any] | str,
        context: ToolContext,
        *,
        seconds: float | None = None,
        ask: Ask | None = None,
        refuses: Refuses | None = None,
    ) -> ToolResult:
        """Run a tool and return what happened; see `toolhub.calling.retreat` for what is tried.

        Whoever calls has had the call approved, if `get_tool_by_id(name)` asks first: nobody is asked here.

        Args:
            name: the tool, or an MCP server with the tool as `action`.
            action: one of several actions of the tool.
            arguments: an object, or its JSON text.
            context: the run the call belongs to.
            seconds: what the call may take where the tool says nothing else.
            ask: the model that merges the answers of several tools; else the one of the context.
            refuses: says why a call that would stand in for this one must not be made, if so.
        """
        seconds = seconds or self._timeout
        request = ToolRequest(name, action, arguments, context, seconds, ask=ask, refuses=refuses)
        return await self.dispatcher.dispatch(request)

    def check_arguments(self, name: str, action: str | None, arguments: dict[str, Any]) -> str | None:
        """What is wrong with the arguments of a call, as the call itself would say; None where nothing is known to be.

        Of several candidates one that takes them is enough: the call goes on to it.
        """
        return self.dispatcher.check(ToolRequest(name, action, arguments))

    async def preview(
        self, name: str, action: str | None, arguments: dict[str, Any], context: ToolContext
    ) -> list[Effect]:
        """What a call would do, as its tool says without doing it; nothing where the tool cannot say.

        Raises:
            ToolError: with what the tool itself says against the call.
        """
        return await self.dispatcher.preview(ToolRequest(name, action, arguments, context))

    async def batch_execute_tools(
        self, requests: Sequence[ToolRequest], context: ToolContext, *, seconds: float | None = None
    ) -> list[ToolResult]:
        """Run several calls and return their results in the same order; a failure takes no other call with it.

        Calls that read run together; those that write, or ask first, one at a time in the order given.
        """
        slots, turn = asyncio.Semaphore(BATCH_AT_ONCE), asyncio.Lock()

        async def run(position: int, request: ToolRequest) -> ToolResult:
            tool, action = self.resolve(request.tool, request.action)
            spec = self.get_tool_by_id(tool)
            own = spec.for_action(action) if spec else None
            key = f"{context.idempotency_key}:{position}" if context.idempotency_key else ""
            async with turn if own and (own.writes or own.asks_first) else slots:
                return await self.execute_tool(
                    tool, action, request.arguments, replace(context, idempotency_key=key), seconds=seconds
                )

        calls = [partial(run, position, request) for position, request in enumerate(requests)]
        answers = await collect(calls, self.dispatcher.stragglers)
        return [answers[position] for position in range(len(requests))]

    async def execute_tool_with_context(
        self,
        name: str,
        action: str | None,
        arguments: Mapping[str, Any],
        context: ToolContext,
        execution: ExecutionContext,
        *,
        seconds: float | None = None,
    ) -> ToolResult:
        """Run a tool in the light of what failed in the run: the same mistake is adjusted, or else not made again."""
        name, action = self.resolve(name, action)
        spec = self.get_tool_by_id(name)
        signature = self.identify(name, action, arguments, context.workspace).signature
        reason = refusal(signature, execution.failures, ())
        downgrades: list[str] = []
        if reason is not None:
            last = next(failure for failure in reversed(execution.failures) if failure.signature == signature)
            better = await self.suggest_parameter_adjustments(
                name,
                action,
                arguments,
                kind=last.kind,
                error=last.error,
                workspace=context.workspace,
                user=context.user,
            )
            if better is None or (spec and spec.for_action(action).asks_first):
                return ToolResult.failed(reason, "bad_arguments")
            arguments, downgrades = better.arguments, [f"{reason} Adjusted {better.reason}"]
        result = await self.execute_tool(name, action, arguments, context, seconds=seconds)
        result.meta.downgrades += downgrades
        return result

    def export_langchain_tools(
        self, context: ToolContext, names: Iterable[str] | None = None
    ) -> "list[StructuredTool]":
        """Tools as LangChain tools, all or those named; each action of several is a tool of its own.

        Their metadata says which write and which ask first: whoever hands them to an agent sees to that.
        """
        specs = self.get_all_tools() if names is None else map(self._known, names)

        def execute(name: str, action: str | None, arguments: dict[str, Any]) -> Any:
            return self.execute_tool(name, action, arguments, context)

        return [one for spec in specs for one in as_langchain(spec, partial(execute, spec.name), loop=self._loop)]

    # What was learned

    def get_tool_health_status(self, name: str) -> ToolHealth:
        """How a tool is: offered or not and why, reachable or not, and how its calls went."""
        return health_of(name, self.registry, self.memory, self._supply.absence)

    def get_alternative_tools(self, name: str, *, failed: Collection[str] = ()) -> list[ToolSpec]:
        """Tools that share a capability tag with this one and can be called, most alike first; those failing come last.

        Args:
            name: the tool that cannot or should not be used; it need not exist.
            failed: tools that failed too.
        """
        withheld = [one.tool.spec for one in self.registry.withheld(name)]
        spec = self.get_tool_by_id(name) or next(iter(withheld), ToolSpec(name=name, summary=""))
        similar = [other for other in similar_tools(self.registry, spec) if other.name not in failed]
        states = {other.name: self.get_tool_health_status(other.name).state for other in similar}
        there = [other for other in similar if states[other.name] in {"ready", "failing"}]
        return sorted(there, key=lambda other: states[other.name] == "failing")

    async def suggest_parameter_adjustments(
        self,
        name: str,
        action: str | None,
        arguments: Mapping[str, Any],
        *,
        kind: FailureKind,
        error: str,
        workspace: Path,
        user: str = "",
    ) -> AdjustedArguments | None:
        """Arguments that are likely to work after these failed; None where nothing is known to help (R7.3)."""
        spec = self.get_tool_by_id(name)
        if spec is None:
            return None
        return await Adjuster(spec, self.memory, workspace, user).adjusted(action, arguments, kind, error)

    def get_tool_failure_patterns(self, name: str, user: str = "") -> FailurePatterns:
        """What is known about a tool's failures: kinds, arguments and errors, what helped, what it was switched for."""
        return self.memory.patterns(name, user)
