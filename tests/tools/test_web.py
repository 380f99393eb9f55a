"""One request, and what a stranger's server cannot do with it."""

import asyncio
import tracemalloc
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from switchyard.tools.core import RetryTool, ToolFailed
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.web.reply import MAX_DEPTH, kind_of_status, read_json
from switchyard.tools.web.request import MAX_BYTES, MAX_REDIRECTS, checked_url, fetch
from tests.support.web_server import Answer, Asked, WebServer, moved, packed, page, web_server


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        running.pages["/"] = page("hello 你好")
        yield running


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1/"])
async def test_a_redirect_to_another_scheme_is_refused(server: WebServer, to: str):
    server.pages["/away"] = moved(to)
    with pytest.raises(ToolFailed, match="which is not fetched") as caught:
        await fetch(server.policy, server.url + "/away")
    assert caught.value.kind == "permission"


async def test_redirects_are_followed_up_to_a_limit(server: WebServer):
    for step in range(MAX_REDIRECTS + 1):
        server.pages[f"/{step}"] = moved(f"/{step + 1}", status=301)
    server.pages[f"/{MAX_REDIRECTS + 1}"] = page("到了")
    reply = await fetch(server.policy, server.url + "/1")
    assert (reply.url, reply.body.decode()) == (f"{server.url}/{MAX_REDIRECTS + 1}", "到了")
    with pytest.raises(ToolFailed, match=f"more than {MAX_REDIRECTS} times"):
        await fetch(server.policy, server.url + "/0")


async def test_a_circle_of_redirects_ends(server: WebServer):
    server.pages |= {"/a": moved("/b"), "/b": moved("/a")}
    with pytest.raises(ToolFailed, match="redirects more than 5 times") as caught:
        await fetch(server.policy, server.url + "/a")
    assert caught.value.kind == "unavailable"
    assert len(server.asked) == MAX_REDIRECTS + 1


async def test_a_redirect_that_sets_a_cookie_and_comes_back(server: WebServer):
    def greet(asked: Asked) -> Answer:
        known = "seen=yes" in asked.headers.get("cookie", "")
        return page("welcome") if known else Answer(status=302, headers={"Location": "/in", "Set-Cookie": "seen=yes"})

    server.pages["/in"] = greet
    assert (await fetch(server.policy, server.url + "/in")).body == b"welcome"


async def test_headers_stay_with_the_host_they_were_meant_for(server: WebServer):
    with web_server() as other:
        other.pages["/"] = page("other")
        server.pages |= {"/near": moved("/"), "/far": moved(other.url)}
        policy = NetworkPolicy(("*",))
        sent = {"X-Api-Key": "k-12345", "Authorization": "Bearer t-12345"}
        await fetch(policy, server.url + "/near", headers=sent)
        await fetch(policy, server.url.replace("//", "//me:pw@") + "/far", headers=sent)
        assert server.asked[1].headers["x-api-key"] == "k-12345"
        assert not {"x-api-key", "authorization"} & set(other.asked[0].headers)


@pytest.mark.parametrize("status", [302, 303, 307, 308])
async def test_what_changes_something_is_not_sent_on(server: WebServer, status: int):
    server.pages["/form"] = moved("/", status=status)
    reply = await fetch(server.policy, server.url + "/form", method="POST", body=b"x")
    assert (reply.status, reply.headers["location"]) == (status, "/")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("file:///etc/passwd", "'file' addresses are not fetched"),
        ("ftp://example.com/a", "'ftp' addresses"),
        ("javascript:alert(1)", "'javascript' addresses"),
        ("data:text/html,hi", "'data' addresses"),
        ("example.com/page", "without http:// or https://"),
        ("看看这个网页", "without http:// or https://"),
        ("http://", "names no host"),
        ("http:///path", "names no host"),
        ("", "without http://"),
        ("http://exa\nmple.com/", "cannot be read as a URL"),
        ("http://x:port/", "cannot be read as a URL"),
        ("http://①②⑦.0.0.1/", "cannot be read as a URL"),
        ("http://xn--a/", "cannot be read as a URL"),
        ("http://[::1", "cannot be read as a URL"),
        ("https://example.com/" + "长" * 70_000, "cannot be read as a URL"),
        ("http://a\ud800b/", "cannot be read as a URL"),
    ],
)
def test_a_url_that_cannot_be_fetched(url: str, said: str):
    with pytest.raises(RetryTool, match=said) as caught:
        checked_url(url)
    assert len(str(caught.value)) < 400


