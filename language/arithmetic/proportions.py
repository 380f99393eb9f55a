"""So much of one thing where another amount of it is known to be so much of a second: 12400张纸，500张一令，是多少令.

Of money at a rate, the stronger currency is the one that is worth more of the other; of two that are about equal in
worth a bare rate says nothing.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from switchyard.language.arithmetic.amounts import ANY, MONEY, Tokens, currencies
from switchyard.language.arithmetic.operations import Amount, clean
from switchyard.language.numbers import written
from switchyard.language.units import Unit, unit_named

_NOUN = "[\u4e00-\u9fff]{0,4}?"


def _thing(name: str) -> str:
    return rf"(?P<{name}>[{ANY}])(?P<{name}_noun>{_NOUN})"


_PAIR = (
    rf"(?:每(?P<every_noun>{_NOUN})|{_thing('one')})(?:等于|兑换?|换|合|折合|是|为|装|有|=)?"
    rf"{_thing('other')}"
)
_HAVE = _thing("have")
_ASKS = "[,?]?(?:那|那么|就|一共|总共|合|折合|等于|相当于|是|有|能换|可以换|能装|可以装|要|,)*(?:多少|几)个?"
_ASKED = rf"{_ASKS}(?P<asked>{_NOUN})"
_SAID = r"(?:按照?|如果|假如|以|若|,)*"
_FORMS = tuple(
    re.compile(form)
    for form in (rf"{_HAVE}(?:,|按照?){_SAID}{_PAIR}(?:来?算|计算?)?{_ASKED}", rf"{_SAID}{_PAIR},{_HAVE}{_ASKED}")
)
_MONEY = f"[{chr(MONEY)}-{chr(MONEY + 0xFFF)}]"
_RATES = (
    re.compile(
        rf"(?P<have>{_MONEY})(?:人民币)?,?(?:按照?|以)(?:汇率)?(?P<rate>[{ANY}])(?:的?汇率)?(?:来?算|计算?|换算)?"
        rf"[,]?(?:能换|可以换|换成?|折合|合|等于|是|值)*(?:多少|几)(?P<asked>{_NOUN})"
    ),
    re.compile(
        rf"(?i)(?:convert )?(?P<have>{_MONEY}) (?:is |in |to |into )*(?:how (?:many|much) )?(?P<asked>[a-z]+),? "
        rf"(?:at|with|using|for) (?:an? |the )?(?:(?:exchange )?rate (?:of )?)?(?P<rate>[{ANY}])"
    ),
)
_STRONG = frozenset({"$", "€", "£", "瑞士法郎"})


def find_proportion(text: str, tokens: Tokens) -> tuple[str, Unit | None] | None:
    """What a text asks for as an expression, and the unit it is in; None where it asks for no such thing."""
    for match in filter(None, (form.fullmatch(text) for form in _FORMS)):
        have, one, other = (_meant(match, name, tokens) for name in ("have", "one", "other"))
        asked = _named(match["asked"])
        if _same(have, other) and _same(asked, one):
            return f"{have.letter} / {other.letter} * {one.letter}", one.unit
        if _same(have, one) and _same(asked, other):
            return f"{have.letter} / {one.letter} * {other.letter}", other.unit
    for match in filter(None, (form.fullmatch(text) for form in _RATES)):
        have, rate = tokens.amounts[match["have"]], tokens.amounts[match["rate"]]
        asked, strong = _named(match["asked"].lower()), have.unit is not None and have.unit.symbol in _STRONG
        if asked.unit and rate.unit is None and rate.value != 1 and strong != (asked.unit.symbol in _STRONG):
            operator = "*" if strong == (rate.value > 1) else "/"
            return f"{_bare(have, tokens)} {operator} {match['rate']}", asked.unit
    return None


class _Counted(NamedTuple):
    """A number of things: the sign for the number alone, what the things are called, their unit where they have one."""

    letter: str
    noun: str
    unit: Unit | None


def _meant(match: re.Match[str], name: str, tokens: Tokens) -> _Counted:
    amount = tokens.amounts[match[name]] if match[name] else Amount(Fraction(1), "1")
    noun = match["every_noun"] if not match[name] else match[f"{name}_noun"]
    return _Counted(_bare(amount, tokens), noun, amount.unit)


def _bare(amount: Amount, tokens: Tokens) -> str:
    return tokens.letter(Amount(amount.value, written(clean(amount.value))))


def _named(noun: str) -> _Counted:
    return _Counted("", noun, currencies().get(noun) or unit_named(noun))


def _same(one: _Counted, other: _Counted) -> bool:
    """Whether two are of one kind: of one unit, or, without any, called alike: 12400张纸, 500张."""
    if one.unit or other.unit:
        return one.unit == other.unit
    return bool(one.noun and other.noun) and (one.noun.startswith(other.noun) or other.noun.startswith(one.noun))
