"""The text of files below a folder, and what of them was left out: nothing is lost in silence.

And how many words a text has.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import regex

from switchyard.tools.core.files import MAX_VISITED, decode, name_of, walk
from switchyard.tools.core.workspace import open_real

MOST_NAMED = 20
"""Files that are named among those left out; the others are counted."""
_WORD = regex.compile(r"\p{Han}|(?<!\S)[^\s\p{Han}]++(?!\S)|[^\s\p{Han}]*?[\p{L}\p{N}][^\s\p{Han}]*+")
"""Beside Han characters, a mark alone is a word only where white space is around it."""

Reason = Literal["binary", "too_large", "unreadable", "no_time", "no_room", "too_many"]
"""Why a file was not read. Of `no_time`, a part may have been; `too_many` stands for the rest of a folder."""


class LeftOut(Exception):
    """A file, or the rest of it, is not read."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class Skipped:
    """The files a search has left out."""

    def __init__(self) -> None:
        self._files: list[tuple[Path, Reason]] = []

    def add(self, path: Path, reason: Reason) -> None:
        """One more."""
        self._files.append((path, reason))

    @property
    def holds_text(self) -> bool:
        """Whether there may be text in them: then the search is not complete."""
        return any(reason != "binary" for _, reason in self._files)

    def told(self, workspace: Path) -> dict[str, Any]:
        """What a result says of them: how many, and a few by name, those first that may hold text."""
        named = sorted(self._files, key=lambda file: file[1] == "binary")[:MOST_NAMED]
        files = [{"path": name_of(workspace, path), "reason": reason} for path, reason in named]
        return {"count": len(self._files), "files": files}


def files_below(folder: Path, skipped: Skipped) -> Iterator[os.DirEntry[str]]:
    """The files below a folder that are no links; what cannot be looked at is noted."""
    visited = 0
    for entry in walk(folder, hidden=False, unreadable=lambda path: skipped.add(path, "unreadable")):
        visited += 1
        if entry.is_file(follow_symlinks=False):
            yield entry
    if visited >= MAX_VISITED:
        skipped.add(folder, "too_many")


def text_of(path: Path, max_bytes: int) -> str:
    """The text of a file, by its real path; `LeftOut` where it has none that can be read."""
    try:
        with open_real(path) as file:
            if os.fstat(file.fileno()).st_size > max_bytes:
                raise LeftOut("too_large")
            text = decode(file.read(max_bytes))
    except OSError as error:
        raise LeftOut("unreadable") from error
    if text is None:
        raise LeftOut("binary")
    return text


def around(line: str, start: int, length: int) -> str:
    """At most so many characters of a line, with the place among them that is meant."""
    first = max(0, min(start - length // 3, len(line) - length))
    return line[first : first + length]


def count_words(text: str) -> int:
    """Words between white space, plus every Han character as a word of its own."""
    if text.isascii():
        return len(text.split())
    return len(_WORD.findall(text))
