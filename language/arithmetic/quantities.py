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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

from switchyard.language.arithmetic.amounts import ANY, Tokens, currencies
from switchyard.language.arithmetic.frames import changes_meaning
from switchyard.language.arithmetic.operations import Amount, Percent, applied
from switchyard.language.errors import Impossible, Misread
from switchyard.language.lexicon import stem
from switchyard.language.messages import message
from switchyard.language.numbers import written
from switchyard.language.tables import rows, values
from switchyard.language.units import UNKNOWN, Unit, unit_at, unit_named

_MOST = 6
"""Figures of one question."""
_CONVERSION = 5
"""Words of a text that asks for a conversion and nothing else: what does not fit together is said."""
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
_MARKS = frozenset("、,;:.?!()×'\"")
_PERSON = re.compile("(?:person|people|head|guest|member|人|位|名)$|人")
_STRONG = frozenset({"$", "€", "£", "瑞士法郎"})
"""Currencies of which one is worth several of any other: which way a bare rate leads."""


class _Thing(NamedTuple):
    """What is counted: its dimensions, how much of their bases one of it is, and its unit where it has one."""

    dimensions: Mapping[str, int]
    size: Fraction = Fraction(1)
    unit: Unit | None = None


_BARE, _EACH = _Thing({_OPEN: 1}), _Thing({"each": 1})


@dataclass(slots=True)
class _Figure:
    """A number in the text: of what, for each of what, and the words it takes."""

    amount: Amount
    thing: _Thing
    start: int
    end: int
    per: list[_Thing] = field(default_factory=list[_Thing])

    @property
    def is_one(self) -> bool:
        """Whether it may say what another figure is for: a litre, 一箱."""
        return self.amount.value == 1 and self.thing is not _BARE and not self.per


class _Word(NamedTuple):
    role: str
    """What it does to figures; nothing for one that only names things."""
    text: str
    start: int


class Quantity(NamedTuple):
    """What a text of figures asks for."""

    formula: str
    """What was understood; nothing where only the text itself says it."""
    shown: str
    outcome: Amount
    converts: bool = False


def find_quantity(text: str, tokens: Tokens, *, chinese: bool) -> Quantity | None:
    """What a text of figures asks for; None where that is not certain."""
    text = text.replace(" - ", " , ")
    if _PLACE.search(text):
        return None
    words = list(_words(text))
    figures = sum(word.role == "amount" for word in words)
    try:
        return _Prose(text, words, tokens, chinese=chinese).worked_out() if 0 < figures <= _MOST else None
    except Misread:  # what does not go together
        return None


@cache
def _roles() -> dict[str, str]:
    """What words do to figures: those of the table, and the functions of lists by their names."""
    lists = (row for row in rows("functions") if row[0] == "list")
    named = ((said, name) for _, name, *sides in lists for side in sides for said in side.split("|"))
    return {said: f"list {name}" for said, name in named if len(said) > 1} | values("arithmetic", "prose")


def _words(text: str) -> Iterator[_Word]:
    roles = _roles()
    for match in _pattern().finditer(text):
        said = match[0].lower()
        role = "amount" if match["amount"] else roles.get(said, "mark" if match["mark"] else "")
        yield _Word(role, said, match.start())


@cache
def _pattern() -> re.Pattern[str]:
    said = sorted(_roles(), key=len, reverse=True)
    roles = "|".join(rf"(?<![a-z]){one}(?![a-z])" if one[-1].isalpha() and one.isascii() else one for one in said)
    return re.compile(rf"(?i)(?P<amount>[{ANY}])|{roles}|[a-z][a-z'²³-]*|[\u4e00-\u9fff]|(?P<mark>\S)")


