"""Servers that fail as a whole: each costs its own tools only, comes back, and leaves nothing behind."""

import asyncio
import logging
import os
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.tools.core import ToolResult
from switchyard.tools.core.errors import TRANSIENT
from tests.support.mcp_bench import PATIENT, call, children, faulty, health, lean, names, nothing_left, until
from tests.toolhub.mcp.conftest import SourceWith


@pytest.mark.parametrize("server", [faulty, lean])
async def test_a_server_that_crashes_in_a_call_fails_that_call_and_serves_the_next(
    source_with: SourceWith, server: Callable[..., dict[str, Any]]
) -> None:
    async with nothing_left(), source_with({"f": server(), "g": lean()}) as source:
        first = (await call(source, "f/pid")).result["pid"]
        hanging = [asyncio.create_task(call(source, name)) for name in ("f/hang", "g/hang")]
        await call(source, "f/pid")
        crashed = await call(source, "f/crash")
        assert str(crashed.error).startswith("The MCP server 'f' ended during this call: it exited with 3")
        assert crashed.error_type == "unavailable"
        assert crashed.error_type in TRANSIENT
        assert (await hanging[0]).error_type == "unavailable"
        assert (await call(source, "f/pid")).result["pid"] != first
        assert not hanging[1].done()
        hanging[1].cancel()
        assert (health(source, "f").restarts, health(source, "g").restarts) == (1, 0)


async def test_a_server_that_was_killed_while_idle_is_there_again(source_with: SourceWith) -> None:
    async with nothing_left(), source_with({"f": lean()}) as source:
        for _ in range(2):
            pid = (await call(source, "f/pid")).result["pid"]
            os.kill(pid, signal.SIGKILL)
            await until(lambda: health(source, "f").state != "ready")
            result = await call(source, "f/pid")
            assert result.success, result.error
            assert result.result["pid"] != pid


async def test_a_server_that_hangs_as_a_whole_is_started_anew(source_with: SourceWith) -> None:
    async with nothing_left(), source_with({"f": lean(timeout=3)}, patience=replace(PATIENT, ping=1)) as source:
        pid = (await call(source, "f/pid")).result["pid"]
        result = await call(source, "f/wedge")
        assert (result.error, result.error_type) == ("The MCP server 'f' did not answer within 3 s.", "timeout")
        await until(lambda: health(source, "f").restarts == 1)
        assert not psutil.pid_exists(pid)
        assert (await call(source, "f/pid")).success


async def test_a_probe_finds_out_how_each_server_is(source_with: SourceWith) -> None:
    servers = {"well 好": lean(), "missing": {"command": "no-such-command"}, "off": lean(disabled=True)}
    async with nothing_left(), source_with(servers) as source:
        assert {found.name: found.state for found in await source.probe()} == {
            "well 好": "ready",
            "missing": "down",
            "off": "disabled",
        }


async def test_a_probe_finds_a_server_that_has_stopped(source_with: SourceWith) -> None:
    async with nothing_left(), source_with({"well 好": lean()}, patience=replace(PATIENT, ping=3)) as source:
        os.kill((await call(source, "well 好/pid")).result["pid"], signal.SIGSTOP)
        await source.probe()
        await until(lambda: health(source, "well 好").restarts == 1)
        assert (await call(source, "well 好/pid")).success


async def test_a_server_that_will_not_leave_is_ended_with_its_children(source_with: SourceWith) -> None:
    async with nothing_left():
        before = children()
        async with source_with({"f": lean("stubborn")}) as source:
            assert (await call(source, "f/pid")).success
            assert len(children() - before) == 2


async def returns_nothing(request: ToolRequest) -> ToolResult:
    return ToolResult()


DEAD: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"command": "no-such-command-没有"}, "the command 'no-such-command-没有' was not found"),
    "folder": (lean(cwd="/no/such/文件夹"), "its folder '/no/such/文件夹' does not exist; correct 'cwd'"),
    "failing": (
        {"command": "${PYTHON}", "args": ["-c", "raise SystemExit('坏了 broken')"]},
        "exited with 1: 坏了 broken",
    ),
    "quiet": ({"command": "${PYTHON}", "args": ["-c", "pass"]}, "it exited with 0"),
    "noisy": (
        {"command": "${PYTHON}", "args": ["-c", "print('欢迎', flush=True); input()"]},
        "it exited with 0",
    ),
}


