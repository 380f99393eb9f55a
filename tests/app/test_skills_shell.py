"""`skills`: listed, shown and checked, with the place of every problem."""

import json
from pathlib import Path

import pytest

from switchyard.app.places import ROOT
from tests.app.conftest import Invoke
from tests.support.projects import write_skill, write_tool


@pytest.fixture
def own(project: Path) -> Path:
    """A folder with a good skill, an odd one, a broken one and one in Python."""
    folder = project / "own"
    good = write_skill(folder, "greeting", front="allowed-tools: calculate read_file\nlicense: MIT\n")
    (good.parent / "references").mkdir()
    (good.parent / "references" / "称呼.md").write_text("先生 女士", encoding="utf-8")
    write_skill(folder, "odd", front="allowed-tools: nonesuch\n")
    (folder / "bad").mkdir()
    (folder / "bad" / "SKILL.md").write_text("---\nname: bad\ndescription: [开\n---\n", encoding="utf-8")
    write_tool(folder)
    return folder


def test_skills_are_listed_and_broken_ones_named_with_their_place(invoke: Invoke, own: Path) -> None:
    done = invoke("skills", "list", "--skills", "own")
    assert done.exit_code == 0
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in done.stdout.splitlines()}
    assert rows["greeting"] == [str(own / "greeting"), "calculate read_file", "Greets people politely. 礼貌问候。"]
    assert rows["shout"][1] == "(Python)"
    assert "repository-tour" in rows
    assert "bad" not in rows
    assert f"{own / 'bad' / 'SKILL.md'}:3: description: " in done.stderr


def test_the_list_as_an_object(invoke: Invoke, own: Path) -> None:
    told = json.loads(invoke("skills", "list", "--skills", "own", "--json").stdout)
    greeting = next(skill for skill in told["skills"] if skill["name"] == "greeting")
    assert (greeting["allowed_tools"], greeting["license"]) == (["calculate", "read_file"], "MIT")
    assert [(Path(one["file"]).parent.name, one["line"], one["field"]) for one in told["broken"]] == [
        ("bad", 3, "description")
    ]


def test_a_skill_is_shown_whole(invoke: Invoke, own: Path) -> None:
    shown = invoke("skills", "show", "greeting", "--skills", "own").stdout
    for part in ("description: Greets people", "license: MIT", "files: references/称呼.md", "\nDo it. 照做。"):
        assert part in shown
    told = json.loads(invoke("skills", "show", "greeting", "--skills", "own", "--json").stdout)
    assert (told["files"], told["instructions"]) == (["references/称呼.md"], "Do it. 照做。")
    assert "text (string, required)" in invoke("skills", "show", "shout", "--skills", "own").stdout


@pytest.mark.parametrize("command", ["show", "check"])
def test_an_unknown_skill_gets_the_nearest(invoke: Invoke, own: Path, command: str) -> None:
    done = invoke("skills", command, "greting", "--skills", "own")
    assert done.exit_code == 2
    assert "did you mean greeting?" in done.stderr


def test_our_own_skills_are_in_order(invoke: Invoke) -> None:
    done = invoke("skills", "check")
    assert done.exit_code == 0
    assert "0 errors, 0 notes" in done.stdout


def test_all_are_checked_and_a_fatal_problem_is_a_failure(invoke: Invoke, own: Path) -> None:
    done = invoke("skills", "check", "--skills", "own")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert sum("bad/SKILL.md:3: description:" in line for line in lines) == 1
    assert any("odd/SKILL.md:4: allowed-tools: there is no tool" in line and "(note)" in line for line in lines)
    assert lines[-1].endswith("1 error, 1 note.")


def test_notes_alone_are_no_failure(invoke: Invoke, own: Path) -> None:
    done = invoke("skills", "check", "odd", "--skills", "own")
    assert done.exit_code == 0
    assert "0 errors, 1 note." in done.stdout


def test_the_check_as_an_object(invoke: Invoke, own: Path) -> None:
    done = invoke("skills", "check", "bad", "--skills", "own", "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1
    assert told["checked"] == [str(own / "bad")]
    assert [(one["line"], one["field"], one["fatal"]) for one in told["problems"]] == [(3, "description", True)]
    assert not told["problems"][0]["text"].startswith("line")


@pytest.mark.parametrize("which", [(), ("同名",)])
def test_two_of_one_name_are_a_problem(invoke: Invoke, project: Path, which: tuple[str, ...]) -> None:
    one, two = write_skill(project / "one", "同名"), write_skill(project / "two", "同名")
    done = invoke("skills", "check", *which, "--skills", "one", "--skills", "two")
    assert done.exit_code == 1
    assert done.stdout.count(f"{two}: name: the name '同名' is taken by {one}; rename one of the two.") == 1


@pytest.mark.parametrize("which", [(), ("calculate",)])
def test_a_skill_with_the_name_of_a_tool_is_a_problem(invoke: Invoke, project: Path, which: tuple[str, ...]) -> None:
    file = write_skill(project / "own", "calculate", body="算一算。")
    done = invoke("skills", "check", *which, "--skills", "own")
    assert done.exit_code == 1
    assert f"{file}: name: the name 'calculate' is taken by {ROOT / 'tools' / 'calculate.py'}" in done.stdout


def test_a_skill_in_python_with_the_name_of_another_is_a_problem(invoke: Invoke, project: Path) -> None:
    skill = write_tool(project / "own")
    markdown = write_skill(project / "own", "shout")
    done = invoke("skills", "check", "--skills", "own", "--json")
    told = {one["file"]: one["text"] for one in json.loads(done.stdout)["problems"]}
    assert done.exit_code == 1
    assert str(skill) in told[str(markdown)]
