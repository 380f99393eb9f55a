"""The conditions of a question about rows: ranges, comparisons, values that occur, times, what is missing."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from switchyard.agents.by_rules.cells import FALSE, LISTED, TRUE
from switchyard.agents.by_rules.persons import is_one_of
from switchyard.agents.by_rules.query import Measure, NotRead, Op, Other, Part
from switchyard.agents.by_rules.roles import Roles, has, valued
from switchyard.agents.by_rules.table import Column, unit_of
from switchyard.language.lexicon import Sense, Token, key_of, senses_of
from switchyard.language.units import unit_named

FIRST_YEAR, LAST_YEAR = 1900, 2100
RESTRICTING = ("value", "not", "empty", "cmp", "post", "date", "month", "month_of", "day_of_year", "year_of", "ticked")
"""Kinds of words that say which rows are meant."""
FAR = 4
"""Words between two that speak of the same column."""
FEW = 12
"""Values of a column that may say how something ended."""
_PARTS: dict[str, Part] = {
    "date": "day",
    "month_of": "month_of_year",
    "day_of_year": "day_of_year",
    "weekday": "weekday",
    "month": "month",
    "year_of": "year",
    "num": "year",
}
"""By kind of a word for a time, what of a date it is compared with."""
_TIMES = ("date", "month_of", "month", "day_of_year", "weekday", "year_of", "span")
_BOUND = ("num", *_TIMES)
"""Kinds of words that something is compared with."""
_WAYS: dict[str, Op] = {"after": ">", "before": "<", "since": ">=", "until": "<="}
_IN = frozenset({"in", "during", "of", "since", "for"})
_IS = frozenset({"of", "is", "was", "are", "=", "是", "为"})
_ABOVE = frozenset({"over", "above", "under", "below"})
_JOINS = ("and", "or", "than", "versus", "between", "beside", "except")
_PERCENT = re.compile(r"(?i)%|percent|百分")
_MONTH = re.compile(r"\d{4}-\d{2}")
LATER = re.compile(r"(?i)due|expir|until|next|birth|born|到期|截止|有效|出生|生日|下次")
"""Names of dates on which nothing happened yet, or long ago: they are meant only where they are named."""
_ARRIVES = re.compile(r"(?i)arriv|deliver|eta|expected|promis|到|交货|预计|约定|送达")
"""Names of dates on which what was begun before comes to its end."""
_DUE = re.compile(r"(?i)due|until|deadline|expir|valid|ends?$|应还|应付|到期|截止|期限|归还期|有效期")
_ENDS = frozenset({"expire", "expires", "run out", "runs out", "到期", "过期"})
_SETTLED = re.compile(r"(?i)return|back|paid|settled|received|归还|已还|还书|付款|已付|结清|缴")
_IS_PAID = re.compile(r"(?i)deposit|fee|rent|due|paid|pay|bill|[金费款租付缴]")
_PAID = frozenset({"paid", "settled", "已付", "已付款", "付了", "付清"})
_HAVE = frozenset({"with", "there", "have", "has", "had", "having", "got", "有", "留了", "填了", "写了"})
_WRITTEN = frozenset("写 填 留 记 附 有".split())  # noqa: SIM905  a list of words
_NOT_YET = frozenset({"haven't", "hasn't", "havent", "hasnt", "still", "yet", "还没", "还未", "尚未", "还", "仍"})
"""What says that something is still to be done, which is not so of all that it was not done with."""
STILL = frozenset({"still", "仍", "仍然", "还在"})
"""What says that something is as it was, which is a condition."""
Moment = tuple[Any, Any, Part]
"""A time: where it begins and ends, as what of a date."""


def read_conditions(said: Roles) -> None:
    """Put the conditions of a question into its query; `NotRead` when it is not clear what a word is a condition on."""
    _left_out(said)
    _restricted(said)
    for at, token in enumerate(said.tokens):  # no instructor: where others are paid, yes or no
        if token.has("empty") and said.at(at + 1, "column") and not said.is_named(at + 1, *valued(token)):
            said.tokens[at] = token.without("value")
    for take in (
        _noted,
        _ranges,
        _equals,
        _comparisons,
        _than,
        _values,
        _times,
        _denials,
        _presence,
        _stocked,
        _late,
        _ticked,
        _events,
    ):
        take(said)
    dated = [one for one in said.query.conditions if said.table.column(one.column).kind == "date"]
    days = [one for one in dated if one.op == "=" and one.part in {"", "day"}]
    if any(other is not day and other.column == day.column for day in days for other in dated):
        raise NotRead  # from today (18 Nov) on: one of them is not what was meant
    named = [one for one in said.query.conditions if one.op in {"in", "not in"}]
    for one, other in combinations(named, 2):
        taken = set(one.value) & set(other.value) if one.op != other.op else set(one.value) ^ set(other.value)
        if (one.column, one.part) == (other.column, other.part) and taken and "in" in {one.op, other.op}:
            raise NotRead(*map(str, taken))  # what one of them asks for the other takes away


def _left_out(said: Roles) -> None:
    """What is left out: 不算 before or behind it; a column of figures that is left out of others says nothing."""
    for at in said.left("except", "beside"):
        one, other = (said.tokens[place] if said.at(place, "value") else said.tokens[at] for place in (at - 1, at + 1))
        again = [token.senses for token in said.tokens].count(other.senses) > 1
        if valued(one) & valued(other) and again and at not in said.breaks:
            said.take(at - 1, at, at + 1)  # 免费不算已付: 已付 alone is meant
            continue
        goes_on = said.near(at, 1, has("value", "column", "undone"), 2) is not None
        if said.at(at, "except") and said.at(at, "beside"):
            said.tokens[at] = said.tokens[at].without("beside" if goes_on else "except")
        figures = said.near(at, 1 if said.at(at, "except") else -1, said.names("number"), 2)
        if figures is not None and len(said.columns("number")) > 1:
            said.take(at, figures)


def _restricted(said: Roles) -> None:
    """Decline where only those rows are meant to which something happened, and nobody says which: 卖掉的有几批."""
    for at in said.left("event", "deal"):
        thing = said.at(at + 2, "rowname", "row", "column", "value", "person", "money")
        if said.text(at + 1) == "的" and not (thing or said.at(at, "column", "value")) and said.left("count"):
            raise said.unread(at)


def _noted(said: Roles) -> None:
    """What is written in a column says nothing beside its value, or where it is there or not: no guide entered."""
    for at in said.left("noted"):
        column = said.near(at, -1, said.names(), 2)
        owner = said.tokens[max(0, (column or 0) - 3) : column or 0]
        there = any(token.has("empty") or token.text.lower() in _HAVE for token in owner)
        if said.near(at, 1, has("value"), 1) or (there and said.near(at, 1, has(*_BOUND), 3) is None):
            said.tokens[at] = replace(said.tokens[at], senses=frozenset({Sense("free")}))


def _ranges(said: Roles) -> None:
    """Between two numbers or two times; from one to another."""
    over = ("unit", "mult", "year", "and", "to")
    for at in said.left("between", "amid", "to"):
        token = said.tokens[at]
        if at in said.used:
            continue
        if token.has("between"):
            first = said.near(at, 1, has(*_BOUND), 3)
            second = None if first is None else said.near(first, 1, has(*_BOUND), 4, over)
        else:
            second = said.near(at, -1 if token.has("amid") else 1, has(*_BOUND), 3, over)
            first = said.near(min(at, second), -1, has(*_BOUND), 4, over) if second is not None else None
        if first is not None and second is not None:
            _range(said, at, first, second)
        elif not token.has("to"):
            raise said.unread(at)


def _range(said: Roles, at: int, first: int, second: int) -> None:
    low, high = said.number(first), said.number(second)
    end = (high[1] if high else second + 1) + said.at(second + 1, "year")
    if low is not None and high is not None and not (_is_year(said, first) and _is_year(said, second)):
        column = _measured_near(said, min(at, first), end)
        said.where(column, ">=", low[0])
        said.where(column, "<=", high[0])
    else:
        begin, finish = _moment(said, first), _moment(said, second)
        if (begin[2], finish[2]) == ("day_of_year", "day"):  # 1 June and 31 August 2026
            begin = (f"{finish[0][:4]}-{begin[0]}", None, "day")
        if begin[2] != finish[2] or begin[0] > finish[1]:
            raise said.unread(first)
        _when(said, dated_near(said, min(at, first), end - 1), (begin[0], finish[1], begin[2]))
    said.take(at, *(place for place in said.left("between", "amid", "to") if first <= place <= end))
    said.take(*range(first, end), said.near(first, -1, has("since"), 1))


def _when(said: Roles, column: str, moment: Moment, op: Op = "=") -> None:
    """A condition on a date; what has no year means the one that the table has."""
    first, last, part = moment
    years = {name[:4] for name in said.table.column(column).values}
    if part == "day_of_year" and len(years) > 1 and column != said.table.concepts.get("born"):
        year = next((one.about for token in said.tokens for one in token.all("day_of_year")), "")
        if year in years:  # of several years this one
            first, last, part = f"{year}-{first}", f"{year}-{last}", "day"
    _check_year(said, column, (first, last, part), op)
    if op == "=" and first != last:
        said.where(column, ">=", first, part)
        said.where(column, "<=", last, part)
    else:
        said.where(column, op, last if op in {">", "<="} else first, part)


def _check_year(said: Roles, column: str, moment: Moment, op: Op = "=") -> None:
    """No row of a year that a table does not have says nothing about that year; nor does May, where it has several."""
    first, last, part = moment
    known = said.table.column(column).values
    if part in {"month", "day_of_year"} and column != said.table.concepts.get("born"):
        low, high = (int(str(one)[:2]) for one in (first, last))
        of_month = {name[:4] for name in known if op != "=" or low <= int(name[5:]) <= high}
        if len(of_month) > 1 or (known and not of_month):
            raise NotRead(str(first))
    years = [str(one)[:4] for one in (first, last)]
    known_years = {name[:4] for name in known if name[:4].isdigit()}
    whole = op == "=" and known_years and all(one.isdigit() and len(one) == len("2024") for one in years)
    if whole and not any(years[0] <= one <= years[1] for one in known_years):
        raise NotRead(years[0])
    is_month = op == "=" and known_years and _MONTH.match(str(first)) and _MONTH.match(str(last))
    if is_month and (str(last)[:7] < known[0] or str(first)[:7] > known[-1]):
        raise NotRead(str(first))  # of a month before or after all that is there nothing is known


def _equals(said: Roles) -> None:
    """A figure that a column has: a rating of 5, machines that have 5 axes."""
    for at in said.columns("number"):
        name, beside = said.column(at, "number").name, not said.text(at).isascii()  # 直径8毫米的
        number = said.number(at + 2) if said.text(at + 1) in _IS else said.number(at + 1) if beside else None
        end = number[1] + said.is_named(number[1], name) if number is not None else at
        unit, own = unit_named(said.text(end - 1)), unit_of(name)
        if number is not None and unit and own and unit != own:
            raise said.unread(end - 1)  # 1 m, where it is counted in cm
        if number is not None and not said.at(at - 1, "agg", "sup") and _ends(said, end):
            said.where(name, "=", number[0])
            said.take(*range(at, end))
    for at in said.left("num"):
        value, end = said.number(at) or (0.0, at)
        owned = said.near(at, -1, lambda token: token.text.lower() in _HAVE, 2) is not None
        if owned and end in said.columns("number"):
            said.where(said.column(end, "number").name, "=", value)
            said.take(*range(at, end + 1))


def _comparisons(said: Roles) -> None:
    for at in said.left("cmp", "post", *_WAYS):
        token = said.tokens[at]
        follows = token.has("post")
        place = said.near(at, -1, has(*_BOUND), 3, ("mult", "year")) if follows else said.near(at, 1, has(*_BOUND), 2)
        if place is not None:
            _compare(said, at, place)
        elif said.near(at, 1, has("value"), 2) is not None and _way(token) in {"=", "!="}:
            continue  # (status = open)
        elif said.text(at) == "over" and said.says("agg") and said.near(at, 1, has("rowname", "value", "all"), 3):
            said.take(at)  # the average over the open orders
        elif not follows and not _compare_columns(said, at) and token.has("cmp") and not token.has("free"):
            raise said.unread(at)


def _than(said: Roles) -> None:
    """A column that is said to be less or more than another one: 库存比最低库存少."""
    for at in said.left("than"):
        before, after = said.near(at, -1, said.names("number"), 2), said.near(at, 1, said.names("number"), 2)
        way = said.near(after, 1, has("more", "fewer"), 1) if after is not None else None
        if before is not None and after is not None and way is not None and not said.says("count", "amount", "sup"):
            first, second = (said.column(place, "number").name for place in (before, after))
            said.where(first, ">" if said.at(way, "more") else "<", Other(second))
            said.take(before, at, after, way)


def _ends(said: Roles, place: int) -> bool:
    """Whether nothing is counted by a number that ends here: a rating of 5, not the price of 5 lamps."""
    return place in {*said.breaks, len(said.tokens)} or said.text(place) == "的" or said.at(place, "and", "or")


def _compare_columns(said: Roles, at: int) -> bool:
    """A column against another one: stock below the minimum, 库存低于最低库存, paid after the due date."""
    for kind in ("number", "date"):
        start = at - (said.text(at - 1) == "but")  # paid, but after the due date
        before, after = said.near(start, -1, said.names(kind), 4), said.near(at, 1, said.names(kind), 3)
        than = said.near(after, 1, has("versus"), 1) if after is not None else None
        if than is not None:  # fewer on hand than their minimum
            before, after = after, said.near(than, 1, said.names(kind), 3, ("of_those",))
            said.take(than)
        if after is None:
            continue
        second = said.column(after, kind).name
        kept = [said.table.concepts.get(concept) for concept in ("stock", "quantity")]  # what a level is a level of
        first = said.column(before, kind).name if before is not None else next(filter(None, kept), second)
        if first == second or said.table.column(first).kind != kind:
            continue
        said.where(first, _way(said.tokens[at]), Other(second))
        said.take(at, after, before)
        return True
    return False


def _way(token: Token) -> Op:
    """How a word compares."""
    sense = token.get("cmp") or token.get("post")
    return sense.value if sense else next(_WAYS[kind] for kind in _WAYS if token.has(kind))


def _compare(said: Roles, at: int, place: int) -> None:
    op, number = _way(said.tokens[at]), said.number(place)
    if number is None and said.text(at) in _ABOVE:
        raise said.unread(at)  # over Christmas is not after it
    if number is None or _is_year(said, place):
        _when(
            said, dated_near(said, min(at, place), max(at, place), is_bound=op in {"<", "<="}), _moment(said, place), op
        )
        said.take(at, place, place + 1 if said.at(place + 1, "year") else None)
    elif not said.at(at, "cmp", "post") and not _counts_years(said, at, place):
        raise said.unread(at)
    else:
        column = _measured_near(said, min(at, place), max(number[1], at + 1))
        percent = _PERCENT.search(said.tokens[place].text) and said.table.column(column).most > 1
        said.where(column, op, round(number[0] * 100, 9) if percent else number[0])
        said.take(at, *range(place, number[1]), said.near(at, -1, has("money"), 1))  # took more than 50 hours


def _is_year(said: Roles, place: int) -> bool:
    """Whether a number is a year: one of our time, beside no column of numbers, in a table with dates."""
    value = float(said.tokens[place].the("num").value)
    if not FIRST_YEAR <= value <= LAST_YEAR or value != int(value) or not said.of_kind("date"):
        return False
    return said.near(place, -1, said.names("number"), 5, ("cmp", "post", *_WAYS)) is None


def _counts_years(said: Roles, at: int, place: int) -> bool:
    """Whether before and after speak of a column whose numbers are years: built before 1990."""
    beside = said.near(min(at, place), -1, said.names("number"), 4)
    years = (said.tokens[place].the("num").value, said.column(beside).most if beside is not None else 0)
    return all(FIRST_YEAR <= float(one) <= LAST_YEAR and one == int(one) for one in years)


def _moment(said: Roles, place: int) -> Moment:
    """The time that the word at a place says."""
    if (span := said.tokens[place].get("span")) is not None:
        return span.value
    for kind, part in _PARTS.items():
        if (sense := said.tokens[place].get(kind)) is not None:
            value = int(sense.value) if kind == "month" else f"{sense.value:g}" if kind == "num" else str(sense.value)
            return value, value, part
    raise said.unread(place)


def _measured_near(said: Roles, start: int, end: int) -> str:
    """The column of numbers that a comparison speaks of; what is money, by its unit."""
    found = said.near(start, -1, said.names("number"), 4, ("first", "last"))
    behind = said.near(end - 1, 1, said.names("number"), 2)
    if found is not None and said.at(found, "rowname") and behind == end:
        found = None  # boards with less than 25 % battery, where a column numbers the boards
    found = behind if found is None else found
    if found is not None:
        said.take(found)
        return said.column(found, "number").name
    unit = said.tokens[end - 1].text.lower()
    money = said.numbers_of("amount") or said.numbers_of("price")
    if money and said.is_currency(end - 1):
        return money
    measured = [column for column in said.of_kind("number") if not column.unique]
    if (known := unit_named(unit)) is not None:
        measured = [column for column in measured if unit_of(column.name) == known] or measured
    if len(measured) == 1:
        return measured[0].name
    raise said.unread(start)


def dated_near(said: Roles, at: int, end: int | None = None, *, is_bound: bool = False) -> str:
    """The column of dates that is spoken of, or the only one, or the one that is just called so.

    Before a day (`is_bound`) there are many things, of which none is meant more than others.
    """
    if said.dates_by:
        return said.dates_by
    for start, step in ((at, -1), (at if end is None else end, 1)):
        over = ("not", "num", "year", "event", "head", *_TIMES)  # an arrival date in July
        found = said.near(start, step, said.names("date"), 4, over)
        if found is not None:
            column = said.column(found, "date")
            beside = [place for place in said.left("column") if abs(place - found) < FAR]
            said.take(*(place for place in beside if said.named(said.tokens[place], "date") == column))
            return column.name
    if len(said.of_kind("date")) > 1 and any(token.text.lower() in _TO_COME for token in said.tokens):
        raise said.unread(at)  # have to go out on the 18th: not what was ordered then
    if (event := _of_event(said, at)) is not None:
        return event
    is_bound = is_bound and not said.at(at, "num")
    if is_bound and any(LATER.search(one.name) or _ARRIVES.search(one.name) for one in said.of_kind("date")[1:]):
        raise said.unread(at)
    dates = [column for column in said.of_kind("date") if not LATER.search(column.name)]
    known = [column for column in dates if column.complete]  # every loan was lent, not every one is back
    plain = [column for column in dates if column.name.lower() in {"date", "day", "日期", "时间"}]
    stem = set(key_of(re.sub(r"[\d_-]+", " ", said.table.stem)))
    own = [column for column in known if not stem.isdisjoint(key_of(column.name.replace("_", " ")))]  # visit_date
    for columns in (known, dates, plain, own):
        if len(columns) == 1:
            return columns[0].name
    raise said.unread(at)


_TO_COME = frozenset({"have to", "has to", "need to", "needs to", "must", "will", "必须"})
"""What says that something is still to be done."""
_DATED = re.compile(r"(?i)[_ ]*(?:date|day|time|on|at)$|日期|时间|日$")


def _of_event(said: Roles, at: int) -> str | None:
    """The one column of dates that is called by what happened or ends: when did it ship, where one is the ship_date."""
    words = {atom for token in said.tokens for atom in key_of(token.text)}
    names = {column.name: key_of(_DATED.sub("", column.name).replace("_", " ")) for column in said.of_kind("date")}
    found = [name for name, key in names.items() if key and words.issuperset(key)]
    if len(found) != 1 and any(token.text.lower() in _ENDS for token in said.tokens):
        found = [name for name in names if _DUE.search(name)]
        if len(found) != 1:
            raise said.unread(at)
    return found[0] if len(found) == 1 else None


def _values(said: Roles) -> None:
    """Values that occur in the table."""
    told: dict[tuple[str, bool], list[str]] = {}
    for at in said.left("value"):
        if said.text(at + 1) in {"number", "numbers"} and said.tokens[at].text.islower():
            raise said.unread(at + 1)  # a phone number is not an order by phone
        column, values = _value(said, at)
        beside = next((one for one in range(at - 1, -1, -1) if said.text(one) not in {"the", "a", "an"}), 0)
        if said.at(beside, "value") and any(not wanted and name != column for name, wanted in told):
            raise said.unread(at)  # leaving Sophie the director aside
        denied = said.near(at, -1, _denies, 4, ("value", "and", "or", "column", "by", "event"))
        if _is_torn(said, at, told.get((column, True), ())) or not (denied or _is_joined(said, at, column)):
            raise said.unread(at)
        beside = said.near(at, 1, has("beside"), 3, ("value", "and", "or"))
        equal = said.near(at, -1, has("cmp"), 2, ("column",))
        if equal is not None and _way(said.tokens[equal]) not in {"=", "!="}:
            raise said.unread(equal)
        wanted = denied is None and beside is None and (equal is None or _way(said.tokens[equal]) == "=")
        is_not = denied is not None and not said.at(denied, "except")
        if is_not and (opposite := _opposite(said, at, said.table.column(column), values)):
            wanted, values = True, opposite
        told.setdefault((column, wanted), []).extend(values)
        said.take(at, denied, beside, equal, said.near(at, -1, has("by"), 2))  # done by Wang
    for (column, wanted), values in told.items():
        said.where(column, "in" if wanted else "not in", list(dict.fromkeys(values)))
    for at in said.left("or"):
        sides = [valued(token) for token in said.tokens[max(at - 1, 0) : at + 2]]
        if len({column for column, _ in told}) != 1 and not sides[0] & sides[-1]:
            raise said.unread(at)
        said.take(at)


def _opposite(said: Roles, at: int, column: Column, values: Sequence[str]) -> list[str]:
    """The value that says itself that something is not so: unpaid, 未付; none where all others are meant.

    What is still to be done may be one of several others: waived is not paid, and nobody has to pay it.
    """
    others = [one for one in column.values if one not in values]
    small = [one.lower().removeprefix("已") for one in values]
    denials = {before + one for one in small for before in ("un", "in", "not ", "non-", "未", "没", "待")}
    if own := [one for one in others if one.lower() in denials]:
        return own
    if len(others) > 1 and any(token.text.lower() in _NOT_YET for token in said.tokens[:at]):
        raise said.unread(at)
    return []


def _is_joined(said: Roles, at: int, column: str) -> bool:
    """Whether a value is told together with the one of the same column before it, if there is one: A and B, A or B."""
    before = [place for place in range(at) if column in valued(said.tokens[place])]
    if not before or before[-1] == at - 1:
        return True
    between = range(before[-1] + 1, at)
    same = said.tokens[before[-1]].senses & said.tokens[at].senses
    return bool(same) or any(said.at(place, *_JOINS) or place in said.breaks for place in (*between, at))


def _is_torn(said: Roles, at: int, before: Sequence[str]) -> bool:
    """Whether two words that make one name each mean somebody else: no Harriet Lowe is Harriet Doyle or Peter Lowe."""
    one, other = said.tokens[at - 1 : at + 1] if at else (said.tokens[0], said.tokens[0])
    apart = other.start - one.end != 1 or not other.text.isascii() or not one.has("value") or at in said.breaks
    return not apart and bool(before) and other.text[:1].isupper()


def _denies(token: Token) -> bool:
    return token.has("not", "except") or token.text == "没有"


def _value(said: Roles, at: int) -> tuple[str, list[str]]:
    """The column and the values a word means, several where it is a part of each; the column beside it decides."""
    meant: list[tuple[str, str]] = [sense.value for sense in said.tokens[at].all("value")]
    for step, reach in ((-1, 3), (1, 3)):
        beside = said.near(at, step, said.names(), reach, ("cmp", "not"))
        fitting = [pair for pair in meant if beside is not None and pair[0] == said.column(beside).name]
        if beside is not None and fitting:
            if said.near(beside, -1, has("each", "by"), 1) is None:  # nothing is grouped by it
                said.take(beside)
            meant = fitting
            break
    columns = {column for column, _ in meant}
    if len(columns) > 1:
        raise said.unread(at)
    same = [value for _, value in meant if value == said.tokens[at].text]
    same = same or [value for _, value in meant if value.lower() == said.text(at)]
    column = columns.pop()
    found = same or [value for _, value in meant]
    if is_one_of(said, at, said.table.column(column), found):
        raise said.unread(at)  # García, where two people are called so
    listed = (one for one in said.table.column(column).values if not {*LISTED.split(one)}.isdisjoint(found))
    return column, list(dict.fromkeys([*found, *listed]))


def _times(said: Roles) -> None:
    """Days, months and years that stand alone."""
    for at in said.left("year_of", "num"):
        year = str((said.tokens[at].get("year_of") or said.tokens[at].the("num")).value).removesuffix(".0")
        this = r"|this.?year|本年|今年" if said.text(at).startswith(("this", "今年")) else ""
        own = re.compile(f"(?i){year}{this}" if len(year) == len("2026") else "(?!)")
        named = [one for one in said.table.columns if own.search(one.name)]
        told = any(said.named(token) in named for token in said.tokens)
        if named and (said.at(at, "num") or told or not said.of_kind("date")):
            said.take(at)  # hours_2026, paid for 2026
    _named_months(said)
    for at in said.left("num"):
        after, value = said.at(at + 1, "year"), said.tokens[at].the("num").value
        joined = said.at(at - 1, "and", "or") and said.at(at - 2, "year_of")
        if (after or joined or (at and said.text(at - 1) in _IN)) and _is_year(said, at):
            said.tokens[at] = replace(said.tokens[at], senses=frozenset({Sense("year_of", f"{value:g}")}))
            said.take(at + 1 if after else None)
    for at in said.left(*_TIMES):
        if at not in said.used and said.near(at, -1, has("each", "by"), 1) is None:
            _one_of_times(said, at)


def _one_of_times(said: Roles, at: int) -> None:
    """A time, or one of several: in August and September."""
    column, places = dated_near(said, at), [at]
    _decline_any_date(said, at, column)
    while said.at(places[-1] + 1, "and", "or", "versus") and said.at(places[-1] + 2, *_TIMES):
        places.append(places[-1] + 2)
    moments = [_moment(said, place) for place in places]
    first, part = moments[0], moments[0][2]
    if any(one.column == column and one.part == part and one.op in {"=", "in"} for one in said.query.conditions):
        raise said.unread(at)  # in May, and again in June: nothing is in both
    if len(moments) == 1:
        _when(said, column, first)
    elif any(one[2] != part or one[0] != one[1] for one in moments):
        raise said.unread(places[-1])
    else:
        for one in moments:
            _check_year(said, column, one)
        said.where(column, "in", [one[0] for one in moments], part)
    said.take(*places, *(place - 1 for place in places[1:] if not said.at(place - 1, "versus")))


def _decline_any_date(said: Roles, at: int, column: str) -> None:
    """A sum of a month alone means none of several dates, unless the rows' name, a verb or a date's name does."""
    others = [one for one in said.of_kind("date") if one.name != column and not LATER.search(one.name)]
    told = said.says("rowname", "event", "deal", "money", "when") or any(map(said.names("date"), said.tokens))
    summed = any(map(said.names("number"), said.tokens)) and not said.before
    if others and summed and not told and not said.dates_by and not said.table.named:
        raise said.unread(at)  # 10月的单子一共多少箱


def _named_months(said: Roles) -> None:
    """A month, where a column has those: not the dates on which something else happened in it."""
    columns = [one for one in said.of_kind("text") if one.values and all(map(_MONTH.fullmatch, one.values))]
    if said.left("span") and any(re.search(r"(?i)quarter|季度", one.name) for one in said.table.columns):
        raise said.unread(said.left("span")[0])  # of those, not of the dates beside it
    for at in said.left("month", "month_of") if columns else ():
        meant = [value for value in columns[0].values if value.endswith(str(_moment(said, at)[0]).zfill(2))]
        if len(columns) > 1 or len(meant) != 1:
            raise said.unread(at)
        said.where(columns[0].name, "in", meant)
        said.take(at)


def _denials(said: Roles) -> None:
    """What is missing, or is not so: without an e-mail, not returned, 未归还; or was not paid, 没付款."""
    for at in said.left("empty", "not"):
        is_empty = said.tokens[at].has("empty")
        place = said.near(at, 1, said.names(), 5, ("event",)) if said.text(at + 1) != "的" else None
        place = said.near(at, -1, said.names(), 2) if place is None and is_empty else place  # 电话没填的店名
        if place is None and said.at(at + 1, "money", "deal", "event"):  # 定金还没付
            place = said.near(at, -1, said.names("flag", "date"), 1)
            if place is not None and said.at(at + 1, "money") and not _IS_PAID.search(said.column(place).name):
                raise said.unread(at + 1)  # 发票没付: a column that says whether there is one does not say it
            said.take(at + 1 if place is not None else None)
        verb, paid = said.near(at, 1, has("money"), 2), said.table.concepts.get("paid")
        if place is None and (verb is None or paid is None):
            continue
        column = said.table.column(paid or "") if place is None else said.column(place)
        single = place - 2 if place is not None and said.at(place - 1, "row") else (place or 0) - 1
        if is_empty and column.kind == "number" and said.at(single, "num") and said.text(at - 1) in {"都", "也"}:
            if said.tokens[single].the("num").value != 1:
                raise said.unread(single)
            said.where(column.name, "=", 0)  # 一件不合格都没有
            said.take(single)
        elif column.kind == "number" and is_empty:
            said.where(column.name, "none")
        elif place is None and column.kind not in {"flag", "date"}:
            continue
        else:
            require(said, column, wanted=False, surely=is_empty or column.kind == "date")
        said.take(at, verb if place is None else place)


def require(said: Roles, column: Column, *, wanted: bool, surely: bool = False) -> None:
    """That a column says so, or not: yes and no as they are written there, else that it has something, or nothing.

    Where nothing is missing that says nothing, unless it is asked in so many words (`surely`). A column that says no
    nowhere is left empty.
    """
    known = [value.lower() for value in column.values]
    if column.kind == "flag" and (wanted or not known or any(value in FALSE for value in known)):
        meant = TRUE if wanted else FALSE  # what is written yes may be read as true
        said.where(column.name, "as text", [one for one in meant if one in known or one == meant[0]])
    elif column.kind == "flag":
        said.where(column.name, "not in", list(column.values))
    elif surely or not column.complete:
        said.where(column.name, "filled" if wanted else "empty", list(column.nothing) or None)
    else:
        raise NotRead(column.name)
    said.take(*(place for place in said.left("column") if said.named(said.tokens[place]) == column))


def _presence(said: Roles) -> None:
    """What has something of which others have nothing: with a note, 有备注的; what was returned, 归还的."""
    for at in said.left("column", "money"):
        paid = said.table.concepts.get("paid") if said.text(at) in _PAID else None
        column = said.named(said.tokens[at]) or (said.table.column(paid) if paid else None)
        after = at + 2 if said.text(at + 1) == "的" else at + 1
        adjective = said.at(after, "rowname", "row") and not said.at(at - 1, "each", "by")
        if column is not None and adjective and (column.kind == "flag" or said.text(at) in _PAID):
            require(said, column, wanted=True)  # urgent jobs, paid invoices
            said.take(at)
    for at in said.left("column") if not said.left("when", "sup") else ():
        column, word = said.named(said.tokens[at]), said.text(at)
        if column is None or column.complete or column.kind not in {"text", "date"}:
            continue
        owned = said.near(at, -1, lambda token: token.text.lower() in _HAVE, 3) is not None
        if word.isascii():
            asked = said.near(at, -1, has("which", "who", "count", "each", "by", "agg"), 1) is not None
            is_meant = not asked and (owned or word.endswith("ed"))
        else:
            done = word != column.name and column.kind == "date"
            told = said.at(at + 1, "noted")  # 备注填了的
            is_meant = (owned or done or told) and said.text(at + 1 + told) == "的"
            written = said.text(at - 1) == "了" and said.text(at - 2) in _WRITTEN  # 哪些记录写了备注
            ends = at + 1 in {*said.breaks, len(said.tokens)}
            is_meant = is_meant or (ends and (owned or written) and any(one.has("which") for one in said.tokens[:at]))
        if is_meant:
            again = [one for one in said.left("column") if said.is_parted(at, one)]
            require(said, column, wanted=True)
            said.used.difference_update(again)  # 备注也要
            said.take(*(one for one in (at - 1, at + 1) if said.at(one, "noted") and not word.isascii()))


def _events(said: Roles) -> None:
    """Verbs that only say that it happened: they say nothing, unless of some rows it did not, and nobody says which."""
    counted = ("row", "rowname", "column", "value", "unit", "person", "distinct")
    bare = [at for at in said.left("count") if said.text(at) in {"多少", "有多少"} and not said.at(at + 1, *counted)]
    listed = not said.query.conditions and not said.left("count", "times", "amount", "agg", "sup")
    for at in said.left("deal"):
        if listed or (said.text(at + 1) == "的" and said.left("count") and "status" in said.table.concepts):
            raise said.unread(at)  # which were sold? 已经卖掉的有几批
    for at, token in enumerate(said.tokens):
        happens = any(sense.value == "event" for sense in token.all("row")) and not token.has("rowname", "column")
        if happens and not said.of_kind("date") and not said.table.named:
            raise said.unread(at)  # a booking, in a list of clients
    for at in said.left("event"):
        if said.at(at, "column", "value", "rowname", "money"):
            continue
        if not said.of_kind("date") or bare:
            raise said.unread(at)  # nothing happens in this table; 捐了多少: how often, or how much?
        for column in said.table.columns:
            names = [column.name] if column.kind == "flag" else column.values if column.kind == "text" else ()
            undone = any(sense.kind == "undone" for name in names[:FEW] for sense in senses_of(key_of(name)))
            if undone and not any(one.column == column.name for one in said.query.conditions):
                raise said.unread(at)
        said.take(at)


def _stocked(said: Roles) -> None:
    """What is in stock, out of stock, or below what should be there."""
    for at in said.left("short", "none_left", "in_stock"):
        stock, least = said.numbers_of("stock"), said.numbers_of("minimum")
        short, counts = said.at(at, "short"), said.left("count")
        kept = stock or said.numbers_of("quantity")
        if said.at(at, "in_stock") and kept and counts and not said.at(counts[0] + 1, "rowname"):
            said.query.measures.append(Measure("sum", kept))  # how many lamps are in stock
            said.take(at, *counts)
        if at in said.used or said.at(at, "column"):
            continue
        stock = stock or (None if short else said.numbers_of("quantity"))
        if stock is None or (short and least is None):
            raise said.unread(at)
        bound = Other(least or "") if short else 0
        if not any(one.value == bound for one in said.query.conditions):
            said.where(stock, "<" if short else "=" if said.at(at, "none_left") else ">", bound)
        said.take(at)


def _late(said: Roles) -> None:
    """What is overdue: the date it was due is past, and what says that it is settled says no, or nothing.

    Where a state is told beside the dates, that may say otherwise.
    """
    for at in said.left("late"):
        due = [one.name for one in said.of_kind("date") if _DUE.search(one.name)]
        open_ones = [one for one in said.table.columns if one.name not in due and _SETTLED.search(one.name)]
        flags = [one for one in open_ones if one.kind == "flag"]
        dates = [one for one in open_ones if one.kind == "date" and not one.complete]
        if len(due) != 1 or len(flags or dates) != 1 or "status" in said.table.concepts:
            raise said.unread(at)
        said.take(at)
        if any(one.column == due[0] for one in said.query.conditions):
            continue  # 年底之前过期: until when is said
        said.where(due[0], "<", said.tokens[at].the("late").value, "day")
        require(said, (flags or dates)[0], wanted=False)


def _ticked(said: Roles) -> None:
    """What is done of a list of tasks, or is still open, which may be said twice: 还剩几项没做完."""
    ticked = said.left("ticked")
    if len({said.tokens[at].the("ticked").value for at in ticked}) > 1:
        raise said.unread(ticked[-1])
    for at in ticked[:1]:
        require(said, said.table.column("done"), wanted=said.tokens[at].the("ticked").value == "yes")
        said.query.shown = ["task"]
    said.take(*ticked)
