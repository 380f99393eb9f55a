"""Sentences as data: templates with alternatives, optional words and typed slots, matched against a whole clause.

    (show|list) [all] [the] files (in|of) {path:folder}
    列出{path:folder}[里|中]的[所有]文件

`(a|b)` is one of several, `[a]` may be left out, `[a|b]` too, `<name>` is a phrase that is defined elsewhere, and
`{argument:kind}` takes one mention of that kind, or a word of a list of that name. English is compared by its stems,
Chinese character by character. There is no wildcard: a word that no template has is not passed over, and no argument is
given twice.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from switchyard.language.lexicon import stem

_PIECES = re.compile(
    r"\{(\w+)(?::(\w+))?\}|<(\w+)>|([()\[\]|])|([A-Za-zÀ-ɏ0-9_'’.+-]+|[\u3400-\u9fff]|[^\s{}<>()\[\]|])"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a template that takes a mention, or a word of a list."""

    argument: str
    kind: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several parts; where one of them is empty, it may be left out."""

    parts: "tuple[Part, ...]"


Part = tuple["str | Slot | Choice", ...]
"""Words, slots and choices in a row."""

Rules = Mapping[str, str]
"""Phrases by name."""

Lists = Mapping[str, Mapping[str, Any]]
"""By the name of a list, its phrases with what they mean."""


class Run(NamedTuple):
    """Several pieces that fit one slot together."""

    kind: str
    length: int
    value: Any


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a clause, or a mention in it."""

    text: str
    kinds: frozenset[str] = frozenset()
    """What kinds of slots it fits."""
    value: Any = None
    is_word: bool = True
    """Whether it may be a word of a template; a quotation is none."""
    values: tuple[tuple[str, Any], ...] = ()
    """By kind, what it is worth, where that differs from `value`."""
    runs: tuple[Run, ...] = ()
    """What begins here and goes on over the next pieces."""

    def worth(self, kind: str) -> Any:
        """What it is as one of a kind."""
        return dict(self.values).get(kind, self.value)


def parse(template: str, rules: Rules) -> Part:
    """A template as parts.

    Raises:
        ValueError: when a bracket is missing or a phrase is not defined.
    """
    pieces = list(_PIECES.finditer(template))
    part, end = _sequence(pieces, 0, rules, closing="")
    if end != len(pieces):
        raise ValueError(f"A bracket is closed too early in '{template}'.")
    return part


def _sequence(pieces: list[re.Match[str]], at: int, rules: Rules, closing: str) -> tuple[Part, int]:
    """The alternatives up to a closing bracket, as one part."""
    options: list[list[str | Slot | Choice]] = [[]]
    while at < len(pieces):
        name, kind, rule, sign, word = pieces[at].groups()
        at += 1
        if sign in {"(", "["}:
            inner, at = _sequence(pieces, at, rules, ")" if sign == "(" else "]")
            choices = inner[0].parts if len(inner) == 1 and isinstance(inner[0], Choice) else (inner,)
            options[-1].append(Choice((*choices, ())) if sign == "[" else Choice(choices))
        elif sign == "|":
            options.append([])
        elif sign:
            if sign != closing:
                raise ValueError(f"'{sign}' closes nothing.")
            break
        elif name:
            options[-1].append(Slot(name, kind or name))
        elif rule:
            if rule not in rules:
                raise ValueError(f"<{rule}> is not defined.")
            options[-1].append(Choice((parse(rules[rule], rules),)))
        else:
            options[-1].append(stem(word))
    else:
        if closing:
            raise ValueError(f"'{closing}' is missing.")
    parts = tuple(tuple(option) for option in options)
    return (parts[0] if len(parts) == 1 else (Choice(parts),)), at


@lru_cache(maxsize=4096)
def needs(template: str) -> frozenset[str]:
    """The kinds of slots a template cannot do without: what is outside of all brackets, in a first look."""
    bare = template
    while (shorter := re.sub(r"\[[^\[\]]*\]|\([^()]*\)", " ", bare)) != bare:
        bare = shorter
    return frozenset(match[2] or match[1] for match in re.finditer(r"\{(\w+)(?::(\w+))?\}", bare))


def literals(part: Part) -> list[frozenset[str]]:
    """Words a template cannot do without: of each set, at least one stands in every sentence it takes."""
    found: list[frozenset[str]] = []
    for one in part:
        if isinstance(one, str):
            found.append(frozenset({one}))
        elif isinstance(one, Choice):
            inner = [literals(option) for option in one.parts]
            if all(inner):
                found.append(frozenset[str]().union(*(sets[0] for sets in inner)))
    return found


def slots(part: Part) -> Iterator[Slot]:
    """The slots of a template, those in brackets too."""
    for one in part:
        if isinstance(one, Slot):
            yield one
        elif isinstance(one, Choice):
            for option in one.parts:
                yield from slots(option)


def matches(part: Part, pieces: Sequence[Piece], lists: Lists) -> Iterator[dict[str, Any]]:
    """The arguments of each way in which a template takes all the pieces."""
    return (arguments for end, arguments in prefixes(part, 0, pieces, lists) if end == len(pieces))


def prefixes(part: Part, at: int, pieces: Sequence[Piece], lists: Lists) -> Iterator[tuple[int, dict[str, Any]]]:
    """Where each way ends in which a template takes the pieces from a place on, with its arguments."""
    if not part:
        yield at, {}
        return
    for middle, taken in _step(part[0], at, pieces, lists):
        for end, more in prefixes(part[1:], middle, pieces, lists):
            if not taken.keys() & more.keys():
                yield end, {**taken, **more}


def _step(
    one: str | Slot | Choice, at: int, pieces: Sequence[Piece], lists: Lists
) -> Iterator[tuple[int, dict[str, Any]]]:
    if isinstance(one, Choice):
        seen: set[tuple[int, str]] = set()
        for part in one.parts:
            for end, taken in prefixes(part, at, pieces, lists):
                if (mark := (end, repr(taken))) not in seen:
                    seen.add(mark)
                    yield end, taken
    elif at < len(pieces) and isinstance(one, Slot):
        yield from ((end, {one.argument: value}) for end, value in _taken(one.kind, at, pieces, lists))
    elif at < len(pieces) and pieces[at].is_word and stem(pieces[at].text) == one:
        yield at + 1, {}


def _taken(kind: str, at: int, pieces: Sequence[Piece], lists: Lists) -> Iterator[tuple[int, Any]]:
    """What a slot of a kind may take here: a phrase of its list, a mention, or several pieces together."""
    piece, first = pieces[at], stem(pieces[at].text)
    for phrase, value in lists.get(kind, {}).items():
        words = phrase_words(phrase)
        here = pieces[at : at + len(words)] if words[:1] == (first,) else ()
        if here and [stem(one.text) for one in here if one.is_word] == [*words]:
            yield at + len(words), value
    if kind not in lists and kind in piece.kinds:
        yield at + 1, piece.worth(kind)
    yield from ((at + run.length, run.value) for run in piece.runs if run.kind == kind)


@lru_cache(maxsize=4096)
def phrase_words(phrase: str) -> tuple[str, ...]:
    """A phrase as it is compared."""
    return tuple(stem(match[5]) for match in _PIECES.finditer(phrase) if match[5])


def words_of(text: str) -> list[str]:
    """A text without mentions as pieces are: words, Chinese characters; punctuation is left out."""
    found = (match[5] for match in _PIECES.finditer(text) if match[5])
    return [word.rstrip(".") for word in found if re.match(r"[\w\u3400-\u9fff]", word)]
