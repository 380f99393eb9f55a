"""Tools without sentences: a clause is read by a tool's own words and by the schema of its parameters.

Small and careful. Every field the tool requires is filled by something the clause mentions: by type, format, enum or
pattern, and by the word for it beside a mention. An open text takes only what is quoted, follows a colon or stands
beside the word for it, and that of a look-up the one name that is left, which it knows or not. Every other word is one
the tool itself uses, or says nothing. Where two tools fit equally well, none is taken.
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
from switchyard.toolhub.calling.arguments import required_fields
from switchyard.toolhub.recall.query import Scored
from switchyard.toolhub.sentences import find_listed
from switchyard.tools.core.json_values import is_object
from switchyard.tools.core.spec import ToolSpec

LONGEST = 1000
"""Characters: what is longer is material, not a task that rules can read."""

FieldKind = Literal["enum", "boolean", "object", "expression", "datetime", "text"] | Kind
_BY_TYPE: Mapping[str, FieldKind] = {
    **dict[str, FieldKind](boolean="boolean", number="number", integer="number", object="object", date="date"),
    **dict[str, FieldKind](time="clock", duration="duration", email="email", url="url", uri="url"),
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
_MENTIONED = frozenset({"path", "url", "email", "place", "date", "clock", "duration", "currency", "code", "number"})
"""Kinds of fields that a mention of the same kind fills; others are filled by what is quoted."""
_SIDES = (
    (frozenset({"from", "source", "start", "origin", "base", "old"}), r"(?i)(?:\bfrom|\bbetween|从|由|把|将)\s*$"),
    (frozenset({"to", "target", "end", "until", "new"}), r"(?i)(?:\bto|\binto|\bin|\buntil|到|至|成|为|飞)\s*$"),
)
"""Names of the first and of the second of two fields, and what stands right before what is theirs."""
_NO_LABEL = _SIDES[0][0] | _SIDES[1][0] | {"date", "time", "id", "number"}
_PROPER = re.compile(r"\b(?:in|at|near|for|from|between|to|and)\s+([A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,3})(?![\w/])")
"""A place that no table has, by its capitals and the word before it."""
_PLAIN_PATTERN = re.compile(r"\^?(?:(?:\\d|\[(?:[\w.-]|\\d)+\]|[\w-])(?:\{\d{1,2}(?:,\d{1,2})?\})?){1,20}\$?")
"""The patterns of strangers that are run: characters one after the other, nothing that could take long."""
_CHUNK = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?")
_EDGE = re.compile(r"[,，;；。、\n]")
_COLON = re.compile(r"(?:(?<!\d)[:：]|[:：](?!\d))(?!//)\s*([^\s,，;；。、][^,，;；。、\n]*)$")
_SHAPES: tuple[tuple[Kind, FieldKind, re.Pattern[str]], ...] = (("place", "place", _PROPER), ("quoted", "text", _COLON))
"""The mention that a shape of the text is, for the kind of field that needs it."""
_ZONE = re.compile(r"\bIANA\b|\b(?:Asia|Europe|America)/\w")
_ON = re.compile(r"(?i)\b(?:on|enable)\b|打开|开启|启用|开(?=一下|$)")
_OFF = re.compile(r"(?i)\b(?:off|disable)\b|关闭|关掉|关上|停用|关(?=一下|$)")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_MONTHS = {"month": 1, "year": 12}
_NARROWS = ("not", "except", "beside", "empty", "sup", "agg", "cmp", "post", "each", "share", "distinct", "or")
"""Senses of words that change what is asked: a tool that does not speak of them answers another question."""
_CALLING = re.compile(
    r"(?i)\b(?:use|using|with|via|through|ask|call|run|and|the|on|tool|server|mcp)\b|使用|通过|调用|运行|用|让|服务器|服务|工具"
)
_READS = frozenset({"get", "list", "search", "find", "queri", "lookup", "read", "fetch", "show", "describ", "count"})
"""What a tool that only tells something begins its name with, as stems."""
_NOW = frozenset({"current", "currently", "latest", "now", "today", "当前", "实时", "最新", "今天"})
_ASKS = re.compile(
    r"(?i)^\W*(?:which|what|how|who|whose|when|where|why|is|are|was|were|does|did|has|had|do|have)\b"
    r"|哪|什么|多少|谁|是否|有没有|是不是|怎么|如何|为什么|[吗呢]\W*$"
)
_HOW_MANY, _LISTS = re.compile(r"(?i)\bhow many\b|(?:多少|几)个"), re.compile(r"(?i:list|search|find)")
_NAME = re.compile(r"[A-Z]\w|[^\x00-\x7f]\w")
_EXAMPLE = re.compile(r"(?i)“[^”]*”|\"[^\"]*\"|\b(?:e\.g\.|such as|like)\s[^.;]*")
_ASKING = frozenset({"多少", "怎么"})
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Filled:
    """What a text gives for the fields of a schema."""

    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: list[str] = field(default_factory=list[str])
    rest: str = ""
    """The text without what went into a field."""
    unused: tuple[Mention, ...] = ()
    telling: int = 0
    """Fields that few tools have a value for: a currency, one of an enum, or of a pattern."""


def fill(
    schema: Schema,
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
    required, properties = required_fields(schema), cast("dict[str, Schema]", schema.get("properties", {}))
    fields = {name: _Field(name, wanted, required) for name, wanted in properties.items() if name != "explanation"}
    reading = _Reading(text, fields, list(find_mentions(text, today)), workspace)
    arguments = reading.arguments()
    missing = [name for name in required if name not in arguments]
    if earlier and len(missing) == 1 and fields[missing[0]].kind != "enum" and (follows or refers_back(text)):
        name = missing.pop()
        part = f".{name}" if name in produced else "#number" if fields[name].kind == "number" else "#content"
        arguments[name] = f"{{{{{earlier}{part}}}}}"
    ordered = {name: arguments[name] for name in fields if name in arguments}
    telling = sum(fields[name].kind in {"enum", "currency"} or "pattern" in fields[name].schema for name in ordered)
    unused = tuple(one for one in reading.mentions if reading.is_free(one.start, one.end))
    return Filled(ordered, missing, hidden(text, reading.used), unused, telling)


def _plain(wanted: Schema) -> Schema:
    """A field that may be null, as the field it is when it is not."""
    options = [one for one in cast("list[Schema]", wanted.get("anyOf", [])) if one.get("type") != "null"]
    return {**wanted, **options[0]} if len(options) == 1 else wanted


class _Field:
    """A field of a schema, and what fills it."""

    def __init__(self, name: str, wanted: Schema, required: Collection[str]) -> None:
        self.name, self.schema, self.is_required = name, _plain(wanted), name in required
        self.description, self.is_list = str(wanted.get("description", "")), self.schema.get("type") == "array"
        self.kind = self._kind(_plain(cast("Schema", self.schema.get("items", {}))) if self.is_list else self.schema)
        kind = "date" if self.kind == "datetime" else self.kind
        self.mentioned = kind if kind in _MENTIONED else "quoted" if kind in {"text", "expression"} else None
        """The kind of mention that fills it."""

    def _kind(self, wanted: Schema) -> FieldKind:
        """Told by its schema, else by its name."""
        if wanted.get("enum"):
            return "enum"
        if told := _BY_TYPE.get(str(wanted.get("type"))) or _BY_TYPE.get(str(wanted.get("format"))):
            return told
        said = plain_words(self.name)
        for kind, names in _BY_NAME.items():
            if not names.isdisjoint(said):
                return kind
        return "place" if re.search(r"(?i)\bcity\b|城市", self.description) else "text"

    def label(self, before: str, after: str) -> int | None:
        """How far from a mention a word for the field stands, in either language, before it or after a figure."""
        said = plain_words(self.name)
        if any(re.search(mark, before) for names, mark in _SIDES if not names.isdisjoint(said)):
            return 0
        if found := self.labels(before):
            return len(before) - found[-1][1] + 1
        return len(before) + found[0][0] + 1 if (found := self.labels(after)) else None

    def labels(self, text: str) -> list[tuple[int, int]]:
        """Where words stand that are the field's own name, in either language."""
        named = plain_words(f"{self.name} {self.schema.get('title', '')}")
        own, found = {stem(word) for word in named} - _NO_LABEL, list[tuple[int, int]]()
        called = {word for word in words(self.description) if not word.isascii()}
        for word, start, end in located_words(text):
            other = () if word.isascii() else aliases(word)
            if word in called or not own.isdisjoint({word, *_means(word), *other}):
                found.append((start, end))
        return found

    def value(self, one: Mention) -> Any:
        """A mention in the form the schema wants; None where it does not allow it."""
        value = one.value
        if isinstance(value, Fraction):  # 5% may be 5 or 0.05
            return None if one.text.endswith(("%", "％")) else _figure(value, self.schema)
        if self.kind == "place" and _ZONE.search(self.description) and (place := zone_of(one.text)) is not None:
            return place.zone
        if isinstance(value, date):
            by_number = self.kind == "datetime" or self.schema.get("format") == "date" or "YYYY" in self.description
            return value.isoformat() if by_number else one.text
        if isinstance(value, time):
            return value.strftime("%H:%M")
        return one.text if self.kind == "duration" else value


