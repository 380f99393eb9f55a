"""The words of a sum: its amounts, each a number with its unit, currency or percent sign, and every word between them.

What the words do is told in `data/functions.tsv` (operations) and `data/arithmetic.tsv` (roles in prose, and how an
answer is wanted); of words that begin alike the longest is read.
"""

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from switchyard.language.arithmetic.operations import MAX_DIGITS, Amount, Percent
from switchyard.language.errors import Impossible
from switchyard.language.messages import message
from switchyard.language.numbers import FoundNumber, narrow, number_spans
from switchyard.language.tables import phrases, rows
from switchyard.language.units import Unit, unit_at, unit_named

_VULGAR = "½1⁄2 ⅓1⁄3 ⅔2⁄3 ¼1⁄4 ¾3⁄4 ⅛1⁄8 ⅜3⁄8 ⅝5⁄8 ⅞7⁄8"
_SIGNS = "，, ；; ：: 。. ？? ！! （( ）) 【( 】) [( ]) ’' ‘' ﹪% －- −- –- —- ✕× ·× ⋅× ∙× ∕/ ￥¥ ≈="
_TYPED = str.maketrans(
    {pair[0]: pair[1:] for pair in _SIGNS.split()} | {pair[0]: f" {pair[1:]}" for pair in _VULGAR.split()}
)
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000f0000-\U000fffff]")
_TOO_LONG = re.compile(rf"(?i)[0-9][0-9,.]{{{MAX_DIGITS},}}|[0-9.]e[+-]?[0-9]{{4,}}")
_DECIMAL_ASKED = r"(?:数|\s?(?:number|value))?\s?({})(?![0-9a-z_.])(?=.*(?:\bdecimal|十进制))"
_SPOKEN = tuple(
    (re.compile(pattern, re.IGNORECASE), outcome)
    for pattern, outcome in (
        (r"(?<![0-9a-z])(?!0\s?x)([0-9.]+|\))\s?x\s?(?=[0-9(])", r"\1×"),  # 3x4, 3 x 4
        (r"(摄氏|华氏)(?:是|为)?(多少|几|[0-9.零一二三四五六七八九十百]+)度", r"\2\1度"),
        (r"这(?:[0-9]+|[两二三四五六七八九十几])个(?:数字?|值|金额|价格)", ""),
        (r"零下(?=\s?[0-9零一二两三四五六七八九十])", "-"),
        (r"(?:\bhex(?:adecimal)?|十六进制)" + _DECIMAL_ASKED.format("[0-9a-f]+"), r"0x\1"),
        (r"(?:\bbinary|二进制)" + _DECIMAL_ASKED.format("[01]+"), r"0b\1"),
        (r"(?<![0-9)])!+$", ""),
        (r"\(([^()]*(?:位小数|decimals?|places?))\)$", r",\1"),
        (r"([a-z]\s?)\(\(([^()]*)\)\)", r"\1(\2)"),  # mean([1, 2])
        (r"\s*([\u3400-\u9fff、])\s*", r"\1"),
    )
)
_CALL = re.compile(r"(?i)[a-z]\s?\(")
COUNTS_NOTHING = re.compile(
    r"(?i)(?<![0-9.])[12][0-9]{3}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2}|年)"
    r"|(?<![0-9./])[0-9]{1,2}[/.][0-9]{1,2}[/.](?:[0-9]{2}){1,2}(?![0-9./])"
    r"|[0-9一二三四五六七八九十]月\s*[0-9一二三四五六七八九十]|(?<![0-9.,a-z])0[0-9]|[0-9]\.[0-9]+\.[0-9]"
    r"|(?<![0-9])[0-9]{3}-[0-9]{3}-[0-9]{4}(?![0-9])|^[0-9]{3}-[0-9]{4}$"
    r"|(?<![0-9A-Za-z])(?-i:[A-Z]{1,5})-[0-9]+(?-i:[A-Z])?(?![0-9A-Za-z.])"
    r"|(?<![0-9:])[0-2]?[0-9]:[0-5][0-9](?![0-9])|[0-9一二三四五六七八九十]点(?:半|[0-9]|钟)|\b[0-9]{1,2}\s?[ap]m\b"
)
"""The digits of a date, a clock, a telephone number, a version, the number of an order, a code: HY-15T."""
_BASED = re.compile(r"(?i)(?<![0-9a-z_.])0(?:x[0-9a-f]+|b[01]+)(?![0-9a-z_.])")
_FRACTION = re.compile(
    r"(?i)(?<![0-9.,/⁄^])(?:([0-9]{1,6})\s)?([0-9]{1,6})([/⁄])([1-9][0-9]{0,5})(?![0-9.,/⁄]*[0-9/⁄])(\s?[a-z\u4e00-\u9fff])?"
)
"""3/4 is a division like any other, but 1 3/4, ¾ and 3/4 of 120 are numbers."""
_ONE = re.compile(r"(?i)\b(an?)\s+(?=[a-z]{3})")
_SOMEONE = re.compile(
    r"(?i)\b(?!(?:are|and|for|with|than|from|times|plus|minus|over|per|into)\b)[a-z]{3,} one(?= [a-z]+s\b)"
)
"""No number: the little one has, this one weighs."""
_NOT_TWO = re.compile("[少几成为]个?两$")
"""两 asked for is the unit, not the number."""

