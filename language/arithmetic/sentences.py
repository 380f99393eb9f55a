"""Sentences that mean arithmetic, put in order: "increase 80 by 25%" is "80 increased by 25%".

The sentences are in `data/arithmetic.tsv`, which says what their signs mean. A text is compared with them word by word;
a word that cannot change a meaning is marked, so that a sentence can say where any such words may stand. Before that a
text loses the words around it that only ask: please, what is, 请问, 是多少.
"""

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from switchyard.language.arithmetic.amounts import ANY, COUNTS, PERCENTS
from switchyard.language.tables import listed, rows
from switchyard.language.words import courtesy

LONGEST = 800
"""Characters a text may have, its amounts taken out, to be taken for a sentence."""
_MARK = "·"
"""Stands before each word that changes nothing."""
_PIECE = re.compile(rf"(?i)[a-z][a-z0-9_'²³]*(?:-[a-z]+)*|[-=]>|[{ANY}]|\S")
_SAME = {"[": "(", "]": ")", "÷": "/", "×": "*", "->": "→", "=>": "→"}
_SOURCE = re.compile(r"\{([A-Z])\}|([A-Z]+)|(\]\.\.\.|[()\[\]<>|])|([a-z][a-z'-]*|[^\s])")
_BRACKETS = {"(": "(?:", ")": ")", "[": "(?:", "]": ")?", "]...": ")*", "<": "(", ">": ")", "|": "|"}
_ONE = {"N": f"(?:- )?[{COUNTS}] ", "P": f"[{PERCENTS}] ", "A": f"(?:- )?[{ANY}] "}
_FREE = _ONE | {
    "W": rf"(?:{_MARK}\S+ ){{0,6}}",
    "V": rf"(?:(?:{_MARK}\S+|[,:]) ){{0,12}}",
    "X": rf"(?:[^\s{ANY}]+ ){{0,14}}?",
    "PAUSE": r"(?:[,.;:?!-] )*",
}
_KEPT = _ONE | {"E": r"(?:[^\s?]+ )+?"}
_CLOSE = re.compile(rf"\s*([^\w\s'{ANY}]|[\u3400-\u9fff])\s*")
_WORD = re.compile(r"[a-z][a-z'-]+|[ai]|[\u4e00-\u9fff]")


class Template(NamedTuple):
    """A sentence of the table."""

    outcome: str
    style: str
    """How the answer is written: `value`, `percent`, `hexadecimal`, `prime` …"""
    pattern: str
    needs: tuple[str, ...]
    """Words that a text must have."""


def matches(text: str) -> Iterator[tuple[Template, list[str]]]:
    """The sentences that all of a text is, the surest first, with the parts they keep of it."""
    if len(text) > LONGEST:
        return
    said = "".join(_marked(_SAME.get(piece[0], piece[0])) for piece in _PIECE.finditer(text))
    small = said.lower()
    for template in _templates():
        if all(word in small for word in template.needs):
            match = _compiled(template.pattern).fullmatch(said)
            if match:
                yield template, [_CLOSE.sub(r"\1", part.replace(_MARK, "").strip()) for part in match.groups() if part]


def word_value(word: str) -> str:
    """What a word stands for: what is rounded to, what a list is asked for."""
    return next((row[2] for row in rows("arithmetic") if row[0] == "word" and word.lower() in row[1].split("|")), word)


_compiled = cache(partial(re.compile, flags=re.IGNORECASE))


@cache
def _templates() -> list[Template]:
    found: list[Template] = []
    for style, outcome, *languages in rows("arithmetic"):
        for language, source in enumerate(languages) if style.endswith(":") else ():
            if source:
                pattern, needs = _pattern(source, language)
                found.append(Template(outcome.split("|")[-language], style[:-1], pattern, needs))
    return found


