"""What a model is told on its way: the day, results it depends on, what failed, and which tools are left."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from switchyard.agents.asking import dated
from switchyard.agents.prompt import SPACE_BESIDE
from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.report import RunReport
from switchyard.app.settings import Settings
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps

MOMENT = datetime(2026, 2, 27, 23, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
SAID = "Today is Friday, 2026-02-27, in the time zone Asia/Shanghai (UTC+08:00)."

FILLER = {"en": "The gauge was read at dawn and was in order.\n", "zh": "清晨读了水位计，一切正常。\n"}
WHERE = {"en": "The archive is in the folder boxes-2019.", "zh": "档案在文件夹 boxes-2019 里。"}

LEVELS = '''
from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool


class StationParams(BaseToolParams):
    station: str = Field(description="站名。 The name of the station.")


@tool(category="water", tags=("level", "水位"), capability_tags=("水位",))
class LevelNow:
    """Tell the water level at a station. 查询一个站的水位。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, object]:
        raise ToolFailed("数据库没有响应", kind="unavailable")


@tool(category="water", tags=("level", "水位"), capability_tags=("雨量",))
class LevelOfRain:
    """Tell the water level in the rain gauge at a station. 查询一个站雨量计的水位。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, object]:
        return {"mm": 4}


@tool(category="water", tags=("level", "水位"), capability_tags=("水位",))
class ArchiveOfStations:
    """Tell what was last recorded. 查档案里最近的记录。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, object]:
        return {"level_m": 81.3}


@tool(category="water", tags=("level", "水位"), capability_tags=("闸门",), writes=True)
class SetLevel:
    """Set the water level at a station. 调节一个站的水位。"""

    def execute(self, params: StationParams, context: ToolContext) -> dict[str, object]:
        return {"set": True}
