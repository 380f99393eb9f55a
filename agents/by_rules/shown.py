"""What is shown of the rows: the columns that are left, and the names by which rows are told."""

import re

from switchyard.agents.by_rules.conditions import LATER, STILL, dated_near, require
from switchyard.agents.by_rules.persons import person_asked
from switchyard.agents.by_rules.query import Measure, NotRead
from switchyard.agents.by_rules.roles import Roles, has
from switchyard.agents.by_rules.table import Column
from switchyard.language.lexicon import key_of, senses_of


def show_columns(said: Roles) -> None:
    """What is shown: the columns that are left."""
    query = said.query
    query.distinct = bool(distinct := said.left("distinct"))
    said.take(*distinct)
    person = None if query.measures else person_asked(said)  # 谁值夜班: before the column is shown for itself
    known = [*query.conditions, *(said.before.conditions if said.before else ())]
    if person and any(one.column == person.name and one.op == "in" and len(one.value) == 1 for one in known):
        raise NotRead(person.name)  # of whom it is was said: who is doing it asks for somebody else
    for at in said.left("column"):
        _show(said, at)
        said.take(at)
    if not query.measures and person is not None:
        query.shown.insert(0, person.name)
    chosen = said.before or query.conditions or query.order or query.limit
    for at in said.left("when"):
        known = any(said.table.column(name).kind == "date" for name in query.shown)
        if not known and (query.measures or not chosen):
            raise said.unread(at)  # of all rows nobody asks when
        made = said.numbers_of("made") if not said.of_kind("date") else None  # from what year
        query.shown += [] if known else [made or dated_near(said, at)]
        said.take(at)


_TELLS = frozenset("who that have has had been is are was were already 已 已经 被".split())  # noqa: SIM905


def _show(said: Roles, at: int) -> None:
    """What a column is asked for that has no other role: a condition, nothing of its own, or to be shown."""
    column, figures = said.column(at), said.query.measures
    leads = "".join(token.text for token in said.tokens[max(0, at - 2) : at])
    if said.text(at + 1)[:1] == "中" and leads.endswith(("在", "还", "仍")):
        raise said.unread(at)  # 还在运输中 is a state, and no column
    asked = said.near(at, -1, has("which"), 1) is not None
    told = any(token.text.lower() in _TELLS for token in said.tokens[max(0, at - 2) : at])
    if column.kind == "flag" and not asked and (not said.query.shown or told):  # the names of those who have paid
        require(said, column, wanted=True)
    elif column.kind == "flag" and said.text(at) != column.name.lower():
        raise said.unread(at)  # which bike, where a column says whether it is an e-bike
    elif figures and not _says_nothing(said, at, column) and (asked or said.at(at, "undone") or not _happened(column)):
        raise said.unread(at)
    elif not figures and column.name == said.money() and said.query.conditions and not said.query.order:
        figures.append(Measure("sum", column.name))  # what did the repairs cost in May
    elif not figures and column.name == said.numbers_of("price") and _is_paid(said, at):
        if said.money() not in said.table.reckoned:
            raise said.unread(at)  # what it cost us in May is no price
        figures.append(Measure("sum", said.money()))
    elif not figures and column.kind == "date" and not asked and _only_happened(said, at, column):
        return  # that were found at the station: nobody asks when
    elif not figures and column.name not in {one.column for one in said.query.groups}:
        said.query.shown.append(column.name)


def _only_happened(said: Roles, at: int, column: Column) -> bool:
    """Whether a verb that is a part of a date's name says no more than that it happened, as it did to all rows.

    Where it did not, which of them are still out is not told by the day they went.
    """
    word = said.text(at)
    if said.says("when") or word.replace(" ", "_") == column.name.lower() or not (word in _PLACED or word[-2:] == "ed"):
        return False
    if not _happened(column) or any(token.text.lower() in STILL for token in said.tokens):
        raise said.unread(at)
    return True


_PLACED = frozenset("out in off back sent found made born built bought sold taken given begun left put".split())  # noqa: SIM905
"""Words that say that something happened, and do not end like verbs."""


