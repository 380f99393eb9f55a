"""One call of one tool: a time limit, one result shape, every error classified."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.errors import GraphInterrupt
from pydantic import BaseModel

from switchyard.language.errors import Impossible, Misread, Unreadable
from switchyard.toolhub.calling.dispatch import as_json, call_tool, classify
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import RetryTool, ToolContext, ToolFailed, ToolResult, ToolSpec
from switchyard.tools.core.errors import FailureKind

CONTEXT = ToolContext(workspace=Path())


def tool(work: Callable[[], Awaitable[Any]], **spec: Any) -> RegisteredTool:
    async def run(request: ToolRequest) -> ToolResult:
        value = await work()
        return value if isinstance(value, ToolResult) else ToolResult(result=value)

    return RegisteredTool(ToolSpec.model_validate({"tool_id": "试", "description": "Try.", **spec}), run)


async def call(work: Callable[[], Awaitable[Any]], *, seconds: float = 30, **spec: Any) -> ToolResult:
    return await call_tool(tool(work, **spec), ToolRequest("试", None, {}, CONTEXT, seconds))


def raising(error: BaseException) -> Callable[[], Awaitable[Any]]:
    async def work() -> None:
        raise error

    return work


def returning(value: Any) -> Callable[[], Awaitable[Any]]:
    async def work() -> Any:
        return value

    return work


class Hanging:
    """Never answers; knows whether it was cancelled."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.cancelled = False

    async def __call__(self) -> None:
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise


async def test_a_result_comes_back_with_its_source() -> None:
    result = await call(returning({"值": 1}))
    assert (result.success, result.result, result.meta.source) == (True, {"值": 1}, "native")


async def test_a_call_that_takes_too_long_is_a_timeout() -> None:
    result = await call(Hanging(), seconds=0.01)
    assert (result.success, result.error_type) == (False, "timeout")
    assert result.error == "试 did not answer within 0.01 s."


async def test_a_call_that_takes_too_long_is_cancelled() -> None:
    hanging = Hanging()
    await call(hanging, seconds=0.01)
    assert hanging.cancelled


async def test_a_tools_own_time_limit_stands() -> None:
    result = await call(Hanging(), seconds=1000, timeout=0.01)
    assert result.error_type == "timeout"


async def test_a_timeout_of_the_tools_own_is_told_in_its_words() -> None:
    result = await call(raising(TimeoutError("the server at 10.0.0.1 was silent")))
    assert result.error_type == "timeout"
    assert "the server at 10.0.0.1 was silent" in (result.error or "")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (FileNotFoundError("a.md"), "not_found"),
        (KeyError("站点"), "not_found"),
        (PermissionError("no"), "permission"),
        (TimeoutError(), "timeout"),
        (ConnectionRefusedError("no"), "unavailable"),
        (ValueError("no"), "bad_arguments"),
        (TypeError("no"), "bad_arguments"),
        (ZeroDivisionError("no"), "crash"),
        (RuntimeError("坏了"), "crash"),
        (SystemExit(2), "crash"),
    ],
)
async def test_what_a_tool_raises_is_classified(error: BaseException, kind: str) -> None:
    result = await call(raising(error))
    assert (result.success, result.error_type) == (False, kind)
    assert classify(error) == kind


async def test_a_crash_tells_the_tool_and_the_error() -> None:
    assert (await call(raising(RuntimeError("坏了")))).error == "试 failed: RuntimeError: 坏了"


async def test_an_error_without_words_tells_its_type() -> None:
    assert (await call(raising(RuntimeError()))).error == "试 failed: RuntimeError"


@pytest.mark.parametrize("kind", ["not_found", "permission", "rate_limit", "unavailable", "crash", "wrong_result"])
async def test_a_tool_that_fails_on_purpose_keeps_its_kind(kind: FailureKind) -> None:
    result = await call(raising(ToolFailed("没有这个站", kind=kind)))
    assert (result.error, result.error_type) == ("没有这个站", kind)


async def test_a_hint_of_the_tool_reaches_the_error() -> None:
    result = await call(raising(RetryTool("'docs' is a folder.", hint="Use list_dir.")))
    assert (result.error, result.error_type) == ("'docs' is a folder. Use list_dir.", "bad_arguments")


