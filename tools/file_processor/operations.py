"""What file_processor does to the bytes and the text of files."""

import hashlib
import html
import os
import re
import time
from pathlib import Path
from typing import Literal

import regex

from switchyard.language.messages import message
from switchyard.tools.core import Effect, RetryTool, ToolFailed
from switchyard.tools.core.files import decode, name_of, walk
from switchyard.tools.core.workspace import open_real
from switchyard.tools.files.globs import glob_matcher
from switchyard.tools.files.paths import existing_file, told
from switchyard.tools.files.writing import effect_on, whole_file

MAX_BYTES = 50_000_000
"""Larger files are only hashed."""

MAX_FORMATTED = 20_000_000
"""Characters of a text whose format is converted."""

MAX_PARTS = 1000
"""Files that a split may give, or a merge may take."""

Encoding = Literal["utf-8", "utf-8-sig", "gbk", "gb18030", "big5", "utf-16", "latin-1"]
Algorithm = Literal["sha256", "md5", "sha1"]

_CHUNK = 1 << 20
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MARKS: tuple[tuple[str, str], ...] = (
    (r"(?ms)^[ \t]*(```|~~~)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", r"\2"),  # fenced code
    (r"(?s)<!--.*?-->", ""),
    (r"(?m)^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?[ \t]*\n", ""),  # rules of tables, and lines
    (r"(?m)^[ \t]{0,3}(?:#{1,6}[ \t]+|(?:>[ \t]?)+)", ""),
    (r"(?m)[ \t]+#+[ \t]*$", ""),
    (r"(?m)^[ \t]{0,3}(?:[*_=][ \t]*){3,}$", ""),
    (r"!?\[([^\]\n]*)\]\([^)\n]*\)", r"\1"),
    (r"!?\[([^\]\n]+)\]\[[^\]\n]*\]", r"\1"),
    (r"(?m)^\[[^\]\n]+\]:[ \t]*\S+.*\n?", ""),
    (r"<(https?://[^>\s]+)>", r"\1"),
    (r"</?[A-Za-z][^>\n]*>", ""),
    (r"(`+)([^\n]+?)\1", r"\2"),
    (r"(\*\*\*|\*\*|\*|~~)(?=\S)([^\n]+?)(?<=\S)\1", r"\2"),
    (r"(?<!\w)(___|__|_)(?=\S)([^\n]+?)(?<=\S)\1(?!\w)", r"\2"),
    (r"\\([\\`*_{}\[\]()#+\-.!|>~])", r"\1"),
)
"""Marks of Markdown and what is left of them, in the order they are taken away."""


def read_bytes(file: Path, name: str) -> bytes:
    """The bytes of a file.

    Raises:
        ToolFailed: when there are too many, or they may not be read.
    """
    with told(name, verb="read"), open_real(file) as opened:
        data = opened.read(MAX_BYTES + 1)
        size = os.fstat(opened.fileno()).st_size
    if len(data) > MAX_BYTES:
        large = message("file_too_large_to_process", path=name, size=size / 1e6, most=MAX_BYTES / 1e6)
        raise ToolFailed(large, kind="bad_arguments")
    return data


def digest(file: Path, name: str, algorithm: Algorithm, seconds: float) -> str:
    """The hash of a file of any size, as hexadecimal digits."""
    state, deadline = hashlib.new(algorithm, usedforsecurity=False), time.monotonic() + seconds
    with told(name, verb="read"), open_real(file) as opened:
        while chunk := opened.read(_CHUNK):
            state.update(chunk)
            if time.monotonic() > deadline:
                raise ToolFailed(message("file_too_large_to_hash", path=name, seconds=seconds), kind="timeout")
    return state.hexdigest()


def read_as(data: bytes, name: str, encoding: Encoding | None = None) -> tuple[str, Encoding]:
    """The text of a file and its encoding; where none is named, what the bytes say.

    Bytes that are UTF-8 are read as such, whatever is named: text of another encoding hardly ever is by accident, and a
    file that was converted before is not converted twice.

    Raises:
        ToolFailed: when the file is binary.
        RetryTool: when it is not in the encoding named.
    """
    found = _encoding_of(data)
    if encoding is None or (found == "utf-8" and not data.isascii()):
        encoding, text = found, decode(data)
    else:
        text = _decoded(data, name, encoding)
    if text is None or "\x00" in text:
        raise ToolFailed(message("file_binary", path=name), kind="bad_arguments")
    return text, encoding


def _decoded(data: bytes, name: str, encoding: Encoding) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        problem = message("encoding_wrong", path=name, encoding=encoding, position=error.start)
        raise RetryTool(problem, hint=message("leave_encoding_out")) from error


def _encoding_of(data: bytes) -> Encoding:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if data.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    try:
        data.decode()
    except UnicodeDecodeError:
        return "gb18030"
    return "utf-8"


def encoded(text: str, encoding: Encoding) -> bytes:
    """The text in an encoding.

    Raises:
        RetryTool: when a character has no place in it; nothing is lost in silence.
    """
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        problem = message("character_unwritable", character=text[error.start], line=line, encoding=encoding)
        raise RetryTool(problem, hint=message("use_unicode")) from error


