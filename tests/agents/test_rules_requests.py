"""A request is read out of a sentence with everything it carries, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.agents.by_rules.requests import Request, read_request
from switchyard.language.clauses import clauses
from switchyard.language.structures import find_structures

URL = "https://api.example.com/v1/users?page=2"

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
OBJECTS = st.dictionaries(
    st.text(), st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
)


@given(OBJECTS)
@pytest.mark.parametrize("question", ["POST {} to {}", "把 {} 用 POST 方法发送到 {}"])
def test_any_object_is_read_as_it_is_written(question: str, body: dict[str, Any]) -> None:
    text = question.format(json.dumps(body), URL)
    assert read_request(text) == Request("POST", URL, body=body)
    assert [clause.text for clause in clauses(text)] == [text]


@given(st.text(alphabet="{}[]\"':, \\1a的"))
def test_what_is_no_structure_is_left_alone(text: str) -> None:
    end = 0
    for value, start, stop in find_structures(text):
        assert start >= end
        assert text[start] + text[stop - 1] in {"{}", "[]"}
        assert json.loads(json.dumps(value)) == value
        end = stop


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    for question in (text, f"POST {text} to {URL}", f"向 {URL} 发送 {text}"):
        request = read_request(question)
        assert request is None or request.url.startswith("http")
