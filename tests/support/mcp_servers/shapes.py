"""A server over stdio, on the SDK, which checks arguments by its schemas as servers do, and gives back what it got.

`nested` has a schema as pydantic makes them, `defaults` one as Zod does, `labels` one with patterns.
"""

import asyncio
from typing import Any

from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server
from mcp.types import Tool, ToolAnnotations
from pydantic import BaseModel


class Where(BaseModel):
    depth: int
    tags: list[int] = []


class Nested(BaseModel):
    where: Where
    other: Where | None = None
    limit: int | None = None
    exact: bool = False
    ratio: float = 1.0
    text: str = ""
    either: str | int = ""


SCHEMAS: dict[str, dict[str, Any]] = {
    "nested": Nested.model_json_schema(),
    "defaults": {
        "type": "object",
        "properties": {
            "scale": {"type": "string", "enum": ["css", "device"], "default": "css"},
            "page": {"type": "object", "properties": {"size": {"type": "integer", "default": 5}}, "required": ["size"]},
        },
        "required": ["scale"],
        "additionalProperties": False,
    },
    "labels": {
        "type": "object",
        "properties": {"名": {"type": "string"}},
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": False,
    },
}

server: Server[Any, Any] = Server("shapes")


async def list_tools() -> list[Tool]:
    reads = ToolAnnotations(readOnlyHint=True)
    return [Tool(name=name, inputSchema=schema, annotations=reads) for name, schema in SCHEMAS.items()]


async def call_tool(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"tool": name, "got": arguments}


async def main() -> None:
    register: Any = server  # whose decorators are untyped
    register.list_tools()(list_tools)
    register.call_tool()(call_tool)
    capabilities = server.get_capabilities(NotificationOptions(), {})
    options = InitializationOptions(server_name="shapes", server_version="1", capabilities=capabilities)
    async with stdio_server() as (read, write):
        await server.run(read, write, options)


if __name__ == "__main__":
    asyncio.run(main())
