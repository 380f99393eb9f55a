"""What is there: the tables of the workspace, their columns and the values that occur, for questions about them.

Bounded in files, bytes and values, and remembered as long as a file does not change. Only what a question is read
against comes from here; every row of an answer comes from a tool's result.
"""

import csv
import io
import json
import mmap
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, cast

from switchyard.agents.by_rules.query import NotRead, quoted
from switchyard.language.dictionary import glosses_of, meanings_of
from switchyard.language.lexicon import Key, Sense, key_of, narrows, senses_of
from switchyard.language.tables import phrases
from switchyard.language.tables import rows as table_rows
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.units import Unit, unit_named
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import read_text, walk

ColumnKind = Literal["number", "date", "flag", "text"]

FILE = "file"
"""What a word for rows speaks of that is the name of their file."""
FOLDER = "folder"
"""The same of a folder that the file lies in."""
FEWEST_NUMBERED = 8
"""Rows from which on numbers that rise one by one are no chance."""
MOST_TABLES = 40
"""Tables that a question without a file's name is read against."""
MOST_ENTRIES = 3_000
"""Entries of the workspace that are looked at for tables."""
MOST_BYTES = 5_000_000
"""Of a file whose values are read; of a larger CSV the head is, and values are looked up as a question says them."""
HEAD_BYTES = 1_000_000
MOST_BYTES_LOOKED_UP = 500_000_000
MOST_BYTES_UNNAMED = 8_000_000
"""Of all files together that a question without a name is read against, the smallest first."""
MOST_VALUES = 3_000
"""Different values of a column that are known; a column with more names things one by one."""
LONGEST_VALUE = 60
SIGNS = {"*": "×", "+": "+", "-": "−"}
"""What may be done with two columns."""
_SENTENCES = frozenset("heading note notes remark remarks comment comments description 备注 说明".split())  # noqa: SIM905
"""Columns that have sentences: of those a part is no name."""
LONGEST_CUT = 5
"""Words of a value that may be named by a part of it; a longer one is a sentence."""
LONGEST_PHRASE = 7
"""Words, or Chinese characters, of a value that may stand in a question."""

