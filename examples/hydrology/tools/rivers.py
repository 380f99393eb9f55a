"""一个河道站：最新水情，过程，洪峰，警戒水位，涨落。"""

from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import ToolContext, tool

from ._database import row, rows, taken_at
from ._stations import StationParams, course, find_station, said

STEADY = 0.02
"""Metres an hour: what changes less is called steady."""
_LAST = "SELECT * FROM river_hours WHERE code = ? AND hours_ago = 0"


def _station(code: str, context: ToolContext) -> tuple[dict[str, Any], dict[str, Any]]:
    """The station and its warning levels."""
    station = find_station(code, context, "river")
    return station, row("SELECT * FROM river_stations WHERE code = ?", code) or {}


class RiverLastParams(StationParams):
    """哪个站，问的是水位还是流量。"""

    measure: Literal["water_level", "flow"] = Field(
        default="water_level", description="问的是什么：water_level (水位, water level), flow (流量, discharge)"
    )


@tool(
    category="hydrology",
    tags=(
        "河道",
        "河道站",
        "水位",
        "流量",
        "水情",
        "站水位",
        "当前水位",
        "最新水情",
        "river",
        "station",
        "water level",
        "flow",
        "discharge",
        "current",
    ),
    capability_tags=("river", "河道水情"),
    sentences=(
        "某某站水位",
        "某某站现在的流量是多少",
        "某某站的最新水情",
        "What is the water level at the station?",
        "river flow at the station",
    ),
    returns="value：所问的数值, water_level：水位（米）, flow：流量（立方米每秒）, time：时间",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryRiverLast:
    """查询河道站最新水情：水位和流量。"""

    def execute(self, params: RiverLastParams, context: ToolContext) -> dict[str, Any]:
        """最近一个整点的读数。"""
        station, fixed = _station(params.station_code, context)
        now = row(_LAST, params.station_code) or {}
        above = round(now["water_level"] - fixed["warning_level"], 2)
        zh = (
            f"{station['title']}（{station['river']}）当前水位{now['water_level']}米，{'超过' if above > 0 else '低于'}"
            f"警戒水位{abs(above):g}米，流量{now['flow']:g}立方米每秒（{taken_at(0)}）"
        )
        en = (
            f"The water level at {station['title']} is {now['water_level']} m now, {abs(above):g} m "
            f"{'above' if above > 0 else 'below'} its warning level, with a flow of "
            f"{now['flow']:g} m³/s ({taken_at(0)})"
        )
        return {
            "station_name": station["title"],
            "value": now[params.measure],
            "water_level": now["water_level"],
            "flow": now["flow"],
            "time": taken_at(0),
            "sentence": said(context, zh, en),
        }


class PeriodParams(StationParams):
    """哪个站，多长时间。"""

    hours: int = Field(default=24, ge=1, le=240, description="最近多少小时")


@tool(
    category="hydrology",
    tags=("河道过程", "水位过程", "流量过程", "变化过程", "过程线", "river process", "course", "history"),
    sentences=(
        "某某站最近24小时的水位过程",
        "某某站过去两天流量变化过程",
        "course of the water level at the station over the past 24 hours",
    ),
    returns="rows with time：时间, water_level：水位（米）, flow：流量（立方米每秒）; change：变化（米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryRiverProcess:
    """查询河道站一段时间的水位、流量变化过程。"""

    def execute(self, params: PeriodParams, context: ToolContext) -> dict[str, Any]:
        """逐时读数，从早到晚。"""
        station, _ = _station(params.station_code, context)
        zh = f"{station['title']}最近{params.hours}小时"
        en = f"Over the past {params.hours} hours the water level at {station['title']}"
        return course(_hours(params), "flow", context, zh, en)


@tool(
    category="hydrology",
    tags=("洪峰", "洪峰流量", "最高水位", "峰值", "峰现时间", "flood peak", "peak"),
    sentences=("某某站的洪峰是多少", "某某站最近3天的洪峰流量", "When was the flood peak at the station?"),
    returns="water_level：洪峰水位（米）, flow：洪峰流量（立方米每秒）, time：峰现时间",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryRiverPeak:
    """查询河道站的洪峰：最高水位、洪峰流量和峰现时间。"""

    def execute(self, params: PeriodParams, context: ToolContext) -> dict[str, Any]:
        """一段时间里水位最高的一小时。"""
        station, _ = _station(params.station_code, context)
        top = max(_hours(params), key=lambda one: (one["water_level"], -one["hours_ago"]))
        time = taken_at(top["hours_ago"])
        zh = (
            f"{station['title']}最近{params.hours}小时的洪峰水位{top['water_level']}米，"
            f"洪峰流量{top['flow']:g}立方米每秒，出现在{time}"
        )
        en = (
            f"The flood peak at {station['title']} in the past {params.hours} hours was {top['water_level']} m with "
            f"{top['flow']:g} m³/s, at {time}"
        )
        return {
            "water_level": top["water_level"],
            "flow": top["flow"],
            "time": time,
            "sentence": said(context, zh, en),
        }


@tool(
    category="hydrology",
    tags=("警戒水位", "保证水位", "警戒", "防汛特征", "warning level", "guarantee level"),
    sentences=("某某站的警戒水位是多少", "某某站保证水位", "What is the warning level of the station?"),
    returns="warning_level：警戒水位（米）, guarantee_level：保证水位（米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryWarningLevel:
    """查询河道站的警戒水位和保证水位。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """防汛特征水位。"""
        station, fixed = _station(params.station_code, context)
        warning, guarantee = fixed["warning_level"], fixed["guarantee_level"]
        zh = f"{station['title']}的警戒水位是{warning:g}米，保证水位是{guarantee:g}米"
        en = f"The warning level at {station['title']} is {warning:g} m, the guarantee level {guarantee:g} m"
        return {"warning_level": warning, "guarantee_level": guarantee, "sentence": said(context, zh, en)}


@tool(
    category="hydrology",
    tags=("涨落", "涨水", "退水", "在涨", "在退", "上涨", "趋势", "rising", "falling", "trend"),
    sentences=(
        "某某站在涨水还是退水",
        "某某站水位上涨了吗",
        "某某站水位是涨还是落",
        "某某站水位趋势",
        "Is the water at the station rising or falling?",
    ),
    returns="trend：趋势, change：三小时变化（米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryRiverTrend:
    """判断河道站水位的涨落趋势：上涨、回落还是平稳。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """最近三小时的变化。"""
        station, _ = _station(params.station_code, context)
        found = rows("SELECT * FROM river_hours WHERE code = ? AND hours_ago IN (0, 3)", params.station_code)
        change = round(found[0]["water_level"] - found[1]["water_level"], 2)
        trend = "rising" if change > STEADY * 3 else "falling" if change < -STEADY * 3 else "steady"
        words = {"rising": "上涨", "falling": "回落", "steady": "平稳"}
        zh = f"{station['title']}水位{words[trend]}，最近3小时变化{change:+g}米，现为{found[0]['water_level']}米"
        en = f"The water at {station['title']} is {trend}: {change:+g} m in 3 hours, now {found[0]['water_level']} m"
        return {"trend": trend, "change": change, "sentence": said(context, zh, en)}


def _hours(params: PeriodParams) -> list[dict[str, Any]]:
    return rows(
        "SELECT * FROM river_hours WHERE code = ? AND hours_ago <= ? ORDER BY hours_ago DESC",
        params.station_code,
        params.hours,
    )
