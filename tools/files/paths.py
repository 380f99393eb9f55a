"""Which files of the workspace a call means: one that is there, one to write, or all that a pattern fits.

Every path goes through `resolve_inside`.
"""

import fnmatch
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from switchyard.language.messages import Message, message
from switchyard.tools.core import RetryTool, ToolFailed, resolve_inside
from switchyard.tools.core.files import name_of, nearest_path, system_words, told

_MAX_CHOICES = 100
_BRACES = re.compile(r"\{([^{}]*)\}")


def find_existing(workspace: Path, path: str) -> Path:
    """The real path of something that exists in the workspace."""
    real = resolve_inside(workspace, path)
    try:
        exists = real.exists()
    except OSError as error:
        kind = "permission" if isinstance(error, PermissionError) else "bad_arguments"
        raise ToolFailed(message("path_unusable", path=path[:200], why=system_words(error)), kind=kind) from error
    if not exists:
        near = nearest_path(workspace, path)
        missing = message("path_missing", path=path, near=near) if near else message("path_missing_alone", path=path)
        raise ToolFailed(missing, kind="not_found")
    return real


def existing_file(workspace: Path, path: str, *, of_a_folder: Message | None = None) -> tuple[Path, str]:
    """A file that is there, and its name; `of_a_folder` is the hint where it is a folder."""
    file = find_existing(workspace, path)
    name = name_of(workspace, file)
    if file.is_dir():
        raise RetryTool(message("folder_not_file", path=name), hint=of_a_folder or message("name_listed_file"))
    if not file.is_file():
        raise RetryTool(message("device_not_file", path=name), hint=message("name_file"))
    return file, name


def writable(workspace: Path, path: str) -> Path:
    """The real path of a file to write, there or not; neither it nor a link it goes through leaves the workspace."""
    file = resolve_inside(workspace, path)
    with told(path):
        if file.is_dir() or path.endswith(("/", os.sep)):
            raise RetryTool(message("folder_not_file", path=path), hint=message("name_file_in_it"))
        if file.exists() and not file.is_file():
            raise RetryTool(message("device_not_file", path=path), hint=message("name_file"))
    return file


def glob_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for paths with forward slashes: `*.py` looks at the last name, `src/**/*.py` at the whole path.

    `{a,b}` is a choice; `**` stands for any number of folders.
    """
    if ".." in pattern.split("/") or pattern.startswith("/"):
        raise RetryTool(message("pattern_leaves_folder", pattern=pattern), hint=message("write_pattern_relative"))
    choices = [choice.removeprefix("./").split("/") for choice in _expand(pattern)]

    def fits(path: str) -> bool:
        names = path.split("/")
        return any(_fits(parts, names[-1:] if len(parts) == 1 else names) for parts in choices)

    return fits


def _expand(pattern: str) -> list[str]:
    """`*.{py,md}` as `*.py` and `*.md`."""
    waiting, plain = [pattern], list[str]()
    while waiting:
        one = waiting.pop()
        if match := _BRACES.search(one):
            waiting += [one[: match.start()] + choice + one[match.end() :] for choice in match[1].split(",")]
        else:
            plain.append(one)
        if len(waiting) + len(plain) > _MAX_CHOICES:
            wide = message("pattern_too_many_choices", pattern=pattern[:200])
            raise RetryTool(wide, hint=message("write_fewer_braces"))
    return plain


def _fits(parts: list[str], names: list[str]) -> bool:
    """Whether the names can be read as the parts; each place is looked at once, however many `**` there are."""

    @cache
    def fits_from(part: int, name: int) -> bool:
        if part == len(parts):
            return name == len(names)
        if parts[part] == "**" and fits_from(part + 1, name):
            return True
        if name == len(names):
            return False
        if parts[part] == "**":
            return fits_from(part, name + 1)
        return fnmatch.fnmatchcase(names[name], parts[part]) and fits_from(part + 1, name + 1)

    return fits_from(0, 0)
