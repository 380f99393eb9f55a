"""What a parameter wants, told by its schema: type, format, enum, name and description."""

import re
from collections.abc import Mapping
from typing import Any, Literal, cast

FieldKind = Literal[
    "expression", "glob", "path", "url", "email", "date", "datetime", "clock", "duration", "place", "currency", "code",
    "number", "boolean", "enum", "list", "sought", "text", "pattern", "month",
]  # fmt: skip

_BY_TYPE: dict[str, FieldKind] = {"boolean": "boolean", "integer": "number", "number": "number", "array": "list"}
_BY_FORMAT: dict[str, FieldKind] = {
    "date": "date",
    "date-time": "datetime",
    "time": "clock",
    "duration": "duration",
    "email": "email",
    "uri": "url",
    "url": "url",
}
_BY_NAME: tuple[tuple[FieldKind, frozenset[str]], ...] = (
    ("expression", frozenset({"expression", "formula", "equation"})),
    ("path", frozenset({"path", "file", "filename", "folder", "directory", "repo"})),
    ("url", frozenset({"url", "uri", "link", "website", "webpage"})),
    ("email", frozenset({"email", "mail", "recipient"})),
    ("currency", frozenset({"currency"})),
    ("place", frozenset({"timezone", "zone", "city", "place", "location", "country", "origin", "destination"})),
    ("duration", frozenset({"duration", "add", "length", "interval"})),
    ("date", frozenset({"date", "day", "until", "deadline", "due", "since", "checkin", "checkout", "departure"})),
    ("clock", frozenset({"time", "clock", "hour", "at"})),
    ("sought", frozenset({"pattern", "query", "keyword", "keywords", "needle", "search", "q"})),
    ("code", frozenset({"code", "id", "number", "sku", "isbn", "tracking"})),
)
_BY_WORDS: tuple[tuple[FieldKind, re.Pattern[str]], ...] = (
    ("email", re.compile(r"e-?mail address|邮箱|邮件地址", re.IGNORECASE)),
    ("url", re.compile(r"\burl\b|网址", re.IGNORECASE)),
    ("place", re.compile(r"\bcity\b|\btime zone\b|城市|时区", re.IGNORECASE)),
    ("currency", re.compile(r"\bcurrency\b|货币|币种", re.IGNORECASE)),
    ("date", re.compile(r"\bYYYY-MM-DD\b|\bdate\b|日期", re.IGNORECASE)),
    ("clock", re.compile(r"\bHH:MM\b|时刻", re.IGNORECASE)),
)


_MONTH = re.compile(r"\bYYYY-MM(?!-?DD)\b")
_MONTH_PATTERNS = frozenset({r"^\d{4}-\d{2}$", r"^[0-9]{4}-[0-9]{2}$"})


def aliases_in(description: str) -> dict[str, list[str]]:
    """Other names a description gives for the values of an enum: "bitcoin (BTC, 比特币), ethereum (ETH)"."""
    return {
        match[1].lower(): [alias.strip().lower() for alias in re.split(r"[,，、/]", match[2]) if alias.strip()]
        for match in re.finditer(r"([\w-]+)\s*[(（]([^()（）]{1,60})[)）]", description)
    }


def kind_of(name: str, field: Mapping[str, Any]) -> FieldKind:
    """What is looked for to fill a field."""
    field = plain(field)
    if field.get("enum"):
        return "enum"
    told = _BY_TYPE.get(str(field.get("type"))) or _BY_FORMAT.get(str(field.get("format")))
    if told is not None:
        return told
    pattern, description = field.get("pattern"), str(field.get("description", ""))
    if pattern in _MONTH_PATTERNS or _MONTH.search(description):
        return "month"
    kind = _by_words(name, description)
    return "pattern" if pattern and kind in {"text", "code", "sought"} else kind


