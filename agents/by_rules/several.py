"""One clause about several things, taken apart into a text about each: the time in Paris and in Berlin."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date

from switchyard.language.mentions import Mention, find_mentions, hidden

LooseLetters = Callable[[str], int | None]
"""Of a text that says something of a thing with a name, the letters of the name; None where it does not."""

_AND = re.compile(
    r"\s*(?:[,，、;&]|\band\b|\bor\b|和|与|及|以及|跟)+\s*(?:and\s+)?(?:in|at|for|of|on|the|在)?\s*", re.IGNORECASE
)
_LISTED = frozenset({"place", "path", "quoted", "date", "currency", "url", "code"})
_NOUNS = re.compile(
    r"(?P<one>[\u3400-\u9fff]{2,4})[和与及、](?P<other>[\u3400-\u9fff]{2,4})|(?P<en>\w+) and (?:the )?(?P<also>\w+)"
)
_JOINT = re.compile(r"\s*(?:,\s*and|,|\band)\s+(?:the\s+)?|\s*(?:以及|[、和与及])\s*", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9_.'-]+|[^\sA-Za-z0-9_.'-]")
MOST_JOINTS = 3
LONGEST_SHARED = 12
"""Words, or Chinese characters, on one side of a joint that the other side does not share."""
_EACH = re.compile(
    r"\s*\b(?:respectively|each|both)\b|分别|各自|各(?=有|是)|^\s*(?:compare\b|(?:比较|对比)(?:一下)?)", re.IGNORECASE
)
_COMPARES = re.compile(r"\b(?:compare|than|more|which)\b|比|哪一?个|谁|相差|差多少|\bdifference\b", re.IGNORECASE)


def texts_about_each(text: str, today: date, letters_of_name: LooseLetters) -> list[list[str]]:
    """The ways in which a text may be taken apart into one about each of several things."""
    text = _EACH.sub("", text).strip()
    mentions = [one for one in find_mentions(text, today) if one.kind in _LISTED]
    plain = hidden(text, mentions)
    if _COMPARES.search(plain):
        return []
    found = [
        [f"{text[: group[0].start]}{one.text}{text[group[-1].end :]}" for one in group]
        for group in _groups(text, mentions)
    ]
    if _JOINT.search(text) and (shared := _sharing(text, letters_of_name)[1]):
        found.append(shared)
    if match := _NOUNS.search(plain):
        start, end = match.span()
        names = (match["one"], match["other"]) if match["one"] else (match["en"], match["also"])
        found.append([f"{text[:start]}{name}{text[end:]}" for name in names])
    return found


def _sharing(text: str, letters_of_name: LooseLetters) -> tuple[int, list[str]]:
    """What is said of something with a name, where a joint leaves out what both sides share: 修武站水位和雨量.

    The last part begins as the others do, the others end as the last one does. With them the letters of the names:
    where they can be cut in several ways, those with the shortest names are meant.
    """

    def alone(text: str) -> tuple[int, list[str]]:
        letters = letters_of_name(text)
        return (0, []) if letters is None else (letters, [text])

    joints = list(_JOINT.finditer(text))
    if not 0 < len(joints) <= MOST_JOINTS:
        return alone(text)
    before, after = text[: joints[-1].start()], text[joints[-1].end() :]
    starts = [0, *(word.start() for word in _WORD.finditer(before))][-LONGEST_SHARED:]
    last = _tightest(alone(f"{before[:at]}{after}") for at in reversed(starts))
    if not last[1]:
        return last
    ends = [word.end() for word in _WORD.finditer(after)][:LONGEST_SHARED]
    rest = _tightest(_sharing(f"{before} {after[at:]}".strip(), letters_of_name) for at in ends)
    return (rest[0] + last[0], rest[1] + last[1]) if rest[1] else rest


def _tightest(ways: Iterable[tuple[int, list[str]]]) -> tuple[int, list[str]]:
    nothing: tuple[int, list[str]] = (0, [])
    return min((way for way in ways if way[1]), key=lambda way: way[0], default=nothing)


def _groups(text: str, mentions: Sequence[Mention]) -> list[list[Mention]]:
    """Mentions of one kind that stand in a row."""
    groups: list[list[Mention]] = []
    for one in mentions:
        last = groups[-1][-1] if groups else None
        if last and last.kind == one.kind and _AND.fullmatch(text[last.end : one.start]):
            groups[-1].append(one)
        else:
            groups.append([one])
    return [group for group in groups if len(group) > 1]
