"""A number that an earlier step found is text where a tool wants text."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.by_rules.late_arguments import late_arguments
from switchyard.app.orchestrator import Orchestrator
from switchyard.ledger.plan import Step
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import ToolSpec


@pytest.fixture(scope="module")
def write_to_file() -> ToolSpec:
    return next(
        one.spec for one in discover(Path("tools"), "switchyard.tools").tools if one.spec.name == "write_to_file"
    )


@pytest.mark.parametrize("task", ["write the value to a.txt", "把结果写入 a.txt", "写入a.txt"])
@pytest.mark.parametrize("result", [4, {"value": 4, "expression": "2+2"}, {"content": 4}, [{"content": 4}]])
def test_a_number_is_handed_on_as_text(write_to_file: ToolSpec, task: str, result: Any) -> None:
    step = Step(id="s2", description=task, dependencies=["s1"])
    assert late_arguments(step, write_to_file, {"s1": result}).arguments == {"path": "a.txt", "content": "4"}


@pytest.mark.parametrize(
    "question",
    [
        "What is 2+2? Then write it to a.txt",
        "计算2+2，然后写入a.txt",
        "计算2+2然后把结果保存到a.txt",
        "计算2+2，再写入 a.txt",
    ],
)
async def test_a_sum_is_written_as_it_was_approved(orchestrator: Orchestrator, workspace: Path, question: str) -> None:
    waiting = await orchestrator.ask(question)
    assert isinstance(waiting.waiting_for, list)
    assert [one.arguments for one in waiting.waiting_for] == [{"path": "a.txt", "content": "4"}]
    report = await orchestrator.resume(waiting.thread_id, "approve")
    assert report.status == "answered"
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "4"
