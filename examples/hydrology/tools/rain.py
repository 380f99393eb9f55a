"""一个站的雨量：累计，逐时过程，统计，某一天。"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from pydantic import Field

from switchyard.tools.core import ToolContext, ToolFailed, tool

from ._database import present, row, rows, taken_at
from ._stations import StationParams, find_station, said


class RainParams(StationParams):
    """哪个站，多长时间。"""

    hours: int = Field(default=24, ge=1, le=240, description="最近多少小时")


@tool(
    category="hydrology",
    tags=(
        "雨量",
        "降雨量",
        "累计雨量",
        "降水量",
        "下雨",
        "下了多少雨",
        "rain",
        "rainfall",
        "total rain",
        "precipitation",
    ),
    capability_tags=("rain", "雨情"),
    sentences=(
        "某某站雨量",
        "某某水库的雨量",
        "某某站最近24小时的累计雨量",
        "某某站过去3天下了多少雨",
        "How much rain fell at the station in the past 24 hours?",
        "rainfall at the station",
    ),
    returns="value：累计雨量（毫米）, unit：单位, hours：小时数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryRainSum:
    """查询测站一段时间的累计雨量。"""

    def execute(self, params: RainParams, context: ToolContext) -> dict[str, Any]:
        """雨量之和。"""
        station = find_station(params.station_code, context)
        total = sum(one["rain"] for one in _hours(params))
        zh = f"{station['title']}最近{params.hours}小时累计雨量{total:g}毫米"
        en = f"{total:g} mm of rain fell at {station['title']} in the past {params.hours} hours"
        return {
            "station_name": station["title"],
            "value": total,
            "unit": "mm",
            "hours": params.hours,
            "sentence": said(context, zh, en),
        }


@tool(
    category="hydrology",
    tags=("雨量过程", "逐时雨量", "逐小时", "降雨过程", "hourly rain", "hour by hour"),
    sentences=("某某站最近12小时的逐时雨量", "某某站的降雨过程", "hourly rain at the station"),
    returns="rows with time：时间, rain：雨量（毫米）; value：合计（毫米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryRainProcess:
    """查询测站的逐时雨量过程。"""

    def execute(self, params: RainParams, context: ToolContext) -> dict[str, Any]:
        """逐时雨量，从早到晚。"""
        station = find_station(params.station_code, context)
        hours = _hours(params)
        found = [{"time": taken_at(one["hours_ago"]), "rain": one["rain"]} for one in hours]
        total = sum(one["rain"] for one in hours)
        zh = f"{station['title']}最近{params.hours}小时逐时雨量如下，合计{total:g}毫米"
        en = f"Hourly rain at {station['title']} in the past {params.hours} hours, {total:g} mm in all"
        return {"value": total, "rows": found, "sentence": said(context, zh, en)}


@tool(
    category="hydrology",
    tags=("雨量统计", "降雨统计", "最大小时雨量", "雨强", "降雨历时", "rain statistics", "intensity"),
    sentences=("某某站最近48小时的雨量统计", "某某站最大小时雨量是多少", "rain statistics of the station"),
    returns="total：累计（毫米）, greatest：最大小时雨量（毫米）, time：发生时间, wet_hours：有雨小时数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryRainStatistics:
    """统计测站一段时间的雨量：累计、最大小时雨量及时间、有雨小时数。"""

    def execute(self, params: RainParams, context: ToolContext) -> dict[str, Any]:
        """统计值。"""
        station = find_station(params.station_code, context)
        found = _hours(params)
        top = max(found, key=lambda one: one["rain"])
        total, wet = sum(one["rain"] for one in found), sum(one["rain"] > 0 for one in found)
        time = taken_at(top["hours_ago"])
        zh = (
            f"{station['title']}最近{params.hours}小时累计雨量{total:g}毫米，有雨{wet}小时，"
            f"最大小时雨量{top['rain']:g}毫米（{time}）"
        )
        en = (
            f"In the past {params.hours} hours {station['title']} had {total:g} mm of rain in {wet} wet hours, at most "
            f"{top['rain']:g} mm in one hour ({time})"
        )
        return {
            "total": total,
            "greatest": top["rain"],
            "time": time,
            "wet_hours": wet,
            "sentence": said(context, zh, en),
        }


class RainDayParams(StationParams):
    """哪个站，哪一天。"""

    date: str = Field(description="日期，YYYY-MM-DD")


@tool(
    category="hydrology",
    tags=("日雨量", "当天雨量", "昨天", "前天", "那天", "daily rain", "yesterday", "rain on a day"),
    sentences=("某某站昨天的雨量", "某某站前天下了多少雨", "How much did it rain at the station yesterday?"),
    returns="value：日雨量（毫米）, date：日期",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryRainDay:
    """查询测站某一天的日雨量（零点到零点）。"""

    def __init__(self, clock: Callable[[], datetime] = present) -> None:
        self._clock = clock

    def execute(self, params: RainDayParams, context: ToolContext) -> dict[str, Any]:
        """那一天的雨量之和。"""
        station = find_station(params.station_code, context)
        now = self._clock()
        try:
            day = datetime.fromisoformat(params.date).date()
        except ValueError as error:
            raise ToolFailed(f"'{params.date}': YYYY-MM-DD", kind="bad_arguments") from error
        # a reading is the rain of the hour before it: that of midnight belongs to the day that ends
        last = now.hour + 24 * ((now.date() - day).days - 1)
        found = row(
            "SELECT sum(rain) AS total, count(*) AS hours FROM rain_hours"
            " WHERE code = ? AND hours_ago >= ? AND hours_ago < ?",
            params.station_code,
            max(last, 0),
            last + 24,
        )
        if found is None or not found["hours"]:
            zh, en = (
                f"没有{day}的雨量资料，只有最近十天的",
                f"There are no readings of {day}, only of the last ten days",
            )
            raise ToolFailed(said(context, zh, en), kind="not_found")
        total = found["total"]
        zh = f"{station['title']}{day}的雨量是{total:g}毫米"
        en = f"{total:g} mm of rain fell at {station['title']} on {day}"
        return {"value": total, "unit": "mm", "date": f"{day}", "sentence": said(context, zh, en)}


def _hours(params: RainParams) -> list[dict[str, Any]]:
    return rows(
        "SELECT * FROM rain_hours WHERE code = ? AND hours_ago < ? ORDER BY hours_ago DESC",
        params.station_code,
        params.hours,
    )
