"""Whole sentences that mean arithmetic, put in order: "increase 80 by 25%" is (80)+(25%).

The sentences are in `phrases_english` and `phrases_chinese`, what their signs mean in `patterns`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from switchyard.language.arithmetic import phrases_chinese as chinese
from switchyard.language.arithmetic import phrases_english as english
from switchyard.language.arithmetic.frames import without_frame
from switchyard.language.arithmetic.patterns import Pattern, worded
from switchyard.language.arithmetic.tokens import ANY, PLAIN

_INDENT = 4
_SEPARATOR = re.compile(r"[\s,;:.、和与]|\band\b")
LONGEST = 800
"""Characters a text may have, its amounts taken out, to be taken for a sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text put in order."""

    text: str
    unit: str = ""
    """`%` where the answer is a percentage, 折 where it is a discount."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    pattern: Pattern
    outcome: str
    unit: str


def _rows(table: str) -> list[tuple[str, list[str]]]:
    """The outcomes of a table with their patterns; what is indented further goes on with the line before."""
    rows: list[tuple[str, list[str]]] = []
    for line in filter(str.strip, table.splitlines()):
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            rows.append((line, []))
        elif indent == _INDENT:
            rows[-1][1].append(line.strip())
        else:
            rows[-1][1][-1] += f" {line.strip()}"
    return rows


def _meanings(table: str) -> dict[str, str]:
    lines = re.sub(r"\n\s+", "", table).strip().splitlines()
    return {name: meaning for name, _, meaning in (line.partition(" = ") for line in lines)}


@cache
def _phrases() -> tuple[list[_Phrase], dict[str, list[int]]]:
    """The sentences, and which of them a character calls for."""
    phrases: list[_Phrase] = []
    for language in (chinese, english):
        meanings = _meanings(language.MEANINGS)
        rows = [(outcome, patterns, meanings) for outcome, patterns in _rows(language.SENTENCES)]
        for name, words in language.FUNCTIONS.items():
            named = meanings | {"NAMED": words}
            rows += [(outcome.replace("NAME", name), found, named) for outcome, found in _rows(language.OF_A_LIST)]
        phrases += [
            _Phrase(Pattern(pattern, used), outcome.lstrip("%折"), outcome[0] if outcome[0] in "%折" else "")
            for outcome, patterns, used in rows
            for pattern in patterns
        ]
    keys: dict[str, list[int]] = {}
    for number, phrase in enumerate(phrases):
        for letter in phrase.pattern.key or [""]:
            keys.setdefault(letter, []).append(number)
    return phrases, keys


def sentences(text: str, depth: int = 0) -> Iterator[Sentence]:
    """The ways to put a text in order, the surest first; none where it is no sentence that we know."""
    if len(text) > LONGEST or depth > 3:  # noqa: PLR2004 - rounding a percentage of a sum is two deep
        return
    phrases, keys = _phrases()  # all words of the patterns are known before a text is put in words
    said = worded(text)
    for number in sorted({number for letter in ("", *said.letters) for number in keys.get(letter, ())}):
        phrase = phrases[number]
        if match := phrase.pattern.match(said):
            parts = [said.kept(match, group) for group in range(1, (match.lastindex or 0) + 1)]
            if "labelled" in phrase.outcome and not _are_amounts(parts[0] or ""):
                continue
            yield from _in_order(phrase, [part for part in parts if part is not None], depth)


def _are_amounts(text: str) -> bool:
    """Whether numbers with words between them count something: 订单1和订单2 do not, rent 1200 and food 450 do."""
    if not re.search(f"[{PLAIN}]", text):
        return True
    gaps = re.split(f"-?[{ANY}]", text.lower())
    labels = [_SEPARATOR.sub("", gap) for gap in gaps]
    apart = all(re.search(r"[,;、和与]|\band\b", gap) for gap in gaps[1:-1])  # 2 packs of 6 eggs are no 8
    return apart and all(labels[1:-1]) and len({*labels[:-1]}) == len(labels) - 1


def _in_order(phrase: _Phrase, parts: list[str], depth: int) -> Iterator[Sentence]:
    """The outcome with its parts in place, each part as it is or put in order itself."""
    ways = [_ways(part.strip(), depth + 1) for part in parts]
    first = ways[0] if ways else []
    for way in first:
        texts = [way.text, *(options[0].text for options in ways[1:])]
        yield Sentence(_filled(phrase.outcome, texts), phrase.unit or way.unit)
    for position, options in enumerate(ways[1:], start=1):
        for way in options[1:]:
            texts = [others[0].text for others in ways]
            texts[position] = way.text
            yield Sentence(_filled(phrase.outcome, texts), phrase.unit)


def _ways(part: str, depth: int) -> list[Sentence]:
    """A part as it is, without the words that ask, and put in order itself."""
    framed = without_frame(part).candidates or [part]
    plain = [Sentence(text) for text in dict.fromkeys([framed[-1], part])]
    return plain if len(part) == 1 else [*plain, *(way for text in framed for way in sentences(text, depth))]


def _filled(outcome: str, parts: list[str]) -> str:
    """`{0}` is a part, `{0:list}` only its amounts with commas between them, `{0:word}` what a word stands for."""

    def fill(match: re.Match[str]) -> str:
        part = parts[int(match[1])]
        if match[2] in {"list", "labelled"}:
            return ",".join(re.findall(rf"-?[{ANY}]", part.replace("- ", "-")))
        if match[2] == "word":
            return _WORDS.get(part.lower().strip().replace(" ", "_"), part)
        return part

    return re.sub(r"\{(\d)(?::(\w+))?\}", fill, outcome)


_WORDS = {
    word: value
    for value, words in {
        "1000000": "million",
        "10000": "万位",
        "1000": "thousand 千位",
        "100": "hundred 百位",
        "1": "integer unit dollar euro yuan whole_number 个位 整数 元",
        "0.1": "tenth 十分位 角",
        "0.01": "hundredth cent penny 百分位 分",
        "0.001": "thousandth 千分位",
        "2": "second",
        "3": "third",
        "4": "fourth",
        "5": "fifth",
        "6": "sixth",
        "7": "seventh",
        "8": "eighth",
        "9": "ninth",
    }.items()
    for word in words.split()
}
"""What words round to, and the degrees of powers and roots."""
