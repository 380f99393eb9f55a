"""Arguments read out of a sentence by the tool's own schema: it says what to look for in what the text mentions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from agents.language.fields import FieldKind, kind_of, plain
from agents.language.mentions import find_mentions
from agents.language.reading import Reading, side_of


@dataclass(frozen=True, slots=True)
class Filled:
    """What could be read, what is required but was not there, and what of the text was not used."""

    arguments: dict[str, Any]
    missing: list[str]
    rest: str = ""


def fill(schema: Mapping[str, Any], text: str, *, earlier: str | None = None, today: date | None = None) -> Filled:
    """The arguments a text gives for a schema.

    Args:
        schema: the JSON schema of the tool's parameters.
        text: the step in the user's words.
        earlier: a reference to the number an earlier step found, where the text speaks of it.
        today: what relative dates count from.
    """
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    reading = Reading(text, find_mentions(text, today or datetime.now().astimezone().date()), earlier)
    kinds: dict[str, FieldKind] = {
        name: kind_of(name, wanted) for name, wanted in properties.items() if name != "explanation"
    }
    required = cast("list[str]", schema.get("required", []))
    # what must be there takes first; a field that says which of two it wants before one that does not
    order = sorted(kinds, key=lambda name: (name not in required, not side_of(name), kinds[name] == "text"))
    arguments: dict[str, Any] = {}
    for name in order:
        value = reading.value(name, kinds[name], plain(properties[name]), kinds)
        if value is not None:
            arguments[name] = value
    ordered = {name: arguments[name] for name in properties if name in arguments}
    return Filled(ordered, [name for name in required if name not in arguments], reading.rest())