def test_a_broken_url_does_not_show_its_password():
    with pytest.raises(RetryTool) as caught:
        checked_url("https://me:pass/word@example.com/")
    assert "word" not in str(caught.value)


async def test_a_user_in_the_url_logs_in_and_is_not_shown(server: WebServer):
    url = f"http://me:hunter22@127.0.0.1:{server.port}"
    reply = await fetch(server.policy, url + "/")
    assert server.asked[0].headers["authorization"].startswith("Basic ")
    assert reply.url == server.url + "/"
    server.pages["/"] = Answer(hangs=True)
    with pytest.raises(ToolFailed) as caught:
        await fetch(server.policy, url + "/?api_key=k-secret&q=中文", seconds=0.2)
    assert "hunter22" not in str(caught.value)
    assert "k-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("Host", "internal.example", "set by the request"),
        ("content-length", "0", "set by the request"),
        ("Accept-Encoding", "br", "set by the request"),
        ("X-A", "secret\r\nX-B: 1", "'X-A' is not a header"),
        ("X A", "1", "'X A' is not a header"),
        ("X-A", "secret\ud800", "'X-A' is not a header"),
        ("名字", "1", "'名字' is not a header"),
    ],
)
async def test_headers_that_cannot_be_sent(server: WebServer, name: str, value: str, said: str):
    with pytest.raises(RetryTool, match=said) as caught:
        await fetch(server.policy, server.url, headers={name: value})
    assert "secret" not in str(caught.value)
    assert server.asked == []


async def test_a_chinese_header_value_is_sent(server: WebServer):
    await fetch(server.policy, server.url, headers={"X-Name": " 张三 "})
    assert server.asked[0].headers["x-name"].encode("latin-1").decode() == "张三"


async def test_an_answer_of_exactly_the_limit_is_read(server: WebServer):
    server.pages |= {"/full": Answer(b"x" * 1000), "/more": Answer(b"x" * 1001), "/packed": packed(b"x" * 1000)}
    assert len((await fetch(server.policy, server.url + "/full", max_bytes=1000)).body) == 1000
    assert len((await fetch(server.policy, server.url + "/packed", max_bytes=1000)).body) == 1000
    with pytest.raises(ToolFailed, match=r"more than 0\.001 MB") as caught:
        await fetch(server.policy, server.url + "/more", max_bytes=1000)
    assert caught.value.kind == "bad_arguments"


async def test_an_answer_without_end_is_stopped(server: WebServer):
    def forever() -> Iterator[bytes]:
        while not server.over.is_set():
            yield b"x" * 100_000

    server.pages["/"] = Answer(pieces=forever)
    with pytest.raises(ToolFailed, match="more than 5 MB"):
        await fetch(server.policy, server.url)


@pytest.mark.parametrize("size", [MAX_BYTES + 1, 200_000_000])
async def test_a_small_answer_that_unpacks_to_a_large_one_is_stopped(server: WebServer, size: int):
    server.pages["/"] = packed(bytes(size))
    tracemalloc.start()
    try:
        with pytest.raises(ToolFailed, match="more than 5 MB"):
            await fetch(server.policy, server.url)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * MAX_BYTES


