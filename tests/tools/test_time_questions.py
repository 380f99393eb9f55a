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


NOW = {
    "What time is it?": "13:00",
    "know the current time in Nairobi": "08:00",
    "现在几点了": "13:00",
    "what's the time in london": "05:00",
    "Seoul time?": "14:00",
    "Do you know what time it is in Cairo?": "07:00",
    "what's their local time in Vancouver": "21:00",
    "I'm calling a friend in Vancouver, what's their local time": "21:00",
    "我有个朋友在温哥华，那边现在几点": "21:00",
    "悉尼现在是几点钟": "16:00",
    "帮我查一下墨尔本的当地时间": "16:00",
    "英国伦敦现在几点": "05:00",
    "Could you tell me the time in Paris, France?": "06:00",
    "what time is it in china right now": "China",
    "What time is it in Reading?": "Reading",
    "time in reading?": "Reading",
    "UTC 时间现在是多少": "05:00",
    "What does the clock say in Toronto?": "00:00",
    "What's today's date?": "2026-11-16",
    "What day of the week is it in Tokyo?": "Monday",
    "What's the date in Los Angeles right now?": "2026-11-15",
    "今天几号": "2026-11-16",
    "今天礼拜几": "星期一",
    "What year is it?": "2026",
    "what time zone is Tokyo in": "Asia/Tokyo",
    "伦敦在哪个时区": "Europe/London",
}
DATES = {
    "On which weekday does 1 January 2030 fall?": "Tuesday",
    "which day of the week was 20 July 1969": "Sunday",
    "weekday of 2027-03-14": "Sunday",
    "1997年7月1日星期几": "星期二",
    "明年的今天是星期几": "星期二",
    "上个月五号是星期几": "2026-10-05是星期一",
    "下周三是几月几号？": "2026-11-25",
    "What date is it tomorrow in Sydney?": "2026-11-17",
    "date of the day after tomorrow?": "2026-11-18",
    "what date will it be 90 days from now": "2027-02-14",
    "in 45 days, what date will it be?": "2026-12-31",
    "90 days from today": "2027-02-14",
    "10 business days after November 20, 2026, please": "2026-12-04",
    "What is the 10th business day after 2026-12-01?": "2026-12-15",
    "What date do you get if you add 6 weeks to 2026-11-20?": "2027-01-01",
    "2026-03-01 minus 10 days": "2026-02-19",
    "三周后是哪天": "2026-12-07",
    "今天往后推45天是哪一天？": "2026-12-31",
    "11月20日之后的第5个工作日是哪天": "2026-11-27",
    "从2026年12月1日起算，15个工作日后是哪天": "2026-12-22",
    "2026年5月20日再过三个月是哪天": "2026-08-20",
    "一年前的今天是星期几": "星期日",
    "When is Thanksgiving?": "2026-11-26",
    "What day does Christmas fall on in 2027?": "2027-12-25 is a Saturday",
    "When is Chinese New Year 2027?": "2027-02-06",
    "今年中秋节是哪天": "2026-09-25",
    "what is the last Friday of this month": "2026-11-27",
    "下个月最后一个周五是几号": "2026-12-25",
    "Is 25 December 2026 a Friday?": "is a Friday",
    "明天是星期二吗": "星期二",
}
COUNTS = {
    "How many weeks are there between 2026-01-05 and 2026-11-16?": "There are 45 weeks (315 days) between",
    "How many days until Christmas?": "39 days",
    "days until christmas": "39 days",
    "hours until Christmas": "923 hours",
    "How many days have passed since 1 June 2020?": "2359 days",
    "number of days from March 1st 2026 to Nov 16 2026": "260 days",
    "How many months are there between 2024-01-15 and 2026-11-16?": "34 months and 1 day",
    "How many years ago was 20 July 1969?": "57 years",
    "How many business days are there between 2026-11-14 and 2026-11-29?": "10 business days",
    "weekdays between 2026-11-16 and 2026-11-30": "10 business days",
    "what is the difference between 2026-01-01 and 2026-03-01 in weeks": "8 weeks and 3 days",
    "how many days before Christmas is Thanksgiving": "29 days",
    "How many days is it until my deadline on 2026-12-15?": "29 days",
    "How many days are left this year?": "45 days",
    "how many days until 2027": "46 days",
    "到2027年1月25日还有几周": "10周（70天）",
    "2000年1月1日到今天过去了多少天": "9816天",
    "2008年8月8日到现在过了多少年": "18年",
    "从2026年3月3日到7月14日有多少天": "133天",
    "2026年11月28日到12月20日之间有几个工作日": "15个工作日",
    "距离 2026 年 12 月 31 日还有多少天？": "45天",
    "还有几天过年": "82天",
    "圣诞节离今天还有多少天": "39天",
    "2026年1月1日和2026年3月1日相差几天": "59天",
    "这个月还剩几天": "14天",
    "How old am I if I was born on 4 March 1990?": "36 years",
    "我是1990年5月2日出生的，今年多大了": "36年",
    "Is 2028 a leap year?": "2028 is a leap year",
    "2100年是不是闰年": "2100年不是闰年",
    "what week number is it": "week 47",
    "今天是今年的第几天": "第320天",
    "how many days are in February 2028?": "29 days",
    "2024年有多少天": "366天",
}
CLOCKS = {
    "If it is 3 pm in New York, what time is it in London?": "20:00 in London on the same day",
    "What time is it in Tokyo when it is 9 am in Berlin?": "17:00",
    "it's noon in Dubai, what does the clock say in Toronto": "03:00",
    "At 8 am in Sydney, what time is it in Berlin?": "22:00 in Berlin on the previous day",
    "convert 9am from New York to Beijing time": "22:00",
    "3pm EST in IST": "01:30 in IST (UTC+05:30) on the next day",
    "9am ET in Tokyo": "23:00",
    "3 pm Pacific in London?": "23:00",
    "My meeting is at 4 pm in Berlin, what time is that in San Francisco?": "07:00",
    "If it's 5pm here, what time is it in Tokyo?": "18:00",
    "what time is it here when it's 9am in Tokyo": "08:00",
    "tomorrow at 9am in London is what time in Tokyo": "18:00",
    "北京时间晚上八点是纽约几点？": "07:00",
    "如果伦敦是上午九点半，新加坡几点？": "17:30",
    "巴黎下午两点的时候，上海是几点": "21:00",
    "洛杉矶早上七点半开会，换成北京时间是几点": "23:30",
    "纽约上午9点开盘，北京时间是几点": "22:00",
    "把伦敦下午三点换算成北京时间": "23:00",
    "如果现在北京是晚上10点，那么旧金山是几点": "06:00",
    "what time will it be in 3 hours": "16:00",
    "what time was it 45 minutes ago": "12:15",
    "If a meeting starts at 9:15 and lasts 50 minutes, when does it end?": "10:05",
    "会议9点15开始，开50分钟，几点结束": "10:05",
    "半小时前是几点": "12:30",
    "下午三点往后推45分钟是几点": "15:45",
    "How long is it from 9:15 to 17:40?": "8 hours and 25 minutes",
    "9:15 to 17:40 in minutes": "505 minutes",
    "从晚上11点到早上7点是几个小时": "8小时",
    "how many hours until midnight": "11 hours",
    "离下午5点还有多久": "4小时",
    "time difference between Tokyo and London": "9 hours ahead",
    "北京比纽约快几个小时": "13小时",
}


