"""The one of several a text means: the longest, the cheapest, the first of them; 最大的, 行数最多的, 第一个."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from switchyard.ledger.results import Direction, OneOfSeveral

MEASURES: dict[str, tuple[str, ...]] = {
    "size": ("size", "size_bytes", "bytes"),
    "length": ("lines", "length", "duration", "duration_minutes", "words", "characters"),
    "age": ("modified", "date", "time", "depart", "created", "year"),
    "price": ("price", "cost", "amount", "total", "fare"),
    "speed": ("duration", "duration_minutes", "minutes", "hours", "time"),
    "value": (),
}
"""The fields of a row that a kind of measure may mean, the likeliest first."""

FIELD_WORDS: dict[str, tuple[str, ...]] = {
    "lines": ("line", "行"),
    "words": ("word", "词", "字数", "多少字", "几个字"),
    "characters": ("character", "字符"),
    "count": ("how many", "number of", "多少", "几"),
    "days": ("day", "天", "日"),
    "weeks": ("week", "周", "星期"),
    "business_days": ("business day", "working day", "工作日"),
    "price": ("price", "价", "cost", "fare", "票价"),
    "size": ("size", "大小"),
    "distance_km": ("distance", "far", "距离", "多远", "公里"),
    "duration_minutes": ("duration", "how long", "多久", "时长"),
    "temperature": ("temperature", "气温", "温度", "多少度"),
    "humidity": ("humidity", "湿度"),
    "amount": ("amount", "金额"),
}
"""How people call the numbers that results often have."""

_WORDS: tuple[tuple[str, Direction, str], ...] = (
    (r"\b(?:largest|biggest|heaviest)\b|最大", "most", "size"),
    (r"\b(?:smallest|lightest|tiniest)\b|最小", "least", "size"),
    (r"\blongest\b|最长", "most", "length"),
    (r"\bshortest\b|最短", "least", "length"),
    (r"\b(?:newest|latest|most recent)\b|最新|最晚", "most", "age"),
    (r"\b(?:oldest|earliest)\b|最旧|最早|最老", "least", "age"),
    (r"\b(?:cheapest|least expensive)\b|最便宜|最低价", "least", "price"),
    (r"\b(?:priciest|most expensive)\b|最贵", "most", "price"),
    (r"\b(?:fastest|quickest)\b|最快", "least", "speed"),
    (r"\bslowest\b|最慢", "most", "speed"),
    (r"(?<!\bat )\b(?:the\s+most|highest|greatest|most)\b|最多(?!\s*\d)|最高", "most", "value"),
    (r"(?<!\bat )\b(?:the\s+(?:fewest|least)|lowest|fewest|least)\b|最少(?!\s*\d)|最低", "least", "value"),
)
_SUPERLATIVE: list[tuple[re.Pattern[str], Direction, str]] = [
    (re.compile(pattern, re.IGNORECASE), way, measure) for pattern, way, measure in _WORDS
]
_ORDINALS = (("first", "第一"), ("second", "第二"), ("third", "第三"), ("fourth", "第四"), ("fifth", "第五"))
_POSITION = [
    (
        re.compile(
            rf"\bthe\s+{en}\b(?!\s+\d)(?:\s+(?:one|file|result|match|item|entry))?|{zh}[个条项篇份本家]", re.IGNORECASE
        ),
        at,
    )
    for at, (en, zh) in enumerate(_ORDINALS)
]
_POSITION.append(
    (
        re.compile(
            r"\bthe\s+last\b(?!\s+\d)(?:\s+(?:one|file|result|match|item|entry))?|最后[一]?[个条项篇份]", re.IGNORECASE
        ),
        -1,
    )
)


@dataclass(frozen=True, slots=True)
class Superlative(OneOfSeveral):
    """Which of several is meant, and where the text says so."""

    start: int = 0
    end: int = 0


def find_superlative(text: str) -> Superlative | None:
    """The one of several a text speaks of; what it names as a measure comes before what the word itself means."""
    for pattern, direction, measure in _SUPERLATIVE:
        match = pattern.search(text)
        if match:
            fields = (*_named_near(text, match), *MEASURES[measure])
            return Superlative(direction, fields, start=match.start(), end=match.end())
    for pattern, position in _POSITION:
        match = pattern.search(text)
        if match:
            return Superlative("position", (), position, match.start(), match.end())
    return None


def _named_near(text: str, match: re.Match[str]) -> tuple[str, ...]:
    """Fields named just beside the word: "most lines", 行数最多."""
    around = (text[max(0, match.start() - 4) : match.start()] + " " + text[match.end() : match.end() + 14]).lower()
    return tuple(
        name for name, words in FIELD_WORDS.items() if name != "count" and any(word in around for word in words)
    )


def measured(fields: Sequence[str], described: str) -> str | None:
    """The first of the fields that a description of results speaks of."""
    return next((name for name in fields if re.search(rf"(?<![a-z]){name}(?![a-z])", described.lower())), None)
