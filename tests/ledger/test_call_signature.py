"""Two calls that mean the same are known to be the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from switchyard.ledger.attempts import call_signature


def of(**arguments: Any) -> str:
    return call_signature("read_file", None, arguments)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}),
        ({"a": " 文件 "}, {"a": "文件"}),
        ({"a": ["x "]}, {"a": ["x"]}),
        ({"a": "é"}, {"a": "e\u0301"}),
        ({"a": "x", "explanation": "because"}, {"a": "x", "explanation": "因为"}),
        ({"a": "x", "explanation": "because"}, {"a": "x"}),
        ({"a": None}, {}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": [1]}, {"a": [1.0]}),
        ({"a": "水\u200b位"}, {"a": "水位"}),
        ({"a": "\ufeffx\u2060"}, {"a": "x"}),
        ({"a": {1, 2}}, {"a": {2, 1}}),
        ({"a": SecretStr("甲")}, {"a": SecretStr("甲")}),
    ],
)
def test_calls_that_mean_the_same_have_one_signature(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert of(**left) == of(**right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 1}),
        ({"a": 1.5}, {"a": 1}),
        ({"a": "1"}, {"a": 1}),
        ({"a": "水位"}, {"a": "雨量"}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": False}, {}),
        ({"a": SecretStr("甲")}, {"a": SecretStr("乙")}),
        ({"a": "a b"}, {"a": "ab"}),
    ],
)
def test_calls_that_differ_have_two(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert of(**left) != of(**right)


def test_the_action_that_is_the_tool_itself_may_be_left_out() -> None:
    assert call_signature("git", "git", {}) == call_signature("git", None, {})


def test_another_action_is_another_call() -> None:
    assert call_signature("git", "status", {}) != call_signature("git", "log", {})


def test_another_tool_is_another_call() -> None:
    assert call_signature("read", None, {"a": 1}) != call_signature("open", None, {"a": 1})


def test_half_a_character_has_a_signature_too() -> None:
    assert of(a="\ud800") != of(a="x")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.text(max_size=8), _JSON, max_size=4))
def test_a_signature_does_not_depend_on_the_order_of_arguments(arguments: dict[str, Any]) -> None:
    backwards = dict(reversed(list(arguments.items())))
    assert call_signature("t", None, arguments) == call_signature("t", None, backwards)
