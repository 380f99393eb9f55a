"""A table and its columns, as far as a question has to know them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from switchyard.agents.by_rules.query import NotRead, quoted
from switchyard.language.dictionary import glosses_of
from switchyard.language.lexicon import Key, Sense, key_of, senses_of
from switchyard.language.units import Unit, unit_named

ColumnKind = Literal["number", "date", "flag", "text"]
FILE = "file"
"""What a word for rows speaks of that is the name of their file."""
FOLDER = "folder"
"""The same of a folder that the file lies in."""
_SIGNS = {"*": "×", "+": "+", "-": "−"}
"""What may be done with two columns."""
LONGEST_PHRASE = 7
"""Words, or Chinese characters, of a value that may stand in a question."""
WEAK, VERBS = frozenset({"unit", "mult", "row", "undone", "light"}), frozenset({"deal", "event", "money"})
"""Kinds of words that may name what is there all the same, 分钟, and those that may name a date or a flag: bought."""
_RATE = re.compile(r"(?i)/|每|(?:^|[\W_])(?:per|rate)(?:$|[\W_])")
"""In the name of a column that is so much of one thing for each of another: 元/小时, kg_per_bag."""
_PARTS = re.compile(r"[\W_]+|(?<=[\u3400-\u9fff])(?=[A-Za-z])")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where the next word of a name begins that is written as one: unitPrice."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    kind: ColumnKind
    values: tuple[str, ...] = ()
    """The different texts in it, where they are not too many; of dates, the months."""
    unique: bool = False
    """No value stands in it twice: it names the rows."""
    complete: bool = True
    """No row is without it."""
    nothing: tuple[str, ...] = ()
    """What stands in it where a row has none of it: n/a."""
    read_as: str = ""
    """The SQL that makes numbers or dates of what is written in another form: 13,716.97, £12.50, 13/01/2026."""
    most: float = 0.0
    """The highest of its numbers."""


@dataclass(frozen=True)
class Table:
    """A table in a file, or the rows of an earlier result."""

    path: str
    columns: tuple[Column, ...]
    count: int
    rows: str = ""
    """The SELECT that makes them of what is in the file, where they stand inside something else."""
    entries: dict[Key, frozenset[Sense]] = field(default_factory=dict[Key, frozenset[Sense]], compare=False)
    """Its columns, values and rows as a dictionary."""
    concepts: dict[str, str] = field(default_factory=dict[str, str], compare=False)
    """By kind of column (`data/concepts.tsv`) the one that is of that kind."""
    named: str = ""
    """The column that says which row it is, for rows of a result."""
    measure: str = ""
    """What the largest of them is the largest by, where nothing else is said."""
    large: Path | None = None
    """The file, where it is too large for its values to be known."""
    reckoned: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    """Columns that are worked out of others, quantity × price, with the SQL that does it."""

    def with_reckoned(self, first: str, sign: str, second: str) -> "tuple[Table, str]":
        """The table with a column that is worked out of two others, and what it is called."""
        one, other = quoted(first), quoted(second)
        sql = f"({one} * {other})" if sign == "*" else f"(coalesce({one}, 0) {sign} coalesce({other}, 0))"
        name = f"{first} {_SIGNS[sign]} {second}"
        columns = (*(one for one in self.columns if one.name != name), Column(name, "number"))
        return replace(self, columns=columns, reckoned={**self.reckoned, name: sql}), name

    def rows_with(self, columns: Iterable[str]) -> str:
        """The SELECT that makes the rows with these columns; none where the file has them as they are."""
        named = sorted({name for name in columns if name in self.reckoned})
        more = "".join(f", {self.reckoned[name]} AS {quoted(name)}" for name in named)
        source = f"({self.rows})" if self.rows else "data"
        return f"SELECT *{more} FROM {source}" if more else self.rows  # noqa: S608  names are quoted

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            NotRead: when it has none.
        """
        if name not in self._by_name:
            raise NotRead(name)
        return self._by_name[name]

    @cached_property
    def stem(self) -> str:
        """The name of its file without the ending."""
        return Path(self.path).stem

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    @cached_property
    def odd_values(self) -> list[tuple[str, str, str]]:
        """Values with digits or signs in them, which would be cut as words, in small letters and with their column."""
        texts = [(one.name, value) for one in self.columns if one.kind == "text" for value in one.values]
        return [(value.lower(), name, value) for name, value in texts if len(value) > 1 and not value.isalpha()]

    @cached_property
    def names(self) -> frozenset[str]:
        """What its rows are called, and the values in it."""
        known = (one for senses in self.entries.values() for one in senses if one.kind in {"rowname", "value"})
        return frozenset(str(one.value if one.kind == "rowname" else one.value[1]) for one in known)

    @cached_property
    def words(self) -> frozenset[str]:
        """The single words for what is there, but for the folders around it."""
        known = ((key[0], senses) for key, senses in self.entries.items() if len(key) == 1)
        return frozenset(word for word, senses in known if not any(one.about == FOLDER for one in senses))

    @cached_property
    def in_english(self) -> list[tuple[Key, frozenset[Sense]]]:
        """What its Chinese words mean in English, where nobody has that word."""
        found: list[tuple[Key, frozenset[Sense]]] = []
        for key in self.entries:
            word, senses = "".join(key), self.whole(key)
            is_read = senses and 1 < len(word) <= LONGEST_PHRASE and not word.isascii()
            meanings = glosses_of(word) if is_read else ()
            named = any(one.kind == "column" and word == plain_name(one.value) for one in senses)  # 加班, work overtime
            heads = [one.split()[-1] for one in meanings if named and " " in one]
            for meaning in (*meanings, *(one for one in heads if not senses_of(key_of(one)))):
                said = key_of(meaning)
                kinds = {one.kind for one in senses_of(said)}
                if said and not self.whole(said) and kinds <= WEAK | VERBS | {"sort"}:
                    found.append((said, senses))
        return found

    def whole(self, key: Key) -> frozenset[Sense]:
        """What a phrase means here, but for longer values that it is only a part of: those have no translation."""
        senses = self.entries.get(key, frozenset())
        return frozenset(one for one in senses if one.kind != "value" or key == key_of(one.value[1].removeprefix("已")))


