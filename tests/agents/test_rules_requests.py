"""A request is read out of a sentence with everything it carries, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.agents.by_rules.requests import Request, asks_for_request, read_request
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


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        (f"GET {URL}.", Request("GET", URL)),
        (f"GET “{URL}”", Request("GET", URL)),
        (f"send a head request to {URL}", Request("HEAD", URL)),
        ("GET http://[::1]:8000/a", Request("GET", "http://[::1]:8000/a")),
        (
            f"PUT 'x' to {URL} with header Authorization: Bearer abc.def",
            Request("PUT", URL, headers={"Authorization": "Bearer abc.def"}, body="x"),
        ),
        (f"Delete {URL} through the API", Request("DELETE", URL)),
        (f"通过接口删除 {URL}", Request("DELETE", URL)),
        (f"向{URL}发送PATCH请求，正文是“好”", Request("PATCH", URL, body="好")),
    ],
)
def test_the_parts_of_a_request_are_told_apart(text: str, request_: Request) -> None:
    assert read_request(text) == request_


@pytest.mark.parametrize(
    "text",
    [
        f"Get the headlines of {URL}",
        f"What is on {URL}?",
        f"{URL} 上有什么？",
        f"Find 'POST' on {URL}",
        "Send a POST request",
        "POST the letter",
        "发一个 POST 请求",
    ],
)
def test_other_questions_are_no_requests(text: str) -> None:
    assert not asks_for_request(text)
    assert read_request(text) is None
