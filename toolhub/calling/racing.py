"""Several calls at once: the first good answer, or all of them. Nothing that was started is left to itself (R5.3).

A call that is no longer wanted is cancelled and left to `Stragglers`, so that nobody waits for its clean-up, and the
hub's end waits for all of them.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

import structlog

from switchyard.tools.core.result import ToolResult

Call = Callable[[], Coroutine[Any, Any, ToolResult]]
"""A call that has not begun. It returns failures; what it raises is for the caller of the whole."""

GRACE = 2.0
"""Seconds a cancelled call may take to clean up while somebody waits for it."""
LAST_GRACE = 5.0
"""The same at the end of the hub."""

log = structlog.get_logger(__name__)


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


async def pick_best(calls: Sequence[Call], stragglers: Stragglers) -> dict[int, ToolResult]:
    """Run all; return at the first success, the rest cancelled behind it. Answers by position, the good one last."""
    return await _run(calls, stragglers, until_success=True)


async def collect(calls: Sequence[Call], stragglers: Stragglers) -> dict[int, ToolResult]:
    """Run all and wait for all. Answers by position."""
    return await _run(calls, stragglers, until_success=False)


async def _run(calls: Sequence[Call], stragglers: Stragglers, *, until_success: bool) -> dict[int, ToolResult]:
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
