"""The skills that come with Switchyard, used: a model that plays a script over real HTTP, real tools, real files."""

from pathlib import Path
from typing import Any

import pytest
from skills_ref import validate

from switchyard.app.places import ROOT
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.sources.skills.source import check_skill, discover_skills
from switchyard.tools.core import ToolResult
from tests.support.endpoint import Endpoint
from tests.toolhub.skills.desk import Desk, call, finish, open_desk, read, turns

SHIPPED = ROOT / "skills"
NAMES = ["data-profile", "meeting-notes-to-actions", "repository-tour"]

NOTES = {
    "en": "# Planning, 2026-03-02\n\n- Ana: I'll send the draft by Friday.\n- We use PostgreSQL.\n",
    "zh": "# 项目例会 2026-03-02\n\n- 小李：初稿我周五前发出。\n- 决定采用方案二。\n",
}
NOTES_TASK = {
    "en": "Extract the action items from notes.md",
    "zh": "从 notes.md 里提取行动项",
}
TOUR_TASK = {"en": "Give me a tour of this repository", "zh": "介绍一下这个项目的代码结构"}
PROFILE_TASK = {"en": "Profile the data in sales.csv", "zh": "给 sales.csv 做一份数据概况报告"}


async def use(
    endpoint: Endpoint, workspace: Path, skill: str, task: str, replies: list[Any], **options: Any
) -> tuple[ToolResult, Desk]:
    endpoint.script(skill=replies)
    async with open_desk(workspace, endpoint.url, skills=[SHIPPED], options=RunOptions(**options)) as desk:
        return await desk.use(skill, task), desk


def files(workspace: Path) -> list[str]:
    return [path.name for path in workspace.iterdir()]


def test_there_are_three_and_none_is_odd():
    found = discover_skills(SHIPPED, "switchyard.skills")
    assert [tool.spec.tool_id for tool in found.tools] == NAMES
    assert found.broken == []


@pytest.mark.parametrize("name", NAMES)
async def test_each_is_valid_and_its_tools_are_there(workspace: Path, name: str):
    async with open_desk(workspace) as desk:
        tools = [spec.tool_id for spec in desk.hub.registry.listed()]
    assert check_skill(SHIPPED / name, tools) == []
    assert validate(SHIPPED / name) == []


@pytest.mark.parametrize("name", NAMES)
async def test_without_a_model_each_says_that_it_needs_one(workspace: Path, name: str):
    async with open_desk(workspace, skills=[SHIPPED]) as desk:
        result = await desk.use(name, "试试 try")
    assert f"'{name}' works with a model, and this run has none" in str(result.error)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Profile the data quality of sales.csv", "data-profile"),
        ("给这份数据做个数据质量概况报告", "data-profile"),
        ("Give me a tour of this repository", "repository-tour"),
        ("介绍一下这个项目的代码结构", "repository-tour"),
        ("Extract the action items from the meeting notes", "meeting-notes-to-actions"),
        ("从会议纪要里提取待办事项和负责人", "meeting-notes-to-actions"),
    ],
)
async def test_each_is_recalled_for_the_questions_it_is_for(workspace: Path, question: str, name: str):
    async with open_desk(workspace, skills=[SHIPPED]) as desk:
        assert (await desk.hub.finder.recall(question, 5))[0].name == name


@pytest.mark.parametrize("language", NOTES)
async def test_actions_are_drawn_from_notes_and_nothing_is_written(endpoint: Endpoint, workspace: Path, language: str):
    (workspace / "notes.md").write_text(NOTES[language], encoding="utf-8")
    items = [{"action": "send the draft 发初稿", "owner": "Ana", "due": "2026-03-06", "quote": "by Friday"}]
    replies = turns([call("read_file", path="notes.md"), read("references/what-counts.md")], finish(items))
    result, _ = await use(endpoint, workspace, "meeting-notes-to-actions", NOTES_TASK[language], replies)
    assert result.result["answer"] == items
    assert result.meta.sources == ["notes.md"]
    assert files(workspace) == ["notes.md"]
    first, second = endpoint.prompts("skill")
    assert NOTES_TASK[language] in first
    assert "What counts as an action item" in second
    assert NOTES[language].splitlines()[2] in second


