"""A text in plain characters with its amounts taken out: each number, percentage, sum of money or measure is one sign.

What is left is short and has no digits, so that patterns over it are exact and quick. Four planes of private-use
characters tell the four kinds apart.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from switchyard.language.arithmetic.operations import MAX_DIGITS, Part, Percent, refused
from switchyard.language.messages import message
from switchyard.language.numbers import narrow, number_spans
from switchyard.language.tables import rows
from switchyard.language.units import Unit, unit_at, unit_named

NUMBER, PERCENT, MONEY, MEASURE = 0xF0000, 0xF1000, 0xF2000, 0xF3000


def _class(*planes: int) -> str:
    return "".join(f"{chr(first)}-{chr(first + 0xFFF)}" for first in planes)


PERCENTS, MEASURES, PLAIN = _class(PERCENT), _class(MEASURE), _class(NUMBER)
COUNTS = _class(NUMBER, MONEY, MEASURE)
ANY = COUNTS + PERCENTS
"""The characters of each kind, for a class in a pattern."""

_VULGAR = "½1⁄2 ⅓1⁄3 ⅔2⁄3 ¼1⁄4 ¾3⁄4 ⅕1⁄5 ⅖2⁄5 ⅗3⁄5 ⅘4⁄5 ⅙1⁄6 ⅚5⁄6 ⅛1⁄8 ⅜3⁄8 ⅝5⁄8 ⅞7⁄8"
_SIGNS = "，, ；; ：: 。. ？? ！! （( ）) 【[ 】] ’' ‘' ﹪% －- −- –- —- ✕× ·× ⋅× ∙× ∕/ ￥¥ ≈="
_TYPED = str.maketrans(
    {pair[0]: pair[1:] for pair in _SIGNS.split()} | {pair[0]: f" {pair[1:]}" for pair in _VULGAR.split()}
)
_SMALL = {ord("A") + n: ord("a") + n for n in range(26)}
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000f0000-\U000fffff]")
_TOO_LONG = re.compile(rf"[0-9][0-9,.]{{{MAX_DIGITS},}}|[0-9.]e[+-]?[0-9]{{4,}}", re.IGNORECASE)
_SPOKEN = (
    (r"(?<![0-9a-z])(?!0\s?x)([0-9.]+|\))\s?x\s?(?=[0-9(])", r"\1×"),  # 3x4, 3 x 4
    (r"([0-9]{1,2})\s?['′]\s?([0-9]{1,2}(?:\.[0-9]+)?)\s?(?:\"|”|″|'')?(?![0-9a-z])", r"\1 ft \2 in"),
    (r"(?<=[0-9])(ft|h)(?=[0-9])", r" \1 "),  # 6ft2
    (r"(?<=[a-z])(?<!\be)(?<!\bpi)\^2(?![0-9])", "²"),
    (r"(?<=[a-z])(?<!\be)(?<!\bpi)\^3(?![0-9])", "³"),
    (r"\b(what|that|how|it|which|there)'?s\b(?<!\bits)(?<!\bhows)", r"\1 is"),
    (r"\bi'm\b", "i am"),
    (r"\b(i|we)'d\b", r"\1 would"),
    (r"(?:\b(?:lit(?:er|re)s?|l)|升)\s?(?:/|per\s|每)\s?(?:100|百)\s?(?:km\b|kilomet\w+|公里|千米)", "L/hkm"),
    (
        r"(?<=[0-9一二三四五六七八九十])分(?=\s?[0-9一二三四五六七八九十]+\s?秒)|(?<=时)([0-9一二三四五六七八九十]{1,3})分(?!钟|之)",
        r"\1分钟",
    ),
    (r"每(秒|分钟|小时)(多少|几)(公里|千米|米|英里)", r"\2\3每\1"),
    (r"零下(?=\s?[0-9零一二两三四五六七八九十])", "-"),
)
_LISTS = re.compile(
    r"\b(?:min|max|sum|mean|avg|average|median|mode|product|gcd|lcm|stdev|std|log|round|pow)\s*\(|\[", re.IGNORECASE
)
_COUNTS_NOTHING = re.compile(
    # dates, telephone numbers, versions, numbers of orders
    r"(?<![0-9.])[12][0-9]{3}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2}|年)"
    r"|(?<![0-9./])[0-9]{1,2}[/.][0-9]{1,2}[/.](?:[0-9]{2}){1,2}(?![0-9./])"
    r"|[0-9一二三四五六七八九十]月\s*[0-9一二三四五六七八九十]|(?<![0-9.,a-z])0[0-9]|[0-9]\.[0-9]+\.[0-9]"
    r"|(?<![0-9])[0-9]{3}-[0-9]{3}-[0-9]{4}(?![0-9])|^[0-9]{3}-[0-9]{4}$"
    r"|(?<![0-9:])[0-2]?[0-9]:[0-5][0-9](?![0-9])|[0-9一二三四五六七八九十]点(?:半|[0-9]|钟)|\b[0-9]{1,2}\s?[ap]m\b",
    re.IGNORECASE,
)
_BASED = re.compile(
    r"(?<![0-9a-z_.])0(?:x(?P<x>[0-9a-f]{1,64})|b(?P<b>[01]{1,256})|o(?P<o>[0-7]{1,90}))(?![0-9a-z_.])", re.IGNORECASE
)
_NAMED_BASE = re.compile(
    r"(?:\b(?P<x>hex(?:adecimal)?)|\b(?P<b>binary)|\b(?P<o>octal)|(?P<zx>十六进制)|(?P<zb>二进制)|(?P<zo>八进制))"
    r"(?:\s?(?:number|value|数))?\s?(?P<digits>[0-9a-f]{1,64})(?![0-9a-z_.])(?=.*(?:\bdecimal|十进制))",
    re.IGNORECASE,
)
_BASES = {"x": 16, "b": 2, "o": 8}

_SIGN_BEFORE = re.compile(r"(us\$|hk\$|[$€£¥₹])\s?$", re.IGNORECASE)
_NO_MONEY = "(?![糖石肉布木砖玻饼面地电巧蛋豆香披])"
"""What 块 counts that is no money."""
_PERCENT_BEFORE = re.compile(r"百分之\s?$")
_PERCENT_AFTER = re.compile(r"\s?(?:%(?!\s*[0-9(])|per\s?cents?\b|percents?\b)", re.IGNORECASE)
_TENTHS_AFTER = re.compile(r"成(?=$|[的是,.?])")
_PART = re.compile("[a-z]|分之|半", re.IGNORECASE)
_THOUSANDS = re.compile(r"k(?![a-z0-9])", re.IGNORECASE)
_MIXED = re.compile(r"(?<![0-9.,/⁄])(?:([0-9]{1,6})\s)?([0-9]{1,6})([/⁄])([0-9]{1,6})(?![0-9.,/⁄]*[0-9/⁄])")
_OF = re.compile(r"\s+of\b", re.IGNORECASE)
_ASKED_UNIT = re.compile(r"(?:多少|几|[换算转合][成为])个?两$")
"""两 asked for is the unit, not the number."""
_COMPOUND = re.compile(rf"([{MEASURES}])((?:\s?,)?\s?(?:and\s)?|又|零)([{MEASURES}])", re.IGNORECASE)
_FEET = re.compile(rf"([{MEASURES}])\s?([{PLAIN}])(?!\s?[a-z]*['\"])", re.IGNORECASE)
_LEFT_OUT = {"ft": "in", "h": "min"}
"""Units after which the next smaller one goes without saying: 6 ft 2, 1h30."""
_HAN_SPACE = re.compile(r"\s*([\u3400-\u9fff、])\s*")

_SPACE = re.compile(r"\s?-?(?:个(?!月))?")
_ONE = re.compile(r"\b(an?)\s+(?=[a-z]{3})", re.IGNORECASE)
_RATE = re.compile(r"\s?(?:an?|every|each)\s(second|sec|minute|min|hour)s?\b", re.IGNORECASE)
_INCH_ENDS = re.compile(
    r"\s*(?:$|[?,;:.)=*]|(?:in|to|into|as|is|are|equals?|tall|long|wide|high|by|and)\b)", re.IGNORECASE
)
_HALF_AFTER = re.compile(r"半(?![个小天年月斤公里])")
_HEIGHT = re.compile(r"(?:[0-9]{1,2}|[一二三四五六七八九]{1,2})(?![0-9.一二三四五六七八九十百千万分厘]|\s?[a-z])")
_AROUND = re.compile(
    r"(?:每|一)(?P<time>秒|分|小时)钟?\s?$|(?P<speed>[时秒])速(?:是|为)?\s?$|(?P<scale>华氏|摄氏)(?:温度)?\s?$"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as it was said, with what it counts."""

    value: Fraction
    """A `Percent` where it is one."""
    text: str
    currency: str = ""
    unit: Unit | None = None

    @property
    def plane(self) -> int:
        """Where its character comes from."""
        if self.unit is not None:
            return MEASURE
        return MONEY if self.currency else PERCENT if isinstance(self.value, Percent) else NUMBER


