"""What is asked of rows: each word gets its role, and all roles together are one query.

Conditions first (`conditions`), then what is grouped by, ordered by and counted, and last what is shown. A word that no
role takes declines the question and is named; so does a word that could have two roles and nothing that decides.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from switchyard.agents.by_rules.conditions import LATER, dated_near, read_conditions, require
from switchyard.agents.by_rules.query import Condition, Group, Measure, NotRead, Query, quoted
from switchyard.agents.by_rules.roles import Roles, has, valued
from switchyard.agents.by_rules.world import Column, Table
from switchyard.language.lexicon import Sense, Token

EMPTY_WORDS = (
    *("free", "show", "which", "all", "is", "compute", "and", "isit", "row", "rowname", "mark", "of_those"),
    *("within", "deal", "to"),
)
"""Kinds of words that a question may have without asking for more."""
ASKING = ("show", "which", "all", "who", "when", "row", "rowname")
"""Kinds of words of which a question has one that asks for rows as they are."""
NOT_ADDED = ("price", "age", "score", "height", "temperature", "level", "discount", "salary", "tax", "size")
"""Kinds of columns of which a sum says nothing."""
PERSONS = ("name", "employee", "customer", "member", "author")
"""Kinds of columns that say who."""
OFTEN = frozenset({"most often", "most frequently", "most common", "最常", "最常见", "最常见的", "最经常"})
"""What asks how many there are, whatever is said beside it."""
MOST = frozenset({*OFTEN, "most", "fewest", "least", "最多", "最少", "最多的", "最少的"})
"""What asks for the group that has the most of something, where a column is named."""
CLAUSE_MARKS = frozenset(",，、;；?？.。:：!！")
"""Marks that end a clause, or part of a list."""
PRICED = re.compile(r"(?i)price|cost|fee|rate|charge|amount|wage|salary|pay|[费价款额薪]|工资")
"""Names of columns that something is cheap or dear by."""
BIG = frozenset({"biggest", "largest", "smallest", "最大", "最小", "最大的", "最小的"})
DOERS = ("人", "者", "_by", " by")
"""What the name of a column ends with that says who did it."""
SUMS_OF_MONEY = frozenset({"money", "spending", "支出", "开销", "花费", "收入", "消费"})
SPENT = frozenset({"spend", "spent", "paid", "花", "花了", "花费", "花掉", "付了"})
"""Verbs of which the price of each row was the object."""
VERBS = frozenset({"is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "came", "come", "went", "go"})
"""What ends the words for that of which a share is asked."""
ASKS = ("count", "amount", "times", "who", "when", "share")
"""Kinds of words that ask for something of their own, wherever they stand."""
RESTRICTING = ("value", "not", "empty", "cmp", "post", "date", "month", "month_of", "day_of_year", "year_of", "ticked")
"""Kinds of words that say which rows are meant."""
A_NAME = re.compile(r"[A-Z][\w'’.-]*(?: [\w'’.-]+)? [A-Z][\w'’.-]*")
"""What people are called."""
PERIODICAL = frozenset({"monthly", "yearly", "daily", "每月", "每年", "每天"})


def read_query(tokens: Sequence[Token], table: Table, before: Query | None = None) -> Query:
    """The query that takes every word of a question; of one that follows another (`before`), only what changes is said.

    Raises:
        NotRead: when a word has no place in it.
    """
    said = Roles([token for token in tokens if not token.has("mark")], table, before)
    ends = [at for at, token in enumerate(tokens) if token.has("mark") and token.text in CLAUSE_MARKS]
    said.breaks = {sum(not token.has("mark") for token in tokens[:end]) for end in ends}
    said.settle()
    first = (_titles, _rates, _rounding, read_conditions, _worked_out, _versus)
    for take in (*first, _groups, _limits, _share, _superlatives, _figures, _columns, _finish):
        take(said)
    return said.query if before is None else _changed(before, said.query, said)


def _changed(before: Query, now: Query, said: Roles) -> Query:
    """The query of a question with what a follow-up says in the place of what it said."""
    adds = said.says("of_those")
    conditions = [*before.conditions, *now.conditions] if adds else _replaced(before.conditions, now.conditions)
    named = [name for name in now.shown if said.table.column(name).kind == "number"] if not now.order else []
    if named == now.shown and any(one.column for one in before.measures):  # and the children? 那人数呢
        measures = [replace(one, column=name) for one in before.measures for name in named if one.column]
        now = replace(now, shown=[], measures=[*now.measures, *measures])
    nothing = not (now.measures or now.shown or now.order or now.groups or now.share)
    if nothing and before.measures and not before.groups and said.says("which", "show"):
        return Query(conditions=conditions)  # list them
    if nothing:
        return replace(before, conditions=conditions, shown=before.shown if now.conditions else [])
    if now.order or now.groups or now.share:
        return replace(now, conditions=conditions, shown=now.shown or before.shown)
    if before.extreme and before.groups:  # of the rows of the group that was found: how much of that was in October
        (group, *more) = before.groups
        if more or group.part or before.rank != 1 or now.shown:
            raise NotRead
        kept = [one for one in conditions if one not in before.conditions]
        return replace(now, conditions=[*before.conditions, Condition(group.column, "among", before), *kept])
    averaged = any(one.function in {"avg", "median"} for one in now.measures)  # and the average, of all of them?
    if (
        before.extreme or before.limit == 1
    ) and not averaged:  # of the one row that was found: how many does it sleep, 它的月租是多少
        figures = [one.column for one in now.measures if one.function == "sum" and one.column]
        if now.conditions or len(figures) < len(now.measures):
            raise NotRead
        return replace(before, shown=[*before.shown, *now.shown, *figures])
    return replace(now, conditions=conditions, groups=[] if now.shown else before.groups)


def _replaced(before: list[Condition], now: list[Condition]) -> list[Condition]:
    """Conditions with new ones in the place of those on the same; and in May: of the same year."""
    kept = list(before)
    added = list[Condition]()
    for new in now:
        same = [one for one in kept if one.column == new.column and (bool(one.part) == bool(new.part))]
        years = [str(one.value)[:4] for one in same if one.part == "month_of_year"]
        if new.part == "month" and new.op == "=" and years:
            new = replace(new, part="month_of_year", value=f"{years[0]}-{int(new.value):02d}")  # noqa: PLW2901
        kept = [one for one in kept if one not in same or (one.part == "year" and new.part == "month")]
        added.append(new)
    return [*kept, *added]


def _titles(said: Roles) -> None:
    """Dr Lim, 王医生: what stands beside a name, and what only goes on from a word: the reorder level."""
    for at in said.left("title"):
        if said.at(at - 1, "value", "each") or said.at(at + 1, "value"):
            said.take(at)
    for at in said.left("who"):
        if said.at(at - 1, "person", "rowname", "column", "value") and said.text(at) == "who":
            said.take(at)  # people who have not paid
    for at in said.left("all"):
        if said.at(at + 1, "period") or (said.at(at + 1, "num") and said.at(at + 2, "column", "rowname")):
            said.take(at + 1)  # the whole year, all five branches
    for at in said.left("head"):
        if said.at(at - 1, "column", "agg") and not said.at(at, "column", "money"):
            said.take(at)


def _rates(said: Roles) -> None:
    """40 a day, the charge per day: a period that belongs to what something costs, and groups nothing."""
    rate = said.numbers_of("price") or ""
    for at in said.left("period") if rate else ():
        own = said.tokens[at].the("period").value in rate.lower().replace("daily", "day")  # daily_rate, per_day
        each = said.at(at - 1, "each") and (own or said.at(at - 2, "num") or not said.of_kind("date"))
        said.take(*((at - 1, at) if each or said.text(at - 1) == "a" else ()))


def _rounding(said: Roles) -> None:
    """To two decimals, 保留两位小数."""
    for at in said.left("decimals"):
        place = said.near(at, -1, has("num"), 2, ("person", "round"))
        if place is None:
            raise said.unread(at)
        said.query.decimals = int(said.tokens[place].the("num").value)
        said.take(*range(place, at + 1), said.near(place, -1, has("round"), 3), said.near(at, 1, has("round"), 3))


def _worked_out(said: Roles) -> None:
    """The sum of what is worked out of two columns, where a total, a value or money is asked: stock times price."""
    places = [at for at in said.left("column") if _is_named(said, at, *said.table.reckoned)]
    sums = [at for at in said.left("agg") if said.tokens[at].the("agg").value == "sum"]
    units = [at for at in said.left("count", "amount") if said.at(at + 1, "unit")]
    asked = [*said.left("amount", "money", "comes", "worth", "is"), *sums, *units, *(at + 1 for at in units)]
    for at in places:
        name = said.column(at).name
        parts = (one for one in said.left("column") if quoted(said.column(one).name) in said.table.reckoned[name])
        said.take(said.near(at, -1, has("by"), 1))
        if asked:
            said.query.measures.append(Measure("sum", name))
            rows = (one for one in said.left("column") if said.column(one).name == said.table.concepts.get("stock"))
            said.take(at, *asked, *parts, *rows)  # 库存值多少钱（数量乘单价）
    worth = said.table.concepts.get("worth")
    if worth and not places and said.left("worth") and said.left("amount", "agg", "which"):
        said.query.measures.append(Measure("sum", worth))
        said.take(*asked, *(one for one in said.left("column") if quoted(said.column(one).name) in worth))


def _versus(said: Roles) -> None:
    """Two or more of a kind against each other: more violins or more cellos, A 和 B 哪个多, the difference between."""
    several = [one for one in said.query.conditions if one.op == "in" and len(one.value) > 1]
    against, more, apart = said.left("versus"), said.left("more"), said.left("apart")
    for at in more:  # 多送了多少, how many more
        beside = [at - 1] if said.tokens[at].text.isascii() else range(at + 1, at + 5)
        apart += [at] if any(said.at(place, "count", "amount") for place in beside) else []
    asked = [*against, *apart, *(more if any(token.has("which", "who", "or") for token in said.tokens) else ())]
    if len(several) == 1 and asked and not said.left("sup", "each"):
        said.take(*said.left("who"))
        said.query.groups.append(Group(several[0].column, several[0].part))
        said.query.apart = bool(apart)
        said.take(*asked, *more, *said.left("or", "than"), *(said.left("between") if apart else ()))
        if not said.left("agg", "count", "money", "times"):
            _compared_by(said)
    elif not apart:
        said.take(*against)


def _compared_by(said: Roles) -> None:
    """What two groups are compared by, where only more is said: the one column of numbers named, or how many."""
    numbers, amounts = said.columns("number"), said.left("amount")
    priced = (said.money() or said.numbers_of("price")) if amounts else None
    column = said.column(numbers[0], "number").name if len(numbers) == 1 else priced
    said.query.measures.append(Measure("sum", column) if column else Measure("count"))
    said.take(*numbers, *(amounts if column else ()))


def _groups(said: Roles) -> None:
    """What rows are put together by, and what they are ranked by where that is said apart."""
    for at in said.left("period"):
        lead, part = said.near(at, -1, has("each", "by"), 2), said.tokens[at].the("period").value
        averaged = said.at(at - 1, "agg") and said.tokens[at - 1].text.endswith("每")
        daily = part == "day" and any(one.unique for one in said.of_kind("date"))  # each row is a day
        if lead is not None or averaged or said.text(at) in PERIODICAL:
            if averaged and not daily:
                raise said.unread(at)
            said.query.groups += [] if daily and said.left("agg") else [Group(dated_near(said, at), part)]
            said.take(at, lead)
        elif daily and said.at(at - 1, "value", "count"):
            said.take(at)  # 十月有几天是大风天
    ranked = [at for at in said.left("sup") if not said.tokens[at].the("sup").about]
    most = any(said.text(at) in MOST for at in ranked)
    for at in said.left("when") if ranked else ():
        part = said.tokens[at].the("when").value
        if part and (most or part != "day"):  # which day had the most, which month the highest
            said.query.groups.append(Group(dated_near(said, at), part))
            said.take(at)
    for at in said.left("each", "by"):
        (_each if said.tokens[at].has("each") else _by)(said, at)


def _each(said: Roles, at: int) -> None:
    """What a figure is told for each of; a figure per order, where each row is one, is that of all."""
    said.take(at)
    if said.table.named:
        said.of_each = True
        return
    place = said.near(at, 1, said.names(), 3, ("agg", "head", "count"))
    asked = said.left("agg", "amount", "comes")
    several = [one for one in said.query.conditions if one.op == "in" and len(one.value) > 1]
    told = len(several) == 1 and place is not None and said.column(place).kind == "number"  # 甲和乙各是多少小时
    if told or (said.at(at + 1, "rowname") and not said.at(at + 1, "column") and asked):
        place = None  # 每种纸 库存×单价 加起来: of all of them
    if place is not None:
        _put_together(said, place)
    elif len(several) == 1:  # INFO、WARN 各有多少行
        said.query.groups.append(Group(several[0].column, several[0].part))
    else:
        row = said.near(at, 1, has("rowname", "row", "person"), 2, ("value",))
        if not said.query.groups and (row is None or not asked):  # 每个片区各有多少
            raise said.unread(at)
        said.take(row)


def _by(said: Roles, at: int) -> None:
    """What rows are put together by, or ranked and sorted by: by city, by total fee, by what we spent."""
    place = said.near(at, 1, said.names(), 4, ("agg", "head", "count", "which", "deal"))
    verb = said.near(at, 1, has("money"), 4, ("which",)) if place is None else None
    sorts = said.left("sort", "desc", "asc")
    said.take(at)
    if verb is not None and (found := said.money()) is not None:
        said.measure = Measure("sum", found)
        said.take(verb)
    elif place is None and not (sorts and said.left("count", "agg", "sup")):
        raise said.unread(at)
    if place is None:
        return
    column = said.column(place)
    inside = [one for one in said.left("agg", "count") if at < one < place]
    figures = [one for one in said.left("agg", "count", "times", "compute", "share", "sup") if one not in inside]
    numbers = [one for one in said.columns("number") if one != place]
    top = said.left("sup") or (said.left("first") and said.left("num"))
    if top and column.kind in {"number", "date"} and not any(said.at(one, "agg", "count") for one in figures):
        function = said.tokens[inside[0]].get("agg") if inside else None
        said.query.order = column.name
        said.measure = Measure(function.value if function else "sum", column.name) if inside else None
        said.take(place, *inside)
    elif (figures and not sorts) or ((numbers or figures) and column.kind in {"text", "flag"} and not column.unique):
        _put_together(said, place)  # revenue by city; _sum_of_groups says of what
    else:
        said.query.order = column.name
        said.take(place)


def _put_together(said: Roles, place: int) -> None:
    """Groups by the column that the word at a place names."""
    column = said.column(place)
    said.take(place)
    if not column.unique or said.table.count <= 1:
        said.query.groups.append(Group(column.name))
    elif not said.left("count", "agg") or any(said.tokens[at].the("agg").value == "sum" for at in said.left("agg")):
        raise said.unread(place)  # nothing repeats there: there are no groups; an average per receipt is that of all


def _limits(said: Roles) -> None:
    """The first five, the three cheapest, the last two rows; and which way they are sorted."""
    ways, sorts = said.left("desc", "asc"), said.left("sort")
    said.query.descending = bool(ways) and said.tokens[ways[-1]].has("desc")
    said.query.from_the_end = bool(ways and said.query.groups) and not said.query.descending
    said.sorted_by_word = bool(sorts or ways)
    said.take(*ways, *sorts)
    for at in said.left("num"):
        number = said.number(at)
        if number is not None and _is_limit(said, at) and said.query.limit is None:
            said.query.limit = int(number[0])
            said.take(*range(at, number[1]))
        elif number is not None and number[0] == said.query.limit and said.at(at - 1, "which"):
            said.take(at)  # 最大的三个是哪三个
    for at in said.left("first", "last"):
        if said.query.limit is None and said.at(at + 1, "row", "rowname", "value"):
            said.query.limit = 1  # the last row, 最后一条
    _first_by_date(said)
    for at in said.left("first", "last") if said.query.limit is not None else ():
        _first_rows(said, at)


def _first_rows(said: Roles, at: int) -> None:
    """The first rows, or the best: of those, by a number that is said apart, or before it: 销量前三的品名."""
    if said.tokens[at].has("sup") and said.left("sup") == [at] and not (said.query.order or said.measure):
        return
    said.take(at)
    said.query.from_the_end = said.tokens[at].has("last")
    if said.text(at) in {"top", "前", "排前"} and not said.sorted_by_word:
        by = said.near(at, -1, said.names("number"), 2) if not said.query.order else None
        said.query.order = said.query.order if by is None else said.column(by, "number").name
        said.query.descending = bool(said.query.order or said.measure)
        said.take(by)


def _is_limit(said: Roles, at: int) -> bool:
    """Whether a number says how many rows, names or people; not of a figure: what would four cost?"""
    if said.near(at, -1, has("first", "last", "sup"), 1) is not None:
        return True
    figure = said.near(at, 1, said.names("number"), 1) is not None
    counted = ("sup", "row", "rowname", "person", "first", "last", *(() if figure else ("column",)))
    return said.near(at, 1, has(*counted), 2) is not None


def _first_by_date(said: Roles) -> None:
    """Who joined first, 谁最后入职, when did the level first go below 10: the row with the first or last date."""
    for at in said.left("first", "last") if not said.left("sup", "agg", "count") and not said.query.order else ():
        place = said.near(at, -1, said.names("date"), 3, ("event",))
        place = said.near(at, 1, said.names("date"), 2, ("event",)) if place is None else place
        last = said.tokens[at].has("last")
        once = said.query.limit is None or (said.query.limit == 1 and last)
        goes_on = said.at(at + 1, "head", "row")
        if (said.query.conditions and once and (said.left("when") or goes_on)) or (place and said.query.limit is None):
            said.query.order = dated_near(said, at) if place is None else said.column(place, "date").name
            said.query.extreme = "max" if last else "min"
            said.query.limit = None
            said.take(at, place, at + 1 if goes_on else None)


def _share(said: Roles) -> None:
    for at in said.left("share"):
        flags = said.columns("flag")
        for place in flags:
            require(said, said.column(place, "flag"), wanted=True)
            said.take(place)
        if not said.query.conditions or said.query.groups:
            raise said.unread(at)
        whole = Roles(_whole(said, at), said.table)
        read_conditions(whole)
        for place in [place for place in whole.left("column") if whole.names("flag")(whole.tokens[place])]:
            require(whole, whole.column(place, "flag"), wanted=True)
        known = whole.query.conditions
        said.query.whole = known if len(known) < len(said.query.conditions) else []
        said.query.share = True
        money = [place for place in said.left("money") if said.tokens[place].text.lower() in SUMS_OF_MONEY]
        money += [place for place in said.left("column") if _is_named(said, place, said.numbers_of("amount") or "")]
        numbers = said.columns("number")
        said.query.share_of = said.money() if money or said.left("amount") else None
        if len(numbers) == 1 and numbers[0] not in money:  # of our net spending
            said.query.share_of = said.column(numbers[0], "number").name
            said.take(*numbers)
        said.take(at, *said.left("count", "amount", "money"), *money, *(said.left("agg") if money else ()))


def _whole(said: Roles, at: int) -> list[Token]:
    """The words for what a share is a share of: of last year's orders, 上海的会员中, 占上海会员的."""
    words = [token.text.lower() for token in said.tokens]
    if said.tokens[at].text.isascii():
        if words[0] in {"of", "among", "out of"}:  # of the November shifts, what percentage were
            return said.tokens[: max(place for place in {0, *said.breaks} if place <= at)]
        end = next((place for place in range(at + 1, len(words)) if words[place] in VERBS), at)
        return said.tokens[at + 1 : end]
    if "占" in words[:at]:
        return said.tokens[words.index("占") + 1 : at]
    end = next((place for place in range(at) if words[place] in {"中", "里", "里面", "当中", "其中"}), 0)
    return said.tokens[:end]


