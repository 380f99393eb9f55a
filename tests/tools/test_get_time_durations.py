"""Lengths of time in the words of both languages, and dates moved by them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.durations import (
    Duration,
    days_in,
    find_durations,
    number_of,
    read_duration,
    shifted,
    workdays_between,
)

LENGTHS = {
    Duration(days=90): (
        "90 days",
        "90天",
        "ninety days",
        "九十天",
        "90-day",
        "+90 days",
        "plus 90 days",
        "90 days later",
    ),
    Duration(days=14): ("2 weeks", "two weeks", "两周", "两个星期", "a fortnight", "2个礼拜"),
    Duration(days=-14): ("-2 weeks", "minus 2 weeks", "负两周", "2 weeks ago", "两周前"),
    Duration(months=3): ("3 months", "3个月", "三个月", "一个季度"),
    Duration(months=-12): ("-1 year", "a year ago", "一年前"),
    Duration(months=14, days=3): ("1 year, 2 months and 3 days", "一年零两个月三天", "1年2个月3天"),
    Duration(months=6): ("半年", "half a year", "six months"),
    Duration(months=2, days=15): ("两个半月", "2.5 months"),
    Duration(months=30): ("两年半", "two and a half years"),
    Duration(workdays=10): ("10 business days", "10个工作日", "ten working days"),
    Duration(seconds=2700): ("45 minutes", "45分钟", "45 min", "三刻钟", "四十五分钟"),
    Duration(seconds=5400): ("an hour and a half", "1.5 hours", "一个半小时", "1小时30分", "1 hour 30 minutes"),
    Duration(seconds=1800): ("half an hour", "半小时", "半个小时"),
    Duration(days=1, seconds=43200): ("1.5 days", "一天半"),
    Duration(days=1000): ("1,000 days", "一千天"),
    Duration(days=100): ("a hundred days", "一百天", "100天"),
}


@pytest.mark.parametrize(("expected", "text"), [(size, text) for size, texts in LENGTHS.items() for text in texts])
def test_a_duration_is_read(expected: Duration, text: str):
    assert read_duration(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "十一月",
            "2026年",
            "二〇二六年",
            "第三天",
            "下周一天气",
            "once a day",
            "how many hours in a day",
            "3.11.7 days",
        ),
        *("$3 days", "三年级", "80年代", "90", "1.3 months", "2.5 business days", "1.7个月", "ten", "25分"),
    ],
)
def test_what_is_no_duration_is_not_found(text: str):
    assert find_durations(text) == []
    assert read_duration(text) is None


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


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("二十四", 24),
        ("一百零三", 103),
        ("两千", 2000),
        ("十", 10),
        ("一〇二", 102),
        ("twenty-five", 25),
        ("1,200", 1200),
    ],
)
def test_numbers_in_words_and_characters(text: str, number: int):
    assert number_of(text) == number


@pytest.mark.parametrize("text", ["", "百", "many", "三天", ","])
def test_what_is_no_number(text: str):
    assert number_of(text) is None
