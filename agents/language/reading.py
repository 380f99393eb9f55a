"""One text being read for one schema: which mention fills which field. A mention is used once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from fractions import Fraction
from typing import Any, cast

from agents.language.expressions import find_arithmetic, find_change
from agents.language.fields import SYNONYMS, FieldKind, kind_of, words_of
from agents.language.mentions import Kind, Mention, hidden

_UNDER = re.compile(
    r"\b(?:in|under|inside|from|of)\s+(?:the\s+)?(?:folder\s+|directory\s+)?([\w./-]{1,200})(?:\s+(?:folder|directory))?\s*$"
    r"|\b(?:the\s+)?([\w.-]{1,100})\s+(?:folder|directory)\b"
    r"|(?:在|列出|目录|文件夹)\s*([A-Za-z0-9_./-]+)\s*(?:目录|文件夹|下|里|中)?"
    r"|(?<![A-Za-z0-9_./-])([A-Za-z0-9_./-]{1,200})\s?(?:目录|文件夹)?\s?[里下中内]",
    re.IGNORECASE,
)
_HERE = frozenset(
    {"this", "that", "the", "a", "any", "all", "current", "here", "it", "my", "our"}
    | {"project", "workspace", "repository", "repo", "code", "files", "file", "folder", "directory"}
)
"""Words that name no folder of their own: the workspace is meant."""
_SOUGHT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:mention(?:s|ing)?|contain(?:s|ing)?|match(?:es|ing)?)\s+(?:the\s+word\s+)?([\w.-]+)",
        (
            r"(?:包含|提到|含有|写到|出现)[了过]?\s*(?:单词|词|字符串)?\s*"
            r"(\S.{0,60}?)(?=\s?的\s?(?:[A-Za-z]{1,20}\s?)?(?:文件|代码|行|内容|地方|文本)|\s在\s|[，。？！?]|$)"
        ),
        r"\bfor\s+(?:the\s+word\s+)?([\w.-]+)",
        r"\b(?:search|look|grep|find)\s+(?!the\b|in\b|all\b|this\b|my\b)([\w.-]+)",
        (
            r"(?:搜索|查找)(?!所有|包含|提到|含有)[了过]?\s*(?:单词|词|字符串)?\s*"
            r"(\S.{0,200}?)(?=\s?的\s?(?:[A-Za-z]{1,20}\s?)?(?:文件|代码|行|内容|地方|文本)|\s在\s|[，。？！?]|$)"
        ),
        r"有\s*([A-Za-z0-9_.-]+)",
    )
)
"""Where a text says what is looked for, the surest first."""
_FILE_KINDS = {
    "python": "*.py",
    "markdown": "*.md",
    "json": "*.json",
    "text": "*.txt",
    "yaml": "*.y*ml",
    "csv": "*.csv",
}
_FILE_NAME = re.compile(r".*\.[A-Za-z0-9]{1,6}|.*/.*")
_ON = re.compile(r"\b(?:on|enable|yes|true)\b|打开|开启|启用|开灯|开(?!始|会)", re.IGNORECASE)
_OFF = re.compile(r"\b(?:off|disable|no|false)\b|关闭|关掉|停用|关(?!于)", re.IGNORECASE)
_WORKDAYS = re.compile(r"\b(?:business|working|work)\s*days?\b|工作日", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|before)\b|距离?|离|还有|还剩", re.IGNORECASE)
_FIRST = frozenset({"from", "source", "origin", "start", "base", "checkin", "departure"})
_SECOND = frozenset({"to", "target", "destination", "end", "until", "checkout", "return"})
_BEFORE_FIRST = re.compile(r"(?:\bfrom|从|由|把|将)\s*$", re.IGNORECASE)
_BEFORE_SECOND = re.compile(r"(?:\bto|\binto|\bin|到|至|成|为|去|飞往)\s*$", re.IGNORECASE)
_MENTIONED: dict[FieldKind, tuple[Kind, ...]] = {
    "path": ("path",),
    "url": ("url",),
    "email": ("email",),
    "date": ("date",),
    "datetime": ("date",),
    "clock": ("clock",),
    "duration": ("duration",),
    "place": ("place",),
    "currency": ("currency",),
    "code": ("code",),
    "number": ("number",),
}
_ABOUT = re.compile(
    r"^(?:先|再)?(?:请)?(?:查询?一?下?|看看?一?下?|告诉我)?\s*([\u4e00-\u9fff]{2,10}?)(?:现在|当前|目前|最新|今天)?的"
    r"|\b(?:of|for|about)\s+([A-Z][\w'-]*(?:\s+[A-Z][\w'-]*){0,3})"
)
_UNITS = {"minutes": 60, "minute": 60, "hours": 3600, "hour": 3600, "days": 86_400, "nights": 86_400, "weeks": 604_800}
NEAR = 14
"""Characters between a field's name and its number, or a time and the place it is given for."""