_SIGN_BEFORE = re.compile(r"(?i)(us\$|hk\$|[$€£¥₹])\s?$")
_NO_MONEY = "(?![板糖石肉布木砖玻饼面地电巧蛋豆香披])"
"""What 块 counts that is no money."""
_PERCENT_BEFORE = re.compile(r"百分之\s?$")
_PERCENT_AFTER = re.compile(r"(?i)%(?![0-9(])|\s?(?:%(?!\s*[0-9(])|per\s?cents?\b|percents?\b)|成(?=$|[的是,.?定订])")
_BELOW_ZERO = re.compile(r"(?i)(?:^|[,:是为把]\s?|\b(?:is|of|at|convert)\s)((?:-|minus |负)\s?)$")
_AND_A_HALF = re.compile(r"半(?=$|[是等合为的,?换])")
"""三斤半, 两米半."""
_THOUSANDS = re.compile(r"(?i)(?<=[0-9])k(?![a-z0-9])")
_SPACE = re.compile(r"\s?-?(?:个(?!月))?")
_NO_UNIT = re.compile(
    r"in(?!\s*(?:$|[?,;:.)=*]|(?:in|to|into|as|is|are|equals?|tall|long|wide|high|by|and)\b))|k|st"
    r"|里(?=[面的,0-9])|平(?=[均分摊方])|升(?=[到至了高幅值])|节(?=[省约])"
)
"""Words that look like a unit: the preposition of "5 in cm", 30k, 从80升到100."""

_SMALL = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_LISTED = frozenset({"changing", "changing_characters", "numbered"})
_Read = tuple[Amount, int, int]
"""An amount with where it begins and ends."""


class Word(NamedTuple):
    """A word in small letters, or an amount, and where it stands."""

    text: str
    start: int
    end: int
    amount: Amount | None = None


def prepared(text: str) -> str:
    """The text with signs of all kinds as ASCII and single spaces.

    Raises:
        Impossible: a number has more digits than are computed.
    """
    plain = narrow(_INVISIBLE.sub(" ", text).translate(_TYPED))
    if _TOO_LONG.search(plain):
        raise Impossible(message("number_too_long", digits=MAX_DIGITS))
    for pattern, outcome in _SPOKEN:
        plain = pattern.sub(outcome, plain)
    if _CALL.search(plain):  # there `1,234` is two numbers
        plain = plain.replace(",", ", ")
    return " ".join(plain.split())


def find_words(plain: str, known: dict[str, Amount]) -> list[Word]:
    """Every word of a prepared text, in which the characters of `known` stand for amounts."""
    found, position = list[Word](), 0
    for amount, start, end in _amounts(plain, known):
        found += _between(plain, position, start)
        last = found[-1].amount if found and found[-1].end == len(plain[:start].rstrip()) else None
        if last and (whole := _compound(last, amount)):  # 5 feet 7 inches
            found[-1] = Word("", found[-1].start, end, replace(whole, text=plain[found[-1].start : end]))
        else:
            found.append(Word("", start, end, replace(amount, text=amount.text or plain[start:end])))
        position = end
    return [*found, *_between(plain, position, len(plain))]


@cache
def said(kind: str) -> frozenset[str]:
    """The words of a kind of row in `data/arithmetic.tsv`; courtesy is `polite` on either side, and `thanks` behind."""
    shared = {"polite": ("before", "asking", "filler", "after", "particle"), "thanks": ("after", "particle")}
    words = (*phrases("arithmetic", kind), *(word for key in shared.get(kind, ()) for word in phrases("courtesy", key)))
    return frozenset(words) - {"-"}


@cache
def currencies() -> dict[str, Unit]:
    """Every currency by its names, in small letters; those that name a unit too (pounds) are none here."""
    found: dict[str, Unit] = {}
    for row in rows("currencies"):
        unit = Unit(row[1], f"currency {row[1]}", Fraction(1), row[1])
        names = (name for cell in row[1:] for name in cell.split("|"))
        found |= {name.lower(): unit for name in names if name and unit_named(name) is None}
    return found


def named_unit(plain: str, start: int) -> tuple[Unit, int] | None:
    """The unit or the currency whose name begins at a place, and where it ends; the longer one."""
    found, named = unit_at(plain, start), _money_after().match(plain, start)
    if named and (found is None or named.end() > found.end):
        return currencies()[named[1].lower()], named.end()
    if found is None and plain.startswith("月", start):  # 每月
        found = unit_at(f"{plain[:start]}个{plain[start:]}", start)
    return (found.unit, found.end) if found else None