def _superlatives(said: Roles) -> None:
    """The highest price, the city with the most orders, the three cheapest, the top five by amount."""
    sups, apart = said.left("sup"), said.measure.column if said.measure else said.query.order
    if len(sups) > 1:
        raise said.unread(sups[1])
    if not sups and (apart is None or said.query.limit is None or said.sorted_by_word):
        return
    at = sups[0] if sups else -1
    sense = said.tokens[at].the("sup") if sups else Sense("sup", "max" if said.query.descending else "min")
    text, figures = said.text(at), said.left("agg")
    sold = "sell" in text or (bool(said.left("deal")) and text in {*MOST, "best", "最好"} - OFTEN)
    most = text in MOST or sold
    said.take(*sups)
    column = apart or _ranked_by(said, at, sense, most=most)
    if sense.about in {"age", "service", "length"} and column in said.dated():
        sense = sense._replace(value="min" if sense.value == "max" else "max")  # the oldest was born first
    keys, key = _ranked_keys(said, sold=sold)
    summed = most or said.measure is not None or (apart is not None and _is_added(said, said.table.column(apart)))
    if not said.query.groups and key and not key.unique and (figures or column is None or summed):
        said.query.groups.append(Group(key.name))
        said.take(*(place for place in keys if said.named(said.tokens[place]) == key))
    if not said.query.groups and key is None and said.before and said.before.extreme and said.before.groups:
        said.query.groups = said.before.groups  # and the fewest? and the most hours?
        said.measure = said.before.measures[0] if column is None else Measure("sum", column)
    if said.query.groups:
        said.query.order = None
        if not figures and not _ranks_groups(said, at, column, sense, summed=summed):
            return  # the highest fee of each branch
    elif column is None:
        raise said.unread(at)  # nothing repeats there: there are no groups
    else:
        said.query.order = column
        said.query.shown += [key.name] if key is not None else []
        said.take(*keys[:1], *(place for place in said.left("column") if _is_named(said, place, column)))
    _rank(said, at, sense)


