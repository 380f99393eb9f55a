"""Days with a name: those that keep their date, those on the n-th weekday of a month, Easter, and the lunar ones.

The names are in `data/festivals.tsv`. Lunar feasts are known from 2000 to 2049 (`data/lunar_days.tsv`), by new moons
and solar terms as seen in Beijing.
"""

import re
from datetime import date, timedelta

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


def day_of(row: int, year: int) -> date:
    """The day of a feast in a year.

    Raises:
        Impossible: it is not known for that year.
    """
    rule, *given = rows("festivals")[row][0].split()
    later = timedelta(days=int(given.pop()) if given and given[-1][0] in "+-" else 0)
    if rule == "easter":
        return _easter(year) + later
    if rule == "lunar":
        return _lunar(year, int(given[0])) + later
    if not given:
        return date.fromisoformat(f"{year:04}-{rule}")
    first = date(year, int(rule), 1)
    return first + timedelta(days=(int(given[0]) - first.weekday()) % 7, weeks=int(given[1]) - 1) + later


def _lunar(year: int, column: int) -> date:
    days = {row[0]: row[1 + column] for row in rows("lunar_days")}
    if str(year) not in days:
        raise Impossible(message("lunar_feasts_unknown", first=min(days), last=max(days)))
    return date.fromisoformat(f"{year}-{days[str(year)]}")


def _easter(year: int) -> date:
    century, golden = year // 100, year % 19
    epact = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    moon = epact - (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    sunday = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
    return date(year, 3, 1) + timedelta(days=sunday + 27)
