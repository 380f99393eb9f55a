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


SENTENCES: list[tuple[dict[str, Any], str, str]] = [
    (
        {"timezone": "Tokyo"},
        "It is 14:00 on Monday, 2026-11-16 in Tokyo (Asia/Tokyo)",
        "东京现在是2026-11-16 星期一 14:00（Asia/Tokyo）",
    ),
    (
        {"date": "今天", "timezone": "伦敦"},
        "It is 05:00 on Monday, 2026-11-16 in London (Europe/London)",
        "伦敦现在是2026-11-16 星期一 05:00（Europe/London）",
    ),
    ({"date": "Christmas"}, "2026-12-25 is a Friday, 39 days from today", "2026-12-25是星期五，距今天还有39天"),
    ({"date": "昨天"}, "2026-11-15 was a Sunday, 1 day ago", "2026-11-15是星期日，距今天已过1天"),
    ({"date": "2026-11-16"}, "2026-11-16 is a Monday, today", "2026-11-16是星期一，就是今天"),
    (
        {"date": "2024-02-10", "until": "2026-11-16"},
        "There are 1010 days (2 years, 9 months and 6 days) between 2024-02-10 and 2026-11-16",
        "从2024-02-10到2026-11-16有1010天（2年9个月6天）",
    ),
    (
        {"date": "2026-11-16", "until": "2024-02-10"},
        "2024-02-10 is 1010 days (2 years, 9 months and 6 days) before 2026-11-16",
        "2024-02-10在2026-11-16之前1010天（2年9个月6天）",
    ),
    ({"until": "周五"}, "It is 4 days from today until 2026-11-20", "从今天（2026-11-16）到2026-11-20还有4天"),
    (
        {"date": "2020-06-01", "until": "today", "unit": "years"},
        "It is 6 years, 5 months and 15 days (2359 days) from 2020-06-01 until today",
        "从2020-06-01到今天（2026-11-16）已过6年5个月15天（2359天）",
    ),
    (
        {"date": "2026-01-05", "until": "2026-11-16", "unit": "weeks"},
        "There are 45 weeks (315 days) between 2026-01-05 and 2026-11-16",
        "从2026-01-05到2026-11-16有45周（315天）",
    ),
    (
        {"date": "2026-01-05", "until": "2026-11-19", "unit": "months"},
        "There are 10 months and 14 days (318 days) between 2026-01-05 and 2026-11-19",
        "从2026-01-05到2026-11-19有10个月14天（318天）",
    ),
    (
        {"until": "Christmas", "unit": "hours"},
        "From 2026-11-16 13:00 to 2026-12-25 00:00 it is 38 days and 11 hours (923 hours)",
        "从2026-11-16 13:00到2026-12-25 00:00是38天11小时（923小时）",
    ),
    (
        {"date": "2026-11-16", "until": "2026-11-18", "unit": "hours"},
        "From 2026-11-16 00:00 to 2026-11-18 00:00 it is 2 days (48 hours)",
        "从2026-11-16 00:00到2026-11-18 00:00是2天（48小时）",
    ),
    (
        {"time": "9:15", "until": "17:40", "unit": "minutes"},
        "From 09:15 to 17:40 it is 8 hours and 25 minutes (505 minutes)",
        "从09:15到17:40是8小时25分钟（505分钟）",
    ),
    (
        {"timezone": "Tokyo", "from_timezone": "London"},
        "Tokyo is 9 hours ahead of London (now 14:00 in Tokyo, 05:00 in London)",
        "东京时间比伦敦快9小时（现在东京14:00，伦敦05:00）",
    ),
    (
        {"timezone": "Lima", "from_timezone": "India"},
        "Lima is 10 hours and 30 minutes behind India (now 00:00 in Lima, 10:30 in India)",
        "利马时间比印度慢10小时30分钟（现在利马00:00，印度10:30）",
    ),
    (
        {"timezone": "LA", "from_timezone": "UTC"},
        "Los Angeles is 8 hours behind UTC (now 2026-11-15 21:00 in Los Angeles, 2026-11-16 05:00 in UTC)",
        "洛杉矶时间比UTC慢8小时（现在洛杉矶2026-11-15 21:00，UTC2026-11-16 05:00）",
    ),
    (
        {"timezone": "Seoul", "from_timezone": "Tokyo"},
        "Seoul and Tokyo have the same time (now 14:00 in Seoul, 14:00 in Tokyo)",
        "首尔和东京时间相同（现在首尔14:00，东京14:00）",
    ),
    (
        {"date": "2028-05-01", "tell": "leap_year"},
        "2028 is a leap year: its February has 29 days",
        "2028年是闰年，2月有29天",
    ),
    (
        {"date": "1900-05-01", "tell": "leap_year"},
        "1900 is not a leap year: its February has 28 days",
        "1900年不是闰年，2月有28天",
    ),
    ({"tell": "iso_week"}, "2026-11-16 is in week 47 of 2026 (ISO)", "2026-11-16在2026年的第47周（ISO 周）"),
    (
        {"date": "2027-01-01", "tell": "iso_week"},
        "2027-01-01 is in week 53 of 2026 (ISO)",
        "2027-01-01在2026年的第53周（ISO 周）",
    ),
    ({"date": "圣诞节", "tell": "day_of_year"}, "2026-12-25 is day 359 of 2026", "2026-12-25是2026年的第359天"),
    ({"date": "2028-02-01", "tell": "month_length"}, "February 2028 has 29 days", "2028年2月有29天"),
    ({"tell": "year_length"}, "2026 has 365 days", "2026年有365天"),
    (
        {"timezone": "Kathmandu", "tell": "zone"},
        "Kathmandu is in the time zone Asia/Kathmandu, UTC+05:45",
        "加德满都的时区是Asia/Kathmandu，UTC+05:45",
    ),
    (
        {"time": "15:00", "from_timezone": "EST", "timezone": "IST"},
        "15:00 in EST (UTC-05:00) is 01:30 in IST (UTC+05:30) on the next day",
        "EST (UTC-05:00)15:00时，IST (UTC+05:30)是第二天的01:30",
    ),
    (
        {"until": "next Friday", "business_days": True},
        "It is 9 business days (Monday to Friday, of 11 days in all) from today until 2026-11-27",
        "从今天（2026-11-16）到2026-11-27还有9个工作日（周一至周五，共11天）",
    ),
    ({"add": "90天"}, "90 days after 2026-11-16 is Sunday, 2027-02-14", "2026-11-16之后90天是2027-02-14，星期日"),
    (
        {"date": "2026-11-16", "add": "-1 year"},
        "1 year before 2026-11-16 is Sunday, 2025-11-16",
        "2026-11-16之前1年是2025-11-16，星期日",
    ),
    (
        {"time": "上午九点半", "from_timezone": "伦敦", "timezone": "Singapore"},
        "09:30 in London is 17:30 in Singapore on the same day",
        "伦敦09:30时，新加坡是同一天的17:30",
    ),
    (
        {"time": "9:30 am London time", "date": "2026-07-01", "timezone": "新加坡"},
        "09:30 on 2026-07-01 in London is 16:30 in Singapore on the same day",
        "伦敦2026-07-01 09:30时，新加坡是同一天的16:30",
    ),
    (
        {"time": "11pm", "from_timezone": "London", "timezone": "Tokyo"},
        "23:00 in London is 08:00 in Tokyo on the next day",
        "伦敦23:00时，东京是第二天的08:00",
    ),
    (
        {"time": "06:00", "timezone": "New York"},
        "06:00 in your time zone is 17:00 in New York on the previous day",
        "本地06:00时，纽约是前一天的17:00",
    ),
    (
        {"time": "09:30", "add": "45分钟"},
        "45 minutes after 09:30 it is 10:15 on the same day",
        "09:30之后45分钟是同一天的10:15",
    ),
    (
        {"time": "22:00", "add": "5 hours", "from_timezone": "London", "timezone": "Tokyo"},
        "5 hours after 22:00 in London it is 12:00 in Tokyo on the next day",
        "伦敦22:00之后5小时，东京是第二天的12:00",
    ),
    (
        {"add": "-60 hours", "timezone": "Tokyo"},
        "60 hours before 14:00 it is 02:00 in Tokyo 2 days earlier",
        "14:00之前60小时，东京是2天前的02:00",
    ),
    (
        {"time": "17:30"},
        "17:30 on 2026-11-16 in your time zone is 4 hours and 30 minutes from now",
        "本地2026-11-16 17:30距现在还有4小时30分钟",
    ),
    (
        {"date": "昨天下午3点"},
        "15:00 on 2026-11-15 in your time zone was 22 hours ago",
        "本地2026-11-15 15:00距现在已过22小时",
    ),
    (
        {"time": "九点半", "until": "17:45"},
        "From 09:30 to 17:45 it is 8 hours and 15 minutes",
        "从09:30到17:45是8小时15分钟",
    ),
    (
        {"time": "22:00", "until": "6am"},
        "From 2026-11-16 22:00 to 2026-11-17 06:00 it is 8 hours",
        "从2026-11-16 22:00到2026-11-17 06:00是8小时",
    ),
    (
        {"time": "17:30", "until": "now"},
        "From 2026-11-15 17:30 to 2026-11-16 13:00 it is 19 hours and 30 minutes",
        "从2026-11-15 17:30到2026-11-16 13:00是19小时30分钟",
    ),
    (
        {"until": "2026-11-15 09:00"},
        "2026-11-15 09:00 is 1 day and 4 hours before 2026-11-16 13:00",
        "2026-11-15 09:00在2026-11-16 13:00之前1天4小时",
    ),
]


