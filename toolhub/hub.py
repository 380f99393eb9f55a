"""The hub put together: the registry, the sources that fill it, recall, dispatch and memory.

Our agents work with these parts. Whoever uses the hub by itself has `toolhub.library` in front of them.
"""

import asyncio
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

from switchyard.language.messages import message
from switchyard.ledger.attempts import CallIdentity
from switchyard.toolhub.calling.identity import identified
from switchyard.toolhub.calling.retreat import Dispatcher
from switchyard.toolhub.capabilities import CapabilityTable
from switchyard.toolhub.descriptions import CatalogueCost
from switchyard.toolhub.memory.memory import Health, Memory
from switchyard.toolhub.registry import ToolRegistry
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.toolhub.sources.supply import Folder, OpensMcp, Supply
from switchyard.tools.core.errors import FailureKind, ToolUnknown
from switchyard.tools.core.processes import close_kept

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from switchyard.toolhub.memory.adjustments import AdjustedArguments, Adjuster
    from switchyard.toolhub.recall.finder import Finder

ROOMS = Path(__file__).resolve().parents[1]
"""Where our own tools and skills are."""


class ToolHub:
    """The parts of one hub, which know nothing of it.

    `registry` has the tools, `supply` fills it, `finder` recalls, `dispatcher` calls them, `memory` knows how calls
    went, `health` how tools are, `cost` what definitions take.
    """

    def __init__(
        self,
        *,
        native: Path = ROOMS / "tools",
        extra: Sequence[Path] = (),
        skills: Path | None = ROOMS / "skills",
        extra_skills: Sequence[Path] = (),
        mcp: OpensMcp | None = None,
        disabled: Iterable[str] = (),
        capabilities: CapabilityTable | None = None,
        memory: Memory | None = None,
        embeddings: "Embeddings | None" = None,
        rng: random.Random | None = None,
        cache_dir: Path | None = None,
    ) -> None:
        """Nothing is read or started yet.

        `native` and `skills` are the folders of our own packages, `extra` and `extra_skills` are loaded by path. `mcp`
        makes the source of MCP tools; without it there are the servers that are registered. `disabled` has ids of tools
        and of servers. Without `embeddings`, word vectors that come in a package recall by meaning. `rng` shuffles
        equals among tools of one capability. `cache_dir` keeps the descriptions of our own tools, so that the next
        start imports none of them.
        """
        self.registry = ToolRegistry(capabilities)
        for name in disabled:
            self.registry.disable(name, reason=message("disabled_by_settings"))
        packages = [Folder(native, "switchyard.tools", cache_dir=cache_dir)]
        packages += [Folder(skills, "switchyard.skills", skills=True)] if skills else []
        others = [Folder(path) for path in extra] + [Folder(path, skills=True) for path in extra_skills]
        self.supply = Supply(self.registry, [*packages, *others], mcp or servers())
        self._embeddings = embeddings
        self.memory = memory or Memory()
        self.health = Health(self.registry, self.memory, self.supply.absence)
        self.dispatcher = Dispatcher(self.registry, self.memory, absence=self.supply.absence, rng=rng)
        self.cost = CatalogueCost(self.registry)

    async def open(self) -> None:
        """Find the tools and open the source of MCP tools; servers whose tools are known are not waited for.

        Doing it again only looks for what has changed.
        """
        _open.add(self)
        await self.supply.open()

    async def close(self) -> None:
        """End the servers, what is left of calls and what tools keep open; nothing stays behind."""
        await self.dispatcher.stragglers.settle()
        await self.supply.close()
        _open.discard(self)
        if not _open:  # a browser is one for all hubs of a process
            await asyncio.to_thread(close_kept)

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @cached_property
    def finder(self) -> "Finder":
        """Recalls tools; made when one is first looked for."""
        from switchyard.toolhub.recall.finder import Finder  # noqa: PLC0415  brings numpy: only recall needs it

        return Finder(self.registry, self._embeddings)

    async def check(self, names: Iterable[str]) -> None:
        """Raise `ToolUnknown` where one of the names is that of no tool."""
        if not (missing := [name for name in names if self.registry.get(name) is None]):
            return
        await self.supply.refresh()  # it may have come a moment ago
        for name in missing:
            if self.registry.get(name) is None:
                raise self.unknown(name)

    def unknown(self, name: str) -> ToolUnknown:
        """The error for a tool that cannot be called: its server is down, or else why, and the nearest that can."""
        missing = self.supply.why_missing(name)
        return ToolUnknown(missing) if missing else self.registry.unknown(name)

    def identify(
        self, name: str, action: str | None, arguments: Mapping[str, Any], workspace: Path | None = None
    ) -> CallIdentity:
        """Which call this is, however it is written: what tells that it failed before, and what it may depend on."""
        return identified(self.registry, name, action, arguments, workspace)

    async def adjusted(
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
    ) -> "AdjustedArguments | None":
        """Arguments that are likely to work after these failed; None where nothing is known to help (R7.3).

        `observed`: what calls of the run gave, where the elements of a page may be found.
        """
        adjuster = self._adjuster(name, workspace, user, observed)
        return await adjuster.adjusted(action, arguments, kind, error) if adjuster else None

    def learned_adjustment(
        self, name: str, action: str | None, arguments: Mapping[str, Any], workspace: Path, user: str = ""
    ) -> "AdjustedArguments | None":
        """Arguments for a call that failed in an earlier run, as it succeeded there in the end (R7.7)."""
        adjuster = self._adjuster(name, workspace, user)
        return adjuster.learned(action, arguments) if adjuster else None

    def _adjuster(self, name: str, workspace: Path, user: str, observed: Iterable[Any] = ()) -> "Adjuster | None":
        from switchyard.toolhub.memory.adjustments import Adjuster  # noqa: PLC0415  only mistakes need it

        spec = self.registry.get(name)
        return Adjuster(spec, self.memory, workspace, user, observed) if spec else None


def servers(files: Sequence[Path] = ()) -> OpensMcp:
    """What makes a source of the MCP servers that files name, without a cache: each is asked what it offers."""
    return partial(McpSource, files, cache_dir=None, environment=os.environ)


_open: WeakSet[ToolHub] = WeakSet()
