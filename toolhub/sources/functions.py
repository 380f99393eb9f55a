"""Functions and classes of a caller's own as tools, registered in code: schemas come from annotations."""

import importlib
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import create_model

from switchyard.language.messages import message, quoted
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import NativeRunner
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.decorator import ToolCall
from switchyard.tools.core.errors import ToolBroken
from switchyard.tools.core.params import BaseToolParams
from switchyard.tools.core.spec import FunctionToolSpec, ToolCapability, ToolSpec

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_OF_ANY_TOOL = set(ToolSpec.model_fields)


def function_tool(given: FunctionToolSpec) -> RegisteredTool:
    """A function, or the class that is named, with its description, ready to be registered.

    A class is imported and made here: this is for specs that a caller wrote in code, never for what a file says.

    Raises:
        ToolBroken: with what is wrong with it.
    """
    if given.function is not None:
        if given.tool_id == "<lambda>":  # what Python calls a function without a name
            raise ToolBroken(message("function_nameless"))
        names = [one.name for one in given.capabilities] or [given.tool_id]
        return _of_functions(given, dict.fromkeys(names, given.function))
    made = _made(given)
    own: ToolSpec | None = getattr(made, "__tool_spec__", None)
    if own is not None:
        said = given.model_dump(include=_OF_ANY_TOOL, exclude_unset=True, exclude={"capabilities"})
        calls, previews = made.__tool_calls__, made.__tool_previews__
        return RegisteredTool(own.model_copy(update=said), NativeRunner(made, calls, given.tool_id, previews))
    methods = {one.name: getattr(made, one.name, None) for one in given.capabilities}
    methods = methods or {given.tool_id: getattr(made, "execute", None)}
    missing = [name for name, method in methods.items() if not callable(method)]
    if missing:
        told = message("class_no_tool", name=given.class_name, methods=missing)
        raise ToolBroken(told if given.capabilities else message("class_no_execute", name=given.class_name))
    return _of_functions(given, {name: method for name, method in methods.items() if method})


def _made(given: FunctionToolSpec) -> Any:
    """The object that a spec names by module and class."""
    if not given.module_path or not given.class_name:
        raise ToolBroken(message("tool_without_code", tool=given.tool_id))
    try:
        module = importlib.import_module(given.module_path)
    except Exception as error:  # whatever a module raises, it cannot be used
        why = f"{type(error).__name__}: {error}"
        raise ToolBroken(message("module_not_usable", module=given.module_path, why=quoted(why))) from error
    cls = getattr(module, given.class_name, None)
    if not inspect.isclass(cls):
        raise ToolBroken(message("no_such_class", module=given.module_path, name=given.class_name))
    try:
        return cls(**given.init_params)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise ToolBroken(message("class_not_made", name=given.class_name, why=quoted(why))) from error


def _of_functions(given: FunctionToolSpec, functions: Mapping[str, Callable[..., Any]]) -> RegisteredTool:
    """Functions by the operation each carries out, run as the methods of a tool class would be."""
    operations = {one.name: one for one in given.capabilities}
    calls: dict[str, ToolCall] = {}
    capabilities: list[ToolCapability] = []
    runs: dict[str, Any] = {}
    for number, (name, function) in enumerate(functions.items()):
        try:
            model, execute = _as_method(given.tool_id, function)
        except Exception as error:
            why = str(error) if isinstance(error, ToolBroken) else f"{type(error).__name__}: {error}"
            raise ToolBroken(message("function_unreadable", name=name, why=quoted(why))) from error
        runs[f"execute_{number}"] = staticmethod(execute)
        is_async = inspect.iscoroutinefunction(function)
        calls[name] = ToolCall(f"execute_{number}", model, "params", "context", is_async)
        own = operations.get(name, ToolCapability(name=name, description=given.summary))
        schema = own.parameters or model.model_json_schema()
        capabilities.append(own.model_copy(update={"parameters": schema}))
    described = given.model_dump(include=_OF_ANY_TOOL) | {"capabilities": tuple(capabilities)}
    runner = NativeRunner(type("Functions", (), runs)(), calls, given.tool_id)
    return RegisteredTool(ToolSpec.model_validate(described), runner)


def _as_method(name: str, function: Callable[..., Any]) -> tuple[type[BaseToolParams], Callable[..., Any]]:
    """A parameter model for the arguments of a function, and a method that takes it."""
    hints = typing.get_type_hints(function, include_extras=True)
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
            raise ToolBroken(message("argument_unnamed", argument=str(parameter)))

    def execute(params: BaseToolParams, context: ToolContext) -> Any:
        return function(**{name: getattr(params, name) for name in fields}, **dict.fromkeys(contexts, context))

    return create_model(name, __base__=BaseToolParams, **fields), execute
