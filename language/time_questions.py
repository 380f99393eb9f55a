"""A question about time, read as a whole: what to ask `get_time`, or nothing where a part of it is not understood.

One reader after another looks at what a text names and at the words around it (`tools.core.time_mask`,
`tools.core.time_words`). Every word must be known to the reader that takes the question, and everything named must be
used: a question that says more is left to others. What `get_time` can answer and what is brought to it are one thing.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

from switchyard.language import time_words as words
from switchyard.language.dates import read_date
from switchyard.language.errors import Impossible
from switchyard.language.time_mask import Masked, Part
from switchyard.language.time_vocabulary import Topic, unknown_words, without_courtesy

Arguments = dict[str, Any]
LONGEST = 240
"""Characters of a question about time."""
_TWO = 2


def read_time_question(text: str, today: date) -> Arguments | None:
    """The arguments of `get_time` that a text gives; None where it asks for no time, or where not all is clear."""
    found = _read(text, today)
    return None if found is None else dict(found)


@lru_cache(maxsize=512)
def _read(text: str, today: date) -> tuple[tuple[str, Any], ...] | None:
    if len(text) > LONGEST or not re.search(words.MAY_ASK, text):
        return None
    asked = Masked(text, today)
    found = next((found for reader in _READERS if (found := reader(asked)) is not None), None)
    return None if found is None else tuple(found.items())


def _knows(asked: Masked, topic: Topic, *, context: bool = False) -> bool:
    """Whether every word is one of the topic; the clause before a question that points back to it may say more."""
    if not unknown_words(asked.text, topic):
        return True
    clauses = [clause for clause in re.split(words.CLAUSE_END, asked.text) if clause]
    if (
        not context
        or len(clauses) < _TWO
        or not re.search(words.THEN, clauses[-1])
        or unknown_words(clauses[-1], topic)
    ):
        return False
    before = " ".join(clauses[:-1])
    return not (re.search(words.NEVER, before) or re.search(words.ASKS, before) or re.search(r"\d", before))


def _fact(asked: Masked) -> Arguments | None:
    """Leap years, week numbers and days of the year."""
    tell = next((tell for tell, pattern in words.FACTS if asked.says(pattern)), None)
    if tell is None or not asked.has(D=(0, 1), Y=(0, 1)) or not _knows(asked, "facts"):
        return None
    dates, years = asked.parts["D"], asked.parts["Y"]
    if tell == "leap_year":
        return (
            {"date": dates[0].text if dates else years[0].first_day().isoformat(), "tell": tell}
            if dates or years
            else None
        )
    if years and years[0].value != (dates[0].value if dates else asked.today).year:
        return None
    return {"date": dates[0].text, "tell": tell} if dates else {"tell": tell}


def _length(asked: Masked) -> Arguments | None:
    """How long a month or a year is, how much of it is left, or how long it is until a year."""
    if not asked.says(words.COUNTS) or not asked.has(M=(0, 1), Y=(0, 1)) or not _knows(asked, "facts"):
        return None
    months, years = asked.parts["M"], asked.parts["Y"]
    if months and years and not re.search(words.HAS_YEAR, months[0].text):
        months, years = [replace(months[0], value=months[0].value.replace(year=years[0].value))], []
    if len(months) + len(years) != 1:
        return None
    whole, unit = (months or years)[0], _unit(asked)
    first, last = whole.first_day(), whole.last_day()
    if years and asked.says(words.UNTIL_YEAR):
        return {"until": first.isoformat(), **unit}
    if asked.says(words.REMAINS):
        return {"until": last.isoformat(), **unit} if first <= asked.today <= last else None
    if unit != {"unit": "days"} or not asked.says(words.LENGTH_OF):
        return None
    return {"date": first.isoformat(), "tell": "month_length" if months else "year_length"}


def _zones(asked: Masked) -> Arguments | None:
    """Which zone a place is in, or how far two are apart."""
    if not asked.has(P=(1, 2)) or not _knows(asked, "zones"):
        return None
    places = asked.texts("P")
    if len(places) == _TWO:
        return {"timezone": places[0], "from_timezone": places[1]} if asked.says(words.ZONES_APART) else None
    return {"timezone": places[0], "tell": "zone"} if asked.says(words.ASKS_ZONE) else None


def _conversion(asked: Masked) -> Arguments | None:
    """A given time of day in another place."""
    if not asked.has(C=1, P=(1, 2), D=(0, 1), L=(0, 1)) or not _knows(asked, "clocks", context=True):
        return None
    given = _ways(asked)
    moved = _direction(asked) if asked.parts["L"] else {}
    if given is None or moved is None:
        return None
    return {**given, "time": asked.parts["C"][0].clock(), **asked.date(), **moved}


def _ways(asked: Masked) -> Arguments | None:
    """From where to where a time is converted."""
    places, source = asked.texts("P"), _source(asked)
    if len(places) == _TWO:
        if source is None or _asks_for_now(asked) or asked.says(words.BOTH_PLACES):
            return None
        return {"from_timezone": places[source], "timezone": places[1 - source]}
    if not asked.says(words.HERE):
        return None
    if asked.says(words.TIME_HERE):
        return {"timezone": places[0]}
    return {"from_timezone": places[0]} if source is not None else None


def _asks_for_now(asked: Masked) -> bool:
    """At 3 pm I was in London; what time is it now in Tokyo: the time asked for is not that of the time given."""
    return re.search(words.NOW, re.split(words.CLAUSE_END, asked.text)[-1]) is not None and not asked.says(
        words.SUPPOSES
    )


def _source(asked: Masked) -> int | None:
    """Which of the places the time is given for."""
    for pattern in (words.PLACE_AFTER_TIME, words.PLACE_BEFORE_TIME):
        if match := re.search(pattern, asked.text):
            at = next(match.start(group) for group, said in enumerate(match.groups(), start=1) if said)
            return asked.text[:at].count("P")
    return None


def _later(asked: Masked) -> Arguments | None:
    """A time of day so much later or earlier."""
    if not asked.has(L=1, C=(0, 1), P=(0, 1), D=(0, 1)) or not _knows(asked, "clocks"):
        return None
    clock = {"time": asked.parts["C"][0].clock()} if asked.parts["C"] else {}
    if not asked.says(words.ASKS_TIME, words.ASKS_DATE) or asked.says(words.COUNTS):
        return None
    if not clock and (asked.parts["D"] or not asked.parts["L"][0].value.seconds):
        return None
    moved, place = _direction(asked), asked.place()
    given_there = {"from_timezone": place["timezone"]} if place and clock else {}
    return None if moved is None else {**place, **given_there, **clock, **asked.date(), **moved}


def _direction(asked: Masked) -> Arguments | None:
    back = asked.says(words.BACK)
    if back == asked.says(words.AHEAD) or asked.says(words.ASKS_START):
        return None
    return {"add": ("-" if back else "") + asked.texts("L")[0]}


def _span(asked: Masked) -> Arguments | None:
    """How long it is from one time of day to another, to one, or since one."""
    if not asked.has(C=(1, 2), P=(0, 1), D=(0, 1)) or not _counts(asked) or not _knows(asked, "clocks"):
        return None
    clocks, unit = asked.parts["C"], _unit(asked)
    if unit.get("unit", "hours") not in {"hours", "minutes", "seconds"} or "business_days" in unit:
        return None
    if len(clocks) == _TWO:
        clear = _joins(asked.text, "C") and not _may_be_afternoon(*clocks)
        ends = {"time": clocks[0].clock(), "until": clocks[1].clock(), **unit}
        return ends if clear and not asked.parts["D"] + asked.parts["P"] else None
    if asked.says(words.SINCE):
        return {**asked.place(), **asked.date(), "time": clocks[0].clock(), "until": "now", **unit}
    day = "".join(f"{text} " for text in asked.texts("D"))
    return {**asked.place(), "until": day + clocks[0].clock(), **unit} if asked.says(words.UNTIL) else None


def _may_be_afternoon(first: Part, second: Part) -> bool:
    """From 9:15 to 5:40."""
    return second.value <= first.value and not re.search(words.SAYS_WHICH_HALF, second.text)


def _age(asked: Masked) -> Arguments | None:
    if not asked.has(D=(1, 2), Y=(0, 1)) or not asked.says(words.BORN) or not _knows(asked, "ages"):
        return None
    dates = _without_today(asked)
    this_year = all(year.value == asked.today.year for year in asked.parts["Y"])
    if (
        len(dates) != 1
        or not re.search(words.HAS_YEAR, dates[0])
        or not this_year
        or not asked.says(words.COUNTS, words.OLD)
    ):
        return None
    return {"date": dates[0], "until": "today", "unit": _unit(asked).get("unit", "years")}


def _difference(asked: Masked) -> Arguments | None:
    """How far two dates are apart, or one from today."""
    if not asked.has(D=(1, 2), P=(0, 1)) or not _counts(asked) or not _knows(asked, "counts"):
        return None
    dates, others = asked.texts("D"), _without_today(asked)
    if asked.parts["P"] and not re.search(words.OF_THE_DAY, " ".join(dates)):
        return None
    more = {**asked.place(), **_unit(asked)}
    if len(others) == _TWO and _joins(asked.text, "D") and not asked.says(words.REMAINS):
        first, second = reversed(others) if asked.says(words.FIRST_IS_LATER) else others
        return {"date": first, "until": _in_that_year(asked, first, second), **more}
    if len(others) != 1:
        return None
    up_to_today = asked.says(words.SINCE) or (dates[-1] != others[0] and asked.says(words.FIRST_TO_SECOND))
    if up_to_today and not asked.says(words.REMAINS):
        return {"date": others[0], "until": "today", **more}
    return {"until": others[0], **more} if asked.says(words.UNTIL) else None


def _joins(text: str, tag: str) -> bool:
    """Whether two dates or times are said to be the ends of one stretch, and not two questions."""
    joint = text[text.index(tag) + 1 : text.rindex(tag)]
    if re.fullmatch(words.AND, joint):
        return re.search(words.BETWEEN, text) is not None
    if re.fullmatch(words.IS, joint):
        return re.search(rf"\b(?:before|after) {tag}", text) is not None
    return re.fullmatch(words.UP_TO, joint) is not None


def _in_that_year(asked: Masked, first: str, second: str) -> str:
    """A second date without a year is in that of the first, or the next after it."""
    if not re.search(words.HAS_YEAR, first) or re.search(words.HAS_YEAR, second) or not re.search(r"\d|月", second):
        return second
    try:
        start = read_date(first, asked.today)
        end = read_date(second, start) if start else None
    except Impossible:
        return second
    return end.isoformat() if end else second


def _day(asked: Masked) -> Arguments | None:
    """Which weekday a date is, or which date so and so far from another."""
    dates, years = asked.parts["D"], asked.parts["Y"]
    if not asked.has(D=(1, 2), P=(0, 1), Y=(0, 1)) or not _knows(asked, "dates"):
        return None
    if len(dates) == _TWO:
        weekday = (
            re.fullmatch(words.WEEKDAY_ONLY, dates[1].text) and asked.has(D=2) and asked.says(words.IS_IT_THAT_DAY)
        )
        return {"date": dates[0].text} if weekday else None
    said = dates[0].text
    counted = re.search(words.COUNTED_DATE, said) and without_courtesy(asked.text) == "D"
    if re.fullmatch(words.TODAY, said) or not (counted or asked.says(words.ASKS_DATE)):
        return None
    if asked.parts["P"] and not re.search(words.OF_THE_DAY, said):
        return None  # a feast in a country: it may be another day there
    if years and (re.search(words.HAS_YEAR, said) or not years[0].text[0].isdigit()):
        return None
    return {**asked.place(), "date": f"{said} {years[0].value}" if years else said}


def _now(asked: Masked) -> Arguments | None:
    """What time or day it is, here or elsewhere."""
    if not asked.has(P=(0, 1), D=(0, 1)) or _without_today(asked) or asked.says(r"\bwhen\b"):
        return None
    if not asked.says(words.ASKS_TIME, words.ASKS_DATE) and not (asked.parts["D"] and asked.says(words.ASKS_TODAY)):
        return None
    questions = [clause for clause in re.split(words.CLAUSE_END, asked.text) if re.search(words.ASKS, clause)]
    if asked.parts["P"] and len(questions) > 1:
        return None  # 现在几点，纽约几点: here and there
    return asked.place() if _knows(asked, "now", context=bool(asked.parts["P"])) else None


def _nowhere(asked: Masked) -> Arguments | None:
    """The time in a place that is not known: the tool says so, and which names are like it."""
    match = re.fullmatch(words.UNKNOWN_PLACE, asked.said.strip()) if asked.has() else None
    name = match and (match["name"] or match["han"])
    return {"timezone": name} if name and unknown_words(name.lower(), "clocks") else None


_READERS: tuple[Callable[[Masked], Arguments | None], ...] = (
    *(_fact, _length, _zones, _conversion, _later, _span, _age, _difference, _day, _now, _nowhere),
)


def _counts(asked: Masked) -> bool:
    return asked.says(words.COUNTS, words.LEADING_UNIT, words.HOW_LONG)


def _without_today(asked: Masked) -> list[str]:
    return [text for text in asked.texts("D") if not re.fullmatch(words.TODAY, text)]


def _unit(asked: Masked) -> Arguments:
    """The unit that is asked for; none where several are, or none."""
    found = {
        name.removeprefix("h_")
        for pattern in (words.COUNTS, words.LEADING_UNIT)
        for match in re.finditer(pattern, asked.text)
        for name, said in match.groupdict().items()
        if said
    }
    if len(found) != 1:
        return {"unit": "weeks"} if found == {"weeks", "days"} else {}
    return {"business_days": True} if found == {"business"} else {"unit": found.pop()}
