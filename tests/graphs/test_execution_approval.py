"""Tools that need a person pause the run once per round, with all requests together."""

from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.execution.approval import ApprovalRequest, read_replies
from switchyard.app.orchestrator import Orchestrator
from switchyard.app.report import RunReport
from switchyard.ledger.options import RunOptions
from switchyard.tools.core.errors import SettingsInvalid
from tests.conftest import OpenOrchestrator
from tests.support.counting_tools import calls, write_counting_tools

TWO = [
    'tally "apples" and then stamp "letter"; stamp "parcel"',
    "计数“apples”；然后盖章“letter”；盖章“parcel”",
]
"""One reading step and two that write, in both languages."""

ONE = ['stamp "letter"', "盖章“letter”"]


@pytest.fixture
async def counting(orchestrator_with: OpenOrchestrator, tmp_path: Path) -> AsyncGenerator[Orchestrator]:
    folder = write_counting_tools(tmp_path / "counting")
    async with orchestrator_with(tool_folders=[folder], database=str(tmp_path / "runs.sqlite")) as opened:
        yield opened


def requested(report: RunReport) -> dict[str, dict[str, Any]]:
    assert isinstance(report.waiting_for, list)
    return {request.step_id: request.arguments for request in report.waiting_for}


def ran(workspace: Path) -> list[str]:
    return [line.split(" ", 2)[2] for line in calls(workspace) if line.startswith("end")]


@pytest.mark.parametrize("question", ONE)
async def test_a_step_that_writes_waits_for_a_person(counting: Orchestrator, workspace: Path, question: str) -> None:
    report = await counting.ask(question)
    assert report.status == "waiting"
    assert requested(report) == {"s1": {"label": "letter"}}
    assert ran(workspace) == []


@pytest.mark.parametrize("question", ['stamp "letter"; stamp "parcel"', "盖章“letter”；盖章“parcel”"])
async def test_all_requests_of_a_round_come_together(counting: Orchestrator, question: str) -> None:
    report = await counting.ask(question)
    assert requested(report) == {"s1": {"label": "letter"}, "s2": {"label": "parcel"}}


@pytest.mark.parametrize("question", ONE)
@pytest.mark.parametrize("reply", ["approve", "批准", {"s1": "approve"}, {"s1": {"decision": "approve"}}, True])
async def test_an_approved_step_runs(counting: Orchestrator, workspace: Path, question: str, reply: Any) -> None:
    waiting = await counting.ask(question)
    report = await counting.resume(waiting.thread_id, reply)
    assert report.status == "answered"
    assert ran(workspace) == ["letter"]


async def test_an_edited_step_runs_with_the_new_arguments(counting: Orchestrator, workspace: Path) -> None:
    waiting = await counting.ask('stamp "letter"')
    edit = {"s1": {"decision": "edit", "arguments": {"label": "明信片"}}}
    report = await counting.resume(waiting.thread_id, edit)
    assert ran(workspace) == ["明信片"]
    assert report.steps[0].arguments == {"label": "明信片"}


@pytest.mark.parametrize(
    ("question", "said"), [('stamp "letter"', "because you refused it"), ("盖章“letter”", "被您拒绝")]
)
@pytest.mark.parametrize("reply", ["refuse", "拒绝", {"s1": "no"}, {"decisions": [{"type": "reject"}]}])
async def test_a_refused_step_does_not_run_and_the_answer_says_so(
    counting: Orchestrator, workspace: Path, question: str, said: str, reply: Any
) -> None:
    waiting = await counting.ask(question)
    report = await counting.resume(waiting.thread_id, reply)
    assert ran(workspace) == []
    assert said in report.answer
    assert report.status == "failed"


@pytest.mark.parametrize("question", ['stamp "letter"; stamp "parcel"', "盖章“letter”；盖章“parcel”"])
async def test_each_step_is_decided_on_its_own(counting: Orchestrator, workspace: Path, question: str) -> None:
    waiting = await counting.ask(question)
    report = await counting.resume(waiting.thread_id, {"s1": "refuse", "s2": "approve"})
    assert ran(workspace) == ["parcel"]
    assert [step.success for step in report.steps] == [False, True]
    assert report.status == "partial"


async def test_what_builds_on_a_refused_step_is_blocked(counting: Orchestrator, workspace: Path) -> None:
    waiting = await counting.ask('stamp "letter" and then tally "apples"')
    report = await counting.resume(waiting.thread_id, "refuse")
    assert ran(workspace) == []
    assert [step.error for step in report.steps] == ["refused by the user", "a step it needs did not succeed"]


@pytest.mark.parametrize("question", ONE)
async def test_nobody_is_asked_where_all_is_approved_beforehand(
    counting: Orchestrator, workspace: Path, question: str
) -> None:
    report = await counting.ask(question, options=RunOptions(auto_approve=True))
    assert report.status == "answered"
    assert ran(workspace) == ["letter"]


