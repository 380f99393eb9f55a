"""Arithmetic found in a clause: all of it or none of it, and always something that `calculate` computes."""

import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.agents.by_rules.expressions import find_arithmetic, find_change
from switchyard.language.errors import Impossible, Misread
from switchyard.tools.calculate import Calculate, CalculateParams

REFERENCE = "{{s1.value}}"


async def calculate(expression: str) -> dict[str, Any]:
    return await Calculate().execute(CalculateParams(expression=expression))


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("What is 15% of 2480", "15% of 2480"),
        ("2480的15%是多少", "2480的15%"),
        ("how much is 3 plus 4 times 2", "3 plus 4 times 2"),
        ("3加4乘以2等于多少", "3加4乘以2"),
        ("the square root of 16", "square root of 16"),
        ("16的平方根", "16的平方根"),
        ("(2+3)*4", "(2+3)*4"),
        ("max(3, 9)", "max(3, 9)"),
        ("I need the median of 14, 3, 27, 9 and 11.", "median of 14, 3, 27, 9 and 11"),
        ("3、5和10的平均值", "3、5和10的平均值"),
        ("Split 1,260 evenly between 8 people", "Split 1,260 evenly between 8 people"),
        ("3斤苹果是多少克", "3斤苹果是多少克"),
        ("3.5万是多少", "3.5万是多少"),
        ("what is 1/0", "1/0"),
    ],
)
def test_arithmetic_is_found_without_the_words_that_ask(text: str, expression: str) -> None:
    assert find_arithmetic(text) == expression


@pytest.mark.parametrize(
    "text",
    [
        *("", "hello", "你好", "call 555", "第3行", "2026-01-02", "at 10:30", "between 2026-01-02 and 2026-02-03"),
        *(
            "read a-b.md",
            "42",
            "what is 911",
            "2026",
            "三",
            "15%",
            "5 km",
            "订单 20261103-0042 发货了吗",
            "phone 555-0188",
        ),
        *(
            "How many days until Christmas?",
            "page 3 of 5",
            "top 10% of customers",
            "Set the volume to 60",
            "把音量调到 60",
        ),
        *("Who won the 1998 World Cup?", "贷款 50 万，30 年，年利率 3.1%，月供是多少？", "身份证 12345 的公积金有多少"),
        *(
            "increase the volume by 10%",
            "lower the temperature by 2 degrees",
            "split the file into 3 parts",
            "rows 10-20",
        ),
        *("convert 100 dollars to euros", "100 美元等于多少欧元？", "Convert 50", "What is 15% of?", "把100美元换一下"),
        *("what time is it in 3 hours", "remind me in 20 minutes", "明天下午3点到5点开会", "3 days ago", "大约3天后"),
        *(
            "find files larger than 5 MB",
            "python 3.12 vs 3.11",
            "the best 3 of 5 games",
            "两三天",
            "三分钟热度",
            "百分之百纯棉",
        ),
    ],
)
def test_what_only_contains_numbers_is_no_arithmetic(text: str) -> None:
    assert find_arithmetic(text) is None


@pytest.mark.parametrize(
    "text",
    [
        *("15% of 2480 and 10% of 300", "2480的15%和300的10%", "3 and 4 plus 5", "3或4+5"),
        *("give me 12% of 950 and also 7 squared", "convert 190 cm to inches and 75 kg to pounds"),
    ],
)
def test_one_of_several_is_not_answered_as_if_it_were_all(text: str) -> None:
    assert find_arithmetic(text) is None


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("add 14% to it", "{{s1.value}} + 14%"),
        ("add 14%", "{{s1.value}} + 14%"),
        ("subtract 5", "{{s1.value}} - 5"),
        ("multiply the result by 2", "{{s1.value}} * 2"),
        ("and multiply by 250", "{{s1.value}} * 250"),
        ("Divide that by 4.", "{{s1.value}} / 4"),
        ("times 3", "{{s1.value}} * 3"),
        ("now take the square root of it", "square root of {{s1.value}}"),
        ("take 15% of that", "15% of {{s1.value}}"),
        ("take 10% off", "10% off {{s1.value}}"),
        ("with 20% off", "{{s1.value}} - 20%"),
        ("increase it by 10%", "increase {{s1.value}} by 10%"),
        ("double it", "double {{s1.value}}"),
        ("half of that", "half of {{s1.value}}"),
        ("round it", "round {{s1.value}}"),
        ("round it to 2 decimals", "round {{s1.value}} to 2 decimals"),
        ("split it between 4 people", "{{s1.value}} / 4"),
        ("what percentage of 500 is that", "{{s1.value}} / 500 as a percentage"),
        ("how many miles is that", "{{s1.value}} in mi"),
        ("and in miles?", "{{s1.value}} in mi"),
        ("加上14%", "{{s1.value}} + 14%"),
        ("把结果加上 14%", "{{s1.value}} + 14%"),
        ("再减去 88", "{{s1.value}} - 88"),
        ("再把这个数乘以 2", "{{s1.value}} * 2"),
        ("除以4", "{{s1.value}} / 4"),
        ("它的平方根是多少", "{{s1.value}}的平方根"),
        ("打八折", "{{s1.value}}打八折"),
        ("再四舍五入保留一位小数", "{{s1.value}}四舍五入保留一位小数"),
        ("平分给 4 个人", "{{s1.value}} / 4"),
        ("换成斤呢", "{{s1.value}} in 斤"),
        ("把它换成英里", "{{s1.value}} in mi"),
    ],
)
async def test_what_is_done_to_an_earlier_number_refers_to_it(text: str, change: str) -> None:
    assert find_change(text, REFERENCE) == change
    if " in " not in change:
        await calculate(change.replace(REFERENCE, "4"))


