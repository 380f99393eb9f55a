"""LangChain tools as ours, and ours as LangChain tools (R4.2). Imported when one is met: LangChain is slow to load."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, Tool, ToolException
from pydantic import ValidationError

from switchyard.language.messages import message, quoted
from switchyard.toolhub.calling.arguments import SchemaCheck, complaint
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.json_values import is_object
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolCapability, ToolSpec

Execute = Callable[[str | None, dict[str, Any]], Awaitable[ToolResult]]
"""Calls one tool: its action and its arguments."""

_NOT_IN_NAMES = re.compile(r"[^\w-]+")
_HERE = "This tool works asynchronously; from a running event loop use `ainvoke`."


def from_langchain(tool: BaseTool, **fields: Any) -> RegisteredTool:
    """Any LangChain tool, ready to be registered, with what `fields` say of it: tags, sentences, category.

    Nothing in a LangChain tool says whether it changes something, so a person is asked, unless its metadata has MCP's
    `readOnlyHint` or `writes=False` is given here.
    """
    schema = _schema(tool)
    own: dict[str, Any] = {
        "tool_id": tool.name,
        "description": tool.description.strip() or tool.name.replace("_", " "),
        "tags": tuple(tool.tags or ()),
        "writes": not (tool.metadata or {}).get("readOnlyHint"),
    }
    spec = ToolSpec.model_validate({**own, **fields})
    capability = ToolCapability(name=spec.tool_id, description=spec.summary, parameters=schema)
    spec = spec.model_copy(update={"capabilities": (capability,)})
    return RegisteredTool(spec, LangChainRunner(tool, spec.tool_id, schema))


class LangChainRunner:
    """Runs a LangChain tool."""

    def __init__(self, tool: BaseTool, name: str, schema: dict[str, Any]) -> None:
        # what went wrong is told here, not turned into a text that looks like a result
        self._tool = tool.model_copy(update={"handle_tool_error": False, "handle_validation_error": False})
        self._name = name
        self._check = SchemaCheck(name, schema)
        self._fields = list(schema.get("properties", {}))

    async def __call__(self, request: ToolRequest) -> ToolResult:
        """Check the arguments, invoke the tool, wrap what it returns."""
        given = self._check.checked(request.given)
        try:
            return ToolResult(result=await self._tool.ainvoke(given))
        except ToolException as error:
            raise ToolFailed(message("tool_said", tool=self._name, error=quoted(str(error)))) from error
        except ValidationError as error:
            raise complaint(self._name, error, self._fields) from error

    def read(self, action: str | None, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the tool is invoked with them."""
        del action
        return self._check.checked(arguments)


def as_langchain(
    spec: ToolSpec, execute: Execute, *, loop: asyncio.AbstractEventLoop | None = None
) -> list[StructuredTool]:
    """A tool of ours for a LangChain agent: one StructuredTool, or one for each action of several.

    Calls from synchronous code are made on `loop` while it runs; without one they get a loop of their own.
    """
    several = len(spec.capabilities) > 1

    def made(capability: ToolCapability) -> StructuredTool:
        async def call(**arguments: Any) -> Any:
            result = await execute(capability.name, arguments)
            if not result.success:
                raise ToolException(result.error)
            return result.result

        def call_here(**arguments: Any) -> Any:
            with suppress(RuntimeError):  # no loop runs here
                asyncio.get_running_loop()
                raise ToolException(_HERE)
            if loop is not None and loop.is_running():
                return asyncio.run_coroutine_threadsafe(call(**arguments), loop).result()
            return asyncio.run(call(**arguments))

        own = spec.for_action(capability.name)
        returns = f"Returns {own.returns.rstrip('.')}." if own.returns else ""
        text = (capability.description, returns) if several else (spec.summary, spec.details, returns)
        return StructuredTool(
            name=_NOT_IN_NAMES.sub("__", f"{spec.tool_id}/{capability.name}" if several else spec.tool_id),
            description="\n".join(filter(None, text)),
            args_schema=capability.parameters,
            coroutine=call,
            func=call_here,
            tags=list(spec.tags),
            metadata={"writes": own.writes, "asks_first": own.asks_first, "source": spec.source},
            handle_tool_error=True,
        )

    return list(map(made, spec.capabilities))


def _schema(tool: BaseTool) -> dict[str, Any]:
    if isinstance(tool, Tool) and tool.args_schema is None:  # one text, whatever its function calls it
        return {"type": "object", "properties": dict(tool.args), "required": list(tool.args)}
    schema: Any = tool.tool_call_schema
    fields: dict[str, Any] = schema if is_object(schema) else schema.model_json_schema()
    return {name: part for name, part in fields.items() if name not in {"title", "description"}}
