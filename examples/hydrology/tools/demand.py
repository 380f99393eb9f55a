"""需水：各地市各行业的需水量，供需平衡。"""

from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, tool

from ._database import rows
from ._stations import REGION_NAMES, Region, place, said

_SECTORS_EN = {"农业": "agriculture", "工业": "industry", "生活": "households", "生态": "ecology"}


class DemandParams(BaseToolParams):
    """哪个地市，哪个行业。"""

    region: Region | None = Field(default=None, description=f"地市：{REGION_NAMES}；不说就是全流域")
    sector: Literal["农业", "工业", "生活", "生态"] | None = Field(
        default=None,
        description="行业：农业 (灌溉, agriculture, agricultural, irrigation), 工业 (industry, industrial), "
        "生活 (households, domestic), 生态 (ecology)",
    )


@tool(
    category="hydrology",
    tags=("需水量", "需水", "用水需求", "用水量", "water demand", "demand"),
    sentences=("某某市农业需水量是多少", "全流域的需水量", "water demand of agriculture in the city"),
    returns="value：需水量（万立方米每天）, unit：单位",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class QueryWaterDemand:
    """查询一个地市或全流域的需水量，可按行业（农业、工业、生活、生态）。"""

    def execute(self, params: DemandParams, context: ToolContext) -> dict[str, Any]:
        """需水量之和。"""
        value = sum(one["demand"] for one in _found(params.region, params.sector))
        zh = f"{place(params.region, context)}{params.sector or ''}需水量为每天{value:g}万立方米"
        of = f" of {_SECTORS_EN[params.sector]}" if params.sector else ""
        en = f"The water demand{of} in {place(params.region, context)} is {value:g} × 10⁴ m³ a day"
        return {"value": value, "unit": "10⁴ m³/d", "sentence": said(context, zh, en)}


@tool(
    category="hydrology",
    tags=("供需平衡", "缺水", "缺水量", "供水量", "供水", "余缺", "water shortage", "supply", "balance"),
    sentences=("某某市缺水吗", "某某市工业缺水多少", "全流域供需平衡情况", "Is there a water shortage in the city?"),
    returns="demand：需水量, supply：供水量, shortage：缺水量（万立方米每天）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class QueryWaterBalance:
    """分析一个地市或全流域的供需平衡：供水量、需水量、缺水量。"""

    def execute(self, params: DemandParams, context: ToolContext) -> dict[str, Any]:
        """各行业缺水量之和：一个行业的富余不能补另一个。"""
        found = _found(params.region, params.sector)
        demand, supply = sum(one["demand"] for one in found), sum(one["supply"] for one in found)
        shortage = sum(max(0, one["demand"] - one["supply"]) for one in found)
        short = [one for one in found if one["demand"] > one["supply"]]
        most = max(short, key=lambda one: one["demand"] - one["supply"], default=None)
        where = place(params.region, context)
        if params.sector:
            where = said(context, f"{where}{params.sector}", f"{_SECTORS_EN[params.sector]} in {where}")
        zh = f"{where}每天需水{demand:g}万立方米，供水{supply:g}万立方米，缺水{shortage:g}万立方米"
        en = f"A day, {where} needs {demand:g}, gets {supply:g} and lacks {shortage:g} × 10⁴ m³ of water"
        if most is not None and params.sector is None:
            zh += f"，{most['region']}{most['sector']}缺得最多"
            en += f", most of all {_SECTORS_EN[most['sector']]} in {place(most['region'], context)}"
        return {"demand": demand, "supply": supply, "shortage": shortage, "sentence": said(context, zh, en)}


def _found(region: str | None, sector: str | None) -> list[dict[str, Any]]:
    return rows(
        "SELECT * FROM demand WHERE (?1 IS NULL OR region = ?1) AND (?2 IS NULL OR sector = ?2)", region, sector
    )
