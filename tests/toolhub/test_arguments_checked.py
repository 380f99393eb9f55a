"""Bad arguments get an error a model and a person can act on."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, model_validator

from switchyard.toolhub.calling.arguments import adapted, as_object, checked
from switchyard.tools.core import BaseToolParams
from switchyard.tools.core.errors import BadArguments


class Filter(BaseToolParams):
    column: str


class Params(BaseToolParams):
    path: str
    start_line: int = Field(default=1, ge=1)
    region: Literal["Asia", "Europe"] = "Asia"
    filters: list[Filter] = Field(default_factory=list[Filter])


class Pair(BaseToolParams):
    start: int = 0
    end: int = 1

    @model_validator(mode="after")
    def _in_order(self) -> "Pair":
        if self.end < self.start:
            raise ValueError("end lies before start")
        return self


def complaint(arguments: Any, model: type[BaseToolParams] = Params) -> str:
    with pytest.raises(BadArguments) as raised:
        checked(model, "read_file", arguments)
    return str(raised.value)


def test_good_arguments_become_the_model() -> None:
    assert checked(Params, "read_file", {"path": "文件.md", "start_line": 3}) == Params(path="文件.md", start_line=3)


def test_a_missing_field_is_named() -> None:
    assert "'path' is required" in complaint({})


@pytest.mark.parametrize(("wrong", "meant"), [("file_path", "path"), ("startline", "start_line"), ("Region", "region")])
def test_an_unknown_field_is_named_with_the_nearest_one(wrong: str, meant: str) -> None:
    assert f"'{wrong}' is not a field, did you mean '{meant}'? Fields:" in complaint({"path": "a", wrong: 1})


@pytest.mark.parametrize("wrong", ["zzz", "文件"])
def test_an_unknown_field_like_no_other_gets_no_guess(wrong: str) -> None:
    assert "did you mean" not in complaint({"path": "a", wrong: 1})


def test_every_field_there_is_is_listed() -> None:
    assert complaint({}).endswith("Fields: path, start_line, region, filters.")


@pytest.mark.parametrize(
    ("value", "came"),
    [("three", 'got "three"'), ("第三行", 'got "第三行"'), ([1], "got [1]"), (None, "got null"), (0, "got 0")],
)
def test_a_wrong_value_says_what_came(value: object, came: str) -> None:
    assert came in complaint({"path": "a", "start_line": value})


def test_a_wrong_value_says_what_was_expected() -> None:
    assert "'start_line': input should be a valid integer" in complaint({"path": "a", "start_line": "three"})


def test_expected_values_are_written_as_they_must_be_given() -> None:
    assert "'Asia' or 'Europe'" in complaint({"path": "a", "region": "asia"})


def test_a_field_inside_a_list_is_named_with_its_place() -> None:
    assert "'filters.0.column' is required" in complaint({"path": "a", "filters": [{}]})


def test_a_long_value_is_cut() -> None:
    assert len(complaint({"path": "a", "start_line": "x" * 5000})) < 300


def test_arguments_that_contradict_each_other_are_told_in_the_tools_words() -> None:
    said = complaint({"start": 5, "end": 1}, Pair)
    assert "end lies before start" in said
    assert "''" not in said


def test_every_mistake_is_told_at_once() -> None:
    said = complaint({"start_line": "x", "pth": "a"})
    assert "'path' is required" in said
    assert "'start_line'" in said
    assert "'pth'" in said


def test_the_tool_is_named() -> None:
    assert complaint({}).startswith("read_file: ")


@pytest.mark.parametrize("text", ['{"path": "a"}', ' {"path": "a"}\n'])
def test_a_json_string_where_an_object_was_meant_is_accepted(text: str) -> None:
    assert checked(Params, "read_file", text) == Params(path="a")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a"], "a list"),
        ('["a"]', "a list"),
        (3, "a whole number"),
        ("3", "a whole number"),
        ('"路径"', "text"),
        (2.5, "a number"),
        (True, "true or false"),
    ],
)
def test_what_has_no_named_fields_is_refused(arguments: object, said: str) -> None:
    assert f"must be an object with named fields, not {said}." in complaint(arguments)


@pytest.mark.parametrize("text", ["path: a", "路径", "{"])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    assert "the text is not JSON" in complaint(text)


@pytest.mark.parametrize("nothing", [None, "null", {}, "{}"])
def test_nothing_is_an_empty_object(nothing: object) -> None:
    assert as_object(nothing) == {}


@given(st.text(max_size=60))
def test_any_text_is_an_object_or_a_bad_argument(text: str) -> None:
    try:
        found = as_object(text)
    except BadArguments:
        return
    assert isinstance(found, dict)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["path", "start_line", "region", "filters", "x"]), _JSON))
def test_any_arguments_are_accepted_or_a_bad_argument(arguments: dict[str, Any]) -> None:
    try:
        found = checked(Params, "read_file", arguments)
    except BadArguments as error:
        found = error
    assert isinstance(found, Params | BadArguments)


class Parts(BaseToolParams):
    headers: dict[str, str] | None = None
    rows: list[int] = Field(default_factory=list[int])
    filter: Filter | None = None


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"headers": '{"语言": "zh"}'}, Parts(headers={"语言": "zh"})),
        ({"rows": "[1, 2]"}, Parts(rows=[1, 2])),
        ({"filter": '{"column": "水位"}'}, Parts(filter=Filter(column="水位"))),
        ({"rows": "[1]", "headers": "{}"}, Parts(rows=[1], headers={})),
    ],
)
def test_a_field_may_be_json_text_where_an_object_or_a_list_is_meant(given: dict[str, Any], meant: Parts) -> None:
    assert checked(Parts, "a", given) == meant


@pytest.mark.parametrize("text", ["[1", "{}", "三", '"[1]"', "[" * 100_000])
def test_text_that_is_something_else_is_told_as_it_came(text: str) -> None:
    said = complaint({"rows": text}, Parts)
    assert "'rows': input should be a valid list, got" in said
    assert "column" not in said


def test_json_text_with_a_mistake_inside_is_told_by_its_field() -> None:
    assert "'rows.0': input should be a valid integer" in complaint({"rows": '["三"]'}, Parts)


def test_arguments_nested_beyond_reason_are_refused() -> None:
    with pytest.raises(BadArguments, match="not JSON"):
        as_object("[" * 100_000)


OTHER = {"type": "object", "properties": {"q": {}, "n": {"default": 5}}, "required": ["q"]}
FIRST = {"properties": {"q": {}, "lang": {"default": "zh"}}}


@pytest.mark.parametrize(
    ("arguments", "fitting"),
    [
        ({"q": "水"}, {"q": "水"}),
        ({"q": "水", "n": 3, "explanation": "因为"}, {"q": "水", "n": 3}),
        ({"q": "水", "lang": "zh", "site": None}, {"q": "水"}),
        ({"q": "水", "lang": "en"}, None),
        ({"query": "水"}, None),
        ({"n": 3}, None),
    ],
)
def test_arguments_fit_another_tool_only_as_they_are(arguments: dict[str, Any], fitting: dict[str, Any] | None) -> None:
    assert adapted(arguments, OTHER, FIRST) == fitting


def test_a_tool_without_parameters_takes_no_arguments() -> None:
    assert adapted({}, {}) == {}
    assert adapted({"q": 1}, {"type": "object"}) is None


class Login(BaseToolParams):
    password: int
    headers: dict[str, int] = Field(default_factory=dict[str, int])
    note: int = 0


@pytest.mark.parametrize(
    ("arguments", "secret"),
    [
        ({"password": "p-123456"}, "p-123456"),
        ({"password": 1, "headers": {"Authorization": "Basic b-1234"}}, "b-1234"),
        ({"password": 1, "note": "密钥 sk-abcdefgh1234"}, "sk-abcdefgh1234"),
    ],
)
def test_a_wrong_value_that_is_secret_is_not_repeated(arguments: dict[str, Any], secret: str) -> None:
    said = complaint(arguments, Login)
    assert secret not in said
    assert "***" in said
