"""一座水库：最新水情，过程，特征水位，蓄水，库容曲线。"""

from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import ToolContext, tool

from ._build import storage_at
from ._database import row, rows, taken_at
from ._stations import StationParams, course, find_station, said

_LAST = "SELECT * FROM reservoir_hours WHERE code = ? AND hours_ago = 0"
_CUBIC = {"million_m3": 1.0, "hundred_million_m3": 0.01, "ten_thousand_m3": 100.0}
_CUBIC_NAMES = {
    "million_m3": ("百万立方米", "million m³"),
    "hundred_million_m3": ("亿立方米", "hundred million m³"),
    "ten_thousand_m3": ("万立方米", "ten thousand m³"),
}


def _reservoir(code: str, context: ToolContext) -> tuple[dict[str, Any], dict[str, Any]]:
    """The station and what is fixed about the reservoir."""
    station = find_station(code, context, "reservoir")
    return station, row("SELECT * FROM reservoirs WHERE code = ?", code) or {}


@tool(
    category="hydrology",
    tags=(
        "水库",
        "水位",
        "库水位",
        "水情",
        "当前水位",
        "最新水情",
        "实时",
        "离汛限水位",
        "距汛限水位",
        "reservoir",
        "water level",
        "below the flood limit",
        "latest",
        "current",
    ),
    capability_tags=("reservoir", "水库水情"),
    sentences=(
        "某某水库当前水位",
        "某某水库现在的水位是多少",
        "某某水库最新水情",
        "某某水库离汛限水位还有多少米",
        "How far is the reservoir below its flood limit level?",
        "What is the current water level of the reservoir?",
    ),
    returns="value：水位（米）, storage：蓄水量（百万立方米）, inflow：入库流量, outflow：出库流量, time：时间",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryReservoirLast:
    """查询水库最新水情：库水位、蓄水量、入库和出库流量。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """最近一个整点的读数。"""
        station, fixed = _reservoir(params.station_code, context)
        now = row(_LAST, params.station_code) or {}
        above = round(now["water_level"] - fixed["flood_limit_level"], 2)
        zh = (
            f"{station['title']}当前水位{now['water_level']}米（{'高于' if above > 0 else '低于'}汛限水位"
            f"{abs(above):g}米），蓄水量{now['storage']}百万立方米，入库流量{now['inflow']:g}立方米每秒，"
            f"出库流量{now['outflow']:g}立方米每秒（{taken_at(0)}）"
        )
        en = (
            f"The water level of {station['title']} is {now['water_level']} m now ({abs(above):g} m "
            f"{'above' if above > 0 else 'below'} the flood limit), with {now['storage']} million m³ in storage, "
            f"{now['inflow']:g} m³/s flowing in and {now['outflow']:g} m³/s out ({taken_at(0)})"
        )
        fields = {name: now[name] for name in ("water_level", "storage", "inflow", "outflow")}
        return {
            "station_name": station["title"],
            "value": now["water_level"],
            "unit": "m",
            **fields,
            "time": taken_at(0),
            "sentence": said(context, zh, en),
        }


class ReservoirProcessParams(StationParams):
    """哪个水库，多长时间。"""

    hours: int = Field(default=24, ge=1, le=240, description="最近多少小时")


@tool(
    category="hydrology",
    tags=("水库过程", "库水位过程", "水库变化", "变化过程", "过程线", "reservoir process", "course", "history", "past"),
    sentences=(
        "某某水库最近24小时的水位变化过程",
        "某某水库过去3天的水位过程",
        "water level of the reservoir over the past 24 hours",
    ),
    returns="rows with time：时间, water_level：水位（米）, storage：蓄水量; change：变化（米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryReservoirProcess:
    """查询水库一段时间的水位、蓄水量变化过程。"""

    def execute(self, params: ReservoirProcessParams, context: ToolContext) -> dict[str, Any]:
        """逐时读数，从早到晚。"""
        station, _ = _reservoir(params.station_code, context)
        found = rows(
            "SELECT * FROM reservoir_hours WHERE code = ? AND hours_ago <= ? ORDER BY hours_ago DESC",
            params.station_code,
            params.hours,
        )
        zh = f"{station['title']}最近{params.hours}小时"
        en = f"Over the past {params.hours} hours the water level of {station['title']}"
        return course(found, "storage", context, zh, en)


@tool(
    category="hydrology",
    tags=(
        "汛限水位",
        "特征水位",
        "正常蓄水位",
        "设计洪水位",
        "死水位",
        "总库容",
        "flood limit",
        "design level",
        "total capacity",
    ),
    sentences=("某某水库的汛限水位是多少", "某某水库总库容", "What is the flood limit level of the reservoir?"),
    returns="flood_limit_level：汛限水位, normal_level：正常蓄水位, design_level：设计洪水位, total_storage：库容",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryReservoirDesign:
    """查询水库的特征水位和总库容：汛限水位、正常蓄水位、设计洪水位、死水位。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """设计值。"""
        station, fixed = _reservoir(params.station_code, context)
        zh = (
            f"{station['title']}的汛限水位是{fixed['flood_limit_level']:g}米，正常蓄水位{fixed['normal_level']:g}米，"
            f"设计洪水位{fixed['design_level']:g}米，死水位{fixed['dead_level']:g}米，"
            f"总库容{fixed['total_storage']:g}百万立方米"
        )
        en = (
            f"The flood limit of {station['title']} is {fixed['flood_limit_level']:g} m, its normal level "
            f"{fixed['normal_level']:g} m, its design flood level {fixed['design_level']:g} m, its dead level "
            f"{fixed['dead_level']:g} m, and its total capacity {fixed['total_storage']:g} million m³"
        )
        names = ("flood_limit_level", "normal_level", "design_level", "dead_level", "total_storage")
        return {**{name: fixed[name] for name in names}, "sentence": said(context, zh, en)}


class StorageParams(StationParams):
    """哪个水库，用什么单位。"""

    unit: Literal["million_m3", "hundred_million_m3", "ten_thousand_m3"] = Field(
        default="million_m3",
        description="单位：hundred_million_m3 (亿立方米, 亿立方, 亿方, hundred million), "
        "million_m3 (百万立方米, 百万方, million cubic metres), ten_thousand_m3 (万立方米, 万立方, 万方)",
    )


@tool(
    category="hydrology",
    tags=(
        "蓄水量",
        "蓄满率",
        "蓄水率",
        "库容占比",
        "百分之几",
        "百分比",
        "剩余库容",
        "storage",
        "percent",
        "how full",
        "full",
        "capacity",
    ),
    sentences=(
        "某某水库现在蓄水量是多少亿立方米",
        "某某水库的蓄满率是多少",
        "某某水库占总库容的百分之几",
        "How full is the reservoir?",
        "How many million cubic metres of storage does the reservoir hold?",
    ),
    returns="value：蓄水量, unit：单位, percent：蓄满率（%）, free：剩余库容",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryReservoirStorage:
    """查询水库的蓄水量、占总库容的百分比（蓄满率）和剩余库容，可换单位。"""

    def execute(self, params: StorageParams, context: ToolContext) -> dict[str, Any]:
        """蓄水量与总库容之比。"""
        station, fixed = _reservoir(params.station_code, context)
        now = row(_LAST, params.station_code) or {}
        factor, (unit_zh, unit_en) = _CUBIC[params.unit], _CUBIC_NAMES[params.unit]
        percent = round(100 * now["storage"] / fixed["total_storage"], 1)
        value, total = round(now["storage"] * factor, 4), round(fixed["total_storage"] * factor, 4)
        free = round(total - value, 4)
        zh = (
            f"{station['title']}当前蓄水量{value:g}{unit_zh}，占总库容{total:g}{unit_zh}的{percent}%，"
            f"剩余库容{free:g}{unit_zh}"
        )
        en = (
            f"{station['title']} holds {value:g} {unit_en} now, {percent}% of its capacity of {total:g} {unit_en}; "
            f"{free:g} {unit_en} are free"
        )
        return {
            "value": value,
            "unit": unit_zh if context.language == "zh" else unit_en,
            "percent": percent,
            "free": free,
            "sentence": said(context, zh, en),
        }


class LevelToStorageParams(StationParams):
    """哪个水库，水位多少。"""

    level: float = Field(description="水位，单位米")


@tool(
    category="hydrology",
    tags=("库容曲线", "水位库容", "对应库容", "对应的库容", "对应蓄水量", "storage curve", "storage at level"),
    sentences=("某某水库水位250米对应的库容是多少", "storage of the reservoir at a level of 250 m"),
    returns="value：库容（百万立方米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryStorageCurve:
    """按水位库容曲线，查询水库某一水位对应的库容。"""

    def execute(self, params: LevelToStorageParams, context: ToolContext) -> dict[str, Any]:
        """曲线上的一点。"""
        station, fixed = _reservoir(params.station_code, context)
        value = round(storage_at(params.level, fixed), 2)
        zh = f"{station['title']}水位{params.level:g}米对应的库容约为{value:g}百万立方米"
        en = f"At {params.level:g} m, {station['title']} holds about {value:g} million m³"
        return {"value": value, "unit": "million m³", "sentence": said(context, zh, en)}
