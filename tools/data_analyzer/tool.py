"""Tables in files of the workspace, or rows of a result: described, filtered, sorted, summed up, asked by SQL.

What is asked goes to the table worker with the table, opened and made readable; its answers and problems come back.
"""

import asyncio
import codecs
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import IO, Annotated, Any, ClassVar, Literal

from pydantic import Field

from switchyard.language.messages import is_known, joined, message, quoted
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolFailed, ToolResult, action, tool
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import encoding_of, told
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.plain_words import nearest
from switchyard.tools.core.processes import keep, to_its_end
from switchyard.tools.core.workspace import open_real
from switchyard.tools.files.paths import existing_file
from switchyard.tools.files.rows import delimiter, read_rows

KINDS = {
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".log", ".md", ".txt"), "lines"),
}
"""How a file is read, by the end of its name; of a text, the rows are its lines."""

MAX_BYTES = 200_000_000
"""Larger files are refused."""
MAX_ROWS = 100_000
MAX_ROWS_BYTES = 20_000_000
"""More rows of a result, or larger ones, are refused: what is larger is a file."""
_CHUNK = 1 << 20
_PIECE = 65_536
_DIAGNOSED = 5_000_000
_FILE_IN_WORKER = re.compile(r"/dev/fd/\d+")

Function = Literal["count", "sum", "avg", "min", "max", "median"]
Limit = Annotated[int, Field(ge=1, le=1000, description="How many rows to return at most.")]
Where = Annotated[
    str | None,
    Field(max_length=5000, description="A condition in SQL, such as price > 100 AND city = 'Berlin'; left out, all."),
]


class DescribeParams(BaseToolParams):
    """Which table."""

    path: str | None = Field(default=None, description="A CSV, JSON or Parquet file of the workspace; it, or rows.")
    rows: list[Any] | dict[str, Any] | str | None = Field(
        default=None, description="Rows of an earlier result instead of a file, such as {{s1.rows}} or {{s1.text}}."
    )


class FilterParams(DescribeParams):
    """Which rows of a table, and in which order."""

    where: Where = None
    columns: list[str] = Field(default=[], description="The columns to return; all when left out.")
    sort_by: list[str] = Field(default=[], description="The columns to sort by; left out, as the table has them.")
    descending: bool = Field(default=False, description="Largest first, as for a top ten.")
    limit: Limit = 20


class AggregateParams(DescribeParams):
    """What to sum up, of what, by what."""

    functions: list[Function] = Field(min_length=1, description="What to work out.")
    columns: list[str] = Field(default=[], description="Of which columns; count works without.")
    group_by: list[str] = Field(default=[], description="For each value of these columns; left out, over all rows.")
    where: Where = None
    limit: Limit = 50


class QueryParams(DescribeParams):
    """A question in SQL."""

    sql: str = Field(max_length=5000, description="One SELECT (DuckDB) over the table data.")
    limit: Limit = 50


ROWS = "path, columns (names), rows (objects), count (rows returned), total (rows before the limit), truncated"


@tool(category="data", capability_tags=("analyze", "分析"))
class DataAnalyzer:
    """Analyse a table in a CSV, JSON or Parquet file of the workspace: describe, filter, aggregate, query.

    Rows of an earlier result are analysed like a file. Files above 200 MB are refused. Text may be UTF-8, GB18030 or
    UTF-16.
    """

    needs: ClassVar = {"duckdb": "switchyard[tables]"}

    def __init__(self, seconds: float = 25.0) -> None:
        self._seconds = seconds
        """What one call may take."""

    @action(
        returns="path, rows (how many), columns with name, type, nulls, distinct, min, max, mean, median, column_count"
    )
    async def describe(self, params: DescribeParams, context: ToolContext) -> ToolResult:
        """Describe a table: its columns with type, nulls, distinct values, least, largest, mean and median."""
        return await self._ask("describe", {}, params, context)

    @action(returns=ROWS)
    async def filter(self, params: FilterParams, context: ToolContext) -> ToolResult:
        """Show rows of a table: the first, those that meet a condition, or the top or bottom ones by some columns."""
        way = "DESC" if params.descending else "ASC"
        order = [f"{_name(column)} {way} NULLS LAST" for column in params.sort_by]
        sql = _select(list(map(_name, params.columns)) or ["*"], params.where, order=order)
        return await self._ask("query", {"sql": sql, "limit": params.limit}, params, context)

    @action(returns=ROWS + "; a row has the group's columns and function_column, such as avg_price")
    async def aggregate(self, params: AggregateParams, context: ToolContext) -> ToolResult:
        """Work out count, sum, average, least, largest or median of columns, for all rows or by group."""
        if not params.columns and set(params.functions) != {"count"}:
            raise RetryTool(message("of_which_columns"), hint=message("set_columns"))
        groups = list(map(_name, params.group_by))
        pairs = [(function, column) for function in params.functions for column in params.columns]
        measures = [f"{function}({_name(column)}) AS {_name(f'{function}_{column}')}" for function, column in pairs]
        # the group with the largest first value comes first
        order = [f"{len(groups) + 1} DESC NULLS LAST", *groups] if groups else []
        sql = _select([*groups, *(measures or ["count(*) AS count"])], params.where, groups, order)
        return await self._ask("query", {"sql": sql, "limit": params.limit}, params, context)

    @action(returns=ROWS)
    async def query(self, params: QueryParams, context: ToolContext) -> ToolResult:
        """Run one read-only SQL SELECT over the table, which is called data."""
        return await self._ask("query", {"sql": params.sql, "limit": params.limit}, params, context)

    async def _ask(
        self, operation: str, arguments: dict[str, Any], params: DescribeParams, context: ToolContext
    ) -> ToolResult:
        """What the worker's operation says about the table that is meant."""
        if (params.path is None) == (params.rows is None):
            raise RetryTool(message("path_or_rows"), hint=message("set_path_or_rows"))
        if params.path is None:
            said = await ask_table(_rows_in(params.rows), "rows", operation, arguments, self._seconds)
            return ToolResult(result={"path": message("the_list").text(context.language), **said})
        file, path = await asyncio.to_thread(existing_file, context.workspace, params.path)
        said = await ask_table(file, path, operation, arguments, self._seconds)
        return ToolResult.of({"path": path, **said}, path)


