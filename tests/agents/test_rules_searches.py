"""Where something is looked up: the web, the user's documents, or the letters in files; never one for another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
    ("question", "summary"),
    [("Reverse the text 'Shanghai'", "Reverses texts."), ("反转文本“上海”", "把文本反转过来。")],
)
async def test_what_a_tool_of_others_does_is_its_own(question: str, summary: str) -> None:
    scope = open_scope(foreign=False)
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    capability = ToolCapability(name="reverse", description=summary, parameters=schema)
    spec = ToolSpec(tool_id="words/reverse", description=summary, capabilities=(capability,), source="mcp")
    scope.equipment.hub.registry.add(RegisteredTool(spec, nothing))
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
        ("火星车的最新消息是什么？", "火星车最新消息"),
        ("在网上查一下挪威的人口", "挪威的人口"),
        ("查找最近关于固态电池的文章", "固态电池 最近文章"),
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