@pytest.mark.parametrize(
    ("answer", "said", "kind"),
    [
        (Answer(b"x", headers={"Content-Encoding": "br"}), "packed as 'br'", "wrong_result"),
        (Answer(b"x", headers={"Content-Encoding": "gzip, gzip"}), "packed as 'gzip, gzip'", "wrong_result"),
        (Answer(b"not gzip", headers={"Content-Encoding": "gzip"}), "broken gzip", "wrong_result"),
        (Answer(b"0123456789", stops_early=True), "cannot be reached", "unavailable"),
        (
            Answer(packed(bytes(range(256)) * 99).body[:-9], headers={"Content-Encoding": "gzip"}),
            "middle",
            "unavailable",
        ),
        (Answer(status=302, headers={"Location": "http://x:port/"}), "cannot be reached", "unavailable"),
    ],
)
async def test_a_broken_answer(server: WebServer, answer: Answer, said: str, kind: str):
    server.pages["/"] = answer
    with pytest.raises(ToolFailed, match=said) as caught:
        await fetch(server.policy, server.url)
    assert caught.value.kind == kind


async def test_packed_text_is_unpacked(server: WebServer):
    server.pages["/"] = packed("压缩的文字, packed text".encode())
    assert (await fetch(server.policy, server.url)).body.decode() == "压缩的文字, packed text"
    assert (await fetch(server.policy, server.url, method="HEAD")).body == b""


async def test_a_server_that_never_answers(server: WebServer):
    server.pages["/"] = Answer(hangs=True)
    with pytest.raises(ToolFailed, match=r"did not answer within 0\.2 s") as caught:
        await fetch(server.policy, server.url, seconds=0.2)
    assert caught.value.kind == "timeout"


async def test_a_server_that_answers_drop_by_drop(server: WebServer):
    def drops() -> Iterator[bytes]:
        yield b"<p>"
        server.over.wait()

    server.pages["/"] = Answer(pieces=drops)
    with pytest.raises(ToolFailed, match="did not answer within"):
        await fetch(server.policy, server.url, seconds=0.2)


async def test_a_cancelled_call_leaves_no_task_and_no_connection(server: WebServer):
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hang(_: Asked) -> Answer:
        loop.call_soon_threadsafe(arrived.set)
        return Answer(hangs=True)

    server.pages["/"] = hang
    call = asyncio.create_task(fetch(server.policy, server.url))
    await arrived.wait()
    assert _connections_to(server.port)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert _connections_to(server.port) == []


def _connections_to(port: int) -> list[Any]:
    return [one for one in psutil.Process().net_connections() if one.raddr and one.raddr.port == port and one.fd != -1]


async def test_nobody_listens():
    with web_server() as gone:
        url, policy = gone.url, gone.policy
    with pytest.raises(ToolFailed, match="cannot be reached") as caught:
        await fetch(policy, url)
    assert caught.value.kind == "unavailable"


async def test_parameters_are_encoded(server: WebServer):
    await fetch(server.policy, server.url + "/?a=1", params={"q": "水库 水位&x", "n": 5})
    assert server.asked[0].query == {"a": "1", "q": "水库 水位&x", "n": "5"}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_arguments"),
        (401, "permission"),
        (403, "permission"),
        (404, "not_found"),
        (418, "bad_arguments"),
        (429, "rate_limit"),
        (500, "unavailable"),
        (504, "timeout"),
    ],
)
async def test_every_status_is_an_answer_and_has_its_kind(server: WebServer, status: int, kind: str):
    server.pages["/"] = page("no", status=status)
    assert (await fetch(server.policy, server.url)).status == status
    assert kind_of_status(status) == kind


def test_json_is_read_whatever_it_is():
    assert read_json('{"水位": NaN, "a": [1, -Infinity]}') == {"水位": None, "a": [1, None]}
    with pytest.raises(ValueError, match="nested too deeply"):
        read_json("[" * 200_000)
    assert read_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(ValueError, match="nested too deeply"):
        read_json('{"a":' * MAX_DEPTH + "[]" + "}" * MAX_DEPTH)
    with pytest.raises(ValueError, match="char 0"):
        read_json("<html>")
