"""What tools are good for, in one table of words: similar tools share a tag (R4.4).

A tool declares its tags, in either language, or they are derived from its name and its summary. A project adds entries
of its own with `CapabilityTable.extended`.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from switchyard.language.tables import rows
from switchyard.tools.core.spec import ToolSpec

Likeness = Literal["calculation", "time", "search", "extraction", "other"]
"""The kinds of results that are treated differently."""


class Capability(BaseModel):
    """One tag, and the words it is known by."""

    model_config = ConfigDict(frozen=True)

    tag: str
    zh: str = ""
    words: tuple[str, ...] = ()
    """English and Chinese words that speak for the tag in a name or a summary."""
    in_name: tuple[str, ...] = ()
    """Words that do so only in a name: in a sentence they may mean anything."""
    like: Likeness = "other"
    vague: bool = False
    """A verb alone: tools that share it need not serve the same purpose, and none is called in another's place."""


def _shipped(row: tuple[str, ...]) -> Capability:
    tag, zh, words, in_name, like, vague, *_ = (*row, "", "", "", "")
    listed = {"words": filter(None, words.split(", ")), "in_name": filter(None, in_name.split(", "))}
    return Capability.model_validate({"tag": tag, "zh": zh, "like": like or "other", "vague": bool(vague), **listed})


TABLE = tuple(map(_shipped, rows("capabilities")))
"""What ships. English words also stand for their forms in -s, -es, -d, -ed and -ing."""

_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\W]+")


class CapabilityTable:
    """Finds the tags of tools."""

    def __init__(self, entries: Iterable[Capability] = TABLE) -> None:
        self._entries: dict[str, Capability] = {}
        for entry in entries:
            known = self._entries.get(entry.tag)
            self._entries[entry.tag] = entry if known is None else _joined(known, entry)
        self._canonical = {
            word.lower(): entry.tag
            for entry in reversed(self._entries.values())  # a word of two entries is the first one's
            for word in (*entry.in_name, *entry.words, entry.zh, entry.tag)
            if word
        }
        self._patterns = [
            (entry.tag, _pattern(entry.words), _pattern(entry.in_name)) for entry in self._entries.values()
        ]
        self.derived = lru_cache(maxsize=20_000)(self._derived)
        """The tags a name and a text speak for, most telling first."""

    def extended(self, entries: Iterable[Capability]) -> "CapabilityTable":
        """This table with entries of a project; one of a tag that is there adds its words to it."""
        return CapabilityTable([*self._entries.values(), *entries])

    def canonical(self, tag: str) -> str:
        """The tag a word stands for: 搜索 is `search`; a word that is not in the table stands for itself."""
        word = tag.strip().lower()
        return self._canonical.get(word, word)

    def tags_of(self, spec: ToolSpec) -> tuple[str, ...]:
        """The tags of a tool, as it declares them or as its name and summary say."""
        if spec.capability_tags:
            return tuple(dict.fromkeys(map(self.canonical, spec.capability_tags)))
        return self.derived(spec.tool_id, spec.summary)

    def described(self, spec: ToolSpec) -> ToolSpec:
        """The tool with its tags in both languages, where it declares none."""
        tags = self.tags_of(spec)
        if spec.capability_tags or not tags:
            return spec
        names = [name for tag in tags for name in (tag, self._entries[tag].zh) if name]
        return spec.model_copy(update={"capability_tags": tuple(names)})

    def interchangeable(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Those of the tags whose tools can stand in for each other."""
        return tuple(tag for tag in tags if not (tag in self._entries and self._entries[tag].vague))

    def likeness(self, tags: Iterable[str]) -> Likeness:
        """How results of tools with these tags are treated."""
        for tag in tags:
            if tag in self._entries and (like := self._entries[tag].like) != "other":
                return like
        return "other"

    def _derived(self, name: str, text: str = "") -> tuple[str, ...]:
        own = _WORD_EDGE.sub(" ", name.rpartition("/")[2]).lower()
        both = f"{own} {text.lower()}"
        named = [tag for tag, words, in_name in self._patterns if in_name.search(own) or words.search(own)]
        said = [tag for tag, words, _ in self._patterns if words.search(both)]
        return tuple(dict.fromkeys([*named, *said]))


def _joined(one: Capability, other: Capability) -> Capability:
    like = one.like if other.like == "other" else other.like
    words, in_name = one.words + other.words, one.in_name + other.in_name
    return one.model_copy(update={"zh": one.zh or other.zh, "words": words, "in_name": in_name, "like": like})


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """English words stand alone; Chinese ones stand anywhere."""
    english = "|".join(re.escape(word.lower()) for word in words if word.isascii())
    parts = [rf"(?<![a-z0-9])(?:{english})(?:s|es|d|ed|ing)?(?![a-z0-9])"] if english else []
    parts += [re.escape(word) for word in words if not word.isascii()]
    return re.compile("|".join(parts) or r"(?!)")
