"""Two-stage selection with a model: who ranks, what each prompt shows, and what a bad ranking costs (R2.1, R3)."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.planning.agent import CORE_TOOLS, OTHER_TOOLS
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, status, steps
from tests.support.hub_tools import answering, made, schema

FILL = fills(s1={"expression": "15% of 2480"})
LANGUAGES = [
    pytest.param("What is 15% of 2480?", "calculate 15% of 2480", id="en"),
    pytest.param("2480的15%是多少？", "计算2480的15%", id="zh"),
]

EXTRA_TOOL = '''
from pydantic import Field

from switchyard.tools.core import BaseToolParams, tool


class Params(BaseToolParams):
    amount: float = Field(description="How much. 多少。")


@tool(category="conversion", tags=("calculate", "percent", "计算", "百分比"))
class Convert{number}:
    """Calculate conversion number {number} of a percent amount. 计算百分比换算 {number}。"""

    def execute(self, params: Params) -> dict[str, float]:
        return {{"value": params.amount}}
'''


@pytest.fixture
def many_tools(tmp_path: Path) -> Path:
    """A folder with thirty tools that all speak of percentages."""
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(30):
        (folder / f"convert_{number}.py").write_text(EXTRA_TOOL.format(number=number), encoding="utf-8")
    return folder


@pytest.mark.parametrize(("question", "task"), LANGUAGES)
async def test_the_planners_tool_stands_where_recall_agrees(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str
) -> None:
    endpoint.script(plan=[steps({"description": task, "tool": "calculate"})], fill=[FILL], answer=["372"])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert endpoint.kinds == ["plan", "fill", "answer"]
    assert report.steps[0].tool == "calculate"


@pytest.mark.parametrize(("question", "task"), LANGUAGES)
@pytest.mark.parametrize("tool", [None, "", "get_time", "no_such_tool", "null"])
async def test_a_tool_left_open_or_not_recalled_is_ranked(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str, tool: str | None
) -> None:
    endpoint.script(
        plan=[steps({"description": task, "tool": tool})],
        rank=[{"choices": {"s1": ["calculate"]}}],
        fill=[FILL],
        answer=["372"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, topk=1)
    assert endpoint.kinds == ["plan", "rank", "fill", "answer"]
    assert report.steps[0].tool == "calculate"
    assert report.status == "answered"
    assert not report.downgrades


async def test_all_open_steps_are_ranked_in_one_call_and_settled_ones_left_out(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "calculate 15% of 2480", "tool": "calculate"},
                {"description": "what time is it in Tokyo", "tool": None},
                {"description": "列出文件夹里的文件", "tool": None},
            )
        ],
        rank=[{"choices": {"s2": ["get_time"], "s3": ["list_dir"]}}],
        fill=[fills(s1={"expression": "15% of 2480"}, s2={"timezone": "Tokyo"}, s3={})],
        answer=["done 好"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "15% of 2480, the time in Tokyo, 还有哪些文件？")
    assert endpoint.kinds == ["plan", "rank", "fill", "answer"]
    assert [step.tool for step in report.steps] == ["calculate", "get_time", "list_dir"]
    prompt = endpoint.prompts("rank")[0]
    steps_shown = prompt.split("Steps:")[1]
    assert "- s1:" not in steps_shown
    assert "- s2:" in steps_shown
    assert "- s3:" in steps_shown
    tools_shown = [line for line in prompt.splitlines() if line.startswith("- ") and "[" in line]
    assert len(tools_shown) == len(set(tools_shown))


@pytest.mark.parametrize(("question", "task"), LANGUAGES)
@pytest.mark.parametrize(
    ("ranking", "downgrades"),
    [
        pytest.param('I take this: {"choices": {"s1": ["calculate"]}} 就这样', [], id="in prose"),
        pytest.param('{"s1": ["calculate"]}', [], id="unwrapped"),
        pytest.param({"choices": {"s1": "calculate"}}, [], id="one name"),
        pytest.param({"choices": {"s1": ["calculate", "calculate"]}}, [], id="twice the same"),
        pytest.param(
            {"choices": {"s1": ["计算器", "abacus", "calculate"]}},
            ["no such tools: 计算器, abacus"],
            id="unknown names",
        ),
        pytest.param(
            {"choices": {"s1": ["abacus"]}}, ["no such tools: abacus", "recall order stands"], id="unknown names alone"
        ),
        pytest.param({"choices": {}}, ["recall order stands"], id="the step left out"),
        pytest.param({"choices": {"s9": ["calculate"]}}, ["recall order stands"], id="another step"),
        pytest.param("calculate, I think 吧", ["gave nothing usable"], id="no JSON"),
        pytest.param(status(500), ["500"], id="an error"),
    ],
)
async def test_a_bad_ranking_leaves_the_valid_names_or_the_recall_order(
    *,
    orchestrator_with: OpenOrchestrator,
    endpoint: Endpoint,
    question: str,
    task: str,
    ranking: Any,
    downgrades: list[str],
) -> None:
    endpoint.script(plan=[steps({"description": task})], rank=[ranking], fill=[FILL], answer=["372"])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "answered"
    assert report.steps[0].tool == "calculate"
    assert [downgrade.agent for downgrade in report.downgrades] == ["tool_selection"] * len(downgrades)
    for downgrade, expected in zip(report.downgrades, downgrades, strict=True):
        assert expected in downgrade.reason


async def test_a_step_no_tool_can_do_is_reasoned_about_and_marked_unverified(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(
        plan=[steps({"description": "how many files does a good folder have"})],
        rank=[{"choices": {"s1": []}}],
        reason=["about seven 大约七个"],
        answer=["Seven, unverified."],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "How many files does a good folder have?")
    assert endpoint.kinds == ["plan", "rank", "reason", "answer"]
    assert report.status == "partial"
    assert not report.steps[0].verified
    assert "(unverified)" in endpoint.prompts("answer")[0]


@pytest.mark.parametrize(("question", "task"), LANGUAGES)
async def test_the_planner_never_sees_the_whole_catalogue(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, many_tools: Path, question: str, task: str
) -> None:
    endpoint.script(plan=[steps({"description": task, "tool": "calculate"})], fill=[FILL], answer=["372"], rank=[{}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted", tool_folders=[many_tools]) as opened:
        report = await opened.ask(question)
        count = len(opened.hub.registry.listed())
        core = [name for name in CORE_TOOLS if opened.hub.registry.get(name)]
    assert count > 30
    prompt = endpoint.prompts("plan")[0]
    shown = [line for line in prompt.splitlines() if line.startswith("- ")]
    assert len(core) < len(shown) <= len(core) + OTHER_TOOLS
    assert f"({count - len(shown)} more tools exist, by kind: " in prompt
    tokens = report.usage.tool_tokens
    assert 0 < tokens.summaries < tokens.full_catalogue
    assert 0 < tokens.definitions < tokens.full_catalogue


@pytest.mark.parametrize(("question", "task"), LANGUAGES)
async def test_only_the_chosen_tools_are_defined_in_full(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str
) -> None:
    endpoint.script(
        plan=[steps({"description": task, "tool": "calculate"}, {"description": task, "tool": "calculate"})],
        fill=[fills(s1={"expression": "15% of 2480"}, s2={"expression": "2480*15%"})],
        answer=["372"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        await opened.ask(question)
        others = [spec.tool_id for spec in opened.hub.registry.listed() if spec.tool_id != "calculate"]
    prompt = endpoint.prompts("fill")[0]
    definitions = prompt.split("Question:")[0]
    assert "expression (string, required)" in definitions
    assert definitions.count("\ncalculate: ") == 1
    assert [name for name in others if f"\n{name}: " in definitions] == []


async def test_a_step_the_filler_forgot_is_filled_by_rules(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "calculate 15% of 2480", "tool": "calculate"},
                {"description": "计算 3 的 7 次方", "tool": "calculate"},
            )
        ],
        fill=[FILL],
        answer=["372 and 2187"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "15% of 2480 and 3^7")
    assert [step.result["value"] for step in report.steps] == [372, 2187]
    assert [downgrade.reason for downgrade in report.downgrades] == ["s2 got no arguments: they are read by rules"]


@pytest.mark.parametrize(
    ("question", "query", "tool", "summary"),
    [
        ("地窖潮不潮", "read a hygrometer", "hygrometer_reader", "Read a hygrometer."),
        ("How damp is the cellar?", "读取湿度计", "湿度计读数", "读取湿度计。"),
    ],
)
async def test_the_planner_looks_for_a_tool_in_the_language_of_the_catalogue(
    *, orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, query: str, tool: str, summary: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": None, "query": query})],
        rank=[{"choices": {"s1": [tool]}}],
        fill=[fills(s1={"room": "cellar 地窖"})],
        answer=["80 %"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        opened.hub.registry.add(made(tool, answering("80 %"), takes=schema("room"), description=summary))
        report = await opened.ask(question)
    assert f"- {tool} " in endpoint.prompts("rank")[0]
    assert report.steps[0].tool == tool
    assert report.status == "answered"


@pytest.mark.parametrize(("question", "task"), LANGUAGES)
async def test_the_planners_tool_stands_where_nothing_can_be_ranked(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, many_tools: Path, question: str, task: str
) -> None:
    plan = steps({"description": f"{task} convert conversion 换算 百分比", "tool": "convert7"})
    endpoint.script(plan=[plan], rank=[status(500)], fill=[fills(s1={"amount": 372})], answer=["372\nOPEN: none"])
    settings: dict[str, Any] = {"tool_folders": [many_tools], "rules_first": "never", "model_retries": 0, "topk": 1}
    report = await ask_scripted(orchestrator_with, endpoint, question, **settings)
    assert report.steps[0].tool == "convert7"


@pytest.mark.parametrize("question", ["Who wrote the longest poem?", "谁写了最长的诗？"])
async def test_a_models_own_word_is_the_basis_of_what_it_reasoned(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    plan = steps({"description": question, "tool": "none"})
    endpoint.script(plan=[plan], reason=["Vyasa 毗耶娑"], answer=["Vyasa 毗耶娑\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert report.basis == "model"
