"""Tools without sentences: a clause is read by a tool's own words and by the schema of its parameters.

Small and careful. Every field the tool requires is filled by something the clause mentions: by type, format, enum or
pattern, and by the word for it beside a mention. An open text takes only what is quoted, follows a colon or stands
beside the word for it (the reservoir Northlake, 北湖水库), and that of a look-up the one name that is left, which it
knows or not. Every other word is one the tool itself uses, or says nothing. Where two tools fit equally well, none is
taken.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, cast

from switchyard.agents.by_rules.deeds import NO_NAME, Deed
from switchyard.agents.by_rules.pieces import without_courtesy
from switchyard.agents.scope import RunScope
from switchyard.language.arithmetic import find_arithmetic
from switchyard.language.clauses import refers_back
from switchyard.language.dictionary import aliases, meanings_of
from switchyard.language.lexicon import segment
from switchyard.language.mentions import Kind, Mention, find_mentions, hidden
from switchyard.language.places import zone_of
from switchyard.language.tables import words as table_words
from switchyard.language.tokeniser import (
    chinese_words,
    has_chinese,
    is_empty,
    located_words,
    plain_words,
    stem,
    tokens,
    words,
)
from switchyard.language.words import is_asked, is_vague, model_words
from switchyard.ledger.plan import Call, Step
from switchyard.toolhub.calling.schema import required_fields
from switchyard.toolhub.recall.query import Scored
from switchyard.toolhub.sentences import find_listed
from switchyard.tools.core.json_values import is_object
from switchyard.tools.core.spec import ToolSpec

LONGEST = 1000
"""Characters: what is longer is material, not a task that rules can read."""

FieldKind = Literal[
    "path", "url", "email", "place", "date", "datetime", "clock", "duration", "currency", "expression", "code",
    "number", "boolean", "enum", "list", "object", "text",
]  # fmt: skip
_BY_TYPE: Mapping[str, FieldKind] = {
    **dict[str, FieldKind](boolean="boolean", number="number", integer="number", array="list", date="date"),
    **dict[str, FieldKind](time="clock", duration="duration", email="email", url="url", uri="url"),
    "object": "object",
    "date-time": "datetime",
}
"""By the type of a field, or its format."""
_BY_NAME: Mapping[FieldKind, frozenset[str]] = {
    "expression": frozenset({"expression", "formula"}),
    "path": frozenset({"path", "file", "filename", "folder", "directory", "repo", "repository"}),
    "url": frozenset({"url", "uri", "link", "website"}),
    "email": frozenset({"email", "mail", "recipient"}),
    "currency": frozenset({"currency"}),
    "place": frozenset({"timezone", "zone", "tz", "city", "place", "location", "country", "origin", "destination"}),
    "duration": frozenset({"duration", "interval"}),
    "date": frozenset({"date", "day", "deadline", "due", "since", "until", "checkin", "checkout"}),
    "clock": frozenset({"time", "clock"}),
    "code": frozenset({"code", "id", "sku", "isbn", "symbol", "ticker", "number"}),
}
_MENTIONED = frozenset[Kind](
    {"path", "url", "email", "place", "date", "clock", "duration", "currency", "code", "number"}
)
"""Kinds of fields that a mention of the same kind fills."""
_FIRST, _SECOND = (
    frozenset({"from", "source", "start", "origin", "base", "old"}),
    frozenset({"to", "target", "end", "until", "new"}),
)
_BEFORE_FIRST = re.compile(r"(?i)(?:\bfrom|\bbetween|从|由|把|将)\s*$")
_BEFORE_SECOND = re.compile(r"(?i)(?:\bto|\binto|\bin|\buntil|到|至|成|为|飞)\s*$")
_CITY = re.compile(r"(?i)\bcity\b|城市")
_PROPER = re.compile(r"\b(from|to|in|at|near|for|between|and)\s+([A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,3})(?![\w/])")
"""A place that no table has, by its capitals and the word before it."""
_PLAIN_PATTERN = re.compile(r"\^?(?:(?:\\d|\[(?:[\w.-]|\\d)+\]|[\w-])(?:\{\d{1,2}(?:,\d{1,2})?\})?){1,20}\$?")
"""The patterns of strangers that are run: characters one after the other, nothing that could take long."""
_CHUNK = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?")
_PERCENT = re.compile(r"(?i)percent|%|百分")
_COMING = re.compile(r"(?i)(?:\b(?:the )?(?:next|coming)|未来|接下来|今后)(?:的)?\s*$")
_EDGE = re.compile(r"[,，;；。、\n]")
_ZONE = re.compile(r"\bIANA\b|\b(?:Asia|Europe|America)/\w")
_ON = re.compile(r"(?i)\b(?:on|enable)\b|打开|开启|启用|开(?=一下|$)")
_OFF = re.compile(r"(?i)\b(?:off|disable)\b|关闭|关掉|关上|停用|关(?=一下|$)")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_MONTHS = {"month": 1, "year": 12}
_NARROWS = ("not", "except", "beside", "empty", "sup", "agg", "cmp", "post", "each", "share", "distinct", "or")
"""Senses of words that change what is asked: a tool that does not speak of them answers another question."""
_ASKING = frozenset({"多少", "怎么"})
_CALLING = re.compile(
    r"(?i)\b(?:use|using|with|via|through|ask|call|run|and|the|on|tool|server|mcp)\b|使用|通过|调用|运行|用|让|服务器|服务|工具"
)
_READS = frozenset({"get", "list", "search", "find", "queri", "lookup", "read", "fetch", "show", "describ", "count"})
"""What a tool that only tells something begins its name with, as stems."""
_NOW = frozenset({"current", "currently", "latest", "now", "today", "当前", "实时", "最新", "今天"})
LONG = 5
"""Letters of a word that stands for a longer one: assign, for assignee."""
_LETTER = re.compile(r"[\u3400-\u9fff]")
_NAME = re.compile(r"[A-Z]\w|[^\x00-\x7f]\w")
_NAME_LEFT = re.compile(r"(?<=\w\s)[A-Z][a-z]+\b")
_EXAMPLE = re.compile(r"(?i)“[^”]*”|\"[^\"]*\"|\b(?:e\.g\.|such as|like)\s[^.;]*")


@dataclass(frozen=True, slots=True)
class Filled:
    """What a text gives for the fields of a schema."""

    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: list[str] = field(default_factory=list[str])
    rest: str = ""
    """The text without what went into a field."""
    unused: tuple[Mention, ...] = ()
    telling: int = 0
    """Fields that only this tool has a value for: one of its enum, or of its pattern."""
    labels: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Where words stand that are the name of the one open text that is missing."""


