"""Arguments against a tool's JSON schema: what is wrong with them, said so that it can be put right (R4.3)."""

import json
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from toolhub.arguments import as_object
from tools.core.errors import BadArguments

if TYPE_CHECKING:
    from jsonschema import ValidationError

MAX_SENTENCES = 5

_PLAIN: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}
_STRUCTURES: dict[str, type] = {"object": dict, "array": list}
_MORE_FIELDS = {"$ref", "allOf", "anyOf", "dependentSchemas", "if", "oneOf", "patternProperties"}
"""Where a schema may have fields besides its `properties`."""
_PLAIN_KEYS = {"type", "title", "description", "default", "examples"}


class SchemaCheck:
    """Checks arguments before they are sent.

    The schema is a stranger's: its patterns are not run, nothing it refers to is fetched, and where it makes no sense
    the server itself decides.
    """

    def __init__(self, tool: str, schema: dict[str, Any]) -> None:
        self._tool = tool
        self._schema = schema
        fields: object = schema.get("properties")
        self._fields = cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}
        shapes = {
            name: cast("dict[str, Any]", shape) for name, shape in self._fields.items() if isinstance(shape, dict)
        }
        self._types = {name: str(shape.get("type")) for name, shape in shapes.items()}
        self._plain = {
            name: _PLAIN[self._types[name]]
            for name, shape in shapes.items()
            if self._types[name] in _PLAIN and shape.keys() <= _PLAIN_KEYS
        }
        required: object = schema.get("required")
        self._required = (
            {str(name) for name in cast("list[Any]", required)} if isinstance(required, list) else set[str]()
        )
        others = schema.keys() & _MORE_FIELDS or not self._fields
        self._open = schema.get("additionalProperties", bool(others)) is not False

    def checked(self, arguments: Any) -> dict[str, Any]:
        """The arguments as an object; the `explanation` our own tools take is left out where the tool has none.

        Raises:
            BadArguments: naming each field that is wrong, what was expected, what came, and the nearest valid name.
        """
        given = _sendable(self._tool, as_object(arguments))
        if "explanation" not in self._fields:
            given.pop("explanation", None)
        if self._plainly_right(given):
            return given
        given = {name: self._read(name, value) for name, value in given.items()}
        unknown = [] if self._open else [name for name in given if name not in self._fields]
        sentences = [*map(self._unknown, unknown), *self._wrong(given)][:MAX_SENTENCES]
        if sentences:
            fields = ", ".join(self._fields) or "none"
            raise BadArguments(f"{self._tool}: {' '.join(sentences)} Fields: {fields}.")
        return given

    def _plainly_right(self, given: dict[str, Any]) -> bool:
        """Most calls have a few plain values: seen without the machinery below, which is slower than the call."""
        return self._required <= given.keys() and all(
            name in self._plain and type(value) in self._plain[name] for name, value in given.items()
        )

    def _read(self, name: str, value: Any) -> Any:
        """A value; JSON text where an object or a list was meant is read."""
        wanted = _STRUCTURES.get(self._types.get(name, ""))
        if wanted is None or not isinstance(value, str):
            return value
        try:
            said: Any = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return said if isinstance(said, wanted) else value

    def _unknown(self, name: str) -> str:
        from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

        near = process.extractOne(name, list(self._fields), score_cutoff=60)
        return f"'{name}' is not a field" + (f", did you mean '{near[0]}'?" if near else ".")

    def _wrong(self, given: dict[str, Any]) -> Iterable[str]:
        try:
            return [_sentence(error) for error in self._validator.iter_errors(given) if not _told(error)]
        except Exception:  # noqa: BLE001  a schema can be broken in more ways than jsonschema has errors for
            return []

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import validators  # noqa: PLC0415  comes with the SDK, which is loaded late
        from referencing import Registry  # noqa: PLC0415

        dialect = cast("Any", validators).extend(
            validators.Draft202012Validator, {"pattern": _passes, "patternProperties": _passes}
        )
        return dialect(self._schema, registry=cast("Any", Registry)())


def _sendable(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments as JSON can carry them: half characters are replaced, what is no JSON is refused."""
    try:
        text = json.dumps(given, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadArguments(f"{tool}: the arguments cannot be sent as JSON: {error}.") from error
    return json.loads(text.encode("utf-8", "replace"))


def _passes(*_: Any) -> None:
    """No check: a stranger's regular expression may run for ever."""


def _told(error: "ValidationError") -> bool:
    """Unknown fields of the object itself have a sentence of their own."""
    return error.validator == "additionalProperties" and not error.absolute_path


def _sentence(error: "ValidationError") -> str:
    where = ".".join(map(str, error.absolute_path))
    place = f"'{where}'" if where else "the arguments together"
    got = json.dumps(error.instance, ensure_ascii=False, default=str)[:80]
    match error.validator:
        case "required":
            missing = error.message.partition(" is a required")[0].strip("'\"")
            return f"'{where}.{missing}' is required." if where else f"'{missing}' is required."
        case "type":
            expected = error.validator_value
            names = " or ".join(cast("list[str]", expected)) if isinstance(expected, list) else str(expected)
            return f"{place}: expected {names}, got {got}."
        case "enum":
            values = ", ".join(
                json.dumps(value, ensure_ascii=False) for value in cast("list[Any]", error.validator_value)
            )
            return f"{place}: expected one of {values[:300]}, got {got}."
        case _:
            return f"{place}: {error.message[:200]}, got {got}."
