"""The terms texts are found by, in English and Chinese, and the passages they are found in.

Chinese has no spaces, and FTS5 cannot segment it: its words are kept as pairs of neighbouring characters. Against a
segmenter's words and FTS5's own trigrams, pairs found the most on Chinese questions, miss no word of two characters,
and need no dictionary.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version

from switchyard.language.tokeniser import stem
from switchyard.tools.core.files import split_lines
from switchyard.tools.files.text import around

MAX_TERMS = 64
"""Terms of a question that are looked for."""
MAX_PASSAGE = 1000
"""Characters of a passage, the unit that is found."""
MAX_SNIPPET = 300
"""Characters of a passage that are shown."""
_SHORT_PASSAGE = 300
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_WORDS = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_IS_HAN = re.compile(f"[{_HAN}]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_EMPTY = """
a an and any are as at be been by can could did do does for from had has have how i if in is it me my of on or our
please should show so some tell that the their them there these they this those to us was we were what when where
which who why will with would you your
什么 怎么 么样 如何 哪些 哪个 哪里 多少 为什 我们 你们 他们 是否 可以 一个 这个 那个 请问 关于 有关 以及 或者 如果 因为
所以 但是 告诉 一下
"""
"""Words a question has whatever it asks for."""


def terms_of(text: str, *, asked: bool = False) -> list[str]:
    """The terms of a text, in order.

    A run of Chinese also ends in its last character, so that every character begins a term; a question (`asked`) of
    more than one does not ask for it.
    """
    found: list[str] = []
    for word in _WORDS.findall(unicodedata.normalize("NFKC", text)):
        if _IS_HAN.match(word):
            last = len(word) - 1 if asked and len(word) > 1 else len(word)
            found += [word[at : at + 2] for at in range(last)]
        else:
            parts = _CAMEL.split(word)
            found += [_stem(part) for part in (word, *(parts if len(parts) > 1 else ()))]
    return found


def asked_terms(question: str) -> list[str]:
    """The terms of a question, each once, without those that every question has, unless it has no others."""
    words = dict.fromkeys(terms_of(question, asked=True))
    return ([word for word in words if word not in _empty_terms()] or list(words))[:MAX_TERMS]


def expression(terms: list[str]) -> str:
    """What FTS5 is asked: any of the terms; a single Chinese character begins a pair."""
    return " OR ".join(f'"{term}"*' if _is_one_han(term) else f'"{term}"' for term in terms)


@lru_cache(maxsize=1)
def terms_version() -> int:
    """A number that changes with what `terms_of` makes of a text, and with what an index keeps."""
    return zlib.crc32(f"3 {version('PyStemmer')} {unicodedata.unidata_version}".encode()) >> 1


def passages_of(text: str) -> Iterator[tuple[int, str]]:
    """The passages of a text, each with the number of its first line: paragraphs, put together where they are short."""
    lines: list[str] = []
    first, length = 1, 0
    for number, line in enumerate(split_lines(text), start=1):
        ended = not line.strip() and length >= _SHORT_PASSAGE
        if lines and (ended or length + len(line) > MAX_PASSAGE):
            yield first, "\n".join(lines)
            lines, length = [], 0
        if not lines:
            first = number
        if len(line) > MAX_PASSAGE:
            yield from ((number, line[at : at + MAX_PASSAGE]) for at in range(0, len(line), MAX_PASSAGE))
        elif line.strip() or lines:
            lines.append(line)
            length += len(line) + 1
    if lines:
        yield first, "\n".join(lines)


def snippet(text: str, terms: list[str]) -> tuple[int, str]:
    """The lines of a passage that say most of what was asked, and how many lines come before them."""
    lines = text.split("\n")
    said = [_said(line, terms) for line in lines]
    best = said.index(max(said))
    places = [place for place in map(lines[best].casefold().find, terms) if place >= 0]
    shown = around(lines[best], min(places, default=0), MAX_SNIPPET)
    for line in lines[best + 1 :]:
        if len(shown) + len(line) >= MAX_SNIPPET:
            break
        shown += "\n" + line
    return best, shown.strip()


def _said(line: str, terms: list[str]) -> int:
    own = set(terms_of(line))
    return sum(term in own or (_is_one_han(term) and term in line) for term in terms)


def _is_one_han(term: str) -> bool:
    return len(term) == 1 and _IS_HAN.match(term) is not None


@lru_cache(maxsize=1)
def _empty_terms() -> frozenset[str]:
    return frozenset(terms_of(_EMPTY, asked=True))


@lru_cache(maxsize=50_000)  # the same words over and over
def _stem(word: str) -> str:
    return stem(word.casefold())
