"""Words that neither the lexicon nor the table knows, and that narrow nothing down all the same.

They are told by where they stand: one that is explained right behind it (the heather family (Ericaceae), still out,
i.e. no return date), and a verb beside the value or the column that it speaks of. Any other declines the question.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from switchyard.language.lexicon import Sense, Token
from switchyard.language.tokeniser import has_chinese, located_words

_FREE = frozenset({Sense("free")})
_EXPLAINS = frozenset({"ie", "namely", "meaning", "也就是", "即"})
_NARROWS = ("value", "column", "empty", "not", "cmp", "before", "after", "date", "month", "quoted")
LONGEST_EXPLAINED = 3
_TIMES = ("date", "day_of_year", "month", "month_of", "year_of", "span")
_WEEKDAY = re.compile(r"(?i)(?:mon|tue|wed|thu|fri|sat|sun)|周|星期")


def explained(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a question, those that nobody knows with what they are where that can be told."""
    return _glossed(_without_repeats(list(tokens)))


def _without_repeats(tokens: list[Token]) -> list[Token]:
    """What is said once more in parentheses says nothing new: today (18 Nov), 大理(Dali)."""
    for at in range(1, len(tokens) - 2):
        end = next((n for n in range(at + 1, len(tokens)) if tokens[n].text in {")", "）"}), 0)
        inner = tokens[at + 1 : end]
        if tokens[at].text not in {"(", "（"} or not inner:
            continue
        said = [one for one in tokens[at - 1].senses if one.kind in {"column", "value"}]
        same = len(inner) == 1 and not inner[0].senses.isdisjoint(said)
        times = tokens[at - 1].has(*_TIMES) and any(one.has(*_TIMES) for one in inner)
        if same or (times and all(one.has(*_TIMES, "num", "to", "free") or _WEEKDAY.match(one.text) for one in inner)):
            tokens[at + 1 : end] = [replace(one, senses=_FREE) for one in inner]
    return tokens


def _glossed(tokens: list[Token]) -> list[Token]:
    """Words right before what explains them, in parentheses or after "namely": 大理(Dali)."""
    found = list(tokens)
    for at, token in enumerate(tokens):
        inside = token.text in {"(", "（"}
        if at == 0 or not (inside or token.text.lower() in _EXPLAINS):
            continue
        end = next((n for n in range(at, len(tokens)) if inside and tokens[n].text in {")", "）"}), len(tokens))
        told = tokens[at + 1 : end]
        if not told or not all(one.senses for one in told) or not any(one.has(*_NARROWS) for one in told):
            continue
        translated = told[0].text.isascii() != tokens[at - 1].text.isascii()
        over = ("column", *(("rowname",) if translated else ())) if inside else ("mark", "free", "rowname", "row")
        meant = _word_before(tokens, at) if inside and translated and has_chinese(tokens[at - 1].text) else []
        for place in meant or _unknown_before(tokens, at, over):
            found[place] = replace(tokens[place], senses=_FREE)
        found[at] = token if inside else replace(token, senses=_FREE)
    return found


def _word_before(tokens: Sequence[Token], at: int) -> list[int]:
    """The places of the characters of the Chinese word that ends before a place; none where something there has it."""
    first = at
    while (
        first and has_chinese(tokens[first - 1].text) and (first == at or tokens[first - 1].end == tokens[first].start)
    ):
        first -= 1
    _, start, _ = located_words("".join(one.text for one in tokens[first:at]))[-1]
    places = [place for place in range(first, at) if tokens[place].start >= tokens[first].start + start]
    return [] if any(tokens[place].has("value", "column", "rowname") for place in places) else places


def _unknown_before(tokens: Sequence[Token], at: int, over: Sequence[str]) -> list[int]:
    """The places of words that nobody knows before a place, over some kinds of words; one with a digit ends it."""
    found: list[int] = []
    for place in range(at - 1, -1, -1):
        known = bool(tokens[place].senses)
        if (known and not tokens[place].has(*over)) or re.search(r"\d", tokens[place].text):
            break
        found += [] if known else [place]
    return found[:LONGEST_EXPLAINED]


_BETWEEN = frozenset("to from by with for the at on in 给 了 过 的 到 来 去".split())  # noqa: SIM905
"""What may stand between a verb and what it is done to: not "did we", after which it says something of its own."""


def without_light_verbs(tokens: Sequence[Token]) -> list[Token]:
    """The tokens where a verb that any thing does says nothing beside a value or the most: speak German, 吃清真的."""
    found = list(tokens)
    for at, token in enumerate(found):
        if token.has("light") and not token.has("column", "value", "rowname"):
            beside = _is_beside(found, at, "value", "column", "sup")
            found[at] = replace(token, senses=_FREE) if beside else token.without("light")
    return found


def _is_beside(tokens: Sequence[Token], at: int, *kinds: str) -> bool:
    """Whether a word of these kinds stands on one side of a place, over words that only lead to it."""
    for step in (-1, 1):
        place = at + step
        reach = range(max(0, at - LONGEST_EXPLAINED), min(len(tokens), at + LONGEST_EXPLAINED + 1))
        while place in reach and tokens[place].text.lower() in _BETWEEN:
            place += step
        if place in reach and tokens[place].has(*kinds):
            return True
    return False
