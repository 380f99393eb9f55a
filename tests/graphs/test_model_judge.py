"""A model as judge: it may reject a result and what was built on it; a judge that breaks is no verdict (R6.1)."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import OpenOrchestrator
from tests.support.counting_tools import calls, write_counting_tools
from tests.support.endpoint import Endpoint, ask_scripted, fills, status, steps

CHAIN = steps(
    {"description": "calculate 3^7", "tool": "calculate"},
    {"description": "calculate it plus 14%: 加上", "tool": "calculate", "dependencies": ["s1"]},
)
CHAIN_FILL = fills(s1={"expression": "3*7"}, s2={"expression": "{{s1.value}} + 14%"})


def verdict(step: str, *, ok: bool, reason: str = "") -> dict[str, Any]:
    return {"step": step, "ok": ok, "confidence": 0.8, "reason": reason}


@pytest.mark.parametrize(
    ("question", "reason"), [("3^7 plus 14%?", "that is 3*7, not 3^7"), ("3的7次方加14%？", "那是3*7，不是3^7")]
)
async def test_a_rejected_result_takes_what_was_built_on_it_with_it(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, reason: str
) -> None:
    endpoint.script(
        plan=[CHAIN],
        fill=[CHAIN_FILL],
        judge=[
            {"judgements": [verdict("s1", ok=False, reason=reason), verdict("s2", ok=True)]},
            {"judgements": [verdict("s1", ok=True), verdict("s2", ok=True)]},
        ],
        decide=[{"action": "execute_tool", "arguments": {"s1": {"expression": "3^7"}}}],
        answer=["2493.18"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, judge=True)
    assert endpoint.kinds == ["plan", "fill", "judge", "decide", "judge", "answer"]
    prompt = endpoint.prompts("decide")[0]
    assert reason in prompt
    assert "- s1 [failed]" in prompt
    assert "- s2 [blocked]" in prompt
    assert [step.result["value"] for step in report.steps] == [2187, pytest.approx(2493.18)]
    assert [step.attempts for step in report.steps] == [2, 2]
    assert [failure.kind for failure in report.failures] == ["wrong_result"]
    assert report.status == "answered"


async def test_a_rejected_call_is_not_made_again(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, tmp_path: Path
) -> None:
    endpoint.script(
        plan=[steps({"description": 'tally "梨"', "tool": "tally"})],
        fill=[fills(s1={"label": "梨"})],
        judge=[{"judgements": [verdict("s1", ok=False, reason="wrong fruit")]}],
        decide=[{"action": "execute_tool", "arguments": {"s1": {"label": "梨"}}}],
    )
    folders = [write_counting_tools(tmp_path / "counting")]
    report = await ask_scripted(
        orchestrator_with, endpoint, "tally 计数", tool_folders=folders, judge=True, max_replans=0, topk=1
    )
    assert calls(workspace) == ["start s1 梨", "end s1 梨"]
    assert report.status == "failed"
    assert "wrong fruit" in report.answer


@pytest.mark.parametrize("question", ["3*7 plus 14%?", "3乘以7加14%？"])
@pytest.mark.parametrize(
    "broken", [status(500), "no JSON 不知道", "", {"judgements": []}, {"judgements": [{"step": "s1"}]}]
)
async def test_a_judge_that_breaks_is_no_verdict(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, broken: Any, question: str
) -> None:
    endpoint.script(plan=[CHAIN], fill=[CHAIN_FILL], judge=[broken], answer=["23.94"])
    report = await ask_scripted(orchestrator_with, endpoint, question, judge=True)
    assert report.status == "answered"
    assert report.answer == "23.94"
    assert [step.verified for step in report.steps] == [True, True]
    assert [step.attempts for step in report.steps] == [1, 1]


async def test_the_judges_confidence_is_reported(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    endpoint.script(
        plan=[CHAIN],
        fill=[CHAIN_FILL],
        judge=[{"judgements": [verdict("s1", ok=True), verdict("s2", ok=True), verdict("s9", ok=False)]}],
        answer=["23.94"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "3*7 加 14%", judge=True)
    assert [step.confidence for step in report.steps] == [0.8, 0.8]
    assert "result: " in endpoint.prompts("judge")[0]


@pytest.mark.parametrize(
    ("question", "wording"), [("What is 3*7 in words?", "work it out"), ("三乘七怎么说？", "算出来")]
)
@pytest.mark.parametrize(
    ("judge", "complexity", "is_asked"),
    [
        ("doubt", "high", True),
        ("doubt", "low", False),
        ("doubt", "medium", False),
        ("never", "high", False),
        ("always", "low", True),
    ],
)
async def test_a_judge_is_asked_of_hard_steps_by_itself(
    *,
    orchestrator_with: OpenOrchestrator,
    endpoint: Endpoint,
    question: str,
    wording: str,
    judge: str,
    complexity: str,
    is_asked: bool,
) -> None:
    plan = steps({"description": f"{wording} 3*7", "tool": "calculate", "complexity": complexity})
    endpoint.script(
        plan=[plan],
        fill=[fills(s1={"expression": "3*7"})],
        judge=[{"judgements": [verdict("s1", ok=True)]}],
        answer=["21 twenty-one\nOPEN: none"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, judge=judge, rules_first="never")
    assert ("judge" in endpoint.kinds) is is_asked
    assert report.status == "answered"
    if is_asked:
        assert f's1: {wording} 3*7 (calculate({{"expression": "3*7"}}))' in endpoint.prompts("judge")[0]


EMPTY = '''
from switchyard.tools.core import BaseToolParams, ToolContext, tool


class EmptyParams(BaseToolParams):
    station: str


@tool(category="general")
class StationNote:
    """Look up the note of a station. 查询站点的备注。"""

    def execute(self, params: EmptyParams, context: ToolContext) -> str:
        return ""
'''


@pytest.mark.parametrize("question", ["What is the note of station 7?", "7号站的备注是什么？"])
async def test_what_the_rules_cannot_tell_is_left_to_a_judge(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, tmp_path: Path, question: str
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "station_note.py").write_text(EMPTY, encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": "note of station 7 备注", "tool": "station_note"})],
        fill=[fills(s1={"station": "7"})],
        judge=[{"judgements": [verdict("s1", ok=False, reason="nothing came 没有内容")]}],
        decide=[{"action": "complete"}],
    )
    settings: dict[str, Any] = {"tool_folders": [tmp_path / "own"], "rules_first": "never", "topk": 1}
    report = await ask_scripted(orchestrator_with, endpoint, question, **settings)
    assert endpoint.kinds[:3] == ["plan", "fill", "judge"]
    assert report.status == "failed"
    assert "没有内容" in report.answer
