"""Units of measure in English and Chinese: what they are called and what each is worth, exactly.

The table is `data/units.tsv`; areas, volumes, speeds and data rates follow from lengths and data. Where a word means
several units, the symbol says which one is taken (US gal). What a text asks to convert is read in `arithmetic`.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from switchyard.language.numbers import find_numbers
from switchyard.language.tables import rows

_PER = (("s", 1, "second|sec|s", "秒"), ("min", 60, "minute|min", "分钟|分"), ("h", 3600, "hour|hr|h", "小时|时"))
_CUBED = (("area", 2, "²", "square|sq|sq.", "平方"), ("volume", 3, "³", "cubic|cu|cu.", "立方"))
_NEAR = 20
"""How many characters before a unit decide whether a short name is one."""
_ASKS = re.compile(r"(?i)(?:\b(?:in|to|into|many)|多少|几|成|为|转)$")
_CONVERTS = re.compile(r"(?:[换算转合折][成为]|多少|几)$")
_START = re.compile(r"(?<![a-zA-Z])[a-zA-Z]|[^\x00-\x7f]")
_LONGEST = 40
"""Characters the name of a unit may have."""
_EDGE = re.compile(r"[^a-zA-Z\s]|[a-zA-Z](?![a-zA-ZÀ-ÿ])")
"""Where a name may end: nowhere between two letters."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: a value in it times `factor` plus `offset` is the value in the base of its kind."""

    symbol: str
    kind: str
    factor: Fraction
    chinese: str
    offset: Fraction = Fraction(0)

    @property
    def is_money(self) -> bool:
        """Whether it is a currency."""
        return self.kind.startswith("currency")

    def name(self, *, chinese: bool) -> str:
        """What it is called in an answer."""
        return self.chinese if chinese else self.symbol


UNKNOWN = Unit("", "anything", Fraction(1), "")
"""The unit of an amount that is not known yet: it may turn out to be any."""


class FoundUnit(NamedTuple):
    """A unit and where it stands."""

    unit: Unit
    start: int
    end: int


@lru_cache(maxsize=4096)
def unit_named(name: str) -> Unit | None:
    """The unit of this name, symbol or plural; capitals count where they must (Mb, MB)."""
    name = re.sub(r"\s+", " ", name.strip().replace("^2", "²").replace("^3", "³"))
    exact, folded = _names()
    small = name.casefold()
    words = re.sub(r"\b(\w{2,}[^\Wu])s\b", r"\1", small.replace("feet", "foot").replace("inches", "inch"))
    return exact.get(name) or folded.get(small) or folded.get(words)


def unit_at(text: str, position: int) -> FoundUnit | None:
    """The unit whose name begins at this place, the longest there is."""
    piece = text[position : position + _LONGEST]
    if piece[:1].casefold() not in _first_letters():
        return None
    for length in reversed([edge.end() for edge in _EDGE.finditer(piece)]):
        if unit := unit_named(piece[:length]):
            return FoundUnit(unit, position, position + length)
    return None


def find_units(text: str) -> list[FoundUnit]:
    """The units in a text; short symbols and single Chinese characters only behind a number or a word that asks."""
    numbers = {number.end for number in find_numbers(text)}
    found: list[FoundUnit] = []
    for start in _START.finditer(text):
        unit = unit_at(text, start.start()) if not found or start.start() >= found[-1].end else None
        if unit is None:
            continue
        name = text[unit.start : unit.end]
        near = max(unit.start - _NEAR, 0)
        before = text[near : unit.start].rstrip().removesuffix("个")
        short = len(name) <= (2 if name.isascii() else 1)
        asked = len(name) + (not name.isascii()) > 1 and (_ASKS if numbers else _CONVERTS).search(before)
        if not short or near + len(before) in numbers or asked:
            found.append(unit)
    return found


@cache
def _first_letters() -> frozenset[str]:
    return frozenset(name[0].casefold() for table in _names() for name in table)


_Named = tuple[Unit, list[str], list[str]]
"""A unit with its names in Latin letters, its symbol first, and in Chinese."""


@cache
def _names() -> tuple[dict[str, Unit], dict[str, Unit]]:
    """Every unit by its names, and by its names in small letters; those of the table before those that follow."""
    exact: dict[str, Unit] = {}
    folded: dict[str, Unit] = {}
    table = [_read(*row) for row in rows("units") if row[0] != "also"]
    for unit, latin, han in [*table, *(derived for named in table for derived in _derived(*named))]:
        for name in (*latin, *han):
            exact.setdefault(name, unit)
            folded.setdefault(name.casefold(), unit)
    return exact | {row[2]: exact[row[1]] for row in rows("units") if row[0] == "also"}, folded


def _read(kind: str, symbol: str, size: str, english: str, chinese: str) -> _Named:
    factor, _, offset = size.partition("+")
    above, _, below = factor.partition("/")
    worth = (Fraction(math.pi) if above == "π" else Fraction(above)) / Fraction(below or 1)
    latin, han = ([name.replace("_", " ") for name in cell.split("|") if name != "-"] for cell in (english, chinese))
    symbol = symbol.replace("_", " ")
    unit = Unit(symbol, kind, worth, han[0] if han else symbol, Fraction(offset or 0))
    return unit, [symbol, *latin], han


def _derived(unit: Unit, latin: list[str], han: list[str]) -> Iterator[_Named]:
    """The areas, volumes and speeds that go with a length, the rates that go with an amount of data."""
    for kind, power, sign, words, prefix in _CUBED if unit.kind == "length" else ():
        names = [f"{start} {name}" for start in words.split("|") for name in latin]
        symbol = unit.symbol + sign
        derived = Unit(symbol, kind, unit.factor**power, prefix + unit.chinese)
        yield derived, [symbol, *names, f"{unit.symbol}{power}"], [prefix + name for name in han]
    for time, seconds, english, chinese in _PER if unit.kind in {"length", "data"} else ():
        names = [f"{name}{per}{said}" for name in latin for per in (" per ", "/") for said in english.split("|")]
        names += [f"{unit.symbol.removesuffix('it')}ps"] if unit.kind == "data" and seconds == 1 else []
        kind = "speed" if unit.kind == "length" else "data rate"
        local = f"{unit.chinese}每{chinese.split('|')[0]}"
        symbol = f"{unit.symbol}/{time}"
        said_so = [f"{name}{per}{said}" for name in han for per in ("每", "/") for said in chinese.split("|")]
        yield Unit(symbol, kind, unit.factor / seconds, local), [symbol, *names], said_so
