"""Arguments against a parameter model: what is wrong with them, said so that it can be put right (R4.3)."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tools.core.errors import BadArguments
from tools.core.masking import is_secret_name, shown_arguments
from tools.core.params import BaseToolParams
from tools.core.plain_words import kind_of_value

P = TypeVar("P", bound=BaseToolParams)


def as_object(arguments: Any) -> dict[str, Any]:
    """Arguments as an object; a JSON string where an object was meant is accepted.

    Raises:
        BadArguments: when it is neither.
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError) as error:
            raise BadArguments(f"The arguments must be a JSON object; the text is not JSON: {error}.") from error
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise BadArguments(f"The arguments must be an object with named fields, not {kind_of_value(arguments)}.")
    return {str(name): value for name, value in cast("Mapping[Any, Any]", arguments).items()}


def checked(model: type[P], tool: str, arguments: Any) -> P:
    """The arguments as the tool's parameter model.

    Raises:
        BadArguments: naming each field that is wrong, what was expected, what came, and the nearest valid name.
    """
    given = as_object(arguments)
    try:
        return _validated(model, given)
    except ValidationError as error:
        raise complaint(tool, error, [name for name in model.model_fields if name != "explanation"]) from error


def complaint(tool: str, error: ValidationError, fields: list[str]) -> BadArguments:
    """What pydantic found wrong, for a person and a model."""
    sentences = [_sentence(detail, fields) for detail in error.errors(include_url=False, include_context=False)]
    return BadArguments(f"{tool}: {' '.join(sentences)} Fields: {', '.join(fields) or 'none'}.")


def adapted(
    arguments: Mapping[str, Any], schema: Mapping[str, Any], written_for: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Arguments written for one tool as those of another; None when they do not fit it.

    Nothing is renamed and nothing that was said is left out: only the explanation, nulls, and what the first tool would
    have assumed anyway.
    """
    fields = cast("Mapping[str, Any]", schema.get("properties") or {})
    assumed = cast("Mapping[str, Mapping[str, Any]]", (written_for or {}).get("properties") or {})
    said = {
        name: value
        for name, value in arguments.items()
        if name != "explanation"
        and value is not None
        and (name in fields or value != assumed.get(name, {}).get("default", _NOTHING))
    }
    required = cast("list[str]", schema.get("required") or [])
    return said if said.keys() <= fields.keys() and said.keys() >= set(required) else None


_NOTHING = object()
_STRUCTURES = {"dict_type": dict, "list_type": list, "model_type": dict, "model_attributes_type": dict}
"""The complaints that a text was given where one of these was meant."""


def _validated(model: type[P], given: dict[str, Any]) -> P:
    """The model; a field that is JSON text where an object or a list was meant is read."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        read = {
            str(detail["loc"][0]): value
            for detail in error.errors(include_url=False, include_context=False)
            if len(detail["loc"]) >= 1
            and detail["type"] in _STRUCTURES
            and (value := _structure(given.get(str(detail["loc"][0])), _STRUCTURES[detail["type"]])) is not None
        }
        if not read:
            raise
        return model.model_validate({**given, **read})


def _structure(value: Any, wanted: type) -> Any:
    """What a JSON text says, if that is of the type that is wanted."""
    if not isinstance(value, str):
        return None
    try:
        said = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, wanted) else None


def _sentence(detail: ErrorDetails, fields: list[str]) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    match detail["type"]:
        case "missing":
            return f"'{where}' is required."
        case "extra_forbidden":
            return f"'{where}' is not a field{_nearest(where, fields)}"
        case _:
            got = json.dumps(_shown(where, detail["input"]), ensure_ascii=False, default=str)
            expected = detail["msg"][:1].lower() + detail["msg"][1:]  # the values it names keep their case
            place = f"'{where}'" if where else "the arguments together"
            return f"{place}: {expected}, got {got[:80]}."


def _shown(where: str, value: Any) -> Any:
    """A value that a sentence repeats, without the secrets in it."""
    if not where:
        return shown_arguments(cast("dict[str, Any]", value)) if isinstance(value, dict) else value
    name = next(filter(is_secret_name, where.split(".")), where)
    return shown_arguments({name: value})[name]


def _nearest(name: str, fields: list[str]) -> str:
    from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

    found = process.extractOne(name, fields, score_cutoff=60)
    return f", did you mean '{found[0]}'?" if found else "."
