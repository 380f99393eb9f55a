"""No file tool leaves the workspace."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.core import ToolContext, ToolFailed, resolve_inside
from tools.grep_search import GrepSearch, GrepSearchParams
from tools.list_dir import ListDir, ListDirParams
from tools.read_file import ReadFile, ReadFileParams

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
