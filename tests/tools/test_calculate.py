"""Arithmetic as people write it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.errors import Impossible, Unreadable
from switchyard.tools.calculate import Calculate, CalculateParams


async def calculate(expression: str) -> dict[str, Any]:
    return await Calculate().execute(CalculateParams(expression=expression))


async def value(expression: str) -> int | float:
    """The value as a number, also where it came as digits."""
    found = (await calculate(expression))["value"]
    return int(found) if isinstance(found, str) else found


async def test_irrational_results_are_close():
    assert await value("sqrt(2)") == pytest.approx(2**0.5)
    assert await value("1.00354^360") == pytest.approx(1.00354**360)


async def test_large_whole_numbers_stay_exact():
    assert await value("1" * 400) == int("1" * 400)
    assert await value("10^400 + 1") == 10**400 + 1
    assert await value("+".join(["1"] * 900)) == 900


async def test_integers_beyond_64_bits_come_as_text():
    assert (await calculate("2^63 - 1"))["value"] == 2**63 - 1
    assert (await calculate("2^63"))["value"] == "9223372036854775808"
    assert (await calculate("25!"))["value"] == "15511210043330985984000000"


@pytest.mark.parametrize(
    "expression", ["9**9**9", "10^1200", "factorial(5000)", "9" * 1500, "1e99999", "10^900 * 10^900"]
)
async def test_what_would_be_too_long_is_refused_in_a_sentence(expression: str):
    with pytest.raises(Impossible, match="digits"):
        await calculate(expression)


@pytest.mark.parametrize("expression", ["(" * 300 + "1" + ")" * 300, "-" * 1900 + "1", "1+" * 1500 + "1"])
async def test_depth_and_length_have_an_end(expression: str):
    with pytest.raises(Unreadable, match=r"deeply|characters"):
        await calculate(expression)


@given(st.text(alphabet="0123456789.,%+-*/^()!°eπ√的平方根和 sqrtoflogmx次方²①", max_size=40) | st.text(max_size=60))
async def test_any_text_gives_a_value_or_a_tool_error(text: str):
    try:
        result = await value(text)
    except Unreadable:
        return
    assert isinstance(result, int | float)


_OPERATORS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": Fraction.__add__,
    "-": Fraction.__sub__,
    "*": Fraction.__mul__,
    "/": Fraction.__truediv__,
}
_leaves = st.integers(0, 10**6).map(lambda number: (str(number), Fraction(number))) | st.decimals(
    0, 1000, places=2, allow_nan=False
).map(lambda number: (f"{number:f}", Fraction(number)))


def _joined(children: st.SearchStrategy[tuple[str, Fraction]]) -> st.SearchStrategy[tuple[str, Fraction]]:
    def join(left: tuple[str, Fraction], sign: str, right: tuple[str, Fraction]) -> tuple[str, Fraction]:
        if sign == "/" and right[1] == 0:
            sign = "+"
        return f"({left[0]} {sign} {right[0]})", _OPERATORS[sign](left[1], right[1])

    return st.builds(join, children, st.sampled_from("+-*/"), children)


@given(st.recursive(_leaves, _joined, max_leaves=12))
async def test_it_agrees_with_fractions(pair: tuple[str, Fraction]):
    text, expected = pair
    result = await value(text)
    if expected.denominator == 1:
        assert result == expected
    else:
        assert result == pytest.approx(float(expected), rel=1e-13)


_PIECES = [
    *(
        "three",
        "hundred",
        "and",
        "a third",
        "of",
        "half",
        "15%",
        "2,480",
        "plus",
        "minus",
        "times",
        "divided by",
        "off",
    ),
    *(
        "the sum of",
        "average of",
        ",",
        "round",
        "to 2 decimal places",
        "what percent of",
        "is",
        "km",
        "in",
        "miles",
        "(",
        ")",
    ),
    *(
        "三分之一",
        "一百二十",
        "除以",
        "加",
        "的",
        "平方根",
        "、",
        "和",
        "平均数",
        "打八折",
        "百分之",
        "保留两位小数",
        "斤",
        "等于多少",
        "克",
    ),
    *("squared", "increase", "by", "less than", "增加", "倍", "-", "5!", "√"),
    *(
        "split",
        "between",
        "people",
        "each",
        "ratio",
        "2:3",
        "tip",
        "$86.50",
        "from",
        "to",
        "涨到",
        "每人",
        "一共",
        "哪个最大",
    ),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map(" ".join))
async def test_any_sentence_gives_a_value_or_a_tool_error(text: str):
    try:
        result = await calculate(text)
    except Unreadable:
        return
    assert isinstance(result["value"], int | float | str)
