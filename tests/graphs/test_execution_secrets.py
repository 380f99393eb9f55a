"""Secrets among the arguments reach the tool, and nobody else: not what is stored, shown, streamed or learned."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.app.events import Event
from switchyard.app.orchestrator import Orchestrator
from switchyard.app.report import RunReport
from switchyard.ledger.secrets import RunSecrets, plain
from switchyard.tools.core import ToolResult
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
        opened.hub.registry.add(made("send_it", send, takes=takes, writes=True))
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


PASSWORD, IN_URL, LOGIN = "hunter2-口令-secret", "query-secret-5566", "user:log-in-secret"
WRITTEN: dict[str, Any] = {
    "api_key": TOKEN,
    "to": f"https://{LOGIN}@a.example/x?token={IN_URL}&a=1",
    "headers": {**HEADERS, "Cookie": "a=cookie-secret"},
    "body": '{"password":  "' + PASSWORD + '",\n "名": "值"}',
}
SECRETS = (TOKEN, PASSWORD, IN_URL, LOGIN, "log-in-secret", "cookie-secret")


def stored_in(folder: Path) -> bytes:
    """Every byte the database has, its log included."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("runs.sqlite*")))


class Waiting:
    """A run of a model's call with secrets, kept in a file; the call waits for a person."""

    def __init__(self, open_with: OpenOrchestrator, endpoint: Endpoint, folder: Path) -> None:
        self.got: list[dict[str, Any]] = []
        self.events: list[Event] = []
        self._folder = folder
        self._open = partial(open_with, base_url=endpoint.url, model="scripted", database=str(folder / "runs.sqlite"))
        endpoint.script(
            plan=[steps({"description": "send it 发送", "tool": "send_it"})],
            fill=[fills(s1=WRITTEN)],
            answer=["sent 已发送"],
        )

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Orchestrator]:
        takes = schema("api_key", "to", "body")
        takes["properties"]["headers"] = {"type": "object"}
        async with self._open() as opened:
            opened.hub.registry.add(made("send_it", self._send, takes=takes, writes=True))
            yield opened

    async def _send(self, arguments: dict[str, Any]) -> str:
        self.got.append(arguments)
        return "sent 已发送"

    async def ask(self, opened: Orchestrator) -> RunReport:
        self.events += [event async for event in opened.stream("send it 发送", thread_id="t")]
        return await opened.report("t")

    async def reply(self, opened: Orchestrator, reply: Any) -> RunReport:
        self.events += [event async for event in opened.stream_resume("t", reply)]
        return await opened.report("t")

    def stored(self) -> bytes:
        return stored_in(self._folder)


@pytest.fixture
def waiting(orchestrator_with: OpenOrchestrator, endpoint: Endpoint, tmp_path: Path) -> Waiting:
    return Waiting(orchestrator_with, endpoint, tmp_path)


@pytest.mark.parametrize("secret", SECRETS)
async def test_no_secret_that_a_model_wrote_is_stored_or_streamed(waiting: Waiting, secret: str) -> None:
    async with waiting.open() as opened:
        asked = await waiting.ask(opened)
        while_waiting = waiting.stored()
        done = await waiting.reply(opened, "approve")
    assert (asked.status, done.status) == ("waiting", "answered")
    assert waiting.got == [WRITTEN]
    for kept in (while_waiting, waiting.stored()):
        assert secret.encode() not in kept
        assert json.dumps(secret)[1:-1].encode() not in kept
    assert secret not in json.dumps(waiting.events, ensure_ascii=False)
    assert secret not in asked.model_dump_json()
    assert secret not in done.model_dump_json()


@pytest.mark.parametrize("reply", ["approve", "批准"])
async def test_after_a_restart_the_person_is_asked_for_the_secrets_again(waiting: Waiting, reply: str) -> None:
    async with waiting.open() as opened:
        await waiting.ask(opened)
    async with waiting.open() as opened:
        again = await waiting.reply(opened, reply)
        assert waiting.got == []
        assert isinstance(again.waiting_for, list)
        assert [request.why for request in again.waiting_for] == ["secret_lost"]
        asked = again.waiting_for[0].arguments
        given = {**asked, "api_key": TOKEN, "to": "b.example", "headers": HEADERS, "body": "{}"}
        done = await waiting.reply(opened, {"s1": {"decision": "edit", "arguments": given}})
    assert done.status == "answered"
    assert waiting.got == [{"api_key": TOKEN, "to": "b.example", "headers": HEADERS, "body": "{}"}]
    assert TOKEN.encode() not in waiting.stored()


