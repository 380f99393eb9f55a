"""Arguments read out of a sentence by the tool's own schema."""

from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchyard.agents.by_rules.extraction import fill
from switchyard.agents.by_rules.lists import distributed, of_each
from switchyard.agents.by_rules.names import strays
from switchyard.app.places import ROOT
from switchyard.language.mentions import find_mentions
from switchyard.language.words import left_over
from switchyard.toolhub.sources.native import discover


@cache
def schema(tool: str) -> dict[str, Any]:
    found = next(found for found in discover(ROOT / "tools", "switchyard.tools").tools if found.spec.name == tool)
    return found.spec.capabilities[0].parameters


@pytest.mark.parametrize(
    ("tool", "text", "arguments"),
    [
        ("calculate", "What is 15% of 2480", {"expression": "15% of 2480"}),
        ("calculate", "2480的15%是多少", {"expression": "2480的15%"}),
        ("get_time", "What time is it in New York", {"timezone": "New York"}),
        ("get_time", "纽约现在几点", {"timezone": "纽约"}),
        ("get_time", "what time is it", {}),
        ("get_time", "现在几点", {}),
        ("get_conversation_history", "What did I ask before", {}),
        ("get_conversation_history", "我刚才问了什么", {}),
        ("read_file", "Read README.md", {"path": "README.md"}),
        ("read_file", "How many lines are in src/app.v2.py", {"path": "src/app.v2.py"}),
        ("read_file", "Read the file 'my notes.txt'", {"path": "my notes.txt"}),
        ("read_file", "Open the LICENSE", {"path": "LICENSE"}),
        ("read_file", "读取 docs/计划.txt", {"path": "docs/计划.txt"}),
        ("read_file", "读取计划.txt", {"path": "计划.txt"}),
        ("read_file", "notes.txt 有多少行", {"path": "notes.txt"}),
        ("read_file", "打开“会议 记录.md”", {"path": "会议 记录.md"}),
        ("list_dir", "List the files in docs", {"path": "docs"}),
        ("list_dir", "List the docs folder", {"path": "docs"}),
        ("list_dir", "What is in this folder", {}),
        ("list_dir", "show all *.md files", {"pattern": "*.md"}),
        ("list_dir", "Which Python files are in src", {"path": "src", "pattern": "*.py"}),
        ("list_dir", "列出 docs 文件夹里的文件", {"path": "docs"}),
        ("list_dir", "src 里有哪些 Python 文件", {"path": "src", "pattern": "*.py"}),
        ("list_dir", "这个目录下有哪些文件", {}),
        ("grep_search", "Search for TODO in the project", {"pattern": "TODO"}),
        ("grep_search", "Search the project for TODO", {"pattern": "TODO"}),
        ("grep_search", "Which files mention 'time out'", {"pattern": "time out"}),
        ("grep_search", "Find 'def main' in *.py files", {"pattern": "def main", "glob": "*.py"}),
        ("grep_search", "Search for 'app.py' in src", {"pattern": "app.py", "path": "src"}),
        ("grep_search", "Search for 'app.py'", {"pattern": "app.py"}),
        ("grep_search", "grep error in logs/app.log", {"pattern": "error", "path": "logs/app.log"}),
        ("grep_search", "在 logs 里搜索 error", {"pattern": "error", "path": "logs"}),
        ("grep_search", "哪些文件里提到了超时", {"pattern": "超时"}),
        ("grep_search", "查找包含 def main 的 Python 文件", {"pattern": "def main", "glob": "*.py"}),
        ("grep_search", "搜索“水位”", {"pattern": "水位"}),
    ],
)
def test_the_six_tools_get_their_arguments_from_a_sentence(tool: str, text: str, arguments: dict[str, Any]) -> None:
    assert fill(schema(tool), text).arguments == arguments


@pytest.mark.parametrize(
    ("tool", "text", "missing"),
    [
        ("calculate", "calculate something", ["expression"]),
        ("calculate", "算一下", ["expression"]),
        ("read_file", "read the file", ["path"]),
        ("read_file", "读取文件", ["path"]),
    ],
)
def test_what_is_required_and_not_said_is_missing(tool: str, text: str, missing: list[str]) -> None:
    assert fill(schema(tool), text).missing == missing


ZONED: dict[str, Any] = {
    "properties": {"timezone": {"type": "string", "description": "IANA timezone name (e.g., 'Europe/London')"}},
    "required": ["timezone"],
}


@pytest.mark.parametrize("text", ["What time is it in America/Nowhere", "America/Nowhere 现在几点"])
def test_a_zone_that_no_table_has_is_not_cut_at_its_slash(text: str) -> None:
    assert fill(ZONED, text).missing == ["timezone"]


def test_a_change_of_an_earlier_number_becomes_a_reference() -> None:
    filled = fill(schema("calculate"), "加上14%", earlier="{{s1.value}}")
    assert filled.arguments == {"expression": "{{s1.value}} + 14%"}


