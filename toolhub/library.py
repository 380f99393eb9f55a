"""`UnifiedToolLibrary`: the hub for whoever uses it by itself (R4.8).

    library = UnifiedToolLibrary()
    await library.initialize()
    result = await library.execute_tool("calculate", parameters={"expression": "15% of 2480"})

It is a door: what it does is done by the parts of `toolhub.hub`, which our agents use directly.
"""

import asyncio
import inspect
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from switchyard.language.messages import Said, joined, message, quoted
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import OBSERVATIONS_KEPT, ExecutionContext, Observation
from switchyard.ledger.guard import refusal, repeated
from switchyard.ledger.options import ALL_TOOLS
from switchyard.ledger.patterns import of_failure, of_success
from switchyard.toolhub.calling.dispatch import classified, collect
from switchyard.toolhub.calling.request import SECONDS, ToolRequest, no_such_action
from switchyard.toolhub.calling.retreat import is_careful
from switchyard.toolhub.descriptions import definitions_of, example_calls, for_agent, summary_line
from switchyard.toolhub.excerpts import excerpt
from switchyard.toolhub.hub import ToolHub, servers
from switchyard.toolhub.memory.adjustments import AdjustedArguments
from switchyard.toolhub.memory.memory import FailurePatterns, ToolHealth, may_stand_in
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.recall.query import Rank, Recommendation, Strategy, explained
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import class_tool, function_tool
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import BadArguments, SettingsInvalid, ToolBroken
from switchyard.tools.core.masking import shown_arguments
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import FunctionToolSpec, Language, MCPServerSpec, ToolSpec, ToolSummary

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool, StructuredTool

ALTERNATIVES = 10
"""Tools recalled for a task whose tool failed."""
BATCH_AT_ONCE = 8
"""Reading calls of a batch that run together."""


class RegistrationResult(BaseModel):
    """Whether something was registered, and why not."""

    success: bool
    tool_id: str
    tools: list[ToolSpec] = Field(default_factory=list[ToolSpec])
    """What can be called now: one tool, or those of a server."""
    error: Said | None = None


class _Call(BaseModel):
    """One call of a batch, as it is written."""

    model_config = ConfigDict(extra="forbid")

    tool_id: str
    action: str | None = None
    parameters: dict[str, Any] | str = Field(default_factory=dict[str, Any])