async def test_what_was_learned_holds_no_secret_of_the_question(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    async def send(arguments: dict[str, Any]) -> str:
        return "sent 已发送"

    endpoint.script(
        plan=[steps({"description": f"send it with {TOKEN} 发送", "tool": "send_it"})],
        fill=[fills(s1={"api_key": TOKEN})],
        answer=["sent"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted", auto_approve=True) as opened:
        opened.hub.registry.add(made("send_it", send, takes=schema("api_key"), writes=True))
        done = await opened.ask(f"发送 with {TOKEN}")
        learned = [str(item.value) for item in await opened.storage.store.asearch(("experience",), limit=100)]
    assert done.status == "answered"
    assert any("send_it" in row for row in learned)
    assert TOKEN not in "".join(learned)


@given(
    st.recursive(
        st.text() | st.integers() | st.booleans() | st.none(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["token", "名", "url", "Authorization"]), inner)
        ),
        max_leaves=8,
    )
)
def test_what_is_hidden_comes_back_as_it_was(value: Any) -> None:
    held = RunSecrets()
    given_arguments = {"password": value, "body": value, "url": f"https://u:p@a.example/?token={quote(str(value))}"}
    hidden = held.hide(given_arguments)
    assert json.loads(json.dumps(held.reveal(hidden))) == given_arguments
    assert held.hide(hidden) == hidden
    assert not held.lost(hidden)
    assert RunSecrets().lost(hidden) == (plain(hidden) != given_arguments)


EDITED: list[tuple[str, str]] = [
    ("http://***@a.example/y?token=***&a=1", f"http://{LOGIN}@a.example/y?token={IN_URL}&a=1"),
    ("看 http://***@b.example/?token=***", f"看 http://{LOGIN}@b.example/?token={IN_URL}"),
]


@pytest.mark.parametrize(("edited", "sent"), EDITED)
async def test_a_mask_that_is_left_inside_an_edited_text_means_what_was_there(
    waiting: Waiting, edited: str, sent: str
) -> None:
    body = '{"password": "***", "名": "改"}'
    async with waiting.open() as opened:
        asked = await waiting.ask(opened)
        assert isinstance(asked.waiting_for, list)
        given = {**asked.waiting_for[0].arguments, "to": edited, "body": body}
        done = await waiting.reply(opened, {"s1": {"decision": "edit", "arguments": given}})
    assert done.status == "answered"
    assert waiting.got[0]["to"] == sent
    assert json.loads(waiting.got[0]["body"]) == {"password": PASSWORD, "名": "改"}
    assert waiting.got[0]["headers"] == WRITTEN["headers"]


async def test_a_mask_too_many_is_asked_for_again_and_never_sent(waiting: Waiting) -> None:
    async with waiting.open() as opened:
        asked = await waiting.ask(opened)
        assert isinstance(asked.waiting_for, list)
        given = {**asked.waiting_for[0].arguments, "to": "http://***@a.example/?token=***&key=***"}
        again = await waiting.reply(opened, {"s1": {"decision": "edit", "arguments": given}})
    assert isinstance(again.waiting_for, list)
    assert [request.why for request in again.waiting_for] == ["secret_lost"]
    assert waiting.got == []


REPEATED = "secret-that-is-repeated-重复"


@pytest.mark.parametrize("fails", [False, True])
async def test_a_secret_that_a_tool_or_another_argument_repeats_is_stored_nowhere(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, tmp_path: Path, *, fails: bool
) -> None:
    got: list[dict[str, Any]] = []

    async def send(arguments: dict[str, Any]) -> Any:
        got.append(arguments)
        return ToolResult.failed(f"could not use {REPEATED}", "not_found") if fails else {"echo": f"I got {REPEATED}"}

    written = {"password": REPEATED, "text": f"use {REPEATED} 用"}
    endpoint.script(
        plan=[steps({"description": f"send it with {REPEATED}", "tool": "send_it"})],
        fill=[fills(s1=written)],
        decide=[{"action": "complete", "reason": f"{REPEATED} was wrong"}],
        answer=[f"sent {REPEATED}"],
    )
    settings: dict[str, Any] = {
        "base_url": endpoint.url,
        "model": "scripted",
        "database": str(tmp_path / "runs.sqlite"),
    }
    async with orchestrator_with(**settings) as opened:
        opened.hub.registry.add(made("send_it", send, takes=schema("password", "text"), writes=True))
        await opened.ask("send it 发送", thread_id="t")
        done = await opened.resume("t", "approve")
    assert got == [written]
    kept = stored_in(tmp_path)
    shown = done.model_dump_json(exclude={"plan"})
    assert REPEATED not in shown
    # the plan was made before anybody could know that this is a secret
    where = [kept[match.start() - 40 : match.start()] for match in re.finditer(re.escape(REPEATED.encode()), kept)]
    assert [before for before in where if not before.endswith(b"send it with ")] == []
