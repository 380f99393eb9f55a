"""One call of one tool: a time limit, one result shape, every error classified (R5.3, R5.6, R7.1). Or several at once.

Nothing that was started is left to itself: a call that is no longer wanted is cancelled and left to `Stragglers`, so
that nobody waits for its clean-up, and the hub's end waits for all of them.
"""

import asyncio
import re
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, cast

from langgraph.errors import GraphBubbleUp
from pydantic import BaseModel

from switchyard.language.errors import Unreadable
from switchyard.language.messages import message, quoted
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core.errors import TRANSIENT, FailureKind, ToolError
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.masking import every_text
from switchyard.tools.core.result import ToolResult

Call = Callable[[], Coroutine[Any, Any, ToolResult]]
"""A call that has not begun. It returns failures; what it raises is for the caller of the whole."""

GRACE = 2.0
"""Seconds a cancelled call may take to clean up while somebody waits for it."""
LAST_GRACE = 5.0
"""The same at the end of the hub."""

_UNITS = {"ms": 0.001, "毫秒": 0.001, "s": 1, "秒": 1, "m": 60, "分": 60, "h": 3600, "小时": 3600}
_AMOUNT = r"(\d+(?:\.\d+)?)\s*"
_WAITS = (
    re.compile(rf"(?:(?:retry|again)[ -]?(?:after|in)|wait(?: for)?)\W{{0,3}}{_AMOUNT}(ms|s|m|h)?", re.IGNORECASE),
    re.compile(rf"{_AMOUNT}(毫秒|秒|分|小时)钟?(?:之后|以后|后|再)"),
    re.compile(rf"等待?\s*{_AMOUNT}(毫秒|秒|分|小时)"),
)

_KINDS: tuple[tuple[FailureKind, str], ...] = (
    ("bad_arguments", r"validation error|无效的?参数|参数(错误|无效|不正确)"),
    ("rate_limit", r"rate.?limit|too many requests|quota|\b429\b|限流|频率|请求过多|配额"),
    ("permission", r"permission|denied|forbidden|unauthori[sz]ed|not allowed|\b40[13]\b|权限|禁止|未授权|拒绝"),
    ("timeout", r"timed?.?out|deadline|超时"),
    ("unavailable", r"unavailable|unreachable|connection|network|\b50[234]\b|不可用|无法连接|网络|稍后再试"),
    (
        "not_found",
        r"not found|no such|n[o']t exist|unknown|(?:can|could )not find|\bis no\b|\b404\b|不存在|找不到|未找到",
    ),
    ("bad_arguments", r"invalid|required|missing|must |expected|malformed|syntax|参数|无效|缺少|必填|格式|语法"),
)
"""What the texts of errors have in common; the first that is found decides."""

log = get_logger(__name__)


async def call_tool(tool: RegisteredTool, request: ToolRequest) -> ToolResult:
    """Run a tool and return what happened; only cancellation and LangGraph's own control flow pass through."""
    started = time.perf_counter()
    limit = asyncio.timeout(seconds := request.granted(tool.spec))
    try:
        async with limit:
            result = await tool.run(request)
        result.result = as_json(result.result)
        result.meta.sources = [encodable(source) for source in result.meta.sources]
    except GraphBubbleUp:
        raise
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        result = ToolResult.failed(message("tool_cancelled", tool=tool.spec.tool_id), "crash")
    except ToolError as error:
        result = ToolResult.failed(str(error), error.kind)
        result.meta.wait, result.meta.lasting = error.wait, error.lasting
    except Unreadable as error:  # what a tool was asked in words that cannot be, or that it cannot read
        result = ToolResult.failed(str(error), "bad_arguments")
    except (Exception, SystemExit) as error:  # noqa: BLE001  a tool is not trusted: what it raises becomes data
        if limit.expired():
            result = ToolResult.failed(message("tool_too_slow", tool=tool.spec.tool_id, seconds=seconds), "timeout")
        else:
            log.warning(
                "tool_crashed", step=request.context.step_id, tool=tool.spec.tool_id, error=type(error).__name__
            )
            crashed = message("tool_crashed", tool=tool.spec.tool_id, error=quoted(_described(error)))
            result = ToolResult.failed(crashed, classify(error))
    result.error = every_text(result.error, encodable)
    if result.error_type in TRANSIENT and result.meta.wait is None:
        result.meta.wait = wait_said(result.error or "")
    result.meta.source = tool.spec.source
    result.meta.ms = (time.perf_counter() - started) * 1000
    return result


