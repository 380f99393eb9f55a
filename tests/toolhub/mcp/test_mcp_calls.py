"""Calls of a server that is well, and of one whose single calls are not: all on one open session."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from switchyard.toolhub.calling.dispatch import call_tool
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.tools.core import ToolContext
from tests.support.mcp_bench import PATIENT, call, faulty, health, names, nothing_left, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

ENVIRONMENT = {**os.environ, "NOTES_TOKEN": "tok-一二三-456"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def source(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[McpSource]:
    entry = faulty("banner", env={"NOTES_TOKEN": "${NOTES_TOKEN}"})
    folder = tmp_path_factory.mktemp("cache")
    async with (
        nothing_left(),
        McpSource(
            {"f": entry, "hurried": faulty(timeout=3)}, cache_dir=folder, environment=ENVIRONMENT, patience=PATIENT
        ) as opened,
    ):
        yield opened


async def test_tools_are_named_by_server_and_say_whether_they_write(source: McpSource) -> None:
    specs = {tool.spec.tool_id: tool.spec for tool in source.tools()}
    echo = specs["f/echo"]
    assert (echo.source, echo.tool_type, echo.category, echo.priority) == ("mcp", "mcp_server", "f", 2)
    assert (echo.summary, echo.details) == ("Say it again.", "Say it again. 再说一遍。")
    assert list(echo.capabilities[0].parameters["properties"]) == ["text", "times"]
    asking = {name for name, spec in specs.items() if spec.asks_first}
    assert asking & {"f/echo", "f/wipe", "f/unmarked"} == {"f/wipe", "f/unmarked"}
    assert "destructive" in specs["f/wipe"].tags
    assert "destructive" not in specs["f/unmarked"].tags


@pytest.mark.parametrize("text", ["again", "再说一遍 “引号”\n\\"])
async def test_a_call(source: McpSource, text: str) -> None:
    result = await call(source, "f/echo", text=text, times=2)
    assert (result.success, result.result, result.meta.source) == (True, text * 2, "mcp")


async def test_structured_content_comes_before_text(source: McpSource) -> None:
    assert isinstance((await call(source, "f/pid")).result["pid"], int)


async def test_all_kinds_of_content(source: McpSource) -> None:
    image, text, broken = (await call(source, "f/picture")).result
    assert (image, text, broken) == ({"type": "image", "mime_type": "image/png", "bytes": 3}, {"名": "图"}, "{not json")


async def test_calls_run_at_the_same_time(source: McpSource) -> None:
    hanging = asyncio.create_task(call(source, "f/hang"))
    results = await asyncio.gather(*(call(source, "f/echo", text=str(number)) for number in range(50)))
    assert [result.result for result in results] == [str(number) for number in range(50)]
    assert not hanging.done()
    hanging.cancel()


async def test_a_cancelled_call_is_called_off_at_the_server(source: McpSource) -> None:
    before = len((await call(source, "f/cancelled")).result["cancelled"])
    hanging = asyncio.create_task(call(source, "f/hang"))
    await call(source, "f/pid")  # which is answered after the other was sent
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    async with asyncio.timeout(120):
        while len((await call(source, "f/cancelled")).result["cancelled"]) == before:
            pass
    assert health(source, "f").restarts == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"txt": "a"}, "f/echo: 'txt' is not a field, did you mean 'text'? Fields: text, times."),
        ({"text": 3}, "f/echo: 'text': expected string, got 3. Fields: text, times."),
        ({"文本": "a"}, "f/echo: '文本' is not a field. Fields: text, times."),
    ],
)
async def test_bad_arguments_are_named_and_not_sent(source: McpSource, arguments: dict[str, Any], said: str) -> None:
    result = await call(source, "f/echo", **arguments)
    assert (result.error, result.error_type) == (said, "bad_arguments")


async def test_arguments_may_be_a_json_string_and_carry_an_explanation(source: McpSource) -> None:
    tool = next(tool for tool in source.tools() if tool.spec.tool_id == "f/echo")
    context = ToolContext(workspace=Path())
    text: Any = '{"text": "是", "explanation": "why 为何"}'
    assert (await call_tool(tool, ToolRequest(tool.spec.tool_id, None, text, context, 60))).result == "是"
    wrong: Any = "{text: 是"
    assert "JSON" in str((await call_tool(tool, ToolRequest(tool.spec.tool_id, None, wrong, context, 60))).error)


async def test_arguments_that_json_cannot_carry_do_not_cost_the_session(source: McpSource) -> None:
    assert (await call(source, "f/echo", text="半\ud800个")).result == "半?个"
    wrong = await call(source, "f/echo", times=float("nan"))
    assert wrong.error_type == "bad_arguments"
    assert "f/echo: the arguments cannot be sent as JSON" in str(wrong.error)
    assert (await call(source, "f/echo", text={1, 2})).error_type == "bad_arguments"
    assert health(source, "f").restarts == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("File not found: a.txt", "not_found"),
        ("文件不存在", "not_found"),
        ("Permission denied", "permission"),
        ("没有权限", "permission"),
        ("Upstream timed out", "timeout"),
        ("请求超时", "timeout"),
        ("Rate limit exceeded", "rate_limit"),
        ("请求过多", "rate_limit"),
        ("Service unavailable", "unavailable"),
        ("Invalid date", "bad_arguments"),
        ("参数错误", "bad_arguments"),
        ("It broke", "crash"),
        ("坏了", "crash"),
    ],
)
async def test_an_error_of_a_tool_is_classified_by_its_words(source: McpSource, text: str, kind: str) -> None:
    result = await call(source, "f/refuse", text=text)
    assert (result.success, result.error, result.error_type) == (False, text, kind)


async def test_text_between_the_messages_does_no_harm(source: McpSource) -> None:
    assert (await call(source, "f/chatter")).result == {"said": "done"}


async def test_a_server_that_answers_garbage_is_told_apart_from_a_slow_one(source: McpSource) -> None:
    result = await call(source, "hurried/garbage", text="Traceback: 这不是消息")
    assert result.error_type == "timeout"
    assert result.error == (
        "The MCP server 'hurried' did not answer within 3 s. "
        "It said 'Traceback: 这不是消息' on its standard output, where only MCP messages belong."
    )


async def test_a_message_that_is_no_tool_result(source: McpSource) -> None:
    result = await call(source, "f/nonsense")
    assert result.error_type == "wrong_result"
    assert "no tool result" in str(result.error)


async def test_the_list_is_asked_for_again_when_the_server_says_so(source: McpSource) -> None:
    assert "f/新工具" not in names(source)
    await call(source, "f/learn", name="新工具")
    await until(lambda: "f/新工具" in names(source))
    assert (await call(source, "f/新工具")).result == (await call(source, "f/pid")).result


async def test_a_secret_is_masked_in_results_and_errors(source: McpSource) -> None:
    result = await call(source, "f/environment", name="NOTES_TOKEN")
    assert result.result == {"value": "***"}
    said = await call(source, "f/refuse", text="rejected: tok-一二三-456")
    assert said.error == "rejected: ***"


async def test_a_server_gets_little_of_our_environment(source: McpSource) -> None:
    assert (await call(source, "f/environment", name="PYTEST_CURRENT_TEST")).result == {"value": ""}
    assert (await call(source, "f/environment", name="PATH")).result == {"value": os.environ["PATH"]}