class UnifiedToolLibrary:
    """Every tool there is: to list, to find, to describe, to run, to add.

    Whatever is wrong with a call is a result that failed; a name that cannot be described raises `ToolUnknown`.
    """

    def __init__(
        self,
        *,
        tools: Sequence[Path] = (),
        skills: Sequence[Path] = (),
        mcp_files: Sequence[Path] = (),
        tool_timeout: float = SECONDS,
        hub: ToolHub | None = None,
        rank: Rank | None = None,
    ) -> None:
        """What comes with the program, and what is named here: its code is run. Nothing is read or started yet.

        `tools` and `skills` are folders, `mcp_files` have the form of `mcp.local.json`. A call may take `tool_timeout`
        seconds where neither tool nor caller say otherwise. A `hub` that is there already knows its folders and files:
        `SettingsInvalid` is raised where others are named beside it. `rank` ranks recommended tools, as a model does.
        """
        if hub is not None and (tools or skills or mcp_files):
            raise SettingsInvalid(message("hub_and_places"))
        self._rank = rank
        self.hub = hub or ToolHub(extra=tools, extra_skills=skills, mcp=servers(mcp_files))
        self._timeout = tool_timeout

    # Opening and closing

    async def initialize(self) -> None:
        """Find the tools; servers whose tools are known are not waited for. Again, it looks for what has changed."""
        await self.hub.open()

    async def close(self) -> None:
        """End the servers and what is left of calls; nothing stays behind."""
        await self.hub.close()

    async def __aenter__(self) -> Self:
        await self.initialize()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Coming and going

    async def register(self, given: Any) -> RegistrationResult:
        """Add a tool of any kind: a plain function, a spec, a LangChain tool, or a class with `@tool`."""
        if isinstance(given, MCPServerSpec):
            return await self.register_mcp_server(given)
        if isinstance(given, type) and hasattr(given, "__tool_spec__"):
            return await self._registered(given.__name__, partial(class_tool, given))
        if isinstance(given, FunctionToolSpec) or inspect.isroutine(given):
            return await self.register_function_tool(given)
        from langchain_core.tools import BaseTool  # noqa: PLC0415  only callers with tools of their own need it

        if isinstance(given, BaseTool):
            return await self.register_langchain_tool(given)
        return _refused(repr(given)[:80], message("not_a_tool"))

    async def register_function_tool(
        self, tool_spec: FunctionToolSpec | Callable[..., Any], **fields: Any
    ) -> RegistrationResult:
        """Add a plain function, or what a spec names: a function, or a class by its module.

        A function is described by its own name, docstring and annotations, and by `fields` such as `tags` or `tool_id`.
        """
        spec = tool_spec if isinstance(tool_spec, FunctionToolSpec) else FunctionToolSpec.of(tool_spec, **fields)
        return self._taken(spec.tool_id) or await self._registered(spec.tool_id, partial(function_tool, spec))

    async def register_langchain_tool(self, tool: "BaseTool", **fields: Any) -> RegistrationResult:
        """Add a LangChain tool as it is; `fields` say what its `ToolSpec` has beyond it, such as `writes=False`."""
        from switchyard.toolhub.sources.langchain import from_langchain  # noqa: PLC0415  brings LangChain

        return await self._registered(tool.name, partial(from_langchain, tool, **fields))

    async def _registered(self, name: str, make: Callable[[], RegisteredTool]) -> RegistrationResult:
        try:
            made = await asyncio.to_thread(make)  # a module takes its time to be imported
        except ToolBroken as error:
            return _refused(name, str(error))
        if taken := self._taken(made.spec.tool_id):
            return taken
        self.hub.registry.add(made)
        return RegistrationResult(success=True, tool_id=made.spec.tool_id, tools=[made.spec])

    async def register_mcp_server(self, server_spec: MCPServerSpec) -> RegistrationResult:
        """Add an MCP server until the library is closed; waits a bounded time until it has told its tools."""
        name = server_spec.tool_id
        if taken := self._taken(name):
            return taken
        try:
            await self.hub.supply.add_server(server_spec)
        except SettingsInvalid as error:
            return _refused(name, str(error))
        if not server_spec.enabled:
            self.hub.registry.disable(name, reason=message("disabled_by_itself"))
        own = [spec for spec in self.hub.registry.listed() if spec.tool_id.startswith(f"{name}/")]
        return RegistrationResult(success=True, tool_id=name, tools=own)

    def _taken(self, tool_id: str) -> RegistrationResult | None:
        """The refusal of an id that something has already."""
        known = self.hub.registry.candidates(tool_id) or self.hub.registry.withheld(tool_id)
        is_free = not known and not self.hub.supply.has_server(tool_id)
        return None if is_free else _refused(tool_id, message("tool_id_taken", tool=tool_id))

    async def unregister_tool(self, tool_id: str) -> bool:
        """Remove a tool with all its candidates, or an MCP server with all its tools; says whether it was there.

        Calls of tools that are under way go on; a server is closed.
        """
        return self.hub.registry.remove(tool_id) or await self.hub.supply.remove_server(tool_id)

    # What there is

    async def get_all_tools(self) -> list[ToolSpec]:
        """Every tool, by id."""
        return self.hub.registry.listed()

    async def get_tools_by_type(self, tool_type: str) -> list[ToolSpec]:
        """Every tool of a `ToolType`, by id."""
        return self.hub.registry.listed(tool_type)

    async def get_tool_by_id(self, tool_id: str) -> ToolSpec | None:
        """The tool of that id; None where there is none that can be called."""
        return self.hub.registry.get(tool_id)

    async def search_tools_by_tags(self, tags: Iterable[str]) -> list[ToolSpec]:
        """Tools with one of these tags, categories or capability tags: those with most of them first."""
        return self.hub.registry.with_tags(_several(tags))

    async def search_tools_by_requirements(self, requirements: Iterable[str]) -> list[ToolSpec]:
        """Tools that meet at least one requirement, each a few words or something a tool `produces`.

        Those that meet most come first.
        """
        found = await self.hub.finder.meeting(_several(requirements))
        return [spec for name in found if (spec := self.hub.registry.get(name))]

    async def recommend(
        self,
        question: str,
        topk: int = 5,
        *,
        strategy: str = "fused",
        recall_topk: int = 20,
        tools: Iterable[str] = (ALL_TOOLS,),
        only_specified: bool = False,
        fixed: Iterable[str] = (),
        rank: bool = False,
        learned: Learned | None = None,
    ) -> list[Recommendation]:
        """The tools for a task, best first, each with its score and the reason.

        Args:
            question: the task; without one, the tools are returned as they are given.
            topk: how many are recommended.
            strategy: how they are recalled: `fused`, `bm25`, `embedding` or `type`.
            recall_topk: how many the ranking sees.
            tools: those to recommend among; `<all>` means every one.
            only_specified: skip the recommendation and take these tools, all of them.
            fixed: tools that are always among them, once; what is not there is left out.
            rank: have the library's model choose among what was recalled; it may find that nothing fits.
            learned: what earlier runs taught about the tools.

        Raises:
            BadArguments: when there is no such strategy, or no model to rank.
            ToolUnknown: when one of `tools` cannot be called.
        """
        if rank and self._rank is None:
            raise BadArguments(message("no_model_to_rank"))
        if strategy not in get_args(Strategy):
            raise BadArguments(message("strategy_unknown", strategy=strategy, names=list(get_args(Strategy))))
        registry, given = self.hub.registry, list(dict.fromkeys(_several(tools)))
        named = [self._known(name).tool_id for name in given if name != ALL_TOOLS]
        if ALL_TOOLS in given:
            named = [spec.tool_id for spec in registry.listed()]
        found: list[Recommendation] = []
        specified = [name for name in _several(fixed) if name in registry]
        if only_specified or not question.strip():
            specified = [*named, *specified]
        else:
            depth = max(topk, recall_topk)
            reach = depth if ALL_TOOLS in given else len(registry)
            by = cast("Strategy", strategy)
            recalled = await self.hub.finder.recall(question, reach, strategy=by, learned=learned)
            recalled = [one for one in recalled if one.name in named][:depth]
            known = explained(recalled, strategy, registry, learned or Learned())
            ranked = await self._rank(question, recalled, topk) if rank and self._rank and recalled else None
            found = list(known.values())[:topk]  # what cannot be ranked stays as it was recalled
            if ranked is not None:
                found = [known[name].ranked() for name in dict.fromkeys(ranked) if name in known][:topk]
        missing = [name for name in dict.fromkeys(specified) if name not in {one.tool_id for one in found}]
        return found + [Recommendation(tool_id=name, reason=message("found.specified")) for name in missing]

    async def get_recommended_tool_info(self, context: str = "", fixed: Iterable[str] = (), **options: Any) -> str:
        """The definitions of the tools recommended for a task, for a prompt; empty where there are none.

        The `options` are those of `recommend`.
        """
        found = await self.recommend(context, fixed=fixed, **options)
        return definitions_of(self.hub.registry, [one.tool_id for one in found])

    async def get_tools_summary(self, category: str | None = None) -> str:
        """One line per tool, for choosing: of all, or of a category."""
        specs = self.hub.registry.listed()
        return "\n".join(summary_line(spec) for spec in specs if category in {None, spec.category})

    async def get_tool_summaries(self, category: str | None = None) -> list[ToolSummary]:
        """The same as objects."""
        return [ToolSummary.of(spec) for spec in self.hub.registry.listed() if category in {None, spec.category}]

    async def get_tools_description_by_names(self, tool_names: Iterable[str]) -> str:
        """Full definitions, for calling; what is not there is left out."""
        return definitions_of(self.hub.registry, _several(tool_names))

    async def get_tool_description_for_agent(self, tool_id: str, language: Language = "en") -> str:
        """One tool in full: title, id, type, tags, when to use it, what it takes, and examples of calls.

        Raises:
            ToolUnknown: when it cannot be called.
        """
        return for_agent(self._known(tool_id), language)

    async def get_all_tools_description_for_agent(self) -> str:
        """Every tool on one line, by id."""
        return await self.get_tools_summary()

    async def get_tool_usage_examples(self, tool_id: str) -> list[dict[str, Any]]:
        """Calls of a tool that can be made as they are: `tool_id`, `action` and `parameters` of each.

        Raises:
            ToolUnknown: when it cannot be called.
        """
        return example_calls(self._known(tool_id))

    def _known(self, tool_id: str) -> ToolSpec:
        spec = self.hub.registry.get(tool_id)
        if spec is None:
            raise self.hub.unknown(tool_id)
        return spec

    # Calling

    async def execute_tool(
        self,
        tool_id: str,
        action: str | None = None,
        parameters: Mapping[str, Any] | str | None = None,
        context: ToolContext | None = None,
    ) -> ToolResult:
        """Run a tool, or an MCP server with its tool as `action`, and return what happened.

        See `toolhub.calling.retreat` for what is tried. Nobody is asked here: whoever calls has had the call approved,
        if the tool `asks_first`. The `parameters` are an object or its JSON text; without a `context`, the current
        folder is the workspace.
        """
        try:
            request = self._request(tool_id, action, parameters, context)
        except BadArguments as error:
            return ToolResult.failed(str(error), error.kind)
        return await self.hub.dispatcher.dispatch(request)

    def _request(
        self,
        tool_id: str,
        action: str | None,
        parameters: Mapping[str, Any] | str | None,
        context: ToolContext | None,
    ) -> ToolRequest:
        tool, action = self.hub.registry.resolve(tool_id, action)
        spec = self.hub.registry.get(tool)
        if spec and action and spec.capability(action) is None:
            raise no_such_action(tool, action, [one.name for one in spec.capabilities])
        return ToolRequest(tool, action, parameters or {}, context or ToolContext(), self._timeout)

    async def batch_execute_tools(
        self, tool_calls: Sequence[Mapping[str, Any]], context: ToolContext | None = None
    ) -> list[ToolResult]:
        """Run several calls and return their results in the same order; a failure takes no other call with it.

        Each is `{"tool_id": …, "action": …, "parameters": …}`. Calls that read run together; those that write, or ask
        first, one at a time in the order given.
        """
        slots, turn = asyncio.Semaphore(BATCH_AT_ONCE), asyncio.Lock()
        context = context or ToolContext()

        async def run(position: int, written: Mapping[str, Any]) -> ToolResult:
            try:
                call = _Call.model_validate(written)
            except ValidationError as error:
                told = [f"{''.join(map(str, one['loc'][:1]))}: {one['msg']}" for one in error.errors()]
                return ToolResult.failed(message("call_malformed", why=quoted("; ".join(told))), "bad_arguments")
            tool, action = self.hub.registry.resolve(call.tool_id, call.action)
            spec = self.hub.registry.get(tool)
            key = f"{context.idempotency_key}:{position}" if context.idempotency_key else ""
            async with turn if spec and is_careful(spec, action) else slots:
                return await self.execute_tool(tool, action, call.parameters, replace(context, idempotency_key=key))

        calls = [partial(run, position, written) for position, written in enumerate(tool_calls)]
        answers = await collect(calls, self.hub.dispatcher.stragglers)
        return [answers[position] for position in range(len(tool_calls))]

    async def execute_tool_with_context(
        self,
        tool_id: str,
        action: str | None = None,
        parameters: Mapping[str, Any] | str | None = None,
        execution_context: ExecutionContext | None = None,
        *,
        context: ToolContext | None = None,
    ) -> ToolResult:
        """Run a tool in the light of what failed, and keep what becomes of it in the context that is given.

        The same mistake is adjusted, or else not made again. A failure comes with what may help: other arguments, other
        tools (`meta.suggestions`).
        """
        execution = execution_context or ExecutionContext()
        try:
            request = self._request(tool_id, action, parameters, context)
            given = request.given
        except BadArguments as error:
            return ToolResult.failed(str(error), error.kind)
        failure = repeated(self.hub.dispatcher.identify(request).signature, execution.failures, ())
        better = await self._suggested(failure, request.context, given) if failure else None
        spec = self.hub.registry.get(request.tool)
        if failure and (better is None or (spec and spec.for_action(request.action).asks_first)):
            result = ToolResult.failed(refusal(failure), failure.kind)
            result.meta.suggestions = await self.remedies(failure, given, execution, request.context)
            return result
        request = request.override(arguments=better.arguments if better else given)
        result = await self.hub.dispatcher.dispatch(request)
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
            call = self.hub.dispatcher.identify(request)
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
            result.meta.suggestions = await self.remedies(failure, request.given, execution, request.context)
        execution.patterns += [one for one in new if one not in execution.patterns]

    async def remedies(
        self, failure: Failure, given: Mapping[str, Any], execution: ExecutionContext, context: ToolContext
    ) -> list[str]:
        """What may help after a call with these arguments failed, a sentence each: other arguments, other tools."""
        better = await self._suggested(failure, context, given)
        others = await self.get_alternative_tools(failure.tool, execution.task, execution)
        said: list[str] = [message("suggest_arguments", change=quoted(better.reason))] if better else []
        return said + ([message("suggest_tools", tools=[spec.tool_id for spec in others[:3]])] if others else [])

    async def _suggested(
        self, failure: Failure, context: ToolContext, given: Mapping[str, Any]
    ) -> AdjustedArguments | None:
        """Other arguments for a call that failed."""
        return await self.hub.adjusted(
            failure.tool,
            failure.action,
            given,
            kind=failure.kind,
            error=failure.error,
            workspace=context.workspace,
            user=context.user,
        )

    async def export_langchain_tools(
        self, context: ToolContext | None = None, tool_ids: Iterable[str] | None = None
    ) -> "list[StructuredTool]":
        """Tools as LangChain tools, all or those named; each action of several is a tool of its own.

        Their metadata says which write and which ask first: whoever hands them to an agent sees to that.

        Raises:
            ToolUnknown: when one that is named cannot be called.
        """
        from switchyard.toolhub.sources.langchain import as_langchain  # noqa: PLC0415  brings LangChain

        specs = self.hub.registry.listed() if tool_ids is None else map(self._known, _several(tool_ids))

        def execute(tool_id: str, action: str | None, parameters: dict[str, Any]) -> Any:
            return self.execute_tool(tool_id, action, parameters, context)

        loop = asyncio.get_running_loop()
        return [one for spec in specs for one in as_langchain(spec, partial(execute, spec.tool_id), loop=loop)]

    # What was learned

    async def get_tool_health_status(self, tool_id: str) -> ToolHealth:
        """How a tool is: offered or not and why, reachable or not, and how its calls went."""
        return self.hub.health.of(tool_id)

    async def get_alternative_tools(
        self, failed_tool_id: str, task_context: str = "", execution_context: ExecutionContext | None = None
    ) -> list[ToolSpec]:
        """The tools that may do a task in the place of one: those of the same purpose, the task's own first.

        After them come others that the task recalls. None of them has failed in the run, writes where the first reads
        or the other way round, or only looks up what the first needs. The one that failed need not exist.
        """
        hub, failures = self.hub, execution_context.failures if execution_context else []
        gone = {failed_tool_id, *(failure.tool for failure in failures)}
        action = next((one.action for one in reversed(failures) if one.tool == failed_tool_id), None)
        similar = [spec.tool_id for spec in hub.health.alternatives(failed_tool_id, gone)]
        recalled = [one.name for one in await hub.finder.recall(task_context, ALTERNATIVES)] if task_context else []
        recalled = [name for name in recalled if name not in gone and hub.health.is_there(name)]
        of_task = [name for name in recalled if name in similar]
        failed = hub.registry.get(failed_tool_id)
        found = map(hub.registry.get, dict.fromkeys([*of_task, *similar, *recalled]))
        return [spec for spec in found if spec and (failed is None or may_stand_in(failed, spec, action))]

    async def suggest_parameter_adjustments(
        self,
        tool_id: str,
        action: str | None,
        failed_parameters: Mapping[str, Any],
        error_message: str,
        *,
        context: ToolContext | None = None,
    ) -> dict[str, Any]:
        """Parameters that are likely to work after these failed; the same ones where nothing is known to help (R7.3).

        `context`: the workspace that paths are looked for in, and whose experience counts.
        """
        tool, action = self.hub.registry.resolve(tool_id, action)
        call: dict[str, Any] = {"step_id": "", "tool": tool, "action": action, "arguments": {}, "at": time.time()}
        failure = Failure(**call, kind=classified(error_message), error=error_message)
        better = await self._suggested(failure, context or ToolContext(), failed_parameters)
        return better.arguments if better else dict(failed_parameters)

    async def get_tool_failure_patterns(self, tool_id: str, user: str = "") -> FailurePatterns:
        """What is known about a tool's failures: kinds, arguments and errors, what helped, what it was switched for."""
        return self.hub.memory.patterns(tool_id, user)


def _refused(tool_id: str, why: str) -> RegistrationResult:
    return RegistrationResult(success=False, tool_id=tool_id, error=why)


def _several(names: Iterable[str]) -> Iterable[str]:
    """Names; one alone is not taken for its letters."""
    return [names] if isinstance(names, str) else names
