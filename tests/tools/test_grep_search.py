"""Searching files, real ones."""

import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from switchyard.tools.core import RetryTool, ToolContext, ToolFailed
from switchyard.tools.files.text import MOST_NAMED
from switchyard.tools.grep_search import MAX_BYTES, MAX_LINE, GrepSearch, GrepSearchParams


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    files = {
        "app.py": "import os\n# TODO: tidy\nprint('a.b')\n",
        "src/core.py": "x = 1  # todo later\n",
        "文档/说明.md": "第一行\n这里提到了超时\n",
        "node_modules/x.js": "TODO",
        ".hidden/x.py": "TODO",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def search(workspace: Path, pattern: str, **arguments: Any) -> dict[str, Any]:
    params = GrepSearchParams(pattern=pattern, **arguments)
    return GrepSearch().execute(params, ToolContext(workspace=workspace)).result


def places(result: dict[str, Any]) -> list[tuple[str, int]]:
    return [(match["path"], match["line"]) for match in result["matches"]]


def test_a_text_is_found_in_any_case(workspace: Path):
    assert search(workspace, "todo") == {
        "pattern": "todo",
        "path": ".",
        "matches": [
            {"path": "app.py", "line": 2, "text": "# TODO: tidy"},
            {"path": "src/core.py", "line": 1, "text": "x = 1  # todo later"},
        ],
        "count": 2,
        "files": 2,
        "truncated": False,
        "skipped": {"count": 0, "files": []},
    }


def test_the_files_found_are_the_sources(workspace: Path):
    result = GrepSearch().execute(GrepSearchParams(pattern="todo"), ToolContext(workspace=workspace))
    assert result.meta.sources == ["app.py", "src/core.py"]


def test_chinese_text_is_found(workspace: Path):
    assert places(search(workspace, "超时")) == [("文档/说明.md", 2)]


def test_other_encodings_are_searched_too(tmp_path: Path):
    (tmp_path / "a.txt").write_bytes("连接超时".encode("gb18030"))
    assert search(tmp_path, "超时")["count"] == 1


def test_case_can_matter(workspace: Path):
    assert places(search(workspace, "TODO", ignore_case=False)) == [("app.py", 2)]


def test_a_literal_is_no_expression(workspace: Path):
    assert search(workspace, "a.b")["count"] == 1
    assert search(workspace, "i.port")["count"] == 0
    assert search(workspace, "i.port", regex=True)["count"] == 1


def test_white_space_in_the_pattern_counts(tmp_path: Path):
    (tmp_path / "a.py").write_text("    indented\nindented\n", encoding="utf-8")
    assert search(tmp_path, "  indented")["count"] == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"path": "src"}, ["src/core.py"]),
        ({"path": "app.py"}, ["app.py"]),
        ({"glob": "core.*"}, ["src/core.py"]),
        ({"glob": "src/**/*.py"}, ["src/core.py"]),
        ({"glob": "*.md"}, []),
    ],
)
def test_where_to_search(workspace: Path, arguments: dict[str, Any], expected: list[str]):
    assert [path for path, _ in places(search(workspace, "todo", **arguments))] == expected


LOG = "一行日志 line of log text\n" * 200_000
"""Some 7 MB."""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("regex", [False, True])
def test_a_large_log_is_searched_to_its_end(tmp_path: Path, encoding: str, regex: bool):  # noqa: FBT001  a parameter
    (tmp_path / "大.log").write_bytes(f"{LOG}编号 NEEDLE\r\n末行 needle".encode(encoding))
    result = search(tmp_path, "NEEDLE", regex=regex)
    assert places(result) == [("大.log", 200_001), ("大.log", 200_002)]
    assert [match["text"] for match in result["matches"]] == ["编号 NEEDLE", "末行 needle"]
    assert (result["truncated"], result["skipped"]["count"]) == (False, 0)


def test_what_is_not_searched_is_named_with_its_reason(tmp_path: Path):
    (tmp_path / "binary").write_bytes(b"TODO\x00\x01")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    (tmp_path / "大二进制").write_bytes(b"\x00\x01TODO" * 1_000_000)
    (tmp_path / "a.txt").write_text("TODO", encoding="utf-8")
    result = search(tmp_path, "TODO")
    assert places(result) == [("a.txt", 1)]
    assert result["skipped"] == {
        "count": 3,
        "files": [
            {"path": "large", "reason": "too_large"},
            {"path": "binary", "reason": "binary"},
            {"path": "大二进制", "reason": "binary"},
        ],
    }
    assert result["truncated"] is True


