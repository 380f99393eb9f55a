"""What LangGraph's server opens on the first question: a failure leaves nothing open, and nothing blocks the loop."""

import json
from pathlib import Path

import blockbuster
import psutil
import pytest

from switchyard.app.studio import SharedEquipment
from switchyard.tools.core.errors import SettingsInvalid
from tests.support.counting_tools import write_counting_tools


def open_databases(folder: Path) -> list[str]:
    return [file.path for file in psutil.Process().open_files() if file.path.startswith(str(folder))]


async def test_a_question_that_finds_no_workspace_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_WORKSPACE", str(tmp_path / "later 以后"))
    equipment = SharedEquipment()
    for _ in range(3):
        with pytest.raises(SettingsInvalid, match="does not exist"):
            await equipment()
        assert (tmp_path / "data" / "switchyard.sqlite").exists()
        assert open_databases(tmp_path) == []


async def test_the_next_question_opens_it_once_what_was_wrong_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = tmp_path / "later 以后"
    monkeypatch.setenv("APP_WORKSPACE", str(workspace))
    equipment = SharedEquipment()
    with pytest.raises(SettingsInvalid):
        await equipment()
    workspace.mkdir()
    opened = await equipment()
    assert opened.workspace == workspace
    assert await equipment() is opened
    assert open_databases(tmp_path)
    await equipment.close()
    assert open_databases(tmp_path) == []


async def test_opening_with_relative_paths_does_not_block_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_counting_tools(Path("own"))
    Path("mcp.json").write_text(json.dumps({"mcpServers": {}}), encoding="utf-8")  # noqa: ASYNC240  before it opens
    Path("skills").mkdir()  # noqa: ASYNC240  before it opens
    monkeypatch.setenv("APP_TOOL_FOLDERS", '["own"]')
    monkeypatch.setenv("APP_SKILL_FOLDERS", '["skills"]')
    monkeypatch.setenv("APP_MCP_FILES", '["mcp.json"]')
    equipment = SharedEquipment()
    with blockbuster.blockbuster_ctx():
        opened = await equipment()
        await equipment.close()
    assert opened.workspace == tmp_path
