"""Runs a script of a skill: a process of its own in the workspace, with limits, that leaves nothing behind.

It is code from a folder the user trusted, and the call of the skill was approved: the limits are against accidents.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from switchyard.tools.core.errors import ToolFailed

SECONDS = 60.0
MAX_OUTPUT = 100_000
"""Bytes kept of what a script prints; the rest is dropped."""
MAX_MEMORY = 2_000_000_000
"""Bytes of address space, where the system can limit it."""
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "SYSTEMROOT")
"""All a script sees of the environment: keys stay here."""

_CHUNK = 65_536


async def run_script(script: Path, arguments: list[str], workspace: Path, *, seconds: float = SECONDS) -> str:
    """What a Python script printed, with its exit code.

    Raises:
        ToolFailed: when it takes too long or cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-B", str(script), *arguments),
            cwd=workspace,
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ} | {"PYTHONUTF8": "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # ValueError: a zero byte in an argument
        raise ToolFailed(f"'{script.name}' cannot be started: {error}.", kind="bad_arguments") from error
    try:
        _limit_memory(process.pid)
        async with asyncio.timeout(seconds):
            output = await _kept(process.stdout)
            code = await process.wait()
    except TimeoutError:
        raise ToolFailed(f"'{script.name}' did not end within {seconds:g} s.", kind="timeout") from None
    finally:
        _end(process.pid)
        await process.wait()
    text = output.decode("utf-8", "replace").strip()
    return f"exit code {code}\n{text or '(it printed nothing)'}"


async def _kept(stream: asyncio.StreamReader | None) -> bytes:
    output, more = b"", 0
    while stream is not None and (chunk := await stream.read(_CHUNK)):
        room = MAX_OUTPUT - len(output)
        output += chunk[:room]
        more += len(chunk[room:])
    return output + (f"\n… ({more:,} more bytes)".encode() if more else b"")


def _limit_memory(pid: int) -> None:
    if sys.platform == "linux":
        import resource  # noqa: PLC0415  not on every system

        with suppress(ProcessLookupError):  # it has ended already
            resource.prlimit(pid, resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _end(pid: int) -> None:
    """End the script and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):  # all of it has ended already
        os.killpg(pid, signal.SIGKILL)
