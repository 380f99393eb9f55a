"""Tables in files: made readable for the table worker, handed to it, and its answers and problems read."""

import asyncio
import codecs
import json
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import anyio
import anyio.to_thread

from switchyard.tools.core import RetryTool, ToolFailed
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import encoding_of
from switchyard.tools.core.workspace import open_real
from switchyard.tools.files.paths import told
from switchyard.tools.files.rows import delimiter, read_rows

T = TypeVar("T")

KINDS = {
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
}
"""How a file is read, by the end of its name."""

MAX_BYTES = 200_000_000
"""Larger files are refused."""

MEMORY = 1000
"""Megabytes the tables of one call may take."""

_CHUNK = 1 << 20
_DIAGNOSED = 5_000_000
_HANDLES = Path("/dev/fd")
"""Where a process finds the files it has open, if the system has such a place."""
_BY_HANDLE = _HANDLES.is_dir()
_WORKER = Path(__file__).with_name("worker.py")


async def ask_table(file: Path, path: str, operation: str, arguments: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What an operation of the worker says about a file, after `seconds` at most.

    Raises:
        RetryTool: when other arguments would work.
        ToolFailed: when the file cannot be read as a table, or the answer takes too much time or memory.
    """
    try:
        async with asyncio.timeout(seconds), anyio.TemporaryDirectory(prefix="switchyard-") as scratch:
            with told(path, verb="read"):
                opened = await anyio.to_thread.run_sync(open_real, file)
            with opened:
                stop = threading.Event()
                made_readable = asyncio.to_thread(_readable, opened, path, Path(scratch), stop)
                readable = await _to_its_end(made_readable, stop.set)
                job = {**readable, "operation": operation, "arguments": arguments}
                said = await _answer({**job, "seconds": int(seconds) + 1, "memory": MEMORY}, scratch, opened.fileno())
                if said.get("problem") == "unreadable" and readable["kind"] == "csv":
                    await _to_its_end(asyncio.to_thread(_diagnose, Path(readable["path"]), path), stop.set)
    except TimeoutError as error:
        raise ToolFailed(
            f"The table was not worked out within {seconds:g} seconds; ask for less of it.", kind="timeout"
        ) from error
    if "problem" in said:
        raise _failure(said, path, scratch)
    return said


async def _answer(job: dict[str, Any], scratch: str, handle: int) -> dict[str, Any]:
    """One process for one job, which has the table's file open; it does not outlive the wait for it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-B", "-X", "utf8", str(_WORKER)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=scratch,
        env={},
        pass_fds=(handle,) if _BY_HANDLE else (),
    )

    def end() -> None:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()

    output, _ = await _to_its_end(process.communicate(json.dumps(job).encode()), end)
    return json.loads(output) if process.returncode == 0 else {"problem": "ended"}


async def _to_its_end(work: Coroutine[Any, Any, T], end: Callable[[], None]) -> T:
    """What the work gives. Whoever stops waiting for it goes on when it has been ended: it leaves nothing behind."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    finally:
        end()
        await asyncio.wait([task])
        task.exception()  # which is nobody's any more where the wait was given up


def _readable(opened: BinaryIO, path: str, scratch: Path, stop: threading.Event) -> dict[str, Any]:
    """The file under a plain name and in UTF-8, and how it is to be read.

    Raises:
        RetryTool: when it is no table by its name, or has nothing in it.
        ToolFailed: when it is too large, or no text where text is needed.
    """
    suffix = Path(path).suffix.lower()
    kind = KINDS.get(suffix)
    if kind is None:
        raise RetryTool(f"'{path}' is no table I can read.", hint=f"Name a file that ends in {', '.join(KINDS)}.")
    with told(path, verb="read"):
        size = os.fstat(opened.fileno()).st_size
        if not size:
            raise RetryTool(f"'{path}' is empty.", hint="Name a file with rows.")
        if size > MAX_BYTES:
            most = f"at most {MAX_BYTES / 1e6:.0f} MB are analysed"
            raise ToolFailed(f"'{path}' has {size / 1e6:.1f} MB; {most}.", kind="bad_arguments")
        plain = scratch / f"data{suffix}"
        encoding = "utf-8-sig" if kind == "parquet" else encoding_of(lambda: _chunks(opened, stop))
        if encoding is None:
            raise ToolFailed(f"'{path}' is a binary file, not text.", kind="bad_arguments")
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
    """The bytes of a file from its beginning, until nobody wants them any more."""
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
        raise ToolFailed(f"'{path}' ends before its list does; it was cut off.", kind="bad_arguments")


def _diagnose(file: Path, path: str) -> None:
    """Say on which line a CSV goes wrong, where that can be told."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        text = opened.read(_DIAGNOSED)
    try:
        read_rows(text if len(text) < _DIAGNOSED else text[: text.rfind("\n") + 1], "csv")
    except RetryTool as error:
        raise ToolFailed(f"'{path}' cannot be read as a table. {error}", kind="bad_arguments") from error


_RETRY = {
    "sql": ("The query does not work: {said}", "The table is called data."),
    "not_select": ("Only one SELECT over the table data is run.", "Read nothing else and change nothing."),
    "value": (
        "'{value}' is no value of column '{column}', which has the type {type}.",
        "Write numbers plainly and dates like 2024-01-31.",
    ),
    "not_numeric": (
        "{function} needs numbers; column '{column}' has the type {type}.",
        "Choose another column, or count, min or max.",
    ),
}
_FAILED = {
    "unreadable": "'{path}' cannot be read as a table: {said}",
    "memory": "This needs too much memory; ask for less of the table.",
    "ended": "Reading '{path}' broke off: the file may be damaged, or the question too large.",
}
"""The problems of the worker as sentences."""


def _failure(said: dict[str, Any], path: str, scratch: str) -> ToolError:
    problem = said["problem"]
    if problem == "column":
        return _no_column(said["name"], said["columns"], path)
    if "said" in said:
        said["said"] = " ".join(said["said"].replace(scratch + os.sep, "").split()).rstrip(".") + "."
    if problem in _FAILED:
        return ToolFailed(_FAILED[problem].format(path=path, **said), kind="bad_arguments")
    sentence, hint = _RETRY[problem]
    return RetryTool(sentence.format(path=path, **said), hint=hint)


def _no_column(name: str, columns: list[str], path: str) -> RetryTool:
    from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

    near = [f"'{found}'" for found, _, _ in process.extract(name, columns, limit=3, score_cutoff=40)]
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return RetryTool(f"'{path}' has no column '{name}'.", hint=f"{hint}Columns: {', '.join(columns[:50])}.")
