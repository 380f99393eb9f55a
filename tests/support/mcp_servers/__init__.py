"""Small real MCP servers with the faults that real ones have. Each is started as `python FILE`."""