@pytest.mark.parametrize("question", ['tally "apples"; stamp "letter"', "计数“apples”；盖章“letter”"])
async def test_what_was_finished_does_not_run_again_after_the_reply(
    counting: Orchestrator, workspace: Path, question: str
) -> None:
    waiting = await counting.ask(question)
    assert ran(workspace) == ["apples"]
    report = await counting.resume(waiting.thread_id, "approve")
    assert ran(workspace) == ["apples", "letter"]
    assert report.status == "answered"
    assert report.usage.tool_calls == 2


@pytest.mark.parametrize("question", ['break "cup"; stamp "letter"', "损坏“cup”；盖章“letter”"])
async def test_what_failed_before_the_reply_keeps_its_own_error(
    counting: Orchestrator, workspace: Path, question: str
) -> None:
    waiting = await counting.ask(question)
    report = await counting.resume(waiting.thread_id, "approve")
    assert calls(workspace).count("start s1 cup") == 1
    assert (report.steps[0].error, report.steps[0].error_type) == ("cup is broken", "not_found")
    assert len(report.failures) == 1


@pytest.mark.parametrize("question", TWO)
async def test_two_rounds_ask_twice_and_each_step_runs_once(
    counting: Orchestrator, workspace: Path, question: str
) -> None:
    report = await counting.ask(question)
    asked = 0
    while report.status == "waiting":
        asked += 1
        report = await counting.resume(report.thread_id, "approve")
    assert asked == 2
    assert sorted(ran(workspace)) == ["apples", "letter", "parcel"]
    assert report.status == "answered"


@pytest.mark.parametrize(
    "reply",
    [
        "perhaps",
        "也许",
        {"s1": {"decision": "edit"}},
        {"s1": 7},
        {"another": "yes"},
        {"approve": True},
        {},
        {"decisions": []},
        {"decisions": [{"type": "dance"}]},
        {"s1": {"decision": "approve", "signature": "another call's"}},
    ],
)
async def test_a_reply_that_cannot_be_read_can_be_given_again(
    counting: Orchestrator, workspace: Path, reply: Any
) -> None:
    waiting = await counting.ask('stamp "letter"')
    with suppress(SettingsInvalid):
        await counting.resume(waiting.thread_id, reply)
    assert ran(workspace) == []
    report = await counting.resume(waiting.thread_id, "approve")
    assert report.status == "answered"
    assert ran(workspace) == ["letter"]


async def test_a_run_that_waits_is_not_moved_by_an_empty_resume(counting: Orchestrator, workspace: Path) -> None:
    waiting = await counting.ask('stamp "letter"')
    assert (await counting.resume(waiting.thread_id)).status == "waiting"
    assert ran(workspace) == []


async def test_a_waiting_run_survives_the_process(
    orchestrator_with: OpenOrchestrator, tmp_path: Path, workspace: Path
) -> None:
    settings: dict[str, Any] = {
        "tool_folders": [write_counting_tools(tmp_path / "counting")],
        "database": str(tmp_path / "runs.sqlite"),
    }
    async with orchestrator_with(**settings) as first:
        waiting = await first.ask('tally "apples"; stamp "letter"')
    async with orchestrator_with(**settings) as second:
        report = await second.resume(waiting.thread_id, "批准")
    assert ran(workspace) == ["apples", "letter"]
    assert report.status == "answered"


REQUESTS = [
    ApprovalRequest(step_id=step_id, description="盖章", tool="stamp", reason="r") for step_id in ("s1", "s2[0]")
]


FORMS: list[tuple[Any, list[str]]] = [
    ("yes", ["approve", "approve"]),
    (" OK ", ["approve", "approve"]),
    ("同意", ["approve", "approve"]),
    ("no", ["refuse", "refuse"]),
    ("不", ["refuse", "refuse"]),
    (False, ["refuse", "refuse"]),
    ({"s1": "yes"}, ["approve", "refuse"]),
    ({"s2[0]": "是"}, ["refuse", "approve"]),
    ({"decision": "approve"}, ["approve", "approve"]),
    ({"s1": {"decision": "edit", "arguments": {}}, "s2[0]": "y"}, ["edit", "approve"]),
    ({"decisions": [{"type": "approve"}, {"type": "reject"}]}, ["approve", "refuse"]),
    ([{"type": "accept"}, {"type": "ignore"}], ["approve", "refuse"]),
    ({"decisions": [{"type": "edit", "edited_action": {"name": "stamp", "args": {}}}, "是"]}, ["edit", "approve"]),
]


@pytest.mark.parametrize(("raw", "decisions"), FORMS)
def test_replies_are_read_in_the_forms_people_and_programs_use(raw: Any, decisions: list[str]) -> None:
    replies = read_replies(raw, REQUESTS)
    assert [replies[request.step_id].decision for request in REQUESTS] == decisions


@pytest.mark.parametrize("question", ONE)
async def test_a_reply_with_the_signature_of_its_request_is_taken(
    counting: Orchestrator, workspace: Path, question: str
) -> None:
    waiting = await counting.ask(question)
    assert isinstance(waiting.waiting_for, list)
    reply = {"decision": "approve", "signature": waiting.waiting_for[0].signature}
    assert (await counting.resume(waiting.thread_id, {"s1": reply})).status == "answered"
    assert ran(workspace) == ["letter"]
