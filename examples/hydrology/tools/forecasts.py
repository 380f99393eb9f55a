"""洪水预报：启动自动或人工预报，看进度，看结果。启动预报会写入工作区，先要批准。"""

from datetime import datetime
from typing import Any

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool

from ._database import operations, row
from ._stations import NoParams, StationParams, find_station, said

RUNOFF = 0.45
"""The share of the rain that reaches the river."""
_INSERT = "INSERT OR IGNORE INTO forecasts (kind, station_code, rain, hours, started, key) VALUES (?, ?, ?, ?, ?, ?)"


class AutoForecastParams(BaseToolParams):
    """预见期。"""

    hours: int = Field(default=72, ge=6, le=240, description="预见期，未来多少小时")


@tool(
    category="hydrology",
    tags=(
        "启动",
        "自动预报",
        "启动自动预报",
        "洪水预报",
        "预报",
        "运行预报",
        "start",
        "automatic forecast",
        "flood forecast",
        "forecast",
    ),
    capability_tags=("forecast", "预报"),
    sentences=(
        "启动自动预报",
        "开始全流域自动洪水预报",
        "启动未来48小时的自动预报",
        "Start the automatic forecast",
        "run the automatic flood forecast",
    ),
    returns="number：预报编号, kind：类型, started：启动时间, hours：预见期（小时）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    writes=True,
)
class StartAutoForecast:
    """启动全流域的自动洪水预报。"""

    def execute(self, params: AutoForecastParams, context: ToolContext) -> dict[str, Any]:
        """登记一次预报；同一次请求重复执行时不会登记两次。"""
        started = _register(context, ("auto", None, None, params.hours))
        zh = f"自动预报已启动，编号{started['number']}，预见期{started['hours']}小时（{started['started']}）"
        en = f"The automatic forecast is started: number {started['number']}, {started['hours']} hours ahead"
        return {**started, "sentence": said(context, zh, en)}


class ManualForecastParams(StationParams):
    """哪个站，假设多少雨。"""

    rain: float = Field(ge=0, le=2000, description="假设的降雨，毫米 (number of mm)")
    hours: int = Field(default=72, ge=6, le=240, description="预见期，未来多少小时")


@tool(
    category="hydrology",
    tags=("人工预报", "启动人工预报", "假设降雨", "情景预报", "交互预报", "manual forecast", "scenario forecast"),
    capability_tags=("forecast", "预报"),
    sentences=("对某某站启动人工预报，假设降雨100毫米", "start a manual forecast for the station with 100 mm of rain"),
    returns="number：预报编号, kind：类型, started：启动时间, hours：预见期（小时）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    writes=True,
    requires=("station_code",),
)
class StartManualForecast:
    """按假设的降雨量，为一个站启动人工（情景）预报。"""

    def execute(self, params: ManualForecastParams, context: ToolContext) -> dict[str, Any]:
        """登记一次预报；同一次请求重复执行时不会登记两次。"""
        station = find_station(params.station_code, context, "river")
        started = _register(context, ("manual", params.station_code, params.rain, params.hours))
        zh = f"{station['title']}的人工预报已启动，编号{started['number']}，假设降雨{params.rain:g}毫米"
        en = f"The manual forecast for {station['title']} is started: number {started['number']}, {params.rain:g} mm"
        return {**started, "sentence": said(context, zh, en)}