class _Prose:
    """One text, read from left to right: its figures, in groups where some are added; what is asked; percentages."""

    def __init__(self, text: str, words: Sequence[_Word], tokens: Tokens, *, chinese: bool) -> None:
        self._text, self._words, self._amounts, self._chinese = text, words, tokens.amounts, chinese
        self._at, self._is_clear = 0, True
        self._roles = {word.role for word in words}
        self._names: list[str] = []
        self._groups: list[list[_Figure]] = [[]]
        self._shares: list[tuple[str, Amount]] = []
        self._pending: list[_Thing] = []
        """What the next figure is for each of."""
        self._asks, self._asked, self._asked_per, self._asked_end = False, _BARE, list[_Thing](), -1

    def worked_out(self) -> Quantity | None:
        """What is asked for."""
        while self._is_clear and self._at < len(self._words):
            self._is_clear = self._is_read() and self._is_clear
        self._groups = [group for group in self._groups if group]
        if not self._is_clear or not self._groups or self._words[-1].role == "plus":
            return None
        self._relate()
        return self._asked_for([figure for group in self._groups for figure in group])

    def _asked_for(self, together: list[_Figure]) -> Quantity | None:
        if "percent" in self._roles:
            return self._percentage(together)
        named = {role for role in self._roles if role.startswith("list ")}
        if (named and not (named == {"list mean"} and self._asked_per)) or "than" in self._roles:
            return self._of_list(together, named)
        if not (self._asks or "total" in self._roles or (self._shares and len(together) == 1)):
            return None
        if len(together) == 1 and self._asked.unit and not self._asked_per and not self._shares:
            return self._converted(together[0].amount, self._asked.unit)
        return self._combined(together)

    def _combined(self, together: list[_Figure]) -> Quantity | None:
        """What the figures come to, all multiplied and divided, or some of them added."""
        found = [one for one in (self._outcome([together]), self._outcome(self._groups)) if one]
        if len({outcome.value for _, outcome in found}) != 1:
            return None
        formula, outcome = found[0]
        way = "ceil" if "need" in self._roles else "floor" if "can" in self._roles else ""
        if way and outcome.unit is None and self._asked is not _BARE and Fraction(outcome.value).denominator > 1:
            outcome, formula = applied(way, [outcome]), f"({formula}) {_WAYS[way][self._chinese]}"
        for sign, share in self._shares:
            name = _SAVES.get(sign, sign) if "save" in self._roles else sign
            formula = f"({formula})" if re.search("[×÷+]", formula) else formula
            outcome, formula = applied(name, [outcome, share]), formula + _SIGNS[name].format(share.text)
        return Quantity("", formula, outcome)

    def _percentage(self, figures: list[_Figure]) -> Quantity | None:
        """A change in percent, a margin of the price, or what one figure is of another."""
        several = [figure for figure in figures if not figure.is_one]
        if len(several) != len(("one", "other")) or self._shares:
            return None
        one, other = (figure.amount for figure in several)
        wholes, part = [figure.amount for figure in several if self._is_whole(figure)], None
        low, high = sorted((one, other), key=lambda amount: amount.value)
        if "margin" in self._roles:
            base, part = high, (high, low)
        elif way := {"up", "down", "change"} & self._roles:
            base, new = (other, one) if "than" in self._roles else (one, other)
            part = (base, new) if way == {"down"} else (new, base)
        elif not wholes and self._chinese and self._asks_share():  # 播了50粒，发芽38粒，发芽率百分之多少
            base = high
        elif len(wholes) == 1:
            base = wholes[0]
        else:
            return None
        rest = one if base is other else other
        shown = f"({part[0].text} - {part[1].text}) ÷ {base.text}" if part else f"{rest.text} ÷ {base.text}"
        share = applied("/", [applied("-", part) if part else rest, base])
        return None if share.unit else Quantity("", shown, replace(share, value=share.value * 100, unit=PER_CENT))

    def _asks_share(self) -> bool:
        return self._asks or any(word.role == "percent" and re.search("[几少]", word.text) for word in self._words)

    def _is_whole(self, figure: _Figure) -> bool:
        """Whether others are a part of it: 45 of 250, 250的百分之几, 120里面."""
        if not self._chinese:
            return self._role(figure.start - 1) == "of"
        is_joined = figure.end < len(self._words) and self._words[figure.end].text == "的"
        return self._role(figure.end) == "of" or (is_joined and self._role(figure.end + 1) == "percent")

    def _of_list(self, figures: list[_Figure], named: set[str]) -> Quantity | None:
        """A function of all figures: sum up these expenses, 哪个最大; how much more one is than another."""
        alike = all(one.thing.dimensions == figures[0].thing.dimensions and not one.per for one in figures)
        apart = all(one.end < other.start for one, other in pairwise(figures))
        if "than" in self._roles and len(figures) == len(("one", "other")) and alike and not named and self._asks:
            first, second = (figure.amount for figure in (figures if "up" in self._roles else figures[::-1]))
            return Quantity("", f"{first.text} - {second.text}", applied("-", [first, second]))
        if len(named) != 1 or "than" in self._roles or len(figures) == 1 or not (alike and apart) or self._shares:
            return None
        name = named.pop().removeprefix("list ")
        said = next(row[2 + self._chinese].split("|")[0] for row in rows("functions") if row[:2] == ("list", name))
        texts = [figure.amount.text for figure in figures]
        listed = "、".join(texts) + "的" if self._chinese else f" of {', '.join(texts[:-1])} and {texts[-1]}"
        formula = listed + said if self._chinese else said + listed
        return Quantity(formula, formula, applied(name, [figure.amount for figure in figures]))

    def _converted(self, amount: Amount, target: Unit) -> Quantity | None:
        """A measure in another unit; why not, where nothing else is asked and they measure different things."""
        source, value = amount.unit or UNKNOWN, Fraction(amount.value)
        if source.symbol == "°" and target.kind == "temperature":  # 72 degrees in Celsius are of the other scale
            source = unit_named("°F" if target.symbol == "°C" else "°C") or source
        outcome = Amount(target.from_base(source.to_base(value)), unit=target)
        if source.kind != target.kind:
            money = any(unit.kind.startswith("currency") for unit in (source, target))
            if amount.unit is None or money or len(self._words) > _CONVERSION:
                return None
        if amount.unit == UNKNOWN:
            outcome = Amount(value, unit=target)
        elif source.kind != target.kind:
            unit, other = (" / ".join(dict.fromkeys((unit.symbol, unit.chinese))) for unit in (source, target))
            differ = message("units_differ", unit=unit, other=other, measured=source.kind, wanted=target.kind)
            outcome = replace(outcome, problem=Misread(differ, hint=message("name_like_units")))
        elif target.kind == "temperature" and source.to_base(value) < 0:
            outcome = replace(outcome, problem=Impossible(message("absolute_zero")))
        elif source == target:
            return None
        formula = amount.text + (f"换算成{target.chinese}" if self._chinese else f" in {target.symbol}")
        shown = f"{written(value).replace('⁄', '/')} {source.name(chinese=self._chinese)}"
        return Quantity(formula, shown, outcome, converts=True)

    # what the words say

    def _is_read(self) -> bool:
        """Whether the next word is understood; what belongs to it is read with it."""
        first, (role, text, _) = self._at, self._words[self._at]
        self._at += 1
        if role == "amount":
            return self._figure(first)
        if role == "per":
            self._per(first)
        elif role in {"many", "much", "to"}:
            self._ask(role)
        elif role == "plus" or (text in {",", "、"} and self._role(first - 1) == self._role(self._at) == "amount"):
            self._groups.append([])
        elif role == "split":
            self._asks, self._asked_per = True, self._asked_per or [_EACH]
        elif not role and not any(self._groups) and (unit := self._unit_at(first)) and self._role(unit[1]) == "to":
            self._at, self._asks, self._asked = unit[1], True, _measured(unit[0])  # hours in a week
            return True
        is_late = role == "lead" and any(self._groups)
        return not (is_late or (role == "mark" and text not in _MARKS) or (not role and changes_meaning(text)))

    def _role(self, at: int) -> str:
        return self._words[at].role if 0 <= at < len(self._words) else ""

    def _figure(self, first: int) -> bool:
        """Whether a figure is understood: a percentage must say whether it is added or taken off."""
        amount, thing = self._amounts[self._words[first].text], self._thing(counted=True)
        figure = _Figure(amount, _measured(amount.unit) if amount.unit else thing, first, self._at)
        before = self._role(first - 1)
        if before == "fold" or isinstance(amount.value, Percent):
            return self._share(amount, before, {self._role(first + 1), self._role(self._at)})
        if self._asks and figure.is_one and any(self._groups):  # what is that a month
            self._asked_per.append(figure.thing)
            return True
        if first == self._asked_end and amount.unit and self._asked is not thing:  # how many 35 cm pieces, 几段35厘米的
            self._asked = thing if self._asked is _BARE else self._asked
            self._pending = [self._asked]
        figure.per, self._pending = self._pending, []
        self._groups[-1].append(figure)
        return True

    def _share(self, amount: Amount, before: str, after: set[str]) -> bool:
        """Whether it is clear what becomes of a percentage: 打九折, less 5 percent, plus 20% VAT, a 15% tip on 60."""
        if before == "fold":
            name = "discounted"
        elif before == "less" or "off" in after:
            name = "-"
        elif before in {"plus", "with"}:
            name = "+"
        elif "tax" in after:
            name = "part"
        else:
            name = "+" if "up" in self._roles else "-" if "down" in self._roles else ""
        self._shares.append((name, amount))
        return bool(name)

    def _per(self, first: int) -> None:
        """Each, per sqm and month: of the figure before, the one behind (27个志愿者每人80元), or of what is asked."""
        things = [_EACH if (thing := self._thing()) is _BARE else thing]
        while self._role(self._at) == "plus" and self._unit_at(self._at + 1):
            self._at += 1
            things.append(self._thing())
        last = self._groups[-1][-1] if self._groups[-1] else None
        ahead = (word.role for word in self._words[self._at :])
        near = next((role for role in ahead if role in {"amount", "mark", "many", "much"}), "")
        if last and last.end == first and (near != "amount" or self._words[first].text.isascii()):
            last.per, last.end = things, self._at
        elif self._asks:
            self._asked_per += things
        else:
            self._pending = things

    def _ask(self, role: str) -> None:
        start, thing = self._at, _BARE if role == "much" else self._thing()
        if role == "to" and thing.unit is None:
            self._at, self._is_clear = start, True  # it is looked at again
            return
        self._asks, self._asked = True, self._asked if thing is _BARE else thing
        self._asked_per, self._pending = self._asked_per + self._pending, []
        self._asked_end = self._at if role == "many" else -1

    def _thing(self, *, counted: bool = False) -> _Thing:
        """What is named from here on: a unit or a currency, or things by their name."""
        if not counted and (unit := self._unit_at(self._at)):
            self._at = unit[1]
            return _measured(unit[0])
        end = self._at
        while end < len(self._words) and not self._words[end].role:
            end += 1
        said = [word.text for word in self._words[self._at : end]]
        self._at, self._is_clear = end, self._is_clear and not any(changes_meaning(word) for word in said)
        if not said:
            return _BARE
        head = next((place for place, word in enumerate(said) if word.endswith("ing")), len(said))  # men working
        name = stem(said[max(head - 1, 0)]) if said[0].isascii() else re.sub("^[个名位]+(?=.)", "", "".join(said))
        return self._named(name)

    def _unit_at(self, at: int) -> tuple[Unit, int] | None:
        """The unit or currency that is named from a word on, and the word behind it."""
        if at >= len(self._words):
            return None
        start = self._words[at].start
        text = re.sub("^个?月", "个月", self._text[start:])
        found = unit_at(text, 0)
        unit, end = (found.unit, found.end - len(text) + len(self._text) - start) if found else (None, 0)
        for name in (one for one in currencies() if self._text.lower().startswith(one, start)):
            unit, end = (currencies()[name], len(name)) if len(name) > end else (unit, end)
        if unit is None or (end == 1 and self._text[start] < "\x7f" and self._text[start + 1 : start + 2].isalpha()):
            return None
        return unit, next(
            (place for place, word in enumerate(self._words) if word.start >= start + end), len(self._words)
        )

    def _named(self, name: str) -> _Thing:
        """Things by their name, which in Chinese may be said in part: 12400张纸, 500张."""
        same = (one for one in self._names if one.startswith(name) or name.startswith(one))
        name = next((one for one in same if one == name or not name.isascii()), name)
        self._names.append(name)
        return _Thing({name: 1})

    # what they come to

    def _relate(self) -> None:
        """Say of each figure what it is for each of, where that stands beside it or goes without saying."""
        for group in self._groups:
            for one, other in [*pairwise(group)][::-1]:
                between = {word.text for word in self._words[one.end : other.start]}
                if between == {"×"} and one.thing is _BARE:  # 152 × 66 × 105 cm
                    one.thing = other.thing
                elif all(self._role(at) == "is" for at in range(one.end, other.start)):
                    self._pair(group, one, other)
            for at, figure in enumerate(group):
                per = figure.per or ([_EACH] if self._role(figure.start - 1) == "at" else [])
                figure.per = [self._meant(thing, [*group[:at][::-1], *group[at + 1 :]]) for thing in per]
        figures = [figure for group in self._groups for figure in group]
        meant = [self._meant(thing, figures[::-1]) for thing in self._asked_per]
        self._asked_per = [thing for at, thing in enumerate(meant) if thing not in meant[:at]]
        bare, money = ([one for one in figures if bool(one.amount.unit) == known] for known in (False, True))
        if "rate" in self._roles and self._asked.unit and len(bare) == len(money) == 1:
            strong = _is_strong(money[0].thing)
            if strong != _is_strong(self._asked):
                ahead = strong == (bare[0].amount.value > 1)
                bare[0].thing, bare[0].per = (
                    (self._asked, [money[0].thing]) if ahead else (money[0].thing, [self._asked])
                )

    def _pair(self, group: list[_Figure], one: _Figure, other: _Figure) -> None:
        """Two figures side by side: 24瓶一箱, 1欧元兑7.8元; what is named but once (一块板2.4米) is only an article."""
        single, figure = (one, other) if one.is_one else (other, one)
        if single.is_one:
            group.remove(single)
            if single.thing.unit or self._names.count(next(iter(single.thing.dimensions))) > 1:
                figure.per.append(single.thing)

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

    def _outcome(self, groups: list[list[_Figure]]) -> tuple[str, Amount] | None:
        """What each group comes to, added up."""
        only = groups[0][0] if len(groups) == 1 and len(groups[0]) == 1 else None
        things = [thing for group in groups for figure in group for thing in (figure.thing, *figure.per)]
        if (only and not self._shares and not (only.per and self._asked_per)) or any(
            one.unit and one.unit.offset for one in things
        ):
            return None
        found = [one for group in groups if (one := self._product(group))]
        units = {unit.symbol: unit for _, _, unit in found if unit}
        if len(found) != len(groups) or len(units) > 1:
            return None
        total = sum((value for _, value, _ in found), Fraction(0))
        return " + ".join(formula for formula, _, _ in found), Amount(total, unit=next(iter(units.values()), None))

    def _product(self, group: list[_Figure]) -> tuple[str, Fraction, Unit | None] | None:
        """The one way in which figures, each taken once, come to what is asked: its formula, value and unit."""
        found: dict[Fraction, tuple[str, Unit | None]] = {}
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
            told = self._told(left, group, signs)
            if told:
                thing, size = told
                by, over = ([f.amount.text for f, s in zip(group, signs, strict=True) if s == side] for side in (1, -1))
                found[value / size] = " ÷ ".join([" × ".join(by) or "1", *over]), thing.unit
        return None if len(found) != 1 else next((formula, value, unit) for value, (formula, unit) in found.items())

    def _told(self, left: Counter[str], group: list[_Figure], signs: Sequence[int]) -> tuple[_Thing, Fraction] | None:
        """The thing that is left over and its size, where that is asked for; what is open is whatever fits."""
        if self._asked is _BARE and not self._asked_per:  # a total: the product of all
            dimensions = {name: power for name, power in left.items() if power} if min(signs) > 0 else {}
            told = next((one.thing for one in group if one.thing.dimensions == dimensions), None)
            measured = told is not None and told.unit is not None and not told.unit.kind.startswith("currency")
            if told is None or (measured and "total" not in self._roles):
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
        if more and meant is _BARE and self._asked.unit and not self._asked.unit.kind.startswith("currency"):
            return None  # a bare number is no measure
        told = meant if self._asked is _BARE else self._asked
        return told, told.size / meant.size ** left[_OPEN] / math.prod(one.size for one in self._asked_per)


_SIGNS = {"+": " + {}", "-": " - {}", "discounted": "打{}折", "saved": "打{}折省下", "part": " × {}"}
_SAVES = {"-": "part", "discounted": "saved"}
_WAYS = {"ceil": ("rounded up", "向上取整"), "floor": ("rounded down", "向下取整")}


def _measured(unit: Unit) -> _Thing:
    return _Thing(_MADE_OF.get(unit.kind, {unit.kind: 1}), unit.factor, unit)


def _is_strong(thing: _Thing) -> bool:
    return thing.unit is not None and thing.unit.symbol in _STRONG