def _select(columns: list[str], where: str | None, groups: Sequence[str] = (), order: Sequence[str] = ()) -> str:
    condition = f" WHERE ({where}\n)" if where else ""  # a comment in it ends with its line
    grouped = f" GROUP BY {', '.join(groups)}" if groups else ""
    ordered = f" ORDER BY {', '.join(order)}" if order else ""
    return f"SELECT {', '.join(columns)} FROM data{condition}{grouped}{ordered}"  # noqa: S608  as in the worker


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _rows_in(given: Any) -> list[dict[str, Any]]:
    """The rows of a list, of the one list of an object, or the lines of a text; what has no columns is a `value`."""
    if isinstance(given, str):
        given = json.loads(given) if given.lstrip().startswith(("[", "{")) else [*filter(None, given.splitlines())]
    if is_object(given):
        lists = [part for part in given.values() if is_list(part)]
        tables = [part for part in lists if part and is_object(part[0])]
        given = next((found[0] for found in (lists, tables) if len(found) == 1), None)
    if not is_list(given):
        raise RetryTool(message("no_rows_in_it"), hint=message("set_rows"))
    if not given:
        raise RetryTool(message("table_empty", path="rows"), hint=message("set_rows"))
    return [row if is_object(row) else {"value": row} for row in given]


