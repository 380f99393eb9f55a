"""Python code, run where it can do no harm."""

import asyncio
import keyword
import re
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, StringConstraints, field_validator

from switchyard.language.messages import Message, joined, message
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from switchyard.tools.python_executor.engines import Outcome, Sandbox, run_subset

MAX_CODE = 100_000
"""Characters the code may have."""
_SHOWN = 500
_FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)

_HINTS = {
    "BlockingIOError": "processes",
    "FileNotFoundError": "files",
    "MemoryError": "memory",
    "ModuleNotFoundError": "package",
    "OutputError": "output",
    "PermissionError": "files",
    "RecursionError": "recursion",
    "SystemExit": "exit",
    **dict.fromkeys(("ConnectionRefusedError", "OSError", "URLError", "gaierror"), "network"),
}
"""What may help, by the name of an error."""


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
            raise RetryTool(_sentence(params.code, outcome), hint=joined(await self._hint(outcome), _printed(outcome)))
        value: Any = outcome.value
        result = outcome.stdout.strip() if value is None else value
        return ToolResult(result={"result": result, "value": value, "stdout": outcome.stdout, "engine": engine})

    async def _run(self, params: PythonExecutorParams, context: ToolContext) -> tuple[Outcome, str]:
        job = (params.code, params.inputs, context.workspace, params.timeout)
        if params.engine != "full":
            outcome = await run_subset(*job)
            if params.engine == "subset" or not outcome.lacks or not await self._sandbox.works():
                return outcome, "subset"
        elif not await self._sandbox.works():
            raise ToolFailed(message("full_python_missing"), kind="unavailable", lasting=True)
        return await self._sandbox.run(*job), "full"

    async def _hint(self, outcome: Outcome) -> Message:
        if outcome.lacks:
            works = await self._sandbox.works()
            return message("subset_lacks" if works else "subset_lacks_alone", what=outcome.lacks)
        return message(f"code_hint.{_HINTS.get(outcome.error.partition(':')[0], 'other')}")


def _sentence(code: str, outcome: Outcome) -> str:
    error = message("code_error", error=outcome.error[:_SHOWN])
    if outcome.line is not None:
        lines = code.splitlines()
        source = lines[outcome.line - 1].strip()[:100] if outcome.line <= len(lines) else message("end_of_code")
        error = message("code_error_on_line", line=outcome.line, source=source, error=outcome.error[:_SHOWN])
    return error


def _printed(outcome: Outcome) -> str:
    printed = outcome.stdout[-_SHOWN:].strip()
    return message("printed_before", output=printed) if printed else ""