'''


@pytest.fixture
def levels(tmp_path: Path) -> list[Path]:
    (tmp_path / "water").mkdir()
    (tmp_path / "water" / "levels.py").write_text(LEVELS, encoding="utf-8")
    return [tmp_path / "water"]


@pytest.mark.parametrize("question", ["What is due next Friday, by plan.md?", "plan.md 里下周五要做什么？"])
async def test_every_prompt_has_the_day_and_ends_with_the_question(
    make_settings: Callable[..., Settings], endpoint: Endpoint, workspace: Path, question: str
) -> None:
    (workspace / "plan.md").write_text("2026-03-06: 交报告", encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": "read 读取 plan.md", "tool": "read_file"},
                {"description": "what is due 要做什么", "tool": "none", "dependencies": ["s1"]},
            )
        ],
        fill=[fills(s1={"path": "plan.md"})],
        judge=[{"judgements": []}],
        reason=["交报告"],
        answer=["交报告"],
    )
    own = make_settings(base_url=endpoint.url, model="scripted", judge=True)
    async with open_orchestrator(own, clock=lambda: MOMENT) as opened:
        report = await opened.ask(question)
    assert report.status == "answered"
    assert set(endpoint.kinds) == {"plan", "fill", "judge", "reason", "answer"}
    for request in endpoint.requests:
        system, user = (message["content"] for message in request["messages"][:2])
        assert user.startswith(SAID)
        assert user.endswith(f"\n\nQuestion: {question}\n")
        assert "2026-02-27" not in system


def test_a_clock_without_a_zone_tells_the_day_alone() -> None:
    assert dated(datetime(2026, 11, 16, 8)).startswith("Today is Monday, 2026-11-16. ")  # noqa: DTZ001  that is the point


async def _lost_in_the_archive(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, language: str, size: int, **script: Any
) -> RunReport:
    (workspace / "boxes-2019").mkdir()
    text = FILLER[language] * (size // len(FILLER[language])) + WHERE[language]
    (workspace / "report.md").write_text(text, encoding="utf-8")
    first = steps(
        {"description": "读 report.md", "tool": "read_file"},
        {"description": "list the archive 列出档案", "tool": "list_dir", "dependencies": ["s1"]},
    )
    plan2 = {"steps": [{"id": "s3", "description": "列出 boxes", "tool": "list_dir", "dependencies": ["s1"]}]}
    endpoint.script(
        plan=[first, plan2],
        fill=[fills(s1={"path": "report.md"}, s2={"path": "2019"}), fills(s3={"path": "boxes-2019"})],
        decide=[{"action": "replan", "reason": "no such folder"}],
        answer=["ok 好"],
        **script,
    )
    return await ask_scripted(orchestrator_with, endpoint, "What is in the archive? 档案里有什么？")


@pytest.mark.parametrize("language", FILLER)
async def test_what_a_decision_depends_on_is_seen_to_its_end(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, language: str
) -> None:
    report = await _lost_in_the_archive(orchestrator_with, endpoint, workspace, language, 3 * SPACE_BESIDE)
    assert report.status == "answered"
    decide, replan, refill = endpoint.prompts("decide")[0], endpoint.prompts("plan")[1], endpoint.prompts("fill")[1]
    for prompt in (decide, replan, refill):
        assert WHERE[language] in prompt
        assert "characters left out" in prompt
        assert len(prompt) < 3 * SPACE_BESIDE
        assert "{{s1.text}} is the whole" in prompt


@pytest.mark.parametrize("language", FILLER)
async def test_after_a_new_plan_whoever_writes_arguments_knows_what_failed_and_why(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, language: str
) -> None:
    await _lost_in_the_archive(orchestrator_with, endpoint, workspace, language, 100)
    before, after = endpoint.prompts("fill")
    assert "What failed" not in before
    assert '- s2: list_dir({"path": "2019"}): not_found: <data>\'2019\' does not exist' in after


@pytest.mark.parametrize("station", ["Xiuwu", "修武"])
async def test_arguments_that_come_late_know_what_failed_and_may_pass_on_the_whole(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, station: str
) -> None:
    (workspace / "name.txt").write_text(f"{station}.md", encoding="utf-8")
    long = "水" * 20_000
    (workspace / f"{station}.md").write_text(long, encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": "read 读取 name.txt", "tool": "read_file"},
                {"description": "read the file named there 读那个文件", "tool": "read_file", "dependencies": ["s1"]},
                {"description": "write a file 写文件", "tool": "write_to_file", "dependencies": ["s2"]},
            ),
            {"steps": [{"id": "s4", "description": "copy 复制", "tool": "write_to_file", "dependencies": ["s2"]}]},
        ],
        fill=[
            {
                "calls": [
                    {"step": "s1", "arguments": {"path": "name.txt"}},
                    {"step": "s2", "late": True},
                    {"step": "s3", "arguments": {"path": "../out.md", "content": "x"}},
                ]
            },
            {"calls": [{"step": "s4", "late": True}]},
        ],
        late=[{"arguments": {"path": "{{s1.text}}"}}, {"arguments": {"path": "copy.md", "content": "{{s2.text}}"}}],
        decide=[{"action": "replan"}],
        answer=["ok 好"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "copy it 复制", auto_approve=True)
    assert report.status == "answered"
    assert (workspace / "copy.md").read_text(encoding="utf-8") == long
    first, last = endpoint.prompts("late")
    assert "What failed" not in first
    assert 'write_to_file({"path": "../out.md"' in last.split("What failed:")[1]
    assert "{{s2.text}} is the whole" in last


@pytest.mark.parametrize("question", ["Tell the water level at station Xiuwu", "查询修武站的水位"])
async def test_tools_of_the_same_capability_are_offered_first_and_the_one_that_is_chosen_is_taken(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, levels: list[Path], question: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "level_now"})],
        fill=[fills(s1={"station": "修武"})],
        decide=[{"action": "switch_tool", "tools": {"s1": "level_of_rain"}}],
        answer=["4"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, tool_folders=levels)
    offered = endpoint.prompts("decide")[0].split("for s1:")[1].split("- replan")[0]
    names = [line.split()[1] for line in offered.strip().splitlines()]
    assert names[0] == "archive_of_stations"
    assert "level_of_rain" in names
    assert "- archive_of_stations [water]: Tell what was last recorded. 查档案里最近的记录。" in offered
    assert not {"level_now", "set_level"} & set(names)  # the one failed, the other changes something
    assert report.steps[0].tool == "level_of_rain"
    assert not report.downgrades


async def test_a_tool_that_was_not_offered_is_not_switched_to(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, levels: list[Path]
) -> None:
    endpoint.script(
        plan=[steps({"description": "查询修武站的水位", "tool": "level_now"})],
        fill=[fills(s1={"station": "修武"})],
        decide=[{"action": "switch_tool", "tools": {"s1": "set_level"}}],
        answer=["81.3"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "修武站的水位", tool_folders=levels)
    assert report.steps[0].tool == "archive_of_stations"
    assert [one.reason for one in report.downgrades] == ["not among the tools to switch to: set_level"]


@pytest.mark.parametrize("named", [None, "head"])
async def test_an_action_among_late_arguments_is_the_one_that_is_meant(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, named: str | None
) -> None:
    (workspace / "雨.csv").write_text("年,毫米\n1998,12\n1999,9\n", encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": "describe 雨.csv", "tool": "data_analyzer"})],
        fill=[{"calls": [{"step": "s1", "action": named, "late": True}]}],
        late=[{"arguments": {"action": "describe", "path": "雨.csv"}}],
        answer=["ok 好"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "describe 雨.csv")
    assert report.status == "answered"
    assert report.steps[0].arguments == {"path": "雨.csv"}


async def test_the_answer_is_written_knowing_which_items_failed_and_nothing_that_was_not_adjusted(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    (workspace / "夹").mkdir()
    (workspace / "笔记.txt").write_text("买牛奶", encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": "list 列出", "tool": "list_dir"},
                {
                    "description": "read each 逐个读",
                    "tool": "read_file",
                    "dependencies": ["s1"],
                    "for_each": {"step": "s1", "path": ".entries"},
                },
            )
        ],
        fill=[fills(s1={"path": "."}, s2={"path": "{{item.path}}"})],
        answer=["ok 好"],
    )
    await ask_scripted(orchestrator_with, endpoint, "read them all 都读一遍")
    line = next(line for line in endpoint.prompts("answer")[0].splitlines() if "read each" in line)
    assert line.startswith("- read each 逐个读 (unverified; 1 of 2 items failed: 夹 (")
    assert "买牛奶" in line