def unit_of(column: str) -> Unit | None:
    """What a column is measured in, by the end of its name: weight_kg, 时长分钟, litres, 重量（公斤）."""
    words = [word for word in _PARTS.split(CAMEL.sub(" ", column)) if word]
    if _RATE.search(column):
        return None
    last = words[-1] if words else ""
    ends = [last, *(last[-length:] for length in (3, 2) if not last.isascii() and len(last) > length)]
    return next((unit for end in ends if len(end) > 1 and (unit := unit_named(end.lower()))), None)


_ASIDE = re.compile(
    r"\s*[(（\[](.*?)[)）\]]|(?<=[\u3400-\u9fff])\s*([A-Za-z/]+)$|\s*([%£$€¥￥°℃]+)$|(?<=\w)[ _]([A-Za-z]+)$"
    r"|(?<=[\u3400-\u9fff]{2})(?<![单公纪状多每])([万亿]?元)$"
)
"""What the name of a column ends with that may only say what it is measured in."""
_CURRENCIES = frozenset({"usd", "eur", "cny", "sgd", "gbp", "cad", "aud", "hkd", "rmb", "pct", "percent"})


def plain_name(name: str) -> str:
    """The name of a column without what it is measured in: Weight (kg), total_eur, 重量kg, 金额元."""
    while match := _ASIDE.search(name):
        inside = next(filter(None, match.groups()), "")
        is_word = match[4] is not None and inside.lower() not in _CURRENCIES and unit_named(inside) is None
        before = name[: match.start()]
        if is_word or inside == "in" or not before or before.endswith("per"):  # check in, price per kg
            break
        name = before + name[match.end() :]
    return name