def plain(wanted: Mapping[str, Any]) -> Mapping[str, Any]:
    """A field that may be null, as the field it is when it is not."""
    options = [one for one in cast("list[Mapping[str, Any]]", wanted.get("anyOf", [])) if one.get("type") != "null"]
    return {**wanted, **options[0]} if len(options) == 1 else wanted


def kind_of(name: str, wanted: Mapping[str, Any]) -> FieldKind:
    """What fills a field: told by its schema, else by its name."""
    if wanted.get("enum"):
        return "enum"
    if told := _BY_TYPE.get(str(wanted.get("type"))) or _BY_TYPE.get(str(wanted.get("format"))):
        return told
    said = set(plain_words(name))
    for kind, names in _BY_NAME.items():
        if names & said:
            return kind
    return "place" if _CITY.search(str(wanted.get("description", ""))) else "text"


def fill(
    schema: Mapping[str, Any],
    text: str,
    today: date,
    *,
    workspace: str = ".",
    earlier: str | None = None,
    produced: Collection[str] = (),
    follows: bool = False,
) -> Filled:
    """The arguments a text gives for a schema.

    One open field may take the result of an `earlier` step, whose tool finds what is `produced`, where the text speaks
    of it, or is known to (`follows`); `workspace` is what "this repository" means to the tool.
    """
    required = required_fields(schema)
    fields = {
        name: plain(wanted)
        for name, wanted in cast("dict[str, dict[str, Any]]", schema.get("properties", {})).items()
        if name != "explanation"
    }
    reading = _Reading(text, list(find_mentions(text, today)), fields, frozenset(required), workspace)
    ordered_names = sorted(fields, key=lambda one: (_side(one) == "second", one not in required))
    for reading.surely in (True, False):  # what is said to be theirs first, then what is left
        for name in ordered_names:
            if name not in reading.arguments and (value := reading.value(name)) is not None:
                reading.arguments[name] = value
    missing = [name for name in required if name not in reading.arguments]
    kinds = [kind_of(name, fields[name]) for name in missing]
    if earlier and len(missing) == 1 and kinds[0] != "enum" and (follows or refers_back(text)):
        part = f".{missing[0]}" if missing[0] in produced else "#number" if kinds[0] == "number" else "#content"
        reading.arguments[missing.pop()] = f"{{{{{earlier}{part}}}}}"
    ordered = {name: reading.arguments[name] for name in fields if name in reading.arguments}
    unused = tuple(one for one in reading.mentions if not reading.is_used(one.start, one.end))
    labels = reading.labels(missing[0], text) if kinds == ["text"] and missing else []
    return Filled(ordered, missing, hidden(text, reading.used), unused, reading.telling, labels)


