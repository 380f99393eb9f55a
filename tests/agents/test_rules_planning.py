"""A question is cut into the tasks that tools can serve; what is not served stays a task of its own."""

import pytest

from switchyard.agents.scope import RunScope
from switchyard.app.orchestrator import Orchestrator
from tests.support.reading import open_scope, planned


@pytest.fixture(scope="module")
def scope() -> RunScope:
    return open_scope()


async def test_what_cannot_be_done_stays_beside_what_can(scope: RunScope) -> None:
    steps, assignments = await planned("What is 12 * 12, and write a poem about it", scope)
    assert [assignment.tool for assignment in assignments] == ["calculate", None]
    assert "poem" in steps[1].description


@pytest.mark.parametrize("piece", [" ", "1", "a", "-", "水", "1,", "a/", "and ", "1 和 ", "列出 a 然后 "])
async def test_a_text_of_twenty_thousand_characters_is_planned(scope: RunScope, piece: str) -> None:
    steps, _ = await planned(piece * (20_000 // len(piece)), scope)
    assert len(steps) < 5000


@pytest.mark.parametrize(
    ("question", "expected"), [("and 3+3?", "3+3 = 6."), ("那5乘6呢", "5乘6 = 30。"), ("and 3*3?", "3*3 = 9.")]
)
async def test_a_sum_of_its_own_takes_nothing_from_the_one_before(
    orchestrator: Orchestrator, question: str, expected: str
) -> None:
    await orchestrator.ask("what is 2+2", thread_id="t")
    report = await orchestrator.ask(question, thread_id="t")
    assert report.answer == expected
