"""The unit that goes with a number: 5 km, a day, 每秒20米, 华氏72度, 三斤半, 一米七五, 5 feet 7 inches."""

import re
from fractions import Fraction
from typing import NamedTuple

from switchyard.language.units import Unit, unit_at, unit_named

_SPACE = re.compile(r"\s?-?(?:个(?!月))?")
_ONE = re.compile(r"\b(an?)\s+(?=[a-z]{3})", re.IGNORECASE)
_RATE = re.compile(r"\s?(?:an?|every|each)\s(second|sec|minute|min|hour)s?\b", re.IGNORECASE)
_INCH_ENDS = re.compile(
    r"\s*(?:$|[?,;:.)=*]|(?:in|to|into|as|is|are|equals?|tall|long|wide|high|by|and)\b)", re.IGNORECASE
)
_HALF_AFTER = re.compile(r"半(?![个小天年月斤公里])")
_HEIGHT = re.compile(r"(?:[0-9]{1,2}|[一二三四五六七八九]{1,2})(?![0-9.一二三四五六七八九十百千万分厘]|\s?[a-z])")
_DIGITS = {han: str(n) for n, han in enumerate("零一二三四五六七八九")}
_AROUND = re.compile(
    r"(?:每|一)(?P<time>秒钟?|分钟?|小时)\s?$|(?P<speed>[时秒])速(?:是|为)?\s?$|(?P<scale>华氏|摄氏)(?:温度)?\s?$"
    r"|(?P<fuel>(?:每|一)?(?:百公里|100公里)(?:的?油耗)?(?:是|为)?)\s?$"
)
_TIMES = {"秒": "秒", "秒钟": "秒", "分": "分钟", "分钟": "分钟", "小时": "小时", "时": "小时"}


class Measure(NamedTuple):
    """An amount in a unit, and where it stands."""

    value: Fraction
    unit: Unit
    start: int
    end: int


def ones(plain: str) -> list[tuple[Fraction, int, int]]:
    """Where "a" counts a unit: a day, an hour."""
    return [(Fraction(1), match.start(), match.end(1)) for match in _ONE.finditer(plain) if unit_at(plain, match.end())]


def measured(plain: str, value: Fraction, start: int, end: int) -> Measure | None:
    """The number at this place with its unit; None where it counts no unit."""
    space = _SPACE.match(plain, end)
    found = unit_at(plain, space.end() if space else end)
    if found is None or not _is_unit(plain, end, found.start, found.end):
        return None
    unit, stop = found.unit, found.end
    name = plain[found.start : stop]
    if (rate := _RATE.match(plain, stop)) and (per := unit_named(f"{name} per {rate[1]}")):
        return Measure(value, per, start, rate.end())
    if (around := _AROUND.search(plain, max(start - 10, 0), start)) and (meant := _around(around, name)):
        return Measure(value, meant, around.start(), stop)
    if half := _HALF_AFTER.match(plain, stop):
        return Measure(value + Fraction(1, 2), unit, start, half.end())
    if name == "米" and (tail := _HEIGHT.match(plain, stop)):
        decimals = "".join(_DIGITS.get(digit, digit) for digit in tail[0])
        return Measure(value + Fraction(f"0.{decimals}"), unit, start, tail.end())
    return Measure(value, unit, start, stop)


def _is_unit(plain: str, number_end: int, start: int, end: int) -> bool:
    """Not the preposition of "5 in cm", nor the ending of "1st"."""
    name = plain[start:end].lower()
    if name == "in":
        return _INCH_ENDS.match(plain, end) is not None
    return name != "st" or start > number_end


def _around(match: re.Match[str], name: str) -> Unit | None:
    """The unit that words on both sides of a number make: 每秒…米, 时速…公里, 华氏…度, 百公里…升."""
    if match["fuel"]:
        return unit_named("L/100km") if name in {"升", "L", "l", "公升"} else None
    if match["scale"]:
        return unit_named(match["scale"]) if name in {"度", "°"} else None
    return unit_named(f"{name}每{_TIMES[match['time'] or match['speed']]}") or unit_named(
        f"{name}/{ {'秒': 's', '分钟': 'min', '小时': 'h'}[_TIMES[match['time'] or match['speed']]] }"
    )


def joins(first: Measure | tuple[Fraction, Unit], second: tuple[Fraction, Unit], between: str) -> bool:
    """Whether two measures are one: 5 feet 7 inches, 1 hour and 30 minutes, 三斤二两."""
    larger, (amount, smaller) = first[1], second
    same = larger.kind == smaller.kind and not larger.inverse and larger.kind != "temperature"
    spoken = not between.strip(" ,") or larger.kind == "time" or larger.symbol in {"ft", "lb", "st", "yd", "year"}
    return same and spoken and larger.factor > smaller.factor and amount * smaller.factor < larger.factor
