"""What lies in a folder is run only after the user has trusted it (R4.2), and they see what that is."""

import json
import sys
from pathlib import Path

import pytest

from switchyard.app.places import ROOT
from switchyard.app.trust import Project
from tests.app.conftest import Invoke
from tests.support.mcp_bench import lean
from tests.support.projects import write_servers, write_skill, write_tool
from tests.support.surroundings import own_environment
from tests.support.terminal import at_terminal


@pytest.fixture
def full(project: Path) -> Path:
    """A project with one of everything."""
    write_tool(project / "tools")
    write_skill(project / "skills", "greeting")
    entry = lean(env={"API_KEY": "plain-secret-1234"}) | {"args": ["server.py", "--token", "other-secret-5678"]}
    write_servers(project / "mcp.local.json", notes=entry)
    return project


def test_it_shows_what_would_be_run_and_no_secret(invoke: Invoke, full: Path) -> None:
    done = invoke("trust", "--yes")
    assert done.exit_code == 0
    for part in ("tools/shout_text.py", "skills/greeting", "MCP server notes", "server.py --token", str(full)):
        assert part in done.stdout
    assert "secret" not in done.output


def test_a_package_of_tools_is_shown_and_used(invoke: Invoke, project: Path) -> None:
    file = write_tool(project / "tools" / "loud", "Loud")
    file.rename(file.with_name("tool.py"))
    assert invoke("tools", "list").stderr.count("tools/ in") == 1
    assert "tools/loud/tool.py" in invoke("trust", "--yes").stdout
    assert "\nloud\t" in invoke("tools", "list").stdout


def test_what_is_trusted_is_used_from_then_on(invoke: Invoke, full: Path) -> None:
    (full / "mcp.local.json").unlink()
    before = invoke("tools", "list")
    assert "shout" not in before.stdout
    assert before.stderr.count("tools/, skills/ in") == 1
    invoke("trust", "--yes")
    after = invoke("tools", "list")
    names = [line.split("\t")[0] for line in after.stdout.splitlines()]
    assert {"shout", "greeting"} <= set(names)
    assert not after.stderr
    invoke("trust", "--remove")
    assert "shout" not in invoke("tools", "list").stdout


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("run", "2的10次方是多少？"), "运行 `switchyard trust` 才会启用"),
        (("run", "What is 2 to the power of 10?"), "not used: `switchyard trust`"),
        (("chat",), "not used: `switchyard trust`"),
        (("skills", "list"), "not used: `switchyard trust`"),
        (("mcp", "list"), "not used: `switchyard trust`"),
    ],
)
def test_every_start_in_an_untrusted_folder_says_so_once(
    invoke: Invoke, full: Path, command: tuple[str, ...], said: str
) -> None:
    done = invoke(*command)
    assert done.exit_code == 0
    assert done.stderr.count(said) == 1
    assert "not used" not in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("tools", "run", "shout"),
        ("tools", "show", "大声说"),
        ("tools", "health", "shout"),
        ("tools", "run", "notes/pid"),
        ("skills", "show", "greeting"),
        ("skills", "show", "whisper"),
        ("skills", "check", "greeting"),
        ("mcp", "health", "notes"),
        ("mcp", "tools", "notes"),
    ],
)
def test_who_names_what_is_not_there_is_told_that_the_folder_is_not_trusted(
    invoke: Invoke, full: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.delenv("APP_MCP_FILES")
    named = write_tool(full / "tools", "Loud")
    text = named.read_text(encoding="utf-8").replace("@tool(", "@tool(tool_id='大声说',")
    named.write_text(text + "raise SystemExit('never to be run')", encoding="utf-8")
    write_tool(full / "skills", "Whisper")
    done = invoke(*command)
    assert done.exit_code == 2
    assert f"in {full} not used: `switchyard trust`" in done.stderr


def test_a_folder_with_nothing_of_ours_is_not_spoken_of(invoke: Invoke, project: Path) -> None:
    (project / "tools").mkdir()
    (project / "tools" / "deploy.py").write_text("raise SystemExit('never to be run')", encoding="utf-8")
    assert not invoke("tools", "list").stderr
    assert "tools/deploy.py" in invoke("trust", "--yes").stdout


def test_without_a_person_nothing_is_trusted(invoke: Invoke, full: Path) -> None:
    done = invoke("trust")
    assert done.exit_code == 2
    assert "--yes" in done.stderr
    assert not invoke("trust", "--list").stdout


def test_a_folder_that_is_not_there(invoke: Invoke, project: Path) -> None:
    done = invoke("trust", "nowhere", "--yes")
    assert done.exit_code == 2
    assert "does not exist." in done.stderr


def test_an_empty_folder_can_be_trusted_too(invoke: Invoke, project: Path) -> None:
    done = invoke("trust", "--yes")
    assert done.exit_code == 0
    assert "no tools/, no skills/" in done.stdout
    assert "was trusted already" in invoke("trust").stdout


def test_our_own_folder_is_always_used(invoke: Invoke, project: Path) -> None:
    done = invoke("trust", str(ROOT))
    assert done.exit_code == 0
    assert "always used" in done.stdout
    assert not invoke("trust", "--list").stdout


def test_the_list_as_an_object(invoke: Invoke, full: Path, tmp_path: Path) -> None:
    other = tmp_path / "另一个"
    other.mkdir()
    made = json.loads(invoke("trust", "--yes", "--json").stdout)
    assert (made["new"], made["brings"]["tools"]) == (True, ["tools/shout_text.py"])
    invoke("trust", str(other), "--yes")
    other.rmdir()
    listed = json.loads(invoke("trust", "--list", "--json").stdout)["folders"]
    assert [(Path(one["folder"]).name, one["exists"]) for one in listed] == [(full.name, True), ("另一个", False)]
    assert listed[0]["brings"] == ["tools/", "skills/", "mcp.local.json"]
    gone = invoke("trust", "--remove", str(other))  # a folder that is gone can still be forgotten
    assert gone.exit_code == 0
    assert len(json.loads(invoke("trust", "--list", "--json").stdout)["folders"]) == 1
    assert invoke("trust", "--remove", str(other)).exit_code == 2


def test_doctor_names_the_folder(invoke: Invoke, full: Path) -> None:
    def found() -> str:
        findings = json.loads(invoke("doctor", "--json").stdout)
        return next(finding["text"] for finding in findings if finding["name"] == "project")

    assert "not used: `switchyard trust`" in found()
    invoke("trust", "--yes")
    assert "is trusted and brings tools/, skills/" in found()


def test_a_project_is_bare_only_when_nothing_in_it_would_be_run(project: Path) -> None:
    assert Project(project).is_bare
    (project / "tools").mkdir()
    (project / "tools" / "deploy.py").write_text("print('部署')", encoding="utf-8")
    assert not Project(project).is_bare
    assert Project(project).brings() == []


@pytest.mark.parametrize(("answer", "code", "said"), [("y", 0, "is trusted from now on"), ("否", 1, "Nothing was")])
def test_a_person_is_asked(tmp_path: Path, project: Path, answer: str, code: int, said: str) -> None:
    write_tool(project / "tools")
    environment = own_environment(tmp_path, TERM="xterm", COLUMNS="120")
    with at_terminal([sys.executable, "-P", "-m", "switchyard", "trust"], project, environment) as terminal:
        terminal.until("tools/shout_text.py")
        terminal.until("[y/N]")
        terminal.type(f"{answer}\r")
        assert terminal.leave() == code
        assert said in terminal.seen
    assert (tmp_path / "config" / "trusted.json").exists() is (code == 0)
