"""The shape in which an answer is told; what is left over, or cannot be told in the shape asked for, is declined.

Every word has its role by now: whether each clause that asks gets a figure, a name, a place or a time is seen here.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from switchyard.agents.by_rules.conditions import RESTRICTING, STILL
from switchyard.agents.by_rules.figures import columns_of_money
from switchyard.agents.by_rules.persons import PERSONS, PLACES
from switchyard.agents.by_rules.query import Measure, NotRead
from switchyard.agents.by_rules.roles import ALTOGETHER, Roles, valued
from switchyard.agents.by_rules.shown import name_rows
from switchyard.language.lexicon import Token, key_of, senses_of

_EMPTY_WORDS = (
    *("free", "show", "which", "all", "is", "compute", "and", "isit", "row", "rowname", "mark", "of_those"),
    *("deal", "to"),
)
"""Kinds of words that a question may have without asking for more."""
ASKING = ("show", "which", "all", "who", "when", "row", "rowname")
"""Kinds of words of which a question has one that asks for rows as they are."""
_ASKS = ("count", "amount", "times", "who", "when", "share")
"""Kinds of words that ask for something of their own, wherever they stand."""


def settle_shape(said: Roles) -> None:
    """Decline what is left over, or says nothing; and tell what is found in the shape that is asked for."""
    _decline_leftovers(said)
    _already(said)
    _decline_two_sums(said)
    query = said.query
    if query.groups and not query.measures and not query.shown and said.before and said.before.measures:
        query.measures = said.before.measures  # and per branch?
    elif query.groups and not query.measures and not query.extreme:
        _sum_of_groups(said)
    if query.from_the_end and query.order is None and not query.groups:
        if not any(column.name == "line" for column in said.table.columns):
            raise NotRead(*(token.text for token in said.tokens if token.has("last")))
        query.order = "line"
    listed = said.says("rowname") and said.says("show", "which", "all")  # all rows, as they are
    asked = listed or query.measures or query.order or query.shown or query.limit or query.share
    asks = said.before is not None or said.says(*ASKING)
    of_row = said.before is not None and said.says("which", "show") and (said.before.extreme or said.before.measures)
    if not asked and not (asks and query.conditions) and not of_row:
        raise NotRead
    if query.order and query.measures and query.order not in {group.column for group in query.groups}:
        raise NotRead(query.order)
    if query.measures and not query.groups and query.limit not in {None, said.table.count}:
        raise NotRead(str(query.limit))  # the rents of two shops: of which?
    _sum_what_is_shown(said)
    _tell_where(said)
    known = {one.column for one in query.conditions if one.op == "in" and len(one.value) == 1}
    if known.issuperset(query.shown) and query.shown and not (query.measures or query.order or said.before):
        raise NotRead(*query.shown)  # the price of the Berlin package: that it is the Berlin one was said
    _decline_unchosen(said)
    _decline_other_figures(said)
    _tell_each(said)
    name_rows(said)
    _decline_unanswered(said)


def _decline_unchosen(said: Roles) -> None:
    """When is it due, what is the rate: of which row nobody says."""
    query, chosen = said.query, said.before or said.query.conditions or said.query.order
    if not chosen and said.speaks_of_it():
        raise NotRead
    chosen = chosen or query.measures or query.limit or said.table.count <= 1
    numbers = bool(query.shown) and all(said.table.column(name).kind == "number" for name in query.shown)
    if numbers and not chosen and not said.says("show", "all", "distinct"):
        raise NotRead(*query.shown)


def _sum_what_is_shown(said: Roles) -> None:
    """One figure of several rows is added up where it is asked for in all: 一共多重."""
    query, numbers = said.query, [name for name in said.query.shown if said.table.column(name).kind == "number"]
    told = any(token.text.lower() in ALTOGETHER for token in said.tokens)
    if told and numbers == query.shown and len(numbers) == 1 and not (query.measures or query.order or query.limit):
        query.measures.append(Measure("sum", numbers[0]))
        query.shown = []


_LEFT = frozenset({"剩", "还剩", "剩下", "left", "remaining"})


def _decline_other_figures(said: Roles) -> None:
    """What is left is told by a stock alone, not by how many places there are; prices of one piece make no sum."""
    figures = {one.column for one in said.query.measures if one.function == "sum"} - {None}
    shown = {name for name in (*said.query.shown, *figures) if name and said.table.column(name).kind == "number"}
    for at in range(len(said.tokens)):
        if said.text(at) in _LEFT and shown and said.numbers_of("stock") not in shown:
            raise said.unread(at)
    counted = [at + 1 for at in range(len(said.tokens)) if said.at(at, "count", "agg", "amount")]
    money = {*columns_of_money(said), *said.table.reckoned}
    worth = any(one.kind == "worth" for token in said.tokens for one in (*token.senses, *senses_of(key_of(token.text))))
    if (worth or any(map(said.is_currency, counted))) and figures and figures.isdisjoint(money):
        raise said.unread(0)  # what it is worth is no number of pieces
    price, several = said.numbers_of("price") or "", said.numbers_of("quantity") or said.numbers_of("stock")
    if price in figures and several and (worth or re.search(r"(?i)price|单价", price)):
        raise NotRead(price)
    for name in money & figures - said.table.reckoned.keys():
        if _OF_ONE.search(name):
            raise NotRead(name)  # prices of one piece each are never added up


_OF_ONE = re.compile(r"(?i)(?<![a-z])unit[_ ]|_per_(?!day|week|month|year)|单价|[每/](?![日天周月年])")
"""How the name of a column of money says that it is of one piece."""


def _tell_where(said: Roles) -> None:
    """Where something is, is told by a column of places that the question names."""
    where = [at for at, one in enumerate(said.tokens) if one.has("where") and not said.at(at - 1, "row", "rowname")]
    places = {said.table.concepts[kind] for kind in PLACES if kind in said.table.concepts}
    if where and places.isdisjoint([*said.query.shown, *(group.column for group in said.query.groups)]):
        raise said.unread(where[0])


def _tell_each(said: Roles) -> None:
    """Where two things are asked for, each has its column: 哪一天的哪一餐, which day and which meal."""
    told = {*said.query.shown, *(one.column for one in said.query.groups)}
    asking = [
        at for at in range(len(said.tokens)) if re.match("which|哪", said.text(at)) and said.at(at, "which", "when")
    ]
    for at in asking if len(asking) > 1 else ():
        word, dated = said.text(at + 1), said.at(at, "when")
        known = said.of_kind("date") if dated else said.table.columns
        part = word if word > "\u3400" else " "  # 餐 of 餐别
        meant = [one.name for one in known if dated or said.is_named(at + 1, one.name) or one.name.startswith(part)]
        if told.isdisjoint(meant) and (len(meant) != 1 or dated or said.query.measures):
            raise said.unread(at)
        said.query.shown += meant if told.isdisjoint(meant) else []


def _decline_unanswered(said: Roles) -> None:
    """Every clause that asks for something gets it: which was it, and where; who, when and how much."""
    query = said.query
    given = len({*query.shown, *(one.column for one in query.groups)}) + len(query.measures) + query.share
    figure = said.says("count", "amount", "times", "agg", "is")  # by what it is the best
    given += bool(query.order and query.extreme and figure) - bool(query.groups and query.extreme and not figure)
    starts = [at for at, one in enumerate(said.tokens) if one.has("and") and _asks(said.tokens[at + 1 :], first=True)]
    edges = sorted({0, *said.breaks, *starts, len(said.tokens)})
    clauses = [said.tokens[start:end] for start, end in pairwise(edges)]
    asking = [at for at, clause in enumerate(clauses) if _asks(clause)]
    if query.groups and query.extreme and any(token.has("sup") for at in asking[1:] for token in clauses[at]):
        raise NotRead(*(token.text for token in said.tokens if token.has("sup")))  # how many, and then which had most
    later = [token for clause in clauses[asking[0] + 1 if asking else 1 :] for token in clause]
    compared = {group.column for group in query.groups}  # who has more, Ada or Bo, and how many
    others = [token.text for token in later if token.has(*RESTRICTING) and not valued(token) & compared]
    if len(asking) > 1 and others:
        raise NotRead(*others)  # it is not said of the first
    if query.extreme and not query.measures and len(asking) > given:
        query.shown = []  # all of the row is told
    elif given and len(asking) > max(given, 1):
        raise NotRead(*(token.text for token in said.tokens if token.has("which", *_ASKS)))


def _asks(clause: Sequence[Token], *, first: bool = False) -> bool:
    """Whether a clause asks for something; by its first word that says something, or in Chinese by any (`first`)."""
    said = [token for token in clause if not token.has("free", "and")]
    begins = any(token.has("which", *_ASKS) for token in said if token is said[0] or not token.text.isascii())
    return begins or (not first and any(token.has(*_ASKS, "comes", "is") or "多少" in token.text for token in clause))


def _sum_of_groups(said: Roles) -> None:
    """Hours per task, 按城市汇总金额: what is added up for each group; of a price nobody says what is meant."""
    columns = [said.table.column(name) for name in dict.fromkeys(said.query.shown)]
    if not columns and said.says("rowname"):
        said.query.measures.append(Measure("count"))  # deliveries per month
        return
    words = [token.text.lower() for token in said.tokens if columns and said.named(token) == columns[0]]
    fees = bool(words) and columns[0].name == said.money() and all(one[-1] == "s" or not one.isascii() for one in words)
    if len(columns) != 1 or columns[0].kind != "number" or not (fees or said.is_added(columns[0])):
        raise NotRead(*said.query.shown)
    said.query.measures.append(Measure("sum", columns[0].name))
    said.query.shown.clear()


_ALREADY = frozenset({"already", "actually", "已经", "已", "实际", "实际上", "真正"})
"""What says that something happened, as it did to some rows alone."""


def _already(said: Roles) -> None:
    """Decline where what has happened already did so to some rows alone, and nobody knows which: 已经到了几票."""
    told = [at for at in range(len(said.tokens)) if said.text(at) in _ALREADY]
    states = {one.name for one in said.table.columns if one.kind == "flag" or (one.kind == "date" and not one.complete)}
    states |= {said.table.concepts.get("status", "")} - {""}
    values = [one.column for one in said.query.conditions if one.op in {"=", "in"}]
    is_told = len(values) < len(said.query.conditions)  # 已经低于最低库存
    if told and states and states.isdisjoint(values) and not is_told:
        raise said.unread(told[0])


def _decline_two_sums(said: Roles) -> None:
    """How many pieces are missing in total: in one breath one sum is asked for, of pieces or of what is missing."""
    sums = {one.column for one in said.query.measures if one.function == "sum"}
    asked = [at for at, token in enumerate(said.tokens) if token.has("count", "agg")]
    if len(sums) > 1 and asked and not said.is_parted(asked[0], asked[-1]):
        raise NotRead(*(said.tokens[at].text for at in asked))


def _decline_leftovers(said: Roles) -> None:
    """No word is passed over; a verb of paying says nothing where the column that was paid has its role."""
    queries = [said.query, *([said.before] if said.before else [])]
    ranked = [name for one in queries for name in (one.order, *(measure.column for measure in one.measures))]
    if any(name and said.table.column(name).kind == "number" for name in ranked):
        said.take(*said.left("money", "worth"))
    if any(kind in said.table.concepts for kind in PERSONS[1:]) or said.table.concepts.get("name") == "姓名":
        said.take(*said.left("person"))  # the people there
    said.take(*(at for at in said.left("unit") if any(ranked) or said.query.share))  # 平均最高温是多少度
    rest = (token for at, token in enumerate(said.tokens) if at not in said.used)
    if left := [token.text for token in rest if not token.has(*_EMPTY_WORDS)]:
        raise NotRead(*left)
    for at, token in enumerate(said.tokens):
        told = any(said.is_named(at + 1, name) for name in said.query.shown) and said.text(at + 2) != "的"
        if token.text.lower() in STILL and (told or not any(one.conditions for one in queries)):
            raise said.unread(at)  # which kegs are still out; 还在运输中 is no column to be shown
    figures = said.query.measures or said.query.share
    if said.text(0) in {"of", "among"} and not (figures or said.says("which", "show", *_ASKS)):
        raise said.unread(0)  # of the November shifts: what is asked of them is not said
    if said.sorted_by_word and not said.query.order and not said.query.measures:
        raise NotRead(*(token.text for token in said.tokens if token.has("sort", "desc", "asc")))
