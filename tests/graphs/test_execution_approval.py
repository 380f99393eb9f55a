"""Tools that need a person pause the run once per round, with all requests together."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.execution.approval import ApprovalRequest, read_replies
from switchyard.app.report import RunReport
from switchyard.ledger.options import RunOptions
from switchyard.tools.core.errors import SettingsInvalid
from tests.graphs.conftest import OpenHanded
from tests.support.counting_tools import calls
from tests.support.plans import Handed, call

LETTER, PARCEL, APPLES = call("stamp", label="letter"), call("stamp", label="parcel"), call("tally", label="apples")
"""Two calls that write, and one that reads."""


def requested(report: RunReport) -> dict[str, dict[str, Any]]:
    assert isinstance(report.waiting_for, list)
    return {request.step_id: request.arguments for request in report.waiting_for}


def ran(workspace: Path) -> list[str]:
    return [line.split(" ", 2)[2] for line in calls(workspace) if line.startswith("end")]


async def test_a_step_that_writes_waits_for_a_person(counting: Handed, workspace: Path) -> None:
    report = await counting.ask(LETTER)
    assert report.status == "waiting"
    assert requested(report) == {"s1": {"label": "letter"}}
    assert ran(workspace) == []


async def test_all_requests_of_a_round_come_together(counting: Handed) -> None:
    report = await counting.ask(LETTER, PARCEL)
    assert requested(report) == {"s1": {"label": "letter"}, "s2": {"label": "parcel"}}


@pytest.mark.parametrize("reply", ["approve", "批准", {"s1": "approve"}, {"s1": {"decision": "approve"}}, True])
async def test_an_approved_step_runs(counting: Handed, workspace: Path, reply: Any) -> None:
    waiting = await counting.ask(LETTER)
    report = await counting.resume(waiting.thread_id, reply)
    assert report.status == "answered"
    assert ran(workspace) == ["letter"]


async def test_an_edited_step_runs_with_the_new_arguments(counting: Handed, workspace: Path) -> None:
    waiting = await counting.ask(LETTER)
    edit = {"s1": {"decision": "edit", "arguments": {"label": "明信片"}}}
    report = await counting.resume(waiting.thread_id, edit)
    assert ran(workspace) == ["明信片"]
    assert report.steps[0].arguments == {"label": "明信片"}


@pytest.mark.parametrize(("question", "said"), [("stamp it", "because you refused it"), ("盖章", "被您拒绝")])
@pytest.mark.parametrize("reply", ["refuse", "拒绝", {"s1": "no"}, {"decisions": [{"type": "reject"}]}])
async def test_a_refused_step_does_not_run_and_the_answer_says_so(
    counting: Handed, workspace: Path, question: str, said: str, reply: Any
) -> None:
    waiting = await counting.ask(LETTER, question=question)
    report = await counting.resume(waiting.thread_id, reply)
    assert ran(workspace) == []
    assert said in report.answer
    assert report.status == "failed"


async def test_each_step_is_decided_on_its_own(counting: Handed, workspace: Path) -> None:
    waiting = await counting.ask(LETTER, PARCEL)
    report = await counting.resume(waiting.thread_id, {"s1": "refuse", "s2": "approve"})
    assert ran(workspace) == ["parcel"]
    assert [step.success for step in report.steps] == [False, True]
    assert report.status == "partial"


async def test_what_builds_on_a_refused_step_is_blocked(counting: Handed, workspace: Path) -> None:
    waiting = await counting.ask(LETTER, call("tally", "s1", label="apples"))
    report = await counting.resume(waiting.thread_id, "refuse")
    assert ran(workspace) == []
    assert [step.error for step in report.steps] == ["refused by the user", "a step it needs did not succeed"]


async def test_nobody_is_asked_where_all_is_approved_beforehand(counting: Handed, workspace: Path) -> None:
    report = await counting.ask(LETTER, options=RunOptions(auto_approve=True))
    assert report.status == "answered"
    assert ran(workspace) == ["letter"]


async def test_what_was_finished_does_not_run_again_after_the_reply(counting: Handed, workspace: Path) -> None:
    waiting = await counting.ask(APPLES, LETTER)
    assert ran(workspace) == ["apples"]
    report = await counting.resume(waiting.thread_id, "approve")
    assert ran(workspace) == ["apples", "letter"]
    assert report.status == "answered"
    assert report.usage.tool_calls == 2


async def test_what_failed_before_the_reply_keeps_its_own_error(counting: Handed, workspace: Path) -> None:
    waiting = await counting.ask(call("break", label="cup"), LETTER)
    report = await counting.resume(waiting.thread_id, "approve")
    assert calls(workspace).count("start s1 cup") == 1
    assert (report.steps[0].error, report.steps[0].error_type) == ("cup is broken", "not_found")
    assert len(report.failures) == 1


async def test_two_rounds_ask_twice_and_each_step_runs_once(counting: Handed, workspace: Path) -> None:
    report = await counting.ask(APPLES, call("stamp", "s1", label="letter"), PARCEL)
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
async def test_a_reply_that_cannot_be_read_can_be_given_again(counting: Handed, workspace: Path, reply: Any) -> None:
    waiting = await counting.ask(LETTER)
    with suppress(SettingsInvalid):
        await counting.resume(waiting.thread_id, reply)
    assert ran(workspace) == []
    report = await counting.resume(waiting.thread_id, "approve")
    assert report.status == "answered"
    assert ran(workspace) == ["letter"]


async def test_a_run_that_waits_is_not_moved_by_an_empty_resume(counting: Handed, workspace: Path) -> None:
    waiting = await counting.ask(LETTER)
    assert (await counting.resume(waiting.thread_id)).status == "waiting"
    assert ran(workspace) == []


async def test_a_waiting_run_survives_the_process(
    handed_with: OpenHanded, kept_counting: dict[str, Any], workspace: Path
) -> None:
    async with handed_with(**kept_counting) as first:
        waiting = await first.ask(APPLES, LETTER)
    async with handed_with(**kept_counting) as second:
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


async def test_a_reply_with_the_signature_of_its_request_is_taken(counting: Handed, workspace: Path) -> None:
    waiting = await counting.ask(LETTER)
    assert isinstance(waiting.waiting_for, list)
    reply = {"decision": "approve", "signature": waiting.waiting_for[0].signature}
    assert (await counting.resume(waiting.thread_id, {"s1": reply})).status == "answered"
    assert ran(workspace) == ["letter"]