@tool(
    category="hydrology",
    tags=("预报进度", "预报状态", "预报记录", "启动过", "forecast status", "forecast runs"),
    capability_tags=("forecast", "预报"),
    sentences=("预报进度怎么样", "启动过哪些预报", "What is the status of the forecasts?"),
    returns="forecasts with number：编号, name：名称, started：启动时间; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class QueryForecastStatus:
    """查询已启动的预报及其进度。"""

    def execute(self, params: NoParams, context: ToolContext) -> dict[str, Any]:
        """启动过的预报，最近的在前。"""
        del params
        with operations(context) as connection:
            found = [dict(one) for one in connection.execute("SELECT * FROM forecasts ORDER BY number DESC")]
        listed: list[dict[str, Any]] = []
        for one in found:
            kind = {"auto": ("自动预报", "automatic forecast"), "manual": ("人工预报", "manual forecast")}[one["kind"]]
            zh = f"{one['number']}号{kind[0]}，{one['started']}启动，已完成"
            en = f"number {one['number']}, {kind[1]}, started {one['started']}, done"
            listed.append(
                {
                    "number": one["number"],
                    "name": said(context, *kind),
                    "started": one["started"],
                    "sentence": said(context, zh, en),
                }
            )
        zh = f"共启动过{len(listed)}次预报" if listed else "还没有启动过预报"
        en = f"{len(listed)} forecasts were started" if listed else "No forecast was started yet"
        return {"forecasts": listed, "count": len(listed), "sentence": said(context, zh, en)}


@tool(
    category="hydrology",
    tags=(
        "预报结果",
        "预报洪峰",
        "预报水位",
        "预报流量",
        "洪水预报结果",
        "forecast result",
        "predicted peak",
        "expected",
    ),
    capability_tags=("forecast", "预报"),
    sentences=("某某站的预报结果", "某某站预报洪峰是多少", "What is the forecast peak at the station?"),
    returns="water_level：预报最高水位（米）, flow：预报洪峰流量（立方米每秒）, above：超警戒（米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryForecastResult:
    """查询河道站的洪水预报结果：预报最高水位和洪峰流量。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """最近一次预报里这个站的结果；没有启动过预报就说明。"""
        station = find_station(params.station_code, context, "river")
        with operations(context) as connection:
            last = connection.execute(
                "SELECT * FROM forecasts WHERE station_code IS NULL OR station_code = ? ORDER BY number DESC LIMIT 1",
                (params.station_code,),
            ).fetchone()
        if last is None:
            zh, en = (
                "还没有启动过预报，请先启动自动预报",
                "No forecast was started yet; start the automatic forecast first",
            )
            raise ToolFailed(said(context, zh, en), kind="not_found")
        ahead = row("SELECT avg(most) AS rain FROM (SELECT sum(most) AS most FROM rain_forecast GROUP BY region)") or {}
        rain = last["rain"] if last["rain"] is not None else ahead["rain"]
        fixed = row(
            "SELECT * FROM river_stations JOIN river_hours USING (code) WHERE code = ? AND hours_ago = 0",
            params.station_code,
        )
        fixed = fixed or {}
        rise = RUNOFF * rain / 100 * (fixed["guarantee_level"] - fixed["base_level"])
        level = round(fixed["water_level"] + rise, 2)
        flow = round(fixed["flow"] * (1 + RUNOFF * rain / 60), 1)
        above = round(level - fixed["warning_level"], 2)
        zh = (
            f"{station['title']}预报最高水位{level}米，{'超过' if above > 0 else '低于'}警戒水位{abs(above):g}米，"
            f"洪峰流量{flow:g}立方米每秒（{last['number']}号预报，降雨{rain:g}毫米）"
        )
        en = (
            f"{station['title']} is forecast to reach {level} m, {abs(above):g} m {'above' if above > 0 else 'below'} "
            f"its warning level, with {flow:g} m³/s (forecast {last['number']}, {rain:g} mm of rain)"
        )
        return {"water_level": level, "flow": flow, "above": above, "sentence": said(context, zh, en)}


def _register(context: ToolContext, values: tuple[str, str | None, float | None, int]) -> dict[str, Any]:
    now = f"{datetime.now().astimezone():%Y-%m-%d %H:%M}"
    key = context.idempotency_key or None
    with operations(context) as connection:
        cursor = connection.execute(_INSERT, (*values, now, key))
        chosen = ("number = ?", cursor.lastrowid) if cursor.rowcount else ("key = ?", key)
        found = connection.execute(f"SELECT * FROM forecasts WHERE {chosen[0]}", (chosen[1],)).fetchone()  # noqa: S608  one of two conditions
        return {name: found[name] for name in ("number", "kind", "started", "hours")}
