"""A model's answer as a validated object, whatever shape it came in (R2.4).

Native structured output, a tool call, JSON inside prose or code fences, a trailing comma, a bare list where an object
with one list was asked for. A schema echoed back is no answer.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast, get_origin

from pydantic import BaseModel, ValidationError

from tools.core.plain_words import kind_of_value

T = TypeVar("T", bound=BaseModel)

OBJECTS_TRIED = 100
"""Opening braces in prose from which an object is read."""
DEEPEST = 50
"""Levels of nesting; what is nested deeper is no answer and could not be written down."""

_FENCE = re.compile(r"```(?:json|JSON)?\s*\n?(.*?)```", re.DOTALL)
_INTEGERS = range(-(2**63), 2**63)
"""What databases and other languages hold; larger ones are kept as text."""


class Reshaping(BaseModel):
    """An answer that knows other shapes it comes in."""

    @classmethod
    def reshaped(cls, found: Any) -> Any:
        """What was found in the shape that was asked for; as it is where it is none of those known."""
        return found


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
            return _validated(_shaped(_storable(found), schema), schema)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the object"
            problem = f"{where}: {first['msg']}"
        except Unparsable as error:
            problem = str(error)
    raise Unparsable(problem)


def read_json(text: str) -> Any:
    """The list or object a text is, fenced or not; any other text stays text."""
    fenced = _FENCE.fullmatch(text.strip())
    try:
        found = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return text
    return _storable(found) if isinstance(found, list | dict) else text


def whole_characters(text: str) -> str:
    """The text without halves of characters, which endpoints send when they cut one in two: nothing can write them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _objects(text: str, tool_calls: list[dict[str, Any]]) -> Iterator[Any]:
    """Everything in the answer that can be read as JSON; what needs repair comes last."""
    for call in tool_calls:
        yield call.get("args", {})
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped:
        return
    pieces = [*_FENCE.findall(stripped), *_bracketed(stripped)]
    for piece in (stripped, *pieces):
        try:
            yield json.loads(piece)
        except (ValueError, RecursionError):
            continue
    yield from _in_prose(stripped)
    for piece in pieces:
        yield _repaired(piece)


def _in_prose(text: str) -> Iterator[Any]:
    """Every object that begins at a brace, one after the other."""
    decoder, position = json.JSONDecoder(), text.find("{")
    for _ in range(OBJECTS_TRIED):
        if position < 0:
            return
        try:
            found, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield found
        position = text.find("{", end)


def _bracketed(text: str) -> Iterator[str]:
    """From the first opening bracket to the last closing one, objects before lists."""
    for opening, closing in ("{}", "[]"):
        start, end = text.find(opening), text.rfind(closing)
        if start >= 0:
            yield text[start : end + 1] if end > start else text[start:]


def _repaired(piece: str) -> Any:
    import json_repair  # noqa: PLC0415  only broken JSON needs it

    try:
        return json_repair.loads(piece)
    except Exception as error:  # noqa: BLE001  it guesses at any text: whatever it stumbles over, there is no object
        return type(error).__name__


def _storable(found: Any, depth: int = 0) -> Any:
    """What was found, in a form that every store and every tool can take."""
    if depth > DEEPEST:
        raise Unparsable("it is nested too deeply")
    if isinstance(found, str):
        return whole_characters(found)
    if isinstance(found, int):
        return found if found in _INTEGERS else str(found)
    if isinstance(found, Mapping):
        fields = cast("Mapping[Any, Any]", found)
        return {whole_characters(str(name)): _storable(value, depth + 1) for name, value in fields.items()}
    if isinstance(found, list):
        return [_storable(item, depth + 1) for item in cast("list[Any]", found)]
    return found


def _shaped(found: Any, schema: type[BaseModel]) -> Any:
    """What was found as the object the schema describes, where one was meant."""
    if issubclass(schema, Reshaping):
        found = schema.reshaped(found)
    if isinstance(found, list):
        items = cast("list[Any]", found)
        lists = _fields_of(schema, list)
        if len(lists) != 1 or not all(isinstance(item, Mapping) for item in items):
            raise Unparsable("a list came where an object was asked for")
        return {lists[0]: items}
    if not isinstance(found, Mapping):
        raise Unparsable(f"{kind_of_value(found)} came where an object was asked for")
    fields = cast("Mapping[str, Any]", found)
    if "properties" in fields and ("type" in fields or "$defs" in fields):
        raise Unparsable("the schema was echoed back instead of an answer")
    names = set(schema.model_fields)
    if set(fields) & names:
        return fields
    inner = next(iter(names)) if len(names) == 1 and fields else None
    if inner in _fields_of(schema, dict) and all(isinstance(value, list) for value in fields.values()):
        return {inner: fields}
    if inner in _fields_of(schema, list):
        return {inner: [fields]}
    raise Unparsable(f"none of the fields {', '.join(sorted(names))} is there")


def _fields_of(schema: type[BaseModel], kind: type) -> list[str]:
    return [name for name, field in schema.model_fields.items() if get_origin(field.annotation) is kind]


def _validated(found: Any, schema: type[T]) -> T:
    """A null where a default would do counts as left out."""
    try:
        return schema.model_validate(found)
    except ValidationError as error:
        nulls = [detail["loc"] for detail in error.errors(include_url=False) if detail["input"] is None]
        if not nulls:
            raise
        for place in nulls:
            found = _without(found, place)
        return schema.model_validate(found)


def _without(found: Any, place: tuple[int | str, ...]) -> Any:
    """A copy of `found` that lacks the field at `place`."""
    first, rest = place[0], place[1:]
    if isinstance(found, list):
        items = cast("list[Any]", found)
        return [_without(item, rest) if position == first and rest else item for position, item in enumerate(items)]
    if not isinstance(found, Mapping):
        return found
    fields = cast("Mapping[Any, Any]", found)
    return {
        name: _without(value, rest) if name == first else value
        for name, value in fields.items()
        if rest or name != first
    }
