"""Our own tools are known from an earlier start, and imported when they are first used."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from switchyard.app.places import ROOT
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.sources.native import Discovery, discover
from switchyard.toolhub.sources.shipped import discover_shipped

TOOL = '''from switchyard import BaseToolParams, tool


class P(BaseToolParams):
    label: str


@tool()
class CountWords:
    """Count words. 数词。"""

    def execute(self, params: P) -> int:
        return len(params.label.split())
'''
LONG_AGO = 1_000_000_000


class Start:
    """A package of tools that is found again and again, each time as by a new process."""

    package = "shipped_for_the_test"

    def __init__(self, folder: Path) -> None:
        self.folder = folder / self.package
        self.cache = folder / "cache"
        (folder / "language").mkdir()
        self.write("__init__", "")
        self.write("counting", TOOL)

    def write(self, name: str, text: str, *, at: int = LONG_AGO) -> None:
        self.folder.mkdir(exist_ok=True)
        file = self.folder / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        os.utime(file, (at, at))

    def again(self, *, new_process: bool = True) -> Discovery:
        if new_process:
            self.forget()
        return discover_shipped(self.folder, self.package, self.cache)

    def forget(self) -> None:
        for name in [name for name in sys.modules if name.startswith(self.package)]:
            del sys.modules[name]

    @property
    def imported(self) -> bool:
        return f"{self.package}.counting" in sys.modules

    @property
    def kept(self) -> list[Path]:
        return list(self.cache.glob("*")) if self.cache.is_dir() else []


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # which would go by the second
    return Start(tmp_path)


def names(found: Discovery) -> list[str]:
    return [tool.spec.tool_id for tool in found.tools]


def test_the_second_start_knows_the_same_and_imports_nothing(start: Start) -> None:
    first = start.again()
    second = start.again()
    assert [(one.spec, one.file) for one in second.tools] == [(one.spec, one.file) for one in first.tools]
    assert not start.imported


async def test_a_known_tool_is_imported_when_it_is_called(start: Start) -> None:
    start.again()
    (tool,) = start.again().tools
    result = await tool.run(ToolRequest("count_words", None, {"label": "a b 丙"}))
    assert result.result == 3
    assert start.imported


async def test_a_known_tool_is_asked_what_an_imported_one_is_asked(start: Start) -> None:
    start.again()
    (tool,) = start.again().tools
    assert not tool.conditional
    assert await tool.preview(ToolRequest("count_words", None, {"label": "a"})) == []


def test_a_changed_file_is_seen(start: Start) -> None:
    start.again()
    start.write("counting", TOOL.replace("CountWords", "CountSigns"), at=LONG_AGO + 1)
    assert names(start.again()) == ["count_signs"]
    assert names(start.again()) == ["count_signs"]


def test_a_new_file_is_seen(start: Start) -> None:
    start.again()
    start.write("signs", TOOL.replace("CountWords", "CountSigns"))
    assert names(start.again()) == ["count_words", "count_signs"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"stamp": "x", "tools": []}', '{"stamp": 1}', "\x00\udcff"])
def test_what_is_damaged_or_old_counts_for_nothing(start: Start, content: str) -> None:
    start.again()
    (kept,) = start.kept
    kept.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert names(start.again()) == ["count_words"]
    assert start.imported
    start.again()
    assert not start.imported


def test_where_nothing_can_be_written_the_tools_are_found_as_ever(start: Start) -> None:
    start.cache.write_text("a file where the folder would be")
    assert names(start.again()) == ["count_words"]
    assert names(start.again()) == ["count_words"]


def test_a_broken_file_is_named_at_every_start(start: Start) -> None:
    start.write("wrong", "raise RuntimeError('坏了')\n")
    for _ in range(2):
        found = start.again()
        assert names(found) == ["count_words"]
        assert [broken.path.name for broken in found.broken] == ["wrong.py"]
    assert not start.kept


def test_what_was_imported_before_it_changed_is_not_kept(start: Start) -> None:
    discover(start.folder, start.package)
    start.write("counting", TOOL.replace("CountWords", "CountSigns"), at=LONG_AGO + 1)
    assert names(start.again(new_process=False)) == ["count_words"]
    assert not start.kept
    assert names(start.again()) == ["count_signs"]


def test_what_is_younger_than_the_process_is_not_kept(start: Start) -> None:
    start.write("_beside", "", at=LONG_AGO * 4)
    start.again()
    assert not start.kept


def test_our_own_tools_are_opened_without_importing_one(tmp_path: Path) -> None:
    program = """
import asyncio, sys
from pathlib import Path
from switchyard.toolhub.hub import ToolHub

async def opened():
    async with ToolHub(cache_dir=Path(sys.argv[1])) as hub:
        print(len(hub.registry), "switchyard.tools.calculate" in sys.modules)
        await hub.supply.refresh()  # as every run does when it begins
        print("switchyard.tools.calculate" in sys.modules)

asyncio.run(opened())
"""
    started = [sys.executable, "-c", program, str(tmp_path)]
    told = [subprocess.run(started, cwd=ROOT, capture_output=True, check=True, text=True).stdout for _ in range(2)]
    (first, *imported), (second, *imported_again) = (one.split() for one in told)
    assert (imported, imported_again) == (["True", "True"], ["False", "True"])
    assert first == second


async def test_a_known_tool_is_never_imported_by_the_event_loop(start: Start) -> None:
    start.write("counting", "import threading\n\nIN = threading.current_thread()\n" + TOOL)
    start.again()
    (tool,) = start.again().tools
    assert (await tool.run(ToolRequest("count_words", None, {"label": "a b"}))).result == 2
    assert sys.modules[f"{start.package}.counting"].IN is not threading.main_thread()
