"""What `get_time` says, in both languages; its sentences are in `language/data/time_answers.tsv`."""

from datetime import date, datetime
from typing import Any

from switchyard.language.dates import WEEKDAYS
from switchyard.language.durations import Duration, shifted
from switchyard.language.tables import rows
from switchyard.tools.core import Language
from switchyard.tools.core.plain_words import counted

SECONDS = {"hours": 3600, "minutes": 60, "seconds": 1}
_DAY = 86400


class Wording:
    """The words of one language."""

    def __init__(self, language: Language) -> None:
        self._zh = language == "zh"

    def sentence(self, name: str, said: dict[str, Any]) -> str:
        """One of the sentences with its blanks filled."""
        return next(row for row in rows("time_answers") if row[0] == name)[1 + self._zh].format(**said)

    def either(self, english: str, chinese: str) -> str:
        """What is said in this language."""
        return chinese if self._zh else english

    def weekday(self, day: date) -> str:
        """Its name."""
        return self.either(WEEKDAYS[day.weekday()], f"星期{'一二三四五六日'[day.weekday()]}")

    def shift(self, days: int) -> str:
        """On which day, seen from another."""
        name = f"shift{days:+}" if abs(days) <= 1 else "shift_on" if days > 0 else "shift_back"
        return self.sentence(name, {"days": abs(days)})

    def listed(self, parts: dict[str, int]) -> str:
        """`2 years, 9 months and 6 days`, 2年9个月6天; parts that are nothing are left out."""
        said = {unit: count for unit, count in parts.items() if count} or {next(iter(parts)): 0}
        if self._zh:
            return "".join(f"{count}{self.sentence(unit, {})}" for unit, count in said.items())
        *most, last = [counted(count, unit) for unit, count in said.items()]
        return f"{', '.join(most)} and {last}" if most else last

    def length(self, duration: Duration) -> str:
        """A duration without its sign."""
        months, seconds = abs(duration.months), abs(duration.seconds)
        parts = {"year": months // 12, "month": months % 12, "business day": abs(duration.workdays)}
        clock = {"hour": seconds // 3600, "minute": seconds // 60 % 60, "second": seconds % 60}
        return self.listed({**parts, "day": abs(duration.days), **clock})

    def span(self, start: datetime, end: datetime, unit: str | None = None) -> str:
        """The time between two moments, in either order, to the minute; to the second below one."""
        seconds = abs(int((end - start).total_seconds()))
        if unit in SECONDS and seconds >= SECONDS[unit]:
            rest = {"minute": seconds % 3600 // 60} if unit == "hours" else {}
            return self.listed({unit[:-1]: seconds // SECONDS[unit], **rest})
        whole = seconds // 60 * 60 or seconds
        return self.length(Duration(days=whole // _DAY, seconds=whole % _DAY))

    def distance(self, start: date, end: date, unit: str | None, workdays: int | None) -> tuple[str, int | None]:
        """The time between two dates in the unit asked for, and as one number where it is a whole one."""
        start, end = sorted((start, end))
        days, months = (end - start).days, (end.year - start.year) * 12 + end.month - start.month
        months -= shifted(start, Duration(months=months)) > end
        rest = (end - shifted(start, Duration(months=months))).days
        parts = {
            "weeks": {"week": days // 7, "day": days % 7},
            "months": {"month": months, "day": rest},
            "years": {"year": months // 12, "month": months % 12, "day": rest},
        }.get(unit or "", {"day": days})
        if workdays is not None:
            note = self.either(" (Monday to Friday)", "（周一至周五）")
            return self.listed({"business day": abs(workdays)}) + note, workdays
        first, *others = parts.values()
        return self.listed(parts), None if any(others) else first


def told(moment: datetime) -> str:
    """A time of day, with its seconds where it has any."""
    return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")


def both_told(first: datetime, second: datetime) -> tuple[str, str]:
    """Two moments, with their dates where these differ."""
    near = first.date() == second.date()
    one, other = (told(moment) if near else f"{moment.date()} {told(moment)}" for moment in (first, second))
    return one, other
