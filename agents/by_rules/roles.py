"""The words of a question over a table, each with the roles it may have; a role takes a word, and no word has two."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from switchyard.agents.by_rules.query import Condition, Measure, NotRead, Op, Part, Query
from switchyard.agents.by_rules.table import Column, Table, plain_name
from switchyard.language.lexicon import Sense, Token, key_of, stem
from switchyard.language.mentions import currencies
from switchyard.language.units import unit_named

_COSTS = re.compile(
    r"(?i)^(?!.*(?:unit|per|rate|month|year|hour|dai|单|月|年|时)).*(?:cost|fee|charge|freight|postage|fare|费)"
)
_DATED = (
    *("date", "month", "month_of", "day_of_year", "year_of", "span", "num", "period"),
    *("not", "empty", "when", "since", "until", "before", "after", "by"),
)
"""Kinds of words beside which a verb may say on which of its dates something happened."""
NOT_ADDED = ("price", "age", "score", "height", "temperature", "level", "discount", "salary", "tax", "size")
"""Kinds of columns of which a sum says nothing."""
_KEPT_IN = frozenset({"log", "list", "register", "table", "data", "records", "sheet", "book"})
"""What is in the name of a file behind what its rows are: dive_log, member list."""
_IT = frozenset(["is it", *"it its he his him she her that 他 她 它 其中 这".split()])  # noqa: SIM905  a list of words
ALTOGETHER = frozenset({"一共", "总共", "共", "共计", "总共有", "altogether", "in all", "all told"})
_PARTICLES = frozenset("中上下里内外前后把个件只条张双套台本次份种对")
"""Characters that count, lead or place in most sentences, and are values in few."""
Test = Callable[[Token], bool]


def has(*kinds: str) -> Test:
    """Whether a word may be one of these."""
    return lambda token: token.has(*kinds)


def valued(token: Token) -> set[str]:
    """The columns that a word is a value of."""
    return {one.value[0] for one in token.all("value")}


def _written(name: str) -> set[str]:
    """The name of a column with and without what it is measured in."""
    return {one for own in (name.lower(), plain_name(name).lower()) for one in (own, own.replace("_", " "))}


@dataclass(slots=True)
class Roles:
    """A question while it is read: its words, those that have a role, and the query that they make."""

    tokens: list[Token]
    table: Table
    before: Query | None = None
    """The query of the question it follows."""
    query: Query = field(default_factory=Query)
    used: set[int] = field(default_factory=set[int])
    breaks: set[int] = field(default_factory=set[int])
    """The places before which a clause ends."""
    measure: Measure | None = None
    """What groups are ranked by, where that is said apart: by total fee, 按总额算."""
    sorted_by_word: bool = False
    dates_by: str = ""
    """The column of dates that is meant, where that is said apart: go by paid_on."""
    of_each: bool = False
    """What is asked is asked of every row."""

    def take(self, *places: int | None) -> None:
        """Give the words at these places their role."""
        self.used |= {place for place in places if place is not None}

    def unread(self, place: int) -> NotRead:
        """That the word at a place is not understood."""
        return NotRead(self.tokens[place].text)

    def where(self, column: str, op: Op, value: object = None, part: Part = "") -> None:
        """Add a condition to the query."""
        self.query.conditions.append(Condition(column, op, value, part))

    def left(self, *kinds: str) -> list[int]:
        """The places of words that may be of a kind and have no role yet."""
        return [at for at, token in enumerate(self.tokens) if at not in self.used and token.has(*kinds)]

    def at(self, place: int, *kinds: str) -> bool:
        """Whether there is a word at a place that may be of a kind, whatever its role."""
        return 0 <= place < len(self.tokens) and self.tokens[place].has(*kinds)

    def text(self, place: int) -> str:
        """The word at a place, in small letters; nothing where there is none."""
        return self.tokens[place].text.lower() if 0 <= place < len(self.tokens) else ""

    def says(self, *kinds: str) -> bool:
        """Whether any word may be of a kind, whatever its role."""
        return any(token.has(*kinds) for token in self.tokens)

    def speaks_of_it(self) -> bool:
        """Whether a question speaks of what the one before found: how many hours has he put in."""
        return self.says("of_those") or any(token.text.lower() in _IT for token in self.tokens)

    def is_parted(self, at: int, place: int) -> bool:
        """Whether two places are in different clauses, or parts of a list."""
        low, high = sorted((at, place))
        return any(self.at(one, "and") for one in range(low, high)) or any(low < one <= high for one in self.breaks)

    def columns(self, *kinds: str) -> list[int]:
        """The places of words that name a column of these kinds and have no role yet."""
        return [at for at in self.left("column") if self.named(self.tokens[at], *kinds) is not None]

    def near(self, at: int, step: int, test: Test, reach: int = 3, over: Iterable[str] = ()) -> int | None:
        """The next place, in one direction, whose word passes a test, over words that carry nothing."""
        passed = {"free", "isit", "which", "is", "row", "rowname", "unit", *over}
        place = at + step
        while 0 <= place < len(self.tokens) and reach:
            if test(self.tokens[place]) and place not in self.used:
                return place
            if not self.tokens[place].has(*passed):
                return None
            place, reach = place + step, reach - 1
        return None

    def named(self, token: Token, *kinds: str) -> Column | None:
        """The column a word names; of several, one of the kinds wanted."""
        columns = [self.table.column(str(sense.value)) for sense in token.all("column")]
        exact = [column for column in columns if token.text.lower() in _written(column.name)]
        fitting = [column for column in exact or columns if not kinds or column.kind in kinds]
        return fitting[0] if len(fitting) == 1 or (fitting and exact) else None

    def names(self, *kinds: str) -> Test:
        """Whether a word names a column, of these kinds."""
        return lambda token: self.named(token, *kinds) is not None

    def column(self, place: int, *kinds: str) -> Column:
        """The column that the word at a place names; `NotRead` when it names none, or one of several."""
        column = self.named(self.tokens[place], *kinds)
        if column is None:
            raise self.unread(place)
        return column

    def is_named(self, place: int, *names: str) -> bool:
        """Whether the word at a place names one of these columns."""
        column = self.named(self.tokens[place]) if place < len(self.tokens) else None
        return column is not None and column.name in names

    def is_added(self, column: Column) -> bool:
        """Whether numbers of a column make sense as a sum: litres and boxes do, prices and ages do not."""
        return column.name not in {self.table.concepts.get(kind) for kind in NOT_ADDED}

    def of_kind(self, kind: str) -> list[Column]:
        """The columns of a kind."""
        return [column for column in self.table.columns if column.kind == kind]

    def dated(self) -> list[str]:
        """The columns by which what is older comes first."""
        return [*(one.name for one in self.of_kind("date")), self.table.concepts.get("made", "")]

    def is_currency(self, place: int) -> bool:
        """Whether the word at a place is what money is counted in."""
        return self.text(place) in currencies()[0]

    def numbers_of(self, concept: str) -> str | None:
        """The column of numbers that is of a kind: `price` what something costs, `amount` the money that was spent."""
        name = self.table.concepts.get(concept)
        return name if name and self.table.column(name).kind == "number" else None

    def money(self) -> str | None:
        """The column of the money that changed hands, or what it is worked out of: quantity × price.

        What something costs is that where it happened on a day: a repair, not an article.
        """
        cost = self.numbers_of("price") or self.numbers_of("freight") or ""
        lasting = {"quantity", "joined", "born"} & self.table.concepts.keys()
        happened = any(one.complete for one in self.of_kind("date")) and not lasting
        paid = cost if happened and _COSTS.search(cost) else None
        amount = self.numbers_of("amount") or ""
        measured = any(map(unit_named, re.split(r"[\W_]+", amount.lower())))  # km_total is no money
        return (amount if not measured else "") or self.table.concepts.get("turnover") or paid

    def number(self, at: int) -> tuple[float, int] | None:
        """A number that begins at a place, with what multiplies it and its unit, and the place after it."""
        sense = self.tokens[at].get("num") if at < len(self.tokens) else None
        if sense is None:
            return None
        value, end = float(sense.value), at + 1
        if end < len(self.tokens) and (times := self.tokens[end].get("mult")) is not None:
            value, end = value * float(times.value), end + 1
        if self.at(end, "unit") and not self.at(end, "column"):
            end += 1
        return (int(value) if value == int(value) else value), end

    def names_rows(self, place: int) -> bool:
        """Whether a word says what one row is: sales in egg sales.csv, where eggs does not; a mass is no rows."""
        token = self.tokens[place]
        if self._is_before_head(token) and (self.numbers_of("quantity") or self.numbers_of("stock")):
            return False
        if not token.text.isascii() or not any(one.kind == "number" and not one.unique for one in self.table.columns):
            return True
        words = re.findall(r"[a-z]+", Path(self.table.path).stem.lower())
        words = [word for word in words if word not in _KEPT_IN] or words
        head = [word for word in words if word.endswith("s")][-1:] or words[-1:]
        said = stem(token.text)
        own = said in map(stem, head) or said not in map(stem, words)
        return own and token.text.lower().endswith("s")

    def _is_before_head(self, token: Token) -> bool:
        """Whether a word for the rows is only what they are of: the saplings of 树苗订单 are no orders."""
        stem = re.sub(r"[\W\d_年月日]+$|(?:表|清单|台账|记录|登记)$", "", Path(self.table.path).stem)
        return token.has("rowname") and token.text in stem and not stem.endswith(token.text)

    def says_rows(self, place: int) -> bool:
        """Whether a word stands for the rows, and not only as a character of their file's name."""
        return self.at(place, "row") or (self.at(place, "rowname") and key_of(self.text(place)) in self.table.entries)

    def settle(self) -> None:
        """Decide what words are that could be several things at once."""
        figures = any(token.has("agg", "sup", "cmp", "post", "each", "by") for token in self.tokens)
        for at, token in enumerate(self.tokens):
            # under a heading is not less than
            settled = token.without("cmp") if Sense("free", "here") in token.senses else token
            settled = settled.without("value") if self._is_day(at) or self._is_particle(at) else settled
            if settled.has("value"):
                settled = settled.without("free", "row", "rowname", "show", "num", "unit", "period", "person")
            if token.has("column") and token.has("agg", "count", "sup"):
                settled = settled.without(*(("agg", "sup") if self._is_bound(at) else self._not_meant(token)))
            settled = self._beside(at, settled)
            settled = settled.without("column") if self._is_verb(token) else settled
            own = self.named(token) if token.has("row") else None
            numbered = own is not None and own.unique and own.kind == "number" and figures  # the most lines
            if own is not None and (numbered or (len(token.text) == 1 and self.at(at - 1, "which"))):  # 哪台
                settled = settled.without("column")
            if settled.has("column"):
                settled = settled.without("free", "row", "which", "unit", "num", "times", "distinct", "period")
                if token.has("rowname") and not figures and self.names("number")(token) is False:
                    settled = settled.without("column")
            if settled.has("rowname", "column", "value"):
                settled = self._of_table(settled)
            if token.text.lower() == "or more" and not self.at(at - 1, "num", "unit", "mult"):
                settled = replace(token, senses=frozenset({Sense("or"), Sense("more")}))
            self.tokens[at] = settled.without("row", "num", "nth") if settled.has("count") else settled

    def _is_bound(self, at: int) -> bool:
        """Whether a word says what something is compared with: below its minimum."""
        return self.near(at, -1, has("cmp"), 2, ("of_those",)) is not None

    def _beside(self, at: int, token: Token) -> Token:
        """A word as what it is beside its neighbours."""
        column = self.named(token)
        if column is None:
            return token
        again = at + 1 < len(self.tokens) and column == self.named(self.tokens[at + 1])
        if again and not token.has("unit", "agg", "money", "head"):
            return replace(token, senses=frozenset({Sense("free")}))  # 镜片 宽度 of lens_width
        denied = column.kind == "date" and not column.complete and self.near(at, -1, has("not"), 2) is not None
        return token.without("value") if denied else token  # have not been collected

    def _of_table(self, token: Token) -> Token:
        """A word for something of the table without what it could be elsewhere: orders are no order."""
        token = token.without("sort", "deal", "show", "compute", "event")
        named = self.named(token)  # still open is not on which day it was opened
        says = named is not None and named.kind == "date" and token.text.lower() not in _written(named.name)
        token = token if says else token.without("undone")
        return token if self.names("date")(token) else token.without("money")

    def _is_day(self, at: int) -> bool:
        """Whether a word that is a value, and a date's name, says when it was: arrived in June."""
        token = self.tokens[at]
        return token.has("value") and self.names("date")(token) and self.near(at, 1, has(*_DATED), 2) is not None

    def _is_particle(self, at: int) -> bool:
        """Whether a character that is a value is more often something else: 把单号给我. Its column says it is one."""
        if self.text(at) not in _PARTICLES:
            return False
        columns = [self.table.column(name) for name in valued(self.tokens[at])]
        return not any(self.named(one) in columns for one in self.tokens[max(0, at - 2) : at + 2])

    def _is_verb(self, token: Token) -> bool:
        """Whether a verb is only a part of a column's name, and others are what is asked for: sold the most pieces."""
        column, verbs = self.named(token), ("free", "deal", "event", "money")
        last = token is self.tokens[-1] and token.has("free")  # how many hours did each of them work
        if column is None or not token.has(*verbs) or (token.text.lower() in _written(column.name) and not last):
            return False
        named = [one for one in map(self.named, self.tokens) if one is not None and one != column]
        figures = any(one.has("agg", "sup", "count", "each") for one in self.tokens)
        if not figures or token.has("rowname") or not token.text.isascii() or column.kind == "flag":
            return False
        if column.kind == "date":
            return bool(named) and column.complete and not any(one.has(*_DATED) for one in self.tokens)
        return any(one.kind == "number" for one in named) if column.kind == "number" else bool(named)

    def _not_meant(self, token: Token) -> tuple[str, ...]:
        """What a word is not that is a figure and a column: the total of those may be the sum of the column total.

        It is the column where it is its very name, and another figure is not without one.
        """
        rest = [one for one in self.tokens if one is not token]
        numbers = any(map(self.names("number"), rest))
        words = (one for one in rest if not one.has("rowname", "value"))
        asked = any(one.has("agg", "sup", "cmp", "post", "count", "sort", "by") for one in words)
        if Sense("agg", "sum") in token.senses and self.names("number")(token) and not asked and not numbers:
            return ()
        exact = any(token.text.lower() in _written(str(sense.value)) for sense in token.all("column"))
        figures = any(one.has("agg", "sup", "cmp", "count") for one in rest)
        return ("agg", "count", "sup") if exact and (figures or not numbers) else ("column",)
