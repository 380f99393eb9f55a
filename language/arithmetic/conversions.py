"""What a text asks to convert: 5 miles in km, how many seconds are in a day, 3斤苹果是多少克.

The measures of the text are taken out already; what stays is how the question is put and the unit it asks for.
"""

import re
from fractions import Fraction

from switchyard.language.arithmetic.amounts import Tokens
from switchyard.language.arithmetic.operations import Amount
from switchyard.language.arithmetic.sentences import matches
from switchyard.language.errors import Impossible, Misread
from switchyard.language.messages import message
from switchyard.language.numbers import written
from switchyard.language.units import UNKNOWN, Unit, unit_at, unit_named

_COMMON_YEAR = 365 * 86400
_IN_DAYS = {"time", "months of no fixed length"}
_ARTICLE = re.compile(r"(?i)^(?:the\s|个)|的$")
_THING = re.compile(r"(?i)\s+of\s+[a-z]+(?:\s[a-z]+)?$")
_NOUN = re.compile("的?(?:(?![每多少几是等为合])[\u4e00-\u9fff]){1,3}")
_ASKED = re.compile(
    r"(?i)\b(?:convert|change|turn|express|equals?)\b|^\S{1,2} (?:in|to|into) [a-z]+$"
    r"|换算|换成|转[换成为]|折合|等于|相当于"
)
"""Words that ask for a conversion and nothing else: what does not fit together is said, not left to others."""


def find_conversion(text: str, tokens: Tokens) -> tuple[Amount, Unit] | None:
    """The measure that a text asks to convert, and the unit to convert it to; None when it asks for none."""
    for _, parts in matches(text, convert=True):
        for source, name in (parts, parts[::-1]):
            target = _target(name.strip(" .-"))
            amount = tokens.amounts.get(source[-1])
            if target is None or amount is None or amount.unit is None:
                continue
            unit = amount.unit
            if unit.symbol == "°" and target.kind == "temperature":  # 72 degrees in Celsius are of the other scale
                unit = unit_named("°F" if target.symbol == "°C" else "°C") or unit
            if _go_together(unit, target) or _ASKED.search(text):
                return Amount(-amount.value if len(source) > 1 else amount.value, tokens.spoken(source), unit), target
    return None


def converted(amount: Amount, target: Unit) -> Amount:
    """The measure in another unit.

    Raises:
        Unreadable: the units measure different things, or the measure cannot be.
    """
    source, value = amount.unit or UNKNOWN, Fraction(amount.value)
    if source == UNKNOWN:
        return Amount(value, unit=target)
    for unit in (source, target):
        if unit.kind.startswith("ton,"):
            meanings = unit.kind.partition("which is ")[2]
            raise Misread(message("unit_ambiguous", unit=unit.symbol, meanings=meanings), hint=message("say_which"))
    if source.inverse != target.inverse and value == 0:
        raise Impossible(message("divides_by_zero"))
    if source.kind != target.kind:
        return Amount(_through_days(value, source, target), unit=target)
    base = source.to_base(value)
    if target.kind == "temperature" and base < 0:
        raise Impossible(message("absolute_zero"))
    return Amount(target.from_base(base), unit=target)


def _through_days(value: Fraction, source: Unit, target: Unit) -> Fraction:
    """Years as days: of 365, as the answer says. Months have no one length."""
    if {source.symbol, target.symbol} & {"month", "quarter"} or not _go_together(source, target):
        unit, other = (" / ".join(dict.fromkeys((unit.symbol, unit.chinese))) for unit in (source, target))
        differ = message("units_differ", unit=unit, other=other, measured=source.kind, wanted=target.kind)
        raise Misread(differ, hint=message("name_like_units"))
    if source.kind == "time":
        return source.to_base(value) / (target.factor / 12 * _COMMON_YEAR)
    return target.from_base(source.to_base(value) / 12 * _COMMON_YEAR)


def shown_measure(amount: Amount, target: Unit, *, chinese: bool) -> str:
    """`72 °F`, 72 华氏度; of a year, how long it is taken to be."""
    unit = amount.unit or UNKNOWN
    year = ("（一年按365天）" if chinese else " (365 days a year)") if unit.kind != target.kind else ""
    return f"{written(Fraction(amount.value)).replace('⁄', '/')} {unit.name(chinese=chinese)}{year}"


def _go_together(unit: Unit, target: Unit) -> bool:
    return unit.kind in {target.kind, UNKNOWN.kind} or {unit.kind, target.kind} == _IN_DAYS


def _target(name: str) -> Unit | None:
    """The unit that is asked for: metres, litres of water, 个小时, 升水."""
    name = _ARTICLE.sub("", name).replace("个月", "月").replace("月", "个月")
    found = unit_named(name) or unit_named(_THING.sub("", name))
    if found is None and (begins := unit_at(name, 0)) and _NOUN.fullmatch(name, begins.end):
        return begins.unit
    return found
