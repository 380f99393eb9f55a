"""The one order of retreat: by name, else by capability; several candidates at once where they only read (R5.1, R5.2).

    dispatch ──▶ the candidates of the name ──▶ what they gave, good or bad
            └──▶ nobody there (unknown, disabled, server dead): tools for the same purpose that take these arguments
                 └──▶ none: why, and what there is

A call that failed is returned as failed: what to do then is not decided here. Nothing that writes or asks a person
first is run beside something else, or in the place of something else.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from switchyard.ledger.attempts import CallIdentity
from switchyard.toolhub.calling.arguments import adapted, as_object
from switchyard.toolhub.calling.dispatch import TIMEOUT_TEXT, call_tool
from switchyard.toolhub.calling.identity import identified
from switchyard.toolhub.calling.racing import GRACE, Stragglers, bounded, collect, pick_best
from switchyard.toolhub.calling.synthesis import Answer, Ask, Synthesis
from switchyard.toolhub.memory.memory import Memory
from switchyard.toolhub.naming import resolved, unknown
from switchyard.toolhub.registry import RegisteredTool, ToolRegistry
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import BadArguments, FailureKind
from switchyard.tools.core.masking import shown_arguments
from switchyard.tools.core.result import StandIn, ToolResult
from switchyard.tools.core.spec import ToolSpec

AT_ONCE = 3
"""Candidates that are called together."""

NOTHING_HAPPENED: frozenset[FailureKind] = frozenset({"not_found", "bad_arguments", "permission", "rate_limit"})
"""Failures after which another candidate may make the same change: after the others it may have been made."""

Absence = Callable[[RegisteredTool], str | None]
"""Why a candidate cannot be reached, such as its server being dead; None when it can."""


Refuses = Callable[[str], str | None]
"""Why the call of a signature must not be made; None when it may."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call to be made."""

    tool: str
    action: str | None = None
    arguments: Mapping[str, Any] | str = field(default_factory=dict[str, Any])
    """An object, or its JSON text."""


@dataclass(frozen=True, slots=True)
class _Order:
    """A request as it is carried out."""

    name: str
    action: str | None
    arguments: dict[str, Any]
    context: ToolContext
    seconds: float
    ask: Ask | None
    refuses: Refuses | None
    stand_ins: list[StandIn] = field(default_factory=list[StandIn])
    """What was called in its place; it grows."""


_Candidate = tuple[RegisteredTool, dict[str, Any]]
"""A tool and the arguments it gets."""

_Outcome = tuple[RegisteredTool, ToolResult]


