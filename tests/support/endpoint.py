"""An OpenAI-compatible endpoint on loopback that plays a script: real HTTP, no model.

Replies are given by kind of prompt, so that a test reads as what the model says where:

    endpoint.script(plan=[{"steps": [...]}], fill=[{"calls": [...]}], answer=["372."])

A reply is a text, an object (sent as JSON text), `tool_call({...})`, `status(429)`, `hang()`, `drop()` (the connection
ends in the middle of the answer) or `raw(b"...")` (any bytes instead of an answer).
"""

import json
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from switchyard.agents.coordination.prompts import ANSWER_SYSTEM, DECIDE_SYSTEM
from switchyard.agents.execution.prompts import LATE_SYSTEM, REASON_SYSTEM
from switchyard.agents.planning.prompts import SYSTEM as PLAN_SYSTEM
from switchyard.agents.tool_selection.prompts import FILL_SYSTEM, RANK_SYSTEM
from switchyard.agents.verification.prompts import SYSTEM as JUDGE_SYSTEM
from switchyard.app.orchestrator import Orchestrator
from switchyard.app.report import RunReport
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.sources.skills.prompts import OPENING as SKILL_SYSTEM

KINDS = {
    "plan": PLAN_SYSTEM,
    "rank": RANK_SYSTEM,
    "fill": FILL_SYSTEM,
    "late": LATE_SYSTEM,
    "reason": REASON_SYSTEM,
    "judge": JUDGE_SYSTEM,
    "decide": DECIDE_SYSTEM,
    "answer": ANSWER_SYSTEM,
    "skill": SKILL_SYSTEM,
}


@dataclass(frozen=True)
class ToolCallReply:
    arguments: dict[str, Any]
    name: str = "answer"


@dataclass(frozen=True)
class StatusReply:
    code: int
    message: str = "scripted"


@dataclass(frozen=True)
class HangReply:
    pass


@dataclass(frozen=True)
class DropReply:
    pass


@dataclass(frozen=True)
class RawReply:
    data: bytes


Reply = str | dict[str, Any] | list[Any] | ToolCallReply | StatusReply | HangReply | DropReply | RawReply


def tool_call(arguments: dict[str, Any]) -> ToolCallReply:
    return ToolCallReply(arguments)


def status(code: int, message: str = "scripted") -> StatusReply:
    return StatusReply(code, message)


def hang() -> HangReply:
    return HangReply()


def drop() -> DropReply:
    return DropReply()


def raw(data: bytes) -> RawReply:
    return RawReply(data)


def steps(*drafts: dict[str, Any]) -> dict[str, Any]:
    """A plan as the model writes it; ids are given in order where a step has none."""
    return {"steps": [{"id": f"s{position}", **draft} for position, draft in enumerate(drafts, start=1)]}


def fills(**arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of each step as the model writes them."""
    return {"calls": [{"step": step, "arguments": given} for step, given in arguments.items()]}


async def ask_scripted(
    open_with: Callable[..., AbstractAsyncContextManager[Orchestrator]],
    endpoint: "Endpoint",
    question: str,
    *,
    options: RunOptions | None = None,
    **settings: Any,
) -> RunReport:
    """Ask one question of an orchestrator whose model is the endpoint."""
    async with open_with(**{"base_url": endpoint.url, "model": "scripted", **settings}) as opened:
        return await opened.ask(question, options=options)


def closed_port() -> str:
    """An address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


@dataclass
class Endpoint:
    """What the endpoint says, and what it was asked."""

    url: str = ""
    refuses_response_format: bool = False
    refusal_code: int = 400
    usage: dict[str, Any] = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    )
    """What it says each call took."""
    pieces: int = 2
    """In how many pieces a text is streamed."""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str] = field(default_factory=list[str])
    """What came as authorization."""
    kinds: list[str] = field(default_factory=list[str])
    """The kinds of prompt, in the order they came."""
    _script: dict[str, list[Reply]] = field(default_factory=dict[str, list[Reply]])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    when_hanging: Callable[[], None] = lambda: None
    """Called when a request came that is never answered."""
    released: threading.Event = field(default_factory=threading.Event)
    """Set at the end of the test: whatever hangs lets go."""

    def script(self, **replies: list[Any]) -> None:
        """Set what is said, by kind; the last reply of a kind is repeated."""
        self._script = dict(replies)

    def prompts(self, kind: str) -> list[str]:
        """The user's part of every prompt of a kind."""
        return [
            request["messages"][1]["content"]
            for request, found in zip(self.requests, self.kinds, strict=True)
            if found == kind
        ]

    def reply_to(self, body: dict[str, Any]) -> Reply:
        kind = kind_of(body)
        with self._lock:
            self.requests.append(body)
            self.kinds.append(kind)
            if self.refuses_response_format and "response_format" in body:
                return status(self.refusal_code, "response_format is not supported")
            replies = self._script.get(kind, [])
            if not replies:
                return status(500, f"the script says nothing for '{kind}'")
            return replies.pop(0) if len(replies) > 1 else replies[0]


