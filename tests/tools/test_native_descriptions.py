"""Every native tool is described for people of both languages."""

import re
from typing import Any

import pytest

from tools.calculate import Calculate
from tools.core import ToolSpec
from tools.get_conversation_history import GetConversationHistory
from tools.get_time import GetTime
from tools.grep_search import GrepSearch
from tools.list_dir import ListDir
from tools.read_file import ReadFile

_HAN = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("cls", [Calculate, GetConversationHistory, GetTime, GrepSearch, ListDir, ReadFile])
def test_words_of_both_languages_describe_a_tool(cls: Any):
    spec: ToolSpec = cls.__tool_spec__
    for words in (spec.tags, spec.examples, spec.capability_tags):
        assert any(_HAN.search(word) for word in words)
        assert any(not _HAN.search(word) for word in words)
    assert set(spec.answers) == {"en", "zh"}
    assert set(re.findall(r"\{(\w+)\}", spec.answers["en"])) == set(re.findall(r"\{(\w+)\}", spec.answers["zh"]))
    assert not spec.asks_first


def test_names_come_from_the_classes():
    specs: list[Any] = [Calculate, GetConversationHistory, GetTime, GrepSearch, ListDir, ReadFile]
    assert [cls.__tool_spec__.name for cls in specs] == [
        "calculate",
        "get_conversation_history",
        "get_time",
        "grep_search",
        "list_dir",
        "read_file",
    ]