MOST_MEANINGS = 4
"""Meanings of a Chinese word whose last word may name what is there."""
MOST_RUNS, MOST_PLACES = 60, 50
"""Runs of words of a question that are looked up in a large file, and how often each."""
_LATIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?")
_ENDINGS = {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".log", ".md", ".txt"}
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?")
_NUMBERED = re.compile(r"(?i)(?:^|[\W_])(?:id|no|nr|num|number|code|ref|sku|phone|tel|mobile|line)$|号|电话|手机")
"""Names of columns of numbers that say which row it is, not how much."""
_WRITTEN_NUMBER = re.compile(r"[£$€¥￥]?\s?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?(?:%|元|欧元|£|€|[A-Z]{3}|kr)?")
_WITH_COMMA = re.compile(r"-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?")
"""The same as most of Europe writes it: 1.249,00."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
TRUE, FALSE = ("true", "yes", "y", "✓", "√", "有", "是"), ("false", "no", "n", "✗", "×", "无", "没有", "否")
"""How columns of yes and no are written, and read."""
_NOTHING = ("none", "n/a", "-", "--", "无", "没有", "空")
"""How a cell of texts says that it has nothing."""
_COLLECTIONS = tuple("价目 目录 登记 安排 记录 清单 名单 明细 台账 列表 表 库存 信息 数据".split())  # noqa: SIM905
"""What the name of a Chinese file ends with that says that it has many of something."""
_TIME = re.compile(r"\W*(\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?)")
_LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b")
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")
_TIME_WORD = re.compile(r"(?i)(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*|q|[年月日下上]+")
"""A part of a file's name that only says of when it is: sales-oct-2026, expenses Q3."""
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_RATE = re.compile(r"(?i)/|每|(?:^|[\W_])(?:per|rate)(?:$|[\W_])")
"""In the name of a column that is so much of one thing for each of another: 元/小时, kg_per_bag."""
_PERIODS = frozenset({"hour", "day", "night", "week", "month", "year"})
LISTED = re.compile(r"\s*[,;/|、，；]\s*")
"""What parts the things that stand in one cell: peanuts, eggs."""
_PER_UNIT = re.compile(r"(?i)(?:eur|usd|gbp|cny|rmb|cad|aud|nzd|price|cost|fee)s?_per_(\w+)$")
_PARTS = re.compile(r"[\W_]+|(?<=[\u3400-\u9fff])(?=[A-Za-z])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


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
        name = f"{first} {SIGNS[sign]} {second}"
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
                if said and not self.whole(said) and kinds <= _WEAK | _VERBS | {"sort"}:
                    found.append((said, senses))
        return found

    def whole(self, key: Key) -> frozenset[Sense]:
        """What a phrase means here, but for longer values that it is only a part of: those have no translation."""
        senses = self.entries.get(key, frozenset())
        return frozenset(one for one in senses if one.kind != "value" or key == key_of(one.value[1].removeprefix("已")))


def tables_in(workspace: Path) -> list[Table]:
    """The tables of a workspace; what cannot be read as one is left out."""
    root = workspace.resolve()
    files = [
        (entry.stat(follow_symlinks=False).st_size, entry.path)
        for entry in walk(root, hidden=False, limit=MOST_ENTRIES)
        if Path(entry.name).suffix.lower() in _ENDINGS and entry.is_file(follow_symlinks=False)
    ]
    found: list[Table] = []
    read = 0
    for size, path in sorted(files):
        read += min(size, HEAD_BYTES) if size > MOST_BYTES else size
        if read > MOST_BYTES_UNNAMED or len(found) >= MOST_TABLES:
            break
        found += tables_at(root, Path(path))
    return found


def tables_at(root: Path, path: Path) -> tuple[Table, ...]:
    """The tables in a file: one, or the lists of objects in a JSON file; none where it is too large to look at."""
    try:
        stat = path.stat()
    except OSError:
        return ()
    name = os.path.relpath(path, root).replace(os.sep, "/")
    if stat.st_size > MOST_BYTES:
        return _large(path, name, stat.st_mtime_ns, stat.st_size) if path.suffix.lower() in {".csv", ".tsv"} else ()
    return _tables(path, name, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=16)
def _large(path: Path, name: str, _changed: int, size: int) -> tuple[Table, ...]:
    """The table of a large file by its first rows: its columns are known, what stands in all rows is not."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES if size <= MOST_BYTES_LOOKED_UP else 0).decode("utf-8-sig", "strict")
    except (OSError, ValueError):
        return ()
    found = _csv(name, head[: head.rfind("\n") + 1])
    columns = [replace(column, values=(), unique=False, complete=False) for table in found for column in table.columns]
    return (replace(_of_columns(columns, name, 0), large=path),) if columns else ()


def with_values_in(text: str, table: Table) -> Table:
    """A large table with those values that stand in a question; they are looked for in the file."""
    texts = {column.name: at for at, column in enumerate(table.columns) if column.kind == "text"}
    if table.large is None or not texts:
        return table
    found: dict[str, set[str]] = {}
    words = [match.span() for match in _LATIN.finditer(text)]
    words += [(start, end) for word, start, end in located_words(text) if has_chinese(word)]
    runs = [(start, last) for at, (start, _) in enumerate(sorted(words)) for _, last in sorted(words)[at : at + 3]]
    with table.large.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        separator = max(",;\t|", key=content[: content.find(b"\n")].decode("utf-8", "ignore").count)
        for said in {text[start:last] for start, last in runs[:MOST_RUNS]}:
            for at in _places(content, said.encode(), separator.encode()):
                line = content[content.rfind(b"\n", 0, at) + 1 : content.find(b"\n", at)].decode("utf-8", "ignore")
                cells = next(csv.reader([line], delimiter=separator))
                for name in (name for name, column in texts.items() if cells[column : column + 1] == [said]):
                    found.setdefault(name, set()).add(said)
    columns = [replace(one, values=tuple(sorted(found.get(one.name, ())))) for one in table.columns]
    return _of_columns(columns, table.path, 0)


def _places(content: mmap.mmap, said: bytes, separator: bytes) -> Iterable[int]:
    """Where a text begins a cell below the header, the first few."""
    at = content.find(b"\n") - 1
    for _ in range(MOST_PLACES):
        if (at := content.find(said, at + 1)) < 0:
            return
        if content[at - 1 : at] in {separator, b'"', b"\n"}:
            yield at


@lru_cache(maxsize=128)
def _tables(path: Path, name: str, _changed: int, _size: int) -> tuple[Table, ...]:
    try:
        text = read_text(path, MOST_BYTES)
        match path.suffix.lower():
            case ".log":
                return (_log(name, text),)
            case ".md" | ".txt":
                return (*_headings(name, text), *_tasks(name, text))
            case ".csv" | ".tsv":
                return tuple(_csv(name, text))
            case ".json":
                return tuple(tables_in_json(name, json.loads(text)))
            case _:
                return tuple(tables_in_json(name, [json.loads(line) for line in text.splitlines() if line.strip()]))
    except (ToolError, OSError, ValueError, csv.Error):
        return ()


_BOX = r"^\s*(?:[-*+]\s+|\d+[.)]\s*)?\[([ xX✓√]?)\]\s+(.+)$"
_DOER = (
    r"(?:\(|（|\s[-–—]\s)([A-Z][^\s\d,，()（）.!]+(?: [A-Z][^\s\d,，()（）.!]+)?|[㐀-鿿]{2,3})(?:[,，)）]|\s[-–—]\s|$)"
)
"""Who has to do it, behind the task: (Mart, by 20 Nov), - Daniel - due 20 Nov."""
_TASKS = {
    "task": f"regexp_extract(text, '{_BOX}', 2)",
    "done": f"regexp_extract(text, '{_BOX}', 1) NOT IN ('', ' ')",
    "section": "trim(regexp_replace(last_value(heading IGNORE NULLS) OVER (ORDER BY line), '[(（].*', ''))",
    "who": f"regexp_extract(text, '{_DOER}', 1)",
}


def _tasks(path: str, text: str) -> Iterable[Table]:
    """The boxes of a list that are ticked or not, each with the heading it stands under and who has to do it."""
    records: list[dict[str, Any]] = []
    section, title = "", ""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            section = re.sub(r"[(（].*", "", heading[1]).strip()
            title = title or heading[1]
        elif task := re.match(_BOX, line):
            doer = re.search(_DOER, task[2])
            done = "yes" if task[1].strip() else "no"
            records.append({"task": task[2].strip(), "done": done, "section": section, "who": doer[1] if doer else ""})
    if not records:
        return
    names = {"task", "done"} | ({"section"} if len({one["section"] for one in records}) > 1 else set[str]())
    if 2 * sum(bool(one["who"]) for one in records) > len(records):  # else names of anybody
        names.add("who")
    records = [{name: cell for name, cell in one.items() if name in names} for one in records]
    columns = ", ".join(f"{sql} AS {name}" for name, sql in _TASKS.items() if name in names)
    rows = f"SELECT {columns} FROM data QUALIFY count(*) OVER () > 0 AND regexp_matches(text, '{_BOX}')"  # noqa: S608
    called = (*phrases("ticked", "called"), Path(path).stem, *re.split(r"[()（）]", title))
    table = table_of(path, records, called, rows, texts=("task", "done"))
    senses = [(phrase, Sense("ticked", wanted)) for wanted in ("yes", "no") for phrase in phrases("ticked", wanted)]
    senses += [(phrase, Sense("rowname", phrase)) for phrase in phrases("ticked", "called")]
    senses += [(phrase, Sense("free", "here")) for phrase in phrases("ticked", "under")]
    named = {key_of(phrase): frozenset({sense}) for phrase, sense in senses}
    yield replace(table, entries={**table.entries, **named})


def _log(path: str, text: str) -> Table:
    """The lines of a log, as the tool for tables has them."""
    records: list[dict[str, Any]] = []
    for number, line in enumerate(text.rstrip("\n").split("\n"), start=1):
        time, level = _TIME.match(line), _LEVEL.search(line)
        found = {"time": time[1] if time else "", "level": level[1] if level else ""}
        records.append({"line": number, **found, "text": line})
    table = table_of(path, records, (Path(path).stem, "log", "日志"), texts=("text",))
    rows = {key_of(name): frozenset({Sense("rowname", name)}) for name in ("lines", "行")}  # any file has them
    return replace(table, entries={**table.entries, **rows})  # the lines, not their numbers


def _headings(path: str, text: str) -> Iterable[Table]:
    found = [
        {"line": number, "heading": match[1]}
        for number, line in enumerate(text.split("\n"), start=1)
        if (match := _HEADING.match(line))
    ]
    if found:
        rows = "SELECT line, heading FROM data WHERE heading IS NOT NULL"
        called = ("headings", "标题", "章节", "小标题", "section")
        yield table_of(path, found, called, rows, texts=("heading",))


def tables_in_json(path: str, content: Any) -> Iterable[Table]:
    """A list of objects; of an object, the lists of objects in it."""
    if isinstance(content, list):
        objects = cast("list[Any]", content)
        if objects and all(isinstance(one, dict) for one in objects):
            yield table_of(path, cast("list[dict[str, Any]]", objects))
        return
    for key, records in cast("dict[str, Any]", content).items() if isinstance(content, dict) else ():
        if isinstance(records, list) and records and all(isinstance(one, dict) for one in cast("list[Any]", records)):
            rows = f"SELECT unnest({quoted(key)}, max_depth := 2) FROM data"  # noqa: S608  names are quoted
            yield table_of(path, cast("list[dict[str, Any]]", records), called=(key,), rows=rows)


def _csv(path: str, text: str) -> Iterable[Table]:
    separator = max(",;\t|", key=text.partition("\n")[0].count)
    names, *rows = list(csv.reader(io.StringIO(text), delimiter=separator)) or [[]]
    rows = [row for row in rows if row]
    if rows and names:
        cells = {name: [row[at] if at < len(row) else "" for row in rows] for at, name in enumerate(names) if name}
        yield _of_columns(_columns_of(cells, (Path(path).stem,)), path, len(rows))


def table_of(
    path: str,
    records: Sequence[dict[str, Any]],
    called: tuple[str, ...] = (),
    rows: str = "",
    texts: Collection[str] = (),
) -> Table:
    """Records as a table that questions can be read against; what is in `texts` has sentences, not names of things."""
    names = dict.fromkeys(name for record in records for name in record)
    cells = {name: [record.get(name) for record in records] for name in names}
    columns = _columns_of(cells, called or (Path(path).stem,))
    columns = [replace(one, values=()) if one.name in texts else one for one in columns]
    return _of_columns(columns, path, len(records), called, rows)


def unit_of(column: str) -> Unit | None:
    """What a column is measured in, by the end of its name: weight_kg, 时长分钟, litres, 重量（公斤）."""
    words = [word for word in _PARTS.split(_CAMEL.sub(" ", column)) if word]
    if _RATE.search(column):
        return None
    last = words[-1] if words else ""
    ends = [last, *(last[-length:] for length in (3, 2) if not last.isascii() and len(last) > length)]
    return next((unit for end in ends if len(end) > 1 and (unit := unit_named(end.lower()))), None)


def table_of_columns(
    label: str, columns: Mapping[str, ColumnKind], called: Iterable[str], named: str = "", measure: str = ""
) -> Table:
    """Rows that are not there yet, of which only the columns are known: those of a tool's result."""
    known = tuple(Column(name, kind, unique=kind == "text") for name, kind in columns.items())
    entries, concepts = _entries(known, called)
    return Table(label, known, 0, entries=entries, concepts=concepts, named=named, measure=measure)


def _of_columns(
    columns: Sequence[Column], path: str, count: int, called: tuple[str, ...] = (), rows: str = ""
) -> Table:
    names = dict.fromkeys(name for one in called or (Path(path).stem,) for name in _called(one))
    read_as = ", ".join(f"{one.read_as} AS {quoted(one.name)}" for one in columns if one.read_as)
    rows = f"SELECT * REPLACE ({read_as}) FROM {f'({rows})' if rows else 'data'}" if read_as else rows  # noqa: S608
    entries, concepts = _entries(columns, names, path)
    return _valued(Table(path, tuple(columns), count, rows=rows, entries=entries, concepts=concepts))


def _valued(table: Table) -> Table:
    """The table with what its rows are worth, where it has a number of things and a price, and no money beside it."""
    kinds = {kind: name for kind, name in table.concepts.items() if table.column(name).kind == "number"}
    count = kinds.get("quantity") or kinds.get("stock")
    names = [one.name for one in table.columns if one.kind == "number"]
    each = [(one, match[1]) for one in names if (match := _PER_UNIT.search(one))]  # kg, eur_per_kg
    if len(each) == 1 and "price" not in kinds and each[0][1] in names:
        kinds["price"], count = each[0]
        kinds["quantity"] = count
    if count is None or "price" not in kinds or {"amount", "discount"} & kinds.keys():
        return table
    valued, name = table.with_reckoned(count, "*", kinds["price"])
    happened = "quantity" in kinds and any(one.kind == "date" and one.complete for one in table.columns)
    return replace(valued, concepts={**table.concepts, **({"turnover": name} if happened else {})})


def _columns_of(cells: Mapping[str, Sequence[Any]], called: Iterable[str]) -> list[Column]:
    """The columns; the first, where it is called what the rows are, names them: an invoice of invoices.csv."""
    rows = {key_of(name) for one in called for name in _called(one)}
    first = next(iter(cells), "")
    return [_column(name, found, names_rows=name == first and key_of(name) in rows) for name, found in cells.items()]


def _column(name: str, cells: Sequence[Any], *, names_rows: bool) -> Column:
    if any(isinstance(cell, dict | list) for cell in cells):
        return Column(name, "text")
    told = {cell if isinstance(cell, str) else "" if cell is None else str(cell) for cell in cells}
    texts = {text.strip() for text in told} - {""}
    empty = "" in told or not texts
    unique = not empty and len(texts) == len(cells) > 1
    if texts and all(text.lower() in TRUE + FALSE for text in texts):
        return Column(name, "flag", tuple(sorted(texts)), complete=not empty)
    if texts and all(map(_NUMBER.fullmatch, texts)):
        numbered = unique and (names_rows or _NUMBERED.search(name) is not None or _is_sequence(cells))
        return Column(name, "number", unique=numbered, complete=not empty, most=max(map(float, texts)))
    if texts and all(map(_DATE.fullmatch, texts)):
        months = {"{}-{:0>2}".format(*re.split(r"\D", text)[:2]) for text in texts}
        daily = unique and len({text[:10] for text in texts}) == len(texts)  # times of one day are no days
        return Column(name, "date", tuple(sorted(months)), daily, not empty)
    if (written := _written_otherwise(name, texts)) is not None:
        return replace(written, complete=not empty, unique=unique and written.kind == "date")
    nothing = tuple(text for text in sorted(texts) if text.lower() in _NOTHING)
    kept = tuple(sorted(text for text in texts.difference(nothing) if len(text) <= LONGEST_VALUE))
    return Column(name, "text", kept if len(kept) <= MOST_VALUES else (), unique, not empty and not nothing, nothing)


def _is_sequence(cells: Sequence[Any]) -> bool:
    """Whether whole numbers only tell the rows apart: 4101, 4102, 4105, one after the other."""
    texts = [str(cell).strip() for cell in cells]
    if not all(map(str.isdecimal, texts)):
        return False
    numbers = [int(text) for text in texts]
    rises = all(one < other for one, other in pairwise(numbers))
    return rises and len(numbers) >= FEWEST_NUMBERED and numbers[-1] - numbers[0] <= 2 * len(numbers)


def _written_otherwise(name: str, texts: Collection[str]) -> Column | None:
    """A column of numbers with signs in them, or of dates in another form, if it can be told which."""
    said = f"CAST({quoted(name)} AS VARCHAR)"
    if all(map(_WITH_COMMA.fullmatch, texts)) and any(re.search(r",(?!\d{3}$)", text) for text in texts):
        most = max(float(text.replace(".", "").replace(",", ".")) for text in texts)
        read_as = f"TRY_CAST(replace(replace({said}, '.', ''), ',', '.') AS DOUBLE)"
        return Column(name, "number", read_as=read_as, most=most)
    signs = {re.sub(r"[\d.,\s-]", "", text) for text in texts} - {""}  # pounds are no euros
    if texts and all(map(_WRITTEN_NUMBER.fullmatch, texts)) and len(signs) < 2:  # noqa: PLR2004
        most = max(float(re.sub(r"[^\d.-]", "", text)) for text in texts)
        read_as = f"TRY_CAST(regexp_replace({said}, '[^0-9.-]', '', 'g') AS DOUBLE)"
        return Column(name, "number", read_as=read_as, most=most)
    forms = [(form, days) for form in _DATE_FORMS if (days := _days_written(texts, form))]
    if not forms or any(days != forms[0][1] for _, days in forms):
        return None
    read_as = f"coalesce(TRY_CAST({said} AS DATE), CAST(try_strptime({said}, '{forms[0][0]}') AS DATE))"
    return Column(name, "date", tuple(sorted({f"{day:%Y-%m}" for day in forms[0][1]})), read_as=read_as)


_DATE_FORMS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%Y年%m月%d日")


def _days_written(texts: Collection[str], form: str) -> set[datetime]:
    """The days that texts are in a form; none where one is not."""
    try:
        return {datetime.strptime(text, form) for text in texts}  # noqa: DTZ007  a day has no zone
    except ValueError:
        return set()


def _called(stem: str) -> Iterable[str]:
    """What the rows of a file of this name are called."""
    words = _words_in(stem)
    if words:
        yield " ".join(words)
        yield from reversed(words)
        for kind in _COLLECTIONS:
            if words[-1].endswith(kind) and len(words[-1]) > len(kind):
                yield words[-1].removesuffix(kind)


def _words_in(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_\d]+", _CAMEL.sub(" ", name)) if word and not _TIME_WORD.fullmatch(word)]


def _around(path: str) -> dict[str, set[Sense]]:
    """What else a file is known by: the folders it lies in, and parts of a longer Chinese name."""
    *folders, name = [_words_in(part) for part in Path(path or "-").with_suffix("").parts]
    parts = [part for word in name if len(word) > 3 and not word.isascii() for part in (word[:2], word[-2:])]  # noqa: PLR2004
    sheets = [f"{part}{sheet}" for part in (*name, *parts) for sheet in ("表", "表里")]
    found = {word.lower(): {Sense("rowname", word, FOLDER)} for part in (*folders, name) for word in part}
    return found | {part: {Sense("rowname", part, FILE)} for part in (*parts, *sheets)}


def _entries(
    columns: Sequence[Column], called: Iterable[str], path: str = ""
) -> tuple[dict[Key, frozenset[Sense]], dict[str, str]]:
    found, exact = _named_columns(columns)
    flags = {column.name for column in columns if column.kind == "flag"}
    concepts = _by_concept(exact, found, flags)
    for column in columns:
        for value in column.values if column.kind == "text" else ():
            key = key_of(value)
            if key and len(key) <= LONGEST_PHRASE and not (len(key) == 1 and key[0].isdigit()):
                found.setdefault(key, set()).add(Sense("value", (column.name, value)))
    rows = {key_of(name): Sense("rowname", name, FILE) for name in called}
    _add_parts(found, rows, columns, path)
    for key, sense in rows.items():
        found.setdefault(key, set()).add(sense)
    return {key: frozenset(senses) for key, senses in found.items()}, concepts


def _add_parts(found: dict[Key, set[Sense]], rows: Mapping[Key, Sense], columns: Sequence[Column], path: str) -> None:
    """Put what stands for a longer name, where no other has it."""
    dates = {column.name for column in columns if column.kind in {"date", "flag"}}
    parted = (_about(columns), _words_of(columns), _around(path), _parts_of_values(columns), _done_by(columns))
    for parts in parted:
        by_key: dict[Key, set[Sense]] = {}
        for part, senses in parts.items():
            if len(part) > 2 or not part.isascii():  # noqa: PLR2004  of, to
                by_key.setdefault(key_of(part), set()).update(senses)
        for key, senses in by_key.items():
            verbs = _VERBS if dates.issuperset(sense.value for sense in senses) else frozenset[str]()
            known = {sense.kind for sense in senses_of(key)} - _WEAK - verbs
            meant = {sense.value[0] if sense.kind == "value" else sense for sense in senses}  # values of one column
            if len(meant) == 1 and key not in found and key not in rows and not known:
                found[key] = senses


_WEAK, _VERBS = frozenset({"unit", "mult", "row", "undone", "light"}), frozenset({"deal", "event", "money"})
"""Kinds of words that may name what is there all the same, 分钟, and those that may name a date or a flag: bought."""


def _named_columns(columns: Sequence[Column]) -> tuple[dict[Key, set[Sense]], dict[Key, str]]:
    """The columns by their names, as they are written and as they are spoken."""
    found: dict[Key, set[Sense]] = {}
    exact: dict[Key, str] = {}
    for column in columns:
        names = (column.name, plain_name(column.name).removeprefix("已"))
        spoken = [
            re.sub(r"[_.?？:：-]|[(（][^)）]*[)）]$", " ", _CAMEL.sub(" ", name)) for name in names
        ]  # 金额（元） is 金额
        for key in dict.fromkeys(map(key_of, (*names, *spoken))):
            if key and not (key in exact and exact[key] != column.name):
                found.setdefault(key, set()).add(Sense("column", column.name))
                exact.setdefault(key, column.name)
        words = key_of(spoken[0])
        if unit := re.search(r"[(（]([\u3400-\u9fff]{1,2})[)）]$", column.name):
            found.setdefault(key_of(f"{unit[1]}数"), set()).add(Sense("column", column.name))  # 副数 of 数量(副)
        parts = [part.lower() for part in re.split(r"[\W_]+", column.name) if part and part != "per"]
        if len(parts) == 2 and parts[1] in _PERIODS:  # noqa: PLR2004  hours a week of hours_week
            for between in ("a", "per", "each"):
                found.setdefault(key_of(f"{parts[0]} {between} {parts[1]}"), set()).add(Sense("column", column.name))
        if len(words) > 2 and unit_of(column.name):  # noqa: PLR2004  lead_time_days is the lead time
            found.setdefault(words[:-1], set()).add(Sense("column", column.name))
    return found, exact


@cache
def _listed_concepts() -> list[tuple[str, dict[Key, str]]]:
    """The words for each kind of column, by their keys."""
    listed = (
        (concept, [word for cell in cells for word in cell.split("|")]) for concept, *cells in table_rows("concepts")
    )
    return [(concept, {key_of(word): word for word in words}) for concept, words in listed]


def _by_concept(exact: dict[Key, str], found: dict[Key, set[Sense]], flags: Collection[str]) -> dict[str, str]:
    """The words people use for the columns there are; a column whose own name a word is comes first.

    Of a column of yes and no (`flags`) no part says of what kind it is: a sick_day is no date.
    """
    concepts: dict[str, str] = {}
    own: dict[Key, str] = {(part,): name for key, name in exact.items() if len(key) > 1 for part in key}
    for concept, listed in _listed_concepts():
        words = listed.keys()
        named = [name for key, name in exact.items() if key in words and name != "line"]  # which line is no count
        longer = ((key, name) for key, name in exact.items() if len(key) > 1 and name not in flags)
        parts = [name for key, name in longer if any((part,) in words for part in key if part.isascii())]
        meant = list(dict.fromkeys(named or (parts if concept != "paid" else ())))  # paid by is who paid
        own_name = [name for name in meant if concept in key_of(name.replace("_", " "))]  # price_eur before cost_eur
        if chosen := meant if len(meant) == 1 else own_name:
            concepts[concept] = chosen[0]
        for word in words if len(meant) == 1 else ():
            if word in own and own[word] != meant[0]:
                continue  # due is in the name of another column
            if word not in exact and unit_named(listed[word]) is None:  # hours are no minutes
                found.setdefault(word, set()).add(Sense("column", meant[0]))
    return concepts


_HEADS = tuple("编号 名称 名 号 款 日期 时间 数量 数 等级 金额 id name no code date".split())  # noqa: SIM905
"""What the name of a column ends with that says what it has of the thing it is about: 药名, pet_id."""
_ASIDE = re.compile(
    r"\s*[(（\[](.*?)[)）\]]|(?<=[\u3400-\u9fff])\s*([A-Za-z/]+)$|\s*([%£$€¥￥°℃]+)$|(?<=\w)[ _]([A-Za-z]+)$"
    r"|(?<=[\u3400-\u9fff]{2})(?<![单公纪状多每])([万亿]?元)$"
)
"""What the name of a column ends with that may only say what it is measured in."""
_CURRENCIES = frozenset({"usd", "eur", "cny", "sgd", "gbp", "cad", "aud", "hkd", "rmb", "pct", "percent"})
_NAMES = ("名称", "名", "name")


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


def _about(columns: Sequence[Column]) -> dict[str, set[Sense]]:
    """What columns are about, by the name without its last part; a name says it better than a number."""
    found: dict[str, dict[str, Column]] = {}
    for column in columns:
        for head in _HEADS:
            thing = column.name.lower().removesuffix(head).rstrip("_ -")
            if thing and thing != column.name.lower():
                found.setdefault(thing, {})[head] = column
                break
    senses: dict[str, set[Sense]] = {}
    for thing, by_head in found.items():
        named = [column for head, column in by_head.items() if head in _NAMES] or by_head.values()
        senses[thing] = {_sense_of(column) for column in named}
    return senses


def _done_by(columns: Sequence[Column]) -> dict[str, set[Sense]]:
    """What people do by the name of the column that says who: 接送 of 接送人."""
    done = (one for one in columns if len(one.name) > 2 and one.name[-1] in "人者")  # noqa: PLR2004  not 主人
    return {one.name[:-1]: {Sense("column", one.name)} for one in done}


def _sense_of(column: Column) -> Sense:
    """What a part of a column's name means: the rows, where the column has a value for each."""
    return Sense("rowname" if column.unique and column.kind == "text" else "column", column.name)


def _words_of(columns: Sequence[Column]) -> dict[str, set[Sense]]:
    """The words of longer names of columns, with what they are a part of."""
    found: dict[str, set[Sense]] = {}
    for column in columns:
        name = plain_name(column.name)
        words = [word.lower() for word in re.split(r"[\W_.]+", _CAMEL.sub(" ", name)) if word]
        if len(words) == 1:
            is_long = len(name) > 3 and not name.isascii()  # noqa: PLR2004  库存数量 is 库存
            words = [name[:2], name[-2:]] if is_long else []
        runs = [" ".join(words[:2]), " ".join(words[-2:])] if len(words) > 2 else []  # noqa: PLR2004  first_aid_expiry
        parts = [word for before, word in pairwise(["", *words]) if not _EACH.fullmatch(f"{before} {word}")]
        for part in (*parts, *runs):
            if not _is_narrowed(name, part):
                found.setdefault(part, set()).add(_sense_of(column))
    return found


_EACH = re.compile(r".* (?:hour|dai|week|month|year|quarter)ly|per (?:hour|day|week|month|year)")
"""What says of a figure how often it is paid or made: hourly_eur is no number of hours, and hours_per_week no week."""


def _is_narrowed(name: str, part: str) -> bool:
    """Whether the rest of a column's name says that it is the least or the most of a thing: 最低库存, min_stock."""
    rest = _CAMEL.sub(" ", name).lower().replace(part, " ")
    said = [word for word in re.split(r"[\W_.]+", rest) if word]
    return any(narrows(word) for word in said)


def _parts_of_values(columns: Sequence[Column]) -> dict[str, set[Sense]]:
    """Parts of longer values: Old Town of Old Town Deli, 浦东 of 浦东新区; what all of a column have says nothing."""
    found: dict[str, set[Sense]] = {}
    for column in columns:
        values = column.values if column.kind == "text" and column.name.lower() not in _SENTENCES else ()
        parts: dict[str, set[Sense]] = {}
        for value in values:
            for part in _parts(value):
                parts.setdefault(part, set()).add(Sense("value", (column.name, value)))
        for part, senses in parts.items():
            if (len(senses) < len(values) or len(values) == 1) and not _is_kind(part, senses, values):
                found.setdefault(part, set()).update(senses)
    return found


def _is_kind(part: str, senses: Collection[Sense], values: Sequence[str]) -> bool:
    """Whether the end of a Chinese value is what others are too: 赛马鞍 is a 马鞍, and so is 儿童鞍."""
    if len(part) != 2 or part.isascii() or not all(one.value[1].endswith(part) for one in senses):  # noqa: PLR2004
        return False
    return sum(value.endswith(part[-1]) for value in values) > len(senses)


def _parts(value: str) -> Iterable[str]:
    """Words of a value that stand together; of a Chinese one its beginning and its end; the things of a list."""
    words = value.lower().split()
    if len(listed := LISTED.split(value.lower())) > 1:
        yield from (one for one in listed if not one.isdigit())
    if 1 < len(words) <= LONGEST_CUT:
        for start in range(len(words)):
            yield from (
                " ".join(words[start:end]) for end in range(start + 1, len(words) + 1) if end - start < len(words)
            )
    for word in words if len(words) <= LONGEST_CUT else ():
        if _HAN_RUN.fullmatch(word) and 2 < len(word) <= LONGEST_PHRASE + 1:  # noqa: PLR2004  a part has two characters
            yield from (part for cut in range(2, len(word)) for part in (word[:cut], word[-cut:]))


def across(text: str, table: Table) -> dict[Key, frozenset[Sense]]:
    """The dictionary of a table with the words of a question that mean, in the other language, what is there."""
    found = dict(table.entries)
    for key, meanings in _translated(text) if has_chinese(text) else ():
        there = frozenset(one for meaning in meanings for one in table.whole(key_of(meaning)))
        there = there or _by_head("".join(key), table)
        if key not in found and there:
            found[key] = found["已", *key] = there
    wanted = set(key_of(text))
    for said, senses in table.in_english:
        if wanted.issuperset(said):
            found[said] = found.get(said, frozenset()) | senses
    return found


def _by_head(word: str, table: Table) -> frozenset[Sense]:
    """What a Chinese word means by the last word of a meaning, where that is one thing: 时薪, hourly wage, the wage.

    The rows or a figure alone: of a text the first word says which (藏语, Tibetan language).
    """
    heads = {key_of(meaning.split()[-1]) for meaning in meanings_of(word, MOST_MEANINGS) if " " in meaning}
    known = [(head, one) for head in heads if not senses_of(head) for one in table.entries.get(head, ())]
    there = {one for _, one in known}
    figures = {one.name for one in table.columns if one.kind == "number"}
    own = [one for head, one in known if one.kind == "column" and set(head) <= {*key_of(one.value.replace("_", " "))}]
    told = [one for one in there if one.kind == "rowname" or (one in own and one.value in figures)]  # no survival rate
    return frozenset(there) if len(there) == len(told) == 1 else frozenset()


ENDED = frozenset("好完成掉坏")
"""What Chinese verbs end with that say how it ended: 修好 is more than a repair."""


@lru_cache(maxsize=128)
def _translated(text: str) -> list[tuple[Key, tuple[str, ...]]]:
    """The Chinese words of a text, or what may be one, with what they mean in English."""
    runs = _HAN_RUN.findall(text)
    words = {run[at : at + length]: None for run in runs for at in range(len(run)) for length in (2, 3, 4)}
    known = ((key_of(word), glosses_of(word)) for word in words if len(word) > 1 and word[-1] not in ENDED)
    weak = _WEAK | {"title", "deal", "event"}
    return [one for one in known if one[1] and all(sense.kind in weak for sense in senses_of(one[0]))]
