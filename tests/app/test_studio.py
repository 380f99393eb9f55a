"""The real LangGraph development server serves the graph, as Studio uses it."""

import re
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client

from ledger.options import RunOptions
from tests.support.surroundings import own_environment

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90
UP = "Application started up"

pytestmark = pytest.mark.studio


@dataclass
class Server:
    url: str
    lines: list[str] = field(default_factory=list[str])
    up: threading.Event = field(default_factory=threading.Event)

    def read(self, process: subprocess.Popen[str]) -> None:
        """Collect the server's log until it ends; its own line says that it is up."""
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(re.sub(r"\x1b\[[0-9;]*m", "", line))
            if UP in line:
                self.up.set()
        self.up.set()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """`langgraph dev` on a free port, with a data folder of its own."""
    folder = tmp_path_factory.mktemp("studio")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = own_environment(folder, APP_WORKSPACE=str(ROOT), NO_COLOR="1")
    del environment["APP_MCP_FILES"]  # the shipped servers are there too
    command = [str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        running = Server(f"http://127.0.0.1:{port}")
        reader = threading.Thread(target=running.read, args=(process,))
        reader.start()
        try:
            assert running.up.wait(START_SECONDS), "".join(running.lines)[-3000:]
            assert process.poll() is None, "".join(running.lines)[-3000:]
            # its own line comes a moment before the socket listens: the transport tries again until it does
            with httpx.Client(transport=httpx.HTTPTransport(retries=8)) as client:
                client.get(f"{running.url}/ok").raise_for_status()
            yield running
        finally:
            process.terminate()
            process.wait(timeout=30)
            reader.join()


@pytest.fixture
async def client(server: Server) -> AsyncGenerator[Any]:
    async with get_client(url=server.url) as opened:
        yield opened


def test_the_server_is_up(server: Server) -> None:
    assert httpx.get(f"{server.url}/ok").json()["ok"] is True


async def test_the_picture_has_the_four_labelled_edges(client: Any) -> None:
    assistant = (await client.assistants.search(graph_id="switchyard"))[0]
    picture = await client.assistants.get_graph(assistant["assistant_id"])
    labelled = {(edge["target"], edge.get("data")) for edge in picture["edges"] if edge["source"] == "coordinate"}
    assert labelled == {
        ("execute", "execute_tool"),
        ("select_tools", "switch_tool"),
        ("plan", "replan"),
        ("__end__", "complete"),
    }


async def test_the_form_has_the_question_and_the_settings_with_descriptions(client: Any) -> None:
    assistant = (await client.assistants.search(graph_id="switchyard"))[0]
    schemas = await client.assistants.get_schemas(assistant["assistant_id"])
    assert {"question", "messages"} <= set(schemas["input_schema"]["properties"])
    fields = schemas["context_schema"]["properties"]
    assert set(fields) == set(RunOptions.model_fields)
    assert all(field["description"] for field in fields.values())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is 15% of 2480, and what time is it in Tokyo?", "Tokyo"),
        ("2480的15%是多少，东京现在几点？", "东京"),
        ("Read README.mdx", "README.md"),
        ("写一首诗", "APP_MODEL"),
    ],
)
async def test_a_question_streams_to_its_answer(client: Any, question: str, expected: str) -> None:
    thread = await client.threads.create()
    events: list[str] = []
    async for part in client.runs.stream(
        thread["thread_id"], "switchyard", input={"question": question}, stream_mode=["updates", "custom"]
    ):
        assert part.event != "error", part.data
        events.append(part.event)
    state = await client.threads.get_state(thread["thread_id"])
    values = state["values"]
    assert expected in values["answer"]
    assert values["messages"][-1]["content"] == values["answer"]
    assert {"updates", "custom"} <= set(events)


async def test_a_second_question_in_a_thread_is_answered_for_itself(client: Any) -> None:
    thread = await client.threads.create()
    for question, expected in (("What is 2+2?", "4"), ("3乘以5是多少", "15")):
        message = {"role": "user", "content": question}
        state = await client.runs.wait(thread["thread_id"], "switchyard", input={"messages": [message]})
        assert expected in state["answer"]


async def test_settings_of_the_form_reach_the_run(client: Any) -> None:
    state = await client.runs.wait(
        None, "switchyard", input={"question": "What is 2+2?"}, context={"max_tool_calls": 0}
    )
    assert state["context"]["limits_hit"] == ["tool_calls"]


async def test_a_remote_graph_works_like_a_local_one(server: Server, client: Any) -> None:
    remote = RemoteGraph("switchyard", url=server.url, client=client)
    for question in ("What is 6 times 7?", "6乘以7是多少"):
        result = await remote.ainvoke({"question": question})
        assert "42" in cast("dict[str, Any]", result)["answer"]


async def test_nothing_blocked_and_every_type_was_registered(server: Server) -> None:
    log = "".join(server.lines)
    assert "Created run" in log
    assert "Blocking call" not in log
    assert "unregistered type" not in log.lower()
    assert "Traceback" not in log
