"""Secrets among the arguments reach the tool, and nobody else: not the journal, not who approves, not the events."""

from typing import Any

import pytest

from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.hub_tools import made, schema

TOKEN = "sk-abcdef1234567890"
HEADERS = {"Authorization": f"Bearer {TOKEN}", "X-Note": "你好"}


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        ("approve", "你好"),
        ({"s1": {"decision": "edit", "arguments": {"api_key": "***", "to": "bob 鲍勃"}}}, None),
        (
            {
                "s1": {
                    "decision": "edit",
                    "arguments": {"api_key": "***", "to": "x", "headers": {"Authorization": "***", "X-Note": "改"}},
                }
            },
            "改",
        ),
    ],
    ids=["approved", "edited", "edited inside"],
)
async def test_a_secret_argument_is_masked_everywhere_but_in_the_call(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, reply: Any, note: str | None
) -> None:
    got: list[dict[str, Any]] = []

    async def send(arguments: dict[str, Any]) -> str:
        got.append(arguments)
        return "sent 已发送"

    takes = schema("api_key", "to")
    takes["properties"]["headers"] = {"type": "object"}
    endpoint.script(
        plan=[steps({"description": "send it 发送", "tool": "send_it"})],
        fill=[fills(s1={"api_key": TOKEN, "to": "alice 爱丽丝", "headers": HEADERS})],
        answer=["sent"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        opened.library.register(made("send_it", send, takes=takes, writes=True))
        events = [event async for event in opened.stream("send it 发送", thread_id="t")]
        waiting = await opened.report("t")
        events += [event async for event in opened.stream_resume("t", reply)]
        done = await opened.report("t")
        attempts = await opened.journal.attempts(done.run_id)
    assert done.status == "answered"
    assert got[0]["api_key"] == TOKEN
    if note is not None:
        assert got[0]["headers"] == {**HEADERS, "X-Note": note}
    steps_seen = [event for event in events if event["event"] in {"step", "approval"}]
    for shown in (waiting.waiting_for, attempts, done.steps, done.failures, steps_seen):
        assert TOKEN not in str(shown)
