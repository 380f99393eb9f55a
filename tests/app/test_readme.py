"""The README's code runs, and its commands exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.conftest import Invoke
from tests.support.surroundings import own_environment

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL = README.partition("## Without a model")[2].partition("```console\n")[2].partition("```")[0].split("\n$ ")
ASKED = re.compile(r'(?:\$ )?switchyard run "(.+)"\n')
LEFT_OUT = re.compile(r"$|Sources: |来源：|(?:answered|waiting): \d|已回答：")
FILES = {
    "orders.csv": SHELL[0].partition("\n")[2].strip() + "\n",
    "server.log": "2026-04-01 10:00:00 INFO up\n2026-04-01 10:00:05 ERROR disk\n2026-04-01 10:02:05 ERROR timeout\n",
    "config.json": '{"service": {"name": "shop"}, "database": {"host": "db.local", "port": 5432}}',
    "notes.md": "# Office\n\nThe spare key is in room 214.\n"
    "Call Mara about the alarm before Friday, and order 40 chairs for the hall.\n",
}


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


@pytest.mark.parametrize("shown", SHELL[1:])
def test_what_it_says_without_a_model_is_what_is_shown(invoke: Invoke, project: Path, shown: str) -> None:
    for name, text in FILES.items():
        (project / name).write_text(text, encoding="utf-8")
    asked = ASKED.match(shown)
    assert asked is not None
    done = invoke("run", asked[1], "--model", "none")
    said = [line for line in (done.stdout + done.stderr).splitlines() if not LEFT_OUT.match(line)]
    said = [re.sub(r"\b[0-9a-f]{12}( --model none)?", "THREAD", line) for line in said]
    assert said == re.sub(r"\b[0-9a-f]{12}\b", "THREAD", shown).strip().splitlines()[1:]


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
