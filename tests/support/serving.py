"""A server of another process: started, waited for until it says that it is up, ended with all it started."""

import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

START_SECONDS = 90


@contextmanager
def serving(command: Sequence[str], *, up: str, cwd: Path, env: dict[str, str]) -> Generator[str]:
    """Its address; `command` has PORT where the port belongs, and `up` is what its log says when it is up."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    lines: list[str] = []
    is_up = threading.Event()

    def read(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(re.sub(r"\x1b\[[0-9;]*m", "", line))
            if up in line:
                is_up.set()
        is_up.set()

    with subprocess.Popen(
        [port if part == "PORT" else part for part in command],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        reader = threading.Thread(target=read, args=(process,))
        reader.start()
        try:
            assert is_up.wait(START_SECONDS), "".join(lines)[-3000:]
            assert process.poll() is None, "".join(lines)[-3000:]
            url = f"http://127.0.0.1:{port}"
            # its own line may come a moment before the socket listens: the transport tries again until it does
            with httpx.Client(transport=httpx.HTTPTransport(retries=8)) as client:
                client.get(url)
            yield url
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=30)
            reader.join()
    assert "Traceback" not in "".join(lines), "".join(lines)[-3000:]
