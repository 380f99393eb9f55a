"""One query over rows, whatever they are, and the SQL that asks it."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from switchyard.language.messages import message
from switchyard.language.words import Language

Part = Literal["", "day", "month", "year", "month_of_year", "day_of_year", "weekday"]
"""What of a date is meant: `month_of_year` has its year with it, `day_of_year` is a day in any year."""

_FORMS: dict[Part, str] = {
    "day": "%Y-%m-%d",
    "month_of_year": "%Y-%m",
    "year": "%Y",
    "day_of_year": "%m-%d",
    "weekday": "%u",
}

Op = Literal["=", "!=", ">", ">=", "<", "<=", "in", "not in", "empty", "filled", "none", "as text", "of"]
"""How a value is compared; `of`: it is one of those that another query found."""


class NotRead(Exception):
    """A question about rows that is not understood, with the words that were not."""

    def __init__(self, *words: str) -> None:
        super().__init__(", ".join(words))
        self.words = words


@dataclass(frozen=True, slots=True)
class Other:
    """Another column of the same row."""

    column: str


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row must meet."""

    column: str
    op: Op
    value: Any = None
    part: Part = ""


@dataclass(frozen=True, slots=True)
class Group:
    """What rows are put together by."""

    column: str
    part: Part = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of many rows."""

    function: Literal["count", "distinct", "sum", "avg", "median", "min", "max"]
    column: str | None = None

    def name(self, language: Language) -> str:
        """What the figure is called in the result."""
        if self.column is None:
            return message("row_count").text(language)
        return message(f"figure.{self.function}", column=self.column).text(language)


@dataclass(slots=True)
class Query:
    """What is asked of rows."""

    conditions: list[Condition] = field(default_factory=list[Condition])
    groups: list[Group] = field(default_factory=list[Group])
    measures: list[Measure] = field(default_factory=list[Measure])
    shown: list[str] = field(default_factory=list[str])
    order: str | None = None
    descending: bool = False
    limit: int | None = None
    from_the_end: bool = False
    """The last rows instead of the first."""
    extreme: Literal["max", "min"] | None = None
    """Only the rows, or groups, that have the highest or lowest of what is ordered by."""
    rank: int = 1
    """The second highest, the third."""
    distinct: bool = False
    decimals: int | None = None
    """To how many digits figures are told."""
    share: bool = False
    """How much of all rows meet the conditions, in percent."""
    whole: list[Condition] = field(default_factory=list[Condition])
    """What all rows meet that it is a share of."""
    share_of: str | None = None
    """Of what they have in this column, instead of how many they are."""


def columns_of(query: Query) -> set[str]:
    """Every column a query speaks of."""
    conditions = [*query.conditions, *query.whole]
    others = [one.value.column for one in conditions if isinstance(one.value, Other)]
    others += [name for one in conditions if isinstance(one.value, Query) for name in columns_of(one.value)]
    named = [one.column for one in (*query.measures, *query.groups, *conditions)]
    return {name for name in [*query.shown, query.order, query.share_of, *named, *others] if name}


def sql_of(query: Query, rows: str = "", language: Language = "en") -> str:
    """The query as one SELECT over the table `data`, or over what the SELECT `rows` makes of it."""
    if rows:
        select = sql_of(query, language=language).replace("FROM data", "FROM found")
        found = f"WITH found AS ({rows})"
        return f"{found}, {select.removeprefix('WITH ')}" if select.startswith("WITH ") else f"{found} {select}"
    where = _where(query.conditions)
    if query.share:
        name = quoted(message("row_share").text(language))
        whole = f"sum({quoted(query.share_of)})" if query.share_of else "count(*)"
        of_all = _where(query.whole)
        digits = 2 if query.decimals is None else query.decimals
        share = f"round(100.0 * {whole} FILTER ({where.strip()}) / {whole}, {digits})"
        return f"SELECT {share} AS {name} FROM data{of_all}"  # noqa: S608  names are quoted
    if query.measures:
        return _figures(query, where, language)
    return _rows(query, where)


def sql_as_written(query: Query, rows: str = "", separator: str = "") -> str | None:
    """The rows of a query with their cells as the file has them, to be copied; None where it asks for figures.

    `rows`: the SELECT that makes the rows the conditions are of; `separator`: what makes one cell of several.
    """
    if query.measures or query.share:
        return None
    numbered = rows.replace("SELECT * ", "SELECT rowid AS place, * ", 1)
    source = "found" if rows else "data"
    places = sql_of(replace(query, shown=[], distinct=False), numbered)
    place = "place" if rows else "rowid AS place"
    places = places.replace(f"SELECT * FROM {source}", f"SELECT {place} FROM {source}", 1)  # noqa: S608  no words of others
    places += ", place" if query.order and not (query.extreme or query.limit) else ""
    ranked = f"SELECT place, row_number() OVER () AS rank FROM ({places})"  # noqa: S608  names are quoted
    columns = ", ".join(f"written.{quoted(name)}" for name in query.shown) or "written.*"
    if separator and len(query.shown) > 1:
        columns = f"concat_ws({_literal(separator)}, {columns}) AS line"
    key = columns.removesuffix(" AS line")
    once, rank = (f" GROUP BY {key}", "min(rank)") if query.distinct and query.shown else ("", "rank")
    return f"SELECT {columns} FROM written JOIN ({ranked}) ON written.rowid = place{once} ORDER BY {rank}"  # noqa: S608


def _figures(query: Query, where: str, language: Language) -> str:
    keys = [f"{_grouped(group)} AS {quoted(group.column)}" for group in query.groups]
    told = "{}" if query.decimals is None else f"round({{}}, {query.decimals})"
    measures = dict.fromkeys(query.measures)
    figures = [f"{told.format(_measured(one))} AS {quoted(one.name(language))}" for one in measures]
    select = f"SELECT {', '.join([*keys, *figures])} FROM data{where}"  # noqa: S608  names are quoted
    if not query.groups:
        return select
    select += f" GROUP BY {', '.join(_grouped(group) for group in query.groups)}"
    first = quoted(query.measures[0].name(language))
    if query.extreme:
        one = _extreme(query, first, "figures WHERE")
        return f"WITH figures AS ({select}) SELECT * FROM figures WHERE {first} = ({one}) ORDER BY 1"  # noqa: S608
    by_key = query.order is not None and query.order in {group.column for group in query.groups}
    dated = any(group.part for group in query.groups)
    if by_key or (dated and query.order is None and query.limit is None):
        select += f" ORDER BY 1 {'DESC' if query.descending else 'ASC'}"
    else:
        lowest_first = query.from_the_end or (query.order is not None and not query.descending)
        select += f" ORDER BY {first} {'ASC' if lowest_first else 'DESC'} NULLS LAST, 1"
    return select + (f" LIMIT {query.limit}" if query.limit else "")


def _rows(query: Query, where: str) -> str:
    ordered = [query.order] if query.order and query.shown else []
    chosen = list(dict.fromkeys(query.shown + ordered))
    columns = ", ".join(map(quoted, chosen)) or "*"
    distinct = "DISTINCT " if query.distinct and chosen else ""
    if query.extreme and query.order:
        by = quoted(query.order)
        among = f"{where} AND" if where else " WHERE"
        one = _extreme(query, by, f"data{among}")
        return f"SELECT {'DISTINCT ' if chosen else ''}{columns} FROM data{among} {by} = ({one})"  # noqa: S608
    select = f"SELECT {distinct}{columns} FROM data{where}"  # noqa: S608  names are quoted
    if query.order:
        descending = query.descending != query.from_the_end
        select += f" ORDER BY {quoted(query.order)} {'DESC' if descending else 'ASC'} NULLS LAST"
    elif distinct:
        select += " ORDER BY 1"
    return select + (f" LIMIT {query.limit}" if query.limit else "")


def _extreme(query: Query, by: str, rows: str) -> str:
    """The SELECT of the highest or lowest there is, or of the second, the third."""
    way = "DESC" if query.extreme == "max" else "ASC"
    known = f"SELECT DISTINCT {by} FROM {rows} {by} IS NOT NULL"  # noqa: S608  names are quoted
    return f"{known} ORDER BY 1 {way} LIMIT 1 OFFSET {query.rank - 1}"


def _where(conditions: list[Condition]) -> str:
    return " WHERE " + " AND ".join(map(_test, conditions)) if conditions else ""


def _test(condition: Condition) -> str:
    name, value = quoted(condition.column), condition.value
    match condition.op:
        case "empty" | "filled":  # a cell may say that it has nothing
            said = f"trim(CAST({name} AS VARCHAR))"
            test = f"{said} IN ('', {', '.join(map(_literal, value))})" if value else f"{said} = ''"
            return f"({name} IS NULL OR {test})" if condition.op == "empty" else f"NOT ({name} IS NULL OR {test})"
        case "of":
            return f"{name} IN (SELECT {name} FROM ({sql_of(value)}))"  # noqa: S608  names are quoted
        case "none":
            return f"coalesce(TRY_CAST({name} AS DOUBLE), 0) = 0"
        case "as text":
            return f"lower(CAST({name} AS VARCHAR)) IN ({', '.join(map(_literal, value))})"
        case "in" | "not in":
            told = _part(condition.column, condition.part)
            test = f"{told} {condition.op.upper()} ({', '.join(map(_literal, value))})"
            return test if condition.op == "in" else f"({test} OR {name} IS NULL)"
        case _:
            return f"{_part(condition.column, condition.part)} {condition.op} {_literal(value)}"


def _part(column: str, part: Part) -> str:
    day = f"TRY_CAST({quoted(column)} AS DATE)"
    if part == "month":
        return f"month({day})"
    return f"strftime({day}, '{_FORMS[part]}')" if part else quoted(column)


def _grouped(group: Group) -> str:
    return _part(group.column, "month_of_year" if group.part == "month" else group.part)


def _measured(measure: Measure) -> str:
    if measure.column is None:
        return "count(*)"
    name = quoted(measure.column)
    return f"count(DISTINCT {name})" if measure.function == "distinct" else f"{measure.function}({name})"


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Any) -> str:
    if isinstance(value, Other):
        return quoted(value.column)
    if isinstance(value, int | float):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"
