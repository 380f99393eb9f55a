"""Where the tools of a library come from: folders, skills and MCP servers, while it is open."""

import asyncio
import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.tools.core import MCPServerSpec
from switchyard.tools.core.errors import SettingsInvalid
from tests.support.hub_tools import CONTEXT, Held, answering, made
from tests.support.mcp_bench import PATIENT, SERVERS, lean, nothing_left, until

TOOL = '''
from switchyard.tools.core import BaseToolParams, tool


class P(BaseToolParams):
    pass


@tool(tags=("问候",))
class {name}:
    """{summary}"""

    def __init__(self) -> None:
        self.calls = 0

    async def execute(self, params: P) -> dict[str, object]:
        self.calls += 1
        return {{"said": "{said}", "calls": self.calls}}
'''

SKILL = """---
name: {name}
description: {text}
---
Do it. 做。
"""


def write_tool(folder: Path, name: str = "Greet", *, summary: str = "Greet. 问候。", said: str = "你好") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name.lower()}.py"
    file.write_text(TOOL.format(name=name, summary=summary, said=said), encoding="utf-8")
    return file


def write_skill(folder: Path, name: str, text: str = "Tour a repository. 浏览仓库。") -> Path:
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(SKILL.format(name=name, text=text), encoding="utf-8")
    return file


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    return folder


def library_with(mine: Path, **options: Any) -> UnifiedToolLibrary:
    return UnifiedToolLibrary(
        hub=ToolHub(skills=None, native=mine / "none", extra=[mine], extra_skills=[mine / "skills"], **options)
    )


def names(library: UnifiedToolLibrary) -> set[str]:
    return {spec.tool_id for spec in library.hub.registry.listed()}


async def said(library: UnifiedToolLibrary, name: str = "greet") -> Any:
    return (await library.execute_tool(name, None, {}, CONTEXT)).result


# Folders


async def test_a_folder_that_is_not_there_has_no_tools(mine: Path) -> None:
    async with library_with(mine / "无") as library:
        assert names(library) == set()
        assert library.hub.supply.broken() == []


async def test_a_file_dropped_into_a_folder_is_found(mine: Path) -> None:
    async with library_with(mine) as library:
        before = library.hub.registry.revision
        await library.hub.supply.refresh()
        assert library.hub.registry.revision == before
        write_tool(mine)
        await library.hub.supply.refresh()
        assert (await said(library))["said"] == "你好"
        assert [scored.name for scored in await library.hub.finder.recall("问候", 5)] == ["greet"]


async def test_a_changed_file_is_read_anew(mine: Path) -> None:
    write_tool(mine)
    async with library_with(mine) as library:
        write_tool(mine, said="再见，明天见")
        await library.hub.supply.refresh()
        assert (await said(library))["said"] == "再见，明天见"
        assert len(library.hub.registry.candidates("greet")) == 1


async def test_a_package_that_came_and_changed_is_read(mine: Path) -> None:
    async with library_with(mine) as library:
        file = write_tool(mine / "greeting", said="{word}")
        text = file.read_text(encoding="utf-8").replace('"{word}"', "word")
        file.with_name("tool.py").write_text(f"from .words import word\n{text}", encoding="utf-8")
        for word in ("再见", "再见，明天见"):
            file.with_name("words.py").write_text(f"word = {word!r}\n", encoding="utf-8")
            await library.hub.supply.refresh()
            assert (await said(library))["said"] == word


async def test_a_file_that_went_takes_its_tools_with_it(mine: Path) -> None:
    file = write_tool(mine)
    write_tool(mine, "Wave")
    async with library_with(mine) as library:
        file.unlink()
        await library.hub.supply.refresh()
        assert names(library) == {"wave"}


async def test_a_broken_file_costs_itself_only_and_is_forgotten_when_mended(mine: Path) -> None:
    write_tool(mine)
    wrong = mine / "坏.py"
    wrong.write_text("import nothing_of_this_name", encoding="utf-8")
    async with library_with(mine) as library:
        assert names(library) == {"greet"}
        assert [broken.path for broken in library.hub.supply.broken()] == [wrong]
        assert "nothing_of_this_name" in library.hub.supply.broken()[0].error
        write_tool(mine, "坏", said="好了")
        await library.hub.supply.refresh()
        assert library.hub.supply.broken() == []
        assert names(library) == {"greet", "坏"}


async def test_a_folder_named_twice_is_read_once(mine: Path) -> None:
    write_tool(mine)
    async with UnifiedToolLibrary(hub=ToolHub(skills=None, native=mine / "none", extra=[mine, mine])) as library:
        assert len(library.hub.registry.candidates("greet")) == 1


