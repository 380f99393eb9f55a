"""What a page or an API says: by the words of the question, or not at all."""

from datetime import date
from typing import Any

import pytest

from switchyard.agents.by_rules.fetched import asked_of_address, query_of
from switchyard.tools.core.errors import BadArguments

TODAY = date(2026, 11, 18)
COURSES: dict[str, Any] = {
    "url": "http://a.example/courses.html",
    "title": "Courses",
    "text": "Courses\nAll courses are in the shop in Mill Lane.\nKnots on Friday is for beginners.",
}
GEAR: dict[str, Any] = {
    "url": "http://a.example/gear.html",
    "title": "Gear",
    "text": "Gear",
    "tables": [
        [
            {"Item": "Foam nozzle", "In stock": "14", "Price": "€ 48.50"},
            {"Item": "Hose", "In stock": "3", "Price": "€ 120.00"},
        ]
    ],
}
UNPRICED: dict[str, Any] = {**GEAR, "tables": [[{"Item": "Foam nozzle", "In stock": "14"}]]}
APPLES: dict[str, Any] = {
    "url": "http://a.example/list.html",
    "title": "今年的新苹果 New apples",
    "text": "List",
    "tables": [[{"名称": "红玉", "单价": "12"}, {"名称": "青香", "单价": "9"}]],
}
PEARS: dict[str, Any] = {
    **APPLES,
    "title": "New pears",
    "tables": [[{"Name": "Conference", "Price": "12"}, {"Name": "Comice", "Price": "9"}]],
}
RIVER: dict[str, Any] = {
    "gauges": [
        {"name": "Upper Mill", "level": 1.4, "trend": "rising"},
        {"name": "Lock", "level": 0.8, "trend": "falling"},
    ]
}


def sql_for(question: str, content: dict[str, Any]) -> str:
    asked = asked_of_address(question, TODAY)
    assert asked is not None
    return str(query_of(asked[1], content, asked[0], TODAY, "en")["sql"])


@pytest.mark.parametrize(
    ("question", "content", "shown"),
    [
        ("how much is the foam nozzle on http://a.example/gear.html", GEAR, '"Item", "Price"'),
        ("泡沫喷嘴多少钱？ http://a.example/gear.html", GEAR, '"Item", "Price"'),
        ("What does a hose cost on http://a.example/gear.html and how many are in stock?", GEAR, '"In stock", "Price"'),
        ("which gauge is rising in http://a.example/river.json and what's the level", RIVER, '"name", "level"'),
        ("http://a.example/list.html 里最贵的苹果是哪个？", APPLES, "ORDER BY 1 DESC LIMIT 1"),
        ("which is the cheapest pear on http://a.example/list.html", PEARS, "ORDER BY 1 ASC LIMIT 1"),
        ("on which day is Knots? http://a.example/courses.html", COURSES, "Knots on Friday"),
    ],
)
def test_the_columns_that_are_asked_for_are_shown(question: str, content: dict[str, Any], shown: str) -> None:
    assert shown in sql_for(question, content)


@pytest.mark.parametrize(
    ("question", "content", "reason"),
    [
        ("http://a.example/list.html 里最甜的苹果是哪个？", APPLES, "No single line"),
        ("is any course fully booked? http://a.example/courses.html", COURSES, "No single line"),
        ("is Knots on Friday cancelled? http://a.example/courses.html", COURSES, "nothing is said there of cancelled"),
        ("how much is the foam nozzle on http://a.example/gear.html", UNPRICED, "No single line"),
    ],
)
def test_what_a_page_does_not_say_is_no_answer(question: str, content: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadArguments, match=reason):
        sql_for(question, content)
