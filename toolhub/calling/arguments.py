"""Arguments against a parameter model or a JSON schema: read as they are meant, or what is wrong with them (R4.3).

Models and command lines write 3, true and whole objects as text. What the schema finds wrong with the arguments says
where that was done. A schema may be a stranger's: only references inside it are followed, its patterns are not run, and
where it makes no sense a value stays as it is.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from switchyard.language.messages import joined, message, quoted
from switchyard.tools.core.errors import BadArguments
from switchyard.tools.core.json_values import is_list, is_object, json_in
from switchyard.tools.core.masking import is_secret_name, shown_arguments
from switchyard.tools.core.params import BaseToolParams
from switchyard.tools.core.plain_words import kind_of_value, nearest

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
    required: Any = schema.get("required")
    defaults = {
        name: as_mapping(field).get("default")
        for name, field in as_mapping(schema.get("properties")).items()
        if is_list(required) and name in required
    }
    given = {name: value for name, value in defaults.items() if value is not None} | given
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
    if isinstance(error.instance, str) and error.validator in {"type", "enum", "const"}:
        wanted: Any = error.validator_value
        values = wanted if is_list(wanted) else [wanted]
        meant = _meant(error.instance, values if error.validator == "type" else list(map(_kind_of, values)))
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
    return _validating(frozenset(checks.items()))(schema, registry=cast("Any", Registry)())  # which has no types


@lru_cache(maxsize=16)
def _validating(checks: frozenset[tuple[str, Any]]) -> Any:
    """The class with these checks: making one takes longer than most checks do."""
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415  comes with the SDK, which is loaded late

    return cast("Any", validators).extend(Draft202012Validator, dict(checks))  # which has no types


def _passes(*_: Any) -> None:
    """No check: a stranger's regular expression may run for ever."""


def _allows(validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]) -> Any:
    """The usual check of further fields, but where patterns say which: those are not run."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  as above

    usual: Any = Draft202012Validator.VALIDATORS["additionalProperties"]
    return None if "patternProperties" in schema else usual(validator, allowed, instance, schema)


def demanded(_: Any, required: Any, instance: Any, schema: Schema) -> Iterator["SchemaError"]:
    """The check of `required`, by name: what has a default is the tool's to fill in."""
    from jsonschema import ValidationError as Missing  # noqa: PLC0415  as above

    if is_object(instance):
        names = required_fields({**schema, "required": required})
        yield from (Missing(name) for name in names if name not in instance)


P = TypeVar("P", bound=BaseToolParams)

MAX_SENTENCES = 5

_MORE_FIELDS = {"$ref", "allOf", "anyOf", "dependentSchemas", "if", "oneOf"}
"""Where a schema may have fields besides its `properties`."""


def as_object(arguments: Any) -> dict[str, Any]:
    """Arguments as an object; a JSON string where an object was meant is accepted.

    Raises:
        BadArguments: when it is neither.
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError) as error:
            raise BadArguments(message("arguments_no_json", problem=quoted(str(error)))) from error
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise BadArguments(message("arguments_no_object", what=kind_of_value(arguments)))
    return {str(name): value for name, value in cast("Mapping[Any, Any]", arguments).items()}


def checked(model: type[P], tool: str, arguments: Any) -> P:
    """The arguments as the tool's parameter model.

    Raises:
        BadArguments: naming each field that is wrong, what was expected, what came, and the nearest valid name.
    """
    given = as_object(arguments)
    try:
        return model.model_validate(given)
    except ValidationError as error:
        for wrong in error.errors(include_url=False, include_context=False):
            text = wrong["input"]  # a text that pydantic refuses may say an object, a list or null
            if isinstance(text, str) and (text == "null" or json_in(text) is not None):
                with suppress(LookupError, TypeError):  # a place inside one of several types has more than its names
                    given = put(given, wrong["loc"], json_in(text))
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise complaint(tool, error, [name for name in model.model_fields if name != "explanation"]) from error


def said(params: BaseToolParams) -> dict[str, Any]:
    """What a checked model says beyond its defaults: the same for every way to write it."""
    return params.model_dump(exclude={"explanation"}, exclude_unset=True, exclude_defaults=True)


def complaint(tool: str, error: ValidationError, fields: list[str]) -> BadArguments:
    """What pydantic found wrong, for a person and a model."""
    details = error.errors(include_url=False, include_context=False)
    return _bad(tool, [_sentence(detail, fields) for detail in details], fields)


def adapted(
    arguments: Mapping[str, Any], schema: Mapping[str, Any], written_for: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Arguments written for one tool as those of another; None when they do not fit it.

    Nothing is renamed and nothing that was said is left out: only the explanation, nulls, and what the first tool would
    have assumed anyway.
    """
    fields = as_mapping(schema.get("properties"))
    written = as_mapping((written_for or {}).get("properties"))
    assumed = {name: as_mapping(field).get("default") for name, field in written.items()}
    given = {name: value for name, value in arguments.items() if name != "explanation" and value is not None}
    said = {name: value for name, value in given.items() if name in fields or value != assumed.get(name)}
    return said if said.keys() <= fields.keys() and said.keys() >= set(required_fields(schema)) else None


