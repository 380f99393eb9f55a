"""What is dropped into the folder of a running `chat` can be used in the next question: tool, skill, MCP server."""

import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from switchyard.app.trust import TrustedFolders
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.projects import write_servers, write_skill, write_tool
from tests.support.surroundings import own_environment

SERVER = """
import json
import sys

TOOL = {
    "name": "twist_text",
    "description": "Twist (扭转) a text around.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The text to twist. 要扭转的文本"}},
        "required": ["text"],
    },
    "annotations": {"readOnlyHint": True},
}


def answer(message):
    match message["method"]:
        case "initialize":
            version = message["params"]["protocolVersion"]
            about = {"serverInfo": {"name": "twist", "version": "1"}, "capabilities": {"tools": {}}}
            return {"protocolVersion": version, **about}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            twisted = message["params"]["arguments"]["text"][::-1]
            return {"content": [], "structuredContent": {"twisted": twisted}}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}), flush=True)
"""


@dataclass
class Chat:
    """A conversation with a real process."""

    process: "subprocess.Popen[str]"

    def ask(self, question: str) -> str:
        """The answer, up to the line that says what it cost."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{question}\n")
        self.process.stdin.flush()
        said = ""
        for line in self.process.stdout:
            said += line
            if re.match(r"(answered|failed|partial|waiting|已回答|未完成|部分完成|等待中)[:：]", line):
                return said
        raise AssertionError(said)


@contextmanager
def chatting(project: Path, tmp_path: Path, **settings: str) -> Generator[Chat]:
    """`chat` in a folder that is trusted and has nothing in it yet."""
    TrustedFolders(tmp_path / "config").add(project)
    environment = own_environment(tmp_path, **settings)
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "switchyard", "chat"],
        cwd=project,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        try:
            yield Chat(process)
        finally:
            process.kill()


@pytest.mark.parametrize("room", ["tools", "skills"])
def test_a_tool_or_a_python_skill(project: Path, tmp_path: Path, room: str) -> None:
    with chatting(project, tmp_path) as chat:
        assert "ABC" not in chat.ask('shout "abc"')
        write_tool(project / room)
        assert "Shout gives ABC" in chat.ask('shout "abc"')
        assert "大喊得你好ABC" in chat.ask("大喊“你好abc”")


def test_an_mcp_server(project: Path, tmp_path: Path) -> None:
    file = write_servers(project / "mcp.local.json")
    with chatting(project, tmp_path, APP_MCP_FILES=f'["{file}"]') as chat:
        assert "fedcba" not in chat.ask('twist the text "abcdef"')
        (project / "twist.py").write_text(SERVER, encoding="utf-8")
        write_servers(file, twist={"command": "${PYTHON}", "args": ["-I", str(project / "twist.py")]})
        assert "fedcba" in chat.ask('twist the text "abcdef"')
        assert "海上" in chat.ask("扭转“上海”")


def test_a_skill_that_a_model_carries_out(project: Path, tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.script(
        plan=[{"answer": "no skill yet"}, steps({"description": "Greet Mr Li", "tool": "greeting"})],
        fill=[fills(s1={"task": "Greet Mr Li. 问候李先生。"})],
        skill=[{"moves": [{"do": "finish", "answer": "李先生，您好！"}]}],
        answer=["The greeting is 李先生，您好！"],
    )
    with chatting(project, tmp_path, APP_BASE_URL=endpoint.url, APP_MODEL="scripted") as chat:
        assert "no skill yet" in chat.ask("Greet Mr Li politely")
        write_skill(project / "skills", "greeting")
        assert "李先生，您好！" in chat.ask("Greet Mr Li politely")
    assert "Do it. 照做。" in endpoint.prompts("skill")[0]