def _between(plain: str, start: int, end: int) -> list[Word]:
    return [Word(match[0], *match.span()) for match in _pattern().finditer(plain.translate(_SMALL), start, end)]


def _alternatives(words: set[str]) -> str:
    """Some words as a pattern, the longest first; those of letters begin and end where a word does."""
    longest = sorted(words, key=len, reverse=True)
    spelled = "|".join(re.escape(word) for word in longest if word.isascii() and word[0].isalpha())
    return "|".join(
        [
            rf"(?<![a-z])(?:{spelled})(?![a-z]|(?<=\be)-[a-z])",  # no e-bike
            *(re.escape(word) for word in longest if not word[0].isascii() or not word[0].isalpha()),
        ]
    )


@cache
def _pattern() -> re.Pattern[str]:
    tables = [row[1:] for table in ("functions", "arithmetic") for row in rows(table) if row[0] not in _LISTED]
    words = {word for cells in tables for cell in cells for word in cell.split("|") if word}
    words |= said("polite") | said("thanks")
    return re.compile(rf"{_alternatives(words)}|[^\W\d_\u3400-\u9fff](?:[^\W\d_\u3400-\u9fff]|['²³-])*|[0-9.]+|\S")


@cache
def _money_after() -> re.Pattern[str]:
    return re.compile(rf"(?i)\s?({_alternatives({*currencies()} - {'块'})}|块{_NO_MONEY})")


def _amounts(plain: str, known: dict[str, Amount]) -> list[_Read]:
    """Every amount with where it stands, from left to right; of two that begin at one place the longer."""
    numbers = [FoundNumber(Fraction(int(match[0], 0)), *match.span()) for match in _BASED.finditer(plain)]
    for match in _FRACTION.finditer(plain):
        whole, above, slash, below, follows = match.groups()
        if slash == "⁄" or whole or follows or plain.endswith("的", 0, match.start()):
            value = int(whole or 0) + Fraction(int(above), int(below))
            numbers.append(FoundNumber(value, match.start(), match.end(4)))
    someone = {match.end() for match in _SOMEONE.finditer(plain)}
    spans = (one for one in number_spans(plain) if one.end not in someone)
    numbers += [one for one in spans if not _NOT_TWO.search(plain, 0, one.end)]
    ones = (match.span(1) for match in _ONE.finditer(plain))
    counts = (span for span in ones if _measured(plain, Fraction(1), span[1]) or _money_after().match(plain, span[1]))
    numbers += [FoundNumber(Fraction(1), *span) for span in counts]
    found: list[_Read] = [(known[sign], at, at + 1) for sign in known if (at := plain.find(sign)) >= 0]
    position = 0
    for number in sorted(numbers, key=lambda number: (number.start, -number.end)):
        if number.start >= position:
            found.append(_amount(plain, *number, position))
            position = found[-1][2]
    return sorted(found, key=lambda one: one[1])


def _amount(plain: str, value: Fraction, start: int, end: int, earliest: int) -> _Read:
    """The number at this place with what belongs to it on both sides, but not before `earliest`."""
    if before := _PERCENT_BEFORE.search(plain, earliest, start):
        return Amount(Percent(value / 100)), before.start(), end
    if after := _PERCENT_AFTER.match(plain, end):
        return Amount(Percent(value / (10 if after[0] == "成" else 100))), start, after.end()
    if measure := _measured(plain, value, end):
        amount, stop = measure
        below = _BELOW_ZERO.search(plain, earliest, start) if amount.unit and amount.unit.offset else None
        return (replace(amount, value=-value), below.start(1), stop) if below else (amount, start, stop)
    if thousands := _THOUSANDS.match(plain, end):
        value, end = value * 1000, thousands.end()
    if sign := _SIGN_BEFORE.search(plain, earliest, start):
        return Amount(value, currencies()[sign[1].lower()]), sign.start(), end
    if named := _money_after().match(plain, end):
        return Amount(value, currencies()[named[1].lower()]), start, named.end()
    return Amount(value), start, end


def _measured(plain: str, value: Fraction, end: int) -> tuple[Amount, int] | None:
    """The number at this place with its unit, and where that ends; None where it counts no unit."""
    space = _SPACE.match(plain, end)
    found = unit_at(plain, space.end() if space else end)
    other = _NO_UNIT.match(plain, found.start) if found else None
    if found is None or (other and other.end() == found.end):
        return None
    half = _AND_A_HALF.match(plain, found.end)
    return Amount(value + Fraction(bool(half), 2), found.unit), half.end() if half else found.end


def _compound(large: Amount, small: Amount) -> Amount | None:
    """One measure of two that stand side by side: 5 feet 7 inches, 三斤二两."""
    if large.unit is None or small.unit is None or large.unit.kind != small.unit.kind or large.unit.offset:
        return None
    rest = small.value * small.unit.factor / large.unit.factor
    return Amount(large.value + rest, large.unit) if large.unit.factor > small.unit.factor and rest < 1 else None
