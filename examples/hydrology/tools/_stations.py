"""Stations: found by name in both languages, and how every tool speaks of them."""

import re
from typing import Any, Literal

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed

from ._database import row, rows, taken_at

MOST_NEAR = 3
"""Names that are proposed for one that is unknown."""
_KIND_NOUN = re.compile(
    r"(?:水文站|水位站|雨量站|闸站|水库|站|\s*\b(?:hydrological |gauging |rain )?(?:stations?|reservoirs?|gauges?))+$",
    re.IGNORECASE,
)


River = Literal["卫河", "共产主义渠", "淇河", "安阳河", "汤河", "大沙河", "峪河", "石门河", "沧河", "思德河"]
RIVER_NAMES = (
    "卫河 (Weihe, Wei River), 共产主义渠 (共渠, Gongqu), 淇河 (Qihe, Qi River), 安阳河 (Anyanghe, Anyang River), "
    "汤河 (Tanghe, Tang River), 大沙河 (Dashahe, Dasha River), 峪河 (Yuhe, Yu River), 石门河 (Shimenhe, Shimen River), "
    "沧河 (Canghe, Cang River), 思德河 (Sidehe, Side River)"
)


Region = Literal["新乡市", "鹤壁市", "安阳市", "焦作市", "濮阳市"]
REGION_NAMES = (
    "新乡市 (新乡, Xinxiang), 鹤壁市 (鹤壁, Hebi), 安阳市 (安阳, Anyang), 焦作市 (焦作, Jiaozuo), 濮阳市 (濮阳, Puyang)"
)
WITHIN = " AND (?1 IS NULL OR s.river = ?1) AND (?2 IS NULL OR s.region = ?2)"
"""Narrows a query to a river and a city, where they are given."""
_ENGLISH = dict(re.findall(r"(\w+) \((?:[^()A-Z]+, )?([A-Z]\w+)", f"{RIVER_NAMES}, {REGION_NAMES}"))


class StationParams(BaseToolParams):
    """Which station."""

    station_code: str = Field(pattern=r"^\d{8}$", description="站码，8位数字")


class NoParams(BaseToolParams):
    """没有参数。"""


def said(context: ToolContext, zh: str, en: str) -> str:
    """A sentence in the language of the question."""
    return zh if context.language == "zh" else en


def place(name: str | None, context: ToolContext) -> str:
    """A river or a city in the language of the question; without a name the whole basin."""
    if name is None:
        return said(context, "全流域", "the basin")
    return said(context, name, _ENGLISH.get(name, name))


def where_of(river: str | None, region: str | None, context: ToolContext) -> str:
    """A river, a city, or a river within a city, as it stands in a sentence; without either the whole basin."""
    if context.language == "zh":
        return f"{region or ''}{river or ''}" or place(None, context)
    on = f"on the {place(river, context)}" if river else ""
    return " ".join(filter(None, (on, f"in {place(region, context)}" if region or not river else "")))


def find_station(code: str, context: ToolContext, *kinds: str) -> dict[str, Any]:
    """The station of a code, with `title`, its name in the language of the question.

    Raises:
        ToolFailed: where there is none, or it does not measure what is asked for.
    """
    found = row("SELECT * FROM stations WHERE code = ?", code)
    if found is None:
        raise ToolFailed(
            said(context, f"没有站码为{code}的测站", f"There is no station with the code {code}"), kind="not_found"
        )
    found["title"] = title(found, context)
    if kinds and found["kind"] not in kinds:
        name = found["title"]
        (own_zh, own_en), wanted = KINDS[found["kind"]], [KINDS[kind] for kind in kinds]
        zh = f"{name}是{own_zh}，没有{'、'.join(one for one, _ in wanted)}的数据"
        en = f"{name} is a {own_en}; it has no data of a {' or '.join(one for _, one in wanted)}"
        raise ToolFailed(said(context, zh, en), kind="not_found")
    return found


KINDS = {"river": ("河道站", "river station"), "reservoir": ("水库", "reservoir"), "rain": ("雨量站", "rain gauge")}


def title(station: dict[str, Any], context: ToolContext) -> str:
    """What a station is called in the language of the question."""
    if context.language == "zh":
        return str(station["name"])
    noun = {"river": "Station", "reservoir": "Reservoir", "rain": "Rain Gauge"}[station["kind"]]
    name = str(station["name_en"])
    return name if name.endswith(noun) else f"{name} {noun}"


def entry(station: dict[str, Any], context: ToolContext, zh: str, en: str, **values: Any) -> dict[str, Any]:
    """One station of a list: its code, its name, values, and a sentence in which `{name}` and the values stand."""
    name = title(station, context)
    sentence = said(context, zh, en).format(name=name, **values)
    return {"station_code": station["code"], "name": name, **values, "sentence": sentence}


def course(found: list[dict[str, Any]], other: str, context: ToolContext, zh: str, en: str) -> dict[str, Any]:
    """How the water level rose or fell over readings from early to late; the texts say whose and how long.

    Args:
        found: the readings.
        other: what is told of each beside its water level.
        context: the run.
        zh: how the sentence begins in Chinese.
        en: the same in English.
    """
    first, last = found[0]["water_level"], found[-1]["water_level"]
    change = round(last - first, 2)
    sentence = said(
        context,
        f"{zh}水位由{first}米{'上涨' if change >= 0 else '下降'}{abs(change):g}米，到{last}米",
        f"{en} {'rose' if change >= 0 else 'fell'} by {abs(change):g} m, from {first} m to {last} m",
    )
    readings = [
        {"time": taken_at(one["hours_ago"]), "water_level": one["water_level"], other: one[other]} for one in found
    ]
    return {"change": change, "rows": readings, "sentence": sentence}


def stations_named(name: str) -> list[dict[str, Any]]:
    """The stations a name may mean: by its full name or alias, else without the word for its kind."""
    every = rows("SELECT * FROM stations ORDER BY code")
    wanted = _plain(name)
    return [one for one in every if wanted in {_plain(called) for called in _names(one)}] or [
        one for one in every if _bare(name) in {_bare(called) for called in _names(one)}
    ]


def names_like(name: str, context: ToolContext) -> list[str]:
    """The names nearest to one that no station has."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415  only mistakes need it

    known = {_bare(called): title(one, context) for one in rows("SELECT * FROM stations") for called in _names(one)}
    found = process.extract(_bare(name), list(known), scorer=fuzz.ratio, score_cutoff=45, limit=3 * MOST_NEAR)
    return list(dict.fromkeys(known[called] for called, _, _ in found))[:MOST_NEAR]


def _names(station: dict[str, Any]) -> list[str]:
    return [station["name"], station["name_en"], *filter(None, str(station["aliases"]).split("|"))]


def _plain(name: str) -> str:
    return re.sub(r"[\s（）()]+", "", name).lower()


def _bare(name: str) -> str:
    return _plain(_KIND_NOUN.sub("", name.strip()))