async def test_a_failed_result_passes_as_it_is() -> None:
    result = await call(returning(ToolResult.failed("没有", "not_found")))
    assert (result.success, result.error, result.error_type) == (False, "没有", "not_found")


async def test_a_cancelled_call_stays_cancelled() -> None:
    hanging = Hanging()
    task = asyncio.create_task(call(hanging))
    await hanging.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert hanging.cancelled


async def test_a_tool_that_cancels_itself_does_not_cancel_the_run() -> None:
    result = await call(raising(asyncio.CancelledError()))
    assert (result.error, result.error_type) == ("试 ended its own call before it had a result.", "crash")


async def test_langgraphs_own_control_flow_passes_through() -> None:
    with pytest.raises(GraphInterrupt):
        await call(raising(GraphInterrupt(())))


class Row(BaseModel):
    station: str
    at: datetime
    big: int


NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (2**63, str(2**63)),
        (-(2**63), -(2**63)),
        ({"大": 10**30}, {"大": str(10**30)}),
        ({3}, [3]),
        (("a", (1,)), ["a", [1]]),
        (NOON, "2026-01-02 12:00:00+00:00"),
        ({"at": date(2026, 1, 2)}, {"at": "2026-01-02"}),
        (Decimal("1.50"), "1.50"),
        (Row(station="修武", at=NOON, big=2**70), {"station": "修武", "at": "2026-01-02T12:00:00Z", "big": str(2**70)}),
        ([Row(station="修武", at=NOON, big=1)], [{"station": "修武", "at": "2026-01-02T12:00:00Z", "big": 1}]),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        (True, True),
        (None, None),
        ([], []),
        ("文\udc80件", "文?件"),
        ({"\ud800": 1}, {"?": 1}),
    ],
)
async def test_a_result_becomes_plain_json(value: object, plain: object) -> None:
    assert (await call(returning(value))).result == plain


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no words")


def endless() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize("value", [Rude(), endless()], ids=["no text", "endless"])
async def test_a_result_that_cannot_become_json_is_a_failure_not_a_crash_of_the_run(value: object) -> None:
    assert (await call(returning(value))).error_type == "crash"


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3),
)


@given(_JSON)
def test_plain_json_stays_as_it_is(value: object) -> None:
    plain = as_json(value)
    assert as_json(plain) == plain


SYNC = '''
import threading

from switchyard.tools.core import BaseToolParams, tool


class P(BaseToolParams):
    pass


@tool()
class WhichThread:
    """Tell the thread."""

    def execute(self, params: P) -> int:
        return threading.get_ident()


@tool()
class WhichLoop:
    """Tell the thread of the loop."""

    async def execute(self, params: P) -> int:
        return threading.get_ident()
'''


@pytest.mark.parametrize(("name", "same"), [("which_thread", False), ("which_loop", True)])
async def test_a_plain_tool_runs_in_a_thread_and_an_async_one_in_the_loop(
    tmp_path: Path, name: str, *, same: bool
) -> None:
    (tmp_path / "threads.py").write_text(SYNC, encoding="utf-8")
    found = next(tool for tool in discover(tmp_path).tools if tool.spec.tool_id == name)
    result = await call_tool(found, ToolRequest(found.spec.tool_id, None, {}, CONTEXT))
    assert (result.result == threading.get_ident()) is same


@pytest.mark.parametrize("error", [Impossible("二月没有三十一日"), Misread("A bracket is missing.", hint="Write (1).")])
async def test_what_a_tool_cannot_read_is_a_fault_of_the_arguments(error: Unreadable) -> None:
    result = await call(raising(error))
    assert (result.success, result.error_type, result.error) == (False, "bad_arguments", str(error))


def test_a_request_never_changes_and_gives_others() -> None:
    request = ToolRequest("试", None, '{"label": "一"}', CONTEXT, 5)
    other = request.override(arguments={"label": "二"}, action="看")
    assert (request.action, request.given, request.seconds) == (None, {"label": "一"}, 5)
    assert (other.action, other.given, other.seconds, other.context) == ("看", {"label": "二"}, 5, CONTEXT)
    with pytest.raises(AttributeError):
        request.tool = "另一个"  # pyright: ignore[reportAttributeAccessIssue]  frozen is what is tried