@pytest.mark.parametrize(("asked", "english", "chinese"), SENTENCES)
def test_the_answer_is_said_in_both_languages(asked: dict[str, Any], english: str, chinese: str):
    assert ask("en", **asked)["sentence"] == english
    assert ask("zh", **asked)["sentence"] == chinese


def test_every_answer_has_the_fields_of_the_moment_it_arrives_at():
    for asked, _, _ in SENTENCES:
        assert {"place", "timezone", "time", "clock", "date", "weekday", "utc_offset"} <= ask(**asked).keys()


def test_a_difference_is_given_in_numbers_and_words():
    result = ask(date="2024-02-10", until="2026-11-16", business_days=True)
    assert (result["days"], result["business_days"]) == (1010, 721)
    assert result["difference"] == "2 years, 9 months and 6 days"
    assert result["weeks"] == "144 weeks and 2 days"
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


def test_a_conversion_names_both_places_and_the_day():
    result = ask(time="23:00", from_timezone="London", timezone="Tokyo")
    assert (result["from_place"], result["from_clock"], result["day_shift"]) == ("London", "23:00", 1)
    assert (result["place"], result["clock"], result["date"]) == ("Tokyo", "08:00", "2026-11-17")


def test_relative_dates_are_those_of_the_place():
    assert ask(date="tomorrow", timezone="Honolulu")["date"] == "2026-11-16"
    assert ask(date="tomorrow in Honolulu")["date"] == "2026-11-16"
    assert ask(date="明天")["date"] == "2026-11-17"


