"""Servers that others wrote: time, git and sqlite, over stdio; and the ones we ship."""

import os
import subprocess
from pathlib import Path
from typing import Any

from switchyard.toolhub.sources.mcp.config import read_configs
from switchyard.toolhub.sources.mcp.source import McpSource
from tests.support.mcp_bench import PATIENT, call, names, nothing_left
from tests.toolhub.mcp.conftest import SourceWith

ROOT = Path(__file__).parents[3]


def repository(folder: Path) -> Path:
    folder.mkdir()
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "第一次提交"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True)
    return folder


async def test_git_and_sqlite(source_with: SourceWith, tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo")
    servers: dict[str, Any] = {
        "git": {"command": "${PYTHON}", "args": ["-P", "-m", "mcp_server_git"]},
        "sqlite": {
            "command": "${PYTHON}",
            "args": ["-P", "-c", "from mcp_server_sqlite import main; main()", "--db-path", "${DATABASE}"],
        },
    }
    environment = {**os.environ, "DATABASE": str(tmp_path / "水文.db")}
    async with nothing_left(), source_with(servers, environment=environment) as source:
        log = await call(source, "git/git_log", repo_path=str(folder))
        assert "第一次提交" in str(log.result)
        asking = {tool.spec.tool_id for tool in source.tools() if tool.spec.asks_first}
        assert "git/git_commit" in asking
        assert "git/git_log" not in asking

        await call(source, "sqlite/create_table", query="CREATE TABLE 站 (名 TEXT)")
        await call(source, "sqlite/write_query", query="INSERT INTO 站 VALUES ('盘石头')")
        rows = await call(source, "sqlite/read_query", query="SELECT * FROM 站")
        assert "盘石头" in str(rows.result)
        assert {found.state for found in source.health()} == {"ready"}


async def test_the_shipped_servers_work_as_they_are(tmp_path: Path) -> None:
    file = ROOT / "mcp.local.json"
    assert not read_configs([file], os.environ).problems
    async with (
        nothing_left(),
        McpSource(file, cache_dir=tmp_path, environment=os.environ, patience=PATIENT, workspace=tmp_path) as source,
    ):
        assert {"time/get_current_time", "time/convert_time"} <= names(source)
        assert not any(tool.spec.asks_first for tool in source.tools())
        zones = {"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "Asia/Shanghai"}
        answer = await call(source, "time/convert_time", **zones)
        assert answer.result["time_difference"] == "-1.0h"
        wrong = await call(source, "time/get_current_time", timezone="Nowhere")
        assert wrong.error_type == "bad_arguments"
        missing = await call(source, "time/get_current_time")
        assert missing.error == "time/get_current_time: 'timezone' is required. Fields: timezone."
