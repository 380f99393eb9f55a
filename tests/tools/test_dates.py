"""Dates and times of day in the words of both languages, seen from a Monday."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.clocks import find_clocks, read_clock
from switchyard.language.dates import find_dates, read_date
from switchyard.language.durations import find_durations, read_duration
from switchyard.language.errors import Impossible

TODAY = date(2026, 11, 16)


def test_lunar_feasts_are_known_for_some_decades():
    feasts = ["2024-02-10", "2025-01-29", "2026-02-17", "2027-02-06", "2033-01-31", "2034-02-19"]
    assert [read_date(f"{day[:4]}年春节", TODAY) for day in feasts] == [date.fromisoformat(day) for day in feasts]
    with pytest.raises(Impossible, match="2015 to 2040"):
        read_date("1999年春节", TODAY)


@given(st.dates())
def test_every_iso_date_is_read_back(day: date):
    assert read_date(day.isoformat(), TODAY) == day
    assert read_date(f"{day.year:04}年{day.month}月{day.day}日", TODAY) == day


@given(st.text(max_size=60), st.dates())
def test_any_text_is_searched_without_an_error(text: str, today: date):
    for _, start, end, *_ in [*find_dates(text, today), *find_clocks(text), *find_durations(text)]:
        assert 0 <= start < end <= len(text)
    read_clock(text)
    read_duration(text)


def test_times_are_found_in_sentences():
    text = "如果伦敦是上午九点半，新加坡几点？从八点到十点"
    assert [text[start:end] for _, start, end in find_clocks(text)] == ["上午九点半", "八点", "十点"]
    assert find_clocks("at 09:30:15, not 2026-11-16T07:00Z") == [(time(9, 30, 15), 3, 11), (time(7), 28, 33)]
