"""The process in which tables are read: a job comes in as JSON, an answer goes out as JSON.

It runs by its path, apart from everything else, with limits of its own: what a query costs, and what it breaks, stays
here. The database is locked before anything of the job is looked at: it can read the one file and nothing more.
"""

# ruff: noqa: S608 - names are quoted, values are bound, and what else is asked meets a locked database

import json
import math
import os
import re
import resource
import socket
import sys
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, cast

import duckdb

MAX_COLUMNS = 200
"""Columns that are described."""
MAX_CELL = 1000
"""Characters of a cell that are given back."""
MEMORY = 1000
"""Megabytes the tables of one job may take."""
_SAMPLES = (20_480, -1)
"""Rows that decide about the types of a CSV; where they were wrong, all."""
_NUMERIC = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL.*|BIGNUM")
_NESTED = re.compile(r"STRUCT|MAP|UNION|.*\]$")
_MISSING = re.compile(r'column "(.+?)" not found')
_WRITTEN = re.compile(r"\bfrom written\b", re.IGNORECASE)
_LINES = r"""(
  SELECT line, text,
    TRY_CAST(regexp_extract(text, '^\W*(\d{{4}}-\d{{2}}-\d{{2}}[ T]\d{{2}}:\d{{2}}(:\d\d)?)', 1) AS TIMESTAMP) AS time,
    nullif(regexp_extract(text, '\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b', 1), '') AS level,
    nullif(regexp_extract(text, '^#{{1,6}}\s+(.+?)\s*#*$', 1), '') AS heading
  FROM (SELECT unnest(string_split(rtrim(content, chr(10)), chr(10))) AS text,
               generate_subscripts(string_split(rtrim(content, chr(10)), chr(10)), 1) AS line
        FROM read_text({path})) ORDER BY line)"""
"""The lines of a text: their number, and where they have them the time and the level of a log, or a heading."""


class Problem(Exception):
    """Something the caller has to be told; `fields` say what."""

    def __init__(self, kind: str, **fields: Any) -> None:
        super().__init__(kind)
        self.fields = {"problem": kind, **fields}


