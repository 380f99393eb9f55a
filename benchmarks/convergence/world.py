"""What a scenario is asked of: a folder, databases, a site on loopback and tools, with the faults they have."""

import json
import shutil
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from benchmarks.convergence.played_tool import parameters
from benchmarks.convergence.scenario import Page, PlayedTool, Scenario, at_address
from switchyard.app.settings import Settings

SERVER = Path(__file__).with_name("played_tool.py")
ROOT = Path(__file__).resolve().parents[2]

NATIVE = '''"""A tool of a scenario."""

import asyncio
import json
from pathlib import Path
from typing import Any

from pydantic import Field

from benchmarks.convergence.played_tool import Failed, play
from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool

DESCRIBED = json.loads({described!r})
CALLS = Path({calls!r})


class Params(BaseToolParams):
    """What it takes."""

{fields}

@tool(**{spec!r})
class Played:
    """{does}"""

    async def execute(self, params: Params, context: ToolContext) -> Any:
        """Do as the scenario says."""
        try:
            return await asyncio.to_thread(play, DESCRIBED, params.model_dump(), CALLS, context.workspace)
        except Failed as error:
            raise ToolFailed(str(error), kind=error.kind) from error
'''
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list[Any]"}


@dataclass
class Site:
    """The pages of a scenario, and how often each was asked for."""

    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    address: str = ""
    served: Counter[tuple[str, int]] = field(default_factory=Counter[tuple[str, int]])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, target: str) -> tuple[int, dict[str, str], bytes, float]:
        """Status, headers, body and delay for a path, its faults first."""
        asked = urlsplit(target)
        path = unquote(asked.path)
        page = self.pages.get(path)
        if page is None:
            return 404, {"Content-Type": "text/html; charset=utf-8"}, b"<h1>404 Not Found</h1>", 0.0
        kind, body = _content(page)
        with self.lock:
            for number, fault in enumerate(page.faults):
                if fault.only in unquote(asked.query) and self.served[path, number] < (fault.times or sys.maxsize):
                    self.served[path, number] += 1
                    is_late = fault.delay and fault.status == 200 and not fault.body
                    told = body if is_late else (fault.body or f"error {fault.status}").encode()
                    headers = {"Content-Type": kind if is_late or fault.status == 200 else "text/plain; charset=utf-8"}
                    return fault.status, {**headers, **fault.headers}, told, fault.delay
        return 200, {"Content-Type": kind}, body, 0.0


def _content(page: Page) -> tuple[str, bytes]:
    if page.html:
        return "text/html; charset=utf-8", page.html.encode()
    if page.json_ is not None:
        return "application/json", json.dumps(page.json_, ensure_ascii=False).encode()
    return "text/plain; charset=utf-8", page.text.encode()


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Nothing."""

    def do_GET(self) -> None:
        """A page."""
        status, headers, body, delay = self.site.reply(self.path)
        time.sleep(delay)
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # whoever asked has gone

    def do_POST(self) -> None:
        """What is sent is read and answered as if it were asked for."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.do_GET()


@contextmanager
def served(site: Site) -> Generator[None]:
    """Serve a site on a free port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("SiteHandler", (_Handler,), {"site": site}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    site.address = f"127.0.0.1:{server.server_port}"
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class World:
    """A scenario at its address, and the folder all of it is in."""

    scenario: Scenario
    folder: Path
    site: Site

    @property
    def workspace(self) -> Path:
        """Where file tools work."""
        return self.folder / "workspace"

    def renew(self, *, faults: bool = True) -> None:
        """Everything as it was before anybody asked; what was learned stays, and without faults what had passed has."""
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.workspace.mkdir(parents=True)
        for path, text in self.scenario.files.items():
            file = self.workspace / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for path, statements in self.scenario.databases.items():
            with closing(sqlite3.connect(self.workspace / path)) as connection:
                connection.executescript(";\n".join(statements))
        if faults:
            self._calls.unlink(missing_ok=True)
            self.site.served.clear()

    @property
    def _calls(self) -> Path:
        return self.folder / "calls.jsonl"

    def settings(self, **given: Any) -> Settings:
        """Settings with the tools of the scenario; no variable of the caller's is read but what is given."""
        defaults: dict[str, Any] = {
            "workspace": self.workspace,
            "data_dir": self.folder / "data",
            "config_dir": self.folder / "config",
            "cache_dir": self.folder / "cache",
            "project": self.folder,
            "tool_folders": [self._native_tools()],
            "mcp_files": self._servers(),
            "allow_private": [self.site.address],
            "auto_approve": True,
            "retry_delay": 0.05,
            "tool_timeout": 20.0,
            "max_seconds": 90.0,
            "model_timeout": 30.0,
        }
        return Settings.model_validate({**defaults, **self.scenario.settings, **given})

    def _native_tools(self) -> Path:
        folder = self.folder / "own_tools"
        folder.mkdir(exist_ok=True)
        for tool in self.scenario.tools:
            if "/" not in tool.name:
                (folder / f"{tool.name}.py").write_text(_source(tool, self._calls), encoding="utf-8")
        return folder

    def _servers(self) -> list[Path]:
        names = {tool.name.partition("/")[0] for tool in self.scenario.tools if "/" in tool.name}
        if not names:
            return []
        described = self.folder / "tools.json"
        tools = [tool.model_dump() for tool in self.scenario.tools]
        described.write_text(json.dumps(tools, ensure_ascii=False), encoding="utf-8")
        places = [str(self._calls), str(self.workspace)]
        entries = {
            name: {"command": "${PYTHON}", "args": ["-I", "-S", str(SERVER), str(described), name, *places]}
            for name in sorted(names)
        }
        file = self.folder / "mcp.json"
        file.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
        return [file]


def _source(tool: PlayedTool, calls: Path) -> str:
    schema = parameters(tool.model_dump())
    fields: list[str] = []
    for name, described in schema["properties"].items():
        kind = TYPES[described["type"]]
        default = "" if name in schema["required"] else f"default={described.get('default')!r}, "
        annotation = kind if name in schema["required"] or described.get("default") is not None else f"{kind} | None"
        fields.append(f"    {name}: {annotation} = Field({default}description={described.get('description', '')!r})")
    spec: dict[str, Any] = {
        "tool_id": tool.name,
        "category": tool.category,
        "tags": tuple(tool.tags),
        "capability_tags": tuple(tool.capability_tags),
        "returns": tool.returns,
        "returns_schema": tool.returns_schema,
        "answers": tool.answers,
        "writes": tool.writes,
        "requires": tuple(tool.requires),
        "produces": tuple(tool.produces),
        "sentences": (*tool.examples, *tool.sentences),
    }
    return NATIVE.format(
        described=json.dumps(tool.model_dump(), ensure_ascii=False),
        calls=str(calls),
        fields="\n".join(fields) or "    pass",
        spec=spec,
        does=tool.does,
    )


@contextmanager
def opened(scenario: Scenario, folder: Path) -> Generator[World]:
    """The world of a scenario, its site being served."""
    site = Site()
    with served(site):
        here = Scenario.model_validate(at_address(scenario.model_dump(by_alias=True), site.address))
        site.pages = here.site
        world = World(here, folder, site)
        world.renew()
        yield world
