"""Rows of a table as text and back: CSV, JSON and JSON lines."""

import csv
import io
import json
import re
from typing import Any, Literal

from switchyard.language.messages import Message, message, quoted
from switchyard.tools.core import RetryTool
from switchyard.tools.core.json_values import is_list, is_object

TableFormat = Literal["csv", "json", "jsonl"]
Row = dict[str, Any]

_QUOTED = re.compile(r'"[^"]*"')
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,14})")
"""Whole numbers that come out as they went in; a code such as 007 or an 18-digit id is text."""
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d{1,15}")


_BY_ENDING: dict[str, TableFormat] = {"csv": "csv", "json": "json", "jsonl": "jsonl", "ndjson": "jsonl"}


def delimiter(text: str) -> str | None:
    """What separates the columns, judged by the first line that says something; None when it has one column."""
    head = next((line for line in text[:65_536].splitlines() if line.strip()), "")
    counts = {sign: _QUOTED.sub("", head).count(sign) for sign in ",\t;|"}
    best = max(counts, key=lambda sign: counts[sign])
    return best if counts[best] else None


def read_rows(text: str, table_format: TableFormat) -> list[Row]:
    """The rows of a text; where it is no table of that format, the error says on which line."""
    if table_format == "csv":
        return _from_csv(text)
    if table_format == "json":
        data = _parsed(text, 0)
        rows = data if is_list(data) else [data]
        return [_row(row, message("element_no_object", number=number)) for number, row in enumerate(rows, start=1)]
    lines = [(number, line) for number, line in enumerate(text.split("\n")) if line.strip()]
    return [_row(_parsed(line, number), message("line_no_object", number=number + 1)) for number, line in lines]


def write_rows(rows: list[Row], table_format: TableFormat) -> str:
    """The rows as text, columns in the order they first appear."""
    if table_format == "json":
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    if table_format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def _from_csv(text: str) -> list[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text) or ",", strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        problem = message("no_csv", line=reader.line_num, problem=quoted(str(error)))
        raise RetryTool(problem, hint=message("correct_file")) from error
    if not lines:
        return []
    columns = [column.strip() for column in lines[0][1]]
    if double := sorted({column for column in columns if columns.count(column) > 1}):
        raise RetryTool(message("columns_alike", column=double[0]), hint=message("name_columns_apart"))
    for number, cells in lines[1:]:
        if len(cells) != len(columns):
            problem = message("cells_differ", line=number, count=len(cells), columns=len(columns))
            raise RetryTool(problem, hint=message("correct_file"))
    cells_of = list(zip(*(cells for _, cells in lines[1:]), strict=True)) or [()] * len(columns)
    typed = [_typed(cells) for cells in cells_of]
    return [dict(zip(columns, values, strict=True)) for values in zip(*typed, strict=True)]


def _typed(cells: tuple[str, ...]) -> list[Any]:
    """The cells of a column, as numbers where all are written like numbers; an empty cell among numbers is none."""
    said = [cell for cell in cells if cell]
    kind = int if all(_WHOLE.fullmatch(cell) for cell in said) else float
    if not said or not all(_WHOLE.fullmatch(cell) or _DECIMAL.fullmatch(cell) for cell in said):
        return list(cells)
    return [kind(cell) if cell else None for cell in cells]


def _parsed(text: str, lines_before: int) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        line = error.lineno + lines_before
        wrong = message("no_json", line=line, column=error.colno, problem=quoted(error.msg))
        raise RetryTool(wrong, hint=message("correct_it")) from error
    except RecursionError as error:
        raise RetryTool(message("json_too_deep")) from error


def _no_number(name: str) -> Any:
    raise RetryTool(message("not_in_json", name=name), hint=message("write_null"))


def _row(value: Any, wrong: Message) -> Row:
    if not is_object(value):
        raise RetryTool(wrong, hint=message("only_lists_of_objects"))
    return value


def _cell(value: Any) -> Any:
    if isinstance(value, bool | dict | list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else value


def as_text(value: Any, path: str) -> str:
    """A value as it stands in a file: rows of a result as the file's ending wants them, else a line each."""
    if isinstance(value, str):
        return value
    table_format = _BY_ENDING.get(path.rpartition(".")[2].lower())
    rows: list[Any] = value if is_list(value) else [value]
    objects = [row for row in rows if is_object(row)]
    if table_format is not None and objects and len(objects) == len(rows):
        return write_rows(objects, table_format)
    if table_format == "json":
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    return "\n".join(_line(row) for row in rows)


def _line(row: Any) -> str:
    if not is_object(row):
        return row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
    if len(row) == 1:
        return str(next(iter(row.values())))
    return ", ".join(f"{name}: {'' if value is None else value}".rstrip() for name, value in row.items())