def _by_words(name: str, description: str) -> FieldKind:
    if "glob" in name or "glob" in description.lower():
        return "glob"
    words = set(words_of(name))
    if "station" in words and words & {"from", "to"}:
        return "place"
    for kind, names in _BY_NAME:
        if names & words:
            return kind
    for kind, pattern in _BY_WORDS:
        if pattern.search(description):
            return kind
    return "text"


def plain(field: Mapping[str, Any]) -> Mapping[str, Any]:
    """A field that may be null, as the field it is when it is not."""
    options = [
        option for option in cast("list[Mapping[str, Any]]", field.get("anyOf", [])) if option.get("type") != "null"
    ]
    return {**field, **options[0]} if len(options) == 1 else field


def words_of(name: str) -> list[str]:
    """The words of a field's name."""
    return [word.lower() for word in re.split(r"_|-|(?<=[a-z])(?=[A-Z])", name) if word]


SWITCHES: dict[str, tuple[str, ...]] = {
    "recursive": (
        "in total",
        "altogether",
        "recursive",
        "subfolder",
        "whole project",
        "整个",
        "全部",
        "所有",
        "一共",
        "总共",
    ),
    "regex": ("regular expression", "regex", "正则"),
    "shuffle": ("shuffle", "random", "随机"),
    "now": ("open now", "现在营业", "还开着"),
}
"""What turns a yes-or-no field on, by the last word of its name."""

SYNONYMS: dict[str, tuple[str, ...]] = {
    "high": ("高", "urgent", "important"),
    "urgent": ("紧急", "加急"),
    "medium": ("中", "normal", "普通", "一般"),
    "normal": ("普通", "一般", "medium"),
    "low": ("低",),
    "bedroom": ("卧室",),
    "kitchen": ("厨房",),
    "living_room": ("客厅", "living room"),
    "bathroom": ("浴室", "卫生间"),
    "study": ("书房",),
    "celsius": ("摄氏", "°c"),
    "fahrenheit": ("华氏", "°f"),
    "metric": ("公制", "celsius", "°c", "摄氏"),
    "imperial": ("英制", "fahrenheit", "°f", "华氏"),
    "en": ("english", "英语", "英文"),
    "zh": ("chinese", "中文", "汉语"),
    "fr": ("french", "法语", "法文"),
    "de": ("german", "德语", "德文"),
    "ja": ("japanese", "日语", "日文"),
    "es": ("spanish", "西班牙语"),
    "ko": ("korean", "韩语"),
    "red": ("红色", "红"),
    "green": ("绿色", "绿"),
    "blue": ("蓝色", "蓝"),
    "daily": ("每天", "every day", "day"),
    "weekly": ("每周", "every week", "week"),
    "monthly": ("每月", "every month", "month"),
    "open": ("打开", "未关闭"),
    "closed": ("已关闭", "关闭"),
    "driving": ("by car", "drive", "car", "开车", "驾车", "自驾"),
    "walking": ("on foot", "walk", "步行", "走路"),
    "transit": ("by bus", "by train", "public transport", "公交", "地铁"),
    "bicycling": ("by bike", "by bicycle", "cycling", "骑车", "骑行"),
    "double": ("双人间", "大床房"),
    "single": ("单人间",),
    "morning": ("上午", "早上"),
    "afternoon": ("下午",),
    "evening": ("晚上",),
    "asc": ("ascending", "升序"),
    "desc": ("descending", "降序"),
    "append": ("追加", "附加", "加到末尾", "末尾加", "add", "to the end of"),
    "overwrite": ("覆盖", "replace"),
    "create": ("新建", "创建"),
    "true": ("是", "yes"),
    "heat": ("heating", "制热", "暖风"),
    "cool": ("cooling", "制冷", "冷风"),
    "cheap": ("便宜", "平价"),
    "expensive": ("高档", "昂贵"),
    "economy": ("经济舱",),
    "business": ("商务舱",),
    "first": ("头等舱",),
}
"""Words people use for the values of enums."""