def _is_paid(said: Roles, at: int) -> bool:
    """Whether the word for a price asks what was paid in all: of more than one thing."""
    paid = any(sense.kind == "money" for sense in senses_of(key_of(said.text(at))))
    of_one = any(said.table.column(one.column).unique for one in said.query.conditions)
    return paid and not said.query.order and not of_one


def _happened(column: Column) -> bool:
    """Whether a column says of every row when it was, as what is counted was booked: not when it will be due."""
    return column.kind == "date" and column.complete and not LATER.search(column.name)


def _says_nothing(said: Roles, at: int, column: Column) -> bool:
    """Whether the word for a column says what the rows are, what a condition fixes, or what is grouped and measured."""
    fixed = [one.column for one in said.query.conditions if one.op == "in"]
    if column.name in (*fixed, *(one.column for one in said.query.groups)) or said.at(at, "rowname"):
        return True
    if column.kind != "text":
        return False
    of = at - 2 if said.at(at - 1, "free") else at - 1  # how many cases of wine
    measured = of >= 0 and said.is_named(of, *(one.column or "" for one in said.query.measures))
    one_of = said.at(at - 1, "all", "value") or said.text(at - 1) in {"a", "an", "any"}  # German customers
    return column.unique or one_of or measured


_NUMBERS = re.compile(r"(?i)\bnumbers?$|号码?$")
_FIRST_NAME = re.compile(r"(?i)(?:first|given)[_ ]?names?|名字?")
_LAST_NAME = re.compile(r"(?i)(?:last|family|sur)[_ ]?names?|姓氏?")


def name_rows(said: Roles) -> None:
    """Rows are told by their names, not by figures or numbers alone; and each value once."""
    query, table = said.query, said.table
    if table.named and not query.measures:
        query.shown.insert(0, table.named)
    query.shown = list(dict.fromkeys(query.shown))
    first = [at for at, one in enumerate(query.shown) if _FIRST_NAME.fullmatch(one)]
    last = next((one.name for one in table.columns if _LAST_NAME.fullmatch(one.name)), None)
    if first and last and last not in query.shown:
        query.shown.insert(first[0] + 1, last)  # one of the two is nobody's name
    shown = [table.column(one) for one in query.shown]
    names = [one.name for one in table.columns if one.unique and one.kind == "text"]
    name = table.concepts.get("name") or next(iter(names), None)
    numbers = any(_NUMBERS.search(token.text) for token in said.tokens)  # the bus numbers: they are names
    figures = bool(shown) and all(one.kind == "number" and not (one.unique and numbers) for one in shown)
    rows = any(one.op != "in" for one in query.conditions) or (query.conditions and said.says("rowname"))
    if figures and rows and not query.measures and not query.distinct:
        if name is None:
            raise NotRead(*query.shown)
        query.shown.insert(0, name)
    elif (
        name
        and shown
        and not (query.measures or query.extreme or any(one.unique for one in shown))
        and _rows_asked(said)
    ):
        query.shown.insert(0, name)
    elif query.shown and query.extreme and not query.groups and said.says("which", *(("who",) if figures else ())):
        unnamed = [] if figures else query.shown  # 哪台机器功率最大，多少千瓦
        query.shown = list(dict.fromkeys([name, *query.shown])) if name else unnamed
    kind = next((token for token in said.tokens if token.has("which") and token.text[-1] in "种款"), None)
    if kind and query.shown and not any(_says_kind(table.column(one)) for one in query.shown):
        raise NotRead(kind.text)  # which kind it is, no number of it says
    if len(query.shown) == 1 and not query.order and not query.limit:
        query.distinct = query.distinct or not table.column(query.shown[0]).unique


def _says_kind(column: Column) -> bool:
    """Whether a column has words, and not only numbers of things: NM102."""
    return column.kind == "text" and not (column.values and all(re.search(r"\d", one) for one in column.values))


def _rows_asked(said: Roles) -> bool:
    """Whether it is rows that are asked for, whatever else is spoken of: which orders did customers cancel."""
    which = [said.tokens[at + 1 :] for at, token in enumerate(said.tokens) if token.has("which")]
    asked = (next((one for one in rest if one.has("rowname") or not one.has("free", "row")), None) for rest in which)
    return any(one is not None and one.has("rowname") and not one.has("value") for one in asked)
