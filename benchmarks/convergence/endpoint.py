"""Where the players are asked: an OpenAI-compatible endpoint on loopback, with a line of its own for each run."""

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4


@dataclass(frozen=True)
class ToolCalls:
    """The calls an agent's model asks for: name and arguments each."""

    calls: tuple[tuple[str, str, dict[str, Any]], ...]
    """Id, name and arguments."""


@dataclass(frozen=True)
class Refusal:
    """No answer but a status of HTTP."""

    status: int
    text: str = "out of order"


Reply = str | ToolCalls | Refusal
Answer = Callable[[dict[str, Any]], Reply]
"""What is said to the body of a request."""


@dataclass
class Endpoint:
    """The endpoint, and who is at the other end of each line."""

    address: str = ""
    lines: dict[str, Answer] = field(default_factory=dict[str, Answer])

    def line(self, answer: Answer) -> str:
        """A new line; gives its base URL."""
        name = uuid4().hex[:12]
        self.lines[name] = answer
        return f"http://{self.address}/{name}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: Endpoint

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Nothing."""

    def do_GET(self) -> None:
        """The list of models."""
        self._send(200, json.dumps({"object": "list", "data": [{"id": "played"}]}).encode(), "application/json")

    def do_POST(self) -> None:
        """An answer, at once or as a stream."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.endpoint.lines[self.path.split("/")[1]](body)
        if isinstance(reply, Refusal):
            told = {"error": {"message": reply.text, "type": "played"}}
            self._send(reply.status, json.dumps(told).encode(), "application/json")
            return
        message, finish = _message(reply)
        head = {"id": f"chatcmpl-{uuid4().hex[:8]}", "created": 0, "model": body["model"]}
        words = sum(len(str(one.get("content") or "")) for one in body["messages"])
        usage = {"prompt_tokens": max(words // 4, 1), "completion_tokens": 20, "total_tokens": words // 4 + 20}
        if body.get("stream"):
            self._send(200, _stream({**head, "object": "chat.completion.chunk"}, message, finish, usage), _EVENTS)
            return
        choice = {"index": 0, "message": message, "finish_reason": finish}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        self._send(200, json.dumps(whole, ensure_ascii=False).encode(), "application/json")

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("retry-after-ms", "1")  # whoever tries again need not wait
        self.end_headers()
        self.wfile.write(data)


_EVENTS = "text/event-stream"


def _message(reply: str | ToolCalls) -> tuple[dict[str, Any], str]:
    if isinstance(reply, str):
        return {"role": "assistant", "content": reply}, "stop"
    calls = [
        {
            "id": identity,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
        }
        for identity, name, arguments in reply.calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"


def _stream(head: dict[str, Any], message: dict[str, Any], finish: str, usage: dict[str, Any]) -> bytes:
    calls = [{"index": number, **call} for number, call in enumerate(message.get("tool_calls", ()))]
    text = str(message["content"] or "")
    middle = len(text) // 2
    pieces: list[dict[str, Any]] = [{"role": "assistant", "content": text[:middle]}, {"content": text[middle:]}]
    if calls:
        pieces = [{"role": "assistant", "tool_calls": calls}]
    parts: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": p, "finish_reason": None}]} for p in pieces]
    parts += [{"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}, {"choices": [], "usage": usage}]
    lines = [*(json.dumps({**head, **part}, ensure_ascii=False).encode() for part in parts), b"[DONE]"]
    return b"".join(b"data: " + line + b"\n\n" for line in lines)


@contextmanager
def listening() -> Generator[Endpoint]:
    """An endpoint on a free port."""
    endpoint = Endpoint()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("EndpointHandler", (_Handler,), {"endpoint": endpoint}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    endpoint.address = f"127.0.0.1:{server.server_port}"
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