@dataclass(slots=True)
class _Reading:
    """A text being read for one schema; a mention is used once."""

    text: str
    fields: Mapping[str, _Field]
    mentions: list[Mention]
    workspace: str
    used: list[Mention] = field(default_factory=list[Mention])

    def arguments(self) -> dict[str, Any]:
        """What the text has for the fields: what is said to be theirs first, then what is left."""
        self.mentions += self._more()
        owners = [(one, self._owner(one)) for one in self.mentions]
        found: dict[str, Any] = {}
        for surely in (True, False):
            for wanted in sorted(self.fields.values(), key=lambda one: not one.is_required):
                own = [one for one, owner in owners if owner == wanted.name and self._is_free(one)]
                if not surely and not own:
                    alike = [one for one in self.fields.values() if one.kind == wanted.kind and one.name not in found]
                    own = self._left([one for one, owner in owners if owner is None], wanted, alike)
                value = self._value(wanted, own) if wanted.name not in found else None
                if value is not None:
                    found[wanted.name] = value
        return found

    def is_free(self, start: int, end: int) -> bool:
        return not any(one.start < end and start < one.end for one in self.used)

    def _is_free(self, one: Mention) -> bool:
        return self.is_free(one.start, one.end)

    def _more(self) -> Iterator[Mention]:
        """What only a field makes a mention: places no table has, what follows a colon, this repository."""
        kinds = {one.kind for one in self.fields.values() if one.is_required and not _ZONE.search(one.description)}
        for kind, of, pattern in _SHAPES:
            for match in pattern.finditer(self.text) if of in kinds else ():
                start, end = match.span(1)
                if not any(one.start < end and start < one.end for one in self.mentions):
                    yield Mention(kind, match[1], match[1], start, end)
        has_path = any(one.kind == "path" for one in self.mentions)
        for start, end, _ in find_listed("here", self.text) if "path" in kinds and not has_path else ():
            yield Mention("path", self.workspace, self.text[start:end], start, end)

    def _owner(self, one: Mention) -> str | None:
        """The field whose word stands nearest before a mention, or after a figure: subject "Hello", 2 guests."""
        edges = [*(edge.span() for edge in _EDGE.finditer(self.text)), *((m.start, m.end) for m in self.mentions)]
        start = max((end for _, end in edges if end <= one.start), default=0)
        end = min((first for first, _ in edges if first >= one.end), default=len(self.text))
        before, after = self.text[start : one.start], self.text[one.end : end] if one.kind == "number" else ""
        fitting = [wanted for wanted in self.fields.values() if wanted.mentioned == one.kind]
        labels = [(at, wanted.name) for wanted in fitting if (at := wanted.label(before, after)) is not None]
        nearest = [name for at, name in labels if at == min(labels)[0]]
        return nearest[0] if len(nearest) == 1 else None

    def _left(self, free: list[Mention], wanted: _Field, alike: Sequence[_Field]) -> list[Mention]:
        """What is said to be of no field, for one that needs it, or for all that may have it."""
        of_kind = [one for one in free if one.kind == wanted.mentioned and self._is_free(one)]
        if not of_kind and wanted.is_required and wanted.kind in {"path", "place", "code"}:
            of_kind = [one for one in free if one.kind == "quoted" and self._is_free(one)]
        needed = [one for one in alike if one.is_required]
        if wanted.is_required:
            return of_kind if len(of_kind) <= len(needed) else []
        return of_kind if not needed and len(of_kind) == len(alike) and wanted.kind not in {"text", "number"} else []

    def _value(self, wanted: _Field, own: list[Mention]) -> Any:
        if wanted.is_list:
            self.used += own
            return [wanted.value(one) for one in own] or None
        if wanted.kind in {"code", "text"} and "pattern" in wanted.schema:
            return self._patterned(str(wanted.schema["pattern"]))
        ways = {"enum": self._enum, "boolean": self._switch, "number": self._counted, "expression": self._sum}
        if wanted.kind in ways and (found := ways[wanted.kind](wanted)) is not None:
            return found
        value = wanted.value(own[0]) if own else None
        self.used += own[:1] if value is not None else []
        clocks = [one for one in self.mentions if one.kind == "clock" and self._is_free(one)]
        if wanted.kind != "datetime" or not own or not clocks:
            return value
        self.used.append(clocks[0])
        return datetime.combine(own[0].value, clocks[0].value).isoformat()

    def _take(self, start: int, end: int) -> str:
        said = self.text[start:end]
        self.used.append(Mention("quoted", said, said, start, end))
        return said

    def _patterned(self, pattern: str) -> str | None:
        """The one piece of the text that is written as the pattern says."""
        if not _PLAIN_PATTERN.fullmatch(pattern) or pattern.count(",") > 1:
            return None
        free = [one for one in _CHUNK.finditer(self.text) if self.is_free(*one.span())]
        fitting = [one for one in free if re.fullmatch(pattern, one[0])]
        return self._take(*fitting[0].span()) if len(fitting) == 1 else None

    def _counted(self, wanted: _Field) -> int | float | None:
        """A length of time for a field that counts its unit: 90 minutes for `duration_minutes`."""
        for one in self.mentions:
            length = one.value
            if one.kind != "duration" or length.workdays or not self._is_free(one):
                continue
            seconds = length.days * 86_400 + length.seconds
            size, units = (length.months, _MONTHS) if length.months else (seconds, _SECONDS)
            named = [unit for word in plain_words(wanted.name) if (unit := word.removesuffix("s")) in units]
            amount = _figure(Fraction(size, units[named[0]]), wanted.schema) if named else None
            self.used += [one] if amount is not None else []
            return amount
        return None

    def _enum(self, wanted: _Field) -> Any:
        """The value that is named, by itself, by another name that the description gives, or by a currency."""
        values, rest = wanted.schema["enum"], hidden(self.text, self.used).lower()
        named = _aliases_in(wanted.description)
        found: list[tuple[int, int, Any]] = []
        for value in values:
            said = str(value).lower()
            for one in filter(None, {said, said.replace("_", " "), *named.get(said, ())}):
                pattern = rf"(?<![a-z0-9]){re.escape(one)}(?![a-z0-9])" if one.isascii() else re.escape(one)
                found += [(*match.span(), value) for match in re.finditer(pattern, rest)][:1]
            coins = [one for one in self.mentions if one.kind == "currency" and one.value == said.upper()]
            found += [(coin.start, coin.end, value) for coin in coins if self._is_free(coin)]
        for word, start, end in located_words(rest) if not found else ():
            found += [(start, end, value) for value in values if stem(str(value)) in {word, *_means(word)}]
        found.sort(key=lambda one: one[0] - one[1])
        if any(value != found[0][2] and not found[0][0] <= start < found[0][1] for start, _, value in found):
            return None  # two are named
        for start, end, value in found[:1]:
            self._take(start, end)
            return value
        return None

    def _sum(self, _: _Field) -> str | None:
        found = find_arithmetic(self.text)
        self._take(0, len(self.text) if found else 0)
        return found

    def _switch(self, wanted: _Field) -> bool | None:
        for pattern, value in ((_OFF, False), (_ON, True)):
            if wanted.is_required and (match := pattern.search(self.text)):
                self._take(*match.span())
                return value
        return None


