"""Arithmetic found in a clause: all of it or none of it, and always something that `calculate` computes."""

import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.arithmetic import find_arithmetic, find_change
from switchyard.language.errors import Impossible, Misread
from switchyard.tools.calculate import Calculate, CalculateParams

REFERENCE = "{{s1.value}}"


async def calculate(expression: str) -> dict[str, Any]:
    return await Calculate().execute(CalculateParams(expression=expression))


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
    ["1, " * 600, "加" * 1900 + "1", "rent 5 food 6 " * 60 + "total", "5 x y z, " * 150],
)
def test_a_long_text_that_is_no_arithmetic_as_a_whole_gives_none(text: str) -> None:
    assert find_arithmetic(text) is None
    assert find_change(text, REFERENCE) is None
