"""Results before a model: the space is shared, the cut is said, the marks of data hold."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.toolhub.excerpts import as_data, head_and_tail, shown_results

NOTE = 120
"""More characters than the word about a cut takes, with the marks of data."""


@pytest.mark.parametrize("letter", ["x", "水"])
def test_what_fits_is_shown_whole(letter: str) -> None:
    results = {"s1": letter * 400, "s2": {"值": 7}}
    assert shown_results(results, 1000) == {
        "s1": f"<data>{letter * 400}</data>",
        "s2": '<data>{"值": 7}</data>',
    }


@pytest.mark.parametrize("letter", ["x", "水"])
def test_of_a_long_text_beginning_and_end_are_kept_and_the_cut_is_said(letter: str) -> None:
    text = f"头first{letter * 3000}last尾"
    shown = shown_results({"s1": text}, 1000, referable=True)["s1"]
    assert shown.startswith("<data>头first")
    assert shown.endswith("last尾</data>")
    assert "…[2,011 of 3,011 characters left out; {{s1}} is the whole]…" in shown


def test_where_nothing_can_be_referred_to_no_reference_is_named() -> None:
    assert "{{" not in shown_results({"s1": "水" * 3000}, 1000)["s1"]


@pytest.mark.parametrize("letter", ["x", "水"])
def test_texts_inside_a_result_are_cut_before_its_fields_are(letter: str) -> None:
    rows: list[dict[str, Any]] = [
        {"path": f"{name}.txt", "text": letter * 2000, "words": name} for name in range(7, 10)
    ]
    shown = shown_results({"s2": rows}, 1500, referable=True)["s2"]
    assert [f'"words": {name}' in shown for name in range(7, 10)] == [True, True, True]
    assert "{{s2[1].text}} is the whole" in shown
    seen = json.loads(shown.removeprefix("<data>").removesuffix("</data>"))
    assert [row["path"] for row in seen] == ["7.txt", "8.txt", "9.txt"]


def test_what_the_task_depends_on_gets_most_and_what_is_short_leaves_room() -> None:
    results = {"s1": "a" * 9000, "s2": "乙" * 9000, "s3": "c" * 10}
    shown = shown_results(results, 1010, needed={"s2"})
    assert [shown["s1"].count("aaaa") * 4, shown["s2"].count("乙"), shown["s3"]] == [
        200,
        800,
        "<data>cccccccccc</data>",
    ]


@given(st.dictionaries(st.sampled_from(["s1", "s2", "s3", "s4"]), st.text(max_size=300)), st.integers(0, 600))
def test_the_space_is_kept_whatever_there_is(results: dict[str, str], total: int) -> None:
    shown = shown_results(results, total, needed=["s1"])
    assert shown.keys() == results.keys()
    assert sum(len(text) - NOTE for text in shown.values()) <= total


@given(st.text(alphabet="<>/ dataDATA\n水", max_size=60))
def test_no_text_ends_the_marks_around_it(text: str) -> None:
    shown = as_data(text)
    inside = shown.removeprefix("<data>").removesuffix("</data>").lower()
    assert "<data" not in inside.replace(" ", "")
    assert "</data" not in inside.replace(" ", "")


def test_a_text_that_fits_is_left_as_it_is() -> None:
    assert head_and_tail("短", 1) == "短"
