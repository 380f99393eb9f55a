"""A name or a phrase that nothing quotes, told by where it stands: after the tool's own word, beside it, in capitals.

What is merely left over is no value: a tool that is given a stray word does something nobody asked for.
"""

import re
from typing import NamedTuple

from switchyard.agents.by_rules.labels import Span
from switchyard.language.tokeniser import is_empty, located_words
from switchyard.language.words import is_act, is_asked, is_general, left_over

PHRASES = frozenset(
    {"text", "content", "message", "title", "query", "task", "note", "reminder", "keyword", "topic", "prompt", "q"}
)
"""Words in the names of fields that take whatever is said, not a name."""
_TO = re.compile(
    r"\s*(?:(?:me|us|him|her|them)\b\s*)?(?:(?:at|on|by|in)\b\s*)*(?:to|that|about|on|for|[:：-])\s+(?=\S)|\s*[:：]\s*(?=\S)",
    re.IGNORECASE,
)
_TO_CHINESE = re.compile(r"(?:我|我们|一下|他|她)?\s*(?:要|去)?\s*[:：]?\s*(?=\S)")
_ABOUT = re.compile(r"\b(?:about|on|regarding|for|of)\s+(?=[a-z])|关于\s*", re.IGNORECASE)
_END = re.compile(r"\s{2,}|\s*[,，。;；?？!！]|的?(?:新闻|消息|文章|内容|资料|信息)|\s*$")
_TRAILING = re.compile(r"(?:\s+(?:at|on|by|in|for|to|from|before|until|every|please))+\s*$|[的了吧呢]+$", re.IGNORECASE)
_FRAME = re.compile(
    r"\b(?:called|named|titled|off|into|under|onto|assign\w*|labell?e?d?|tagged|based|articles?|channel|saying)\b"
    r"|基于|新建|[建加设]一?个|放一首|发到|发给|标签|指派|优先级|里新|上加|任务|月份?$|^\d+$",
    re.IGNORECASE,
)
"""Words of a command: a value that has one was cut in the wrong place."""
_FIRST_OF_NAME = frozenset("大小新老")
"""Characters that mean nothing by themselves and begin many names: 小南海, 大沙河."""
_VAGUE = re.compile(
    r"^(?:some|any|a|an|the|my|all|every|something|anything|it|that|this|一些|什么|点|个)\b", re.IGNORECASE
)


class _Word(NamedTuple):
    term: str
    start: int
    end: int


def phrase_in(rest: str, own: frozenset[str]) -> Span | None:
    """What is said after the tool's own word, or "about" something: "remind me to call Tom", 提醒我吃药."""
    words = [_Word(*found) for found in located_words(rest)]
    for position, word in enumerate(words):
        if word.term not in own or is_asked(word.term) or (is_general(word.term) and not _TO.match(rest, word.end)):
            continue
        if not word.term.isascii():
            match = _TO_CHINESE.match(rest, word.end)
        else:
            match = _TO.match(rest, word.end)
            if match is None and position == 0 and rest[word.end : word.end + 1] == " ":
                match = re.compile(r" (?=\S)").match(rest, word.end)
        if match and (found := _until_end(rest, match.end(), own)) is not None:
            return found
    match = _ABOUT.search(rest)
    return _until_end(rest, match.end(), own) if match else None


def _until_end(rest: str, start: int, own: frozenset[str]) -> Span | None:
    start += len(rest[start:]) - len(rest[start:].lstrip(" :：,，"))
    end = _END.search(rest, start)
    said = _TRAILING.sub("", rest[start : end.start() if end else len(rest)])
    words = located_words(said)
    means = [word for word, a, b in words if not is_asked(word) and not is_empty(said[a:b]) and word not in own]
    unclear = _VAGUE.match(said) or _FRAME.search(said) or left_over(said) or any(word in own for word, _, _ in words)
    if len(said) < 2 or not means or unclear:  # noqa: PLR2004  one letter says nothing
        return None
    return Span(said, start, start + len(said))


