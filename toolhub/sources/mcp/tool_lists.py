"""What servers offer, in our words, and kept so that nobody waits for a server to learn what it can do.

What a server says about itself is not trusted: names and texts are bounded.
"""

import json
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from switchyard.toolhub.calling.schema import as_mapping
from switchyard.toolhub.sources.mcp.config import ServerConfig
from switchyard.tools.core.files import write_whole
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.spec import ToolCapability, ToolSpec, ToolType

if TYPE_CHECKING:
    from mcp.types import Tool

FAILURE_AGE = 600
"""Seconds for which nobody waits again for a server that did not answer."""
MAX_SUMMARY = 300
MAX_DETAILS = 2_000
MAX_NAME = 128
MAX_SCHEMA = 100_000
"""Characters; a tool with a larger schema is left out."""
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|\n\s*\n")

log = get_logger(__name__)


class ToolList(BaseModel):
    """What a server offered when it was last asked."""

    tools: list[ToolSpec] | None
    """None: it did not answer. It is asked again, but nobody waits for it."""
    error: str = ""
    """Why it did not answer, where that is known."""
    at: float


class ToolListCache:
    """One small file per server, named by the hash of its configuration; it can be deleted at any time."""

    def __init__(self, folder: Path | None) -> None:
        """Without a folder nothing is kept."""
        self._folder = folder

    def load(self, fingerprint: str) -> ToolList | None:
        """The list, or None when there is none that can be read, or it did not answer long ago."""
        if self._folder is None:
            return None
        try:
            known = ToolList.model_validate_json(_path(self._folder, fingerprint).read_bytes())
        except (OSError, ValidationError):
            return None
        return known if known.tools is not None or 0 <= time.time() - known.at <= FAILURE_AGE else None

    def save(self, fingerprint: str, tools: list[ToolSpec] | None, error: str = "") -> None:
        """Keep a list, or why there is none. Where nothing can be written, the next start asks again."""
        if self._folder is None or (tools is None and (known := self.load(fingerprint)) and known.tools is not None):
            return  # an answer was better
        content = ToolList(tools=tools, error=error, at=time.time()).model_dump_json()
        with suppress(OSError):
            write_whole(_path(self._folder, fingerprint), content)


def _path(folder: Path, fingerprint: str) -> Path:
    return folder / f"{fingerprint[:32]}.json"


def described(config: ServerConfig, tools: "list[Tool]", about: str = "") -> list[ToolSpec]:
    """The tools that can be used, as `server/tool`; `about`: what the server says of itself."""
    specs: list[ToolSpec] = []
    about = _cleaned(config.secrets.text(about))[:MAX_SUMMARY]
    for tool in tools:
        size = len(json.dumps([tool.inputSchema, tool.outputSchema], default=str))
        if tool.name.isprintable() and 0 < len(tool.name) <= MAX_NAME and size <= MAX_SCHEMA:
            specs.append(_spec(config, tool, about))
        else:
            log.warning("mcp_tool_left_out", server=config.name, tool=repr(tool.name)[:MAX_NAME], schema_size=size)
    return specs


def _spec(config: ServerConfig, tool: "Tool", about: str) -> ToolSpec:
    hints = tool.annotations
    title = tool.title or (hints.title if hints else None) or tool.name.replace("_", " ")
    text = _cleaned(config.secrets.text(tool.description or ""))
    summary, *_ = _SENTENCE.split(text, maxsplit=1) if text else [_cleaned(title)]
    reads = bool(hints and hints.readOnlyHint)
    destroys = not reads and bool(hints and hints.destructiveHint)
    output: dict[str, Any] | None = config.secrets.data(tool.outputSchema)
    summary = " ".join(summary.split())[:MAX_SUMMARY]
    return ToolSpec(
        tool_id=f"{config.name}/{tool.name}",
        name=_cleaned(title)[:MAX_NAME],
        description=f"{summary}\n{text[:MAX_DETAILS]}" if text != summary else summary,
        tool_type=ToolType.MCP_SERVER,
        source="mcp",
        category=config.name,
        tags=(config.name, *(("destructive",) if destroys else ())),
        capabilities=(
            ToolCapability(name=tool.name, description=summary, parameters=config.secrets.data(tool.inputSchema)),
        ),
        returns=", ".join(as_mapping((output or {}).get("properties")))[:MAX_SUMMARY],
        returns_schema=output,
        writes=not reads,
        server=about,
    )


def _cleaned(text: str) -> str:
    """Without control characters: a terminal and a prompt show the rest as it is."""
    return "".join(character for character in text if character.isprintable() or character == "\n").strip()
