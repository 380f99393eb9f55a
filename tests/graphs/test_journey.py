"""A question travels through the whole graph, with rules and with a model."""

import pytest

from switchyard.app.orchestrator import Orchestrator
from switchyard.ledger.options import RunOptions
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is 15% of 2480?", "372"),
        ("2480的15%是多少？", "372"),
        ("What is 3^7, and then add 14% to it", "2493.18"),
    ],
)
async def test_a_calculation_is_answered_by_rules(orchestrator: Orchestrator, question: str, expected: str) -> None:
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert expected in report.answer
    assert report.usage.model_calls == 0


@pytest.mark.parametrize(
    ("question", "place"),
    [("What is 15% of 2480, and what time is it in Tokyo?", "Tokyo"), ("2480的15%是多少，东京现在几点？", "东京")],
)
async def test_two_clauses_become_two_steps(orchestrator: Orchestrator, question: str, place: str) -> None:
    report = await orchestrator.ask(question)
    assert [step.tool for step in report.steps] == ["calculate", "get_time"]
    assert "372" in report.answer
    assert place in report.answer


@pytest.mark.parametrize(
    "question", ["Write a poem about spring", "写一首关于春天的诗", "Explain recursion", "解释一下递归"]
)
async def test_what_needs_a_model_is_declined_and_the_setting_named(orchestrator: Orchestrator, question: str) -> None:
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert "APP_MODEL" in report.answer
    assert len(report.answer.strip().splitlines()) == 1


@pytest.mark.parametrize(("word", "why"), [("a ", "at most 20000"), ("说", "最多读 20000 个")])
async def test_why_there_is_no_plan_is_said(orchestrator: Orchestrator, word: str, why: str) -> None:
    report = await orchestrator.ask(word * 20_001)
    assert report.status == "failed"
    assert why in report.answer.replace(",", "")


async def test_no_prompt_is_built_without_a_model(orchestrator: Orchestrator, monkeypatch: pytest.MonkeyPatch) -> None:
    def built(*_: object, **__: object) -> None:
        raise AssertionError

    for prompt in (
        *("planning.agent.plan_prompt", "tool_selection.agent.rank_prompt", "tool_selection.agent.fill_prompt"),
        *("execution.calls.late_prompt", "execution.calls.reason_prompt", "verification.agent.judge_prompt"),
        *("coordination.agent.decide_prompt", "coordination.agent.answer_prompt"),
    ):
        monkeypatch.setattr(f"switchyard.agents.{prompt}", built)
    report = await orchestrator.ask("What is 3^7, and then add 14% to it", options=RunOptions(judge="always"))
    assert report.status == "answered"


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What is 15% of 2480?", "It is 372."), ("2480的15%是多少？", "是372。")],
)
async def test_a_model_plans_fills_and_answers_in_three_calls(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str
) -> None:
    endpoint.script(
        plan=[{"steps": [{"id": "s1", "description": "calculate 15% of 2480", "tool": "calculate"}]}],
        fill=[{"calls": [{"step": "s1", "arguments": {"expression": "15% of 2480"}}]}],
        answer=[answer],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await opened.ask(question)
    assert report.answer == answer
    assert report.status == "answered"
    assert endpoint.kinds == ["plan", "fill", "answer"]
    assert report.steps[0].result == {"expression": "15% of 2480", "value": 372, "sentence": "15% of 2480 = 372"}
    assert report.usage.model_calls == 3
    assert not report.downgrades
