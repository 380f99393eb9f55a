"""Dates and times of day in the words of both languages, seen from a Monday."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.clocks import beside, find_clocks, read_clock
from switchyard.language.dates import date_spans, find_dates, find_months, read_date
from switchyard.language.durations import find_durations, read_duration
from switchyard.language.errors import Impossible

TODAY = date(2026, 11, 16)

DATES = {
    "2026-11-16": ("2026-11-16", "2026/11/16", "2026.11.16", "2026-11-16 (星期一)", "２０２６年１１月１６日"),
    "2026-11-17": ("tomorrow", "Tomorrow", "明天", "明日", "this Tuesday", "本周二"),
    "2026-11-18": ("the day after tomorrow", "day after tomorrow", "后天", "Wednesday", "周三", "this Wednesday"),
    "2026-11-25": ("next Wednesday", "下周三", "下个星期三", "Wednesday next week", "next week Wednesday", "next wed"),
    "2026-11-27": (
        "a week from Friday",
        "next Friday",
        "下礼拜五",
        "11月20日之后的第5个工作日",
        "the 5th business day after 2026-11-20",
        "Black Friday",
    ),
    "2026-11-13": ("last Friday", "上周五", "上个星期五", "3 days ago", "three days ago", "三天前", "大前天"),
    "2026-11-23": ("Monday", "周一", "星期一", "next Monday", "下周一", "on Mon"),
    "2026-11-09": ("last Monday", "上周一", "past Monday", "a week ago", "一周前"),
    "2026-11-22": ("周日", "星期天", "本周日", "this Sunday", "Sunday"),
    "2026-11-30": (
        "下下周一",
        "in two weeks",
        "两周后",
        "月底",
        "the end of the month",
        "本月底",
        "10 business days from now",
    ),
    "2026-10-05": ("上个月五号", "上月5日", "the 5th of last month", "5 October 2026", "二〇二六年十月五日"),
    "2026-12-15": ("15号", "下个月十五号", "the 15th of next month", "the 15th", "15日"),
    "2026-12-31": ("年底", "今年年底", "2026年底", "the end of the year", "New Year's Eve", "31号", "下个月底"),
    "2027-02-14": ("90 days from today", "90天后", "今天起90天后", "从今天起90天", "in 90 days", "再过90天", "情人节"),
    "2026-10-26": ("3 weeks ago", "三周前", "3个星期前", "21 days ago"),
    "2026-12-25": (
        "Christmas",
        "圣诞节",
        "25 December",
        "Dec 25",
        "12月25日",
        "十二月二十五号",
        "今年圣诞",
        "Fri, 25 Dec 2026",
    ),
    "2026-12-22": ("圣诞节前三天", "3 days before Christmas", "圣诞节的三天前"),
    "2027-12-25": ("Christmas next year", "明年圣诞节", "2027年圣诞节", "Christmas 2027", "December 25th, 2027"),
    "2027-01-01": ("元旦", "明年元旦", "New Year's Day", "the new year", "2027年1月1日", "01/01/2027"),
    "2027-11-16": ("16 November 2027", "16/11/2027", "11/16/2027", "in a year", "明年今天", "16-Nov-2027", "一年后"),
    "2025-11-16": ("去年今天", "a year ago", "一年前", "16.11.2025", "Nov. 16 last year"),
    "2027-05-03": ("May 3", "may 3", "3rd of May", "5月3日"),
    "2028-02-29": (
        "29 February",
        "2月29日",
        "the last day of February 2028",
        "2028年2月最后一天",
        "the day before 1 March 2028",
    ),
    "2026-12-19": ("一个月零三天后", "one month and 3 days from today"),
    "2026-10-01": ("今年国庆节", "1 October this year"),
    "2026-11-26": ("Thanksgiving", "感恩节", "the fourth Thursday of November", "10 days from today"),
    "2026-12-07": ("the first Monday of December 2026", "十二月的第一个星期一", "三周后", "三周后的今天"),
    "2027-02-06": ("Chinese New Year", "春节", "明年春节", "过年", "spring festival 2027"),
    "2027-02-05": ("除夕", "Lunar New Year's Eve"),
    "2026-09-25": ("今年中秋节", "mid-autumn festival 2026"),
    "2027-03-28": ("Easter", "复活节", "Easter 2027"),
    "2025-12-25": ("last Christmas", "去年圣诞节"),
    "2027-03-01": ("the first of March", "March the first", "1 March"),
    "2026-02-19": ("subtract 10 days from 2026-03-01", "2026-03-01 minus 10 days", "2026年3月1日往前推10天"),
    "2026-03-11": ("add 10 days to 2026-03-01", "2026-03-01 plus 10 days", "2026年3月1日加10天"),
    "2026-12-24": ("the day before Christmas", "圣诞节前一天", "平安夜"),
}


@pytest.mark.parametrize(("expected", "text"), [(day, text) for day, texts in DATES.items() for text in texts])
def test_a_date_is_read(expected: str, text: str):
    assert read_date(text, TODAY) == date.fromisoformat(expected)


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("2026年10月的水费", "2026-10-01"),
        ("上个月的账单", "2026-10-01"),
        ("the bill of October 2026", "2026-10-01"),
        ("for 2026-10", "2026-10-01"),
        ("last month", "2026-10-01"),
        ("how many days are in February", "2026-02-01"),
        ("下个月有几天", "2026-12-01"),
    ],
)
def test_a_month_is_found(text: str, month: str):
    assert [found[0] for found in find_months(text, TODAY)] == [date.fromisoformat(month)]


@pytest.mark.parametrize("text", ["may I march", "三个月后", "2026-13", "10月底", "months ago"])
def test_what_is_no_month_is_not_found(text: str):
    assert find_months(text, TODAY) == []


def test_lunar_feasts_are_known_for_fifty_years():
    feasts = ["2024-02-10", "2025-01-29", "2026-02-17", "2027-02-06", "2033-01-31", "2034-02-19"]
    assert [read_date(f"{day[:4]}年春节", TODAY) for day in feasts] == [date.fromisoformat(day) for day in feasts]
    with pytest.raises(Impossible, match="2000 to 2049"):
        read_date("1999年春节", TODAY)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "next week",
            "下周",
            "last month",
            "2026",
            "2026年11月",
            "周末",
            "the weekend",
            "Ramadan",
            "Mother's Day",
            "3.11.7",
            "soon",
            "每周一",
        ),
        *("https://example.com/2026-11-16", "logs/2026-11-16.txt", "2026-11-16.log", "v2026.11.16", "$2026-11-16"),
        *("tomorrow.txt", "notes/today", "5号线", "一周五天", "in 2 hours", "20261116", "3 days after lunch", "15"),
    ],
)
def test_what_is_no_date_is_not_read(text: str):
    assert read_date(text, TODAY) is None
    assert find_dates(text, TODAY) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-02-31", "February 2026 has 28 days"),
        ("31 February 2028", "February 2028 has 29 days"),
        ("2026年4月31日", "April 2026 has 30 days"),
        ("30 February", "February has no day 30: it has 29 days at most"),
        ("二月三十日", "29 days at most"),
        ("2026-13-01", "no month 13"),
        ("0000-01-01", "years run from 1 to 9999"),
        ("9999999 days ago", "years 1 to 9999"),
        ("03/04/2026", r"two ways; write 2026-04-03 or 2026-03-04"),
    ],
)
def test_an_impossible_or_ambiguous_date_is_refused_with_the_reason(text: str, reason: str):
    with pytest.raises(Impossible, match=reason):
        read_date(text, TODAY)
    assert find_dates(f"What about {text}?", TODAY) == []
    assert [text] == [text[start:end] for start, end in date_spans(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How many days are between 2024-02-10 and 2026-11-16?", ["2024-02-10", "2026-11-16"]),
        ("从2024年2月10日到2026年11月16日有多少天", ["2024年2月10日", "2026年11月16日"]),
        ("What weekday is 90 days from today?", ["90 days from today"]),
        ("下周三到下周五", ["下周三", "下周五"]),
        ("从今天到三天后", ["今天", "三天后"]),
        ("两天后天气怎么样", ["两天后"]),
        ("目前天气如何，下周天气呢", []),
        ("今天气温多少", ["今天"]),
        ("How many hours are in 3 days?", []),
        ("Python 3.11.7 costs $12 at 10.0.0.1", []),
        ("Read logs/2026-11-16.txt from https://a.org/2026/11/16/x on Friday", ["Friday"]),
    ],
)
def test_dates_are_found_in_sentences(text: str, found: list[str]):
    assert [text[start:end] for _, start, end in find_dates(text, TODAY)] == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3 March", "2026-03-03"), ("3月3日", "2026-03-03"), ("Friday", "2026-11-13"), ("15号", "2026-11-15")],
)
def test_an_open_date_can_be_the_latest_one(text: str, expected: str):
    assert read_date(text, TODAY, past=True) == date.fromisoformat(expected)


@given(st.dates())
def test_every_iso_date_is_read_back(day: date):
    assert read_date(day.isoformat(), TODAY) == day
    assert read_date(f"{day.year:04}年{day.month}月{day.day}日", TODAY) == day


@given(st.text(max_size=60), st.dates())
def test_any_text_is_searched_without_an_error(text: str, today: date):
    for _, start, end in [*find_dates(text, today), *find_clocks(text), *find_durations(text)]:
        assert 0 <= start < end <= len(text)
    read_clock(text)
    read_duration(text)


CLOCKS = {
    "00:00": ("midnight", "12am", "零点", "晚上12点", "0:00", "午夜"),
    "02:00": ("凌晨两点", "2 am", "夜里两点"),
    "02:45": ("quarter to three", "差一刻三点", "两点三刻"),
    "02:55": ("差五分三点", "five to three", "5 minutes to 3"),
    "03:15": ("三点一刻", "quarter past three", "三点十五", "三点十五分"),
    "09:05": ("九点零五分", "five past nine", "09:05"),
    "09:30": (
        "09:30",
        "9:30 am",
        "9.30am",
        "half past nine",
        "上午九点半",
        "9点半",
        "9时30分",
        "上午 9:30",
        "9：30",
        "at 9:30",
    ),
    "12:00": ("noon", "12 pm", "中午12点", "正午", "twelve o'clock", "12 noon"),
    "13:00": ("中午一点", "1 p.m.", "1 in the afternoon"),
    "15:00": ("下午3点", "3pm", "3 p.m.", "15:00", "十五点", "下午三点钟", "three o'clock in the afternoon"),
    "20:30": ("晚上八点半", "8:30 PM", "20:30", "8:30 in the evening", "晚八点半", "evening at 8:30"),
    "23:00": ("11 at night", "晚上十一点", "深夜11点"),
}


@pytest.mark.parametrize(("expected", "text"), [(clock, text) for clock, texts in CLOCKS.items() for text in texts])
def test_a_time_of_day_is_read(expected: str, text: str):
    assert read_clock(text) == time.fromisoformat(expected)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "25:00",
            "24:00",
            "9:75",
            "15:00 am",
            "9",
            "有一点问题",
            "早一点",
            "三点水",
            "5点建议",
            "3个百分点",
            "3小时",
            "4:3",
        ),
        *("127.0.0.1:8080", "$9:30", "a.py:12:30", "from five to nine people", "八十点", "3点75分", "时间"),
    ],
)
def test_what_is_no_time_of_day_is_not_found(text: str):
    assert find_clocks(text) == []


@pytest.mark.parametrize(
    ("day", "said", "hour"),
    [
        ("今晚", "九点", 21),
        ("tonight", "9:00", 21),
        ("tonight", "1 am", 1),
        ("tomorrow", "9:00", 9),
        ("今晚", "21:00", 21),
    ],
)
def test_a_time_beside_tonight_is_in_the_evening(day: str, said: str, hour: int):
    clock = read_clock(said)
    assert clock is not None
    assert beside(day, clock, said).hour == hour


def test_times_are_found_in_sentences():
    text = "如果伦敦是上午九点半，新加坡几点？从八点到十点"
    assert [text[start:end] for _, start, end in find_clocks(text)] == ["上午九点半", "八点", "十点"]
    assert find_clocks("at 09:30:15, not 2026-11-16T07:00Z") == [(time(9, 30, 15), 3, 11), (time(7), 28, 33)]
