"""测站：名称与站码，基本信息，一条河上有哪些站，附近有哪些站。"""

import math
from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool

from ._database import rows
from ._stations import (
    KINDS,
    REGION_NAMES,
    RIVER_NAMES,
    Region,
    River,
    StationParams,
    find_station,
    names_like,
    place,
    said,
    stations_named,
    title,
    where_of,
)

KM_PER_DEGREE = 111.2


class LookupParams(BaseToolParams):
    """测站的名称。"""

    station_name: str = Field(min_length=1, description="水库或站的名称")


@tool(
    category="hydrology",
    tags=("站码", "测站编码", "编码", "station code", "水库", "水位站", "雨量站", "reservoir"),
    capability_tags=("station_code", "站码"),
    sentences=("某某水库的站码是什么", "查一下某某站的测站编码", "What is the station code of the reservoir?"),
    returns="station_code：站码, station_name：站名, kind：类型",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    produces=("station_code",),
)
class LookupStationCode:
    """根据名称查询站码。

    中文名、英文名和别名都可以；没有这个名称时给出相近的名称，一个名称有几个站时逐一列出。
    """

    def execute(self, params: LookupParams, context: ToolContext) -> dict[str, Any]:
        """名称所指的唯一一个站。"""
        name = params.station_name
        found = stations_named(name)
        if not found:
            near = names_like(name, context)
            zh, en = f"没有名为“{name}”的测站", f"There is no station called '{name}'"
            hint = said(context, f"，相近的有{'、'.join(near)}", f"; near names are {', '.join(near)}") if near else ""
            raise ToolFailed(said(context, zh, en) + hint, kind="not_found")
        if len(found) > 1:
            names = [f"{title(one, context)} {one['code']}" for one in found]
            zh = f"“{name}”可以指{len(found)}个站：{'、'.join(names)}，请说明是哪一个"
            en = f"'{name}' may be one of {len(found)} stations: {', '.join(names)}; say which"
            raise ToolFailed(said(context, zh, en), kind="not_found")
        one = found[0]
        sentence = said(
            context, f"{one['name']}的站码是{one['code']}", f"The code of {title(one, context)} is {one['code']}"
        )
        return {
            "station_code": one["code"],
            "station_name": title(one, context),
            "kind": one["kind"],
            "sentence": sentence,
        }


@tool(
    category="hydrology",
    tags=("测站信息", "基本信息", "位置", "经纬度", "所在", "哪条河", "location", "coordinates", "where"),
    sentences=("某某站在哪里", "某某水库的经纬度", "某某站的基本信息", "Where is the station?"),
    returns="station_name：站名, river：河流, region：地市, county：区县, longitude：经度, latitude：纬度",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class QueryStationInfo:
    """查询测站的基本信息：类型、所在河流、区县和经纬度。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, Any]:
        """测站的基本信息。"""
        one = find_station(params.station_code, context)
        zh = (
            f"{one['name']}（站码{one['code']}）是{one['river']}上的{KINDS[one['kind']][0]}，位于{one['region']}"
            f"{one['county']}，东经{one['longitude']}度、北纬{one['latitude']}度"
        )
        en = (
            f"{one['title']} (code {one['code']}) is a {KINDS[one['kind']][1]} on the "
            f"{place(one['river'], context)} in {place(one['region'], context)}, "
            f"at {one['longitude']}°E {one['latitude']}°N"
        )
        fields = ("river", "region", "county", "longitude", "latitude", "kind")
        return {
            "station_name": one["title"],
            **{name: one[name] for name in fields},
            "sentence": said(context, zh, en),
        }


class ListStationsParams(BaseToolParams):
    """哪些测站。"""

    river: River | None = Field(default=None, description=f"河流：{RIVER_NAMES}")
    region: Region | None = Field(default=None, description=f"地市：{REGION_NAMES}")
    kind: Literal["river", "reservoir", "rain"] | None = Field(
        default=None,
        description="类型：river (河道站, river stations), reservoir (水库, reservoirs), rain (雨量站, rain gauges)",
    )


@tool(
    category="hydrology",
    tags=("测站列表", "有哪些测站", "有哪些水库", "有哪些站", "列出", "测站", "stations", "list"),
    capability_tags=("list", "列出"),
    sentences=(
        "流域里有哪些水库",
        "列出某河上的测站",
        "某某市有几个水库",
        "有哪些雨量站",
        "List the stations on the river",
        "which reservoirs are there",
    ),
    returns="stations with station_code：站码, name：站名, kind：类型, river：河流; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
)
class ListStations:
    """列出测站：一条河上的，一个地市的，或者一种类型的。"""

    def execute(self, params: ListStationsParams, context: ToolContext) -> dict[str, Any]:
        """测站，按站码排列。"""
        found = rows(
            "SELECT * FROM stations WHERE (?1 IS NULL OR river = ?1) AND (?2 IS NULL OR region = ?2)"
            " AND (?3 IS NULL OR kind = ?3) ORDER BY code",
            params.river,
            params.region,
            params.kind,
        )
        where = where_of(params.river, params.region, context)
        noun = KINDS[params.kind] if params.kind else ("测站", "station")
        stations = [
            {"station_code": one["code"], "name": title(one, context), "kind": one["kind"], "river": one["river"]}
            for one in found
        ]
        sentence = said(
            context,
            f"{where}共有{len(found)}个{noun[0]}",
            f"There are {len(found)} {noun[1]}s {where}",
        )
        return {"stations": stations, "count": len(found), "sentence": sentence}


class NearbyParams(StationParams):
    """哪个站附近，多远以内。"""

    radius_km: float = Field(default=20, gt=0, le=500, description="公里，半径")


@tool(
    category="hydrology",
    tags=("附近", "周边", "邻近", "附近的测站", "nearby", "near", "around"),
    sentences=("某某站附近有哪些测站", "某某水库周边30公里的测站", "Which stations are near the reservoir?"),
    returns="stations with station_code：站码, name：站名, distance_km：距离（公里）; count：个数",
    answers={"en": "{sentence}", "zh": "{sentence}"},
    requires=("station_code",),
)
class FindNearbyStations:
    """查找一个测站附近的其他测站，由近到远。"""

    def execute(self, params: NearbyParams, context: ToolContext) -> dict[str, Any]:
        """附近的测站。"""
        here = find_station(params.station_code, context)
        found: list[dict[str, Any]] = []
        for one in rows("SELECT * FROM stations WHERE code <> ?", params.station_code):
            distance = round(_distance_km(here, one), 1)
            if distance <= params.radius_km:
                name = title(one, context)
                sentence = said(context, f"{name}，{distance}公里", f"{name}, {distance} km")
                found.append({"station_code": one["code"], "name": name, "distance_km": distance, "sentence": sentence})
        found.sort(key=lambda one: one["distance_km"])
        zh = f"{here['title']}{params.radius_km:g}公里以内有{len(found)}个测站"
        en = f"{len(found)} stations are within {params.radius_km:g} km of {here['title']}"
        return {"stations": found, "count": len(found), "sentence": said(context, zh, en)}


def _distance_km(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Flat earth: the basin is small."""
    east = (one["longitude"] - other["longitude"]) * math.cos(math.radians(one["latitude"]))
    return math.hypot(east, one["latitude"] - other["latitude"]) * KM_PER_DEGREE
