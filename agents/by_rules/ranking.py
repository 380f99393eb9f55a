"""Which rows or groups come first, and how many of them: the three cheapest, the city with the most orders."""

from switchyard.agents.by_rules.conditions import RESTRICTING, dated_near
from switchyard.agents.by_rules.figures import FAR, SUMS_OF_MONEY
from switchyard.agents.by_rules.persons import person_asked
from switchyard.agents.by_rules.query import Group, Measure
from switchyard.agents.by_rules.roles import Roles, has
from switchyard.agents.by_rules.table import Column
from switchyard.language.lexicon import Sense


def read_limits(said: Roles) -> None:
    """The first five, the three cheapest, the last two rows; and which way they are sorted."""
    query, ways, sorts = said.query, said.left("desc", "asc"), said.left("sort")
    query.descending = bool(ways) and said.tokens[ways[-1]].has("desc")
    query.from_the_end = bool(ways and query.groups) and not query.descending
    said.sorted_by_word = bool(ways or (sorts and said.measure is None))
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
    _decline_last_of_each(said, ends)
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


def _decline_last_of_each(said: Roles, ends: list[int]) -> None:
    """Their last one before 2024: of each of them, which is no first or last row."""
    for at in ends:
        if said.text(at - 1) in {"its", "their", "his", "her"}:
            raise said.unread(at)


def _is_limit(said: Roles, at: int) -> bool:
    """Whether a number says how many rows, names or people; not of a figure: what would four cost?"""
    if said.near(at, -1, has("first", "last", "sup"), 1) is not None:
        return True
    if said.text(at - 1) in {"have", "has", "with", "有"} and said.tokens[at].the("num").value > 1:
        return False  # 哪些菜有5份; 有一笔 is one of them
    if said.text(at - 1).endswith("上"):
        return False  # 上一次检修: of each of them
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


def read_superlative(said: Roles) -> None:
    """The highest price, the city with the most orders, the three cheapest, the top five by amount."""
    query, sups = said.query, said.left("sup")
    apart = said.measure.column if said.measure else query.order
    if len(sups) > 1:
        raise said.unread(sups[1])
    if not sups and (apart is None or query.limit is None or (said.sorted_by_word and said.measure is None)):
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
    summed = summed or (column is not None and _is_total(said, column)) or _by_day(said, at, column)
    if not query.groups and key and not key.unique and (figures or column is None or summed):
        query.groups.append(Group(key.name))
        said.take(*(place for place in keys if said.named(said.tokens[place]) == key))
    if query.groups:
        query.order = None
        if not figures and not _ranks_groups(said, at, column, way, summed=summed):
            return  # the highest fee of each branch
    elif column is None:
        raise said.unread(at)  # nothing repeats there: there are no groups
    elif said.measure is not None:
        raise said.unread(at)  # 按总株数排: of which kinds is not said
    else:
        query.order = column
        query.shown += [key.name] if key is not None else []
        said.take(*keys[:1], *(place for place in said.left("column") if said.is_named(place, column)))
    _rank(said, at, way)


def _by_day(said: Roles, at: int, column: str | None) -> bool:
    """Put the money of each day together where days are ranked by it, and have several rows."""
    days = [place for place in said.left("when") if said.tokens[place].the("when").value == "day"]
    dates = [one for one in said.of_kind("date") if not one.unique]
    of_one = said.near(at, 1, has("row", "rowname"), 2) is not None or len(said.left("which", "when")) > 1
    if len(days) != 1 or len(dates) != 1 or column is None or column != said.money() or of_one or said.query.groups:
        return False
    said.query.groups.append(Group(dates[0].name, "day"))
    said.take(*days)
    return True


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
    who = person_asked(said)
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
    kinds = ("number",) if said.at(at, "most", "big") else ("number", "date")
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
    sized = _size(said, at) if said.at(at, "big") else None
    found = said.table.measure or sized or (said.before.order if said.before else None)
    rows = said.near(at, 1, has("rowname", "row", "num"), 4, ("column", *RESTRICTING)) is not None
    if not found and not most:  # 最高的一笔: by its money, where nothing else counts
        found = said.money() if rows or said.at(at - 1, "rowname", "row", "num") else None
        if not found or "quantity" in said.table.concepts:
            raise said.unread(at)
    return found or None


def _size(said: Roles, at: int) -> str | None:
    """The column of sizes; `NotRead` where the largest may be that by another figure: money, or square metres."""
    size = said.numbers_of("size")
    others = [one for one in said.of_kind("number") if not one.unique and one.name != (size or said.money())]
    if others and (size or said.money()) and not (said.table.measure or said.before):
        raise said.unread(at)
    return size


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