def _figure(value: Fraction, wanted: Schema) -> int | float | None:
    """A number as JSON has it; None where the field does not allow it."""
    if wanted.get("type") == "integer" and value.denominator != 1:
        return None
    plain = int(value) if value.denominator == 1 else float(value)
    return plain if wanted.get("minimum", plain) <= plain <= wanted.get("maximum", plain) else None


def _aliases_in(description: str) -> dict[str, list[str]]:
    """Other names a description gives for the values of an enum: "bitcoin (BTC, 比特币)"."""
    return {
        match[1].lower(): [alias.strip().lower() for alias in re.split(r"[,，、/]", match[2]) if alias.strip()]
        for match in re.finditer(r"([\w-]+)\s*[(（]([^()（）]{1,60})[)）]", description)
    }


@lru_cache(maxsize=1024)
def _means(word: str) -> frozenset[str]:
    """What a Chinese word means in English, each meaning whole."""
    found = () if word.isascii() else meanings_of(word)
    return frozenset(stem(one.removeprefix("to ").removesuffix(" language")) for one in found)


# which tool


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    own: frozenset[str]
    """What a tool calls itself, in its name, its tags and a line."""
    known: frozenset[str]
    """Every word of its description; not of the values that it gives as examples, which are looked up or not."""


def _vocabulary(spec: ToolSpec, given: Collection[str]) -> _Vocabulary:
    """The words of a tool; of a field that may be left out, only where it is given: else it would be left out."""
    # a description in two languages says it twice: the line is one of each
    again = next((one for one in re.split(r"[.。\n]", spec.details) if has_chinese(one)), "")
    line = [spec.summary, *([] if has_chinese(spec.summary) else [again])]
    named = tokens(" ".join([spec.tool_id, *spec.tags, *spec.capability_tags, *line]))
    own = frozenset(term for term in named if not is_vague(term))
    described = [*named, spec.details, spec.returns, *spec.asked]
    for capability in spec.capabilities:
        described += [capability.name, capability.description, *capability.asked]
        for name, wanted in cast("dict[str, Schema]", capability.parameters.get("properties", {})).items():
            if name in given or name in required_fields(capability.parameters):
                said = _EXAMPLE.sub(" ", str(wanted.get("description", "")))
                described += [name, said, *map(str, _plain(wanted).get("enum", ()))]
    # latest says little in most texts; in the name of a tool it is what the tool tells
    now = _NOW.intersection(plain_words(spec.tool_id))
    return _Vocabulary(own, own | now | frozenset(tokens(" ".join(described))))


