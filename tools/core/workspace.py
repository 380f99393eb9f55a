"""Paths stay in the workspace, whatever a model or a user writes, and what was checked is what is opened.

A path is checked first and opened later; in between somebody may put a link where a folder was. So files are opened
step by step from the root, and no step may be a link: a real path has none.
"""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from switchyard.language.messages import message, quoted
from switchyard.tools.core.errors import ToolFailed

_BY_STEPS = os.open in os.supports_dir_fd
_TO_PASS = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_TO_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe must not block


def resolve_inside(workspace: Path, path: str) -> Path:
    """The real path of `path` inside `workspace`; links are followed first, so that one that leads out is refused."""
    root = workspace.resolve()
    try:
        real = (root / Path(path).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        why = message("null_byte") if isinstance(error, ValueError) else quoted(str(error))
        raise ToolFailed(message("path_unusable", path=path, why=why), kind="bad_arguments") from error
    if real != root and root not in real.parents:
        raise ToolFailed(message("path_outside", path=path, root=str(root)), kind="permission")
    return real


def shown(workspace: Path, path: Path) -> str:
    """`path` as people name it: relative to the workspace, with forward slashes."""
    return path.relative_to(workspace.resolve()).as_posix()


def open_real(path: Path) -> BufferedReader:
    """The file at a real path, to be read; `PermissionError` where a link stands in the path by now."""
    with open_folder(path.parent) as folder:
        if folder is None:
            return path.open("rb")
        handle = _opened(path.name, _TO_READ, folder)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a file")
    return os.fdopen(handle, "rb")


@contextmanager
def open_folder(path: Path, *, make: bool = False) -> Generator[int | None]:
    """A descriptor of the folder at a real path, for names in it; None where the system opens whole paths only.

    `make` makes folders that are missing; a link that stands in the path by now is a `PermissionError`.
    """
    if not _BY_STEPS:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        yield None
        return
    handle = os.open(path.anchor, _TO_PASS)
    try:
        for name in path.parts[1:]:
            if make:
                _make(name, handle)
            below = _opened(name, _TO_PASS, handle)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def _make(name: str, folder: int) -> None:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        with suppress(FileExistsError):  # somebody else was faster
            os.mkdir(name, dir_fd=folder)


def _opened(name: str, flags: int, folder: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}:  # which of them depends on the system
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode):
                raise PermissionError(errno.ELOOP, f"'{name}' has become a link") from error
        raise
