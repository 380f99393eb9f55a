"""Full Python in a sandbox of its own: bubblewrap gives it no network, no files but its own and those it may read.

What it sees: the system's libraries, this Python, the workspace as `/workspace` (all read-only) and a small `/tmp`.
"""

import asyncio
import contextlib
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from switchyard.tools.python_executor import guest

MAX_OUTPUT = 200_000
"""Characters the code may print."""

WORKSPACE = "/workspace"
"""Where the code finds the workspace."""

_MEMORY = 1024**3
_TEMPORARY = "/tmp"  # noqa: S108  a folder of the sandbox's own
_TEMPORARY_BYTES = 64 * 1024**2
_PROCESSES = 32
_SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": _TEMPORARY, "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
_PYTHON = (sys.executable, "-I", "-B", "-X", "utf8", "/guest.py")
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the code ended: with a value, or with an error and its line."""

    stdout: str = ""
    value: Any = None
    error: str = ""
    line: int | None = None
    lacks: str = ""
    """What the code uses and the engine does not have."""


TOO_MUCH = f"OutputError: the code printed more than {MAX_OUTPUT:,} characters and was stopped"


class Sandbox:
    """Runs code in bubblewrap where it is installed and the system lets it work."""

    def __init__(self, program: str = "bwrap") -> None:
        self._program = program
        self._works: bool | None = None

    async def works(self) -> bool:
        """Whether code can be run; tried once."""
        if self._works is None:
            found = await asyncio.to_thread(shutil.which, self._program) is not None
            self._works = found and (await self.run("import decimal\n1", {}, Path(__file__).parent, 10)).value == 1
        return bool(self._works)

    async def run(self, code: str, inputs: dict[str, Any], workspace: Path, seconds: float) -> Outcome:
        """Run the code and return how it ended; cancelling ends every process of it."""
        limits = {
            "RLIMIT_AS": _MEMORY,
            "RLIMIT_CORE": 0,
            "RLIMIT_CPU": int(seconds) + 1,
            "RLIMIT_FSIZE": _TEMPORARY_BYTES,
            "RLIMIT_NPROC": _PROCESSES,
        }
        job = json.dumps({"code": code, "inputs": inputs, "limits": limits}).encode()
        walls = await asyncio.to_thread(_walls, workspace)
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            self._program, *walls, *_PYTHON, stdin=pipe, stdout=pipe, stderr=pipe
        )
        talk = asyncio.ensure_future(_talk(process, job))
        try:
            printed, report = await asyncio.shield(talk)
        finally:
            _kill(process)
            await asyncio.wait([talk])  # until nobody holds the pipes: every process has ended then
        stdout = printed.decode("utf-8", "replace")
        if len(stdout) > MAX_OUTPUT:
            return Outcome(stdout[:MAX_OUTPUT], error=TOO_MUCH)
        return _read_report(stdout, report, process.returncode)


def _walls(workspace: Path) -> list[str]:
    """What bubblewrap lets in. As root it makes no user namespace: the guest gives up root itself."""
    walls = ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    walls += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() == 0:
        walls += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    for name, value in _ENVIRONMENT.items():
        walls += ["--setenv", name, value]
    walls += ["--proc", "/proc", "--dev", "/dev"]
    walls += ["--perms", "1777", "--size", str(_TEMPORARY_BYTES), "--tmpfs", _TEMPORARY]
    for folder in _SYSTEM:
        if Path(folder).is_symlink():
            walls += ["--symlink", str(Path(folder).readlink()), folder]
        else:
            walls += ["--ro-bind-try", folder, folder]
    pythons = (sys.base_prefix, os.path.realpath(sys.base_prefix), sys.prefix)
    for path in dict.fromkeys((*_SETTINGS, *pythons)):
        if not path.startswith("/usr/"):
            for parent in [*reversed(Path(path).parents)][1:]:
                walls += ["--dir", str(parent)]  # which others may enter, unlike those bubblewrap makes by itself
            walls += ["--ro-bind-try", path, path]
    walls += ["--ro-bind", str(Path(guest.__file__).resolve()), "/guest.py"]
    walls += ["--ro-bind", str(workspace.resolve()), WORKSPACE, "--chdir", WORKSPACE]
    return [*walls, "--remount-ro", "/dev", "--remount-ro", "/", "--"]


async def _talk(process: asyncio.subprocess.Process, job: bytes) -> tuple[bytes, bytes]:
    """Hand the job over and read everything until the end, so that no pipe is left open."""
    printed, report, _, _ = await asyncio.gather(
        _drain(process, cast("asyncio.StreamReader", process.stdout), MAX_OUTPUT * 4),
        _drain(process, cast("asyncio.StreamReader", process.stderr), guest.MAX_VALUE * 8),
        _hand_over(cast("asyncio.StreamWriter", process.stdin), job),
        process.wait(),
    )
    return printed, report


async def _drain(process: asyncio.subprocess.Process, stream: asyncio.StreamReader, limit: int) -> bytes:
    """What comes, up to the limit; beyond it the process is ended."""
    kept = bytearray()
    while chunk := await stream.read(_CHUNK):
        kept += chunk[: limit + 1 - len(kept)]
        if len(kept) > limit:
            _kill(process)
    return bytes(kept)


async def _hand_over(stdin: asyncio.StreamWriter, job: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # it ended before it read all
        stdin.write(job)
        await stdin.drain()
    stdin.close()
    with contextlib.suppress(ConnectionError):
        await stdin.wait_closed()


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()


def _read_report(stdout: str, report: bytes, code: int | None) -> Outcome:
    line = report.decode("utf-8", "replace").partition("\n")[0]
    try:
        found = json.loads(line)
        if "error" in found:
            return Outcome(stdout, error=str(found["error"]), line=found["line"])
        return Outcome(stdout, value=json.loads(found["value"]))
    except (ValueError, KeyError, TypeError):
        return Outcome(
            stdout, error=f"ProcessEnded: the code ended its process (exit code {code}) {line[:500]}".strip()
        )
