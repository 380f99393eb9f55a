"""Figures of a table, code to be run, and what the counts of a file do not answer."""

from pathlib import Path

import pytest

from switchyard.app.orchestrator import Orchestrator


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What is the average price in fruit.csv?", "average price = 6"),
        ("data 文件 fruit.csv 里 price 的平均值是多少？", "平均price = 6"),
        ("How many rows does fruit.csv have?", "3 rows"),
    ],
)
async def test_a_figure_is_worked_out(orchestrator: Orchestrator, workspace: Path, question: str, line: str) -> None:
    (workspace / "fruit.csv").write_text("name,price\napple,3\npear,5\nplum,10\n", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "answered", report.answer
    assert line in report.answer
    assert [step.tool for step in report.steps] == ["data_analyzer"]


@pytest.mark.parametrize("question", ["What is the average weight in fruit.csv?", "fruit.csv 的平均重量"])
async def test_a_column_that_is_not_there_is_no_other(
    orchestrator: Orchestrator, workspace: Path, question: str
) -> None:
    (workspace / "fruit.csv").write_text("name,price\napple,3\n", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert question.rstrip("?") in report.answer
    assert "3" not in report.answer


@pytest.mark.parametrize(
    ("question", "tool", "reason"),
    [
        ("calculate 1/0", "calculate", "divides by zero"),
        ("1/0 等于多少", "calculate", "除数是零"),
    ],
)
async def test_a_fraction_is_no_folder(orchestrator: Orchestrator, question: str, tool: str, reason: str) -> None:
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert [step.tool for step in report.steps] == [tool]
    assert reason in report.answer