def _ranks_groups(said: Roles, at: int, column: str | None, sense: Sense, *, summed: bool) -> bool:
    """Measure the groups by what they are ranked by; False where each of them has its highest."""
    each = any(token.has("each", "by") for token in said.tokens)
    if said.measure is not None:
        said.query.measures.append(said.measure)
    elif column is not None:
        added = summed or (not each and _is_added(said, said.table.column(column)))
        said.query.measures.append(Measure("sum" if added else sense.value, column))
        return added or not each
    elif said.left("deal") and said.numbers_of("quantity") and said.text(at) not in OFTEN:
        said.query.measures.append(Measure("sum", said.table.concepts["quantity"]))  # which did we order most of
    else:
        told = said.left("count", "times") or said.text(at) in OFTEN
        beside = [at + step for step in (-2, -1, 1, 2) if said.at(at + step, "rowname", "row")]
        counted = any(map(said.names_rows, beside)) if beside else not said.numbers_of("amount")
        if not told and not counted:
            raise said.unread(at)  # who gave the most: money, or how often?
        said.query.measures.append(Measure("count"))
    return True


def _ranked_keys(said: Roles, *, sold: bool) -> tuple[list[int], Column | None]:
    """The words for what is ranked, and the column it is: a person who is asked for, or what is named."""
    keys = said.columns("text", "date")
    repeated = [place for place in keys if not said.column(place).unique]
    if repeated or said.query.groups:  # which instructor had the most bookings: the rows, by their own number
        said.take(*(place for place in keys if place not in repeated and said.at(place, "rowname")))
        keys = [place for place in keys if place not in said.used]
    doers = [place for place in repeated if said.column(place).kind == "text"]
    if doers and said.left("who"):  # who has the most of all our teachers
        said.take(*said.left("who"))
        return keys, said.column(doers[0])
    who = _who(said)
    if who is not None:  # the most receipts
        said.take(*(place for place in keys if said.column(place).unique))
    product = said.table.concepts.get("product") if sold else None  # the best seller, what did we sell most of
    named = said.named(said.tokens[keys[0]]) if keys else said.table.column(product) if product else None
    return keys, who or named