def _side(name: str) -> Literal["first", "second"] | None:
    said = set(plain_words(name))
    return "first" if said & _FIRST else "second" if said & _SECOND else None


@dataclass(slots=True)
class _Reading:
    """A text being read for one schema; a mention is used once."""

    text: str
    mentions: list[Mention]
    fields: Mapping[str, Mapping[str, Any]]
    required: frozenset[str]
    workspace: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    used: list[Mention] = field(default_factory=list[Mention])
    surely: bool = False
    telling: int = 0

    def is_used(self, start: int, end: int) -> bool:
        return any(one.start < end and start < one.end for one in self.used)

    def _take(self, start: int, end: int) -> None:
        self.used.append(Mention("quoted", "", self.text[start:end], start, end))

    def _free(self, kind: Kind, name: str = "") -> list[Mention]:
        """What is mentioned and not used: what is said to be of the field, else what is said to be of none."""
        free = [one for one in self.mentions if one.kind == kind and not self.is_used(one.start, one.end)]
        owned = [(one, self._owner(one)) for one in free]
        own = [one for one, owner in owned if owner == name]
        return own or ([] if self.surely and name else [one for one, owner in owned if owner is None])

    def _owner(self, one: Mention) -> str | None:
        """The field whose word stands nearest before a mention, or after a figure: subject "Hello", 2 guests."""
        others = [other.end for other in self.mentions if other.end <= one.start]
        start = max([0, *others, *(edge.end() for edge in _EDGE.finditer(self.text, 0, one.start))])
        fitting = [name for name in self.fields if self._takes(name, one.kind)]
        said = [(word, name) for name in fitting for word, _ in self.labels(name, self.text[start : one.start])]
        if said:
            return max(said)[1] if [at for at, _ in said].count(max(said)[0]) == 1 else None
        follows = [other.start for other in self.mentions if other.start >= one.end]
        end = min([len(self.text), *follows, *(edge.start() for edge in _EDGE.finditer(self.text, one.end))])
        said = [(word, name) for name in fitting for word, _ in self.labels(name, self.text[one.end : end])]
        return min(said)[1] if one.kind == "number" and said else None

    def _takes(self, name: str, mentioned: Kind) -> bool:
        kind = kind_of(name, self.fields[name])
        if kind == "list":
            kind = kind_of(name, plain(cast("Mapping[str, Any]", self.fields[name].get("items", {}))))
        return _mentioned_as(kind) == mentioned

    def labels(self, name: str, text: str) -> list[tuple[int, int]]:
        """Where words of a text stand that are the field's own name, in either language."""
        own = {stem(word) for word in plain_words(f"{name} {self.fields[name].get('title', '')}")}
        own -= _FIRST | _SECOND | {"date", "time", "id", "number"}
        called = {word for word in words(str(self.fields[name].get("description", ""))) if not word.isascii()}
        found: list[tuple[int, int]] = []
        for word, start, end in located_words(text):
            meant = {word, *_means(word), *(one for one in aliases(word) if not word.isascii())}
            begins = len(word) > LONG and any(one.startswith(word) for one in own)
            found += [(start, end)] if begins or meant & own or word in called else []
        return found

    def value(self, name: str) -> Any:
        """What the text has for a field; None where it has nothing, or nothing sure."""
        kind = kind_of(name, self.fields[name])
        if kind in {"code", "text"} and self.fields[name].get("pattern"):
            return self._patterned(name, str(self.fields[name]["pattern"]))
        by_kind = {"enum": self._enum, "boolean": self._switch, "number": self._number, "list": self._list}
        return by_kind.get(kind, self._mentioned)(name)

    def _patterned(self, name: str, pattern: str) -> str | None:
        """The one piece of the text that is written as the pattern says."""
        if not _PLAIN_PATTERN.fullmatch(pattern) or pattern.count(",") > 1:
            return None
        free = [one for one in _CHUNK.finditer(self.text) if not self.is_used(*one.span())]
        marked = {"first": _BEFORE_FIRST, "second": _BEFORE_SECOND}.get(_side(name) or "")
        fitting = [one for one in free if re.fullmatch(pattern, one[0])]
        fitting = [one for one in fitting if len(fitting) == 1 or (marked and marked.search(self.text[: one.start()]))]
        if len(fitting) != 1:
            return None
        self._take(*fitting[0].span())
        self.telling += 1
        return fitting[0][0]

    def _mentioned(self, name: str) -> Any:
        wanted = self.fields[name]
        kind = kind_of(name, wanted)
        if kind == "expression" and (found := find_arithmetic(self.text)):
            self._take(0, len(self.text))
            return found
        free = self._free(_mentioned_as(kind), name)
        alike = [one for one in self.fields if kind_of(one, self.fields[one]) == kind]
        side = _side(name) if len(alike) > 1 else None
        if side is not None:
            marks = (_BEFORE_FIRST, _BEFORE_SECOND) if side == "first" else (_BEFORE_SECOND, _BEFORE_FIRST)
            marked, others = ([one for one in free if mark.search(self.text[: one.start])] for mark in marks)
            free = marked or [one for one in free if one not in others]
        unfilled = [one for one in alike if one not in self.arguments]
        sure = self.surely or name in self.required or (kind != "text" and len(unfilled) <= len(free))
        if free and sure:
            self.used.append(free[0])
            self.telling += kind == "currency"
            return _as_value(free[0], kind, wanted, self)
        if self.surely or name not in self.required:
            return None
        if kind == "place" and not _ZONE.search(str(wanted.get("description", ""))):
            return self._proper(side) or self._quoted(name)
        if kind == "path":
            for start, end, _ in find_listed("here", self.text):
                self._take(start, end)
                return self.workspace
        return self._quoted(name)

    def _proper(self, side: Literal["first", "second"] | None) -> str | None:
        before = {"first": {"from", "between"}, "second": {"to", "and"}, None: {"in", "at", "near", "for"}}[side]
        for match in _PROPER.finditer(self.text):
            if match[1].lower() in before and not self.is_used(*match.span(2)):
                self._take(*match.span(2))
                return match[2]
        return None

    def _quoted(self, name: str) -> str | None:
        if free := self._free("quoted", name):
            self.used.append(free[0])
            return str(free[0].value)
        colon = re.search(r"(?:(?<!\d)[:：]|[:：](?!\d))\s*(\S.*)$", self.text, re.DOTALL)
        if colon is None or "//" in colon[0][:3]:
            return None
        end = colon.end(1)
        for edge in _EDGE.finditer(self.text, colon.start(1)):  # …, due Friday
            part = _EDGE.split(self.text[edge.end() :])[0].lstrip()
            end = (
                min(end, edge.start())
                if any(at == 0 for one in self.fields for at, _ in self.labels(one, part))
                else end
            )
        if self.is_used(colon.start(1), end):
            return None
        self._take(colon.start(), end)
        return self.text[colon.start(1) : end]

    def _number(self, name: str) -> int | float | None:
        wanted = self.fields[name]
        if (counted := self._counted(name, wanted)) is not None:
            return counted
        free = [one for one in self._free("number", name) if _is_allowed(one, wanted)]
        of_percent = _PERCENT.search(f"{name.replace('_', ' ')} {wanted.get('description', '')}") is not None
        rates = self._free("number", name) or self._free("number")
        said = [one for one in rates if one.text.endswith(("%", "％"))]
        percents = [replace(one, value=one.value * 100) for one in said] if of_percent and len(said) == 1 else []
        numeric = [one for one in self.required if kind_of(one, self.fields[one]) == "number"]
        left = [one for one in numeric if one not in self.arguments]
        only = free if self.surely or (len(free) == 1 and left == [name]) else []
        chosen = (percents or only)[:1]
        self.used += chosen
        return _as_value(chosen[0], "number", wanted, self) if chosen else None

    def _counted(self, name: str, wanted: Mapping[str, Any]) -> int | float | None:
        """A length of time for a field that counts its unit: 90 minutes for `duration_minutes`."""
        singular = [word.removesuffix("s") for word in plain_words(name)]
        found = self._free("duration")
        length = found[0].value if found else None
        if length is None or length.workdays:
            return None
        amounts = (
            [length.months / _MONTHS[word] for word in singular if word in _MONTHS]
            if length.months
            else [(length.days * 86_400 + length.seconds) / _SECONDS[word] for word in singular if word in _SECONDS]
        )
        if not amounts or not wanted.get("minimum", amounts[0]) <= amounts[0] <= wanted.get("maximum", amounts[0]):
            return None
        coming = _COMING.search(self.text[: found[0].start])
        self._take(coming.start() if coming else found[0].start, found[0].end)
        return int(amounts[0]) if amounts[0] == int(amounts[0]) else amounts[0]

    def _enum(self, name: str) -> Any:
        wanted = self.fields[name]
        rest = hidden(self.text, self.used).lower()
        named = _aliases_in(str(wanted.get("description", "")))
        found: list[tuple[int, int, Any]] = []
        for value in wanted["enum"]:
            said = str(value).lower()
            for one in filter(None, {said, said.replace("_", " "), *named.get(said, ())}):
                pattern = rf"(?<![a-z0-9]){re.escape(one)}(?![a-z0-9])" if one.isascii() else re.escape(one)
                if match := re.search(pattern, rest):
                    found.append((*match.span(), value))
        for coin in self._free("currency"):
            found += [(coin.start, coin.end, value) for value in wanted["enum"] if str(value).upper() == coin.value]
        for word, start, end in located_words(rest) if not found else ():
            found += [(start, end, value) for value in wanted["enum"] if stem(str(value)) in {word, *_means(word)}]
        longest = [
            one for one in found if not any(o[0] <= one[0] and one[1] <= o[1] and o[:2] != one[:2] for o in found)
        ]
        if len({repr(value) for _, _, value in longest}) != 1:
            return None  # none is named, or two are
        self._take(*longest[0][:2])
        self.telling += not str(longest[0][2]).isdigit()
        return longest[0][2]

    def _switch(self, name: str) -> bool | None:
        if name not in self.required:  # open_now: restaurants that are open now
            said = {word: (start, end) for word, start, end in located_words(hidden(self.text, self.used))}
            own = [said.get(stem(word)) for word in plain_words(name)]
            for span in own if None not in own else ():
                self._take(*cast("tuple[int, int]", span))
            return True if None not in own else None
        for pattern, value in ((_OFF, False), (_ON, True)):
            if match := pattern.search(self.text):
                self._take(*match.span())
                return value
        return None

    def _list(self, name: str) -> list[Any] | None:
        items = plain(cast("Mapping[str, Any]", self.fields[name].get("items", {})))
        kind = kind_of(name, items)
        found = self._free(_mentioned_as(kind), name) if self.surely or name in self.required else []
        self.used += found
        return [_as_value(one, kind, items, self) for one in found] or None


