"""What `get_time` says, in both languages; its sentences are in `language/data/time_answers.tsv`."""

from datetime import date, datetime
from typing import Any

from switchyard.language.dates import WEEKDAYS
from switchyard.language.durations import Duration, shifted
from switchyard.language.tables import rows
from switchyard.tools.core import Language
from switchyard.tools.core.plain_words import counted

SECONDS = {"hours": 3600, "minutes": 60, "seconds": 1}
_DAY, _WEEK = 86400, 7


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

    def listed(self, parts: dict[str, int], empty: str = "day") -> str:
        """`2 years, 9 months and 6 days`, 2年9个月6天; parts that are nothing are left out, but for the last one."""
        said = {unit: count for unit, count in parts.items() if count} or {empty: 0}
        if self._zh:
            return "".join(f"{count}{self.sentence(unit, {})}" for unit, count in said.items())
        *most, last = [counted(count, unit) for unit, count in said.items()]
        return f"{', '.join(most)} and {last}" if most else last

    def length(self, duration: Duration) -> str:
        """A duration without its sign."""
        months, seconds = abs(duration.months), abs(duration.seconds)
        parts = {"year": months // 12, "month": months % 12, "day": abs(duration.days)}
        parts |= {"business day": abs(duration.workdays), "hour": seconds // 3600}
        return self.listed({**parts, "minute": seconds // 60 % 60, "second": seconds % 60})

    def _with_more(self, told: str, more: str) -> str:
        return told if told == more else self.either(f"{told} ({more})", f"{told}（{more}）")

    def weeks(self, days: int) -> str:
        """Days as weeks and days."""
        return self.listed({"week": abs(days) // _WEEK, "day": abs(days) % _WEEK})

    def difference(self, start: date, end: date) -> str:
        """The time between two dates in years, months and days; in weeks and days below a month."""
        between = apart(start, end)
        return self.length(between) if between.months else self.weeks(between.days)

    def distance(self, start: date, end: date, unit: str | None, workdays: int | None) -> str:
        """The time between two dates in the unit asked for, and in another."""
        days, between = abs((end - start).days), apart(start, end)
        total = self.listed({"day": days})
        if workdays is not None:
            of_all = self.either(f"Monday to Friday, of {total} in all", f"周一至周五，共{total}")
            return self._with_more(self.listed({"business day": abs(workdays)}, "business day"), of_all)
        if unit == "months":
            return self._with_more(self.listed({"month": between.months, "day": between.days}, "month"), total)
        told = {"weeks": self.weeks(days), "years": self.length(between)}.get(unit or "", total)
        return self._with_more(told, total if told != total else self.difference(start, end))

    def span(self, start: datetime, end: datetime, unit: str | None = None) -> str:
        """The time between two moments, in either order, to the minute; to the second below one."""
        seconds = abs(int((end - start).total_seconds()))
        whole = seconds // 60 * 60 or seconds
        size = self.length(Duration(days=whole // _DAY, seconds=whole % _DAY))
        each = SECONDS.get(unit or "")
        if not each or seconds < each:
            return size
        rest = {"minute": seconds % each // 60} if unit == "hours" else {}
        return self._with_more(size, self.listed({(unit or "")[:-1]: seconds // each, **rest}))


def apart(start: date, end: date) -> Duration:
    """Whole months and the days left over, from the earlier to the later date."""
    start, end = sorted((start, end))
    months = (end.year - start.year) * 12 + end.month - start.month
    months -= shifted(start, Duration(months=months)) > end
    return Duration(months=months, days=(end - shifted(start, Duration(months=months))).days)


def in_unit(start: date, end: date, unit: str) -> int | float | None:
    """The time between two dates as one number; None where it is no whole number of months or years."""
    days, between = abs((end - start).days), apart(start, end)
    if unit in {"months", "years"}:
        whole, rest = divmod(between.months, 12 if unit == "years" else 1)
        return None if rest or between.days else whole
    if unit == "weeks":
        return round(days / _WEEK, 2) if days % _WEEK else days // _WEEK
    return days


def told(moment: datetime) -> str:
    """A time of day, with its seconds where it has any."""
    return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")


def both_told(first: datetime, second: datetime) -> tuple[str, str]:
    """Two moments, with their dates where these differ."""
    near = first.date() == second.date()
    one, other = (told(moment) if near else f"{moment.date()} {told(moment)}" for moment in (first, second))
    return one, other
