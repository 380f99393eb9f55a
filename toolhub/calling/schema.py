"""Arguments by a tool's JSON schema: what came as text is read where the schema means something else (R4.3).

Models and command lines write 3, true and whole objects as text. What the schema finds wrong with the arguments says
where that was done. A schema may be a stranger's: only references inside it are followed, its patterns are not run, and
where it makes no sense a value stays as it is.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field, TypeAdapter, ValidationError

from switchyard.tools.core.json_values import is_list, is_object

if TYPE_CHECKING:
    from jsonschema import ValidationError as SchemaError

READINGS = 5
"""How often arguments are read: a text may be an object with texts in it."""
_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_READERS: dict[str, TypeAdapter[Any]] = {
    "integer": TypeAdapter(int),
    "number": TypeAdapter(Annotated[float, Field(allow_inf_nan=False)]),
    "boolean": TypeAdapter(bool),
}
"""How native tools read a text: the same text means the same to every tool."""

Schema = Mapping[str, Any]


def required_fields(schema: Schema) -> list[str]:
    """The fields a caller has to give: required, and without a default."""
    fields, required = as_mapping(schema.get("properties")), schema.get("required")
    names = [name for name in required if isinstance(name, str)] if is_list(required) else []
    return [name for name in names if "default" not in as_mapping(fields.get(name))]


def as_mapping(value: Any) -> Mapping[str, Any]:
    """A part of a schema, which is a stranger's and may be anything; empty where it is no object."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def read_arguments(schema: Schema, validator: Any, given: dict[str, Any]) -> "tuple[dict[str, Any], list[SchemaError]]":
    """The arguments as the tool gets them, and what is wrong with them still; nothing where the schema is broken.

    Text is read as an object, a list, a number, true or false, or null where the schema takes that and no text; what is
    required and has a default gets it. What was given is not changed.
    """
    fields, required = as_mapping(schema.get("properties")), schema.get("required")
    demanded = [name for name in fields if is_list(required) and name in required and name not in given]
    defaults = {name: as_mapping(fields[name]).get("default") for name in demanded}
    given = given | {name: value for name, value in defaults.items() if value is not None}
    errors: list[SchemaError] = []
    try:
        for _ in range(READINGS):
            errors = list(validator.iter_errors(given))
            meant = [found for error in errors for found in _meant_instead(error)]
            if not meant:
                break
            for place, value in meant:
                given = put(given, place, value)
    except Exception:  # noqa: BLE001  a schema can be broken in more ways than jsonschema has errors for
        return given, []
    return given, errors


def _meant_instead(error: "SchemaError") -> Iterator[tuple[Sequence[Any], Any]]:
    """Where a text stands for something else, and what; of a choice, by each of its branches."""
    for one in error.context or ():
        yield from _meant_instead(one)
    wanted: Any = error.validator_value
    if not isinstance(error.instance, str) or error.validator not in {"type", "enum", "const"}:
        return
    values = wanted if is_list(wanted) else [wanted]
    kinds = values if error.validator == "type" else [_kind_of(value) for value in values]
    meant = _meant(error.instance, kinds)
    if meant is not error.instance:
        yield error.absolute_path, meant


def _meant(text: str, kinds: Sequence[str]) -> Any:
    """What a text says where one of `kinds` is meant; the text itself where it says none of them."""
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError):
        said = text
    if _kind_of(said) in {"null", "array", "object"}.intersection(kinds):
        return said
    for kind, reader in _READERS.items():
        if kind in kinds:
            with suppress(ValidationError):
                return reader.validate_python(text)
    return text


def _kind_of(value: object) -> str:
    return _NAMES.get(type(value), "object")


def put(value: Any, place: Sequence[Any], new: Any) -> Any:
    """An object or a list with another value at a place in it."""
    first, *rest = place
    copied = value.copy()
    copied[first] = put(value[first], rest, new) if rest else new
    return copied


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


def demanded(_: Any, required: Any, instance: Any, schema: Schema) -> Iterator["SchemaError"]:
    """The check of `required`, by name: what has a default is the tool's to fill in."""
    from jsonschema import ValidationError as SchemaError  # noqa: PLC0415  comes with the SDK, which is loaded late

    if is_object(instance):
        names = required_fields({**schema, "required": required})
        yield from (SchemaError(name) for name in names if name not in instance)
