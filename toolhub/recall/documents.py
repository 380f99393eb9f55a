"""What a tool is found by: its words, weighted by where they stand, and its text for an embedding model."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from switchyard.language.tokeniser import has_chinese, tokens
from switchyard.toolhub.calling.schema import as_mapping
from switchyard.tools.core.spec import ToolSpec

NAME_WEIGHT = 3
"""How often a word of the name counts; a word of the rest counts once."""
DESCRIPTION_WEIGHT = 2


@dataclass(frozen=True, slots=True)
class ToolText:
    """A tool as text, in the parts that weigh differently."""

    name: str
    description: str
    tags: str
    parameters: str
    examples: str

    @property
    def said(self) -> str:
        """What the tool is and does, for an embedding model."""
        return f"{self.name}\n{self.description}\n{self.examples}"


def text_of(spec: ToolSpec) -> ToolText:
    """The text a tool is found by."""
    description = f"{spec.summary}\n{spec.details}"
    chinese = has_chinese(description)
    fields = [field for one in spec.capabilities for field in _fields(one.parameters)]
    # what a field is called in English says nothing about a tool that is described in Chinese
    names = [name for name, _ in fields if not chinese or has_chinese(name)]
    operations = [f"{one.name}\n{one.description}" for one in spec.capabilities] if len(spec.capabilities) > 1 else []
    examples = [*spec.examples, *(example for one in spec.capabilities for example in one.examples)]
    return ToolText(
        name=spec.name,
        description=description,
        tags="\n".join([*spec.tags, *spec.capability_tags, spec.category]),
        parameters="\n".join([*names, *(said for _, said in fields), *operations]),
        examples="\n".join(dict.fromkeys(examples)),
    )


def terms_of(text: ToolText) -> list[str]:
    """The terms of a tool, each as often as it counts: a plain document for BM25."""
    return [
        *tokens(text.name) * NAME_WEIGHT,
        *tokens(text.description) * DESCRIPTION_WEIGHT,
        *_tag_terms(text.tags),
        *tokens(text.parameters),
        *tokens(text.examples),
    ]


@lru_cache(maxsize=1024)  # most tools of a catalogue share theirs with others
def _tag_terms(tags: str) -> tuple[str, ...]:
    return tuple(tokens(tags))


def _fields(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The name and the description of every parameter but the explanation that all tools take."""
    properties = as_mapping(schema.get("properties"))
    return [(name, _description(field)) for name, field in properties.items() if name != "explanation"]


def _description(field: Any) -> str:
    said = as_mapping(field).get("description")
    return said if isinstance(said, str) else ""
