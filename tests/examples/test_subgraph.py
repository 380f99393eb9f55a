"""examples/subgraph prints what its README says."""

import re
import subprocess
import sys
from pathlib import Path

from switchyard.app.places import ROOT
from tests.support.surroundings import own_environment

FOLDER = ROOT / "examples" / "subgraph"


def test_the_desk_prints_what_its_page_says(tmp_path: Path) -> None:
    printed = re.findall(r"```text\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / "desk.py")],
        cwd=tmp_path,
        env=own_environment(tmp_path, PYTHONUTF8="1"),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.stdout, done.stderr) == (printed[0], "")
    assert (tmp_path / "待办.txt").read_text(encoding="utf-8") == "买牛奶"
