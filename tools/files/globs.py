"""Patterns of paths: `*.py`, `src/**/*.{md,txt}`."""

import fnmatch
import re
from collections.abc import Callable
from functools import cache

from switchyard.language.messages import message
from switchyard.tools.core.errors import RetryTool

_MAX_CHOICES = 100
_BRACES = re.compile(r"\{([^{}]*)\}")


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
