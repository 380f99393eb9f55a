"""examples/create_agent_middleware prints the table of its README."""

import re
import subprocess
import sys
from pathlib import Path

from switchyard.app.places import ROOT
from tests.support.surroundings import own_environment

FOLDER = ROOT / "examples" / "create_agent_middleware"


def test_the_comparison_prints_the_table_of_its_page(tmp_path: Path) -> None:
    printed = re.findall(r"```text\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / "compare.py")],
        cwd=tmp_path,
        env=own_environment(tmp_path, PYTHONUTF8="1"),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.stdout, done.stderr) == (printed[0], "")
    rows = {row[:24].strip(): row[24:].split() for row in printed[0].splitlines()}
    assert rows["calls of unseen tools"] == ["0", "0"]
    assert rows["repeated failures"][1] == "0"
    assert rows["answered"][1] == "5"