@lru_cache(maxsize=1024)
def _means(word: str) -> frozenset[str]:
    """What a Chinese word means in English, each meaning whole."""
    found = () if word.isascii() else meanings_of(word)
    return frozenset(stem(one.removeprefix("to ").removesuffix(" language")) for one in found)


def _mentioned_as(kind: FieldKind) -> Kind:
    """The kind of mention that fills a field; any other field is filled by what is quoted."""
    return "date" if kind == "datetime" else cast("Kind", kind) if kind in _MENTIONED else "quoted"


def _as_value(one: Mention, kind: FieldKind, wanted: Mapping[str, Any], reading: _Reading) -> Any:
    """A mention in the form the schema wants."""
    value, described = one.value, str(wanted.get("description", ""))
    if kind == "place" and _ZONE.search(described) and (place := zone_of(one.text)) is not None:
        return place.zone
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if kind == "datetime" and isinstance(value, date):
        clock = next((m for m in reading.mentions if m.kind == "clock" and not reading.is_used(m.start, m.end)), None)
        reading.used += [clock] if clock else []
        return datetime.combine(value, cast("time", clock.value)).isoformat() if clock else value.isoformat()
    if isinstance(value, date):
        return value.isoformat() if wanted.get("format") == "date" or "YYYY" in described else one.text
    if isinstance(value, time):
        return value.strftime("%H:%M")
    return one.text if kind == "duration" else value


