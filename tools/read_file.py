"""The text of a file in the workspace, with its counts."""

from typing import Any, Self

from pydantic import Field, model_validator

from switchyard.language.messages import message
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolResult, tool
from switchyard.tools.core.files import read_text, split_lines
from switchyard.tools.files.paths import existing_file
from switchyard.tools.files.text import count_words

MAX_BYTES = 10_000_000
"""Files above this size are refused."""
MAX_CHARACTERS = 200_000
"""Text beyond this is cut."""


class ReadFileParams(BaseToolParams):
    """Which file, and which part of it."""

    path: str = Field(description="The file, relative to the workspace, like docs/notes.md.")
    start_line: int = Field(default=1, ge=1, description="The first line to return, counted from 1.")
    max_lines: int | None = Field(default=None, ge=1, description="How many lines to return; all when left out.")
    end_line: int | None = Field(default=None, ge=1, description="The last line to return, counted from 1.")
    last_lines: int | None = Field(default=None, ge=1, description="Only this many lines at the end of the file.")

    @model_validator(mode="after")
    def _one_part(self) -> Self:
        if self.last_lines is not None and (self.start_line != 1 or self.max_lines or self.end_line):
            raise ValueError("last_lines goes with no other lines")
        return self


@tool(
    category="files",
    capability_tags=("read", "读取"),
    returns="path, text, lines, words and characters (counts of the whole file), first_line and last_line (the numbers "
    "of the lines in text), truncated",
)
class ReadFile:
    """Read a text file of the workspace and count its lines, words and characters.

    The counts are of the whole file. Words are separated by white space; each Han character counts as one word.
    `truncated` says that the text asked for was longer than 200,000 characters and has been cut.
    """

    def execute(self, params: ReadFileParams, context: ToolContext) -> ToolResult:
        """The text and the counts."""
        file, path = existing_file(context.workspace, params.path, of_a_folder=message("list_it"))
        text = read_text(file, MAX_BYTES)
        lines = split_lines(text)
        if params.start_line > max(len(lines), 1):
            raise RetryTool(message("ends_at_line", path=path, line=len(lines)), hint=message("start_there"))
        first = max(params.start_line - 1, len(lines) - (params.last_lines or len(lines)))
        asked = "\n".join(lines[first : params.end_line][: params.max_lines])
        part = asked[:MAX_CHARACTERS]
        returned = part.count("\n") + 1 if lines[first : params.end_line] else 0
        result: dict[str, Any] = {
            "path": path,
            "text": part,
            "lines": len(lines),
            "words": count_words(text),
            "characters": len(text),
            "first_line": first + 1 if returned else 0,
            "last_line": first + returned,
            "truncated": len(part) < len(asked),
        }
        return ToolResult.of(result, path)