@dataclass(frozen=True, slots=True)
class Tokens:
    """The text, and the amounts that its private-use characters stand for."""

    text: str
    amounts: dict[str, Amount]

    def spoken(self, text: str) -> str:
        """A part of the text as it was written."""
        return re.sub(f"[{ANY}]", lambda match: self.amounts[match[0]].text, text)


class _Read(NamedTuple):
    amount: Amount
    start: int
    end: int


def prepared(text: str) -> str:
    """The text with signs of all kinds as ASCII and single spaces.

    Raises:
        Impossible: a number has more digits than are computed.
    """
    plain = narrow(_INVISIBLE.sub(" ", text).translate(_TYPED))
    if _TOO_LONG.search(plain):
        raise refused(message("number_too_long", digits=MAX_DIGITS))
    for pattern, outcome in _SPOKEN:
        plain = re.sub(pattern, outcome, plain, flags=re.IGNORECASE)
    return " ".join(_with_lists_apart(plain).split())


def in_small_letters(text: str) -> str:
    """The text without capitals, every character in its place."""
    return text.translate(_SMALL)


def counts_nothing(plain: str) -> bool:
    """Whether the digits of a text are those of a date, a clock, a telephone number, a version."""
    return _COUNTS_NOTHING.search(plain) is not None


def tokenise(plain: str, *, measures: bool = False, known: Mapping[str, Amount] | None = None) -> Tokens:
    """The text with its amounts taken out.

    Args:
        plain: the text, prepared.
        measures: a number and its unit are one amount.
        known: amounts whose characters stand in the text already.
    """
    amounts = dict(known or {})
    pieces, position = list[str](), 0
    for value, start, end in sorted(_numbers(plain, measures=measures), key=lambda span: (span[1], -span[2])):
        if start < position:
            continue
        read = _amount(plain, value, start, end, position, measures=measures)
        if read is None:
            continue
        letter = chr(read.amount.plane + len(amounts))
        amounts[letter] = read.amount
        pieces += [plain[position : read.start], letter]
        position = read.end
    text = _HAN_SPACE.sub(r"\1", "".join(pieces) + plain[position:])
    return _merged(Tokens(text, amounts)) if measures else Tokens(text, amounts)


