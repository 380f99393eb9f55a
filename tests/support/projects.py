"""What people put into a project folder: a tool, a skill of each kind, an MCP server."""

import json
from pathlib import Path
from typing import Any

TOOL = '''
from pydantic import Field

from switchyard.tools.core import BaseToolParams, tool


class {cls}Params(BaseToolParams):
    text: str = Field(description="The text.")


@tool(
    category="text",
    tags=("{verb}", "{zh}"),
    sentences=('{verb} "abc"', "{zh}“你好”"),
    answers={{"en": "{cls} gives {{given}}", "zh": "{zh}得{{given}}"}},
)
class {cls}:
    """{cls} a text. {zh}文本。"""

    def execute(self, params: {cls}Params) -> dict[str, str]:
        return {{"given": params.text.{method}()}}
'''


def write_tool(folder: Path, cls: str = "Shout", verb: str = "shout", zh: str = "大喊", method: str = "upper") -> Path:
    """A tool, or a skill in Python, in one file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{cls.lower()}_text.py"
    file.write_text(TOOL.format(cls=cls, verb=verb, zh=zh, method=method), encoding="utf-8")
    return file


def write_skill(folder: Path, name: str, *, front: str = "", body: str = "Do it. 照做。") -> Path:
    """A skill with a SKILL.md; `front` are more lines of its front matter."""
    own = folder / name
    own.mkdir(parents=True, exist_ok=True)
    file = own / "SKILL.md"
    text = f"---\nname: {name}\ndescription: Greets people politely. 礼貌问候。\n{front}---\n{body}\n"
    file.write_text(text, encoding="utf-8")
    return file


def write_servers(file: Path, **entries: dict[str, Any]) -> Path:
    """The file that names MCP servers."""
    file.write_text(json.dumps({"mcpServers": entries}, ensure_ascii=False, indent=2), encoding="utf-8")
    return file
