"""One clause about several things, taken apart into a text about each: the time in Paris and in Berlin."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date

from switchyard.language.mentions import Mention, find_mentions, hidden
from switchyard.language.tokeniser import located_words

LooseLetters = Callable[[str], int | None]
"""Of a text that says something of a thing with a name, the letters of the name; None where it does not."""
Way = tuple[int, list[str]]
"""A text taken apart, with the letters of the names in it: of several ways, that with the shortest names is meant."""

_AND = re.compile(
    r"(?i)\s*(?:[,，、;&]|\b(?:and|or)\b|以及|[和与及跟])+\s*(?:and\s+)?(?:(?:in|at|for|of|on|to|into|the)\b|在)?\s*"
)
_LISTED = frozenset({"place", "path", "quoted", "date", "currency", "url", "code"})
_JOINT = re.compile(r"(?i)\s*(?:,\s*and|,|\band)\s+(?:(?:of|for|in|to|into|the)\s+)*|\s*(?:以及|[、和与及])\s*")
_BETWEEN_WORDS = re.compile(
    r" and (?:(?:of|for|in|to|into|the) )*(?=\w)|(?<=[\u3400-\u9fff])[和与及、](?=[\u3400-\u9fff])"
)
_WORD = re.compile(r"[A-Za-z0-9_.'-]+|[^\sA-Za-z0-9_.'-]")
MOST_JOINTS = 3
LONGEST_SHARED = 12
"""Words, or Chinese characters, on one side of a joint that the other side does not share."""
_EACH = re.compile(
    r"(?i)\s*\b(?:respectively|each|both)\b|分别|各自|各(?=有|是)|^\s*(?:compare\b|(?:比较|对比)(?:一下)?)"
)
_COMPARES = re.compile(r"(?i)\b(?:compare|than|more|which|difference)\b|比|哪一?个|谁|相差|差多少")


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
    if joint := _BETWEEN_WORDS.search(plain):  # 打开卧室和厨房的灯
        one, other = located_words(text[: joint.start()])[-1:], located_words(text[joint.end() :])[:1]
        start, end = (one[0][1], joint.end() + other[0][2]) if one and other else (0, 0)
        if end and not (text[start].isupper() or text[end - len(other[0][0])].isupper()):  # a name has more words
            found.append([f"{text[:start]}{name}{text[end:]}" for name in (one[0][0], other[0][0])])
    return found


def _sharing(text: str, letters_of_name: LooseLetters) -> Way:
    """What is said of something with a name, where a joint leaves out what both sides share: 修武站水位和雨量.

    The last part begins as the others do, the others end as the last one does.
    """

    def alone(text: str) -> Way:
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


def _tightest(ways: Iterable[Way]) -> Way:
    nothing: Way = (0, [])
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