def _is_allowed(one: Mention, wanted: Mapping[str, Any]) -> bool:
    value = cast("Fraction", one.value)
    if wanted.get("type") == "integer" and value.denominator != 1:
        return False
    return wanted.get("minimum", value) <= value <= wanted.get("maximum", value)


def _aliases_in(description: str) -> dict[str, list[str]]:
    """Other names a description gives for the values of an enum: "bitcoin (BTC, 比特币)"."""
    return {
        match[1].lower(): [alias.strip().lower() for alias in re.split(r"[,，、/]", match[2]) if alias.strip()]
        for match in re.finditer(r"([\w-]+)\s*[(（]([^()（）]{1,60})[)）]", description)
    }


# which tool


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    own: frozenset[str]
    """What a tool calls itself, in its name, its tags and a line."""
    known: frozenset[str]
    """Every word of its description; not of the values that it gives as examples, which are looked up or not."""
    tags: tuple[str, ...]
    """Its Chinese tags, the longest first: they need not be words of the text, 客厅灯."""

    def also(self, other: "_Vocabulary") -> "_Vocabulary":
        return _Vocabulary(self.own | other.own, self.known | other.known, self.tags + other.tags)


def _vocabulary(spec: ToolSpec, given: Collection[str]) -> _Vocabulary:
    """The words of a tool; of a field that may be left out, only where it is given: else it would be left out."""
    # a description in two languages says it twice: the line is one of each
    again = next((one for one in re.split(r"[.。\n]", spec.details) if has_chinese(one)), "")
    line = [spec.summary, *([] if has_chinese(spec.summary) else [again])]
    named = tokens(" ".join([spec.tool_id, *spec.tags, *spec.capability_tags, *line]))
    own = frozenset(term for term in named if not is_vague(term))
    tags = sorted((tag for tag in spec.tags if not tag.isascii()), key=len, reverse=True)
    described = [*named, spec.details, spec.returns, *spec.asked]
    for capability in spec.capabilities:
        described += [capability.name, capability.description, *capability.asked]
        for name, wanted in cast("dict[str, dict[str, Any]]", capability.parameters.get("properties", {})).items():
            said = _EXAMPLE.sub(" ", str(wanted.get("description", "")))
            if name in given or name in required_fields(capability.parameters):
                described += [name, said, *map(str, plain(wanted).get("enum", ()))]
    # latest says little in most texts; in the name of a tool it is what the tool tells
    now = _NOW.intersection(plain_words(spec.tool_id))
    return _Vocabulary(own, own | now | frozenset(tokens(" ".join(described))), tuple(tags))


