"""What a run learns of arguments reaches the next one before it calls, and is unlearned when it fails (R7.3, R7.7)."""

from collections.abc import Generator
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
        known = opened.library.get_tool_failure_patterns("web_scraper").adjustments
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