def _pattern(source: str, language: int) -> tuple[str, tuple[str, ...]]:
    """The pattern of a sentence, and the words that stand outside all its brackets."""
    pattern, needs, depth = "", list[str](), 0
    for slot, name, bracket, word in _SOURCE.findall(source):
        depth += (bracket[:1] in "([<" and bracket != "") - (bracket[:1] in ")]>" and bracket != "")
        if slot == "L":
            pattern += f"({_ONE['A']}(?:(?:{_part('AND', 0)}){_ONE['A']})+)"
        elif slot:
            pattern += f"({_KEPT[slot]})"
        elif name:
            pattern += _FREE.get(name) or f"(?:{_part(name, language)})"
        elif bracket:
            pattern += _BRACKETS[bracket]
        else:
            pattern += re.escape(_marked(word))
            needs += [] if depth else [_marked(word)]
    return pattern, tuple(needs)


@cache
def _part(name: str, language: int) -> str:
    """The pattern of a part that has a name in the table, in the language that has it; NAMED is any list's function."""
    if name == "NAMED":
        named = "|".join(row[2 + language] for row in rows("functions") if row[0] == "list" and len(row) > 2 + language)
        return _pattern("|".join(sorted(named.split("|"), key=len, reverse=True)), language)[0]
    cells = next(row[1:] for row in rows("arithmetic") if row[0] == f"{name} =")
    return _pattern(cells[min(language, len(cells) - 1)] or cells[0], language)[0]


@cache
def _changing() -> frozenset[str]:
    words = (*listed("arithmetic", "changing"), *listed("arithmetic", "numbered"))
    return frozenset([*words, *listed("arithmetic", "changing_characters")[0]])


def changes_meaning(word: str) -> bool:
    """Whether a word in small letters could make another sum of one."""
    return word in _changing()


def _marked(word: str) -> str:
    """A word with a space behind it, and the mark where it changes nothing."""
    small = word.lower()
    return f"{_MARK if not changes_meaning(small) and _WORD.fullmatch(small) else ''}{word} "


_LONGEST_END = 60
"""Characters at the end of a text in which its last words are looked for."""


def without_frame(text: str) -> list[str]:
    """The text without what only asks: first with the words that may belong to what is asked, then without."""
    polite = _stripped(text, asking=False)
    asked = _stripped(polite, asking=True)
    return list(dict.fromkeys(found.strip(" ,") for found in (polite, asked) if found.strip(" ,")))


def _stripped(text: str, *, asking: bool) -> str:
    """The text without such words on either side, however they alternate."""
    before, after = _frames(asking=asking)
    length = -1
    while length != len(text):
        length = len(text)
        text = before.sub("", text)
        text = text[:-_LONGEST_END] + after.sub("", text[-_LONGEST_END:])
    return text


@cache
def _frames(*, asking: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What is taken off before a text and after it; an exclamation mark behind a number is a factorial.

    A Chinese word that asks is part of what is asked behind 的 and 百分之.
    """
    first = [courtesy("before", "asking", "filler"), *_said("polite", *(["ask"] if asking else []))]
    last = [courtesy("after", "particle"), *_said("thanks", *(["asked"] if asking else []), own=r"(?<!百分之)(?<!的)")]
    signs = r"[\s,.:;?、=]" if asking else r"[\s,.:;?、]"
    ends = rf"[\s,.:;?=]|(?<![{ANY}0-9)])!"
    return (
        re.compile(rf"(?i)^(?:{signs}|{'|'.join(first)})+"),
        re.compile(rf"(?i)(?:{ends}|{'|'.join(last)})+$"),
    )


def _said(*kinds: str, own: str = "") -> Iterator[str]:
    """The words of some kinds as patterns, English and Chinese, the longest first."""
    for side in (1, 2):
        words = {word for row in rows("arithmetic") if row[0] in kinds for word in row[side].split("|") if word != "-"}
        said = "|".join(sorted(words, key=len, reverse=True))
        if said:
            yield rf"\b(?:{said})\b(?!')" if side == 1 else f"{own}(?:{said})"
