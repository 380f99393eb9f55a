"""What cannot be used is said once, in a sentence, by every command that it concerns; the log keeps it to itself."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from switchyard.app.cli.notices import tell_unusable
from switchyard.app.hub import open_hub
from switchyard.app.settings import Settings
from tests.app.conftest import Invoke
from tests.support.projects import write_servers, write_skill


@pytest.fixture
def broken(project: Path) -> Path:
    """A tool file and a skill that do not load."""
    (project / "own").mkdir()
    (project / "own" / "坏的.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    write_skill(project / "own", "bad").write_text("---\nname: bad\ndescription: [开\n---\n", encoding="utf-8")
    return project / "own"


@pytest.mark.parametrize(
    "command", [("run", "What is 2+2?"), ("run", "二加二等于几？"), ("tools", "list"), ("tools", "run", "不存在")]
)
def test_a_file_that_does_not_load(invoke: Invoke, broken: Path, command: tuple[str, ...]) -> None:
    done = invoke(*command, "--tools", "own")
    said = [line for line in done.stderr.splitlines() if "坏的.py" in line]
    assert len(said) == 1
    assert said[0].startswith("switchyard: ")
    did_not = "没有加载成功：" if "二加二等于几？" in command else "did not load: "
    assert did_not in said[0]
    assert "ModuleNotFoundError: No module named 'nothing_of_that_name' (line 1)" in said[0]


@pytest.mark.parametrize("command", [("skills", "list"), ("tools", "list"), ("run", "What is 2+2?")])
def test_a_skill_that_does_not_load(invoke: Invoke, broken: Path, command: tuple[str, ...]) -> None:
    done = invoke(*command, "--skills", "own")
    assert done.stderr.count("bad/SKILL.md") == 1
    assert all(line.startswith("switchyard: ") for line in done.stderr.splitlines())


def test_a_conversation_says_it_once(
    invoke: Invoke, broken: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_servers(project / "servers.json", 写错={"comand": "x"})
    monkeypatch.setenv("APP_MCP_FILES", json.dumps([str(file)]))
    done = invoke("chat", "--tools", "own", typed="What is 2+2?\n二加二等于几？\n\n")
    assert (done.stdout.count("answered: "), done.stdout.count("已回答：")) == (1, 1)
    assert done.stderr.count("坏的.py did not load") == 1
    assert done.stderr.count("写错 is invalid") == 1


async def test_what_breaks_later_is_said_then(
    broken: Path, make_settings: Callable[..., Settings], capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_hub(make_settings(tool_folders=[broken])) as hub:
        before: set[str] = set()
        tell_unusable(hub.supply.broken(), said=before)
        (broken / "later.py").write_text("1 / 0", encoding="utf-8")
        await hub.supply.refresh()
        tell_unusable(hub.supply.broken(), said=before)
        tell_unusable(hub.supply.broken(), said=before)
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("switchyard: ")]
    assert [line.partition(" did not load")[0].rpartition("/")[2] for line in said] == ["坏的.py", "later.py"]


def test_doctor_finds_a_dead_server_the_first_time_it_looks(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_servers(project / "servers.json", 没了={"command": "no-such-command"})
    monkeypatch.setenv("APP_MCP_FILES", json.dumps([str(file)]))
    done = invoke("doctor", "--json")
    finding = next(one for one in json.loads(done.stdout) if one["name"] == "mcp 没了")
    assert (finding["ok"], done.exit_code) == (False, 1)
    assert "'no-such-command' was not found" in finding["text"]


NEEDY = '''
from switchyard import BaseToolParams, tool


class NeedyParams(BaseToolParams):
    """Nothing."""


@tool(sentences=("count the needy", "数一数缺的"))
class CountNeedy:
    """Count the needy. 数一数缺的。"""

    needs = {"nothing_of_that_name": "switchyard[tables]"}

    def execute(self, params: NeedyParams) -> str:
        return "7"
'''


@pytest.mark.parametrize(
    "said",
    [
        (
            "C.UTF-8",
            "count the needy",
            "The package nothing_of_that_name is missing: pip install 'switchyard[tables]'.",
        ),
        ("zh_CN.UTF-8", "数一数缺的", "缺少软件包 nothing_of_that_name：pip install 'switchyard[tables]'。"),
    ],
)
def test_a_tool_whose_package_is_missing_is_listed_and_says_what_to_install(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch, said: tuple[str, str, str]
) -> None:
    language, question, says = said
    (project / "own").mkdir()
    (project / "own" / "needy.py").write_text(NEEDY, encoding="utf-8")
    monkeypatch.setenv("LANG", language)
    listed = invoke("tools", "list", "--tools", "own")
    assert "count_needy" in listed.stdout
    (told,) = [line for line in listed.stderr.splitlines() if "count_needy" in line]
    assert told.endswith(says)
    shown = json.loads(invoke("tools", "list", "--tools", "own", "--json").stdout)
    assert "switchyard[tables]" in shown["unavailable"]["count_needy"]
    asked = invoke("run", question, "--tools", "own")
    assert asked.exit_code == 1
    assert "switchyard[tables]" in asked.output
