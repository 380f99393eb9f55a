"""`UnifiedToolLibrary`: the one façade of the hub that agents and users call (R4.8).

    servers = partial(McpSource, Path("mcp.local.json"), cache_dir=..., environment=os.environ)
    async with UnifiedToolLibrary(native=Path("tools"), mcp=servers) as library:
        result = await library.execute_tool("git", "git_status", {"repo_path": "."}, context)

It is made of parts that know nothing of it: the registry, the sources that fill it, recall, dispatch and memory.
"""

import asyncio
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from switchyard.language.messages import joined, message, quoted
from switchyard.ledger.attempts import CallIdentity, Failure
from switchyard.ledger.context import OBSERVATIONS_KEPT, ExecutionContext, Observation
from switchyard.ledger.guard import refusal, repeated
from switchyard.ledger.patterns import of_failure, of_success
from switchyard.toolhub.calling.arguments import as_object
from switchyard.toolhub.calling.dispatch import collect
from switchyard.toolhub.calling.identity import identified
from switchyard.toolhub.calling.request import Ask, Refuses, ToolRequest
from switchyard.toolhub.calling.retreat import Dispatcher
from switchyard.toolhub.capabilities import CapabilityTable
from switchyard.toolhub.descriptions import CatalogueCost, definition, summary, summary_line
from switchyard.toolhub.excerpts import excerpt
from switchyard.toolhub.memory.adjustments import AdjustedArguments, Adjuster
from switchyard.toolhub.memory.memory import FailurePatterns, Health, Memory, ToolHealth, may_stand_in
from switchyard.toolhub.recall.bm25 import Scored, Strategy
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.registry import Conditional, RegisteredTool, ToolRegistry, Withheld
from switchyard.toolhub.sources.functions import function_tool
from switchyard.toolhub.sources.langchain import as_langchain, from_langchain
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.toolhub.sources.native import BrokenFile
from switchyard.toolhub.sources.supply import Folder, OpensMcp, Supply
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import BadArguments, FailureKind, ToolUnknown
from switchyard.tools.core.masking import shown_arguments
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import FunctionToolSpec, MCPServerSpec, ToolSource, ToolSpec, ToolSummary, ToolType

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.tools import BaseTool, StructuredTool

    from switchyard.toolhub.recall.finder import Finder

ALTERNATIVES = 10
"""Tools recalled for a task whose tool failed."""
BATCH_AT_ONCE = 8
"""Reading calls of a batch that run together."""