def _rank(said: Roles, at: int, sense: Sense) -> None:
    """Which one of the highest it is, or how many of them."""
    said.query.descending = sense.value == "max" and not said.query.groups
    said.query.from_the_end = sense.value == "min" and bool(said.query.groups)
    rank = next((place for place in said.left("nth") if abs(place - at) <= 1), None)
    if rank is not None:
        said.query.rank = int(said.tokens[rank].the("nth").value)
        said.take(rank)
    said.take(*(place for place in said.left("person") if said.at(place - 1, "num")))
    if said.query.limit in {None, 1}:  # with those that share the place
        said.query.extreme, said.query.limit = sense.value, None


def _ranked_by(said: Roles, at: int, sense: Sense, *, most: bool) -> str | None:
    """The column of which the highest or lowest is asked; None where it is how many there are."""
    text = said.text(at)
    if sense.about:
        return _ranked_by_kind(said, at, sense.about)
    if said.left("agg") or text in OFTEN:
        said.take(*(said.left("money") if text in OFTEN else ()))
        return None
    if "sell" in text:
        return said.numbers_of("quantity")
    kinds = ("number",) if text in MOST else ("number", "date")
    numbers = said.columns("number")
    beside = [said.near(at, step, said.names(*kinds), 3, ("who",)) for step in (1, -1)]
    only = numbers if text in MOST and len({said.column(one, "number") for one in numbers}) == 1 else []
    place = next((one for one in (*beside, *only) if one is not None), None)  # 谁加班最多，多少个小时
    money = [one for one in said.left("money") if abs(one - at) <= FAR]  # cost us the most
    big = said.numbers_of("size") if text in BIG else None
    if place is not None:
        said.take(place)
        return said.column(place, *kinds).name
    if text in MOST:  # borrowed the most: the verb is the name of a date
        said.take(said.near(at, -1, said.names("date"), 2))
    said.take(*(money if said.money() else ()))
    found = (
        (said.money() if money else None) or said.table.measure or big or (said.before.order if said.before else None)
    )
    rows = (
        said.at(at - 1, "rowname", "row", "num"),
        said.near(at, 1, has("rowname", "row", "num"), 4, ("column", *RESTRICTING)),
    )
    if found is None and not most and (not any(rows) or "quantity" in said.table.concepts):
        raise said.unread(at)
    return found or (None if most else said.money())  # 最高的一笔: by its money, where nothing else counts