@pytest.mark.parametrize(
    ("text", "reference", "change", "sentence"),
    [
        ("how many miles is that", "27.4 km", "27.4 km in mi", "27.4 km ≈ 17.03 mi"),
        ("add 300 m", "27.4 km", "27.4 km + 300 m", "27.4 km + 300 m = 27.7 km"),
        ("再加 5", "27.4 km", "27.4 + 5", "27.4 + 5 = 32.4"),
        ("换成斤呢", "5 kg", "5 kg in 斤", "5 千克 = 10 斤"),
        ("add 10%", "17.3 $", "17.3 $ + 10%", "17.3 $ + 10% = $19.03"),
        ("times 3", "15 %", "15 * 3", "15 × 3 = 45"),
        ("in fahrenheit", "22.5 °C", "22.5 °C in °F", "22.5 °C = 72.5 °F"),
    ],
)
async def test_an_earlier_number_keeps_its_unit(text: str, reference: str, change: str, sentence: str) -> None:
    assert find_change(text, reference) == change
    assert (await calculate(change))["sentence"] == sentence


@pytest.mark.parametrize(
    "text",
    [
        *(
            "它是多少",
            "what is it",
            "list docs",
            "read it",
            "Turn it off",
            "send it to 5 people",
            "double room in Prague",
        ),
        *(
            "and in Oslo?",
            "那上海呢",
            "how many words",
            "tell me the time in Oslo",
            "把音量调到 25",
            "and what's the weather in Porto",
        ),
        *("add the two numbers", "create a task due 2026-11-19", "再读一下其中的第一个", "turn that into a PDF"),
    ],
)
def test_what_changes_no_number_is_no_change(text: str) -> None:
    assert find_change(text, REFERENCE) is None


def test_a_number_without_a_unit_is_not_converted() -> None:
    assert find_change("in miles", "11.02") is None
    assert find_change("换成斤呢", "11.02") is None


_PIECES = [
    *(
        "15%",
        "2,480",
        "three",
        "of",
        "plus",
        "times",
        "the sum of",
        ",",
        "and",
        "what is",
        "how much is",
        "tip on",
        "split",
        "km",
    ),
    *(
        "between",
        "people",
        "in miles",
        "is what percent of",
        "from",
        "to",
        "rounded",
        "三分之一",
        "加",
        "的",
        "平方根",
        "、",
        "和",
    ),
    *(
        "平均数",
        "打八折",
        "是多少",
        "百分之几",
        "一共",
        "斤",
        "等于多少克",
        "请问",
        "it",
        "2026-11-16",
        "order",
        "第",
        "订单",
    ),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=10).map(" ".join) | st.text(max_size=60))
async def test_what_is_found_is_computed(text: str) -> None:
    """There is one reader: the calculator never asks for another form of what it was handed."""
    found = find_arithmetic(text)
    if found is None:
        return
    assert find_arithmetic(found) == found
    with suppress(Impossible):  # arithmetic without a value: 1/0
        try:
            await calculate(found)
        except Misread as error:
            # units that do not go together are said to be so
            if not re.search("measures|can mean", str(error)):
                raise


@pytest.mark.parametrize(
    "text",
    ["1, " * 600, "加" * 1900 + "1", "rent 5 food 6 " * 60 + "total", "5 x y z, " * 150, "what is " * 200 + "5+5"],
)
def test_a_long_text_that_is_no_arithmetic_as_a_whole_gives_none(text: str) -> None:
    assert find_arithmetic(text) is None
    assert find_change(text, REFERENCE) is None
