"""`@tool()`: turns a class with an `execute` method into a described tool.

The name comes from the class, the summary from the docstring's first line, the details from the rest, the schema from
the annotation of the parameter model. Nothing is registered here: discovery reads `__tool_spec__` and `__tool_call__`.
"""

import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tools.core.context import ToolContext
from tools.core.errors import ToolBroken
from tools.core.params import BaseToolParams
from tools.core.spec import Language, ToolCapability, ToolSpec

T = TypeVar("T", bound=type)

_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """How `execute` wants to be called."""

    params_model: type[BaseToolParams]
    params_name: str
    context_name: str | None
    is_async: bool


def tool(
    *,
    name: str | None = None,
    category: str = "general",
    tags: tuple[str, ...] = (),
    capability_tags: tuple[str, ...] = (),
    examples: tuple[str, ...] = (),
    returns: str = "",
    returns_schema: dict[str, Any] | None = None,
    answers: dict[Language, str] | None = None,
    writes: bool = False,
    sends: bool = False,
    needs_approval: bool | None = None,
    timeout: float | None = None,
    requires: tuple[str, ...] = (),
    produces: tuple[str, ...] = (),
) -> Callable[[T], T]:
    """Describe the class below as a tool; see `ToolSpec` for the fields.

    `execute` takes a parameter model and, if it wants one, a `ToolContext`. Written as `async def` it runs in the event
    loop and must not block; written as `def` it runs in a thread.
    """

    def describe(cls: T) -> T:
        call = _read_execute(cls)
        tool_name = name or _WORD_EDGE.sub("_", cls.__name__).lower()
        summary, details = _split_docstring(cls)
        schema = call.params_model.model_json_schema()
        cls.__tool_call__ = call
        cls.__tool_spec__ = ToolSpec(
            name=tool_name,
            summary=summary,
            details=details,
            category=category,
            tags=tags,
            capability_tags=capability_tags,
            capabilities=(ToolCapability(name=tool_name, description=summary, parameters=schema),),
            examples=examples,
            returns=returns,
            returns_schema=returns_schema,
            answers=answers or {},
            writes=writes,
            sends=sends,
            needs_approval=needs_approval,
            timeout=timeout,
            requires=requires,
            produces=produces,
        )
        return cls

    return describe


def _split_docstring(cls: type) -> tuple[str, str]:
    text = inspect.cleandoc(cls.__doc__ or "").strip()
    if not text:
        raise ToolBroken(f"{cls.__name__} has no docstring; its first line becomes the tool's summary.")
    summary, _, details = text.partition("\n")
    return summary.strip(), details.strip()


def _read_execute(cls: type) -> ToolCall:
    execute = getattr(cls, "execute", None)
    if not callable(execute):
        raise ToolBroken(f"{cls.__name__} has no execute method.")
    hints = typing.get_type_hints(execute)
    params_name, params_model, context_name = None, None, None
    for parameter in list(inspect.signature(execute).parameters)[1:]:
        annotation = hints.get(parameter)
        if isinstance(annotation, type) and issubclass(annotation, BaseToolParams):
            params_name, params_model = parameter, annotation
        elif annotation is ToolContext:
            context_name = parameter
        else:
            raise ToolBroken(
                f"{cls.__name__}.execute: '{parameter}' must be annotated with a BaseToolParams model or ToolContext."
            )
    if params_name is None or params_model is None:
        raise ToolBroken(f"{cls.__name__}.execute takes no parameter model; annotate one with a BaseToolParams class.")
    return ToolCall(params_model, params_name, context_name, inspect.iscoroutinefunction(execute))
