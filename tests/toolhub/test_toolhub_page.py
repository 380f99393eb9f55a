"""docs/TOOLHUB.md is a walk through the library: its blocks run in order and print what it says."""

from pathlib import Path

import pytest

from tests.support.walking import walk


async def test_the_walk_through_the_library_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    await walk("TOOLHUB.md", tmp_path, monkeypatch, capsys)
