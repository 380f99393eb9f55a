"""What can be asked about tools without calling one: which there are, what they are for, how they are described."""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from switchyard.ledger.tokens import estimate_tokens
from switchyard.toolhub.descriptions import definition, summary, summary_line
from switchyard.toolhub.naming import resolved, unknown
from switchyard.toolhub.recall.bm25 import Scored
from switchyard.toolhub.recall.finder import Finder, Strategy
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.registry import ToolRegistry, Withheld
from switchyard.tools.core.errors import ToolUnknown
from switchyard.tools.core.spec import ToolSpec, ToolSummary, ToolType

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


class Catalogue:
    """The tools that are offered, to list, to find and to describe."""

    def __init__(self, registry: ToolRegistry, embeddings: "Embeddings | None" = None) -> None:
        self.registry = registry
        self._finder = Finder(registry, embeddings)
        self._tokens: dict[str, int] = {}
        """What each definition costs, as of a revision."""
        self._tokens_revision = -1

    def get_all_tools(self) -> list[ToolSpec]:
        """Every tool, by name."""
        return sorted(self.registry, key=lambda spec: spec.name)

    def get_tools_by_type(self, kind: ToolType) -> list[ToolSpec]:
        """Every tool of a type, by name: `function`, `skill`, or `mcp_server` for the tools of MCP servers."""
        return sorted(self.registry.of_type(kind), key=lambda spec: spec.name)

    def get_tool_by_id(self, name: str) -> ToolSpec | None:
        """The tool of that name."""
        candidates = self.registry.candidates(name)
        return candidates[0].spec if candidates else None

    def resolve(self, name: str, action: str | None) -> tuple[str, str | None]:
        """The id of a tool and its action, however the call is written: `git`, `git_status` is `git/git_status`."""
        return resolved(self.registry, name, action)

    def unknown(self, name: str) -> ToolUnknown:
        """The error for a tool that cannot be called: why, and the nearest that can."""
        return unknown(self.registry, name)

    def search_tools_by_tags(self, tags: Iterable[str]) -> list[ToolSpec]:
        """Tools with one of these tags, categories or capability tags: those with most of them first."""
        found: dict[str, ToolSpec] = {}
        shared: dict[str, int] = {}
        for tag in dict.fromkeys(tags):
            words = {tag, self.registry.capabilities.canonical(tag)}
            for spec in {spec.name: spec for word in words for spec in self.registry.with_tag(word)}.values():
                found[spec.name] = spec
                shared[spec.name] = shared.get(spec.name, 0) + 1
        return sorted(found.values(), key=lambda spec: (-shared[spec.name], spec.priority, spec.name))

    async def search_tools_by_requirements(self, requirements: Iterable[str]) -> list[ToolSpec]:
        """Tools that meet at least one requirement, each a few words or something a tool `produces`.

        Those that meet most come first.
        """
        names = await self._finder.meeting(requirements)
        return [spec for name in names if (spec := self.get_tool_by_id(name))]

    async def recall(
        self, query: str, topk: int, *, strategy: Strategy = "lexical", learned: Learned | None = None
    ) -> list[Scored]:
        """Stage one: the tools for a query, best first.

        Args:
            query: what is to be done.
            topk: how many at most.
            strategy: `lexical` finds by shared words; `fused` by words, meaning and kind, and finds nothing where no
                tool fits; a question in the other language than the tools' finds what a dictionary brings nearest.
            learned: what a user's tools have served and failed on.
        """
        return await self._finder.recall(query, topk, strategy=strategy, learned=learned)

    async def withheld(self, query: str, topk: int = 3) -> list[tuple[Scored, Withheld]]:
        """The disabled tools that would have been recalled for a query, each with the reason it is not offered."""
        return await self._finder.withheld(query, topk)

    def get_tools_summary(self, names: Iterable[str]) -> str:
        """One line per tool, for choosing."""
        return "\n".join(summary_line(spec) for name in names if (spec := self.get_tool_by_id(name)))

    def get_tool_summaries(self, names: Iterable[str] | None = None) -> list[ToolSummary]:
        """The same as objects; of every tool when no names are given."""
        specs = self.get_all_tools() if names is None else map(self.get_tool_by_id, names)
        return [summary(spec) for spec in specs if spec]

    def get_tools_description_by_names(self, names: Iterable[str]) -> str:
        """Full definitions, for calling."""
        return "\n\n".join(definition(spec) for name in names if (spec := self.get_tool_by_id(name)))

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

    async def count_tokens(self) -> None:
        """Count ahead, in a thread, what every definition costs: thousands of tools take a moment."""
        if self.registry.changed_since(self._tokens_revision) is None:
            revision, specs = self.registry.revision, list(self.registry)
            self._tokens = await asyncio.to_thread(lambda: {spec.name: _cost(spec) for spec in specs})
            self._tokens_revision = revision

    def full_catalogue_tokens(self) -> int:
        """What it would cost to send every definition (R3.8)."""
        names = self.registry.changed_since(self._tokens_revision)
        if names is None:
            self._tokens = {spec.name: _cost(spec) for spec in self.registry}
        for name in names or ():
            spec = self.get_tool_by_id(name)
            self._tokens[name] = _cost(spec) if spec else 0
        self._tokens_revision = self.registry.revision
        return sum(self._tokens.values())

    def _known(self, name: str) -> ToolSpec:
        spec = self.get_tool_by_id(name)
        if spec is None:
            raise self.unknown(name)
        return spec


def _cost(spec: ToolSpec) -> int:
    return estimate_tokens(definition(spec))
