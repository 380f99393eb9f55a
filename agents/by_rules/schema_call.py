"""Tools without sentences: a clause is read by a tool's own words and by the schema of its parameters.

Small and careful. Every field the tool requires is filled by something the clause mentions, an open text only by what
is quoted or follows a colon; every other word is one the tool itself uses, or says nothing. Where two tools fit equally
well, none is taken.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, cast

from switchyard.agents.by_rules.pieces import without_courtesy
from switchyard.agents.scope import RunScope
from switchyard.language.arithmetic import find_arithmetic
from switchyard.language.clauses import refers_back
from switchyard.language.dictionary import aliases
from switchyard.language.lexicon import segment
from switchyard.language.mentions import Kind, Mention, find_mentions, hidden
from switchyard.language.places import zone_of
from switchyard.language.structures import find_structures
from switchyard.language.tokeniser import plain_words, stem, tokens, words
from switchyard.language.words import is_asked, is_vague
from switchyard.ledger.plan import Call
from switchyard.toolhub.calling.schema import required_fields
from switchyard.toolhub.recall.bm25 import Scored
from switchyard.toolhub.sentences import find_listed
from switchyard.tools.core.spec import ToolSpec

LONGEST = 1000
"""Characters: what is longer is material, not a task that rules can read."""

FieldKind = Literal[
    "path", "url", "email", "place", "date", "datetime", "clock", "duration", "currency", "expression", "code",
    "number", "boolean", "enum", "list", "object", "text",
]  # fmt: skip
_SAME: tuple[FieldKind, ...] = ("boolean", "number", "object", "date", "duration", "email", "url")
_BY_TYPE: Mapping[str, FieldKind] = {
    **{kind: kind for kind in _SAME},
    **dict[str, FieldKind](integer="number", array="list", time="clock", uri="url"),
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
_FIRST, _SECOND = frozenset({"from", "source", "start", "origin", "base"}), frozenset({"to", "target", "end", "until"})
_BEFORE_FIRST = re.compile(r"(?:\bfrom|从|由|把|将)\s*$", re.IGNORECASE)
_BEFORE_SECOND = re.compile(r"(?:\bto|\binto|\bin|到|至|成|为)\s*$", re.IGNORECASE)
_ZONE = re.compile(r"\bIANA\b|\b(?:Asia|Europe|America)/\w")
_ON = re.compile(r"\b(?:on|enable)\b|打开|开启|启用", re.IGNORECASE)
_OFF = re.compile(r"\b(?:off|disable)\b|关闭|关掉|停用", re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_NARROWS = ("not", "except", "beside", "empty", "sup", "agg", "cmp", "post", "each", "share", "distinct", "or")
"""Senses of words that change what is asked: a tool that does not speak of them answers another question."""
_ASKING = frozenset({"多少", "怎么"})
_CALLING = re.compile(
    r"\b(?:use|using|with|via|through|ask|call|run|and|the|on|tool|server|mcp)\b|使用|通过|调用|运行|用|让|服务器|服务|工具",
    re.IGNORECASE,
)
_READS = frozenset({"get", "list", "search", "find", "queri", "lookup", "read", "fetch", "show", "describ", "count"})
"""What a tool that only tells something begins its name with, as stems."""
NEAR = 12
"""Characters between a number and the word that says what it is."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What a text gives for the fields of a schema."""

    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: list[str] = field(default_factory=list[str])
    rest: str = ""
    """The text without what went into a field."""
    unused: tuple[Mention, ...] = ()


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
    return "text"