def acts(spec: ToolSpec) -> bool:
    """Whether calling a tool changes or sends something; a foreign one that says nothing is let off by its name."""
    if not (spec.writes or spec.asks_first):
        return False
    name = plain_words(spec.tool_id.rpartition("/")[2])
    return spec.source == "native" or not _READS.intersection(map(stem, name[:1]))


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
        found = [one.name for one in self._recall(clause) if one.name not in self._without]
        return self._best(clause, found, earlier=earlier, named=False)

    def of_named(self, clause: str, names: Sequence[str]) -> Deed | None:
        """The call of one of the tools that the clause names, by the rest of what it says."""
        return self._best(clause, names, earlier=None, named=True)

    def _best(self, clause: str, names: Iterable[str], *, earlier: Step | None, named: bool) -> Deed | None:
        """The call that takes the most words as the tool's own, and the most arguments; None where two differ."""
        fits: list[tuple[tuple[int, int, bool], Deed]] = []
        for name in names:
            spec = self._scope.equipment.hub.registry.get(name)
            if spec is not None and spec.tool_type != "skill" and self._scope.allows(spec.tool_id):
                fits += self._fits(clause, spec, earlier, named=named)
        fits.sort(key=lambda one: one[0], reverse=True)
        alike = [deed for worth, deed in fits if worth == fits[0][0]]
        return alike[0] if alike and all(one.call.arguments == alike[0].call.arguments for one in alike) else None

    def _fits(
        self, clause: str, spec: ToolSpec, earlier: Step | None, *, named: bool
    ) -> Iterator[tuple[tuple[int, int, bool], Deed]]:
        text, equipment = without_courtesy(clause), self._scope.equipment
        before = equipment.hub.registry.get(earlier.tool or "") if earlier else None
        step, produced = earlier.id if earlier else None, before.produces if before else ()
        workspace = str(equipment.workspace.resolve()) if spec.source == "mcp" else "."
        for capability in spec.capabilities:
            filled = fill(
                capability.parameters, text, self._today, workspace=workspace, earlier=step, produced=produced
            )
            action = capability.name if len(spec.capabilities) > 1 else None
            deed = Deed(Call(tool=spec.tool_id, action=action, arguments=filled.arguments))
            one = spec.for_action(capability.name)
            vocabulary = _vocabulary(one, filled.arguments)
            if filled.missing and (found := self._looked_up(deed.call, filled, one, vocabulary)) is not None:
                deed, filled, vocabulary = found
            unused = [m for m in filled.unused if m.value != self._today or _NOW.isdisjoint(vocabulary.known)]
            unused = [m for m in unused if not _is_within_word(m, filled.rest, vocabulary.known)]
            own = None if filled.missing or unused else _speaks_of(filled, one, vocabulary, named=named)
            if own is not None:
                yield (own, len(filled.arguments), deed.look_up is None), deed

    def _looked_up(
        self, call: Call, filled: Filled, spec: ToolSpec, vocabulary: _Vocabulary
    ) -> tuple[Deed, Filled, _Vocabulary] | None:
        """The call of a look-up with the name that is left, or the call that needs one, after it."""
        if spec.produces or not spec.requires:
            fields = cast("dict[str, Schema]", spec.capabilities[0].parameters.get("properties", {}))
            open_field = None if spec.produces else _Field(filled.missing[0], fields[filled.missing[0]], ())
            named = _with_name(filled, vocabulary, open_field)
            return named and (Deed(call.model_copy(update={"arguments": named.arguments})), named, vocabulary)
        for other in self._scope.equipment.hub.registry:
            found = [name for name in spec.requires if name in other.produces]
            if found and filled.missing == found and self._scope.allows(other.tool_id):
                needs = call.model_copy(update={"arguments": filled.arguments | {name: name for name in found}})
                sought = fill(other.capabilities[0].parameters, filled.rest, self._today)
                more = _vocabulary(other, sought.arguments)
                known = _Vocabulary(vocabulary.own | more.own, vocabulary.known | more.known)
                named = _with_name(sought, known) if sought.missing else sought
                look_up = named and Call(tool=other.tool_id, arguments=named.arguments)
                return named and (Deed(needs, look_up=look_up), replace(named, telling=filled.telling), known)
        return None