def acts(spec: ToolSpec) -> bool:
    """Whether calling a tool changes or sends something; a foreign one that says nothing is let off by its name."""
    if not (spec.writes or spec.asks_first):
        return False
    name = plain_words(spec.tool_id.rpartition("/")[2])
    return spec.source == "native" or not _READS.intersection(map(stem, name[:1]))


@dataclass(frozen=True, slots=True)
class _Fit:
    deed: Deed
    own: int
    """Words of the clause that are the tool's own."""
    given: int
    score: float


class SchemaCalls:
    """Reads clauses for the tools of a run that bring no sentences."""

    def __init__(self, scope: RunScope, recall: Callable[[str], list[Scored]], without: frozenset[str]) -> None:
        """`without`: tools that are read in another way."""
        self._scope = scope
        self._recall = recall
        self._without = without
        self._today = scope.equipment.clock().date()

    def read(self, clause: str, *, earlier: Step | None = None) -> Deed | None:
        """The call of the one tool that takes the whole clause."""
        if len(clause) > LONGEST:
            return None
        found = (one for one in self._recall(clause) if one.name not in self._without)
        return self._best(clause, found, earlier=earlier, named=False)

    def of_named(self, clause: str, names: Sequence[str]) -> Deed | None:
        """The call of one of the tools that the clause names, by the rest of what it says."""
        return self._best(clause, (Scored(name, 0.0) for name in names), earlier=None, named=True)

    def _best(self, clause: str, found: Iterable[Scored], *, earlier: Step | None, named: bool) -> Deed | None:
        fits: list[_Fit] = []
        for scored in found:
            spec = self._scope.equipment.hub.registry.get(scored.name)
            if spec is not None and spec.tool_type != "skill" and self._scope.allows(spec.tool_id):
                fits += self._fits(clause, scored, spec, earlier, named=named)
        fits.sort(key=lambda one: (-one.own, -one.given, -one.score))
        for other in fits[1:2]:
            alike = (fits[0].own, fits[0].given) == (other.own, other.given) and (named or fits[0].score == other.score)
            if alike and fits[0].deed.call.arguments != other.deed.call.arguments:
                return None
        return fits[0].deed if fits else None

    def _fits(
        self, clause: str, scored: Scored, spec: ToolSpec, earlier: Step | None, *, named: bool
    ) -> Iterator[_Fit]:
        text, equipment = without_courtesy(clause), self._scope.equipment
        before = equipment.hub.registry.get(earlier.tool or "") if earlier else None
        step, produced = earlier.id if earlier else None, before.produces if before else ()
        workspace = str(equipment.workspace.resolve()) if spec.source == "mcp" else "."
        for capability in spec.capabilities:
            filled = fill(
                capability.parameters,
                text,
                self._today,
                workspace=workspace,
                earlier=step,
                produced=produced,
            )
            action = capability.name if len(spec.capabilities) > 1 else None
            deed = Deed(Call(tool=spec.tool_id, action=action, arguments=filled.arguments))
            one = spec.for_action(capability.name)
            vocabulary = _vocabulary(one, filled.arguments)
            if filled.missing and (found := self._looked_up(deed.call, filled, one, vocabulary)) is not None:
                deed, filled, vocabulary = found
            unused = [m for m in filled.unused if m.value != self._today or _NOW.isdisjoint(vocabulary.known)]
            unused = [m for m in unused if not _is_within_word(m, filled.rest, vocabulary.known)]
            own = _speaks_of(filled, one, vocabulary, named=named)
            if not filled.missing and not unused and own is not None:
                yield _Fit(deed, own, len(filled.arguments), scored.score)

    def _looked_up(
        self, call: Call, filled: Filled, spec: ToolSpec, vocabulary: _Vocabulary
    ) -> tuple[Deed, Filled, _Vocabulary] | None:
        """The call of a look-up with the name that is left, or the call that needs one, after it."""
        if spec.produces or not spec.requires:
            named = _with_name(filled, vocabulary, beside=not spec.produces)
            return named and (Deed(call.model_copy(update={"arguments": named.arguments})), named, vocabulary)
        for other in filter(lambda one: self._scope.allows(one.tool_id), self._scope.equipment.hub.registry):
            if filled.missing == [name for name in spec.requires if name in other.produces]:
                needs = call.model_copy(
                    update={"arguments": filled.arguments | {name: name for name in filled.missing}}
                )
                sought = fill(other.capabilities[0].parameters, filled.rest, self._today)
                known = vocabulary.also(_vocabulary(other, sought.arguments))
                named = _with_name(sought, known) if sought.missing else sought
                look_up = named and Call(tool=other.tool_id, arguments=named.arguments)
                return named and (Deed(needs, look_up=look_up), replace(named, telling=filled.telling), known)
        return None


