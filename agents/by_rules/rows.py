"""What is asked of rows: each word gets its role, and all roles together are one query.

Conditions first (`conditions`), then what is grouped by, ordered by and counted, and last what is shown. A word that no
role takes declines the question and is named; so does a word that could have two roles and nothing that decides, and
what cannot be told in the shape that is asked for: a figure, a name, a place, a time.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from switchyard.agents.by_rules.conditions import LATER, STILL, dated_near, read_conditions, require
from switchyard.agents.by_rules.query import Condition, Group, Measure, NotRead, Query, quoted
from switchyard.agents.by_rules.roles import Roles, has, valued
from switchyard.agents.by_rules.world import Column, Table, unit_of
from switchyard.language.lexicon import Sense, Token, key_of, senses_of
from switchyard.language.units import unit_named

EMPTY_WORDS = (
    *("free", "show", "which", "all", "is", "compute", "and", "isit", "row", "rowname", "mark", "of_those"),
    *("deal", "to"),
)
"""Kinds of words that a question may have without asking for more."""
ASKING = ("show", "which", "all", "who", "when", "row", "rowname")
"""Kinds of words of which a question has one that asks for rows as they are."""
PERSONS = ("name", "employee", "customer", "member", "author")
"""Kinds of columns that say who."""
PLACES = ("city", "country", "region", "warehouse")
"""Kinds of columns that say where."""
CLAUSE_MARKS = frozenset(",，、;；?？.。:：!！")
"""Marks that end a clause, or part of a list."""
SUMS_OF_MONEY = frozenset({"money", "spending", "支出", "开销", "花费", "收入", "消费"})
"""Words for money that are no verbs."""
DOERS = ("人", "者", "师", "员", "_by", " by")
"""What the name of a column ends with that says who did it."""
VERBS = frozenset({"is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "came", "come", "went", "go"})
"""What ends the words for that of which a share is asked."""
ASKS = ("count", "amount", "times", "who", "when", "share")
"""Kinds of words that ask for something of their own, wherever they stand."""
RESTRICTING = ("value", "not", "empty", "cmp", "post", "date", "month", "month_of", "day_of_year", "year_of", "ticked")
"""Kinds of words that say which rows are meant."""
FAR = 3
"""Words between a figure and the column it is of, where another column could be meant."""
APART = 5
"""How much farther a word is that stands in another clause."""


def read_query(tokens: Sequence[Token], table: Table, before: Query | None = None) -> Query:
    """The query that takes every word of a question; of one that follows another (`before`), only what changes is said.

    Raises:
        NotRead: when a word has no place in it.
    """
    said = Roles([token for token in tokens if not token.has("mark")], table, before)
    ends = [at for at, token in enumerate(tokens) if token.has("mark") and token.text in CLAUSE_MARKS]
    said.breaks = {sum(not token.has("mark") for token in tokens[:end]) for end in ends}
    said.settle()
    for at in said.left("gap"):
        raise said.unread(at)  # the difference is not what is different
    first = (_said_beside, _hint, read_conditions, _worked_out, _versus)
    for take in (*first, _groups, _limits, _share, _superlative, _quantities, _figures, _columns, _finish):
        take(said)
    return said.query if before is None else _changed(before, said.query, said)


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
    if before.extreme and len(before.groups) == 1 and not before.groups[0].part and _speaks_of_it(said):
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


def _speaks_of_it(said: Roles) -> bool:
    """Whether a question speaks of what the one before found: how many hours has he put in."""
    return said.says("of_those") or any(token.text.lower() in _IT for token in said.tokens)


_IT = frozenset(["is it", *"it its he his him she her that 他 她 它 其中 这".split()])  # noqa: SIM905  a list of words


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
        which = said.text(at - 1) == "哪" and said.text(at).startswith("几")  # 哪几单: not how many
        what = said.text(at) == "多少" and any(map(said.names("text"), said.tokens[max(at - 1, 0) : at]))
        said.take(
            at if which or (what and at + 1 == len(said.tokens) and said.says("value")) else None
        )  # 他的手机号多少
    for at in said.left("who"):  # people who have not paid
        said.take(at if said.text(at) == "who" and said.at(at - 1, "person", "rowname", "column", "value") else None)
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
    for at in said.left("decimals"):
        place = said.near(at, -1, has("num"), 2, ("person", "round"))
        if place is None:
            raise said.unread(at)
        said.query.decimals = int(said.tokens[place].the("num").value)
        said.take(*range(place, at + 1), said.near(place, -1, has("round"), 3), said.near(at, 1, has("round"), 3))


def _hint(said: Roles) -> None:
    """A clause that only says by which dates it goes: go by paid_on, 按付款日期算."""
    for start, end in pairwise(sorted({0, *said.breaks, len(said.tokens)})):
        clause = range(start, end)
        dates = [at for at in clause if said.names("date")(said.tokens[at])]
        rest = [at for at in clause if at not in dates]
        by = [at for at in rest if said.at(at, "by")]
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


def _several(said: Roles) -> Condition | None:
    """The one condition by which rows are of one of several kinds: Leeds or York."""
    found = [one for one in said.query.conditions if one.op == "in" and len(one.value) > 1]
    return found[0] if len(found) == 1 else None


def _versus(said: Roles) -> None:
    """Two or more of a kind against each other: more violins or more cellos. How far they are apart is not told."""
    several, against, more = _several(said), said.left("versus"), said.left("more")
    asked = [*against, *(more if said.says("which", "who", "or") else ())]
    if several and asked and not said.left("sup", "each"):
        said.query.groups.append(Group(several.column, several.part))
        said.take(*asked, *more, *said.left("who", "or", "than"))
        if not said.left("agg", "count", "money", "times", "amount"):
            numbers = said.columns("number")
            column = said.column(numbers[0], "number").name if len(numbers) == 1 else None
            said.query.measures.append(Measure("sum", column) if column else Measure("count"))
            said.take(*numbers)
    else:
        said.take(*against)


def _groups(said: Roles) -> None:
    """What rows are put together by, and what they are ranked by where that is said apart."""
    for at in said.left("period"):
        lead = said.near(at, -1, has("each", "by"), 2)
        if lead is not None and (said.at(lead - 1, "agg") or said.at(at + 1, "agg")):
            raise said.unread(at)  # on average per month: of the sums of the months
        if lead is not None:
            said.query.groups.append(Group(dated_near(said, at), said.tokens[at].the("period").value))
            said.take(at, lead)
    ranked = [at for at in said.left("sup") if not said.tokens[at].the("sup").about]
    most = any(said.at(at, "most", "often") for at in ranked)
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
    place = said.near(at, 1, said.names("text", "flag", "date"), 3, ("agg", "head", "count"))
    asked, several = said.left("agg", "amount", "comes"), _several(said)
    if said.at(at + 1, "rowname") and not said.at(at + 1, "column") and asked:
        place = None  # 每种纸 库存×单价 加起来: of all of them
    if place is not None:
        _put_together(said, place)
    elif several:  # INFO、WARN 各有多少行
        said.query.groups.append(Group(several.column, several.part))
    else:
        row = said.near(at, 1, has("rowname", "row", "person"), 2, ("value",))
        if not said.query.groups and (row is None or not asked):
            raise said.unread(at)
        said.take(row)


def _by(said: Roles, at: int) -> None:
    """What rows are put together by, or ranked and sorted by: by city, by total fee."""
    place = said.near(at, 1, said.names(), 4, ("agg", "head", "count", "which", "deal"))
    sorts = said.left("sort", "desc", "asc")
    said.take(at)
    if place is None:
        if not (sorts and said.left("count", "agg", "sup")):
            raise said.unread(at)
        return
    column = said.column(place)
    inside = [one for one in said.left("agg", "count") if at < one < place]
    figures = [one for one in said.left("agg", "count", "times", "compute", "share", "sup") if one not in inside]
    numbers = [one for one in said.columns("number") if one != place]
    top = said.left("sup") or (said.left("first") and said.left("num"))
    measured = column.kind in {"number", "date"}
    if top and measured and not any(said.at(one, "agg", "count") for one in figures):
        function = said.tokens[inside[0]].get("agg") if inside else None
        said.query.order = column.name
        said.measure = Measure(function.value if function else "sum", column.name) if inside else None
        said.take(place, *inside)
    elif column.kind != "number" and ((figures and not sorts) or ((numbers or figures) and not measured)):
        _put_together(said, place)  # revenue by city; _sum_of_groups says of what
    elif sorts or said.before:
        said.query.order = column.name
        said.take(place)
    else:
        raise said.unread(place)  # a number is not grouped by, and nothing says sorted


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
    query, ways, sorts = said.query, said.left("desc", "asc"), said.left("sort")
    query.descending = bool(ways) and said.tokens[ways[-1]].has("desc")
    query.from_the_end = bool(ways and query.groups) and not query.descending
    said.sorted_by_word = bool(sorts or ways)
    said.take(*ways, *sorts)
    for at in said.left("num"):
        number = said.number(at)
        if number is not None and number[0] >= 1 and _is_limit(said, at) and query.limit is None:
            query.limit = int(number[0])
            said.take(*range(at, number[1]))
    for at in said.left("num") if query.limit is not None else ():
        if said.at(at - 1, "which") and said.number(at) == (query.limit, at + 1):
            said.take(at)  # 是哪三个
    ends = said.left("first", "last")
    if query.limit is None and any(said.at(at + 1, "row", "rowname", "value") for at in ends):
        query.limit = 1  # the last row, 最后一条
    if ends and not query.order and not said.left("sup", "agg", "count"):
        _first_by_date(said, ends[0])
    for at in said.left("first", "last") if query.limit is not None else ():
        if said.tokens[at].has("sup") and said.left("sup") == [at] and not (query.order or said.measure):
            continue
        said.take(at)
        query.from_the_end = said.tokens[at].has("last")
        if said.text(at) in {"top", "前", "排前"} and not said.sorted_by_word:
            by = said.near(at, -1, said.names("number"), 2) if not query.order else None  # 销量前三的品名
            query.order = query.order if by is None else said.column(by, "number").name
            query.descending = bool(query.order or said.measure)
            said.take(by)


def _is_limit(said: Roles, at: int) -> bool:
    """Whether a number says how many rows, names or people; not of a figure: what would four cost?"""
    if said.near(at, -1, has("first", "last", "sup"), 1) is not None:
        return True
    if said.text(at - 1) in {"have", "has", "with", "有"} and said.tokens[at].the("num").value > 1:
        return False  # 哪些菜有5份; 有一笔 is one of them
    if said.near(at, -1, said.names("number"), 2) is not None:
        return False  # 数量是25的品种
    figure = said.near(at, 1, said.names("number"), 1) is not None
    counted = ("sup", "row", "rowname", "person", "first", "last", *(() if figure else ("column",)))
    return said.near(at, 1, has(*counted), 2) is not None


def _first_by_date(said: Roles, at: int) -> None:
    """Who joined first, 谁最后入职, when did the level first go below 10: the row with the first or last date."""
    query, last = said.query, said.tokens[at].has("last")
    beside = (said.near(at, step, said.names("date"), 3, ("event",)) for step in (-1, 1))
    place = next((one for one in beside if one is not None), None)
    once = query.limit is None or (query.limit == 1 and last)
    goes_on = said.at(at + 1, "head", "row")
    if (query.conditions and once and (said.left("when") or goes_on)) or (place is not None and query.limit is None):
        query.order = dated_near(said, at) if place is None else said.column(place, "date").name
        query.extreme, query.limit = "max" if last else "min", None
        said.take(at, place, at + 1 if goes_on else None)


def _share(said: Roles) -> None:
    """How many of all there are meet the conditions, in percent, or how much they have of all the money."""
    for at in said.left("share"):
        _require_flags(said)
        if not said.query.conditions or said.query.groups:
            raise said.unread(at)
        whole = Roles(_whole(said, at), said.table)
        read_conditions(whole)
        _require_flags(whole)
        known = whole.query.conditions
        merged = {one.column for one in said.query.conditions if one.op == "in" and len(one.value) > 1}
        if merged & {one.column for one in known}:
            raise said.unread(at)  # the part and the whole became one: 动力工具占全部工具的
        said.query.whole = known if len(known) < len(said.query.conditions) else []
        said.query.share = True
        numbers = said.columns("number")
        if len(numbers) > 1:
            raise said.unread(numbers[1])  # of those that were cut, the rejected ones: both are figures
        if len(numbers) == 1:  # of our net spending
            said.query.share_of = said.column(numbers[0], "number").name
        elif said.left("amount") or any(said.text(one) in SUMS_OF_MONEY for one in said.left("money")):
            said.query.share_of = said.money()
        said.take(at, *numbers[:1], *said.left("count", "amount", "money"))
        said.take(*(said.left("agg") if said.query.share_of else ()))


def _require_flags(said: Roles) -> None:
    for place in said.columns("flag"):
        require(said, said.column(place, "flag"), wanted=True)
        said.take(place)


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


def _superlative(said: Roles) -> None:
    """The highest price, the city with the most orders, the three cheapest, the top five by amount."""
    query, sups = said.query, said.left("sup")
    apart = said.measure.column if said.measure else query.order
    if len(sups) > 1:
        raise said.unread(sups[1])
    if not sups and (apart is None or query.limit is None or said.sorted_by_word):
        return
    at = sups[0] if sups else -1
    sense = said.tokens[at].the("sup") if sups else Sense("sup", "max" if query.descending else "min")
    way, figures, most = sense.value, said.left("agg"), said.at(at, "most", "often")
    sold = bool(said.left("deal")) and said.at(at, "most")
    said.take(*sups)
    column = apart or _ranked_by(said, at, sense)
    if sense.about in {"age", "service", "length"} and column in said.dated():
        way = "min" if way == "max" else "max"  # the oldest was born first
    keys, key = _ranked_keys(said, sold=sold)
    summed = most or said.measure is not None or (apart is not None and said.is_added(said.table.column(apart)))
    summed = summed or (column is not None and _is_total(said, column))
    if not query.groups and key and not key.unique and (figures or column is None or summed):
        query.groups.append(Group(key.name))
        said.take(*(place for place in keys if said.named(said.tokens[place]) == key))
    if query.groups:
        query.order = None
        if not figures and not _ranks_groups(said, at, column, way, summed=summed):
            return  # the highest fee of each branch
    elif column is None:
        raise said.unread(at)  # nothing repeats there: there are no groups
    else:
        query.order = column
        query.shown += [key.name] if key is not None else []
        said.take(*keys[:1], *(place for place in said.left("column") if said.is_named(place, column)))
    _rank(said, at, way)


def _is_total(said: Roles, column: str) -> bool:
    """Whether the word for a column says that it is added up, which the column itself does not: 总金额 of 金额."""
    named = [said.text(at) for at in range(len(said.tokens)) if said.is_named(at, column)]
    return not column.lower().startswith(_TOTAL) and any(one.startswith(_TOTAL) for one in named)


_TOTAL = ("总", "total")


def _rank(said: Roles, at: int, way: str) -> None:
    """Which one of the highest it is, or how many of them."""
    query = said.query
    query.descending = way == "max" and not query.groups
    query.from_the_end = way == "min" and bool(query.groups)
    for rank in (place for place in said.left("nth") if abs(place - at) <= 1):
        query.rank = int(said.tokens[rank].the("nth").value)
        said.take(rank)
    said.take(*(place for place in said.left("person") if said.at(place - 1, "num")))
    if query.limit in {None, 1}:  # with those that share the place
        query.extreme, query.limit = "max" if way == "max" else "min", None


def _ranks_groups(said: Roles, at: int, column: str | None, way: str, *, summed: bool) -> bool:
    """Measure the groups by what they are ranked by; False where each of them has its highest."""
    each = said.says("each", "by")
    lasts = said.table.concepts.get("duration")
    amounts = [one for one in said.of_kind("number") if not one.unique and said.is_added(one) and one.name != lasts]
    beside = [at + step for step in (-2, -1, 1, 2) if said.says_rows(at + step)]
    names = [one.name for one in said.table.columns if one.unique]
    own = said.at(at, "often") or any(said.is_named(at + step, *names) for step in (-1, 1))
    if said.measure is not None:
        said.query.measures.append(said.measure)
    elif column is not None:
        added = summed or (not each and said.is_added(said.table.column(column)))
        said.query.measures.append(Measure("sum" if added else "max" if way == "max" else "min", column))
        return added or not each
    elif said.left("amount") and said.money() and not said.left("count", "times"):
        said.query.measures.append(Measure("sum", said.money()))
        said.take(*said.left("amount"))
    elif (
        own
        or _rows_beside(said, at)
        or said.left("count", "times")
        or any(map(said.names_rows, beside))
        or not (beside or amounts)
    ):
        said.query.measures.append(Measure("count"))
    else:
        raise said.unread(at)  # who gave the most: money, kilos, or how often?
    return True


def _rows_beside(said: Roles, at: int) -> bool:
    """Whether it is rows that there are the most of: led the most dives, 哪个区的会员最多."""
    place = at - 1 if not said.text(at).isascii() else at + 1 + (said.text(at + 1) == "of")
    is_word = said.text(place).isascii() or len(said.text(place)) > 1  # 收蜜: no part of the file's name alone
    return is_word and said.at(place, "rowname") and not said.at(place, "column", "value") and said.names_rows(place)


def _ranked_keys(said: Roles, *, sold: bool) -> tuple[list[int], Column | None]:
    """The words for what is ranked, and the column it is: a person who is asked for, or what is named."""
    keys = said.columns("text", "date")
    repeated = [place for place in keys if not said.column(place).unique]
    if repeated or said.query.groups:  # which instructor had the most bookings: the rows, by their own number
        said.take(*(place for place in keys if place not in repeated and said.at(place, "rowname")))
        keys = [place for place in keys if place not in said.used]
    who = _who(said)
    if who is not None:  # the most receipts
        said.take(*(place for place in keys if said.column(place).unique))
    product = said.table.concepts.get("product") if sold else None  # the best seller, what did we sell most of
    named = said.named(said.tokens[keys[0]]) if keys else said.table.column(product) if product else None
    return keys, who or named


def _ranked_by(said: Roles, at: int, sense: Sense) -> str | None:
    """The column of which the highest or lowest is asked; None where it is how many there are."""
    most = said.at(at, "most")
    if sense.about:
        return _ranked_by_kind(said, at, sense.about)
    if said.left("agg") or said.at(at, "often"):
        said.take(*(said.left("money") if said.at(at, "often") else ()))
        return None
    kinds = ("number",) if most else ("number", "date")
    numbers = said.columns("number")
    beside = [said.near(at, step, said.names(*kinds), 3, ("who",)) for step in (1, -1)]
    only = numbers if most and len({said.column(one, "number") for one in numbers}) == 1 else []
    place = next((one for one in (*beside, *only) if one is not None), None)  # 谁加班最多，多少个小时
    if place is not None:
        said.take(place)
        return said.column(place, *kinds).name
    money = [one for one in said.left("money") if abs(one - at) <= FAR]  # cost us the most
    if money and said.money():
        said.take(*money)
        return said.money()
    if most and any(said.text(one) in SUMS_OF_MONEY for one in money):
        raise said.unread(money[0])  # how often is not how much
    if most:  # borrowed the most: the verb is the name of a date
        said.take(said.near(at, -1, said.names("date"), 2))
        rows = said.at(at + 1, "rowname") and said.names_rows(at + 1)  # sent us the most orders
        if said.left("deal") and said.numbers_of("quantity") and not rows:
            return said.numbers_of("quantity")
    sized = said.numbers_of("size") if said.at(at, "big") else None
    found = said.table.measure or sized or (said.before.order if said.before else None)
    rows = said.near(at, 1, has("rowname", "row", "num"), 4, ("column", *RESTRICTING)) is not None
    if not found and not most:  # 最高的一笔: by its money, where nothing else counts
        found = said.money() if rows or said.at(at - 1, "rowname", "row", "num") else None
        if not found or "quantity" in said.table.concepts:
            raise said.unread(at)
    return found or None


def _ranked_by_kind(said: Roles, at: int, about: str) -> str:
    """The column that the word itself speaks of: the cheapest, the oldest, the shortest lead time.

    Of which figure the best is the highest is known of scores alone.
    """
    kind, concepts = "date" if about in {"date", "service"} else "number", said.table.concepts
    own = {concepts.get("score")} if about == "score" else None
    for beside in (said.near(at, step, said.names(kind), 3, ("who",)) for step in (1, -1)):
        name = said.column(beside, kind).name if beside is not None else ""
        dear = about != "price" or beside == at - 1 or name in {said.money(), said.numbers_of("price")}
        if beside is not None and dear and (own is None or name in own):
            said.take(beside)
            return name
    dates = [one.name for one in said.of_kind("date") if one.name != concepts.get("born")]
    others = {
        "date": dates[0] if len(dates) == 1 else concepts.get("joined"),
        "age": concepts.get("born") or said.numbers_of("made"),
        "service": concepts.get("joined"),
        "price": said.numbers_of("amount"),
        "length": next((concepts[kind] for kind in ("lines", "duration", "distance") if kind in concepts), None),
    }
    if said.says("who") and not others["length"]:
        others["length"] = concepts.get("joined")  # who has been working here the longest
    found = concepts.get(about) or others.get(about)
    if found is None:
        raise said.unread(at)
    said.take(*(place for place in said.left("column") if said.is_named(place, found)))
    return found


def _who(said: Roles, kind: str = "who") -> Column | None:
    """The column of persons, where somebody is asked for; a name comes before other words for people."""
    asked = said.left(kind)
    if not asked:
        return None
    named = said.near(asked[0], 1, said.names("text"), 3) if kind == "who" and not said.query.measures else None
    if named is not None and not said.at(named, "rowname"):
        column = said.column(named, "text")
        if said.text(named).endswith("ing") and not column.name.lower().endswith("ing"):
            raise said.unread(asked[0])  # who is working on it is not what the work is
        if not any(re.search(r"\d", one) for one in column.values):
            said.take(*asked, named)
            return column
    names = [said.table.concepts[kind] for kind in PERSONS if kind in said.table.concepts]
    names = [name for name in names if not name.endswith("名称")]  # that is what a thing is called
    if not names and kind == "who":
        names = [one.name for one in said.of_kind("text") if one.name.lower().endswith(DOERS)]
        text = "".join(token.text for token in said.tokens).lower()
        done = [name for name in names if name.lower().removesuffix(DOERS[0]).removesuffix("_by") in text]
        names = done if len(done) == 1 else names
        said.take(*(at for at, one in enumerate(said.tokens) if not one.senses and names and one.text in names[0]))
        if not names and not said.query.groups:  # who pays the highest rent, of tenants.csv
            names = [one.name for one in said.of_kind("text") if one.unique and _are_names(one.values)][:1]
    if not names or (said.table.concepts.get("name") not in names and len(set(names)) > 1):
        raise said.unread(asked[0])
    said.take(*asked)
    return said.table.column(names[0])


_A_NAME = re.compile(r"[A-Z][\w'’.-]*(?: [\w'’.-]+)? [A-Z][\w'’.-]*")
_MOSTLY = 0.8


def _are_names(values: Sequence[str]) -> bool:
    """Whether most values are names of people, by their capitals."""
    return sum(_A_NAME.fullmatch(one) is not None for one in values) > _MOSTLY * len(values)


def _quantities(said: Roles) -> None:
    """How much it is in a unit that rows are counted in: 订了多少公斤, where a column says 公斤 or 支."""
    for at in [at for at in said.left("count", "agg") if said.at(at + 1, "value") and unit_named(said.text(at + 1))]:
        name = said.numbers_of("quantity")
        if name is None:
            raise said.unread(at)
        figure = said.tokens[at].get("agg")
        said.query.measures.append(Measure(figure.value if figure else "sum", name))
        said.take(at)


def _figures(said: Roles) -> None:
    """Each word that asks for a figure, with what it speaks of: a column, the rows, or the money."""
    query = said.query
    if query.share:
        return
    asked = list(dict.fromkeys([*said.left("agg"), *said.left("count", "times", "amount", "comes")]))
    places = {at: _spoken_of(said, at) for at in asked}
    if query.order and (query.extreme or query.limit) and not query.groups:
        _of_ranked_row(said, places)
        return
    for at, place in places.items():
        if place is not None:
            _figure_of(said, at, place)
    measured = {measure.column or "" for measure in query.measures}
    said.take(*(place for place in said.left("column") if said.is_named(place, *measured)))
    alone = [at for at in asked if at not in said.used]
    for at in (at for at in alone if said.tokens[at].has("agg")):
        _without_column(said, at)
    _spent(said, [at for at in alone if not said.tokens[at].has("agg")])
    for at in (at for at in alone if at not in said.used):
        _figure_of_rows(said, at)
    query.measures = list(dict.fromkeys(query.measures))


def _figure_of_rows(said: Roles, at: int) -> None:
    """How many rows, or what they come to: no column is spoken of."""
    if said.at(at, "comes"):
        raise said.unread(at)  # nothing there is money
    said.take(at)
    if said.tokens[at].has("count", "times") and _adds_rows(said, at):
        _count_rows(said, at)
    elif said.tokens[at].has("amount") and not said.query.measures:
        name = said.numbers_of("amount") or (said.money() if said.query.conditions else None)
        if name is None or name in said.table.reckoned:
            raise said.unread(at)
        said.query.measures.append(Measure("sum", name))


def _of_ranked_row(said: Roles, places: dict[int, int | None]) -> None:
    """How much the best row has of what it is the best by, or of something else: 最贵的是哪种，多少钱一公斤."""
    for at, place in places.items():
        if said.at(at, "agg", "times") or said.at(at + 1, "rowname"):
            raise said.unread(at)
        if place is not None and not said.is_named(place, said.query.order or ""):
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
    elif token.has("count") and any(map(said.names("flag"), said.tokens[at + 1 : at + 2])):
        return None  # how many Gaelic speakers are rostered
    elif not token.has("amount", "comes"):
        beside = said.near(at, 1, said.names("text", "number", "date"), 4, ("distinct", "all"))
        if beside is None and not token.text.isascii():
            beside = said.near(at, -1, lambda one: _is_listed(said.named(one)), 3)  # 客户有多少
        if beside is not None and _distance(said, at, beside) < APART:
            return beside
    added = token.has("agg", "amount", "comes")  # what rows are told apart by is counted, not added up
    numbers = [place for place in said.columns(*kinds) if not (added and said.column(place, *kinds).unique)]
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
    elif said.text(at).endswith("钱") and said.column(place).name not in _sums_of_money(said):
        raise said.unread(at)  # 库存总值多少钱
    elif token.has("count") and unit_of(said.column(place).name) and unit_named(said.text(place).split()[0]) is None:
        raise said.unread(place)  # how many glasses is not how many millilitres a glass has
    elif token.has("comes") or (_is_bare(said, at) and said.names("number")(said.tokens[place])):
        said.query.measures.append(Measure("sum", said.column(place, "number").name))
        said.take(at, place)
    else:
        averaged = any(one.column == said.column(place).name for one in said.query.measures)  # 平均每单几个人
        distinct = said.left("distinct")
        said.take(at, place, *distinct, *said.left("person"))
        if not averaged:
            _count_column(said, said.column(place), distinct=bool(distinct))


def _sums_of_money(said: Roles) -> set[str]:
    """The columns that money stands in, by what they are called."""
    kinds = ("amount", "price", "freight", "turnover", "paid")
    called = {one.name for one in said.of_kind("number") if _MONEY.search(one.name)}
    return called | {said.table.concepts[kind] for kind in kinds if kind in said.table.concepts}


_MONEY = re.compile(r"[元钱费价款金额薪租]|(?i:eur|usd|cny|rmb|price|cost|fee|amount|total|rent|pay)")


def _without_column(said: Roles, at: int) -> None:
    """A figure that names no column: of the same as the one before it, of how many there are, or of the money."""
    function = said.tokens[at].the("agg").value
    earlier = [*said.query.measures, *(said.before.measures if said.before else ())]
    column = next((one.column for one in earlier if one.column), said.before.order if said.before else None)
    if column is None and (
        said.left("amount", "money", "comes", "worth") or any(map(said.is_currency, range(at, len(said.tokens))))
    ):
        column = said.money()
        said.take(*said.left("amount", "money", "comes", "worth"))
    if column is None and function == "avg" and said.at(at + 1, "rowname") and not said.left("count"):
        column = said.money()  # the average donation
    rows = said.tokens[at].text.endswith("多少") and said.at(at + 1, "row", "rowname", "person")  # 一共多少件
    rows = rows and not any(one.name == "heading" for one in said.table.columns)  # the lines of a text are no rows
    counted = function == "sum" and (rows or bool(said.left("count")))
    if column is None and function == "sum" and not counted:
        column = said.numbers_of("amount")
    if column is None and not counted:
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
    figures = (one for one in range(len(said.tokens)) if said.at(one, "agg") or said.is_named(one, *measured))
    near = any(_distance(said, at, one) < APART for one in figures)
    return not (near or said.query.extreme or said.query.groups)


def _count_column(said: Roles, column: Column, *, distinct: bool) -> None:
    """How many there are of what a column has: the sum of numbers, different texts, or rows, where each has its own."""
    numbered = re.compile(rf"(?i){re.escape(column.name)}[\s_-]?(?:id|no|nr|number|号|编号)")
    own = not distinct and any(one.unique and numbered.fullmatch(one.name) for one in said.table.columns)
    if column.kind == "number" and not column.unique and not distinct:
        if said.of_each or (said.query.conditions and not said.is_added(column)):
            said.query.shown.append(column.name)
        else:
            said.query.measures.append(Measure("sum", column.name))
    elif column.unique or own or (said.query.conditions and not distinct and not _is_counted_once(said, column)):
        said.query.measures.append(Measure("count"))  # jobs, where each row has its own job_id; items that came back
    else:
        said.query.measures.append(Measure("distinct", column.name))


def _is_counted_once(said: Roles, column: Column) -> bool:
    """Whether the same value in two rows is one: a person, a place; an item that came back twice came back twice."""
    return column.name in {said.table.concepts.get(kind) for kind in (*PERSONS, *PLACES)}


def _spent(said: Roles, counts: list[int]) -> None:
    """What was spent, cost or earned, where no column is named: the sum of the one that has the money.

    Beside a number of rows the verb says nothing: how many were paid in cash.
    """
    query, totals, verbs = said.query, said.left("comes"), said.left("money")
    amounts = [at for at in counts if said.tokens[at].has("amount") or _is_bare(said, at)]
    rows_counted = len(amounts) < len(counts)
    what = any(_asks_what(said, verb) for verb in verbs)
    compared = bool(query.groups and verbs)  # which of two brought in more
    found, rate = said.money(), said.numbers_of("price")
    of_one = any(one.op == "in" and said.table.column(one.column).unique for one in query.conditions)
    asked = what or (bool(amounts or totals or compared) and not query.measures)
    if asked and of_one and rate and rate != found and verbs and not rows_counted:
        query.shown.append(rate)  # what do we charge for it
    elif asked and found is not None and (totals or what or (verbs and not rows_counted)):
        query.measures += [] if query.extreme else [Measure("sum", found)]
    elif asked or not (query.measures or rows_counted):
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


_THINGS = frozenset("辆台件只瓶本把套块支箱袋盒棵双株朵枚片根匹头副")
"""What things are counted by, of which a row has many: not rows, as 单, 笔 and 条 count them."""


def _count_rows(said: Roles, at: int) -> None:
    """How many there are of what the word at a place counts: rows, people, or what the rows say how many each is of."""
    rowname = said.at(at + 1, "rowname")
    if _counts_money(said, at):
        return
    verb = said.text(at) == "how many" and said.at(at + 1, "show") and not rowname  # how many shows: they are no rows
    if verb or (said.at(at + 1, "money") and not said.text(at + 1).isascii()):
        raise said.unread(at + 1)
    pieces = said.at(at + 1, "row") and not (said.at(at + 2, "rowname") and said.names_rows(at + 2))
    if pieces and any(said.text(at + 1) in one.name for one in said.of_kind("number")):
        raise said.unread(at + 1)  # 多少台, where a column is 库存(台)
    product, quantity = said.table.concepts.get("product"), said.numbers_of("quantity")
    quantity = quantity or (said.numbers_of("stock") if pieces else None)  # 多少株苗, of 苗木库存
    if _is_of_one(said):  # of one row nobody asks how many rows it is
        quantity = said.numbers_of("stock") or quantity
        if quantity is None:
            raise said.unread(at)
        said.query.measures.append(Measure("sum", quantity))
        return
    _decline_uncounted(said, at)
    things = (pieces and said.text(at + 1) in _THINGS) or (
        said.at(at + 1, "value") and product in valued(said.tokens[at + 1])
    )  # how many lamps
    people = said.at(at + 1, "person") or said.tokens[at].text in {"多少人", "几人"}
    if people and said.numbers_of("people"):
        said.query.measures.append(Measure("sum", said.numbers_of("people")))
        said.take(*said.left("person"))
    elif (person := _who(said, "person")) is not None:
        said.query.measures.append(Measure("count") if person.unique else Measure("distinct", person.name))
    elif rowname and (_has_several_of_each(said, quantity) or not _says_what_rows_are(said, at + 1)):
        raise said.unread(at + 1)  # how many eggs: the rows are sales; how many frames: pieces, or models?
    elif quantity and (said.left("deal") or (things and not said.at(at + 2, "rowname", "row"))):
        said.query.measures.append(Measure("sum", quantity))  # how many were sold is not how many sales
    else:
        said.query.measures.append(Measure("count"))


_SOLD = re.compile(r"(?i)s[eo]l[ld]|卖|售")


def _decline_uncounted(said: Roles, at: int) -> None:
    """Different ones are no rows, and what was sold is told by some figure."""
    sold = any(said.at(one, "deal") and _SOLD.match(said.text(one)) for one in range(len(said.tokens)))
    sold = sold and said.text(at)[-1] not in "笔单次" and said.text(at + 1) not in {"笔", "单", "次"}
    figures = any(map(said.is_added, said.of_kind("number"))) and not said.numbers_of("quantity")
    if said.left("distinct") or (sold and figures):
        raise said.unread(at)


def _says_what_rows_are(said: Roles, place: int) -> bool:
    return said.at(place + 1, "rowname", "column") or said.names_rows(place)


def _has_several_of_each(said: Roles, quantity: str | None) -> bool:
    """Whether rows say how many there are of each thing in stock, and nothing is asked of just that."""
    told = {one.column for one in said.query.conditions}
    return quantity is not None and said.numbers_of("minimum") is not None and quantity not in told


def _counts_money(said: Roles, at: int) -> bool:
    """Whether it is money that is counted, which is summed: 没付款的是多少欧元."""
    if said.at(at + 1, "rowname") and said.tokens[at + 1].text[-1] in "款费":
        raise said.unread(at)  # 多少捐款: how many, or how much?
    if not said.is_currency(at + 1):
        return False
    money = said.money()
    if money is None or said.query.measures:
        raise said.unread(at)  # 花了多少欧元, where no column has the money
    said.query.measures.append(Measure("sum", money))
    return True


def _is_of_one(said: Roles) -> bool:
    """Whether a question, or the one before it, is about the one row of a name."""
    conditions = [*said.query.conditions, *(said.before.conditions if said.before else ())]
    named = [said.table.column(one.column) for one in conditions if one.op == "in" and len(one.value) == 1]
    state = said.table.concepts.get("status")  # which may be another in each of a few rows
    return any(column.unique and column.kind == "text" and column.name != state for column in named)


def _columns(said: Roles) -> None:
    """What is shown: the columns that are left."""
    query = said.query
    query.distinct = bool(distinct := said.left("distinct"))
    said.take(*distinct)
    person = None if query.measures else _who(said)  # 谁值夜班: before the column is shown for itself
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


def _finish(said: Roles) -> None:
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
    _name_rows(said)
    _decline_unanswered(said)


def _decline_unchosen(said: Roles) -> None:
    """When is it due, what is the rate: of which row nobody says."""
    query, chosen = said.query, said.before or said.query.conditions or said.query.order
    if not chosen and _speaks_of_it(said):
        raise NotRead
    chosen = chosen or query.measures or query.limit or said.table.count <= 1
    numbers = bool(query.shown) and all(said.table.column(name).kind == "number" for name in query.shown)
    if numbers and not chosen and not said.says("show", "all", "distinct"):
        raise NotRead(*query.shown)


_ALTOGETHER = frozenset({"一共", "总共", "共", "共计", "总共有", "altogether", "in all", "all told"})


def _sum_what_is_shown(said: Roles) -> None:
    """One figure of several rows is added up where it is asked for in all: 一共多重."""
    query, numbers = said.query, [name for name in said.query.shown if said.table.column(name).kind == "number"]
    told = any(token.text.lower() in _ALTOGETHER for token in said.tokens)
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
    money = {*_sums_of_money(said), *said.table.reckoned}
    if (said.says("worth") or any(map(said.is_currency, counted))) and figures and figures.isdisjoint(money):
        raise said.unread(0)  # what it is worth is no number of pieces
    price = said.numbers_of("price") or ""
    if price in figures and said.numbers_of("quantity") and re.search(r"(?i)price|单价", price):
        raise NotRead(price)


def _tell_where(said: Roles) -> None:
    """Where something is, is told by a column of places that the question names."""
    where = [at for at, one in enumerate(said.tokens) if one.has("where") and not said.at(at - 1, "row", "rowname")]
    places = {said.table.concepts[kind] for kind in PLACES if kind in said.table.concepts}
    if where and places.isdisjoint([*said.query.shown, *(group.column for group in said.query.groups)]):
        raise said.unread(where[0])


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
    if not columns and said.says("rowname"):
        said.query.measures.append(Measure("count"))  # deliveries per month
        return
    words = [token.text.lower() for token in said.tokens if columns and said.named(token) == columns[0]]
    fees = bool(words) and columns[0].name == said.money() and all(one[-1] == "s" or not one.isascii() for one in words)
    if len(columns) != 1 or columns[0].kind != "number" or not (fees or said.is_added(columns[0])):
        raise NotRead(*said.query.shown)
    said.query.measures.append(Measure("sum", columns[0].name))
    said.query.shown.clear()


_NUMBERS = re.compile(r"(?i)\bnumbers?$|号码?$")
_FIRST_NAME = re.compile(r"(?i)(?:first|given)[_ ]?names?|名字?")
_LAST_NAME = re.compile(r"(?i)(?:last|family|sur)[_ ]?names?|姓氏?")


def _name_rows(said: Roles) -> None:
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
    if len(sums) > 1 and asked and not _is_parted(said, asked[0], asked[-1]):
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
    if left := [token.text for token in rest if not token.has(*EMPTY_WORDS)]:
        raise NotRead(*left)
    for at, token in enumerate(said.tokens):
        if token.text.lower() in STILL and not any(one.conditions for one in queries):
            raise said.unread(at)  # which kegs are still out
    figures = said.query.measures or said.query.share
    if said.text(0) in {"of", "among"} and not (figures or said.says("which", "show", *ASKS)):
        raise said.unread(0)  # of the November shifts: what is asked of them is not said
    if said.sorted_by_word and not said.query.order and not said.query.measures:
        raise NotRead(*(token.text for token in said.tokens if token.has("sort", "desc", "asc")))
