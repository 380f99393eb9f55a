"""Tables in files: made readable for the table worker, handed to it, and its answers and problems read."""

import codecs
import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from tools._table_text import delimiter, read_rows
from tools._writing import told
from tools.core import RetryTool, ToolFailed
from tools.core.errors import ToolError

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
_WORKER = Path(__file__).with_name("_table_worker.py")


async def ask_table(file: Path, path: str, operation: str, arguments: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What an operation of the worker says about a file.

    Raises:
        RetryTool: when other arguments would work.
        ToolFailed: when the file cannot be read as a table, or the answer takes too much time or memory.
    """
    async with anyio.TemporaryDirectory(prefix="switchyard-") as scratch:
        readable = await anyio.to_thread.run_sync(_readable, file, path, Path(scratch))
        job = {
            **readable,
            "operation": operation,
            "arguments": arguments,
            "seconds": int(seconds) + 1,
            "memory": MEMORY,
        }
        said = await _answer(job, scratch, seconds)
        if said.get("problem") == "unreadable" and readable["kind"] == "csv":
            await anyio.to_thread.run_sync(_diagnose, Path(readable["path"]), path)
    if "problem" in said:
        raise _failure(said, path, scratch)
    return said


async def _answer(job: dict[str, Any], scratch: str, seconds: float) -> dict[str, Any]:
    """One process for one job: it is ended when the time is over or nobody waits for it any more."""
    command = [sys.executable, "-I", "-B", "-X", "utf8", str(_WORKER)]
    try:
        with anyio.fail_after(seconds):
            done = await anyio.run_process(command, input=json.dumps(job).encode(), check=False, cwd=scratch, env={})
    except TimeoutError as error:
        raise ToolFailed(
            f"The table was not worked out within {seconds:g} seconds; ask for less of it.", kind="timeout"
        ) from error
    return json.loads(done.stdout) if done.returncode == 0 else {"problem": "ended"}


def _readable(file: Path, path: str, scratch: Path) -> dict[str, Any]:
    """The file under a plain name and in UTF-8, and how it is to be read.

    Raises:
        RetryTool: when it is no table by its name, or has nothing in it.
        ToolFailed: when it is too large, or no text where text is needed.
    """
    kind = KINDS.get(file.suffix.lower())
    if kind is None:
        raise RetryTool(f"'{path}' is no table I can read.", hint=f"Name a file that ends in {', '.join(KINDS)}.")
    with told(path, verb="read"):
        size = file.stat().st_size
        if not size:
            raise RetryTool(f"'{path}' is empty.", hint="Name a file with rows.")
        if size > MAX_BYTES:
            most = f"at most {MAX_BYTES / 1e6:.0f} MB are analysed"
            raise ToolFailed(f"'{path}' has {size / 1e6:.1f} MB; {most}.", kind="bad_arguments")
        plain = scratch / f"data{file.suffix.lower()}"
        encoding = None if kind == "parquet" else _encoding(file, path)
        if encoding in {None, "utf-8"}:
            plain.symlink_to(file)
        else:
            with file.open(encoding=encoding, newline="") as old, plain.open("w", encoding="utf-8", newline="") as new:
                while chunk := old.read(_CHUNK):
                    new.write(chunk)
        separator = None
        if kind == "csv":
            with plain.open(encoding="utf-8-sig") as text:
                separator = delimiter(text.read(65_536))
        elif kind == "json":
            _check_ended(plain, path)
    return {"path": str(plain), "kind": kind, "delimiter": separator}


def _encoding(file: Path, path: str) -> str:
    """The encoding of a text, found by reading all of it."""
    with file.open("rb") as data:
        head = data.read(_CHUNK)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8", "gb18030"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with file.open("rb") as data:
                while chunk := data.read(_CHUNK):
                    decoder.decode(chunk)
                decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        if b"\x00" not in head:
            return encoding
    raise ToolFailed(f"'{path}' is a binary file, not text.", kind="bad_arguments")


def _check_ended(file: Path, path: str) -> None:
    """A list that was cut off would be read in silence as far as it goes."""
    with file.open("rb") as data:
        head = data.read(1000).lstrip(codecs.BOM_UTF8 + b" \t\r\n")
        data.seek(max(0, file.stat().st_size - 1000))
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