def currency_named(name: str) -> str:
    """The sign of a currency; empty where it is none."""
    return _currencies().get(name.lower(), "")


@cache
def _currencies() -> dict[str, str]:
    """The sign of every currency by its names; those that name a unit too (pounds) are none here."""
    named = ((name, row[1]) for row in rows("currencies") for cell in row[1:] for name in cell.split("|"))
    return {name.lower(): sign for name, sign in named if name and unit_named(name) is None}


@cache
def _money_after() -> re.Pattern[str]:
    names = "|".join(
        re.escape(name) + _NO_MONEY * (name == "块") for name in sorted(_currencies(), key=len, reverse=True)
    )
    return re.compile(rf"\s?({names})(?![a-z])", re.IGNORECASE)


def _with_lists_apart(plain: str) -> str:
    """A space after each comma inside the brackets of a list: there `1,234` is two numbers."""
    pieces, position = list[str](), 0
    for opening in _LISTS.finditer(plain):
        start, depth = opening.end(), 1
        if start < position:
            continue
        end = start
        while end < len(plain) and depth:
            depth += (plain[end] in "([") - (plain[end] in ")]")
            end += 1
        pieces += [plain[position:start], plain[start:end].replace(",", ", ")]
        position = end
    return "".join(pieces) + plain[position:]


