"""Every limit ends in an answer that names it; no recursion error ever reaches a caller (R1.4)."""

from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage

from agents.language.reasons import LIMITS
from agents.language.words import language_of
from app.report import RunReport
from ledger.limits import LimitName
from ledger.options import RunOptions
from tests.conftest import OpenOrchestrator
from tests.support.counting_tools import calls, write_counting_tools
from tests.support.endpoint import Endpoint, ask_scripted, fills, hang, steps

QUESTIONS = ["What is 15% of 2480?", "2480的15%是多少？"]
PLAN = steps({"description": "calculate 15% of 2480", "tool": "calculate"})
FILL = fills(s1={"expression": "15% of 2480"})


def states_the_limit(report: RunReport, limit: LimitName) -> bool:
    return report.limits_hit == [limit] and LIMITS[limit][language_of(report.question)] in report.answer


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("most", [0, 1, 2])
async def test_model_calls_run_out(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, most: int
) -> None:
    endpoint.script(plan=[PLAN], fill=[FILL], answer=["never"])
    report = await ask_scripted(orchestrator_with, endpoint, question, max_model_calls=most)
    assert endpoint.kinds == ["plan", "fill", "answer"][:most]
    assert report.usage.model_calls == most
    assert "372" in report.answer
    assert states_the_limit(report, "model_calls")


