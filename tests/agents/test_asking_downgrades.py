"""A model that fails costs the run nothing but the better wording: the rules answer, and the downgrade is on record."""

from typing import Any

import pytest

from tests.conftest import OpenOrchestrator
from tests.support.endpoint import (
    Endpoint,
    ask_scripted,
    closed_port,
    drop,
    fills,
    hang,
    raw,
    status,
    steps,
)

QUESTION = "What is 15% of 2480?"
SCHEMA = {"type": "object", "properties": {"steps": {"type": "array"}}, "$defs": {}}
PLAN = steps({"description": "calculate 15% of 2480", "tool": "calculate"})
FILL = fills(s1={"expression": "15% of 2480"})

PASSING = {
    "a schema echoed twice": SCHEMA,
    "empty twice": "",
    "prose alone": "I would rather not. 不行。",
    "429": status(429, "slow down"),
    "500": status(500),
    "503": status(503),
    "400": status(400, "bad request"),
    "dropped": drop(),
    "garbage": raw(b"\xff\xfe\x00 this is no answer \x80"),
    "invalid UTF-8 in an event": raw(b'data: {"choices": [{"delta": {"content": "\xff\xfe"}}]}\n\n'),
    "an empty body": raw(b""),
    "JSON that is no completion": raw(b'{"hello": "world"}'),
    "an event that is no completion": raw(b'data: {"choices": null}\n\ndata: [DONE]\n\n'),
    "an error inside a stream": raw(b'data: {"error": {"message": "overloaded"}}\n\n'),
}
"""The next call may go well: it is tried."""

LASTING = {"401": status(401), "403": status(403), "404": status(404, "no such model"), "a hang": hang()}
"""The model cannot be reached: nobody waits for it again in this run."""


def waiting(failure: Any) -> dict[str, Any]:
    """Settings that wait a moment only for what never comes, and for everything else as long as it takes."""
    return {"model_timeout": 1.0} if failure == hang() else {}


@pytest.mark.parametrize("failure", [*PASSING.values(), *LASTING.values()], ids=[*PASSING, *LASTING])
async def test_the_rules_answer_when_the_model_fails(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, failure: Any
) -> None:
    unwritten = "" if isinstance(failure, str | dict) else failure  # any text would do as the answer
    endpoint.script(plan=[failure], rank=[failure], fill=[failure], answer=[unwritten])
    report = await ask_scripted(orchestrator_with, endpoint, QUESTION, **waiting(failure))
    assert report.status == "answered"
    assert "372" in report.answer
    assert report.downgrades[0].agent == "planning"
    assert report.downgrades[0].reason.startswith("scripted")


@pytest.mark.parametrize("failure", LASTING.values(), ids=LASTING)
async def test_a_model_out_of_reach_is_not_called_again(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, failure: Any
) -> None:
    endpoint.script(plan=[failure], rank=[{}], fill=[FILL], answer=["from the model"])
    report = await ask_scripted(orchestrator_with, endpoint, QUESTION, **waiting(failure))
    assert endpoint.kinds == ["plan"]
    assert report.usage.model_calls == 1
    assert len(report.downgrades) == 1


async def test_a_model_out_of_reach_in_one_run_is_tried_in_the_next(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[status(401), PLAN], fill=[FILL], answer=["372, from the model 模型"])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        first = await opened.ask(QUESTION, thread_id="t")
        second = await opened.ask(QUESTION, thread_id="t")
    assert first.downgrades
    assert second.answer == "372, from the model 模型"
    assert not second.downgrades


async def test_a_refused_connection_ends_in_an_answer_by_rules(orchestrator_with: OpenOrchestrator) -> None:
    async with orchestrator_with(base_url=closed_port(), model="scripted") as opened:
        report = await opened.ask(QUESTION)
        calls = await opened.journal.calls(report.run_id)
    assert report.status == "answered"
    assert "372" in report.answer
    assert [downgrade.agent for downgrade in report.downgrades] == ["planning"]
    assert len(calls) == 1
    assert "Connection" in (calls[0].error or "")


