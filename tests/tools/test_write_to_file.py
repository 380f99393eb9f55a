"""Writing files, real ones."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from switchyard.tools.core import RetryTool, ToolContext, ToolFailed
from switchyard.tools.files.writing import MAX_COMPARED, difference
from switchyard.tools.write_to_file import DAYS_KEPT, MAX_BYTES, MAX_DIFF_LINES, WriteToFile, WriteToFileParams

ROOT = Path(__file__).parents[2]
as_root = os.name != "posix" or os.geteuid() == 0


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return tmp_path / "records"


def write(workspace: Path, path: str, content: str, *, records: Path | None = None, key: str = "", **arguments: Any):
    params = WriteToFileParams(path=path, content=content, **arguments)
    context = ToolContext(workspace=workspace, idempotency_key=key)
    return WriteToFile(records or workspace.parent / "records").execute(params, context).result


def test_a_new_file_is_created_with_its_folders(workspace: Path):
    assert write(workspace, "文档/新/说明.md", "第一行\nsecond\n") == {
        "path": "文档/新/说明.md",
        "mode": "overwrite",
        "bytes": 17,
        "created": True,
        "changed": True,
        "diff": "--- 文档/新/说明.md\n+++ 文档/新/说明.md\n@@ -0,0 +1,3 @@\n+第一行\n+second\n+",
        "diff_truncated": False,
    }
    assert (workspace / "文档/新/说明.md").read_bytes() == "第一行\nsecond\n".encode()


@pytest.mark.parametrize("text", ["  spaces around  \n\n", "\r\nwindows\r\n", "", "\ttab 你好 🙂\n"])
def test_the_content_is_written_as_it_is(workspace: Path, text: str):
    assert write(workspace, "a.txt", text)["created"]
    assert (workspace / "a.txt").read_bytes() == text.encode()


def test_overwriting_shows_the_change(workspace: Path):
    (workspace / "a.txt").write_text("一\n二\n三\n", encoding="utf-8")
    result = write(workspace, "a.txt", "一\n2\n三\n")
    assert (result["created"], result["changed"]) == (False, True)
    assert result["diff"] == "--- a.txt\n+++ a.txt\n@@ -1,4 +1,4 @@\n 一\n-二\n+2\n 三\n "


def test_the_same_text_again_changes_nothing(workspace: Path):
    file = workspace / "a.txt"
    file.write_text("一\n", encoding="utf-8")
    before = file.stat().st_ino
    result = write(workspace, "a.txt", "一\n")
    assert (result["changed"], result["diff"], file.stat().st_ino) == (False, "", before)


def test_a_file_in_another_encoding_becomes_utf_8(workspace: Path):
    (workspace / "a.txt").write_bytes("你好\n".encode("gbk"))
    result = write(workspace, "a.txt", "你好\n世界\n")
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "你好\n世界\n"
    assert "-你好" not in result["diff"]


def test_appending_adds_at_the_end(workspace: Path):
    (workspace / "a.txt").write_bytes("\ufeff一\n".encode())
    result = write(workspace, "a.txt", "二\n", mode="append")
    assert (workspace / "a.txt").read_bytes() == "\ufeff一\n二\n".encode()
    assert (result["bytes"], result["diff"].splitlines()[3:]) == (11, [" 一", "+二", " "])


def test_appending_to_no_file_creates_it(workspace: Path):
    assert write(workspace, "a.txt", "一\n", mode="append")["created"]


def test_text_is_not_appended_to_another_encoding(workspace: Path):
    (workspace / "a.txt").write_bytes("你好\n".encode("gbk"))
    with pytest.raises(RetryTool, match="not UTF-8"):
        write(workspace, "a.txt", "世界\n", mode="append")
    assert (workspace / "a.txt").read_bytes() == "你好\n".encode("gbk")


def test_creating_does_not_replace(workspace: Path):
    (workspace / "a.txt").write_text("旧", encoding="utf-8")
    with pytest.raises(RetryTool, match="there already"):
        write(workspace, "a.txt", "new", mode="create")
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "旧"


def test_creating_what_is_there_already_word_for_word_is_done(workspace: Path):
    (workspace / "a.txt").write_text("新", encoding="utf-8")
    assert not write(workspace, "a.txt", "新", mode="create")["changed"]


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("周一 5 和 15，周一\n", "周一", "周二", "周二 5 和 15，周二\n"),
        ("5, 15, 5.5, x5\n", "5", "6", "6, 15, 5.5, x5\n"),
        ("cats\n", "cat", "dog", "dogs\n"),
        ("a.b a+b\n", "a.b", r"\1", "\\1 a+b\n"),
    ],
)
def test_a_text_is_replaced_wherever_it_stands(workspace: Path, before: str, old: str, new: str, after: str):
    (workspace / "a.txt").write_text(before, encoding="utf-8")
    for _ in range(2):  # the same call changes it once
        write(workspace, "a.txt", new, mode="replace", replaces=old, key="run:1")
    assert (workspace / "a.txt").read_text(encoding="utf-8") == after


@pytest.mark.parametrize("old", ["nothing", ""])
def test_a_text_that_is_not_there_is_not_replaced(workspace: Path, old: str):
    (workspace / "a.txt").write_text("旧", encoding="utf-8")
    with pytest.raises(RetryTool, match="does not have"):
        write(workspace, "a.txt", "新", mode="replace", replaces=old)


def test_the_same_call_appends_once(workspace: Path):
    first = write(workspace, "a.txt", "一\n", mode="append", key="run:1")
    second = write(workspace, "a.txt", "一\n", mode="append", key="run:1")
    assert (first["changed"], second["changed"]) == (True, False)
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "一\n"


def test_another_call_appends_the_same_text_again(workspace: Path):
    for key in ("run:1", "run:2", ""):
        write(workspace, "a.txt", "一\n", mode="append", key=key)
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "一\n一\n一\n"


def test_the_same_call_is_known_after_others_have_written(workspace: Path):
    write(workspace, "a.txt", "一\n", mode="append", key="run:1")
    write(workspace, "a.txt", "二\n", mode="append", key="run:2")
    assert not write(workspace, "a.txt", "一\n", mode="append", key="run:1")["changed"]


def test_the_same_call_appends_when_its_text_is_gone(workspace: Path):
    write(workspace, "a.txt", "一\n", mode="append", key="run:1")
    (workspace / "a.txt").write_text("", encoding="utf-8")
    assert write(workspace, "a.txt", "一\n", mode="append", key="run:1")["changed"]


def test_old_records_are_thrown_away(workspace: Path, records: Path):
    write(workspace, "a.txt", "一\n", mode="append", key="run:1", records=records)
    (old,) = records.iterdir()
    os.utime(old, (0, old.stat().st_mtime - (DAYS_KEPT + 1) * 86_400))
    write(workspace, "a.txt", "二\n", mode="append", key="run:2", records=records)
    assert old not in list(records.iterdir())


APPEND_MANY = """
import sys
from pathlib import Path
from switchyard.tools.core import ToolContext
from switchyard.tools.write_to_file import WriteToFile, WriteToFileParams
workspace, records = Path(sys.argv[1]), Path(sys.argv[2])
for number in range(80):
    params = WriteToFileParams(path="log.txt", content=f"行 {number}\\n", mode="append")
    WriteToFile(records).execute(params, ToolContext(workspace=workspace, idempotency_key=f"key {number}"))
    print(number, flush=True)