class Dispatcher:
    """Carries out requests."""

    def __init__(
        self,
        registry: ToolRegistry,
        memory: Memory,
        *,
        absence: Absence,
        rng: random.Random | None = None,
        synthesis: Synthesis | None = None,
    ) -> None:
        self._registry = registry
        self._memory = memory
        self._absence = absence
        self._rng = rng or random.Random()  # noqa: S311  an order among equals, no secret
        self._synthesis = synthesis or Synthesis()
        self.stragglers = Stragglers()

    async def dispatch(
        self,
        request: ToolRequest,
        context: ToolContext,
        *,
        seconds: float,
        ask: Ask | None = None,
        refuses: Refuses | None = None,
    ) -> ToolResult:
        """Carry out a request and return what happened.

        Args:
            request: what is called, and with what.
            context: the run it belongs to.
            seconds: what one call may take where the tool says nothing else.
            ask: the model that merges several answers.
            refuses: what must not be called in its place; the request itself is the caller's to refuse.
        """
        try:
            arguments = as_object(request.arguments)
        except BadArguments as error:
            return ToolResult.failed(str(error), error.kind)
        name, action = resolved(self._registry, request.tool, request.action)
        order = _Order(name, action, arguments, context, seconds, ask, refuses)
        result = await self._carried_out(order)
        result.meta.stand_ins = order.stand_ins
        return result

    async def _carried_out(self, order: _Order) -> ToolResult:
        name = order.name
        candidates = self._registry.candidates(name)
        present = [tool for tool in candidates if self._absence(tool) is None]
        result = await self._by_name(order, candidates[0], present) if present else None
        if result is not None and not self._went_away(result, order, present):
            return result
        instead = await self._by_capability(order, candidates)
        if instead is not None and instead.success:
            return instead
        if result is None and candidates:  # the server may be back, and says itself what is wrong
            result = await self._by_name(order, candidates[0], candidates)
        result = result or ToolResult.failed(str(unknown(self._registry, name)), "not_found")
        if instead is not None:
            result.meta.downgrades += [*instead.meta.downgrades, f"That failed too: {instead.error}"]
        return result

    def _went_away(self, result: ToolResult, order: _Order, present: Sequence[RegisteredTool]) -> bool:
        """Whether a call that only reads failed because nobody is there any more."""
        gone = result.error_type == "unavailable" and all(self._absence(tool) is not None for tool in present)
        return gone and not any(_is_careful(tool.spec, order.action) for tool in present)

    async def _by_name(self, order: _Order, first: RegisteredTool, candidates: Sequence[RegisteredTool]) -> ToolResult:
        """Call the candidates of a name. The caller has seen to what the first of the name needs, and to no more."""
        if len(candidates) > 1 and not _is_careful(first.spec, order.action):
            candidates = [tool for tool in candidates if not _is_careful(tool.spec, order.action)] or [first]
        chosen = sorted(candidates, key=lambda tool: not self._memory.is_preferred(order.name, tool))
        return await self._run(order, [(tool, order.arguments) for tool in chosen], order.name)

    async def _by_capability(self, order: _Order, candidates: Sequence[RegisteredTool]) -> ToolResult | None:
        """Call tools that serve the same purpose, take these arguments and only read; None when there are none."""
        withheld = [one.tool for one in self._registry.withheld(order.name)]
        known = next((tool.spec for tool in [*candidates, *withheld]), None)
        table = self._registry.capabilities
        said = table.tags_of(known) if known else table.derived(order.name, order.action or "")
        tags = table.interchangeable(said)
        if _is_careful(known, order.action) if known else tags != said:
            return None  # what would change something, or may, is not replaced by what only looks
        similar = {id(tool): tool for tag in tags for tool in self._registry.with_capability(tag)}.values()
        fitting = [
            (tool, arguments) for tool in similar if (arguments := self._fitting(order, known, tool)) is not None
        ]
        if not fitting:
            return None
        key = f"#{tags[0]}"
        self._rng.shuffle(fitting)
        fitting.sort(key=lambda one: (not self._memory.is_preferred(key, one[0]), one[0].spec.priority))
        result = await self._run(order, fitting, key)
        why = next(filter(None, map(self._absence, candidates)), None) or str(unknown(self._registry, order.name))
        asked = ", ".join(dict.fromkeys(tool.spec.name for tool, _ in fitting))
        result.meta.downgrades.insert(0, f"{why} Asked instead, for the same purpose: {asked}.")
        return result

    def _fitting(self, order: _Order, known: ToolSpec | None, tool: RegisteredTool) -> dict[str, Any] | None:
        """The arguments of a call of another tool in the place of the one ordered; None when it cannot take it."""
        action = tool.spec.capability(order.action) or tool.spec.capability(None)
        if tool.spec.name == order.name or action is None or _is_careful(tool.spec, action.name):
            return None
        meant = known.capability(order.action) if known else None
        arguments = adapted(order.arguments, action.parameters, meant.parameters if meant else None)
        if arguments is None or self._absence(tool) is not None:
            return None
        refused = order.refuses and order.refuses(self._identified(order, tool, arguments).signature)
        return None if refused else arguments

    def _identified(self, order: _Order, tool: RegisteredTool, arguments: Mapping[str, Any]) -> CallIdentity:
        return identified(self._registry, tool.spec.name, order.action, arguments, order.context.workspace)

    async def _run(self, order: _Order, candidates: Sequence[_Candidate], key: str) -> ToolResult:
        """Call candidates: one after the other where one of them writes or asks, else the first few at once."""
        if len(candidates) == 1 or any(_is_careful(tool.spec, order.action) for tool, _ in candidates):
            return await self._one_by_one(order, candidates, key)
        table, tags = self._registry.capabilities, self._registry.tags_of(candidates[0][0].spec)
        batch, rest = candidates[:AT_ONCE], candidates[AT_ONCE:]
        two = len(candidates) == 2  # noqa: PLR2004  any two similar ones are merged
        synthesise = (table.together(tags) or ("synthesise" if two else "best")) == "synthesise"
        calls = [partial(self._call, order, tool, arguments) for tool, arguments in batch]
        answers = await (collect if synthesise else pick_best)(calls, self.stragglers)
        outcomes = [(batch[at][0], answers[at]) for at in sorted(answers)]
        good = [(tool, result) for tool, result in outcomes if result.success]
        bad = [(tool, result) for tool, result in outcomes if not result.success]
        if not good:
            return await self._one_by_one(order, rest, key, bad)
        result = self._answered(order, key, *good[0])
        if len(good) > 1:
            result = await self._synthesis.merge(
                f"{order.name} {json.dumps(order.arguments, ensure_ascii=False, default=str)}",
                [Answer(tool.spec, answer) for tool, answer in good],
                table.likeness(tags),
                language=order.context.language,
                ask=order.ask,
            )
        result.meta.downgrades += map(_told, bad)
        return result

    async def _one_by_one(
        self, order: _Order, candidates: Sequence[_Candidate], key: str, failed: Sequence[_Outcome] = ()
    ) -> ToolResult:
        """Call candidates in turn until one succeeds, or one may have changed something; the first failure counts."""
        failures = list(failed)
        for tool, arguments in candidates:
            result = await self._call(order, tool, arguments)
            if result.success:
                result.meta.downgrades += map(_told, failures)
                return self._answered(order, key, tool, result)
            failures.append((tool, result))
            if result.error_type not in NOTHING_HAPPENED and _is_careful(tool.spec, order.action):
                break
        result = failures[0][1]
        result.meta.downgrades += map(_told, failures[1:])
        return result

    async def _call(self, order: _Order, tool: RegisteredTool, arguments: dict[str, Any]) -> ToolResult:
        call = partial(call_tool, tool, order.action, arguments, order.context, seconds=order.seconds)
        seconds = tool.spec.timeout or order.seconds
        result = await bounded(call, seconds + GRACE, self.stragglers)
        if result is None:  # it was cancelled when its time was up, and goes on all the same
            text = TIMEOUT_TEXT.format(tool=tool.spec.name, seconds=seconds)
            result = ToolResult.failed(text, "timeout", source=tool.spec.source, ms=(seconds + GRACE) * 1000)
        self._memory.note(tool, order.action, arguments, result, order.context)
        if tool.spec.name != order.name:
            call = self._identified(order, tool, arguments)
            order.stand_ins.append(
                StandIn(
                    tool=tool.spec.name,
                    action=order.action,
                    arguments=shown_arguments(arguments),
                    signature=call.signature,
                    names=list(call.names),
                    kind=None if result.success else result.error_type or "crash",
                    error=result.error,
                )
            )
        return result

    def _answered(self, order: _Order, key: str, tool: RegisteredTool, result: ToolResult) -> ToolResult:
        self._memory.prefer(key, tool)
        if tool.spec.name != order.name:
            result.meta.tool = tool.spec.name
        return result


def _is_careful(spec: ToolSpec, action: str | None) -> bool:
    """Whether a call changes something, or a person is asked before it."""
    own = spec.for_action(action) if len(spec.capabilities) > 1 else spec
    return own.writes or own.asks_first


def _told(failure: _Outcome) -> str:
    tool, result = failure
    return f"{tool.spec.name} ({tool.spec.source}) failed: {result.error}"
