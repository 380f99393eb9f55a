"""When a tool that changes something may be taken: it was asked for in so many words, and nothing of it is a guess."""

from datetime import date, datetime

from switchyard.agents.by_rules.inquiries import is_inquiry
from switchyard.agents.by_rules.vocabulary import named_words, terms_of
from switchyard.language.dictionary import aliases
from switchyard.language.mentions import find_mentions, hidden
from switchyard.language.tokeniser import plain_words, stem, words
from switchyard.language.words import is_asked, is_change
from switchyard.tools.core.spec import ToolSpec

_READING = frozenset(
    {"get", "list", "search", "find", "queri", "lookup", "read", "fetch", "show", "describ", "check", "count"}
)
"""What a tool that only tells something begins its name with, as stems."""


def may_change(text: str, spec: ToolSpec, *, guessed: bool, today: date | None) -> bool:
    """Whether a text asks for the change a tool makes; of a tool that changes nothing this is not asked.

    Args:
        text: the task in the user's words.
        spec: the tool.
        guessed: whether one of its arguments is only likely.
        today: what relative dates count from.
    """
    if not spec.writes:
        return True
    mentions = find_mentions(text, today or datetime.now().astimezone().date())
    if surely_changes(spec) and is_inquiry(text, mentions):
        return False
    said = hidden(text, mentions)
    if any(not tag.isascii() and tag in said for tag in spec.tags):
        return True  # Chinese words of one character are not always told from those beside them
    # English begins a command with its verb: a word of the tool that comes later may tell of anything
    terms = words(text)[:1] if guessed and text.isascii() else terms_of(said)
    named = named_words(spec)
    return any(not is_asked(word) and (word in named or not aliases(word).isdisjoint(named)) for word in terms)


def surely_changes(spec: ToolSpec) -> bool:
    """Whether a tool says itself that it changes something: of a foreign one that says nothing, it is only presumed."""
    if not spec.writes:
        return False
    if spec.source == "native":
        return True
    name = words(spec.name)
    first = words(spec.summary)[:1]
    return not _READING.intersection(name[:1]) and any(is_change(word) for word in (*name, *first))


def acts(spec: ToolSpec) -> bool:
    """Whether calling a tool changes or sends something, or may: a foreign one that says nothing is let off by name.

    Args:
        spec: the tool, with the one operation that is meant.
    """
    if not (spec.writes or spec.asks_first):
        return False
    name = plain_words(spec.name.rpartition("/")[2])
    return spec.source == "native" or not _READING.intersection(map(stem, name[:1]))