def _with_name(filled: Filled, vocabulary: _Vocabulary, beside: _Field | None = None) -> Filled | None:
    """What is filled, with the one run of words that nobody knows as the name that is missing.

    Where nothing looks it up it stands `beside` the word for its field; a Chinese name has that word too: the club
    Rowing, 赛艇俱乐部.
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
    if beside is not None:
        labels = beside.labels(rest) if beside.kind == "text" else []
        near = [one for one in labels if not rest[min(end, one[1]) : max(start, one[0])].strip()]
        if not near:
            return None
        end = max([end, *(last for at, last in near if at == end and last > at + 1 and not rest[at:last].isascii())])
    name = rest[start:end]
    inside = [one for one in filled.unused if one.start < end and start < one.end]
    if any(word in table_words("words", "act") for word, _, _ in located_words(name)):
        return None  # 清空 orders
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


def _is_within_word(one: Mention, text: str, known: frozenset[str]) -> bool:
    """Whether a number is only a part of a word that the tool uses: 零 of 零件."""
    return one.kind == "number" and any(
        start <= one.start and one.end <= end and end - start > one.end - one.start and word in known
        for word, start, end in located_words(text)
    )


def _speaks_of(filled: Filled, spec: ToolSpec, vocabulary: _Vocabulary, *, named: bool) -> int | None:
    """How many words of a clause are a tool's own; None where one is not the tool's, or none speaks of it."""
    rest, changes = (_CALLING.sub(" ", filled.rest) if named else filled.rest), acts(spec)
    asked, said = list[Mention](), set[str]()
    for word, start, end in located_words(rest):
        written = rest[start:end]
        if is_asked(word) or is_asked(written.lower()):
            asked.append(Mention("quoted", word, written, start, end))
        elif not is_empty(written) or (start and written.istitle()):  # in May: a small word is written small
            said.add(word)
    only_asks = table_words("words", "general") - (frozenset() if changes else table_words("words", "change"))
    if any(word not in only_asks and not _is_known(word, vocabulary.known) for word in said):
        return None
    narrows = (one for one in segment(hidden(rest, asked), [], {}) if one.has(*_NARROWS))
    if any(not one.has("free") and vocabulary.known.isdisjoint(_terms(one.text)) for one in narrows):
        return None
    if _OFF.search(rest) or any(vocabulary.own.isdisjoint(_terms(word)) for word in model_words(rest)):
        return None  # a text is to be written
    if _HOW_MANY.search(rest) and _LISTS.match(spec.tool_id.rpartition("/")[2]):
        return None  # a page of them is no number
    own = sum(_is_known(word, vocabulary.own) for word in said) + filled.telling
    if changes and not named and (own - (filled.telling + 1) // 2 <= 0 or _ASKS.search(rest)):
        return None  # a question does not ask for a change
    return own if own or named else None


def _terms(text: str) -> set[str]:
    return {*tokens(text), stem(text)}


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Whether a tool uses a word, or one of the other language that means the same."""
    if word in known or any(other in known for other in aliases(word) - _ASKING if other.isascii() != word.isascii()):
        return True
    if any(meant and known.issuperset(tokens(meant)) for meant in _means(word)):
        return True
    if len(word) == 1 and not word.isascii():
        return any(word in term for term in known)
    return not word.isascii() and any(word[at : at + 2] in known for at in range(len(word) - 1))


