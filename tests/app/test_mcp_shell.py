"""`mcp`: servers listed, asked how they are, added and removed; real servers, and no secret in sight."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from switchyard.app.places import ROOT
from switchyard.app.trust import TrustedFolders
from tests.app.conftest import Invoke
from tests.support.mcp_bench import SERVERS, lean, web_server
from tests.support.projects import write_servers, write_skill, write_tool

START_LEAN = ("--", "${PYTHON}", "-I", "-S", str(SERVERS / "lean.py"))
DEAD = {"command": "${PYTHON}", "args": ["-c", "raise SystemExit('没有配置: not set up')"]}


@pytest.fixture
def servers(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one file of servers: one that works, with a secret, and one that is switched off."""
    secret = lean("--token", "argument-secret-123", env={"API_KEY": "plain-secret-1234"})
    file = write_servers(project / "servers.json", 时间=secret, off=lean(disabled=True))
    monkeypatch.setenv("APP_MCP_FILES", json.dumps([str(file)]))
    return file


@pytest.fixture
def found(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the project folder, which is not there yet."""
    monkeypatch.delenv("APP_MCP_FILES")
    return project / "mcp.local.json"


def entries(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))["mcpServers"]


def is_trusted(tmp_path: Path, folder: Path) -> bool:
    return folder in TrustedFolders(tmp_path / "config")


def test_servers_are_listed_with_their_file_and_without_their_secrets(invoke: Invoke, servers: Path) -> None:
    done = invoke("mcp", "list")
    rows = {line.split("\t")[0]: line.split("\t") for line in done.stdout.splitlines()}
    assert rows["时间"][1:5] == ["stdio", "ready", "5", str(servers)]
    assert "lean.py" in rows["时间"][-1]
    assert rows["off"][2] == "disabled"
    assert "secret" not in done.output
    told = json.loads(invoke("mcp", "list", "--json").stdout)["servers"]
    assert [(one["name"], one["tools"]) for one in told] == [("时间", 5), ("off", 0)]
    assert told[0]["entry"]["env"] == {"API_KEY": "***"}


def test_the_tools_of_a_server(invoke: Invoke, servers: Path) -> None:
    assert "时间/pid\t\tThe number of this process." in invoke("mcp", "tools").stdout
    told = json.loads(invoke("mcp", "tools", "时间", "--json").stdout)["tools"]
    assert {tool["tool_type"] for tool in told} == {"mcp_server"}
    unknown = invoke("mcp", "tools", "时")
    assert unknown.exit_code == 2
    assert "there are 时间, off" in unknown.stderr


def test_health_starts_the_servers_and_fails_when_one_is_down(invoke: Invoke, servers: Path) -> None:
    good = invoke("mcp", "health")
    assert good.exit_code == 0
    assert "时间\tstdio\tready\t5\t" in good.stdout
    write_servers(servers, lean=lean(), dead=DEAD, wrong={"comand": "x"})
    bad = invoke("mcp", "health", "--json")
    states = {one["name"]: one["state"] for one in json.loads(bad.stdout)["servers"]}
    assert bad.exit_code == 1
    assert states == {"lean": "ready", "dead": "down", "wrong": "invalid"}
    assert invoke("mcp", "health", "lean").exit_code == 0
    listed = invoke("mcp", "list")
    assert "wrong is invalid: server 'wrong': 'comand' is not a field" in listed.stderr


@pytest.fixture
def mendable(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script of the server `修复`, which is not there yet; the server has been found dead."""
    script = project / "server.py"
    file = write_servers(project / "servers.json", 修复={"command": "${PYTHON}", "args": ["-I", "-S", str(script)]})
    monkeypatch.setenv("APP_MCP_FILES", json.dumps([str(file)]))
    return script


@pytest.mark.parametrize("command", [("tools", "run", "修复/pid"), ("mcp", "tools", "修复"), ("mcp", "health", "修复")])
def test_a_server_that_was_mended_is_there_for_whoever_names_it(
    invoke: Invoke, mendable: Path, command: tuple[str, ...]
) -> None:
    before = invoke(*command)
    assert before.exit_code != 0
    assert "server.py" in before.output, "why it is down"
    mendable.write_text((SERVERS / "lean.py").read_text(encoding="utf-8"), encoding="utf-8")
    after = invoke(*command)
    assert after.exit_code == 0, after.output
    assert "pid" in after.stdout or "ready" in after.stdout
    assert not after.stderr


@pytest.mark.parametrize("command", [("mcp", "list"), ("tools", "list"), ("run", "2的10次方是多少？")])
def test_why_a_server_is_down_is_said_once_and_still_known_later(
    invoke: Invoke, servers: Path, command: tuple[str, ...]
) -> None:
    write_servers(servers, 坏的=DEAD, wrong={"comand": "x"})
    for _ in range(2):  # the second time from what was kept
        done = invoke(*command)
        assert done.exit_code == 0
        assert done.stderr.count("没有配置: not set up") == 1
        assert done.stderr.count("'comand' is not a field") == 1
        assert {line.partition(": ")[0] for line in done.stderr.splitlines()} == {"switchyard"}


def test_a_server_is_added_and_reached_and_a_bare_folder_trusted_with_it(
    invoke: Invoke, found: Path, tmp_path: Path
) -> None:
    done = invoke("mcp", "add", "笔记", *START_LEAN)
    assert done.exit_code == 0, done.stderr
    assert f"Added 笔记 to {found}. It offers 5 tools." in done.stdout
    assert entries(found)["笔记"] == {
        "command": "${PYTHON}",
        "args": ["-I", "-S", str(SERVERS / "lean.py")],
    }
    assert is_trusted(tmp_path, found.parent)
    assert "is trusted from now on" in done.stderr


@pytest.mark.parametrize("kind", ["tools", "skills", "scripts"])
def test_a_folder_with_more_in_it_is_not_trusted_by_an_add(
    invoke: Invoke, found: Path, tmp_path: Path, kind: str
) -> None:
    if kind == "skills":
        write_skill(found.parent / "skills", "问候")
    elif kind == "tools":
        write_tool(found.parent / "tools")
    else:  # not ours, and imported all the same once the folder is trusted
        (found.parent / "tools").mkdir()
        (found.parent / "tools" / "deploy.py").write_text("print('部署')", encoding="utf-8")
    done = invoke("mcp", "add", "notes", "--no-check", *START_LEAN)
    assert done.exit_code == 0
    assert "see `switchyard trust`" in done.stderr
    assert not is_trusted(tmp_path, found.parent)
    assert "notes" in entries(found)


def test_a_server_that_cannot_be_reached_is_added_and_said_to_be_so(invoke: Invoke, found: Path) -> None:
    done = invoke("mcp", "add", "dead", "--", "${PYTHON}", "-c", "raise SystemExit('没有配置: not set up')")
    assert done.exit_code == 1
    assert "dead cannot be reached" in done.stderr
    assert "没有配置" in done.stderr
    assert "dead" in entries(found)


def test_a_server_over_http_is_added(invoke: Invoke, found: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEB_TOKEN", "let-me-in")
    header = ("--header", "Authorization=Bearer ${WEB_TOKEN}")
    with web_server() as running:
        done = invoke("mcp", "add", "web", "--url", f"{running.url}/mcp", *header, "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 0, done.stderr
    assert (told["state"], told["file"]) == ("ready", str(found))
    assert told["tools"] > 0
    assert "let-me-in" not in found.read_text(encoding="utf-8") + done.output


def test_a_plain_secret_is_taken_with_advice_and_never_shown(invoke: Invoke, found: Path) -> None:
    options = ("--env", "API_KEY=plain-secret-1234", "--no-check")
    done = invoke("mcp", "add", "keyed", *options, *START_LEAN)
    assert done.exit_code == 0
    assert "'${NAME}' in its place" in done.stderr
    assert "secret-1234" not in done.output
    assert entries(found)["keyed"]["env"] == {"API_KEY": "plain-secret-1234"}
    header = invoke("mcp", "add", "sent", "--url", "http://localhost:1", "--header", "X-Key=${HOME}", "--no-check")
    assert header.exit_code == 0
    assert "in its place" not in header.stderr


def test_everything_else_in_the_file_stays_as_it_was(invoke: Invoke, found: Path) -> None:
    before = {"inputs": ["保留"], "mcpServers": {"z": lean(note="自己的"), "a": lean()}, "other": {"k": 1}}
    found.write_text(json.dumps(before, ensure_ascii=False), encoding="utf-8")
    assert invoke("mcp", "add", "新的", "--no-check", *START_LEAN).exit_code == 0
    after = json.loads(found.read_text(encoding="utf-8"))
    assert list(after) == ["inputs", "mcpServers", "other"]
    assert list(after["mcpServers"]) == ["z", "a", "新的"]
    assert "保留" in found.read_text(encoding="utf-8")
    removed = invoke("mcp", "remove", "新的", "--json")
    assert json.loads(removed.stdout) == {"name": "新的", "file": str(found)}
    assert json.loads(found.read_text(encoding="utf-8")) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("taken", *START_LEAN), "is named in"),
        (("time", *START_LEAN), "is named in"),  # the one that is shipped
        (("空",), "'command' or 'url' is missing"),
        (("x", "--url", "ftp://example.com"), "begins with http:// or https://"),
        (("x", "--url", "http://example.com", *START_LEAN), "not both"),
        (("a/b", *START_LEAN), "no '/'"),
        (("x", "--env", "secret-value", *START_LEAN), "--env is written NAME=VALUE"),
        (("x", "--header", "=secret-value", "--url", "http://example.com"), "--header is written NAME=VALUE"),
        (("x", "--env", "KEY=${NOT_SET_ANYWHERE}", *START_LEAN), "NOT_SET_ANYWHERE is not set"),
        (("x", "--file", "没有/servers.json", *START_LEAN), "does not exist"),
    ],
)
def test_what_cannot_be_added_is_said_and_nothing_written(
    invoke: Invoke, found: Path, arguments: tuple[str, ...], said: str
) -> None:
    write_servers(found, taken=lean())
    before = found.read_bytes()
    done = invoke("mcp", "add", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "secret-value" not in done.output
    assert found.read_bytes() == before


def test_a_broken_file_is_not_overwritten(invoke: Invoke, found: Path) -> None:
    found.write_text('{"mcpServers": {', encoding="utf-8")
    done = invoke("mcp", "add", "x", "--no-check", *START_LEAN)
    assert done.exit_code == 2
    assert "is not JSON at line 1" in done.stderr
    assert found.read_text(encoding="utf-8") == '{"mcpServers": {'


def test_the_file_the_settings_name_is_the_one_that_is_changed(invoke: Invoke, servers: Path) -> None:
    assert invoke("mcp", "add", "more", "--no-check", *START_LEAN).exit_code == 0
    assert list(entries(servers)) == ["时间", "off", "more"]
    assert invoke("mcp", "remove", "more").exit_code == 0
    assert list(entries(servers)) == ["时间", "off"]


def test_a_file_nobody_reads_is_named(invoke: Invoke, found: Path) -> None:
    done = invoke("mcp", "add", "x", "--file", "别处.json", "--no-check", *START_LEAN)
    assert done.exit_code == 0
    assert "is not read here: APP_MCP_FILES=" in done.stderr
    assert list(entries(found.parent / "别处.json")) == ["x"]
    assert not found.exists()


def test_a_server_of_another_file_is_removed_only_by_naming_that(invoke: Invoke, found: Path) -> None:
    done = invoke("mcp", "remove", "time")
    assert done.exit_code == 2
    assert f"--file {ROOT / 'mcp.local.json'}" in done.stderr
    unknown = invoke("mcp", "remove", "没有")
    assert unknown.exit_code == 2
    assert "There is no MCP server '没有'" in unknown.stderr


def test_no_servers_at_all(invoke: Invoke) -> None:
    assert invoke("mcp", "list").exit_code == 0
    assert json.loads(invoke("mcp", "list", "--json").stdout) == {"servers": []}
    done = invoke("mcp", "add", "x", "--no-check", "--", sys.executable)
    assert done.exit_code == 2
    assert "--file" in done.stderr