def test_now_is_now_in_whatever_zone_it_is_given():
    assert ask(time="now", from_timezone="London", timezone="Tokyo") == ask(timezone="Tokyo")
    assert ask(from_timezone="Tokyo", timezone="Tokyo") == ask(timezone="Tokyo")


@pytest.mark.parametrize("empty", ["", None])
def test_empty_texts_count_as_left_out(empty: str | None):
    asked = dict.fromkeys(("time", "date", "until", "add", "timezone", "from_timezone"), empty)
    assert ask(**asked) == ask()


@pytest.mark.parametrize(
    ("start", "until", "days"),
    [
        ("3 March", "today", 258),
        ("20 October", "25 December", 66),
        ("2027-01-01", "Christmas", 358),
        ("Friday", "today", 3),
        ("10月1日", "11月16日", 46),
    ],
)
def test_an_open_year_is_the_one_that_fits(start: str, until: str, days: int):
    assert ask(date=start, until=until)["days"] == days


def test_days_are_added_by_the_calendar_and_hours_by_the_time_that_passes():
    asked: dict[str, Any] = {"date": "2026-03-07", "time": "12:00", "from_timezone": "New York", "timezone": "New York"}
    assert ask(**asked, add="1 day")["clock"] == "12:00"
    assert ask(**asked, add="24 hours")["clock"] == "13:00"


def test_a_moment_with_its_offset_is_understood():
    result = ask(time="2026-11-16T09:30:00+08:00", timezone="London")
    assert (result["clock"], result["from_place"]) == ("01:30", "UTC+8")
    assert ask(time="2026-11-20T09:30Z", timezone="Tokyo")["time"] == "2026-11-20T18:30:00+09:00"


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"date": "31 February"}, "29 days at most"),
        ({"date": "2026-02-31 at 9:30"}, "February 2026 has 28 days"),
        ({"until": "2026-06-31"}, "June 2026 has 30 days"),
        ({"date": "03/04/2026"}, "two ways"),
        ({"date": "next week"}, "not a date that can be read"),
        ({"date": "tomorrow and Friday"}, "not a date"),
        ({"date": "x" * 50_000}, "not a date"),
        ({"time": "25:00"}, "not a time of day"),
        ({"time": "half past late"}, "not a time of day"),
        ({"time": "2026-11-16T25:00Z"}, "not a time of day"),
        ({"add": "soon"}, "not a duration"),
        ({"add": "9999999 years"}, "years 1 to 9999"),
        ({"add": "9999999 hours", "date": "9999-12-01"}, "years 1 to 9999"),
        ({"date": "tomorrow", "until": "Friday", "add": "1 day"}, "not for both"),
        ({"date": "2026-11-20", "until": "17:00"}, "give `time` too"),
        ({"time": "9:30", "until": "2026-11-20"}, "not a time of day"),
        ({"time": "02:30", "date": "2026-03-08", "from_timezone": "New York"}, "clocks go forward"),
        ({"date": "9999-12-31", "time": "23:00", "from_timezone": "LA", "timezone": "Tokyo"}, "years 1 to 9999"),
    ],
)
def test_what_cannot_be_reckoned_is_refused_with_the_reason(asked: dict[str, Any], reason: str):
    with pytest.raises((ToolFailed, Impossible), match=reason) as caught:
        ask(**asked)
    assert getattr(caught.value, "kind", "bad_arguments") == "bad_arguments"


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