def fill(
    schema: Mapping[str, Any],
    text: str,
    today: date,
    *,
    workspace: str = ".",
    earlier: str | None = None,
    follows: bool = False,
) -> Filled:
    """The arguments a text gives for a schema.

    Args:
        schema: the JSON schema of the parameters.
        text: the task in the user's words.
        today: what relative dates count from.
        workspace: what "this repository" means to the tool.
        earlier: the step whose result one open field may take, where the text speaks of it.
        follows: whether it is known to speak of it.
    """
    required = required_fields(schema)
    fields = {
        name: plain(wanted)
        for name, wanted in cast("dict[str, dict[str, Any]]", schema.get("properties", {})).items()
        if name != "explanation"
    }
    reading = _Reading(text, list(find_mentions(text, today)), fields, frozenset(required), workspace)
    for name in sorted(fields, key=lambda one: (_side(one) == "second", one not in required)):
        value = reading.value(name)
        if value is not None:
            reading.arguments[name] = value
    missing = [name for name in required if name not in reading.arguments]
    if earlier and len(missing) == 1 and (follows or refers_back(text)):
        number = kind_of(missing[0], fields[missing[0]]) == "number"
        reading.arguments[missing.pop()] = f"{{{{{earlier}#{'number' if number else 'content'}}}}}"
    ordered = {name: reading.arguments[name] for name in fields if name in reading.arguments}
    unused = tuple(one for one in reading.mentions if not reading.is_used(one.start, one.end))
    return Filled(ordered, missing, hidden(text, reading.used), unused)


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

    def is_used(self, start: int, end: int) -> bool:
        return any(one.start < end and start < one.end for one in self.used)

    def _take(self, start: int, end: int) -> None:
        self.used.append(Mention("quoted", "", self.text[start:end], start, end))

    def _free(self, kind: Kind) -> list[Mention]:
        return [one for one in self.mentions if one.kind == kind and not self.is_used(one.start, one.end)]

    def value(self, name: str) -> Any:  # noqa: PLR0911  a kind each
        """What the text has for a field; None where it has nothing, or nothing sure."""
        wanted = self.fields[name]
        match kind := kind_of(name, wanted):
            case "enum":
                return self._enum(wanted)
            case "boolean":
                return self._switch() if name in self.required else None
            case "number":
                return self._number(name, wanted)
            case "expression":
                found = find_arithmetic(self.text)
                self._take(0, len(self.text) if found else 0)
                return found
            case "object":
                return self._structure()
            case "list":
                return self._list(name, wanted)
            case "text":
                return self._quoted() if name in self.required or self._labels(name, wanted) else None
            case _:
                return self._mentioned(name, kind, wanted)

    def _mentioned(self, name: str, kind: FieldKind, wanted: Mapping[str, Any]) -> Any:
        free = self._free(_mentioned_as(kind))
        side, alike = _side(name), [one for one in self.fields if kind_of(one, self.fields[one]) == kind]
        if len(alike) > 1 and side is not None:
            marked = _BEFORE_FIRST if side == "first" else _BEFORE_SECOND
            free = [one for one in free if marked.search(self.text[: one.start])] or free
        if free and (name in self.required or len(alike) <= len(free) or side is None):
            self.used.append(free[0])
            return _as_value(free[0], kind, wanted, self)
        if kind == "path":
            for start, end, _ in find_listed("here", self.text):
                self._take(start, end)
                return self.workspace
        return self._quoted() if name in self.required else None

    def _quoted(self) -> str | None:
        free = self._free("quoted")
        if free:
            self.used.append(free[0])
            return str(free[0].value)
        colon = re.search(r"[:：]\s*(\S.*)$", self.text, re.DOTALL)
        if colon is None or self.is_used(*colon.span(1)) or "//" in colon[0][:3]:
            return None
        self._take(*colon.span())
        return colon[1]

    def _number(self, name: str, wanted: Mapping[str, Any]) -> int | float | None:
        if (counted := self._counted(name, wanted)) is not None:
            return counted
        free = [one for one in self._free("number") if _is_allowed(one, wanted)]
        labelled = [one for one in free if self._stands_near(one, name, wanted)]
        numeric = [one for one in self.required if kind_of(one, self.fields[one]) == "number"]
        only = free if len(free) == 1 and numeric == [name] else []
        chosen = (labelled or only)[:1]
        if not chosen:
            return None
        self.used += chosen
        return _as_value(chosen[0], "number", wanted, self)

    def _counted(self, name: str, wanted: Mapping[str, Any]) -> int | float | None:
        """A length of time for a field that counts its unit: 90 minutes for `duration_minutes`."""
        singular = (word.removesuffix("s") for word in plain_words(name))
        units = [_SECONDS[word] for word in singular if word in _SECONDS]
        found = self._free("duration")
        if not units or not found or found[0].value.months or found[0].value.workdays:
            return None
        amount = (found[0].value.days * 86_400 + found[0].value.seconds) / units[0]
        if not wanted.get("minimum", amount) <= amount <= wanted.get("maximum", amount):
            return None
        self.used.append(found[0])
        return int(amount) if amount == int(amount) else amount

    def _labels(self, name: str, wanted: Mapping[str, Any]) -> set[str]:
        """Words of the text that are the field's own."""
        own = set(tokens(f"{name} {wanted.get('description', '')}"))
        return own.intersection(tokens(hidden(self.text, self.mentions)))

    def _stands_near(self, one: Mention, name: str, wanted: Mapping[str, Any]) -> bool:
        around = self.text[max(0, one.start - NEAR) : one.start] + " " + self.text[one.end : one.end + NEAR]
        return not set(tokens(f"{name} {wanted.get('title', '')}")).isdisjoint(tokens(around))

    def _enum(self, wanted: Mapping[str, Any]) -> Any:
        rest = hidden(self.text, self.used).lower()
        named = _aliases_in(str(wanted.get("description", "")))
        found: list[tuple[int, int, Any]] = []
        for value in wanted["enum"]:
            said = str(value).lower()
            for name in {said, said.replace("_", " "), *named.get(said, ())}:
                edges = (r"(?<![a-z0-9])", r"(?![a-z0-9])") if name.isascii() else ("", "")
                if name and (match := re.search(edges[0] + re.escape(name) + edges[1], rest)):
                    found.append((*match.span(), value))
        longest = [
            one for one in found if not any(o[0] <= one[0] and one[1] <= o[1] and o[:2] != one[:2] for o in found)
        ]
        if len({repr(value) for _, _, value in longest}) != 1:
            return None  # none is named, or two are
        self._take(*longest[0][:2])
        return longest[0][2]

    def _switch(self) -> bool | None:
        for pattern, value in ((_OFF, False), (_ON, True)):
            if match := pattern.search(self.text):
                self._take(*match.span())
                return value
        return None

    def _structure(self) -> Any:
        for value, start, end in find_structures(self.text):
            if isinstance(value, dict) and not self.is_used(start, end):
                self._take(start, end)
                return cast("dict[str, Any]", value)
        return None

    def _list(self, name: str, wanted: Mapping[str, Any]) -> list[Any] | None:
        items = plain(cast("Mapping[str, Any]", wanted.get("items", {})))
        kind = kind_of(name, items)
        found = self._free(_mentioned_as(kind)) if name in self.required else []
        self.used += found
        return [_as_value(one, kind, items, self) for one in found] or None


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
    """Every word of its description."""


