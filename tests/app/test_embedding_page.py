"""docs/EMBEDDING.md: its blocks run in order and print what it says, and its versions are those tested."""

import re
from pathlib import Path

import pytest

from switchyard.app.places import ROOT
from tests.support.walking import walk


async def test_the_page_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    await walk("EMBEDDING.md", tmp_path, monkeypatch, capsys)


def test_the_versions_it_names_are_the_ones_the_tests_run_with() -> None:
    text = (ROOT / "docs" / "EMBEDDING.md").read_text(encoding="utf-8")
    pinned = dict(
        re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    said = f"LangGraph {pinned['langgraph']}, langgraph-checkpoint {pinned['langgraph-checkpoint']}"
    assert f"{said}, LangChain core {pinned['langchain-core']}." in text
