"""Whoever approves a call sees what it would do, and is never asked about one that cannot run (R1.6)."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.execution import approval
from switchyard.agents.execution.approval import LINE_LENGTH, MAX_LINES, ApprovalRequest
from switchyard.app.orchestrator import Orchestrator
from switchyard.app.report import RunReport
from switchyard.tools.core.effect import Effect
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.web_server import WebServer, as_json, web_server

QUESTIONS = ["do it", "做吧"]
TOKEN = "sk-abcdef1234567890"


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        running.pages["/users"] = as_json({"ok": True})
        yield running


class Asking:
    """A run whose plan is one call."""

    def __init__(self, open_with: OpenOrchestrator, endpoint: Endpoint) -> None:
        self._open_with = open_with
        self._endpoint = endpoint

    def open(self, **settings: Any) -> AbstractAsyncContextManager[Orchestrator]:
        return self._open_with(base_url=self._endpoint.url, model="scripted", **settings)

    def script(self, tool: str, *calls: dict[str, Any], action: str | None = None) -> None:
        """The call, and those a model makes instead after it failed."""
        first, *others = [{**call, **({"action": action} if action else {})} for call in calls]
        again: list[dict[str, Any]] = [{"action": "execute_tool", "arguments": {"s1": call}} for call in others]
        self._endpoint.script(
            plan=[steps({"description": "the call 调用", "tool": tool})],
            rank=[{"choices": {"s1": [tool]}}],
            fill=[fills(s1=first)],
            decide=[*again, {"action": "complete"}],
            answer=["done 好了"],
        )

    async def __call__(
        self, tool: str, *calls: dict[str, Any], action: str | None = None, question: str = "do it 做", **settings: Any
    ) -> RunReport:
        self.script(tool, *calls, action=action)
        async with self.open(**settings) as opened:
            return await opened.ask(question)


@pytest.fixture
def asking(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> Asking:
    return Asking(orchestrator_with, endpoint)


def requests_of(report: RunReport) -> list[ApprovalRequest]:
    return report.waiting_for if isinstance(report.waiting_for, list) else []


def effect_of(report: RunReport) -> list[Effect]:
    [request] = requests_of(report)
    return request.effect


@pytest.mark.parametrize(
    ("mode", "diff"),
    [
        ("overwrite", ["@@ -1,2 +1 @@", "-买牛奶", "-buy bread", "+oops"]),
        ("append", ["@@ -1,2 +1,2 @@", " 买牛奶", "-buy bread", "+buy breadoops"]),
    ],
)
async def test_of_a_file_that_is_there_the_change_is_shown(
    asking: Asking, workspace: Path, mode: str, diff: list[str]
) -> None:
    (workspace / "清单.md").write_text("买牛奶\nbuy bread", encoding="utf-8")
    report = await asking("write_to_file", {"path": "清单.md", "content": "oops", "mode": mode})
    text = "\n".join(["--- 清单.md", "+++ 清单.md", *diff])
    assert effect_of(report) == [Effect(kind="changes", target="清单.md", text=text)]
    assert (workspace / "清单.md").read_text(encoding="utf-8") == "买牛奶\nbuy bread"


@pytest.mark.parametrize(("there", "kind"), [(None, "creates"), ("你好", "leaves")])
async def test_it_is_said_whether_a_file_is_there(
    asking: Asking, workspace: Path, there: str | None, kind: str
) -> None:
    if there is not None:
        (workspace / "a.txt").write_text(there, encoding="utf-8")
    report = await asking("write_to_file", {"path": "a.txt", "content": "你好"})
    assert [(one.kind, one.target) for one in effect_of(report)] == [(kind, "a.txt")]


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


FILES = {"a.csv": "n\n1\n", "b.csv": "n\n2\n", "all.csv": "n\n9\n"}


@pytest.mark.parametrize(
    ("action", "arguments", "kinds", "said"),
    [
        ("convert", {"path": "a.csv", "format": "json"}, [("creates", "a.json")], '+    "n": 1'),
        (
            "merge",
            {"paths": ["a.csv", "b.csv"], "output": "all.csv", "header": True, "overwrite": True},
            [("changes", "all.csv")],
            "-9",
        ),
        ("split", {"path": "a.csv", "lines": 1}, [("creates", "a.001.csv … a.002.csv")], "a.002.csv"),
    ],
)
async def test_what_is_made_of_files_is_shown(
    *,
    asking: Asking,
    workspace: Path,
    action: str,
    arguments: dict[str, Any],
    kinds: list[tuple[str, str]],
    said: str,
) -> None:
    for name, text in FILES.items():
        (workspace / name).write_text(text, encoding="utf-8")
    effect = effect_of(await asking("file_processor", arguments, action=action))
    assert [(one.kind, one.target) for one in effect] == kinds
    assert said in effect[0].text.splitlines()
    assert contents(workspace) == FILES


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    ("body", "text"), [({"name": "小明"}, '{"name": "小明"}'), ("你好 hello", "你好 hello"), (None, "")]
)
async def test_of_a_request_method_address_and_body_are_shown(
    asking: Asking, server: WebServer, method: str, body: Any, text: str
) -> None:
    call = {"url": f"{server.url}/users", "method": method, "params": {"page": 2}, "body": body}
    report = await asking("api_caller", call, action="send", allow_private=[f"127.0.0.1:{server.port}"])
    target = f"{method} {server.url}/users?page=2"
    assert effect_of(report) == [Effect(kind="sends", target=target, text=text)]
    assert server.asked == []


async def test_secrets_are_in_no_effect(asking: Asking, workspace: Path, server: WebServer) -> None:
    call = {
        "url": server.url.replace("://", "://me:geheim123@") + f"/users?api_key={TOKEN}",
        "headers": {"X-Token": "geheim123"},
        "body": {"password": "geheim123", "note": f"geheim123 {TOKEN}"},
    }
    sent = await asking("api_caller", call, action="send", allow_private=["*"])
    (workspace / "settings.env").write_text(f"DB_PASSWORD=geheim123\nname: 小明\nother={TOKEN}\n", encoding="utf-8")
    written = await asking("write_to_file", {"path": "settings.env", "content": "level=3\n", "mode": "append"})
    for report in (sent, written):
        [effect] = effect_of(report)
        assert "geheim" not in effect.model_dump_json()
        assert TOKEN not in effect.model_dump_json()
    assert "小明" in effect_of(written)[0].text


async def test_a_long_change_is_cut_and_says_by_how_much(asking: Asking, workspace: Path) -> None:
    (workspace / "a.txt").write_text("\n".join(f"旧 {n}" for n in range(100)), encoding="utf-8")
    [effect] = effect_of(await asking("write_to_file", {"path": "a.txt", "content": "新" * 10_000}))
    assert len(effect.text.splitlines()) == MAX_LINES
    assert effect.left_out == 104 - MAX_LINES  # three heads, a hundred lines that go, one that comes
    [effect] = effect_of(await asking("write_to_file", {"path": "a.txt", "content": "新" * 10_000, "mode": "append"}))
    assert max(map(len, effect.text.splitlines())) == LINE_LENGTH + 1


PREVIEWING = '''
import asyncio

from switchyard.tools.core import BaseToolParams, Effect, ToolContext, tool


class LabelParams(BaseToolParams):
    label: str


@tool(writes=True)
class Paint:
    """Paint a label. 涂色。"""

    async def execute(self, params: LabelParams, context: ToolContext) -> str:
        return "painted"

    async def preview(self, params: LabelParams, context: ToolContext) -> list[Effect]:
        if params.label == "crash":
            raise RuntimeError(params.label)
        if params.label == "hang":
            await asyncio.Event().wait()
        return [Effect(kind="changes", target=params.label)]
'''


@pytest.mark.parametrize(("label", "said"), [("墙 wall", ["墙 wall"]), ("crash", []), ("hang", [])])
async def test_a_tool_of_ones_own_may_say_what_it_does_and_nobody_waits_for_one_that_cannot(
    asking: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str, said: list[str]
) -> None:
    monkeypatch.setattr(approval, "PREVIEW_SECONDS", 1.0)
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "paint.py").write_text(PREVIEWING, encoding="utf-8")
    report = await asking("paint", {"label": label}, tool_folders=[folder])
    assert [one.target for one in effect_of(report)] == said


CANNOT_RUN: list[tuple[str, str | None, dict[str, Any], str]] = [
    ("write_to_file", None, {"path": "a.txt", "content": "四", "mode": "sideways"}, "bad_arguments"),
    ("write_to_file", None, {"path": "a.txt"}, "bad_arguments"),
    ("write_to_file", None, {"path": "a.txt", "content": "新", "colour": "red"}, "bad_arguments"),
    ("write_to_file", None, {"path": "there.txt", "content": "新", "mode": "create"}, "bad_arguments"),
    ("write_to_file", None, {"path": "../outside.txt", "content": "新"}, "permission"),
    ("file_processor", "convert", {"path": "missing.csv", "format": "json"}, "not_found"),
    ("api_caller", "send", {"url": "https://example.com/", "method": "GET"}, "bad_arguments"),
    ("api_caller", "send", {"url": "http://127.0.0.1:1/"}, "permission"),
    ("api_caller", "send", {"url": "ftp://example.com/"}, "bad_arguments"),
]


@pytest.mark.parametrize(("tool", "action", "arguments", "kind"), CANNOT_RUN)
async def test_nobody_is_asked_about_a_call_that_cannot_run(
    *, asking: Asking, workspace: Path, tool: str, action: str | None, arguments: dict[str, Any], kind: str
) -> None:
    (workspace / "there.txt").write_text("旧", encoding="utf-8")
    report = await asking(tool, arguments, action=action)
    assert report.status == "failed"
    assert [(failure.tool, failure.kind) for failure in report.failures] == [(tool, kind)]
    assert report.usage.tool_calls == 0


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_run_goes_on_after_a_call_that_cannot_run(asking: Asking, workspace: Path, question: str) -> None:
    wrong, right = {"path": "a.txt", "mode": "四"}, {"path": "a.txt", "content": "四 4"}
    report = await asking("write_to_file", wrong, right, question=question)
    assert [request.arguments for request in requests_of(report)] == [right]
    assert len(report.failures) == 1


@pytest.mark.parametrize("question", QUESTIONS)
async def test_nobody_is_asked_about_a_call_that_failed_for_good(
    asking: Asking, server: WebServer, question: str
) -> None:
    call: dict[str, Any] = {"url": f"{server.url}/missing", "body": "你好"}
    asking.script("api_caller", call, call, action="send")
    async with asking.open(allow_private=["*"], max_attempts=5) as opened:
        waiting = await opened.ask(question)
        assert requests_of(waiting)
        report = await opened.resume(waiting.thread_id, "approve")
    assert report.status == "failed"
    assert len(server.asked) == 1
    assert len(report.failures) == 1  # what is refused is no failure of its own
