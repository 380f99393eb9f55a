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
    ("question", "line"),
    [
        ("What is the average level of station North Pier?", "average level = 7"),
        ("北港的平均 level 是多少", "平均level = 9"),
        ("How many rows are not from North Pier?", "rows"),
        ("average level of station West Pier", None),
    ],
)
async def test_the_values_of_a_large_table_are_looked_up(
    orchestrator: Orchestrator, workspace: Path, monkeypatch: pytest.MonkeyPatch, question: str, line: str | None
) -> None:
    monkeypatch.setattr("switchyard.agents.by_rules.world.MOST_BYTES", 200)
    monkeypatch.setattr("switchyard.agents.by_rules.world.HEAD_BYTES", 100)
    plain = "".join(f"{number},South {number},1\n" for number in range(50))
    (workspace / "tides.csv").write_text(
        f'id,station,level\n{plain}80,North Pier,6\n81,"North Pier",8\n82,北港,9\n', encoding="utf-8"
    )
    report = await orchestrator.ask(question)
    assert report.status == ("answered" if line else "failed"), report.answer
    assert (line or "") in report.answer


@pytest.mark.parametrize(
    "question", ["Read list", "打开 list", "how many lines does the file list have", "list 有多少行"]
)
async def test_a_file_may_be_called_by_any_word(orchestrator: Orchestrator, workspace: Path, question: str) -> None:
    (workspace / "list").write_text("milk\neggs\n", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "answered", report.answer
    assert [(step.tool, step.arguments["path"]) for step in report.steps] == [("read_file", "list")]


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
