"""The pages speak of what is there: files, links, and the numbers that docstrings cite."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("app", "graphs", "agents", "toolhub", "ledger", "tools", "language", "skills")
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
NAMES = {file.name for room in ROOMS for file in (ROOT / room).rglob("*.*")}

PROSE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"`([\w./-]+\.(?:py|md|json|tsv|yaml|toml|txt)|[\w.-]+(?:/[\w.-]+)*/)`")
LINK = re.compile(r"\]\(([^)#:]+)\)")
NUMBER = re.compile(r"\bR\d+(?:\.\d+)?\b")
PLACEHOLDERS = re.compile(r"NAME|my_tools|reverse_text|sales|\ba\.txt")
OF_A_USER = {"mcp.local.json", "sentences.yaml", "SKILL.md"}
"""Names of files that a user's folder or a tool's may have."""


def is_there(name: str) -> bool:
    return (ROOT / name).exists() or ("/" not in name and name in NAMES | OF_A_USER)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    text = PROSE.sub("", page.read_text(encoding="utf-8"))
    named = [name for name in FILE.findall(text) if not PLACEHOLDERS.search(name)]
    missing = [name for name in named if not is_there(name)]
    missing += [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    assert missing == []


def cited() -> Iterator[str]:
    for folder in (*ROOMS, "tests"):
        for file in (ROOT / folder).rglob("*.py"):
            yield from NUMBER.findall(" ".join(re.findall(r"\(R\d[^)]*\)|\bR\d+\.\d+", file.read_text("utf-8"))))


def test_every_requirement_that_is_cited_is_explained() -> None:
    explained = set(NUMBER.findall((ROOT / "docs" / "REQUIREMENTS.md").read_text(encoding="utf-8")))
    assert sorted(set(cited()) - explained) == []
