"""Questions about dates and given times, asked on Monday, 16 November 2026, at one in the afternoon in Shanghai."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.errors import Impossible, Unreadable
from switchyard.tools.core import Language, ToolContext, ToolFailed
from switchyard.tools.core.errors import ToolError
from switchyard.tools.get_time.tool import GetTime, GetTimeParams

_MOMENT = datetime(2026, 11, 16, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def shanghai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")


def ask(language: Language = "en", **asked: Any) -> dict[str, Any]:
    context = ToolContext(workspace=Path(), language=language)
    return GetTime(clock=lambda: _MOMENT).execute(GetTimeParams(**asked), context)


def test_a_difference_is_given_in_numbers():
    result = ask(date="2024-02-10", until="2026-11-16", business_days=True)
    assert (result["days"], result["business_days"]) == (1010, 721)
    assert (result["from_date"], result["date"], result["weekday"]) == ("2024-02-10", "2026-11-16", "Monday")


def test_the_number_asked_for_is_the_value():
    """What a step after this one reckons with."""
    span: dict[str, Any] = {"date": "2026-01-05", "until": "2026-11-16"}
    assert ask(**span, unit="weeks")["value"] == 45
    assert ask(**span)["value"] == 315
    assert ask(**span, business_days=True)["value"] == 225
    assert ask(time="9:15", until="17:40", unit="minutes")["value"] == 505
    assert ask(date="2024-11-16", until="2026-11-16", unit="years")["value"] == 2
    assert ask(timezone="India", from_timezone="UTC")["value"] == 5.5
    uneven = ask(**span, unit="months")
    assert "value" not in uneven  # 10 months and 11 days are no number of months
    assert "days" not in uneven


def test_a_conversion_names_the_place_and_the_day():
    result = ask(time="23:00", from_timezone="London", timezone="Tokyo")
    assert (result["place"], result["clock"], result["date"]) == ("Tokyo", "08:00", "2026-11-17")


def test_relative_dates_are_those_of_the_place():
    assert ask(date="tomorrow", timezone="Honolulu")["date"] == "2026-11-16"
    assert ask(date="明天")["date"] == "2026-11-17"


def test_now_is_now_in_whatever_zone_it_is_given():
    assert ask(time="now", from_timezone="London", timezone="Tokyo") == ask(timezone="Tokyo")
    assert ask(from_timezone="Tokyo", timezone="Tokyo") == ask(timezone="Tokyo")


@pytest.mark.parametrize("empty", ["", None])
def test_empty_texts_count_as_left_out(empty: str | None):
    asked = dict.fromkeys(("time", "date", "until", "add", "timezone", "from_timezone"), empty)
    assert ask(**asked) == ask()


def test_days_are_added_by_the_calendar_and_hours_by_the_time_that_passes():
    asked: dict[str, Any] = {"date": "2026-03-07", "time": "12:00", "from_timezone": "New York", "timezone": "New York"}
    assert ask(**asked, add="1 day")["clock"] == "12:00"
    assert ask(**asked, add="24 hours")["clock"] == "13:00"


def test_a_moment_with_its_offset_is_understood():
    assert ask(time="2026-11-16T09:30:00+08:00", timezone="London")["clock"] == "01:30"
    assert ask(time="2026-11-20T09:30Z", timezone="Tokyo")["time"] == "2026-11-20T18:30:00+09:00"


def test_a_text_without_end_is_no_date():
    with pytest.raises((ToolFailed, Impossible), match="not a date"):
        ask(date="x" * 50_000)


@given(st.dates(date(1000, 1, 1)), st.dates(date(1000, 1, 1)))
def test_the_days_between_two_dates_are_those_of_the_calendar(start: date, end: date):
    result = ask(date=start.isoformat(), until=end.isoformat())
    assert result["days"] == (end - start).days
    assert ask(date=start.isoformat())["weekday"] == start.strftime("%A")


_PIECES = st.sampled_from(
    [
        *(
            "9999-12-31",
            "0001-01-01",
            "tomorrow",
            "下周三",
            "9:30",
            "下午3点",
            "99999 years",
            "-3天",
            "ago",
            "前",
            "半",
        ),
        *("London", "东京", " ", "at", "今天", "起", "31 February", "UTC+14", "1.5 days", "now", "年底", "months"),
    ]
)
_TEXTS = st.none() | st.text(max_size=20) | st.lists(_PIECES, max_size=4).map(" ".join)


@given(time=_TEXTS, date_=_TEXTS, until=_TEXTS, add=_TEXTS, business_days=st.booleans())
def test_nothing_but_a_tool_error_is_raised(
    time: str | None, date_: str | None, until: str | None, add: str | None, *, business_days: bool
):
    try:
        result = ask(time=time, date=date_, until=until, add=add, business_days=business_days, timezone="UTC-12")
    except (ToolError, Unreadable):
        return
    assert result["sentence"]
