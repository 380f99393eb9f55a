"""The shell in this process, in a project folder of the test's own: quick where a process of its own proves no more."""

import logging
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from switchyard.app.cli import cli

Invoke = Callable[..., Result]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder the shell is started in."""
    folder = tmp_path / "项目 project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def invoke(project: Path) -> Generator[Invoke]:
    """Runs a command of the shell; its two outputs are kept apart, and nobody is at the terminal."""

    def run(*arguments: str, typed: str = "") -> Result:
        done = CliRunner().invoke(cli, list(arguments), input=typed)
        assert "Traceback" not in done.output
        return done

    yield run
    ours = logging.getLogger("switchyard")
    ours.handlers.clear()
    ours.setLevel(logging.NOTSET)
