"""What a text asks to convert: 5 miles in km, how many seconds are in a day, 3斤苹果是多少克.

The measures of the text are taken out already; what stays is how the question is put and the unit it asks for.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from switchyard.language.arithmetic.operations import misread, refused
from switchyard.language.arithmetic.patterns import Pattern, worded
from switchyard.language.arithmetic.tokens import Tokens
from switchyard.language.errors import Misread, Unreadable
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
            raise refused("That is below absolute zero: no temperature is.")
        return target.from_base(base)

    def _through_days(self) -> Fraction:
        """Years as days: of 365, as the answer says. Months have no one length."""
        source, target = self.source, self.target
        for unit in (source, target):
            if unit.kind.startswith("ton,"):
                raise _ambiguous(unit)
        months = {source.symbol, target.symbol} & {"month", "quarter"}
        if months or not _go_together(source, target):
            raise Misread(
                f"{_called(source)} measures {source.kind}, {_called(target)} {target.kind}: "
                "neither becomes the other.",
                hint="Name two units of the same kind.",
            )
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
    return Misread(f"'{unit.symbol}' can mean {unit.kind.partition('which is ')[2]}.", hint="Say which one.")


def _called(unit: Unit) -> str:
    return " / ".join(dict.fromkeys((unit.symbol, unit.chinese)))


_MEANINGS = {
    "IS": "is|are|equals|equal|make|makes|does|do|would be|will be|was",
    "THAT": "that|this|it|those|these",
    "LARGE": "much|far|long|tall|heavy|big|fast|high|hot|warm|cold|large|deep|wide|old",
    "TO": "to|in|into|as|=|-[>]|=[>]|→",
    "CONVERT": "convert|change|turn|express|put|translate|give",
    "BECAUSE": "i|we|it|for|because|since|my|this",
    "HAS": "equal|make|have|contain|weigh|last|take|be|come to",
}
_FORMS = (
    "CONVERT? W {M} W (expressed|measured|given|converted|written|is)? TO the? {T} (, BECAUSE X)?",
    "W how (many|much) {T} ((are|is) there)? IS? (in|to|for|per)? W {M} W HAS?",
    "W {M} W (IS|=|contains|has|have|weighs) to? (how (many|much)|what in) {T}",
    "W {M} = [?] {T}",
    "Y {M} Y PAUSE so? how (many|much) {T} IS THAT W",
    "Y {M} Y PAUSE so? (what|how LARGE) (is|are|would|does)? THAT? be? in {T}",
    "Y {M} Y PAUSE (THAT|which) is how (many|much) {T}",
    "Y {M} Y PAUSE (tell|give|show|convert|express|put)? me? THAT (in|to|into) {T}",
    "the? (number of)? {T} are? there? (in|per) W {M} W",
    "how LARGE (is|are) W {M} W in {T}",
    "[把将]?V{M}V(换算|转换|转化|折算|折合|换|转|变|改|化|写)(一下)?[成为到作]?(多少|几)?个?{T}(来?表示)?",
    "V{M}V(等于|相当于|是|有|合|为|=|约|大约|大概|能换|差不多|应该|就是|也就是|一共|总共|折合)*,?(多少|几)个?{T}",
    "V{M}V,?[用以按]{T}(来|做单位|作单位|为单位|作为单位)?(表示|计算|算|计|说)?[是为]?(多少)?",
    "(多少|几)个?{T}(等于|是|合|相当于){M}V",
    "V{M}V,?(等于|是|合|换成|换算成)?<摄氏|华氏>[是为]?(多少|几)度",
    "{M}V[到=]{T}",
)
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


@cache
def _forms() -> list[Pattern]:
    return [Pattern(form, _MEANINGS) for form in _FORMS]


def read_conversion(text: str, tokens: Tokens) -> Conversion | None:
    """The conversion a text asks for, its measures taken out; None when it asks for none."""
    forms = _forms()  # its words are known before a text is put in words
    said = worded(text)
    for form in forms:
        match = form.match(said)
        found = [said.kept(match, group) or "" for group in (1, 2)] if match else []
        for source, name in (found, found[::-1]) if found else ():
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
    return misread(f"'{match['name'][:40]}' is no unit I know, so it cannot be converted to '{match['target']}'.")


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
        raise misread("A unit is missing.")
    if unit.symbol == "°" and target.kind == "temperature":
        return unit_named("°F" if target.symbol == "°C" else "°C") or unit
    return unit
