"""Listing folders, real ones."""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from switchyard.tools.core import RetryTool, ToolContext, ToolFailed
from switchyard.tools.list_dir import ListDir, ListDirParams


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in (
        "b.py",
        "a.md",
        "文档/说明.md",
        "src/app.py",
        "src/deep/core.py",
        "src/deep/data.json",
        "node_modules/x/index.js",
        "src/__pycache__/app.pyc",
        ".git/config",
        ".github/ci.yml",
        ".env",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("12345", encoding="utf-8")
    return tmp_path


def listing(workspace: Path, **arguments: Any) -> dict[str, Any]:
    return ListDir().execute(ListDirParams(**arguments), ToolContext(workspace=workspace)).result


def paths(workspace: Path, **arguments: Any) -> list[str]:
    return [entry["path"] for entry in listing(workspace, **arguments)["entries"]]


def test_a_folder_is_listed_in_order_without_hidden_files(workspace: Path):
    result = listing(workspace)
    assert [entry["name"] for entry in result["entries"]] == ["a.md", "b.py", "node_modules", "src", "文档"]
    assert result["path"] == "."
    assert result["count"] == 5
    assert not result["truncated"]


def test_entries_say_what_they_are(workspace: Path):
    os.utime(workspace / "a.md", (0, 0))
    entries = listing(workspace)["entries"]
    changed = datetime.fromtimestamp(0).astimezone().isoformat(" ", "seconds")
    assert entries[0] == {"name": "a.md", "path": "a.md", "type": "file", "size": 5, "modified": changed}
    assert entries[3] == {"name": "src", "path": "src", "type": "folder", "size": None, "modified": None}


def test_a_folder_with_a_chinese_name(workspace: Path):
    assert paths(workspace, path="文档") == ["文档/说明.md"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"pattern": "*.py"}, ["b.py"]),
        ({"pattern": "*.py", "recursive": True}, ["b.py", "src/app.py", "src/deep/core.py"]),
        ({"pattern": "**/*.py"}, ["b.py", "src/app.py", "src/deep/core.py"]),
        ({"pattern": "src/*.py"}, ["src/app.py"]),
        ({"pattern": "**/deep/**"}, ["src/deep", "src/deep/core.py", "src/deep/data.json"]),
        ({"pattern": "*.{py,md}"}, ["a.md", "b.py"]),
        ({"pattern": "[ab].??"}, ["a.md", "b.py"]),
        ({"pattern": "*.py", "path": "src"}, ["src/app.py"]),
        ({"pattern": "*.md", "recursive": True}, ["a.md", "文档/说明.md"]),
        ({"pattern": ".env"}, [".env"]),
        ({"pattern": ".github/*"}, [".github/ci.yml"]),
        ({"pattern": "*.none"}, []),
    ],
)
def test_patterns(workspace: Path, arguments: dict[str, Any], expected: list[str]):
    assert paths(workspace, **arguments) == expected


def test_some_folders_are_named_and_never_entered(workspace: Path):
    found = paths(workspace, recursive=True)
    assert "node_modules" in found
    assert "src/__pycache__" in found
    assert not any(path.startswith(("node_modules/", "src/__pycache__/", ".git")) for path in found)


def test_a_long_list_is_cut(workspace: Path):
    result = listing(workspace, recursive=True, max_entries=2)
    assert result["count"] == len(result["entries"]) == 2
    assert result["truncated"]


def test_an_empty_folder_is_an_empty_result(tmp_path: Path):
    result = listing(tmp_path)
    assert result == {"path": ".", "entries": [], "count": 0, "truncated": False}


def test_a_missing_folder_names_the_nearest_one(workspace: Path):
    with pytest.raises(ToolFailed, match="'src/deep'") as caught:
        listing(workspace, path="src/deap")
    assert caught.value.kind == "not_found"


def test_a_file_is_refused(workspace: Path):
    with pytest.raises(RetryTool, match="read_file"):
        listing(workspace, path="a.md")


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "src/../../*", "{a,b}" * 40])
def test_patterns_that_cannot_be_followed_are_refused(workspace: Path, pattern: str):
    with pytest.raises(RetryTool):
        listing(workspace, pattern=pattern)


def test_a_pattern_full_of_stars_is_quick_work(workspace: Path):
    (workspace / ("a" * 200)).touch()
    assert paths(workspace, pattern="*a" * 40 + "b") == []
    assert paths(workspace, pattern="**/" * 40 + "b.py") == ["b.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a name hold any bytes")
def test_a_name_that_is_no_text_is_shown_anyway(tmp_path: Path):
    with Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")).open("wb"):
        pass
    assert paths(tmp_path) == ["\ufffd.txt"]
