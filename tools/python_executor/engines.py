"""Where Python code runs: a fast subset in an interpreter of its own, and full Python in a sandbox.

Full Python runs in bubblewrap, without network. It sees the system's libraries, this Python, the workspace as
`/workspace` (all read-only) and a small `/tmp`. The subset is an interpreter written in Rust that starts in
milliseconds in a worker process, and sees nothing but the workspace. Its asynchronous client is not used: it can abort
the whole program at exit. The plain one runs in a thread, and ending the worker ends the call.
"""

import asyncio
import builtins
import contextlib
import json
import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from switchyard.tools.core.processes import run_process, to_its_end
from switchyard.tools.python_executor import guest

if TYPE_CHECKING:
    from pydantic_monty import MontyError, ResourceLimits

MAX_OUTPUT = 200_000
"""Characters the code may print."""
WORKSPACE = "/workspace"
"""Where the code finds the workspace."""
_TOO_MUCH = f"OutputError: the code printed more than {MAX_OUTPUT:,} characters and was stopped"
_SUBSET_MEMORY = 128_000_000
_ORPHANED = 5
"""Seconds a worker may go on beyond its limit when nobody is left to end it."""
_MEMORY = 1024**3
_TEMPORARY = "/tmp"  # noqa: S108  a folder of the sandbox's own
_TEMPORARY_BYTES = 64 * 1024**2
_PROCESSES = 32
_SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": _TEMPORARY, "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
_PYTHON = (sys.executable, "-I", "-B", "-X", "utf8", "/guest.py")

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the code ended: with a value, or with an error and its line."""

    stdout: str = ""
    value: Any = None
    error: str = ""
    line: int | None = None
    lacks: str = ""
    """What the code uses and the engine does not have."""


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
        command = [self._program, *await asyncio.to_thread(_walls, workspace), *_PYTHON]
        most = max(MAX_OUTPUT * 4, guest.MAX_VALUE * 8)
        ended = await run_process(command, {"code": code, "inputs": inputs, "limits": limits}, most=most)
        stdout = ended.output.decode("utf-8", "replace")
        if len(stdout) > MAX_OUTPUT:
            return Outcome(stdout[:MAX_OUTPUT], error=_TOO_MUCH)
        return _read_report(stdout, ended.errors, ended.code)


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


def _read_report(stdout: str, report: bytes, code: int) -> Outcome:
    line = report.decode("utf-8", "replace").partition("\n")[0]
    try:
        found = json.loads(line)
        if "error" in found:
            return Outcome(stdout, error=str(found["error"]), line=found["line"])
        return Outcome(stdout, value=json.loads(found["value"]))
    except (ValueError, KeyError, TypeError):
        ended = f"ProcessEnded: the code ended its process (exit code {code}) {line[:500]}"
        return Outcome(stdout, error=ended.strip())


async def run_subset(code: str, inputs: dict[str, Any], workspace: Path, seconds: float) -> Outcome:
    """Run the code and return how it ended; cancelling ends the worker."""
    worker = _Worker()
    return await to_its_end(asyncio.to_thread(worker.run, code, inputs, workspace, seconds), worker.stop)


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

        limits: ResourceLimits = {"max_feed_duration_secs": seconds + _ORPHANED, "max_memory": _SUBSET_MEMORY}
        try:
            with (
                contextlib.closing(MountDir(host_path=workspace, virtual_path=WORKSPACE, mode="read-only")) as mount,
                Monty(min_processes=0, max_processes=1) as pool,
                pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as session,
                self._can_stop(session.worker_pid),
            ):
                value = session.feed_run(code, inputs=inputs, print_callback=self._print, mount=mount)
                return Outcome("".join(self._printed), value=json.loads(guest.as_json_text(value, _attributes_or_text)))
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
            return Outcome(stdout, error=_TOO_MUCH)
        if not isinstance(error, MontyRuntimeError | MontySyntaxError):
            return Outcome(stdout, error=f"{type(error).__name__}: {error}")
        text = error.display("type-msg")
        lines = [frame.line for frame in error.traceback() if frame.filename != "<string>"]
        return Outcome(stdout, error=text, line=lines[-1] if lines else None, lacks=_lacks(text))


def _attributes_or_text(value: Any) -> Any:
    from pydantic_monty import MontyClassProxy  # noqa: PLC0415  the same

    return value.attributes if isinstance(value, MontyClassProxy) else repr(value)


def _lacks(error: str) -> str:
    for pattern, words in _LACKS:
        if match := pattern.match(error):
            return words.format(**match.groupdict())
    if (match := _NO_NAME.match(error)) and hasattr(builtins, match["what"]):
        return f"'{match['what']}'"
    if (match := _NO_ATTRIBUTE.match(error)) and hasattr(getattr(builtins, match["of"], None), match["what"]):
        return f"'{match['of']}.{match['what']}'"
    return ""