def test_a_binary_file_leaves_no_match_open(tmp_path: Path):
    (tmp_path / "图.png").write_bytes(b"\x89PNG\x00\x01")
    result = search(tmp_path, "TODO")
    assert (result["truncated"], result["skipped"]["count"]) == (False, 1)


def test_many_that_are_skipped_are_counted_and_a_few_named(tmp_path: Path):
    for number in range(MOST_NAMED + 10):
        (tmp_path / f"{number}.bin").write_bytes(b"\x00")
    skipped = search(tmp_path, "TODO")["skipped"]
    assert (skipped["count"], len(skipped["files"])) == (MOST_NAMED + 10, MOST_NAMED)


def test_what_there_is_no_time_for_is_named(workspace: Path):
    result = GrepSearch(seconds=-1.0).execute(GrepSearchParams(pattern="todo"), ToolContext(workspace=workspace)).result
    assert (result["count"], result["truncated"], result["skipped"]["count"]) == (0, True, 3)
    assert {file["reason"] for file in result["skipped"]["files"]} == {"no_time"}


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path):
    handle = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):  # until no path can name what lies below
        os.mkdir("深" * 80, dir_fd=handle)
        below = os.open("深" * 80, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    result = search(tmp_path, "todo")
    assert [file["reason"] for file in result["skipped"]["files"]] == ["unreadable"]
    assert result["truncated"] is True


def test_line_ends_of_every_system(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("甲\r\n乙\r丙\n\n丁".encode())
    assert search(tmp_path, "^.$", regex=True)["matches"] == [
        {"path": "a.txt", "line": line, "text": text} for line, text in [(1, "甲"), (2, "乙"), (3, "丙"), (5, "丁")]
    ]


def test_a_long_line_is_cut_around_the_match(tmp_path: Path):
    (tmp_path / "a.txt").write_text("x" * 5000 + "needle" + "y" * 5000, encoding="utf-8")
    text = search(tmp_path, "needle")["matches"][0]["text"]
    assert len(text) == MAX_LINE
    assert "needle" in text


def test_many_matches_are_cut(tmp_path: Path):
    (tmp_path / "a.txt").write_text("a\n" * 10, encoding="utf-8")
    assert search(tmp_path, "a", max_matches=10)["truncated"] is False
    result = search(tmp_path, "a", max_matches=9)
    assert (result["count"], result["truncated"]) == (9, True)


def test_nothing_found_is_an_empty_result(workspace: Path):
    result = search(workspace, "nowhere")
    assert (result["matches"], result["count"], result["files"]) == ([], 0, 0)


def test_a_wrong_expression_names_the_position(workspace: Path):
    with pytest.raises(RetryTool, match="position 3"):
        search(workspace, "ab(", regex=True)


def test_an_expression_that_explodes_is_refused(tmp_path: Path):
    (tmp_path / "a.txt").write_text("a" * 60 + "!", encoding="utf-8")
    params = GrepSearchParams(pattern="(a|aa)+$", regex=True)
    with pytest.raises(ToolFailed, match="takes longer than") as caught:
        GrepSearch(seconds=0.01).execute(params, ToolContext(workspace=tmp_path))
    assert caught.value.kind == "bad_arguments"


def test_a_missing_path_names_the_nearest_one(workspace: Path):
    with pytest.raises(ToolFailed, match=r"app\.py") as caught:
        search(workspace, "a", path="ap.py")
    assert caught.value.kind == "not_found"


@pytest.mark.parametrize("pattern", ["", "a" * 1001])
def test_patterns_have_a_length(pattern: str):
    with pytest.raises(ValidationError):
        GrepSearchParams(pattern=pattern)


@pytest.mark.parametrize(
    ("name", "size", "said"), [("表.bin", 50, "is a binary file"), ("big.txt", MAX_BYTES + 1, "above 100 MB")]
)
def test_a_named_file_that_cannot_be_searched_is_said(tmp_path: Path, name: str, size: int, said: str) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(size)
    with pytest.raises(ToolFailed, match=said):
        GrepSearch().execute(GrepSearchParams(pattern="a", path=name), ToolContext(workspace=tmp_path))


def test_what_is_neither_file_nor_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "管道")
    with pytest.raises(ToolFailed, match="neither a file nor a folder"):
        GrepSearch().execute(GrepSearchParams(pattern="a", path="管道"), ToolContext(workspace=tmp_path))
