"""Days with a name: those that keep their date, those on the n-th weekday of a month, Easter, and the lunar ones.

The names are in `data/festivals.tsv`. Lunar feasts are known from 2000 to 2049 (`data/lunar_days.tsv`), by new moons
and solar terms as seen in Beijing.
"""

import re
from datetime import date, timedelta

from switchyard.language.durations import days_in
from switchyard.language.errors import Impossible
from switchyard.language.messages import message
from switchyard.language.tables import rows

_NUMERAL = r"[零〇一二三四五六七八九十百千万亿两\d点折成]"
_OF_OTHERS = "".join(rf"(?<!{people} )" for people in ("chinese", "lunar", "jewish", "persian", "islamic", "thai"))
"""Whose new year is not the one of the first of January."""


def names(*, chinese: bool) -> str:
    """The names of all feasts in a language as one pattern, each feast as a group: its row."""
    return "|".join(
        f"(?P<feast{number}>{_pattern(row[1 + chinese], *row[3:])})"
        for number, row in enumerate(rows("festivals"))
        if row[1 + chinese] != "-"
    )


def day_of(row: int, year: int) -> date:
    """The day of a feast in a year.

    Raises:
        Impossible: it is not known for that year.
    """
    rule, *given = rows("festivals")[row][0].split()
    if rule == "easter":
        return _easter(year) + timedelta(days=int(given[0]) if given else 0)
    if rule == "qingming":
        return _clear_and_bright(year)
    if rule == "lunar":
        return _lunar(year, int(given[0])) + timedelta(days=int(given[1]) if given[1:] else 0)
    if not given:
        return date(year, int(rule[:2]), int(rule[3:]))
    weekday = nth_weekday(year, int(rule), int(given[0]), int(given[1])) or date(year, int(rule), 1)
    return weekday + timedelta(days=int(given[2]) if given[2:] else 0)


def nth_weekday(year: int, month: int, weekday: int, n: int) -> date | None:
    """The n-th Monday, Tuesday … of a month, counted from its end for -1; None where it has no such day."""
    if n < 0:
        last = date(year, month, days_in(year, month))
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    day = 1 + (weekday - date(year, month, 1).weekday()) % 7 + 7 * (n - 1)
    return date(year, month, day) if day <= days_in(year, month) else None


def _pattern(listed: str, not_after: str = "-", not_before: str = "") -> str:
    """The names of a row; numerals alone (五一) only where no other number is meant."""
    found: list[str] = []
    for name in listed.split("|"):
        said = re.escape(name).replace("'", "['’]?")
        if re.fullmatch(_NUMERAL + "+", name):
            said = f"(?<!{_NUMERAL}){said}(?!{_NUMERAL}|[个分天年月])"
        found.append(f"(?:the )?{_OF_OTHERS}{said}" if name.isascii() else said)
    before = "" if not_after == "-" else f"(?<![{not_after}])"
    return f"{before}(?:{'|'.join(found)})" + (rf"(?!\s?(?:{not_before}))" if not_before else "")


def _lunar(year: int, column: int) -> date:
    first, last = rows("lunar_days")[0][0], rows("lunar_days")[-1][0]
    if not int(first) <= year <= int(last):
        raise Impossible(message("lunar_feasts_unknown", first=first, last=last))
    return date.fromisoformat(f"{year}-{rows('lunar_days')[year - int(first)][1 + column]}")


def _easter(year: int) -> date:
    century, golden = year // 100, year % 19
    epact = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    moon = epact - (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    sunday = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
    month = 3 + (sunday + 40) // 44
    return date(year, month, sunday + 28 - 31 * (month // 4))


def _clear_and_bright(year: int) -> date:
    """清明, a solar term; the rule holds for this century."""
    if not 2000 <= year < 2100:  # noqa: PLR2004  this century
        raise Impossible(message("qingming_unknown"))
    since = year - 2000
    return date(year, 4, int(since * 0.2422 + 4.81) - since // 4)
