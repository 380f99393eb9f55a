"""The conditions of a question about rows: ranges, comparisons, values that occur, times, what is missing."""

from switchyard.agents.by_rules.query import Op, Other, Part
from switchyard.agents.by_rules.roles import Roles, has
from switchyard.agents.by_rules.world import Column

TRUE, FALSE = ["true", "yes", "是"], ["false", "no", "否"]
"""How columns of yes and no are written, and read."""
FIRST_YEAR, LAST_YEAR = 1900, 2100
_BOUND = ("num", "date", "month_of", "month")
"""Kinds of words that something is compared with."""
_PARTS: dict[str, Part] = {
    "date": "day",
    "month_of": "month_of_year",
    "day_of_year": "day_of_year",
    "month": "month",
    "year_of": "year",
    "num": "year",
}
"""By kind of a word for a time, what of a date it is compared with."""
_WAYS: dict[str, Op] = {"after": ">", "before": "<", "since": ">=", "until": "<="}


def read_conditions(said: Roles) -> None:
    """Put the conditions of a question into its query.

    Raises:
        NotRead: when it is not clear what a word is a condition on.
    """
    for take in (_ranges, _comparisons, _values, _times, _denials, _none_left, _ticked, _texts):
        take(said)


def _ranges(said: Roles) -> None:
    """Between two numbers or two days."""
    for at in said.left("between", "amid"):
        places = range(at + 1, len(said.tokens)) if said.tokens[at].has("between") else range(max(0, at - 6), at)
        spots = [place for place in places if said.tokens[place].has("num", "date", "month_of")][:2]
        if len(spots) != 2:  # noqa: PLR2004  a range has two ends
            raise said.unread(at)
        first, second = spots
        low, high = said.number(first), said.number(second)
        if low is None:
            (begin, part), (end, _) = _moment(said, first), _moment(said, second)
            column = dated_near(said, at)
        elif high is not None:
            begin, end, part = low[0], high[0], ""
            column = _measured_near(said, min(at, first), second + 1)
        else:
            raise said.unread(at)
        said.where(column, ">=", begin, part)
        said.where(column, "<=", end, part)
        said.take(at, *range(first, high[1] if high else second + 1))


def _comparisons(said: Roles) -> None:
    for at in said.left("cmp", "post", *_WAYS):
        token = said.tokens[at]
        follows = token.has("post")
        place = said.near(at, -1, has(*_BOUND), 3, ("mult", "year")) if follows else said.near(at, 1, has(*_BOUND), 2)
        if place is not None:
            _compare(said, at, place)
        elif token.has("cmp") and not follows and not _compare_columns(said, at) and not token.has("free"):
            raise said.unread(at)


def _compare_columns(said: Roles, at: int) -> bool:
    """A column against another one: stock below the minimum, 库存低于最低库存."""
    before, after = said.near(at, -1, said.names("number"), 4), said.near(at, 1, said.names("number"), 3)
    if after is None:
        return False
    second = said.column(after, "number").name
    kept = [said.table.concepts.get(kind) for kind in ("stock", "quantity")]  # what a level is a level of
    first = said.column(before, "number").name if before is not None else next(filter(None, kept), second)
    if first == second:
        return False
    said.where(first, said.tokens[at].the("cmp").value, Other(second))
    said.take(at, after, before)
    return True


def _compare(said: Roles, at: int, place: int) -> None:
    token = said.tokens[at]
    sense = token.get("cmp") or token.get("post")
    op: Op = sense.value if sense else next(_WAYS[kind] for kind in _WAYS if token.has(kind))
    number = said.number(place)
    if number is None or _is_year(said, place, at):
        value, part = _moment(said, place)
        said.where(dated_near(said, min(at, place)), op, value, part)
        said.take(at, place, place + 1 if said.at(place + 1, "year") else None)
    elif sense is None:
        raise said.unread(at)
    else:
        about = said.table.concepts.get(sense.about)
        said.where(about or _measured_near(said, min(at, place), max(number[1], at + 1)), op, number[0])
        said.take(at, *range(place, number[1]))


def _is_year(said: Roles, place: int, at: int) -> bool:
    """Whether a number is a year: one of our time, beside no column of numbers, in a table with dates."""
    value = float(said.tokens[place].the("num").value)
    if not FIRST_YEAR <= value <= LAST_YEAR or value != int(value) or not said.of_kind("date"):
        return False
    return said.near(at, -1, said.names("number"), 4) is None


def _moment(said: Roles, place: int) -> tuple[object, Part]:
    """What the word at a place is compared with, and as what of a date."""
    for kind, part in _PARTS.items():
        if (sense := said.tokens[place].get(kind)) is not None:
            value = int(sense.value) if kind == "month" else f"{sense.value:g}" if kind == "num" else str(sense.value)
            return value, part
    raise said.unread(place)


def _measured_near(said: Roles, start: int, end: int) -> str:
    """The column of numbers that a comparison speaks of."""
    found = said.near(start, -1, said.names("number"), 4)
    found = said.near(end - 1, 1, said.names("number"), 2) if found is None else found
    if found is not None:
        said.take(found)
        return said.column(found, "number").name
    measured = [column for column in said.of_kind("number") if not column.unique]
    if len(measured) == 1:
        return measured[0].name
    raise said.unread(start)


