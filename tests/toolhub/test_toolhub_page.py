"""docs/TOOLHUB.md is a walk through the library: its blocks run in order and print what it says."""

import ast
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from switchyard.app.places import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# (\w+)\.py\n")


async def test_the_walk_through_the_library_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    names: dict[str, Any] = {}
    blocks = BLOCK.findall((ROOT / "docs" / "TOOLHUB.md").read_text(encoding="utf-8"))
    assert blocks
    for code, printed in blocks:
        if file := FILE.match(code):
            (tmp_path / f"{file[1]}.py").write_text(code, encoding="utf-8")
            monkeypatch.delitem(sys.modules, file[1], raising=False)
            continue
        done = eval(compile(code, "TOOLHUB.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)  # noqa: S307  ours
        with capture_logs():
            await done if inspect.isawaitable(done) else None
        out = capsys.readouterr().out
        if printed:
            assert out == printed, code
