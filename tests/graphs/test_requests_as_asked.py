"""Without a model a request is sent as it was asked for, in one call, or nothing at all is done (R8.1)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from switchyard.app.report import RunReport
from switchyard.ledger.options import RunOptions
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, steps
from tests.support.web_server import Asked, WebServer, as_json, page, web_server

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
SENDING = METHODS[2:]


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        running.pages["/users"] = as_json({"ok": True})
        yield running


async def asked(open_with: OpenOrchestrator, server: WebServer, question: str) -> RunReport:
    """Ask with everything approved beforehand; HERE stands for an address of the server."""
    question = question.replace("HERE", f"{server.url}/users", 1)
    async with open_with(allow_private=[f"127.0.0.1:{server.port}"]) as opened:
        return await opened.ask(question, options=RunOptions(auto_approve=True))


def sent(server: WebServer) -> Asked:
    [request] = server.asked
    return request


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "question",
    [
        "Send a {} request to HERE",
        "{} HERE",
        "Please make an HTTP {} request to HERE.",
        "发送 {} 请求到 HERE",
        "向HERE发送{}请求",
        "用 {} 方法请求 HERE",
        "请对 HERE 执行 {}",
    ],
)
async def test_the_method_that_is_named_is_sent(
    orchestrator_with: OpenOrchestrator, server: WebServer, method: str, question: str
) -> None:
    report = await asked(orchestrator_with, server, question.format(method))
    assert (sent(server).method, sent(server).path, sent(server).body) == (method, "/users", b"")
    assert report.status == "answered"


OBJECT: dict[str, Any] = {"name": "小明, Zed", "tags": ["a; b", 2], "more": {"then": None}}


@pytest.mark.parametrize("method", SENDING)
@pytest.mark.parametrize(
    "question",
    [
        "Send a {} request to HERE with body @",
        "{} @ to HERE",
        "Send a {} request to HERE. The JSON body is @",
        "发一个 {} 请求到 HERE，内容是 @",
        "向HERE发送{}请求，正文：@",
        "把 @ 用 {} 方法发送到 HERE",
    ],
)
@pytest.mark.parametrize("form", ["json", "lines", "python"])
async def test_a_body_that_is_named_goes_along(
    *, orchestrator_with: OpenOrchestrator, server: WebServer, method: str, question: str, form: str
) -> None:
    written = repr(OBJECT) if form == "python" else json.dumps(OBJECT, ensure_ascii=False, indent=2 * (form == "lines"))
    await asked(orchestrator_with, server, question.format(method).replace("@", written))
    assert sent(server).method == method
    assert json.loads(sent(server).body) == OBJECT


@pytest.mark.parametrize(
    ("question", "body"),
    [
        ('Send a POST request to HERE with the text "write a poem, then stop"', "write a poem, then stop"),
        ("PUT 'hello' to HERE", "hello"),
        ("发一个 POST 请求到 HERE，正文是“你好，然后再见”", "你好，然后再见"),
        ("向 HERE 发送 PATCH 请求，内容为「解释一下」", "解释一下"),
        ("POST [1, 2] to HERE", "[1, 2]"),
        ("POST {} to HERE", "{}"),
        ("Submit {'a': 1} to HERE", '{"a": 1}'),
        ("把 {'a': 1} 提交到 HERE", '{"a": 1}'),
    ],
)
async def test_a_text_is_sent_as_it_is_quoted(
    orchestrator_with: OpenOrchestrator, server: WebServer, question: str, body: str
) -> None:
    await asked(orchestrator_with, server, question)
    assert sent(server).body.decode() == body


@pytest.mark.parametrize(
    "question",
    [
        "Send a POST request to HERE with headers {'X-Team': 'water'} and body {'a': 1}",
        'POST {"a": 1} to HERE with headers {"X-Team": "water"}',
        "发一个 POST 请求到 HERE，请求头 {'X-Team': 'water'}，正文是 {'a': 1}",
    ],
)
async def test_headers_go_along(orchestrator_with: OpenOrchestrator, server: WebServer, question: str) -> None:
    await asked(orchestrator_with, server, question)
    assert sent(server).headers["x-team"] == "water"
    assert json.loads(sent(server).body) == {"a": 1}


@pytest.mark.parametrize(
    "question",
    [
        "Call the API HERE with base=EUR and day=3",
        "请求 HERE，参数 base=EUR，day=3",
        "GET HERE with query base=EUR, day=3",
    ],
)
async def test_parameters_go_along(orchestrator_with: OpenOrchestrator, server: WebServer, question: str) -> None:
    await asked(orchestrator_with, server, question)
    assert (sent(server).method, sent(server).query) == ("GET", {"base": "EUR", "day": "3"})


NOT_UNDERSTOOD = [
    "Send a POST request to HERE with body hello",
    "Send a POST request to HERE with body {name: Zed}",
    "Send a POST request to HERE with a body",
    "Send a POST request to HERE with body {'a': 1} and body {'b': 2}",
    "POST to HERE, with the content of notes.txt",
    "POST to HERE. Use the content of notes.txt as the body.",
    "Read notes.txt and POST it to HERE",
    "POST {'a': 1} to HERE three times",
    "POST {'a': 1} to HERE if the sky is blue",
    "POST {'a': 1} to HERE and tell me why the sky is blue",
    "POST name=Zed to HERE",
    "Send a GET request to HERE with body {'a': 1}",
    "GET and DELETE HERE",
    "Do not send a DELETE request to HERE",
    "How do I send a POST request to HERE?",
    "Send an OPTIONS request to HERE",
    "Send a DELETE request to HERE and to https://example.com/",
    "DELETE HERE/{id}",
    "发一个 POST 请求到 HERE，内容是 你好",
    "发一个 POST 请求到 HERE，内容是 {名字: 小明}",
    "发一个 POST 请求到 HERE，内容是 notes.txt 的内容",
    "读取 notes.txt，然后把它 POST 到 HERE",
    "不要发送 DELETE 请求到 HERE",
    "怎么发送 POST 请求到 HERE？",
    "发送 POST 请求到 HERE，三次",
    "发送 POST 请求到 HERE，参数 name=小明",
    "DELETE HERE/用户",
]


@pytest.mark.parametrize("question", NOT_UNDERSTOOD)
async def test_what_is_not_understood_whole_is_not_begun(
    orchestrator_with: OpenOrchestrator, server: WebServer, workspace: Path, question: str
) -> None:
    (workspace / "notes.txt").write_text("买牛奶", encoding="utf-8")
    report = await asked(orchestrator_with, server, question)
    assert server.asked == []
    assert report.status == "failed"
    assert report.usage.tool_calls == 0


@pytest.mark.parametrize(
    "question",
    ["Write 'x' to a.txt and explain why the sky is blue", "把“x”写入 a.txt，然后解释天空为什么是蓝色的"],
)
async def test_half_of_a_change_is_not_made(
    orchestrator_with: OpenOrchestrator, workspace: Path, question: str
) -> None:
    async with orchestrator_with() as opened:
        report = await opened.ask(question, options=RunOptions(auto_approve=True))
    assert report.status == "failed"
    assert not (workspace / "a.txt").exists()
    assert question[:5] in report.answer


@pytest.mark.parametrize(
    ("question", "methods"),
    [
        ("GET HERE, then count the lines of notes.txt", ["GET"]),
        ("What is 2+2? Then send a POST request to HERE with body 'four'", ["POST"]),
        ("计算2+2，然后发送 DELETE 请求到 HERE", ["DELETE"]),
    ],
)
async def test_a_request_may_stand_beside_other_tasks(
    *, orchestrator_with: OpenOrchestrator, server: WebServer, workspace: Path, question: str, methods: list[str]
) -> None:
    (workspace / "notes.txt").write_text("买牛奶\n", encoding="utf-8")
    report = await asked(orchestrator_with, server, question)
    assert [request.method for request in server.asked] == methods
    assert report.status == "answered"
    assert len(report.steps) == 2


@pytest.mark.parametrize(
    ("task", "methods"),
    [("Send a GET request to HERE", ["GET"]), ("发送 GET 请求到 HERE", ["GET"]), ("Update HERE", [])],
)
async def test_where_a_model_leaves_the_arguments_to_the_rules_the_method_is_the_one_that_is_named(
    *, orchestrator_with: OpenOrchestrator, server: WebServer, endpoint: Endpoint, task: str, methods: list[str]
) -> None:
    plan = steps({"description": task.replace("HERE", f"{server.url}/users"), "tool": "api_caller"})
    endpoint.script(
        plan=[plan], rank=[{"choices": {"s1": ["api_caller"]}}], decide=[{"action": "complete"}], answer=["ok"]
    )
    options = RunOptions(auto_approve=True)
    await ask_scripted(orchestrator_with, endpoint, "do it 做", options=options, allow_private=["*"])
    assert [request.method for request in server.asked] == methods


PRICES = """<title>Prices</title><h1>Prices</h1><p>Prices per night.</p>
<table><tr><th>Pet</th><th>Standard</th><th>Heated</th></tr><tr><td>Dog</td><td>22.00</td><td>29.50</td></tr>
<tr><td>Cat</td><td>14.50</td><td>18.00</td></tr></table>
<h2>Opening hours</h2><ul><li>Monday: closed</li><li>Saturday: 9:30 - 17:00</li></ul>
<h2>报名</h2><p>报名截止日期为 2026年11月30日。</p>"""
FEED = {
    "station": "Hill",
    "now": {"temp_c": 7.5, "wind_kmh": 11},
    "orders": [{"id": 1, "status": "new", "total": 4.5}, {"id": 2, "status": "paid", "total": 8}],
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the heated price for a cat per night on HERE/prices ?", "Heated: 18"),
        ("Please check HERE/prices - when are you open on Saturday?", "9:30 - 17:00"),
        ("HERE/prices 上写的报名截止到哪天？", "11月30日"),
        ("how many of the orders in HERE/feed.json have the status new?", "1 rows"),
        ("把 HERE/feed.json 里订单的金额加起来", "12.5"),
        ("what does a parrot cost on HERE/prices ?", None),
        ("who ordered the most in HERE/feed.json ?", None),
    ],
)
async def test_what_is_fetched_is_asked_when_it_is_there(
    orchestrator_with: OpenOrchestrator, server: WebServer, question: str, answer: str | None
) -> None:
    server.pages |= {"/prices": page(PRICES), "/feed.json": as_json(FEED)}
    async with orchestrator_with(allow_private=[f"127.0.0.1:{server.port}"]) as opened:
        report = await opened.ask(question.replace("HERE", server.url))
    assert (report.status == "answered") is (answer is not None), report.answer
    assert (answer or "") in report.answer
    assert [request.method for request in server.asked] == ["GET"]


@pytest.mark.parametrize(
    "question",
    ["what does HERE/prices say about cats, and delete notes.md", "HERE/prices 上猫多少钱？然后发邮件给安娜"],
)
async def test_nothing_is_fetched_for_half_a_question(
    orchestrator_with: OpenOrchestrator, server: WebServer, question: str
) -> None:
    async with orchestrator_with(allow_private=[f"127.0.0.1:{server.port}"]) as opened:
        report = await opened.ask(question.replace("HERE", server.url))
    assert report.status != "answered"
    assert not server.asked
