"""Which tools there are. A name may have several candidates; none silently replaces another (R4.1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tools.core.context import ToolContext
from tools.core.result import ToolResult
from tools.core.spec import ToolSpec


class Runner(Protocol):
    """Runs a tool: native class, LangChain tool, skill and MCP tool look the same from here."""

    async def __call__(self, action: str | None, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Run one action; raise, or return a failed result, when it does not work."""
        ...


@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """A description with what runs it."""

    spec: ToolSpec
    run: Runner


class ToolRegistry:
    """Candidates by name, in order of priority. Every change gives a new revision."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[RegisteredTool]] = {}
        self.revision = 0

    def add(self, tool: RegisteredTool) -> None:
        """Register a candidate."""
        candidates = self._by_name.setdefault(tool.spec.name, [])
        candidates.append(tool)
        candidates.sort(key=lambda candidate: candidate.spec.priority)
        self.revision += 1

    def remove(self, name: str) -> bool:
        """Remove every candidate of a name; says whether there was one."""
        if self._by_name.pop(name, None) is None:
            return False
        self.revision += 1
        return True

    def candidates(self, name: str) -> list[RegisteredTool]:
        """All tools of that name, best first."""
        return list(self._by_name.get(name, ()))

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[ToolSpec]:
        """The first candidate of every name."""
        return (candidates[0].spec for candidates in self._by_name.values())
