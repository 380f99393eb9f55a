"""Numbers as people write and say them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.numbers import find_numbers, read_number, written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2,480", "2480"),
        ("２４８０", "2480"),
        (".5", "0.5"),
        ("1e-3", "0.001"),
        ("-5", "-5"),
        ("15%", "0.15"),
        ("3/4", "0.75"),
        ("three hundred and five", "305"),
        ("One Million Two Hundred Thousand", "1200000"),
        ("twenty-one", "21"),
        ("nineteen hundred", "1900"),
        ("a hundred", "100"),
        ("zero", "0"),
        ("minus five", "-5"),
        ("negative five", "-5"),
        ("three point one four", "3.14"),
        ("three point five million", "3500000"),
        ("2.5 million", "2500000"),
        ("half", "1/2"),
        ("a third", "1/3"),
        ("two-thirds", "2/3"),
        ("two and a half", "2.5"),
        ("three and two thirds", "11/3"),
        ("a dozen", "12"),
        ("half a dozen", "6"),
        ("3 dozen", "36"),
        ("three and a half million", "3500000"),
        ("2 and a half dozen", "30"),
        ("fifteen percent", "0.15"),
        ("3.5万", "35000"),
        ("2亿", "200000000"),
        ("1亿2000万", "120000000"),
        ("3万5千", "35000"),
        ("一万两千三百", "12300"),
        ("一万二", "12000"),
        ("一万零二", "10002"),
        ("三百五", "350"),
        ("十五", "15"),
        ("二〇二六", "2026"),
        ("三点一四", "3.14"),
        ("三点五万", "35000"),
        ("负五", "-5"),
        ("一半", "1/2"),
        ("一个半", "1.5"),
        ("三分之一", "1/3"),
        ("三又二分之一", "3.5"),
        ("三百分之一", "1/300"),
        ("千分之五", "0.005"),
        ("百分之十五", "0.15"),
        ("两", "2"),
    ],
)
def test_a_number_is_read(text: str, value: str):
    assert read_number(text) == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "hello",
            "你好",
            "一共",
            "一下",
            "第一",
            "一些",
            "星期一",
            "周三",
            "万一",
            "唯一",
            "千万",
            "十分",
            "四舍五入",
        ),
        *("one of", "no one", "the one", "a", "a third party", "twenty first", "second", "hundred", "v2", "1.2.3"),
        *("三四", "两三", "三四十", "五千三万", "三百五百", "一百零", "9" * 5000, "1e99999", "five three", "3/0"),
    ],
)
def test_what_is_no_number_for_certain_is_not_read(text: str):
    assert read_number(text) is None


@pytest.mark.parametrize(
    "text",
    ["一共", "算一下", "第一行", "一些文件", "星期一", "one of them", "no one knows", "this one", "万一", "用v2吧"],
)
def test_words_that_look_like_numbers_are_left_alone(text: str):
    assert find_numbers(text) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("between 3 and 5.5", ["3", "5.5"]),
        ("read the first twenty lines of file 2", ["20", "2"]),
        ("一共三斤二两", ["3", "2"]),
        ("两周三天", ["2", "3"]),
        ("第一章有十二页", ["12"]),
        ("raise 80 by 25%", ["80", "0.25"]),
        ("five千克和5千克", ["5", "5"]),
        ("two hundred and three hundred", ["200", "300"]),
        ("from -4 to 5-3", ["-4", "5", "3"]),
    ],
)
def test_numbers_are_found_in_a_sentence(text: str, values: list[str]):
    assert [number.value for number in find_numbers(text)] == [Fraction(value) for value in values]


def test_a_found_number_says_where_it_stands():
    text = "给我百分之十五的折扣"
    ((value, start, end),) = find_numbers(text)
    assert (value, text[start:end]) == (Fraction(3, 20), "百分之十五")


_HAN = "零一二三四五六七八九"
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def chinese(number: int) -> str:
    """The numeral as it is taught."""
    if number < 10:
        return _HAN[number]
    for place, name in ((10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if number >= place:
            head, tail = divmod(number, place)
            gap = "零" if tail and tail < place // 10 else ""
            return chinese(head) + name + gap + (chinese(tail) if tail else "")
    raise AssertionError


def english(number: int) -> str:
    ones = _ONES.split()
    if number < 20:
        return ones[number]
    if number < 100:
        tail = f"-{ones[number % 10]}" if number % 10 else ""
        return _TENS.split()[number // 10 - 2] + tail
    for place, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= place:
            head, tail = divmod(number, place)
            joint = " and " if tail < 100 else " "
            return f"{english(head)} {name}" + (joint + english(tail) if tail else "")
    raise AssertionError


@given(st.integers(0, 10**12 - 1) | st.integers(0, 10**5))
def test_chinese_numerals_come_back(number: int):
    assert read_number(chinese(number)) == number


@given(st.integers(0, 10**12 - 1) | st.integers(0, 10**5))
def test_english_numerals_come_back(number: int):
    assert read_number(english(number)) == number


@given(st.fractions(max_denominator=1000))
def test_what_is_written_is_read_again(value: Fraction):
    assert read_number(written(value)) == value


@given(
    st.text(alphabet="一二两三十百千万亿零点分之半负第个0123456789.,%e- /⁄andhlfoethirdspc", max_size=40) | st.text()
)
def test_any_text_is_searched_without_an_error(text: str):
    ends = [0]
    for value, start, end in find_numbers(text):
        assert isinstance(value, Fraction)
        assert ends[-1] <= start < end <= len(text)
        ends.append(end)
    read_number(text)
