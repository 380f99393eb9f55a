"""Arguments read out of a sentence by the tool's own schema."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.agents.by_rules.extraction import fill
from switchyard.agents.by_rules.lists import of_each
from switchyard.agents.by_rules.names import strays
from switchyard.app.places import ROOT
from switchyard.toolhub.sources.native import discover


@cache
def schema(tool: str) -> dict[str, Any]:
    found = next(found for found in discover(ROOT / "tools", "switchyard.tools").tools if found.spec.name == tool)
    return found.spec.capabilities[0].parameters


def test_a_change_of_an_earlier_number_becomes_a_reference() -> None:
    filled = fill(schema("calculate"), "加上14%", earlier="{{s1.value}}")
    assert filled.arguments == {"expression": "{{s1.value}} + 14%"}


@given(st.text(max_size=120), st.sampled_from(["calculate", "get_time", "read_file", "list_dir", "grep_search"]))
def test_any_text_is_read_without_an_error(text: str, tool: str) -> None:
    filled = fill(schema(tool), text)
    assert set(filled.missing).isdisjoint(filled.arguments)


@pytest.mark.parametrize("piece", [" ", "1", "a", "-", "水", "1.1", "../", "1 和 ", "in the folder ", "(", "'a"])
@pytest.mark.parametrize("tool", ["calculate", "read_file", "grep_search"])
def test_a_text_of_twenty_thousand_characters_is_read(piece: str, tool: str) -> None:
    filled = fill(schema(tool), piece * (20_000 // len(piece)))
    assert set(filled.missing).isdisjoint(filled.arguments)


def test_a_name_that_is_cut_into_characters_is_said() -> None:
    assert strays("淇门站的预报结果", frozenset({"预报", "结果", "站"})) == ["淇门"]
    assert strays("放首歌", frozenset({"放", "歌"})) == []


def test_each_of_many_is_the_many_and_the_question() -> None:
    assert of_each("淇河上每个河道站的水位") == ("列出淇河上的河道站", "每个河道站的水位")
