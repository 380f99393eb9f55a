"""A web server on loopback that answers what a test tells it, over real HTTP or HTTPS.

    with web_server() as server:
        server.pages["/hello"] = page("<p>你好</p>")
        server.pages["/away"] = moved("https://example.com/")
        await fetch(server.policy, server.url + "/hello")

An answer may also be a function of the request, so that a page can speak a search engine's language.
"""

import gzip
import json
import ssl
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from switchyard.tools.core.network import NetworkPolicy


@dataclass(frozen=True)
class Asked:
    """What came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What goes out: a body, pieces without end, or nothing at all."""

    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    pieces: Callable[[], Iterator[bytes]] | None = None
    """Sent one after the other instead of the body."""
    hangs: bool = False
    """Nothing is sent until the test is over."""
    stops_early: bool = False
    """Half of the body, then the connection ends."""


Page = Answer | Callable[[Asked], Answer]


def page(text: str, *, encoding: str = "utf-8", content_type: str = "text/html", **more: Any) -> Answer:
    return Answer(text.encode(encoding), content_type, **more)


def as_json(value: Any, **more: Any) -> Answer:
    return Answer(json.dumps(value, ensure_ascii=False).encode(), "application/json", **more)


def moved(to: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"Location": to})


def packed(body: bytes, **more: Any) -> Answer:
    return Answer(gzip.compress(body), headers={"Content-Encoding": "gzip"}, **more)


@dataclass
class WebServer:
    """The pages, and every request that came."""

    port: int = 0
    scheme: str = "http"
    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    asked: list[Asked] = field(default_factory=list[Asked])
    over: threading.Event = field(default_factory=threading.Event)
    """Set at the end of the test: whatever hangs lets go."""

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def policy(self) -> NetworkPolicy:
        """A policy that allows this server and nothing else that is private."""
        return NetworkPolicy(allow_private=(f"127.0.0.1:{self.port}",))

    def answer_to(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        answer = self.pages.get(asked.path, page("nothing here", status=404))
        return answer if isinstance(answer, Answer) else answer(asked)


class Names:
    """A name service: it says who asked, and may answer differently each time."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        del port
        self.asked.append(host)
        return self.answers.pop(0).split()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    web: WebServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class names it so
        pass

    def answer(self) -> None:
        parts = urlsplit(self.path)
        asked = Asked(
            method=self.command,
            path=parts.path,
            query={name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()},
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("Content-Length", 0))),
        )
        answer = self.web.answer_to(asked)
        self.close_connection = True
        if answer.hangs:
            self.web.over.wait()
            return
        self.send_response(answer.status)
        if answer.content_type:
            self.send_header("Content-Type", answer.content_type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.pieces is None:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self._send_body(answer)

    def _send_body(self, answer: Answer) -> None:
        whole = answer.body[: len(answer.body) // 2] if answer.stops_early else answer.body
        with suppress(ConnectionError, ssl.SSLError):  # whoever asked has had enough
            for piece in [whole] if answer.pieces is None else answer.pieces():
                self.wfile.write(piece)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815  the base class looks for these


@contextmanager
def web_server(certificate: ssl.SSLContext | None = None) -> Generator[WebServer]:
    web = WebServer(scheme="https" if certificate else "http")
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("WebHandler", (Handler,), {"web": web}))
    server.daemon_threads = True
    if certificate is not None:
        server.socket = certificate.wrap_socket(server.socket, server_side=True)
    web.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        web.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
