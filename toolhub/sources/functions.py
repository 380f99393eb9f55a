"""Plain functions as tools: the schema of the arguments comes from the annotations."""

import inspect
import typing
from typing import Any

from pydantic import create_model

from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import NativeRunner
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.decorator import ToolCall
from switchyard.tools.core.errors import ToolBroken
from switchyard.tools.core.params import BaseToolParams
from switchyard.tools.core.spec import FunctionToolSpec, ToolCapability, ToolSpec

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def function_tool(given: FunctionToolSpec) -> RegisteredTool:
    """A function with its description, ready to be registered: run as the only method of a tool class would be."""
    function, hints = given.function, typing.get_type_hints(given.function, include_extras=True)
    contexts: list[str] = []
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        annotation = hints.get(parameter.name, Any)
        if annotation is ToolContext:
            contexts.append(parameter.name)
        elif parameter.kind in _NAMED:
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[parameter.name] = (annotation, default)
        else:
            raise ToolBroken(f"{given.name}: '{parameter}' cannot be given by name; write each argument out.")

    class Function:
        def execute(self, params: BaseToolParams, context: ToolContext) -> Any:
            return function(**{name: getattr(params, name) for name in fields}, **dict.fromkeys(contexts, context))

    model: type[BaseToolParams] = create_model(given.name, __base__=BaseToolParams, **fields)
    call = ToolCall("execute", model, "params", "context", inspect.iscoroutinefunction(function))
    described = given.model_dump()
    if not given.capabilities:
        schema = model.model_json_schema()
        described["capabilities"] = (ToolCapability(name=given.name, description=given.summary, parameters=schema),)
    return RegisteredTool(ToolSpec.model_validate(described), NativeRunner(Function, {given.name: call}, given.name))
