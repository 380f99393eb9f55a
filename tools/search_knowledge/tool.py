"""What the files of a folder say about a question."""

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path
from pydantic import Field

from switchyard.language.messages import message, quoted
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from switchyard.tools.core.files import name_of, told
from switchyard.tools.files.paths import find_existing
from switchyard.tools.search_knowledge.index import KnowledgeIndex, asked_terms


class SearchKnowledgeParams(BaseToolParams):
    """What to look for, and where."""

    query: str = Field(min_length=1, max_length=1000, description="Words, or a question, in the language of the files.")
    path: str = Field(default=".", description="The folder to search, relative to the workspace.")
    max_results: int = Field(default=10, ge=1, le=100, description="How many passages to return at most.")


@tool(
    category="search",
    capability_tags=("search", "搜索"),
    returns="query, path, hits (best first) with path, line, text and score, count, indexed (files searched), complete"
    ", skipped (count, and files with path and reason)",
)
class SearchKnowledge:
    """Search the text files of a folder by meaning-bearing words and show the best passages.

    The index is kept outside the workspace and follows the files: changed, new and removed ones are noticed on each
    search. Hidden files and .git, __pycache__, .venv and node_modules are not looked at. `skipped` names what else was
    not searched: binary files, files above 5 MB (grep_search reads them), unreadable ones, and those for which there
    was no room or no time; where time was short, asking again goes on. `complete` is false when there may be text in
    what was skipped: all but the binary files.
    """

    def __init__(self, cache: Path | None = None, seconds: float = 20.0) -> None:
        self._cache = cache
        """Where indexes are kept; None takes the user's own folder for such things."""
        self._seconds = seconds
        """What bringing the index up to date may take in one call."""

    def execute(self, params: SearchKnowledgeParams, context: ToolContext) -> ToolResult:
        """The passages, best first."""
        folder = find_existing(context.workspace, params.path)
        path = name_of(context.workspace, folder)
        if not folder.is_dir():
            raise RetryTool(message("file_not_folder", path=path), hint=message("read_it_or_name_folder"))
        if not asked_terms(params.query):
            raise RetryTool(message("no_word_to_look_for", query=params.query), hint=message("write_words"))
        index = KnowledgeIndex(folder, self._database(folder))
        try:
            with told(str(self._database(folder))):
                found, files, skipped = index.search(params.query, params.max_results, self._seconds)
        except sqlite3.Error as error:
            unusable = message("index_unusable", path=path, problem=quoted(str(error)))
            raise ToolFailed(unusable, kind="unavailable") from error
        paths = [name_of(context.workspace, folder / hit.path) for hit in found]
        hits: list[dict[str, Any]] = [{**hit._asdict(), "path": path} for hit, path in zip(found, paths, strict=True)]
        result: dict[str, Any] = {
            "query": params.query,
            "path": path,
            "count": len(hits),
            "indexed": files,
            "complete": not skipped.holds_text,
            "skipped": skipped.told(context.workspace),
            "hits": hits,
        }
        return ToolResult.of(result, *sorted(set(paths)))

    def _database(self, folder: Path) -> Path:
        cache = self._cache or user_cache_path("switchyard", appauthor=False) / "knowledge"
        return cache / f"{hashlib.sha256(bytes(folder)).hexdigest()[:24]}.sqlite"
