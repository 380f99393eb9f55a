"""Servers that come, go and change while the source is open; and starts that wait for nobody."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.mcp.config import write_entry
from switchyard.toolhub.sources.mcp.session import ToolList, ToolListCache
from switchyard.tools.core import ToolContext, ToolFailed
from switchyard.tools.core.errors import SettingsInvalid
from tests.support.mcp_bench import PATIENT, SERVERS, call, children, health, lean, names, nothing_left, until
from tests.toolhub.mcp.conftest import SourceWith

NOBODY_WAITS = replace(PATIENT, first_list=0.01)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mcp.local.json"


def write(file: Path, **servers: Any) -> None:
    write_text(file, json.dumps({"mcpServers": servers}, ensure_ascii=False))


def write_text(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def servers_of(offered: set[str]) -> set[str]:
    return {name.partition("/")[0] for name in offered}


async def test_a_changed_file_is_taken_over(source_with: SourceWith, file: Path) -> None:
    told: list[tuple[str, int]] = []

    def changed(server: str, tools: list[RegisteredTool]) -> None:
        told.append((server, len(tools)))

    write(file, 一=lean(), stays=lean(), changes=lean())
    async with nothing_left(), source_with(file, on_change=changed) as source:
        assert servers_of(names(source)) == {"一", "stays", "changes"}
        count = len(names(source)) // 3
        assert sorted(told) == sorted([("一", count), ("changes", count), ("stays", count)])
        told.clear()
        stays = (await call(source, "stays/pid")).result
        changes = (await call(source, "changes/pid")).result

        await source.refresh()
        assert told == []

        write(file, 二=lean(), stays=lean(), changes=lean(env={"X": "1"}), off=lean(disabled=True))
        await source.refresh()
        assert servers_of(names(source)) == {"二", "stays", "changes"}
        assert sorted(told) == sorted([("一", 0), ("changes", 0), ("changes", count), ("二", count)])
        assert (await call(source, "stays/pid")).result == stays
        assert (await call(source, "changes/pid")).result != changes
        assert (await call(source, "二/pid")).success
        assert health(source, "off").state == "disabled"


async def test_a_file_that_appears_and_one_that_is_half_written(source_with: SourceWith, file: Path) -> None:
    async with nothing_left(), source_with(file) as source:
        assert source.health() == []
        write(file, f=lean())
        await source.refresh()
        assert (await call(source, "f/pid")).success

        write_text(file, '{"mcpServers": {"f": ')
        await source.refresh()
        assert (await call(source, "f/pid")).success
        assert health(source, file.name).state == "invalid"
        assert "is not JSON at line 1" in health(source, file.name).error

        write(file)
        await source.refresh()
        assert names(source) == set()
        assert source.health() == []


async def test_a_later_file_wins_and_a_bad_entry_costs_itself_only(
    source_with: SourceWith, file: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own.json"
    write(file, f={"command": "no-such-command"}, g={"command": "x", "url": "http://x"})
    write(own, f=lean())
    async with nothing_left(), source_with([file, own]) as source:
        assert (await call(source, "f/pid")).success
        assert health(source, "g").state == "invalid"
        assert "either 'command' or 'url'" in health(source, "g").error


async def test_servers_are_added_and_removed_at_run_time(source_with: SourceWith, file: Path) -> None:
    write(file, f=lean())
    async with nothing_left(), source_with(file) as source:
        await source.add_server("时间", lean())
        pid = (await call(source, "时间/pid")).result
        write(file)
        await source.refresh()
        assert servers_of(names(source)) == {"时间"}
        await source.add_server("时间", lean(env={"X": "1"}))
        assert (await call(source, "时间/pid")).result != pid
        with pytest.raises(SettingsInvalid, match="'comand' is not a field; the nearest is 'command'"):
            await source.add_server("g", {"comand": "x"})
        tool = source.tools()[0]
        assert (await source.remove_server("时间"), await source.remove_server("时间")) == (True, False)
        assert names(source) == set()
        with pytest.raises(ToolFailed, match="'时间' is no longer configured"):
            await tool.run(ToolRequest(tool.spec.tool_id, context=ToolContext(workspace=Path())))


async def test_a_cached_list_needs_no_server(source_with: SourceWith) -> None:
    servers = {"f": lean(), "dead": {"command": "no-such-command"}}
    async with nothing_left():
        async with source_with(servers) as source:
            offered = names(source)
        before = children()
        async with source_with(servers, patience=NOBODY_WAITS) as source:
            assert names(source) == offered
            assert (children(), health(source, "f").state) == (before, "idle")
            assert (await call(source, "f/pid")).success
            assert health(source, "f").state == "ready"


async def test_a_server_that_is_slow_to_answer_comes_later(source_with: SourceWith) -> None:
    told: list[str] = []

    def changed(server: str, tools: list[RegisteredTool]) -> None:
        told.append(server)

    servers = {"f": lean(), "never": lean("slow-start")}
    async with nothing_left():
        async with source_with(servers, patience=NOBODY_WAITS, on_change=changed) as source:
            assert servers_of(names(source)) == set(told)  # on a busy machine it may have answered by now
            await until(lambda: told == ["f"])
            assert (await call(source, "f/pid")).success
        async with source_with(servers) as source:  # with patience, which a server that failed just now does not get
            assert servers_of(names(source)) == {"f"}


async def test_a_server_that_failed_lately_is_asked_behind_the_first_question(source_with: SourceWith) -> None:
    servers = {"没了": {"command": "no-such-command"}}
    async with nothing_left():
        async with source_with(servers) as source:
            assert "was not found" in health(source, "没了").error
        async with source_with(servers) as source:
            assert health(source, "没了").state == "down"
            assert "'no-such-command' was not found" in health(source, "没了").error
            assert health(source, "没了").error.endswith("it is asked again)")
        async with source_with(servers, patience=replace(PATIENT, behind=0)) as source:
            await until(lambda: "was not found" in health(source, "没了").error)


def test_a_failure_is_kept_anew_but_not_instead_of_a_list(tmp_path: Path) -> None:
    cache = ToolListCache(tmp_path)
    cache.save("dead", None)
    (tmp_path / "dead.json").write_text(ToolList(tools=None, at=0).model_dump_json(), encoding="utf-8")
    cache.save("dead", None)
    assert cache.load("dead")
    cache.save("dead", [])
    cache.save("dead", None)
    assert (known := cache.load("dead"))
    assert known.tools == []


async def test_a_cached_list_is_refreshed_when_the_session_opens(source_with: SourceWith, tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    source_text = (SERVERS / "lean.py").read_text(encoding="utf-8")
    script.write_text(source_text, encoding="utf-8")
    entry = {"command": "${PYTHON}", "args": ["-I", str(script)]}
    async with nothing_left():
        async with source_with({"f": entry}):
            pass
        script.write_text(source_text.replace('"hang":', '"等待":'), encoding="utf-8")
        async with source_with({"f": entry}) as source:
            assert "f/hang" in names(source)
            await call(source, "f/pid")
            assert "f/等待" in names(source)
            assert "f/hang" not in names(source)


async def test_a_cache_that_cannot_be_used_is_no_obstacle(source_with: SourceWith, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("not a folder", encoding="utf-8")
    async with nothing_left(), source_with({"f": lean()}, cache_dir=blocked) as source:
        assert (await call(source, "f/pid")).success
    folder = tmp_path / "cache"
    async with source_with({"f": lean()}):
        pass
    for cached in folder.iterdir():
        cached.write_text("{broken", encoding="utf-8")
    async with nothing_left(), source_with({"f": lean()}) as source:
        assert (await call(source, "f/pid")).success


def test_nothing_of_the_sdk_is_loaded_before_a_server_is_used(tmp_path: Path) -> None:
    program = (
        "import asyncio, os, sys\n"
        "from pathlib import Path\n"
        "from switchyard.toolhub.sources.mcp.source import McpSource\n"
        "async def main():\n"
        "    config = {'f': {'command': 'x', 'disabled': True}}\n"
        "    async with McpSource(config, cache_dir=Path(sys.argv[1]), environment=os.environ):\n"
        "        print(sorted({name.partition('.')[0] for name in sys.modules} & {'mcp', 'httpx', 'jsonschema'}))\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    root = SERVERS.parents[2]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root, env=dict(os.environ)).stdout
    assert printed == "[]\n"


def test_an_entry_is_written_beside_the_others(file: Path) -> None:
    file.write_text('{"comment": "mine 我的", "mcpServers": {"一": {"command": "x"}}}', encoding="utf-8")
    assert write_entry(file, "时间", {"command": "${PYTHON}"})
    assert not write_entry(file, "时间", {"command": "${PYTHON}"})
    assert write_entry(file, "一", None)
    assert not write_entry(file, "一", None)
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content == {"comment": "mine 我的", "mcpServers": {"时间": {"command": "${PYTHON}"}}}
    file.write_text("{", encoding="utf-8")
    with pytest.raises(SettingsInvalid):
        write_entry(file, "x", {})
    assert file.read_text(encoding="utf-8") == "{"