async def ask_table(
    table: Path | list[Any], path: str, operation: str, arguments: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """What an operation of the worker says about a file, or about rows as of a file of JSON lines.

    It takes `seconds` at most. The file is handed over open: what is at its path by then may be another.
    """
    try:
        with contextlib.ExitStack() as files:
            async with asyncio.timeout(seconds):
                made_readable = asyncio.to_thread(_readable, table, path, files)
                text, kind, separator = await to_its_end(made_readable)
                how = {"kind": kind, "delimiter": separator, "seconds": int(seconds) + 1}
                job = {"operation": operation, "arguments": arguments, **how}
                said = await _WORKERS.ask(job, text) or {"problem": "ended"}
                if said.get("problem") == "unreadable" and kind == "csv":
                    await to_its_end(asyncio.to_thread(_diagnose, text, path))
    except TimeoutError as error:
        raise ToolFailed(message("table_too_slow", seconds=seconds), kind="timeout") from error
    if "problem" in said:
        raise _failure(said, path)
    return said


def _written(rows: list[Any], files: contextlib.ExitStack) -> IO[bytes]:
    lines = [json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows[: MAX_ROWS + 1]]
    data = "".join(lines).encode("utf-8", "replace")
    if len(rows) > MAX_ROWS or len(data) > MAX_ROWS_BYTES:
        raise ToolFailed(message("rows_too_many", rows=MAX_ROWS, most=MAX_ROWS_BYTES / 1e6), kind="bad_arguments")
    return _temporary([data], files)


def _temporary(chunks: Iterable[bytes], files: contextlib.ExitStack) -> IO[bytes]:
    new = files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  the stack is one
    new.writelines(chunks)
    new.flush()
    return new


def _readable(table: Path | list[Any], path: str, files: contextlib.ExitStack) -> tuple[IO[bytes], str, str | None]:
    """The file in UTF-8, how it is to be read, and what separates its columns."""
    kind = KINDS.get(table.suffix.lower()) if isinstance(table, Path) else "json"
    if kind is None:
        raise RetryTool(message("no_table", path=path), hint=message("name_table", endings=list(KINDS)))
    with told(path, verb="read"):
        opened = files.enter_context(open_real(table)) if isinstance(table, Path) else _written(table, files)
        size = os.fstat(opened.fileno()).st_size
        if not size:
            raise RetryTool(message("table_empty", path=path), hint=message("name_file_with_rows"))
        if size > MAX_BYTES:
            large = message("file_too_large_to_analyse", path=path, size=size / 1e6, most=MAX_BYTES / 1e6)
            raise ToolFailed(large, kind="bad_arguments")
        encoding = "utf-8-sig" if kind == "parquet" else encoding_of(lambda: _chunks(opened))
        if encoding is None:
            raise ToolFailed(message("file_binary", path=path), kind="bad_arguments")
        if encoding != "utf-8-sig":
            texts = codecs.iterdecode(_chunks(opened), encoding)
            opened = _temporary((text.encode() for text in texts), files)
        opened.seek(0)
        separator = delimiter(opened.read(65_536).decode("utf-8-sig", "ignore")) if kind == "csv" else None
        if kind == "json":
            _check_ended(opened, path)
    return opened, kind, separator


def _chunks(opened: IO[bytes]) -> Generator[bytes]:
    opened.seek(0)
    while chunk := opened.read(_CHUNK):
        yield chunk


def _check_ended(data: IO[bytes], path: str) -> None:
    """A list that was cut off would be read in silence as far as it goes."""
    data.seek(0)
    head = data.read(1000).lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    data.seek(max(0, os.fstat(data.fileno()).st_size - 1000))
    if head[:1] == b"[" and data.read().rstrip()[-1:] != b"]":
        raise ToolFailed(message("table_cut_off", path=path), kind="bad_arguments")


def _diagnose(file: IO[bytes], path: str) -> None:
    """Say on which line a CSV goes wrong, where that can be told."""
    file.seek(0)
    text = file.read(_DIAGNOSED).decode("utf-8-sig", "ignore")
    try:
        read_rows(text[: text.rfind("\n") + 1] if file.read(1) else text, "csv")
    except RetryTool as error:
        raise ToolFailed(joined(message("table_wrong", path=path), str(error)), kind="bad_arguments") from error


def _failure(said: dict[str, Any], path: str) -> ToolError:
    kind, words = said.pop("problem"), said.pop("said", "")
    if kind == "column":
        near = nearest(said["name"], said["columns"], likeness=70, most=3)
        either = message("named_twice", en=" or ".join(f"'{one}'" for one in near), zh="、".join(near))
        there = message("columns_there", columns=said["columns"][:50])
        hint = joined(message("did_you_mean", near=either) if near else "", there)
        return RetryTool(message("no_column", path=path, column=said["name"]), hint=hint)
    problem = quoted(" ".join(_FILE_IN_WORKER.sub(path, words).split()).rstrip("."))
    wrong = message(f"table_problem.{kind}", path=path, problem=problem, **said)
    if not is_known(f"table_hint.{kind}"):  # no other arguments would help
        return ToolFailed(wrong, kind="bad_arguments")
    return RetryTool(wrong, hint=message(f"table_hint.{kind}"))


class Workers:
    """Processes of one program that answer job after job: one stays ready, as starting one takes longer than most jobs.

    The program has a socket as its standard input, from which it reads a job as a line of JSON after a byte that comes
    with an open file, and to which it writes the answer as a line.
    """

    def __init__(self, *command: str) -> None:
        self._command = command
        self._ready: deque[_Worker] = deque()
        os.register_at_fork(after_in_child=self._ready.clear)  # it is the parent's

    async def ask(self, job: object, file: IO[bytes]) -> Any:
        """The answer to a job about an open file; None where the process ended instead."""
        try:
            ready = self._ready.pop()
        except IndexError:
            ready = None
        said = None if ready is None else await self._ask(ready, job, file)
        # a worker that was ready may have ended since its last job: a new one tells whether it was this one
        return await self._ask(_Worker(self._command), job, file) if said is None else said

    async def _ask(self, worker: "_Worker", job: object, file: IO[bytes]) -> Any:
        said = None
        try:
            said = await worker.ask(job, file)
        finally:
            if said is None or self._ready:
                await asyncio.shield(asyncio.to_thread(worker.end))
            else:
                self._ready.append(worker)
                keep(self.close)
        return said

    def close(self) -> None:
        """End the one that is ready."""
        while self._ready:
            self._ready.pop().end()


class _Worker:
    """One process, started with its first job; callers on any event loop may use it, one after the other."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._socket, self._theirs = socket.socketpair()
        self._socket.settimeout(0)

    def _start(self) -> None:
        nothing = subprocess.DEVNULL
        with self._theirs as theirs:
            self._process = subprocess.Popen(  # noqa: S603  the command is ours
                self._command, stdin=theirs.fileno(), stdout=nothing, stderr=nothing, env={}, cwd="/"
            )

    async def ask(self, job: object, file: IO[bytes]) -> Any:
        if self._process is None:
            await to_its_end(asyncio.to_thread(self._start))
        loop, answer = asyncio.get_running_loop(), bytearray()
        with contextlib.suppress(ConnectionError):
            socket.send_fds(self._socket, [b"\n"], [file.fileno()])
            await loop.sock_sendall(self._socket, json.dumps(job).encode() + b"\n")
            while chunk := await loop.sock_recv(self._socket, _PIECE):
                answer += chunk
                if answer.endswith(b"\n"):
                    return json.loads(answer)
        return None

    def end(self) -> None:
        self._socket.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()


_WORKERS = Workers(sys.executable, "-I", "-B", "-X", "utf8", str(Path(__file__).with_name("worker.py")))
