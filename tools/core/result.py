"""The one shape of every tool result (R5.6)."""

from typing import Any

from pydantic import Field

from switchyard.language.messages import Said
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.json_values import no_fields, no_items
from switchyard.tools.core.late_model import LateModel


class StandIn(LateModel):
    """A call that was made in the place of another, whose tool was not there."""

    tool: str
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=no_fields)
    """As they may be shown."""
    signature: str = ""
    names: list[str] = Field(default_factory=no_items)
    kind: FailureKind | None = None
    """How it failed; None where it did not."""
    error: Said | None = None


class ResultMeta(LateModel):
    """Where a result came from and what it cost."""

    source: str = ""
    """`native`, `skill`, `mcp` or `model`; of a synthesised result all that took part, with commas between."""
    synthesised: bool = False
    source_count: int = 1
    sources: list[str] = Field(default_factory=no_items)
    """What the tool consulted: files, addresses, tables."""
    ms: float = 0.0
    tool: str = ""
    """Who gave it, where that is not the tool that was asked for."""
    wait: float | None = None
    """Of a failure: seconds after which the same call is welcome."""
    lasting: bool = False
    """Of a failure: it does not pass by itself, whatever its class."""
    suggestions: list[Said] = Field(default_factory=no_items)
    """Of a failure: what may help, a sentence each."""
    stand_ins: list[StandIn] = Field(default_factory=no_items)
    """What was called in the place of a tool that was not there."""
    downgrades: list[Said] = Field(default_factory=no_items)
    """Where a plainer or another way was taken than the one asked for: a sentence each."""


class ToolResult(LateModel):
    """A tool's answer: a result, or an error with its class."""

    success: bool = True
    result: Any = None
    error: Said | None = None
    error_type: FailureKind | None = None
    meta: ResultMeta = Field(default_factory=ResultMeta)

    @classmethod
    def of(cls, result: Any, *sources: str) -> "ToolResult":
        """A good result, with the files, addresses or tables that were consulted for it."""
        return cls(result=result, meta=ResultMeta(sources=list(sources)))

    @classmethod
    def failed(cls, error: str, error_type: FailureKind, *, source: str = "", ms: float = 0.0) -> "ToolResult":
        """A failure as data: steps return results, they do not raise."""
        return cls(success=False, error=error, error_type=error_type, meta=ResultMeta(source=source, ms=ms))
