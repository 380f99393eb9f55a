"""What rows are put together by: by city, per month, for each of several, one kind against another."""

from switchyard.agents.by_rules.conditions import dated_near
from switchyard.agents.by_rules.query import Condition, Group, Measure
from switchyard.agents.by_rules.roles import ALTOGETHER, Roles, has


def _several(said: Roles) -> Condition | None:
    """The one condition by which rows are of one of several kinds: Leeds or York."""
    found = [one for one in said.query.conditions if one.op == "in" and len(one.value) > 1]
    return found[0] if len(found) == 1 else None


def read_versus(said: Roles) -> None:
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


def read_groups(said: Roles) -> None:
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
    asked += [one for one in said.left("count") if said.text(one - 1) in ALTOGETHER]  # 各单一共有多少箱
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