def name_in(rest: str, description: str, own: frozenset[str]) -> Span | None:
    """The name a text gives: 翠苑小区5幢201, John Smith, the `orders` of "the orders table".

    Args:
        rest: the text, with what is used already blanked out.
        description: of the field the name is for.
        own: the words the tool is described with.
    """
    kinds = _kind_nouns(description)
    runs: list[Span] = []
    beside: set[int] = set()
    last_own = -2
    for word, start, end in located_words(rest):
        said = rest[start:end]
        ends_name = not word.isascii() and word.endswith(kinds)
        touches = bool(runs) and rest[runs[-1].end : start] in {"", " ", "-", "'", " & ", "."}
        goes_on = ends_name and touches  # 密云 is followed by 水库, which the field asks for: it belongs to the name
        if not goes_on and _is_own(word, rest, start, end, own):
            if touches:
                beside.add(runs[-1].start)
            last_own = end
        elif goes_on or not _names_nothing(word, said):
            if touches and not runs[-1].text.endswith(kinds):
                runs[-1] = Span(rest[runs[-1].start : end], runs[-1].start, end)
            else:
                runs.append(Span(said, start, end))
                beside |= {start} if 0 <= start - last_own <= 1 else set()
    named = [run for run in runs if len(run.text) > 1 and _may_be_name(run, rest, kinds, beside=run.start in beside)]
    best = max(named, key=lambda run: (run.text.endswith(kinds), _is_capital(run), len(run.text)), default=None)
    if best is None or best.text.isascii() or rest[best.start - 1 : best.start] not in _FIRST_OF_NAME:
        return best
    return Span(rest[best.start - 1 : best.end], best.start - 1, best.end)


def strays(rest: str, known: frozenset[str]) -> list[str]:
    """Names that segmentation has cut into single characters, none of which a tool is described with: 淇|门."""
    runs: list[Span] = []
    for word, start, end in located_words(rest):
        if len(word) > 1 or word.isascii() or word in known or _names_nothing(word, word):
            continue
        if runs and runs[-1].end == start:
            runs[-1] = Span(rest[runs[-1].start : end], runs[-1].start, end)
        else:
            runs.append(Span(word, start, end))
    return [run.text for run in runs if len(run.text) > 1]


def _may_be_name(run: Span, rest: str, kinds: tuple[str, ...], *, beside: bool) -> bool:
    if _FRAME.search(run.text):
        return False
    if run.text.isascii():
        return beside or _is_capital(run)
    after = rest[run.end : run.end + 1]
    return beside or run.text.endswith(kinds) or after in {"的", ""} or re.search(r"\d", run.text) is not None


def _is_capital(run: Span) -> bool:
    """A name has capitals inside a sentence."""
    return run.start > 0 and run.text[:1].isupper()


def _names_nothing(word: str, said: str) -> bool:
    return is_asked(word) or is_empty(said) or is_act(word) or (not said.isdigit() and bool(left_over(said)))


def _is_own(word: str, rest: str, start: int, end: int, own: frozenset[str]) -> bool:
    """Whether the tool is described with a word: 翻译成 begins with one; a single character with the one beside it."""
    if word in own or word.isascii():
        return word in own
    if len(word) > 1:
        return len(word) > 2 and word[:2] in own and word[-2:] not in own  # noqa: PLR2004  a word and its complement
    return rest[max(0, start - 1) : end] in own or rest[start : end + 1] in own


def _kind_nouns(description: str) -> tuple[str, ...]:
    """What a field asks the name of: 医院 of 医院名称, 水库 and 水文站 of 水库或水文站名称."""
    first = re.match(r"[\u4e00-\u9fff]{2,12}", description)
    parts = re.split("或|和", first[0]) if first else []
    nouns = [re.sub(r"(?:的?(?:名称|名字|编号|号码|地址|姓名))$", "", part) for part in parts]
    nouns += [example[-2:] for example in re.findall(r"[“「\"]([\u4e00-\u9fff]{3,12})[”」\"]", description)]
    return tuple(noun for noun in nouns if noun)
