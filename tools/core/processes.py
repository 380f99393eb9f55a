"""Work that leaves nothing behind: it is ended, and its end waited for, whoever stops waiting for its result."""

import asyncio
import atexit
import contextlib
import json
import sys
from collections.abc import Callable, Coroutine, Sequence
from subprocess import CompletedProcess
from typing import Any, TypeVar, cast

T = TypeVar("T")

_CHUNK = 65_536
_kept: dict[Callable[[], None], None] = {}


def keep(close: Callable[[], None]) -> None:
    """What a tool keeps open beyond a call is closed with the last hub of the program, or with the program."""
    _kept[close] = None


@atexit.register
def close_kept() -> None:
    """Close what tools keep open; what is used after that is opened anew."""
    while _kept:
        _kept.popitem()[0]()


async def to_its_end(work: Coroutine[Any, Any, T], end: Callable[[], None] = lambda: None) -> T:
    """What the work gives. Whoever stops waiting for it goes on when it has ended, or `end` has ended it."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    finally:
        end()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # which is nobody's any more where the wait was given up


async def run_process(
    command: Sequence[str], job: object, *, most: int = sys.maxsize, **options: Any
) -> CompletedProcess[bytes]:
    """Run a program that reads a job as JSON, until all who hold its pipes have ended or it has printed too much."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, **options)

    def kill() -> None:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    async def drain(stream: asyncio.StreamReader | None) -> bytes:
        kept = bytearray()
        while chunk := await cast("asyncio.StreamReader", stream).read(_CHUNK):
            kept += chunk[: most + 1 - len(kept)]
            if len(kept) > most:
                kill()
        return bytes(kept)

    async def talk() -> CompletedProcess[bytes]:
        stdin = cast("asyncio.StreamWriter", process.stdin)
        reading = asyncio.gather(drain(process.stdout), drain(process.stderr), process.wait())
        with contextlib.suppress(ConnectionError):  # it ended before it read all
            stdin.write(json.dumps(job).encode())
            await stdin.drain()
        stdin.close()
        output, errors, code = await reading
        return CompletedProcess(command, code, output, errors)

    return await to_its_end(talk(), kill)
