"""Processes that answer job after job, as starting one takes longer than most jobs."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
from collections import deque
from collections.abc import Sequence
from typing import IO, Any

from switchyard.tools.core.processes import keep, to_its_end

_CHUNK = 65_536


class Workers:
    """Processes of one program that answer job after job: one stays ready, as starting one takes longer than most jobs.

    The program has a socket as its standard input, from which it reads a job as a line of JSON after a byte that comes
    with an open file, and to which it writes the answer as a line.
    """

    def __init__(self, *command: str) -> None:
        self._command = command
        self._ready: deque[_Worker] = deque()
        os.register_at_fork(after_in_child=self._ready.clear)  # it is the parent's

    async def ask(self, job: object, file: IO[bytes]) -> Any:
        """The answer to a job about an open file; None where the process ended instead."""
        try:
            ready = self._ready.pop()
        except IndexError:
            ready = None
        said = None if ready is None else await self._ask(ready, job, file)
        # a worker that was ready may have ended since its last job: a new one tells whether it was this one
        return await self._ask(_Worker(self._command), job, file) if said is None else said

    async def _ask(self, worker: "_Worker", job: object, file: IO[bytes]) -> Any:
        said = None
        try:
            said = await worker.ask(job, file)
        finally:
            if said is None or self._ready:
                await asyncio.shield(asyncio.to_thread(worker.end))
            else:
                self._ready.append(worker)
                keep(self.close)
        return said

    def close(self) -> None:
        """End the one that is ready."""
        while self._ready:
            self._ready.pop().end()


class _Worker:
    """One process, started with its first job; callers on any event loop may use it, one after the other."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._socket, self._theirs = socket.socketpair()
        self._socket.settimeout(0)

    def _start(self) -> None:
        nothing = subprocess.DEVNULL
        with self._theirs as theirs:
            self._process = subprocess.Popen(  # noqa: S603  the command is ours
                self._command, stdin=theirs.fileno(), stdout=nothing, stderr=nothing, env={}, cwd="/"
            )

    async def ask(self, job: object, file: IO[bytes]) -> Any:
        if self._process is None:
            await to_its_end(asyncio.to_thread(self._start))
        loop, answer = asyncio.get_running_loop(), bytearray()
        with contextlib.suppress(ConnectionError):
            socket.send_fds(self._socket, [b"\n"], [file.fileno()])
            await loop.sock_sendall(self._socket, json.dumps(job).encode() + b"\n")
            while chunk := await loop.sock_recv(self._socket, _CHUNK):
                answer += chunk
                if answer.endswith(b"\n"):
                    return json.loads(answer)
        return None

    def end(self) -> None:
        self._socket.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
