"""Writing files of the workspace: whole or not at all, and shown as a diff."""

import errno
import os
import re
import stat
import sys
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress
from difflib import unified_diff
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

from switchyard.language.messages import message
from switchyard.tools.core import Effect
from switchyard.tools.core.files import decode
from switchyard.tools.core.workspace import open_folder

MAX_COMPARED = 4_000
"""Lines that are compared one by one; a larger change is shown as one block for another."""
_AROUND = 3
_START = re.compile(r"(?<= [-+])\d+")
"""Where a hunk begins, as its head says: `@@ -1,4 +1,5 @@`."""


@contextmanager
def whole_file(path: Path) -> Generator[BinaryIO]:
    """A file that stands under its real path, complete and on the disk, once the block ends well; else nothing changes.

    The new file is made in, and put into, the folder that was reached without a link: what happens to the path
    meanwhile leads nowhere else.
    """
    name, temporary = path.name, f".{uuid.uuid4().hex}.tmp"
    with open_folder(path.parent, make=True) as folder:
        if folder is None:
            name, temporary = str(path), str(path.with_name(temporary))
        try:
            before = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            before = None
        if before is not None and not os.access(name, os.W_OK, dir_fd=folder):
            raise PermissionError(errno.EACCES, message("write_protected"))
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(handle)
            if before is not None:
                os.chmod(temporary, stat.S_IMODE(before.st_mode), dir_fd=folder)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(temporary, dir_fd=folder)
            raise
        _sync(folder)


def difference(before: str, after: str, path: str, max_lines: int) -> tuple[str, bool]:
    """The change as a unified diff of at most `max_lines`, and whether it was cut."""
    old, new = before.split("\n") if before else [], after.split("\n") if after else []
    first = max(_alike(old, new) - _AROUND, 0)
    last = max(_alike(old[first:][::-1], new[first:][::-1]) - _AROUND, 0)
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(old), len(new)) <= MAX_COMPARED:
        lines = list(unified_diff(old, new, lineterm=""))[2:]
        lines = [_START.sub(lambda at: str(int(at[0]) + first), line) if line[:3] == "@@ " else line for line in lines]
    else:
        lines = [f"@@ -{first + 1},{len(old)} +{first + 1},{len(new)} @@"]
        lines += [f"-{line}" for line in old] + [f"+{line}" for line in new]
    if lines:
        lines = [f"--- {path}", f"+++ {path}", *lines]
    return "\n".join(lines[:max_lines]), len(lines) > max_lines


def effect_on(path: str, before: bytes | None, after: bytes) -> Effect:
    """What writing these bytes does to a file, which has `before` in it, or None where it is not there yet."""
    if before == after:
        return Effect(kind="leaves", target=path)
    old, new = decode(before or b""), decode(after)
    # the words of a diff would say nothing about bytes that are no text
    diff = "" if old is None or new is None else difference(old, new, path, sys.maxsize)[0]
    return Effect(kind="creates" if before is None else "changes", target=path, text=diff)


def _alike(one: list[str], other: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _sync(folder: int | None) -> None:
    """Make the new name last; systems that cannot open a folder keep names by themselves."""
    with suppress(PermissionError):
        handle = os.open(".", os.O_RDONLY, dir_fd=folder)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
