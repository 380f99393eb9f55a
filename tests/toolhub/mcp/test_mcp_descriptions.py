"""A stranger's tools, arguments and answers in our words: bounded, checked, classified."""

import time
from pathlib import Path
from typing import Any

import pytest
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)
from pydantic import AnyUrl

from switchyard.toolhub.calling.arguments import SchemaCheck
from switchyard.toolhub.sources.mcp.config import Secrets, resolve_entry
from switchyard.toolhub.sources.mcp.connection import MAX_ERROR, converted
from switchyard.toolhub.sources.mcp.session import (
    FAILURE_AGE,
    MAX_DETAILS,
    MAX_SUMMARY,
    ToolList,
    ToolListCache,
    described,
)
from switchyard.tools.core import ToolResult
from switchyard.tools.core.errors import BadArguments

CONFIG = resolve_entry("站", {"command": "x", "env": {"API_KEY": "hunter2-猎人"}}, {})
OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


def tool(**fields: Any) -> Tool:
    return Tool.model_validate({"name": "t", "inputSchema": OBJECT, **fields})


@pytest.mark.parametrize(
    ("fields", "summary", "details"),
    [
        ({"description": "Find it. Then more."}, "Find it.", "Find it. Then more."),
        ({"description": "查水位。再查雨量。"}, "查水位。", "查水位。再查雨量。"),
        ({"description": "One line"}, "One line", ""),
        ({"description": "A\nwrapped line.\n\nMore."}, "A wrapped line.", "A\nwrapped line.\n\nMore."),
        ({}, "t", ""),
        ({"name": "read_water_level"}, "read water level", ""),
        ({"title": "水位"}, "水位", ""),
        ({"description": "\x1b[31mred\x07 text"}, "[31mred text", ""),
        ({"description": "uses hunter2-猎人"}, "uses ***", ""),
    ],
)
def test_what_a_tool_does_in_one_line(fields: dict[str, Any], summary: str, details: str) -> None:
    [spec] = described(CONFIG, [tool(**fields)])
    assert (spec.summary, spec.details) == (summary, details)


@pytest.mark.parametrize("text", ["word " * 50_000, "字" * 100_000])
def test_descriptions_are_bounded(text: str) -> None:
    [spec] = described(CONFIG, [tool(description=text)])
    assert len(spec.summary) <= MAX_SUMMARY
    assert len(spec.details) <= MAX_DETAILS


@pytest.mark.parametrize("text", ["word " * 50_000, "字" * 100_000])
def test_what_a_server_says_of_itself_is_bounded_and_keeps_no_secret(text: str) -> None:
    [spec] = described(CONFIG, [tool()], f"hunter2-猎人\x07\n{text}")
    assert len(spec.server) <= MAX_SUMMARY
    assert spec.server.startswith("***\n")


