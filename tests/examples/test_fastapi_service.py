"""examples/fastapi_service, started as its README says and asked over HTTP: streams, approvals, users."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from switchyard.app.places import ROOT
from tests.support.surroundings import own_environment

START_SECONDS = 90
MOST_LOOKS = 2000
ADDRESS = re.compile(r"running on (http://\S+)")
USERS = {"token-fang": "王芳", "token-ben": "Ben"}
WAITING_TOOL = '''
import asyncio
from switchyard import BaseToolParams, ToolContext, tool


class WatchParams(BaseToolParams):
    """What to watch. 看什么。"""

    place: str


@tool(sentences=("watch the harbour {place}", "看着港口{place}"))
class WatchHarbour:
    """Watch a harbour until a ship comes. 看着港口，直到船来。"""

    async def execute(self, params: WatchParams, context: ToolContext) -> str:
        ship, log = context.workspace / f"ship {params.place}", context.workspace / f"log {params.place}"
        with log.open("a") as notes:
            notes.write("began\\n")
        try:
            while not ship.exists():
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            with log.open("a") as notes:
                notes.write("cancelled\\n")
            raise
        return f"a ship came to {params.place}"
'''
"""A call that ends when a file comes, and notes when it is cancelled."""


@dataclass
class Service:
    folder: Path
    url: str = ""
    lines: list[str] = field(default_factory=list[str])
    up: threading.Event = field(default_factory=threading.Event)

    def read(self, process: subprocess.Popen[str]) -> None:
        """Collect the log until the service ends; its own line says where it listens."""
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(line)
            if found := ADDRESS.search(line):
                self.url = found[1]
                self.up.set()
        self.up.set()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    running = Service(tmp_path_factory.mktemp("service"))
    workspace = running.folder / "workspace"
    workspace.mkdir()
    (tools := running.folder / "own").mkdir()
    (tools / "harbour.py").write_text(WAITING_TOOL, encoding="utf-8")
    settings = {"APP_MODEL": "none", "APP_WORKSPACE": str(workspace), "APP_TOOL_FOLDERS": json.dumps([str(tools)])}
    environment = own_environment(running.folder, **settings, SERVICE_TOKENS=json.dumps(USERS))
    command = [sys.executable, "-m", "uvicorn", "--app-dir", str(ROOT / "examples" / "fastapi_service"), "service:app"]
    with subprocess.Popen(
        [*command, "--port", "0"],
        cwd=running.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        reader = threading.Thread(target=running.read, args=(process,))
        reader.start()
        try:
            assert running.up.wait(START_SECONDS)
            assert running.url, "".join(running.lines)
            yield running
        finally:
            process.terminate()
            process.wait(timeout=30)
            reader.join()
    assert "Traceback" not in "".join(running.lines)
    assert "Application shutdown complete" in "".join(running.lines)


@pytest.fixture
def fang(service: Service) -> Generator[httpx.Client]:
    with httpx.Client(base_url=service.url, headers={"Authorization": "Bearer token-fang"}, timeout=60) as client:
        yield client


@pytest.fixture
def ben(service: Service) -> Generator[httpx.Client]:
    with httpx.Client(base_url=service.url, headers={"Authorization": "Bearer token-ben"}, timeout=60) as client:
        yield client


def streamed(client: httpx.Client, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a response, each as it came."""
    with client.stream("POST", path, json=body) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = list(response.iter_lines())
    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert [event["event"] for event in events] == names
    return events


def looked_until(client: httpx.Client, path: str, seen: Callable[[str], bool]) -> None:
    """Look at a thread until what is to be seen is seen: what another process does takes as long as it takes."""
    looks = (client.get(path).json()["status"] for _ in range(MOST_LOOKS))
    assert any(map(seen, looks)), client.get(path).text


@pytest.mark.parametrize(
    ("thread", "question", "expected"),
    [("en", "What is 15% of 2480?", "15% of 2480 = 372."), ("中文", "2480 的 15% 是多少？", "2480的15% = 372。")],
)
def test_an_answer_is_streamed(fang: httpx.Client, thread: str, question: str, expected: str) -> None:
    events = streamed(fang, f"/threads/{thread}/questions", {"question": question})
    assert [event["event"] for event in events][:2] == ["run", "plan"]
    assert (events[-1]["status"], events[-1]["answer"]) == ("answered", expected)
    assert fang.get(f"/threads/{thread}").json()["answer"] == expected