def _ranked_by_kind(said: Roles, at: int, about: str) -> str:
    """The column that the word itself speaks of: the cheapest, the oldest, the shortest lead time."""
    kind, concepts = "date" if about in {"date", "service"} else "number", said.table.concepts
    for beside in (said.near(at, step, said.names(kind), 3, ("who",)) for step in (1, -1)):
        next_to = beside in {at - 1, at + 1}
        if beside is not None and (about != "price" or next_to or PRICED.search(said.column(beside, kind).name)):
            said.take(beside)
            return said.column(beside, kind).name
    dates = [one.name for one in said.of_kind("date") if one.name != concepts.get("born")]
    others = {
        "date": dates[0] if len(dates) == 1 else concepts.get("joined"),
        "age": concepts.get("born") or said.numbers_of("made"),
        "service": concepts.get("joined"),
        "price": said.numbers_of("amount"),
        "length": next((concepts[kind] for kind in ("lines", "duration", "distance") if kind in concepts), None),
    }
    found = concepts.get(about) or others.get(about)
    if found is None:
        raise said.unread(at)
    said.take(*(place for place in said.left("column") if _is_named(said, place, found)))
    return found


def _is_named(said: Roles, place: int, *names: str) -> bool:
    column = said.named(said.tokens[place]) if place < len(said.tokens) else None
    return column is not None and column.name in names


def _who(said: Roles, kind: str = "who") -> Column | None:
    """The column of persons, where somebody is asked for; a name comes before other words for people."""
    asked = said.left(kind)
    if not asked:
        return None
    named = said.near(asked[0], 1, said.names("text"), 3) if kind == "who" and not said.query.measures else None
    if named is not None and not said.at(named, "rowname"):
        column = said.column(named, "text")
        if not any(re.search(r"\d", one) for one in column.values):
            said.take(*asked, named)
            return column
    names = [said.table.concepts[kind] for kind in PERSONS if kind in said.table.concepts]
    if not names and kind == "who":
        doers = [one.name for one in said.of_kind("text") if one.name.lower().endswith(DOERS)]
        text = "".join(token.text for token in said.tokens).lower()
        meant = [name for name in doers if name.lower().removesuffix(DOERS[0]).removesuffix("_by") in text]
        names = meant if len(meant) == 1 else doers if len(doers) == 1 else []
        verbs = (at for at, token in enumerate(said.tokens) if names and not token.senses and token.text in names[0])
        said.take(*verbs)
    if not names and kind == "who" and not said.query.groups:  # who pays the highest rent, of tenants.csv
        names = [one.name for one in said.of_kind("text") if one.unique and _are_names(one.values)][:1]
    if not names or ("name" not in said.table.concepts and len(set(names)) > 1):
        raise said.unread(asked[0])
    said.take(*asked)
    return said.table.column(names[0])


def _are_names(values: Sequence[str]) -> bool:
    """Whether most values are names of people, by their capitals."""
    return sum(A_NAME.fullmatch(one) is not None for one in values) > MOSTLY * len(values)


MOSTLY = 0.8
FAR = 3
"""Words between a figure and the column it is of, where another column could be meant."""
APART = 5
"""How much farther a word is that stands in another clause."""


def _figures(said: Roles) -> None:
    """Each word that asks for a figure, with what it speaks of: a column, the rows, or the money."""
    if said.query.share:
        return
    asked = list(dict.fromkeys([*said.left("agg"), *said.left("count", "times", "amount", "comes")]))
    places = {at: _spoken_of(said, at) for at in asked}
    if said.query.order and (said.query.extreme or said.query.limit) and not said.query.groups:
        _of_ranked_row(said, places)
        return
    for at, place in places.items():
        if place is not None:
            _figure_of(said, at, place)
    measured = {measure.column or "" for measure in said.query.measures}
    said.take(*(place for place in said.left("column") if any(_is_named(said, place, one) for one in measured)))
    alone = [at for at in asked if at not in said.used]
    for at in (at for at in alone if said.tokens[at].has("agg")):
        _without_column(said, at)
    _spent(said, [at for at in alone if not said.tokens[at].has("agg")])
    for at in (at for at in alone if at not in said.used):
        said.take(at)
        if said.tokens[at].has("count", "times") and _adds_rows(said, at):
            _count_rows(said, at)
        elif said.tokens[at].has("amount") and not said.query.measures:
            name = said.numbers_of("amount") or (said.money() if said.query.conditions else None)
            if name is None or name in said.table.reckoned:
                raise said.unread(at)
            said.query.measures.append(Measure("sum", name))
    said.query.measures = list(dict.fromkeys(said.query.measures))


