"""预警与调度：生效的预警，发布预警，调度规则，泄洪推演，值班表。发布预警会写入工作区，先要批准。"""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, tool

from ._build import level_at
from ._database import operations, row, rows, taken_at
from ._stations import REGION_NAMES, NoParams, Region, StationParams, find_station, place, said

_LEVELS_EN = {"蓝色": "blue", "黄色": "yellow", "橙色": "orange", "红色": "red"}
_LEVELS = "蓝色 (blue, 蓝), 黄色 (yellow, 黄), 橙色 (orange, 橙), 红色 (red, 红)"
Level = Literal["蓝色", "黄色", "橙色", "红色"]


class WarningsParams(BaseToolParams):
    """哪个地市，哪个级别。"""

    region: Region | None = Field(default=None, description=f"地市：{REGION_NAMES}；不说就是全流域")
    level: Level | None = Field(default=None, description=f"级别：{_LEVELS}")


@tool(
    category="hydrology",
    tags=("洪水预警", "预警信息", "生效的预警", "预警", "flood warning", "warnings in force", "alerts"),
    sentences=("现在有哪些洪水预警", "某某市有预警吗", "Which flood warnings are in force?"),
    returns="warnings with name：预警, level：级别, region：地市, time：发布时间; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class QueryFloodWarnings:
    """查询生效的洪水预警。"""

    def execute(self, params: WarningsParams, context: ToolContext) -> dict[str, Any]:
        """预警，最近的在前；从这个工作区发布的也在内。"""
        found = rows("SELECT *, NULL AS issued FROM warnings ORDER BY hours_ago")
        with operations(context) as connection:
            own = [dict(one) for one in connection.execute("SELECT * FROM issued_warnings ORDER BY number DESC")]
        listed: list[dict[str, Any]] = []
        for one in own + found:
            if params.region not in {None, one["region"]} or params.level not in {None, one["level"]}:
                continue
            time = one["issued"] or taken_at(one["hours_ago"])
            text = said(context, one["text"], one.get("text_en") or one["text"])
            zh = f"{one['level']}预警，{one['region']}，{time}：{text}"
            en = f"{_LEVELS_EN[one['level']]} warning, {place(one['region'], context)}, {time}: {text}"
            listed.append(
                {
                    "name": text,
                    "level": one["level"],
                    "region": one["region"],
                    "time": time,
                    "sentence": said(context, zh, en),
                }
            )
        zh = f"当前有{len(listed)}条洪水预警生效" if listed else "当前没有生效的洪水预警"
        en = f"{len(listed)} flood warnings are in force"
        return {"warnings": listed, "count": len(listed), "sentence": said(context, zh, en)}


class IssueParams(BaseToolParams):
    """哪个地市，哪个级别，说什么。"""

    region: Region = Field(description=f"地市：{REGION_NAMES}")
    level: Level = Field(description=f"级别：{_LEVELS}")
    text: str = Field(default="请注意防范洪水", max_length=200, description="预警内容")


@tool(
    category="hydrology",
    tags=("发布预警", "发布洪水预警", "发预警", "issue warning", "publish warning"),
    sentences=("给某某市发布黄色洪水预警", "发布某某市红色预警", "Issue a yellow flood warning for the city"),
    returns="number：编号, level：级别, region：地市",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    writes=True,
)
class IssueFloodWarning:
    """发布洪水预警。"""

    def execute(self, params: IssueParams, context: ToolContext) -> dict[str, Any]:
        """登记一条预警；同一次请求重复执行时不会登记两次。"""
        now, key = f"{datetime.now().astimezone():%Y-%m-%d %H:%M}", context.idempotency_key or None
        with operations(context) as connection:
            connection.execute(
                "INSERT OR IGNORE INTO issued_warnings (level, region, text, issued, key) VALUES (?, ?, ?, ?, ?)",
                (params.level, params.region, params.text, now, key),
            )
            number = connection.execute("SELECT max(number) FROM issued_warnings WHERE key IS ?", (key,)).fetchone()[0]
        zh = f"已发布{params.region}{params.level}洪水预警，编号{number}：{params.text}"
        en = (
            f"A {_LEVELS_EN[params.level]} flood warning for {place(params.region, context)} is issued, number {number}"
        )
        return {"number": number, "level": params.level, "region": params.region, "sentence": said(context, zh, en)}


@tool(
    category="hydrology",
    tags=("调度规则", "调度规程", "控泄", "泄洪规则", "怎么调度", "dispatch rule", "operating rules"),
    sentences=("某某水库的调度规则", "某某水库应该怎么调度", "operating rules of the reservoir"),
    returns="rules with name：规则, level_from：起始水位（米）, outflow：控泄流量（立方米每秒）; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryDispatchRules:
    """查询水库的汛期调度规则和当前适用的一条。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """规则，以及按当前水位适用的一条。"""
        station = find_station(params.station_code, context, "reservoir")
        found = rows("SELECT * FROM dispatch_rules WHERE code = ? ORDER BY level_from", params.station_code)
        now = row("SELECT * FROM reservoir_hours WHERE code = ? AND hours_ago = 0", params.station_code) or {}
        applies = [one for one in found if one["level_from"] <= now["water_level"]]
        listed = [
            {
                "name": said(context, one["rule"], one["rule_en"]),
                "level_from": one["level_from"],
                "outflow": one["outflow"],
            }
            for one in found
        ]
        zh = f"{station['title']}有{len(found)}条调度规则，当前水位{now['water_level']}米，"
        zh += f"适用：{applies[-1]['rule']}" if applies else "还不需要控泄"
        en = f"{station['title']} has {len(found)} rules; at {now['water_level']} m "
        en += f"this one holds: {applies[-1]['rule_en']}" if applies else "none of them holds yet"
        return {"rules": listed, "count": len(listed), "sentence": said(context, zh, en)}


class ReleaseParams(StationParams):
    """哪座水库，按多大流量泄多久。"""

    outflow: float = Field(ge=0, le=10_000, description="出库流量，立方米每秒 (number of cubic metres per second)")
    hours: int = Field(default=24, ge=1, le=240, description="泄多少小时")


@tool(
    category="hydrology",
    tags=("泄洪推演", "泄洪", "放水", "调度推演", "推演", "模拟", "simulate", "release"),
    sentences=(
        "某某水库按200立方米每秒泄洪24小时水位会到多少",
        "simulate a release of 200 cubic metres per second from the reservoir for 24 hours",
    ),
    returns="water_level：泄洪后水位（米）, change：变化（米）",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class SimulateRelease:
    """推演水库按一定流量泄洪之后的水位。只是计算，不改变任何东西。"""

    def execute(self, params: ReleaseParams, context: ToolContext) -> dict[str, Any]:
        """按入库流量不变推算。"""
        station = find_station(params.station_code, context, "reservoir")
        fixed = row("SELECT * FROM reservoirs WHERE code = ?", params.station_code) or {}
        now = row("SELECT * FROM reservoir_hours WHERE code = ? AND hours_ago = 0", params.station_code) or {}
        storage = now["storage"] + (now["inflow"] - params.outflow) * params.hours * 3600 / 1e6
        level = round(level_at(storage, fixed), 2)
        change = round(level - now["water_level"], 2)
        zh = (
            f"{station['title']}按{params.outflow:g}立方米每秒泄洪{params.hours}小时（入库流量{now['inflow']:g}不变），"
            f"水位将由{now['water_level']}米变为{level}米，变化{change:+g}米"
        )
        en = (
            f"Releasing {params.outflow:g} m³/s for {params.hours} hours would bring {station['title']} from "
            f"{now['water_level']} m to {level} m ({change:+g} m) at an inflow of {now['inflow']:g} m³/s"
        )
        return {"water_level": level, "change": change, "sentence": said(context, zh, en)}


@tool(
    category="hydrology",
    tags=("值班", "值班表", "值班领导", "值班电话", "带班", "duty", "on duty", "duty officer"),
    sentences=("今天防汛值班的是谁", "值班电话是多少", "Who is on flood duty today?"),
    returns="leader：带班领导, officer：值班员, phone：电话",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class QueryDutyRoster:
    """查询今天的防汛值班：带班领导、值班员和电话。"""

    def execute(self, params: NoParams, context: ToolContext) -> dict[str, Any]:
        """今天的值班人员。"""
        del params
        today = datetime.now().astimezone().weekday()
        found = row("SELECT leader, officer, phone FROM duty WHERE weekday = ?", today) or {}
        zh = f"今天带班领导{found['leader']}，值班员{found['officer']}，电话{found['phone']}"
        en = f"On duty today: {found['leader']} (leader) and {found['officer']}, phone {found['phone']}"
        return {**found, "sentence": said(context, zh, en)}
