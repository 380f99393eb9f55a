"""What the rules read whole is never lost because a model is there, whatever that says (R5.1)."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import OpenOrchestrator
from tests.support.endpoint import KINDS, Endpoint, fills, steps

MEMBERS = "name,town,fee\nLi Na,Lund,30\nTom Okafor,Uppsala,50\nWang Wei,Uppsala,70\n"
READ_BY_RULES = [
    ("What is the average fee in members.csv?", "50"),
    ("members.csv里谁的fee最高？", "Wang Wei"),
    ("How many lines does todo.txt have?", "3"),
    ("todo.txt有多少行？", "3"),
    ("Which files contain the word barrels?", "todo.txt"),
    ("哪些文件包含barrels这个词？", "todo.txt"),
    ("What is 17 squared, and how many lines does todo.txt have?", "289"),
    ("17的平方是多少？另外todo.txt有多少行？", "289"),
]
WRITTEN_BY_RULES = [
    ("Write the line 'buy string' to list.txt", "list.txt", "buy string"),
    ("把“买绳子”写进plan.txt", "plan.txt", "买绳子"),
]
"""A question, the file to be written, and what the answer, or the file, has to have."""

SAYINGS: dict[str, Any] = {
    "prose": "I am a helpful assistant and I like gardens very much.",
    "braces": {},
    "an answer": {"answer": "It is 42."},
    "a question": {"ask_user": "What do you mean?"},
    "nothing to do": {"asks": ["everything"], "given_up": {"1": "cannot be done"}, "steps": []},
}
"""What a model says to every prompt."""
PLANNED: dict[str, dict[str, Any]] = {
    "get_time": {"timezone": "Europe/Paris"},
    "calculate": {"expression": "1 + 1"},
    "list_dir": {"path": "."},
    "read_file": {"path": "members.csv"},
    "none": {},
    "no_such_tool": {},
}
"""The tool that it plans every question with, and the arguments it gives."""


@pytest.fixture
def garden(workspace: Path) -> Path:
    (workspace / "members.csv").write_text(MEMBERS, encoding="utf-8")
    (workspace / "todo.txt").write_text("order mulch\nclean the barrels\nlabel the boxes\n", encoding="utf-8")
    return workspace


def plans_with(tool: str, question: str) -> dict[str, list[Any]]:
    """A script that has one tool do whatever is asked, and says the same of any result."""
    return {
        "plan": [steps({"description": question, "tool": tool, "arguments": PLANNED[tool]})],
        "rank": [{"choices": {"s1": [tool]}}],
        "fill": [fills(s1=PLANNED[tool])],
        "decide": [{"action": "complete", "reason": "done"}],
        "judge": [{"verified": True}],
        "reason": ["It is 42."],
        "answer": ["The answer is 42.\nOPEN: none"],
    }


def first_sentences(endpoint: Endpoint) -> None:
    """Every prompt is answered with its own first sentence."""
    endpoint.script(**{kind: [system.split(". ")[0] + "."] for kind, system in KINDS.items()})


@pytest.mark.parametrize("saying", [*SAYINGS, "the prompt"])
async def test_what_the_rules_read_is_answered_whatever_a_model_says(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, garden: Path, saying: str
) -> None:
    async with orchestrator_with(base_url=endpoint.url, model="scripted", rules_first="exact") as opened:
        for question, right in READ_BY_RULES:
            if saying == "the prompt":
                first_sentences(endpoint)
            else:
                endpoint.script(**{kind: [SAYINGS[saying]] for kind in KINDS})
            report = await opened.ask(question)
            assert (question, report.status) == (question, "answered")
            assert right in report.answer


@pytest.mark.parametrize("tool", PLANNED)
async def test_what_the_rules_read_is_answered_whatever_a_model_plans(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, garden: Path, tool: str
) -> None:
    async with orchestrator_with(base_url=endpoint.url, model="scripted", rules_first="exact") as opened:
        for question, right in READ_BY_RULES:
            endpoint.script(**plans_with(tool, question))
            report = await opened.ask(question)
            assert (question, report.status) == (question, "answered")
            assert right in report.answer


@pytest.mark.parametrize("tool", PLANNED)
async def test_what_the_rules_read_is_written_whatever_a_model_plans(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, garden: Path, tool: str
) -> None:
    settings = {"base_url": endpoint.url, "model": "scripted", "rules_first": "exact", "auto_approve": True}
    async with orchestrator_with(**settings) as opened:
        for question, name, written in WRITTEN_BY_RULES:
            endpoint.script(**plans_with(tool, question))
            report = await opened.ask(question)
            assert (question, report.status) == (question, "answered")
            assert written in (garden / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("question", "right"),
    [("What is the average fee in members.csv?", "50"), ("members.csv里fee的平均值是多少？", "50")],
)
async def test_a_model_that_goes_further_than_the_rules_is_followed(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, garden: Path, question: str, right: str
) -> None:
    query = {"path": "members.csv", "sql": "SELECT avg(fee) AS fee FROM data"}
    table = {"tool": "data_analyzer", "action": "query", "arguments": query}
    told = {"description": f"say what this means: {question}", "tool": "none", "dependencies": ["s1"]}
    endpoint.script(
        plan=[steps({"description": question, **table}, told)],
        reason=["50"],
        answer=["It is 50.\nOPEN: none"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted", rules_first="exact") as opened:
        report = await opened.ask(question)
    assert report.plan.by == "model"
    assert right in report.answer
