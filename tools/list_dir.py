"""What a folder of the workspace contains."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from switchyard.language.messages import message
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolResult, tool
from switchyard.tools.core.files import MAX_VISITED, name_of, walk
from switchyard.tools.files.paths import find_existing, glob_matcher


class ListDirParams(BaseToolParams):
    """Which folder, and which of its entries."""

    path: str = Field(default=".", description="The folder, relative to the workspace.")
    pattern: str | None = Field(
        default=None, description="A glob such as *.py or **/*.md; one that starts with a dot also finds hidden files."
    )
    recursive: bool = Field(default=False, description="Also list what is inside the folders below.")
    only: Literal["files", "folders"] | None = Field(default=None, description="Only files, or only folders.")
    max_entries: int = Field(default=500, ge=1, le=10_000, description="How many entries to return at most.")


@tool(
    category="files",
    capability_tags=("list", "列出"),
    returns="path, entries with name, path (from the workspace), type (file, folder, link), size in bytes, modified, "
    "count, truncated",
)
class ListDir:
    """List the files and folders in a folder of the workspace.

    Hidden files are left out unless the pattern starts with a dot. Links are named, not followed; .git, __pycache__,
    .venv and node_modules are named, not entered.
    """

    def execute(self, params: ListDirParams, context: ToolContext) -> ToolResult:
        """The entries, sorted."""
        folder = find_existing(context.workspace, params.path)
        path = name_of(context.workspace, folder)
        if folder.is_file():
            raise RetryTool(message("file_not_folder", path=path), hint=message("read_it"))
        if not folder.is_dir():
            raise RetryTool(message("device_not_folder", path=path), hint=message("name_folder"))
        pattern = params.pattern or "*"
        fits = glob_matcher(pattern)
        hidden = any(part.startswith(".") for part in pattern.removeprefix("./").split("/"))
        entries: list[dict[str, Any]] = []
        seen, truncated = 0, False
        for entry in walk(folder, hidden=hidden, recursive=params.recursive or "/" in pattern):
            seen += 1
            if not fits(Path(entry.path).relative_to(folder).as_posix()):
                continue
            if params.only and (params.only == "folders") != entry.is_dir(follow_symlinks=False):
                continue
            if len(entries) == params.max_entries:
                truncated = True
                break
            entries.append(_describe(context.workspace, entry))
        truncated = truncated or seen >= MAX_VISITED
        result = {"path": path, "entries": entries, "count": len(entries), "truncated": truncated}
        return ToolResult.of(result, path)


def _describe(workspace: Path, entry: os.DirEntry[str]) -> dict[str, Any]:
    path = name_of(workspace, Path(entry.path))
    kind, size, modified = "file", None, None
    if entry.is_symlink():
        kind = "link"
    elif entry.is_dir():
        kind = "folder"
    else:
        with suppress(FileNotFoundError):  # it may have gone since the folder was read
            found = entry.stat(follow_symlinks=False)
            size, when = found.st_size, datetime.fromtimestamp(found.st_mtime).astimezone()
            modified = when.isoformat(" ", "seconds")
    return {"name": path.rpartition("/")[2], "path": path, "type": kind, "size": size, "modified": modified}