"""


@pytest.mark.parametrize("seen", [1, 7, 23])
def test_a_killed_process_appends_nothing_twice(workspace: Path, records: Path, seen: int):
    command = [sys.executable, "-c", APPEND_MANY, str(workspace), str(records)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(seen):
            process.stdout.readline()
        process.kill()
    done = len((workspace / "log.txt").read_text(encoding="utf-8").splitlines())
    assert seen <= done < 80
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    lines = (workspace / "log.txt").read_text(encoding="utf-8").splitlines()
    assert lines == [f"行 {number}" for number in range(80)]


def test_many_append_at_once(workspace: Path, records: Path):
    texts = [f"行 {number}\n" for number in range(40)]
    threads = [
        threading.Thread(target=write, args=(workspace, "a.txt", text), kwargs={"mode": "append", "records": records})
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((workspace / "a.txt").read_text(encoding="utf-8").splitlines(keepends=True)) == sorted(texts)


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX ones")
@pytest.mark.parametrize("mode", [0o600, 0o755])
def test_permissions_are_kept(workspace: Path, mode: int):
    file = workspace / "a.sh"
    file.write_text("x", encoding="utf-8")
    file.chmod(mode)
    write(workspace, "a.sh", "y")
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX ones")
def test_a_new_file_has_the_users_usual_permissions(workspace: Path):
    (workspace / "usual").touch()
    write(workspace, "a.txt", "x")
    assert (workspace / "a.txt").stat().st_mode == (workspace / "usual").stat().st_mode


def test_nothing_else_is_left_in_the_folder(workspace: Path):
    write(workspace, "a.txt", "x")
    write(workspace, "a.txt", "y", mode="append", key="k")
    assert [path.name for path in workspace.iterdir()] == ["a.txt"]


@pytest.mark.skipif(as_root, reason="root writes everywhere")
def test_a_write_protected_file_is_left_alone(workspace: Path):
    (workspace / "a.txt").write_text("x", encoding="utf-8")
    (workspace / "a.txt").chmod(0o444)
    with pytest.raises(ToolFailed, match="write-protected") as caught:
        write(workspace, "a.txt", "y")
    assert caught.value.kind == "permission"


@pytest.mark.parametrize("path", ["../a.txt", "docs/../../a.txt", "/etc/switchyard-test", "~/a.txt"])
def test_a_path_out_of_the_workspace_is_refused(workspace: Path, path: str):
    with pytest.raises(ToolFailed, match="outside the workspace") as caught:
        write(workspace, path, "x")
    assert caught.value.kind == "permission"


@pytest.mark.parametrize("there", [True, False])
def test_a_link_out_of_the_workspace_is_refused(workspace: Path, tmp_path: Path, there: bool):  # noqa: FBT001
    target = tmp_path / "outside.txt"
    if there:
        target.write_text("外", encoding="utf-8")
    (workspace / "link.txt").symlink_to(target)
    with pytest.raises(ToolFailed, match="outside the workspace"):
        write(workspace, "link.txt", "x")
    assert target.exists() == there


def test_a_folder_that_is_a_link_out_of_the_workspace_is_refused(workspace: Path, tmp_path: Path):
    (tmp_path / "outside").mkdir()
    (workspace / "docs").symlink_to(tmp_path / "outside")
    with pytest.raises(ToolFailed, match="outside the workspace"):
        write(workspace, "docs/a.txt", "x")
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_link_inside_the_workspace_is_written_through(workspace: Path):
    (workspace / "real.txt").write_text("旧", encoding="utf-8")
    (workspace / "link.txt").symlink_to(workspace / "real.txt")
    assert write(workspace, "link.txt", "新")["path"] == "real.txt"
    assert (workspace / "link.txt").is_symlink()
    assert (workspace / "real.txt").read_text(encoding="utf-8") == "新"


@pytest.mark.parametrize("path", [".", "docs", "docs/", "new/"])
def test_a_folder_is_refused(workspace: Path, path: str):
    (workspace / "docs").mkdir()
    with pytest.raises(RetryTool, match="folder"):
        write(workspace, path, "x")


def test_a_file_where_a_folder_would_have_to_be_is_told(workspace: Path):
    (workspace / "docs").write_text("x", encoding="utf-8")
    with pytest.raises(ToolFailed, match="cannot be written") as caught:
        write(workspace, "docs/a.txt", "x")
    assert caught.value.kind == "bad_arguments"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes exist on POSIX systems only")
def test_a_pipe_is_refused(workspace: Path):
    os.mkfifo(workspace / "pipe")
    with pytest.raises(RetryTool, match="pipe"):
        write(workspace, "pipe", "x")


@pytest.mark.parametrize("path", ["x" * 300, "a\x00b"])
def test_an_impossible_name_is_refused(workspace: Path, path: str):
    with pytest.raises(ToolFailed, match=r"not a usable path|cannot be written") as caught:
        write(workspace, path, "x")
    assert caught.value.kind == "bad_arguments"


@pytest.mark.parametrize("content", ["a\x00b", "\x01\x02\x03\x04", "half \ud83d 半"])
def test_content_that_is_no_text_is_refused(workspace: Path, content: str):
    with pytest.raises(ToolFailed, match=r"binary|half a character"):
        write(workspace, "a.txt", content)
    assert list(workspace.iterdir()) == []


def test_huge_content_is_refused_with_its_size(workspace: Path):
    with pytest.raises(ToolFailed, match=r"12\.0 MB; at most 10 MB"):
        write(workspace, "a.txt", "字" * 4_000_000)


def test_a_file_does_not_grow_above_the_limit(workspace: Path):
    (workspace / "a.txt").write_bytes(b"x" * (MAX_BYTES - 1))
    with pytest.raises(ToolFailed, match="grow above 10 MB"):
        write(workspace, "a.txt", "字", mode="append")


@pytest.mark.parametrize("mode", ["overwrite", "append", "create"])
def test_a_huge_file_is_left_alone(workspace: Path, mode: str):
    with (workspace / "big.txt").open("wb") as file:
        file.truncate(2_000_000_000)
    with pytest.raises(ToolFailed, match=r"2000\.0 MB"):
        write(workspace, "big.txt", "x", mode=mode)


@pytest.mark.parametrize("mode", ["overwrite", "append", "create"])
def test_a_binary_file_is_left_alone(workspace: Path, mode: str):
    (workspace / "a.png").write_bytes(b"\x89PNG\x00\x01")
    with pytest.raises(ToolFailed, match="binary"):
        write(workspace, "a.png", "x", mode=mode)
    assert (workspace / "a.png").read_bytes() == b"\x89PNG\x00\x01"


def test_a_long_diff_is_cut(workspace: Path):
    result = write(workspace, "a.txt", "行\n" * 1000)
    assert result["diff_truncated"]
    assert len(result["diff"].splitlines()) == MAX_DIFF_LINES


def test_a_change_far_down_is_counted_from_the_start():
    lines = [f"行 {number}" for number in range(10_000)]
    before = "\n".join(lines)
    lines[5000] = "changed"
    lines.insert(5002, "added")
    diff, cut = difference(before, "\n".join(lines), "a.txt", 100)
    assert not cut
    assert diff.splitlines()[2:] == [
        "@@ -4998,8 +4998,9 @@",
        *(" 行 4997", " 行 4998", " 行 4999", "-行 5000", "+changed", " 行 5001", "+added"),
        *(" 行 5002", " 行 5003", " 行 5004"),
    ]


def test_a_change_of_everything_is_one_block_for_another():
    size = MAX_COMPARED + 1
    diff, cut = difference("甲\n" * size, "乙\n" * size, "a.txt", 100)
    assert cut
    assert diff.splitlines()[2:4] == [f"@@ -1,{size + 1} +1,{size + 1} @@", "-甲"]


@pytest.mark.parametrize("before", ["", "一\n", "一"])
def test_a_line_of_its_own_is_added_at_the_end(workspace: Path, before: str):
    (workspace / "a.txt").write_text(before, encoding="utf-8")
    write(workspace, "a.txt", "二", mode="append_line")
    assert (workspace / "a.txt").read_text(encoding="utf-8") == ("一\n二\n" if before else "二\n")
