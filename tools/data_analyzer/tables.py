"""Tables in files or in results: made readable for the table worker, handed to it, its answers and problems read."""

import asyncio
import codecs
import json
import os
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any, BinaryIO

import anyio
import anyio.to_thread

from switchyard.language.messages import is_known, joined, message, quoted
from switchyard.tools.core import RetryTool, ToolFailed
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import encoding_of, told
from switchyard.tools.core.plain_words import nearest
from switchyard.tools.core.processes import run_process, to_its_end
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
MEMORY = 1000
"""Megabytes the tables of one call may take."""
_CHUNK = 1 << 20
_DIAGNOSED = 5_000_000
_HANDLES = Path("/dev/fd")
"""Where a process finds the files it has open, if the system has such a place."""
_BY_HANDLE = _HANDLES.is_dir()
_WORKER = Path(__file__).with_name("worker.py")


async def ask_table(file: Path, path: str, operation: str, arguments: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What an operation of the worker says about a file, after `seconds` at most."""
    try:
        async with asyncio.timeout(seconds), anyio.TemporaryDirectory(prefix="switchyard-") as scratch:
            with told(path, verb="read"):
                opened = await anyio.to_thread.run_sync(open_real, file)
            with opened:
                stop = threading.Event()
                made_readable = asyncio.to_thread(_readable, opened, file.suffix.lower(), path, Path(scratch), stop)
                readable = await to_its_end(made_readable, stop.set)
                job = {**readable, "operation": operation, "arguments": arguments}
                said = await _answer({**job, "seconds": int(seconds) + 1, "memory": MEMORY}, scratch, opened.fileno())
                if said.get("problem") == "unreadable" and readable["kind"] == "csv":
                    await to_its_end(asyncio.to_thread(_diagnose, Path(readable["path"]), path), stop.set)
    except TimeoutError as error:
        raise ToolFailed(message("table_too_slow", seconds=seconds), kind="timeout") from error
    if "problem" in said:
        raise _failure(said, path, scratch)
    return said


async def ask_rows(rows: list[Any], operation: str, arguments: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What an operation of the worker says about rows of a result, as of a file of JSON lines; raises the same."""
    async with anyio.TemporaryDirectory(prefix="switchyard-") as folder:
        file = await anyio.to_thread.run_sync(_write_rows, rows, Path(folder))
        return await ask_table(file, "rows", operation, arguments, seconds)


def _write_rows(rows: list[Any], folder: Path) -> Path:
    lines = [json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows[: MAX_ROWS + 1]]
    data = "".join(lines).encode("utf-8", "replace")
    if len(rows) > MAX_ROWS or len(data) > MAX_ROWS_BYTES:
        raise ToolFailed(message("rows_too_many", rows=MAX_ROWS, most=MAX_ROWS_BYTES / 1e6), kind="bad_arguments")
    file = folder.resolve() / "rows.jsonl"
    file.write_bytes(data)
    return file


async def _answer(job: dict[str, Any], scratch: str, handle: int) -> dict[str, Any]:
    """One process for one job, which has the table's file open."""
    command = (sys.executable, "-I", "-B", "-X", "utf8", str(_WORKER))
    ended = await run_process(command, job, cwd=scratch, env={}, pass_fds=(handle,) if _BY_HANDLE else ())
    return json.loads(ended.output) if ended.code == 0 else {"problem": "ended"}


def _readable(opened: BinaryIO, suffix: str, path: str, scratch: Path, stop: threading.Event) -> dict[str, Any]:
    """The file under a plain name and in UTF-8, and how it is to be read."""
    kind = KINDS.get(suffix)
    if kind is None:
        raise RetryTool(message("no_table", path=path), hint=message("name_table", endings=list(KINDS)))
    with told(path, verb="read"):
        size = os.fstat(opened.fileno()).st_size
        if not size:
            raise RetryTool(message("table_empty", path=path), hint=message("name_file_with_rows"))
        if size > MAX_BYTES:
            large = message("file_too_large_to_analyse", path=path, size=size / 1e6, most=MAX_BYTES / 1e6)
            raise ToolFailed(large, kind="bad_arguments")
        plain = scratch / f"data{suffix}"
        encoding = "utf-8-sig" if kind == "parquet" else encoding_of(lambda: _chunks(opened, stop))
        if encoding is None:
            raise ToolFailed(message("file_binary", path=path), kind="bad_arguments")
        if encoding == "utf-8-sig":
            # by the handle, not by the path: whose folders may be others by now
            plain.symlink_to(_HANDLES / str(opened.fileno()) if _BY_HANDLE else opened.name)
        else:
            decoder = codecs.getincrementaldecoder(encoding)()
            with plain.open("w", encoding="utf-8", newline="") as new:
                for chunk in _chunks(opened, stop):
                    new.write(decoder.decode(chunk))
                decoder.decode(b"", final=not stop.is_set())
        separator = None
        if kind == "csv":
            with plain.open(encoding="utf-8-sig") as text:
                separator = delimiter(text.read(65_536))
        elif kind == "json":
            _check_ended(plain, path)
    return {"path": str(plain), "kind": kind, "delimiter": separator}


def _chunks(opened: BinaryIO, stop: threading.Event) -> Generator[bytes]:
    opened.seek(0)
    while not stop.is_set() and (chunk := opened.read(_CHUNK)):
        yield chunk


def _check_ended(file: Path, path: str) -> None:
    """A list that was cut off would be read in silence as far as it goes."""
    with file.open("rb") as data:
        head = data.read(1000).lstrip(codecs.BOM_UTF8 + b" \t\r\n")
        data.seek(max(0, os.fstat(data.fileno()).st_size - 1000))
        tail = data.read().rstrip()
    if head[:1] == b"[" and tail[-1:] != b"]":
        raise ToolFailed(message("table_cut_off", path=path), kind="bad_arguments")


def _diagnose(file: Path, path: str) -> None:
    """Say on which line a CSV goes wrong, where that can be told."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        text = opened.read(_DIAGNOSED)
    try:
        read_rows(text if len(text) < _DIAGNOSED else text[: text.rfind("\n") + 1], "csv")
    except RetryTool as error:
        raise ToolFailed(joined(message("table_wrong", path=path), str(error)), kind="bad_arguments") from error


def _failure(said: dict[str, Any], path: str, scratch: str) -> ToolError:
    kind, words = said.pop("problem"), said.pop("said", "")
    if kind == "column":
        near = nearest(said["name"], said["columns"], likeness=70, most=3)
        either = message("named_twice", en=" or ".join(f"'{one}'" for one in near), zh="、".join(near))
        there = message("columns_there", columns=said["columns"][:50])
        hint = joined(message("did_you_mean", near=either) if near else "", there)
        return RetryTool(message("no_column", path=path, column=said["name"]), hint=hint)
    problem = quoted(" ".join(words.replace(scratch + os.sep, "").split()).rstrip("."))
    wrong = message(f"table_problem.{kind}", path=path, problem=problem, **said)
    if not is_known(f"table_hint.{kind}"):  # no other arguments would help
        return ToolFailed(wrong, kind="bad_arguments")
    return RetryTool(wrong, hint=message(f"table_hint.{kind}"))
