"""Mentions as the values a schema wants."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from fractions import Fraction
from typing import Any, cast

from switchyard.agents.by_rules.fields import FieldKind, words_of
from switchyard.language.mentions import Mention
from switchyard.language.places import zone_of

_FIRST = frozenset({"from", "source", "origin", "start", "base", "checkin", "departure"})
_SECOND = frozenset({"to", "target", "destination", "end", "until", "checkout", "return"})
_IN_PERCENT = re.compile(r"\bpercent\b|%|百分", re.IGNORECASE)

_ZONE_NAME = re.compile(r"\bIANA\b|\b(?:Asia|Europe|America)/\w")
"""How a schema asks for the name of a time zone, not of a place in it."""


def as_value(
    mention: Mention, kind: FieldKind, wanted: Mapping[str, Any], mentions: list[Mention], used: list[Mention]
) -> Any:
    """A mention in the form the schema wants; dates and times as they were said where it wants no form."""
    value, described = mention.value, str(wanted.get("description", ""))
    if kind == "place" and _ZONE_NAME.search(described) and (place := zone_of(mention.text)) is not None:
        return place.zone
    if isinstance(value, Fraction):
        if mention.text.endswith(("%", "％")) and _IN_PERCENT.search(described):
            value *= 100
        return int(value) if value.denominator == 1 else float(value)
    if kind == "datetime" and isinstance(value, date):
        clock = next((m for m in mentions if m.kind == "clock" and m not in used), None)
        used += [clock] if clock else []
        return datetime.combine(value, cast("time", clock.value)).isoformat() if clock else value.isoformat()
    if isinstance(value, date) and (wanted.get("format") == "date" or "YYYY" in described):
        return value.isoformat()
    if isinstance(value, time) and (wanted.get("format") == "time" or "HH:MM" in described):
        return value.strftime("%H:%M")
    return mention.text if isinstance(value, date | time) or kind == "duration" else value


def side_of(name: str) -> str | None:
    """Which of two a field wants, by its name: `from_…` the first, `to_…` the second."""
    words = set(words_of(name))
    return "first" if words & _FIRST else "second" if words & _SECOND else None


def allowed(mention: Mention, wanted: Mapping[str, Any]) -> bool:
    """Whether a number is one the schema takes."""
    value = cast("Fraction", mention.value)
    if mention.text.endswith(("%", "％")) and _IN_PERCENT.search(str(wanted.get("description", ""))):
        value *= 100
    if wanted.get("type") == "integer" and value.denominator != 1:
        return False
    least, most = wanted.get("minimum", wanted.get("exclusiveMinimum")), wanted.get("maximum")
    return (least is None or value >= least) and (most is None or value <= most)
