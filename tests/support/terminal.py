"""A process on a real pseudo-terminal."""

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 300.0
"""Seconds after which a text that never comes fails its test instead of hanging."""


@dataclass
class Terminal:
    """A process on a pseudo-terminal, read until it says what is waited for."""

    process: subprocess.Popen[bytes]
    master: int
    seen: str = ""
    read_to: int = field(default=0)

    def until(self, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while text not in self.seen[self.read_to :]:
            ready, _, _ = select.select([self.master], [], [], max(end - time.monotonic(), 0))
            assert ready, f"{text!r} never came:\n{self.seen}"
            try:
                raw = os.read(self.master, 4096).decode(errors="replace")
            except OSError:  # the process has gone
                break
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", raw)
        assert text in self.seen[self.read_to :], self.seen
        self.read_to = self.seen.index(text, self.read_to) + len(text)

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def leave(self) -> int:
        while True:
            try:
                raw = os.read(self.master, 4096)
            except OSError:
                break
            if not raw:
                break
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", raw.decode(errors="replace"))
        return self.process.wait(timeout=PATIENCE)


@contextmanager
def at_terminal(command: Sequence[str], cwd: Path, environment: dict[str, str]) -> Generator[Terminal]:
    """Start a command at a terminal of its own; it is ended with the block."""
    master, slave = pty.openpty()
    with subprocess.Popen(command, cwd=cwd, env=environment, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        try:
            yield Terminal(process, master)
        finally:
            process.kill()
            os.close(master)