# what a tool that nobody asked for tells


def known_words(spec: ToolSpec, text: str, arguments: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The words of a step that a tool uses, and those that it does not and that are no values of arguments."""
    known = _vocabulary(spec, arguments).known
    used = {word for word in words(text) if not is_vague(word) and _is_known(word, known)}
    for value in sorted(map(str, arguments.values()), key=len, reverse=True):
        text = text.replace(value, " ")
    return used, {word for word in words(text) if not is_vague(word)} - used


def tells(spec: ToolSpec, text: str, arguments: Mapping[str, Any], result: Any) -> bool:
    """Whether a result has a field called what a step is after, and nothing that the step says is left over."""
    asked, named = [word for word in words(text) if not is_vague(word)], set[str]()
    for name, value in result.items() if is_object(result) else ():
        # small words of a name are part of it: former_members are no members; whatever it is measured in
        terms = {*map(stem, plain_words(name)), *chinese_words(name)} - table_words("words", "measure")
        if (
            name not in arguments
            and value not in (None, "")
            and all(any(_names(word, one) for word in asked) for one in terms)
        ):
            named |= terms
    return bool(named) and all(
        any(_names(word, term) for term in named) for word in known_words(spec, text, arguments)[1]
    )


def _names(word: str, term: str) -> bool:
    """Whether a word stands for a term, or for a kind of what it stands for: 气温, air temperature."""
    return _is_known(word, frozenset({term})) or any(tokens(one)[-1:] == [term] for one in _means(word))
