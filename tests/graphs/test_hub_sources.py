"""A question through the whole graph, served by native tools, servers, skills and what was dropped in (R4, R5.1)."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from switchyard.app.hub import find_places
from switchyard.app.places import ROOT
from switchyard.app.settings import Settings
from switchyard.app.trust import Project, TrustedFolders
from switchyard.ledger.options import RunOptions
from tests.conftest import OpenOrchestrator
from tests.graphs.conftest import OpenHanded
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps
from tests.support.hub_tools import answering, failing, made, schema
from tests.support.mcp_bench import until
from tests.support.plans import call

TIME_SERVER = {"command": "${PYTHON}", "args": ["-P", "-m", "mcp_server_time"]}
QUESTIONS = ["What time is it in Tokyo?", "东京现在几点？"]

TOOL = '''
from pydantic import Field
from switchyard.tools.core import BaseToolParams, tool

class PingParams(BaseToolParams):
    host: str = Field(description="Host name. 主机名")

@tool(category="network", tags=("frobnicate", "试探"))
class Frobnicate:
    """Frobnicate a host. 试探主机。"""
    params = PingParams
    async def execute(self, params: PingParams) -> str:
        return f"{params.host} {WORD}"
'''


def servers(folder: Path, **entries: Any) -> Path:
    file = folder / "mcp.local.json"
    file.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    return file


@pytest.fixture
def time_file(tmp_path: Path) -> Path:
    return servers(tmp_path, time=TIME_SERVER)


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_native_tool_answers_first(
    orchestrator_with: OpenOrchestrator, time_file: Path, question: str
) -> None:
    async with orchestrator_with(mcp_files=[time_file]) as opened:
        report = await opened.ask(question)
    assert report.status == "answered"
    assert [(step.tool, step.source) for step in report.steps] == [("get_time", "native")]


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_server_answers_when_the_native_tool_is_disabled(
    orchestrator_with: OpenOrchestrator, time_file: Path, question: str
) -> None:
    async with orchestrator_with(mcp_files=[time_file], disabled_tools=["get_time"]) as opened:
        report = await opened.ask(question)
    assert report.status == "answered"
    assert [(step.tool, step.source) for step in report.steps] == [("time/get_current_time", "mcp")]
    assert report.steps[0].arguments == {"timezone": "Asia/Tokyo"}
    assert "Asia/Tokyo" in report.answer


@pytest.mark.parametrize(
    ("question", "zone"),
    [
        ("What time is it in Asia/Tokyo", "Asia/Tokyo"),
        ("What is the current time in America/New_York?", "America/New_York"),
        ("现在Asia/Shanghai几点", "Asia/Shanghai"),
        ("America/Argentina/Buenos_Aires 现在几点？", "America/Argentina/Buenos_Aires"),
    ],
)
async def test_the_name_of_a_time_zone_reaches_the_shipped_server_whole(
    orchestrator_with: OpenOrchestrator, question: str, zone: str
) -> None:
    async with orchestrator_with(mcp_files=[ROOT / "mcp.local.json"]) as opened:
        report = await opened.ask(question, options=RunOptions(tools=["time/get_current_time"]))
    assert report.status == "answered"
    assert report.steps[0].arguments == {"timezone": zone}
    assert zone in report.answer


@pytest.mark.parametrize(
    ("question", "why"), [(QUESTIONS[0], "has switched off"), (QUESTIONS[1], "停用了它")], ids=["en", "zh"]
)
async def test_it_says_why_when_both_are_disabled(
    orchestrator_with: OpenOrchestrator, time_file: Path, question: str, why: str
) -> None:
    disabled = ["get_time", "time/get_current_time", "time/convert_time"]
    async with orchestrator_with(mcp_files=[time_file], disabled_tools=disabled) as opened:
        report = await opened.ask(question)
    assert report.status == "failed"
    assert "get_time, time/get_current_time" in report.answer
    assert why in report.answer


async def test_the_planner_is_told_what_is_switched_off(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[{"answer": "The clock is switched off. 时钟已停用。"}])
    await ask_scripted(orchestrator_with, endpoint, QUESTIONS[0], disabled_tools=["get_time"])
    prompt = endpoint.prompts("plan")[0]
    assert "Switched off by the user, say so if it matters: get_time." in prompt


async def test_a_dead_server_costs_its_own_tools_only(orchestrator_with: OpenOrchestrator, tmp_path: Path) -> None:
    file = servers(tmp_path, time=TIME_SERVER, dead={"command": sys.executable, "args": ["-c", "raise SystemExit(3)"]})
    async with orchestrator_with(mcp_files=[file], disabled_tools=["get_time"]) as opened:
        mcp = opened.hub.supply.mcp
        assert mcp is not None
        await until(lambda: all(health.state != "starting" for health in mcp.health() if health.name == "dead"))
        states = {health.name: health.state for health in mcp.health()}
        reason = str(opened.hub.unknown("dead/anything"))
        report = await opened.ask(QUESTIONS[1])
    assert states["dead"] == "down"
    assert "The MCP server 'dead' is down" in reason
    assert report.status == "answered"


async def test_what_is_dropped_in_can_be_used_in_the_next_question(
    orchestrator_with: OpenOrchestrator, tmp_path: Path
) -> None:
    tools, file = tmp_path / "more", servers(tmp_path)
    tools.mkdir()
    async with orchestrator_with(tool_folders=[tools], mcp_files=[file], disabled_tools=["get_time"]) as opened:
        before = await opened.ask("frobnicate host 'alpha'")
        (tools / "frobnicate.py").write_text(f"WORD = '第一'\n{TOOL}", encoding="utf-8")
        after = await opened.ask("frobnicate host 'alpha'")
        (tools / "frobnicate.py").write_text(f"WORD = 'second'\n{TOOL}", encoding="utf-8")
        changed = await opened.ask("试探主机“alpha”")
        servers(tmp_path, time=TIME_SERVER)
        clock = await opened.ask(QUESTIONS[1])
    assert before.status == "failed"
    assert after.steps[0].result == "alpha 第一"
    assert changed.steps[0].result == "alpha second"
    assert clock.steps[0].tool == "time/get_current_time"


def moves(*each: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"moves": [move]} for move in each]


@pytest.mark.parametrize(
    ("question", "answer"), [("Profile sales.csv", "3 rows, 2 columns"), ("给 sales.csv 做个数据概况", "3 行 2 列")]
)
async def test_a_skill_step_works_with_the_model_inside_the_run(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, answer: str
) -> None:
    (workspace / "sales.csv").write_text("city,sum\n北京,3\nParis,4\n东京,5\n", encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": question, "tool": "data-profile"})],
        fill=[fills(s1={"task": question})],
        skill=moves(
            {"do": "call", "tool": "data_analyzer", "action": "describe", "arguments": {"path": "sales.csv"}},
            {"do": "call", "tool": "data_analyzer", "action": "describe", "arguments": {"path": "missing.csv"}},
            {"do": "call", "tool": "data_analyzer", "action": "describe", "arguments": {"path": "missing.csv"}},
            {"do": "finish", "answer": answer},
        ),
        answer=[answer],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await opened.ask(question)
        attempts = await opened.journal.attempts(report.run_id)
    assert report.status == "answered"
    assert report.answer == answer
    assert (report.steps[0].tool, report.steps[0].source) == ("data-profile", "skill")
    assert report.steps[0].result["tools"] == ["data_analyzer"]
    inner = [(one.tool, one.state) for one in attempts if one.step_id == "s1/data-profile"]
    assert inner == [("data_analyzer", "finished"), ("data_analyzer", "failed")]
    assert "it is not repeated" in endpoint.prompts("skill")[3]
    assert report.usage.tool_calls == 3
    assert [failure.tool for failure in report.failures] == ["data_analyzer"]


async def test_without_a_model_a_skill_is_not_chosen(orchestrator_with: OpenOrchestrator, workspace: Path) -> None:
    async with orchestrator_with() as opened:
        report = await opened.ask("Give me a guided tour of this repository")
    assert report.status == "failed"
    assert all(step.tool != "repository-tour" for step in report.steps)


async def test_a_tool_that_went_away_is_stood_in_for(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    """Between the choice and the call: the one chosen is gone, another serves the same purpose (R5.1)."""
    endpoint.script(
        plan=[steps({"description": "weigh 称重", "tool": "first_scale"})],
        fill=[fills(s1={"what": "apple 苹果"})],
        answer=["3 kg"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        for name in ("first_scale", "second_scale"):
            tool = made(name, answering(f"3 kg by {name}"), takes=schema("what"), capability_tags=("weighing",))
            opened.hub.registry.add(tool)
        events = opened.stream("weigh the apple 称苹果", thread_id="t")
        async for event in events:
            if event["event"] == "assignments":
                opened.hub.registry.disable("first_scale", reason="it is being mended 正在修理")
        report = await opened.report("t")
    assert report.status == "answered"
    assert report.steps[0].tool == "second_scale"
    assert report.steps[0].result == "3 kg by second_scale"
    assert any("Asked instead, for the same purpose: second_scale" in one.reason for one in report.downgrades)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("And the notes?", '"meting.md" did not work, so I took "meeting.md".'),
        ("会议记录呢？", "“meting.md”行不通，改用了“meeting.md”。"),
    ],
)
async def test_a_slip_in_a_path_is_adjusted_and_said(
    handed_with: OpenHanded, workspace: Path, question: str, said: str
) -> None:
    (workspace / "meeting.md").write_text("甲\nb\n", encoding="utf-8")
    async with handed_with() as opened:
        report = await opened.ask(call("read_file", path="meting.md"), question=question)
    assert report.status == "answered"
    assert said in report.answer
    assert report.steps[0].arguments["path"] == "meeting.md"
    assert report.decisions[0].reason.startswith("adjusted s1: path: 'meeting.md'")


@pytest.mark.parametrize("name", ["a.md", "v2.md", "table.csv"])
async def test_another_file_is_not_taken_for_the_one_asked_for(
    handed_with: OpenHanded, workspace: Path, name: str
) -> None:
    for there in ("b.md", "v1.md", "tables.tsv"):
        (workspace / there).write_text("乙", encoding="utf-8")
    async with handed_with() as opened:
        report = await opened.ask(call("read_file", path=name))
    assert report.status == "failed"


async def test_rules_switch_to_a_tool_for_the_same_purpose(handed_with: OpenHanded) -> None:
    async with handed_with(topk=1, max_attempts=1) as opened:
        broken = made(
            "weigh_parcel", failing("the scale is stuck 秤卡住了", "crash"), takes=schema("parcel"),
            capability_tags=("weighing",), description="Weigh a parcel. 称包裹的重量。",
        )  # fmt: skip
        working = made(
            "spare_balance", answering("2 kg"), takes=schema("parcel"),
            capability_tags=("weighing",), description="Spare. 备用。",
        )  # fmt: skip
        opened.hub.registry.add(broken)
        opened.hub.registry.add(working)
        report = await opened.ask(call("weigh_parcel", parcel="P-17"))
    assert report.status == "answered"
    assert report.steps[0].tool == "spare_balance"
    assert [decision.action for decision in report.decisions] == ["switch_tool", "complete"]
    assert [failure.tool for failure in report.failures] == ["weigh_parcel"]


def test_a_project_folder_is_used_only_when_it_is_trusted(tmp_path: Path, make_settings: Any) -> None:
    project = tmp_path / "项目"
    (project / "tools").mkdir(parents=True)
    (project / "tools" / "frobnicate.py").write_text(f"WORD = 'x'\n{TOOL}", encoding="utf-8")
    servers(project, time=TIME_SERVER)
    settings: Settings = make_settings(project=project, mcp_files=None)
    before = find_places(settings)
    assert before.tools == []
    notice = before.notice()
    assert notice is not None
    assert f"tools/, mcp.local.json in {project} not used" in notice
    trusted = TrustedFolders(settings.config_dir)
    trusted.add(project)
    after = find_places(settings)
    assert after.notice() is None
    assert after.tools == [project / "tools"]
    assert after.mcp[-1] == project / "mcp.local.json"
    assert trusted.remove(project)
    assert find_places(settings).tools == []


def test_a_folder_tools_of_something_else_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "build.py").write_text("print('not ours 与我们无关')", encoding="utf-8")
    assert Project(tmp_path).brings() == []


async def test_what_a_skill_could_not_get_approved_makes_the_run_partial(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    write = {"path": "actions.md", "content": "- 买牛奶"}
    endpoint.script(
        plan=[steps({"description": "写下会议行动项 write the actions", "tool": "meeting-notes-to-actions"})],
        fill=[fills(s1={"task": "write 写"})],
        skill=moves(
            {"do": "call", "tool": "write_to_file", "arguments": write}, {"do": "finish", "answer": "not written 未写"}
        ),
        answer=["It was not written 没有写。"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "write the actions 写行动项")
    assert report.status == "partial"
    assert not (workspace / "actions.md").exists()
    assert report.steps[0].issues == ["not done, because nobody approved it beforehand: write_to_file"]
    assert "nobody approved it beforehand" in endpoint.prompts("answer")[0]


async def test_the_report_of_a_skill_is_the_answer(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    written = "# Tour 导览\n\n| file | what |\n|---|---|\n| a.py | 入口 |"
    endpoint.script(
        plan=[steps({"description": "tour 导览", "tool": "repository-tour"})],
        fill=[fills(s1={"task": "tour 导览"})],
        skill=moves({"do": "finish", "answer": written}),
    )
    report = await ask_scripted(orchestrator_with, endpoint, "tour 导览")
    assert report.answer == written
    assert endpoint.kinds == ["plan", "fill", "skill"]


@pytest.mark.parametrize("where", ["arguments", "left out"])
async def test_the_action_of_a_tool_is_found_where_the_model_did_not_name_it(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, where: str
) -> None:
    (workspace / "表.csv").write_text("city,sum\n北京,3\n", encoding="utf-8")
    arguments = {"path": "表.csv", "sql": "select sum(sum) as total from data"}
    given = {**arguments, "action": "query"} if where == "arguments" else arguments
    endpoint.script(
        plan=[steps({"description": "求和 sum", "tool": "data_analyzer"})], fill=[fills(s1=given)], answer=["3"]
    )
    report = await ask_scripted(orchestrator_with, endpoint, "求和 sum")
    assert report.status == "answered"
    assert report.steps[0].action == "query"


async def test_a_skill_may_not_call_what_the_run_may_not_use(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    (workspace / "a.csv").write_text("city\n北京\n", encoding="utf-8")
    call = {"do": "call", "tool": "data_analyzer", "action": "describe", "arguments": {"path": "a.csv"}}
    endpoint.script(
        plan=[steps({"description": "概况 profile", "tool": "data-profile"})],
        fill=[fills(s1={"task": "概况 profile"})],
        skill=moves(call, {"do": "finish", "answer": "no tool 没有工具"}),
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted", tools=["data-profile"]) as opened:
        report = await opened.ask("概况 profile")
        attempts = await opened.journal.attempts(report.run_id)
    assert [one.tool for one in attempts] == ["data-profile"]
    assert "'data_analyzer' is not a tool of this skill" in endpoint.prompts("skill")[1]
