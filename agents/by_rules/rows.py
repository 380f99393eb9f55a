"""What is asked of rows: each word gets its role, and all roles together are one query.

Conditions first (`conditions`), then what is grouped by (`groups`), ordered by (`ranking`) and counted (`figures`), and
last what is shown (`shown`) and told (`shape`). A word that no role takes declines the question and is named; so does a
word that could have two roles and nothing that decides. What a question that follows another changes is said here.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from switchyard.agents.by_rules.conditions import read_conditions
from switchyard.agents.by_rules.figures import read_figures, read_quantities, read_share
from switchyard.agents.by_rules.groups import read_groups, read_versus
from switchyard.agents.by_rules.query import Condition, Measure, NotRead, Query, quoted
from switchyard.agents.by_rules.ranking import read_limits, read_superlative
from switchyard.agents.by_rules.roles import Roles, has
from switchyard.agents.by_rules.shape import ASKING, settle_shape
from switchyard.agents.by_rules.shown import show_columns
from switchyard.agents.by_rules.table import Table
from switchyard.language.lexicon import Sense, Token
from switchyard.language.units import unit_named

_CLAUSE_MARKS = frozenset(",，、;；?？.。:：!！")
"""Marks that end a clause, or part of a list."""


def read_query(tokens: Sequence[Token], table: Table, before: Query | None = None) -> Query:
    """The query that takes every word of a question; of one that follows another (`before`), only what changes is said.

    Raises:
        NotRead: when a word has no place in it.
    """
    _decline_bracketed(tokens)
    said = Roles([token for token in tokens if not token.has("mark")], table, before)
    ends = [at for at, token in enumerate(tokens) if token.has("mark") and token.text in _CLAUSE_MARKS]
    said.breaks = {sum(not token.has("mark") for token in tokens[:end]) for end in ends}
    said.settle()
    for at in said.left("gap"):
        raise said.unread(at)  # the difference is not what is different
    first = (_said_beside, _hint, read_conditions, _worked_out, read_versus)
    for take in (
        *first,
        read_groups,
        read_limits,
        read_share,
        read_superlative,
        read_quantities,
        read_figures,
        show_columns,
        settle_shape,
    ):
        take(said)
    return said.query if before is None else _changed(before, said.query, said)


def _decline_bracketed(tokens: Sequence[Token]) -> None:
    """Decline where a value in brackets says again what is denied before them: did not turn up (status no-show)."""
    opened = next((at for at, token in enumerate(tokens) if token.text in {"(", "（"}), len(tokens))
    denied = [token.text for token in tokens[:opened] if token.has("not", "empty", "undone")]
    if denied and any(token.has("value") for token in tokens[opened:]):
        raise NotRead(*denied)


def _changed(before: Query, now: Query, said: Roles) -> Query:
    """The query of a question with what a follow-up says in the place of what it said."""
    adds = said.says("of_those")
    conditions = [*before.conditions, *now.conditions] if adds else _replaced(before.conditions, now.conditions)
    _decline_other_things(before, now, said, adds=adds)
    named = [name for name in now.shown if said.table.column(name).kind == "number"] if not now.order else []
    if named == now.shown and any(one.column for one in before.measures):  # and the children? 那人数呢
        measures = [replace(one, column=name) for one in before.measures for name in named if one.column]
        now = replace(now, shown=[], measures=[*now.measures, *measures])
    only_rows = all(said.table.column(name).kind == "text" for name in now.shown) and not (now.measures or now.order)
    if only_rows and before.measures and now.conditions and not said.says(*ASKING[:-2], "where"):
        now = replace(now, shown=[])  # and motor boats? how many there are of those, too
    nothing = not (now.measures or now.shown or now.order or now.groups or now.share)
    if before.extreme and len(before.groups) == 1 and not before.groups[0].part and said.speaks_of_it():
        return _of_the_first(before, now, conditions)
    if nothing and before.measures and not before.groups and said.says("which", "show"):
        return Query(conditions=conditions)  # list them
    if nothing:
        return replace(before, conditions=conditions, shown=before.shown if now.conditions else [])
    if now.order or now.groups or now.share:
        return replace(now, conditions=conditions, shown=now.shown or before.shown)
    averaged = any(one.function in {"avg", "median"} for one in now.measures)  # and the average, of all of them?
    if (before.extreme or before.limit == 1) and not averaged:  # of the one row that was found: 它的月租是多少
        figures = [one.column for one in now.measures if one.function == "sum" and one.column]
        if before.groups or now.conditions or len(figures) < len(now.measures):
            raise NotRead
        return replace(before, shown=[*before.shown, *now.shown, *figures])
    return replace(now, conditions=conditions, groups=[] if now.shown else before.groups)


def _of_the_first(before: Query, now: Query, conditions: list[Condition]) -> Query:
    """What is asked of the one group that had the most; with its name, as two may share the place."""
    counted = any(one.column is None for one in now.measures)  # 9 rows, beside a name, are no answer to how many
    if counted or not (now.measures or (now.conditions and not now.shown)) or now.groups or now.order or now.share:
        raise NotRead
    of_it = Condition(before.groups[0].column, "of", before)
    return replace(now, conditions=[*conditions, of_it], measures=now.measures or before.measures, groups=before.groups)


def _decline_other_things(before: Query, now: Query, said: Roles, *, adds: bool) -> None:
    """Of the open ones nobody asks when they were delivered; what time it was is not told by its day alone."""
    pairs = [(one, other) for one in before.conditions for other in now.conditions] if adds else []
    same = [pair for pair in pairs if pair[0].column == pair[1].column and pair[0].op == pair[1].op == "in"]
    hours = any(one.values and all(map(_CLOCK.fullmatch, one.values)) for one in said.table.columns)
    asked = any(token.has("when") and re.match(r"(?i)几点|.*\btime", token.text) for token in said.tokens)
    if any(set(one.value).isdisjoint(other.value) for one, other in same):
        raise NotRead
    if hours and asked and now.shown in [[one] for one in said.dated()]:
        raise NotRead


_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d)?")


def _replaced(before: list[Condition], now: list[Condition]) -> list[Condition]:
    """Conditions with new ones in the place of those on the same; and in May: of the same year."""
    kept = list(before)
    added = list[Condition]()
    for new in now:
        same = [one for one in kept if one.column == new.column and (bool(one.part) == bool(new.part))]
        if new.part == "weekday" and any("day" in one.part and one.part != "weekday" for one in same):
            raise NotRead  # on the 13th, and on Friday: of which week?
        years = [str(one.value)[:4] for one in same if one.part == "month_of_year"]
        if new.part == "month" and new.op == "=" and years:
            new = replace(new, part="month_of_year", value=f"{years[0]}-{int(new.value):02d}")  # noqa: PLW2901
        kept = [one for one in kept if one not in same or (one.part == "year" and new.part == "month")]
        added.append(new)
    return [*kept, *added]


def _said_beside(said: Roles) -> None:
    """What says nothing beside another word: Dr Lim, the reorder level, 40 a day; and rounding."""
    for at in said.left("title"):
        said.take(at if said.at(at - 1, "value", "each") or said.at(at + 1, "value") else None)
    for at in said.left("count"):
        which = said.text(at - 1) in {"哪", "这", "那"} and said.text(at).startswith("几")  # 哪几单: not how many
        what = said.text(at) == "多少" and any(map(said.names("text"), said.tokens[max(at - 1, 0) : at]))
        said.take(
            at if which or (what and at + 1 == len(said.tokens) and said.says("value")) else None
        )  # 他的手机号多少
    for at in said.left("who"):  # people who have not paid
        behind = said.text(at) in {"who", "whose"} and said.at(at - 1, "person", "rowname", "column", "value")
        said.take(at if behind else None)
    numbered = next((one.name for one in said.table.columns if one.unique), None)
    for at in said.left("head"):
        if said.text(at) == "numbers" and numbered:  # the invoice numbers tell the rows apart
            said.tokens[at] = replace(said.tokens[at], senses=frozenset({Sense("column", numbered)}))
        elif said.at(at - 1, "column", "agg") and not said.at(at, "column", "money"):
            said.take(at if not said.at(at, "count") or said.at(at - 2, "empty") else None)  # with no mite count
    rate = said.numbers_of("price") or ""
    for at in said.left("period") if rate else ():
        own = said.tokens[at].the("period").value in rate.lower().replace("daily", "day")  # daily_rate, per_day
        each = said.at(at - 1, "each") and (own or said.at(at - 2, "num") or not said.of_kind("date"))
        said.take(*((at - 1, at) if each or said.text(at - 1) == "a" else ()))
    _priced(said, rate)
    for at in said.left("decimals"):
        place = said.near(at, -1, has("num"), 2, ("person", "round"))
        if place is None:
            raise said.unread(at)
        said.query.decimals = int(said.tokens[place].the("num").value)
        said.take(*range(place, at + 1), said.near(place, -1, has("round"), 3), said.near(at, 1, has("round"), 3))


def _priced(said: Roles, rate: str) -> None:
    """What a price is for, where it says that itself: the price per kilo is price_per_kg."""
    named = {one.name for token in said.tokens if (one := said.named(token, "number")) and not token.has("unit")}
    rates = {rate, *(name for name in named if re.search(r"(?i)每|/|_per_", name))}
    parts = [part for name in rates for part in re.split(r"[\W_]+|每", name.lower())[1:]]
    for at in said.left("each"):
        unit, own = unit_named(said.text(at + 1)), said.text(at + 1) in parts and not said.at(at + 1, "column")
        said.take(*((at, at + 1) if own or (unit and unit in map(unit_named, parts)) else ()))


def _hint(said: Roles) -> None:
    """A clause that only says by which dates it goes: go by paid_on, 按付款日期算."""
    for start, end in pairwise(sorted({0, *said.breaks, len(said.tokens)})):
        clause = range(start, end)
        dates = [at for at in clause if said.names("date")(said.tokens[at])]
        rest = [at for at in clause if at not in dates]
        by = [at for at in rest if said.at(at, "by") or re.search(r"\bby$|^according|^based", said.text(at))]
        alone = all(said.at(at, "by", "free", "compute") for at in rest) and len(clause) < len(said.tokens)
        if len(dates) == 1 and by and alone:
            said.dates_by = said.column(dates[0], "date").name
            said.take(*clause)


def _worked_out(said: Roles) -> None:
    """The sum of what is worked out of two columns, where a total, a value or money is asked: stock times price."""
    sums = [at for at in said.left("agg") if said.tokens[at].the("agg").value == "sum"]
    units = [at for at in said.left("count", "amount") if said.at(at + 1, "unit")]
    asked = [*said.left("amount", "money", "comes", "worth", "is"), *sums, *units, *(at + 1 for at in units)]
    for at in [at for at in said.left("column") if said.is_named(at, *said.table.reckoned)]:
        name = said.column(at).name
        parts = (one for one in said.left("column") if quoted(said.column(one).name) in said.table.reckoned[name])
        said.take(said.near(at, -1, has("by"), 1))
        if said.left("sup") and not sums:  # 按袋数乘单价算，哪一批花的钱最多
            said.query.order = name
            said.take(at, *said.left("money", "amount", "worth"))
        elif asked:
            said.query.measures.append(Measure("sum", name))
            rows = (one for one in said.left("column") if said.is_named(one, said.table.concepts.get("stock", "")))
            said.take(at, *asked, *parts, *rows)  # 库存值多少钱（数量乘单价）
