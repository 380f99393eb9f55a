"""Reading files, real ones."""

import os
from pathlib import Path
from typing import Any

import pytest

from switchyard.tools.core import RetryTool, ToolContext, ToolFailed
from switchyard.tools.files.text import count_words
from switchyard.tools.read_file import MAX_BYTES, MAX_CHARACTERS, ReadFile, ReadFileParams


def read(workspace: Path, path: str, **arguments: Any) -> dict[str, Any]:
    return ReadFile().execute(ReadFileParams(path=path, **arguments), ToolContext(workspace=workspace)).result


def test_the_text_and_its_counts(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "notes.txt").write_text("one two\nthree\n", encoding="utf-8")
    assert read(tmp_path, "docs/notes.txt") == {
        "path": "docs/notes.txt",
        "text": "one two\nthree",
        "lines": 2,
        "words": 3,
        "characters": 14,
        "first_line": 1,
        "last_line": 2,
        "truncated": False,
    }


def test_the_file_is_named_as_the_source(tmp_path: Path):
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    result = ReadFile().execute(ReadFileParams(path="./a.txt"), ToolContext(workspace=tmp_path))
    assert result.meta.sources == ["a.txt"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("two words", 2),
        ("你好，世界", 4),
        ("“你好”", 2),
        ("Python3.11很好 用", 4),
        ("don’t stop", 2),
        ("a - b", 3),
        ("naïve café", 2),
    ],
)
def test_words_are_counted_in_both_languages(text: str, words: int):
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfhello", "hello"),
        ("你好，世界".encode(), "你好，世界"),
        ("你好，世界".encode("gb18030"), "你好，世界"),
        ("你好".encode("utf-16"), "你好"),
        (b"", ""),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, text: str):
    (tmp_path / "a.txt").write_bytes(data)
    result = read(tmp_path, "a.txt")
    assert result["text"] == text
    assert result["characters"] == len(text)


def test_an_empty_file_has_no_lines(tmp_path: Path):
    (tmp_path / "a.txt").touch()
    result = read(tmp_path, "a.txt")
    assert (result["lines"], result["first_line"], result["last_line"]) == (0, 0, 0)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_every_system(tmp_path: Path, end: str):
    (tmp_path / "a.txt").write_bytes(end.join(["a", "b", "c"]).encode())
    result = read(tmp_path, "a.txt")
    assert (result["lines"], result["text"]) == (3, "a\nb\nc")


def test_a_part_keeps_the_counts_of_the_whole(tmp_path: Path):
    (tmp_path / "a.txt").write_text("a\nb\nc\nd", encoding="utf-8")
    result = read(tmp_path, "a.txt", start_line=2, max_lines=2)
    assert (result["text"], result["first_line"], result["last_line"]) == ("b\nc", 2, 3)
    assert (result["lines"], result["words"], result["truncated"]) == (4, 4, False)


def test_a_start_behind_the_end_is_told(tmp_path: Path):
    (tmp_path / "a.txt").write_text("a\nb", encoding="utf-8")
    with pytest.raises(RetryTool, match="ends at line 2"):
        read(tmp_path, "a.txt", start_line=3)


def test_long_text_is_cut(tmp_path: Path):
    (tmp_path / "a.txt").write_text("0123456789\n" * 30_000, encoding="utf-8")
    result = read(tmp_path, "a.txt")
    assert result["truncated"]
    assert len(result["text"]) == MAX_CHARACTERS
    assert result["lines"] == 30_000
    assert result["last_line"] == result["text"].count("\n") + 1


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x00\x01\x02", b"\x89PNG\r\n\x1a\n\x00\x00", bytes(range(1, 256)), b"caf\xe9 \xff"]
)
def test_a_binary_file_is_refused(tmp_path: Path, data: bytes):
    (tmp_path / "a.bin").write_bytes(data)
    with pytest.raises(ToolFailed, match="binary") as caught:
        read(tmp_path, "a.bin")
    assert caught.value.kind == "bad_arguments"


def test_a_large_file_is_refused_with_its_size(tmp_path: Path):
    with (tmp_path / "big.txt").open("wb") as file:
        file.truncate(MAX_BYTES + 2_500_000)
    with pytest.raises(ToolFailed, match=r"12\.5 MB"):
        read(tmp_path, "big.txt")


def test_a_folder_is_refused(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    with pytest.raises(RetryTool, match="folder"):
        read(tmp_path, "docs")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes exist on POSIX systems only")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RetryTool, match="not a file"):
        read(tmp_path, "pipe")


@pytest.mark.parametrize(
    ("wanted", "near"),
    [("READNE.md", "README.md"), ("notes.txt", "docs/notes.txt"), ("docs/计画.txt", "docs/计划.txt")],
)
def test_a_missing_file_names_the_nearest_one(tmp_path: Path, wanted: str, near: str):
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "docs/notes.txt", "docs/计划.txt"):
        (tmp_path / name).touch()
    with pytest.raises(ToolFailed, match=near) as caught:
        read(tmp_path, wanted)
    assert caught.value.kind == "not_found"


@pytest.mark.parametrize("wanted", ["README.txt", "合同/租赁合同.docx", "计划.csv"])
def test_a_file_that_only_ends_alike_is_not_near(tmp_path: Path, wanted: str):
    for name in ("secret.txt", "报告.docx", "订单.csv"):
        (tmp_path / name).touch()
    with pytest.raises(ToolFailed, match="similar name"):
        read(tmp_path, wanted)


def test_a_missing_file_in_an_empty_workspace(tmp_path: Path):
    with pytest.raises(ToolFailed, match="similar name"):
        read(tmp_path, "a.txt")


@pytest.mark.parametrize("path", ["x" * 5000, "a\x00b"])
def test_an_impossible_name_is_refused(tmp_path: Path, path: str):
    with pytest.raises(ToolFailed, match="not a usable path"):
        read(tmp_path, path)


@pytest.mark.parametrize("name", ["管道", "pipe"])
def test_a_pipe_is_not_called_a_folder(tmp_path: Path, name: str):
    os.mkfifo(tmp_path / name)
    with pytest.raises(RetryTool, match=f"'{name}' is a pipe or a device, not a file"):
        read(tmp_path, name)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [({"last_lines": 2}, "3\n4"), ({"last_lines": 9}, "1\n2\n3\n4"), ({"start_line": 2, "end_line": 3}, "2\n3")],
)
def test_lines_to_the_end_and_from_it(tmp_path: Path, arguments: dict[str, int], text: str):
    (tmp_path / "a.txt").write_text("1\n2\n3\n4\n", encoding="utf-8")
    assert read(tmp_path, "a.txt", **arguments)["text"] == text
