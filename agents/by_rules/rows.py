"""What is asked of rows: each word gets its role, and all roles together are one query.

Conditions first, then what is grouped by, ordered by and counted, and last what is shown. A word that no role takes
declines the question and is named; so does a word that could have two roles and nothing that decides.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from switchyard.agents.by_rules.query import Condition, Group, Measure, Op, Other, Part, Query
from switchyard.agents.by_rules.world import Column, Table
from switchyard.language.lexicon import Sense, Token

EMPTY_WORDS = frozenset(
    {
        *("free", "show", "which", "all", "is", "compute", "and", "isit", "row", "rowname", "mark", "of_those"),
        *("within", "deal"),
    }
)
"""Kinds of words that a question may have without asking for more."""
ASKING = ("show", "which", "all", "who", "when", "row", "rowname")
"""Kinds of words of which a question has one that asks for rows as they are."""
ADDED_UP = ("amount", "quantity", "profit", "stock", "deposit", "duration", "weight", "tax")
"""Kinds of columns that are added up where a figure of many rows is asked for without saying which."""
PERSONS = ("name", "employee", "customer", "member", "author")
"""Kinds of columns that say who."""
MOST = frozenset({"most", "fewest", "least", "最多", "最少", "最多的", "最少的"})
"""What asks for the group that has the most of something, where a column is named."""
TRUE, FALSE = frozenset({"true", "yes", "是"}), frozenset({"false", "no", "否"})
"""How columns of yes and no are written, and read."""
FIRST_YEAR, LAST_YEAR = 1900, 2100

Test = Callable[[Token], bool]


class NotRead(Exception):
    """A question about rows that is not understood, with the words that were not."""

    def __init__(self, *words: str) -> None:
        super().__init__(", ".join(words))
        self.words = words


def read_query(tokens: Sequence[Token], table: Table, before: Query | None = None) -> Query:
    """The query that takes every word of a question.

    Args:
        tokens: its words.
        table: the rows it is asked of.
        before: the query of the question it follows, of which it says only what changes.

    Raises:
        NotRead: when a word has no place in it.
    """
    roles = _Roles([token for token in tokens if not token.has("mark")], table, before=before)
    query = roles.read()
    return query if before is None else _changed(before, query, adds=any(token.has("of_those") for token in tokens))


def _changed(before: Query, said: Query, *, adds: bool) -> Query:
    """The query of a question with what a follow-up says in the place of what it said."""
    replaced = {(condition.column, condition.part) for condition in said.conditions}
    kept = [one for one in before.conditions if adds or (one.column, one.part) not in replaced]
    query = replace(before, conditions=[*kept, *said.conditions])
    if said.measures or said.shown or said.order or said.groups or said.share:
        query = replace(said, conditions=query.conditions, groups=said.groups or ([] if said.shown else before.groups))
    return query


@dataclass(slots=True)
class _Roles:
    tokens: list[Token]
    table: Table
    before: Query | None = None
    query: Query = field(default_factory=Query)
    used: set[int] = field(default_factory=set[int])
    sorted_by_word: bool = False
    of_each: bool = False
    """What is asked is asked of every row."""

    def read(self) -> Query:
        self._settle()
        for take in (
            self._titles,
            self._rounding,
            self._ranges,
            self._comparisons,
            self._values,
            self._times,
            self._denials,
            self._ticked,
            self._texts,
            self._groups,
            self._order,
            self._limits,
            self._share,
            self._superlatives,
            self._figures,
            self._counts,
            self._columns,
        ):
            take()
        self._finish()
        return self.query

    # what stands where

    def _open(self, *kinds: str) -> list[int]:
        """The places of words that may be of a kind and have no role yet."""
        return [at for at, token in enumerate(self.tokens) if at not in self.used and token.has(*kinds)]

    def _near(self, at: int, step: int, test: Test, reach: int = 3, over: Iterable[str] = ()) -> int | None:
        """The next place, in one direction, whose word passes a test, over words that carry nothing."""
        passed = {"free", "isit", "which", "is", "row", "rowname", "unit", *over}
        place = at + step
        while 0 <= place < len(self.tokens) and reach:
            if test(self.tokens[place]) and place not in self.used:
                return place
            if not any(sense.kind in passed for sense in self.tokens[place].senses):
                return None
            place, reach = place + step, reach - 1
        return None

    def _named(self, token: Token, *kinds: str) -> Column | None:
        """The column a word names; of several, one of the kinds wanted."""
        columns = [self.table.column(str(sense.value)) for sense in token.all("column")]
        exact = [column for column in columns if column.name.lower() == token.text.lower()]
        fitting = [column for column in exact or columns if not kinds or column.kind in kinds]
        return fitting[0] if len(fitting) == 1 or (fitting and exact) else None

    def _column(self, place: int, *kinds: str) -> Column:
        """The column that the word at a place is known to name."""
        column = self._named(self.tokens[place], *kinds)
        if column is None:
            raise NotRead(self.tokens[place].text)
        return column

    def _is(self, *kinds: str) -> Test:
        return lambda token: self._named(token, *kinds) is not None

    def _of_kind(self, *kinds: str) -> list[Column]:
        return [column for column in self.table.columns if column.kind in kinds]

    def _number(self, at: int) -> tuple[float, int] | None:
        """A number that begins at a place, with what multiplies it and its unit, and the place after it."""
        sense = self.tokens[at].get("num") if at < len(self.tokens) else None
        if sense is None:
            return None
        value, end = float(sense.value), at + 1
        if end < len(self.tokens) and (times := self.tokens[end].get("mult")) is not None:
            value, end = value * float(times.value), end + 1
        if end < len(self.tokens) and self.tokens[end].has("unit") and not self.tokens[end].has("column"):
            end += 1
        return (int(value) if value == int(value) else value), end

    def _settle(self) -> None:
        """Decide what words are that could be several things at once."""
        figures = any(token.has("agg", "sup", "cmp", "post", "each", "by") for token in self.tokens)
        for at, token in enumerate(self.tokens):
            settled = token
            if token.has("value"):
                settled = settled.without("free", "row", "rowname", "show", "num", "unit", "period", "person")
            if token.has("column") and token.has("agg", "count", "sup") and not self._is_name(token):
                settled = settled.without("column")
            elif token.has("column") and token.has("agg", "count", "sup"):
                others = [one for one in self.tokens if one is not token and self._is("number")(one)]
                wanted = [one for one in self.tokens if one is not token and one.has("agg", "sup", "cmp", "count")]
                settled = settled.without("column") if others and not wanted else settled.without("agg", "count", "sup")
            if token.has("column"):
                settled = settled.without("free", "row", "which", "unit", "num", "times", "distinct", "period")
                if token.has("rowname") and not figures:
                    settled = settled.without("column")
            if settled.has("count") and settled.has("row", "num", "nth"):
                settled = settled.without("row", "num", "nth")
            self.tokens[at] = settled

    def _is_name(self, token: Token) -> bool:
        """Whether a word is the very name of a column, not only a word for one."""
        return any(str(sense.value).lower() == token.text.lower() for sense in token.all("column"))

    def _titles(self) -> None:
        """Dr Lim, 王医生: what stands beside a name; and the reorder level, 40 a day: what only goes on from a word."""
        for at in self._open("title"):
            if any(0 <= place < len(self.tokens) and self.tokens[place].has("value") for place in (at - 1, at + 1)):
                self.used.add(at)
        for at in self._open("head"):
            if at > 0 and self.tokens[at - 1].has("column") and not self.tokens[at].has("column"):
                self.used.add(at)
        for at in self._open("period"):
            lead = at - 1 if at > 0 and (self.tokens[at - 1].has("each") or self.tokens[at - 1].text == "a") else None
            counted = lead is not None and lead > 0 and self.tokens[lead - 1].has("num")
            if (
                lead is not None
                and self._rate()
                and (counted or not self._of_kind("date") or self.tokens[lead].text == "a")
            ):
                self.used |= {lead, at}

    def _rate(self) -> str | None:
        """The column of what something costs, by the day or by the piece."""
        name = self.table.concepts.get("price")
        return name if name and self.table.column(name).kind == "number" else None

    def _rounding(self) -> None:
        """To two decimals, 保留两位小数."""
        for at in self._open("decimals"):
            place = self._near(at, -1, lambda one: one.has("num"), 2, ("person", "round"))
            number = self._number(place) if place is not None else None
            if place is None or number is None:
                raise NotRead(self.tokens[at].text)
            self.query.decimals = int(number[0])
            self.used |= {at, *range(place, at)}
            for step in (-1, 1):
                word = self._near(place if step < 0 else at, step, lambda one: one.has("round"), 3)
                self.used |= {word} if word is not None else set()

    # conditions

    def _ranges(self) -> None:
        """Between two numbers or two days."""
        for at in self._open("between", "amid"):
            places = range(at + 1, len(self.tokens)) if self.tokens[at].has("between") else range(max(0, at - 6), at)
            spots = [place for place in places if self.tokens[place].has("num", "date", "month_of")][:2]
            if len(spots) != 2:  # noqa: PLR2004  a range has two ends
                raise NotRead(self.tokens[at].text)
            first, second = spots
            if self.tokens[first].has("num"):
                column = self._measured_near(min(at, first), second + 1)
                low, high = self._number(first), self._number(second)
                if low is None or high is None:
                    raise NotRead(self.tokens[at].text)
                self.query.conditions += [Condition(column, ">=", low[0]), Condition(column, "<=", high[0])]
            else:
                column, part = self._dated_near(at), self._part(first)
                self.query.conditions += [
                    Condition(column, ">=", self._moment(first), part),
                    Condition(column, "<=", self._moment(second), part),
                ]
            self.used |= {at, *range(first, second + 1)}
            end = self._number(second)
            self.used |= set(range(second, end[1])) if end else set()

    def _comparisons(self) -> None:
        for at in self._open("cmp", "post", "after", "before", "since", "until"):
            token = self.tokens[at]
            place = at + 1
            if token.has("post"):
                found = self._near(at, -1, lambda one: one.has("num", "date", "month_of", "month"), 3, ("mult", "year"))
                if found is None:
                    continue
                place = found
            else:
                found = self._near(at, 1, lambda one: one.has("num", "date", "month_of", "month"), 2)
                if found is None and token.has("cmp") and self._compare_columns(at):
                    continue
                if found is None:
                    if token.has("cmp") and not token.has("free"):
                        raise NotRead(token.text)
                    continue
                place = found
            self._compare(at, place)

    def _compare_columns(self, at: int) -> bool:
        """A column against another one: stock below the minimum, 库存低于最低库存."""
        before, after = self._near(at, -1, self._is("number"), 4), self._near(at, 1, self._is("number"), 3)
        if after is None:
            return False
        second = self._column(after, "number").name
        kept = [self.table.concepts.get(kind) for kind in ("stock", "quantity")]  # what a level is a level of
        first = self._column(before, "number").name if before is not None else next(filter(None, kept), second)
        if first == second:
            return False
        op = self.tokens[at].the("cmp").value
        self.query.conditions.append(Condition(first, op, Other(second)))
        self.used |= {at, after, *([before] if before is not None else [])}
        return True

    def _compare(self, at: int, place: int) -> None:
        token = self.tokens[at]
        sense = token.get("cmp") or token.get("post")
        words: dict[str, Op] = {"after": ">", "before": "<", "since": ">=", "until": "<="}
        op: Op = sense.value if sense else next(words[kind] for kind in words if token.has(kind))
        number = self._number(place)
        if number is not None and not self._is_year(place, at):
            if sense is None and not token.has("cmp"):
                raise NotRead(token.text)
            about = self.table.concepts.get(sense.about) if sense and sense.about else None
            column = about or self._measured_near(min(at, place), max(number[1], at + 1))
            self.query.conditions.append(Condition(column, op, number[0]))
            self.used |= {at, *range(place, number[1])}
        else:
            self.query.conditions.append(
                Condition(self._dated_near(min(at, place)), op, self._moment(place), self._part(place))
            )
            self.used |= {at, place}
            if place + 1 < len(self.tokens) and self.tokens[place + 1].has("year"):
                self.used.add(place + 1)

    def _is_year(self, place: int, at: int) -> bool:
        """Whether a number is a year: one of our time, beside no column of numbers, in a table with dates."""
        sense = self.tokens[place].get("num")
        value = float(sense.value) if sense else 0
        if not FIRST_YEAR <= value <= LAST_YEAR or value != int(value) or not self._of_kind("date"):
            return False
        return self._near(at, -1, self._is("number"), 4) is None

    def _moment(self, place: int) -> Any:
        token = self.tokens[place]
        for kind in ("date", "month_of", "day_of_year", "month", "year_of", "num"):
            if (sense := token.get(kind)) is not None:
                return (
                    int(sense.value) if kind == "month" else f"{sense.value:g}" if kind == "num" else str(sense.value)
                )
        raise NotRead(token.text)

    def _part(self, place: int) -> Part:
        token = self.tokens[place]
        if token.has("date"):
            return "day"
        if token.has("month_of"):
            return "month_of_year"
        if token.has("day_of_year"):
            return "day_of_year"
        return "month" if token.has("month") else "year"

    def _measured_near(self, start: int, end: int) -> str:
        """The column of numbers that a comparison speaks of."""
        found = self._near(start, -1, self._is("number"), 4)
        if found is None:
            found = self._near(end - 1, 1, self._is("number"), 2)
        if found is not None:
            self.used.add(found)
            return self._column(found, "number").name
        measured = [column for column in self._of_kind("number") if not column.unique]
        if len(measured) == 1:
            return measured[0].name
        raise NotRead(self.tokens[start].text)

    def _dated_near(self, at: int) -> str:
        """The column of dates that is spoken of, or the only one."""
        for step in (-1, 1):
            found = self._near(
                at, step, self._is("date"), 4, ("not", "date", "month", "month_of", "day_of_year", "num", "year")
            )
            if found is not None:
                self.used.add(found)
                return self._column(found, "date").name
        dates = self._of_kind("date")
        known = [column for column in dates if column.complete]  # every loan was lent, not every one is back
        if len(dates) == 1 or len(known) == 1:
            return (known if len(known) == 1 else dates)[0].name
        raise NotRead(self.tokens[at].text)

    def _values(self) -> None:
        """Values that occur in the table."""
        told: dict[tuple[str, bool], list[str]] = {}
        for at in self._open("value"):
            column, value = self._value(at)
            denied = self._near(at, -1, lambda one: one.has("not", "except"), 4, ("value", "and", "or", "column"))
            beside = self._near(at, 1, lambda one: one.has("beside"), 3, ("value", "and", "or"))
            equal = self._near(at, -1, lambda one: one.has("cmp"), 2, ("column",))
            if equal is not None:
                op = self.tokens[equal].the("cmp").value
                if op not in {"=", "!="}:
                    raise NotRead(self.tokens[equal].text)
                denied = equal if op == "!=" else denied
                self.used.add(equal)
            denied = beside if denied is None else denied
            told.setdefault((column, denied is None), []).append(value)
            self.used |= {at, *(place for place in (denied, beside) if place is not None)}
        for (column, wanted), values in told.items():
            is_list = self.table.column(column).kind == "list"
            op = ("has" if wanted else "has not") if is_list else "in" if wanted else "not in"
            self.query.conditions.append(Condition(column, op, values))
        for at in self._open("or"):
            if len({column for column, _ in told}) != 1:
                raise NotRead(self.tokens[at].text)
            self.used.add(at)

    def _value(self, at: int) -> tuple[str, str]:
        """The column and the value a word means; the column that stands beside it decides between several."""
        meant: list[tuple[str, str]] = [sense.value for sense in self.tokens[at].all("value")]
        for step, reach in ((-1, 3), (1, 1)):
            beside = self._near(at, step, self._is(), reach, ("cmp",))
            named = self._named(self.tokens[beside]) if beside is not None else None
            fitting = [(column, value) for column, value in meant if named is not None and column == named.name]
            if beside is not None and fitting:
                grouped = self._near(beside, -1, lambda one: one.has("each", "by"), 1) is not None
                if not grouped:
                    self.used.add(beside)
                return fitting[0]
        if len({column for column, _ in meant}) > 1:
            raise NotRead(self.tokens[at].text)
        same = [pair for pair in meant if pair[1] == self.tokens[at].text]
        return (same or meant)[0]

    def _times(self) -> None:
        """Days, months and years that stand alone."""
        for at in self._open("date", "month_of", "month", "day_of_year", "year_of"):
            if self._near(at, -1, lambda one: one.has("each", "by"), 1) is not None:
                continue
            column = self._dated_near(at)
            self.query.conditions.append(Condition(column, "=", self._moment(at), self._part(at)))
            self.used.add(at)
        for at in self._open("num"):
            after = at + 1 < len(self.tokens) and self.tokens[at + 1].has("year")
            before = at > 0 and self.tokens[at - 1].text.lower() in {"in", "during", "of", "since", "for"}
            if (after or before) and self._is_year(at, at):
                self.query.conditions.append(Condition(self._dated_near(at), "=", self._moment(at), "year"))
                self.used |= {at, at + 1} if after else {at}

    def _denials(self) -> None:
        """What is missing, or is not so: without an e-mail, not returned, 未归还."""
        for at in self._open("empty", "not"):
            place = self._near(at, 1, self._is(), 3)
            if place is None and self.tokens[at].has("empty"):
                place = self._near(at, -1, self._is(), 2)
            if place is None:
                continue
            column = self._column(place)
            said_not = self.tokens[at].has("not") and not self.tokens[at].has("empty")
            if column.kind == "flag":
                self._flag(column, wanted=False)
            elif column.kind == "number" and not said_not:
                self.query.conditions.append(Condition(column.name, "none"))
            elif column.kind == "date" or not said_not:
                self.query.conditions.append(Condition(column.name, "empty"))
            else:
                raise NotRead(self.tokens[at].text)
            self.used |= {at, place}

    def _ticked(self) -> None:
        """What is done of a list of tasks, or is still open."""
        for at in self._open("ticked"):
            self._flag(self.table.column("done"), wanted=self.tokens[at].the("ticked").value == "yes")
            self.used.add(at)
            self.query.shown = ["task"]

    def _flag(self, column: Column, *, wanted: bool) -> None:
        """A condition on a column of yes and no, as they are written there."""
        self.query.conditions.append(Condition(column.name, "as text", sorted(TRUE if wanted else FALSE)))

    def _texts(self) -> None:
        """A text that a column contains."""
        for at in self._open("phrase"):
            text = self.tokens[at].the("phrase").value
            self.query.conditions.append(Condition("text", "contains", text))
            self.used.add(at)
        for at in self._open("contains"):
            place = self._near(at, 1, lambda one: one.has("quoted"), 2)
            column = self._near(at, -1, self._is("text"), 3)
            if place is None or column is None:
                raise NotRead(self.tokens[at].text)
            name = self._column(column, "text").name
            text = str(self.tokens[place].the("quoted").value)
            self.query.conditions.append(Condition(name, "contains", text))
            self.used |= {at, place, column}

    # groups, order, number of rows

    def _groups(self) -> None:
        figures = self._open("agg", "count", "times", "compute", "share", "sup")
        sorts = self._open("sort", "desc", "asc")
        for at in self._open("period"):
            lead = self._near(at, -1, lambda one: one.has("each", "by"), 2)
            if lead is not None or self.tokens[at].text.lower() in {
                "monthly",
                "yearly",
                "daily",
                "每月",
                "每年",
                "每天",
            }:
                part: Part = self.tokens[at].the("period").value
                self.query.groups.append(Group(self._dated_near(at), part))
                self.used |= {at, *([lead] if lead is not None else [])}
        for at in self._open("each", "by"):
            if self.tokens[at].has("by") and not self.tokens[at].has("each") and (sorts or not figures):
                continue  # what is sorted by
            self._group(at)

    def _group(self, at: int) -> None:
        """What rows are put together by, after a word such as per."""
        each = self.tokens[at].has("each")
        after = self._near(at, 1, self._is(), 3)
        several = [one for one in self.query.conditions if one.op == "in" and len(one.value) > 1]
        if self.table.named and each:
            self.of_each = True
        elif after is None and len(several) == 1:  # INFO、WARN 各有多少行
            self.query.groups.append(Group(several[0].column))
        elif after is None and not (self.query.groups and each):  # 每个片区各有多少
            return self._each_row(at)
        self.used.add(at)
        if after is None or self.of_each:
            return None
        column = self._column(after)
        if column.unique and self.table.count > 1:
            raise NotRead(self.tokens[after].text)  # nothing repeats there: there are no groups
        self.query.groups.append(Group(column.name))
        self.used.add(after)
        more = self._near(after, 1, self._is(), 2, ("and",))
        if more is not None and self.tokens[at].has("by"):
            self.query.groups.append(Group(self._column(more).name))
            self.used.add(more)
        return None

    def _each_row(self, at: int) -> None:
        """A figure per order, where each row is one, is the figure of all."""
        row = self._near(at, 1, lambda one: one.has("rowname", "row", "person"), 1)
        if row is None or not self._open("agg", "amount"):
            raise NotRead(self.tokens[at].text)
        self.used |= {at, row}

    def _order(self) -> None:
        ways = self._open("desc", "asc")
        sorts = self._open("sort")
        for at in ways:
            self.query.descending = self.tokens[at].has("desc")
            self.used.add(at)
        for at in self._open("by"):
            place = self._near(at, 1, self._is(), 3)
            if place is None:
                if sorts and self._open("count", "agg", "sup"):
                    self.used.add(at)
                    continue
                raise NotRead(self.tokens[at].text)
            self.query.order = self._column(place).name
            self.used |= {at, place}
        self.sorted_by_word = bool(sorts or ways)
        self.used |= set(sorts)

    def _limits(self) -> None:
        """The first five, the three cheapest, the last two rows."""
        for at in self._open("num"):
            number = self._number(at)
            after = self._near(
                at, 1, lambda one: one.has("sup", "row", "rowname", "column", "person", "first", "last"), 2
            )
            before = self._near(at, -1, lambda one: one.has("first", "last", "sup"), 1)
            if number is not None and (after is not None or before is not None) and self.query.limit is None:
                self.query.limit = int(number[0])
                self.used |= set(range(at, number[1]))
        for at in self._open("first", "last"):
            after = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
            if self.query.limit is None and after is not None and after.has("row", "rowname", "value"):
                self.query.limit = 1  # the last row, 最后一条
        sups = self._open("sup")
        for at in self._open("first", "last"):
            if self.query.limit is None or (self.tokens[at].has("sup") and sups == [at] and not self.query.order):
                continue
            self.used.add(at)
            self.query.from_the_end = self.tokens[at].has("last")
            top = self.tokens[at].text.lower() in {"top", "前", "排前"}
            self.query.descending = self.query.descending or (
                top and bool(self.query.order) and not self.sorted_by_word
            )

    # what is asked for

    def _share(self) -> None:
        for at in self._open("share"):
            if not self.query.conditions or self.query.groups:
                raise NotRead(self.tokens[at].text)
            self.query.share = True
            money = self._open("money", "amount")
            self.query.share_of = self._added_up() if money else None
            self.used |= {at, *self._open("count"), *money}

    def _superlatives(self) -> None:
        """The highest price, the city with the most orders, the three cheapest."""
        sups = self._open("sup")
        if not sups:
            return
        if len(sups) > 1:
            raise NotRead(self.tokens[sups[1]].text)
        at = sups[0]
        sense = self.tokens[at].the("sup")
        self.used.add(at)
        column = self._ranked_by(at, sense)
        keys = [place for place in self._open("column") if self._is("text", "flag", "date")(self.tokens[place])]
        who = self._who()
        if who is not None:  # the most receipts: the rows, by their own number
            self.used |= {place for place in keys if self._column(place).unique}
        key = who or (self._named(self.tokens[keys[0]]) if keys else None)
        most = self.tokens[at].text.lower() in MOST
        if self.query.groups and column is not None and not self._open("agg"):
            self.query.measures.append(Measure(sense.value, column))
        elif self.query.groups or self._open("agg") or (key and not key.unique and (column is None or most)):
            self._best_group(at, column, key, keys)
        elif column is not None or self.query.order:
            self.query.order = self.query.order or column
            self.query.shown += [key.name] if key is not None else []
            self.used |= set(keys[:1])
        else:
            raise NotRead(self.tokens[at].text)
        self._rank(at, sense)

    def _best_group(self, at: int, column: str | None, key: Column | None, keys: list[int]) -> None:
        """The most loans, the most money: that of groups; the highest price is that of a row."""
        if not self.query.groups:
            if key is None:
                raise NotRead(self.tokens[at].text)
            self.query.groups.append(Group(key.name))
            self.used |= {place for place in keys if self._named(self.tokens[place]) == key}
        if not self._open("agg"):
            self.query.measures.append(Measure("sum", column) if column else Measure("count"))
        self.used |= set(self._open("count", "times"))

    def _rank(self, at: int, sense: Sense) -> None:
        """Which one of the highest it is, or how many of them."""
        self.query.descending = sense.value == "max"
        rank = next((place for place in self._open("nth") if abs(place - at) <= 1), None)
        if rank is not None:
            self.query.rank = int(self.tokens[rank].the("nth").value)
            self.used.add(rank)
        self.used |= {place for place in self._open("person") if place > 0 and self.tokens[place - 1].has("num")}
        if self.query.limit is None:
            self.query.extreme = sense.value

    def _ranked_by(self, at: int, sense: Sense) -> str | None:
        """The column of which the highest or lowest is asked; None where it is how many there are."""
        if sense.about:
            return self._ranked_by_kind(at, sense.about)
        if self._open("agg"):
            return None
        kinds = ("number",) if self.tokens[at].text.lower() in MOST else ("number", "date")
        for step in (1, -1):
            place = self._near(at, step, self._is(*kinds), 3)
            if place is not None:
                self.used.add(place)
                return self._column(place, *kinds).name
        done = self._near(at, -1, self._is("date"), 2) if kinds == ("number",) else None
        self.used |= {done} if done is not None else set()  # borrowed the most: the verb is the name of a date
        money = [place for place in self._open("money") if abs(place - at) <= 3]  # noqa: PLR2004  cost us the most
        if money and (found := self._added_up()) is not None:
            self.used |= set(money)
            return found
        return self.table.measure or None

    def _ranked_by_kind(self, at: int, about: str) -> str:
        """The column that the word itself speaks of: the cheapest, the oldest, the shortest lead time."""
        sides = (self._near(at, step, self._is("number"), 2) for step in (1, -1) if about in {"length", "weight"})
        beside = next((place for place in sides if place is not None), None)
        if beside is not None:
            self.used.add(beside)
            return self._column(beside, "number").name
        dates = self._of_kind("date")
        others = {
            "date": dates[0].name if len(dates) == 1 else None,
            "price": self._added_up(),
            "length": self.table.concepts.get("lines") or self.table.concepts.get("duration"),
        }
        found = self.table.concepts.get(about) or others.get(about)
        if found is None:
            raise NotRead(self.tokens[at].text)
        self.used |= {place for place in self._open("column") if self._is_named(place, found)}
        return found

    def _is_named(self, place: int, name: str) -> bool:
        column = self._named(self.tokens[place]) if place < len(self.tokens) else None
        return column is not None and column.name == name

    def _who(self) -> Column | None:
        """The column of persons, where somebody is asked for."""
        asked = self._open("who")
        if not asked:
            return None
        name = self._person()
        if name is None:
            raise NotRead(self.tokens[asked[0]].text)
        self.used |= set(asked)
        return self.table.column(name)

    def _person(self) -> str | None:
        """The column that says who; a name comes before other words for people, of which there may be one."""
        names = [self.table.concepts[kind] for kind in PERSONS if kind in self.table.concepts]
        if names and ("name" in self.table.concepts or len(set(names)) == 1):
            return names[0]
        return None

    def _figures(self) -> None:
        """Sums, averages and the like, each of the column of numbers that follows it, or stands before it."""
        for at in self._open("agg"):
            function = self.tokens[at].the("agg").value
            kinds = ("number", "date") if function in {"min", "max"} else ("number",)
            columns = [place for place in self._open("column") if self._is(*kinds)(self.tokens[place])]
            after = [place for place in columns if place > at]
            if not after and not columns:
                column = self._without_column(at, function)
                if column is None:
                    continue
            else:
                place = (after or columns[::-1])[0]
                column = self._column(place, *kinds).name
                rest = [one for one in self._open("agg") if one != at]
                if not rest or any(other in self.used for other in rest) or len(columns) > 1:
                    self.used.add(place)
            self.query.measures.append(Measure(function, column))
            self.used.add(at)
        measured = {measure.column for measure in self.query.measures}
        named = ((place, self._named(self.tokens[place])) for place in self._open("column"))
        self.used |= {place for place, column in named if column is not None and column.name in measured}

    def _without_column(self, at: int, function: str) -> str | None:
        """What a figure is of that names no column: the same as the figure before it, or how many rows there are."""
        for query in (self.query, self.before):
            if query is not None and query.measures and query.measures[-1].column is not None:
                return query.measures[-1].column
        if function == "sum" and self._open("count"):
            self.used.add(at)
            return None
        money = self._open("amount", "money")
        if money and (found := self._added_up()) is not None:
            self.used |= set(money)
            return found
        raise NotRead(self.tokens[at].text)

    def _added_up(self) -> str | None:
        named = [self.table.concepts[kind] for kind in ADDED_UP[:1] if kind in self.table.concepts]
        numbers = [name for name in named if self.table.column(name).kind == "number"]
        return numbers[0] if len(numbers) == 1 else None

    def _counts(self) -> None:
        counts = self._open("count", "times", "amount")
        for at in self._open("times"):  # quantity times price is no number of times
            if all(one.has("column") for one in (*self.tokens[at - 1 : at], *self.tokens[at + 1 : at + 2])):
                raise NotRead(self.tokens[at].text)
        if self.query.measures and any(one.column for one in self.query.measures):  # how many seats in total
            self.used |= {*counts, *self._open("money", "comes")}
            return
        if self.query.extreme and any(self._is_named(at + 1, self.query.order or "") for at in counts):
            self.used |= set(counts)  # how many lines the longest has
            return
        self._spent(counts)
        counts = [at for at in counts if at not in self.used]
        if not counts or self.query.share:
            return
        self.used |= set(counts)
        if self.query.measures and (self.query.groups or all(self.tokens[at].has("amount") for at in counts)):
            return
        is_money = any(self.tokens[at].has("amount") and not self.tokens[at].has("count") for at in counts)
        columns = self._open("column")
        column = self._named(self.tokens[columns[0]]) if columns else None
        if columns and column is None:
            raise NotRead(self.tokens[columns[0]].text)
        if is_money:
            self._money(column)
        elif column is None:
            self._count_rows(counts)
        else:
            self._count_column(column)
        self.used |= {*columns[:1], *self._open("distinct")}

    def _count_column(self, column: Column) -> None:
        """How many there are of what a column has: the sum of numbers, different texts, rows that say yes."""
        if column.kind == "number" and not column.unique and not self._open("distinct"):
            added = column.name in {self.table.concepts.get(kind) for kind in ADDED_UP}
            one_by_one = self.of_each or self.query.extreme is not None
            if (added or not self.query.conditions) and not one_by_one:
                self.query.measures.append(Measure("sum", column.name))
            else:
                self.query.shown.append(column.name)
        elif column.kind == "flag":
            self._flag(column, wanted=True)
            self.query.measures.append(Measure("count"))
        elif column.unique or self._numbers_rows(column):
            self.query.measures.append(Measure("count"))
        else:
            self.query.measures.append(Measure("distinct", column.name))

    def _numbers_rows(self, column: Column) -> bool:
        """Whether the rows are what a column is called: jobs, where each row has its own job_id."""
        wanted = re.compile(rf"{re.escape(column.name)}[\s_-]?(?:id|no|nr|number|号|编号)", re.IGNORECASE)
        numbered = any(one.unique and wanted.fullmatch(one.name) for one in self.table.columns)
        return numbered and not self._open("distinct")

    def _spent(self, counts: list[int]) -> None:
        """What was spent, cost or earned, where no column is named: the sum of the one that has the money.

        Beside a number of rows the verb says nothing: how many were paid in cash.
        """
        totals, verbs = self._open("comes"), self._open("money")
        rows_counted = any(not self.tokens[at].has("amount") for at in counts)
        found = self._added_up()
        if found is None and verbs and not rows_counted and self.query.conditions and (rate := self._rate()):
            self.query.shown.append(rate)  # what do we charge for it
            self.used |= {*verbs, *(at for at in counts if self.tokens[at].has("amount"))}
            return
        if found is None or not (totals or verbs) or (rows_counted and not totals):
            self.used |= set(verbs) if rows_counted else set()
            return
        measure = Measure("sum", found)
        if measure not in self.query.measures and not self.query.extreme:
            self.query.measures.append(measure)
        self.used |= {*totals, *verbs, *(at for at in counts if self.tokens[at].has("amount"))}

    def _money(self, column: Column | None) -> None:
        if column is None:
            name = self._added_up()
            if name is None:
                raise NotRead(*(self.tokens[at].text for at in self.used if self.tokens[at].has("amount")))
            column = self.table.column(name)
        if column.kind != "number":
            raise NotRead(column.name)
        if column.name == self.table.concepts.get("price"):
            self.query.shown.append(column.name)
        else:
            self.query.measures.append(Measure("sum", column.name))

    def _count_rows(self, counts: list[int]) -> None:
        people = self._open("person")
        if people:
            name = self._person()
            if name is None:
                raise NotRead(self.tokens[people[0]].text)
            column = self.table.column(name)
            self.query.measures.append(Measure("count") if column.unique else Measure("distinct", column.name))
            self.used |= set(people)
        elif self._open("deal") and "quantity" in self.table.concepts:  # how many were sold is not how many sales
            self.query.measures.append(Measure("sum", self.table.concepts["quantity"]))
        else:
            self.query.measures.append(Measure("count"))
        self.used |= set(counts)

    def _columns(self) -> None:
        """What is shown: the columns that are left."""
        for at in self._open("distinct"):
            self.query.distinct = True
            self.used.add(at)
        for at in self._open("column"):
            self._show(at)
            self.used.add(at)
        if not self.query.measures and (person := self._who()) is not None:
            self.query.shown.insert(0, person.name)
        for at in self._open("when"):
            if self.query.measures:
                raise NotRead(self.tokens[at].text)
            self.query.shown.append(self._dated_near(at))
            self.used.add(at)

    def _show(self, at: int) -> None:
        """What a column is asked for that has no other role: a group, a condition, an order, or to be shown."""
        column = self._named(self.tokens[at])
        if column is None:
            raise NotRead(self.tokens[at].text)
        asked = self._near(at, -1, lambda one: one.has("which"), 1) is not None
        if self.query.measures and not self.query.groups and asked and not column.unique:
            self.query.groups.append(Group(column.name))
        elif column.kind == "flag" and not asked and not self.query.shown:
            self._flag(column, wanted=True)
        elif self.query.measures:
            raise NotRead(self.tokens[at].text)
        elif self.sorted_by_word and not self.query.order:
            self.query.order = column.name
        else:
            self.query.shown.append(column.name)

    def _finish(self) -> None:
        """Decline what is left over, or says nothing."""
        self._decline_leftovers()
        query = self.query
        if query.from_the_end and query.order is None:
            if not any(column.name == "line" for column in self.table.columns):
                raise NotRead(*(token.text for token in self.tokens if token.has("last")))
            query.order = "line"
        named = any(token.has("rowname") for token in self.tokens)
        query.listed = named and any(token.has("show", "which", "all") for token in self.tokens)
        asked = query.listed or query.measures or query.order or query.shown or query.limit or query.share
        asks = self.before is not None or any(token.has(*ASKING) for token in self.tokens)
        if not asked and not (asks and query.conditions):
            raise NotRead
        if query.order and query.measures and query.order not in {group.column for group in query.groups}:
            raise NotRead(query.order)
        self._settle_columns()

    def _settle_columns(self) -> None:
        """Not to show what a condition fixes, and each value once."""
        query = self.query
        if self.table.named and not query.measures:
            query.shown.insert(0, self.table.named)
        fixed = {one.column for one in query.conditions if one.op == "in" and len(one.value) == 1}
        query.shown = list(dict.fromkeys(query.shown))
        if query.shown and set(query.shown) <= fixed and not query.order:
            query.shown = []
        if len(query.shown) == 1 and not query.order and not query.limit:
            query.distinct = query.distinct or not self.table.column(query.shown[0]).unique

    def _decline_leftovers(self) -> None:
        """No word is passed over; a verb of paying says nothing where the column that was paid has its role."""
        ranked = [self.query.order, *(one.column for one in self.query.measures)]
        if any(name and self.table.column(name).kind == "number" for name in ranked):
            self.used |= set(self._open("money"))
        left = [
            token.text
            for at, token in enumerate(self.tokens)
            if at not in self.used and not any(sense.kind in EMPTY_WORDS for sense in token.senses)
        ]
        if left:
            raise NotRead(*left)
        if self.sorted_by_word and not self.query.order and not self.query.measures:
            raise NotRead(*(token.text for token in self.tokens if token.has("sort", "desc", "asc")))