@pytest.mark.parametrize("language", NOTES)
async def test_a_list_that_nobody_approved_is_not_written(endpoint: Endpoint, workspace: Path, language: str):
    (workspace / "notes.md").write_text(NOTES[language], encoding="utf-8")
    writing = {"path": "actions.md", "content": "| 1 | 发初稿 |"}
    replies = turns(call("write_to_file", **writing), finish("not written 未写入"))
    result, _ = await use(endpoint, workspace, "meeting-notes-to-actions", NOTES_TASK[language], replies)
    assert result.result["not_done"] == [{"tool": "write_to_file", "arguments": writing}]
    assert not (workspace / "actions.md").exists()


async def test_a_list_is_written_where_writing_is_approved(endpoint: Endpoint, workspace: Path):
    writing = {"path": "行动项.md", "content": "| 1 | 发初稿 |"}
    replies = turns(call("write_to_file", **writing), finish("written 已写入"))
    task = "把行动项写到 行动项.md"
    result, _ = await use(endpoint, workspace, "meeting-notes-to-actions", task, replies, auto_approve=True)
    assert result.result["not_done"] == []
    assert "发初稿" in (workspace / "行动项.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", TOUR_TASK)
async def test_a_tour_looks_at_the_real_files(endpoint: Endpoint, workspace: Path, language: str):
    (workspace / "src").mkdir()
    (workspace / "README.md").write_text("# Weather 天气\n\nShows the weather.\n", encoding="utf-8")
    (workspace / "src" / "app.py").write_text("def main() -> None:\n    print('晴')\n", encoding="utf-8")
    replies = turns(
        [call("list_dir"), call("read_file", path="README.md")],
        [call("grep_search", pattern="def main"), call("read_file", path="src/app.py", max_lines=100)],
        finish("It starts in src/app.py:1. 从 src/app.py 开始。"),
    )
    result, desk = await use(endpoint, workspace, "repository-tour", TOUR_TASK[language], replies)
    assert "src/app.py:1" in result.result["answer"]
    assert result.result["tools"] == ["list_dir", "read_file", "grep_search"]
    assert {"README.md", "src/app.py"} <= set(result.meta.sources)
    assert len(desk.calls) == 4
    last = endpoint.prompts("skill")[-1]
    assert "Shows the weather." in last
    assert "print('晴')" in last


async def test_a_tour_writes_nothing_even_where_all_is_approved(endpoint: Endpoint, workspace: Path):
    replies = turns(call("write_to_file", path="TOUR.md", content="x"), finish("没有写入"))
    result, desk = await use(endpoint, workspace, "repository-tour", "导览", replies, auto_approve=True)
    assert result.success
    assert desk.calls == []
    assert files(workspace) == []


@pytest.mark.parametrize("language", PROFILE_TASK)
async def test_a_profile_rests_on_what_the_analyzer_found(endpoint: Endpoint, workspace: Path, language: str):
    (workspace / "sales.csv").write_text("编号,city,price\n1,北京,12.5\n2,Paris,\n2,Paris,-3\n", encoding="utf-8")
    twice = 'SELECT "编号", count(*) AS n FROM data GROUP BY ALL HAVING n > 1'
    replies = turns(
        [call("data_analyzer.describe", path="sales.csv"), read("references/report-form.md")],
        [
            call("data_analyzer.aggregate", path="sales.csv", group_by=["city"]),
            call("data_analyzer.query", path="sales.csv", sql=twice),
        ],
        finish("sales.csv: 3 rows, one price is missing. 3 行，缺 1 个价格。"),
    )
    result, desk = await use(endpoint, workspace, "data-profile", PROFILE_TASK[language], replies)
    assert "3 rows" in result.result["answer"]
    assert result.result["tools"] == ["data_analyzer"]
    assert result.meta.sources == ["sales.csv"]
    assert len(desk.calls) == 3
    first, second, third = endpoint.prompts("skill")
    assert "action describe: " in first
    assert '"column_count": 3' in second
    assert "Form of the report" in second
    assert '"Paris"' in third
    assert '"n": 2' in third
