"""What a text asks to convert: 5 miles in km, how many seconds are in a day, 3斤苹果是多少克.

The measures of the text are taken out already; what stays is how the question is put and the unit it asks for.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from switchyard.language.arithmetic.amounts import Tokens
from switchyard.language.arithmetic.operations import misread, refused
from switchyard.language.arithmetic.sentences import conversions
from switchyard.language.errors import Misread, Unreadable
from switchyard.language.messages import message
from switchyard.language.numbers import written
from switchyard.language.units import UNKNOWN, Unit, unit_at, unit_named

_COMMON_YEAR = 365 * 86400
_IN_DAYS = {"time", "months of no fixed length"}


@dataclass(frozen=True, slots=True)
class Conversion:
    """An amount in one unit, wanted in another."""

    amount: Fraction
    source: Unit
    target: Unit
    said: str
    """The amount as it was said."""

    @property
    def value(self) -> Fraction:
        """In the target unit.

        Raises:
            Unreadable: the units measure different things, or the amount cannot be.
        """
        source, target = self.source, self.target
        if source == UNKNOWN:
            return self.amount
        if source.kind != target.kind:
            return self._through_days()
        if source.kind.startswith("ton,"):
            raise _ambiguous(source)
        if source.inverse != target.inverse and self.amount == 0:
            raise ZeroDivisionError
        base = source.to_base(self.amount)
        if target.kind == "temperature" and base < 0:
            raise refused(message("absolute_zero"))
        return target.from_base(base)

    def _through_days(self) -> Fraction:
        """Years as days: of 365, as the answer says. Months have no one length."""
        source, target = self.source, self.target
        for unit in (source, target):
            if unit.kind.startswith("ton,"):
                raise _ambiguous(unit)
        months = {source.symbol, target.symbol} & {"month", "quarter"}
        if months or not _go_together(source, target):
            units: dict[str, str] = {"unit": _called(source), "other": _called(target)}
            differ = message("units_differ", **units, measured=source.kind, wanted=target.kind)
            raise Misread(differ, hint=message("name_like_units"))
        if source.kind == "time":
            return source.to_base(self.amount) / (target.factor / 12 * _COMMON_YEAR)
        return target.from_base(source.to_base(self.amount) / 12 * _COMMON_YEAR)

    def shown(self, *, chinese: bool) -> str:
        """`72 °F`, 72 华氏度; of a year, how long it is taken to be."""
        amount = (
            f"{self.amount.numerator}/{self.amount.denominator}"
            if "⁄" in written(self.amount)
            else written(self.amount)
        )
        year = ""
        if self.source.kind != self.target.kind:
            year = "（一年按365天）" if chinese else " (365 days a year)"
        return f"{amount} {self.source.name(chinese=chinese)}{year}"


def _ambiguous(unit: Unit) -> Unreadable:
    meanings = unit.kind.partition("which is ")[2]
    return Misread(message("unit_ambiguous", unit=unit.symbol, meanings=meanings), hint=message("say_which"))


def _called(unit: Unit) -> str:
    return " / ".join(dict.fromkeys((unit.symbol, unit.chinese)))


_ARTICLE = re.compile(r"^(?:the\s|个)|的$", re.IGNORECASE)
_THING = re.compile(r"\s+of\s+[a-z]+(?:\s[a-z]+)?$", re.IGNORECASE)
_NOUN = re.compile("的?(?:(?![每多少几是等为合])[\u4e00-\u9fff]){1,3}")
_ASKED = re.compile(
    r"\b(?:convert|change|turn|express|equals?)\b|^\S{1,2} (?:in|to|into) [a-z]+$"
    r"|换算|换成|转[换成为]|折合|等于|相当于",
    re.IGNORECASE,
)
"""Words that ask for a conversion and nothing else: what does not fit together is said, not left to others."""
_NO_UNIT = re.compile(r"(?:convert )?[0-9.,]+ (?P<name>[a-z]+) (?:to|in|into) (?P<target>[a-z]+)", re.IGNORECASE)


def read_conversion(text: str, tokens: Tokens) -> Conversion | None:
    """The conversion a text asks for, its measures taken out; None when it asks for none."""
    for found in conversions(text):
        for source, name in (found, found[::-1]):
            target = _target(name.strip(" .-"))
            if target is not None and source[-1] in tokens.amounts:
                amount = tokens.amounts[source[-1]]
                unit, sign = _meant(amount.unit, target), -1 if len(source) > 1 else 1
                if _go_together(unit, target) or _ASKED.search(text):
                    return Conversion(sign * amount.value, unit, target, tokens.spoken(source))
    return None


def unknown_unit(plain: str) -> Misread | None:
    """What to say where a text asks for a conversion from what is no unit."""
    match = _NO_UNIT.fullmatch(plain)
    if match is None or unit_named(match["target"]) is None:
        return None
    return misread(message("unit_unknown", name=match["name"][:40], target=match["target"]))


def _go_together(unit: Unit, target: Unit) -> bool:
    return unit.kind in {target.kind, UNKNOWN.kind} or {unit.kind, target.kind} == _IN_DAYS


def _target(name: str) -> Unit | None:
    """The unit that is asked for: metres, litres of water, 个小时, 升水."""
    name = _ARTICLE.sub("", name).replace("个月", "月").replace("月", "个月")
    found = unit_named(name) or unit_named(_THING.sub("", name))
    if found is None and (begins := unit_at(name, 0)) and _NOUN.fullmatch(name, begins.end):
        return begins.unit
    return found


def _meant(unit: Unit | None, target: Unit) -> Unit:
    """Degrees are those of the other scale where a temperature is asked for: 72 degrees in Celsius."""
    if unit is None:
        raise misread(message("unit_missing"))
    if unit.symbol == "°" and target.kind == "temperature":
        return unit_named("°F" if target.symbol == "°C" else "°C") or unit
    return unit
