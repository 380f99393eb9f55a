"""A model's answer as a validated object, whatever shape it came in (R2.4).

Native structured output, a tool call, JSON inside prose or code fences, a trailing comma, a bare list where an object
with one list was asked for. A schema echoed back is no answer.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

T = TypeVar("T", bound=BaseModel)

_FENCE = re.compile(r"```(?:json|JSON)?\s*\n?(.*?)```", re.DOTALL)


class Unparsable(ValueError):
    """The answer cannot be used; the text says why, for the model to read."""


def parse(text: str, tool_calls: list[dict[str, Any]], schema: type[T]) -> T:
    """The first object in the answer that fits the schema.

    Raises:
        Unparsable: when none does.
    """
    problem = "the answer is empty" if not text.strip() else "there is no JSON object in the answer"
    for found in _objects(text, tool_calls):
        try:
            return schema.model_validate(_shaped(found, schema))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the object"
            problem = f"{where}: {first['msg']}"
        except Unparsable as error:
            problem = str(error)
    raise Unparsable(problem)


def _objects(text: str, tool_calls: list[dict[str, Any]]) -> Iterator[Any]:
    for call in tool_calls:
        yield call.get("args", {})
    stripped = text.strip()
    if not stripped:
        return
    for piece in (stripped, *_FENCE.findall(stripped), *_bracketed(stripped)):
        try:
            yield json.loads(piece)
        except ValueError:
            continue
    for piece in (*_FENCE.findall(stripped), *_bracketed(stripped)):
        yield _repaired(piece)


def _bracketed(text: str) -> Iterator[str]:
    """From the first opening bracket to the last closing one, objects before lists."""
    for opening, closing in ("{}", "[]"):
        start, end = text.find(opening), text.rfind(closing)
        if start >= 0:
            yield text[start : end + 1] if end > start else text[start:]


def _repaired(piece: str) -> Any:
    import json_repair  # noqa: PLC0415  only broken JSON needs it

    return json_repair.loads(piece)


def _shaped(found: Any, schema: type[BaseModel]) -> Any:
    if isinstance(found, list):
        items = cast("list[Any]", found)
        lists = [name for name, field in schema.model_fields.items() if "list" in str(field.annotation)]
        if len(lists) != 1:
            raise Unparsable("a list came where an object was asked for")
        return {lists[0]: items}
    if not isinstance(found, Mapping):
        raise Unparsable(f"a {type(found).__name__} came where an object was asked for")
    fields = cast("Mapping[str, Any]", found)
    if "properties" in fields and ("type" in fields or "$defs" in fields):
        raise Unparsable("the schema was echoed back instead of an answer")
    if not set(fields) & _names(schema):
        raise Unparsable(f"none of the fields {', '.join(sorted(_names(schema)))} is there")
    return fields


def _names(schema: type[BaseModel]) -> set[str]:
    return set(schema.model_fields)
