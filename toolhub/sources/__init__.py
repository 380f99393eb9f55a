"""Where tools come from. Each source turns its own kind of tool into a `ToolSpec` and a runner."""
