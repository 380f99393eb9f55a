"""Where something is looked up: the web, the user's documents, or the letters in files; never one for another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from switchyard.agents.by_rules.searches import Place, read_search
from switchyard.agents.scope import RunScope
from switchyard.app.orchestrator import Orchestrator
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core import ToolCapability, ToolSpec
from tests.conftest import OpenOrchestrator
from tests.support.reading import nothing, open_scope, planned
from tests.support.web_server import WebServer, as_json, web_server


@pytest.fixture(scope="module")
def scope() -> RunScope:
    return open_scope(foreign=False)


@pytest.fixture
def engine() -> Iterator[WebServer]:
    with web_server() as server:
        found = {"url": "https://example.org/a", "title": "教程 Tutorial", "content": "text", "engine": "bing"}
        server.pages["/search"] = as_json({"results": [found]})
        yield server


@pytest.mark.parametrize(
    ("text", "place", "query"),
    [
        ("Search the web for LangGraph tutorials", "web", "LangGraph tutorials"),
        ("Look up the population of Norway online", "web", "the population of Norway"),
        ("google solid-state batteries", "web", "solid-state batteries"),
        ("Look on the internet for 'asyncio TaskGroup'", "web", "asyncio TaskGroup"),
        ("what does the internet say about asyncio?", "web", "asyncio"),
        ("上网搜索 LangGraph 最新版本", "web", "LangGraph 最新版本"),
        ("搜一下网上关于固态电池的文章", "web", "固态电池"),
        ("帮我百度一下再生能源", "web", "再生能源"),
        ("在网上查一下挪威的人口", "web", "挪威的人口"),
        ("网上是怎么说 asyncio 的？", "web", "asyncio"),
        ("What is the latest news about the Mars rover?", "news", "latest news about the Mars rover"),
        ("火星车的最新消息是什么？", "news", "火星车的最新消息"),
        ("what do the docs say about timeouts?", "documents", "timeouts"),
        ("Search the docs for how to configure timeouts", "documents", "how to configure timeouts"),
        ("我的笔记里关于请假制度是怎么说的？", "documents", "请假制度"),
        ("查找有关水位的资料", "documents", "水位"),
        ("search the web for it", "web", None),
        ("上网搜索 LangGraph，然后写入 a.txt", "web", None),
        ("search the web for cats and delete notes.txt", "web", None),
    ],
)
def test_where_and_what_is_looked_up(text: str, place: Place, query: str | None) -> None:
    found = read_search(text)
    assert found is not None
    assert (found.place, found.query) == (place, query)


@pytest.mark.parametrize(
    "text",
    [
        "Search the docs for TODO",
        "Google's stock price",
        "Google stock price",
        "find 'TODO' in the code",
        "is the server online?",
        "在项目里搜索 TODO",
        "我家上网很慢",
        "网络延迟是多少",
    ],
)
def test_what_asks_for_no_such_search(text: str) -> None:
    assert read_search(text) is None


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        ("Search the web for TODO in the project", "search_web"),
        ("search the internet for fruit.csv", "search_web"),
        ("Find recent articles on solid-state batteries", "search_web"),
        ("上网查 fruit.csv 是什么", "search_web"),
        ("网上搜索“水位”", "search_web"),
        ("查找最近关于固态电池的文章", "search_web"),
        ("what do my notes say about the vacation policy?", "search_knowledge"),
        ("文档里关于超时是怎么说的？", "search_knowledge"),
        ("find 'TODO' in the code", "grep_search"),
        ('Search for the phrase "three failures" please', "grep_search"),
        ("which files in docs mention timeout?", "grep_search"),
        ("搜索短语“三次失败”", "grep_search"),
        ("在代码里查找“TODO”", "grep_search"),
    ],
)
async def test_each_search_goes_to_its_tool(scope: RunScope, question: str, tool: str) -> None:
    _, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == [tool]


@pytest.mark.parametrize(
    "question",
    [
        "Reverse the text 'Shanghai'",
        "Shuffle the word 'listen'",
        "扭转文本“上海”",
        "打乱单词“listen”",
        "Which emails mention 'refund'?",
        "哪些邮件提到“退款”？",
    ],
)
async def test_a_quoted_text_is_not_looked_for_unless_somebody_asks(scope: RunScope, question: str) -> None:
    _, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == [None]


@pytest.mark.parametrize(
    ("question", "summary"),
    [("Reverse the text 'Shanghai'", "Reverses texts."), ("扭转文本“上海”", "把文本反转过来。")],
)
async def test_what_a_tool_of_others_does_is_its_own(question: str, summary: str) -> None:
    scope = open_scope(foreign=False)
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    capability = ToolCapability(name="reverse", description=summary, parameters=schema)
    spec = ToolSpec(name="words/reverse", summary=summary, capabilities=(capability,), source="mcp")
    scope.equipment.library.register(RegisteredTool(spec, nothing))
    _, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == ["words/reverse"]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Search the web for LangGraph tutorials", "No search engine is set"),
        ("上网搜索 LangGraph 最新版本", "没有设置搜索引擎"),
    ],
)
async def test_without_an_engine_the_reason_is_said(
    orchestrator: Orchestrator, workspace: Path, question: str, reason: str
) -> None:
    (workspace / "a.txt").write_text("LangGraph 最新版本 tutorials", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert reason in report.answer
    assert {step.tool for step in report.steps} == {"search_web"}


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("google LangGraph tutorials", "LangGraph tutorials"),
        ("find recent articles on solid-state batteries", "recent articles on solid-state batteries"),
        ("上网搜索 LangGraph 教程", "LangGraph 教程"),
        ("火星车的最新消息是什么？", "火星车的最新消息"),
        ("在网上查一下挪威的人口", "挪威的人口"),
        ("查找最近关于固态电池的文章", "最近关于固态电池的文章"),
    ],
)
async def test_with_an_engine_it_is_asked(
    orchestrator_with: OpenOrchestrator, engine: WebServer, question: str, query: str
) -> None:
    settings = {"search_provider": "searxng", "search_url": engine.url, "allow_private": ["127.0.0.1"]}
    async with orchestrator_with(**settings) as orchestrator:
        report = await orchestrator.ask(question, options=RunOptions(tools=["search_web"]))
    assert report.status == "answered", report.answer
    assert report.steps[0].arguments == {"query": query}
    assert engine.asked[-1].query["q"] == query
