"""Figures of a table, code to be run, and what the counts of a file do not answer."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.by_rules.programs import read_program
from switchyard.agents.by_rules.tables import read_table_question
from switchyard.agents.scope import RunScope
from switchyard.app.orchestrator import Orchestrator
from tests.support.reading import open_scope, planned

TODAY = date(2026, 11, 16)


@pytest.fixture(scope="module")
def scope() -> RunScope:
    return open_scope(foreign=False)


def figure(function: str, column: str, group: str | None = None) -> dict[str, Any]:
    grouped = {"group_by": [group]} if group else {}
    return {"path": "fruit.csv", "functions": [function], "columns": [column], **grouped}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("What is the average price in fruit.csv?", figure("avg", "price")),
        ("median of the qty column of fruit.csv", figure("median", "qty")),
        ("Total amount in fruit.csv", figure("sum", "amount")),
        ("what's the highest 'unit price' in fruit.csv", figure("max", "unit price")),
        ("Average price by city in fruit.csv", figure("avg", "price", "city")),
        ("data 文件 fruit.csv 里 price 的平均值是多少？", figure("avg", "price")),
        ("求 fruit.csv 里 qty 列的中位数", figure("median", "qty")),
        ("fruit.csv 的总销量", figure("sum", "销量")),
        ("fruit.csv 里最低的 qty 是多少？", figure("min", "qty")),
        ("fruit.csv 中各城市的平均价格", figure("avg", "价格", "城市")),
    ],
)
def test_a_figure_of_a_column(text: str, arguments: dict[str, Any]) -> None:
    asked = read_table_question(text, TODAY)
    assert asked is not None
    assert (asked.operation, asked.arguments) == ("aggregate", arguments)


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("What columns does fruit.csv have?", "describe"),
        ("How many rows are in fruit.csv?", "describe"),
        ("fruit.csv 有哪些列？", "describe"),
        ("fruit.csv 有多少条记录", "describe"),
        ("Show the first 2 rows of fruit.csv", "head"),
        ("显示 fruit.csv 的前 2 条记录", "head"),
    ],
)
def test_what_a_table_has(text: str, operation: str) -> None:
    asked = read_table_question(text, TODAY)
    assert asked is not None
    assert asked.operation == operation


@pytest.mark.parametrize(
    "text",
    [
        "Read fruit.csv",
        "total number of lines in fruit.csv",
        "fruit.csv 的总行数是多少",
        "fruit.csv 有多少行",
        "What is the average price in notes.txt?",
        "average price in a.csv and b.csv",
        "fruit.csv 里价格的最大值和最小值",
        "which fruit in fruit.csv is the cheapest",
    ],
)
def test_what_is_no_question_of_one_column(text: str) -> None:
    assert read_table_question(text, TODAY) is None


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What is the average price in fruit.csv?", "avg_price: 6"),
        ("data 文件 fruit.csv 里 price 的平均值是多少？", "avg_price: 6"),
        ("How many rows does fruit.csv have?", "3 rows"),
    ],
)
async def test_a_figure_is_worked_out(orchestrator: Orchestrator, workspace: Path, question: str, line: str) -> None:
    (workspace / "fruit.csv").write_text("name,price\napple,3\npear,5\nplum,10\n", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "answered", report.answer
    assert line in report.answer
    assert [step.tool for step in report.steps] == ["data_analyzer"]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What is the average weight in fruit.csv?", "has no column 'weight'"),
        ("fruit.csv 的平均重量", "没有“重量”这一列"),
    ],
)
async def test_a_column_that_is_not_there_is_said(
    orchestrator: Orchestrator, workspace: Path, question: str, reason: str
) -> None:
    (workspace / "fruit.csv").write_text("name,price\napple,3\n", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert reason in report.answer


@pytest.mark.parametrize(
    "question",
    [
        "What is the average line length in notes.txt?",
        "What is the price in notes.txt?",
        "How old is the file notes.txt?",
        "How many different cities are in fruit.csv?",
        "Who wrote notes.txt?",
        "Reverse notes.txt",
        "Add up the numbers in notes.txt",
        "notes.txt 平均每行多少字？",
        "notes.txt 里的价格是多少？",
        "notes.txt 是什么时候写的？",
        "notes.txt 是谁写的？",
        "反转 notes.txt",
    ],
)
async def test_the_counts_of_a_file_answer_nothing_else(scope: RunScope, question: str) -> None:
    _, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == [None]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("compute 1/0 with python", "1/0"),
        ("Run this Python code: print(sum(range(10)))", "print(sum(range(10)))"),
        ("Execute sorted([3, 1, 2]) in Python", "sorted([3, 1, 2])"),
        ("用 python 计算 1/0", "1/0"),
        ("运行这段 Python 代码：print('你好')", "print('你好')"),
        ("execute main.py with python", None),
        ("compute the primes below 1000 with python", None),
        ("用 Python 计算平均值", None),
        ("用 Python 求 1000 以内的质数", None),
    ],
)
def test_code_that_is_given(text: str, code: str | None) -> None:
    assert read_program(text) == code


@pytest.mark.parametrize(
    ("question", "tool", "reason"),
    [
        ("compute 1/0 with python", "python_executor", "division by zero"),
        ("用 python 计算 1/0", "python_executor", "division by zero"),
        ("calculate 1/0", "calculate", "divides by zero"),
        ("1/0 等于多少", "calculate", "除数是零"),
    ],
)
async def test_a_fraction_is_no_folder(orchestrator: Orchestrator, question: str, tool: str, reason: str) -> None:
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert [step.tool for step in report.steps] == [tool]
    assert reason in report.answer