@pytest.mark.parametrize("name", ["no_such_provider_package", "bedrock:some-model"])
async def test_a_model_that_cannot_be_set_up_ends_in_an_answer_by_rules(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, name: str
) -> None:
    endpoint.script(plan=[status(404)])
    report = await ask_scripted(orchestrator_with, endpoint, QUESTION, model=name)
    assert report.status == "answered"
    assert "372" in report.answer
    assert len(report.downgrades) == 1


async def test_a_failure_in_the_middle_still_ends_in_an_answer(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[PLAN], fill=[status(500)], answer=[status(500)])
    report = await ask_scripted(orchestrator_with, endpoint, QUESTION)
    assert endpoint.kinds == ["plan", "fill", "answer"]
    assert report.status == "answered"
    assert "372" in report.answer
    assert [downgrade.agent for downgrade in report.downgrades] == ["tool_selection", "coordination"]


async def test_an_empty_answer_at_the_end_is_written_by_rules(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[PLAN], fill=[FILL], answer=["  \n"])
    report = await ask_scripted(orchestrator_with, endpoint, QUESTION)
    assert "372" in report.answer
    assert [downgrade.agent for downgrade in report.downgrades] == ["coordination"]


@pytest.mark.parametrize("code", [429, 500, 503])
async def test_a_passing_error_is_tried_again_without_a_downgrade(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, code: int
) -> None:
    endpoint.script(plan=[status(code), PLAN], fill=[status(code), FILL], answer=[status(code), "372, 模型说"])
    report = await ask_scripted(orchestrator_with, endpoint, QUESTION, model_retries=1)
    assert report.answer == "372, 模型说"
    assert endpoint.kinds == ["plan", "plan", "fill", "fill", "answer", "answer"]
    assert not report.downgrades


@pytest.mark.parametrize("question", ["Write a poem about spring", "写一首关于春天的诗"])
async def test_what_only_a_model_can_do_is_declined_when_it_is_gone(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(plan=[status(401)])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "failed"
    assert question in report.answer


TWO_PARTS = steps(
    {"description": "读取文件 a.md", "tool": "read_file"}, {"description": "think about it 想一想", "tool": "none"}
)
FAILS = {"429": status(429), "500": status(500), "400": status(400), "nonsense": "I would rather not. 不行。", "": ""}


@pytest.mark.parametrize("retries", [0, 1, 2])
@pytest.mark.parametrize("failure", FAILS.values(), ids=FAILS)
async def test_an_endpoint_that_only_fails_is_asked_four_times_at_most(
    *, orchestrator_with: OpenOrchestrator, endpoint: Endpoint, failure: Any, retries: int
) -> None:
    unwritten = "" if isinstance(failure, str) else failure  # any text would do as the answer
    asked = {kind: [failure] for kind in ("plan", "rank", "fill", "decide")}
    endpoint.script(**asked, reason=[unwritten], answer=[unwritten])
    report = await ask_scripted(orchestrator_with, endpoint, "Read the file a.md and 现在几点", model_retries=retries)
    assert len(endpoint.requests) <= 4
    assert report.status in {"partial", "failed"}


@pytest.mark.parametrize("failure", FAILS.values(), ids=FAILS)
async def test_whoever_asks_a_model_that_fails_in_a_row_is_told_that_it_is_down(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, failure: Any
) -> None:
    endpoint.script(plan=[TWO_PARTS], fill=[failure], reason=[""], decide=[failure], answer=["from the model"])
    report = await ask_scripted(orchestrator_with, endpoint, "What does a.md say, 想一想?")
    failed = [kind for kind in endpoint.kinds if kind != "plan"]
    assert len(failed) <= 4
    assert "answer" not in failed
    assert report.status == "failed"