def _of_ranked_row(said: Roles, places: dict[int, int | None]) -> None:
    """How much the best row has of what it is the best by, or of something else: 最贵的是哪种，多少钱一公斤."""
    for at, place in places.items():
        if said.at(at, "agg", "times") or said.at(at + 1, "rowname"):
            raise said.unread(at)
        if place is not None and not _is_named(said, place, said.query.order or ""):
            said.query.shown.append(said.column(place).name)
        said.take(at, place, *(one for one in (at + 1, at + 2) if said.at(one, "num", "unit")))


def _spoken_of(said: Roles, at: int) -> int | None:
    """The place of the column that a word which asks for a figure speaks of: the nearest that can be meant."""
    token, kinds = said.tokens[at], ("number",)
    if token.has("agg"):
        if said.at(at, "column"):  # the total of the orders that have a column total
            return at
        kinds = ("number", "date") if token.the("agg").value in {"min", "max"} else kinds
    elif token.has("times") or (said.at(at + 1, "rowname") and not said.at(at + 1, "column")):
        return None  # 德国客户下了多少个订单: the orders are counted
    elif (
        token.has("count")
        and said.names("flag")(said.tokens[min(at + 1, len(said.tokens) - 1)])
        and not said.at(at + 2, "column")
    ):
        return None  # how many Gaelic speakers are rostered
    elif not token.has("amount", "comes"):
        beside = said.near(at, 1, said.names("text", "number", "date", "list"), 4, ("distinct", "all"))
        if beside is None and not token.text.isascii():
            beside = said.near(at, -1, lambda one: _is_listed(said.named(one)), 3)  # 客户有多少
        if beside is not None and _distance(said, at, beside) < APART:
            return beside
    numbers = said.columns(*kinds)
    near = {place: _distance(said, at, place) for place in numbers}
    best = min(near, key=near.__getitem__, default=None)
    if best is None or (near[best] >= APART and not token.has("agg")):
        return None
    if near[best] > FAR and len({said.column(place, *kinds) for place in numbers}) > 1:
        raise said.unread(at)  # a figure of which of them?
    return best


def _is_listed(column: Column | None) -> bool:
    """Whether the values of a column are counted, not added up."""
    return column is not None and column.kind != "flag" and (column.kind != "number" or column.unique)


def _distance(said: Roles, at: int, place: int) -> float:
    """How many words that say something stand between two places; what follows is nearer than what stands before."""
    low, high = sorted((at, place))
    between = sum(not token.has("free", "is", "row", "unit") for token in said.tokens[low + 1 : high])
    return between + APART * _is_parted(said, at, place) + (0.5 if place < at else 0)


def _is_parted(said: Roles, at: int, place: int) -> bool:
    """Whether two places are in different clauses, or parts of a list."""
    low, high = sorted((at, place))
    return any(said.at(one, "and") for one in range(low, high)) or any(low < one <= high for one in said.breaks)


def _figure_of(said: Roles, at: int, place: int) -> None:
    """The figure that a word asks for, of the column that the word at a place names."""
    token = said.tokens[at]
    if token.has("agg"):
        function = token.the("agg").value
        column = said.column(place, *(("number", "date") if function in {"min", "max"} else ("number",)))
        said.query.measures.append(Measure(function, column.name))
        said.take(at, at + 1 if said.at(at + 1, "person") else None)  # 平均每人
    elif token.has("comes") or (_is_bare(said, at) and said.names("number")(said.tokens[place])):
        said.query.measures.append(Measure("sum", said.column(place, "number").name))
        said.take(at, place)
    else:
        averaged = any(one.column == said.column(place).name for one in said.query.measures)  # 平均每单几个人
        said.take(at, place, *said.left("distinct", "person"))
        if not averaged:
            _count_column(said, said.column(place))


def _without_column(said: Roles, at: int) -> None:
    """A figure that names no column: of the same as the one before it, of how many there are, or of the money."""
    function = said.tokens[at].the("agg").value
    earlier = [*said.query.measures, *(said.before.measures if said.before else ())]
    column = next((one.column for one in earlier if one.column), said.before.order if said.before else None)
    if column is None and (counted := [one for one in said.left("count") if _people(said, one)]):
        column = said.numbers_of("people")  # 平均每单几个人
        said.take(*counted, *said.left("person"))
    if column is None and (said.left("amount", "money", "comes") or said.is_currency(at + 1)):
        column = said.money()
        said.take(*said.left("amount", "money", "comes"))
    added = column is None and function == "sum"
    rows = said.tokens[at].text.endswith("多少") and said.at(at + 1, "row", "rowname", "person")  # 一共多少件
    rows = rows and not any(one.name == "heading" for one in said.table.columns)  # the lines of a text are no rows
    column = said.numbers_of("amount") if added and not rows and not said.left("count") else column
    if column is None and not (added and (rows or said.left("count"))):
        raise said.unread(at)
    said.take(at)
    if column is not None:
        said.query.measures.append(Measure(function, column))
    elif rows:
        _count_rows(said, at)


def _adds_rows(said: Roles, at: int) -> bool:
    """Whether a word asks for how many rows there are beside what is asked already: not 余额一共多少."""
    if not said.query.measures or said.at(at + 1, "rowname", "row", "person"):
        return True
    measured = [one.column or "" for one in said.query.measures]
    figures = (one for one in range(len(said.tokens)) if said.at(one, "agg") or _is_named(said, one, *measured))
    near = any(_distance(said, at, one) < APART for one in figures)
    return not (near or said.query.extreme or said.query.groups)