async def test_our_own_tools_keep_their_state_when_another_file_comes() -> None:
    async with UnifiedToolLibrary(hub=ToolHub(skills=None)) as library:
        before = library.hub.registry.candidates("calculate")[0]
        await library.initialize()
        assert library.hub.registry.candidates("calculate")[0] is before


async def test_two_folders_with_one_name_give_two_candidates(mine: Path, tmp_path: Path) -> None:
    write_tool(mine, said="一")
    write_tool(tmp_path / "theirs", said="二", summary="Greet otherwise.")
    async with UnifiedToolLibrary(
        hub=ToolHub(skills=None, native=mine / "none", extra=[mine, tmp_path / "theirs"])
    ) as library:
        assert [part["result"]["said"] for part in (await said(library))["results"]] == ["一", "二"]


# Skills


async def test_skills_are_tools_of_their_own_type(mine: Path) -> None:
    write_skill(mine / "skills", "tour")
    write_tool(mine / "skills", said="技能")
    async with library_with(mine) as library:
        found = {spec.tool_id: (spec.tool_type, spec.source) for spec in library.hub.registry.listed()}
        assert found == {"tour": ("skill", "skill"), "greet": ("function", "skill")}
        assert [spec.tool_id for spec in library.hub.registry.listed("skill")] == ["tour"]
        assert (await said(library))["said"] == "技能"


async def test_a_skill_dropped_into_a_folder_is_found(mine: Path) -> None:
    async with library_with(mine) as library:
        write_skill(mine / "skills", "tour")
        await library.hub.supply.refresh()
        assert [scored.name for scored in await library.hub.finder.recall("浏览仓库", 5)] == ["tour"]


async def test_a_skill_of_a_name_that_is_taken_in_another_folder_is_reported(mine: Path, tmp_path: Path) -> None:
    first = write_skill(mine / "skills", "tour")
    second = write_skill(tmp_path / "more", "tour", "第二个")
    folders = [mine / "skills", tmp_path / "more"]
    async with UnifiedToolLibrary(hub=ToolHub(skills=None, native=mine / "none", extra_skills=folders)) as library:
        assert len(library.hub.registry.candidates("tour")) == 1
        assert [broken.path for broken in library.hub.supply.broken()] == [second]
        assert str(first) in library.hub.supply.broken()[0].error


async def test_a_skill_of_a_tools_name_is_its_next_candidate(mine: Path) -> None:
    write_tool(mine)
    write_tool(mine / "skills", said="技能", summary="Greet as a skill.")
    async with library_with(mine) as library:
        assert [tool.spec.source for tool in library.hub.registry.candidates("greet")] == ["native", "skill"]


# MCP servers


@pytest.fixture
def servers(tmp_path: Path) -> Path:
    return tmp_path / "mcp.local.json"


def write_servers(file: Path, **entries: Any) -> None:
    file.write_text(json.dumps({"mcpServers": entries}, ensure_ascii=False), encoding="utf-8")


def opening(file: Path) -> Any:
    return partial(McpSource, file, cache_dir=file.parent / "cache", environment=os.environ, patience=PATIENT)


def as_spec(name: str, **fields: Any) -> MCPServerSpec:
    entry = lean()
    return MCPServerSpec(tool_id=name, command=entry["command"], args=tuple(entry["args"]), **fields)


async def test_the_servers_of_a_file_bring_their_tools(mine: Path, servers: Path) -> None:
    write_tool(mine)
    write_servers(servers, 甲=lean(), 乙=lean())
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        assert {"greet", "甲/pid", "乙/pid"} < names(library)
        first = await library.execute_tool("甲", "pid", {}, CONTEXT)
        assert first.meta.source == "mcp"
        assert first.result == (await library.execute_tool("甲/pid", None, {}, CONTEXT)).result
        assert {spec.tool_id for spec in library.hub.registry.listed("mcp_server")} == names(library) - {"greet"}


async def test_a_server_written_into_the_file_is_found(mine: Path, servers: Path) -> None:
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        assert names(library) == set()
        write_servers(servers, 甲=lean())
        await library.hub.supply.refresh()
        assert "甲/pid" in names(library)
        write_servers(servers)
        await library.hub.supply.refresh()
        assert names(library) == set()


async def test_a_server_is_registered_and_removed_as_one(mine: Path, servers: Path) -> None:
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        added = await library.register_mcp_server(as_spec("钟"))
        assert (added.success, added.error) == (True, None)
        assert "钟/pid" in {spec.tool_id for spec in added.tools}
        assert (await library.execute_tool("钟", "pid", {}, CONTEXT)).success
        assert await library.unregister_tool("钟")
        assert names(library) == set()
        assert not await library.unregister_tool("没有")


