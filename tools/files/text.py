"""The text of files of any size, block after block, and what of them was left out: nothing is lost in silence.

And how many words a text has.
"""

import io
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal

from switchyard.tools.core.files import MAX_VISITED, encoding_of, walk
from switchyard.tools.core.workspace import open_real

BLOCK = 1 << 20
"""Characters, or bytes, that are read at once."""
LONGEST_LINE = 5_000_000
"""Characters of a line that are kept beyond the block it begins in."""
MOST_NAMED = 20
"""Files that are named among those left out; the others are counted."""
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Han characters, as a class of regular expressions has them."""

Reason = Literal["binary", "too_large", "unreadable", "no_time", "no_room", "long_line", "too_many"]
"""Why a file was not read. Of `long_line`, and perhaps of `no_time`, a part was; `too_many` stands for the rest of a
folder."""


class LeftOut(Exception):
    """A file, or the rest of it, is not read."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class Skipped:
    """The files a search has left out."""

    def __init__(self) -> None:
        self._text: list[tuple[str, Reason]] = []
        self._binary: list[tuple[str, Reason]] = []
        self._count = 0

    @property
    def holds_text(self) -> bool:
        """Whether there may be text in them: then the search is not complete."""
        return bool(self._text)

    def add(self, path: str, reason: Reason) -> None:
        """Count a file, and name it while there are few."""
        self._count += 1
        named = self._binary if reason == "binary" else self._text
        if len(named) < MOST_NAMED:
            named.append((path, reason))

    def told(self, name: Callable[[str], str] = str) -> dict[str, Any]:
        """What a result says of them; those that may hold text are named first."""
        named = [*self._text, *self._binary][:MOST_NAMED]
        return {"count": self._count, "files": [{"path": name(path), "reason": reason} for path, reason in named]}


def files_below(folder: Path, skipped: Skipped, name: Callable[[Path], str]) -> Iterator[os.DirEntry[str]]:
    """The files below a folder that are no links; what cannot be looked at is noted by its name."""
    visited = 0
    for entry in walk(folder, hidden=False, unreadable=lambda path: skipped.add(name(path), "unreadable")):
        visited += 1
        if entry.is_file(follow_symlinks=False):
            yield entry
    if visited >= MAX_VISITED:
        skipped.add(name(folder), "too_many")


def text_blocks(path: Path, max_bytes: int, deadline: float) -> Iterator[str]:
    r"""The text of a file in pieces of whole lines, each ended by \n whatever it was; the last may lack its end.

    A file larger than `max_bytes` is not read, nor what is left at the deadline, on the monotonic clock.
    """
    try:
        with open_real(path) as file:
            if os.fstat(file.fileno()).st_size > max_bytes:
                raise LeftOut("too_large")
            encoding = encoding_of(lambda: _blocks(file, deadline))
            if encoding is None:
                raise LeftOut("binary")
            file.seek(0)
            with io.TextIOWrapper(file, encoding) as text:
                yield from _whole_lines(text, deadline)
    except (OSError, UnicodeDecodeError) as error:
        raise LeftOut("unreadable") from error


def _whole_lines(text: io.TextIOWrapper, deadline: float) -> Iterator[str]:
    is_cut = False
    while block := text.read(BLOCK):
        _check(deadline)
        block += "" if block.endswith("\n") else text.readline(LONGEST_LINE)
        while not block.endswith("\n") and (rest := text.readline(BLOCK)):
            is_cut = True
            block += "\n" if rest.endswith("\n") else ""
        yield block
    if is_cut:
        raise LeftOut("long_line")


def _blocks(file: BinaryIO, deadline: float) -> Iterable[bytes]:
    _check(deadline)
    file.seek(0)
    while block := file.read(BLOCK):
        yield block
        _check(deadline)


def _check(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise LeftOut("no_time")


def around(line: str, start: int, length: int) -> str:
    """At most so many characters of a line, with the place among them that is meant."""
    first = max(0, min(start - length // 3, len(line) - length))
    return line[first : first + length]


def count_words(text: str) -> int:
    """Words between white space, plus every Han character as a word of its own."""
    if text.isascii():
        return len(text.split())
    words = 0
    for piece in text.split():
        around = re.split(f"[{HAN}]", piece)
        if len(around) == 1:
            words += 1
        else:
            words += len(around) - 1 + sum(any(map(str.isalnum, part)) for part in around)
    return words
