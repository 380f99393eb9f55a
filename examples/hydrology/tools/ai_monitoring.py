"""AI监测：摄像头识别的水位、雨情和事件。"""

from typing import Any

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool

from ._database import row, rows, taken_at
from ._stations import StationParams, find_station, said, title

_RAIN_EN = {"无雨": "no rain", "小雨": "light rain", "中雨": "moderate rain", "大雨": "heavy rain"}


def _camera(code: str, context: ToolContext) -> tuple[dict[str, Any], dict[str, Any]]:
    station = find_station(code, context)
    camera = row("SELECT * FROM cameras WHERE code = ?", code)
    if camera is None:
        zh, en = f"{station['title']}没有AI监测摄像头", f"{station['title']} has no AI camera"
        raise ToolFailed(said(context, zh, en), kind="not_found")
    return station, camera


@tool(
    category="hydrology",
    tags=("AI识别", "摄像头", "视频", "智能识别", "AI", "camera", "video"),
    capability_tags=("ai_monitoring", "AI监测"),
    sentences=(
        "某某站AI识别的水位是多少",
        "某某站摄像头看到的水位",
        "What water level does the AI camera see at the station?",
    ),
    returns="value：识别水位（米）, confidence：可信度, camera：摄像头",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryAiWaterLast:
    """查询AI摄像头最近一次识别的水位。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """识别值与可信度。"""
        station, camera = _camera(params.station_code, context)
        table = "reservoir_hours" if station["kind"] == "reservoir" else "river_hours"
        measured = row(f"SELECT water_level FROM {table} WHERE code = ? AND hours_ago = 0", params.station_code) or {}  # noqa: S608  one of two names
        value = round(measured["water_level"] + camera["level_offset"], 2)
        percent = round(100 * camera["confidence"])
        zh = f"{station['title']}AI识别水位{value}米，可信度{percent}%（{camera['camera']}摄像头，{taken_at(0)}）"
        en = f"The AI camera at {station['title']} reads {value} m, {percent}% sure ({taken_at(0)})"
        return {
            "value": value,
            "unit": "m",
            "confidence": camera["confidence"],
            "camera": camera["camera"],
            "sentence": said(context, zh, en),
        }


@tool(
    category="hydrology",
    tags=("AI识别", "摄像头", "雨情", "AI", "camera", "video"),
    capability_tags=("ai_monitoring", "AI监测"),
    sentences=("某某站AI识别的雨情", "某某站摄像头看到下雨了吗", "Does the AI camera at the station see rain?"),
    returns="rain_class：雨情, confidence：可信度",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryAiRainLast:
    """查询AI摄像头最近一次识别的雨情：无雨、小雨、中雨、大雨。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """识别的雨情。"""
        station, camera = _camera(params.station_code, context)
        seen, percent = camera["rain_class"], round(100 * camera["confidence"])
        zh = f"{station['title']}AI识别雨情为{seen}，可信度{percent}%（{taken_at(0)}）"
        en = f"The AI camera at {station['title']} sees {_RAIN_EN[seen]}, {percent}% sure ({taken_at(0)})"
        return {"rain_class": seen, "confidence": camera["confidence"], "sentence": said(context, zh, en)}


class AiEventsParams(BaseToolParams):
    """多长时间。"""

    hours: int = Field(default=24, ge=1, le=240, description="最近多少小时")


@tool(
    category="hydrology",
    tags=("AI事件", "AI告警", "漂浮物", "人员闯入", "采砂", "识别事件", "AI events", "debris", "intrusion"),
    capability_tags=("ai_monitoring", "AI监测"),
    sentences=("最近24小时的AI告警事件", "哪里发现了漂浮物", "AI events of the past 24 hours"),
    returns="events with name：事件, station_code：站码, time：时间; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class ListAiEvents:
    """列出AI摄像头识别的事件：漂浮物、人员闯入、违规采砂。"""

    def execute(self, params: AiEventsParams, context: ToolContext) -> dict[str, Any]:
        """事件，最近的在前。"""
        listed: list[dict[str, Any]] = []
        for one in rows(
            "SELECT * FROM ai_events JOIN stations USING (code) WHERE hours_ago < ? ORDER BY hours_ago", params.hours
        ):
            time = taken_at(one["hours_ago"])
            event = said(context, one["event"], one["event_en"])
            sentence = said(context, f"{time} {one['name']}：{event}", f"{time} {title(one, context)}: {event}")
            listed.append({"name": event, "station_code": one["code"], "time": time, "sentence": sentence})
        zh = f"最近{params.hours}小时AI识别到{len(listed)}起事件"
        en = f"The AI cameras saw {len(listed)} events in the past {params.hours} hours"
        return {"events": listed, "count": len(listed), "sentence": said(context, zh, en)}
