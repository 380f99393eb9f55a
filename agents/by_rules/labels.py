"""What a text calls the fields of a tool: "titled", 标题, "from … to …"; and what it gives for each."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from switchyard.agents.by_rules.fields import words_of

NEAR = 14
"""Characters between what names a field and its value."""

WORDS: dict[str, tuple[str, ...]] = {
    "title": ("titled", "called", "named", "标题", "名为", "题为", "叫"),
    "name": ("named", "called", "名称", "名字", "姓名", "名为", "叫"),
    "subject": ("主题", "标题"),
    "body": ("saying", "says", "content", "text", "message", "内容", "正文"),
    "content": ("saying", "says", "text", "body", "内容", "正文"),
    "text": ("saying", "says", "message", "content", "文字", "内容"),
    "message": ("saying", "says", "text", "消息", "内容", "信息", "说明"),
    "description": ("描述", "说明", "详情"),
    "labels": ("label", "labels", "labelled", "标签"),
    "tags": ("tag", "tags", "tagged", "标签"),
    "priority": ("优先级",),
    "assignee": ("assign to", "assigned to", "指派给", "分配给", "负责人"),
    "assignees": ("assign to", "assign it to", "assigned to", "指派给", "分配给", "负责人"),
    "branch": ("branch", "分支"),
    "base": ("based on", "基于"),
    "target": ("against", "对比", "比较"),
    "room": ("房间",),
    "address": ("地址",),
    "location": ("at", "in", "地点", "在"),
    "artist": ("by", "歌手", "演唱"),
    "speaker": ("speaker", "音箱"),
    "width": ("wide", "宽"),
    "height": ("high", "tall", "高"),
    "volume": ("音量",),
    "level": ("音量",),
    "amount": ("金额", "数额"),
    "limit": ("top", "最多", "前"),
    "count": ("top", "最多", "前", "last", "latest"),
    "max": ("top", "at most", "最多", "前", "last"),
    "days": ("day", "天"),
    "guests": ("guest", "people", "位", "人"),
    "passengers": ("passenger", "people", "位", "人"),
    "price": ("价格",),
    "checkin": ("check in", "arriv", "入住"),
    "in": ("check in", "arriv", "入住"),
    "out": ("check out", "leav", "离店", "退房"),
    "due": ("due", "by", "截止"),
    "ingredients": ("with", "using", "用", "食材"),
    "column": ("column", "列"),
}
"""Other words people use for the names fields often have."""

_NAMES = frozenset(name for names in WORDS.values() for name in names)
_DIRECT = frozenset({"saying", "says", "by", "branch", "against", "based on", "assign to", "assign it to"})
"""Labels whose value follows without "is" or a colon, as after "titled"."""
_STOPS = r"(?=\s*(?:[,，。;；?？!！]|$|\band\b|\bwith\b|\s{2}|和|，)|\s+(?:for|in|on|to|at|off|from)\s{2})"
_LIST_STOPS = r"(?=\s*(?:[.。;；?？!！]|\s{2}|,\s*(?:\d|\s)|$|\bfor\b|\bin\b|\bon\b|\bto\b|的))"
_FROM_TO = (
    re.compile(
        r"\b(?:from|between)\s+(?P<a>\S.{0,40}?)\s+(?:to|and|until)\s+(?P<b>\S.{0,40}?)"
        r"(?=\s{2,}|\s+(?:on|at|by|for|in|with|next|this|via|tomorrow|today)\b|\s*[,.;?!]|\s*$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:从|由)?(?<![A-Za-z])(?P<a>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:飞往|飞到|到|至|去|飞)(?P<b>[\u4e00-\u9fffA-Za-z]{2,12}?)"
        r"(?=的|坐|乘|怎么|有|要|多|开车|走|，|,|。|\s|$)"
    ),
)


class Span(NamedTuple):
    """A piece of a text."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def labels_of(name: str, description: str, *, of_number: bool = False) -> tuple[str, ...]:
    """What may name a field in a text: the words of its name, what people call it, what its description calls it."""
    words = words_of(name)
    found = [word for word in words if len(word) > 2]  # noqa: PLR2004  no "to", "of"
    found += [label for word in words for label in WORDS.get(word, ())]
    found += [
        word for part in re.findall(r"[\u4e00-\u9fff]{2,12}", description)[:2] for word in re.split(r"的|或|和", part)
    ]
    if of_number:
        found += re.findall(r"\b(?:number of|how many)\s+(?:\w+\s+)?([a-z]{3,})", description.lower())
    return tuple(dict.fromkeys(label for label in found if label))