def _with_name(filled: Filled, vocabulary: _Vocabulary, *, beside: bool = False) -> Filled | None:
    """What is filled, with the one run of words that nobody knows as the name that is missing.

    `beside`: it stands beside the word for the field; a Chinese name has that word too: the club Rowing, 赛艇俱乐部.
    """
    rest, spans = filled.rest, list[tuple[int, int]]()
    for word, start, end in located_words(rest):
        said = rest[start:end].lower()
        begun = word if word.isascii() or word in vocabulary.known else word[:2]  # 水库 is known, 密云水库 is not
        if not (is_empty(said) or is_asked(said) or _is_known(begun, vocabulary.known)):
            goes_on = spans and re.fullmatch(r"(?:[\s.·-]|\s[oO]['’])?", rest[spans[-1][1] : start])
            spans.append((spans.pop()[0] if goes_on else start, end))
    if len(filled.missing) != 1 or len(spans) != 1:
        return None
    start, end = spans[0]
    near = [one for one in filled.labels if not rest[min(end, one[1]) : max(start, one[0])].strip()] if beside else []
    if beside and not near:
        return None
    goes_on = [last for first, last in near if first == end and last - first > 1 and not rest[first:last].isascii()]
    end = max([end, *goes_on])
    name = rest[start:end]
    inside = [one for one in filled.unused if one.start < end and start < one.end]
    if NO_NAME.search(name) or not _NAME.match(name) or rest[:start].endswith("给"):
        return None
    if any(one.kind in {"date", "clock", "duration"} for one in inside):
        return None
    return replace(
        filled,
        arguments={**filled.arguments, filled.missing[0]: name},
        missing=[],
        rest=hidden(rest, [Mention("quoted", name, name, start, end)]),
        unused=tuple(one for one in filled.unused if one not in inside),
    )


def _speaks_of(filled: Filled, spec: ToolSpec, vocabulary: _Vocabulary, *, named: bool) -> int | None:
    """How many words of a clause are a tool's own; None where one is not the tool's, or none speaks of it."""
    rest, own = (_CALLING.sub(" ", filled.rest) if named else filled.rest), 0
    for tag in vocabulary.tags:
        own, rest = own + (tag in rest), rest.replace(tag, " ")
    said = {word for word in words(rest) if not is_asked(word)}
    if any(not _is_known(word, vocabulary.known) and not _only_asks(word, spec) for word in said):
        return None
    own += len({word for word in said if _is_known(word, vocabulary.own)})
    if _says_more(rest, spec, vocabulary, filled.arguments) or (
        acts(spec) and not named and own + filled.telling // 2 == 0
    ):
        return None
    if acts(spec) and not named and _ASKS.search(rest):
        return None  # a question does not ask for a change
    return own + filled.telling if own or filled.telling or named else None


