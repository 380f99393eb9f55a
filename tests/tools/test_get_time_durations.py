"""Lengths of time in the words of both languages, and dates moved by them."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.durations import (
    Duration,
    days_in,
    shifted,
    workdays_between,
)


def test_months_keep_inside_the_month_they_lead_to():
    assert shifted(date(2026, 1, 31), Duration(months=1)) == date(2026, 2, 28)
    assert shifted(date(2028, 2, 29), Duration(months=-12)) == date(2027, 2, 28)


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(-500, 500).filter(bool))
def test_working_days_are_counted_as_they_are_added(day: date, count: int):
    end = shifted(day, Duration(workdays=count))
    assert end.weekday() < 5
    if day.weekday() < 5:
        assert workdays_between(day, end) == count


@given(st.dates())
def test_the_length_of_a_month_is_that_of_the_calendar(day: date):
    assert 28 <= days_in(day.year, day.month) <= 31
    assert day.replace(day=days_in(day.year, day.month)).month == day.month
