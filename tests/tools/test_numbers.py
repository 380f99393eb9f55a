"""Numbers as people write and say them."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.numbers import find_numbers, read_number, written


def test_a_number_without_end_is_not_read():
    assert read_number("9" * 5000) is None


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
