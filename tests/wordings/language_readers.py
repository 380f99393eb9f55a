"""The readers of the tables about numbers, units, dates, times of day, durations, places, sums and the time.

All of it is read on Monday, 16 November 2026, at one in the afternoon in Shanghai.
"""

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from switchyard.language.arithmetic import find_arithmetic, find_change, parse
from switchyard.language.clocks import find_clocks, read_clock
from switchyard.language.dates import dates_named, find_dates, read_date
from switchyard.language.durations import find_durations, number_of, read_duration
from switchyard.language.errors import Impossible
from switchyard.language.numbers import find_numbers, read_number, written
from switchyard.language.places import find_places, zone_of
from switchyard.language.time_questions import read_time_question
from switchyard.language.units import find_units, unit_at, unit_named
from switchyard.tools.calculate import Calculate, CalculateParams
from switchyard.tools.core import Language, ToolContext
from switchyard.tools.get_time.tool import GetTime, GetTimeParams

TODAY = date(2026, 11, 16)
MOMENT = datetime(2026, 11, 16, 5, tzinfo=UTC)
EARLIER = "{{s1.value}}"


def listed(parts: list[str]) -> str | None:
    return " | ".join(parts) or None


# numbers and units


def _number(text: str) -> str | None:
    found = read_number(text)
    return None if found is None else written(found)


def _numbers(text: str) -> str | None:
    return listed([written(number.value) for number in find_numbers(text)])


def _count(text: str) -> str | None:
    found = number_of(text)
    return None if found is None else str(found)


def _unit(text: str) -> str | None:
    found = unit_named(text)
    return found and found.symbol


def _units(text: str) -> str | None:
    return listed([found.unit.symbol for found in find_units(text)])


def _first_unit(text: str) -> str | None:
    """The name of a unit that a text begins with."""
    found = unit_at(text, 0)
    return found and text[found.start : found.end]


def _conversion(text: str, about: str = "") -> str:
    """What a text converts to, exactly; `about` gives six digits of it."""
    outcome = parse(text).outcome
    assert isinstance(outcome.value, Fraction)
    value = f"{float(outcome.value):.6g}" if about else written(outcome.value)
    return f"{value} {outcome.unit.symbol if outcome.unit else ''}".strip()


def _is_sum(text: str) -> bool:
    return find_arithmetic(text) is not None


# dates, times of day, durations, places


def _date(text: str) -> str | None:
    """The date that a text is; one that cannot be is not found in a sentence either, but is seen to be one."""
    try:
        found = read_date(text, TODAY)
    except Impossible:
        assert find_dates(f"What about {text}?", TODAY) == []
        assert [found.said for found in dates_named(text, TODAY)] == [text]
        raise
    assert found is not None or find_dates(text, TODAY) == []
    return found and found.isoformat()


def _dates(text: str) -> str | None:
    return listed([text[start:end] for _, start, end, _ in find_dates(text, TODAY)])


def _clock(text: str) -> str | None:
    found = read_clock(text)
    return found and found.isoformat("minutes")


def _clocks(text: str) -> str | None:
    return listed([text[start:end] for _, start, end in find_clocks(text)])


def _hour(text: str, day: str) -> int:
    """The hour of a time of day that stands beside a word for a part of the day."""
    ((clock, *_),) = find_clocks(" " * len(day) + text, day + text)
    return clock.hour


def _duration(text: str) -> dict[str, Any] | None:
    found = read_duration(text)
    assert found is not None or find_durations(text) == []
    return found and {name: size for name, size in asdict(found).items() if size}


def _zone(text: str) -> str | None:
    found = zone_of(text)
    return found and found.zone


def _places(text: str, asked: str = "") -> str | None:
    """The places in a text; with `asked`, it is known to ask for a time."""
    return listed([place.name_en for place in find_places(text, asked=bool(asked))])


# sums


async def _calculated(text: str) -> dict[str, Any]:
    return await Calculate().execute(CalculateParams(expression=text))


async def _value(text: str) -> Any:
    return (await _calculated(text))["value"]


async def _quantity(text: str) -> str:
    """The value with its unit."""
    found = await _calculated(text)
    return f"{found['value']} {found.get('unit', '')}".strip()


async def _sentence(text: str) -> str:
    return (await _calculated(text))["sentence"]


async def _expression(text: str) -> str:
    return (await _calculated(text))["expression"]


async def _change(text: str, reference: str = EARLIER) -> str | None:
    """What is done to an earlier number; what is found can be computed, but for a conversion of an unknown unit."""
    found = find_change(text, reference)
    if found and (reference != EARLIER or not re.search(" in |many|换成", found)):
        await _calculated(found.replace(EARLIER, "4"))
    return found


# the time


def _asked(language: Language, asked: dict[str, Any]) -> dict[str, Any]:
    return GetTime(clock=lambda: MOMENT).execute(
        GetTimeParams(**asked), ToolContext(workspace=Path(), language=language)
    )


def _time(question: str) -> str | None:
    """The answer to a question about time, in its language; nothing where it is left to others."""
    asked = read_time_question(question, TODAY)
    return None if asked is None else _asked("en" if question.isascii() else "zh", asked)["sentence"]


def _told(arguments: str, language: Language) -> str:
    """What the tool says in a language; its arguments are JSON. Every answer has the fields of the moment it names."""
    found = _asked(language, json.loads(arguments))
    assert found.keys() >= {"place", "timezone", "time", "clock", "date", "weekday", "utc_offset"}
    return found["sentence"]


def _days(arguments: str) -> int:
    return _asked("en", json.loads(arguments))["days"]


LANGUAGE_READERS: dict[str, Callable[..., Any]] = {
    "number": _number,
    "numbers": _numbers,
    "count": _count,
    "unit": _unit,
    "units": _units,
    "first_unit": _first_unit,
    "conversion": _conversion,
    "is_sum": _is_sum,
    "date": _date,
    "dates": _dates,
    "clock": _clock,
    "clocks": _clocks,
    "hour": _hour,
    "duration": _duration,
    "zone": _zone,
    "places": _places,
    "value": _value,
    "quantity": _quantity,
    "sentence": _sentence,
    "expression": _expression,
    "arithmetic": find_arithmetic,
    "change": _change,
    "time": _time,
    "told": _told,
    "days": _days,
}