@pytest.mark.parametrize(("question", "said"), [*NOW.items(), *DATES.items(), *COUNTS.items(), *CLOCKS.items()])
def test_a_question_is_answered(question: str, said: str):
    assert said in answer(question)


@pytest.mark.parametrize(
    "question",
    [
        *("How many seconds are in a day?", "How many days until?", "一天有多少秒", "三周是多少天", "what is time"),
        *("What time does the bank open in London?", "What time is the meeting in London?", "会议几点开始"),
        *("火车几点到北京", "明天几点开会", "When is my birthday?", "when did the war end", "几点睡觉好", "我没时间"),
        *("What's the weather in Paris today?", "北京今天天气怎么样？", "What happened on 20 July 1969"),
        *("How many vacation days do I have left until Christmas?", "春节放几天假", "合同2026年1月1日到期还有几天"),
        *("How many weekends between 2026-01-05 and 2026-11-16?", "2026年有多少个工作日", "今天是什么日子"),
        *("How many days between 2026-01-01 and 2026-12-31 excluding weekends?", "Is it morning in Tokyo?"),
        *("Which is later, 3pm in London or 9am in New York?", "What time is 3pm in London and Tokyo?"),
        *("I had lunch at 3 pm in London. What time is it in Tokyo?", "What time was it in Tokyo?"),
        *("The 3pm meeting in London was cancelled, what time is it in Tokyo?", "What time is 3 pm in Tokyo?"),
        *("from 9:15 to 5:40 how long", "How many days until Christmas and until New Year?", "现在几点，纽约几点"),
        *("When is Thanksgiving in Canada?", "How long is the flight to Tokyo?"),
        *("从北京到上海要几个小时", "到上海还有几个小时", "Christmas", "2026-12-25", "tomorrow", "London", "3 pm"),
        *("remind me at 3 pm", "Set an alarm for 7:30", "Thanks, have a nice day", "Who was born on 4 March 1990?"),
        *("", "🙂" * 50, "What time is it in Tokyo? " * 100, "9" * 400, "几" * 2000),
    ],
)
def test_what_says_more_or_less_is_left_to_others(question: str):
    assert read_time_question(question, TODAY) is None


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What day of the week is 31 February 2026?", "February 2026 has 28 days"),
        ("2026年2月30日是星期几", "February 2026 has 28 days"),
        ("how many days between 2026-02-31 and 2026-03-05", "February 2026 has 28 days"),
        ("What weekday is 03/04/2026?", "two ways"),
        ("What time is it in the US?", r"several time zones.*New York"),
        ("美国现在几点", "several time zones"),
        ("what time is it in London when it's 9 am CST", r"CST has several time zones"),
        ("What time is it in Tokio?", "Tokyo"),
        ("What time is it in Paris, Texas?", "No place or time zone called 'Paris, Texas'"),
        ("桃花源现在几点？", "No place or time zone"),
    ],
)
def test_what_cannot_be_answered_reaches_the_tool_that_says_why(question: str, reason: str):
    with pytest.raises((ToolFailed, Impossible), match=reason):
        answer(question)


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
