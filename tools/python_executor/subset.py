"""A subset of Python in an interpreter written in Rust: starts in milliseconds, sees nothing but the workspace.

The interpreter runs in a worker process of its own. Its asynchronous client is not used: it can abort the whole
program at exit. The plain one runs in a thread, and ending the worker ends the call.
"""

import asyncio
import builtins
import contextlib
import json
import os
import re
import signal
import threading
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from switchyard.tools.python_executor.bubblewrap import MAX_OUTPUT, TOO_MUCH, WORKSPACE, Outcome
from switchyard.tools.python_executor.guest import as_json_text

if TYPE_CHECKING:
    from pydantic_monty import MontyError, ResourceLimits

MEMORY = 128_000_000
"""Bytes the code may use."""

_ORPHANED = 5
"""Seconds a worker may go on beyond its limit when nobody is left to end it."""

_LACKS = (
    (re.compile(r"NotImplementedError: The monty syntax parser does not yet support (?P<what>.+)"), "{what}"),
    (re.compile(r"ModuleNotFoundError: No module named '(?P<what>[^']+)'"), "module '{what}'"),
    (re.compile(r"ImportError: cannot import name '(?P<what>[^']+)' from '(?P<of>[^']+)'"), "'{of}.{what}'"),
    (re.compile(r"AttributeError: module '(?P<of>[^']+)' has no attribute '(?P<what>[^']+)'"), "'{of}.{what}'"),
    (re.compile(r"RuntimeError: Internal error in monty: (?P<what>.+)"), "what this needs ({what})"),
    (re.compile(r"RuntimeError: '(?P<what>[^']+)' is not supported in this environment"), "'{what}'"),
)
_NO_NAME = re.compile(r"NameError: name '(?P<what>[^']+)' is not defined")
_NO_ATTRIBUTE = re.compile(r"AttributeError: '(?P<of>\w+)' object has no attribute '(?P<what>\w+)'")


async def run_subset(code: str, inputs: dict[str, Any], workspace: Path, seconds: float) -> Outcome:
    """Run the code and return how it ended; cancelling ends the worker."""
    worker = _Worker()
    running = asyncio.ensure_future(anyio.to_thread.run_sync(worker.run, code, inputs, workspace, seconds))
    try:
        return await asyncio.shield(running)
    finally:
        worker.stop()
        await asyncio.wait([running])


class _Worker:
    """One call in one worker process, which can be stopped from outside the thread that waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid: int | None = None
        self._stopped = False
        self._printed: list[str] = []
        self._length = 0

    def run(self, code: str, inputs: dict[str, Any], workspace: Path, seconds: float) -> Outcome:
        """Run the code to its end."""
        from pydantic_monty import Monty, MontyError, MountDir  # noqa: PLC0415  only code that is run needs it

        limits: ResourceLimits = {"max_feed_duration_secs": seconds + _ORPHANED, "max_memory": MEMORY}
        try:
            with (
                contextlib.closing(MountDir(host_path=workspace, virtual_path=WORKSPACE, mode="read-only")) as mount,
                Monty(min_processes=0, max_processes=1) as pool,
                pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as session,
                self._can_stop(session.worker_pid),
            ):
                value = session.feed_run(code, inputs=inputs, print_callback=self._print, mount=mount)
                return Outcome("".join(self._printed), value=json.loads(as_json_text(value, _attributes_or_text)))
        except MontyError as error:
            return self._failed(error)
        except ValueError as error:
            return Outcome("".join(self._printed), error=f"ValueError: {error}")

    def stop(self) -> None:
        """End the worker if it is there, and let none begin."""
        with self._lock, contextlib.suppress(ProcessLookupError):
            self._stopped = True
            if self._pid is not None:
                os.kill(self._pid, signal.SIGTERM)

    @contextlib.contextmanager
    def _can_stop(self, pid: int | None) -> Generator[None]:
        with self._lock:
            self._pid = pid
        if self._stopped:
            self.stop()
        try:
            yield
        finally:
            with self._lock:
                self._pid = None

    def _print(self, _stream: str, text: str) -> None:
        self._length += len(text)
        if self._length > MAX_OUTPUT:
            self.stop()
        else:
            self._printed.append(text)

    def _failed(self, error: "MontyError") -> Outcome:
        from pydantic_monty import MontyRuntimeError, MontySyntaxError  # noqa: PLC0415  the same

        stdout = "".join(self._printed)
        if self._length > MAX_OUTPUT:
            return Outcome(stdout, error=TOO_MUCH)
        if not isinstance(error, MontyRuntimeError | MontySyntaxError):
            return Outcome(stdout, error=f"{type(error).__name__}: {error}")
        text = error.display("type-msg")
        lines = [frame.line for frame in error.traceback() if frame.filename != "<string>"]
        return Outcome(stdout, error=text, line=lines[-1] if lines else None, lacks=_lacks(text))


def _attributes_or_text(value: Any) -> Any:
    from pydantic_monty import MontyClassProxy  # noqa: PLC0415  the same

    return value.attributes if isinstance(value, MontyClassProxy) else repr(value)


def _lacks(error: str) -> str:
    """What the subset does not have, when that is the cause of the error."""
    for pattern, words in _LACKS:
        if match := pattern.match(error):
            return words.format(**match.groupdict())
    if (match := _NO_NAME.match(error)) and hasattr(builtins, match["what"]):
        return f"'{match['what']}'"
    if (match := _NO_ATTRIBUTE.match(error)) and hasattr(getattr(builtins, match["of"], None), match["what"]):
        return f"'{match['of']}.{match['what']}'"
    return ""