async def test_a_server_that_was_removed_can_be_registered_at_once(mine: Path, servers: Path) -> None:
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        await library.register_mcp_server(as_spec("钟"))
        assert await library.unregister_tool("钟")
        added = await library.register_mcp_server(as_spec("钟"))
        assert "钟/pid" in {spec.tool_id for spec in added.tools} & names(library)
        assert (await library.execute_tool("钟/pid", None, {}, CONTEXT)).success


def test_secrets_of_a_server_are_not_shown() -> None:
    shown = repr(as_spec("钟", env={"TOKEN": "sk-very-secret"}, headers={"Authorization": "Bearer abc"}))
    assert "secret" not in shown
    assert "abc" not in shown


async def test_all_tools_of_a_server_are_disabled_by_its_name(mine: Path, servers: Path) -> None:
    write_servers(servers, 甲=lean())
    async with nothing_left(), library_with(mine, mcp=opening(servers), disabled=["甲"]) as library:
        assert names(library) == set()
        result = await library.execute_tool("甲/pid", None, {}, CONTEXT)
        assert "is disabled: the settings say so" in (result.error or "")


async def test_a_dead_servers_tool_is_replaced_and_the_reason_told(mine: Path, servers: Path, tmp_path: Path) -> None:
    program = tmp_path / "clock.py"
    source = (SERVERS / "lean.py").read_text(encoding="utf-8")
    program.write_text(source.replace('"pid"', '"get_current_time"'), encoding="utf-8")
    write_servers(servers, 钟={"command": "${PYTHON}", "args": ["-I", "-S", str(program)]})
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        assert (await library.execute_tool("钟/get_current_time", None, {}, CONTEXT)).meta.source == "mcp"

    program.unlink()  # its tools are still known from the last time
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        alone = await library.execute_tool("钟/get_current_time", None, {}, CONTEXT)
        assert (alone.success, alone.error_type) == (False, "unavailable")
        library.hub.registry.add(made("我的时间", answering("十二点")))
        result = await library.execute_tool("钟/get_current_time", None, {}, CONTEXT)
        assert (result.result, result.meta.tool) == ("十二点", "我的时间")
        assert "The MCP server '钟'" in result.meta.downgrades[0]
        await until(lambda: library.hub.health.of("钟/get_current_time").state == "unreachable")


async def test_a_server_taken_out_of_the_file_fails_the_calls_that_still_mean_it(mine: Path, servers: Path) -> None:
    write_servers(servers, 甲=lean())
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        kept = library.hub.registry.candidates("甲/pid")[0]
        write_servers(servers)
        await library.hub.supply.refresh()
        library.hub.registry.add(kept)
        result = await library.execute_tool("甲/pid", None, {}, CONTEXT)
        assert (result.error_type, result.error) == ("unavailable", "The MCP server '甲' is no longer configured.")


async def test_a_server_that_does_not_start_costs_its_own_tools_only(mine: Path, servers: Path) -> None:
    write_tool(mine)
    write_servers(servers, 好=lean(), 坏={"command": "no-such-program-here"})
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        assert {"greet", "好/pid"} < names(library)
        assert library.hub.supply.mcp is not None
        states = {health.name: health.state for health in library.hub.supply.mcp.health()}
        assert states["坏"] in {"down", "starting"}


async def test_an_opening_that_is_cancelled_leaves_nothing_behind(mine: Path, servers: Path) -> None:
    write_servers(servers, 慢=lean("slow-start"))
    async with nothing_left():
        library = library_with(mine, mcp=opening(servers))
        start = asyncio.create_task(library.initialize())
        await until(lambda: len(asyncio.all_tasks()) > 3)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start


async def test_a_cancelled_call_of_a_server_leaves_nothing_behind(mine: Path, servers: Path) -> None:
    write_servers(servers, 甲=lean())
    async with nothing_left(), library_with(mine, mcp=opening(servers)) as library:
        await library.execute_tool("甲/pid", None, {}, CONTEXT)
        before = asyncio.all_tasks()
        call = asyncio.create_task(library.execute_tool("甲/hang", None, {}, CONTEXT))
        await until(lambda: len(asyncio.all_tasks()) > len(before) + 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: asyncio.all_tasks() == before)
        assert (await library.execute_tool("甲/pid", None, {}, CONTEXT)).success


async def test_a_library_can_be_closed_before_it_was_opened(mine: Path) -> None:
    held = Held()
    library = library_with(mine)
    library.hub.registry.add(made("慢", held))
    await library.close()
    assert held.calls == 0


@pytest.mark.parametrize(
    "given", [{"tools": [Path("own")]}, {"skills": [Path("技能")]}, {"mcp_files": [Path("m.json")]}]
)
def test_a_hub_and_folders_beside_it_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(SettingsInvalid, match="either a hub") as refused:
        UnifiedToolLibrary(hub=ToolHub(skills=None), **given)
    assert "要么给 hub" in refused.value.args[0].text("zh")
