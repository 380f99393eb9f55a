"""Arguments as a tool gets them: what came as text is read where the tool's JSON schema means something else (R4.3).

Models and command lines write 3, true and whole objects as text; one reading for tools of every source. Whether the
arguments are right is checked elsewhere. A schema may be a stranger's: only references inside it are followed, its
patterns are not run, and where it makes no sense a value stays as it is.
"""

import copy
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, cast

from pydantic import Field, TypeAdapter, ValidationError

DEEPEST = 30
"""Levels of arguments that are read; what lies below stays as it is."""
MOST_PARTS = 50
"""Schemas that one is put together from."""

_ALL = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_KINDS = {name: frozenset({name}) for name in _ALL} | {"number": frozenset({"number", "integer"})}
_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", tuple: "array"}
"""In this order: true is an integer to Python."""
_CHOICES = ("anyOf", "oneOf")
_WHOLE, _SWITCH = TypeAdapter(int), TypeAdapter(bool)
_REAL = TypeAdapter[float](Annotated[float, Field(allow_inf_nan=False)])
"""How native tools read a text: the same text means the same to every tool."""

Schema = Mapping[str, Any]


def read_arguments(schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the tool gets them.

    Text is read as an object, a list, a number, true or false, or null where the schema takes that and no text. What
    is required and has a default gets it. Our own `explanation` is left out where the tool has no such field. What was
    given is not changed.
    """
    reader = _Reader(schema)
    known = as_mapping(schema.get("properties"))
    given = {name: value for name, value in arguments.items() if name != "explanation" or name in known}
    return reader.fields(reader.shapes(schema, "object"), given, 0)


def required_fields(schema: Schema) -> list[str]:
    """The fields a caller has to give: required, and without a default."""
    fields = as_mapping(schema.get("properties"))
    names = [name for name in _list(schema.get("required")) if isinstance(name, str)]
    return [name for name in names if "default" not in as_mapping(fields.get(name))]


def as_mapping(value: Any) -> Mapping[str, Any]:
    """A part of a schema, which is a stranger's and may be anything; empty where it is no object."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


class _Reader:
    """Reads values by the schemas inside one schema."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._kinds: dict[int, frozenset[str]] = {}

    def value(self, schema: Any, value: Any, depth: int) -> Any:
        if depth > DEEPEST:
            return value
        if isinstance(value, str):
            value = _meant(value, self.kinds(schema))
        if isinstance(value, dict):
            return self.fields(self.shapes(schema, "object"), cast("dict[str, Any]", value), depth)
        if isinstance(value, list):
            return self._items(self.shapes(schema, "array"), cast("list[Any]", value), depth)
        return value

    def fields(self, shapes: list[Schema], given: Mapping[str, Any], depth: int) -> dict[str, Any]:
        known = {name: field for shape in shapes for name, field in as_mapping(shape.get("properties")).items()}
        patterned = any("patternProperties" in shape for shape in shapes)  # which field has which is the tool's to say
        others = (
            None
            if patterned
            else next((s["additionalProperties"] for s in shapes if "additionalProperties" in s), None)
        )
        read = {name: self.value(known.get(name, others), value, depth + 1) for name, value in given.items()}
        for name in (name for shape in shapes for name in _list(shape.get("required")) if isinstance(name, str)):
            field = as_mapping(known.get(name))
            if name not in read and "default" in field and _kind_of(field["default"]) in self.kinds(field):
                read[name] = copy.deepcopy(field["default"])
        return read

    def _items(self, shapes: list[Schema], given: list[Any], depth: int) -> list[Any]:
        first = [schema for shape in shapes for schema in _list(shape.get("prefixItems"))][: len(given)]
        others = next((shape["items"] for shape in shapes if "items" in shape), None)
        schemas = [*first, *[others] * (len(given) - len(first))]
        return [self.value(schema, value, depth + 1) for schema, value in zip(schemas, given, strict=True)]

    def kinds(self, schema: Any) -> frozenset[str]:
        """The JSON types that a schema takes."""
        if id(schema) in self._kinds:
            return self._kinds[id(schema)]
        found = self._kinds[id(schema)] = _ALL  # which it is, too, where it comes back to itself
        for part in self._parts(schema):
            if "type" in part:
                found &= _union(_KINDS.get(str(name), _ALL) for name in _list(part["type"]) or [part["type"]])
            values = _list(part.get("enum")) or ([part["const"]] if "const" in part else [])
            if values:
                found &= _union(_KINDS[_kind_of(value)] for value in values)
            for choice in (part[word] for word in _CHOICES if word in part):
                found &= _union(self.kinds(branch) for branch in _list(choice))
        self._kinds[id(schema)] = found
        return found

    def shapes(self, schema: Any, kind: str) -> list[Schema]:
        """What a schema says of a value of a kind: its parts, and of a choice the one branch that takes this kind."""
        found = self._parts(schema)
        for shape in found:  # which grows meanwhile
            for choice in (shape[word] for word in _CHOICES if word in shape):
                fitting = [branch for branch in _list(choice) if kind in self.kinds(branch)]
                _add(found, self._parts(fitting[0]) if len(fitting) == 1 else [])
        return found

    def _parts(self, schema: Any) -> list[Schema]:
        """The schemas that hold together: itself, what it refers to, and all of its `allOf`."""
        parts = [cast("Schema", schema)] if isinstance(schema, Mapping) else []
        for part in parts:  # which grows meanwhile
            _add(parts, [self._pointed(part.get("$ref")), *_list(part.get("allOf"))])
        return parts

    def _pointed(self, reference: Any) -> Any:
        """What a reference inside the schema points to: `#/$defs/Person`."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        place: Any = self._root
        for step in filter(None, reference[1:].split("/")):
            place = as_mapping(place).get(step.replace("~1", "/").replace("~0", "~"))
        return place


def _add(schemas: list[Schema], more: Iterable[Any]) -> None:
    """Add those that are schemas and not there yet, as long as there are few."""
    for one in more:
        if isinstance(one, Mapping) and len(schemas) < MOST_PARTS and not any(one is known for known in schemas):
            schemas.append(cast("Schema", one))


def _meant(text: str, kinds: frozenset[str]) -> Any:
    """What a text says where one of `kinds` is meant; the text itself where it says none of them."""
    if "string" in kinds:
        return text
    if not kinds.isdisjoint({"object", "array", "null"}):
        try:
            said: Any = json.loads(text)
        except (ValueError, RecursionError):
            said = text
        if _kind_of(said) in kinds & {"object", "array", "null"}:
            return said
    for kind, adapter in (("integer", _WHOLE), ("number", _REAL), ("boolean", _SWITCH)):
        if kind in kinds:
            try:
                return adapter.validate_python(text)
            except ValidationError:
                continue
    return text


def _kind_of(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    return next((name for plain, name in _NAMES.items() if isinstance(value, plain)), "object")


def _union(kinds: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*kinds)


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def safe_validator(schema: Schema, **own: Any) -> Any:
    """A validator of a stranger's schema: no pattern is run, nothing is fetched; `own` checks of keywords."""
    from referencing import Registry  # noqa: PLC0415  comes with the SDK, which is loaded late

    checks = {"pattern": _passes, "patternProperties": _passes, **own}
    if '"patternProperties"' in json.dumps(schema):  # whose patterns these two would run
        checks |= {"additionalProperties": _allows, "unevaluatedProperties": _passes}
    return _validating(frozenset(checks.items()))(schema, registry=cast("Any", Registry)())


@lru_cache(maxsize=16)
def _validating(checks: frozenset[tuple[str, Any]]) -> Any:
    """The class with these checks: making one takes longer than most checks do."""
    from jsonschema import validators  # noqa: PLC0415  comes with the SDK, which is loaded late

    return cast("Any", validators).extend(cast("Any", validators).Draft202012Validator, dict(checks))


def _passes(*_: Any) -> None:
    """No check: a stranger's regular expression may run for ever."""


def _allows(validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]) -> Any:
    """The usual check of further fields, but where patterns say which: those are not run."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  comes with the SDK, which is loaded late

    usual: Any = Draft202012Validator.VALIDATORS["additionalProperties"]
    return None if "patternProperties" in schema else usual(validator, allowed, instance, schema)
