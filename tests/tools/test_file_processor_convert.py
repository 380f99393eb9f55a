"""Converting files, real ones: encodings, line endings, tables, Markdown."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchyard.tools.core import RetryTool, ToolContext
from switchyard.tools.file_processor.tool import ConvertParams, FileProcessor
from switchyard.tools.files.rows import read_rows, write_rows


def convert(workspace: Path, path: str, **arguments: Any) -> dict[str, Any]:
    return FileProcessor().convert(ConvertParams(path=path, **arguments), ToolContext(workspace=workspace)).result


def test_gbk_becomes_utf_8_in_place(workspace: Path):
    (workspace / "数据.txt").write_bytes("你好，世界\r\n".encode("gbk"))
    result = convert(workspace, "数据.txt", encoding="utf-8")
    assert (workspace / "数据.txt").read_bytes() == "你好，世界\r\n".encode()
    assert (result["path"], result["changed"], result["encoding"]) == ("数据.txt", True, "utf-8")


def test_converting_twice_changes_nothing_more(workspace: Path):
    (workspace / "a.txt").write_bytes("你好".encode("gbk"))
    assert convert(workspace, "a.txt", encoding="utf-8")["changed"]
    assert not convert(workspace, "a.txt", encoding="utf-8")["changed"]
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "你好"


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
def test_utf_8_becomes_another_encoding_and_comes_back(workspace: Path, encoding: str):
    (workspace / "a.txt").write_text("你好 hello\n", encoding="utf-8")
    convert(workspace, "a.txt", encoding=encoding, output="b.txt")
    assert (workspace / "b.txt").read_bytes() == "你好 hello\n".encode(encoding)
    convert(workspace, "b.txt", encoding="utf-8", output="c.txt")
    assert (workspace / "c.txt").read_bytes() == (workspace / "a.txt").read_bytes()


CSV = '城市,销量,编号,备注\n北京,10,007,"好, 的"\n上海,2.5,008,\n'
ROWS = [
    {"城市": "北京", "销量": 10.0, "编号": "007", "备注": "好, 的"},
    {"城市": "上海", "销量": 2.5, "编号": "008", "备注": ""},
]


def test_csv_becomes_json_beside_it(workspace: Path):
    (workspace / "销售.csv").write_bytes(CSV.encode("gbk"))
    result = convert(workspace, "销售.csv", format="json")
    assert (result["path"], result["source"], result["rows"]) == ("销售.json", "销售.csv", 2)
    assert json.loads((workspace / "销售.json").read_text(encoding="utf-8")) == ROWS


def test_json_becomes_csv(workspace: Path):
    rows: list[dict[str, Any]] = [{"a": 1, "名": "张三"}, {"a": None, "b": {"x": [1]}, "名": True}]
    (workspace / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    convert(workspace, "a.json", format="csv")
    assert (workspace / "a.csv").read_text(encoding="utf-8") == 'a,名,b\n1,张三,\n,true,"{""x"": [1]}"\n'


def test_csv_becomes_json_lines_for_another_program(workspace: Path):
    (workspace / "a.tsv").write_text("名\tn\n张三\t1\n", encoding="utf-8")
    convert(workspace, "a.tsv", format="jsonl", output="out/b.jsonl")
    assert (workspace / "out/b.jsonl").read_bytes() == '{"名": "张三", "n": 1}\n'.encode()


def test_tabs_become_commas(workspace: Path):
    (workspace / "a.tsv").write_text("名\tn\n张三\t1\n", encoding="utf-8")
    convert(workspace, "a.tsv", format="csv")
    assert (workspace / "a.csv").read_text(encoding="utf-8") == "名,n\n张三,1\n"


TEXTS = st.text(alphabet=st.characters(blacklist_categories=["Cs", "Cc"]), max_size=10)
TABLES = st.lists(st.fixed_dictionaries({"a": TEXTS, "城市": TEXTS, "n": st.integers(-1000, 1000)}), min_size=1)


@given(TABLES)
@settings(max_examples=60)
def test_rows_survive_json_and_json_lines(rows: list[dict[str, Any]]):
    for kind in ("json", "jsonl"):
        assert read_rows(write_rows(rows, kind), kind) == rows


@given(TABLES)
@settings(max_examples=60)
def test_rows_survive_csv_with_numbers_as_numbers(rows: list[dict[str, Any]]):
    back = read_rows(write_rows(rows, "csv"), "csv")
    assert len(back) == len(rows)
    for row, original in zip(back, rows, strict=True):
        assert row["n"] == original["n"]
        for column in ("a", "城市"):
            read = row[column]
            assert read == (original[column] if isinstance(read, str) else float(original[column] or "nan")) or (
                read is None and original[column] == ""
            )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "a,b\n1,2\n3\n", "Line 3 has 1 cell, the first line 2"),
        ("a.csv", 'a,b\n"1,2\n', "is not CSV"),
        ("a.csv", "名,名\n1,2\n", "Several columns are called '名'"),
        ("a.json", '[{"a": 1},\n oops]', "not JSON at line 2, column 2"),
        ("a.json", "[1, 2]", "Element 1 is no object"),
        ("a.json", '[{"a": NaN}]', "NaN"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.jsonl", '{"a": 1}\n\n{"a": \n', "not JSON at line 3"),
        ("a.jsonl", '{"a": 1}\n"文"\n', "Line 2 is no object"),
        ("a.txt", "文", "Only tables become"),
    ],
)
def test_what_is_no_table_is_told_with_its_place(workspace: Path, name: str, text: str, said: str):
    (workspace / name).write_text(text, encoding="utf-8")
    with pytest.raises(RetryTool, match=said):
        convert(workspace, name, format="csv" if name != "a.csv" else "json")


def test_a_table_without_rows(workspace: Path):
    (workspace / "a.csv").write_text("a,名\n", encoding="utf-8")
    assert convert(workspace, "a.csv", format="json")["rows"] == 0


def test_a_conversion_into_nothing_is_asked_about(workspace: Path):
    (workspace / "a.txt").write_text("文", encoding="utf-8")
    with pytest.raises(RetryTool, match="Into what"):
        convert(workspace, "a.txt")


def test_a_file_that_is_there_is_not_replaced_unasked(workspace: Path):
    (workspace / "a.csv").write_text("名\n张\n", encoding="utf-8")
    (workspace / "a.json").write_text("旧", encoding="utf-8")
    with pytest.raises(RetryTool, match="overwrite=true"):
        convert(workspace, "a.csv", format="json")
    assert (workspace / "a.json").read_text(encoding="utf-8") == "旧"
    assert convert(workspace, "a.csv", format="json", overwrite=True)["changed"]
