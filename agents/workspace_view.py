"""What a model is shown of the workspace: the names of its files, and what stands in those that a text names.

Bounded, marked as data, and read in a thread; what a file has is remembered as long as it does not change.
"""

import asyncio
import json
import os
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from switchyard.agents.asking import has_model
from switchyard.agents.by_rules.table import Table
from switchyard.agents.by_rules.world import MOST_BYTES, tables_at
from switchyard.agents.scope import RunScope
from switchyard.language.mentions import Mention, find_mentions
from switchyard.language.tokeniser import words
from switchyard.toolhub.excerpts import as_data, head_and_tail
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import read_text, walk
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.workspace import resolve_inside

MOST_ENTRIES = 1_000
"""Entries of the workspace that are looked at."""
MOST_NAMES = 30
"""Names that are shown; of a larger workspace, what the question's words are in and what lies at its top."""
MOST_FILES, LENGTH = 4, 500
"""Files that are told about, and characters of what is told of one."""
_FILE_TOOLS = frozenset({"files", "data"})
"""Categories of tools that a file's name is of use to."""


async def look_around(scope: RunScope, question: str) -> None:
    """Before a run, in one trip to a thread: tools that came or went, which cannot work here, and what files there are.

    The files are looked at where a model plans, whatever the rules make of the question.
    """
    hub, by_model = scope.equipment.hub, has_model(scope, "planning") and scope.options.rules_first == "never"

    def beside() -> None:
        scope.ask_whether_usable(hub.registry.conditional)
        scope.files = _names(scope.equipment.workspace, question) if by_model else None

    await hub.supply.refresh(beside)


async def files_there(scope: RunScope, question: str, tools: Iterable[str]) -> str:
    """The names of the files, for whoever plans with these tools; nothing where none of them could open one."""
    specs = (scope.equipment.hub.registry.get(name) for name in tools)
    if not any(spec is not None and spec.category in _FILE_TOOLS for spec in specs):
        return ""
    if scope.files is None:
        scope.files = await asyncio.to_thread(_names, scope.equipment.workspace, question)
    return scope.files


async def files_named(scope: RunScope, texts: Iterable[str]) -> list[str]:
    """A line for each file that the texts name: the columns of a table, the keys of a JSON file."""
    mentions = [one for text in texts for one in find_mentions(text, date.min) if one.kind in {"path", "quoted"}]
    return await asyncio.to_thread(_contents, scope.equipment.workspace, mentions) if mentions else []


def _names(workspace: Path, question: str) -> str:
    root = os.path.join(workspace, "")  # noqa: PTH118  a `Path` leaves the end off
    entries = list(walk(workspace, hidden=False, limit=MOST_ENTRIES))
    named = [(entry.path.removeprefix(root).replace(os.sep, "/"), entry.is_dir()) for entry in entries]
    files = [name for name, is_folder in named if not is_folder]
    if len(files) <= MOST_NAMES:
        listed = as_data(json.dumps(files, ensure_ascii=False))
        return f"All files of the workspace, there are no others: {listed}" if files else ""
    asked = {*words(question)}
    spoken_of = [name for name in files if asked & {*words(Path(name).stem)}]
    top = [f"{name}/" if is_folder else name for name, is_folder in named if "/" not in name]
    shown = list(dict.fromkeys([*spoken_of[: MOST_NAMES // 2], *top]))[:MOST_NAMES]
    count = f"at least {len(files)}" if len(entries) == MOST_ENTRIES else str(len(files))
    return f"Some of the {count} files of the workspace: {as_data(json.dumps(shown, ensure_ascii=False))}"


def _contents(workspace: Path, mentions: Iterable[Mention]) -> list[str]:
    root = workspace.resolve()
    lines: dict[Path, str] = {}
    for one in mentions:
        try:
            path = resolve_inside(workspace, str(one.value))
            stat = path.stat()
        except (ToolError, OSError, ValueError):
            continue
        if path.is_file() and path not in lines and len(lines) < MOST_FILES:
            told = [*map(_columns, tables_at(root, path))] if path.suffix.lower() in {".csv", ".tsv", ".jsonl"} else []
            told = told or ([_json_shape(path, stat.st_mtime_ns, stat.st_size)] if path.suffix == ".json" else [])
            if any(told):
                name = os.path.relpath(path, root).replace(os.sep, "/")
                lines[path] = f"- {name}: {as_data(head_and_tail(told[0], LENGTH))}"
    return list(lines.values())


def _columns(table: Table) -> str:
    kinds = ", ".join(f"{one.name} ({one.kind})" for one in table.columns if one.name not in table.reckoned)
    return f"columns {kinds}" + (f"; {table.count} rows" if table.count else "")


@lru_cache(maxsize=64)
def _json_shape(path: Path, _changed: int, size: int) -> str:
    """The keys of a JSON file, or nothing where it is none."""
    if size > MOST_BYTES:
        return ""
    try:
        return _shape(json.loads(read_text(path, MOST_BYTES)))
    except (ToolError, OSError, ValueError, RecursionError):
        return ""


def _shape(value: Any) -> str:
    """What a value is made of: keys and kinds, no contents."""
    if is_object(value):
        return "{" + ", ".join(f"{key}: {_shape(part)}" for key, part in value.items()) + "}"
    if is_list(value):
        return f"[{len(value)} of {_shape(value[0])}]" if value else "[]"
    if isinstance(value, bool):
        return "true or false"
    return "text" if isinstance(value, str) else "nothing" if value is None else "number"
