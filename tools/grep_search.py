"""Where a text occurs in the files of the workspace."""

import re
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import regex
from pydantic import Field, StringConstraints

from tools.core import BaseToolParams, ResultMeta, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from tools.core.files import MAX_VISITED, decode, find_existing, glob_matcher, name_of, read_text, split_lines, walk

MAX_BYTES = 5_000_000
"""Larger files are skipped."""

MAX_LINE = 300
"""Longer lines are cut around the match."""

Search = Callable[[str], tuple[int, int] | None]
"""Where a line matches: the first span, or nothing."""


class GrepSearchParams(BaseToolParams):
    """What to look for, and where."""

    pattern: Annotated[str, StringConstraints(strip_whitespace=False, min_length=1, max_length=1000)] = Field(
        description="The text to find, or a regular expression with regex=true."
    )
    path: str = Field(default=".", description="The file or folder to search, relative to the workspace.")
    glob: str | None = Field(default=None, description="Only files like this, such as *.py or src/**/*.md.")
    regex: bool = Field(default=False, description="Read the pattern as a regular expression.")
    ignore_case: bool = Field(default=True, description="Upper and lower case are the same.")
    max_matches: int = Field(default=200, ge=1, le=10_000, description="How many matching lines to return at most.")


@tool(
    category="files",
    tags=(
        *("search", "grep", "find", "look", "text", "word", "code", "function", "import", "pattern", "lines", "appear"),
        *("搜索", "查找", "找", "文本", "词", "代码", "函数", "行", "包含", "提到", "出现", "哪些文件"),
    ),
    capability_tags=("search", "搜索"),
    examples=(
        "Search for TODO in the project",
        "Which files mention 'timeout'?",
        "Find 'def main' in *.py files",
        "grep error in logs",
        "在项目里搜索 TODO",
        "哪些文件里提到了超时？",
        "查找包含 def main 的 Python 文件",
        "在 logs 里搜索 error",
    ),
    returns="pattern, path, matches with path, line (a number) and text, count, files (how many), truncated",
    answers={
        "en": "'{pattern}' appears on {count} lines in {files} files",
        "zh": "“{pattern}”出现在{files}个文件的{count}行中",
    },
)
class GrepSearch:
    """Search the files of the workspace for a text or a regular expression, line by line.

    Binary files, files above 5 MB, hidden ones and .git, __pycache__, .venv and node_modules are skipped.
    """

    def __init__(self, seconds: float = 5.0) -> None:
        self._seconds = seconds
        """What a regular expression may take for all files together."""

    def execute(self, params: GrepSearchParams, context: ToolContext) -> ToolResult:
        """The matching lines, in the order of paths."""
        target = find_existing(context.workspace, params.path)
        if target.is_file():
            read_text(target, MAX_BYTES)  # a file that is named is searched, or it is said why not
        elif not target.is_dir():
            raise ToolFailed(f"'{params.path}' is neither a file nor a folder.", kind="bad_arguments")
        search = _expression(params, self._seconds) if params.regex else _literal(params)
        fits = glob_matcher(params.glob) if params.glob else None
        matches: list[dict[str, Any]] = []
        files, truncated = _files(target, fits)
        for file in files:
            path = name_of(context.workspace, file)
            lines = _matching_lines(file, search)
            matches += [
                {"path": path, "line": line, "text": text}
                for line, text in islice(lines, params.max_matches + 1 - len(matches))
            ]
            if len(matches) > params.max_matches:
                matches.pop()
                truncated = True
                break
        found = sorted({match["path"] for match in matches})
        result = {
            "pattern": params.pattern,
            "path": name_of(context.workspace, target),
            "matches": matches,
            "count": len(matches),
            "files": len(found),
            "truncated": truncated,
        }
        return ToolResult(result=result, meta=ResultMeta(sources=found))


def _literal(params: GrepSearchParams) -> Search:
    expression = re.compile(re.escape(params.pattern), re.IGNORECASE if params.ignore_case else 0)

    def search(line: str) -> tuple[int, int] | None:
        match = expression.search(line)
        return match.span() if match else None

    return search


def _expression(params: GrepSearchParams, seconds: float) -> Search:
    try:
        expression = regex.compile(params.pattern, regex.IGNORECASE if params.ignore_case else 0)
    except regex.error as error:
        raise RetryTool(
            f"The regular expression '{params.pattern}' cannot be read: {error}.",
            hint="Correct it, or search for the plain text with regex=false.",
        ) from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise RetryTool("The regular expression is too complex.", hint="Write it more simply.") from error
    deadline = time.monotonic() + seconds

    def search(line: str) -> tuple[int, int] | None:
        try:
            match = expression.search(line, timeout=max(deadline - time.monotonic(), 0.001))
        except TimeoutError as error:
            raise ToolFailed(
                f"The regular expression '{params.pattern}' takes longer than {seconds:g} seconds; "
                "write it without repetitions inside repetitions.",
                kind="bad_arguments",
            ) from error
        return match.span() if match else None

    return search


def _files(target: Path, fits: Callable[[str], bool] | None) -> tuple[list[Path], bool]:
    """The file itself, or the files below a folder that fit the glob; and whether there were too many to look at."""
    if target.is_file():
        return [target], False
    entries = list(walk(target, hidden=False))
    files = [Path(entry.path) for entry in entries if entry.is_file(follow_symlinks=False)]
    fitting = [file for file in files if fits is None or fits(file.relative_to(target).as_posix())]
    return fitting, len(entries) >= MAX_VISITED


def _matching_lines(file: Path, search: Search) -> Iterator[tuple[int, str]]:
    """Each matching line with its number; files that are large, binary or unreadable have none."""
    try:
        if file.stat().st_size > MAX_BYTES:
            return
        text = decode(file.read_bytes())
    except OSError:
        return
    for number, line in enumerate(split_lines(text or ""), start=1):
        if span := search(line):
            yield number, _cut(line, span[0])


def _cut(line: str, start: int) -> str:
    """At most `MAX_LINE` characters, with the match among them."""
    if len(line) <= MAX_LINE:
        return line
    first = max(0, min(start - MAX_LINE // 3, len(line) - MAX_LINE))
    return line[first : first + MAX_LINE]
