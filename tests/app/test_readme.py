"""The README's code runs, and its commands exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.surroundings import own_environment

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def _run(*command: str, cwd: Path, tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    environment = own_environment(tmp_path)
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize(("number", "expected"), [(0, "answered 15% of 2480 = 372."), (1, "1024")])
def test_embedding_works_as_shown(tmp_path: Path, number: int, expected: str) -> None:
    done = _run("-c", PYTHON[number], cwd=ROOT, tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout


@pytest.mark.parametrize(
    ("question", "expected"), [('reverse "stressed"', "Reversed: desserts"), ("把“上海”倒序", "倒过来是：海上")]
)
def test_a_tool_is_one_file(tmp_path: Path, question: str, expected: str) -> None:
    folder = tmp_path / "my_tools"
    folder.mkdir()
    (folder / "reverse_text.py").write_text(PYTHON[2], encoding="utf-8")
    done = _run("-m", "switchyard", "run", question, "--tools", str(folder), cwd=ROOT, tmp_path=tmp_path)
    assert expected in done.stdout, done.stdout + done.stderr


def test_every_command_of_the_table_exists(tmp_path: Path) -> None:
    rows = re.findall(r"^\| `([a-z]+)(?![a-z/])", README, re.MULTILINE)  # a room has a slash
    shown = _run("-m", "switchyard", "--help", cwd=ROOT, tmp_path=tmp_path).stdout
    assert len(rows) >= 7
    assert all(f" {name} " in shown for name in rows), shown
