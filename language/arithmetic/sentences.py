"""Sentences that mean arithmetic, put in order: "increase 80 by 25%" is grown((80),25%).

The sentences are in `data/arithmetic.tsv`, which says what their signs mean. They are compared with a text in which
every word is one character, so that a sentence is exact and quick; it is compiled when a text first has its words.
Before that a text loses the words around it that only ask: please, what is, 请问, 是多少.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from switchyard.language.arithmetic.amounts import ANY, COUNTS, MEASURES, PERCENTS
from switchyard.language.tables import listed, rows
from switchyard.language.words import courtesy

LONGEST = 800
"""Characters a text may have, its amounts taken out, to be taken for a sentence."""
_DEEPEST = 3
"""Sentences inside sentences: rounding a percentage of a sum is two deep."""

# Beyond the first 65,536 characters a range costs a pattern nothing to compile: words, Chinese characters too.
_WORDS, _NUMBERED_WORDS, _CHANGING_WORDS, _HAN, _CHANGING_HANS = 0x100000, 0x100800, 0x101000, 0x102000, 0x108000
_FIRST_HAN, _LAST_HAN = 0x4E00, 0x9FFF
_UNKNOWN, _NO_WORD = chr(_NUMBERED_WORDS - 1), chr(_HAN - 1)
"""A word that no sentence names, which changes nothing; and what is no word at all (v2, x)."""
_PIECE = re.compile(rf"([a-z][a-z0-9_']*(?:-[a-z]+)*)|([-=]>|→)|[{ANY}]|\S", re.IGNORECASE)
_SAME = {"[": "(", "]": ")", "÷": "/", "×": "*"}
_SOURCE = re.compile(r"\{([A-Z])\}|([A-Z]+)|([a-z][a-z'-]*)|([()\[\]<>|])|(\.\.\.)|\s+|(.)", re.DOTALL)
_ONE = {"N": f"-?[{COUNTS}]", "P": f"[{PERCENTS}]", "A": f"-?[{ANY}]"}
_ANY_WORD = f"[{chr(_WORDS)}-{chr(_CHANGING_HANS + _LAST_HAN - _FIRST_HAN)},']"
_FREE = _ONE | {
    "W": f"[{chr(_WORDS)}-{_UNKNOWN}]{{0,6}}",
    "Y": f"[{chr(_WORDS)}-{chr(_CHANGING_WORDS - 1)}]{{0,6}}",
    "V": f"[{chr(_HAN)}-{chr(_CHANGING_HANS - 1)},:]{{0,12}}",
    "X": f"{_ANY_WORD}{{0,14}}?",
    "PAUSE": "[,.;:?!-]*",
}
_KEPT = _ONE | {"E": "[^?]+?", "T": f"[^{ANY}?]+?"}
_SEPARATOR = "(,|;|、|&)[and|和|以及|还有|or]|and|or|和|与|跟|及|以及|还有|或|或者"
_NO_SENTENCE = frozenset({"distance", "difference", "quotient"})
"""Functions of a list that are read in an expression only."""
_vocabulary: dict[str, str] = {}
Needs = list[frozenset[str]]
"""For each part of a sentence that must be there, the characters of which a text must have one."""


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


class Template:
    """A sentence of the table."""

    def __init__(self, outcome: str, source: str, language: int, named: str = "") -> None:
        self.unit = outcome[0] if outcome[0] in "%折" else ""
        self.outcome = outcome.lstrip("%折")
        self._pattern, self._needs = _sequence(list(_SOURCE.finditer(source)), (language, named))
        self._compiled: re.Pattern[str] | None = None
        self.key = min(self._needs, key=len, default=frozenset[str]())
        """Characters of which a text must have one; none: it may match any text."""

    def match(self, text: Worded) -> list[str] | None:
        """What it keeps of a text, where it matches all of it."""
        if not all(text.letters & needed for needed in self._needs):
            return None
        if self._compiled is None:
            self._compiled = re.compile(self._pattern)
        match = self._compiled.fullmatch(text.text)
        kept = [text.kept(match, group) for group in range(1, (match.lastindex or 0) + 1)] if match else None
        return None if kept is None else [part for part in kept if part is not None]


class Sentence(NamedTuple):
    """A text put in order."""

    text: str
    unit: str = ""
    """`%` where the answer is a percentage, 折 where it is a discount."""


class Framed(NamedTuple):
    """What a text is about, first with its question words and then without."""

    candidates: list[str]
    style: str
    """How the text asks the answer to be written: one of `STYLES`, or nothing."""


def sentences(text: str, depth: int = 0) -> Iterator[Sentence]:
    """The ways to put a text in order, the surest first; none where it is no sentence that we know."""
    if len(text) > LONGEST or depth > _DEEPEST:
        return
    for template, parts in _matches(text, conversions=False):
        ways = [_ways(part.strip(), depth + 1) for part in parts]
        for way in ways[0] if ways else []:
            texts = [way.text, *(options[0].text for options in ways[1:])]
            yield Sentence(_filled(template.outcome, texts), template.unit or way.unit)
        for position, options in enumerate(ways[1:], start=1):
            for way in options[1:]:
                texts = [others[0].text for others in ways]
                texts[position] = way.text
                yield Sentence(_filled(template.outcome, texts), template.unit)


def conversions(text: str) -> Iterator[list[str]]:
    """What a text asks to convert, and to what, as it says it."""
    return (parts for _, parts in _matches(text, conversions=True))


def _matches(text: str, *, conversions: bool) -> Iterator[tuple[Template, list[str]]]:
    templates, keys = _templates()  # all words of the sentences are known before a text is put in words
    said = _worded(text)
    for number in sorted({number for letter in ("", *said.letters) for number in keys.get(letter, ())}):
        template = templates[number]
        if (template.outcome == "convert") == conversions and (parts := template.match(said)) is not None:
            yield template, parts


def _ways(part: str, depth: int) -> list[Sentence]:
    """A part as it is, without the words that ask, and put in order itself."""
    framed = without_frame(part).candidates or [part]
    plain = [Sentence(text) for text in dict.fromkeys([framed[-1], part])]
    return plain if len(part) == 1 else [*plain, *(way for text in framed for way in sentences(text, depth))]


def _filled(outcome: str, parts: list[str]) -> str:
    """`{0}` is a part, `{0:list}` only its amounts with commas between them, `{0:word}` what a word stands for."""

    def fill(match: re.Match[str]) -> str:
        part = parts[int(match[1])]
        if match[2] == "list":
            return ",".join(re.findall(rf"-?[{ANY}]", part.replace("- ", "-")))
        return _word_values().get(part.lower().strip(), part) if match[2] == "word" else part

    return re.sub(r"\{(\d)(?::(\w+))?\}", fill, outcome)


@cache
def _word_values() -> dict[str, str]:
    """What words round to, and the degrees of powers and roots."""
    return {word: row[2] for row in rows("arithmetic") if row[0] == "word" for word in row[1].split("|")}


@cache
def _templates() -> tuple[list[Template], dict[str, list[int]]]:
    """The sentences, and which of them a character calls for."""
    found: list[Template] = []
    for outcome, *languages in rows("arithmetic"):
        if outcome[0].isascii() and outcome[0].isalpha() and "(" not in outcome and outcome != "convert":
            continue  # words and parts
        for number, source in enumerate(languages):
            if source and outcome.startswith("NAME("):
                found += [
                    Template(outcome.replace("NAME", row[1]), source, number, row[2 + number])
                    for row in rows("functions")
                    if row[0] == "list" and row[1] not in _NO_SENTENCE and row[2 + number : 3 + number]
                ]
            elif source:
                found.append(Template(outcome, source, number))
    keys: dict[str, list[int]] = {}
    for number, template in enumerate(found):
        for letter in template.key or [""]:
            keys.setdefault(letter, []).append(number)
    return found, keys


def _sequence(pieces: list[re.Match[str]], names: tuple[int, str]) -> tuple[str, Needs]:
    """The pattern of some pieces in a row, which are used up to the bracket that closes them or the next `|`."""
    pattern, needs = "", Needs()
    while pieces and pieces[0][0] not in {")", "]", ">", "|"}:
        slot, name, word, bracket, _, other = pieces.pop(0).groups()
        if bracket or (name and name not in _FREE):
            inner, need = _alternatives(pieces, names) if bracket else _part(name, names)
            optional = bracket == "["
            repeated = bool(optional and pieces and pieces[0][0] == "..." and pieces.pop(0))
            pattern += f"({'' if bracket == '<' else '?:'}{inner})" + ("*" if repeated else "?" if optional else "")
            needs += [need] if need and not optional else []
        elif slot or name:
            pattern += f"({_slot(slot)})" if slot else _FREE[name]
        elif word or other:
            letter = _learned(word) if word else _han(other)
            pattern += re.escape(letter)
            needs.append(frozenset(letter))
    return pattern, needs


def _alternatives(pieces: list[re.Match[str]], names: tuple[int, str]) -> tuple[str, frozenset[str] | None]:
    """The pattern of what stands between brackets, which are used up; which characters one of them must be there."""
    patterns, letters, sure, closed = list[str](), set[str](), True, False
    while not closed:
        pattern, needs = _sequence(pieces, names)
        needed = min(needs, key=len, default=None)
        patterns.append(pattern)
        letters |= needed or set()
        sure = sure and needed is not None
        closed = not pieces or pieces.pop(0)[0] != "|"
    return "|".join(patterns), frozenset(letters) if sure else None


@cache
def _part(name: str, names: tuple[int, str]) -> tuple[str, frozenset[str] | None]:
    """The pattern of a part that has a name in the table, in the language that has it.

    Args:
        name: of the part; NAMED are the names of a function.
        names: the language of the sentence, and the names of the function it is about.
    """
    language, named = names
    cells = [named] if name == "NAMED" else next(row[1:] for row in rows("arithmetic") if row[0] == f"{name} =")
    return _alternatives(list(_SOURCE.finditer(cells[min(language, len(cells) - 1)] or cells[0])), (language, ""))


def _slot(kind: str) -> str:
    if kind == "L":
        one, separator = _ONE["A"], _alternatives(list(_SOURCE.finditer(_SEPARATOR)), (0, ""))[0]
        return f"{one}(?:(?:{separator}){one})+|{one}(?:(?:{separator})?{one}){{2,}}"
    if kind == "M":
        return f"(?:-|{_learned('minus')}|{_han('负')})?[{MEASURES}]"
    return _KEPT[kind]


def _worded(text: str) -> Worded:
    """A text, its amounts taken out, with one character a word."""
    letters, spans = list[str](), list[tuple[int, int]]()
    for match in _PIECE.finditer(text):
        word, arrow = match.groups()
        letters.append(_letter_of(word.lower()) if word else "→" if arrow else _SAME.get(match[0]) or _han(match[0]))
        spans.append(match.span())
    return Worded("".join(letters), text, spans, frozenset(letters))


def _letter_of(word: str) -> str:
    known = _vocabulary.get(word)
    if known is not None:
        return known
    changing, numbered = _kinds()
    if word in changing or not re.fullmatch(r"[a-z][a-z'-]+|[ai]", word):
        return _NO_WORD
    return chr(_CHANGING_WORDS - 1) if word in numbered else _UNKNOWN


def _learned(word: str) -> str:
    """The character of a word that a sentence names."""
    if word not in _vocabulary:
        changing, numbered = _kinds()
        plane = _CHANGING_WORDS if word in changing else _NUMBERED_WORDS if word in numbered else _WORDS
        _vocabulary[word] = chr(plane + len(_vocabulary))
    return _vocabulary[word]


@cache
def _kinds() -> tuple[frozenset[str], frozenset[str]]:
    """Words that could change a meaning, and words that have numbers which count nothing: order 12."""
    return frozenset(listed("arithmetic", "changing")), frozenset(listed("arithmetic", "numbered"))


def _han(letter: str) -> str:
    if not _FIRST_HAN <= ord(letter) <= _LAST_HAN:
        return letter
    changing = letter in listed("arithmetic", "changing_characters")[0]
    return chr(ord(letter) - _FIRST_HAN + (_CHANGING_HANS if changing else _HAN))


_BASES = {"hexadecimal": ("hex|hexadecimal|base 16", "十六进制"), "binary": ("binary|base 2", "二进制")} | {
    "octal": ("octal|base 8", "八进制"),
    "decimal": ("decimals?|base 10", "小数|十进制"),
}
_STYLES = _BASES | {"fraction": ("(?:simplest |lowest )?(?:fractions?|form|terms)", "(?:最简)?分数")}
"""How an answer may be asked for, in English and Chinese."""
_LONGEST_END = 60
"""Characters at the end of a text in which its last words are looked for."""


def without_frame(text: str) -> Framed:
    """The text without what only asks; with and without the words that may belong to what is asked."""
    text, style = _stripped(text, "polite"), ""
    for said in dict.fromkeys((text, _stripped(text, "asking"))):
        found = next(((name, match) for name, form in _styles().items() if (match := form.fullmatch(said))), None)
        if found:
            style, match = found
            text = _stripped(match["before"] or match["after"], "polite")
            break
    asked = _stripped(text, "asking")
    return Framed(list(dict.fromkeys(found.strip(" ,") for found in (text, asked) if found.strip(" ,"))), style)


@cache
def _styles() -> dict[str, re.Pattern[str]]:
    """What asks for an answer to be written in a way: 255 in hex, 255的十六进制, the binary form of 13."""
    noun = "(?: number| form| notation| representation| equivalent| value)?"
    found: dict[str, re.Pattern[str]] = {}
    for name, (english, chinese) in _STYLES.items():
        last = rf"\b(?:(?:expressed|written|given) )?(?:as|in|to|into) (?:an? |its )?(?:{english}){noun}"
        last += r"|(?:结果)?请?(?:的|用|以|转换?[成为]?|转化[成为]|换算?[成为]|写[成为]|化[成为]|表示[成为])\s?"
        last += f"(?:{chinese})数?(?:形式)?(?:来?表示|作答)?"
        first = rf"|(?:the )?(?:{english}){noun} (?:of|for) (?P<after>.+)" if name in _BASES else "|(?P<after>(?!))"
        found[name] = re.compile(rf"(?P<before>.+?)[\s,]*(?:{last}){first}", re.IGNORECASE)
    return found


def _stripped(text: str, kind: str) -> str:
    """The text without such words on either side, however they alternate."""
    before, after = _frames(asking=kind == "asking")
    length = -1
    while length != len(text):
        length = len(text)
        for pattern in before:
            match = pattern.match(text)
            text = text[match.end() :] if match else text
        text = text[:-_LONGEST_END] + after.sub("", text[-_LONGEST_END:])
    return text


@cache
def _frames(*, asking: bool) -> tuple[list[re.Pattern[str]], re.Pattern[str]]:
    """What is taken off before a text and after it; an exclamation mark behind a number is a factorial."""
    polite = _words(r"[\s,.:;?、]", courtesy("before", "asking", "filler"), "polite")
    asks = [_words(r"[\s,:=]", "", "ask")] if asking else []
    kinds, ends = ("thanks", "asked") if asking else ("thanks",), rf"[\s,.:;?=]|(?<![{ANY}0-9)])!"
    return [polite, *asks], _words(ends, courtesy("after", "particle"), *kinds, end="$")


def _words(signs: str, more: str, *kinds: str, end: str = "") -> re.Pattern[str]:
    """Such words in a row; a Chinese word that asks is part of what is asked behind 的 and 百分之."""
    found = [row for row in rows("arithmetic") if row[0] in kinds]
    english, chinese = (
        sorted((word for row in found for word in row[side].split("|") if word != "-"), key=len, reverse=True)
        for side in (1, 2)
    )
    own = r"(?<!百分之)(?<!的)" if end else ""
    said = [more, rf"\b(?:{'|'.join(english)})\b(?!')", f"{own}(?:{'|'.join(chinese)})" if chinese else ""]
    return re.compile(rf"(?:{signs}|{'|'.join(filter(None, said))})+{end}", re.IGNORECASE)
