"""Selection without a model: rather no tool than a wrong one."""

from functools import cache

import pytest

from switchyard.agents.by_rules.selector import Earlier, assign, assigned
from switchyard.app.places import ROOT
from switchyard.ledger.decisions import Assignment
from switchyard.ledger.plan import Step
from switchyard.toolhub.recall.bm25 import Bm25Recall
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core.spec import ToolSpec


@cache
def specs() -> dict[str, ToolSpec]:
    return {found.spec.name: found.spec for found in discover(ROOT / "tools", "switchyard.tools").tools}


@cache
def recall() -> Bm25Recall:
    return Bm25Recall(specs().values())


def selected(text: str, *dependencies: str) -> Assignment:
    step = Step(id="s2", description=text, dependencies=list(dependencies))
    earlier = Earlier(dependencies[-1]) if dependencies else None
    return assign(step, [(scored, specs()[scored.name]) for scored in recall().recall(text, 20)], earlier=earlier)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("What is 15% of 2480", "calculate"),
        ("2480的15%是多少", "calculate"),
        ("What time is it in Tokyo", "get_time"),
        ("东京现在几点", "get_time"),
        ("Read notes.md", "read_file"),
        ("读取 notes.md", "read_file"),
        ("List the files in docs", "list_dir"),
        ("列出 docs 文件夹里的文件", "list_dir"),
        ("Search for TODO in the project", "grep_search"),
        ("在项目里搜索 TODO", "grep_search"),
        ("Show our conversation so far", "get_conversation_history"),
        ("查看对话历史", "get_conversation_history"),
    ],
)
def test_a_plain_task_gets_its_tool(text: str, tool: str) -> None:
    assert selected(text).tool == tool


@pytest.mark.parametrize(
    "text",
    [
        "Write a poem about files",
        "写一首关于文件的诗",
        "Explain what time is",
        "解释时间是什么",
        "Summarize notes.md",
        "总结 notes.md",
        "Why is 15% of 2480 so much",
        "Translate notes.md",
    ],
)
def test_what_needs_a_model_gets_no_tool(text: str) -> None:
    assert selected(text).tool is None


@pytest.mark.parametrize("text", ["book a flight to Paris", "订一张去巴黎的机票", "play some jazz", "放一首爵士乐"])
def test_what_no_tool_speaks_of_gets_none(text: str) -> None:
    assert selected(text).tool is None


@pytest.mark.parametrize("text", ["read the file", "读取文件", "calculate it", "计算"])
def test_a_tool_whose_arguments_are_not_given_is_not_taken(text: str) -> None:
    assert selected(text).tool not in {"read_file", "calculate"}


def test_a_step_that_builds_on_another_refers_to_its_number() -> None:
    assert selected("add 14% to it", "s1").arguments == {"expression": "{{s1.value}} + 14%"}


def test_candidates_come_with_the_words_that_found_them() -> None:
    assert "几点" in selected("东京现在几点").candidates[0].why


def test_one_tool_is_filled_even_where_something_is_missing() -> None:
    assert assigned(Step(id="s1", description="read the file"), specs()["read_file"]).missing == ["path"]
