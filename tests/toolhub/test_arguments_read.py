"""What came as text is read alike for tools of every source; what an ordinary server leaves open is left open."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool

from switchyard.toolhub.calling.arguments import read_arguments, required_fields, safe_validator
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.sources.langchain import from_langchain
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.toolhub.sources.native import function_tool
from switchyard.tools.core import FunctionToolSpec, ToolResult
from tests.support.hub_tools import CONTEXT
from tests.support.mcp_bench import PATIENT, SERVERS, call, nothing_left
from tests.support.mcp_servers.shapes import SCHEMAS, Where

pytestmark = pytest.mark.asyncio(loop_scope="module")

Call = Callable[[dict[str, Any]], Awaitable[ToolResult]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def source(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[McpSource]:
    entry = {"command": "${PYTHON}", "args": [str(SERVERS / "shapes.py")]}
    folder, root = tmp_path_factory.mktemp("cache"), str(Path(__file__).parents[2])
    async with (
        nothing_left(),
        McpSource({"s": {**entry, "cwd": root}}, cache_dir=folder, environment=os.environ, patience=PATIENT) as opened,
    ):
        yield opened


def read(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    return read_arguments(schema, safe_validator(schema), arguments)[0]


def nested(
    *,
    where: Where,
    other: Where | None = None,
    limit: int | None = None,
    exact: bool = False,
    ratio: float = 1.0,
    text: str = "",
    either: str | int = "",
) -> dict[str, Any]:
    """Give back what came. 原样返回。"""
    values = {"where": where, "other": other, "limit": limit, "exact": exact, "ratio": ratio}
    plain = {**values, "text": text, "either": either}
    return {name: value.model_dump() if isinstance(value, Where) else value for name, value in plain.items()}


@pytest.fixture(params=["native", "langchain", "mcp"])
def nested_tool(request: pytest.FixtureRequest, source: McpSource) -> Call:
    hub = ToolHub(skills=None, native=Path("nowhere"))
    if request.param == "native":
        hub.registry.add(function_tool(FunctionToolSpec.of(nested)))
    elif request.param == "langchain":
        hub.registry.add(from_langchain(StructuredTool.from_function(nested)))

    async def run(arguments: dict[str, Any]) -> ToolResult:
        if request.param != "mcp":
            return await hub.dispatcher.dispatch(ToolRequest("nested", None, arguments, CONTEXT))
        result = await call(source, "s/nested", **arguments)
        return result.model_copy(update={"result": result.result and result.result["got"]})

    return run


@pytest.mark.parametrize(
    ("field", "text", "meant"),
    [
        ("where", '{"depth": 2, "tags": []}', {"depth": 2, "tags": []}),
        ("where", {"depth": "2", "tags": []}, {"depth": 2, "tags": []}),
        ("where", {"depth": 1, "tags": "[1, 2]"}, {"depth": 1, "tags": [1, 2]}),
        ("where", {"depth": 1, "tags": ["3", 4]}, {"depth": 1, "tags": [3, 4]}),
        ("other", '{"depth": 2, "tags": ["7"]}', {"depth": 2, "tags": [7]}),
        ("other", "null", None),
        ("limit", "3", 3),
        ("limit", " 3 ", 3),
        ("exact", "true", True),
        ("exact", "False", False),
        ("ratio", "2.5", 2.5),
        ("ratio", "3", 3),
        ("text", "3", "3"),
        ("text", "true", "true"),
        ("text", '{"名": 1}', '{"名": 1}'),
        ("either", "3", "3"),
        ("either", 3, 3),
    ],
)
async def test_text_is_read_as_what_is_meant_and_stays_text_where_text_is_taken(
    nested_tool: Call, field: str, text: object, meant: object
) -> None:
    result = await nested_tool({"where": {"depth": 1}, field: text})
    assert result.success, result.error
    assert result.result[field] == meant


@pytest.mark.parametrize(
    ("field", "text"), [("limit", "三"), ("limit", "3.5"), ("exact", "perhaps"), ("ratio", "半"), ("where", "[1]")]
)
async def test_text_that_says_something_else_is_a_bad_argument_everywhere(
    nested_tool: Call, field: str, text: str
) -> None:
    result = await nested_tool({"where": {"depth": 1}, field: text})
    assert result.error_type == "bad_arguments"
    assert f"'{field}" in str(result.error)
    assert text in str(result.error)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"other": "树"}, "'other': expected object or null, got \"树\"."),
        ({"other": {"depth": "深"}}, "'other.depth': expected integer, got \"深\"."),
        ({"other": {}}, "'other.depth' is required."),
        ({"either": [1]}, "'either': expected string or integer, got [1]."),
        ({"limit": "many"}, "'limit': expected integer or null, got \"many\"."),
    ],
)
async def test_what_a_choice_takes_is_said(source: McpSource, arguments: dict[str, Any], said: str) -> None:
    result = await call(source, "s/nested", where={"depth": 1}, **arguments)
    assert result.error == f"s/nested: {said} Fields: {', '.join(SCHEMAS['nested']['properties'])}."


@pytest.mark.parametrize(
    ("arguments", "got"),
    [
        ({}, {"scale": "css"}),
        ({"scale": "device"}, {"scale": "device"}),
        ({"page": '{"size": "7"}'}, {"scale": "css", "page": {"size": 7}}),
    ],
)
async def test_what_is_required_and_has_a_default_is_not_demanded(
    source: McpSource, arguments: dict[str, Any], got: dict[str, Any]
) -> None:
    result = await call(source, "s/defaults", **arguments)
    assert result.success, result.error
    assert result.result["got"] == got


async def test_a_default_of_another_type_is_left_to_the_server() -> None:
    schema = {"properties": {"a": {"type": "string", "default": None}}, "required": ["a"]}
    assert read(schema, {}) == {}
    assert required_fields(schema) == []


async def test_names_that_patterns_allow_can_be_given(source: McpSource) -> None:
    result = await call(source, "s/labels", **{"名": "a", "x-team": "水文"})
    assert result.result["got"] == {"名": "a", "x-team": "水文"}
    wrong = await call(source, "s/labels", 别的="b")
    assert wrong.error_type == "bad_arguments"  # which the server has said


@pytest.mark.parametrize(
    ("field", "text", "meant"),
    [
        ({"allOf": [{"$ref": "#/$defs/数"}]}, "3", 3),
        ({"oneOf": [{"type": "integer"}, {"type": "null"}]}, "3", 3),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": ["1", "2"]}, "2", "2"),
        ({"const": True}, "true", True),
        ({"type": "number"}, "nan", "nan"),
        ({"type": ["integer", "string"]}, "3", "3"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"甲": "3"}, {"甲": 3}),
        (
            {"prefixItems": [{"type": "integer"}], "items": {"type": "boolean"}, "type": "array"},
            '["1","on"]',
            [1, True],
        ),
        ({"anyOf": [{"type": "object"}, {"type": "string"}]}, "{}", "{}"),
        ({}, "3", "3"),
        (True, "3", "3"),
        ({"type": "no-such-type"}, "3", "3"),
        ({"$ref": "http://127.0.0.1:9/none"}, "3", "3"),
        ({"$ref": "#/$defs/循环"}, "3", "3"),
        ({"anyOf": [{"$ref": "#/properties/a"}]}, "3", "3"),
        (
            {"anyOf": [{"$ref": "#/properties/a"}] * 9, "oneOf": [{"$ref": "#/properties/a"}] * 9},
            {"b": "3"},
            {"b": "3"},
        ),
    ],
)
async def test_a_schema_is_followed_as_far_as_it_makes_sense(field: Any, text: object, meant: object) -> None:
    defs = {"数": {"type": "integer"}, "循环": {"$ref": "#/$defs/循环"}}
    schema = {"type": "object", "properties": {"a": field}, "$defs": defs}
    given = {"a": text}
    assert read(schema, given) == {"a": meant}
    assert given == {"a": text}


async def test_arguments_as_deep_as_a_tree_are_read_to_a_bound() -> None:
    tree = {"type": "object", "properties": {"子": {"$ref": "#"}}}
    deep: dict[str, Any] = {}
    for _ in range(500):
        deep = {"子": deep}
    assert read(tree, deep) == deep


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)
_WORDS = (
    "type",
    "properties",
    "required",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "items",
    "prefixItems",
    "enum",
    "default",
)


@given(st.dictionaries(st.sampled_from(_WORDS), _JSON | st.just("#")), st.dictionaries(st.text(max_size=4), _JSON))
async def test_no_schema_is_too_odd_to_be_read_by(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    assert read(schema, arguments).keys() >= arguments.keys()
    listed: Any = schema.get("required")
    names = cast("list[Any]", listed) if isinstance(listed, list) else []
    assert set(required_fields(schema)) <= set(map(str, names))
