"""Arguments that point into earlier results."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.ledger.references import Reference, as_text, bind, follow, references
from switchyard.tools.core.errors import BadArguments

RESULTS: dict[str, Any] = {
    "s1": {"value": 2187, "name": "盘石头水库", "rows": [{"path": "a.md", "n": 1}, {"path": "b.md", "n": 2}]},
    "list": [10, 20],
    "查_水位": {"水位": 102.5},
    "item": {"path": "c.md"},
    "sum": {"columns": ["数量合计"], "rows": [{"数量合计": 175}], "count": 1, "total": 1},
}


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("{{s1.value}}", 2187),
        (" {{ s1.value }} ", 2187),
        ("{{s1.rows}}", RESULTS["s1"]["rows"]),
        ("{{s1.rows[0]}}", {"path": "a.md", "n": 1}),
        ("{{s1.rows[1].n}}", 2),
        ("{{s1.rows[*].path}}", ["a.md", "b.md"]),
        ("{{list[*]}}", [10, 20]),
        ("{{sum#number}}", 175),
        ("{{list}}", [10, 20]),
        ("{{查_水位.水位}}", 102.5),
        ("{{item.path}}", "c.md"),
    ],
)
def test_a_whole_reference_becomes_the_value_with_its_type(argument: str, value: object) -> None:
    assert bind(argument, RESULTS) == value


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("{{s1.value}} + 14%", "2187 + 14%"),
        ("水位：{{查_水位.水位}}米", "水位：102.5米"),
        ("{{s1.name}}和{{item.path}}", "盘石头水库和c.md"),
        ("all of {{s1.rows[*].path}}", 'all of ["a.md", "b.md"]'),
    ],
)
def test_a_reference_inside_text_becomes_text(argument: str, text: str) -> None:
    assert bind(argument, RESULTS) == text


@pytest.mark.parametrize(
    "text", ["{{name}}", "Dear {{customer}}, hello", "你好，{{姓名}}", "{{ }}", "{s1.value}", "{{"]
)
def test_what_names_no_step_stays_as_it_is(text: str) -> None:
    assert bind(text, RESULTS) == text


def test_references_are_bound_inside_nested_arguments() -> None:
    assert bind({"a": [{"b": "{{s1.value}}"}], "c": 1}, RESULTS) == {"a": [{"b": 2187}], "c": 1}


@pytest.mark.parametrize("argument", ["{{evil}}", "say {{evil}}"])
def test_a_bound_value_is_not_read_again(argument: str) -> None:
    assert "{{s1.value}}" in bind(argument, {**RESULTS, "evil": "{{s1.value}}"})


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("{{s1.valeu}}", "no field 'valeu'; there are value, name, rows"),
        ("{{查_水位.雨量}}", "no field '雨量'; there are 水位"),
        ("{{s1.value.deeper}}", "looked for in a whole number, which has no fields"),
        ("{{list[2]}}", "there are only 2 items"),
        ("{{s1[0]}}", "looked for in an object, which is no list"),
        ("{{s1.value[*]}}", "there is no list before"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_there_is(argument: str, said: str) -> None:
    with pytest.raises(BadArguments, match=said):
        bind(argument, RESULTS)


@pytest.mark.parametrize("path", [".rows", "rows"])
def test_a_path_is_followed_with_or_without_its_first_dot(path: str) -> None:
    assert follow(RESULTS["s1"], path) == RESULTS["s1"]["rows"]


def test_every_reference_of_an_argument_is_found() -> None:
    argument = {"a": "{{s1.value}} {{name}}", "b": ["{{list[0]}}", {"c": "{{item}}"}]}
    assert list(references(argument, ["s1", "list"])) == [
        Reference("s1", ".value"),
        Reference("list", "[0]"),
        Reference("item"),
    ]


def test_a_reference_is_written_as_it_is_read() -> None:
    assert bind(str(Reference("s1", ".rows[0].n")), RESULTS) == 1


def test_text_inside_text_has_no_quotes() -> None:
    assert as_text("水") == "水"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(_JSON)
def test_without_results_every_argument_stays_as_it_is(argument: object) -> None:
    assert bind(argument, {}) == argument


@given(_JSON)
def test_a_reference_to_a_whole_result_gives_that_result(result: object) -> None:
    assert bind("{{s1}}", {"s1": result}) == result


@given(st.text(alphabet="{}s1.[]*0 值", max_size=20))
def test_any_text_binds_or_is_a_bad_argument(text: str) -> None:
    with suppress(BadArguments):
        bind(text, {"s1": {"值": [1]}})
