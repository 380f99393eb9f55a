"""Skills of a folder: SKILL.md folders and Python files; one that is broken costs itself only."""

from pathlib import Path

import pytest

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.sources.native import Discovery
from switchyard.toolhub.sources.skills.source import discover_skills, skill_files
from switchyard.tools.core import ToolContext
from tests.toolhub.skills.desk import write_skill

PYTHON = '''
from switchyard.tools.core import BaseToolParams, tool


class P(BaseToolParams):
    label: str


@tool(tags=("词",))
class CountWords:
    """Count words. 数词。"""

    def execute(self, params: P) -> int:
        return len(params.label.split())
'''


def names(found: Discovery) -> list[str]:
    return [tool.spec.tool_id for tool in found.tools]


def test_a_skill_is_described_by_its_front_matter(tmp_path: Path):
    write_skill(tmp_path, "tour", front="name: tour\ndescription: >\n  Shows the code.\n  讲解代码。")
    (tool,) = discover_skills(tmp_path).tools
    assert (tool.spec.tool_id, tool.spec.tool_type, tool.spec.source) == ("tour", "skill", "skill")
    assert tool.spec.summary == "Shows the code. 讲解代码。"
    assert tool.spec.priority == 1
    assert tool.spec.capabilities[0].parameters["required"] == ["task"]


def test_the_instructions_are_in_no_description(tmp_path: Path):
    write_skill(tmp_path, "tour", "SECRET RECIPE 秘方")
    found = discover_skills(tmp_path)
    assert "SECRET" not in repr(found)
    assert "秘方" not in repr(found)


async def test_a_python_skill_is_a_tool_of_its_own_source(tmp_path: Path):
    (tmp_path / "words.py").write_text(PYTHON, encoding="utf-8")
    (tool,) = discover_skills(tmp_path).tools
    assert (tool.spec.tool_id, tool.spec.tool_type, tool.spec.source) == ("count_words", "function", "skill")
    assert (
        await tool.run(ToolRequest(tool.spec.tool_id, None, {"label": "一 two"}, ToolContext(workspace=tmp_path)))
    ).result == 2


def test_a_broken_skill_costs_itself_only(tmp_path: Path):
    write_skill(tmp_path, "a", front="name: a")
    write_skill(tmp_path, "b")
    (tmp_path / "broken.py").write_text("raise RuntimeError('坏了')", encoding="utf-8")
    (tmp_path / "words.py").write_text(PYTHON, encoding="utf-8")
    found = discover_skills(tmp_path)
    assert names(found) == ["count_words", "b"]
    assert [(broken.path.name, broken.path.parent.name) for broken in found.broken] == [
        ("broken.py", tmp_path.name),
        ("SKILL.md", "a"),
    ]
    assert [tool.spec.tool_id for tool in found.tools if hasattr(tool.run, "skill")] == ["b"]


@pytest.mark.parametrize("name", ["same", "同名"])
def test_a_second_skill_of_a_name_is_reported_and_not_used(tmp_path: Path, name: str):
    first = write_skill(tmp_path, "a", front=f"name: {name}\ndescription: first")
    second = write_skill(tmp_path, "b", front=f"name: {name}\ndescription: second")
    found = discover_skills(tmp_path)
    assert [tool.spec.summary for tool in found.tools] == ["first"]
    (broken,) = found.broken
    assert broken.path == second / "SKILL.md"
    assert str(first / "SKILL.md") in broken.error
    assert "rename" in broken.error


def test_a_name_taken_in_another_folder_is_reported(tmp_path: Path):
    shipped = write_skill(tmp_path / "shipped", "same") / "SKILL.md"
    write_skill(tmp_path / "mine", "same")
    found = discover_skills(tmp_path / "mine", taken={"same": shipped})
    assert found.tools == []
    assert str(shipped) in found.broken[0].error


def test_a_python_skill_and_a_folder_of_one_name_are_reported(tmp_path: Path):
    (tmp_path / "words.py").write_text(PYTHON.replace("CountWords", "Words"), encoding="utf-8")
    write_skill(tmp_path, "words")
    found = discover_skills(tmp_path)
    assert [tool.spec.tool_type for tool in found.tools] == ["function"]
    assert "'words' is taken" in found.broken[0].error


def test_collections_may_sort_their_skills(tmp_path: Path):
    write_skill(tmp_path / "documents" / "office", "docx")
    write_skill(tmp_path / "文档", "纪要")
    assert names(discover_skills(tmp_path)) == ["docx", "纪要"]


def test_what_is_inside_a_skill_is_its_own(tmp_path: Path):
    outer = write_skill(tmp_path, "outer")
    write_skill(outer / "templates", "inner")
    assert names(discover_skills(tmp_path)) == ["outer"]


@pytest.mark.parametrize("folder", [".git", "node_modules", "__pycache__", ".venv", ".hidden"])
def test_folders_that_hold_no_skills_are_not_entered(tmp_path: Path, folder: str):
    write_skill(tmp_path / folder, "mine")
    assert skill_files(tmp_path) == []


def test_the_folder_of_one_skill_is_that_skill(tmp_path: Path):
    assert names(discover_skills(write_skill(tmp_path, "mine"))) == ["mine"]


def test_a_linked_skill_is_found(tmp_path: Path):
    place = write_skill(tmp_path / "elsewhere", "mine")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "mine").symlink_to(place, target_is_directory=True)
    assert names(discover_skills(tmp_path / "skills")) == ["mine"]


def test_a_link_to_itself_ends(tmp_path: Path):
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    write_skill(tmp_path, "mine")
    found = discover_skills(tmp_path)
    assert names(found) == ["mine"]


def test_an_empty_folder_has_no_skills(tmp_path: Path):
    assert discover_skills(tmp_path) == Discovery()


def test_lower_case_file_names_are_found(tmp_path: Path):
    place = write_skill(tmp_path, "mine")
    (place / "SKILL.md").rename(place / "skill.md")
    assert names(discover_skills(tmp_path)) == ["mine"]
