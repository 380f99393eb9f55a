"""`tools`: listed by type, shown with everything a person wants to know, called by hand with care."""

import json
import sys
from pathlib import Path

import pytest

from tests.app.conftest import Invoke
from tests.support.counting_tools import calls, write_counting_tools
from tests.support.mcp_bench import lean
from tests.support.projects import write_servers, write_skill, write_tool
from tests.support.surroundings import own_environment
from tests.support.terminal import at_terminal

STATION = '''
from switchyard.tools.core import BaseToolParams, ToolFailed, tool


class CodeParams(BaseToolParams):
    code: str


@tool(category="water", tags=("level", "水位"), requires=("station code",), produces=("level",), sends=True)
class ReadLevel:
    """Read a level. 读水位。"""

    def execute(self, params: CodeParams) -> str:
        return params.code


class ShoutParams(BaseToolParams):
    text: str


@tool()
class Shout:
    """Shout a text, or not. 大喊。"""

    def execute(self, params: ShoutParams) -> str:
        raise ToolFailed("嗓子哑了: no voice today", kind="unavailable")
'''


@pytest.fixture
def stations(tmp_path: Path) -> str:
    folder = tmp_path / "stations"
    folder.mkdir()
    (folder / "station.py").write_text(STATION, encoding="utf-8")
    return str(folder)


@pytest.fixture
def counting(tmp_path: Path) -> str:
    return str(write_counting_tools(tmp_path / "counting"))


@pytest.mark.parametrize(
    ("kind", "there", "not_there"), [("function", "calculate", "greeting"), ("skill", "greeting", "calculate")]
)
def test_tools_are_listed_by_type(invoke: Invoke, project: Path, kind: str, there: str, not_there: str) -> None:
    write_skill(project / "own", "greeting")
    done = invoke("tools", "list", "--type", kind, "--skills", "own")
    rows = {line.split("\t")[0]: line.split("\t")[1] for line in done.stdout.splitlines()}
    assert rows[there] == kind
    assert not_there not in rows
    assert set(rows.values()) == {kind}


def test_an_unknown_type_is_wrong_usage(invoke: Invoke) -> None:
    done = invoke("tools", "list", "--type", "gadget")
    assert done.exit_code == 2
    assert "mcp_server" in done.stderr


