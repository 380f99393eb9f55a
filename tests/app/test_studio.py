"""`make studio` in a folder of its own, with nothing set: the real LangGraph server serves the graph."""

import os
import re
import shutil
import signal
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
from langgraph.types import Command
from langgraph_sdk import get_client

from switchyard.ledger.options import RunOptions

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90
UP = "Application started up"


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
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as a newcomer has it: what is written goes here, and not into the tree the tests are in."""
    folder = tmp_path_factory.mktemp("studio") / "switchyard"
    left_out = shutil.ignore_patterns(".*", "tests", "__pycache__", "*.egg-info", "build")
    shutil.copytree(ROOT, folder, ignore=left_out, symlinks=True)
    return folder


@pytest.fixture(scope="module")
def server(clone: Path) -> Generator[Server]:
    """`make studio`, with nothing set; only its port is chosen, and no browser is opened."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ours = ("APP_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_", "XDG_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {"HOME": str(clone.parent), "NO_COLOR": "1"}
    command = ["make", "studio", f"VENV={sys.prefix}", f"STUDIO=--port {port} --no-browser --no-reload"]
    command += [
        "-o",
        f"{sys.prefix}/.installed-dev",
    ]  # what the tests run in is installed, and not to be made anew here
    with subprocess.Popen(
        command,
        cwd=clone,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
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
            os.killpg(process.pid, signal.SIGTERM)  # make, and the server below it
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
    given = schemas["input_schema"]["properties"]
    assert {name for name, field in given.items() if field["description"]} == {"question", "messages"}
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


APPROVALS: list[tuple[str, str, str]] = [
    ('Write "hello" to studio-en.txt', "studio-en.txt", "hello"),
    ("把“你好”写入 studio-zh.txt", "studio-zh.txt", "你好"),
]


@pytest.mark.parametrize(("question", "name", "text"), APPROVALS)
async def test_a_run_waits_for_approval_is_resumed_and_asked_again(
    client: Any, clone: Path, question: str, name: str, text: str
) -> None:
    thread = (await client.threads.create())["thread_id"]
    waiting = await client.runs.wait(thread, "switchyard", input={"question": question})
    assert waiting["status"] == "waiting"
    assert [request["tool"] for request in waiting["__interrupt__"][0]["value"]["requests"]] == ["write_to_file"]
    assert not (clone / name).exists()
    done = await client.runs.wait(thread, "switchyard", command={"resume": "approve"})
    assert done["status"] == "answered"
    assert (clone / name).read_text(encoding="utf-8") == text
    again = await client.runs.wait(thread, "switchyard", input={"question": "What is 6 times 7?"})
    assert (again["status"], "42" in again["answer"]) == ("answered", True)


@pytest.mark.parametrize(
    ("question", "name"),
    [('Write "no" to refused-en.txt', "refused-en.txt"), ("把“不”写入 refused-zh.txt", "refused-zh.txt")],
)
async def test_a_refused_call_is_not_made(client: Any, clone: Path, question: str, name: str) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "switchyard", input={"question": question})
    done = await client.runs.wait(thread, "switchyard", command={"resume": "refuse"})
    assert done["status"] == "failed"
    assert not (clone / name).exists()


@pytest.mark.parametrize("question", ["What is 15% of 2480?", "2480 的 15% 是多少？"])
async def test_a_state_that_was_edited_goes_on_with_the_edit(client: Any, question: str) -> None:
    thread = (await client.threads.create())["thread_id"]
    first = await client.runs.wait(thread, "switchyard", input={"question": question})
    assert "372" in first["answer"]
    [before] = [one for one in await client.threads.get_history(thread, limit=50) if one["next"] == ["execute"]]
    assigned = before["values"]["assignments"]
    edited = {**assigned, "s1": {**assigned["s1"], "arguments": {"expression": "50% of 2480"}}}
    fork = await client.threads.update_state(thread, {"assignments": edited}, checkpoint=before["checkpoint"])
    done = await client.runs.wait(thread, "switchyard", checkpoint=fork["checkpoint"])
    assert (done["status"], "1240" in done["answer"]) == ("answered", True)


async def test_a_remote_graph_is_interrupted_and_resumed(server: Server, client: Any, clone: Path) -> None:
    remote: Any = RemoteGraph("switchyard", url=server.url, client=client)
    config = {"configurable": {"thread_id": (await client.threads.create())["thread_id"]}}
    assert (await remote.ainvoke({"question": "把“好”写入 remote.txt"}, config))["status"] == "waiting"
    done = await remote.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert done["status"] == "answered"
    assert (clone / "remote.txt").read_text(encoding="utf-8") == "好"


async def test_nothing_blocked_and_no_type_was_refused(server: Server) -> None:
    log = "".join(server.lines)
    assert "Created run" in log
    assert "Blocking call" not in log
    assert "BlockingError" not in log
    assert "unregistered type" not in log.lower()
    assert "Blocked deserialization" not in log
    assert "Traceback" not in log


# last: the server logs a traceback of each
@pytest.mark.parametrize(
    ("question", "context", "said"),
    [
        ("What is 2+2?", {"tools": ["nope"]}, "There is no tool 'nope'"),
        (["2+2"], {}, "`question` has to be a text"),
    ],
)
async def test_what_cannot_be_used_is_an_error_with_its_sentence(
    client: Any, question: Any, context: dict[str, Any], said: str
) -> None:
    with pytest.raises(Exception, match=said):
        await client.runs.wait(None, "switchyard", input={"question": question}, context=context)
