"""A server over stdio, on the SDK, whose tools misbehave when asked to. Its switches are words on its command line.

banner  prints a line that is no message before it speaks
loud    writes its environment to standard error when it starts
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import McpError
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ImageContent, TextContent, Tool, ToolAnnotations

Work = Callable[..., Awaitable[Any]]

READS = ToolAnnotations(readOnlyHint=True)
DESTROYS = ToolAnnotations(readOnlyHint=False, destructiveHint=True)

server: Server[Any, Any] = Server("faulty")
tools: dict[str, tuple[Tool, Work]] = {}
called_off: list[str] = []


def offer(name: str, work: Work, /, *, hints: ToolAnnotations | None = READS, **fields: str) -> None:
    properties = {field: {"type": kind} for field, kind in fields.items()}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    tool = Tool(name=name, description=work.__doc__, inputSchema=schema, annotations=hints)
    tools[name] = (tool, work)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def echo(text: str = "", times: int = 1) -> Any:
    """Say it again. 再说一遍。"""
    return [TextContent(type="text", text=text * times)]


async def pid() -> Any:
    """The number of this process."""
    return {"pid": os.getpid()}


async def crash() -> Any:
    """End this process in the middle of the call."""
    sys.stderr.write("it is all over 完了\n")
    sys.stderr.flush()
    os._exit(3)


async def garbage(text: str) -> Any:
    """Print what is no message, and answer nothing."""
    say(text)
    await asyncio.Event().wait()


async def chatter() -> Any:
    """Print what is no message, then answer."""
    say("thinking …")
    return {"said": "done"}


async def odd() -> Any:
    """Send messages that nobody expects, then answer."""
    messages: list[dict[str, Any]] = [
        {"method": "notifications/tools/list_changed", "params": 5},
        {"method": "notifications/message", "params": {"level": "loud", "data": "吵"}},
        {"method": "notifications/unheard-of"},
        {"id": "q1", "method": "unheard/of"},
        {"id": "q2", "method": "sampling/createMessage", "params": {"messages": 5}},
        {"id": 987654, "result": {}},
        {"id": "没有", "result": {}},
        {"id": 987655, "error": {"code": 1, "message": "x"}},
    ]
    for message in messages:
        say(json.dumps({"jsonrpc": "2.0", **message}))
    return {"roots": await asks_for_roots()}


async def asks_for_roots() -> str:
    try:
        await server.request_context.session.list_roots()
    except McpError as error:
        return str(error)
    return "given"


async def hang() -> Any:
    """Never answer, but go on with other calls."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        called_off.append("hang")
        raise


async def cancelled() -> Any:
    """Which calls were called off."""
    return {"cancelled": called_off}


async def environment(name: str) -> Any:
    """A variable of this process."""
    return {"value": os.environ.get(name, "")}


async def refuse(text: str) -> Any:
    """Fail with a text."""
    raise RuntimeError(text)


async def picture() -> Any:
    """An image and two texts."""
    image = ImageContent(type="image", data="AAAA", mimeType="image/png")
    texts = [TextContent(type="text", text=text) for text in ('{"名": "图"}', "{not json")]
    return CallToolResult(content=[image, *texts])


async def nonsense() -> Any:
    """Answer with a message that is no tool result."""
    answer = {"jsonrpc": "2.0", "id": server.request_context.request_id, "result": {"content": 5}}
    say(json.dumps(answer))
    await asyncio.Event().wait()


async def learn(name: str) -> Any:
    """Offer one more tool, and say so."""
    offer(name, pid)
    await server.request_context.session.send_tool_list_changed()
    return {"tools": len(tools)}


for function in (pid, crash, chatter, odd, hang, cancelled, picture, nonsense):
    offer(function.__name__, function)
offer("echo", echo, text="string", times="integer")
offer("garbage", garbage, text="string")
offer("refuse", refuse, text="string")
offer("environment", environment, name="string")
offer("learn", learn, name="string")
offer("wipe", pid, hints=DESTROYS)
offer("unmarked", pid, hints=None)


async def list_tools() -> list[Tool]:
    return [tool for tool, _ in tools.values()]


async def call_tool(name: str, arguments: dict[str, Any]) -> Any:
    return await tools[name][1](**arguments)


async def main() -> None:
    register: Any = server  # whose decorators are untyped
    register.list_tools()(list_tools)
    register.call_tool(validate_input=False)(call_tool)
    options = InitializationOptions(
        server_name="faulty",
        server_version="1",
        capabilities=server.get_capabilities(NotificationOptions(tools_changed=True), {}),
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, options)


if __name__ == "__main__":
    if "banner" in sys.argv:
        say("Welcome! 欢迎！")
    if "loud" in sys.argv:
        sys.stderr.write(f"starting with {dict(os.environ)}\n")
    asyncio.run(main())