def _numbers(plain: str, *, measures: bool) -> list[tuple[Fraction, int, int]]:
    mixed = [
        (Fraction(int(whole or 0)) + Fraction(int(above), int(below)), match.start(), match.end())
        for match in _MIXED.finditer(plain)
        for whole, above, slash, below in (match.groups(),)
        # 3/4 is a division like any other; 1 3/4 and ¾ are numbers
        if int(below)
        and (slash == "⁄" or (whole and int(above) < int(below)) or _is_part(plain, match, measures=measures))
    ]
    taken = [*mixed, *_based(plain)]
    spans = [
        (number.value, number.start, number.end)
        for number in number_spans(plain)
        if not _ASKED_UNIT.search(plain, max(number.start - 3, 0), number.end)
    ]
    free = [span for span in spans if not any(start < span[2] and span[1] < end for _, start, end in taken)]
    return [*taken, *free, *(_ones(plain) if measures else [])]


def _based(plain: str) -> list[tuple[Fraction, int, int]]:
    """0xff, 0b1011, 0o17; and binary 1011, 十六进制ff where the decimal number is asked for."""
    found: list[tuple[Fraction, int, int]] = []
    for match in _BASED.finditer(plain):
        name = match.lastgroup or ""
        found.append((Fraction(int(match[name], _BASES[name])), *match.span()))
    for match in _NAMED_BASE.finditer(plain):
        base = next(_BASES[name[-1]] for name, said in match.groupdict().items() if said and name != "digits")
        if all(int(digit, 16) < base for digit in match["digits"]):
            found.append((Fraction(int(match["digits"], base)), *match.span()))
    return found


def _ones(plain: str) -> list[tuple[Fraction, int, int]]:
    """Where "a" counts a unit: a day, an hour."""
    return [(Fraction(1), match.start(), match.end(1)) for match in _ONE.finditer(plain) if unit_at(plain, match.end())]


def _is_part(plain: str, match: re.Match[str], *, measures: bool) -> bool:
    """Whether a/b is a part of something: 3/4 of 120, 120的3/4, 3/4 cup."""
    spaced = _OF.match(plain, match.end())
    return (
        spaced is not None
        or plain.endswith("的", 0, match.start())
        or (measures and _measured(plain, Fraction(1), match.start(), match.end()) is not None)
    )


def _amount(plain: str, value: Fraction, start: int, end: int, earliest: int, *, measures: bool) -> _Read | None:
    """The number at this place with what belongs to it on both sides."""
    if found := _percentage(plain, value, start, end, earliest):
        return found
    if measures and (measure := _measured(plain, value, start, end)):
        begin = max(measure.start, earliest)
        return _Read(Amount(measure.value, plain[begin : measure.end], unit=measure.unit), begin, measure.end)
    said = plain[start:end]
    if said.lower() in {"a", "an"}:
        return None
    if (thousands := _THOUSANDS.match(plain, end)) and plain[end - 1].isdigit():
        value, end = value * 1000, thousands.end()
    based = said[:2].lower() in {"0x", "0b", "0o"}
    part = Part(value) if 0 < value < 1 and not based and _PART.search(said) else value
    return _money(plain, value, start, end, earliest) or _Read(Amount(part, plain[start:end]), start, end)


def _percentage(plain: str, value: Fraction, start: int, end: int, earliest: int) -> _Read | None:
    """15%, 百分之十五, 三成."""
    if before := _PERCENT_BEFORE.search(plain, earliest, start):
        return _Read(Amount(Percent(value / 100), plain[before.start() : end]), before.start(), end)
    for pattern, whole in ((_PERCENT_AFTER, 100), (_TENTHS_AFTER, 10)):
        if after := pattern.match(plain, end):
            return _Read(Amount(Percent(value / whole), plain[start : after.end()]), start, after.end())
    return None