class UnifiedToolLibrary:
    """Every tool there is: to list, to recall, to describe, to run.

    `registry` has the tools, `finder` recalls them, `dispatcher` calls them, `memory` knows how calls went, `health`
    how tools are. The names below are for whoever uses the hub by itself.
    """

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
        self.registry = ToolRegistry(capabilities)
        for name in disabled:
            self.registry.disable(name, reason=message("disabled_by_settings"))
        packages = [Folder(native, "switchyard.tools")]
        packages += [Folder(skills, "switchyard.skills", skills=True)] if skills else []
        others = [Folder(path) for path in extra] + [Folder(path, skills=True) for path in extra_skills]
        self._supply = Supply(self.registry, [*packages, *others], mcp)
        self._timeout = tool_timeout
        self._embeddings = embeddings
        self.memory = memory or Memory()
        self.health = Health(self.registry, self.memory, self._supply.absence)
        self.dispatcher = Dispatcher(self.registry, self.memory, absence=self._supply.absence, rng=rng)
        self.cost = CatalogueCost(self.registry)
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

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @cached_property
    def finder(self) -> "Finder":
        """Recalls tools; made when one is first looked for."""
        from switchyard.toolhub.recall.finder import Finder  # noqa: PLC0415  brings numpy: only recall needs it

        return Finder(self.registry, self._embeddings)

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
        return ToolUnknown(missing) if missing else self.registry.unknown(name)

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

    def disable(self, name: str, *, source: ToolSource | None = None, reason: str | None = None) -> None:
        """Stop offering a tool, its candidate of one source, or all tools of an MCP server; calls are told why."""
        self.registry.disable(name, source=source, reason=reason)

    def enable(self, name: str, *, source: ToolSource | None = None) -> bool:
        """Take a `disable` back; says whether there was one."""
        return self.registry.enable(name, source=source)

    # What there is

    def get_all_tools(self) -> list[ToolSpec]:
        """Every tool, by name."""
        return sorted(self.registry, key=lambda spec: spec.name)

    def get_tools_by_type(self, kind: ToolType) -> list[ToolSpec]:
        """Every tool of a type, by name: `function`, `skill`, or `mcp_server` for the tools of MCP servers."""
        return sorted(self.registry.of_type(kind), key=lambda spec: spec.name)

    def get_tool_by_id(self, name: str) -> ToolSpec | None:
        """The tool of that name."""
        return self.registry.get(name)

    def resolve(self, name: str, action: str | None) -> tuple[str, str | None]:
        """The id of a tool and its action, however the call is written: `git`, `git_status` is `git/git_status`."""
        return self.registry.resolve(name, action)

    def search_tools_by_tags(self, tags: Iterable[str]) -> list[ToolSpec]:
        """Tools with one of these tags, categories or capability tags: those with most of them first."""
        return self.registry.with_tags(tags)

    async def search_tools_by_requirements(self, requirements: Iterable[str]) -> list[ToolSpec]:
        """Tools that meet at least one requirement, each a few words or something a tool `produces`.

        Those that meet most come first.
        """
        return [spec for name in await self.finder.meeting(requirements) if (spec := self.registry.get(name))]

    async def recall(
        self,
        query: str,
        topk: int,
        *,
        strategy: Strategy = "lexical",
        learned: Learned | None = None,
        task_type: str = "",
    ) -> list[Scored]:
        """Stage one: the tools for a query, best first; see `recall.finder`."""
        return await self.finder.recall(query, topk, strategy=strategy, learned=learned, task_type=task_type)

    async def withheld(self, query: str, topk: int = 3) -> list[tuple[Scored, Withheld]]:
        """The disabled tools that would have been recalled for a query, each with the reason it is not offered."""
        return await self.finder.withheld(query, topk)

    def unusable(self, names: Iterable[str], network: NetworkPolicy) -> dict[str, str]:
        """Of these, the tools that cannot work here, whatever they are given, each with what is missing."""
        found: dict[str, str] = {}
        for name in names:
            runners = [tool.run for tool in self.registry.candidates(name)]
            missing = [run.unusable(network) if isinstance(run, Conditional) else None for run in runners]
            if missing and all(missing):
                found[name] = str(missing[0])
        return found

    def get_tools_summary(self, names: Iterable[str]) -> str:
        """One line per tool, for choosing."""
        return "\n".join(summary_line(spec) for name in names if (spec := self.registry.get(name)))

    def get_tool_summaries(self, names: Iterable[str] | None = None) -> list[ToolSummary]:
        """The same as objects; of every tool when no names are given."""
        specs = self.get_all_tools() if names is None else map(self.registry.get, names)
        return [summary(spec) for spec in specs if spec]

    def get_tools_description_by_names(self, names: Iterable[str]) -> str:
        """Full definitions, for calling."""
        return "\n\n".join(definition(spec) for name in names if (spec := self.registry.get(name)))

    def get_tool_description_for_agent(self, name: str) -> str:
        """One tool's full definition.

        Raises:
            ToolUnknown: when it cannot be called.
        """
        return definition(self._known(name))

    def get_all_tools_description_for_agent(self) -> str:
        """Every tool on one line, by name."""
        return "\n".join(map(summary_line, self.get_all_tools()))

    def get_tool_usage_examples(self, name: str) -> list[str]:
        """What a tool is asked in the words of users.

        Raises:
            ToolUnknown: when it cannot be called.
        """
        return list(self._known(name).examples)

    def _known(self, name: str) -> ToolSpec:
        spec = self.registry.get(name)
        if spec is None:
            raise self.unknown(name)
        return spec

    async def count_tokens(self) -> None:
        """Count ahead what every definition costs."""
        await self.cost.count()

    def full_catalogue_tokens(self) -> int:
        """What it would cost to send every definition (R3.8)."""
        return self.cost.tokens()

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

    async def batch_execute_tools(
        self, requests: Sequence[ToolRequest], context: ToolContext, *, seconds: float | None = None
    ) -> list[ToolResult]:
        """Run several calls and return their results in the same order; a failure takes no other call with it.

        Calls that read run together; those that write, or ask first, one at a time in the order given.
        """
        slots, turn = asyncio.Semaphore(BATCH_AT_ONCE), asyncio.Lock()

        async def run(position: int, request: ToolRequest) -> ToolResult:
            tool, action = self.registry.resolve(request.tool, request.action)
            spec = self.registry.get(tool)
            own = spec.for_action(action) if spec else None
            key = f"{context.idempotency_key}:{position}" if context.idempotency_key else ""
            async with turn if own and (own.writes or own.asks_first) else slots:
                here = replace(context, idempotency_key=key)
                return await self.dispatcher.dispatch(request.override(context=here, seconds=seconds or self._timeout))

        calls = [partial(run, position, request) for position, request in enumerate(requests)]
        answers = await collect(calls, self.dispatcher.stragglers)
        return [answers[position] for position in range(len(requests))]

    async def execute_tool_with_context(
        self,
        tool_id: str,
        action: str | None,
        parameters: Mapping[str, Any] | str,
        execution_context: ExecutionContext | None = None,
        *,
        context: ToolContext | None = None,
        seconds: float | None = None,
    ) -> ToolResult:
        """Run a tool in the light of what failed, and keep what becomes of it in the context that is given.

        The same mistake is adjusted, or else not made again. A failure comes with what may help: other arguments, other
        tools (`meta.suggestions`).
        """
        execution = execution_context or ExecutionContext()
        context = context or ToolContext(workspace=Path.cwd())
        tool, action = self.registry.resolve(tool_id, action)
        request = ToolRequest(tool, action, parameters, context, seconds or self._timeout)
        try:
            given = request.given
        except BadArguments as error:
            return ToolResult.failed(str(error), error.kind)
        failure = repeated(self.dispatcher.identify(request).signature, execution.failures, ())
        better = await self._suggested(failure, context, given) if failure else None
        spec = self.registry.get(tool)
        if failure and (better is None or (spec and spec.for_action(action).asks_first)):
            result = ToolResult.failed(refusal(failure), failure.kind)
            result.meta.suggestions = await self._suggestions(failure, better, execution)
            return result
        request = request.override(arguments=better.arguments if better else given)
        result = await self.dispatcher.dispatch(request)
        if failure and better:
            result.meta.downgrades += [joined(refusal(failure), message("adjusted", change=quoted(better.reason)))]
        await self._keep(request, result, execution)
        return result

    async def _keep(self, request: ToolRequest, result: ToolResult, execution: ExecutionContext) -> None:
        """Note in a context what became of a call; a failure is told with what may help."""
        step_id, shown = request.context.step_id, shown_arguments(request.given)
        if result.success:
            before = [one for one in execution.failures if one.step_id == step_id]
            new = of_success(before, request.tool, shown)
            seen = Observation(step_id=step_id, tool=request.tool, text=excerpt(result.result, "general"))
            execution.observations = [*execution.observations, seen][-OBSERVATIONS_KEPT:]
        else:
            call = self.dispatcher.identify(request)
            failure = Failure(
                step_id=step_id,
                tool=request.tool,
                action=request.action,
                arguments=shown,
                signature=call.signature,
                names=list(call.names),
                order=len(execution.failures) + 1,
                at=time.time(),
                kind=result.error_type or "crash",
                error=result.error or "",
                wait=result.meta.wait,
                lasting=result.meta.lasting,
            )
            execution.failures.append(failure)
            new = [of_failure(failure)]
            better = await self._suggested(failure, request.context, request.given)
            result.meta.suggestions = await self._suggestions(failure, better, execution)
        execution.patterns += [one for one in new if one not in execution.patterns]

    async def _suggested(
        self, failure: Failure, context: ToolContext, given: Mapping[str, Any]
    ) -> AdjustedArguments | None:
        """Other arguments for a call that failed."""
        return await self.suggest_parameter_adjustments(
            failure.tool,
            failure.action,
            given,
            kind=failure.kind,
            error=failure.error,
            workspace=context.workspace,
            user=context.user,
        )

    async def _suggestions(
        self, failure: Failure, better: AdjustedArguments | None, execution: ExecutionContext
    ) -> list[str]:
        others = await self.get_alternative_tools(failure.tool, execution.task, execution)
        said: list[str] = [message("suggest_arguments", change=quoted(better.reason))] if better else []
        return said + ([message("suggest_tools", tools=[spec.name for spec in others[:3]])] if others else [])

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
        return self.health.of(name)

    async def get_alternative_tools(
        self, failed_tool_id: str, task_context: str = "", execution_context: ExecutionContext | None = None
    ) -> list[ToolSpec]:
        """The tools that may do a task in the place of one: those of the same purpose, the task's own first.

        After them come others that the task recalls. None of them has failed in the run, writes where the first reads
        or the other way round, or only looks up what the first needs.

        Args:
            failed_tool_id: the tool that cannot or should not be used; it need not exist.
            task_context: what is to be done.
            execution_context: what failed before.
        """
        failures = execution_context.failures if execution_context else []
        gone = {failed_tool_id, *(failure.tool for failure in failures)}
        action = next((one.action for one in reversed(failures) if one.tool == failed_tool_id), None)
        similar = [spec.name for spec in self.health.alternatives(failed_tool_id, gone)]
        recalled = [one.name for one in await self.recall(task_context, ALTERNATIVES)] if task_context else []
        names = sorted(similar, key=lambda name: recalled.index(name) if name in recalled else len(recalled))
        failed = self.registry.get(failed_tool_id)
        found = [spec for name in dict.fromkeys([*names, *recalled]) if (spec := self.registry.get(name))]
        return [
            spec
            for spec in found
            if spec.name not in gone
            and (failed is None or may_stand_in(failed, spec, action))
            and self.health.of(spec.name).state in {"ready", "failing"}
        ]

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
        observed: Iterable[Any] = (),
    ) -> AdjustedArguments | None:
        """Arguments that are likely to work after these failed; None where nothing is known to help (R7.3).

        `observed`: what calls of the run gave, where the elements of a page may be found.
        """
        spec = self.registry.get(name)
        if spec is None:
            return None
        adjuster = Adjuster(spec, self.memory, workspace, user, observed)
        return await adjuster.adjusted(action, as_object(arguments), kind, error)

    def learned_adjustment(
        self, name: str, action: str | None, arguments: Mapping[str, Any], workspace: Path, user: str = ""
    ) -> AdjustedArguments | None:
        """Arguments for a call that failed in an earlier run, as it succeeded there in the end (R7.7)."""
        spec = self.registry.get(name)
        return Adjuster(spec, self.memory, workspace, user).learned(action, arguments) if spec else None

    def get_tool_failure_patterns(self, name: str, user: str = "") -> FailurePatterns:
        """What is known about a tool's failures: kinds, arguments and errors, what helped, what it was switched for."""
        return self.memory.patterns(name, user)