def label_distance(text: str, start: int, end: int, labels: tuple[str, ...]) -> float | None:
    """How far the nearest label stands from a piece of the text; None where none is near."""
    before, after = text[max(0, start - NEAR) : start].lower(), text[end : end + NEAR].lower()
    found: list[float] = []
    for label in labels:
        if label not in before and label not in after:
            continue
        wanted = re.escape(label) if not label.isascii() else rf"(?<![a-z]){re.escape(label)}(?:s|es|ed)?(?![a-z])"
        exact = 0.0
        for match in re.finditer(wanted, before):
            exact = 0.5 * (match[0] != label)
            found.append(len(before) - match.end() + exact)
        if match := re.search(wanted, after):
            found.append(match.start() + 1 + 0.5 * (match[0] != label))  # before is the usual place
    return min(found, default=None)


def keyed(text: str, labels: tuple[str, ...]) -> Span | None:
    """The value that follows a label without quotes: "titled Lunch", 主题是周会."""
    lowered = text.lower()
    for label in sorted((label for label in labels if label in lowered), key=len, reverse=True):
        if label.isascii():
            link = r"\s+" if label.endswith("ed") or label in _DIRECT else r"\s*(?:\b(?:is|are)\b|[:=])\s*"
            pattern = rf"\b{re.escape(label)}\b{link}(?:the\s+)?(\S.{{0,80}}?){_STOPS}"
        else:
            said = rf"{re.escape(label)}\s*(?:是|为|叫|[:：=])\s*|(?<=[，,、；;])\s*{re.escape(label)}\s*"
            pattern = rf"(?:{said})(\S.{{0,80}}?){_STOPS}"
        match = re.search(pattern, text, re.IGNORECASE)
        # a value that has a preposition in it may have been meant to end there
        if match and not re.search(r"\b(?:in|on|off|from|under|at|into|to)\b", match[1], re.IGNORECASE):
            return Span(match[1], match.start(1), match.end(1))
    return None


def listed(text: str, labels: tuple[str, ...]) -> list[Span]:
    """Several values that follow a label: "labels bug and startup", 标签 bug 和 startup."""
    lowered = text.lower()
    for label in labels:
        if label not in lowered:
            continue
        edge = r"\b" if label.isascii() else ""
        match = re.search(
            rf"{edge}{re.escape(label)}{edge}\s*(?:是|为|[:：=])?\s*(\S.{{0,120}}?){_LIST_STOPS}", text, re.IGNORECASE
        )
        if match:
            found: list[Span] = []
            for part in re.finditer(r"[^\s,，、和与].*?(?=\s*(?:,|，|、|\band\b|\bor\b|和|与)|$)", match[1]):
                value = re.sub(r"^(?:and|or|the|some)\s+", "", part[0].strip())
                start = match.start(1) + part.start() + part[0].index(value)
                found += [Span(value, start, start + len(value))] if value and value not in _NAMES else []
            return found
    return []


def from_to(text: str) -> tuple[Span, Span] | None:
    """The two ends of "from … to …", 从…到…, where the text names them in its own words."""
    for pattern in _FROM_TO:
        match = pattern.search(text)
        if match:
            return Span(match["a"], *match.span("a")), Span(match["b"], *match.span("b"))
    return None


def matching(text: str, pattern: str) -> Span | None:
    """The piece of a text that has the form a schema prescribes."""
    import regex  # noqa: PLC0415  few schemas have patterns

    bare = pattern.removeprefix("^").removesuffix("$")
    try:  # a schema is not trusted: its pattern may be wrong, or slow
        match = regex.search(rf"(?<![A-Za-z0-9])(?:{bare})(?![A-Za-z0-9])", text[:500], timeout=0.02)
    except (regex.error, TimeoutError):
        return None
    return Span(match[0], *match.span()) if match and match[0] else None


def described(wanted: Mapping[str, Any]) -> str:
    """The description of a field."""
    return str(wanted.get("description", ""))
