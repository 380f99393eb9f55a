"""Figures in prose, worked out by their dimensions: 90 litres at 1.689 a litre, 655公里骑14天，平均每天多少公里.

Every figure is so much of something: of a unit, of a currency, of things with a name, or so much for each of another
(48 an hour, 每箱24瓶). What is asked for is something too. The figures are multiplied and divided in the one way that
uses them all and leaves what is asked for; where there is none, or several come to different results, nothing is read.
What is added (plus a fee of 25) is worked out apart; a percentage is taken of all. The words that matter have their
roles in `data/arithmetic.tsv`; any other must be one that changes nothing.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product, takewhile
from typing import NamedTuple

from switchyard.language.arithmetic.operations import Amount, Percent, applied
from switchyard.language.arithmetic.words import Word, currencies, named_unit, said
from switchyard.language.errors import Impossible, Misread
from switchyard.language.lexicon import stem
from switchyard.language.messages import message
from switchyard.language.numbers import written
from switchyard.language.tables import listed, rows, values
from switchyard.language.units import UNKNOWN, Unit, unit_named

_MOST = 6
"""Figures of one question."""
_CONVERSION = 5
"""Words of a text that asks for a conversion and nothing else: what does not fit together is said."""
_PAID = frozenset(("pay", "cost", "costs", "bill", "charge", "多少钱", "几块钱", "多少块钱"))
_OPEN = "?"
"""What a bare number counts: whatever fits."""
PER_CENT = Unit("%", "percent", Fraction(1), "%")
"""The unit of an answer that was asked for in percent."""
_MADE_OF = {
    "area": {"length": 2},
    "volume": {"length": 3},
    "speed": {"length": 1, "time": -1},
    "data rate": {"data": 1, "time": -1},
    "power": {"energy": 1, "time": -1},
}
_PLACE = re.compile(r"(?i)\S\.[a-z]{2,5}(?![a-z])|://")
"""What is asked of a file or an address is no sum."""
_DECIMALS = frozenset({"decimals", "decimal places", "位小数"})
_MARKS = frozenset("、,;:.?!()'\"")
_PERSON = re.compile("(?:person|people|head|guest|member|人|位|名)$|人")
_RATE = re.compile(r"(?i)\brate\b|汇率")
_OF_RATES = frozenset({"amount", "is", "free", "other", "many", "much", "to", "at", "of", "mark", ""})
_TOLD_NET = re.compile(r"amount net|net (?:is |free )*(?: )?(?:is |free )*amount")
"""The roles of a price that is told as one without tax."""
_NEAR_ONE = Fraction(2, 3)
_DAY = 24 * 60 * 60
"""Seconds."""
_OTHER_SCALE = {"°C": "°F", "°F": "°C"}
_SIGNS = {"+": " + {}", "-": " - {}", "discounted": "打{}折", "part": " × {}", "untaxed": " ÷ (1 + {})"}


class _Thing(NamedTuple):
    """What is counted: its dimensions, how much of their bases one of it is; where it has a unit, that and its kind."""

    dimensions: Mapping[str, int]
    size: Fraction = Fraction(1)
    unit: Unit | None = None
    kind: str = ""


_BARE, _EACH, _SHIFT = _Thing({_OPEN: 1}), _Thing({"each": 1}), _Thing({"shift": 1})


@dataclass(slots=True)
class _Figure:
    """A number in the text: of what, for each of what, whether others are a part of it, and where it ends."""

    amount: Amount
    thing: _Thing
    per: list[_Thing]
    is_whole: bool
    end: int

    @property
    def is_one(self) -> bool:
        """Whether it may say what another figure is for: a litre, 一箱."""
        return self.amount.value == 1 and self.thing is not _BARE and not self.per


Quantity = tuple[str, Amount]
"""What a text of figures asks for: the formula that was understood, and what it comes to."""


def find_quantity(text: str, words: Sequence[Word], *, chinese: bool) -> Quantity | None:
    """What a text of figures asks for; None where that is not certain.

    Raises:
        Impossible: it is certain, and has no value.
    """
    if not 0 < sum(word.amount is not None for word in words) <= _MOST or _PLACE.search(text):
        return None
    if any(one.amount and other.text in _DECIMALS for one, other in pairwise(words)):
        return None  # two decimals are how it is to be written, no figure
    try:
        return _exchanged(text, words) or _Prose(text, _with_sides(words), chinese=chinese).worked_out()
    except Misread:  # what does not go together
        return None


@cache
def _changing() -> frozenset[str]:
    """Words that could make another sum of one."""
    words = (*listed("arithmetic", "changing"), *listed("arithmetic", "numbered"))
    return frozenset([*words, *listed("arithmetic", "changing_characters")[0]])


def _exchanged(text: str, words: Sequence[Word]) -> Quantity | None:
    """Money at a bare rate of exchange, 按7.12的汇率: so much of the cheaper currency for one of the dearer."""
    money, bare = (
        [word.amount for word in words if word.amount and bool(word.amount.unit) == has] for has in (True, False)
    )
    named = [found for word in words if not word.amount and (found := named_unit(text, word.start))]
    targets = {unit for unit in {end: unit for unit, end in reversed(named)}.values() if unit.is_money}
    is_rate = _RATE.search(text) and {*map(_role, words)} <= _OF_RATES and "interest" not in text
    if not (len(money) == len(bare) == len(targets) == 1 and is_rate):
        return None
    amount, rate, target, signs = money[0], bare[0], targets.pop(), [row[1] for row in rows("currencies")]
    if amount.unit is None or not amount.unit.is_money or amount.unit == target or isinstance(rate.value, Percent):
        return None
    is_dearer = signs.index(amount.unit.symbol) < signs.index(target.symbol)
    if rate.value <= 0 or _NEAR_ONE < rate.value < 1 / _NEAR_ONE:
        return None  # it may be meant either way
    name = "*" if is_dearer == (rate.value > 1) else "/"
    value = applied(name, [Amount(amount.value), rate]).value
    return f"{amount.text} {'×' if name == '*' else '÷'} {rate.text}", Amount(value, target)


def _with_sides(words: Sequence[Word]) -> list[Word]:
    """The words, with the unit of the last side for each of several: 152 x 66 x 105 cm."""
    found: list[Word] = []
    for word in reversed(words):
        after = found[1].amount if len(found) > 1 and found[0].text == "×" else None
        unit = after.unit if after else None
        if word.amount and unit and unit.kind == "length" and word.amount.unit in {None, unit}:
            amount, found = replace(word.amount, unit=unit), found[1:]
            word = word._replace(amount=amount)  # noqa: PLW2901
        found.insert(0, word)
    return found


@cache
def _told() -> dict[str, str]:
    """What words do to figures; those of an expression have no meaning in prose but the one they have there, too."""
    done = {word: "other" for row in rows("functions") for cell in row[2:] for word in cell.split("|") if word}
    return {word: role for word, role in done.items() if word.isalpha()} | values("arithmetic", "prose")


def _role(word: Word) -> str:
    """What it does to figures; nothing for one that only names things."""
    return "amount" if word.amount else _told().get(word.text, "" if word.text[0].isalpha() else "mark")


class _Prose:
    """One text, read from left to right: its figures, in groups where some are added; what is asked; percentages."""

    def __init__(self, text: str, words: Sequence[Word], *, chinese: bool) -> None:
        self._text, self._words, self._chinese = text, words, chinese
        self._all = [_role(word) for word in words]
        self._roles = {*self._all}
        self._at, self._is_clear, self._is_range, self._is_listed = 0, True, False, False
        self._names: list[str] = []
        self._groups: list[list[_Figure]] = [[]]
        self._first_taken = _MOST
        """From which group on they are taken away."""
        self._shares: list[tuple[str, Amount]] = []
        self._pending: list[_Thing] = []
        """What the next figure is for each of."""
        self._has_deposit = False
        self._asks, self._asked, self._asked_per = False, _BARE, list[_Thing]()

    def worked_out(self) -> Quantity | None:
        """What is asked for."""
        while self._is_clear and self._at < len(self._words):
            self._is_clear = self._is_read() and self._is_clear
        is_more = self._asked.unit is not None and not (self._groups[-1] or self._shares)  # in °F and K
        asking = " ".join(one for one in " ".join(self._all).split("mark") if re.search("many|much", one))
        is_part = "deposit" in asking or ("tax" in asking and "amount" not in asking)  # how much is the VAT
        is_part = (is_part and [name for name, _ in self._shares] != ["part"]) or self._has_deposit > is_part
        is_left = "left" not in self._roles or self._first_taken < _MOST or any(name == "-" for name, _ in self._shares)
        self._groups = [group for group in self._groups if group]
        if is_part or not self._is_clear or is_more or not is_left or not self._groups or self._all[-1] == "plus":
            return None
        together = [figure for group in self._groups for figure in group]
        if self._lacks_a_price(together):
            return None
        self._say_of_what(together)
        if "percent" in self._roles and not self._is_of_shifts(together):
            return self._percentage([figure for figure in together if not figure.is_one])
        return None if self._is_of_shifts(together) else self._told(together)

    def _lacks_a_price(self, together: Sequence[_Figure]) -> bool:
        """Whether money is asked for and none is told, or only by how much it rises: two adults and two children."""
        money = sum(one.thing.unit is not None and one.thing.unit.is_money for one in together)
        paid = any(word.text in _PAID for word in self._words)
        rises = bool(self._roles & {"up", "down"}) and not self._shares
        bare = any(one.thing is _BARE for one in together)  # 6 tubes at 8.50
        return (paid and not money and not bare) or (rises and money == 1)

    def _say_of_what(self, together: Sequence[_Figure]) -> None:
        """Put the things that are meant in the place of "each" and "it"."""
        for group in self._groups:
            for at, figure in enumerate(group):
                near = [*group[:at][::-1], *group[at + 1 :]]
                near = [one for one in near if one.thing not in figure.per]
                figure.per = [self._meant(thing, near) for thing in figure.per]
            if len(group) == 1 and len(self._groups) > 1 and group[0].per == [_EACH]:
                others = [one.thing for one in together if one not in group and not (one.per or one.thing.kind)]
                is_at = self._role(group[0].end - 1) != "per"  # and a car at 38.50; and 5 each
                group[0].per = [] if is_at else others if len(others) == 1 else [_EACH]
        shifts = [per for f in together for per in f.per if f.thing.kind == per.kind == "time" and f.thing != per]
        for figure in together:  # 8 hours a day: such a day is no time, but what they are worked in
            figure.thing, *figure.per = [_SHIFT if one in shifts else one for one in (figure.thing, *figure.per)]
        self._asked, *self._asked_per = [_SHIFT if one in shifts else one for one in (self._asked, *self._asked_per)]
        things = [self._asked, *self._asked_per, *(one for figure in together for one in (figure.thing, *figure.per))]
        named = Counter(name for thing in things for name in thing.dimensions)
        lone = [one for one in together if one.is_one and named[next(iter(one.thing.dimensions))] == 1]
        for group in self._groups:  # a canteen, for one day: one, of which all is told
            group[:] = [one for one in group if len(group) == 1 or one not in lone or one.thing.kind == "money"]
        meant = [self._meant(thing, together[::-1]) for thing in self._asked_per]
        self._asked_per = [thing for at, thing in enumerate(meant) if thing not in meant[:at]]

    def _told(self, together: list[_Figure]) -> Quantity | None:
        """One figure in another unit, or what all of them come to."""
        if self._is_range or ("mean" in self._roles and not self._asked_per):
            return None
        before = {word.text for word in self._words[: self._all.index("amount")]}
        is_sum = len(together) == 1 or before <= said("ask") | said("polite")  # 24 lessons at 45 each, minus 10%
        if "than" in self._roles or not (self._asks or "total" in self._roles or (self._shares and is_sum)):
            return None
        if len(together) == 1 and self._asked.unit and not self._asked_per and not self._shares:
            return self._converted(together[0].amount, self._asked.unit)
        return self._combined(together)

    def _is_of_shifts(self, together: Sequence[_Figure]) -> bool:
        """Whether what is done or paid by the hour is asked for longer: nobody says how many hours a day has."""
        rates = [(one.thing, per) for one in together for per in one.per]
        by_hour = any(per.kind == "time" and per.size < _DAY and of.kind in {"", "money"} for of, per in rates)
        return by_hour and any(one.kind == "time" and one.size >= _DAY for one in self._asked_per)

    def _combined(self, together: list[_Figure]) -> Quantity | None:
        """What the figures come to, all multiplied and divided, or some of them added."""
        taken = self._groups[self._first_taken :] if "taken" in self._roles else []
        if len(self._groups[0]) > 1 and any(figure.thing is _BARE for group in taken for figure in group):
            return None  # 450 jars at 3 each, of which 127 were sold
        ways = [self._groups] if self._first_taken < _MOST else [[together], self._groups]
        found = [one for one in map(self._outcome, ways) if one]
        if len({outcome.value for _, outcome in found}) != 1:
            return None
        formula, outcome = found[0]
        if "whole" in self._roles and outcome.unit is None and Fraction(outcome.value).denominator > 1:
            return None  # how many cars are needed: none is hired in part
        for name, share in self._shares:
            formula = f"({formula})" if re.search("[×÷+]", formula) else formula
            outcome, formula = applied(name, [outcome, share]), formula + _SIGNS[name].format(share.text)
        return formula, outcome

    def _percentage(self, figures: list[_Figure]) -> Quantity | None:
        """A change in percent, or what one figure is of another."""
        if len(figures) != len(("one", "other")) or self._shares:
            return None
        one, other = (figure.amount for figure in figures)
        wholes = [figure.amount for figure in figures if figure.is_whole]
        if way := {"up", "down", "change"} & self._roles:
            base, new = (other, one) if "than" in self._roles else (one, other)
            more, less = (base, new) if way == {"down"} else (new, base)
            part, shown = applied("-", [more, less]), f"({more.text} - {less.text})"
        elif len(wholes) == 1 or (self._chinese and not wholes):  # 播了50粒，发芽38粒，发芽率百分之多少
            base = wholes[0] if wholes else max(one, other, key=lambda amount: amount.value)
            part = one if base is other else other
            shown = part.text
        else:
            return None
        if self._chinese and bool(part.unit) != bool(base.unit):  # 25.2公斤占265的百分之几
            part, base = Amount(part.value, text=part.text), Amount(base.value, text=base.text)
        share = applied("/", [part, base])
        return None if share.unit else (f"{shown} ÷ {base.text}", Amount(share.value * 100, PER_CENT))

    def _converted(self, amount: Amount, target: Unit) -> Quantity | None:
        """A measure in another unit; why not, where nothing else is asked and they measure different things."""
        source, value = amount.unit or UNKNOWN, Fraction(amount.value)
        alone = len(self._words) <= _CONVERSION and not (source.is_money or target.is_money)
        if source.symbol in {"°", ""} and target.symbol in _OTHER_SCALE:  # 72 degrees in Celsius, 16.5 in Fahrenheit
            source = unit_named(_OTHER_SCALE[target.symbol]) or source
        if source == UNKNOWN:  # the earlier number, whose unit is not known yet
            return (amount.text, Amount(value, target)) if amount.unit and alone else None
        if source.kind == target.kind and source != target:
            base = value * source.factor + source.offset
            if source.kind == "temperature" and base < 0:
                raise Impossible(message("absolute_zero"))
            shown = f"{written(value).replace('⁄', '/')} {source.name(chinese=self._chinese)}"
            return shown, Amount((base - target.offset) / target.factor, target)
        if source == target or not alone:
            return None
        unit, other = (" / ".join(dict.fromkeys((unit.symbol, unit.chinese))) for unit in (source, target))
        raise Impossible(message("units_differ", unit=unit, other=other, measured=source.kind, wanted=target.kind))

    # what the words say

    def _is_read(self) -> bool:
        """Whether the next word is understood; what belongs to it is read with it."""
        first, role, text = self._at, self._all[self._at], self._words[self._at].text
        self._at += 1
        beside = {self._role(first - 1), self._role(first + 1)}
        if role == "amount":
            return self._figure(first)
        if role == "per" or self._is_for_one(first):
            self._per(first)
        elif role in {"many", "much", "to"}:
            self._ask(role)
        elif role == "plus" or (text in {",", "、"} and (beside == {"amount"} or self._is_complete())):
            self._groups.append([])
            self._is_listed = self._is_listed or role != "plus"
        elif role in {"less", "taken"} and self._is_taken():
            self._first_taken = min(self._first_taken, sum(map(bool, self._groups)))
            self._groups.append([])
        elif role == "split":
            self._asks, self._asked_per = True, self._asked_per or [_EACH]
        elif role == "mark":
            is_dash = text == "-" and ("amount" not in beside or self._is_dash(first))
            return text in _MARKS or is_dash
        is_late = role == "lead" and any(self._groups)
        return not (is_late or role == "other") and (bool(role) or text not in _changing())

    def _is_for_one(self, first: int) -> bool:
        """Whether what a price is for follows: $95 a night, where nights are counted; 8.20 yuan to the euro."""
        last = self._groups[-1][-1] if self._groups[-1] else None
        if last is None or last.end != first or self._at >= len(self._words):
            return False
        text, after = self._words[first].text, self._words[self._at]
        if text in {"a", "an"}:
            return not after.amount and [stem(word.text) for word in self._words].count(stem(after.text)) > 1
        at = self._at + (after.text == "the")
        money = (
            named_unit(self._text, self._words[at].start) if text == "to" and self._at < at < len(self._words) else None
        )
        self._at += money is not None and money[0].is_money
        return self._at == at and text == "to" and money is not None

    def _is_complete(self) -> bool:
        """Whether another sum follows after a comma: 3 adults at 9.40, 2 kids at 4.70."""
        group = self._groups[-1]
        return self._role(self._at) == "amount" and len(group) > 1 and any(figure.per for figure in group)

    def _is_taken(self) -> bool:
        """Whether a figure follows that is taken away, and no share."""
        after = next((word.amount for word in self._words[self._at :] if word.amount), None)
        return any(self._groups) and after is not None and not isinstance(after.value, Percent)

    def _is_dash(self, at: int) -> bool:
        """Whether a sign stands between two clauses: 38.50 - what does that come to."""
        return self._role(at + 1) != "amount" and self._text[: self._words[at].start].endswith(" ")

    def _role(self, at: int) -> str:
        return self._all[at] if 0 <= at < len(self._all) else ""

    def _figure(self, first: int) -> bool:
        """Whether a figure is understood: a percentage must say whether it is added or taken off."""
        amount, thing, before = self._words[first].amount, self._thing(counted=True), self._role(first - 1)
        if amount is None or before == "fold" or isinstance(amount.value, Percent):
            return amount is not None and self._share(amount, first, thing)
        if amount.unit and amount.unit.symbol == "lb" and "tax" in self._roles:  # 18,640 pounds plus 20% VAT
            amount = replace(amount, unit=currencies()["gbp"])
        thing = _measured(amount.unit) if amount.unit else thing
        if amount.unit and not self._chinese and (self._role(self._at), self._role(self._at + 1)) == ("of", ""):
            self._at += 1  # 2.5 metres of fence
            self._thing()
        joined = self._at + (self._at < len(self._words) and self._words[self._at].text == "的")
        is_whole = self._role(joined) in {"of", "percent"} if self._chinese else before == "of"
        figure = _Figure(amount, thing, self._pending, is_whole, self._at)
        if (self._asks or before == "mean") and figure.is_one and any(self._groups):  # what is that a month
            self._asked_per.append(thing)
            return True
        self._pending, group = [], self._groups[-1]
        between = self._words[group[-1].end if group else first : first]
        if len(between) > 1 and between[0].text == "of" and between[-1].text in said("are"):
            between = between[-1:]  # one arm of the lamp takes 2 kg
        last = (
            group[-1] if group and {_role(word) for word in between if word.text not in said("are")} <= {"is"} else None
        )
        goes_on = (self._role(self._at), self._role(self._at + 1)) == ("is", "amount")  # 14850元按1欧元兑7.8元
        if last and figure.is_one and not goes_on:  # 24瓶一箱
            self._pair(last, figure)
            return True
        if last and last.is_one:  # 1欧元兑7.8元
            self._pair(figure, group.pop())
        figure.per = figure.per or self._per_one(figure, first) or [_EACH] * (before == "at")
        is_shared = group and not figure.per and thing == group[-1].thing and thing.kind != "money"
        if is_shared and "、" in {word.text for word in between}:  # 每人上午46株、下午38株
            figure.per = group[-1].per
            self._groups.append(group := [])
        group.append(figure)
        is_late = bool(self._shares) and any(self._groups[:-1])  # 10% off, plus 5: of what
        return not is_late and (before != "amount" or thing is not _BARE)  # 6 ft 2 are not two figures

    def _per_one(self, figure: _Figure, first: int) -> list[_Thing]:
        """One of what the figure is told: 26 panels of 440 W, a crate holds 6."""
        is_of, group = self._role(first - 1) == "of", self._groups[-1]
        counted = group[-1] if group and group[-1].end == first - is_of else None
        is_of = is_of or (self._at < len(self._words) and self._words[self._at].text == "的")
        if is_of and counted and not counted.thing.kind and figure.thing.kind not in {"", "money"}:
            counted.thing = _Thing({"of": 1}) if counted.thing is _BARE else counted.thing
            return [counted.thing] * (self._role(self._at) != "per")
        match [word.text for word in self._words[max(first - 3, 0) : first]]:
            case [("a" | "an"), name, verb] if verb in said("are") and self._text.lower().count(stem(name)) > 1:
                return [_Thing({stem(name): 1})]
            case _:
                return []

    def _pair(self, figure: _Figure, single: _Figure) -> None:
        """A figure for one of something; what is named but once (一块板2.4米) is only an article."""
        if single.thing.unit or self._text.count(next(iter(single.thing.dimensions))) > 1:
            figure.per = [single.thing]
        figure.end = max(figure.end, single.end)

    def _share(self, amount: Amount, first: int, thing: _Thing) -> bool:
        """Whether it is clear what becomes of a percentage: 打九折, less 5 percent, plus 20% VAT, a 15% tip on 60."""
        before, after = self._role(first - 1), {self._role(first + 1), self._role(self._at)}
        taxed = [role for role in self._all if role in {"gross", "net"}] + [before] * (before == "with")
        if taxed == ["gross"] or (taxed == ["net"] and "tax" in after):
            return False  # how much of it is tax
        if taxed == ["net", "with"] and _TOLD_NET.search(" ".join(["", *self._all]).partition(" much")[0]):
            taxed = ["with"]  # 86.50 net, what is that with VAT; 未税价50元，含20%税
        near = {*after, *self._all[max(first - 2, 0) : first]}
        clear = (
            ("part", "deposit" in near),
            ("untaxed", taxed in (["gross", "net"], ["net", "with"])),
            ("+", taxed == ["net", "gross"]),
            ("discounted", before == "fold"),
            ("-", before == "less" or "off" in after),
            ("+", before in {"plus", "with"} and (thing is _BARE or "tax" in after)),
            ("part", "tax" in after),
            ("+", "up" in self._roles),
            ("-", "down" in self._roles),
        )
        name = next((name for name, is_meant in clear if is_meant), "")
        had, self._has_deposit = self._has_deposit, self._has_deposit or "deposit" in near
        return bool(name) and not had and self._is_applied(name, amount, first)  # 30% deposit, 2% off: of what

    def _is_applied(self, name: str, amount: Amount, first: int) -> bool:
        """Whether a share is of all, or of one price, that of the thing named with it: 画钱打九折, 5% off the cats."""
        start, stop = first * (name != "part"), first + 1 if self._chinese else None
        sides = (self._words[:start][::-1], self._words[first + 1 : stop])
        before, after = ([*takewhile(lambda one: _role(one) not in {"mark", "plus"}, side)] for side in sides)
        clause = [word for side in (before, after) if not any(one.amount for one in side) for word in side]
        named = [stem(word.text) for word in clause if not (_role(word) or word.text in said("polite") | said("kind"))]
        if not named or {"total", "up", "down"} & {*map(_role, clause)}:
            self._shares.append((name, amount))
            return True
        named = ["".join(reversed(named))] if self._chinese else named
        prices = list[_Figure]()
        for group in self._groups:
            names = (name for one in group for thing in (one.thing, *one.per) for name in thing.dimensions)
            if any(name.endswith((*named,)) for name in names):
                prices += [figure for figure in group if figure.thing.kind == "money"]
        if is_of_one := len(prices) == 1 and name in {"+", "-", "discounted"}:  # of no other thing
            text = f"({prices[0].amount.text}{_SIGNS[name].format(amount.text)})"
            prices[0].amount = replace(applied(name, [prices[0].amount, amount]), text=text)
        return is_of_one

    def _per(self, first: int) -> None:
        """Each, per sqm: of the figure before, the one behind (27个志愿者每人80元), or of what is asked."""
        last = self._groups[-1][-1] if self._groups[-1] else None
        if last and last.end == first and self._role(self._at) == "amount":  # 38.5 litres per 100 km
            base = self._words[self._at].amount
            if base and base.unit and base.value > 0:
                self._at += 1
                value = Fraction(last.amount.value) / Fraction(base.value)
                last.amount = replace(last.amount, value=value, text=f"{last.amount.text}/{base.text}")
                last.per, last.end = [_measured(base.unit)], self._at
                return
        thing = self._thing()
        things = [_EACH if thing is _BARE else thing]
        while (self._role(self._at), self._role(self._at + 1)) == ("plus", "") and self._at + 1 < len(self._words):
            self._at += 1  # per sqm and month
            things.append(self._thing())
        near = next((role for role in self._all[self._at :] if role in {"amount", "mark", "many", "much"}), "")
        if last and last.end == first and (near != "amount" or self._words[first].text.isascii()):
            last.per, last.end = [one for one in last.per if one is not _EACH] + things, self._at
        elif self._asks:
            self._asked_per += things
        else:
            self._pending = self._pending + things

    def _ask(self, role: str) -> None:
        start, thing = self._at, _BARE if role == "much" else self._thing()
        if role == "to" and thing.unit is None:
            self._at, self._is_clear = start, True  # it is looked at again
            self._is_range = self._is_range or self._role(start - 2) == self._role(start) == "amount"  # 3 to 5 kg
            return
        amount = self._words[self._at].amount if role == "many" and self._role(self._at) == "amount" else None
        if thing is _BARE and amount and amount.unit:  # how many 330 ml bottles
            self._at += 1
            thing = self._thing()
            self._groups[-1].append(_Figure(amount, _measured(amount.unit), [thing], is_whole=False, end=self._at))
            self._is_clear = self._is_clear and thing is not _BARE
        self._asks, self._asked = True, self._asked if thing is _BARE else thing
        self._asked_per, self._pending = self._asked_per + self._pending, []

    def _thing(self, *, counted: bool = False) -> _Thing:
        """What is named from here on: a unit or a currency, or things by their name."""
        start = self._at
        place = self._words[start].start if start < len(self._words) and not self._words[start].amount else None
        found = None if counted or place is None else named_unit(self._text, place)
        if found and place is not None and not any(one[0] == self._text[place] for one in self._names):  # 4块电池, 每块
            while self._at < len(self._words) and self._words[self._at].start < found[1]:
                self._at += 1
            return _measured(found[0])
        while self._at < len(self._words) and not self._all[self._at]:
            if counted and start < self._at and not self._chinese and self._words[self._at].text in said("are"):
                break  # one dog needs
            self._at += 1
        words = [word.text for word in self._words[start : self._at]]
        # the number goes before what is counted (18 pages), and behind what is numbered (page 18)
        is_counted = (
            bool({*words[:1]} & {*listed("arithmetic", "numbered"), *"页章版"}) and self._role(self._at) != "amount"
        )
        is_counted = is_counted or (counted and words[:1] == ["根"])  # 一根木棒, and no root
        self._is_clear = self._is_clear and _changing().isdisjoint(words[1:] if is_counted else words)
        if not words:
            return _BARE
        name = stem(words[-1]) if words[0].isascii() else re.sub("^[个名位]+(?=.)", "", "".join(words))
        # in Chinese it may be said in part: 12400张纸, 500张
        same = (one for one in reversed(self._names) if one.startswith(name) or name.startswith(one))
        name = next((one for one in same if one == name or not name.isascii()), name)
        self._names.append(name)
        return _Thing({name: 1})

    # what they come to

    def _meant(self, thing: _Thing, others: Sequence[_Figure]) -> _Thing:
        """What `each` is: the nearest thing that is counted; so is a person, where none are counted."""
        name = next(iter(thing.dimensions))
        if thing is not _EACH and not (_PERSON.search(name) and self._names.count(name) == 1):
            return thing
        counted = [one for one in others if one.thing.unit is None and not one.per]
        near = next((one for one in counted if one.thing is not _BARE), counted[0] if counted else None)
        if near and near.thing is _BARE:
            near.thing = _EACH
        return near.thing if near else thing

    def _outcome(self, groups: list[list[_Figure]]) -> Quantity | None:
        """What each group comes to, added up."""
        only = groups[0][0] if len(groups) == 1 and len(groups[0]) == 1 else None
        things = [thing for group in groups for figure in group for thing in (figure.thing, *figure.per)]
        if only and not self._shares and not (only.per and self._asked_per):
            return None
        terms = self._terms(groups)
        found = [one for group in terms.values() if (one := self._product(group))]
        units = {outcome.unit for _, outcome in found}
        is_bare = all(one.per or one.thing.kind or one.thing is _BARE for term in terms.values() for one in term[-1:])
        if any(unit and unit.is_money for unit in units) and not self._is_listed and is_bare:
            units.discard(None)  # at 85,000 pesos plus 12,500 for delivery
        if len(found) != len(terms) or len(units) != 1 or any(one.unit and one.unit.offset for one in things):
            return None
        is_count = {"many", "whole"} <= self._roles  # costs 40 and I have 100, how many can I buy
        if len(groups) > 1 and self._asked is _BARE and (is_count or not {"total", "much"} & self._roles):
            return None
        signs = [-1 if at >= self._first_taken else 1 for at in terms]
        total = sum((sign * Fraction(one.value) for sign, (_, one) in zip(signs, found, strict=True)), Fraction(0))
        shown = "".join(f" {'-' if sign < 0 else '+'} {one}" for sign, (one, _) in zip(signs, found, strict=True))
        return shown[3:], Amount(total, units.pop())

    def _terms(self, groups: list[list[_Figure]]) -> dict[int, list[_Figure]]:
        """What is added, by its place: a group may be for each of what another counts, which need be nothing else."""
        lent, terms = list[_Figure](), dict[int, list[_Figure]]()
        counts = [
            f for group in groups for f in group if f.thing.kind in {"", "time"} and f.thing not in (_BARE, _EACH)
        ]
        for at, group in enumerate(groups):
            others = [one for one in counts if one not in group]
            sizes = range(3 if any(one.per for one in group) else 0)
            ways = [way for n in sizes for more in combinations(others, n) if self._product(way := [*more, *group])]
            terms[at] = ways[0] if len(ways) == 1 or group in ways else group
            lent += terms[at][: -len(group)]
        return {at: term for at, term in terms.items() if not all(figure in lent for figure in term)}

    def _product(self, group: list[_Figure]) -> Quantity | None:
        """The one way in which figures, each taken once, come to what is asked."""
        found: dict[Fraction, Quantity] = {}
        for signs in product((1, -1), repeat=len(group)):
            left = Counter[str]()
            value = Fraction(1)
            for figure, sign in zip(group, signs, strict=True):
                for thing, side in ((figure.thing, sign), *((one, -sign) for one in figure.per)):
                    left.update({name: side * power for name, power in thing.dimensions.items()})
                    value *= thing.size**side
                if figure.amount.value == 0 and sign < 0:
                    return None
                value *= Fraction(figure.amount.value) ** sign
            if told := self._left_over(left, group, signs):
                thing, size = told
                by, over = ([f.amount.text for f, s in zip(group, signs, strict=True) if s == side] for side in (1, -1))
                formula = " ÷ ".join([" × ".join(by) or "1", *over])
                found[value / size] = formula, Amount(value / size, thing.unit)
        return next(iter(found.values())) if len(found) == 1 else None

    def _left_over(
        self, left: Counter[str], group: list[_Figure], signs: Sequence[int]
    ) -> tuple[_Thing, Fraction] | None:
        """The thing that is left over and its size, where that is asked for; what is open is whatever fits."""
        if self._asked is _BARE and not self._asked_per:  # a total: the product of all
            dimensions = {name: power for name, power in left.items() if power} if min(signs) > 0 else {}
            told = next((one.thing for one in group if one.thing.dimensions == dimensions), None)
            if told is None or (told.kind not in {"", "money"} and "total" not in self._roles):
                return None  # 200立方米每秒泄洪24小时水位会到多少: nobody asks for a volume
            return told, told.size
        rest = Counter(left)
        rest.subtract(self._asked.dimensions)
        for one in self._asked_per:
            rest.update(one.dimensions)
        of_open = rest.pop(_OPEN, 0)
        more = {name: power for name, power in rest.items() if power}
        if (more or of_open) and not (len(more) == 1 and abs(of_open) == 1 and sum(more.values()) * of_open < 0):
            return None
        meant = next((one.thing for one in group if more and one.thing.dimensions.keys() == more.keys()), _BARE)
        if more and meant is _BARE and self._asked.unit and not self._asked.unit.is_money:
            return None  # a bare number is no measure
        told = meant if self._asked is _BARE else self._asked
        return told, told.size / meant.size ** left[_OPEN] / math.prod(one.size for one in self._asked_per)


def _measured(unit: Unit) -> _Thing:
    kind = "money" if unit.is_money else unit.kind
    return _Thing(_MADE_OF.get(unit.kind, {unit.kind: 1}), unit.factor, unit, kind)
