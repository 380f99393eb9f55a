"""`@tool()`: turns a class with an `execute` method into a described tool.

The id comes from the class, the description from the docstring, its first line being what the tool is chosen by, the
schema from the annotation of the parameter model. A tool with several operations has a method marked `@action()` for
each, instead of `execute`. A tool that changes something may say beforehand what it would change: `preview`, or
`preview_NAME` beside an action of that name, takes what the call itself takes and returns a list of `Effect`. Nothing
is registered here: discovery reads `__tool_spec__`, `__tool_calls__` and `__tool_previews__`.
"""

import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar, Unpack

from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import ToolBroken
from switchyard.tools.core.params import BaseToolParams
from switchyard.tools.core.spec import Language, ToolCapability, ToolSpec

T = TypeVar("T", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARK = "__tool_action__"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """How a method wants to be called."""

    method: str
    params_model: type[BaseToolParams]
    params_name: str
    context_name: str | None
    is_async: bool


class _Said(TypedDict, total=False):
    """What an author may say of an operation, or of a tool; see `ToolCapability`."""

    sentences: tuple[str, ...]
    returns: str
    answers: dict[Language, str]
    writes: bool
    sends: bool
    needs_approval: bool | None


class _SaidOfTool(_Said, total=False):
    """What an author may say of a tool; see `ToolSpec`."""

    category: str
    tags: tuple[str, ...]
    capability_tags: tuple[str, ...]
    returns_schema: dict[str, Any] | None
    timeout: float | None
    requires: tuple[str, ...]
    produces: tuple[str, ...]
    name: str
    version: str
    metadata: dict[str, Any]


def tool(*, tool_id: str | None = None, **said: Unpack[_SaidOfTool]) -> Callable[[T], T]:
    """Describe the class below as a tool; see `ToolSpec` for the fields.

    `execute`, or each method marked `@action()`, takes a parameter model and, if it wants one, a `ToolContext`.
    Written as `async def` it runs in the event loop and must not block; written as `def` it runs in a thread. So does
    a preview, which changes nothing: what the call itself would refuse, it refuses with the same error.
    """

    def describe(cls: T) -> T:
        own_id, description = tool_id or name_of_class(cls.__name__), inspect.cleandoc(cls.__doc__ or "").strip()
        if not description:
            raise ToolBroken(f"{cls.__name__} has no docstring; its first line becomes the tool's summary.")
        summary = description.partition("\n")[0].strip()
        operations = _actions(cls) or {"execute": ToolCapability(name=own_id, description=summary)}
        calls = {method: _read_method(cls, method) for method in operations}
        # what tells beforehand what `execute`, or an action, would do
        named = {one.name: "preview" if name == "execute" else f"preview_{name}" for name, one in operations.items()}
        previews = {name: preview for name, preview in named.items() if hasattr(cls, preview)}
        capabilities = tuple(
            operation.model_copy(update={"parameters": calls[method].params_model.model_json_schema()})
            for method, operation in operations.items()
        )
        cls.__tool_calls__ = {operation.name: calls[method] for method, operation in operations.items()}
        cls.__tool_previews__ = {name: _read_method(cls, preview) for name, preview in previews.items()}
        fields: dict[str, Any] = {
            **said,
            "sentences": said.get("sentences", ()) + tuple(text for one in capabilities for text in one.sentences),
            "writes": said.get("writes") or any(one.writes for one in capabilities),
            "sends": said.get("sends") or any(one.sends for one in capabilities),
        }
        fields |= {"tool_id": own_id, "description": description, "capabilities": capabilities}
        cls.__tool_spec__ = ToolSpec(**fields)
        return cls

    return describe


def action(*, name: str | None = None, refreshes: bool = False, **said: Unpack[_Said]) -> Callable[[F], F]:
    """Mark a method as one operation of a tool that has several; see `ToolCapability` for the fields.

    Its name is the method's, its description the method's docstring.
    """

    def mark(method: F) -> F:
        own: dict[str, Any] = {"writes": False, "sends": False, **said, "refreshes": refreshes}
        description = " ".join((method.__doc__ or "").split())
        method.__dict__[_MARK] = ToolCapability(name=name or method.__name__, description=description, **own)
        return method

    return mark


def name_of_class(name: str) -> str:
    """What a tool is called whose class has this name: `ReadFile` is `read_file`."""
    return _WORD_EDGE.sub("_", name).lower()


def _actions(cls: type) -> dict[str, ToolCapability]:
    """The marked methods in the order they are written, those of base classes first."""
    methods = {name: getattr(cls, name) for base in reversed(cls.__mro__) for name in vars(base)}
    marks = {name: getattr(method, _MARK, None) for name, method in methods.items()}
    return {name: mark for name, mark in marks.items() if isinstance(mark, ToolCapability)}


def _read_method(cls: type, method: str) -> ToolCall:
    function = getattr(cls, method, None)
    if not callable(function):
        raise ToolBroken(f"{cls.__name__} has no {method} method.")
    hints = typing.get_type_hints(function)
    params_name, params_model, context_name = "", None, None
    for parameter in list(inspect.signature(function).parameters)[1:]:
        annotation = hints.get(parameter)
        if isinstance(annotation, type) and issubclass(annotation, BaseToolParams):
            params_name, params_model = parameter, annotation
        elif annotation is ToolContext:
            context_name = parameter
        else:
            what = f"{cls.__name__}.{method}: '{parameter}'"
            raise ToolBroken(f"{what} must be annotated with a BaseToolParams model or ToolContext.")
    if params_model is None:
        raise ToolBroken(f"{cls.__name__}.{method} takes no parameter model; annotate one with a BaseToolParams class.")
    return ToolCall(method, params_model, params_name, context_name, inspect.iscoroutinefunction(function))
