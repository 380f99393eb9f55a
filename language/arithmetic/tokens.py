"""A text with its amounts taken out: each number, percentage, sum of money or measure becomes one character.

What is left is short and has no digits, so that patterns over it are exact and quick. Four planes of private-use
characters tell the four kinds apart.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from switchyard.language.arithmetic.measures import joins, measured, ones
from switchyard.language.arithmetic.operations import Part, Percent
from switchyard.language.numbers import number_spans
from switchyard.language.units import Unit, unit_named

NUMBER, PERCENT, MONEY, MEASURE = 0xF0000, 0xF1000, 0xF2000, 0xF3000


def _class(*planes: int) -> str:
    return "".join(f"{chr(first)}-{chr(first + 0xFFF)}" for first in planes)


PERCENTS, MEASURES, PLAIN = _class(PERCENT), _class(MEASURE), _class(NUMBER)
COUNTS = _class(NUMBER, MONEY, MEASURE)
ANY = COUNTS + PERCENTS
"""The characters of each kind, for a class in a pattern."""

CURRENCIES = {
    "$": r"us\$|\$|us dollars?|dollars?|bucks?|usd|美元|美金",
    "€": "€|euros?|eur|欧元",
    "£": "£|quid|gbp|british pounds?|pounds? sterling|英镑",
    "¥": "¥",
    "元": "元钱?|块钱|块(?![糖石肉布木砖玻饼面地电巧蛋豆香披])|人民币|rmb|cny|yuan",
    "日元": "日元|日圆|yen|jpy",
    "港元": r"hk\$|港币|港元|hkd",
    "₹": "₹|rupees?|inr|卢比",
}
_SIGN_BEFORE = re.compile(r"(us\$|hk\$|[$€£¥₹])\s?$", re.IGNORECASE)
_MONEY_AFTER = re.compile(rf"\s?({'|'.join(CURRENCIES.values())})(?![a-z])", re.IGNORECASE)
_PERCENT_BEFORE = re.compile(r"百分之\s?$")
_PERCENT_AFTER = re.compile(r"\s?(?:%(?!\s*[0-9(])|per\s?cents?\b|percents?\b)", re.IGNORECASE)
_TENTHS_AFTER = re.compile(r"成(?=$|[的是,.?])")
_COINS = re.compile(r"\s?(?:毛|角)钱?")
_COINS_AFTER = re.compile(r"([0-9]|[一二三四五六七八九])(?:毛|角)?钱?(?![0-9.万千百十个位名天份人])")
_PART = re.compile("[a-z]|分之|半", re.IGNORECASE)
_HAN_DIGITS = "零一二三四五六七八九"
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


def tokenise(plain: str, *, measures: bool = False, known: Mapping[str, Amount] | None = None) -> Tokens:
    """The text with its amounts taken out.

    Args:
        plain: the text, prepared.
        measures: a number and its unit are one amount.
        known: amounts whose characters stand in the text already.
    """
    amounts = dict(known or {})
    pieces, position = list[str](), 0
    found = sorted(_numbers(plain, measures=measures), key=lambda span: (span[1], -span[2]))
    for value, start, end in found:
        if start < position:
            continue
        read = _amount(plain, value, start, end, position, measures=measures)
        if read is None:
            continue
        amount, begin, stop = read
        letter = chr(amount.plane + len(amounts))
        amounts[letter] = amount
        pieces += [plain[position:begin], letter]
        position = stop
    text = _HAN_SPACE.sub(r"\1", "".join(pieces) + plain[position:])
    return _merged(Tokens(text, amounts)) if measures else Tokens(text, amounts)


def _numbers(plain: str, *, measures: bool) -> list[tuple[Fraction, int, int]]:
    mixed = [
        (Fraction(int(whole or 0)) + Fraction(int(above), int(below)), match.start(), match.end())
        for match in _MIXED.finditer(plain)
        for whole, above, slash, below in (match.groups(),)
        # 3/4 is a division like any other; 1 3/4 and ¾ are numbers
        if int(below)
        and (slash == "⁄" or (whole and int(above) < int(below)) or _is_part(plain, match, measures=measures))
    ]
    spans = [
        (number.value, number.start, number.end)
        for number in number_spans(plain)
        if not _ASKED_UNIT.search(plain, max(number.start - 3, 0), number.end)
    ]
    free = [span for span in spans if not any(start < span[2] and span[1] < end for _, start, end in mixed)]
    return [*mixed, *free, *(ones(plain) if measures else [])]


def _is_part(plain: str, match: re.Match[str], *, measures: bool) -> bool:
    """Whether a/b is a part of something: 3/4 of 120, 120的3/4, 3/4 cup."""
    spaced = _OF.match(plain, match.end())
    return (
        spaced is not None
        or plain.endswith("的", 0, match.start())
        or (measures and measured(plain, Fraction(1), match.start(), match.end()) is not None)
    )


def _amount(
    plain: str, value: Fraction, start: int, end: int, earliest: int, *, measures: bool
) -> tuple[Amount, int, int] | None:
    """The number at this place with what belongs to it on both sides."""
    measure = measured(plain, value, start, end) if measures else None
    if found := _percentage(plain, value, start, end, earliest):
        return found
    if measure:
        begin, stop = max(measure.start, earliest), measure.end
        return Amount(measure.value, plain[begin:stop], unit=measure.unit), begin, stop
    said = plain[start:end]
    if said.lower() in {"a", "an"}:
        return None
    if (thousands := _THOUSANDS.match(plain, end)) and plain[end - 1].isdigit():
        value, end = value * 1000, thousands.end()
    part = Part(value) if 0 < value < 1 and _PART.search(said) else value
    return _money(plain, value, start, end, earliest) or (Amount(part, plain[start:end]), start, end)


def _percentage(plain: str, value: Fraction, start: int, end: int, earliest: int) -> tuple[Amount, int, int] | None:
    """15%, 百分之十五, 三成."""
    if before := _PERCENT_BEFORE.search(plain, earliest, start):
        return Amount(Percent(value / 100), plain[before.start() : end]), before.start(), end
    if after := _PERCENT_AFTER.match(plain, end):
        return Amount(Percent(value / 100), plain[start : after.end()]), start, after.end()
    if after := _TENTHS_AFTER.match(plain, end):
        return Amount(Percent(value / 10), plain[start : after.end()]), start, after.end()
    return None


def _money(plain: str, value: Fraction, start: int, end: int, earliest: int) -> tuple[Amount, int, int] | None:
    """$5, 5 dollars, 5元, 五毛, 三块五."""
    if sign := _SIGN_BEFORE.search(plain, earliest, start):
        return Amount(value, plain[sign.start() : end], currency_named(sign[1])), sign.start(), end
    if coins := _COINS.match(plain, end):
        return Amount(value / 10, plain[start : coins.end()], "元"), start, coins.end()
    named = _MONEY_AFTER.match(plain, end)
    if named is None:
        return None
    stop = named.end()
    if named[1] == "块" and (coins := _COINS_AFTER.match(plain, stop)):
        digit = _HAN_DIGITS.find(coins[1])
        value, stop = value + Fraction(digit if digit > 0 else int(coins[1]), 10), coins.end()
    return Amount(value, plain[start:stop], currency_named(named[1])), start, stop


def currency_named(name: str) -> str:
    """The sign of a currency; empty where it is none."""
    found = (sign for sign, words in CURRENCIES.items() if re.fullmatch(words, name, re.IGNORECASE))
    return next(found, "")


def _merged(tokens: Tokens) -> Tokens:
    """Measures that belong together as one: 5 feet 7 inches."""
    text, amounts = tokens.text, dict(tokens.amounts)
    position = 0
    while match := _COMPOUND.search(text, position) or _FEET.search(text, position):
        first, second = amounts[match[1]], amounts[match[match.lastindex or 2]]
        small = second.unit or unit_named(_LEFT_OUT.get(first.unit.symbol if first.unit else "", ""))
        between = match[2] if match.lastindex == 3 else ""  # noqa: PLR2004 - the pattern with something in between
        position = match.start() + 1
        if first.unit is None or small is None or not joins((first.value, first.unit), (second.value, small), between):
            continue
        value = first.value + second.value * small.factor / first.unit.factor
        letter = chr(MEASURE + len(amounts))
        amounts[letter] = Amount(value, f"{first.text} {second.text}", unit=first.unit)
        text, position = text[: match.start()] + letter + text[match.end() :], match.start()
    return Tokens(text, amounts)