def fits(schema: Mapping[str, Any], arguments: Mapping[str, Any], waiting: Collection[str] = ()) -> bool:
    """Whether a tool takes these arguments, beside fields whose values come later."""
    required = [name for name in required_fields(schema) if name not in waiting]
    known = as_mapping(schema.get("properties")).keys() or waiting
    try:
        _check_of(json.dumps({**schema, "required": required})).checked(arguments)
    except BadArguments:
        return False
    return all(name in known for name in waiting)


@lru_cache(maxsize=256)
def _check_of(schema: str) -> "SchemaCheck":
    """Made once: that takes longer than the check."""
    return SchemaCheck("", json.loads(schema))


class SchemaCheck:
    """Checks arguments before they are sent.

    The schema is a stranger's: its patterns are not run, nothing it refers to is fetched, and where it makes no sense
    the server itself decides.
    """

    def __init__(self, tool: str, schema: dict[str, Any]) -> None:
        self._tool = tool
        self._schema = schema
        self._fields = as_mapping(schema.get("properties"))
        others = schema.keys() & _MORE_FIELDS or not self._fields
        # which names its patterns allow is not looked at
        self._open = "patternProperties" in schema or schema.get("additionalProperties", bool(others)) is not False

    def checked(self, arguments: Any) -> dict[str, Any]:
        """The arguments as the tool gets them; our own `explanation` is left out where it has no such field.

        Raises:
            BadArguments: naming each field that is wrong, what was expected, what came, and the nearest valid name.
        """
        given = _sendable(self._tool, as_object(arguments))
        if "explanation" not in self._fields:
            given.pop("explanation", None)
        given, errors = read_arguments(self._schema, self._validator, given)
        fields = list(self._fields)
        unknown = [] if self._open else [name for name in given if name not in self._fields]
        # unknown fields of the object itself have a sentence of their own
        others = [one for one in errors if one.validator != "additionalProperties" or one.absolute_path]
        wrong = [sentence for error in others for sentence in _explained(error)]
        if sentences := [*(_unknown(name, fields) for name in unknown), *wrong][:MAX_SENTENCES]:
            raise _bad(self._tool, sentences, fields)
        return given

    @cached_property
    def _validator(self) -> Any:
        return safe_validator(self._schema, required=demanded)


def _sendable(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments as JSON can carry them: half characters are replaced, what is no JSON is refused."""
    try:
        text = json.dumps(given, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadArguments(message("arguments_unsendable", tool=tool, problem=quoted(str(error)))) from error
    return json.loads(text.encode("utf-8", "replace"))


def _explained(error: "SchemaError") -> list[str]:
    """An error as sentences; of a choice, what is wrong with the one branch that was meant, or what each one takes."""
    where = ".".join(map(str, error.absolute_path))
    if error.validator == "required":
        return [message("field_required", field=f"{where}.{error.message}" if where else error.message)]
    branches = [list(group) for _, group in groupby(error.context or [], key=lambda one: one.relative_schema_path[0])]
    kinds = {"type", "enum", "const"}  # a branch that differs in these as a whole was not meant
    meant = [branch for branch in branches if all(one.relative_path or one.validator not in kinds for one in branch)]
    if len(meant) == 1:
        return [sentence for one in meant[0] for sentence in _explained(one)]
    return [_wrong_value(where, _expected(error), error.instance)]


def _expected(error: "SchemaError") -> str:
    match error.validator:
        case "type":
            names: Any = error.validator_value
            return f"expected {' or '.join(names) if is_list(names) else names}"
        case "enum":
            return f"expected one of {_json_list(cast('list[Any]', error.validator_value))}"
        case "const":
            return f"expected {_json_list([error.validator_value])}"
        case "anyOf" | "oneOf" if error.context:
            each = [_expected(one).removeprefix("expected ") for one in error.context if not one.relative_path]
            inside = [sentence for one in error.context if one.relative_path for sentence in _explained(one)]
            return f"expected {' or '.join(dict.fromkeys([*each, *(f'({one})' for one in inside)]))[:300]}"
        case "required":
            return f"expected an object with '{error.message}'"
        case _:
            return error.message[:200]


def _json_list(values: list[Any]) -> str:
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in values)[:300]


def _sentence(detail: ErrorDetails, fields: list[str]) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "missing":
        return message("field_required", field=where)
    if detail["type"] == "extra_forbidden":
        return _unknown(where, fields)
    # the values that are named keep their case
    return _wrong_value(where, detail["msg"][:1].lower() + detail["msg"][1:], detail["input"])


def _wrong_value(where: str, expected: str, value: Any) -> str:
    name = next(filter(is_secret_name, where.split(".")), where)
    shown = shown_arguments({name: value})[name]  # a sentence repeats no secret
    said = {"expected": quoted(expected), "got": json.dumps(shown, ensure_ascii=False, default=str)[:80]}
    return message("value_wrong", field=where, **said) if where else message("values_wrong_together", **said)


def _unknown(name: str, fields: list[str]) -> str:
    near = nearest(name, fields, likeness=60)
    return message("field_unknown_near", field=name, near=near[0]) if near else message("field_unknown", field=name)


def _bad(tool: str, sentences: list[str], fields: list[str]) -> BadArguments:
    known = fields or message("none")
    return BadArguments(message("arguments_wrong", tool=tool, problems=joined(*sentences), fields=known))
