"""Which model is asked, and what can be read of every call afterwards (R8.2, R9.6)."""

import pytest

from switchyard.ledger.options import RunOptions
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, status, steps

BILINGUAL = [("What is 15% of 2480?", "It is 372."), ("2480的15%是多少？", "是372。")]
PLAN = steps({"description": "calculate 15% of 2480"})
RANK = {"choices": {"s1": ["calculate"]}}
FILL = fills(s1={"expression": "15% of 2480"})


@pytest.mark.parametrize("through", ["settings", "options"])
async def test_each_agent_asks_its_own_model(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, through: str
) -> None:
    endpoint.script(plan=[PLAN], rank=[RANK], fill=[FILL], answer=["372"])
    own = {"planning": "big", "tool_selection": "小模型"}
    settings = {"agent_models": own} if through == "settings" else {}
    options = RunOptions(agent_models=own) if through == "options" else None
    report = await ask_scripted(orchestrator_with, endpoint, "What is 15% of 2480?", options=options, **settings)
    assert [(kind, request["model"]) for kind, request in zip(endpoint.kinds, endpoint.requests, strict=True)] == [
        ("plan", "big"),
        ("rank", "小模型"),
        ("fill", "小模型"),
        ("answer", "scripted"),
    ]
    assert report.model == "big"
    assert report.status == "answered"


async def test_the_word_none_means_no_model_whatever_is_configured(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    options = RunOptions(model="none", agent_models={"planning": "big"})
    report = await ask_scripted(orchestrator_with, endpoint, "2480的15%是多少？", options=options)
    assert endpoint.requests == []
    assert "372" in report.answer
    assert not report.downgrades


@pytest.mark.parametrize(("question", "answer"), BILINGUAL)
async def test_every_call_can_be_read_afterwards(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str
) -> None:
    endpoint.script(plan=["hm 嗯", PLAN], rank=[RANK], fill=[FILL], answer=[answer])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await opened.ask(question)
        calls = await opened.journal.calls(report.run_id)
    assert [call.agent for call in calls] == [
        "planning",
        "planning",
        "tool_selection",
        "tool_selection",
        "coordination",
    ]
    first, again, rank, fill, last = calls
    assert [message["role"] for message in first.messages] == ["system", "human"]
    assert question in first.messages[1]["text"]
    assert first.answer == "hm 嗯"
    assert first.parsed is None
    assert "no JSON object" in (first.error or "")
    assert [message["role"] for message in again.messages] == ["system", "human", "ai", "human"]
    assert again.error is None
    assert (again.parsed or {})["steps"][0]["description"] == "calculate 15% of 2480"
    assert rank.parsed == RANK
    assert (fill.parsed or {})["calls"][0]["arguments"] == {"expression": "15% of 2480"}
    assert last.answer == answer
    assert {(call.prompt_tokens, call.completion_tokens) for call in calls} == {(100, 20)}
    assert all(call.ms > 0 and call.model == "scripted" and call.run_id == report.run_id for call in calls)
    assert (report.usage.model_calls, report.usage.prompt_tokens) == (5, 500)


async def test_a_failed_call_is_on_record_with_its_error(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[status(401, "the key is wrong 密钥无效")])
    async with orchestrator_with(base_url=endpoint.url, model="scripted", api_key="sk-very-secret") as opened:
        report = await opened.ask("What is 15% of 2480?")
        calls = await opened.journal.calls(report.run_id)
    assert len(calls) == 1
    assert calls[0].answer == ""
    assert calls[0].parsed is None
    assert "密钥无效" in (calls[0].error or "")
    assert "sk-very-secret" not in calls[0].model_dump_json()
    assert report.usage.model_calls == 1


async def test_calls_of_two_runs_do_not_mix(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    endpoint.script(plan=[{"answer": "one"}, {"answer": "二"}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        runs = [await opened.ask(question, thread_id="t") for question in ("Say one", "说二")]
        answers = [(await opened.journal.calls(run.run_id))[0].parsed for run in runs]
    assert [(parsed or {})["answer"] for parsed in answers] == ["one", "二"]
