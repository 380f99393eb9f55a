"""What file_processor does to the bytes and the text of files."""

import codecs
import hashlib
import html
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from switchyard.language.messages import message
from switchyard.tools.core import Effect, RetryTool, ToolFailed
from switchyard.tools.core.files import decode, encoding_of, existing_file, name_of, read_bytes, told, walk
from switchyard.tools.core.workspace import open_real
from switchyard.tools.files.globs import glob_matcher
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
_MARKS = (
    (r"(?ms)^[ \t]*(```|~~~)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", r"\2"),  # fenced code
    (r"(?s)<!--.*?-->", ""),  # comments
    (r"(?m)^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?[ \t]*\n", ""),  # rules of tables, and lines
    (r"(?m)^[ \t]{0,3}(?:#{1,6}[ \t]+|(?:>[ \t]?)+)", ""),  # headings and quotations
    (r"(?m)[ \t]+#+[ \t]*$", ""),  # signs that close a heading
    (r"(?m)^[ \t]{0,3}(?:[*_=][ \t]*){3,}$", ""),  # lines
    (r"!?\[([^\]\n]*)\]\([^)\n]*\)", r"\1"),  # links and pictures
    (r"!?\[([^\]\n]+)\]\[[^\]\n]*\]", r"\1"),  # links by name
    (r"(?m)^\[[^\]\n]+\]:[ \t]*\S+.*\n?", ""),  # where links by name lead
    (r"<(https?://[^>\s]+)>", r"\1"),  # bare addresses
    (r"</?[A-Za-z][^>\n]*>", ""),  # HTML
    (r"(`+)([^\n]+?)\1", r"\2"),  # code
    (r"(\*\*\*|\*\*|\*|~~)(?=\S)([^\n]+?)(?<=\S)\1", r"\2"),  # emphasis with stars, and what is struck out
    (r"(?<!\w)(___|__|_)(?=\S)([^\n]+?)(?<=\S)\1(?!\w)", r"\2"),  # emphasis with underscores
    (r"\\([\\`*_{}\[\]()#+\-.!|>~])", r"\1"),  # escaped signs
)
"""Marks of Markdown as they look and what is left of them, in the order they are taken away."""


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
    """
    found = _encoding_of(data)
    if encoding is None or (found == "utf-8" and not data.isascii()):
        encoding, text = found, decode(data)
    else:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            problem = message("encoding_wrong", path=name, encoding=encoding, position=error.start)
            raise RetryTool(problem, hint=message("leave_encoding_out")) from error
    if encoding is None or text is None or "\x00" in text:
        raise ToolFailed(message("file_binary", path=name), kind="bad_arguments")
    return text, encoding


def _encoding_of(data: bytes) -> Encoding | None:
    """The encoding of a text, with the mark at its beginning told apart; None when it is binary."""
    found = encoding_of(lambda: [data])
    return "utf-8" if found == "utf-8-sig" and not data.startswith(codecs.BOM_UTF8) else found


def encoded(text: str, encoding: Encoding) -> bytes:
    """The text in an encoding."""
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


def without_markdown(text: str, seconds: float = 5.0) -> str:
    """The words of a Markdown text, without its marks."""
    import regex  # noqa: PLC0415  loaded where it is used

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
        parts.append((name, read_bytes(file, MAX_BYTES, name=name)))
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
    entries = [entry for entry in walk(workspace.resolve(), hidden=False) if entry.is_file(follow_symlinks=False)]
    files = [Path(entry.path) for entry in entries if Path(entry.path) != output]
    named = [(file, name_of(workspace, file)) for file in files]
    fitting = [(file, name) for file, name in named if fits(name) and ("/" in pattern or "/" not in name)]
    if not fitting:
        raise ToolFailed(message("no_file_fits", pattern=pattern), kind="not_found")
    return sorted(
        fitting, key=lambda one: [part.zfill(20) if part.isdigit() else part for part in re.split(r"(\d+)", one[1])]
    )


@dataclass(frozen=True, slots=True)
class Output:
    """A file that is to be written."""

    file: Path
    path: str
    data: bytes
    sources: list[str]
    overwrite: bool
    encoding: Encoding | None = None
    rows: int | None = None

    def differs(self) -> bool:
        """Whether there is anything to write."""
        with told(self.path):
            if not self.file.exists():
                return True
            with open_real(self.file) as opened:
                size = os.fstat(opened.fileno()).st_size
                if size == len(self.data) and opened.read(size + 1) == self.data:
                    return False
        if not self.overwrite:
            raise RetryTool(message("file_there_already", path=self.path), hint=message("name_other_output"))
        return True

    def keep(self) -> bool:
        """Write it; says whether something changed."""
        if differs := self.differs():
            with told(self.path), whole_file(self.file) as new:
                new.write(self.data)
        return differs

    def effect(self) -> Effect:
        """What writing it would change."""
        self.differs()
        with told(self.path, verb="read"):
            if not self.file.exists():
                return effect_on(self.path, None, self.data)
            with open_real(self.file) as opened:
                return effect_on(self.path, opened.read(), self.data)
