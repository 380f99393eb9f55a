"""One tokeniser for tools and questions: snake_case, CamelCase, English inflection, Chinese words and bigrams.

Chinese segmentation loads a dictionary the first time it is needed; `warm` does that ahead, in a thread of the
caller's, so that the first Chinese question does not hold up the event loop.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any, cast

from switchyard.language.tables import words as table_words

_WORDS = re.compile(r"[A-Za-z]+|\d+|[\u3400-\u9fff\uf900-\ufaff]+|[^\W\d_A-Za-z\u3400-\u9fff\uf900-\ufaff]+")
_SPACED = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
"""Parts plain text into its words, which is a third of the time a pattern takes."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LETTERS = re.compile(r"[A-Za-z]")

MAX_CHARACTERS = 4000
"""A question longer than this is recalled by its beginning: the rest is material, not the request."""
WORDS_KEPT = 50_000
"""Words whose terms are remembered: descriptions of tools use the same ones over and over."""


def tokens(text: str) -> list[str]:
    """The terms of a text, in order, repeated as often as they stand there."""
    return list(chain.from_iterable(_foreign(run) if run.isascii() else _terms(run) for run in _runs(text)))


def words(text: str) -> list[str]:
    """The words of a text that mean something by themselves: as `tokens`, without the bigrams that help finding."""
    kept = ([one for one in _meant(run) if len(one) > 1] if _HAN.match(run) else _foreign(run) for run in _runs(text))
    return list(chain.from_iterable(kept))


def chinese_words(text: str) -> list[str]:
    """The Chinese words of a text that mean something."""
    return [word for run in _runs(text) if _HAN.match(run) for word in _meant(run)]


def plain_words(text: str) -> list[str]:
    """Every word of a text that is not Chinese, empty ones too, in small letters and as it is inflected."""
    return list(chain.from_iterable(_pieces(run) for run in _runs(text) if not _HAN.match(run)))


def stem(word: str) -> str:
    """An English word without its inflection."""
    return cast("str", _stemmer().stemWord(word.lower()))


def located_words(text: str) -> list[tuple[str, int, int]]:
    """Every word of a text, empty ones too, with where it stands; English ones as their stem."""
    found: list[tuple[str, int, int]] = []
    for match in _WORDS.finditer(text):
        position = match.start()
        for word in _cut(match[0]) if _HAN.match(match[0]) else [match[0]]:
            term = word if not _LETTERS.match(word) else stem(word)
            found.append((term, position, position + len(word)))
            position += len(word)
    return found


def cut_at(text: str) -> list[int]:
    """Where the Chinese words of a text begin and end."""
    found: set[int] = set()
    for match in re.finditer(f"{_HAN.pattern}+", text):
        found |= {match.start() + at for at in accumulate(map(len, _cut(match[0])), initial=0)}
    return sorted(found)


def is_empty(word: str) -> bool:
    """Whether a word means nothing by itself: "the", 的."""
    return word.lower() in _stop_words()


def has_chinese(text: str) -> bool:
    """Whether a text has Chinese characters."""
    return not text.isascii() and _HAN.search(text) is not None


def warm(text: str) -> None:
    """Load what `tokens` needs for this text."""
    tokens(text[:50])
    if has_chinese(text):
        tokens("预热")


def _runs(text: str) -> list[str]:
    """The beginning of a text, cut where its letters end; Chinese is cut into words later."""
    text = text[:MAX_CHARACTERS]
    return text.translate(_SPACED).split() if text.isascii() else _WORDS.findall(unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=WORDS_KEPT)
def _pieces(word: str) -> tuple[str, ...]:
    """The words a CamelCase word is made of, apart from its numbers."""
    if word.islower() and word.isalpha() and word.isascii():
        return (word,)
    return tuple(piece.lower() for run in _WORDS.findall(word) for piece in _CAMEL.split(run))


@lru_cache(maxsize=WORDS_KEPT)
def _foreign(word: str) -> tuple[str, ...]:
    """The terms of a word that is not Chinese; none where it means nothing."""
    terms = (piece for piece in _pieces(word) if piece not in _stop_words())
    return tuple(stem(piece) if _LETTERS.match(piece) else piece for piece in terms)


@lru_cache(maxsize=WORDS_KEPT)
def _terms(run: str) -> tuple[str, ...]:
    """The terms of a run that is not plain: of a Chinese one its words, and the bigrams that tell something."""
    if not _HAN.match(run):
        return _foreign(run)
    words = _meant(run)
    bigrams = (run[i : i + 2] for i in range(len(run) - 1))
    return (*words, *(one for one in bigrams if one not in words and not _stop_words().issuperset(one)))


def _meant(run: str) -> list[str]:
    return [word for word in _cut(run) if word not in _stop_words()]


@lru_cache(maxsize=1024)  # a question is read as a whole, by its parts and by its words
def _cut(run: str) -> tuple[str, ...]:
    import rjieba  # noqa: PLC0415  its dictionary takes a moment: only Chinese text pays for it

    return tuple(rjieba.cut(run))


_CALLED = re.compile(
    r"[老小阿][\u3400-\u9fff]|师傅|老师|经理|主任|主管|教练|先生|女士|医生|前台|门卫|保安|公司|委员会|[姐哥叔姨]"
    r"|[店站班组馆院园会队校厂村]长|[理务导演店职管]员"
)
"""What somebody is called who is not named."""


@lru_cache(maxsize=1024)
def names_somebody(text: str) -> bool:
    """Whether a Chinese text names a person, or somebody by what they do: 沈月华, 老周, 值班经理."""
    import rjieba  # noqa: PLC0415  its dictionary takes a moment: only Chinese text pays for it

    return _CALLED.search(text) is not None or any(kind.startswith("nr") for _, kind in rjieba.tag(text, hmm=True))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer  # noqa: PLC0415  only recall needs it

    return cast("Any", Stemmer).Stemmer("english", 0)  # words are remembered here, with their pieces


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from stopwordsiso import stopwords  # noqa: PLC0415  reads a file of many languages: only recall needs it

    return frozenset(stopwords(["en", "zh"]).difference(table_words("words", "meaningful")))
