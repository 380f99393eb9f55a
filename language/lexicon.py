"""Words and what they may mean: a text cut into tokens, each with its senses, by one dictionary for both languages.

The dictionary is the lexicon (`data/lexicon.tsv`: senses and their phrases) and whatever the caller knows to be there:
names of columns, values, files. What stands for itself in a text (a quotation, a number, a date) is found beforehand
and handed in. The cut is the cheapest: as few words as possible that nobody knows, then as few pieces as possible.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from switchyard.language import tokeniser
from switchyard.language.tables import rows

Key = tuple[str, ...]
"""A phrase as the dictionary has it: English stems, Chinese characters."""

LONGEST = 8
"""Atoms of the longest phrase that is looked up."""

_ATOM = re.compile(
    r"[A-Za-z_\u00c0-\u024f][A-Za-z0-9_\u00c0-\u024f]*(?:[-'’.][A-Za-z0-9_\u00c0-\u024f]+)*"
    r"|[\u3400-\u9fff]|>=|<=|!=|<>|==|\S"
)
_WORD = re.compile(r"[\w\u3400-\u9fff]")
_EXACT = "\0"
"""Ends an atom that is compared by its very form."""
_UNSTEMMED = frozenset({"rating", "ratings"})
"""Words that would become others: a rating is no rate."""
_KNOWN, _UNKNOWN, _MARK, _MENTION = 1.0, 6.0, 0.1, 0.5
"""What a piece costs: a phrase of the dictionary, a word that is in none, a punctuation mark, a mention."""
_NEARER, _LONGER = 0.2, 0.01
"""How much less, where what is there has the word too, and for each atom of a phrase."""


class Sense(NamedTuple):
    """What a word may mean: `cmp` `>`, `column` `price`, `value` `(city, Berlin)`."""

    kind: str
    value: Any = ""
    about: str = ""
    """The kind of column it speaks of."""


_NOTHING: frozenset[Sense] = frozenset()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text with everything it may mean; nothing where nobody knows it."""

    text: str
    start: int
    end: int
    senses: frozenset[Sense] = frozenset()

    def has(self, *kinds: str) -> bool:
        """Whether it may be one of these."""
        return any(sense.kind in kinds for sense in self.senses)

    def get(self, kind: str) -> Sense | None:
        """Its sense of a kind, if it has one."""
        return next((sense for sense in self.senses if sense.kind == kind), None)

    def the(self, kind: str) -> Sense:
        """Its sense of a kind that it is known to have."""
        return next(sense for sense in self.senses if sense.kind == kind)

    def all(self, kind: str) -> list[Sense]:
        """All its senses of a kind, in a fixed order."""
        return sorted((sense for sense in self.senses if sense.kind == kind), key=str)

    def without(self, *kinds: str) -> "Token":
        """The same without senses of these kinds."""
        return replace(self, senses=frozenset(sense for sense in self.senses if sense.kind not in kinds))


Entries = Mapping[Key, Iterable[Sense]]