def _vocabulary(spec: ToolSpec) -> _Vocabulary:
    named = tokens(" ".join([spec.name, *spec.tags, *spec.capability_tags, spec.summary]))
    own = frozenset(term for term in named if not is_vague(term))
    described = [*named, spec.details, spec.returns, *spec.examples]
    for capability in spec.capabilities:
        described += [capability.name, capability.description, *capability.examples]
        for name, wanted in cast("dict[str, dict[str, Any]]", capability.parameters.get("properties", {})).items():
            described += [name, str(wanted.get("description", "")), *map(str, plain(wanted).get("enum", ()))]
    return _Vocabulary(own, own | frozenset(tokens(" ".join(described))))


def acts(spec: ToolSpec) -> bool:
    """Whether calling a tool changes or sends something; a foreign one that says nothing is let off by its name."""
    if not (spec.writes or spec.asks_first):
        return False
    name = plain_words(spec.name.rpartition("/")[2])
    return spec.source == "native" or not _READS.intersection(map(stem, name[:1]))


@dataclass(frozen=True, slots=True)
class _Fit:
    call: Call
    own: int
    """Words of the clause that are the tool's own."""
    given: int
    score: float


class SchemaCalls:
    """Reads clauses for the tools of a run that bring no sentences."""

    def __init__(self, scope: RunScope, without: frozenset[str]) -> None:
        """`without`: tools that are read in another way."""
        self._scope = scope
        self._without = without

    async def read(self, clause: str, *, earlier: str | None = None) -> Call | None:
        """The call of the one tool that takes the whole clause."""
        if len(clause) > LONGEST:
            return None
        recalled = await self._scope.recall(clause, for_model=False)
        found = (one for one in recalled if one.name not in self._without)
        return self._best(clause, found, earlier=earlier, named=False)

    def of_named(self, clause: str, names: Sequence[str]) -> Call | None:
        """The call of one of the tools that the clause names, by the rest of what it says."""
        return self._best(clause, (Scored(name, 0.0) for name in names), earlier=None, named=True)

    def _best(self, clause: str, found: Iterable[Scored], *, earlier: str | None, named: bool) -> Call | None:
        fits: list[_Fit] = []
        for scored in found:
            spec = self._scope.equipment.library.get_tool_by_id(scored.name)
            if spec is not None and spec.type != "skill" and self._scope.allows(spec.name):
                fits += self._fits(clause, scored, spec, earlier, named=named)
        fits.sort(key=lambda one: (-one.own, -one.given, -one.score))
        for first, other in pairwise(fits[:2]):
            tied = (first.own, first.given) == (other.own, other.given)
            if tied and first.call.arguments != other.call.arguments and (named or first.score == other.score):
                return None
        return fits[0].call if fits else None

    def _fits(self, clause: str, scored: Scored, spec: ToolSpec, earlier: str | None, *, named: bool) -> Iterator[_Fit]:
        text = without_courtesy(clause)
        equipment = self._scope.equipment
        workspace = str(equipment.workspace.resolve()) if spec.source == "mcp" else "."
        for capability in spec.capabilities:
            filled = fill(capability.parameters, text, equipment.clock().date(), workspace=workspace, earlier=earlier)
            one = spec.for_action(capability.name)
            own = _speaks_of(filled.rest, one, named=named)
            if filled.missing or filled.unused or own is None:
                continue
            action = capability.name if len(spec.capabilities) > 1 else None
            call = Call(tool=spec.name, action=action, arguments=filled.arguments)
            yield _Fit(call, own, len(filled.arguments), scored.score)


