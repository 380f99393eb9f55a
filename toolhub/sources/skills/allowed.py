"""The tools a skill names in `allowed-tools`, as the tools of this hub."""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase

RUN_SCRIPT = "run_script"
"""What a skill names to have its own scripts run."""

ALSO_CALLED = {
    "read": "read_file",
    "view": "read_file",
    "write": "write_to_file",
    "write_file": "write_to_file",
    "edit": "write_to_file",
    "multi_edit": "write_to_file",
    "grep": "grep_search",
    "glob": "list_dir",
    "ls": "list_dir",
    "web_search": "search_web",
    "web_fetch": "web_scraper",
    "python": "python_executor",
    "bash": RUN_SCRIPT,
    "shell": RUN_SCRIPT,
}
"""How other programs call what we have."""

_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_RUNS_PYTHON = re.compile(r"(?:python[\d.]*|uv run)\b|(?:\./)?(?:\S*/)?scripts/|\*?$")


def tool_ids(written: str) -> tuple[str, ...]:
    """What a name may mean here, likeliest first; none when it allows less than any tool here does.

    `Read` is read_file, `mcp__time__now` is time/now, and `Bash(python:*)` lets the skill's own scripts run. There is
    no shell, so `Bash(git:*)` means nothing; nor does `Read(docs/**)`: a limit that is not kept must not look kept.
    """
    name, bracket, limit = written.rstrip(")").partition("(")
    if name.startswith("mcp__"):
        return ("/".join(name.split("__", 2)[1:]),)
    snake = _WORD_EDGE.sub("_", name).replace("-", "_").lower()
    meant = ALSO_CALLED.get(snake, snake)
    if bracket and not (meant == RUN_SCRIPT and _RUNS_PYTHON.match(limit.strip())):
        return ()
    return tuple(dict.fromkeys((name, meant)))


def allows(allowed: tuple[str, ...] | None, tool: str) -> bool:
    """Whether a skill may call this tool; one that names no tools may call any, but run no scripts."""
    if allowed is None:
        return tool != RUN_SCRIPT
    return any(fnmatchcase(tool, one) for written in allowed for one in tool_ids(written))


def names_nothing(written: str, exists: Callable[[str], bool]) -> bool:
    """Whether no tool is meant by a name; patterns like `time/*` mean whatever there is."""
    return not any(one == RUN_SCRIPT or "*" in one or exists(one) for one in tool_ids(written))