@lru_cache(maxsize=50_000)
def key_of(phrase: str) -> Key:
    """A phrase as the dictionary has it."""
    return tuple(stem(match[0]) for match in _ATOM.finditer(phrase))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its ending: orders, order; Chinese as it is."""
    small = word.lower().replace("’", "'")
    if word.endswith("s") and word[:-1].isupper() and len(word) > 2:  # noqa: PLR2004  SKUs, IDs
        return small[:-1]
    if small.endswith("'s") and small not in {"what's", "who's", "it's"}:
        small = small[:-2]
    if small in _UNSTEMMED or not small.isascii():
        return small.removesuffix("s") if small in _UNSTEMMED else small
    return tokeniser.stem(small)


@cache
def lexicon() -> dict[Key, frozenset[Sense]]:
    """The phrases of `data/lexicon.tsv` with their senses."""
    found: dict[Key, set[Sense]] = {}
    for name, *cells in rows("lexicon"):
        meaning, _, about = name.removeprefix("=").partition("@")
        kind, _, value = meaning.partition(":")
        for phrase in (phrase for cell in cells for phrase in cell.split("|") if phrase != "-"):
            exact = name.startswith("=")
            key = tuple(m[0].lower() + _EXACT for m in _ATOM.finditer(phrase)) if exact else key_of(phrase)
            found.setdefault(key, set()).add(Sense(kind, value, about))
    return {key: frozenset(senses) for key, senses in found.items()}


def senses_of(key: Key) -> frozenset[Sense]:
    """What a phrase means by the lexicon alone; nothing where it is not in it."""
    exact = tuple(atom + _EXACT for atom in key)
    return lexicon().get(key, frozenset()) | lexicon().get(exact, frozenset())


def narrows(word: str) -> bool:
    """Whether a word makes the most or the least of what it stands beside: 最低 in 最低库存, min in min_stock."""
    return any(
        one.kind == "sup" or (one.kind == "agg" and one.value in {"max", "min"}) for one in senses_of(key_of(word))
    )


def segment(text: str, mentions: Iterable[Token], entries: Entries) -> list[Token]:
    """The whole text as tokens; mentions are pieces as they are."""
    taken = {(token.start, token.end): token.senses for token in mentions}
    atoms = _atoms(text, tuple(sorted(taken)))
    best: list[tuple[float, int, frozenset[Sense]]] = [(0.0, 0, frozenset())]
    best += [(float("inf"), 0, frozenset())] * len(atoms)
    for start, atom in enumerate(atoms):
        for end, cost, senses in _pieces(atom, start, taken, entries):
            total = best[start][0] + cost
            if total < best[end][0] - 1e-9:
                best[end] = (total, start, senses)
    tokens: list[Token] = []
    end = len(atoms)
    while end:
        _, start, senses = best[end]
        first, last = atoms[start], atoms[end - 1]
        tokens.append(Token(text[first.start : last.end], first.start, last.end, senses))
        end = start
    return _joined(text, tokens[::-1])


class _Atom(NamedTuple):
    name: str
    """Nothing where it is a mention."""
    start: int
    end: int
    phrases: tuple[tuple[Key, frozenset[Sense]], ...] = ()
    """Those that begin here, with one atom and more, and what the lexicon says of them."""


@lru_cache(maxsize=128)
def _atoms(text: str, taken: tuple[tuple[int, int], ...]) -> list[_Atom]:
    """A text as atoms, which are the same whatever it is asked of; mentions stand at the places that are taken."""
    atoms: list[_Atom] = []
    position = 0
    for start, end in (*taken, (len(text), len(text))):
        between = [
            (stem(match[0]), match[0].lower() + _EXACT, *match.span())
            for match in _ATOM.finditer(text, position, start)
        ]
        for at, (name, _, first, last) in enumerate(between):
            names, exact, *_ = zip(*between[at : at + LONGEST], strict=True)
            keys = [(names[:length], exact[:length]) for length in range(1, len(names) + 1)]
            known = lexicon()
            phrases = ((key, known.get(key, _NOTHING) | known.get(said, _NOTHING)) for key, said in keys)
            atoms.append(_Atom(name, first, last, tuple(phrases)))
        atoms += [_Atom("", start, end)] if end > start else []
        position = end
    return atoms


def _pieces(
    atom: _Atom, start: int, taken: Mapping[tuple[int, int], frozenset[Sense]], entries: Entries
) -> Iterable[tuple[int, float, frozenset[Sense]]]:
    """The pieces that may begin at an atom: where they end, what they cost, what they mean."""
    if not atom.name:
        yield start + 1, _MENTION, taken[atom.start, atom.end]
        return
    known = False
    for length, (key, meant) in enumerate(atom.phrases, start=1):
        there = entries.get(key)
        if there or meant:
            known = known or length == 1
            cost = _KNOWN - (_NEARER if there else 0.0) - _LONGER * length
            yield start + length, cost, meant.union(there) if there else meant
    if not known:
        is_mark = _WORD.match(atom.name) is None
        mark = frozenset({Sense("mark", atom.name)}) if is_mark else _NOTHING
        yield start + 1, _MARK if is_mark else _UNKNOWN, mark


def _joined(text: str, tokens: list[Token]) -> list[Token]:
    """Neighbouring Chinese characters that nobody knows are one word."""
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if last and not last.senses and not token.senses and last.end == token.start and not token.text.isascii():
            joined[-1] = Token(text[last.start : token.end], last.start, token.end)
        else:
            joined.append(token)
    return joined
