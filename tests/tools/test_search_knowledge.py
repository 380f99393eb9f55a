"""Full-text search over real files, in a real index."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from switchyard.tools.core import RetryTool, ToolContext, ToolFailed
from switchyard.tools.search_knowledge.index import (
    MAX_FILE_BYTES,
    MAX_PASSAGE,
    MAX_SNIPPET,
    MAX_TERMS,
    PER_FILE,
    asked_terms,
    passages_of,
    terms_of,
)
from switchyard.tools.search_knowledge.tool import SearchKnowledge, SearchKnowledgeParams
from tests.support.knowledge import places, search, write, write_notes


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def notes(workspace: Path) -> Path:
    return write_notes(workspace)


def test_a_passage_is_found_with_its_place(notes: Path):
    result = search(notes, "vacation request")
    assert {**result, "hits": []} == {
        "query": "vacation request",
        "path": ".",
        "hits": [],
        "count": 1,
        "indexed": 5,
        "complete": True,
        "skipped": {"count": 0, "files": []},
    }
    (hit,) = result["hits"]
    assert (hit["path"], hit["line"]) == ("policy.md", 3)
    assert hit["text"] == "Employees request vacations two weeks ahead.\nManagers approve the requests."
    assert hit["score"] > 0


def test_the_files_found_are_the_sources(notes: Path, cache: Path):
    params = SearchKnowledgeParams(query="请假")
    result = SearchKnowledge(cache).execute(params, ToolContext(workspace=notes))
    assert result.meta.sources == ["文档/制度.md"]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("水位", ("文档/水库.txt", 1)),
        ("水库当前水位是多少？", ("文档/水库.txt", 1)),
        ("下雨", ("文档/水库.txt", 2)),
        ("盘石头水库", ("文档/水库.txt", 1)),
        ("怎么请假", ("文档/制度.md", 3)),
        ("雨", ("文档/水库.txt", 2)),
        ("审", ("文档/制度.md", 4)),
        ("how do I configure timeouts?", ("docs/setup.txt", 2)),
        ("TIMEOUT", ("docs/setup.txt", 2)),
        ("settings.toml", ("docs/setup.txt", 2)),
        ("user name", ("src/app.py", 1)),
        ("getUserName", ("src/app.py", 1)),
        ("load_user_name", ("src/app.py", 2)),
        ("github", ("src/app.py", 2)),
        ("ｔｉｍｅｏｕｔ", ("docs/setup.txt", 2)),
    ],
)
def test_words_of_both_languages_are_found(notes: Path, query: str, place: tuple[str, int]):
    assert places(search(notes, query))[0] == place


@pytest.mark.parametrize("query", ["zebra", "where is the zebra?", "大象", "关于大象的"])
def test_what_nobody_wrote_is_not_found(notes: Path, query: str):
    assert search(notes, query)["hits"] == []


def test_the_passage_that_says_more_of_the_question_comes_first(workspace: Path):
    write(workspace, "a.md", "The server has a port.\n")
    write(workspace, "b.md", "The timeout of the server is set in the file.\n")
    write(workspace, "c.md", "Server, server, server.\n")
    assert places(search(workspace, "server timeout"))[0] == ("b.md", 1)


def test_a_file_is_found_by_its_name(workspace: Path):
    write(workspace, "请假制度.md", "见附件。\n")
    write(workspace, "other.md", "Nothing here.\n")
    assert places(search(workspace, "请假制度")) == [("请假制度.md", 1)]


def test_one_file_does_not_fill_the_results(workspace: Path):
    write(workspace, "long.md", ("水位 level\n" + "x" * 900 + "\n\n") * 20)
    write(
        workspace, "short.md", "Many other words stand here, and the 水位 too, somewhere among all the other words.\n"
    )
    result = search(workspace, "水位")
    assert [hit["path"] for hit in result["hits"]].count("long.md") == PER_FILE
    assert ("short.md", 1) in places(result)


def test_only_so_many_results(notes: Path):
    write(notes, "more.md", "水位\n")
    assert search(notes, "水位", max_results=1)["count"] == 1


def test_a_folder_of_the_workspace_is_searched_alone(notes: Path):
    result = search(notes, "水位 timeout", path="文档")
    assert (places(result), result["indexed"], result["path"]) == ([("文档/水库.txt", 1)], 2, "文档")


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
def test_other_encodings_are_read(workspace: Path, encoding: str):
    (workspace / "a.txt").write_bytes("第一行\n当前水位 level\n".encode(encoding))
    assert places(search(workspace, "水位")) == [("a.txt", 2)]


@pytest.mark.parametrize("name", [".hidden/a.md", "node_modules/a.md", ".git/a.md", ".env", "__pycache__/a.md"])
def test_hidden_and_foreign_folders_are_skipped(workspace: Path, name: str):
    write(workspace, name, "水位 secret\n")
    result = search(workspace, "水位 secret")
    assert (result["count"], result["indexed"]) == (0, 0)


def test_binary_and_large_files_are_skipped_and_named(workspace: Path):
    (workspace / "a.bin").write_bytes(b"level\x00\x01\x02")
    with (workspace / "big.txt").open("wb") as file:
        file.write("水位 level\n".encode())
        file.truncate(2_000_000_000)
    (workspace / "full.txt").write_bytes(b"level\n" * (MAX_FILE_BYTES // 6 + 1))
    write(workspace, "文档/a.md", "水位 level\n")
    result = search(workspace, "水位 level")
    assert places(result) == [("文档/a.md", 1)]
    assert result["skipped"] == {
        "count": 3,
        "files": [
            {"path": "big.txt", "reason": "too_large"},
            {"path": "full.txt", "reason": "too_large"},
            {"path": "a.bin", "reason": "binary"},
        ],
    }
    assert (result["indexed"], result["complete"]) == (1, False)
    assert search(workspace, "水位", path="文档")["complete"]


def test_what_has_no_text_leaves_a_search_complete(workspace: Path):
    (workspace / "图.png").write_bytes(b"\x89PNG\x00\x01")
    write(workspace, "a.md", "水位\n")
    for _ in ("first", "again, from the index"):
        result = search(workspace, "水位")
        assert (result["indexed"], result["complete"]) == (1, True)
        assert result["skipped"] == {"count": 1, "files": [{"path": "图.png", "reason": "binary"}]}


def test_links_are_not_followed(workspace: Path, tmp_path: Path):
    write(tmp_path, "outside/secret.md", "水位 level\n")
    (workspace / "folder").symlink_to(tmp_path / "outside")
    (workspace / "file.md").symlink_to(tmp_path / "outside/secret.md")
    assert search(workspace, "水位 level")["count"] == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes exist on POSIX systems only")
def test_a_pipe_is_skipped_instead_of_waited_for(notes: Path):
    os.mkfifo(notes / "pipe.md")
    assert search(notes, "水位")["count"] == 1


def test_a_name_that_is_no_utf_8_is_skipped(notes: Path):
    (notes / os.fsdecode(b"\xff.md")).write_bytes("水位\n".encode())
    result = search(notes, "水位")
    assert places(result) == [("文档/水库.txt", 1)]
    assert result["skipped"]["files"] == [{"path": "�.md", "reason": "unreadable"}]
    assert not result["complete"]


@pytest.mark.parametrize("query", ["🙂", "？！", "   .", "_"])
def test_a_question_without_words_is_told(notes: Path, query: str):
    with pytest.raises(RetryTool, match="no word to look for"):
        search(notes, query)


@pytest.mark.parametrize(
    "query", ['"', "a OR b", "NEAR(水 位)", "path:水位", "水位*", "-水位", "'; DROP TABLE files; --", "^a"]
)
def test_signs_of_the_query_language_are_only_text(notes: Path, query: str):
    if asked_terms(query):
        assert search(notes, query)["complete"]
    assert search(notes, "水位")["count"] == 1


def test_a_long_question_is_bounded():
    assert len(asked_terms("".join(chr(0x4E00 + number) for number in range(500)))) == MAX_TERMS
    with pytest.raises(ValidationError):
        SearchKnowledgeParams(query="字" * 1001)


@pytest.mark.parametrize("path", ["..", "/etc", "链接"])
def test_a_folder_out_of_the_workspace_is_refused(notes: Path, tmp_path: Path, path: str):
    (notes / "链接").symlink_to(tmp_path)
    with pytest.raises(ToolFailed, match="outside the workspace") as caught:
        search(notes, "水位", path=path)
    assert caught.value.kind == "permission"


def test_a_file_is_no_folder(notes: Path):
    with pytest.raises(RetryTool, match="is a file"):
        search(notes, "水位", path="policy.md")


def test_a_missing_folder_names_the_nearest(notes: Path):
    (notes / "会议记录").mkdir()
    with pytest.raises(ToolFailed, match="会议记录"):
        search(notes, "水位", path="会议纪录")


def test_an_empty_folder_has_nothing(workspace: Path):
    result = search(workspace, "水位")
    assert (result["count"], result["indexed"], result["complete"]) == (0, 0, True)


def test_a_very_long_line_is_shown_around_the_word(workspace: Path):
    write(workspace, "a.txt", "x " * 3000 + "当前水位很高" + " y" * 3000)
    (hit,) = search(workspace, "水位")["hits"]
    assert "水位" in hit["text"]
    assert (len(hit["text"]) <= MAX_SNIPPET, hit["line"]) == (True, 1)


@given(st.text(max_size=3000))
def test_passages_hold_every_word_and_stay_short(text: str):
    found = list(passages_of(text))
    assert all(len(passage) <= MAX_PASSAGE for _, passage in found)
    assert "".join("".join(passage.split()) for _, passage in found) == "".join(text.split())


@given(st.text(alphabet=st.characters(whitelist_categories=["Lo", "Lu", "Ll", "Nd"]), min_size=1, max_size=30))
def test_a_text_has_every_term_of_a_question_that_is_part_of_it(text: str):
    assert {term for term in asked_terms(text) if len(term) > 1} <= set(terms_of(text))
