"""Tools that count: every call appends a line to a file, so that a test knows how often each really ran.

A call that a test holds says that it has started and does not end until it is released.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

SOURCE = '''
import os
import time
from pathlib import Path

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool


def note(context: ToolContext, text: str) -> None:
    path = context.workspace / "calls.log"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, (text + "\\n").encode())
    os.close(handle)


def work(params: "CountParams", context: ToolContext) -> None:
    note(context, f"start {context.step_id} {params.label}")
    time.sleep(params.ms / 1000)
    while (context.workspace / f"hold {params.label}").exists():
        time.sleep(0.005)
    note(context, f"end {context.step_id} {params.label}")


class CountParams(BaseToolParams):
    label: str = Field(description="What to count.")
    ms: int = Field(default=0, description="How long to take.")


@tool(category="counting", tags=("count", "tally", "计数"), sentences=("tally \\"apples\\"", "计数“苹果”"))
class Tally:
    """Count a label by reading. 计数。"""

    def execute(self, params: CountParams, context: ToolContext) -> dict[str, object]:
        work(params, context)
        return {"label": params.label, "value": len(params.label)}


@tool(category="counting", tags=("stamp", "盖章"), sentences=("stamp \\"letter\\"", "盖章“信件”"), writes=True)
class Stamp:
    """Stamp a label, which changes the world. 盖章。"""

    def execute(self, params: CountParams, context: ToolContext) -> dict[str, object]:
        work(params, context)
        return {"label": params.label, "stamped": True}


@tool(category="counting", tags=("break", "损坏"), sentences=("break \\"cup\\"",))
class Break:
    """Fail always. 总是失败。"""

    def execute(self, params: CountParams, context: ToolContext) -> dict[str, object]:
        note(context, f"start {context.step_id} {params.label}")
        raise ToolFailed(f"{params.label} is broken", kind="not_found")
'''


def write_counting_tools(folder: Path) -> Path:
    """Put the tools into a folder of their own, as a user would."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "counting.py").write_text(SOURCE, encoding="utf-8")
    return folder


@contextmanager
def held(workspace: Path, label: str) -> Generator[None]:
    """Keeps every call for this label from ending."""
    hold = workspace / f"hold {label}"
    hold.touch()
    try:
        yield
    finally:
        hold.unlink()


def calls(workspace: Path) -> list[str]:
    """Every line the tools wrote, in order."""
    path = workspace / "calls.log"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
