"""所有河道站和河流：超警戒，排名，河流概况。"""

from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool

from ._database import row, rows
from ._stations import REGION_NAMES, RIVER_NAMES, WITHIN, Region, River, entry, said, where_of

_NOW = (
    "SELECT s.*, h.water_level, h.flow, f.warning_level, f.guarantee_level FROM river_hours h"
    " JOIN river_stations f USING (code) JOIN stations s USING (code) WHERE h.hours_ago = 0"
)


class ThresholdParams(BaseToolParams):
    """超过什么。"""

    threshold: Literal["warning", "guarantee"] = Field(
        description="超过哪一个水位：warning (警戒水位, 警戒, 超警, warning level), "
        "guarantee (保证水位, 保证, guarantee level)"
    )


@tool(
    category="hydrology",
    tags=(
        "超警戒",
        "超警",
        "超过警戒水位",
        "超警戒水位",
        "超警站",
        "above the warning level",
        "exceed warning",
        "flood stations",
    ),
    sentences=(
        "哪些河道站超过警戒水位",
        "哪些站超警",
        "有没有站超警戒水位",
        "Which stations are above their warning level?",
    ),
    returns="stations with station_code：站码, name：站名, water_level：水位（米）, above：超出（米）; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class ListStationsOverWarning:
    """列出水位超过警戒水位（或保证水位）的河道站。"""

    def execute(self, params: ThresholdParams, context: ToolContext) -> dict[str, Any]:
        """超过的站，超得最多的在前。"""
        listed: list[dict[str, Any]] = []
        zh_name, en_name = {"warning": ("警戒", "warning"), "guarantee": ("保证", "guarantee")}[params.threshold]
        for one in rows(_NOW):
            above = round(one["water_level"] - one[f"{params.threshold}_level"], 2)
            zh = f"{{name}}（{one['river']}）水位{{water_level}}米，超{zh_name}{{above:g}}米"
            en = "{name} at {water_level} m, {above:g} m above"
            if above > 0:
                listed.append(entry(one, context, zh, en, water_level=one["water_level"], above=above))
        listed.sort(key=lambda one: -one["above"])
        zh = f"当前有{len(listed)}个河道站超过{zh_name}水位" if listed else f"当前没有河道站超过{zh_name}水位"
        en = f"{len(listed)} river stations are above their {en_name} level"
        return {"stations": listed, "count": len(listed), "sentence": said(context, zh, en)}


class RankStationsParams(BaseToolParams):
    """按什么排，从高到低还是从低到高。"""

    by: Literal["flow", "water_level"] = Field(
        default="flow", description="按什么比较：flow (流量, discharge), water_level (水位, level)"
    )
    order: Literal["highest", "lowest"] = Field(
        description="highest (最高, 最大, 最多, 排名, rank, largest, most, greatest), "
        "lowest (最低, 最小, 最少, smallest, least)",
    )
    river: River | None = Field(default=None, description=f"河流：{RIVER_NAMES}")
    region: Region | None = Field(default=None, description=f"地市：{REGION_NAMES}")


@tool(
    category="hydrology",
    tags=(
        "河道站排名",
        "哪个站",
        "哪个河道站",
        "流量最大",
        "水位最高",
        "最大",
        "最高",
        "最小",
        "最低",
        "rank",
        "which station",
        "highest",
        "largest",
    ),
    sentences=("哪个站流量最大", "哪个河道站水位最高", "河道站流量排名", "Which station has the largest flow?"),
    returns="stations with station_code：站码, name：站名, value：数值; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class RankRiverStations:
    """比较所有河道站，按流量或水位排名，回答哪个站最大、最高。"""

    def execute(self, params: RankStationsParams, context: ToolContext) -> dict[str, Any]:
        """所有河道站，最符合的在前。"""
        found = rows(f"{_NOW}{WITHIN}", params.river, params.region)
        where = where_of(params.river, params.region, context)
        if not found:
            raise ToolFailed(
                said(context, f"{where}没有河道站", f"There is no river station {where}"), kind="not_found"
            )
        found.sort(key=lambda one: one[params.by], reverse=params.order == "highest")
        zh_name, en_name, zh_unit, en_unit = {
            "flow": ("流量", "flow", "立方米每秒", "m³/s"),
            "water_level": ("水位", "water level", "米", "m"),
        }[params.by]
        of_each = f"{{name}}的{zh_name}为{{value:g}}{zh_unit}", f"The {en_name} of {{name}} is {{value:g}} {en_unit}"
        ranked = [entry(one, context, *of_each, value=one[params.by]) for one in found]
        first, word = ranked[0], {"highest": "最大", "lowest": "最小"}[params.order]
        zh = f"{first['name']}的{zh_name}{word}，为{first['value']:g}{zh_unit}"
        en = f"{first['name']} has the {params.order} {en_name}: {first['value']:g} {en_unit}"
        return {"stations": ranked, "count": len(ranked), "sentence": said(context, zh, en)}


class RiverParams(BaseToolParams):
    """哪条河。"""

    river: River = Field(description=f"河流：{RIVER_NAMES}")


@tool(
    category="hydrology",
    tags=(
        "河流概况",
        "河长",
        "河流长度",
        "流域面积",
        "多长",
        "流入",
        "river length",
        "how long",
        "basin area",
        "river",
    ),
    sentences=("某某河有多长", "某某河的流域面积", "某某河流入哪里", "How long is the river?"),
    returns="length_km：河长（公里）, basin_km2：流域面积（平方公里）, flows_into：汇入",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class QueryRiverInfo:
    """查询河流概况：河长、流域面积、汇入哪条河、流经哪里。"""

    def execute(self, params: RiverParams, context: ToolContext) -> dict[str, Any]:
        """一条河的概况。"""
        found = row("SELECT * FROM rivers WHERE name = ?", params.river) or {}
        zh = (
            f"{found['name']}长{found['length_km']:g}公里，流域面积{found['basin_km2']:g}平方公里，"
            f"流经{found['counties']}，汇入{found['flows_into']}"
        )
        en = (
            f"The {found['name_en']} is {found['length_km']:g} km long, drains {found['basin_km2']:g} km² and flows "
            f"into the {found['flows_into_en']}"
        )
        return {
            "length_km": found["length_km"],
            "basin_km2": found["basin_km2"],
            "flows_into": found["flows_into"],
            "sentence": said(context, zh, en),
        }
