"""No file tool leaves the workspace, also where a path changes between the check and the use."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from switchyard.tools.core import ToolContext, ToolFailed, resolve_inside
from switchyard.tools.core.files import read_text
from switchyard.tools.core.workspace import open_real
from switchyard.tools.data_analyzer.tool import ask_table
from switchyard.tools.files.writing import whole_file
from switchyard.tools.grep_search import GrepSearch, GrepSearchParams
from switchyard.tools.list_dir import ListDir, ListDirParams
from switchyard.tools.read_file import ReadFile, ReadFileParams

Call = Callable[[ToolContext, str], Any]


def _read(context: ToolContext, path: str) -> Any:
    return ReadFile().execute(ReadFileParams(path=path), context).result


def _list(context: ToolContext, path: str) -> Any:
    return ListDir().execute(ListDirParams(path=path), context).result


def _grep(context: ToolContext, path: str) -> Any:
    return GrepSearch().execute(GrepSearchParams(pattern="secret", path=path), context).result


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    workspace = tmp_path / "workspace"
    (workspace / "inner").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret", encoding="utf-8")
    (workspace / "link.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (workspace / "linked").symlink_to(tmp_path / "outside", target_is_directory=True)
    return ToolContext(workspace=workspace)


@pytest.mark.parametrize("call", [_read, _list, _grep])
@pytest.mark.parametrize(
    "path",
    ["../outside", "../outside/secret.txt", "inner/../../outside", "/etc/passwd", "~", "link.txt", "linked/secret.txt"],
)
def test_paths_that_leave_the_workspace_are_refused(context: ToolContext, call: Call, path: str):
    with pytest.raises(ToolFailed) as caught:
        call(context, path)
    assert caught.value.kind == "permission"


@pytest.fixture
def checked(context: ToolContext, tmp_path: Path) -> Path:
    """A real path that was checked; after that, its folder was made a link that leads outside."""
    (context.workspace / "inner" / "secret.txt").write_text("ours", encoding="utf-8")
    real = resolve_inside(context.workspace, "inner/secret.txt")
    (context.workspace / "inner").rename(context.workspace / "moved")
    (context.workspace / "inner").symlink_to(tmp_path / "outside", target_is_directory=True)
    return real


def test_a_folder_that_has_become_a_link_is_not_read_through(checked: Path):
    with pytest.raises(ToolFailed, match="may not be read") as caught:
        read_text(checked, 1000)
    assert caught.value.kind == "permission"


def test_a_file_that_has_become_a_link_is_not_read(context: ToolContext, tmp_path: Path):
    real = resolve_inside(context.workspace, "inner/new.txt")
    real.symlink_to(tmp_path / "outside" / "secret.txt")
    with pytest.raises(PermissionError, match=r"'new\.txt' has become a link"):
        open_real(real)


def test_a_pipe_that_has_come_meanwhile_is_not_waited_for(context: ToolContext):
    real = resolve_inside(context.workspace, "inner/管道")
    os.mkfifo(real)
    with pytest.raises(OSError, match="not a file"):
        open_real(real)


@pytest.mark.parametrize("below", ["secret.txt", "新/deep/new.txt"])
def test_nothing_is_written_through_a_folder_that_has_become_a_link(checked: Path, tmp_path: Path, below: str):
    with pytest.raises(PermissionError, match="'inner' has become a link"), whole_file(checked.parent / below) as new:
        new.write(b"changed")
    assert [path.name for path in (tmp_path / "outside").rglob("*")] == ["secret.txt"]
    assert (tmp_path / "outside" / "secret.txt").read_text(encoding="utf-8") == "secret"


def test_a_folder_that_becomes_a_link_while_it_is_written_to_leads_nowhere(context: ToolContext, tmp_path: Path):
    inner, outside = context.workspace / "inner", tmp_path / "outside"
    with whole_file(resolve_inside(context.workspace, "inner/new.txt")) as new:
        new.write(b"changed")
        inner.rename(context.workspace / "moved")
        inner.symlink_to(outside, target_is_directory=True)
    assert [path.name for path in outside.iterdir()] == ["secret.txt"]
    assert [path.name for path in (context.workspace / "moved").iterdir()] == ["new.txt"]


async def test_a_table_is_read_where_it_was_opened(context: ToolContext, tmp_path: Path):
    (context.workspace / "inner" / "t.csv").write_text("a\n1\n", encoding="utf-8")
    real = resolve_inside(context.workspace, "inner/t.csv")
    (context.workspace / "inner").rename(context.workspace / "moved")
    (tmp_path / "outside" / "t.csv").write_text("secret\n2\n", encoding="utf-8")
    (context.workspace / "inner").symlink_to(tmp_path / "outside", target_is_directory=True)
    with pytest.raises(ToolFailed) as caught:
        await ask_table(real, "inner/t.csv", "describe", {}, 60)
    assert caught.value.kind == "permission"


def test_a_hard_link_is_a_file_like_any_other(context: ToolContext, tmp_path: Path):
    (context.workspace / "same.txt").hardlink_to(tmp_path / "outside" / "secret.txt")
    assert _read(context, "same.txt")["text"] == "secret"
    with whole_file(resolve_inside(context.workspace, "same.txt")) as new:
        new.write(b"changed")
    assert (tmp_path / "outside" / "secret.txt").read_text(encoding="utf-8") == "secret"


def test_a_path_may_go_up_and_come_back(context: ToolContext):
    assert resolve_inside(context.workspace, "inner/../inner") == (context.workspace / "inner").resolve()


def test_a_link_inside_the_workspace_can_be_read(context: ToolContext):
    (context.workspace / "real.txt").write_text("hello", encoding="utf-8")
    (context.workspace / "alias.txt").symlink_to("real.txt")
    assert _read(context, "alias.txt")["text"] == "hello"


def test_a_link_in_a_circle_is_refused(context: ToolContext):
    (context.workspace / "circle").symlink_to("circle")
    with pytest.raises(ToolFailed):
        _read(context, "circle")


def test_walking_names_links_and_does_not_follow_them(context: ToolContext):
    listed = ListDir().execute(ListDirParams(recursive=True), context).result
    assert {entry["path"]: entry["type"] for entry in listed["entries"]} == {
        "inner": "folder",
        "link.txt": "link",
        "linked": "link",
    }
    assert _grep(context, ".")["matches"] == []
