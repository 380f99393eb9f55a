"""Paths of files that tools are given: checked, and what the system refuses as sentences about them."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from switchyard.language.messages import Message, message
from switchyard.tools.core import RetryTool, ToolFailed, resolve_inside
from switchyard.tools.core.files import find_existing, name_of, system_words


def existing_file(workspace: Path, path: str, *, of_a_folder: Message | None = None) -> tuple[Path, str]:
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
        raise RetryTool(message("folder_not_file", path=name), hint=of_a_folder or message("name_listed_file"))
    if not file.is_file():
        raise RetryTool(message("device_not_file", path=name), hint=message("name_file"))
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
            raise RetryTool(message("folder_not_file", path=path), hint=message("name_file_in_it"))
        if file.exists() and not file.is_file():
            raise RetryTool(message("device_not_file", path=path), hint=message("name_file"))
    return file


@contextmanager
def told(path: str, *, verb: Literal["read", "written"] = "written") -> Generator[None]:
    """What the system refuses, as a sentence about `path`."""
    try:
        yield
    except PermissionError as error:
        refused = message(f"may_not_be.{verb}", path=path[:200], why=system_words(error))
        raise ToolFailed(refused, kind="permission") from error
    except OSError as error:
        wrong = isinstance(error, NotADirectoryError | FileExistsError) or error.errno in {
            errno.ENAMETOOLONG,
            errno.EINVAL,
        }
        kind = "bad_arguments" if wrong else "unavailable"
        failed = message(f"cannot_be.{verb}", path=path[:200], why=system_words(error))
        raise ToolFailed(failed, kind=kind) from error