def _money(plain: str, value: Fraction, start: int, end: int, earliest: int) -> _Read | None:
    """$5, 5 dollars, 5元."""
    if sign := _SIGN_BEFORE.search(plain, earliest, start):
        return _Read(Amount(value, plain[sign.start() : end], currency_named(sign[1])), sign.start(), end)
    named = _money_after().match(plain, end)
    if named is None:
        return None
    return _Read(Amount(value, plain[start : named.end()], currency_named(named[1])), start, named.end())


class _Measure(NamedTuple):
    value: Fraction
    unit: Unit
    start: int
    end: int


def _measured(plain: str, value: Fraction, start: int, end: int) -> _Measure | None:
    """The number at this place with its unit: 5 km, 华氏72度, 三斤半, 一米七五; None where it counts no unit."""
    space = _SPACE.match(plain, end)
    found = unit_at(plain, space.end() if space else end)
    if found is None or not _is_unit(plain, end, found.start, found.end):
        return None
    unit, stop = found.unit, found.end
    name = plain[found.start : stop]
    if (rate := _RATE.match(plain, stop)) and (per := unit_named(f"{name} per {rate[1]}")):
        return _Measure(value, per, start, rate.end())
    if (around := _AROUND.search(plain, max(start - 10, 0), start)) and (meant := _around(around, name)):
        return _Measure(value, meant, around.start(), stop)
    if half := _HALF_AFTER.match(plain, stop):
        return _Measure(value + Fraction(1, 2), unit, start, half.end())
    if name == "米" and (tail := _HEIGHT.match(plain, stop)):
        decimals = "".join(str("零一二三四五六七八九".find(digit) % 10) if digit > "9" else digit for digit in tail[0])
        return _Measure(value + Fraction(f"0.{decimals}"), unit, start, tail.end())
    return _Measure(value, unit, start, stop)


def _around(match: re.Match[str], name: str) -> Unit | None:
    """The unit that words on both sides of a number make: 每秒…米, 时速…公里, 华氏…度."""
    if match["scale"]:
        return unit_named(match["scale"]) if name in {"度", "°"} else None
    time = match["time"] or match["speed"]
    return unit_named(f"{name}每{'小时' if time == '时' else time}")


def _is_unit(plain: str, number_end: int, start: int, end: int) -> bool:
    """Not the preposition of "5 in cm", nor the ending of "1st"."""
    name = plain[start:end].lower()
    if name == "in":
        return _INCH_ENDS.match(plain, end) is not None
    return name != "st" or start > number_end


def _merged(tokens: Tokens) -> Tokens:
    """Measures that belong together as one: 5 feet 7 inches."""
    text, amounts = tokens.text, dict(tokens.amounts)
    position = 0
    while match := _COMPOUND.search(text, position) or _FEET.search(text, position):
        first, second = amounts[match[1]], amounts[match[match.lastindex or 2]]
        small = second.unit or unit_named(_LEFT_OUT.get(first.unit.symbol if first.unit else "", ""))
        between = match[2] if match.lastindex == 3 else ""  # noqa: PLR2004 - the pattern with something in between
        position = match.start() + 1
        if first.unit is None or small is None or not _joins(first.unit, second.value, small, between):
            continue
        value = first.value + second.value * small.factor / first.unit.factor
        letter = chr(MEASURE + len(amounts))
        amounts[letter] = Amount(value, f"{first.text} {second.text}", unit=first.unit)
        text, position = text[: match.start()] + letter + text[match.end() :], match.start()
    return Tokens(text, amounts)


def _joins(larger: Unit, amount: Fraction, smaller: Unit, between: str) -> bool:
    """Whether two measures are one: 5 feet 7 inches, 1 hour and 30 minutes, 三斤二两."""
    same = larger.kind == smaller.kind and not larger.inverse and larger.kind != "temperature"
    spoken = not between.strip(" ,") or larger.kind == "time" or larger.symbol in {"ft", "lb", "st", "yd", "year"}
    return same and spoken and larger.factor > smaller.factor and amount * smaller.factor < larger.factor
