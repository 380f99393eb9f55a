"""A text while it is read: what it mentions, and what of it is used so far. A mention is used once."""

from dataclasses import dataclass, field
from datetime import date

from switchyard.agents.by_rules.labels import Span
from switchyard.language.mentions import Kind, Mention, hidden


@dataclass(slots=True)
class Marks:
    """What of a text is used so far, and what else it says."""

    text: str
    mentions: list[Mention]
    earlier: str | None
    today: date
    known: frozenset[str] = frozenset()
    """Words the tool itself is described with: they name no value."""
    used: list[Mention] = field(default_factory=list[Mention])
    everything: bool = False
    follows: bool = False
    """Whether the text may speak of what an earlier step found."""
    guessed: bool = False
    several: bool = False
    """A field that takes one value was given two."""

    def rest(self) -> str:
        """What no argument carries, everything else blanked out."""
        return "" if self.everything else hidden(self.text, self.used)

    def unused(self) -> tuple[Mention, ...]:
        """What the text mentions that no argument carries."""
        if self.everything:
            return ()
        if self.several:
            return (Mention("quoted", self.text, self.text, 0, len(self.text)),)
        free = (m for m in self.mentions if not any(overlap(m, used) for used in self.used))
        return tuple(m for m in free if m.kind != "date" or m.value != self.today)

    def taken(self, span: Span, kind: Kind = "quoted") -> str:
        """Mark a piece as used, and give its text."""
        self.used.append(Mention(kind, span.text, span.text, span.start, span.end))
        return span.text

    def quoted(self) -> str | None:
        """The next quoted text that nothing has taken."""
        found = next((m for m in self.mentions if m.kind == "quoted" and m not in self.used), None)
        if found is None:
            return None
        self.used.append(found)
        return str(found.value)


def overlap(one: Mention, other: Mention) -> bool:
    """Whether two pieces share a character."""
    return one.start < other.end and other.start < one.end
