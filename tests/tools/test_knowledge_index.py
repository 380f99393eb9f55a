"""The index of a folder: it follows the files, survives damage and kills, and serves many at once."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from switchyard.tools.core import ToolFailed
from switchyard.tools.search_knowledge.index import KnowledgeIndex
from tests.support.knowledge import places, search, write, write_notes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def notes(workspace: Path) -> Path:
    return write_notes(workspace)


def test_a_changed_file_is_noticed(notes: Path):
    search(notes, "水位")
    write(notes, "文档/水库.txt", "今天没有下雨。\n水流很急。\n")
    assert search(notes, "水位")["count"] == 0
    assert places(search(notes, "水流")) == [("文档/水库.txt", 2)]


def test_a_file_that_did_not_change_is_not_read_again(notes: Path):
    search(notes, "timeout")
    (cached,) = (notes.parent / "cache").glob("*.sqlite")
    with closing(sqlite3.connect(cached)) as database:
        before = database.execute("SELECT path, id FROM files ORDER BY id").fetchall()
        search(notes, "timeout")
        assert database.execute("SELECT path, id FROM files ORDER BY id").fetchall() == before


def test_a_touched_file_keeps_its_passages(notes: Path):
    search(notes, "水位")
    (notes / "文档/水库.txt").touch()
    assert places(search(notes, "水位")) == [("文档/水库.txt", 1)]


def test_a_removed_file_leaves(notes: Path):
    search(notes, "水位")
    (notes / "文档/水库.txt").unlink()
    result = search(notes, "水位")
    assert (result["count"], result["indexed"]) == (0, 4)


def test_a_new_file_comes_in(notes: Path):
    search(notes, "水位")
    write(notes, "new.md", "新的水位记录\n")
    assert ("new.md", 1) in places(search(notes, "水位"))


def test_many_changes_leave_an_index_like_a_new_one(workspace: Path, tmp_path: Path):
    for turn in range(8):
        for number in range(6):
            if (number + turn) % 3:
                write(workspace, f"{number}.md", f"第{turn}次 round {turn} 文件{number}\n" * (turn + 1))
            else:
                (workspace / f"{number}.md").unlink(missing_ok=True)
        search(workspace, "round")
    fresh, _, _ = KnowledgeIndex(workspace, tmp_path / "fresh.sqlite").search("第7次 round", 20, 60)
    kept = search(workspace, "第7次 round", max_results=20)["hits"]
    assert [(hit["path"], hit["score"]) for hit in kept] == [(hit.path, hit.score) for hit in fresh]


def test_nothing_is_put_into_the_workspace(notes: Path):
    before = sorted(notes.rglob("*"))
    search(notes, "水位")
    assert sorted(notes.rglob("*")) == before


def test_without_time_it_says_so_and_goes_on_when_asked_again(notes: Path):
    first = search(notes, "水位", seconds=-1.0)
    assert (first["complete"], first["indexed"], first["skipped"]["count"]) == (False, 0, 5)
    assert {file["reason"] for file in first["skipped"]["files"]} == {"no_time"}
    second = search(notes, "水位")
    assert (second["complete"], second["indexed"]) == (True, 5)


DAMAGES = {
    "garbage": b"no database at all" * 1000,
    "empty": b"",
    "cut": None,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_made_anew(notes: Path, cache: Path, damage: str):
    for number in range(50):
        write(notes, f"{number}.md", f"文件{number} 水位\n" * 50)
    search(notes, "水位")
    (database,) = cache.glob("*.sqlite")
    data = DAMAGES[damage]
    whole = database.read_bytes()
    database.write_bytes(whole[:4096] + os.urandom(len(whole) // 2) if data is None else data)
    assert places(search(notes, "盘石头")) == [("文档/水库.txt", 1)]
    assert search(notes, "水位", max_results=100)["complete"]


def test_an_index_that_cannot_be_made_is_told(notes: Path, cache: Path):
    cache.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(ToolFailed, match="cannot be written"):
        search(notes, "水位")


def test_many_search_at_once(notes: Path):
    for number in range(60):
        write(notes, f"{number}.md", f"文件{number} 的水位 level {number}\n")
    results: list[int] = []

    def one() -> None:
        results.append(search(notes, "水位", max_results=100)["count"])

    threads = [threading.Thread(target=one) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [61] * 10


BEGIN = """
import os, signal, sys, threading
from pathlib import Path
from switchyard.tools.core import ToolContext
from switchyard.tools.search_knowledge.tool import SearchKnowledge, SearchKnowledgeParams
workspace, cache = Path(sys.argv[1]), Path(sys.argv[2])
"""
KILLED = """
def kill():
    while not list(cache.glob("*.sqlite-wal")):
        pass
    os.kill(os.getpid(), signal.SIGKILL)
threading.Thread(target=kill, daemon=True).start()
"""
"""While the index is written, and from within: nobody outside is quick enough on every machine."""
SEARCH = """
params = SearchKnowledgeParams(query="水位", max_results=100)
print(SearchKnowledge(cache).execute(params, ToolContext(workspace=workspace)).result["count"], flush=True)
"""


def started(program: str, workspace: Path, cache: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-X", "utf8", "-c", program, str(workspace), str(cache)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_several_processes_search_at_once(notes: Path, cache: Path):
    for number in range(60):
        write(notes, f"{number}.md", f"文件{number} 的水位\n" * 20)
    processes = [started(BEGIN + SEARCH, notes, cache) for _ in range(3)]
    assert [process.communicate()[0].strip() for process in processes] == ["61"] * 3


def test_a_killed_search_leaves_a_good_index(notes: Path, cache: Path):
    for number in range(400):
        write(notes, f"{number}.md", f"文件{number} 的水位\n" * 50)
    with started(BEGIN + KILLED + SEARCH, notes, cache) as process:
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    result = search(notes, "水位", max_results=100)
    assert (result["complete"], result["indexed"], result["count"]) == (True, 405, 100)
    database = sqlite3.connect(next(cache.glob("*.sqlite")))
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.execute("INSERT INTO passages (passages) VALUES ('integrity-check')")
    database.close()