def _says_more(rest: str, spec: ToolSpec, vocabulary: _Vocabulary, given: Mapping[str, Any]) -> bool:
    """Whether a small word changes what is asked: not, off, 灯; or a number is wanted, or a text to be written."""
    figures = any(isinstance(value, int | float) for value in given.values())
    for token in segment(rest, [], {}):
        if token.has("cmp") and not figures and rest[token.end : token.end + 2] == "  ":
            continue  # before what went into a field: under list.txt
        if token.has(*_NARROWS) and not token.has("free") and not _knows(token.text, vocabulary.known):
            return True
    if any(not _knows(match[0], vocabulary.known) for match in _NAME_LEFT.finditer(rest)):
        return True  # in May
    letters = (word for word, _, _ in located_words(rest) if _LETTER.fullmatch(word))
    unknown = (one for one in letters if not is_empty(one) and not is_asked(one))
    if any(not any(one in term for term in vocabulary.known) for one in unknown):
        return True
    if _OFF.search(rest) or any(not _knows(word, vocabulary.own) for word in model_words(rest)):
        return True
    return bool(_HOW_MANY.search(rest) and _LISTS.match(spec.tool_id.rpartition("/")[2]))  # a page of them is no number


def _is_within_word(one: Mention, text: str, known: frozenset[str]) -> bool:
    """Whether a number is only a part of a word that the tool uses: 零 of 零件."""
    around = ((start, end, word) for word, start, end in located_words(text) if not word.isascii())
    return one.kind == "number" and any(
        start <= one.start and one.end <= end and (start, end) != (one.start, one.end) and word in known
        for start, end, word in around
    )


def _only_asks(word: str, spec: ToolSpec) -> bool:
    """Whether a word says no more than that a tool is used: find, and of one that changes something also add."""
    return word in table_words("words", "general") and (acts(spec) or word not in table_words("words", "change"))


# what a tool that nobody asked for tells


def known_words(spec: ToolSpec, text: str, arguments: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The words of a step that a tool uses, and those that it does not and that are no values of arguments."""
    known = _vocabulary(spec, arguments).known
    used, asked = set(words(text)), text
    for value in sorted(map(str, arguments.values()), key=len, reverse=True):
        asked = asked.replace(value, " ")
    used = {word for word in used if not is_vague(word) and _is_known(word, known)}
    return used, {word for word in words(asked) if not is_vague(word)} - used


def tells(spec: ToolSpec, text: str, arguments: Mapping[str, Any], result: Any) -> bool:
    """Whether a result has a field called what a step is after, and nothing that the step says is left over."""
    fields = {name: value for name, value in result.items() if name not in arguments} if is_object(result) else {}
    named = {term for terms in fields_called(text, fields).values() for term in terms}
    return bool(named) and _are_named(known_words(spec, text, arguments)[1], named)


def field_asked_for(text: str, fields: Mapping[str, Any]) -> str | None:
    """The one field whose name has every word by which a text says what it asks for."""
    asked = [word for word in words(text) if not is_vague(word)]
    named = [name for name, terms in fields_called(text, fields).items() if _are_named(asked, terms)]
    return named[0] if len(named) == 1 else None


def fields_called(text: str, fields: Mapping[str, Any]) -> dict[str, set[str]]:
    """The fields that have a value and a name whose words are all in a text, whatever it is measured in."""
    asked = {word for word in words(text) if not is_vague(word)}
    # small words of a name are part of it: former_members are no members
    named = {name: {*map(stem, plain_words(name)), *chinese_words(name)} for name in fields}
    named = {name: terms - table_words("words", "measure") for name, terms in named.items()}
    return {
        name: terms
        for name, terms in named.items()
        if terms and fields[name] not in (None, "") and all(any(_names(word, one) for word in asked) for one in terms)
    }


def _are_named(said: Iterable[str], terms: set[str]) -> bool:
    return all(any(_names(word, term) for term in terms) for word in said)


def _names(word: str, term: str) -> bool:
    """Whether a word stands for a term, or for a kind of what it stands for: 气温, air temperature."""
    return _is_known(word, frozenset({term})) or any(tokens(one)[-1:] == [term] for one in _means(word))


_ASKS = re.compile(
    r"(?i)^\W*(?:which|what|how|who|whose|when|where|why|is|are|was|were|does|did|has|had|do|have)\b"
    r"|哪|什么|多少|谁|是否|有没有|是不是|怎么|如何|为什么|[吗呢]\W*$"
)


_HOW_MANY, _LISTS = re.compile(r"(?i)\bhow many\b|(?:多少|几)个"), re.compile(r"(?i:list|search|find)")


def _knows(text: str, known: frozenset[str]) -> bool:
    return any(word in known for word in tokens(text)) or stem(text.lower()) in known


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Whether a tool uses a word, or one of the other language that means the same."""
    if word in known or any(other in known for other in aliases(word) - _ASKING if other.isascii() != word.isascii()):
        return True
    if any(meant and known.issuperset(tokens(meant)) for meant in _means(word)):
        return True
    return not word.isascii() and any(word[at : at + 2] in known for at in range(len(word) - 1))