def test_the_tools_of_a_server_are_listed_with_it(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_MCP_FILES", json.dumps([str(write_servers(project / "servers.json", lean=lean()))]))
    listed = json.loads(invoke("tools", "list", "--type", "mcp_server", "--json").stdout)
    assert "lean/pid" in [tool["tool_id"] for tool in listed["tools"]]
    called = invoke("tools", "run", "lean/pid")
    same = invoke("tools", "run", "lean", "--action", "pid")
    assert json.loads(called.stdout)["pid"] > 0
    assert json.loads(same.stdout)["pid"] > 0
    health = json.loads(invoke("tools", "health", "lean", "--json").stdout)["tools"]
    assert {tool["state"] for tool in health} == {"ready"}


def test_a_tool_is_shown_with_what_it_needs_and_does(invoke: Invoke, stations: str) -> None:
    shown = invoke("tools", "show", "read_level", "--tools", stations).stdout
    for line in ("code (string, required)", "requires: station code", "produces: level", "does: sends data out"):
        assert line in shown
    assert "asks first: read_level" in shown
    told = json.loads(invoke("tools", "show", "read_level", "--tools", stations, "--json").stdout)
    assert (told["asks_first"], told["requires"], len(told["candidates"])) == (True, ["station code"], 1)


def test_one_action_of_several_is_shown_alone(invoke: Invoke) -> None:
    whole = invoke("tools", "show", "use_browser").stdout
    assert "asks first: click" in whole
    assert "action navigate" in whole
    one = invoke("tools", "show", "use_browser/navigate").stdout
    assert "action click" not in one
    assert "asks first" not in one


def test_candidates_of_one_name_are_all_shown_and_the_next_steps_in(
    invoke: Invoke, project: Path, stations: str
) -> None:
    write_tool(project / "own")
    places = ("--tools", stations, "--skills", "own")
    told = json.loads(invoke("tools", "show", "shout", "--json", *places).stdout)
    assert [candidate["source"] for candidate in told["candidates"]] == ["native", "skill"]
    done = invoke("tools", "run", "shout", '{"text": "你好 abc"}', *places)
    assert json.loads(done.stdout) == {"given": "你好 ABC"}
    assert "shout (native) failed: 嗓子哑了" in done.stderr


def test_health_says_what_is_switched_off_and_why(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_DISABLED_TOOLS", "search_web")
    done = invoke("tools", "health")
    rows = {line.split("\t")[0]: line.split("\t") for line in done.stdout.splitlines()}
    assert rows["calculate"][1] == "ready"
    assert rows["search_web"][1] == "disabled"
    assert "the settings say so" in rows["search_web"][-1]
    assert done.exit_code == 0
    one = json.loads(invoke("tools", "health", "search_web", "--json").stdout)["tools"]
    assert [tool["state"] for tool in one] == ["disabled"]
    assert invoke("tools", "health", "nonesuch").exit_code == 2


def test_health_fails_on_a_server_that_is_written_wrong(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_servers(project / "servers.json", 写错={"comand": "x"}, lean=lean())
    monkeypatch.setenv("APP_MCP_FILES", json.dumps([str(file)]))
    done = invoke("tools", "health")
    assert done.exit_code == 1
    assert "写错 is invalid: server '写错': 'comand' is not a field" in done.stderr
    told = json.loads(invoke("tools", "health", "--json").stdout)
    assert [server["name"] for server in told["unusable_servers"]] == ["写错"]
    assert invoke("tools", "health", "lean").exit_code == 0


def test_a_result_goes_to_standard_output_as_json(invoke: Invoke) -> None:
    assert json.loads(invoke("tools", "run", "calculate", '{"expression": "六乘七"}').stdout)["value"] == 42
    whole = json.loads(invoke("tools", "run", "calculate", '{"expression": "6*7"}', "--json").stdout)
    assert (whole["success"], whole["meta"]["source"]) == (True, "native")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("calculate", '{"expresion": "6*7"}'), 1, "did you mean 'expression'?"),
        (("use_browser", '{"url": "https://example.com"}', "--yes"), 1, "several actions and none was named"),
        (("use_browser", "{}", "--action", "clik"), 1, "has no action 'clik'; did you mean 'click'?"),
        (("file_processor", "{}", "--action", "删除"), 1, "has no action '删除'; Actions: count"),
        (("write_to_file", "{}", "--action", "bad"), 1, "has no action 'bad'; Actions: write_to_file"),
        (("use_browser/clik", "{}"), 2, "There is no tool 'use_browser/clik'"),
        (("calculate", "六乘七"), 2, "JSON"),
        (("data-profile", '{"task": "概况"}'), 2, "carried out by a model"),
    ],
)
def test_a_wrong_call_gets_a_sentence(invoke: Invoke, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = invoke("tools", "run", *arguments)
    assert done.exit_code == code
    assert said in done.stderr
    assert not done.stdout


def test_a_tool_that_writes_needs_a_yes(invoke: Invoke, project: Path, counting: str) -> None:
    waiting = invoke("tools", "run", "stamp", '{"label": "信件"}', "--tools", counting)
    assert waiting.exit_code == 3
    assert "--yes" in waiting.stderr
    assert calls(project) == []
    done = invoke("tools", "run", "stamp", '{"label": "信件"}', "--tools", counting, "--yes")
    assert done.exit_code == 0
    assert [line.split()[-1] for line in calls(project)] == ["信件", "信件"]


@pytest.mark.parametrize(("answer", "code"), [("是", 0), ("\r", 1)])
def test_at_a_terminal_it_asks(tmp_path: Path, project: Path, counting: str, answer: str, code: int) -> None:
    environment = own_environment(tmp_path, TERM="xterm", COLUMNS="120")
    command = [sys.executable, "-m", "switchyard", "tools", "run", "stamp", '{"label": "信"}', "--tools", counting]
    with at_terminal(command, project, environment) as terminal:
        terminal.until("[y/N]")
        terminal.type(f"{answer}\r")
        assert terminal.leave() == code
    assert bool(calls(project)) is (code == 0)


def test_at_a_terminal_a_row_is_one_line(tmp_path: Path, project: Path) -> None:
    environment = own_environment(tmp_path, TERM="xterm", COLUMNS="80")
    with at_terminal([sys.executable, "-m", "switchyard", "tools", "list"], project, environment) as terminal:
        assert terminal.leave() == 0
    lines = [line for line in terminal.seen.strip().splitlines() if not line.startswith("switchyard: ")]
    assert lines[0].split() == ["name", "type", "source", "asks", "what", "it", "does"]
    assert max(map(len, lines)) <= 80
    calculate = next(line for line in lines if line.startswith("calculate"))
    assert calculate.rstrip().endswith("…")
