"""The one order of retreat: by name, else by capability; several candidates at once where they only read (R5.1, R5.2).

    dispatch ──▶ the candidates of the name ──▶ what they gave, good or bad
            └──▶ nobody there (unknown, disabled, server dead): tools for the same purpose that take these arguments
                 └──▶ none: why, and what there is

A call that failed is returned as failed: what to do then is not decided here. Nothing that writes or asks a person
first is run beside something else, or in the place of something else.
"""

import random
from collections.abc import Sequence
from functools import partial

from switchyard.language.messages import Message, joined, message, quoted
from switchyard.ledger.attempts import CallIdentity
from switchyard.toolhub.calling.arguments import adapted, as_object
from switchyard.toolhub.calling.dispatch import GRACE, Stragglers, bounded, call_tool, collect
from switchyard.toolhub.calling.identity import identified
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.calling.synthesis import Answer, merged
from switchyard.toolhub.memory.memory import Memory
from switchyard.toolhub.registry import Absence, RegisteredTool, ToolRegistry
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import BadArguments, FailureKind
from switchyard.tools.core.masking import shown_arguments
from switchyard.tools.core.result import StandIn, ToolResult
from switchyard.tools.core.spec import ToolSpec

AT_ONCE = 3
"""Candidates that are called together."""

NOTHING_HAPPENED: frozenset[FailureKind] = frozenset({"not_found", "bad_arguments", "permission", "rate_limit"})
"""Failures after which another candidate may make the same change: after the others it may have been made."""

_Candidate = tuple[RegisteredTool, ToolRequest]
"""A tool and the call it gets."""

_Outcome = tuple[RegisteredTool, ToolResult]


class Dispatcher:
    """Carries out requests, and says of one beforehand what is known of it."""

    def __init__(
        self, registry: ToolRegistry, memory: Memory, *, absence: Absence, rng: random.Random | None = None
    ) -> None:
        self.registry = registry
        self.memory = memory
        self.absence = absence
        self.rng = rng or random.Random()  # noqa: S311  an order among equals, no secret
        self.stragglers = Stragglers()

    async def dispatch(self, request: ToolRequest) -> ToolResult:
        """Carry out a request and return what happened.

        Whoever calls has had the call approved, if its tool asks first: nobody is asked here.
        """
        try:
            arguments = as_object(request.arguments)
        except BadArguments as error:
            return ToolResult.failed(str(error), error.kind)
        tool, action = self.registry.resolve(request.tool, request.action)
        retreat = _Retreat(self, request.override(tool=tool, action=action, arguments=arguments))
        result = await retreat.carry_out()
        result.meta.stand_ins = retreat.stand_ins
        return result

    def identify(self, request: ToolRequest) -> CallIdentity:
        """Which call this is, however it is written: what tells that it failed before, and what it may depend on."""
        return identified(self.registry, request.tool, request.action, request.given, request.context.workspace)

    def check(self, request: ToolRequest) -> str | None:
        """What is wrong with the arguments of a call, as the call itself would say; None where nothing is known to be.

        Of several candidates one that takes them is enough: the call goes on to it.
        """
        complaint: str | None = None
        for tool in self.registry.candidates(request.tool):
            try:
                tool.read(request.action, request.given)
            except BadArguments as error:
                complaint = complaint or str(error)
            else:
                return None
        return complaint

    async def preview(self, request: ToolRequest) -> list[Effect]:
        """What a call would do, as its tool says without doing it; nothing where the tool cannot say.

        Raises:
            ToolError: with what the tool itself says against the call.
        """
        tool = next(iter(self.registry.candidates(request.tool)), None)
        return await tool.preview(request) if tool else []


