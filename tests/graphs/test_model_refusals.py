"""A call that failed is refused: that is no attempt, takes no remedy away, and the model is told (R7.2, R7.3)."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.prompt import failure_lines
from switchyard.ledger.attempts import Failure
from tests.conftest import OpenOrchestrator
from tests.support.counting_tools import calls, write_counting_tools
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps

AGAIN: dict[str, Any] = {"action": "execute_tool", "reason": "once more 再试", "arguments": {"s1": {"label": " cup "}}}
BREAK = steps({"description": 'break "cup" 打碎', "tool": "break"})


@pytest.fixture
def counting(tmp_path: Path) -> dict[str, Any]:
    return {"tool_folders": [write_counting_tools(tmp_path / "counting")], "topk": 1}


@pytest.mark.parametrize(
    ("question", "task", "said"),
    [
        ("What do the notes say?", "read file reprot.md", "Buy milk."),
        ("报告里写了什么？", "读取文件 reprot.md", "买牛奶。"),
    ],
)
async def test_a_model_that_repeats_itself_gets_the_better_call_that_is_known(
    *, orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, task: str, said: str
) -> None:
    (workspace / "report.md").write_text(said, encoding="utf-8")
    typo = {"path": "reprot.md"}
    endpoint.script(
        plan=[steps({"description": task, "tool": "read_file"})],
        fill=[fills(s1=typo)],
        decide=[{"action": "execute_tool", "reason": "again", "arguments": {"s1": typo}}],
        answer=[said],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "answered"
    assert report.answer.startswith(said)
    assert (report.steps[0].arguments, report.steps[0].attempts) == ({"path": "report.md"}, 2)
    assert len(report.failures) == 1


async def test_a_refusal_is_no_attempt_and_the_next_prompt_tells_it(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, counting: dict[str, Any]
) -> None:
    endpoint.script(plan=[BREAK], fill=[fills(s1={"label": "cup"})], decide=[AGAIN], reason=["I do not know."])
    report = await ask_scripted(orchestrator_with, endpoint, "break a cup 打碎", **counting, max_replans=0)
    assert calls(workspace) == ["start s1 cup"]
    assert (report.status, report.limits_hit, len(report.failures)) == ("failed", ["replans"], 1)
    # the call that was made, and reasoning as the last resort
    assert (report.steps[0].attempts, report.steps[0].error) == (2, "cup is broken")
    first, second, *_ = endpoint.prompts("decide")
    assert "refused, because it had failed" not in first
    assert '- s1: break({"label": " cup "}): <data>The same call of break failed before' in second
    assert "cup is broken" in second.split("What failed:")[1]
    assert len(endpoint.prompts("decide")) == 2  # a model that has nothing else to say is not asked for ever


async def test_a_refusal_takes_no_other_tool_away(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, counting: dict[str, Any]
) -> None:
    endpoint.script(
        plan=[steps({"description": "break or tally the cup 打碎或计数"})],
        rank=[{"choices": {"s1": ["break", "tally"]}}],
        fill=[fills(s1={"label": "cup"}), fills(s1={"label": "杯子"})],
        decide=[AGAIN, {"action": "switch_tool", "tools": {"s1": "tally"}}],
        answer=["counted 已计数"],
    )
    counting["topk"] = 2
    report = await ask_scripted(orchestrator_with, endpoint, "break or tally the cup", **counting)
    assert calls(workspace) == ["start s1 cup", "start s1 杯子", "end s1 杯子"]
    assert (report.status, report.steps[0].tool) == ("answered", "tally")


async def test_a_new_plan_that_repeats_the_call_knows_why_it_failed(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, counting: dict[str, Any]
) -> None:
    other_words = steps({"description": "break the cup after all 还是打碎", "tool": "break"})
    endpoint.script(
        plan=[BREAK, other_words],
        fill=[fills(s1={"label": "cup"}), fills(s1_2={"label": "cup"})],
        decide=[{"action": "replan"}, {"action": "complete"}],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "break a cup", **counting)
    assert calls(workspace) == ["start s1 cup"]
    assert "cup is broken" in report.answer
    assert "not repeated" not in report.answer
    assert 's1_2: break({"label": "cup"})' in endpoint.prompts("decide")[1]


def failure(step_id: str, error: str, label: str) -> Failure:
    return Failure(step_id=step_id, tool="t", arguments={"label": label}, kind="not_found", error=error, at=1.0)


def test_each_step_keeps_its_own_last_reason_whatever_else_failed_since() -> None:
    quiet = [failure("s1", "too old", "a"), failure("s1", "没有这个站", "b")]
    told = failure_lines([*quiet, *(failure("s2", f"loud {n}", str(n)) for n in range(5))])
    assert [line for line in told if "没有这个站" in line]
    assert not [line for line in told if "too old" in line or "loud 1" in line]
    assert len(told) == 7
