"""Tables in files or in results: made readable for the table worker, handed to it, its answers and problems read."""

import asyncio
import codecs
import contextlib
import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import IO, Any

from switchyard.language.messages import is_known, joined, message, quoted
from switchyard.tools.core import RetryTool, ToolFailed
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import encoding_of, told
from switchyard.tools.core.plain_words import nearest
from switchyard.tools.core.processes import Workers, to_its_end
from switchyard.tools.core.workspace import open_real
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
_DIAGNOSED = 5_000_000
_WORKERS = Workers(sys.executable, "-I", "-B", "-X", "utf8", str(Path(__file__).with_name("worker.py")))
_FILE_IN_WORKER = re.compile(r"/dev/fd/\d+")


async def ask_table(
    table: Path | list[Any], path: str, operation: str, arguments: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """What an operation of the worker says about a file, or about rows as of a file of JSON lines.

    It takes `seconds` at most. The file is handed over open: what is at its path by then may be another.
    """
    stop = threading.Event()
    try:
        with contextlib.ExitStack() as files:
            async with asyncio.timeout(seconds):
                made_readable = asyncio.to_thread(_readable, table, path, files, stop)
                text, kind, separator = await to_its_end(made_readable, stop.set)
                how = {"kind": kind, "delimiter": separator, "seconds": int(seconds) + 1}
                job = {"operation": operation, "arguments": arguments, **how}
                said = await _WORKERS.ask(job, text) or {"problem": "ended"}
                if said.get("problem") == "unreadable" and kind == "csv":
                    await to_its_end(asyncio.to_thread(_diagnose, text, path), stop.set)
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


def _readable(
    table: Path | list[Any], path: str, files: contextlib.ExitStack, stop: threading.Event
) -> tuple[IO[bytes], str, str | None]:
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
        encoding = "utf-8-sig" if kind == "parquet" else encoding_of(lambda: _chunks(opened, stop))
        if encoding is None:
            raise ToolFailed(message("file_binary", path=path), kind="bad_arguments")
        if encoding != "utf-8-sig":
            texts = codecs.iterdecode(_chunks(opened, stop), encoding)
            opened = _temporary((text.encode() for text in texts), files)
        opened.seek(0)
        separator = delimiter(opened.read(65_536).decode("utf-8-sig", "ignore")) if kind == "csv" else None
        if kind == "json":
            _check_ended(opened, path)
    return opened, kind, separator


def _chunks(opened: IO[bytes], stop: threading.Event) -> Generator[bytes]:
    opened.seek(0)
    while not stop.is_set() and (chunk := opened.read(_CHUNK)):
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