@pytest.mark.parametrize(
    ("question", "name", "text"),
    [('Write "hello" to greeting.txt', "greeting.txt", "hello"), ("把“你好”写入 问候.txt", "问候.txt", "你好")],
)
def test_a_write_waits_until_it_is_approved(
    service: Service, fang: httpx.Client, question: str, name: str, text: str
) -> None:
    path = f"/threads/{name}"
    waits = streamed(fang, f"{path}/questions", {"question": question})[-1]
    assert (waits["event"], waits["requests"][0]["tool"]) == ("approval", "write_to_file")
    assert fang.get(path).json()["status"] == "waiting"
    assert not (service.folder / "workspace" / name).exists()

    refused = fang.post(f"{path}/questions", json={"question": "What is 2+2?"})
    assert (refused.status_code, "not finished" in refused.json()["detail"]) == (422, True)

    done = streamed(fang, f"{path}/decisions", {"decisions": [{"type": "approve"}]})
    assert (done[-1]["event"], done[-1]["status"]) == ("answer", "answered")
    assert (service.folder / "workspace" / name).read_text(encoding="utf-8") == text


def test_what_is_rejected_is_not_done(service: Service, ben: httpx.Client) -> None:
    streamed(ben, "/threads/no/questions", {"question": "把“不”写入 不要.txt"})
    assert streamed(ben, "/threads/no/decisions", {"decisions": [{"type": "reject"}]})[-1]["event"] == "answer"
    assert not (service.folder / "workspace" / "不要.txt").exists()


def test_a_run_that_waits_may_be_given_up(fang: httpx.Client) -> None:
    streamed(fang, "/threads/up/questions", {"question": 'Write "x" to given-up.txt'})
    assert fang.post("/threads/up/abandon").status_code == 204
    assert streamed(fang, "/threads/up/resume", {}) == []  # nothing is left to finish
    assert streamed(fang, "/threads/up/questions", {"question": "2加2是多少"})[-1]["status"] == "answered"


@pytest.mark.parametrize(
    ("place", "question"),
    [("Hull", 'watch the harbour "Hull"'), ("宁波", "看着港口“宁波”")],
)
def test_a_browser_that_goes_away_stops_its_run_and_a_later_one_finishes_it(
    service: Service, fang: httpx.Client, place: str, question: str
) -> None:
    log, path = service.folder / "workspace" / f"log {place}", f"/threads/{place}"
    with fang.stream("POST", f"{path}/questions", json={"question": question}) as response:
        lines = response.iter_lines()  # httpx closes the response when nobody holds this any more
        while '"state": "running"' not in next(lines):
            pass
        looked_until(fang, path, lambda status: status == "running" and log.exists() and log.read_text() != "")
    looked_until(fang, path, lambda status: status == "cancelled" and "cancelled" in log.read_text())
    assert log.read_text().split() == ["began", "cancelled"]

    refused = fang.post(f"{path}/questions", json={"question": question})
    assert refused.status_code == 422
    (service.folder / "workspace" / f"ship {place}").touch()
    done = streamed(fang, f"{path}/resume", {})
    assert (done[-1]["event"], done[-1]["status"]) == ("answer", "answered")
    assert place in done[-1]["answer"]
    assert log.read_text().split() == ["began", "cancelled", "began"]


def test_each_user_has_threads_and_a_memory_of_their_own(fang: httpx.Client, ben: httpx.Client) -> None:
    streamed(fang, "/threads/mine/questions", {"question": "东京现在几点？"})
    assert ben.get("/threads/mine").status_code == 404
    assert "东京现在几点？" in fang.get("/memory").json()["get_time"]
    assert "get_time" not in ben.get("/memory").json()
    assert fang.delete("/memory").status_code == 204
    assert fang.get("/memory").json() == {}
    assert fang.delete("/threads/mine").status_code == 204
    assert fang.get("/threads/mine").status_code == 404


@pytest.mark.parametrize(("language", "said"), [("en-GB", "question"), ("zh-CN", "问题")])
def test_what_is_wrong_is_said_in_both_languages(fang: httpx.Client, language: str, said: str) -> None:
    wrong = fang.post("/threads/t/questions", json={"question": " "}, headers={"Accept-Language": language})
    assert (wrong.status_code, said in wrong.json()["detail"]) == (422, True)


def test_a_stranger_is_told_nothing(service: Service) -> None:
    for headers in ({}, {"Authorization": "Bearer nobody"}):
        assert httpx.get(f"{service.url}/memory", headers=headers).status_code == 401