def wait_said(text: str) -> float | None:
    """The seconds after which a text wants to be asked again: "retry after 30 s", "请在 5 分钟后重试"."""
    for wording in _WAITS:
        if found := wording.search(text):
            return float(found[1]) * _UNITS[(found[2] or "s").lower()]
    return None


def as_json(value: Any) -> Any:
    """A result as plain JSON data: the journal keeps nothing else, and no integer beyond 64 bits."""
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, Mapping):
        return {encodable(str(key)): as_json(part) for key, part in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(part) for part in cast("list[Any]", value)]
    if isinstance(value, BaseModel):
        return as_json(value.model_dump(mode="json"))
    return encodable(str(value))


def encodable(text: str) -> str:
    """A text without half characters, such as those of a file name that is no UTF-8: no database takes them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def classify(error: BaseException) -> FailureKind:
    """The class of an error a tool did not classify itself."""
    match error:
        case FileNotFoundError() | LookupError():
            return "not_found"
        case PermissionError():
            return "permission"
        case TimeoutError():
            return "timeout"
        case ConnectionError():
            return "unavailable"
        case ValueError() | TypeError():
            return "bad_arguments"
        case _:
            return "crash"


def classified(text: str) -> FailureKind:
    """The class of a failure that is only told in words, English or Chinese."""
    for kind, words in _KINDS:
        if re.search(words, text[:500], re.IGNORECASE):
            return kind
    return "crash"


def _described(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Stragglers:
    """Calls that were cancelled and are not over yet."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def dismiss(self, tasks: Iterable[asyncio.Task[Any]]) -> None:
        """Cancel calls and keep an eye on them until they are over."""
        for task in tasks:
            if task.done():
                self._over(task)
            elif task not in self._tasks:  # a second cancellation would disturb its clean-up
                self._tasks.add(task)
                task.add_done_callback(self._over)
                task.cancel()

    async def dismiss_and_wait(self, tasks: Iterable[asyncio.Task[Any]]) -> None:
        """The same, for a caller that is cancelled itself: it leaves when its calls have left, if they do soon."""
        waiting = {task for task in tasks if not task.done()}
        self.dismiss(waiting)
        if waiting:
            await asyncio.wait(waiting, timeout=GRACE)

    async def settle(self) -> None:
        """Wait for all of them; a call that will not end is told of."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LAST_GRACE)
        if self._tasks:
            log.warning("calls_would_not_end", count=len(self._tasks))

    def _over(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # nobody asks any more: read here, so that the loop does not complain


async def bounded(call: Call, seconds: float, stragglers: Stragglers) -> ToolResult | None:
    """One call that may ignore its cancellation: None when it has not ended in time, or cancelled itself."""
    task = asyncio.create_task(call())
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await stragglers.dismiss_and_wait({task})
        raise
    if task.done() and not task.cancelled():
        return task.result()
    stragglers.dismiss({task})
    return None


async def collect(
    calls: Sequence[Call], stragglers: Stragglers, *, until_success: bool = False
) -> dict[int, ToolResult]:
    """Run all and wait for all, or for the first success, the rest cancelled behind it. Answers by position."""
    positions = {asyncio.create_task(call()): position for position, call in enumerate(calls)}
    waiting = set(positions)
    answers: dict[int, ToolResult] = {}
    try:
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=positions.__getitem__):
                answers[positions[task]] = answer = task.result()
                if until_success and answer.success:
                    return answers
    except asyncio.CancelledError:
        await stragglers.dismiss_and_wait(waiting)
        raise
    finally:
        stragglers.dismiss(positions)
    return answers
