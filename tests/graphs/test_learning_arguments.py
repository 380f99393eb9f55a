"""What a run learns of arguments reaches the next one before it calls, and is unlearned when it fails (R7.3, R7.7)."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from switchyard.app.orchestrator import Orchestrator
from switchyard.app.report import RunReport
from switchyard.ledger.context import ExecutionContext
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.web_server import WebServer, page, web_server

MOVED = '<html><title>t</title><body><p><span class="js-social-count">42</span></p></body></html>'
BACK = '<html><title>t</title><body><p><a class="social-count" href="/">43</a></p></body></html>'
QUESTIONS = [
    "How many followers does {url} show? The number is in a.social-count",
    "{url} 的 a.social-count 显示多少关注者？",
]


@pytest.fixture
def served() -> Generator[WebServer]:
    with web_server() as server:
        server.pages["/"] = page(MOVED)
        yield server


async def ask_stubborn(opened: Orchestrator, endpoint: Endpoint, question: str, url: str) -> RunReport:
    """Somebody who writes the same selector whatever happens."""
    call = {"url": url, "selector": "a.social-count"}
    endpoint.script(
        plan=[steps({"description": question, "tool": "web_scraper"})],
        rank=[{"choices": {"s1": ["web_scraper"]}}],
        fill=[fills(s1=call)],
        decide=[{"action": "execute_tool", "reason": "again 再试", "arguments": {"s1": call}}],
        answer=["42"],
    )
    return await opened.ask(question)


def with_model(endpoint: Endpoint) -> dict[str, Any]:
    return {"base_url": endpoint.url, "model": "scripted", "allow_private": ["*"], "auto_approve": True}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_selector_that_moved_is_found_the_first_time_and_known_the_second(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, served: WebServer, question: str
) -> None:
    url = f"{served.url}/"
    async with orchestrator_with(**with_model(endpoint)) as opened:
        first = await ask_stubborn(opened, endpoint, question.format(url=url), url)
        asked = len(served.asked)
        second = await ask_stubborn(opened, endpoint, question.format(url=url), url)
    assert (first.status, first.steps[0].attempts, asked) == ("answered", 2, 2)
    assert (second.status, second.steps[0].attempts, len(served.asked) - asked) == ("answered", 1, 1)
    assert second.steps[0].arguments["selector"] == "span.js-social-count"
    assert "'span.js-social-count' worked where 'a.social-count' had failed" in endpoint.prompts("fill")[1]
    assert "worked where" not in endpoint.prompts("fill")[0]


async def test_a_lesson_that_fails_is_unlearned_and_the_call_made_as_it_was_written(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, served: WebServer
) -> None:
    url = f"{served.url}/"
    async with orchestrator_with(**with_model(endpoint)) as opened:
        await ask_stubborn(opened, endpoint, QUESTIONS[0].format(url=url), url)
        served.pages["/"] = page(BACK)
        report = await ask_stubborn(opened, endpoint, QUESTIONS[0].format(url=url), url)
        known = opened.hub.memory.patterns("web_scraper").adjustments
        third = await ask_stubborn(opened, endpoint, QUESTIONS[0].format(url=url), url)
    assert (report.status, report.steps[0].arguments["selector"]) == ("answered", "a.social-count")
    assert [(one.before, one.after) for one in known] == [("span.js-social-count", "a.social-count")]
    assert third.steps[0].attempts == 1


async def test_what_the_run_learned_is_in_its_context(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, served: WebServer
) -> None:
    url = f"{served.url}/"
    async with orchestrator_with(**with_model(endpoint)) as opened:
        report = await ask_stubborn(opened, endpoint, QUESTIONS[1].format(url=url), url)
        state = await opened.graph.aget_state({"configurable": {"thread_id": report.thread_id}})
    context = ExecutionContext.model_validate(state.values["context"])
    assert [(one.tool, one.learned) for one in context.patterns] == [
        ("web_scraper", "failed"),
        ("web_scraper", "adjusted"),
    ]
    assert "a.social-count" in context.patterns[0].text
    assert "span.js-social-count" in context.patterns[1].text
    assert all(decision.allowed for decision in context.decisions)


SIBLINGS = '''
from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool


class PriceParams(BaseToolParams):
    symbol: str = Field(description="Which share. 哪只股票。")


@tool(category="market", tags=("price", "股价"), capability_tags=("quote",))
class StockPrice:
    """Look up the price of a share. 查询股价。"""

    def execute(self, params: PriceParams, context: ToolContext) -> dict[str, object]:
        with (context.workspace / "calls.log").open("a", encoding="utf-8") as log:
            log.write("x")
        raise ToolFailed("broken 坏了", kind="crash")


@tool(category="market", tags=("price", "股价"), capability_tags=("quote",))
class MarketQuote:
    """Tell the price of a share from the market. 从市场查询股价。"""

    def execute(self, params: PriceParams) -> dict[str, object]:
        return {"symbol": params.symbol, "price": 12.5}
'''


@pytest.mark.parametrize("question", ["What is the price of the share ACME?", "股票 ACME 的股价是多少？"])
async def test_what_served_in_the_place_of_a_broken_tool_is_taken_at_once_the_next_time(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, tmp_path: Path, question: str
) -> None:
    (tmp_path / "market").mkdir()
    (tmp_path / "market" / "market.py").write_text(SIBLINGS, encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": question, "tool": "stock_price"})],
        fill=[fills(s1={"symbol": "ACME"})],
        decide=[{"action": "switch_tool", "tools": {"s1": "market_quote"}}],
        answer=["12.5"],
    )
    async with orchestrator_with(**with_model(endpoint), tool_folders=[tmp_path / "market"]) as opened:
        reports = [await opened.ask(question) for _ in range(2)]
    assert [report.status for report in reports] == ["answered", "answered"]
    assert [report.steps[0].tool for report in reports] == ["market_quote", "market_quote"]
    assert (workspace / "calls.log").read_text(encoding="utf-8") == "x"
    assert not reports[1].failures
