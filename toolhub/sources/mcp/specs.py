"""A server's tools in our words. What a server says about itself is not trusted: names and texts are bounded."""

import json
import re
from typing import TYPE_CHECKING, Any, cast

import structlog

from switchyard.toolhub.sources.mcp.config import ServerConfig
from switchyard.tools.core.spec import ToolCapability, ToolSpec

if TYPE_CHECKING:
    from mcp.types import Tool

MAX_SUMMARY = 300
MAX_DETAILS = 2_000
MAX_NAME = 128
MAX_SCHEMA = 100_000
"""Characters; a tool with a larger schema is left out."""

_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|\n\s*\n")

log = structlog.get_logger(__name__)


def described(config: ServerConfig, tools: "list[Tool]") -> list[ToolSpec]:
    """The tools that can be used, as `server/tool`."""
    specs: list[ToolSpec] = []
    for tool in tools:
        size = len(json.dumps([tool.inputSchema, tool.outputSchema], default=str))
        if tool.name.isprintable() and 0 < len(tool.name) <= MAX_NAME and size <= MAX_SCHEMA:
            specs.append(_spec(config, tool))
        else:
            log.warning("mcp_tool_left_out", server=config.name, tool=repr(tool.name)[:MAX_NAME], schema_size=size)
    return specs


def _spec(config: ServerConfig, tool: "Tool") -> ToolSpec:
    hints = tool.annotations
    title = tool.title or (hints.title if hints else None) or tool.name.replace("_", " ")
    text = _cleaned(config.secrets.text(tool.description or ""))
    summary, *_ = _SENTENCE.split(text, maxsplit=1) if text else [_cleaned(title)]
    reads = bool(hints and hints.readOnlyHint)
    destroys = not reads and bool(hints and hints.destructiveHint)
    output = config.secrets.data(tool.outputSchema)
    summary = " ".join(summary.split())[:MAX_SUMMARY]
    return ToolSpec(
        name=f"{config.name}/{tool.name}",
        summary=summary,
        details=text[:MAX_DETAILS] if text != summary else "",
        type="mcp_server",
        source="mcp",
        category=config.name,
        tags=(config.name, *(("destructive",) if destroys else ())),
        capabilities=(
            ToolCapability(name=tool.name, description=summary, parameters=config.secrets.data(tool.inputSchema)),
        ),
        returns=_returned(output),
        returns_schema=output,
        writes=not reads,
    )


def _cleaned(text: str) -> str:
    """Without control characters: a terminal and a prompt show the rest as it is."""
    return "".join(character for character in text if character.isprintable() or character == "\n").strip()


def _returned(schema: dict[str, Any] | None) -> str:
    """The names of the fields that come back."""
    fields: object = (schema or {}).get("properties")
    return ", ".join(cast("dict[str, Any]", fields))[:MAX_SUMMARY] if isinstance(fields, dict) else ""
