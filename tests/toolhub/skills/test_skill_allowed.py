"""Names of tools in `allowed-tools`, ours and those of other programs."""

from pathlib import Path

import pytest

from switchyard.toolhub.sources.skills.format import RUN_SCRIPT, allows
from switchyard.toolhub.sources.skills.source import check_skill, discover_skills
from tests.toolhub.skills.desk import write_skill

HERE = {"read_file", "list_dir", "grep_search", "write_to_file", "time/now", "查水位"}


@pytest.mark.parametrize(
    ("written", "tool"),
    [
        ("read_file", "read_file"),
        ("Read", "read_file"),
        ("ReadFile", "read_file"),
        ("read-file", "read_file"),
        ("Write", "write_to_file"),
        ("Edit", "write_to_file"),
        ("MultiEdit", "write_to_file"),
        ("Grep", "grep_search"),
        ("Glob", "list_dir"),
        ("WebSearch", "search_web"),
        ("WebFetch", "web_scraper"),
        ("mcp__time__now", "time/now"),
        ("mcp__time__*", "time/now"),
        ("time/now", "time/now"),
        ("查水位", "查水位"),
        ("other-skill", "other-skill"),
        ("*", "read_file"),
        ("Bash", RUN_SCRIPT),
        ("Bash(python:*)", RUN_SCRIPT),
        ("Bash(python3 scripts/fill.py *)", RUN_SCRIPT),
        ("Bash(./scripts/fill.py)", RUN_SCRIPT),
        ("run_script", RUN_SCRIPT),
    ],
)
def test_a_name_allows_the_tool_it_means(written: str, tool: str):
    assert allows((written,), tool)


@pytest.mark.parametrize(
    ("written", "tool"),
    [
        ("Read", "write_to_file"),
        ("Read(docs/**)", "read_file"),
        ("Bash(git:*)", RUN_SCRIPT),
        ("Bash(rm -rf scripts/)", RUN_SCRIPT),
        ("python_executor", RUN_SCRIPT),
        ("mcp__time__now", "now"),
        ("mcp__time__*", "timer/now"),
        ("read", "read"),
    ],
)
def test_a_name_allows_nothing_beyond(written: str, tool: str):
    assert allows((written,), tool) is (tool == written)


def test_a_skill_that_names_no_tools_may_call_any_and_run_no_script():
    assert allows(None, "read_file")
    assert not allows(None, RUN_SCRIPT)


def test_an_empty_list_allows_nothing():
    assert not allows((), "read_file")


def test_names_without_a_tool_are_reported_with_their_line(tmp_path: Path):
    allowed = "Read Task Bash(git:*) Bash mcp__time__now mcp__x__* 查水位 查雨量"
    front = f"name: mine\ndescription: 描述\nallowed-tools: {allowed}"
    problems = check_skill(write_skill(tmp_path, "mine", front=front), HERE)
    assert [(problem.line, problem.field, problem.fatal) for problem in problems] == [(4, "allowed-tools", False)] * 3
    assert [next(name for name in ("Task", "Bash(git:*)", "查雨量") if name in p.error) for p in problems] == [
        "Task",
        "Bash(git:*)",
        "查雨量",
    ]


def test_a_skill_that_names_itself_is_told(tmp_path: Path):
    front = "name: mine\ndescription: x\nallowed-tools: Read mine"
    (problem,) = check_skill(write_skill(tmp_path, "mine", front=front), HERE)
    assert "a skill does not call itself" in problem.error


@pytest.mark.parametrize(("allowed", "asks"), [("Bash Read", True), ("Read", False), ("Bash(git:*)", False)])
def test_a_person_is_asked_before_a_skill_that_runs_scripts(tmp_path: Path, allowed: str, *, asks: bool):
    front = f"name: mine\ndescription: x\nallowed-tools: {allowed}"
    write_skill(tmp_path, "mine", front=front, scripts__a_dot_py="print(1)")
    (tool,) = discover_skills(tmp_path).tools
    assert (tool.spec.asks_first, tool.spec.writes) == (asks, asks)


def test_nobody_is_asked_where_there_is_no_script(tmp_path: Path):
    write_skill(tmp_path, "mine", front="name: mine\ndescription: x\nallowed-tools: Bash")
    (tool,) = discover_skills(tmp_path).tools
    assert not tool.spec.asks_first