def _count_column(said: Roles, column: Column) -> None:
    """How many there are of what a column has: the sum of numbers, different texts, or rows, where each has its own."""
    wanted = re.compile(rf"(?i){re.escape(column.name)}[\s_-]?(?:id|no|nr|number|号|编号)")
    distinct = bool(said.left("distinct"))
    if column.kind == "number" and not column.unique and not distinct:
        if said.of_each or (said.query.conditions and not _is_added(said, column)):
            said.query.shown.append(column.name)
        else:
            said.query.measures.append(Measure("sum", column.name))
    elif column.unique or (
        not distinct and any(one.unique and wanted.fullmatch(one.name) for one in said.table.columns)
    ):
        said.query.measures.append(Measure("count"))  # jobs, where each row has its own job_id
    else:
        said.query.measures.append(Measure("distinct", column.name))


def _is_added(said: Roles, column: Column) -> bool:
    """Whether numbers of a column make sense as a sum: litres and boxes do, prices and ages do not."""
    return column.name not in {said.table.concepts.get(kind) for kind in NOT_ADDED}


def _spent(said: Roles, counts: list[int]) -> None:
    """What was spent, cost or earned, where no column is named: the sum of the one that has the money.

    Beside a number of rows the verb says nothing: how many were paid in cash.
    """
    totals, verbs = said.left("comes"), said.left("money")
    amounts = [at for at in counts if said.tokens[at].has("amount") or _is_bare(said, at)]
    rows_counted = len(amounts) < len(counts)
    what = any(_asks_what(said, verb) for verb in verbs)
    compared = bool(said.query.groups and verbs)  # which of two brought in more
    found, rate = said.money(), said.numbers_of("price")
    if found is None and not {"quantity", "stock"} & said.table.concepts.keys():
        found = rate if any(said.text(at) in SPENT for at in verbs) else None
    of_one = any(one.op == "in" and said.table.column(one.column).unique for one in said.query.conditions)
    asked = what or (bool(amounts or totals or compared) and not said.query.measures)
    if asked and of_one and rate and rate != found and verbs and not rows_counted:
        said.query.shown.append(rate)  # what do we charge for it
    elif asked and found is not None and (totals or what or (verbs and not rows_counted)):
        said.query.measures += [] if said.query.extreme else [Measure("sum", found)]
    elif asked or not (said.query.measures or rows_counted):
        return
    said.take(*totals, *verbs, *amounts)


def _asks_what(said: Roles, verb: int) -> bool:
    """Whether it is the verb that asks for the money: what did it cost, not what did the bar take on average."""
    own = [token for at, token in enumerate(said.tokens) if not _is_parted(said, at, verb)]
    what = any(token.text.lower() in {"what", "what's"} for token in own)
    return what and not any(token.has("agg", "count", "sup") for token in own)


def _is_bare(said: Roles, at: int) -> bool:
    """Whether how much there is says of nothing how much, after a verb of paying: 一共收了多少."""
    end = at + 2 if said.at(at + 1, "rowname") else at + 1  # 收到多少捐款
    alone = end in {*said.breaks, len(said.tokens)} or said.at(at + 1, "free") or said.is_currency(at + 1)
    much = said.text(at) in {"多少", "有多少", "how much"}
    return much and alone and said.near(at, -1, has("money"), 2) is not None


def _count_rows(said: Roles, at: int) -> None:
    """How many there are of what the word at a place counts: rows, people, or what the rows say how many each is of."""
    if said.is_currency(at + 1):
        raise said.unread(at)  # 花了多少欧元, where no column has the money
    rowname = said.at(at + 1, "rowname")
    if rowname and said.tokens[at + 1].text[-1] in "款费":
        raise said.unread(at + 1)  # 多少捐款: how many, or how much?
    product, quantity = said.table.concepts.get("product"), said.numbers_of("quantity")
    things = said.at(at + 1, "value") and product in valued(said.tokens[at + 1])  # how many lamps
    if people := _people(said, at):
        said.query.measures.append(Measure("sum", people))
        said.take(*said.left("person"))
    elif (person := _who(said, "person")) is not None:
        said.query.measures.append(Measure("count") if person.unique else Measure("distinct", person.name))
    elif quantity and things and not said.at(at + 2, "rowname", "row"):
        said.query.measures.append(Measure("sum", quantity))
    elif rowname and not said.at(at + 2, "rowname", "column") and not said.names_rows(at + 1):
        raise said.unread(at + 1)  # how many eggs: the rows are sales
    elif quantity and said.left("deal"):  # how many were sold is not how many sales
        said.query.measures.append(Measure("sum", quantity))
    else:
        said.query.measures.append(Measure("count"))


def _people(said: Roles, at: int) -> str | None:
    """The column that has how many people there were, where those are counted: 多少人, how many people."""
    counted = said.at(at + 1, "person") or said.tokens[at].text in {"多少人", "几人"}
    return said.numbers_of("people") if counted else None


def _columns(said: Roles) -> None:
    """What is shown: the columns that are left."""
    said.query.distinct = bool(distinct := said.left("distinct"))
    said.take(*distinct)
    person = None if said.query.measures else _who(said)  # 谁值夜班: before the column is shown for itself
    for at in said.left("column"):
        _show(said, at)
        said.take(at)
    if not said.query.measures and person is not None:
        said.query.shown.insert(0, person.name)
    chosen = said.before or said.query.conditions or said.query.order or said.query.limit
    for at in said.left("when"):
        known = any(said.table.column(name).kind == "date" for name in said.query.shown)
        if not known and (said.query.measures or not chosen):
            raise said.unread(at)  # of all rows nobody asks when
        made = said.numbers_of("made") if not said.of_kind("date") else None  # from what year
        said.query.shown += [] if known else [made or dated_near(said, at)]
        said.take(at)


def _show(said: Roles, at: int) -> None:
    """What a column is asked for that has no other role: a condition, nothing of its own, or to be shown."""
    column, figures = said.column(at), said.query.measures
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
    elif not figures and column.name not in {one.column for one in said.query.groups}:
        said.query.shown.append(column.name)


