"""The time in places, with a clock that stands still."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from switchyard.tools.core import Language, ToolContext, ToolFailed
from switchyard.tools.get_time.tool import GetTime, GetTimeParams, now

_MOMENT = datetime(2026, 1, 5, 23, 30, tzinfo=UTC)  # a Monday


def get_time(timezone: str | None = None, language: Language = "en") -> dict[str, Any]:
    context = ToolContext(workspace=Path(), language=language)
    return GetTime(clock=lambda: _MOMENT).execute(GetTimeParams(timezone=timezone), context)


def test_a_city_in_english():
    assert get_time("Tokyo") == {
        "place": "Tokyo",
        "timezone": "Asia/Tokyo",
        "time": "2026-01-06T08:30:00+09:00",
        "clock": "08:30",
        "date": "2026-01-06",
        "weekday": "Tuesday",
        "utc_offset": "+09:00",
        "sentence": "It is 08:30 on Tuesday, 2026-01-06 in Tokyo (Asia/Tokyo)",
    }


def test_a_city_in_chinese_is_answered_in_chinese():
    result = get_time("纽约", "zh")
    assert result["place"] == "纽约"
    assert result["weekday"] == "星期一"
    assert result["clock"] == "18:30"
    assert result["utc_offset"] == "-05:00"


def test_the_language_of_the_answer_does_not_depend_on_the_name():
    assert get_time("伦敦", "en")["place"] == "London"
    assert get_time("London", "zh")["place"] == "伦敦"


@pytest.mark.parametrize(
    ("name", "clock"),
    [("Asia/Kolkata", "05:00"), ("UTC+8", "07:30"), ("UTC-03:30", "20:00"), ("东八区", "07:30"), ("utc", "23:30")],
)
def test_zones_and_offsets(name: str, clock: str):
    assert get_time(name)["clock"] == clock


@pytest.mark.parametrize(("zone", "clock"), [("Asia/Shanghai", "07:30"), ("Europe/Berlin", "00:30")])
def test_no_name_means_the_local_zone(monkeypatch: pytest.MonkeyPatch, zone: str, clock: str):
    monkeypatch.setenv("TZ", zone)
    result = get_time(None, "zh")
    assert (result["place"], result["timezone"], result["clock"]) == ("本地", zone, clock)


def test_an_unreadable_local_zone_still_gives_a_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "nonsense")
    assert get_time()["timezone"].startswith("UTC")


def test_an_unknown_place_names_the_nearest_ones():
    with pytest.raises(ToolFailed, match="Tokyo") as caught:
        get_time("Tokio")
    assert caught.value.kind == "not_found"


def test_a_name_like_no_other_is_refused_too():
    with pytest.raises(ToolFailed, match="No place or time zone"):
        get_time("qqqqzzzz")


@pytest.mark.parametrize("country", ["USA", "美国"])
def test_a_country_with_several_zones_offers_its_cities(country: str):
    with pytest.raises(ToolFailed, match=r"several time zones.*New York"):
        get_time(country)


def test_the_real_clock_knows_its_zone():
    assert now().tzinfo is UTC
