"""A small folder of notes in both languages, and the search over it."""

from pathlib import Path
from typing import Any

from switchyard.tools.core import ToolContext
from switchyard.tools.search_knowledge.tool import SearchKnowledge, SearchKnowledgeParams

NOTES = {
    "policy.md": "# Policy\n\nEmployees request vacations two weeks ahead.\nManagers approve the requests.\n",
    "docs/setup.txt": "Install it first.\nThe timeout is configured in settings.toml.\n",
    "文档/制度.md": "# 制度\n\n员工请假需要提前两周申请。\n由经理审批。\n",
    "文档/水库.txt": "盘石头水库当前水位一百米。\n修武站今天没有下雨。\n",
    "src/app.py": "def getUserName():\n    return load_user_name()  # GitHub\n",
}


def write(workspace: Path, name: str, text: str) -> Path:
    """A file with this text, with its folders."""
    file = workspace / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def write_notes(workspace: Path) -> Path:
    """All the notes."""
    for name, text in NOTES.items():
        write(workspace, name, text)
    return workspace


def search(workspace: Path, query: str, *, seconds: float = 60.0, **arguments: Any) -> dict[str, Any]:
    """What the tool answers; its index lies beside the workspace."""
    tool = SearchKnowledge(workspace.parent / "cache", seconds)
    return tool.execute(SearchKnowledgeParams(query=query, **arguments), ToolContext(workspace=workspace)).result


def places(result: dict[str, Any]) -> list[tuple[str, int]]:
    """Where the hits are, best first."""
    return [(hit["path"], hit["line"]) for hit in result["hits"]]