def _happened(column: Column) -> bool:
    """Whether a column says of every row when it was, as what is counted was booked: not when it will be due."""
    return column.kind == "date" and column.complete and not LATER.search(column.name)


_TELLS = frozenset("who that have has had been is are was were already 已 已经 被".split())  # noqa: SIM905


def _says_nothing(said: Roles, at: int, column: Column) -> bool:
    """Whether the word for a column says what the rows are, what a condition fixes, or what is grouped and measured."""
    fixed = [one.column for one in said.query.conditions if one.op == "in"]
    if column.name in (*fixed, *(one.column for one in said.query.groups)) or said.at(at, "rowname"):
        return True
    if column.kind != "text":
        return False
    of = at - 2 if said.at(at - 1, "free") else at - 1  # how many cases of wine
    measured = of >= 0 and _is_named(said, of, *(one.column or "" for one in said.query.measures))
    one_of = said.at(at - 1, "all", "value") or said.text(at - 1) in {"a", "an", "any"}  # German customers
    return column.unique or one_of or measured


def _finish(said: Roles) -> None:
    """Decline what is left over, or says nothing."""
    _decline_leftovers(said)
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
    where = (at for at, token in enumerate(said.tokens) if token.has("where") and not said.at(at - 1, "row", "rowname"))
    anywhere = any(where) and not query.shown  # a whole row does not say where
    if anywhere or (not asked and not (asks and query.conditions) and not of_row):
        raise NotRead
    if query.order and query.measures and query.order not in {group.column for group in query.groups}:
        raise NotRead(query.order)
    if query.measures and not query.groups and query.limit not in {None, said.table.count}:
        raise NotRead(str(query.limit))  # the rents of two shops: of which?
    _settle_columns(said)
    chosen = said.before or query.conditions or query.measures or query.order or query.limit or said.table.count <= 1
    numbers = bool(query.shown) and all(said.table.column(name).kind == "number" for name in query.shown)
    if numbers and not chosen and not said.says("show", "all", "distinct"):
        raise NotRead(*query.shown)  # what is the rate: of which row nobody says
    _decline_unanswered(said)


def _decline_unanswered(said: Roles) -> None:
    """Every clause that asks for something gets it: which was it, and where; who, when and how much."""
    query = said.query
    given = len({*query.shown, *(one.column for one in query.groups)}) + len(query.measures) + query.share
    figure = said.says("count", "amount", "times", "agg", "is")  # by what it is the best
    given += bool(query.order and query.extreme and figure) - bool(query.groups and query.extreme and not figure)
    starts = [
        at for at, token in enumerate(said.tokens) if token.has("and") and _asks(said.tokens[at + 1 :], first=True)
    ]
    edges = sorted({0, *said.breaks, *starts, len(said.tokens)})
    clauses = [said.tokens[start:end] for start, end in pairwise(edges)]
    asking = [at for at, clause in enumerate(clauses) if _asks(clause)]
    later = [token for clause in clauses[asking[0] + 1 if asking else 1 :] for token in clause]
    compared = {group.column for group in query.groups}  # who has more, Ada or Bo, and how many
    others = [token.text for token in later if token.has(*RESTRICTING) and not valued(token) & compared]
    if len(asking) > 1 and others:
        raise NotRead(*others)  # it is not said of the first
    if query.extreme and not query.measures and len(asking) > given:
        query.shown = []  # all of the row is told
    elif given and len(asking) > max(given, 1):
        raise NotRead(*(token.text for token in said.tokens if token.has("which", *ASKS)))


def _asks(clause: Sequence[Token], *, first: bool = False) -> bool:
    """Whether a clause asks for something; by its first word that says something, or in Chinese by any (`first`)."""
    said = [token for token in clause if not token.has("free", "and")]
    begins = any(token.has("which", *ASKS) for token in said if token is said[0] or not token.text.isascii())
    return begins or (not first and any(token.has(*ASKS, "comes", "is") or "多少" in token.text for token in clause))


def _sum_of_groups(said: Roles) -> None:
    """Hours per task, 按城市汇总金额: what is added up for each group; of a price nobody says what is meant."""
    columns = [said.table.column(name) for name in dict.fromkeys(said.query.shown)]
    columns = [one for one in columns if not (one.kind == "text" and one.unique)]  # hire fees per period
    if not columns and said.says("rowname"):
        said.query.measures.append(Measure("count"))  # deliveries per month
        return
    if len(columns) != 1 or columns[0].kind != "number":
        raise NotRead(*said.query.shown)
    words = [token.text.lower() for token in said.tokens if said.named(token) == columns[0]]
    fees = columns[0].name == said.money() and all(word.endswith("s") or not word.isascii() for word in words)
    if not (fees or said.says("compute") or _is_added(said, columns[0])):
        raise NotRead(*said.query.shown)
    said.query.measures.append(Measure("sum", columns[0].name))
    said.query.shown.clear()


def _settle_columns(said: Roles) -> None:
    """Rows by their names, and each value once."""
    query = said.query
    if said.table.named and not query.measures:
        query.shown.insert(0, said.table.named)
    query.shown = list(dict.fromkeys(query.shown))
    name, numbers = said.table.concepts.get("name"), [said.table.column(one).kind == "number" for one in query.shown]
    own = said.table.column(query.shown[0]) if len(query.shown) == 1 else None
    spoken = any(said.named(token) == own and token.has("rowname") for token in said.tokens)
    if name and own and own.unique and own.name != name and spoken:
        query.shown.insert(0, name)  # which members: by their names, not by their numbers alone
    if query.extreme and said.says("which", "who") and numbers and all(numbers):
        names = [one.name for one in said.table.columns if one.unique and one.kind == "text"]
        query.shown = [name or names[0], *query.shown] if name or names else []  # 哪台机器功率最大，多少千瓦
    if len(query.shown) == 1 and not query.order and not query.limit:
        query.distinct = query.distinct or not said.table.column(query.shown[0]).unique


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
    if left := [token.text for token in rest if not token.has(*EMPTY_WORDS)]:
        raise NotRead(*left)
    if said.sorted_by_word and not said.query.order and not said.query.measures:
        raise NotRead(*(token.text for token in said.tokens if token.has("sort", "desc", "asc")))
