"""Python code, run where it can do no harm: a fast subset in an interpreter of its own, and full Python in a sandbox.

Full Python runs in bubblewrap, without network. It sees the system's libraries, this Python, the workspace as
`/workspace` (all read-only) and a small `/tmp`. The subset is an interpreter written in Rust that starts in
milliseconds in a worker process, and sees nothing but the workspace. Its asynchronous client is not used: it can abort
the whole program at exit. The plain one runs in a thread, and ending the worker ends the call.
"""

import asyncio
import contextlib
import json
import keyword
import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, JsonValue, StringConstraints, field_validator

from switchyard.language.messages import Message, joined, message
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from switchyard.tools.core.late import Late
from switchyard.tools.core.processes import run_process, to_its_end
from switchyard.tools.python_executor import guest

if TYPE_CHECKING:
    import pydantic_monty as monty
else:
    monty = Late("pydantic_monty")

MAX_CODE = 100_000
"""Characters the code may have."""
_SHOWN = 500
_FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)

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

_MAY_LACK = ("NotImplementedError", "ImportError", "ModuleNotFoundError", "NameError", "AttributeError", "RuntimeError")
"""What the subset raises where code uses something of Python that it does not have; the code may be wrong, too."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the code ended: with a value, or with an error and its line."""

    stdout: str = ""
    value: Any = None
    error: str = ""
    line: int | None = None


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
        stdout = ended.stdout.decode("utf-8", "replace")
        if len(stdout) > MAX_OUTPUT:
            return Outcome(stdout[:MAX_OUTPUT], error=_TOO_MUCH)
        return _read_report(stdout, ended.stderr, ended.returncode)


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
        limits: monty.ResourceLimits = {"max_feed_duration_secs": seconds + _ORPHANED, "max_memory": _SUBSET_MEMORY}
        mounted = monty.MountDir(host_path=workspace, virtual_path=WORKSPACE, mode="read-only")
        value, error, line = None, "", None
        try:
            with (
                contextlib.closing(mounted) as mount,
                monty.Monty(min_processes=0, max_processes=1) as pool,
                pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as session,
                self._can_stop(session.worker_pid),
            ):
                found = session.feed_run(code, inputs=inputs, print_callback=self._print, mount=mount)
                value = json.loads(guest.as_json_text(found, _attributes_or_text))
        except (monty.MontyRuntimeError, monty.MontySyntaxError) as raised:
            error = raised.display("type-msg")
            line = next((frame.line for frame in raised.traceback()[::-1] if frame.filename != "<string>"), None)
        except (monty.MontyError, ValueError) as raised:
            error = f"{type(raised).__name__}: {raised}"
        return Outcome("".join(self._printed), value, _TOO_MUCH if self._length > MAX_OUTPUT else error, line)

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


def _attributes_or_text(value: Any) -> Any:
    return value.attributes if isinstance(value, monty.MontyClassProxy) else repr(value)


class PythonExecutorParams(BaseToolParams):
    """The code and what it works on."""

    code: Annotated[str, StringConstraints(strip_whitespace=False, min_length=1, max_length=MAX_CODE)] = Field(
        description="Python code. The value of its last expression is returned, and what it prints."
    )
    inputs: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue], description="Variables for the code, by name, as JSON values."
    )
    engine: Literal["auto", "subset", "full"] = Field(
        default="auto",
        description="auto: a fast subset of Python, and full Python in a sandbox where the code needs more.",
    )
    timeout: float = Field(default=10, gt=0, le=60, description="Seconds the code may take.")

    @field_validator("code")
    @classmethod
    def _without_fence(cls, code: str) -> str:
        return match[1] if (match := _FENCE.match(code)) else code

    @field_validator("inputs")
    @classmethod
    def _named_like_variables(cls, inputs: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for name in inputs:
            if not name.isidentifier() or keyword.iskeyword(name):
                raise ValueError(f"'{name}' is no name of a Python variable")
        return inputs


@tool(
    category="code",
    capability_tags=("execute", "compute", "执行", "计算"),
    returns="result (the value, or what was printed when there is none), value (of the last expression, as JSON), "
    "stdout, engine (subset or full)",
    timeout=75.0,
)
class PythonExecutor:
    """Run Python code in isolation and return its output and the value of its last expression.

    There is no network, and time, memory and output are limited. The files of the workspace can be read under
    /workspace, which is the current folder. The subset has no generators (yield), no class inheritance, no `del`, a few
    modules of the standard library and no packages; sleeping takes no time. Full Python has them.
    """

    needs: ClassVar = {"pydantic_monty": "switchyard[sandbox]"}

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        self._sandbox = sandbox or Sandbox()

    async def execute(self, params: PythonExecutorParams, context: ToolContext) -> ToolResult:
        """The value and the output."""
        try:
            async with asyncio.timeout(params.timeout):
                outcome, engine = await self._run(params, context)
        except TimeoutError as error:
            # it is the code that takes so long: the same code takes it again
            slow = message("code_too_slow", seconds=params.timeout)
            raise ToolFailed(slow, kind="timeout", lasting=True) from error
        if outcome.error:
            printed = outcome.stdout[-_SHOWN:].strip()
            before = message("printed_before", output=printed) if printed else ""
            raise RetryTool(_sentence(params.code, outcome), hint=joined(await self._hint(outcome, engine), before))
        value: Any = outcome.value
        result = outcome.stdout.strip() if value is None else value
        return ToolResult(result={"result": result, "value": value, "stdout": outcome.stdout, "engine": engine})

    async def _run(self, params: PythonExecutorParams, context: ToolContext) -> tuple[Outcome, str]:
        job = (params.code, params.inputs, context.workspace, params.timeout)
        if params.engine != "full":
            worker = _Worker()
            outcome = await to_its_end(asyncio.to_thread(worker.run, *job), worker.stop)
            may_lack = outcome.error.startswith(_MAY_LACK)
            if params.engine == "subset" or not may_lack or not await self._sandbox.works():
                return outcome, "subset"
        elif not await self._sandbox.works():
            raise ToolFailed(message("full_python_missing"), kind="unavailable", lasting=True)
        return await self._sandbox.run(*job), "full"

    async def _hint(self, outcome: Outcome, engine: str) -> Message:
        if engine == "subset" and outcome.error.startswith(_MAY_LACK):
            return message("subset_lacks" if await self._sandbox.works() else "subset_lacks_alone")
        return message("code_hint")


def _sentence(code: str, outcome: Outcome) -> str:
    error = message("code_error", error=outcome.error[:_SHOWN])
    if outcome.line is not None:
        lines = code.splitlines()
        source = lines[outcome.line - 1].strip()[:100] if outcome.line <= len(lines) else message("end_of_code")
        error = message("code_error_on_line", line=outcome.line, source=source, error=outcome.error[:_SHOWN])
    return error
