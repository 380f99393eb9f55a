"""MCP servers as a source of tools: `McpSource` is opened, asked for its tools, and closed.

The MCP SDK is imported when a server is first used, not before: it takes longer to load than a question to answer.
"""

from switchyard.toolhub.sources.mcp.config import (
    Configured,
    ServerConfig,
    ServerEntry,
    read_configs,
    read_entries,
    resolve_entry,
    write_entry,
)
from switchyard.toolhub.sources.mcp.health import Patience, ServerHealth, ServerState
from switchyard.toolhub.sources.mcp.source import McpSource

__all__ = [
    "Configured",
    "McpSource",
    "Patience",
    "ServerConfig",
    "ServerEntry",
    "ServerHealth",
    "ServerState",
    "read_configs",
    "read_entries",
    "resolve_entry",
    "write_entry",
]