class Table:
    """The rows of one file as the table `data` in a locked database."""

    def __init__(self, path: str, kind: str, delimiter: str | None) -> None:
        settings = {"memory_limit": f"{MEMORY}MB", "threads": 2, "temp_directory": ""}
        no_extensions = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        self._base = duckdb.connect(config={**settings, **no_extensions})
        self._base.execute(f"SET allowed_paths=[{_text(path)}]")
        self._base.execute("SET enable_external_access=false")
        self._base.execute("SET lock_configuration=true")
        self._source = (path, kind, delimiter)
        self._load(path, kind, delimiter)
        described = self._base.execute("SELECT name, type FROM pragma_table_info('data')").fetchall()
        self.columns = {str(name): str(type_name) for name, type_name in described}

    def _load(self, path: str, kind: str, delimiter: str | None) -> None:
        # where the columns are known nothing is passed over to make the rest fit
        separated = f", delim={_text(delimiter)}, skip=0, comment=''" if delimiter else ""
        readers = {
            "csv": [f"read_csv({_text(path)}, sample_size={sample}{separated})" for sample in _SAMPLES],
            # of JSON all rows decide: a number that did not fit the others would be rounded in silence
            "json": [f"read_json({_text(path)}, sample_size=-1)"],
            "parquet": [f"read_parquet({_text(path)})"],
            "lines": [_LINES.format(path=_text(path))],
        }[kind]
        for reader in readers:
            try:
                self._base.execute(f"CREATE TABLE data AS SELECT * FROM {reader}")
            except duckdb.OutOfMemoryException as error:
                raise Problem("memory") from error
            except duckdb.Error as error:
                if reader == readers[-1]:
                    raise Problem("unreadable", said=_first_lines(error)) from error
            else:
                return

    def _load_written(self) -> None:
        """The same rows with their cells as the file has them, 3.50 and yes, as the table `written`."""
        path, kind, delimiter = self._source
        separated = f", delim={_text(delimiter)}" if delimiter else ""
        reader = f"read_csv({_text(path)}, all_varchar=true, header=true, skip=0, comment=''{separated})"
        self._base.execute(f"CREATE TABLE written AS SELECT * FROM {reader if kind == 'csv' else 'data'}")
        rows = [self._base.execute(f"SELECT count(*) FROM {name}").fetchall() for name in ("data", "written")]
        if rows[0] != rows[1]:
            raise Problem("unreadable", said="its first line is no header")

    def describe(self) -> dict[str, Any]:
        """What each column holds."""
        (rows,) = self._base.execute("SELECT count(*) FROM data").fetchall()[0]
        names = list(self.columns)[:MAX_COLUMNS]
        found = [self._described(name, rows) for name in names]
        return {"rows": rows, "columns": found, "column_count": len(self.columns)}

    def _described(self, name: str, rows: int) -> dict[str, Any]:
        (values,) = self._base.execute(f"SELECT {', '.join(self._measures(name))} FROM data").fetchall()
        said, distinct, least, most, mean, median = map(_plain, values)
        column = {"name": name, "type": self.columns[name], "nulls": rows - said, "distinct": distinct}
        return {**column, "min": least, "max": most, "mean": mean, "median": median}

    def _measures(self, name: str) -> list[str]:
        column, type_name = _name(name), self.columns[name]
        ordered = [f"min({column})", f"max({column})"]
        if "TIME ZONE" in type_name:
            ordered = [f"CAST({measure} AS VARCHAR)" for measure in ordered]
        if _NESTED.match(type_name):
            ordered = ["NULL", "NULL"]
        averages = [f"avg({column})", f"median({column})"] if _NUMERIC.fullmatch(type_name) else ["NULL", "NULL"]
        return [f"count({column})", f"count(DISTINCT {column})", *ordered, *averages]

    def query(self, sql: str, limit: int) -> dict[str, Any]:
        """What a SELECT gives over the table `data`, or over `written`: the same rows as the file has them."""
        statements = self._base.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise Problem("not_select")
        as_written = _WRITTEN.search(sql) is not None
        try:
            if as_written:
                self._load_written()
            self._base.execute(f"CREATE TEMP VIEW asked AS {statements[0].query}")
            found = self._fetch(limit)
        except duckdb.BinderException as error:
            if missing := _MISSING.search(str(error)):
                raise Problem("column", name=missing[1], columns=list(self.columns)) from error
            raise
        if as_written and found["truncated"]:
            raise Problem("memory")  # what is copied is copied whole
        return found

    def _fetch(self, limit: int) -> dict[str, Any]:
        asked = "(SELECT * FROM asked)"  # in which two columns of one name have two names
        (total,) = self._base.execute(f"SELECT count(*) FROM {asked}").fetchall()[0]
        described = self._base.execute(f"SELECT * FROM {asked} LIMIT 0").description or []
        names = [str(column[0]) for column in described]
        chosen = ", ".join(
            f"CAST({_name(name)} AS VARCHAR)" if "TIME ZONE" in str(column[1]) else _name(name)
            for name, column in zip(names, described, strict=True)
        )
        found = self._base.execute(f"SELECT {chosen} FROM {asked} LIMIT {limit}").fetchall()
        rows = [{name: _plain(value) for name, value in zip(names, row, strict=True)} for row in found]
        return {"columns": names, "rows": rows, "count": len(rows), "total": total, "truncated": total > len(rows)}


def _plain(value: Any) -> Any:  # noqa: PLR0911 - one line for a type
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case str():
            return value if len(value) <= MAX_CELL else value[:MAX_CELL] + "…"
        case datetime() | date() | time():
            return value.isoformat()
        case bytes() | bytearray():
            return f"<{len(value)} bytes>"
        case dict():
            return {str(key): _plain(part) for key, part in cast("dict[Any, Any]", value).items()}
        case list() | tuple():
            return [_plain(part) for part in cast("list[Any]", value)]
        case _:
            return str(value)


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _first_lines(error: BaseException) -> str:
    """What the database says, without its advice about settings and the place in the query."""
    return str(error).partition("\n\n")[0].partition("\nPossible")[0].strip()


def _limit_time(seconds: int) -> None:
    """The most that this process may still work, whatever a query does."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + seconds * 2 + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Do what the job says; problems are answers too."""
    try:
        table = Table(job["path"], job["kind"], job["delimiter"])
        return getattr(table, job["operation"])(**job["arguments"])
    except Problem as problem:
        return problem.fields
    except (duckdb.OutOfMemoryException, MemoryError):
        return {"problem": "memory"}
    except duckdb.PermissionException:
        return {"problem": "not_select"}
    except duckdb.Error as error:
        return {"problem": "sql", "said": _first_lines(error)}


def main() -> None:
    """A line with the answer for each line with a job, until nobody asks any more."""
    asked = socket.socket(fileno=sys.stdin.fileno())
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY * 3_000_000, MEMORY * 3_000_000))
    with asked.makefile("rb") as lines:
        while handles := socket.recv_fds(asked, 1, 1)[1]:
            job = json.loads(lines.readline())
            _limit_time(job["seconds"])
            said = answer({**job, "path": f"/dev/fd/{handles[0]}"})
            asked.sendall(json.dumps(said).encode() + b"\n")
            os.close(handles[0])


if __name__ == "__main__":
    main()
