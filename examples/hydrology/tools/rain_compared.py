"""全流域的雨量：排名，面雨量，暴雨站，降雨预报。"""

from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, tool

from ._database import rows
from ._stations import REGION_NAMES, Region, entry, place, said

_SUMS = (
    "SELECT s.*, sum(h.rain) AS total FROM rain_hours h JOIN stations s USING (code) WHERE h.hours_ago < ?"
    " GROUP BY s.code ORDER BY total DESC, s.code"
)


def _fallen(one: dict[str, Any], context: ToolContext) -> dict[str, Any]:
    """One station with its rain."""
    return entry(one, context, "{name}的雨量为{rain:g}毫米", "{name} had {rain:g} mm of rain", rain=one["total"])


class RankRainParams(BaseToolParams):
    """多长时间，列出几个。"""

    hours: int = Field(default=24, ge=1, le=240, description="最近多少小时")
    limit: int = Field(default=5, ge=1, le=31, description="列出前几名")
    order: Literal["most", "least"] = Field(
        description="most (最大, 最多, 最高, 排名, ranking, highest, largest), least (最小, 最少, 最低, lowest)"
    )


@tool(
    category="hydrology",
    tags=(
        "雨量排名",
        "哪里雨最大",
        "哪个站雨量最大",
        "雨最大",
        "下雨最多",
        "最多",
        "most rain",
        "rain ranking",
        "wettest",
    ),
    sentences=(
        "哪个站雨量最大",
        "最近24小时雨量排名",
        "哪里下雨最多",
        "Which station had the most rain in the past 24 hours?",
    ),
    returns="stations with station_code：站码, name：站名, rain：雨量（毫米）; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class RankRainStations:
    """比较所有测站的累计雨量并排名，回答哪里雨最大。"""

    def execute(self, params: RankRainParams, context: ToolContext) -> dict[str, Any]:
        """雨量最大（或最小）的几个站。"""
        found = rows(_SUMS, params.hours)
        found = (found if params.order == "most" else found[::-1])[: params.limit]
        ranked = [_fallen(one, context) for one in found]
        first, word = ranked[0], "最大" if params.order == "most" else "最小"
        zh = f"最近{params.hours}小时{first['name']}的雨量{word}，为{first['rain']:g}毫米"
        en = f"In the past {params.hours} hours {first['name']} had the {params.order} rain: {first['rain']:g} mm"
        return {"stations": ranked, "count": len(ranked), "sentence": said(context, zh, en)}


class BasinRainParams(BaseToolParams):
    """哪个地市，多长时间。"""

    region: Region | None = Field(default=None, description=f"地市：{REGION_NAMES}；不说就是全流域")
    hours: int = Field(ge=1, le=240, description="最近多少小时")


@tool(
    category="hydrology",
    tags=("面雨量", "平均雨量", "流域雨量", "全流域", "areal rain", "average rain", "basin rain"),
    sentences=("最近24小时流域面雨量", "某某市的面雨量是多少", "average rain over the basin in the past 24 hours"),
    returns="value：面雨量（毫米）, unit：单位, stations：站数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class QueryBasinRain:
    """查询全流域或一个地市的面雨量（各站平均）。"""

    def execute(self, params: BasinRainParams, context: ToolContext) -> dict[str, Any]:
        """各站平均。"""
        found = [one for one in rows(_SUMS, params.hours) if params.region in {None, one["region"]}]
        value = round(sum(one["total"] for one in found) / len(found), 1)
        where = place(params.region, context)
        zh = f"{where}最近{params.hours}小时的面雨量是{value:g}毫米（{len(found)}个站平均）"
        en = f"Over {where}, {value:g} mm of rain fell in the past {params.hours} hours (mean of {len(found)} stations)"
        return {"value": value, "unit": "mm", "stations": len(found), "sentence": said(context, zh, en)}


class HeavyRainParams(BaseToolParams):
    """多少毫米以上，多长时间。"""

    threshold: float = Field(default=50, gt=0, description="超过，毫米数 (number of millimetres)")
    hours: int = Field(default=24, ge=1, le=240, description="最近多少小时")


@tool(
    category="hydrology",
    tags=("暴雨", "暴雨站", "强降雨", "大暴雨", "超过毫米", "heavy rain", "rainstorm", "more than mm"),
    sentences=(
        "最近48小时哪些站出现暴雨",
        "哪些站雨量超过100毫米",
        "Which stations had heavy rain in the past 48 hours?",
    ),
    returns="stations with station_code：站码, name：站名, rain：雨量（毫米）; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class ListHeavyRain:
    """列出雨量超过一定毫米数（默认50毫米，暴雨）的测站。"""

    def execute(self, params: HeavyRainParams, context: ToolContext) -> dict[str, Any]:
        """超过的站，最大的在前。"""
        found = [one for one in rows(_SUMS, params.hours) if one["total"] > params.threshold]
        listed = [_fallen(one, context) for one in found]
        zh = f"最近{params.hours}小时有{len(listed)}个站雨量超过{params.threshold:g}毫米"
        en = f"{len(listed)} stations had more than {params.threshold:g} mm of rain in the past {params.hours} hours"
        return {"stations": listed, "count": len(listed), "sentence": said(context, zh, en)}


class RainForecastParams(BaseToolParams):
    """哪个地市，未来几天。"""

    region: Region | None = Field(default=None, description=f"地市：{REGION_NAMES}；不说就是全流域")
    days: int = Field(ge=1, le=5, description="未来几天")


@tool(
    category="hydrology",
    tags=("降雨预报", "雨量预报", "未来降雨", "未来几天", "会下雨吗", "预报雨量", "rain forecast", "coming days"),
    sentences=("未来三天的降雨预报", "某某市未来两天会下雨吗", "rain forecast for the coming 3 days"),
    returns="rows with day：第几天, least：最少（毫米）, most：最多（毫米）; most：三天最多（毫米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class QueryRainForecast:
    """查询未来几天的降雨预报。"""

    def execute(self, params: RainForecastParams, context: ToolContext) -> dict[str, Any]:
        """每天的雨量范围，单位毫米。"""
        found = rows(
            "SELECT day, round(avg(least), 1) AS least, round(avg(most), 1) AS most FROM rain_forecast"
            " WHERE day <= ?1 AND (?2 IS NULL OR region = ?2) GROUP BY day ORDER BY day",
            params.days,
            params.region,
        )
        for one in found:
            one["sentence"] = said(
                context,
                f"第{one['day']}天：{one['least']:g}至{one['most']:g}毫米",
                f"day {one['day']}: {one['least']:g} to {one['most']:g} mm",
            )
        where = place(params.region, context)
        least, most = sum(one["least"] for one in found), sum(one["most"] for one in found)
        zh = f"{where}未来{params.days}天预报降雨共{least:g}至{most:g}毫米"
        en = f"{least:g} to {most:g} mm of rain are forecast for {where} in the next {params.days} days"
        return {"rows": found, "least": least, "most": most, "sentence": said(context, zh, en)}
