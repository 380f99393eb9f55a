"""所有水库：排名，超汛限。"""

from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool

from ._database import rows
from ._stations import REGION_NAMES, RIVER_NAMES, WITHIN, Region, River, entry, said, title, where_of

_NOW = (
    "SELECT s.*, h.water_level, h.storage, h.inflow, round(100 * h.storage / r.total_storage, 1) AS percent"
    " FROM reservoir_hours h JOIN reservoirs r USING (code) JOIN stations s USING (code) WHERE h.hours_ago = 0"
)
_MEASURES = {
    "water_level": ("水位", "water level", "米", "m"),
    "storage": ("蓄水量", "storage", "百万立方米", "million m³"),
    "percent": ("蓄满率", "share of capacity", "%", "%"),
    "inflow": ("入库流量", "inflow", "立方米每秒", "m³/s"),
}


class RankReservoirsParams(BaseToolParams):
    """按什么排，从高到低还是从低到高。"""

    by: Literal["water_level", "storage", "percent", "inflow"] = Field(
        default="storage",
        description="按什么比较：water_level (水位, level), storage (蓄水量, 蓄水, 库容), "
        "percent (蓄满率, 蓄水率, 最满, fullest), inflow (入库流量, 来水)",
    )
    order: Literal["highest", "lowest"] = Field(
        description="highest (最高, 最大, 最多, 排名, rank, largest, most, biggest), "
        "lowest (最低, 最小, 最少, smallest, least)",
    )
    river: River | None = Field(default=None, description=f"河流：{RIVER_NAMES}")
    region: Region | None = Field(default=None, description=f"地市：{REGION_NAMES}")


@tool(
    category="hydrology",
    tags=(
        "水库排名",
        "哪个水库",
        "哪座水库",
        "最高",
        "最低",
        "最大",
        "最多",
        "最少",
        "排名",
        "比较",
        "rank",
        "which reservoir",
        "highest",
        "lowest",
    ),
    sentences=(
        "哪个水库蓄水量最大",
        "哪座水库水位最高",
        "水库蓄满率排名",
        "Which reservoir has the highest water level?",
        "Which reservoir holds the most storage?",
    ),
    returns="reservoirs with station_code：站码, name：站名, value：数值; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class RankReservoirs:
    """比较所有水库，按水位、蓄水量、蓄满率或入库流量排名，回答哪个最高、最低。"""

    def execute(self, params: RankReservoirsParams, context: ToolContext) -> dict[str, Any]:
        """所有水库，最符合的在前。"""
        found = rows(
            f"{_NOW}{WITHIN}",
            params.river,
            params.region,
        )
        where = where_of(params.river, params.region, context)
        if not found:
            raise ToolFailed(said(context, f"{where}没有水库", f"There is no reservoir {where}"), kind="not_found")
        found.sort(key=lambda one: one[params.by], reverse=params.order == "highest")
        zh_name, en_name, zh_unit, en_unit = _MEASURES[params.by]
        highest = params.order == "highest"
        first = title(found[0], context)
        value = found[0][params.by]
        zh = f"{first}的{zh_name}最{'高' if highest else '低'}，为{value:g}{zh_unit}"
        en = f"{first} has the {params.order} {en_name}: {value:g} {en_unit}"
        of_each = f"{{name}}的{zh_name}为{{value:g}}{zh_unit}", f"The {en_name} of {{name}} is {{value:g}} {en_unit}"
        ranked = [entry(one, context, *of_each, value=one[params.by]) for one in found]
        return {"order": ranked, "count": len(ranked), "sentence": said(context, zh, en)}


_LIMITS = {
    "flood_limit": ("汛限水位", "flood limit"),
    "normal": ("正常蓄水位", "normal level"),
    "design": ("设计洪水位", "design flood level"),
}


class LimitParams(BaseToolParams):
    """超过什么。"""

    limit: Literal["flood_limit", "normal", "design"] = Field(
        description="超过哪一个水位：flood_limit (汛限水位, 汛限, flood limit), normal (正常蓄水位, normal level), "
        "design (设计洪水位, 设计水位, design level)"
    )


@tool(
    category="hydrology",
    tags=("超汛限", "超汛限水位", "超限", "超过汛限", "哪些水库", "above the flood limit", "over limit", "exceed"),
    sentences=("哪些水库超过汛限水位", "有没有水库超汛限", "Which reservoirs are above the flood limit?"),
    returns="reservoirs with station_code：站码, name：站名, water_level：水位（米）, above：超出（米）; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class ListReservoirsOverLimit:
    """列出水位超过汛限水位（或正常蓄水位、设计洪水位）的水库。"""

    def execute(self, params: LimitParams, context: ToolContext) -> dict[str, Any]:
        """超过的水库，超得最多的在前。"""
        found = rows(
            "SELECT s.*, r.*, h.water_level FROM reservoir_hours h"
            " JOIN reservoirs r USING (code) JOIN stations s USING (code) WHERE h.hours_ago = 0"
        )
        for one in found:
            one["above"] = round(one["water_level"] - one[f"{params.limit}_level"], 2)
        found = sorted((one for one in found if one["above"] > 0), key=lambda one: -one["above"])
        zh_name, en_name = _LIMITS[params.limit]
        of_each = (
            f"{{name}}水位{{water_level}}米，超{zh_name}{{above:g}}米",
            "{name} at {water_level} m, {above:g} m above",
        )
        listed = [entry(one, context, *of_each, water_level=one["water_level"], above=one["above"]) for one in found]
        zh = f"当前有{len(listed)}座水库超过{zh_name}" if listed else f"当前没有水库超过{zh_name}"
        en = f"{len(listed)} reservoirs are above their {en_name}"
        return {"reservoirs": listed, "count": len(listed), "sentence": said(context, zh, en)}