def test_tools_that_cannot_be_used_are_left_out() -> None:
    huge = {"type": "object", "properties": {"a": {"description": "长" * 200_000}}}
    tools = [tool(name=""), tool(name="a\nb"), tool(name="长" * 129), tool(inputSchema=huge), tool(name="好")]
    assert [spec.tool_id for spec in described(CONFIG, tools)] == ["站/好"]


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "station": {"type": "string"},
        "days": {"type": ["integer", "null"]},
        "unit": {"enum": ["m", "厘米"]},
        "where": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
        "evil": {"type": "string", "pattern": "^(a+)+$"},
    },
    "required": ["station"],
}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "'station' is required."),
        ({"station": "a", "day": 1}, "'day' is not a field, did you mean 'days'?"),
        ({"station": 5}, "'station': expected string, got 5."),
        ({"station": "a", "days": "三"}, "'days': expected integer or null, got \"三\"."),
        ({"station": "a", "unit": "km"}, '\'unit\': expected one of "m", "厘米", got "km".'),
        ({"station": "a", "where": {}}, "'where.lat' is required."),
        ({"station": "a", "where": {"lat": "北"}}, "'where.lat': expected number, got \"北\"."),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(BadArguments) as caught:
        SchemaCheck("站/t", SCHEMA).checked(arguments)
    assert str(caught.value) == f"站/t: {said} Fields: station, days, unit, where, evil."


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (SCHEMA, {"station": "盘石头", "days": None, "unit": "厘米", "where": {"lat": 1, "more": 2}}),
        (SCHEMA, {"station": "a", "evil": "a" * 40 + "!"}),
        ({"type": "object"}, {"anything": 1, "任何": 2}),
        ({**SCHEMA, "additionalProperties": True}, {"station": "a", "more": 1}),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/none"}}}, {"a": 1}),
        ({"properties": {"a": {"type": "no-such-type"}}}, {"a": 1}),
        ({"properties": {"a": {"$ref": "#"}}}, {"a": {"a": {"a": {}}}}),
        ({"properties": []}, {"a": 1}),
        ({"properties": {"a": {}}, "required": [["odd"]]}, {"a": 1}),
        ({"properties": {"a": {}}, "allOf": [{"properties": {"乙": {"type": "string"}}}]}, {"a": 1, "乙": "b"}),
        ({"properties": {"a": {}}, "additionalProperties": {}}, {"b": 1}),
    ],
)
def test_arguments_that_the_server_may_judge(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    assert SchemaCheck("站/t", schema).checked(arguments) == arguments


def test_json_text_is_read_where_an_object_or_a_list_was_meant() -> None:
    schema = {"properties": {"a": {"type": "object"}, "b": {"type": "array"}, "c": {"type": "string"}}}
    given = {"a": '{"名": 1}', "b": "[1]", "c": "{}"}
    assert SchemaCheck("t", schema).checked(given) == {"a": {"名": 1}, "b": [1], "c": "{}"}
    with pytest.raises(BadArguments, match="'a': expected object"):
        SchemaCheck("t", schema).checked({"a": "[1]"})


def test_a_tool_without_fields_takes_none() -> None:
    closed: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    with pytest.raises(BadArguments, match=r"t: 'x' is not a field\. Fields: none\."):
        SchemaCheck("t", closed).checked({"x": 1})


def test_only_an_explanation_of_ours_is_left_out() -> None:
    assert SchemaCheck("t", SCHEMA).checked({"station": "a", "explanation": "因为"}) == {"station": "a"}
    schema = {"properties": {"explanation": {"type": "string"}}}
    assert SchemaCheck("t", schema).checked({"explanation": "因为"}) == {"explanation": "因为"}


def text(*texts: str, error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text) for text in texts], isError=error)


def answered(answer: CallToolResult) -> ToolResult:
    return converted(answer, Secrets(["hunter2-猎人"]))


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (text("水位 3.2 米"), "水位 3.2 米"),
        (text('{"水位": 3.2}'), {"水位": 3.2}),
        (text("[1, 2]"), [1, 2]),
        (text("[not json"), "[not json"),
        (text("3.2"), "3.2"),
        (text("a", '{"b": 1}'), ["a", {"b": 1}]),
        (text(), None),
        (
            CallToolResult(content=[TextContent(type="text", text="x")], structuredContent={"y": "hunter2-猎人"}),
            {"y": "***"},
        ),
    ],
)
def test_an_answer_becomes_data(answer: CallToolResult, value: Any) -> None:
    result = answered(answer)
    assert (result.success, result.result) == (True, value)


def test_resources_become_data_and_sources() -> None:
    files = [
        EmbeddedResource(type="resource", resource=TextResourceContents(uri=AnyUrl("file:///a.txt"), text="文本")),
        EmbeddedResource(type="resource", resource=BlobResourceContents(uri=AnyUrl("file:///b.bin"), blob="AAAA")),
        ResourceLink(type="resource_link", name="雨量", uri=AnyUrl("http://x/rain")),
        AudioContent(type="audio", data="AAAAAAAA", mimeType="audio/wav"),
    ]
    result = answered(CallToolResult(content=[*files]))
    assert result.meta.sources == ["file:///a.txt", "file:///b.bin", "http://x/rain"]
    assert [part["type"] for part in result.result] == ["resource", "resource", "link", "audio"]
    assert (result.result[0]["text"], result.result[1]["bytes"], result.result[3]["bytes"]) == ("文本", 3, 6)


def test_an_error_without_words_and_one_with_too_many() -> None:
    assert answered(text(error=True)).error == "The tool failed and did not say why."
    assert len(str(answered(text("错" * 10_000, error=True)).error)) == MAX_ERROR
    assert answered(text("bad hunter2-猎人", error=True)).error == "bad ***"


@pytest.mark.parametrize(
    ("tools", "age", "counts"), [([], 1e9, True), (None, 0, True), (None, FAILURE_AGE + 1, False), (None, -10, False)]
)
def test_a_failure_is_forgotten_a_list_is_not(
    tmp_path: Path, tools: list[Any] | None, age: float, *, counts: bool
) -> None:
    written = ToolList(tools=tools, at=time.time() - age).model_dump_json()
    (tmp_path / "one.json").write_text(written, encoding="utf-8")
    assert (ToolListCache(tmp_path).load("one") is not None) is counts
