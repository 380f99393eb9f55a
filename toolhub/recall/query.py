"""A question as recall reads it: its terms, words for the same things, and the parts that may each need a tool.

And what recall answers: tools with scores, or recommended with the reason (R3.9).
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal

from pydantic import BaseModel, Field

from switchyard.language.dictionary import Across, all_aliases
from switchyard.language.messages import Said, joined, message, quoted
from switchyard.language.tokeniser import MAX_CHARACTERS, tokens
from switchyard.toolhub.recall.learned import Experience, Learned
from switchyard.toolhub.registry import ToolRegistry

Strategy = Literal["fused", "bm25", "embedding", "type"]
"""By words, meaning and kind together; by shared words alone, at once; by meaning alone; by kind alone."""

ALIAS_SHARE, TRANSLATED_SHARE, SLIP_SHARE = 0.3, 0.6, 0.6
"""What a word for the same thing counts against the word itself, what its translation does, and what the word does that
it may be a slip of; the first is fitted by `benchmarks.recall_fit`."""
MOST_PARTS, MOST_PIECES = 6, 40
"""Pieces beyond these many parts join their neighbours; pieces beyond so many are material, not tasks."""
FEWEST_TERMS = 2
"""A part of fewer terms is no task of its own."""

# Chinese commas part what belongs together as often as not
_PARTS = re.compile(r"[.?!;。？！；\n]+\s*|,\s+|\s(?:and|then|also|or)\s|然后|并且|同时|以及|另外", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scored:
    """A tool with its score and the words it was found by."""

    name: str
    score: float
    terms: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict[str, float], compare=False)
    """What each strategy says, where several do."""


@dataclass(frozen=True)
class Query:
    """What is asked for."""

    text: str
    across: Across | None = None
    """What puts it into the language of the tools, where that is the other one."""
    kind: str = ""
    """The type of the task, where its plan says one: a word such as `search`, `calculation` or 搜索."""
    slips: Callable[[str], Iterable[str]] = lambda _: ()
    """The words of tools that a word may be a slip of."""

    @cached_property
    def terms(self) -> dict[str, float]:
        """Each term once: how often it is said does not make it more important."""
        return dict.fromkeys(tokens(self.text), 1.0)

    @cached_property
    def others(self) -> dict[str, float]:
        """Words for the same things, in both languages."""
        found = all_aliases(self.terms)
        if not self.text.isascii():
            # a tool's tag may be one character, which segmentation keeps inside a longer word: 灯 of 客厅灯
            found |= {letter for letter in set(self.text[:MAX_CHARACTERS]) if not letter.isascii()}
        aliases = dict.fromkeys(sorted(found.difference(self.terms)), ALIAS_SHARE)
        aliases |= dict.fromkeys((word for term in self.terms for word in self.slips(term)), SLIP_SHARE)
        return aliases | dict.fromkeys(self.translated.difference(self.terms), TRANSLATED_SHARE)

    @cached_property
    def translated(self) -> frozenset[str]:
        """Its terms in the language of the tools, where that is the other one."""
        return frozenset(self.across(self.text)) if self.across else frozenset()

    @cached_property
    def weighted(self) -> dict[str, float]:
        """All of them."""
        return {**self.terms, **self.others}

    def part(self, text: str) -> "Query":
        """A piece of it, to the same tools."""
        return Query(text, self.across, slips=self.slips)

    @cached_property
    def parts(self) -> list["Query"]:
        """The pieces that may be tasks of their own; none where the question is one piece."""
        pieces = [self.part(piece) for piece in _PARTS.split(self.text[:MAX_CHARACTERS]) if piece.strip()]
        telling = _joined([piece for piece in pieces if len(piece.terms) >= FEWEST_TERMS][:MOST_PIECES])
        return telling if len(telling) > 1 else []


def _joined(pieces: list[Query]) -> list[Query]:
    """As many parts as may be: the shortest neighbours become one, so that nothing that is asked gets lost."""
    texts, sizes = [piece.text for piece in pieces], [len(piece.terms) for piece in pieces]
    while len(texts) > MOST_PARTS:
        both = list(map(sum, pairwise(sizes)))
        place = both.index(min(both))
        texts[place : place + 2] = [", ".join(texts[place : place + 2])]
        sizes[place : place + 2] = [both[place]]
    return pieces if len(texts) == len(pieces) else list(map(pieces[0].part, texts))


Rank = Callable[[str, Sequence[Scored], int], Awaitable[Sequence[str] | None]]
"""The names of at most so many of the tools recalled for a question, best first; None where it could not be told."""


class Recommendation(BaseModel):
    """A tool for a task."""

    tool_id: str
    score: float = 0.0
    reason: Said = ""
    """Why it is here, for a person."""
    terms: tuple[str, ...] = ()
    """The words it was found by."""
    parts: dict[str, float] = Field(default_factory=dict[str, float])
    """What each strategy says."""

    def ranked(self) -> "Recommendation":
        """The same, chosen by a model."""
        return self.model_copy(update={"reason": joined(message("found.ranked"), self.reason)})


def explained(
    recalled: Sequence[Scored], strategy: str, registry: ToolRegistry, learned: Learned
) -> dict[str, Recommendation]:
    """What was recalled, by name, each with the reason."""
    specs = [spec for one in recalled if (spec := registry.get(one.name))]
    needed = {value for spec in specs for value in spec.requires}
    made = {spec.tool_id: [value for value in spec.produces if value in needed] for spec in specs}
    found: dict[str, Recommendation] = {}
    for one in recalled:
        known = learned.tools.get(one.name, Experience())
        why = [
            message("found.words", words=list(one.terms)) if one.terms else "",
            message("found.served", wording=quoted(known.served[-1].text)) if known.served else "",
            message("found.failed", wording=quoted(known.failed[-1].text)) if known.failed else "",
            message("found.needed", values=made[one.name]) if made.get(one.name) else "",
        ]
        alone = message("found.kind" if strategy == "type" or one.parts.get("type") else "found.meaning")
        reason, parts = joined(*why) or alone, dict(one.parts)
        found[one.name] = Recommendation(tool_id=one.name, score=one.score, reason=reason, terms=one.terms, parts=parts)
    return found
