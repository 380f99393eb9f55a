"""Patterns over words: a text in which every word is one character, so that a pattern is short, exact and quick.

A pattern is written as it is said, words with spaces between them, and must match all of a text:

    {N} a number, a sum of money or a measure   {P} a percentage   {A} any of them   {L} a list of them
    {M} a measure    {E} anything, to be read in its turn    {T} words without an amount, to be read in their turn
    W   up to six words that change nothing     V   up to twelve Chinese characters that change nothing
    Y   as W, with what has numbers: order, room   G  what stands between the numbers of a list with names
    X   any words without an amount             PAUSE  a comma, a full stop, or nothing     ANY  anything

`( | ) ? *` are as in regular expressions, with groups that keep nothing; `{…}` and `<…>` are kept. The words that could
change the meaning (not, per, each, more, 每, 比 …) are none of W and V.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from switchyard.language.arithmetic.tokens import ANY, COUNTS, MEASURES, PERCENTS

_CHANGING = frozenset(
    """
    not no never without except excluding per each every times plus minus multiplied divided than more less fewer
    half double twice triple thrice quarter thirds from between until till since ago before after by if when percent
    percentage average mean median mode sum total product difference ratio remainder squared cubed square cube root
    power factorial and or but second first last next prime factor factors divisor multiple multiples digits squares
    cubes roots weighted common left remaining remain remains compound compounded yearly annually monthly year years
    month months week weeks day days hour hours minutes daily interest again instead other another both increase
    increased increases decrease decreased decreases larger smaller bigger largest smallest biggest highest lowest
    maximum minimum max min split divide share ways tip off discount tax up down to in into within over under above
    below behind ahead will later tomorrow yesterday today degrees
    """.split()  # noqa: SIM905 - a list of words
)
_NUMBERED = frozenset(
    """
    order orders item items invoice invoices room rooms page pages section chapter line lines version flight gate file
    files folder folders row rows column step steps task tasks issue issues user users id phone number
    """.split()  # noqa: SIM905 - a list of words
)
"""What has numbers that count nothing: order 12."""
_CHANGING_HAN = frozenset(
    "加减乘除倍折比每各半不没无从到至涨降升跌增少多几余剩省便宜占平均和与差积商最大小方根次幂年月日前后超率翻再又分百成按约换转第号页章版订"
)
# Beyond the first 65,536 characters a range costs a pattern nothing to compile: words, Chinese characters too.
_WORDS, _NUMBERED_WORDS, _CHANGING_WORDS, _HAN, _CHANGING_HANS = 0x100000, 0x100800, 0x101000, 0x102000, 0x108000
_FIRST_HAN, _LAST_HAN = 0x4E00, 0x9FFF
_UNKNOWN, _NO_WORD = chr(_NUMBERED_WORDS - 1), chr(_HAN - 1)
"""A word that no pattern names, which changes nothing; and what is no word at all (v2, x)."""
_WORD = f"[{chr(_WORDS)}-{_UNKNOWN}]"
_ANY_WORD = f"[{chr(_WORDS)}-{chr(_CHANGING_HANS + _LAST_HAN - _FIRST_HAN)},']"
_PIECE = re.compile(rf"([a-z][a-z0-9_']*(?:-[a-z]+)*)|[{ANY}]|\S", re.IGNORECASE)
_SEPARATOR = "((,|;|、|&)(and|和|以及|还有|or)?|and|or|和|与|跟|及|以及|还有|或者?)"
_SAME = {"[": "(", "]": ")", "÷": "/", "×": "*"}
_vocabulary: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Worded:
    """A text with one character a word, and where each of them stands in it."""

    text: str
    raw: str
    spans: list[tuple[int, int]]
    letters: frozenset[str]

    def kept(self, match: re.Match[str], group: int) -> str | None:
        """What a group matched, as it was said."""
        start, end = match.span(group)
        return None if start < 0 else self.raw[self.spans[start][0] : self.spans[end - 1][1]] if end > start else ""


def worded(text: str) -> Worded:
    """A text, its amounts taken out, with one character a word."""
    letters, spans = list[str](), list[tuple[int, int]]()
    for match in _PIECE.finditer(text):
        letters.append(_letter_of(match[1].lower()) if match[1] else _SAME.get(match[0]) or _han(match[0]))
        spans.append(match.span())
    return Worded("".join(letters), text, spans, frozenset(letters))


def _letter_of(word: str) -> str:
    known = _vocabulary.get(word)
    if known is not None:
        return known
    if word in _CHANGING or not re.fullmatch(r"[a-z][a-z'-]+|[ai]", word):
        return _NO_WORD
    return chr(_CHANGING_WORDS - 1) if word in _NUMBERED else _UNKNOWN


def _han(letter: str) -> str:
    if not _FIRST_HAN <= ord(letter) <= _LAST_HAN:
        return letter
    return chr(ord(letter) - _FIRST_HAN + (_CHANGING_HANS if letter in _CHANGING_HAN else _HAN))


def _learned(word: str) -> str:
    """The character of a word that a pattern names."""
    if word not in _vocabulary:
        plane = _CHANGING_WORDS if word in _CHANGING else _NUMBERED_WORDS if word in _NUMBERED else _WORDS
        _vocabulary[word] = chr(plane + len(_vocabulary))
    return _vocabulary[word]


_AND_HAN = "".join(_han(letter) for letter in "和与分")
_ONE = {"N": f"-?[{COUNTS}]", "P": f"[{PERCENTS}]", "A": f"-?[{ANY}]"}
_FREE = _ONE | {
    "W": f"{_WORD}{{0,6}}",
    "Y": f"[{chr(_WORDS)}-{chr(_CHANGING_WORDS - 1)}]{{0,6}}",
    "V": f"[{chr(_HAN)}-{chr(_CHANGING_HANS - 1)},:]{{0,12}}",
    "X": f"{_ANY_WORD}{{0,14}}?",
    # one run, not words and then words: a list has many of them
    "G": f"[{chr(_WORDS)}-{_UNKNOWN}{chr(_HAN)}-{chr(_CHANGING_HANS - 1)},;.:、{_learned('and')}{_AND_HAN}]{{0,14}}",
    "PAUSE": "[,.;:?!-]*",
    "ANY": ".*",
}
_KEPT = _ONE | {"E": "[^?]+?", "T": f"[^{ANY}?]+?"}
_SOURCE = re.compile(
    r"\{([A-Z])\}|([A-Z]+)|([a-z][a-z'-]*)|(\(\?[=!])|([(<>])|(\[[^\]]*\]|\\[1-9]|\{\d,\d+\}|[?*|)])|\s+|(.)", re.DOTALL
)
_BRACKETS = {"(": "(?:", "<": "(", ">": ")"}


class Pattern:
    """A pattern as it is written in a table; it is compiled when a text first has the words that it needs."""

    def __init__(self, source: str, meanings: Mapping[str, str] | None = None) -> None:
        self._source = _expanded(source, meanings or {})
        self._compiled: re.Pattern[str] | None = None
        self._needs = _needed(self._source)
        self.key = min(self._needs, key=len, default=frozenset[str]())
        """Characters of which a text must have one; none: it may match any text."""

    def match(self, text: Worded) -> re.Match[str] | None:
        """How it matches all of a text."""
        if not all(text.letters & needed for needed in self._needs):
            return None
        if self._compiled is None:
            self._compiled = re.compile(_compiled(self._source))
        return self._compiled.fullmatch(text.text)


def _expanded(source: str, meanings: Mapping[str, str]) -> str:
    """The pattern with its words in capitals written out, each as a group."""
    before = ""
    while before != source:
        before = source
        source = re.sub("[A-Z]{2,}", lambda name: f"({meanings[name[0]]})" if name[0] in meanings else name[0], source)
    return source


def _needed(source: str) -> list[frozenset[str]]:
    """For each part of a pattern that must be there, the characters of which a text must have one."""
    return _sequence(list(_SOURCE.finditer(source)))


def _sequence(pieces: list[re.Match[str]]) -> list[frozenset[str]]:
    """The same for some pieces in a row, which are used up to the bracket that closes them or the next alternative."""
    needed: list[frozenset[str]] = []
    while pieces and pieces[0][0] not in {")", ">", "|"}:
        piece = pieces.pop(0)
        _, _, word, look, bracket, sign, other = piece.groups()
        letters: frozenset[str] | None = None
        if look or bracket:
            letters = _group(pieces)
        elif word or other:
            letters = frozenset({_learned(word) if word else _han(other)})
        elif sign and sign[0] == "[":
            letters = frozenset(_han(letter) for letter in sign[1:-1])
        optional = pieces and pieces[0][0].startswith(("?", "*", "{0,"))
        if letters and not look and not optional:
            needed.append(letters)
    return needed


def _group(pieces: list[re.Match[str]]) -> frozenset[str] | None:
    """Of which characters one must be there whichever alternative it is; None where there need be none."""
    letters, sure, closed = set[str](), True, False
    while not closed:
        needed = min(_sequence(pieces), key=len, default=None)
        letters |= needed or set()
        sure = sure and needed is not None
        closed = not pieces or pieces.pop(0)[0] != "|"
    return frozenset(letters) if sure else None


def _compiled(source: str) -> str:
    pieces: list[str] = []
    for kept, free, word, look, bracket, sign, other in _SOURCE.findall(source):
        if kept == "L":
            pieces.append(f"({_list()})")
        elif kept == "M":
            pieces.append(f"((?:-|{_learned('minus')}|{_han('负')})?[{MEASURES}])")
        elif kept:
            pieces.append(f"({_KEPT[kept]})")
        elif free:
            pieces.append(_FREE[free])
        elif word:
            pieces.append(_learned(word))
        elif sign:
            pieces.append("".join(_han(letter) for letter in sign))
        else:
            pieces.append(look or _BRACKETS.get(bracket, "") or re.escape(_han(other) if other else ""))
    return "".join(pieces)


def _list() -> str:
    one, separator = _ONE["A"], _compiled(_SEPARATOR)
    return f"{one}(?:{separator}{one})+|{one}(?:{separator}?{one}){{2,}}"
