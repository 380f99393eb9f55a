"""Paths of files that tools are given: checked, and what the system refuses as sentences about them."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from switchyard.tools.core import RetryTool, ToolFailed, resolve_inside
from switchyard.tools.core.files import find_existing, name_of


def existing_file(
    workspace: Path, path: str, *, of_a_folder: str = "Name a file in it; list_dir shows them."
) -> tuple[Path, str]:
    """A file that is there, and its name.

    Args:
        workspace: where it has to be.
        path: as it was given.
        of_a_folder: the hint where it is one.

    Raises:
        RetryTool: when it is no file.
        ToolFailed: when it is missing or outside the workspace.
    """
    file = find_existing(workspace, path)
    name = name_of(workspace, file)
    if file.is_dir():
        raise RetryTool(f"'{name}' is a folder, not a file.", hint=of_a_folder)
    if not file.is_file():
        raise RetryTool(f"'{name}' is a pipe or a device, not a file.", hint="Name a file.")
    return file, name


def writable(workspace: Path, path: str) -> Path:
    """The real path of a file to write, there or not.

    Raises:
        ToolFailed: with kind `permission` when the path, or a link it goes through, leaves the workspace.
        RetryTool: when it names something that is no file.
    """
    file = resolve_inside(workspace, path)
    with told(path):
        if file.is_dir() or path.endswith(("/", os.sep)):
            raise RetryTool(f"'{path}' is a folder, not a file.", hint="Name a file in it.")
        if file.exists() and not file.is_file():
            raise RetryTool(f"'{path}' is a pipe or a device, not a file.", hint="Name a file.")
    return file


@contextmanager
def told(path: str, *, verb: str = "written") -> Generator[None]:
    """What the system refuses, as a sentence about `path`."""
    try:
        yield
    except PermissionError as error:
        raise ToolFailed(f"'{path[:200]}' may not be {verb}: {error.strerror}.", kind="permission") from error
    except OSError as error:
        wrong = isinstance(error, NotADirectoryError | FileExistsError) or error.errno in {
            errno.ENAMETOOLONG,
            errno.EINVAL,
        }
        kind = "bad_arguments" if wrong else "unavailable"
        raise ToolFailed(f"'{path[:200]}' cannot be {verb}: {error.strerror}.", kind=kind) from error
