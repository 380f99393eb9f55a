"""Questions about time, read as a whole and answered, on Monday, 16 November 2026, at 13:00 in Shanghai."""

from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.errors import Impossible
from switchyard.language.time_questions import LONGEST, read_time_question
from switchyard.tools.core import Language, ToolContext, ToolFailed
from switchyard.tools.get_time.tool import GetTime, GetTimeParams

TODAY = date(2026, 11, 16)
_MOMENT = datetime(2026, 11, 16, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def shanghai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")


def answer(question: str) -> str:
    asked = read_time_question(question, TODAY)
    assert asked is not None, "not understood"
    language: Language = "en" if question.isascii() else "zh"
    context = ToolContext(workspace=Path(), language=language)
    return GetTime(clock=lambda: _MOMENT).execute(GetTimeParams(**asked), context)["sentence"]


@pytest.mark.parametrize("question", ["What time is it in Tokyo? " * 100, "9" * 400, "几" * 2000])
def test_a_text_without_end_is_left_to_others(question: str):
    assert read_time_question(question, TODAY) is None


@pytest.mark.parametrize("zone", ["UTC", "Etc/UTC"])
def test_a_machine_that_nobody_told_where_it_is_knows_no_here(monkeypatch: pytest.MonkeyPatch, zone: str):
    monkeypatch.setenv("TZ", zone)
    assert read_time_question("If it's 5pm here, what time is it in Tokyo?", TODAY) is None
    assert read_time_question("东京下午五点，我们这边是几点？", TODAY) is None
    assert read_time_question("If it's 5pm here in Oslo, what time is it in Tokyo?", TODAY) is not None


_WORDS = st.sampled_from(
    [
        *("what", "time", "is", "it", "in", "London", "Tokyo", "3 pm", "9:30", "how many days", "until", "between"),
        *(
            "and",
            "2026-01-05",
            "Christmas",
            "2 hours",
            "after",
            "when",
            "现在",
            "几点",
            "东京",
            "到",
            "还有多少天",
            "，",
        ),
        *("春节", "两周", "后", "是", "星期几", "2028", "leap year", "February", "?", "from", "to", "相差", "时差"),
    ]
)


@given(st.lists(_WORDS, max_size=9).map(" ".join) | st.text(max_size=LONGEST))
def test_whatever_is_read_is_something_the_tool_takes(question: str):
    if read_time_question(question, TODAY) is not None:
        with suppress(ToolFailed, Impossible):  # a day that does not exist, a country with several zones
            assert answer(question)
