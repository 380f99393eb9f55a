"""At a terminal: a real pseudo-terminal, the live view, approvals and Ctrl-C at a prompt."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.support.counting_tools import calls, write_counting_tools
from tests.support.surroundings import own_environment
from tests.support.terminal import Terminal, at_terminal


@pytest.fixture
def terminal(tmp_path: Path, workspace: Path) -> Generator[Terminal]:
    """`run` with a tool that writes, at a terminal."""
    folder = str(write_counting_tools(tmp_path / "own"))
    environment = own_environment(tmp_path, TERM="xterm", COLUMNS="120")
    command = [sys.executable, "-m", "switchyard", "run", "盖章“信件”", "--tools", folder]
    with at_terminal(command, workspace, environment) as terminal:
        yield terminal


def test_an_approved_call_is_made(terminal: Terminal, workspace: Path) -> None:
    terminal.until("[a/e/r]")
    terminal.type("a\r")
    assert terminal.leave() == 0
    assert [line.split()[-1] for line in calls(workspace)] == ["信件", "信件"]


def test_an_edit_that_cannot_be_read_runs_nothing_and_is_asked_for_again(terminal: Terminal, workspace: Path) -> None:
    terminal.until("[a/e/r]")
    terminal.type("maybe\r")
    terminal.until("[a/e/r]")
    terminal.type("e\r")
    terminal.until("新的参数")
    terminal.type("{bad\r")
    terminal.until("没有执行任何操作")
    terminal.until("[a/e/r]")
    terminal.type("r\r")
    assert terminal.leave() == 1
    assert calls(workspace) == []


def test_ctrl_c_at_the_prompt_ends_it_and_says_how_to_go_on(terminal: Terminal, workspace: Path) -> None:
    terminal.until("[a/e/r]")
    terminal.type("\x03")
    assert terminal.leave() == 130
    assert "switchyard resume" in terminal.seen
    assert "--tools" in terminal.seen
    assert calls(workspace) == []