class _Retreat:
    """One request on its way."""

    def __init__(self, hub: Dispatcher, request: ToolRequest) -> None:
        self._hub = hub
        self._request = request
        self.stand_ins: list[StandIn] = []
        """What was called in its place."""

    async def carry_out(self) -> ToolResult:
        """By name, else by capability."""
        hub, name = self._hub, self._request.tool
        candidates = hub.registry.candidates(name)
        present = [tool for tool in candidates if hub.absence(tool) is None]
        result = await self._by_name(candidates[0], present) if present else None
        # a call that only reads may have failed because nobody is there any more
        gone = all(hub.absence(tool) is not None and not self._is_careful(tool) for tool in present)
        if result is not None and not (gone and result.error_type == "unavailable"):
            return result
        instead = await self._by_capability(candidates)
        if instead is not None and instead.success:
            return instead
        if result is None and candidates:  # the server may be back, and says itself what is wrong
            result = await self._by_name(candidates[0], candidates)
        result = result or ToolResult.failed(str(hub.registry.unknown(name)), "not_found")
        if instead is not None:
            result.meta.downgrades += [
                *instead.meta.downgrades,
                message("failed_too", error=quoted(instead.error or "")),
            ]
        return result

    async def _by_name(self, first: RegisteredTool, candidates: Sequence[RegisteredTool]) -> ToolResult:
        """Call the candidates of a name. The caller has seen to what the first of the name needs, and to no more."""
        name = self._request.tool
        if len(candidates) > 1 and not self._is_careful(first):
            candidates = [tool for tool in candidates if not self._is_careful(tool)] or [first]
        chosen = sorted(candidates, key=lambda tool: not self._hub.memory.is_preferred(name, tool))
        return await self._run([(tool, self._request) for tool in chosen], name)

    async def _by_capability(self, candidates: Sequence[RegisteredTool]) -> ToolResult | None:
        """Call tools that serve the same purpose, take these arguments and only read; None when there are none."""
        hub, request = self._hub, self._request
        withheld = [one.tool for one in hub.registry.withheld(request.tool)]
        spec = next((tool.spec for tool in [*candidates, *withheld]), None)
        table = hub.registry.capabilities
        said = table.tags_of(spec) if spec else table.derived(request.tool, request.action or "")
        tags = table.interchangeable(said)
        if is_careful(spec, request.action) if spec else tags != said:
            return None  # what would change something, or may, is not replaced by what only looks
        similar = {id(tool): tool for tag in tags for tool in hub.registry.with_capability(tag)}.values()
        fitting = [(tool, instead) for tool in similar if (instead := self._fitting(spec, tool)) is not None]
        if not fitting:
            return None
        key = f"#{tags[0]}"
        hub.rng.shuffle(fitting)
        fitting.sort(key=lambda one: (not hub.memory.is_preferred(key, one[0]), one[0].spec.priority))
        result = await self._run(fitting, key)
        why = next(filter(None, map(hub.absence, candidates)), None) or str(hub.registry.unknown(request.tool))
        asked = message("asked_instead", tools=list(dict.fromkeys(tool.spec.tool_id for tool, _ in fitting)))
        result.meta.downgrades.insert(0, joined(why, asked))
        return result

    def _fitting(self, known: ToolSpec | None, tool: RegisteredTool) -> ToolRequest | None:
        """The call of another tool in the place of the one that was asked for; None when it cannot take it."""
        request, spec = self._request, tool.spec
        action = spec.capability(request.action) or spec.capability(None)
        if spec.tool_id == request.tool or action is None or is_careful(spec, action.name):
            return None
        meant = known.capability(request.action) if known else None
        arguments = adapted(request.given, action.parameters, meant.parameters if meant else None)
        if arguments is None or self._hub.absence(tool) is not None:
            return None
        instead = request.override(tool=spec.tool_id, arguments=arguments)
        refused = request.refuses and request.refuses(self._hub.identify(instead).signature)
        return None if refused else instead

    async def _run(self, candidates: Sequence[_Candidate], key: str) -> ToolResult:
        """Call candidates: one after the other where one of them writes or asks, else the first few at once."""
        if len(candidates) == 1 or any(self._is_careful(tool) for tool, _ in candidates):
            return await self._one_by_one(candidates, key)
        table = self._hub.registry.capabilities
        likeness = table.likeness(table.tags_of(candidates[0][0].spec))
        two = len(candidates) == 2  # noqa: PLR2004  any two similar ones are merged
        synthesise = likeness in {"search", "extraction"} or (likeness == "other" and two)
        batch, rest = candidates[:AT_ONCE], candidates[AT_ONCE:]
        calls = [partial(self._call, tool, request) for tool, request in batch]
        answers = await collect(calls, self._hub.stragglers, until_success=not synthesise)
        outcomes = [(batch[at][0], answers[at]) for at in sorted(answers)]
        good = [(tool, result) for tool, result in outcomes if result.success]
        bad = [(tool, result) for tool, result in outcomes if not result.success]
        if not good:
            return await self._one_by_one(rest, key, bad)
        result = self._answered(key, *good[0])
        if len(good) > 1:
            result = await merged(self._request, [Answer(tool.spec, answer) for tool, answer in good], likeness)
        result.meta.downgrades += map(_told, bad)
        return result

    async def _one_by_one(
        self, candidates: Sequence[_Candidate], key: str, failed: Sequence[_Outcome] = ()
    ) -> ToolResult:
        """Call candidates in turn until one succeeds, or one may have changed something; the first failure counts."""
        failures = list(failed)
        for tool, request in candidates:
            result = await self._call(tool, request)
            if result.success:
                result.meta.downgrades += map(_told, failures)
                return self._answered(key, tool, result)
            failures.append((tool, result))
            if result.error_type not in NOTHING_HAPPENED and self._is_careful(tool):
                break
        result = failures[0][1]
        result.meta.downgrades += map(_told, failures[1:])
        return result

    async def _call(self, tool: RegisteredTool, request: ToolRequest) -> ToolResult:
        seconds = request.granted(tool.spec)
        result = await bounded(partial(call_tool, tool, request), seconds + GRACE, self._hub.stragglers)
        if result is None:  # it was cancelled when its time was up, and goes on all the same
            slow = message("tool_too_slow", tool=tool.spec.tool_id, seconds=seconds)
            result = ToolResult.failed(slow, "timeout", source=tool.spec.source, ms=(seconds + GRACE) * 1000)
        self._hub.memory.note(tool, request, result)
        if request.tool != self._request.tool:
            call = self._hub.identify(request)
            instead = StandIn(
                tool=request.tool,
                action=request.action,
                arguments=shown_arguments(request.given),
                signature=call.signature,
                names=list(call.names),
                kind=None if result.success else result.error_type or "crash",
                error=result.error,
            )
            self.stand_ins.append(instead)
        return result

    def _answered(self, key: str, tool: RegisteredTool, result: ToolResult) -> ToolResult:
        self._hub.memory.prefer(key, tool)
        if tool.spec.tool_id != self._request.tool:
            result.meta.tool = tool.spec.tool_id
        return result

    def _is_careful(self, tool: RegisteredTool) -> bool:
        return is_careful(tool.spec, self._request.action)


def is_careful(spec: ToolSpec, action: str | None) -> bool:
    """Whether a call changes something, or a person is asked before it."""
    own = spec.for_action(action) if len(spec.capabilities) > 1 else spec
    return own.writes or own.asks_first


def _told(failure: _Outcome) -> Message:
    tool, result = failure
    error = quoted(result.error or "")
    return message("candidate_failed", tool=tool.spec.tool_id, source=tool.spec.source, error=error)
