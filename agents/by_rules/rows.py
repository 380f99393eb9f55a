"""What is asked of rows: each word gets its role, and all roles together are one query.

Conditions first (`conditions`), then what is grouped by, ordered by and counted, and last what is shown. A word that no
role takes declines the question and is named; so does a word that could have two roles and nothing that decides.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from switchyard.agents.by_rules.conditions import dated_near, read_conditions, require_flag
from switchyard.agents.by_rules.query import Group, Measure, Query
from switchyard.agents.by_rules.roles import NotRead, Roles, has
from switchyard.agents.by_rules.world import Column, Table
from switchyard.language.lexicon import Sense, Token

EMPTY_WORDS = (
    *("free", "show", "which", "all", "is", "compute", "and", "isit", "row", "rowname", "mark", "of_those"),
    *("within", "deal", "to"),
)
"""Kinds of words that a question may have without asking for more."""
ASKING = ("show", "which", "all", "who", "when", "row", "rowname")
"""Kinds of words of which a question has one that asks for rows as they are."""
ADDED_UP = ("amount", "quantity", "profit", "stock", "deposit", "duration", "weight", "tax")
"""Kinds of columns of which how many there are is their sum."""
NOT_ADDED = ("price", "age", "score", "weight", "height", "temperature", "level", "discount", "salary", "tax", "size")
"""Kinds of columns of which a sum says nothing."""
PERSONS = ("name", "employee", "customer", "member", "author")
"""Kinds of columns that say who."""
OFTEN = frozenset({"most often", "most frequently", "most common", "最常", "最常见", "最常见的", "最经常"})
"""What asks how many there are, whatever is said beside it."""
MOST = frozenset({*OFTEN, "most", "fewest", "least", "最多", "最少", "最多的", "最少的"})
"""What asks for the group that has the most of something, where a column is named."""
PERIODICAL = frozenset({"monthly", "yearly", "daily", "每月", "每年", "每天"})


def read_query(tokens: Sequence[Token], table: Table, before: Query | None = None) -> Query:
    """The query that takes every word of a question.

    Args:
        tokens: its words.
        table: the rows it is asked of.
        before: the query of the question it follows, of which it says only what changes.

    Raises:
        NotRead: when a word has no place in it.
    """
    said = Roles([token for token in tokens if not token.has("mark")], table, before)
    said.settle()
    _titles(said)
    _rounding(said)
    read_conditions(said)
    for take in (_groups, _order, _limits, _share, _superlatives, _figures, _counts, _columns, _finish):
        take(said)
    adds = any(token.has("of_those") for token in tokens)
    return said.query if before is None else _changed(before, said.query, adds=adds)


def _changed(before: Query, now: Query, *, adds: bool) -> Query:
    """The query of a question with what a follow-up says in the place of what it said."""
    if before.extreme and before.groups and now.measures and not now.groups:
        raise NotRead  # how much of that: of which group is known only when the answer is there
    replaced = {(condition.column, condition.part) for condition in now.conditions}
    kept = [one for one in before.conditions if adds or (one.column, one.part) not in replaced]
    query = replace(before, conditions=[*kept, *now.conditions])
    if now.measures or now.shown or now.order or now.groups or now.share:
        query = replace(now, conditions=query.conditions, groups=now.groups or ([] if now.shown else before.groups))
    return query


def _titles(said: Roles) -> None:
    """Dr Lim, 王医生: what stands beside a name; and the reorder level, 40 a day: what only goes on from a word."""
    for at in said.left("title"):
        if said.at(at - 1, "value") or said.at(at + 1, "value"):
            said.take(at)
    for at in said.left("head"):
        if said.at(at - 1, "column") and not said.at(at, "column"):
            said.take(at)
    rate = said.numbers_of("price") or ""
    for at in said.left("period") if rate else ():
        a_day = at > 0 and said.tokens[at - 1].text == "a"
        own = said.tokens[at].the("period").value in rate.lower().replace("daily", "day")  # daily_rate, per_day
        if a_day or (said.at(at - 1, "each") and (own or said.at(at - 2, "num") or not said.of_kind("date"))):
            said.take(at - 1, at)


def _rounding(said: Roles) -> None:
    """To two decimals, 保留两位小数."""
    for at in said.left("decimals"):
        place = said.near(at, -1, has("num"), 2, ("person", "round"))
        number = said.number(place) if place is not None else None
        if place is None or number is None:
            raise said.unread(at)
        said.query.decimals = int(number[0])
        said.take(at, *range(place, at))
        for step in (-1, 1):
            said.take(said.near(place if step < 0 else at, step, has("round"), 3))


def _groups(said: Roles) -> None:
    figures = said.left("agg", "count", "times", "compute", "share", "sup")
    sorts = said.left("sort", "desc", "asc")
    for at in said.left("period"):
        lead = said.near(at, -1, has("each", "by"), 2)
        lead = said.near(at, -1, has("which"), 1) if lead is None and said.left("sup") else lead  # which day had most
        if lead is not None or said.tokens[at].text.lower() in PERIODICAL:
            said.query.groups.append(Group(dated_near(said, at), said.tokens[at].the("period").value))
            said.take(at, lead)
    for at in said.left("each", "by"):
        if said.tokens[at].has("each") or (figures and not sorts):  # else it is what is sorted by
            _group(said, at)


def _group(said: Roles, at: int) -> None:
    """What rows are put together by, after a word such as per."""
    each = said.tokens[at].has("each")
    after = said.near(at, 1, said.names(), 3)
    top = said.left("first") and said.left("num") and not said.left("agg", "count")
    if top and not each and after is not None and said.column(after).kind in {"number", "date"}:
        return  # the top five by price: what they are ordered by
    several = [one for one in said.query.conditions if one.op == "in" and len(one.value) > 1]
    if said.table.named and each:
        said.of_each = True
    elif after is None and len(several) == 1:  # INFO、WARN 各有多少行
        said.query.groups.append(Group(several[0].column))
    elif after is None and not (said.query.groups and each):  # 每个片区各有多少
        _each_row(said, at)
    said.take(at)
    if after is None or said.of_each:
        return
    column = said.column(after)
    if column.unique and said.table.count > 1:
        raise said.unread(after)  # nothing repeats there: there are no groups
    said.query.groups.append(Group(column.name))
    said.take(after)
    more = said.near(after, 1, said.names(), 2, ("and",))
    if more is not None and said.tokens[at].has("by"):
        said.query.groups.append(Group(said.column(more).name))
        said.take(more)


def _each_row(said: Roles, at: int) -> None:
    """A figure per order, where each row is one, is the figure of all."""
    row = said.near(at, 1, has("rowname", "row", "person"), 1)
    if row is None or not said.left("agg", "amount"):
        raise said.unread(at)
    said.take(row)


def _order(said: Roles) -> None:
    ways, sorts = said.left("desc", "asc"), said.left("sort")
    said.query.descending = bool(ways) and said.tokens[ways[-1]].has("desc")
    said.take(*ways)
    for at in said.left("by"):
        place = said.near(at, 1, said.names(), 3)
        if place is not None and not sorts and not ways and not said.query.limit and _is_group(said, place):
            said.query.groups.append(Group(said.column(place).name))  # revenue by city; _sum_of_groups says of what
        elif place is not None:
            said.query.order = said.column(place).name
        elif not (sorts and said.left("count", "agg", "sup")):
            raise said.unread(at)
        said.take(at, place)
    said.sorted_by_word = bool(sorts or ways)
    said.take(*sorts)


def _is_group(said: Roles, place: int) -> bool:
    """Whether numbers are asked for beside a text that repeats: by it they are put together, not sorted."""
    column = said.column(place)
    numbers = [one for one in said.left("column") if one != place and said.column(one).kind == "number"]
    return bool(numbers) and column.kind in {"text", "flag"} and not column.unique


def _limits(said: Roles) -> None:
    """The first five, the three cheapest, the last two rows."""
    for at in said.left("num"):
        number = said.number(at)
        after = said.near(at, 1, has("sup", "row", "rowname", "column", "person", "first", "last"), 2)
        before = said.near(at, -1, has("first", "last", "sup"), 1)
        if number is not None and (after is not None or before is not None) and said.query.limit is None:
            said.query.limit = int(number[0])
            said.take(*range(at, number[1]))
    for at in said.left("first", "last"):
        if said.query.limit is None and said.at(at + 1, "row", "rowname", "value"):
            said.query.limit = 1  # the last row, 最后一条
    sups = said.left("sup")
    for at in said.left("first", "last"):
        if said.query.limit is None or (said.tokens[at].has("sup") and sups == [at] and not said.query.order):
            continue
        said.take(at)
        said.query.from_the_end = said.tokens[at].has("last")
        if said.tokens[at].text.lower() in {"top", "前", "排前"} and said.query.order and not said.sorted_by_word:
            said.query.descending = True


def _share(said: Roles) -> None:
    for at in said.left("share"):
        if not said.query.conditions or said.query.groups:
            raise said.unread(at)
        said.query.share = True
        money = said.left("money", "amount")
        said.query.share_of = said.numbers_of("amount") if money else None
        said.take(at, *said.left("count"), *money)


def _superlatives(said: Roles) -> None:
    """The highest price, the city with the most orders, the three cheapest."""
    sups = said.left("sup")
    if not sups:
        return
    if len(sups) > 1:
        raise said.unread(sups[1])
    at = sups[0]
    sense = said.tokens[at].the("sup")
    said.take(at)
    column = _ranked_by(said, at, sense)
    keys = [place for place in said.left("column") if said.names("text", "flag", "date")(said.tokens[place])]
    who = _who(said)
    if who is not None:  # the most receipts: the rows, by their own number
        said.take(*(place for place in keys if said.column(place).unique))
    key = who or (said.named(said.tokens[keys[0]]) if keys else None)
    most = said.tokens[at].text.lower() in MOST
    if said.query.groups and column is not None and not said.left("agg"):
        said.query.measures.append(Measure(sense.value, column))
    elif said.query.groups or said.left("agg") or (key and not key.unique and (column is None or most)):
        _best_group(said, at, column, key, keys)
    elif column is not None or said.query.order:
        said.query.order = said.query.order or column
        said.query.shown += [key.name] if key is not None else []
        said.take(*keys[:1])
    else:
        raise said.unread(at)
    _rank(said, at, sense)


def _best_group(said: Roles, at: int, column: str | None, key: Column | None, keys: list[int]) -> None:
    """The most loans, the most money: that of groups; the highest price is that of a row."""
    if not said.query.groups:
        if key is None:
            raise said.unread(at)
        said.query.groups.append(Group(key.name))
        said.take(*(place for place in keys if said.named(said.tokens[place]) == key))
    if not said.left("agg"):
        said.query.measures.append(Measure("sum", column) if column else Measure("count"))
    said.take(*said.left("count", "times"))


def _rank(said: Roles, at: int, sense: Sense) -> None:
    """Which one of the highest it is, or how many of them."""
    said.query.descending = sense.value == "max"
    rank = next((place for place in said.left("nth") if abs(place - at) <= 1), None)
    if rank is not None:
        said.query.rank = int(said.tokens[rank].the("nth").value)
        said.take(rank)
    said.take(*(place for place in said.left("person") if said.at(place - 1, "num")))
    if said.query.limit is None:
        said.query.extreme = sense.value


def _ranked_by(said: Roles, at: int, sense: Sense) -> str | None:
    """The column of which the highest or lowest is asked; None where it is how many there are."""
    if sense.about:
        return _ranked_by_kind(said, at, sense.about)
    if said.left("agg"):
        return None
    if said.tokens[at].text.lower() in OFTEN:
        said.take(*said.left("money"))
        return None
    kinds = ("number",) if said.tokens[at].text.lower() in MOST else ("number", "date")
    for step in (1, -1):
        place = said.near(at, step, said.names(*kinds), 3)
        if place is not None:
            said.take(place)
            return said.column(place, *kinds).name
    if kinds == ("number",):  # borrowed the most: the verb is the name of a date
        said.take(said.near(at, -1, said.names("date"), 2))
    money = [place for place in said.left("money") if abs(place - at) <= 3]  # noqa: PLR2004  cost us the most
    if money and (found := said.numbers_of("amount")) is not None:
        said.take(*money)
        return found
    return said.table.measure or None


def _ranked_by_kind(said: Roles, at: int, about: str) -> str:
    """The column that the word itself speaks of: the cheapest, the oldest, the shortest lead time."""
    for step in (1, -1) if about in {"length", "weight"} else ():
        beside = said.near(at, step, said.names("number"), 2)
        if beside is not None:
            said.take(beside)
            return said.column(beside, "number").name
    dates = said.of_kind("date")
    others = {
        "date": dates[0].name if len(dates) == 1 else None,
        "price": said.numbers_of("amount"),
        "length": said.table.concepts.get("lines") or said.table.concepts.get("duration"),
    }
    found = said.table.concepts.get(about) or others.get(about)
    if found is None:
        raise said.unread(at)
    said.take(*(place for place in said.left("column") if _is_named(said, place, found)))
    return found


def _is_named(said: Roles, place: int, name: str) -> bool:
    column = said.named(said.tokens[place]) if place < len(said.tokens) else None
    return column is not None and column.name == name


def _who(said: Roles, kind: str = "who") -> Column | None:
    """The column of persons, where somebody is asked for; a name comes before other words for people."""
    asked = said.left(kind)
    if not asked:
        return None
    names = [said.table.concepts[kind] for kind in PERSONS if kind in said.table.concepts]
    if not names or ("name" not in said.table.concepts and len(set(names)) > 1):
        raise said.unread(asked[0])
    said.take(*asked)
    return said.table.column(names[0])


FAR = 3
"""Words between a figure and the column it is of, where another column could be meant."""


def _figures(said: Roles) -> None:
    """Sums, averages and the like, each of the column of numbers that follows it, or stands before it."""
    for at in said.left("agg"):
        function = said.tokens[at].the("agg").value
        kinds = ("number", "date") if function in {"min", "max"} else ("number",)
        columns = [place for place in said.left("column") if said.names(*kinds)(said.tokens[place])]
        after = [place for place in columns if place > at]
        if said.at(at, "column"):  # the total of the orders that have a column total
            column = said.column(at, *kinds).name
        elif not columns:
            column = _without_column(said, at, function)
            if column is None:
                continue
        else:
            place = (after or columns[::-1])[0]
            if len(columns) > 1 and abs(place - at) > FAR and len({said.column(one, *kinds) for one in columns}) > 1:
                raise said.unread(at)  # a figure of which of them?
            column = said.column(place, *kinds).name
            if said.left("agg") == [at] or len(columns) > 1:
                said.take(place)
        said.query.measures.append(Measure(function, column))
        said.take(at)
    measured = {measure.column or "" for measure in said.query.measures}
    said.take(*(place for place in said.left("column") if any(_is_named(said, place, one) for one in measured)))


def _without_column(said: Roles, at: int, function: str) -> str | None:
    """What a figure is of that names no column: the same as the figure before it, or how many rows there are."""
    for query in (said.query, said.before):
        if query is not None and query.measures and query.measures[-1].column is not None:
            return query.measures[-1].column
    if function == "sum" and said.left("count"):
        said.take(at)
        return None
    money = said.left("amount", "money")
    if money and (found := said.numbers_of("amount")) is not None:
        said.take(*money)
        return found
    raise said.unread(at)


def _decline_numbers(said: Roles) -> None:
    """Words that only look as if something were counted: the phone number of somebody, quantity times price."""
    for at in said.left("count"):
        if said.tokens[at].text.lower() == "number of" and said.at(at - 1, "value", "column"):
            raise said.unread(at)
    for at in said.left("times"):
        if all(one.has("column") for one in (*said.tokens[at - 1 : at], *said.tokens[at + 1 : at + 2])):
            raise said.unread(at)


def _counts(said: Roles) -> None:
    counts = said.left("count", "times", "amount")
    _decline_numbers(said)
    if said.query.measures and any(one.column for one in said.query.measures):  # how many seats in total
        said.take(*counts, *said.left("money", "comes"))
        return
    if said.query.extreme and any(_is_named(said, at + 1, said.query.order or "") for at in counts):
        said.take(*counts)  # how many lines the longest has
        return
    _spent(said, counts)
    counts = [at for at in counts if at not in said.used]
    if not counts or said.query.share:
        return
    said.take(*counts)
    if said.query.measures and (said.query.groups or all(said.tokens[at].has("amount") for at in counts)):
        return
    is_money = any(said.tokens[at].has("amount") and not said.tokens[at].has("count") for at in counts)
    columns = said.left("column")
    often = not is_money and all(said.tokens[at].has("times") for at in counts)
    column = said.column(columns[0]) if columns and not often else None
    if is_money:
        _money(said, column)
    elif column is None:
        _count_rows(said)
    else:
        _count_column(said, column)
    said.take(*columns[:1], *said.left("distinct"))


def _count_column(said: Roles, column: Column) -> None:
    """How many there are of what a column has: the sum of numbers, different texts, rows that say yes."""
    if column.kind == "number" and not column.unique and not said.left("distinct"):
        one_by_one = said.of_each or said.query.extreme is not None
        if (_is_added(said, column) or not said.query.conditions) and not one_by_one:
            said.query.measures.append(Measure("sum", column.name))
        else:
            said.query.shown.append(column.name)
    elif column.kind == "flag":
        require_flag(said, column, wanted=True)
        said.query.measures.append(Measure("count"))
    elif column.unique or _numbers_rows(said, column):
        said.query.measures.append(Measure("count"))
    else:
        said.query.measures.append(Measure("distinct", column.name))


def _is_added(said: Roles, column: Column) -> bool:
    """Whether numbers of a column make sense as a sum: litres and boxes do, prices and ages do not."""
    return column.name not in {said.table.concepts.get(kind) for kind in NOT_ADDED}


def _numbers_rows(said: Roles, column: Column) -> bool:
    """Whether the rows are what a column is called: jobs, where each row has its own job_id."""
    wanted = re.compile(rf"{re.escape(column.name)}[\s_-]?(?:id|no|nr|number|号|编号)", re.IGNORECASE)
    numbered = any(one.unique and wanted.fullmatch(one.name) for one in said.table.columns)
    return numbered and not said.left("distinct")


def _spent(said: Roles, counts: list[int]) -> None:
    """What was spent, cost or earned, where no column is named: the sum of the one that has the money.

    Beside a number of rows the verb says nothing: how many were paid in cash.
    """
    totals, verbs = said.left("comes"), said.left("money")
    amounts = [at for at in counts if said.tokens[at].has("amount")]
    rows_counted = len(amounts) < len(counts)
    found, rate = said.numbers_of("amount"), said.numbers_of("price")
    if found is None and rate and verbs and not rows_counted and said.query.conditions:
        said.query.shown.append(rate)  # what do we charge for it
        said.take(*verbs, *amounts)
    elif found is not None and (totals or (verbs and not rows_counted)):
        measure = Measure("sum", found)
        if measure not in said.query.measures and not said.query.extreme:
            said.query.measures.append(measure)
        said.take(*totals, *verbs, *amounts)
    elif rows_counted:
        said.take(*verbs)


def _money(said: Roles, column: Column | None) -> None:
    if column is None:
        name = said.numbers_of("amount")
        if name is None:
            raise NotRead(*(said.tokens[at].text for at in said.used if said.tokens[at].has("amount")))
        column = said.table.column(name)
    if column.kind != "number":
        raise NotRead(column.name)
    if column.name == said.table.concepts.get("price"):
        said.query.shown.append(column.name)
    else:
        said.query.measures.append(Measure("sum", column.name))


def _count_rows(said: Roles) -> None:
    for at, token in enumerate(said.tokens):
        if token.has("rowname") and token.text[-1] in "款费" and said.at(at - 1, "count"):
            raise said.unread(at)  # 多少捐款: how many, or how much?
    if (person := _who(said, "person")) is not None:
        said.query.measures.append(Measure("count") if person.unique else Measure("distinct", person.name))
    elif said.left("deal") and "quantity" in said.table.concepts:  # how many were sold is not how many sales
        said.query.measures.append(Measure("sum", said.table.concepts["quantity"]))
    else:
        said.query.measures.append(Measure("count"))


def _columns(said: Roles) -> None:
    """What is shown: the columns that are left."""
    said.query.distinct = bool(distinct := said.left("distinct"))
    said.take(*distinct)
    for at in said.left("column"):
        _show(said, at)
        said.take(at)
    if not said.query.measures and (person := _who(said)) is not None:
        said.query.shown.insert(0, person.name)
    for at in said.left("when"):
        if said.query.measures or not (said.query.conditions or said.query.order or said.query.limit):
            raise said.unread(at)  # of all rows nobody asks when
        said.query.shown.append(dated_near(said, at))
        said.take(at)


def _show(said: Roles, at: int) -> None:
    """What a column is asked for that has no other role: a group, a condition, an order, or to be shown."""
    column = said.column(at)
    asked = said.near(at, -1, has("which"), 1) is not None
    if said.query.measures and not said.query.groups and asked and not column.unique:
        said.query.groups.append(Group(column.name))
    elif column.kind == "flag" and not asked and not said.query.shown:
        require_flag(said, column, wanted=True)
    elif said.query.measures and column.kind == "text" and (said.at(at - 1, "all") or _is_counted(said, at)):
        pass  # all wines together, how many cases of wine
    elif said.query.measures:
        raise said.unread(at)
    elif said.sorted_by_word and not said.query.order:
        said.query.order = column.name
    else:
        said.query.shown.append(column.name)


def _is_counted(said: Roles, at: int) -> bool:
    """Whether the word before, but for of, is the column that is measured."""
    place = at - 2 if said.at(at - 1, "free") else at - 1
    return any(_is_named(said, place, one.column or "") for one in said.query.measures) if place >= 0 else False


def _finish(said: Roles) -> None:
    """Decline what is left over, or says nothing."""
    _decline_leftovers(said)
    query = said.query
    if query.from_the_end and query.order is None:
        if not any(column.name == "line" for column in said.table.columns):
            raise NotRead(*(token.text for token in said.tokens if token.has("last")))
        query.order = "line"
    named = any(token.has("rowname") for token in said.tokens)
    listed = named and any(token.has("show", "which", "all") for token in said.tokens)  # all rows, as they are
    asked = listed or query.measures or query.order or query.shown or query.limit or query.share
    asks = said.before is not None or any(token.has(*ASKING) for token in said.tokens)
    if not asked and not (asks and query.conditions):
        raise NotRead
    if query.order and query.measures and query.order not in {group.column for group in query.groups}:
        raise NotRead(query.order)
    if query.groups and not query.measures and not query.extreme:
        _sum_of_groups(said)
    _settle_columns(said)


def _sum_of_groups(said: Roles) -> None:
    """Hours per task, 按城市汇总金额: what is added up for each group; of a price nobody says what is meant."""
    columns = [said.table.column(name) for name in said.query.shown]
    if not columns and any(token.has("rowname") for token in said.tokens):
        said.query.measures.append(Measure("count"))  # deliveries per month
        return
    summed = any(token.has("compute") for token in said.tokens)
    if len(columns) != 1 or columns[0].kind != "number" or not (summed or _is_added(said, columns[0])):
        raise NotRead(*said.query.shown)
    said.query.measures.append(Measure("sum", columns[0].name))
    said.query.shown.clear()


def _settle_columns(said: Roles) -> None:
    """Not to show what a condition fixes, and each value once."""
    query = said.query
    if said.table.named and not query.measures:
        query.shown.insert(0, said.table.named)
    fixed = {one.column for one in query.conditions if one.op == "in" and len(one.value) == 1}
    query.shown = list(dict.fromkeys(query.shown))
    if query.shown and set(query.shown) <= fixed and not query.order:
        query.shown = []
    if len(query.shown) == 1 and not query.order and not query.limit:
        query.distinct = query.distinct or not said.table.column(query.shown[0]).unique


def _decline_leftovers(said: Roles) -> None:
    """No word is passed over; a verb of paying says nothing where the column that was paid has its role."""
    ranked = [said.query.order, *(one.column for one in said.query.measures)]
    if any(name and said.table.column(name).kind == "number" for name in ranked):
        said.take(*said.left("money"))
    if any(kind in said.table.concepts for kind in PERSONS[1:]) or said.table.concepts.get("name") == "姓名":
        said.take(*said.left("person"))  # the people there
    rest = (token for at, token in enumerate(said.tokens) if at not in said.used)
    if left := [token.text for token in rest if not token.has(*EMPTY_WORDS)]:
        raise NotRead(*left)
    if said.sorted_by_word and not said.query.order and not said.query.measures:
        raise NotRead(*(token.text for token in said.tokens if token.has("sort", "desc", "asc")))
