"""Files that are compared: each is counted, and the answer names the one that was asked for."""

from pathlib import Path

import pytest

from switchyard.agents.by_rules.comparing import verdict
from switchyard.agents.by_rules.comparisons import Comparison, comparisons_in
from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.settings import Settings
from tests.support.reading import NOW

TODAY = NOW.date()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "short.md").write_text("one two three four\n", encoding="utf-8")
    (tmp_path / "long.md").write_text("水\n位\n高\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which of short.md or long.md has more words?", "short.md has more words: 4 (long.md has 3)."),
        ("Which has more lines, short.md or long.md?", "long.md has more lines: 3 (short.md has 1)."),
        ("Is short.md longer than long.md?", "long.md has more lines: 3 (short.md has 1)."),
        ("Which is smaller, short.md or long.md?", "long.md has fewer bytes: 12 (short.md has 19)."),
        ("short.md 和 long.md 哪个字数多？", "short.md 的字数更多：4（long.md 为 3）。"),
        ("short.md和long.md哪个更大？", "short.md 的字节数更多：19（long.md 为 12）。"),
        ("short.md 比 long.md 长吗？", "long.md 的行数更多：3（short.md 为 1）。"),
    ],
)
async def test_the_answer_names_the_one_with_its_number(workspace: Path, question: str, answer: str) -> None:
    async with open_orchestrator(Settings(model="none", database=":memory:", workspace=workspace)) as orchestrator:
        report = await orchestrator.ask(question)
    assert (report.status, report.answer) == ("answered", answer)


async def test_what_else_is_asked_is_answered_too(workspace: Path) -> None:
    async with open_orchestrator(Settings(model="none", database=":memory:", workspace=workspace)) as orchestrator:
        report = await orchestrator.ask("Which has more lines, short.md or long.md? And what is 17 * 3?")
    assert report.status == "answered"
    assert "long.md has more lines: 3" in report.answer
    assert "51" in report.answer


async def test_a_file_that_is_not_there_is_said(workspace: Path) -> None:
    async with open_orchestrator(Settings(model="none", database=":memory:", workspace=workspace)) as orchestrator:
        report = await orchestrator.ask("Which has more lines, short.md or gone.md?")
    assert report.status == "partial"
    assert "gone.md" in report.answer
    assert "more lines" not in report.answer


@pytest.mark.parametrize(
    "question",
    [
        "Which of short.md or long.md is better?",
        "Which has more pictures, short.md or long.md?",
        "Compare short.md and long.md",
        "short.md 和 long.md 哪个好？",
        "short.md 和 long.md 哪个图片多？",
        "比较 short.md 和 long.md",
    ],
)
async def test_what_cannot_be_counted_is_declined_and_no_file_is_shown(workspace: Path, question: str) -> None:
    async with open_orchestrator(Settings(model="none", database=":memory:", workspace=workspace)) as orchestrator:
        report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert "two three" not in report.answer


@pytest.mark.parametrize(
    ("comparison", "numbers", "said"),
    [
        (Comparison(("a", "b"), "lines", "en", most=True), (5, 5), "a and b have the same number of lines: 5."),
        (Comparison(("a", "b"), "lines", "zh", most=True), (5, 5), "a、b 的行数相同：5。"),
        (Comparison(("a", "b", "c"), "bytes", "en", most=True), (1, 9, 9), "b and c have the most bytes: 9 (a has 1)."),
        (Comparison(("a", "b", "c"), "words", "zh", most=False), (1, 2, 3), "a 的字数最少：1（b 为 2，c 为 3）。"),
        (Comparison(("a", "b"), "lines", "en", most=True), (5,), None),
    ],
)
def test_a_verdict_in_words(comparison: Comparison, numbers: tuple[int, ...], said: str | None) -> None:
    assert verdict(comparison, [{comparison.counted: number} for number in numbers]) == said


def test_a_comparison_is_found_beside_other_questions() -> None:
    found = list(comparisons_in("What is 2+2, and which is longer, a.md or b.md?", TODAY))
    assert {one.files for one in found} == {("a.md", "b.md")}
