"""What is there: the tables of the workspace, for questions about them.

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
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from switchyard.agents.by_rules.cells import column_of
from switchyard.agents.by_rules.query import quoted
from switchyard.agents.by_rules.table import Column, ColumnKind, Table
from switchyard.agents.by_rules.vocabulary import entries_of, names_of_rows
from switchyard.language.lexicon import Sense, key_of
from switchyard.language.tables import phrases
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import read_text, walk

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
MOST_RUNS, MOST_PLACES = 60, 50
"""Runs of words of a question that are looked up in a large file, and how often each."""
_LATIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?")
_ENDINGS = {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".log", ".md", ".txt"}
_TIME = re.compile(r"\W*(\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?)")
_LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b")
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")
_PER_UNIT = re.compile(r"(?i)(?:eur|usd|gbp|cny|rmb|cad|aud|nzd|price|cost|fee)s?_per_(\w+)$")


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
_TEXT = f"regexp_extract(text, '{_BOX}', 2)"
_DOER = (
    r"(?:\(|（|\s[-–—]\s)([A-Z][^\s\d,，()（）.!]+(?: [A-Z][^\s\d,，()（）.!]+)?|[㐀-鿿]{2,3})(?:[,，)）]|\s[-–—]\s|$)"
)
"""Who has to do it, behind the task: (Mart, by 20 Nov), - Daniel - due 20 Nov."""
_DOER_BEFORE = r"^([A-Z][^\s\d,，()（）.!:：]+(?: [A-Z][^\s\d,，()（）.!:：]+)?|[㐀-鿿]{2,3})[:：]"
"""The same before it: Marta: call the plumber."""
_TASKS = {
    "task": _TEXT,
    "done": f"regexp_extract(text, '{_BOX}', 1) NOT IN ('', ' ')",
    "section": "trim(regexp_replace(last_value(heading IGNORE NULLS) OVER (ORDER BY line), '[(（].*', ''))",
    "who": f"coalesce(nullif(regexp_extract(text, '{_DOER}', 1), ''), regexp_extract({_TEXT}, '{_DOER_BEFORE}', 1))",
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
            doer = re.search(_DOER, task[2]) or re.search(_DOER_BEFORE, task[2])
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


def table_of_columns(
    label: str, columns: Mapping[str, ColumnKind], called: Iterable[str], named: str = "", measure: str = ""
) -> Table:
    """Rows that are not there yet, of which only the columns are known: those of a tool's result."""
    known = tuple(Column(name, kind, unique=kind == "text") for name, kind in columns.items())
    entries, concepts = entries_of(known, called)
    return Table(label, known, 0, entries=entries, concepts=concepts, named=named, measure=measure)


def _of_columns(
    columns: Sequence[Column], path: str, count: int, called: tuple[str, ...] = (), rows: str = ""
) -> Table:
    names = dict.fromkeys(name for one in called or (Path(path).stem,) for name in names_of_rows(one))
    read_as = ", ".join(f"{one.read_as} AS {quoted(one.name)}" for one in columns if one.read_as)
    rows = f"SELECT * REPLACE ({read_as}) FROM {f'({rows})' if rows else 'data'}" if read_as else rows  # noqa: S608
    entries, concepts = entries_of(columns, names, path)
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
    rows = {key_of(name) for one in called for name in names_of_rows(one)}
    first = next(iter(cells), "")
    return [column_of(name, found, names_rows=name == first and key_of(name) in rows) for name, found in cells.items()]