async def test_dead_servers_are_named_with_their_reason_and_the_others_work(source_with: SourceWith) -> None:
    servers = {name: entry for name, (entry, _) in DEAD.items()}
    async with nothing_left(), source_with({**servers, "f": lean()}) as source:
        await until(lambda: all(health(source, name).error for name in servers))
        for name, (_, reason) in DEAD.items():
            assert reason in health(source, name).error, name
        assert {name.partition("/")[0] for name in names(source)} == {"f"}
        assert (await call(source, "f/pid")).success


async def test_a_server_that_never_answers_is_named_with_its_reason(source_with: SourceWith) -> None:
    patience = replace(PATIENT, start=1)
    async with nothing_left(), source_with({"silent": lean("slow-start")}, patience=patience) as source:
        await until(lambda: "it did not answer in time" in health(source, "silent").error)


async def test_a_call_to_a_server_that_died_for_good_fails_at_once_and_says_why(
    source_with: SourceWith, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text(f"import runpy; runpy.run_path({lean()['args'][2]!r}, run_name='__main__')", encoding="utf-8")
    async with nothing_left(), source_with({"f": {"command": "${PYTHON}", "args": [str(script)]}}) as source:
        pid = (await call(source, "f/pid")).result["pid"]
        script.write_text("raise SystemExit('uninstalled 已卸载')", encoding="utf-8")
        os.kill(pid, signal.SIGKILL)
        await until(lambda: "已卸载" in health(source, "f").error)
        result = await call(source, "f/pid")
        assert result.error_type == "unavailable"
        assert "it exited with 1: uninstalled 已卸载" in str(result.error)
        await until(lambda: source.find("f").absence() == result.error)
        assert "f/pid" in names(source), "its tools stay known, so that the failure can be told"


async def test_a_probe_does_not_wait_for_the_end_of_a_pause(
    source_with: SourceWith, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("switchyard.toolhub.sources.mcp.session.FIRST_PAUSE", 1000.0)
    script = tmp_path / "服务.py"
    script.write_text("raise SystemExit('坏了 broken')", encoding="utf-8")
    entry = {"command": "${PYTHON}", "args": ["-I", str(script)]}
    patience = replace(PATIENT, longest_pause=1000.0)
    async with nothing_left(), source_with({"f": entry}, patience=patience) as source:
        await source.probe("f")
        assert (health(source, "f").state, source.tools()) == ("down", [])
        script.write_text(f"import runpy; runpy.run_path({lean()['args'][2]!r}, run_name='__main__')", encoding="utf-8")
        await source.probe("f")
        assert (health(source, "f").state, health(source, "f").error) == ("ready", "")
        assert (await call(source, "f/pid")).success


async def test_what_a_server_says_beside_its_messages_goes_to_the_log_without_secrets(
    source_with: SourceWith, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    environment = {**os.environ, "API_TOKEN": "hunter2-猎人"}
    entry = faulty("loud", "banner", env={"API_TOKEN": "${API_TOKEN}"})
    with caplog.at_level(logging.DEBUG, "switchyard"):
        async with source_with({"f": entry}, environment=environment, patience=PATIENT) as source:
            await call(source, "f/chatter")
            odd = await call(source, "f/odd")
            crashed = await call(source, "f/crash")
    assert str(crashed.error).endswith("exited with 3: it is all over 完了.")
    assert odd.result == {"roots": "List roots not supported"}
    said = [line for line in caplog.records if line.message.startswith("mcp_server_said")]
    assert "starting with" in said[0].message
    assert {line.levelname for line in said} == {"DEBUG"}
    assert "hunter2" not in caplog.text
    assert "hunter2" not in repr(source.health())
    assert "hunter2" not in repr(source.configs())
    assert capfd.readouterr() == ("", "")


async def test_a_message_without_end_costs_the_session_not_the_memory(source_with: SourceWith) -> None:
    async with nothing_left(), source_with({"f": lean()}) as source:
        result = await call(source, "f/flood")
        assert result.error_type == "unavailable"
        assert "no MCP message (more than 64 MB without an end)" in str(result.error)
        assert (await call(source, "f/pid")).success


async def test_a_list_may_come_in_pages_but_not_for_ever(source_with: SourceWith) -> None:
    async with nothing_left(), source_with({"全": lean(), "pages": lean("pages"), "circle": lean("circle")}) as source:
        offered = Counter(name.partition("/")[0] for name in names(source))
    assert offered["pages"] == offered["全"] > offered["circle"] == 1


async def test_opening_that_is_cancelled_leaves_nothing(source_with: SourceWith) -> None:
    async with nothing_left():
        before = children()
        opening = asyncio.create_task(source_with({"f": lean("slow-start")}).__aenter__())
        await until(lambda: bool(children() - before))
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
