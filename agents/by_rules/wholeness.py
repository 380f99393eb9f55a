"""Whether the small words of a task are understood: what changes something is done on nothing less.

Recall and the rules pass over words that are empty in most texts: "if", "or", "twice", 若. In a task that writes they
decide whether, where and how often. So here an empty word has to be one of the tool's own or one of the few that never
ask for anything.
"""

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any, cast

from switchyard.agents.by_rules.labels import labels_of
from switchyard.agents.by_rules.vocabulary import SameSpec, named_words, schema_of
from switchyard.language.dictionary import aliases
from switchyard.language.mentions import find_mentions, hidden
from switchyard.language.tokeniser import is_empty, located_words, stem
from switchyard.language.words import is_asked, is_general
from switchyard.tools.core.spec import ToolSpec

_SMALL_WORDS = (
    "a an the this that these those it its them their there here to into in on at of from for with by as and then "
    "also too please kindly just now me my our us your you i we want would like could can will need d let s so be is "
    "are has have do make put turn get give set new "
    "的 了 着 把 将 给 在 到 入 进 往 向 里 中 上 下 内 请 帮 帮我 我 我们 你 您 它 它们 这 那 这个 那个 和 与 及 "
    "并 再 然后 接着 最后 一下 个 一个 为 成 作 用 以 从 对 让 去 来 吧 啊 呀 哦 就 想 要 需要 想要 现在 也 都 是 有 "
    "结果 叫 呗 "
)
_SMALL = frozenset(_SMALL_WORDS.split())
"""Words that hold a sentence together and ask for nothing: a closed class, so that any other word has to be known."""
_DECIDING = frozenset({"if", "or", "not", "no", "nor", "only", "unless", "when", "until", "but", "without", "except"})
"""Small words that decide something wherever they stand, though a description may have them as well."""
_OR = re.compile(r"\bor\b|或|要么", re.IGNORECASE)


def covers(spec: ToolSpec, rest: str, *, asking: bool = False) -> bool:
    """Whether no empty word asks for more than a tool does; the others are weighed where it is chosen.

    Args:
        spec: the tool, with the one operation that is meant.
        rest: the task with what arguments carry blanked out.
        asking: whether the task only asks for something, so that "how many" and "tell me" belong to it.
    """
    own = _own_words(SameSpec(spec))
    rest = re.sub("|".join(map(re.escape, _labels(SameSpec(spec)))) or r"(?!)", " ", rest)
    written = (rest[start:end].lower() for _, start, end in located_words(rest))
    return all(
        word in _SMALL
        or not is_empty(word)
        or word in own
        or (asking and is_asked(stem(word)) and word not in _DECIDING)
        for word in written
    )


def speaks_of(text: str, spec: ToolSpec, today: date) -> bool:
    """Whether a text has a word of the tool's beside what it mentions: the name of a file alone asks for nothing."""
    said = hidden(text, find_mentions(text, today))
    if any(not tag.isascii() and tag in said for tag in spec.tags):
        return True
    named = named_words(spec)
    found = (word for word, start, end in located_words(said) if said[start:end].lower() not in _SMALL)
    words = (word for word in found if not is_asked(word) or is_general(word))
    return any(word in named or not aliases(word).isdisjoint(named) for word in words)


def names_alternatives(text: str, today: date) -> bool:
    """Whether a text leaves open which of several things it means: "a.txt or b.txt", a.txt 或 b.txt."""
    return _OR.search(hidden(text, find_mentions(text, today))) is not None


@lru_cache(maxsize=4096)
def _labels(same: SameSpec) -> tuple[str, ...]:
    """What Chinese texts call a tool's parameters: 时长 is no 时."""
    properties = cast("Mapping[str, Mapping[str, Any]]", schema_of(same.spec).get("properties", {}))
    described = ((name, str(field.get("description", ""))) for name, field in properties.items())
    found = (label for name, description in described for label in labels_of(name, description))
    return tuple(label for label in found if not label.isascii() and len(label) > 1)


@lru_cache(maxsize=4096)
def _own_words(same: SameSpec) -> frozenset[str]:
    """The words a tool calls itself and its parameters by, empty ones too: the "off" of a light."""
    spec = same.spec
    properties = cast("Mapping[str, Mapping[str, Any]]", schema_of(spec).get("properties", {}))
    fields = [f"{name} {field.get('description', '')}" for name, field in properties.items() if name != "explanation"]
    text = " ".join([spec.name.replace("_", " "), *spec.tags, *spec.examples, spec.summary, *fields])
    return frozenset(text[start:end].lower() for _, start, end in located_words(text)) - _DECIDING
