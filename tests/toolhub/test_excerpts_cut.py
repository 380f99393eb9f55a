"""Results as short text, cut where a sentence ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.toolhub.excerpts import cut, excerpt


@pytest.mark.parametrize("text", ["short", "短", "", "x" * 50])
def test_what_fits_is_not_cut(text: str) -> None:
    assert cut(text, 50) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The water is high today. The rain goes on and on and on.", "The water is high today.…"),
        ("Is the water really high? The rain goes on and on and on.", "Is the water really high?…"),
        (
            "今天水库的水位很高，需要加强巡查和值守，随时报告情况。" + "雨一直在下" * 10,
            "今天水库的水位很高，需要加强巡查和值守，随时报告情况。…",
        ),
        (
            "今天水库的水位很高吗？需要加强巡查和值守随时报告！" + "雨一直在下" * 10,
            "今天水库的水位很高吗？需要加强巡查和值守随时报告！…",
        ),
        ("first line of the list here\nsecond line of the list here", "first line of the list here…"),
    ],
)
def test_a_text_is_cut_where_a_sentence_ends(text: str, kept: str) -> None:
    assert cut(text, 40) == kept


@pytest.mark.parametrize("text", ["Pi is 3.14159265358979 and so on and on", "水" * 60, "a" * 60])
def test_without_the_end_of_a_sentence_the_text_is_cut_at_its_length(text: str) -> None:
    assert len(cut(text, 30)) == 30


def test_a_sentence_that_ends_too_early_is_not_all_that_is_kept() -> None:
    assert len(cut("No. " + "word " * 20, 40)) > 20


@pytest.mark.parametrize(
    ("category", "length"),
    [("calculation", 100), ("time", 200), ("search", 500), ("history", 1000), ("files", 500), ("没见过", 500)],
)
def test_each_category_has_its_length(category: str, length: int) -> None:
    assert len(excerpt("水" * 3000, category)) == length


def test_a_search_shows_its_first_three_results() -> None:
    listed = list(range(9))
    assert excerpt(listed, "search") == "[0, 1, 2]"
    assert excerpt({"查": "水位", "results": listed}, "search") == '{"查": "水位", "results": [0, 1, 2]}'
    assert excerpt({"results": listed}, "files") == '{"results": [0, 1, 2, 3, 4, 5, 6, 7, 8]}'


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The dam was raised. It was built by Dr. Smith of the office in town.", "The dam was raised.…"),
        ("It rained all day. See e.g. the report of last year and the others.", "It rained all day.…"),
        ('He said "it is high." Then he left for the village below.', 'He said "it is high."…'),
        ("他说：“今天的水位很高，要小心。”然后他去了下游的村庄查看那里的情况。", "他说：“今天的水位很高，要小心。”…"),
    ],
)
def test_abbreviations_end_no_sentence_and_quotes_belong_to_theirs(text: str, kept: str) -> None:
    length = 34 if text.isascii() else 26
    assert cut(text, length) == kept


def test_data_is_shown_as_json_in_its_own_script() -> None:
    assert excerpt({"水位": 102.5}, "search") == '{"水位": 102.5}'


@pytest.mark.parametrize("end", ["。", "！", "\n", ". "])
def test_a_sentence_that_ends_at_the_very_length_leaves_room_for_the_mark(end: str) -> None:
    assert len(cut("水" * 49 + end + "水" * 20, 50)) <= 50


@given(st.text(alphabet="ab .。！?\n水", min_size=20, max_size=60), st.integers(min_value=1, max_value=30))
def test_a_cut_text_is_never_longer_than_allowed(text: str, length: int) -> None:
    assert len(cut(text, length)) <= length


@given(st.text(alphabet="ab .。！?\n水", max_size=200), st.integers(min_value=1, max_value=100))
def test_a_cut_text_begins_like_the_text(text: str, length: int) -> None:
    assert text.startswith(cut(text, length).removesuffix("…"))