@dataclass(slots=True)
class Reading:
    """What of a text is used so far, and what else it says."""

    text: str
    mentions: list[Mention]
    earlier: str | None
    used: list[Mention] = field(default_factory=list[Mention])
    everything: bool = False

    def rest(self) -> str:
        """What no argument carries, everything else blanked out."""
        return "" if self.everything else hidden(self.text, self.used)

    def value(self, name: str, kind: FieldKind, wanted: Mapping[str, Any], kinds: Mapping[str, FieldKind]) -> Any:
        """The value of a field, if the text has one for it."""
        by_kind = {
            "expression": self._expression,
            "boolean": lambda: self._boolean(name, wanted),
            "enum": lambda: self._enum(wanted),
            "glob": self._glob,
            "sought": self._sought,
            "list": lambda: self._list(wanted),
            "text": lambda: self._text(name, wanted),
        }
        return by_kind[kind]() if kind in by_kind else self._mentioned(name, kind, wanted, kinds)

    def _expression(self) -> str | None:
        change = find_change(self.text, self.earlier) if self.earlier else None
        found = change or find_arithmetic(self.text)
        self.everything = found is not None
        return found

    def _mentioned(self, name: str, kind: FieldKind, wanted: Mapping[str, Any], kinds: Mapping[str, FieldKind]) -> Any:
        free = [m for m in self.mentions if m.kind in _MENTIONED[kind] and m not in self.used]
        if kind == "path":
            return self._path(free)
        if kind == "number":
            counted = self._counted(name)
            if counted is not None:
                return counted
            if wanted.get("type") == "integer":
                free = [mention for mention in free if mention.value.denominator == 1]
        if kind == "clock" and "date" not in kinds.values() and not free:
            free = [m for m in self.mentions if m.kind == "date" and m not in self.used]
        chosen = self._choose(name, kind, free, kinds)
        if chosen is None:
            return self._quoted() if kind == "code" and "default" not in wanted else None
        if kind == "number" and "default" in wanted and not self._named(name, chosen):
            return None
        self.used.append(chosen)
        return _as_value(chosen, kind, wanted, self.mentions, self.used)

    def _counted(self, name: str) -> float | None:
        """A length of time for a field that counts its unit: 90 minutes for `duration_minutes`."""
        unit = next((seconds for word in words_of(name) for end, seconds in _UNITS.items() if word == end), None)
        found = next((m for m in self.mentions if m.kind == "duration" and m not in self.used), None)
        if unit is None or found is None or found.value.months or found.value.workdays:
            return None
        self.used.append(found)
        amount = (found.value.days * 86_400 + found.value.seconds) / unit
        return int(amount) if amount.is_integer() else amount

    def _choose(
        self, name: str, kind: FieldKind, free: list[Mention], kinds: Mapping[str, FieldKind]
    ) -> Mention | None:
        alone = sum(found == kind for found in kinds.values()) == 1
        side = None if alone else side_of(name)
        if not free or (alone and kind != "number"):
            return free[0] if free else None
        if side == "first":
            return self._first(free, kind)
        if side == "second":
            return self._second(free)
        named = (mention for mention in free if kind == "number" and self._named(name, mention))
        return next(named, free[0])

    def _second(self, free: list[Mention]) -> Mention | None:
        told = next((m for m in free if _BEFORE_SECOND.search(self.text[: m.start])), None)
        if len(free) > 1:
            return told if told is not None and told is not free[0] else free[-1]
        return free[0] if told is not None or _UNTIL.search(self.text) or self.used else None

    def _first(self, free: list[Mention], kind: FieldKind) -> Mention | None:
        told = next((m for m in free if _BEFORE_FIRST.search(self.text[: m.start])), None)
        clock = next((m for m in self.mentions if m.kind == "clock"), None)
        if told is None and kind == "place" and clock is not None:
            near = min(free, key=lambda m: _distance(m, clock) - (4 if m.start < clock.start else 0))
            return near if len(free) > 1 or _distance(near, clock) <= NEAR else None
        if told is None and kind == "place" and len(free) < 2:  # noqa: PLR2004  one place is where, not from where
            return None
        return told or free[0]

    def _path(self, free: list[Mention]) -> str | None:
        if free:
            self.used.append(free[0])
            return str(free[0].value)
        bare = hidden(self.text, self.used)
        match = _UNDER.search(bare)
        under = next((group for group in match.groups() if group), None) if match else None
        if under is not None and under.lower() not in _HERE and match is not None:
            start = bare.index(under, match.start())
            self.used.append(Mention("path", under, under, start, start + len(under)))
            return under
        named = next((m for m in self.mentions if m.kind == "quoted" and m not in self.used), None)
        if named is not None and _FILE_NAME.fullmatch(str(named.value)):
            self.used.append(named)
            return str(named.value)
        return None

    def _glob(self) -> str | None:
        found = next((m for m in self.mentions if m.kind == "glob"), None)
        if found is not None:
            self.used.append(found)
            return str(found.value)
        lowered = self.text.lower()
        return next((g for word, g in _FILE_KINDS.items() if re.search(rf"\b{word}\s*(?:files?|文件)", lowered)), None)

    def _sought(self) -> str | None:
        inside = self._quoted()
        if inside is not None:
            return inside
        for pattern in _SOUGHT:
            match = pattern.search(self.text)
            if match:
                self.used.append(Mention("quoted", match[1], match[1], match.start(1), match.end(1)))
                return match[1]
        return None

    def _text(self, name: str, wanted: Mapping[str, Any]) -> str | None:
        keyed = self._keyed(name, wanted)
        if keyed is not None:
            return keyed
        if "default" in wanted:
            return None
        return self._quoted() or self._noun()

    def _noun(self) -> str | None:
        """The thing a short question is about: 密云水库的站码, the stock price of Acme."""
        match = _ABOUT.search(self.rest())
        if match is None:
            return None
        group = next(number for number, found in enumerate(match.groups(), start=1) if found)
        self.used.append(Mention("quoted", match[group], match[group], match.start(group), match.end(group)))
        return match[group]

    def _keyed(self, name: str, wanted: Mapping[str, Any]) -> str | None:
        """A value that follows its field's name: "subject Lunch", 标题“午餐”."""
        for mention in self.mentions:
            if mention.kind == "quoted" and mention not in self.used and self._named(name, mention, wanted):
                self.used.append(mention)
                return str(mention.value)
        return None

    def _quoted(self) -> str | None:
        found = next((m for m in self.mentions if m.kind == "quoted" and m not in self.used), None)
        if found is None:
            return None
        self.used.append(found)
        return str(found.value)

    def _enum(self, wanted: Mapping[str, Any]) -> Any:
        if "default" in wanted and len(self.text) < len(str(wanted["default"])):
            return None
        rest = self.rest().lower()
        for value in wanted["enum"]:
            names = [str(value).lower(), str(value).lower().replace("_", " "), *SYNONYMS.get(str(value).lower(), ())]
            for name in names:
                edge = r"(?<![a-z0-9])" if name[0].isascii() else ""
                match = re.search(edge + re.escape(name) + (r"(?![a-z0-9])" if name[-1].isascii() else ""), rest)
                if match:
                    self.used.append(Mention("quoted", value, match[0], match.start(), match.end()))
                    return value
        return None

    def _boolean(self, name: str, wanted: Mapping[str, Any]) -> bool | None:
        if "business" in name:
            return True if _WORKDAYS.search(self.text) else None
        if "default" in wanted and not any(word in self.text.lower() for word in words_of(name)):
            return None
        if _OFF.search(self.text):
            return False
        return True if _ON.search(self.text) else None

    def _list(self, wanted: Mapping[str, Any]) -> list[Any] | None:
        items = cast("Mapping[str, Any]", wanted.get("items", {}))
        kind = kind_of("item", items)
        kinds = _MENTIONED.get(kind, ("quoted",))
        found = [m for m in self.mentions if m.kind in kinds and m not in self.used]
        self.used += found
        return [_as_value(m, kind, items, self.mentions, self.used) for m in found] or None

    def _named(self, name: str, mention: Mention, wanted: Mapping[str, Any] | None = None) -> bool:
        """Whether the field's name stands just before the mention, or its unit just after."""
        before = self.text[max(0, mention.start - NEAR) : mention.start].lower()
        words = [word for word in words_of(name) if len(word) > 2] + _chinese_words(name, wanted)  # noqa: PLR2004  no "to", "of"
        return any(word in before for word in words)


