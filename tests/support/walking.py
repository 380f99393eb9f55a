"""Runs a page of the documentation: its Python blocks in order, each compared with the text block after it."""

import ast
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from switchyard.app.places import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# (\w+)\.py\n")


async def walk(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the page in a folder; a block that begins with the name of a file is written there instead."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    names: dict[str, Any] = {}
    blocks = BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert blocks
    for code, printed in blocks:
        if file := FILE.match(code):
            (folder / f"{file[1]}.py").write_text(code, encoding="utf-8")
            monkeypatch.delitem(sys.modules, file[1], raising=False)
            continue
        done = eval(compile(code, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)  # noqa: S307  ours
        await done if inspect.isawaitable(done) else None
        out = capsys.readouterr().out
        if printed:
            assert out == printed, code
