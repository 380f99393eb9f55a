"""At a terminal: a real pseudo-terminal, the live view, approvals and Ctrl-C at a prompt."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.counting_tools import calls, write_counting_tools
from tests.support.surroundings import own_environment

PATIENCE = 40.0


@dataclass
class Terminal:
    """A process on a pseudo-terminal, read until it says what is waited for."""

    process: subprocess.Popen[bytes]
    master: int
    seen: str = ""
    read_to: int = field(default=0)

    def until(self, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while text not in self.seen[self.read_to :]:
            ready, _, _ = select.select([self.master], [], [], max(end - time.monotonic(), 0))
            assert ready, f"{text!r} never came:\n{self.seen}"
            try:
                raw = os.read(self.master, 4096).decode(errors="replace")
            except OSError:  # the process has gone
                break
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", raw)
        assert text in self.seen[self.read_to :], self.seen
        self.read_to = self.seen.index(text, self.read_to) + len(text)

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def leave(self) -> int:
        while True:
            try:
                raw = os.read(self.master, 4096)
            except OSError:
                break
            if not raw:
                break
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", raw.decode(errors="replace"))
        return self.process.wait(timeout=PATIENCE)


@pytest.fixture
def terminal(tmp_path: Path, workspace: Path) -> Generator[Terminal]:
    """`run` with a tool that writes, at a terminal."""
    folder = str(write_counting_tools(tmp_path / "own"))
    environment = own_environment(tmp_path, TERM="xterm", COLUMNS="120")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "app", "run", "盖章“信件”", "--tools", folder]
    with subprocess.Popen(command, cwd=workspace, env=environment, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        try:
            yield Terminal(process, master)
        finally:
            process.kill()
            os.close(master)


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
    terminal.until("arguments as JSON")
    terminal.type("{bad\r")
    terminal.until("nothing was done")
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