def dated_near(said: Roles, at: int) -> str:
    """The column of dates that is spoken of, or the only one."""
    for step in (-1, 1):
        over = ("not", "date", "month", "month_of", "day_of_year", "num", "year")
        found = said.near(at, step, said.names("date"), 4, over)
        if found is not None:
            said.take(found)
            return said.column(found, "date").name
    dates = said.of_kind("date")
    known = [column for column in dates if column.complete]  # every loan was lent, not every one is back
    for columns in (known, dates):
        if len(columns) == 1:
            return columns[0].name
    raise said.unread(at)


def _values(said: Roles) -> None:
    """Values that occur in the table."""
    told: dict[tuple[str, bool], list[str]] = {}
    for at in said.left("value"):
        column, value = _value(said, at)
        denied = said.near(at, -1, has("not", "except"), 4, ("value", "and", "or", "column", "by"))
        beside = said.near(at, 1, has("beside"), 3, ("value", "and", "or"))
        equal = said.near(at, -1, has("cmp"), 2, ("column",))
        if equal is not None:
            op = said.tokens[equal].the("cmp").value
            if op not in {"=", "!="}:
                raise said.unread(equal)
            denied = equal if op == "!=" else denied
        told.setdefault((column, denied is None and beside is None), []).append(value)
        by = at - 1 if at > 0 and said.tokens[at - 1].has("by") else None  # done by Wang
        said.take(at, denied, beside, equal, by)
    for (column, wanted), values in told.items():
        is_list = said.table.column(column).kind == "list"
        said.where(column, ("has" if wanted else "has not") if is_list else "in" if wanted else "not in", values)
    for at in said.left("or"):
        if len({column for column, _ in told}) != 1:
            raise said.unread(at)
        said.take(at)


def _value(said: Roles, at: int) -> tuple[str, str]:
    """The column and the value a word means; the column that stands beside it decides between several."""
    meant: list[tuple[str, str]] = [sense.value for sense in said.tokens[at].all("value")]
    for step, reach in ((-1, 3), (1, 1)):
        beside = said.near(at, step, said.names(), reach, ("cmp",))
        fitting = [pair for pair in meant if beside is not None and pair[0] == said.column(beside).name]
        if beside is not None and fitting:
            if said.near(beside, -1, has("each", "by"), 1) is None:  # nothing is grouped by it
                said.take(beside)
            return fitting[0]
    if len({column for column, _ in meant}) > 1:
        raise said.unread(at)
    same = [pair for pair in meant if pair[1] == said.tokens[at].text]
    return (same or meant)[0]


def _times(said: Roles) -> None:
    """Days, months and years that stand alone."""
    for at in said.left("date", "month_of", "month", "day_of_year", "year_of"):
        if said.near(at, -1, has("each", "by"), 1) is None:
            said.where(dated_near(said, at), "=", *_moment(said, at))
            said.take(at)
    for at in said.left("num"):
        after = said.at(at + 1, "year")
        before = at > 0 and said.tokens[at - 1].text.lower() in {"in", "during", "of", "since", "for"}
        if (after or before) and _is_year(said, at, at):
            said.where(dated_near(said, at), "=", _moment(said, at)[0], "year")
            said.take(at, at + 1 if after else None)


def _denials(said: Roles) -> None:
    """What is missing, or is not so: without an e-mail, not returned, 未归还."""
    for at in said.left("empty", "not"):
        is_empty = said.tokens[at].has("empty")
        place = said.near(at, 1, said.names(), 3)
        place = said.near(at, -1, said.names(), 2) if place is None and is_empty else place
        if place is None:
            continue
        column = said.column(place)
        if column.kind == "flag":
            require_flag(said, column, wanted=False)
        elif is_empty or column.kind == "date":
            said.where(column.name, "none" if column.kind == "number" else "empty")
        else:
            raise said.unread(at)
        said.take(at, place)


def _none_left(said: Roles) -> None:
    """What is out of stock."""
    for at in said.left("none_left"):
        column = said.numbers_of("stock") or said.numbers_of("quantity")
        if column is None:
            raise said.unread(at)
        said.where(column, "=", 0)
        said.take(at)


def _ticked(said: Roles) -> None:
    """What is done of a list of tasks, or is still open, which may be said twice: 还剩几项没做完."""
    ticked = said.left("ticked")
    if len({said.tokens[at].the("ticked").value for at in ticked}) > 1:
        raise said.unread(ticked[-1])
    for at in ticked[:1]:
        require_flag(said, said.table.column("done"), wanted=said.tokens[at].the("ticked").value == "yes")
        said.query.shown = ["task"]
    said.take(*ticked)


def require_flag(said: Roles, column: Column, *, wanted: bool) -> None:
    """A condition on a column of yes and no, as they are written there."""
    said.where(column.name, "as text", TRUE if wanted else FALSE)


def _texts(said: Roles) -> None:
    """A text that a column contains."""
    for at in said.left("phrase"):
        said.where("text", "contains", said.tokens[at].the("phrase").value)
        said.take(at)
    for at in said.left("contains"):
        place, column = said.near(at, 1, has("quoted"), 2), said.near(at, -1, said.names("text"), 3)
        if place is None or column is None:
            raise said.unread(at)
        said.where(said.column(column, "text").name, "contains", str(said.tokens[place].the("quoted").value))
        said.take(at, place, column)