async def test_steps_that_reason_at_the_same_time_share_the_limit_of_model_calls(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    thoughts = [{"description": f"think of number {n} 想", "tool": "none"} for n in range(6)]
    endpoint.script(plan=[steps(*thoughts)], reason=["one 一"], answer=["never"])
    report = await ask_scripted(orchestrator_with, endpoint, "Think 想一想", max_model_calls=3)
    assert endpoint.kinds == ["plan", "reason", "reason"]
    assert report.usage.model_calls == 3
    assert report.status == "partial"
    assert states_the_limit(report, "model_calls")


async def test_an_unusable_answer_is_not_asked_for_again_beyond_the_limit(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=["no JSON 没有"])
    report = await ask_scripted(orchestrator_with, endpoint, QUESTIONS[0], max_model_calls=1)
    assert endpoint.kinds == ["plan"]
    assert "372" in report.answer
    assert states_the_limit(report, "model_calls")


@pytest.mark.parametrize("question", QUESTIONS)
async def test_tokens_run_out(orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str) -> None:
    endpoint.script(plan=[PLAN], fill=[FILL], answer=["never"])
    report = await ask_scripted(orchestrator_with, endpoint, question, max_tokens=200)
    assert endpoint.kinds == ["plan", "fill"]
    assert (report.usage.prompt_tokens, report.usage.completion_tokens) == (200, 40)
    assert "372" in report.answer
    assert states_the_limit(report, "tokens")


@pytest.mark.parametrize("question", QUESTIONS)
async def test_time_runs_out_while_the_model_thinks(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(plan=[{"answer": "ready"}, hang()])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        await opened.ask("Are you ready? 好了吗？")  # what is loaded on first use is not what this is about
        report = await opened.ask(question, options=RunOptions(max_seconds=0.5))
    assert endpoint.kinds == ["plan", "plan"]
    assert states_the_limit(report, "seconds")
    assert report.status == "failed"


async def test_time_runs_out_while_a_tool_works(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, tmp_path: Path
) -> None:
    two = steps(
        {"description": 'tally "quick 快"', "tool": "tally"},
        {"description": 'tally "slow 慢"', "tool": "tally"},
    )
    endpoint.script(
        plan=[{"answer": "ready"}, two],
        fill=[fills(s1={"label": "quick 快"}, s2={"label": "slow 慢", "ms": 2200})],
        answer=["never"],
    )
    folders = [write_counting_tools(tmp_path / "counting")]
    async with orchestrator_with(base_url=endpoint.url, model="scripted", tool_folders=folders) as opened:
        await opened.ask("Are you ready?")  # building the model takes time too, and is not what this is about
        report = await opened.ask("tally both", options=RunOptions(max_seconds=2))
    assert report.status == "partial"
    assert [step.success for step in report.steps] == [True, False]
    assert states_the_limit(report, "seconds")


@pytest.mark.parametrize(("question", "label"), [("tally everything", "apples"), ("全部计数", "苹果")])
async def test_tool_calls_run_out(
    *,
    orchestrator_with: OpenOrchestrator,
    endpoint: Endpoint,
    workspace: Path,
    tmp_path: Path,
    question: str,
    label: str,
) -> None:
    tallies = [{"description": f'tally "{label} {n}"', "tool": "tally"} for n in range(4)]
    endpoint.script(
        plan=[steps(*tallies)],
        fill=[fills(**{f"s{n + 1}": {"label": f"{label} {n}"} for n in range(4)})],
        answer=["Two were counted; the limit of tool calls was reached. 数了两个，工具调用次数到了上限。"],
    )
    folders = [write_counting_tools(tmp_path / "counting")]
    report = await ask_scripted(orchestrator_with, endpoint, question, tool_folders=folders, max_tool_calls=2)
    assert len([line for line in calls(workspace) if line.startswith("start")]) == 2
    assert report.status == "partial"
    assert states_the_limit(report, "tool_calls")
    assert LIMITS["tool_calls"][language_of(question)] in endpoint.prompts("answer")[0]


async def test_iterations_run_out(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, tmp_path: Path
) -> None:
    endpoint.script(
        plan=[steps({"description": 'break "杯子"', "tool": "break"})],
        fill=[fills(s1={"label": "杯子"})],
        decide=[
            {"action": "execute_tool", "arguments": {"s1": {"label": "two"}}},
            {"action": "execute_tool", "arguments": {"s1": {"label": "three"}}},
        ],
    )
    folders = [write_counting_tools(tmp_path / "counting")]
    report = await ask_scripted(orchestrator_with, endpoint, "break it 打碎", tool_folders=folders, max_iterations=2)
    assert calls(workspace) == ["start s1 杯子", "start s1 two"]
    assert report.status == "failed"
    assert states_the_limit(report, "iterations")


async def test_attempts_and_replans_run_out(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, tmp_path: Path
) -> None:
    endpoint.script(
        plan=[
            steps({"description": 'break "杯子"', "tool": "break"}),
            {"steps": [{"id": "n1", "description": 'break "plate 盘子"', "tool": "break"}]},
        ],
        rank=[{"choices": {"n1": ["break"], "s1": ["break"]}}],
        fill=[fills(s1={"label": "杯子"}), fills(n1={"label": "plate 盘子"})],
        decide=[{"action": "replan"}],
    )
    folders = [write_counting_tools(tmp_path / "counting")]
    settings: dict[str, Any] = {"tool_folders": folders, "max_replans": 1, "max_attempts": 1, "topk": 1}
    report = await ask_scripted(orchestrator_with, endpoint, "break it 打碎", **settings)
    assert calls(workspace) == ["start s1 杯子", "start n1 plate 盘子"]
    assert report.status == "failed"
    assert report.limits_hit == ["attempts", "replans"]
    assert "尝试次数" in report.answer
    assert "重新规划次数" in report.answer


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("limit", [2, 3, 4, 5])
async def test_a_small_recursion_limit_ends_in_an_answer(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, limit: int
) -> None:
    endpoint.script(plan=[PLAN], fill=[FILL], answer=["never"])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        graph = cast("Any", opened.graph)
        config = {"recursion_limit": limit, "configurable": {"thread_id": "t"}}
        output = await graph.ainvoke({"question": question}, config)
        report = await opened.report("t")
    assert states_the_limit(report, "recursion_limit")
    assert output["answer"] == report.answer
    assert isinstance(output["messages"][-1], AIMessage)
    assert ("372" in report.answer) == (limit >= 4)
    assert report.status == ("answered" if limit >= 4 else "failed")


@pytest.mark.parametrize("limit", [2, 3, 4])
async def test_a_direct_answer_fits_into_a_small_recursion_limit(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, limit: int
) -> None:
    endpoint.script(plan=[{"answer": "Hello! 你好！"}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        graph = cast("Any", opened.graph)
        config = {"recursion_limit": limit, "configurable": {"thread_id": "t"}}
        output = await graph.ainvoke({"messages": [("user", "Say hello")]}, config)
    assert output["answer"] == "Hello! 你好！"
    assert output["status"] == "answered"


async def test_a_recursion_limit_in_the_middle_of_a_recovery_keeps_what_was_found(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(
        plan=[steps({"description": "计算 15% of 2480", "tool": "calculate"}, {"description": "read file a.md"})],
        rank=[{"choices": {"s2": ["read_file"]}}],
        fill=[fills(s1={"expression": "15% of 2480"}, s2={"path": "a.md"})],
        decide=[{"action": "replan"}],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        graph = cast("Any", opened.graph)
        for limit in range(5, 9):
            config = {"recursion_limit": limit, "configurable": {"thread_id": f"t{limit}"}}
            output = await graph.ainvoke({"question": "15% of 2480, 还有 a.md"}, config)
            assert output["status"] == "partial"
            assert "372" in output["answer"]
            assert "recursion_limit" in output["answer"]