FOREIGN: dict[str, Any] = {
    "properties": {
        "label": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "mode": {"enum": ["fast", "慢"]},
        "limit": {"type": "integer", "default": 10},
        "explanation": {"type": "string"},
    },
    "required": ["label", "count"],
}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('count "apples" 3 times, fast', {"label": "apples", "count": 3, "mode": "fast"}),
        ("慢慢数“苹果”2.5次", {"label": "苹果", "ratio": 2.5, "mode": "慢"}),
        ("nothing here", {}),
    ],
)
def test_a_tool_nobody_knows_is_filled_by_the_types_of_its_schema(text: str, arguments: dict[str, Any]) -> None:
    assert fill(FOREIGN, text).arguments == arguments


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('say "a b"', "a b"),
        ("say 'a'", "a"),
        ("说“甲”", "甲"),
        ("说「甲」", "甲"),
        ("`x`", "x"),
        ("don't", None),
        ("无", None),
    ],
)
def test_the_first_quoted_piece_is_found(text: str, inside: str | None) -> None:
    found = [mention.value for mention in find_mentions(text, date(2026, 11, 16)) if mention.kind == "quoted"]
    assert found == ([] if inside is None else [inside])


@settings(deadline=None)
@given(st.text(max_size=120), st.sampled_from(["calculate", "get_time", "read_file", "list_dir", "grep_search"]))
def test_any_text_is_read_without_an_error(text: str, tool: str) -> None:
    filled = fill(schema(tool), text)
    assert set(filled.missing).isdisjoint(filled.arguments)


@pytest.mark.parametrize("piece", [" ", "1", "a", "-", "水", "1.1", "../", "1 和 ", "in the folder ", "(", "'a"])
@pytest.mark.parametrize("tool", ["calculate", "read_file", "grep_search"])
def test_a_text_of_twenty_thousand_characters_is_read(piece: str, tool: str) -> None:
    filled = fill(schema(tool), piece * (20_000 // len(piece)))
    assert set(filled.missing).isdisjoint(filled.arguments)


HOURS = {
    "past": {
        "properties": {"hours": {"type": "integer", "description": "最近多少小时, the past hours", "maximum": 240}}
    },
    "to come": {"properties": {"hours": {"type": "integer", "description": "未来多少小时, the next hours"}}},
}


@pytest.mark.parametrize(
    ("text", "way", "hours", "left"),
    [
        ("rain of the last 24 hours", "past", 24, []),
        ("过去两天的雨量", "past", 48, []),
        ("rain in the next 24 hours", "to come", 24, []),
        ("未来两天的雨量", "to come", 48, []),
        ("rain in the next 24 hours", "past", 24, ["next"]),
        ("未来两天的雨量", "past", 48, ["未来"]),
        ("过去20天的雨量", "past", None, ["20"]),
    ],
)
def test_a_length_of_time_is_taken_with_its_direction(text: str, way: str, hours: int | None, left: list[str]) -> None:
    filled = fill(HOURS[way], text)
    assert filled.arguments.get("hours") == hours
    assert left_over(filled.rest) == left


@pytest.mark.parametrize(("text", "left"), [("识别的水位", []), ("分别多少", []), ("别看日志", ["别"])])
def test_a_word_that_has_no_in_it_denies_nothing(text: str, left: list[str]) -> None:
    assert left_over(text) == left


NAMED = {
    "properties": {"station_name": {"type": "string", "description": "水库或站的名称"}},
    "required": ["station_name"],
}


@pytest.mark.parametrize(
    ("text", "name"), [("小南海水库的水位", "小南海水库"), ("查大沙河站水位", "大沙河站"), ("淇门站的水位", "淇门站")]
)
def test_a_name_is_taken_whole(text: str, name: str) -> None:
    assert fill(NAMED, text, known=frozenset({"水位"})).arguments == {"station_name": name}


def test_a_name_that_is_cut_into_characters_is_said() -> None:
    assert strays("淇门站的预报结果", frozenset({"预报", "结果", "站"})) == ["淇门"]
    assert strays("放首歌", frozenset({"放", "歌"})) == []


@pytest.mark.parametrize(
    ("text", "each"),
    [
        ("东站、西站和南站的水位", ["东站的水位", "西站的水位", "南站的水位"]),
        ("比较东站和西站的水位", ["东站的水位", "西站的水位"]),
        (
            "the level at East station and West station now",
            ["the level at East station now", "the level at West station now"],
        ),
        ("东站水位和雨量", ["东站水位", "东站雨量"]),
    ],
)
def test_things_in_a_row_are_asked_about_one_by_one(text: str, each: list[str]) -> None:
    assert next(distributed(text, date(2026, 11, 16))) == each


def test_each_of_many_is_the_many_and_the_question() -> None:
    assert of_each("淇河上每个河道站的水位") == ("列出淇河上的河道站", "每个河道站的水位")
