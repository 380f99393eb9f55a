"""The time of day, here or anywhere else."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from tools.core import BaseToolParams, Language, ToolContext, ToolFailed, tool
from tools.core.places import Place, cities_of, nearest_places, tzinfo_of, zone_of

_WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}
_LOCALTIME = Path("/etc/localtime")


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


class GetTimeParams(BaseToolParams):
    """Whose time."""

    timezone: str | None = Field(
        default=None,
        description=(
            "A city or country in English or Chinese (Tokyo, 东京), an IANA zone (Asia/Tokyo) or an offset (UTC+8). "
            "Leave it out for the local time."
        ),
    )


@tool(
    category="time",
    tags=(
        "time",
        "date",
        "clock",
        "timezone",
        "today",
        "now",
        "weekday",
        "时间",
        "日期",
        "时区",
        "几点",
        "现在",
        "今天",
        "星期几",
    ),
    capability_tags=("time", "时间"),
    examples=(
        "What time is it?",
        "What time is it in Tokyo?",
        "What is today's date?",
        "current time in New York",
        "Which day of the week is it in London?",
        "现在几点了？",
        "东京现在几点？",
        "今天是几号？",
        "纽约现在是什么时间",
        "今天星期几",
    ),
    returns="place, timezone, time, clock, date, weekday, utc_offset",
    answers={
        "en": "It is {clock} on {weekday}, {date} in {place} ({timezone})",
        "zh": "{place}现在是{date} {weekday} {clock}（{timezone}）",
    },
)
class GetTime:
    """Tell the current time, date and weekday, locally or in a city, country or time zone."""

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._clock = clock

    def execute(self, params: GetTimeParams, context: ToolContext) -> dict[str, Any]:
        """The clock, the date and the weekday of a place."""
        place = _place(params.timezone) if params.timezone else local_place()
        moment = self._clock().astimezone(tzinfo_of(place.zone))
        offset = moment.strftime("%z")
        return {
            "place": place.name_zh if context.language == "zh" else place.name_en,
            "timezone": place.zone,
            "time": moment.isoformat(timespec="seconds"),
            "clock": moment.strftime("%H:%M"),
            "date": moment.date().isoformat(),
            "weekday": _WEEKDAYS[context.language][moment.weekday()],
            "utc_offset": f"{offset[:3]}:{offset[3:5]}",
        }


def local_place() -> Place:
    """The zone this machine is set to; its offset, where the name of the zone cannot be told."""
    wanted = os.environ.get("TZ", "").lstrip(":") or str(_LOCALTIME.resolve()).rpartition("zoneinfo/")[2]
    place = zone_of(wanted)
    if place is None:
        offset = datetime.now(UTC).astimezone().strftime("%z")
        place = zone_of(f"UTC{offset[:3]}:{offset[3:5]}")
    return Place("your time zone", "本地", place.zone if place else "UTC")


def _place(name: str) -> Place:
    if place := zone_of(name):
        return place
    if cities := cities_of(name):
        raise ToolFailed(f"{name} has several time zones; name a city such as {', '.join(cities)}.", kind="not_found")
    nearest = [f"{place.name_en} ({place.name_zh})" for place in nearest_places(name)]
    hint = f"Did you mean {', '.join(nearest)}?" if nearest else "Name a larger city, an IANA zone or an offset."
    raise ToolFailed(f"No place or time zone called '{name[:100]}' is known. {hint}", kind="not_found")
