"""Calls of an API on loopback: what goes out, what comes back, what must not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from switchyard.toolhub.calling.dispatch import call_tool
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import discover
from switchyard.tools.api_caller import MAX_TEXT
from switchyard.tools.core import ToolContext, ToolResult
from switchyard.tools.core.network import NetworkPolicy
from tests.support.web_server import Answer, Asked, WebServer, as_json, moved, page, web_server


@pytest.fixture(scope="module")
def tool() -> RegisteredTool:
    return next(one for one in discover(Path("tools"), "switchyard.tools").tools if one.spec.tool_id == "api_caller")


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        running.pages["/echo"] = echo
        yield running


def echo(asked: Asked) -> Answer:
    return as_json(
        {"method": asked.method, "query": asked.query, "headers": asked.headers, "body": asked.body.decode()}
    )


class Api:
    """The tool, as the hub calls it."""

    def __init__(self, tool: RegisteredTool, server: WebServer) -> None:
        self._tool = tool
        self._server = server

    async def __call__(self, action: str, path: str = "/echo", *, key: str = "", **arguments: Any) -> ToolResult:
        url = path if "://" in path else self._server.url + path
        context = ToolContext(workspace=Path(), network=self._server.policy, idempotency_key=key)
        return await call_tool(self._tool, ToolRequest("api_caller", action, {"url": url, **arguments}, context))


@pytest.fixture
def api(tool: RegisteredTool, server: WebServer) -> Api:
    return Api(tool, server)


def test_reading_is_free_and_sending_asks(tool: RegisteredTool):
    read, send = tool.spec.for_action("read"), tool.spec.for_action("send")
    assert (read.writes, read.asks_first) == (False, False)
    assert (send.writes, send.sends, send.asks_first) == (True, True, True)
    assert tool.spec.asks_first


async def test_json_comes_back_as_a_value(server: WebServer, api: Api):
    server.pages["/v1"] = as_json({"站名": "修武", "level": 84.1}, headers={"ETag": '"1"', "X-Other": "9"})
    result = await api("read", "/v1")
    assert result.result == {
        "url": server.url + "/v1",
        "status": 200,
        "content_type": "application/json",
        "headers": {
            "content-type": "application/json",
            "content-length": "35",
            "etag": '"1"',
        },
        "json": {"站名": "修武", "level": 84.1},
        "text": '{"站名": "修武", "level": 84.1}',
        "truncated": False,
    }
    assert result.meta.sources == [server.url + "/v1"]


@pytest.mark.parametrize(
    ("text", "content_type", "value"),
    [
        ("[1, 2]", "text/plain", [1, 2]),
        ('{"a": "水"}', "application/problem+json; charset=utf-8", {"a": "水"}),
        ('{"a": 1}', "", {"a": 1}),
        ("null", "application/json", None),
        ("", "application/json", None),
        ("{not json", "text/plain", None),
        ('{"a": 1}\n{"a": 2}', "application/x-ndjson", None),
        ("84.1 米", "text/plain", None),
        ("<p>水位</p>", "text/html", None),
    ],
)
async def test_json_is_told_from_text(server: WebServer, api: Api, text: str, content_type: str, value: Any):
    server.pages["/t"] = page(text, content_type=content_type)
    result = (await api("read", "/t")).result
    assert (result["json"], result["text"]) == (value, text)


async def test_text_in_gbk(server: WebServer, api: Api):
    server.pages["/t"] = page("水位上升", encoding="gbk", content_type="text/plain; charset=gbk")
    assert (await api("read", "/t")).result["text"] == "水位上升"


async def test_long_text_is_cut_and_long_json_is_whole(server: WebServer, api: Api):
    server.pages |= {"/t": page("水" * (MAX_TEXT + 1), content_type="text/plain"), "/j": as_json(["水" * 9000])}
    long = (await api("read", "/t")).result
    assert (len(long["text"]), long["truncated"]) == (MAX_TEXT, True)
    whole = (await api("read", "/j")).result
    assert (len(whole["json"][0]), len(whole["text"]), whole["truncated"]) == (9000, 2000, False)


async def test_parameters_and_headers_are_sent(api: Api):
    sent = (
        await api("read", "/echo?a=1", params={"q": "水 位", "n": 3, "on": True}, headers={"X-Name": "张三"})
    ).result["json"]
    assert sent["query"] == {"a": "1", "q": "水 位", "n": "3", "on": "true"}
    assert sent["headers"]["x-name"].encode("latin-1").decode() == "张三"
    assert "idempotency-key" not in sent["headers"]


async def test_a_list_of_values_is_sent_as_several(api: Api):
    assert (await api("read", params={"id": [1, 2]})).result["url"].endswith("/echo?id=1&id=2")


async def test_head_reads_no_body(server: WebServer, api: Api):
    server.pages["/big"] = Answer(b"\x00" * 9_000_000, "application/zip")
    result = (await api("read", "/big", method="head")).result
    assert (result["status"], result["text"], result["headers"]["content-length"]) == (200, "", "9000000")


@pytest.mark.parametrize("method", ["POST", "put", "PATCH", "DELETE"])
async def test_every_way_to_send(api: Api, method: str):
    sent = (await api("send", method=method, body={"名": "小明", "n": [1]})).result["json"]
    assert sent["method"] == method.upper()
    assert json.loads(sent["body"]) == {"名": "小明", "n": [1]}
    assert sent["headers"]["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("body", "headers", "sent", "content_type"),
    [
        ([1, "二"], {}, '[1, "\\u4e8c"]', "application/json"),
        ('{"a": 1}', {}, '{"a": 1}', "application/json"),
        ("[]", {}, "[]", "application/json"),
        (" 第一行\n", {}, " 第一行\n", "text/plain; charset=utf-8"),
        ("<a/>", {"content-type": "application/xml"}, "<a/>", "application/xml"),
        (
            {"名": "小 明", "id": [1, 2]},
            {"Content-Type": "application/x-www-form-urlencoded"},
            "%E5%90%8D=%E5%B0%8F+%E6%98%8E&id=1&id=2",
            "application/x-www-form-urlencoded",
        ),
    ],
)
async def test_how_a_body_is_sent(api: Api, body: Any, headers: dict[str, str], sent: str, content_type: str):
    got = (await api("send", body=body, headers=headers)).result["json"]
    assert (got["body"], got["headers"]["content-type"]) == (sent, content_type)


async def test_nothing_is_sent_without_a_body(api: Api):
    got = (await api("send", method="DELETE")).result["json"]
    assert got["body"] == ""
    assert "content-type" not in got["headers"]


async def test_a_repetition_can_be_told_by_the_server(api: Api):
    first = (await api("send", key="run:步骤:1")).result["json"]["headers"]["idempotency-key"]
    again = (await api("send", key="run:步骤:1")).result["json"]["headers"]["idempotency-key"]
    other = (await api("send", key="run:步骤:2")).result["json"]["headers"]["idempotency-key"]
    own = await api("send", key="run:步骤:1", headers={"idempotency-key": "mine"})
    assert first == again != other
    assert own.result["json"]["headers"]["idempotency-key"] == "mine"


async def test_a_redirect_of_what_was_sent_is_returned(server: WebServer, api: Api):
    server.pages["/form"] = moved("/echo", status=307)
    result = (await api("send", "/form", body={"a": 1})).result
    assert (result["status"], result["headers"]["location"]) == (307, "/echo")
    assert len(server.asked) == 1
    assert (await api("read", "/form")).result["url"] == server.url + "/echo"


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (
            as_json({"error": "没有这个站"}, status=404),
            "not_found",
            'answered with status 404: {"error": "没有这个站"}',
        ),
        (page("", status=401), "permission", "answered with status 401."),
        (
            page("slow down", status=429, headers={"Retry-After": "30"}),
            "rate_limit",
            "answered with status 429: slow down",
        ),
        (page("{broken", content_type="application/json", status=500), "unavailable", "status 500: {broken"),
        (page("{broken", content_type="application/json"), "wrong_result", "says it answers in JSON, but it cannot"),
        (page("[" * 5000, content_type="application/json"), "wrong_result", "nested too deeply"),
        (page("[" * 200 + "]" * 200, content_type="application/json"), "wrong_result", "nested too deeply"),
        (page("1" * 5000, content_type="application/json"), "wrong_result", "cannot be read"),
        (Answer(b"\x89PNG\r\n\x1a\n\x00", "image/png"), "bad_arguments", "image/png, 9 bytes, which is neither"),
        (Answer(b"x" * 6_000_000, "text/plain"), "bad_arguments", "more than 5 MB"),
        (moved("http://169.254.169.254/latest"), "permission", "private"),
        (moved("/api"), "unavailable", "more than 5 times"),
    ],
)
async def test_answers_that_are_failures(server: WebServer, api: Api, answer: Answer, kind: str, said: str):
    server.pages["/api"] = answer
    result = await api("read", "/api")
    assert said in (result.error or "")
    assert result.error_type == kind


async def test_how_long_to_wait_is_kept(server: WebServer, api: Api):
    server.pages["/api"] = page("slow down", status=429, headers={"Retry-After": "30"})
    assert (await api("read", "/api")).meta.wait == 30


async def test_an_error_can_be_what_was_asked_for(server: WebServer, api: Api):
    server.pages["/api"] = as_json({"error": "维护中"}, status=503)
    result = await api("read", "/api", accept_errors=True)
    assert (result.success, result.result["status"], result.result["json"]) == (True, 503, {"error": "维护中"})


async def test_a_call_that_takes_too_long(server: WebServer, api: Api):
    server.pages["/api"] = Answer(hangs=True)
    result = await api("send", "/api", timeout=0.2)
    assert (result.error_type, result.error) == ("timeout", f"{server.url}/api did not answer within 0.2 s.")


@pytest.mark.parametrize(
    ("action", "arguments", "said"),
    [
        ("read", {"method": "POST"}, "'method': input should be 'GET' or 'HEAD', got \"POST\""),
        ("send", {"method": "GET"}, "'method': input should be 'POST', 'PUT', 'PATCH' or 'DELETE'"),
        ("read", {"body": {}}, "'body' is not a field"),
        ("read", {"method": 5}, "'method'"),
        ("read", {"timeout": 600}, "'timeout': input should be less than or equal to 60"),
        ("read", {"headers": {"Host": "internal"}}, "The header 'Host' is set by the request itself. Leave it out."),
        ("read", {"url": "ftp://example.com"}, "'ftp' addresses are not fetched"),
        ("read", {"url": "查询水位"}, "without http:// or https://"),
        ("read", {"url": "http://localhost/"}, "private"),
        ("read", {"url": "http://[fd00:ec2::254]/"}, "private"),
    ],
)
async def test_bad_arguments_are_told(api: Api, action: str, arguments: dict[str, Any], said: str):
    result = await api(action, **{"path": "/echo", **arguments})
    assert said in (result.error or "")
    assert result.error_type in {"bad_arguments", "permission"}


SECRETS: dict[str, Any] = {
    "headers": {"Authorization": "Bearer sk-0123456789", "X-Api-Key": 'k"y/987654', "Cookie": "sid=abcdef123"},
    "params": {"access_token": "tok-55555555", "keyword": "public-words"},
}


async def test_secrets_are_sent_but_do_not_come_back(server: WebServer, api: Api):
    result = await api("read", "/echo?api_key=akey-777777", **SECRETS)
    sent = server.asked[0]
    assert sent.headers["authorization"] == "Bearer sk-0123456789"
    assert sent.query == {"api_key": "akey-777777", "access_token": "tok-55555555", "keyword": "public-words"}
    shown = result.model_dump_json()
    for secret in ("sk-0123456789", "y/987654", "y%2F987654", "abcdef123", "tok-55555555", "akey-777777"):
        assert secret not in shown
    assert "public-words" in shown
    assert result.result["json"]["headers"]["authorization"] == "***"


@pytest.mark.parametrize("status", [200, 400])
async def test_secrets_are_not_in_errors(server: WebServer, api: Api, status: int):
    key = SECRETS["headers"]["X-Api-Key"]

    def complain(asked: Asked) -> Answer:
        said = f"bad key {asked.headers['authorization']} {asked.query['access_token']} {quote(key, safe='')} 不对"
        return page(said, content_type="application/json", status=status)

    server.pages["/api"] = complain
    result = await api("read", "/api", **SECRETS)
    assert not result.success
    assert "sk-0123456789" not in (result.error or "")
    assert "tok-55555555" not in (result.error or "")
    assert "987654" not in (result.error or "")
    assert "不对" in (result.error or "")


async def test_a_password_in_the_address_is_not_shown(server: WebServer, api: Api):
    server.pages["/api"] = lambda asked: page(f"no: hunter2222, {asked.headers['authorization']}", status=403)
    result = await api("read", f"http://me:hunter2222@127.0.0.1:{server.port}/api")
    assert result.error == f"GET {server.url}/api answered with status 403: no: ***, Basic ***"


async def test_numbers_that_look_like_a_secret_stay_numbers(server: WebServer, api: Api):
    server.pages["/api"] = as_json({"pin": 123456, "text": "pin 123456"})
    result = await api("read", "/api", params={"password": 123456})
    assert result.result["json"] == {"pin": 123456, "text": "pin ***"}


async def test_private_addresses_are_refused_before_anything_is_sent(tool: RegisteredTool, server: WebServer):
    context = ToolContext(workspace=Path(), network=NetworkPolicy())
    result = await call_tool(
        tool, ToolRequest("api_caller", "send", {"url": server.url + "/echo", "body": {}}, context)
    )
    assert result.error_type == "permission"
    assert server.asked == []


@pytest.mark.parametrize(
    "given",
    [
        {"headers": {"X-HTTP-Method-Override": "DELETE"}},
        {"headers": {"x-http-method": "DELETE"}},
        {"headers": {"X-METHOD-OVERRIDE": "PUT"}},
        {"params": {"_method": "delete"}},
        {"path": "/echo?a=1&_method=DELETE"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_reading_names_no_other_method(api: Api, server: WebServer, given: dict[str, Any], method: str) -> None:
    result = await api("read", method=method, **given)
    assert (result.success, result.error_type) == (False, "bad_arguments")
    assert "action send" in str(result.error)
    assert server.asked == []


async def test_sending_may_name_another_method(api: Api, server: WebServer) -> None:
    result = await api("send", method="POST", headers={"X-HTTP-Method-Override": "PATCH"})
    assert result.success
    assert [request.method for request in server.asked] == ["POST"]