def with_ends(text: str, end: str) -> str:
    """The text with every line ended by `end`."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return lines if end == "\n" else lines.replace("\n", end)


def count_lines(text: str) -> int:
    """How many lines there are; an end at the very end opens no further line."""
    lines = with_ends(text, "\n")
    return lines.count("\n") + (lines != "" and not lines.endswith("\n"))


def without_markdown(text: str, seconds: float = 5.0) -> str:
    """The words of a Markdown text, without its marks."""
    deadline = time.monotonic() + seconds
    try:
        for pattern, rest in _MARKS:
            left = max(deadline - time.monotonic(), 0.001)
            text = regex.sub(pattern, rest, text, timeout=left, concurrent=True)
    except TimeoutError as error:
        raise ToolFailed(message("markdown_too_slow", seconds=seconds)) from error
    return html.unescape(text)


def split_by_lines(text: str, lines: int, *, header: bool) -> list[str]:
    """Parts of so many lines; with `header` the first line stands at the head of each."""
    found = _lines(text)
    head, body = (found[0], found[1:]) if header and found else ("", found)
    _checked_count(-(-len(body) // lines))
    return [head + "".join(body[at : at + lines]) for at in range(0, len(body), lines)]


def _lines(text: str) -> list[str]:
    """The lines with their ends; found one by one, so that other threads can work meanwhile."""
    return [match[0] for match in _LINE.finditer(text)]


def split_by_size(data: bytes, size: int) -> list[bytes]:
    """Parts of at most so many bytes; a character of UTF-8 stays whole."""
    _checked_count(-(-len(data) // size))
    whole = _encoding_of(data) in {"utf-8", "utf-8-sig"}
    parts: list[bytes] = []
    start = 0
    while start < len(data):
        end = min(start + size, len(data))
        while whole and end < len(data) and data[end] & 0xC0 == 0x80:  # noqa: PLR2004  the inner bytes of a character
            end -= 1
        end = end if end > start else start + size
        parts.append(data[start:end])
        start = end
    return parts


def _checked_count(parts: int) -> None:
    if parts > MAX_PARTS:
        raise RetryTool(message("too_many_parts", parts=parts, most=MAX_PARTS), hint=message("make_parts_larger"))


def read_all(files: list[tuple[Path, str]]) -> list[tuple[str, bytes]]:
    """The names and bytes of files that are not too large together."""
    total, parts = 0, list[tuple[str, bytes]]()
    for file, name in files:
        parts.append((name, read_bytes(file, name)))
        total += len(parts[-1][1])
        if total > MAX_BYTES:
            large = message("too_large_together", path=name, most=MAX_BYTES / 1e6)
            raise RetryTool(large, hint=message("merge_fewer_of_them"))
    return parts


def merged(parts: list[tuple[str, bytes]], separator: str, *, header: bool) -> bytes:
    """Files one after another.

    Texts of one encoding stay in it, texts of several become UTF-8; with `header` the first line of all but the first
    is left out. Where one is binary, the bytes are put together as they are.
    """
    if any(decode(data) is None for _, data in parts):
        if header or separator:
            raise RetryTool(message("one_file_binary"), hint=message("merge_without_header"))
        return b"".join(data for _, data in parts)
    read = [read_as(data, name) for name, data in parts]
    kinds: set[Encoding] = {kind for (_, data), (_, kind) in zip(parts, read, strict=True) if not data.isascii()}
    texts = [text for text, _ in read]
    if header:
        texts = texts[:1] + ["".join(_lines(text)[1:]) for text in texts[1:]]
    return encoded(separator.join(texts), kinds.pop() if len(kinds) == 1 else "utf-8")


def found_files(workspace: Path, paths: list[str], output: Path) -> list[tuple[Path, str]]:
    """The files that `paths` name; one with `*` stands for all that fit, in the order of their numbers."""
    found: list[tuple[Path, str]] = []
    for path in paths:
        if "*" in path:
            found += _fitting(workspace, path, output)
        else:
            found.append(existing_file(workspace, path))
    if len(found) > MAX_PARTS:
        raise RetryTool(message("too_many_files", count=len(found), most=MAX_PARTS), hint=message("merge_fewer"))
    return found


def _fitting(workspace: Path, pattern: str, output: Path) -> list[tuple[Path, str]]:
    fits = glob_matcher(pattern)
    files = [
        Path(entry.path) for entry in walk(workspace.resolve(), hidden=False) if entry.is_file(follow_symlinks=False)
    ]
    named = [(file, name_of(workspace, file)) for file in files if file != output]
    fitting = [(file, name) for file, name in named if fits(name) and ("/" in pattern or "/" not in name)]
    if not fitting:
        raise ToolFailed(message("no_file_fits", pattern=pattern), kind="not_found")
    return sorted(
        fitting, key=lambda one: [part.zfill(20) if part.isdigit() else part for part in re.split(r"(\d+)", one[1])]
    )


def keep(file: Path, name: str, data: bytes, *, overwrite: bool) -> bool:
    """Write a file that a person did not name to be changed; says whether it changed.

    Raises:
        RetryTool: when another one stands there and `overwrite` is not set.
    """
    if not would_change(file, name, data, overwrite=overwrite):
        return False
    with told(name), whole_file(file) as new:
        new.write(data)
    return True


def would_change(file: Path, name: str, data: bytes, *, overwrite: bool) -> bool:
    """Whether a file is to be written at all.

    Raises:
        RetryTool: when another one stands there and `overwrite` is not set.
    """
    with told(name):
        if not file.exists():
            return True
        with open_real(file) as opened:
            if os.fstat(opened.fileno()).st_size == len(data) and opened.read(len(data) + 1) == data:
                return False
    if not overwrite:
        raise RetryTool(message("file_there_already", path=name), hint=message("name_other_output"))
    return True


def effect_of(file: Path, name: str, data: bytes, *, overwrite: bool) -> Effect:
    """What keeping these bytes would change."""
    would_change(file, name, data, overwrite=overwrite)
    with told(name, verb="read"):
        if not file.exists():
            return effect_on(name, None, data)
        with open_real(file) as opened:
            return effect_on(name, opened.read(), data)
