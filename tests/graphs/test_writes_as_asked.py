"""Without a model a question that writes or sends is carried out whole and as asked, or nothing of it is (R8.1)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from switchyard.app.report import RunReport
from switchyard.ledger.options import RunOptions
from tests.conftest import OpenOrchestrator
from tests.support.web_server import WebServer, as_json, web_server

BEFORE = {"b.txt": "bee\n", "c.csv": "n\n1\n"}
"""The files there are; a.txt is made by what is asked."""


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        running.pages |= {path: as_json({"ok": True}) for path in ("/x", "/y")}
        yield running


async def asked(open_with: OpenOrchestrator, server: WebServer, *questions: str) -> list[RunReport]:
    """Ask one after the other in one thread, with everything approved beforehand; U stands for the server."""
    async with open_with(allow_private=[f"127.0.0.1:{server.port}"]) as opened:
        options = RunOptions(auto_approve=True)
        return [
            await opened.ask(question.replace("U/", f"{server.url}/"), thread_id="t", options=options)
            for question in questions
        ]


def fill(workspace: Path) -> None:
    for name, text in BEFORE.items():
        (workspace / name).write_text(text, encoding="utf-8")


def files(workspace: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in workspace.iterdir()}


def sent(server: WebServer) -> list[str]:
    return [f"{request.method} {request.path}" for request in server.asked]


HALF_UNDERSTOOD = [
    # another file that something else is to be done with
    "Write 'hello' to a.txt and delete b.txt",
    "Write 'hello' to a.txt and then remove b.txt",
    "Write 'hello' to a.txt and empty b.txt",
    "Write 'hello' to a.txt and not b.txt",
    "Write 'hello' to a.txt and then rename it to d.txt",
    "Write 'hello' to a.txt and leave b.txt alone",
    "Write 'hello' to a.txt and then back up b.txt",
    "Write 'hello' to a.txt. What about b.txt?",
    "把“你好”写入 a.txt，b.txt 呢？",
    # a condition
    "Write 'hello' to a.txt if it is there",
    "把“你好”写入 a.txt，除非它已存在",
    "把“你好”写入 a.txt，若它不存在",
    # a count of times
    "Write 'hello' to a.txt twice",
    "Append 'x' to b.txt twice",
    "Append 'x' to b.txt again and again",
    # an act that no tool has
    "Append 'x' to b.txt and sort it",
    "Write 'b a' to a.txt and sort it",
    # one of two, or both of which one would be lost
    "Write 'hello' to a.txt or b.txt",
    "Compute 2+2 and save the result to a.txt and b.txt",
    "Write 'hello' and 'bye' to a.txt",
    "把“你好”和“再见”写入 a.txt",
    'POST {"a": 1} to U/x or U/y',
    "Append 'x' to b.txt repeatedly",
    # words for a value are no value
    "Write its content to a.txt",
]
SAID_OTHERWISE = [
    "把“你好”写入 a.txt，删除 b.txt",
    "把“你好”写入 a.txt，然后清空 b.txt",
    "把“你好”写入 a.txt，别动 b.txt",
    "把“你好”写入 a.txt，然后重命名为 d.txt",
    "把“你好”写入 a.txt，然后备份 b.txt",
    "Write 'hello' to a.txt unless it exists",
    "Write 'hello' to a.txt only if c.csv is there",
    "如果 c.csv 存在，把“你好”写入 a.txt",
    "要是 c.csv 存在，就把“你好”写入 a.txt",
    "把“x”追加到 b.txt 两次",
    "把“x”追加到 b.txt 三遍",
    "把“x”追加到 b.txt，然后排序",
    "把“你好”写入 a.txt 或 b.txt",
    '把 {"a": 1} POST 到 U/x 或 U/y',
]
"""The same in the other language, or in other words."""


@pytest.mark.parametrize("question", [*HALF_UNDERSTOOD, *SAID_OTHERWISE])
async def test_what_is_understood_by_half_is_not_begun(
    *, orchestrator_with: OpenOrchestrator, server: WebServer, workspace: Path, question: str
) -> None:
    fill(workspace)
    [report] = await asked(orchestrator_with, server, question)
    assert (files(workspace), sent(server)) == (BEFORE, [])
    assert report.status == "failed"
    assert report.usage.tool_calls == 0
    assert question[:5] in report.answer


FOLLOW_UPS = [
    ("Write 'hello' to a.txt", "delete b.txt"),
    ("Write 'hello' to a.txt", "don't touch b.txt"),
    ("Write 'hello' to a.txt", "leave b.txt alone"),
    ("Write 'hello' to a.txt", "restore b.txt"),
    ("Write 'hello' to a.txt", "What about b.txt?"),
    ("Write 'hello' to a.txt", "and 'bye'?"),
    ("把“hello”写入 a.txt", "删除 b.txt"),
    ("把“hello”写入 a.txt", "别动 b.txt"),
    ("把“hello”写入 a.txt", "还原 b.txt"),
    ("把“hello”写入 a.txt", "b.txt 呢？"),
]


@pytest.mark.parametrize(("first", "second"), FOLLOW_UPS)
async def test_a_follow_up_writes_no_other_file(
    *, orchestrator_with: OpenOrchestrator, server: WebServer, workspace: Path, first: str, second: str
) -> None:
    fill(workspace)
    _, report = await asked(orchestrator_with, server, first, second)
    assert files(workspace) == {**BEFORE, "a.txt": "hello"}
    assert report.status == "failed"
    assert report.usage.tool_calls == 0


@pytest.mark.parametrize(
    ("first", "second", "request_"),
    [
        ("DELETE U/x", "consider U/y", "DELETE /x"),
        ("DELETE U/x", "don't touch U/y", "DELETE /x"),
        ("DELETE U/x", "What about U/y?", "DELETE /x"),
        ('POST {"a": 1} to U/x', "mind U/y", "POST /x"),
        ("发送 DELETE 请求到 U/x", "检查 U/y", "DELETE /x"),
        ("发送 DELETE 请求到 U/x", "别动 U/y", "DELETE /x"),
        ('把 {"a": 1} 提交到 U/x', "那 U/y 呢？", "POST /x"),
    ],
)
async def test_a_follow_up_sends_nothing(
    *, orchestrator_with: OpenOrchestrator, server: WebServer, first: str, second: str, request_: str
) -> None:
    _, report = await asked(orchestrator_with, server, first, second)
    assert sent(server) == [request_]
    assert report.status == "failed"


@pytest.mark.parametrize(
    ("question", "made"),
    [
        ("计算2+2，把结果存到 a.txt", {"a.txt": "4"}),
        ("Compute 2+2, then save the result to a.txt", {"a.txt": "4"}),
        ("Write 'hello' to a.txt and d.txt", {"a.txt": "hello", "d.txt": "hello"}),
        ("把“你好”写入 a.txt 和 d.txt", {"a.txt": "你好", "d.txt": "你好"}),
        ("Write 'hello' to a.txt and append 'x' to b.txt", {"a.txt": "hello", "b.txt": "bee\nx\n"}),
        ("把“你好”写入 a.txt，然后把“x”追加到 b.txt", {"a.txt": "你好", "b.txt": "bee\nx\n"}),
        ("Write 'if or twice' to a.txt", {"a.txt": "if or twice"}),
        ("把“除非，或者两次”写入 a.txt", {"a.txt": "除非，或者两次"}),
        ("Could you please save 'hello' in the file a.txt for me?", {"a.txt": "hello"}),
        ("请帮我把“你好”保存到 a.txt 里", {"a.txt": "你好"}),
        ("Write 'hello' to a.txt and tell me how many lines b.txt has", {"a.txt": "hello"}),
        ("把“你好”写入 a.txt，然后告诉我 b.txt 有几行", {"a.txt": "你好"}),
    ],
)
async def test_what_is_understood_is_written_as_asked(
    *,
    orchestrator_with: OpenOrchestrator,
    server: WebServer,
    workspace: Path,
    question: str,
    made: Mapping[str, str],
) -> None:
    fill(workspace)
    [report] = await asked(orchestrator_with, server, question)
    assert report.status == "answered"
    assert files(workspace) == {**BEFORE, **made}


@pytest.mark.parametrize(
    ("first", "second"), [("Write 'hello' to a.txt", "read b.txt"), ("把“hello”写入 a.txt", "读取 b.txt")]
)
async def test_a_question_of_its_own_is_answered_after_a_write(
    *, orchestrator_with: OpenOrchestrator, server: WebServer, workspace: Path, first: str, second: str
) -> None:
    fill(workspace)
    _, report = await asked(orchestrator_with, server, first, second)
    assert report.status == "answered"
    assert [step.tool for step in report.steps] == ["read_file"]
    assert files(workspace) == {**BEFORE, "a.txt": "hello"}


@pytest.mark.parametrize(
    "question", ["Read b.txt and write its content to a.txt", "读取 b.txt，然后把它的内容写入 a.txt"]
)
async def test_the_words_for_what_was_read_are_not_written(
    *, orchestrator_with: OpenOrchestrator, server: WebServer, workspace: Path, question: str
) -> None:
    fill(workspace)
    await asked(orchestrator_with, server, question)
    assert files(workspace).get("a.txt") in {None, BEFORE["b.txt"]}


@pytest.mark.parametrize("question", ["compute 2+2 and sort it", "Compute 3+4, then execute it", "计算3+4，然后运行它"])
async def test_what_is_not_written_as_code_is_not_run(
    orchestrator_with: OpenOrchestrator, server: WebServer, question: str
) -> None:
    [report] = await asked(orchestrator_with, server, question)
    assert "python_executor" not in [step.tool for step in report.steps]
