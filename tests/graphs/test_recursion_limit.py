"""A caller's own `recursion_limit`, from 2 upward, ends in the best answer so far and says so (R1.4)."""

from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage
from langgraph.errors import GraphRecursionError

from switchyard.app.orchestrator import Orchestrator
from switchyard.app.report import RunReport
from switchyard.language.messages import message
from switchyard.language.words import language_of
from tests.conftest import OpenOrchestrator
from tests.graphs.conftest import OpenHanded
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.plans import Handed, call

SHARE = call("calculate", expression="15% of 2480")
QUESTIONS = ["and the share?", "占多少？"]
"""The sentence about the limit is said in both languages; which limit is which does not matter."""
SMALL = range(2, 13)
UNTIL_EXECUTED = 4
"""The least that lets plan, select_tools and execute run."""
ONE_ROUND = 6
"""The least that lets all five nodes run."""


async def ask(orchestrator: Orchestrator, question: str, limit: int) -> RunReport:
    """Invoke the graph as another program would."""
    config = {"recursion_limit": limit, "configurable": {"thread_id": "t"}}
    output = await cast("Any", orchestrator.graph).ainvoke({"question": question}, config)
    report = await orchestrator.report("t")
    assert output["answer"] == report.answer
    assert isinstance(output["messages"][-1], AIMessage)
    return report


def says_so(report: RunReport) -> bool:
    return message("limit.recursion_limit").text(language_of(report.question)) in report.answer


@pytest.fixture
async def handed(handed_with: OpenHanded) -> AsyncGenerator[Handed]:
    async with handed_with() as opened:
        yield opened


@pytest.mark.parametrize("limit", SMALL)
async def test_by_rules(handed: Handed, limit: int) -> None:
    handed.plan(SHARE)
    report = await ask(handed.orchestrator, QUESTIONS[limit % 2], limit)
    assert report.status == ("answered" if limit >= UNTIL_EXECUTED else "failed")
    assert ("372" in report.answer) == (limit >= UNTIL_EXECUTED)
    assert (report.limits_hit == ["recursion_limit"]) == says_so(report) == (limit < ONE_ROUND)


@pytest.mark.parametrize("limit", SMALL)
async def test_by_rules_with_a_part_that_fails(handed: Handed, limit: int) -> None:
    handed.plan(SHARE, call("read_file", path="nowhere.md"))
    report = await ask(handed.orchestrator, QUESTIONS[limit % 2], limit)
    assert report.status == ("partial" if limit >= UNTIL_EXECUTED else "failed")
    assert ("372" in report.answer) == (limit >= UNTIL_EXECUTED)
    assert ("recursion_limit" in report.limits_hit) == says_so(report)
    assert says_so(report) or limit >= ONE_ROUND


@pytest.mark.parametrize("limit", SMALL)
async def test_with_a_model(orchestrator_with: OpenOrchestrator, endpoint: Endpoint, limit: int) -> None:
    endpoint.script(
        plan=[steps({"description": "calculate 15% of 2480", "tool": "calculate"})],
        fill=[fills(s1={"expression": "15% of 2480"})],
        answer=["It is 372. 是372。"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await ask(opened, QUESTIONS[limit % 2], limit)
    assert report.status == ("answered" if limit >= UNTIL_EXECUTED else "failed")
    assert ("372" in report.answer) == (limit >= UNTIL_EXECUTED)
    assert (report.limits_hit == ["recursion_limit"]) == says_so(report) == (limit < ONE_ROUND)
    assert endpoint.kinds == ["plan", "fill", "answer"][: 1 if limit == 2 else 2 if limit < ONE_ROUND else 3]


@pytest.mark.parametrize("limit", SMALL)
async def test_with_a_model_that_makes_one_plan_after_the_other(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, limit: int
) -> None:
    first = steps({"description": "计算 15% of 2480", "tool": "calculate"}, {"description": "read a.md"})
    later = [
        {"steps": [{"id": f"n{n}", "serves": [2], "description": f"read {n}.md", "tool": "read_file"}]}
        for n in range(3)
    ]
    endpoint.script(
        plan=[first, *later],
        rank=[{"choices": {"s2": ["read_file"], **{f"n{n}": ["read_file"] for n in range(3)}}}],
        fill=[
            fills(s1={"expression": "15% of 2480"}, s2={"path": "a.md"}),
            *(fills(**{f"n{n}": {"path": f"{n}.md"}}) for n in range(3)),
        ],
        decide=[{"action": "replan"}],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted", max_replans=9) as opened:
        report = await ask(opened, "15% of 2480, 还有 a.md", limit)
    assert endpoint.kinds.count("plan") == 1 + (limit - 2) // 5
    assert report.status == ("partial" if limit >= UNTIL_EXECUTED else "failed")
    assert ("372" in report.answer) == (limit >= UNTIL_EXECUTED)
    assert report.limits_hit == ["recursion_limit"]
    assert says_so(report)


@pytest.mark.parametrize("limit", SMALL)
async def test_a_direct_answer_fits_into_any(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, limit: int
) -> None:
    endpoint.script(plan=[{"answer": "Hello! 你好！"}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await ask(opened, "Say hello 你好", limit)
    assert report.answer == "Hello! 你好！"
    assert report.status == "answered"


async def test_one_is_too_few_for_langgraph_itself(orchestrator: Orchestrator) -> None:
    with pytest.raises(GraphRecursionError):
        await ask(orchestrator, QUESTIONS[0], 1)
