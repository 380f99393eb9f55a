"""One sentence about several things, as one about each: "the weather in Paris and in Berlin", 北京和东京现在几点."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from switchyard.language.mentions import Mention, find_mentions, hidden
from switchyard.language.tokeniser import located_words

_BETWEEN = re.compile(
    r"\s*(?:[,，、;；&/+]|\band\b|\bor\b|和|与|及|以及|跟|还有)+\s*(?:and\s+)?(?:in|at|for|of|on|the|在)?\s*",
    re.IGNORECASE,
)
EACH = re.compile(
    r"\s*\b(?:respectively|each|both|every one|every file|all of them)\b|每个|每一[个份篇]|分别|各自|逐个|各(?=有|是)",
    re.IGNORECASE,
)
"""Words that say that each of several is meant."""
_FINDS_MANY = re.compile(r"\b(?:list|search|find|query|get all|lookup)\b|列出|搜索|查询|查找", re.IGNORECASE)
_LISTED = frozenset({"place", "path", "code", "quoted", "date", "currency", "url"})
_AND = re.compile(r"\s+and\s+(?:the\s+)?|[和与及、]|以及", re.IGNORECASE)
_NUMBER = re.compile(r"\d")
_EVERY_OTHER = re.compile(r"^(?P<where>.{2,60}?)的?每一?[个座条](?P<of>[^的，,]{1,12})的(?P<what>.{1,20})$")
_OF_EACH = re.compile(r"(?=每一?个|各自|各有|分别)")
_FOR_EACH = re.compile(r"^for\s+(?:each|every)\s+(?:of\s+the\s+)?(?P<of>.{3,80}?),\s*(?P<do>.+)$", re.IGNORECASE)
_IN_EVERY = re.compile(
    r"^(?P<do>.*?\b(?:lines|words|characters|size))\s+(?:of|in|does|for)\s+(?:each|every)\s+(?:of\s+the\s+)?"
    r"(?P<of>.{3,80}?)(?:\s+(?:have|has|contain))?$",
    re.IGNORECASE,
)
_EVERY_CHINESE = re.compile(
    r"^(?:统计|数一?数|计算|看看?)?(?P<where>.{0,60}?)每一?个(?P<of>[^的]{0,20}文件)(?:的|有)(?P<what>.{1,12})$"
)
_COMPARED = re.compile(r"^(?:比较|对比)(?:一下)?")
_ALIKE_ENGLISH = re.compile(
    r"^(?P<head>.*?)(?P<one>(?:[A-Z]\w*\s+)+(?P<kind>[a-z]+))\s+and\s+(?:the\s+)?"
    r"(?P<other>(?:[A-Z]\w*\s+)+(?P=kind))\b(?P<tail>.*)$"
)
_COMPARES = re.compile(
    r"\b(?:compare|than|more|most|fewer|fewest|less|least|largest|smallest|longest|shortest)\b"
    r"|\b(?:which|what)\b.*\bor\b|哪一?[个份篇]|谁|比|对照",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
LONGEST_NOUN = 4
"""Words, or Chinese characters, that a thing in a list may have."""


def distributed(text: str, today: date, *, nouns: bool = True) -> Iterator[list[str]]:
    """Ways to read a text as one about each of several things, the surest first; plain nouns only if they may be."""
    plain = EACH.sub("", text)
    yield from _alike(plain)
    mentions = find_mentions(plain, today)
    for group in _groups(plain, mentions):
        before, after = plain[: group[0].start], plain[group[-1].end :]
        yield [f"{before}{mention.text}{after}" for mention in group]
    if nouns:
        yield from _nouns(plain)


def compares_files(text: str, today: date) -> bool:
    """Whether files are set against each other, in whatever respect: to tell of each alone is no answer then."""
    found = [mention for mention in find_mentions(text, today) if mention.kind == "path"]
    return len({str(mention.value) for mention in found}) > 1 and _COMPARES.search(hidden(text, found)) is not None


def finds_many(description: str) -> bool:
    """Whether a tool is described as one that finds several things."""
    return _FINDS_MANY.search(description) is not None


def _groups(text: str, mentions: Sequence[Mention]) -> list[list[Mention]]:
    """Mentions of one kind that stand in a row."""
    groups: list[list[Mention]] = []
    for mention in mentions:
        last = groups[-1][-1] if groups else None
        if last and last.kind == mention.kind and _BETWEEN.fullmatch(text[last.end : mention.start]):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return [group for group in groups if len(group) > 1 and group[0].kind in _LISTED]


def _alike(text: str) -> Iterator[list[str]]:
    """Things of one kind in a row, and what is asked about all: 东站、西站和南站的水位, "East Bank and West Bank"."""
    if match := _ALIKE_ENGLISH.match(text):
        yield [f"{match['head']}{match[one]}{match['tail']}" for one in ("one", "other")]
        return
    *firsts, last = _AND.split(_COMPARED.sub("", text))
    if not firsts or any(len(first) < 2 or _NUMBER.search(first) for first in firsts):  # noqa: PLR2004  one letter is no name
        return
    ending = firsts[0][-1]
    at = last.find(ending, 1)
    if at < 0 or not _HAN.match(ending) or any(first[-1] != ending for first in firsts):
        return
    thing, asked = last[: at + 1], last[at + 1 :]
    if asked:
        yield [f"{one}{asked}" for one in (*firsts, thing)]


def _nouns(text: str) -> Iterator[list[str]]:
    """Two nouns beside an "and", with what stands before and after them said of both."""
    for match in _AND.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        for left in _ends(before):
            for right in _starts(after):
                if _NUMBER.search(left + right):
                    continue  # numbers are computed with, not spoken of one by one
                head, tail = before[: len(before) - len(left)], after[len(right) :]
                yield [f"{head}{left}{tail}", f"{head}{right}{tail}"]


def _ends(text: str) -> list[str]:
    if re.search(r"[\u4e00-\u9fff]\Z", text):
        run = re.search(r"[\u4e00-\u9fff]{1,12}\Z", text)
        whole = run[0].rpartition("的")[2] if run else ""
        found = [text[start:] for _, start, _ in located_words(text)[-1:]]
        return list(dict.fromkeys([*found, whole])) if whole else []
    words = text.split(" ")
    return [" ".join(words[-n:]) for n in range(1, min(LONGEST_NOUN, len(words)))]


def _starts(text: str) -> list[str]:
    if re.match(r"[\u4e00-\u9fff]", text):
        run = re.match(r"[\u4e00-\u9fff]+?(?=是|有|怎么|如何|多少|各|现在|情况|$)", text)
        return [run[0]] if run else []
    words = text.split(" ")
    return [" ".join(words[:n]) for n in range(1, min(LONGEST_NOUN, len(words) + 1))]


def of_each(text: str) -> tuple[str, str] | None:
    """What a text asks about each of many, as the many and the question: docs 下的文件 | 每个有多少行."""
    if match := _FOR_EACH.match(text):
        return f"list {match['of']}", f"{match['do']} of each"
    if match := _IN_EVERY.match(text):
        return f"list the {match['of']}", f"{match['do']} of each"
    if match := _EVERY_CHINESE.match(text):
        return f"列出{match['where']}{match['of']}", f"每个的{match['what']}"
    if match := _EVERY_OTHER.match(text):
        return f"列出{match['where']}的{match['of']}", f"每个{match['of']}的{match['what']}"
    parts = _OF_EACH.split(text, maxsplit=1)
    return (parts[0].strip("，, 的里"), parts[1]) if len(parts) > 1 and len(parts[0].strip()) > 1 else None
