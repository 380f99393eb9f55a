"""Which of the mentions of a text a field takes, where several could be meant."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from switchyard.agents.by_rules.fields import FieldKind, words_of
from switchyard.agents.by_rules.files import find_folder, is_file_name, may_be_folder
from switchyard.agents.by_rules.labels import Span, described, from_to, label_distance, labels_of
from switchyard.agents.by_rules.marks import Marks
from switchyard.agents.by_rules.values import allowed, as_value, side_of
from switchyard.language.mentions import Kind, Mention, hidden

_UNTIL = re.compile(r"\b(?:until|till|before)\b|距离?|离|还有|还剩", re.IGNORECASE)
_BEFORE_FIRST = re.compile(r"(?:\bfrom|从|由|把|将)\s*$", re.IGNORECASE)
_BEFORE_SECOND = re.compile(r"(?:\bto|\binto|\bin|到|至|成|为|去|飞往)\s*$", re.IGNORECASE)
MENTIONED: dict[FieldKind, tuple[Kind, ...]] = {
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
"""What a kind of field takes of what a text mentions."""
_MONTHS = {"months": 1, "month": 1, "years": 12, "year": 12}
_UNITS = {"minutes": 60, "minute": 60, "hours": 3600, "hour": 3600, "days": 86_400, "nights": 86_400, "weeks": 604_800}
_SOME_FEW = re.compile(
    r"(?:\b(?:the\s+)?(?:first|top|last|latest|most\s+recent|up\s+to|at\s+most|no\s+more\s+than|within)"
    r"|前|最近|最新|最多|至多|不超过)\s*$",
    re.IGNORECASE,
)
_AT_MOST = re.compile(r"\s*(?:minutes?|个?字符|分钟)?\s*(?:at\s+most|or\s+less|以内|之内)", re.IGNORECASE)
_WAYS = {
    "past": re.compile(r"\b(?:past|last|previous)\b|最近|过去", re.IGNORECASE),
    "to come": re.compile(r"\b(?:next|coming|following|future)\b|未来|今后|接下来", re.IGNORECASE),
}
"""Words for the direction of a length of time."""
_BEFORE_TIME = {
    way: re.compile(rf"(?:\bthe\s+)?(?:{words.pattern})\s*$", re.IGNORECASE) for way, words in _WAYS.items()
}
_FIRST_FEW = re.compile(r"(?:\b(?:the\s+)?(?:first|top)|前)\s*$", re.IGNORECASE)
_NEAR_PLACE = re.compile(r"\b(?:in|at|near|around)\s+([A-Z][\w'-]+(?:\s+[A-Z][\w'-]+){0,3})(?![\w/])")
_PLACED = re.compile(r"(?:\b(?:in|at|of|under|from|repo|repository)|仓库|在)\s*$", re.IGNORECASE)
NEAR = 14
"""Characters between a time and the place it is given for."""


@dataclass(slots=True)
class Choosing(Marks):
    """Takes mentions for fields, by kind, label, side and order."""

    def mentioned(self, name: str, kind: FieldKind, wanted: Mapping[str, Any], kinds: Mapping[str, FieldKind]) -> Any:
        """The value of a field that takes something a text mentions."""
        if kind == "number":
            return self._number(name, wanted, kinds)
        free = self._free(kind)
        if kind == "path":
            return self._path(free, f"{name} {described(wanted)}")
        if kind == "clock" and "date" not in kinds.values() and not free:
            free = self._free("date")
        chosen = self._choose(name, kind, free, kinds, labels_of(name, described(wanted)))
        if chosen is not None:
            self.used.append(chosen)
            return as_value(chosen, kind, wanted, self.mentions, self.used)
        if kind == "place":
            return self._unknown_place(name, wanted)
        return self.quoted() if kind == "code" and wanted.get("required") else None

    def _free(self, kind: FieldKind) -> list[Mention]:
        return [m for m in self.mentions if m.kind in MENTIONED[kind] and m not in self.used]

    def _unknown_place(self, name: str, wanted: Mapping[str, Any]) -> str | None:
        """A place that no table has, told by where it stands: from … to …, in Camden."""
        side = side_of(name)
        if side is not None and (ends := self._ends()) is not None:
            return self.taken(ends[0 if side == "first" else 1], "place")
        near = _NEAR_PLACE.search(self.rest()) if wanted.get("required") else None
        return self.taken(Span(near[1], *near.span(1)), "place") if near else None

    def _number(self, name: str, wanted: Mapping[str, Any], kinds: Mapping[str, FieldKind]) -> Any:
        counted = self._counted(name, wanted)
        if counted is not None:
            return counted
        free = [mention for mention in self._free("number") if allowed(mention, wanted)]
        chosen = self._choose(name, "number", free, kinds, labels_of(name, described(wanted), of_number=True))
        only = len(free) == 1 and len(self._free("number")) == 1 and "default" not in wanted
        if chosen is None or not (wanted.get("required") or only or self._labelled(name, chosen, wanted)):
            return None
        self.used.append(chosen)
        self._take_bounds(name, chosen)
        return as_value(chosen, "number", wanted, self.mentions, self.used)

    def _take_bounds(self, name: str, number: Mention) -> None:
        """Words that say no more of a number than its field does: "the first 3", "at most 20", 最多."""
        before = (_FIRST_FEW if "line" in name else _SOME_FEW).search(self.text[: number.start])
        after = _AT_MOST.match(self.text, number.end)
        for match in (before, after):
            if match is not None:
                self.used.append(Mention("quoted", match[0], match[0], *match.span()))

    def _counted(self, name: str, wanted: Mapping[str, Any]) -> float | None:
        """A length of time for a field that counts its unit: 90 minutes for `duration_minutes`."""
        found = next((m for m in self.mentions if m.kind == "duration" and m not in self.used), None)
        counts = {word for word in words_of(name) if word in _UNITS or word in _MONTHS}
        if not counts or found is None or found.value.workdays:
            return None
        word = counts.pop()
        seconds = found.value.days * 86_400 + found.value.seconds
        if (word in _MONTHS and seconds) or (word in _UNITS and found.value.months):
            return None
        amount = found.value.months / _MONTHS[word] if word in _MONTHS else seconds / _UNITS[word]
        if amount > wanted.get("maximum", amount) or amount < wanted.get("minimum", amount):
            return None
        self.used.append(found)
        self._take_direction(found, described(wanted))
        return int(amount) if amount == int(amount) else amount

    def _take_direction(self, duration: Mention, description: str) -> None:
        """Words that say whether a length of time is past or to come, where that is what the field takes."""
        said = next((found for way in _WAYS if (found := _BEFORE_TIME[way].search(self.text[: duration.start]))), None)
        meant = [way for way, words in _WAYS.items() if words.search(description)]
        if said is not None and (not meant or any(_BEFORE_TIME[way].search(said[0]) for way in meant)):
            self.used.append(Mention("quoted", said[0], said[0], *said.span()))

    def _choose(
        self, name: str, kind: FieldKind, free: list[Mention], kinds: Mapping[str, FieldKind], labels: tuple[str, ...]
    ) -> Mention | None:
        alone = sum(found == kind for found in kinds.values()) == 1
        side = None if alone else side_of(name)
        if kind == "place" and side is not None and len(free) == 1 and (ends := self._ends()) is not None:
            end = ends[0 if side == "first" else 1]
            return free[0] if free[0].start < end.end and end.start < free[0].end else None
        if not free or (alone and kind != "number"):
            return free[0] if free else None
        near = {id(m): d for m in free if (d := label_distance(self.text, m.start, m.end, labels)) is not None}
        if near and (kind == "number" or len(free) > 1):
            return min((m for m in free if id(m) in near), key=lambda m: near[id(m)])
        if side == "first":
            return self._first(free, kind)
        return self._second(free) if side == "second" else free[0]

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

    def _path(self, free: list[Mention], described: str) -> str | None:
        if free:
            told = next((m for m in free if _PLACED.search(self.text[: m.start])), free[0])
            self.used.append(told)
            return str(told.value)
        folder = find_folder(hidden(self.text, self.used)) if may_be_folder(described) else None
        if folder is not None:
            return self.taken(folder)
        named = next((m for m in self.mentions if m.kind == "quoted" and m not in self.used), None)
        if named is not None and is_file_name(str(named.value)):
            self.used.append(named)
            return str(named.value)
        return None

    def _ends(self) -> tuple[Span, Span] | None:
        """The two ends of a way in the text's own words; places that are known are taken as they are."""
        others = [m for m in [*self.mentions, *self.used] if m.kind != "place"]
        return from_to(hidden(self.text, others))

    def nearness(self, name: str, wanted: Mapping[str, Any]) -> float:
        """How near a number stands to what names the field: the field that is named best takes first."""
        labels = labels_of(name, described(wanted), of_number=True)
        numbers = (m for m in self.mentions if m.kind == "number")
        found = (label_distance(self.text, m.start, m.end, labels) for m in numbers)
        return min((distance for distance in found if distance is not None), default=float("inf"))

    def _labelled(self, name: str, mention: Mention, wanted: Mapping[str, Any]) -> bool:
        """Whether something that names the field stands beside the mention."""
        labels = labels_of(name, described(wanted), of_number=True)
        return label_distance(self.text, mention.start, mention.end, labels) is not None


def _distance(one: Mention, other: Mention) -> int:
    return max(one.start, other.start) - min(one.end, other.end)
