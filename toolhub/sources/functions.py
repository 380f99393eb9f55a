"""Plain functions as tools: the schema of the arguments comes from the annotations."""

import inspect
import typing
from collections.abc import Callable
from typing import Any

import anyio.to_thread
from pydantic import create_model

from switchyard.toolhub.calling.arguments import checked, said
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import ToolBroken
from switchyard.tools.core.params import BaseToolParams
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import FunctionToolSpec, ToolCapability, ToolSpec

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def function_tool(given: FunctionToolSpec) -> RegisteredTool:
    """A function with its description, ready to be registered.

    Raises:
        ToolBroken: when an argument of the function cannot be given by name.
    """
    runner = FunctionRunner(given.name, given.function)
    fields = given.model_dump()
    if not given.capabilities:
        schema = runner.params_model.model_json_schema()
        fields["capabilities"] = (ToolCapability(name=given.name, description=given.summary, parameters=schema),)
    return RegisteredTool(ToolSpec.model_validate(fields), runner)


class FunctionRunner:
    """Runs a function: `async def` in the event loop, `def` in a thread that is abandoned on cancellation."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name = name
        self._function = function
        self._context_name: str | None = None
        hints = typing.get_type_hints(function, include_extras=True)
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(function).parameters.values():
            annotation = hints.get(parameter.name, Any)
            if annotation is ToolContext:
                self._context_name = parameter.name
            elif parameter.kind in _NAMED:
                default = ... if parameter.default is inspect.Parameter.empty else parameter.default
                fields[parameter.name] = (annotation, default)
            else:
                raise ToolBroken(f"{name}: '{parameter}' cannot be given by name; write each argument out.")
        self._fields = tuple(fields)
        self.params_model: type[BaseToolParams] = create_model(name, __base__=BaseToolParams, **fields)

    async def __call__(self, request: ToolRequest) -> ToolResult:
        """Check the arguments, call the function, wrap what it returns."""
        params = checked(self.params_model, self._name, request.given)
        inputs = {name: getattr(params, name) for name in self._fields}
        if self._context_name is not None:
            inputs[self._context_name] = request.context
        if inspect.iscoroutinefunction(self._function):
            value = await self._function(**inputs)
        else:
            value = await anyio.to_thread.run_sync(lambda: self._function(**inputs), abandon_on_cancel=True)
        return value if isinstance(value, ToolResult) else ToolResult(result=value)

    def read(self, action: str | None, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the function gets them."""
        del action
        return said(checked(self.params_model, self._name, arguments))
