"""Counting, hashing, splitting and merging files, real ones; and what every action refuses."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.tools.core import RetryTool, ToolContext, ToolFailed, ToolSpec
from switchyard.tools.file_processor.tool import (
    MAX_BYTES,
    ConvertParams,
    CountParams,
    FileProcessor,
    HashParams,
    MergeParams,
    SplitParams,
)

SPEC: ToolSpec = cast("Any", FileProcessor).__tool_spec__


def context(workspace: Path) -> ToolContext:
    return ToolContext(workspace=workspace)


def count(workspace: Path, path: str) -> dict[str, Any]:
    return FileProcessor().count(CountParams(path=path), context(workspace)).result


def digest(workspace: Path, path: str, **arguments: Any) -> dict[str, Any]:
    return FileProcessor().hash(HashParams(path=path, **arguments), context(workspace)).result


def convert(workspace: Path, path: str, **arguments: Any) -> dict[str, Any]:
    return FileProcessor().convert(ConvertParams(path=path, **arguments), context(workspace)).result


def split(workspace: Path, path: str, **arguments: Any) -> dict[str, Any]:
    return FileProcessor().split(SplitParams(path=path, **arguments), context(workspace)).result


def merge(workspace: Path, *paths: str, output: str = "all.txt", **arguments: Any) -> dict[str, Any]:
    params = MergeParams(paths=list(paths), output=output, **arguments)
    return FileProcessor().merge(params, context(workspace)).result


def test_only_the_actions_that_write_ask_first():
    assert {one.name: SPEC.for_action(one.name).asks_first for one in SPEC.capabilities} == {
        "count": False,
        "hash": False,
        "convert": True,
        "split": True,
        "merge": True,
    }


def test_counting(workspace: Path):
    (workspace / "文章.txt").write_text("你好，world\nsecond line\n", encoding="utf-8")
    assert count(workspace, "文章.txt") == {
        "path": "文章.txt",
        "lines": 2,
        "words": 5,
        "characters": 21,
        "chinese_characters": 2,
        "bytes": 27,
        "encoding": "utf-8",
    }


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
def test_counting_in_other_encodings(workspace: Path, encoding: str):
    (workspace / "a.txt").write_bytes("你好\n世界".encode(encoding))
    result = count(workspace, "a.txt")
    assert (result["chinese_characters"], result["lines"], result["encoding"]) == (4, 2, encoding)


def test_an_empty_file_counts_nothing(workspace: Path):
    (workspace / "a.txt").touch()
    result = count(workspace, "a.txt")
    assert (result["lines"], result["words"], result["characters"], result["bytes"]) == (0, 0, 0, 0)


@pytest.mark.parametrize("algorithm", ["sha256", "md5", "sha1"])
def test_hashing(workspace: Path, algorithm: str):
    data = "数据 data\x00".encode() * 300_000
    (workspace / "数据.bin").write_bytes(data)
    assert digest(workspace, "数据.bin", algorithm=algorithm) == {
        "path": "数据.bin",
        "algorithm": algorithm,
        "hash": hashlib.new(algorithm, data).hexdigest(),
        "bytes": len(data),
    }


@pytest.mark.parametrize(("text", "lines"), [("一", 1), ("一\r二\r\n三\n", 3), ("\n\n", 2), ("a\r", 1), ("a\n\nb", 3)])
def test_lines_of_every_system(workspace: Path, text: str, lines: int):
    (workspace / "a.txt").write_bytes(text.encode())
    assert count(workspace, "a.txt")["lines"] == lines


def test_splitting_by_lines(workspace: Path):
    (workspace / "日志.log").write_text("一\n二\r\n三\n四\n五", encoding="utf-8", newline="")
    assert split(workspace, "日志.log", lines=2) == {
        "path": "日志.log",
        "parts": [
            {"path": "日志.001.log", "bytes": 9},
            {"path": "日志.002.log", "bytes": 8},
            {"path": "日志.003.log", "bytes": 3},
        ],
        "count": 3,
    }
    assert (workspace / "日志.001.log").read_bytes() == "一\n二\r\n".encode()


def test_splitting_repeats_the_header_and_keeps_the_encoding(workspace: Path):
    (workspace / "a.csv").write_bytes("名,n\n张,1\n李,2\n".encode("gbk"))
    split(workspace, "a.csv", lines=1, header=True)
    assert (workspace / "a.002.csv").read_bytes() == "名,n\n李,2\n".encode("gbk")
    result = merge(workspace, "a.0*.csv", output="b.csv", header=True)
    assert (workspace / "b.csv").read_bytes() == (workspace / "a.csv").read_bytes()
    assert result["files"] == ["a.001.csv", "a.002.csv"]


def test_splitting_again_is_done_already(workspace: Path):
    (workspace / "a.txt").write_text("一\n二\n", encoding="utf-8")
    assert split(workspace, "a.txt", lines=1) == split(workspace, "a.txt", lines=1)


@given(text=st.text(max_size=300), lines=st.integers(1, 20))
def test_parts_of_a_text_together_are_the_text(tmp_path_factory: pytest.TempPathFactory, text: str, lines: int):
    folder = tmp_path_factory.mktemp("parts")
    (folder / "a.txt").write_bytes(text.replace("\x00", "").encode())
    with suppress(ToolFailed):  # control characters make it binary
        parts = split(folder, "a.txt", lines=lines)["parts"]
        assert b"".join((folder / part["path"]).read_bytes() for part in parts) == (folder / "a.txt").read_bytes()


def test_too_many_parts_are_refused(workspace: Path):
    (workspace / "a.txt").write_text("x\n" * 1001, encoding="utf-8")
    with pytest.raises(RetryTool, match="at most 1000"):
        split(workspace, "a.txt", lines=1)
    assert len(list(workspace.iterdir())) == 1


def test_merging(workspace: Path):
    (workspace / "a.txt").write_text("甲", encoding="utf-8")
    (workspace / "b.txt").write_text("b\n", encoding="utf-8")
    assert merge(workspace, "b.txt", "a.txt") == {
        "path": "all.txt",
        "files": ["b.txt", "a.txt"],
        "count": 2,
        "bytes": 5,
        "changed": True,
    }
    assert (workspace / "all.txt").read_text(encoding="utf-8") == "b\n甲"


def test_texts_of_several_encodings_become_utf_8(workspace: Path):
    (workspace / "a.txt").write_bytes("甲\n".encode("gbk"))
    (workspace / "b.txt").write_bytes("\ufeff乙\n".encode())
    merge(workspace, "a.txt", "b.txt")
    assert (workspace / "all.txt").read_bytes() == "甲\n乙\n".encode()


def test_files_are_merged_in_the_order_of_their_numbers(workspace: Path):
    for number in (10, 9, 1):
        (workspace / f"第{number}章.txt").write_text(f"{number}\n", encoding="utf-8")
    merge(workspace, "*章.txt")
    assert (workspace / "all.txt").read_text(encoding="utf-8") == "1\n9\n10\n"


def test_a_merge_does_not_take_in_what_it_made(workspace: Path):
    (workspace / "a.txt").write_text("甲\n", encoding="utf-8")
    merge(workspace, "*.txt")
    assert merge(workspace, "*.txt")["files"] == ["a.txt"]


def test_a_pattern_that_fits_nothing_is_told(workspace: Path):
    with pytest.raises(ToolFailed, match="No file of the workspace fits") as caught:
        merge(workspace, "没有*.csv")
    assert caught.value.kind == "not_found"


def test_binary_files_are_merged_as_they_are_or_not_at_all(workspace: Path):
    (workspace / "a.bin").write_bytes(b"\x00\xff")
    (workspace / "b.txt").write_text("文", encoding="utf-8")
    with pytest.raises(ToolFailed, match="binary"):
        merge(workspace, "a.bin", "b.txt", header=True)
    merge(workspace, "a.bin", "b.txt")
    assert (workspace / "all.txt").read_bytes() == b"\x00\xff" + "文".encode()


def test_files_too_large_together_are_refused(workspace: Path):
    for name in ("a.bin", "b.bin"):
        with (workspace / name).open("wb") as file:
            file.truncate(MAX_BYTES // 2 + 1)
    with pytest.raises(RetryTool, match="20 MB together"):
        merge(workspace, "a.bin", "b.bin")


def every_action(workspace: Path, path: str) -> list[Any]:
    return [
        lambda: count(workspace, path),
        lambda: digest(workspace, path),
        lambda: convert(workspace, path, encoding="utf-8"),
        lambda: split(workspace, path, lines=1),
        lambda: merge(workspace, path),
    ]


@pytest.mark.parametrize("position", range(5))
@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", "链接.txt"])
def test_a_path_out_of_the_workspace_is_refused(workspace: Path, tmp_path: Path, path: str, position: int):
    (tmp_path / "outside.txt").write_text("外", encoding="utf-8")
    (workspace / "链接.txt").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(ToolFailed, match="outside the workspace") as caught:
        every_action(workspace, path)[position]()
    assert caught.value.kind == "permission"


def test_nothing_is_written_out_of_the_workspace(workspace: Path, tmp_path: Path):
    (workspace / "a.md").write_text("一\n二\n", encoding="utf-8")
    (workspace / "out").symlink_to(tmp_path)
    (workspace / "a.txt").symlink_to(tmp_path / "new.txt")
    (workspace / "a.001.md").symlink_to(tmp_path / "part.md")
    calls = [
        lambda: convert(workspace, "a.md", encoding="gb18030", output="../x.txt"),
        lambda: convert(workspace, "a.md", encoding="gb18030", output="a.txt"),
        lambda: split(workspace, "a.md", lines=1),
        lambda: merge(workspace, "a.md", output="out/x.txt"),
    ]
    before = sorted(tmp_path.iterdir())
    for call in calls:
        with pytest.raises(ToolFailed, match="outside the workspace"):
            call()
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("position", [0, 2, 3])
def test_a_2_gb_file_is_refused(workspace: Path, position: int):
    with (workspace / "big.txt").open("wb") as file:
        file.truncate(2_000_000_000)
    with pytest.raises(ToolFailed, match=r"2000\.0 MB; files above 20 MB"):
        every_action(workspace, "big.txt")[position]()


@pytest.mark.parametrize("position", [0, 2, 3])
def test_a_binary_file_is_refused(workspace: Path, position: int):
    (workspace / "a.png").write_bytes(b"\x89PNG\x00\x01\xff")
    with pytest.raises(ToolFailed, match="binary"):
        every_action(workspace, "a.png")[position]()


@pytest.mark.parametrize("position", range(5))
def test_a_folder_is_refused(workspace: Path, position: int):
    (workspace / "文档").mkdir()
    with pytest.raises(RetryTool, match="folder"):
        every_action(workspace, "文档")[position]()


@pytest.mark.parametrize("position", range(5))
def test_a_missing_file_names_the_nearest_one(workspace: Path, position: int):
    (workspace / "报告.txt").touch()
    with pytest.raises(ToolFailed, match=r"报告\.txt"):
        every_action(workspace, "报吿.txt")[position]()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes exist on POSIX systems only")
@pytest.mark.parametrize("position", range(5))
def test_a_pipe_is_refused_instead_of_waited_for(workspace: Path, position: int):
    os.mkfifo(workspace / "pipe")
    with pytest.raises(RetryTool, match="not a file"):
        every_action(workspace, "pipe")[position]()
