"""What a text names: a call that leaves it out, or only looks it up, answers another question."""

import re
from collections.abc import Iterable

from switchyard.agents.by_rules.vocabulary import is_known, named_words
from switchyard.language.tokeniser import is_empty, located_words, words
from switchyard.language.words import is_asked
from switchyard.tools.core.spec import ToolSpec

_IDENTIFIER = re.compile(r"[码号]$|\b(?:code|id|number|no)$", re.IGNORECASE)
"""How the names of what is produced for others end."""


def asks_for_product(text: str, spec: ToolSpec) -> bool:
    """Whether a text asks for what a tool produces for others; of a tool that produces nothing this is not asked."""
    if not spec.produces:
        return True
    nouns = {word for name in spec.produces for word in words(name.replace("_", " "))[-1:]}
    labels = [
        match[1] for name in spec.produces if (match := re.search(rf"{re.escape(name)}[：:]\s*(\w+)", spec.returns))
    ]
    tags = [tag for tag in (*spec.tags, *spec.capability_tags) if _IDENTIFIER.search(tag)]
    return not nouns.isdisjoint(words(text)) or any(name.lower() in text.lower() for name in (*labels, *tags))


def leaves_out(rest: str, spec: ToolSpec, others: Iterable[str]) -> bool:
    """Whether a tool has no use for a word that another takes as a value, and does not speak of it either.

    Args:
        rest: what is asked, with what the tool takes blanked out.
        spec: the tool.
        others: the same with what others take blanked out.
    """
    named = named_words(spec)
    left = ("".join(a if b == " " else " " for a, b in zip(rest, other, strict=False)) for other in others)
    return any(
        not is_asked(word) and not is_empty(text[start:end]) and not _speaks_of(named, word)
        for text in left
        for word, start, end in located_words(text)
    )


def _speaks_of(named: frozenset[str], word: str) -> bool:
    """Whether a word is among a tool's own; names are cut into characters, of which each is looked for by itself."""
    if len(word) == 1 and not word.isascii():
        return any(word in own for own in named)
    return is_known(word, named, loose=False)


def without_tags(rest: str, spec: ToolSpec) -> str:
    """A text without the tool's own names that have digits: PM2.5 is no number."""
    for tag in spec.tags:
        if any(letter.isdigit() for letter in tag):
            rest = re.sub(re.escape(tag), " ", rest, flags=re.IGNORECASE)
    return rest
