"""Arguments against a parameter model: what is wrong with them, said so that it can be put right (R4.3)."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tools.core.errors import BadArguments
from tools.core.params import BaseToolParams

P = TypeVar("P", bound=BaseToolParams)


def as_object(arguments: Any) -> dict[str, Any]:
    """Arguments as an object; a JSON string where an object was meant is accepted.

    Raises:
        BadArguments: when it is neither.
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise BadArguments(f"The arguments must be a JSON object; the text is not JSON: {error}.") from error
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise BadArguments(f"The arguments must be an object with named fields, not a {type(arguments).__name__}.")
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
        fields = [name for name in model.model_fields if name != "explanation"]
        sentences = [_sentence(detail, fields) for detail in error.errors(include_url=False, include_context=False)]
        raise BadArguments(f"{tool}: {' '.join(sentences)} Fields: {', '.join(fields) or 'none'}.") from error


def _sentence(detail: ErrorDetails, fields: list[str]) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    match detail["type"]:
        case "missing":
            return f"'{where}' is required."
        case "extra_forbidden":
            return f"'{where}' is not a field{_nearest(where, fields)}."
        case _:
            got = json.dumps(detail["input"], ensure_ascii=False, default=str)
            expected = detail["msg"][:1].lower() + detail["msg"][1:]  # the values it names keep their case
            place = f"'{where}'" if where else "the arguments together"
            return f"{place}: {expected}, got {got[:80]}."


def _nearest(name: str, fields: list[str]) -> str:
    from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

    found = process.extractOne(name, fields, score_cutoff=60)
    return f", did you mean '{found[0]}'?" if found else ""
