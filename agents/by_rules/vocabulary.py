"""The words of a tool: what it calls itself, what it knows, and which of its operations a text names."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from switchyard.agents.by_rules.labels import labels_of
from switchyard.language.dictionary import aliases
from switchyard.language.tokeniser import tokens
from switchyard.language.words import is_general
from switchyard.tools.core.spec import ToolSpec

_ASKING = frozenset({"多少", "怎么"})
"""What segmentation leaves of 多少钱 and 怎么走: said of anything, it stands for no price and no way."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a tool has, from the surest to all of them."""

    own: frozenset[str]
    """What it calls itself by name and tags."""
    named: frozenset[str]
    """What it says of itself in a line, its examples among it."""
    asked_for: frozenset[str]
    """What it says of itself in a line, and what it calls its parameters: how it goes about it asks for nothing."""
    known: frozenset[str]
    """Every word the tool's description has."""


class SameSpec:
    """A spec as a key: the very object, which holds fields that have no hash."""

    __slots__ = ("spec",)

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return id(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameSpec) and other.spec is self.spec


def vocabulary_of(spec: ToolSpec) -> Vocabulary:
    """The words of a tool, worked out once."""
    return _words_of(SameSpec(spec))


@lru_cache(maxsize=4096)
def _words_of(same: SameSpec) -> Vocabulary:
    spec = same.spec
    named = terms_of(" ".join([spec.name, *spec.tags, *spec.capability_tags, *spec.examples, spec.summary]))
    properties = cast("Mapping[str, Mapping[str, Any]]", schema_of(spec).get("properties", {}))
    fields = [
        " ".join([name, str(field.get("description", "")), *labels_of(name, str(field.get("description", "")))])
        for name, field in properties.items()
        if name != "explanation"
    ]
    own = frozenset(
        term for term in terms_of(" ".join([spec.name, *spec.tags, *spec.capability_tags])) if not is_general(term)
    )
    asked_for = named | terms_of(" ".join(fields))
    return Vocabulary(own, named, asked_for, asked_for | terms_of(f"{spec.details} {spec.returns}"))


def named_words(spec: ToolSpec) -> frozenset[str]:
    """What a tool calls itself: a step that shares none of these does not speak of it."""
    return vocabulary_of(spec).named


def is_known(word: str, known: frozenset[str], *, loose: bool) -> bool:
    """Whether a word is among the known ones, by itself or as a word of the other language for one of them."""
    # only across languages: two words of one language that are near in meaning are two things to a user, unless it is
    # by one of them alone that the tool was found
    others = aliases(word) - _ASKING
    if any(alias in known for alias in others if loose or alias.isascii() != word.isascii()):
        return True
    return word in known or (not word.isascii() and any(word[i : i + 2] in known for i in range(len(word) - 1)))


@lru_cache(maxsize=4096)
def actions_of(same: SameSpec) -> tuple[tuple[str | None, ToolSpec], ...]:
    """A tool with each of its operations alone."""
    spec = same.spec
    if len(spec.capabilities) < 2:  # noqa: PLR2004  one operation needs no choice
        return ((None, spec),)
    return tuple((capability.name, spec.for_action(capability.name)) for capability in spec.capabilities)


def speaks_of_action(text: str, action: str) -> bool:
    """Whether a text names one operation of a tool that has several, in either language."""
    said, names = terms_of(text), terms_of(action)
    return any(name in said or not aliases(name).isdisjoint(said) for name in names)


def schema_of(spec: ToolSpec) -> Mapping[str, Any]:
    """The schema of the only operation a tool has."""
    capability = spec.capability(None)
    return capability.parameters if capability else {}


def terms_of(text: str) -> frozenset[str]:
    """The words of a text as recall has them."""
    return frozenset(tokens(text))
