"""Patterns of paths: `*.py`, `src/**/*.{md,txt}`."""

import fnmatch
import re
from collections.abc import Callable

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
    """Follow all ways at once to read `names` as `parts`: the places in `parts` reached so far."""
    reached = _past_stars(parts, {0})
    for name in names:
        steps = {
            at if parts[at] == "**" else at + 1 for at in reached if at < len(parts) and _fits_one(parts[at], name)
        }
        reached = _past_stars(parts, steps)
    return len(parts) in reached


def _fits_one(part: str, name: str) -> bool:
    return part == "**" or fnmatch.fnmatchcase(name, part)


def _past_stars(parts: list[str], reached: set[int]) -> set[int]:
    for at in range(len(parts)):
        if at in reached and parts[at] == "**":
            reached.add(at + 1)
    return reached
