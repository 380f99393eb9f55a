"""`UnifiedToolLibrary`: the one façade of the hub that agents and users call (R4.8)."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import structlog

from ledger.tokens import estimate_tokens
from toolhub.descriptions import definition, summary_line
from toolhub.dispatch import call_tool
from toolhub.recall.bm25 import Bm25Recall, Scored
from toolhub.recall.tokeniser import has_chinese, warm
from toolhub.registry import RegisteredTool, ToolRegistry
from toolhub.sources.native import BrokenFile, discover
from tools.core.context import ToolContext
from tools.core.errors import ToolUnknown
from tools.core.result import ToolResult
from tools.core.spec import ToolSpec

ANSWERS_KEPT = 1024
"""Queries whose answers are remembered until the catalogue changes."""

log = structlog.get_logger(__name__)


class UnifiedToolLibrary:
    """Every tool there is: to list, to recall, to describe, to run."""

    def __init__(self, *, native: Path, extra: Sequence[Path] = (), tool_timeout: float = 30.0) -> None:
        self._native = native
        self._extra = tuple(extra)
        self._timeout = tool_timeout
        self.registry = ToolRegistry()
        self.broken: list[BrokenFile] = []
        """Tool files that did not load, each with its error."""
        self._recall: Bm25Recall | None = None
        self._recall_revision = -1
        self._warm: set[bool] = set()
        self._answers: OrderedDict[tuple[str, int], list[Scored]] = OrderedDict()
        self._catalogue_tokens: tuple[int, int] = (-1, 0)

    async def initialize(self) -> None:
        """Find the tools; imports happen in a thread."""
        folders: list[tuple[Path, str | None]] = [(self._native, "tools"), *((folder, None) for folder in self._extra)]
        for folder, package in folders:
            found = await asyncio.to_thread(discover, folder, package)
            for tool in found.tools:
                self.registry.add(tool)
            for broken in found.broken:
                log.warning("tool_file_broken", file=str(broken.path), error=broken.error)
            self.broken += found.broken

    def register(self, tool: RegisteredTool) -> None:
        """Add a tool at run time."""
        self.registry.add(tool)

    def unregister_tool(self, name: str) -> bool:
        """Remove a tool at run time; says whether it was there."""
        return self.registry.remove(name)

    def get_all_tools(self) -> list[ToolSpec]:
        """Every tool, by name."""
        return sorted(self.registry, key=lambda spec: spec.name)

    def get_tool_by_id(self, name: str) -> ToolSpec | None:
        """The tool of that name."""
        candidates = self.registry.candidates(name)
        return candidates[0].spec if candidates else None

    def get_tools_summary(self, names: Iterable[str]) -> str:
        """One line per tool, for choosing."""
        return "\n".join(summary_line(spec) for name in names if (spec := self.get_tool_by_id(name)))

    def get_tools_description_by_names(self, names: Iterable[str]) -> str:
        """Full definitions, for calling."""
        return "\n\n".join(definition(spec) for name in names if (spec := self.get_tool_by_id(name)))

    def full_catalogue_tokens(self) -> int:
        """What it would cost to send every definition (R3.8)."""
        revision, count = self._catalogue_tokens
        if revision != self.registry.revision:
            count = sum(estimate_tokens(definition(spec)) for spec in self.registry)
            self._catalogue_tokens = (self.registry.revision, count)
        return count

    async def recall(self, query: str, topk: int) -> list[Scored]:
        """Stage one: the tools that share words with the query, best first."""
        chinese = has_chinese(query)
        if self._recall is None or self._recall_revision != self.registry.revision or chinese not in self._warm:
            await asyncio.to_thread(self._prepare_recall, query)
            self._warm.add(chinese)
        known = self._answers.get((query, topk))
        if known is None:
            known = self._recall.recall(query, topk) if self._recall is not None else []
            self._answers[query, topk] = known
            while len(self._answers) > ANSWERS_KEPT:
                self._answers.popitem(last=False)
        return list(known)

    async def execute_tool(
        self,
        name: str,
        action: str | None,
        arguments: dict[str, Any],
        context: ToolContext,
        *,
        seconds: float | None = None,
    ) -> ToolResult:
        """Run a tool by name and return what happened."""
        candidates = self.registry.candidates(name)
        if not candidates:
            return ToolResult.failed(str(self.unknown(name)), "not_found")
        return await call_tool(candidates[0], action, arguments, context, seconds=seconds or self._timeout)

    def unknown(self, name: str) -> ToolUnknown:
        """The error for a name that is not there, with the nearest that are."""
        from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

        names = [spec.name for spec in self.registry]
        near = [found for found, _, _ in process.extract(name, names, limit=3, score_cutoff=50)]
        hint = f"did you mean {', '.join(near)}?" if near else f"there are {len(names)} tools; see `tools list`."
        return ToolUnknown(f"There is no tool '{name}'; {hint}")

    def _prepare_recall(self, query: str) -> None:
        warm(query)
        if self._recall is None or self._recall_revision != self.registry.revision:
            revision = self.registry.revision
            self._recall = Bm25Recall(list(self.registry))
            self._answers.clear()
            self._recall_revision = revision
