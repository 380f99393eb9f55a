"""Arguments read out of a sentence by the tool's own schema: it says what to look for in what the text mentions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from switchyard.agents.by_rules.fields import FieldKind, kind_of, plain
from switchyard.agents.by_rules.reading import Reading
from switchyard.agents.by_rules.requests import read_request, request_arguments, takes_request
from switchyard.agents.by_rules.values import side_of
from switchyard.language.mentions import Mention, find_mentions
from switchyard.language.time_questions import read_time_question
from switchyard.toolhub.calling.schema import required_fields

TIME_FIELDS = frozenset({"timezone", "time", "from_timezone", "date", "until", "add", "unit", "tell"})
"""The fields that `read_time_question` fills."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What could be read, what is required but was not there, and what of the text was not used."""

    arguments: dict[str, Any]
    missing: list[str]
    rest: str = ""
    unused: tuple[Mention, ...] = ()
    whole: bool = False
    """The text was read as a whole by what knows its kind: nothing of it is left."""
    guessed: bool = False
    """A value is what the tool's own words leave over: likely, not sure."""


def fill(
    schema: Mapping[str, Any],
    text: str,
    *,
    earlier: str | None = None,
    today: date | None = None,
    known: frozenset[str] = frozenset(),
    follows: bool = False,
) -> Filled:
    """The arguments a text gives for a schema.

    Args:
        schema: the JSON schema of the tool's parameters.
        text: the step in the user's words.
        earlier: a reference to the number an earlier step found, where the text speaks of it.
        today: what relative dates count from.
        known: the words the tool is described with, which name no value.
        follows: whether the text may speak of what an earlier step found.
    """
    today = today or datetime.now().astimezone().date()
    required = required_fields(schema)
    properties = {
        name: {**plain(wanted), "required": name in required}
        for name, wanted in cast("dict[str, dict[str, Any]]", schema.get("properties", {})).items()
        if name != "explanation"
    }
    if (whole := _read_whole(properties, required, text, today)) is not None:
        return whole
    kinds: dict[str, FieldKind] = {name: kind_of(name, wanted) for name, wanted in properties.items()}
    reading = Reading(
        text, list(find_mentions(text, today)), earlier, today, known, follows=follows or earlier is not None
    )
    arguments: dict[str, Any] = {}
    if {"owner", "repo"} <= kinds.keys():
        arguments = reading.repository()
    elif {"start_line", "max_lines"} <= kinds.keys():
        arguments = reading.lines()
    elif {"width", "height"} <= kinds.keys():
        arguments = reading.measures()

    def turn(name: str) -> tuple[Any, ...]:
        near = reading.nearness(name, properties[name]) if kinds[name] == "number" else 0.0
        return _TURN.get(kinds[name], 2), name not in required, near, not side_of(name)

    for name in sorted(kinds, key=turn):
        value = None if name in arguments else reading.value(name, kinds[name], properties[name], kinds)
        if value is not None:
            arguments[name] = value
    texts = [name for name in required if name not in arguments and kinds.get(name) in _FREE]
    for name in texts:
        value = reading.last_text(name, properties[name]) if len(texts) == 1 else reading.quoted()
        if value is not None:
            arguments[name] = value
    ordered = {name: arguments[name] for name in properties if name in arguments}
    missing = [name for name in required if name not in arguments]
    # a question about time that was not read as a whole says more than its dates and places do
    unused = (Mention("quoted", text, text, 0, len(text)),) if properties.keys() >= TIME_FIELDS else reading.unused()
    return Filled(ordered, missing, reading.rest(), unused, guessed=reading.guessed)


def _read_whole(properties: Mapping[str, Any], required: list[str], text: str, today: date) -> Filled | None:
    """What a text gives a tool whose questions are read as a whole; None for any other tool."""
    if properties.keys() >= TIME_FIELDS:
        found = read_time_question(text, today)
        return None if found is None else Filled(found, [], whole=True)
    if not takes_request(properties):
        return None
    said = request_arguments(read_request(text), properties)
    # what is read of half a request would be another one
    return Filled({}, [*required, "method"]) if said is None else Filled(said, [], whole=True)


_TURN: dict[FieldKind, int] = {
    "expression": 0,
    "pattern": 0,
    "enum": 1,
    "boolean": 1,
    "list": 3,
    "text": 4,
}
"""What can be told most surely is looked for first."""
_FREE = frozenset({"text", "sought", "code"})
