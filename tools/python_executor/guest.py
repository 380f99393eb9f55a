"""What runs inside the sandbox: limits first, then the code, then one line of JSON about how it ended.

Only the standard library is used: this file is all that the sandbox sees of the project. The host imports it for
`as_json_text`, so that a value looks the same whichever engine it came from.
"""

import ast
import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from datetime import date, time
from decimal import Decimal
from typing import Any, cast

MAX_VALUE = 200_000
"""Characters a value may have as JSON."""
CODE = "<code>"
"""The name of the code in tracebacks."""
TOO_LONG = f"the last value has more than the {MAX_VALUE:,} characters that can be returned"

_MAX_DEPTH = 50
_MAX_BITS = 14_000  # Python writes integers of up to 4,300 digits


def as_json_text(value: Any, other: Callable[[Any], Any] = repr) -> str:
    """The value as JSON; `other` gives text or data for what JSON does not know."""
    text = json.dumps(_Plain(other).of(value))
    if len(text) > MAX_VALUE:
        raise ValueError(TOO_LONG)
    return text


class _Plain:
    """Turns a value into plain data. Parts that are met often are counted as often: a small value may unfold widely."""

    def __init__(self, other: Callable[[Any], Any]) -> None:
        self._other = other
        self._left = MAX_VALUE

    def of(self, value: Any, depth: int = 0) -> Any:
        self._left -= 1 + (len(value) if isinstance(value, str | bytes) else 0)
        if self._left < 0:
            raise ValueError(TOO_LONG)
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            return int(value) if value.bit_length() < _MAX_BITS else f"<int of {value.bit_length()} bits>"
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else repr(value)
        if isinstance(value, date | time):
            return value.isoformat()
        if isinstance(value, Decimal):
            return str(value)
        return self._unfolded(value, depth + 1) if depth < _MAX_DEPTH else f"<{type(value).__name__}>"

    def _unfolded(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            parts = cast("Mapping[Any, Any]", value).items()
            return {
                key if isinstance(key, str) else str(self.of(key, depth)): self.of(part, depth) for key, part in parts
            }
        if isinstance(value, list | tuple | set | frozenset):
            return [self.of(part, depth) for part in cast("list[Any]", value)]
        if callable(convert := getattr(value, "tolist", None)) and not isinstance(value, type):
            return self.of(convert(), depth)  # numbers and arrays of numpy
        return self.of(self._other(value), depth)


def _run(code: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """Run the code; its last expression is its value."""
    names: dict[str, Any] = {"__name__": "__main__", **inputs}
    try:
        tree = ast.parse(code, CODE)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, CODE, "exec"), names)  # noqa: S102  this is what the sandbox is for
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), CODE, "eval"), names)  # noqa: S307  the same
        return {"value": as_json_text(value)}
    except BaseException as error:  # noqa: BLE001  whatever the code raises is its outcome
        return {"error": _described(error), "line": _line(error)}


def _described(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line(error: BaseException) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == CODE:
        return error.lineno
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == CODE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _confine(limits: dict[str, int]) -> None:
    """Take the limits, and give up root: the kernel counts no processes for root."""
    import resource  # noqa: PLC0415  the host, which may be any system, does not need it

    for name, limit in limits.items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    if os.getuid() == 0:
        stranger = int.from_bytes(os.urandom(3)) + 2**24  # nobody else's: processes are counted per user
        os.setgroups([])
        os.setgid(stranger)
        os.setuid(stranger)


def main() -> None:
    """Read the job from standard input; what the code prints goes to standard output, the outcome to standard error."""
    job, me = json.load(sys.stdin), os.getpid()
    report = os.dup(sys.stderr.fileno())
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  stays open as long as the process
    _confine(job["limits"])
    outcome = _run(job["code"], job["inputs"])
    sys.stdout.flush()
    if os.getpid() == me:  # a copy the code made of the process has nothing to report
        os.write(report, (json.dumps(outcome) + "\n").encode())
    os._exit(0)  # threads the code left behind are not waited for


if __name__ == "__main__":
    main()