def _speaks_of(rest: str, spec: ToolSpec, *, named: bool) -> int | None:
    """How many words of a clause are a tool's own; None where one is not the tool's, or none speaks of it."""
    vocabulary = _vocabulary(spec)
    if named:
        rest = _CALLING.sub(" ", rest)
    for token in segment(rest, [], {}):
        if token.has(*_NARROWS) and not token.has("free") and not _knows(token.text, vocabulary.known):
            return None
    said = [word for word in words(rest) if not is_asked(word)]
    if any(not _is_known(word, vocabulary.known) for word in said):
        return None
    own = len({word for word in said if _is_known(word, vocabulary.own)})
    if acts(spec) and not named and _ASKS.search(rest):
        return None  # a question does not ask for a change
    return own if own or named else None


_ASKS = re.compile(
    r"^\W*(?:which|what|how|who|whose|when|where|why|is|are|was|were|does|did|has|had|do|have)\b"
    r"|哪|什么|多少|谁|是否|有没有|是不是|怎么|如何|为什么|[吗呢]\W*$",
    re.IGNORECASE,
)


def _knows(text: str, known: frozenset[str]) -> bool:
    return any(word in known for word in tokens(text)) or stem(text.lower()) in known


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Whether a tool uses a word, or one of the other language that means the same."""
    if word in known or any(other in known for other in aliases(word) - _ASKING if other.isascii() != word.isascii()):
        return True
    return not word.isascii() and any(word[at : at + 2] in known for at in range(len(word) - 1))