def _as_value(
    mention: Mention, kind: FieldKind, wanted: Mapping[str, Any], mentions: list[Mention], used: list[Mention]
) -> Any:
    """A mention in the form the schema wants; dates and times as they were said where it wants no form."""
    value, described = mention.value, str(wanted.get("description", ""))
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if kind == "datetime" and isinstance(value, date):
        clock = next((m for m in mentions if m.kind == "clock" and m not in used), None)
        used += [clock] if clock else []
        return datetime.combine(value, cast("time", clock.value)).isoformat() if clock else value.isoformat()
    if isinstance(value, date) and (wanted.get("format") == "date" or "YYYY" in described):
        return value.isoformat()
    if isinstance(value, time) and (wanted.get("format") == "time" or "HH:MM" in described):
        return value.strftime("%H:%M")
    return mention.text if isinstance(value, date | time) or kind == "duration" else value


def side_of(name: str) -> str | None:
    """Which of two a field wants, by its name: `from_…` the first, `to_…` the second."""
    words = set(words_of(name))
    return "first" if words & _FIRST else "second" if words & _SECOND else None


def _distance(one: Mention, other: Mention) -> int:
    return max(one.start, other.start) - min(one.end, other.end)


def _chinese_words(name: str, wanted: Mapping[str, Any] | None) -> list[str]:
    known = _CHINESE_NAMES.get(words_of(name)[-1], ())
    described = re.findall(r"[\u4e00-\u9fff]{2,4}", str((wanted or {}).get("description", "")))
    return [*known, *described[:2]]


_CHINESE_NAMES: dict[str, tuple[str, ...]] = {
    "width": ("宽",),
    "height": ("高",),
    "title": ("标题", "名为", "叫"),
    "subject": ("主题", "标题"),
    "body": ("内容", "正文", "说"),
    "text": ("文字", "内容"),
    "message": ("消息", "内容", "说"),
    "name": ("名称", "名字", "名为", "叫"),
    "volume": ("音量",),
    "amount": ("金额",),
    "limit": ("最多",),
    "price": ("价格",),
}
"""Chinese words for the names fields often have."""