def kind_of(body: dict[str, Any]) -> str:
    system = str(body["messages"][0]["content"])
    return next((kind for kind, text in KINDS.items() if system.startswith(_beginning(text))), "unknown")


def _beginning(text: str) -> str:
    """The first line, up to the place that a number is filled in."""
    return text.split("\n", 1)[0].split("{topk}", 1)[0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: Endpoint

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class names it so
        pass

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "scripted"}]})

    def do_POST(self) -> None:
        body = cast("dict[str, Any]", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.endpoint.keys.append(self.headers.get("Authorization", ""))
        reply = self.endpoint.reply_to(body)
        if isinstance(reply, HangReply):
            self.endpoint.when_hanging()
            self.endpoint.released.wait()
            self.close_connection = True
            return
        if isinstance(reply, RawReply):
            self._reply(200, reply.data, "text/event-stream" if body.get("stream") else "application/json")
            return
        if isinstance(reply, StatusReply):
            self._send(reply.code, {"error": {"message": reply.message, "type": "scripted"}})
            return
        dropped = isinstance(reply, DropReply)
        message, finish = _message("this answer is never sent to its end" if isinstance(reply, DropReply) else reply)
        head = {"id": "chatcmpl-1", "created": 0, "model": body["model"]}
        usage = self.endpoint.usage
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            payload = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
            self._reply(200, _json(payload), "application/json", dropped=dropped)
            return
        deltas = _deltas(message, self.endpoint.pieces)
        data = _stream({**head, "object": "chat.completion.chunk"}, deltas, finish, usage)
        self._reply(200, data, "text/event-stream", dropped=dropped)

    def _send(self, code: int, payload: dict[str, Any]) -> None:
        self._reply(code, _json(payload), "application/json")

    def _reply(self, code: int, data: bytes, kind: str, *, dropped: bool = False) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("retry-after-ms", "1")  # whoever tries again need not wait
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if dropped else data)
        self.close_connection = self.close_connection or dropped


@contextmanager
def scripted_endpoint() -> Generator[Endpoint]:
    endpoint = Endpoint()
    handler = type("EndpointHandler", (Handler,), {"endpoint": endpoint})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _json(payload: dict[str, Any]) -> bytes:
    # half a character is sent as the escape that JSON has for it
    return json.dumps(payload, ensure_ascii=False).encode(errors="backslashreplace")


def _deltas(message: dict[str, Any], pieces: int) -> list[dict[str, Any]]:
    if message.get("tool_calls"):
        return [{"role": "assistant", "tool_calls": [{"index": 0, **message["tool_calls"][0]}]}]
    text = str(message.get("content") or "")
    length = max(-(-len(text) // pieces), 1)
    parts = [text[start : start + length] for start in range(0, max(len(text), 1), length)]
    return [{"role": "assistant", "content": parts[0]}, *({"content": part} for part in parts[1:])]


def _stream(head: dict[str, Any], deltas: list[dict[str, Any]], finish: str, usage: dict[str, Any]) -> bytes:
    parts: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    parts.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    parts.append({"choices": [], "usage": usage})
    lines = [*(_json({**head, **part}) for part in parts), b"[DONE]"]
    return b"".join(b"data: " + line + b"\n\n" for line in lines)


def _message(reply: str | dict[str, Any] | list[Any] | ToolCallReply) -> tuple[dict[str, Any], str]:
    if isinstance(reply, ToolCallReply):
        function = {"name": reply.name, "arguments": json.dumps(reply.arguments, ensure_ascii=False)}
        call = {"id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    return {"role": "assistant", "content": text}, "stop"
