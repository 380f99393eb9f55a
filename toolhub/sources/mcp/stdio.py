"""A server as a process of ours: messages over its standard input and output, its standard error into the log.

The SDK's own transport gives no hold on the process. Here it has a group of its own that is ended as a whole, its last
words are kept for the error, and nothing it writes reaches a terminal.
"""

import os
import signal
import subprocess
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import cast

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage
from pydantic import ValidationError

from switchyard.toolhub.sources.mcp.config import ServerConfig
from switchyard.toolhub.sources.mcp.faults import Garbage, ServerFailed
from switchyard.toolhub.sources.mcp.inbox import Inbox, Outgoing

INHERITED = (
    *("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"),
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "SYSTEMROOT", "TEMP", "USERPROFILE"),
)
"""What a server gets of our environment; everything else must be named in its `env`."""

MAX_MESSAGE = 64_000_000
"""Bytes of one message; a server that sends more is ended."""

_GRACE = 1.0
"""Seconds between asking a process to leave, telling it, and making it."""
_LONGEST_LINE = 64_000
_LONGEST_KEPT = 500
_LAST_WORDS = 0.3
"""Seconds to wait for the exit code and the end of standard error after standard output has ended."""


class ServerProcess:
    """Starts the process and ends it."""

    def __init__(
        self,
        config: ServerConfig,
        environment: Mapping[str, str],
        hear: Callable[[str], None],
        *,
        workspace: Path | None,
    ) -> None:
        self._config = config
        self._environment = {name: environment[name] for name in INHERITED if name in environment}
        self._hear = hear
        self._cwd = config.cwd or workspace
        self._stderr_ended = anyio.Event()
        self._said: deque[str] = deque(maxlen=5)

    @asynccontextmanager
    async def open(self, inbox: Inbox) -> AsyncGenerator[Outgoing]:
        """Run the process; what it says goes to the inbox, what is sent to the stream goes to the process."""
        process = await self._start()
        write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read, process, inbox, write)
                tasks.start_soon(self._write, process, inbox, outgoing)
                tasks.start_soon(self._listen, cast("ByteReceiveStream", process.stderr))
                try:
                    yield write
                finally:
                    with anyio.CancelScope(shield=True):
                        await _end(process)
                    tasks.cancel_scope.cancel()
        finally:
            write.close()
            outgoing.close()
            with anyio.CancelScope(shield=True):
                await process.aclose()

    async def _epitaph(self, process: Process) -> str:
        """How the process ended, and the last it said."""
        with anyio.move_on_after(_LAST_WORDS, shield=True):
            await process.wait()
            await self._stderr_ended.wait()
        code = process.returncode
        how = "closed its output" if code is None else f"ended by signal {-code}" if code < 0 else f"exited with {code}"
        return f"it {how}" + (f": {self._said[-1]}" if self._said else "")

    async def _start(self) -> Process:
        config = self._config
        if self._cwd is not None and not await anyio.Path(self._cwd).is_dir():
            raise ServerFailed(f"its folder '{self._cwd}' does not exist; correct 'cwd'")
        try:
            return await anyio.open_process(
                [config.command, *config.args],
                env={**self._environment, **config.env},
                cwd=self._cwd,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise ServerFailed(f"the command '{config.command}' was not found; install it or correct it") from error
        except (OSError, ValueError) as error:
            raise ServerFailed(f"the command '{config.command}' cannot be run: {error}") from error

    async def _read(self, process: Process, inbox: Inbox, reply: Outgoing) -> None:
        parts: list[bytes] = []
        size = 0
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for chunk in cast("ByteReceiveStream", process.stdout):
                parts.append(chunk)
                size += len(chunk)
                if b"\n" in chunk:
                    *lines, rest = b"".join(parts).split(b"\n")
                    parts, size = [rest], len(rest)
                    for line in lines:
                        if line.strip():
                            await inbox.take(_message(line), reply)
                elif size > MAX_MESSAGE:
                    await inbox.take(ValueError(f"more than {MAX_MESSAGE // 1_000_000} MB without an end"), reply)
                    break
        inbox.end(await self._epitaph(process))

    async def _write(self, process: Process, inbox: Inbox, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """A process that takes no messages any more has ended for us, whatever else it does."""
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for message in outgoing:
                line = message.message.model_dump_json(by_alias=True, exclude_none=True) + "\n"
                await cast("ByteSendStream", process.stdin).send(line.encode())
        inbox.end(await self._epitaph(process))

    async def _listen(self, stderr: ByteReceiveStream) -> None:
        """Each line into the log; the last ones are kept."""
        pending = b""
        with suppress(anyio.ClosedResourceError):
            async for chunk in stderr:
                *lines, pending = (pending + chunk).split(b"\n")
                if len(pending) > _LONGEST_LINE:
                    lines, pending = [*lines, pending], b""
                for line in lines:
                    self._keep(line)
        self._keep(pending)
        self._stderr_ended.set()

    def _keep(self, line: bytes) -> None:
        if text := self._config.secrets.text(line.decode("utf-8", "replace").strip())[:_LONGEST_KEPT]:
            self._said.append(text)
            self._hear(text)


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(JSONRPCMessage.model_validate_json(line))
    except ValidationError:
        return Garbage(line[:100].decode("utf-8", "replace").strip())


async def _end(process: Process) -> None:
    """Ask, tell, make: by the end of its input, by SIGTERM, by SIGKILL; then whatever it left in its group."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        if process.stdin:
            await process.stdin.aclose()
    for sign in (None, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if sign is not None:
            _signal(process, sign)
        with anyio.move_on_after(_GRACE):
            await process.wait()
            break
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def _signal(process: Process, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, sign)
        elif process.returncode is None:
            process.send_signal(sign)
