"""MCP servers as a source of tools: `source.McpSource` is opened, asked for its tools, and closed.

The MCP SDK is imported when a server is first used, not before: it takes longer to load than a question to answer.
"""
