"""Where a text occurs in the files of the workspace."""

import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import regex
from pydantic import Field, StringConstraints

from switchyard.language.messages import message, quoted
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from switchyard.tools.core.files import name_of, read_text, split_lines
from switchyard.tools.files.paths import find_existing, glob_matcher
from switchyard.tools.files.text import LeftOut, Skipped, around, files_below, text_of

MAX_BYTES = 100_000_000
"""Larger files are skipped."""
MAX_LINE = 300
"""Longer lines are cut around the match."""
LINE_SECONDS = 5.0
"""What a regular expression may take for one line."""


class GrepSearchParams(BaseToolParams):
    """What to look for, and where."""

    pattern: Annotated[str, StringConstraints(strip_whitespace=False, min_length=1, max_length=1000)] = Field(
        description="The text to find, or a regular expression with regex=true."
    )
    path: str = Field(default=".", description="The file or folder to search, relative to the workspace.")
    glob: str | None = Field(default=None, description="Only files like this, such as *.py or src/**/*.md.")
    regex: bool = Field(default=False, description="Read the pattern as a regular expression.")
    ignore_case: bool = Field(default=True, description="Upper and lower case are the same.")
    files_only: bool = Field(default=False, description="Each file once, with how many of its lines match.")
    max_matches: int = Field(default=200, ge=1, le=10_000, description="How many matching lines to return at most.")


@tool(
    category="files",
    capability_tags=("search", "搜索"),
    returns="pattern, path, matches with path, line (a number) and text (with files_only: path and lines), count (of "
    "matching lines), "
    "files (how many match), truncated, "
    "skipped (count, and files with path and reason)",
)
class GrepSearch:
    """Search the files of the workspace for a text or a regular expression, line by line.

    Hidden files and .git, __pycache__, .venv and node_modules are not looked at. `skipped` names what else was not
    searched, or not to its end: binary files, those above 100 MB, unreadable ones, those for which no time was left.
    `truncated` is true when there may be more matches: too many to return, or in what was skipped and is not binary.
    """

    def __init__(self, seconds: float = 20.0) -> None:
        self._seconds = seconds
        """What a search may take, before it gives what it has."""

    def execute(self, params: GrepSearchParams, context: ToolContext) -> ToolResult:
        """The matching lines, in the order of paths."""
        target = find_existing(context.workspace, params.path)
        if not target.is_file() and not target.is_dir():
            raise ToolFailed(message("neither_file_nor_folder", path=params.path), kind="bad_arguments")
        skipped = Skipped()
        found = list(islice(self._matches(params, target, context.workspace, skipped), params.max_matches + 1))
        matches = found[: params.max_matches]
        lines = Counter(str(match["path"]) for match in matches)
        files = sorted(lines)
        result = {
            "pattern": params.pattern,
            "path": name_of(context.workspace, target),
            "count": len(matches),
            "files": len(files),
            "truncated": len(found) > len(matches) or skipped.holds_text,
            "skipped": skipped.told(context.workspace),
            "matches": [{"path": path, "lines": lines[path]} for path in files] if params.files_only else matches,
        }
        return ToolResult.of(result, *files)

    def _matches(
        self, params: GrepSearchParams, target: Path, workspace: Path, skipped: Skipped
    ) -> Iterator[dict[str, Any]]:
        expression, deadline = _expression(params), time.monotonic() + self._seconds
        fits = glob_matcher(params.glob) if params.glob else None
        for file in [target] if target.is_file() else (Path(entry.path) for entry in files_below(target, skipped)):
            if fits and file != target and not fits(file.relative_to(target).as_posix()):
                continue
            path = name_of(workspace, file)
            try:
                for line, text in self._matching_lines(file, expression, deadline, is_plain=not params.regex):
                    yield {"path": path, "line": line, "text": text}
            except LeftOut as left_out:
                if file == target:
                    read_text(file, MAX_BYTES)  # which says why it cannot be read
                skipped.add(file, left_out.reason)

    def _matching_lines(
        self, file: Path, expression: regex.Pattern[str], deadline: float, *, is_plain: bool
    ) -> Iterator[tuple[int, str]]:
        """Each matching line with its number."""
        if time.monotonic() > deadline:
            raise LeftOut("no_time")
        text, seconds = text_of(file, MAX_BYTES), min(LINE_SECONDS, self._seconds)
        if is_plain and not expression.search(text):  # a plain text is in a line, or not in the file at all
            return
        for number, line in enumerate(split_lines(text), start=1):
            if time.monotonic() > deadline:
                raise LeftOut("no_time")
            try:
                match = expression.search(line, timeout=seconds)
            except TimeoutError as error:
                slow = message("regex_too_slow", pattern=expression.pattern, seconds=seconds)
                raise ToolFailed(slow, kind="bad_arguments") from error
            if match:
                yield number, around(line, match.start(), MAX_LINE)


def _expression(params: GrepSearchParams) -> regex.Pattern[str]:
    pattern = params.pattern if params.regex else regex.escape(params.pattern)
    try:
        return regex.compile(pattern, regex.IGNORECASE if params.ignore_case else 0)
    except regex.error as error:
        wrong = message("regex_unreadable", pattern=params.pattern, problem=quoted(str(error)))
        raise RetryTool(wrong, hint=message("correct_regex")) from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise RetryTool(message("regex_too_complex"), hint=message("write_simply")) from error
