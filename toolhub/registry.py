"""Which tools there are. A name may have several candidates; none silently replaces another (R4.1).

Tools come and go while runs are under way: every reader works on a view that never changes, and every change makes the
next reader take a new one. Changes belong on the event loop's thread.
"""

import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from switchyard.language.messages import joined, message, quoted
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.capabilities import CapabilityTable
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import ToolUnknown
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.core.plain_words import nearest
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

NAMES_SHOWN = 5
"""Of tools that are named in an error."""


Runner = Callable[[ToolRequest], Awaitable[ToolResult]]
"""Runs a tool: native class, LangChain tool, skill and MCP tool look the same from here.

It raises, or returns a failed result, when it does not work. One that is an object may have more to say beforehand:
`read`, `preview` and `unusable`, see `RegisteredTool`.
"""


@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """A description with what runs it."""

    spec: ToolSpec
    run: Runner
    file: Path | None = None
    """Where it is written, if that is a file of a folder."""

    def read(self, action: str | None, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The arguments as the tool gets them, maybe without defaults; None where its runner cannot tell.

        Raises:
            BadArguments: where it refuses them.
        """
        read = getattr(self.run, "read", None)
        return None if read is None else read(action, arguments)

    async def preview(self, request: ToolRequest) -> list[Effect]:
        """What a call would do, as far as the tool says; raises the tool's own error where it would fail."""
        preview = getattr(self.run, "preview", None)
        return [] if preview is None else await preview(request)

    @property
    def conditional(self) -> bool:
        """Whether it has something to say about whether it can work here; most need nothing."""
        return getattr(self.run, "conditional", False)

    def unusable(self, network: NetworkPolicy) -> str | None:
        """What is missing for any call of it to work here, such as a search engine; None where nothing is."""
        return cast("Any", self.run).unusable(network) if self.conditional else None


Absence = Callable[[RegisteredTool], str | None]
"""Why a candidate cannot be reached, such as its server being dead; None when it can."""


@dataclass(frozen=True, slots=True)
class Withheld:
    """A candidate that is there and not offered, and why."""

    tool: RegisteredTool
    reason: str


class ToolRegistry:
    """Candidates by name, in order of priority, and indexes over them. Every change gives a new revision."""

    def __init__(self, capabilities: CapabilityTable | None = None) -> None:
        self.capabilities = capabilities or CapabilityTable()
        self.revision = 0
        self._groups: dict[str, dict[str, list[RegisteredTool]]] = {}
        """The tools of every group by name."""
        self._disabled: dict[str, str] = {}
        """Why, by the name of a tool or an MCP server."""
        self._latest = _View(self.capabilities)
        self._unseen: dict[str, None] = {}
        """Names that have changed since the latest view."""
        self._lock = threading.RLock()

    def add(self, tool: RegisteredTool) -> None:
        """Register a candidate; where it declares no capability tags, those its words speak for are added.

        One that says it is not enabled is kept, and not offered before it is.
        """
        if not tool.spec.enabled:
            self._disabled[tool.spec.tool_id] = message("disabled_by_itself")
        self._groups.setdefault("", {}).setdefault(tool.spec.tool_id, []).append(self._described(tool))
        self._changed([tool.spec.tool_id])

    def replace(self, group: str, tools: Sequence[RegisteredTool]) -> None:
        """Make these the tools of a group that comes and goes as one: a folder, an MCP server."""
        before, now = self._groups.get(group, {}), dict[str, list[RegisteredTool]]()
        for tool in tools:
            now.setdefault(tool.spec.tool_id, []).append(self._described(tool))
        self._groups[group] = now  # where the group was: the order of equal priorities stays
        self._changed(name for name in {**before, **now} if before.get(name) != now.get(name))

    def remove(self, name: str) -> bool:
        """Remove every candidate of a name, and what they said of themselves; says whether there was one."""
        if self._disabled.get(name) == message("disabled_by_itself"):
            del self._disabled[name]
        found = [group.pop(name, None) for group in self._groups.values()]
        if any(found):
            self._changed([name])
        return any(found)

    def disable(self, name: str, reason: str | None = None) -> None:
        """Keep a tool, or all tools of an MCP server, from being offered; what is registered later too."""
        self._disabled[name] = reason or message("disabled_by_program")
        self._switch(name)

    def enable(self, name: str) -> None:
        """Take a `disable` back."""
        self._disabled.pop(name, None)
        self._switch(name)

    def _switch(self, name: str) -> None:
        """A switch is for the tools of a name, or of the MCP server of that name."""
        known = [known for group in self._groups.values() for known in group]
        self._changed(one for one in known if one == name or one.startswith(f"{name}/"))

    def candidates(self, name: str) -> list[RegisteredTool]:
        """All tools of that name that are offered, best first."""
        return list(self._view.by_name.get(name, ()))

    def get(self, name: str) -> ToolSpec | None:
        """The first candidate of a name."""
        return self.specs.get(name)

    def resolve(self, name: str, action: str | None) -> tuple[str, str | None]:
        """A tool and its action: `git` with `git_status` and `git/git_status` are the same call."""
        if name in self:
            return name, action
        if action and f"{name}/{action}" in self:
            return f"{name}/{action}", None
        tool, slash, part = name.rpartition("/")
        if slash and action is None and any(found.spec.capability(part) for found in self.candidates(tool)):
            return tool, part
        return name, action

    def withheld(self, name: str | None = None) -> list[Withheld]:
        """The disabled candidates of a name, or of all names."""
        found = self._view.withheld
        return [one for of_name in found.values() for one in of_name] if name is None else list(found.get(name, ()))

    def file_of(self, name: str) -> str:
        """Where the first candidate of a name is written; empty where that is no file."""
        return next((str(tool.file.absolute()) for tool in self.candidates(name)[:1] if tool.file), "")

    def with_capability(self, tag: str) -> list[RegisteredTool]:
        """All candidates that share a capability tag, in order of priority; the word may be of either language."""
        return list(self._view.by_capability.get(self.capabilities.canonical(tag), ()))

    def with_tags(self, tags: Iterable[str]) -> list[ToolSpec]:
        """Tools with one of these tags, categories or capability tags, of either language; those with most first."""
        words = [{tag.strip().lower(), self.capabilities.canonical(tag)} for tag in dict.fromkeys(tags)]
        told = {spec.tool_id: (*spec.tags, spec.category, *spec.capability_tags) for spec in self}
        own = {spec.tool_id: {*map(str.lower, told[spec.tool_id]), *self.capabilities.tags_of(spec)} for spec in self}
        return _most_shared([[spec for spec in self if not both.isdisjoint(own[spec.tool_id])] for both in words])

    def similar(self, spec: ToolSpec) -> list[ToolSpec]:
        """The other tools that share a capability tag with this one: most in common first, then by priority."""
        found = [[tool.spec for tool in reversed(self.with_capability(tag))] for tag in self.capabilities.tags_of(spec)]
        return [other for other in _most_shared(found) if other.tool_id != spec.tool_id]

    def unknown(self, name: str) -> ToolUnknown:
        """The error for a tool that cannot be called, with why, and what there is instead."""
        if withheld := self.withheld(name):
            similar = [other.tool_id for other in self.similar(withheld[0].tool.spec)][:NAMES_SHOWN]
            others = message("similar_tools", tools=similar) if similar else message("no_similar_tool")
            return ToolUnknown(joined(message("tool_disabled", tool=name, reason=quoted(withheld[0].reason)), others))
        if own := [spec.tool_id for spec in self if spec.tool_id.startswith(f"{name}/")]:
            return ToolUnknown(message("server_with_tools", server=name, count=len(own), tools=own[:NAMES_SHOWN]))
        if near := nearest(name, self.specs, likeness=50, most=3):
            return ToolUnknown(message("tool_unknown_near", tool=name, near=near))
        return ToolUnknown(message("tool_unknown", tool=name))

    def listed(self, tool_type: str | None = None) -> list[ToolSpec]:
        """The tools, or those of a type, by id."""
        found = [spec for spec in self if tool_type is None or spec.tool_type == tool_type]
        return sorted(found, key=lambda spec: spec.tool_id)

    def categories(self) -> Counter[str]:
        """How many tools there are of each category; an MCP server is one."""
        return self._view.categories.copy()

    @property
    def conditional(self) -> frozenset[str]:
        """The tools that have something to say about whether they can work here."""
        return self._view.conditional

    def unusable(self, names: Iterable[str], network: NetworkPolicy) -> dict[str, str]:
        """Of these, the tools that cannot work here, whatever they are given, each with what is missing."""
        found: dict[str, str] = {}
        for name in names:
            missing = [tool.unusable(network) for tool in self.candidates(name)]
            if missing and all(missing):
                found[name] = missing[0] or ""
        return found

    def __contains__(self, name: str) -> bool:
        return name in self._view.by_name

    def __len__(self) -> int:
        return len(self._view.by_name)

    def __iter__(self) -> Iterator[ToolSpec]:
        return iter(self.specs.values())

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """The first candidate of every name."""
        return self._view.specs

    def _described(self, tool: RegisteredTool) -> RegisteredTool:
        spec = self.capabilities.described(tool.spec)
        return tool if spec is tool.spec else replace(tool, spec=spec)

    @property
    def _view(self) -> "_View":
        if not self._unseen:
            return self._latest
        with self._lock:  # questions are read in threads, while servers come and go
            if self._unseen:
                groups = list(self._groups.values())
                tools = {name: [tool for group in groups for tool in group.get(name, ())] for name in self._unseen}
                self._latest, self._unseen = self._latest.changed(tools, self._reason), {}
            return self._latest

    def _changed(self, names: Iterable[str]) -> None:
        with self._lock:
            changed = dict.fromkeys(names)
            self._unseen |= changed
            self.revision += bool(changed)

    def _reason(self, spec: ToolSpec) -> str | None:
        server = spec.tool_id.partition("/")[0] if spec.source == "mcp" else ""
        return self._disabled.get(spec.tool_id) or self._disabled.get(server)


@dataclass(frozen=True)
class _View:
    """The registry at one revision. What is offered and what is not is taken over from the view before."""

    capabilities: CapabilityTable
    by_name: dict[str, list[RegisteredTool]] = field(default_factory=dict[str, list[RegisteredTool]])
    specs: dict[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    """The first of every name, in the order the names came in."""
    withheld: dict[str, list[Withheld]] = field(default_factory=dict[str, list[Withheld]])

    def changed(
        self, tools: Mapping[str, Sequence[RegisteredTool]], reason: Callable[[ToolSpec], str | None]
    ) -> "_View":
        """The view with other candidates of some names, some with a reason not to be offered; other names stay."""
        by_name, specs, withheld = dict(self.by_name), dict(self.specs), dict(self.withheld)
        for name, candidates in tools.items():
            told = [_switched(tool, reason(tool.spec)) for tool in candidates]
            offered = sorted((tool for tool, why in told if why is None), key=lambda tool: tool.spec.priority)
            withheld.pop(name, None)
            if off := [Withheld(tool, why) for tool, why in told if why is not None]:
                withheld[name] = off
            if offered:
                by_name[name], specs[name] = offered, offered[0].spec
            elif name in specs:
                del by_name[name], specs[name]
        return _View(self.capabilities, by_name, specs, withheld)

    @cached_property
    def categories(self) -> Counter[str]:
        return Counter(spec.category for spec in self.specs.values())

    @cached_property
    def conditional(self) -> frozenset[str]:
        return frozenset(name for name, tools in self.by_name.items() if any(tool.conditional for tool in tools))

    @cached_property
    def by_capability(self) -> dict[str, list[RegisteredTool]]:
        found: dict[str, list[RegisteredTool]] = {}
        tools = (tool for candidates in self.by_name.values() for tool in candidates)
        for tool in sorted(tools, key=lambda tool: tool.spec.priority):
            for tag in self.capabilities.tags_of(tool.spec):
                found.setdefault(tag, []).append(tool)
        return found


def _switched(tool: RegisteredTool, why: str | None) -> tuple[RegisteredTool, str | None]:
    """A candidate that says itself whether it is offered, and why it is not."""
    if tool.spec.enabled is not (why is None):
        tool = replace(tool, spec=tool.spec.model_copy(update={"enabled": why is None}))
    return tool, why


def _most_shared(found: Iterable[Sequence[ToolSpec]]) -> list[ToolSpec]:
    """Tools that were found several times first, then by priority and name; of one name the last that was found."""
    specs: dict[str, ToolSpec] = {}
    times: Counter[str] = Counter()
    for once in found:
        specs |= {spec.tool_id: spec for spec in once}
        times.update({spec.tool_id for spec in once})
    return sorted(specs.values(), key=lambda spec: (-times[spec.tool_id], spec.priority, spec.tool_id))
