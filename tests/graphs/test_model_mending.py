"""What is mended without a word of the model: a failure that may pass, a slip, an item; and what nothing can mend."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.ledger.options import RunOptions
from switchyard.tools.core import ToolContext, ToolFailed
from switchyard.tools.core.errors import FailureKind
from tests.conftest import OpenOrchestrator
from tests.support.bench import Bench, task
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps

FLAKY = '''
from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, ToolFailed, tool


class LampParams(BaseToolParams):
    label: str = Field(description="Which lamp. 哪盏灯。")


@tool(category="lamps", tags=("lamp", "灯"))
class Lamp:
    """Light a lamp. 点灯。"""

    def __init__(self) -> None:
        self.calls = 0

    def execute(self, params: LampParams, context: ToolContext) -> dict[str, object]:
        self.calls += 1
        with (context.workspace / "calls.log").open("a", encoding="utf-8") as log:
            log.write(f"{params.label}\\n")
        if self.calls <= 1:
            raise ToolFailed("忙", kind="rate_limit", wait=WAIT)
        return {"label": params.label, "lit": True}
'''


def lamps(folder: Path, wait: float | None) -> list[Path]:
    folder.mkdir()
    (folder / "lamps.py").write_text(FLAKY.replace("WAIT", repr(wait)), encoding="utf-8")
    return [folder]


@pytest.mark.parametrize(
    ("question", "task_text"), [("light the lamp in the hall", "light the lamp"), ("点亮大厅的灯", "点灯")]
)
@pytest.mark.parametrize("wait", [None, 0.0])
async def test_the_first_retry_of_what_may_pass_costs_no_model_call(
    *,
    orchestrator_with: OpenOrchestrator,
    endpoint: Endpoint,
    tmp_path: Path,
    question: str,
    task_text: str,
    wait: float | None,
) -> None:
    endpoint.script(
        plan=[steps({"description": task_text, "tool": "lamp"})],
        fill=[fills(s1={"label": "大厅"})],
        answer=["lit 亮了"],
    )
    folders = lamps(tmp_path / "lamps", wait)
    report = await ask_scripted(orchestrator_with, endpoint, question, tool_folders=folders)
    assert (report.status, report.steps[0].attempts) == ("answered", 2)
    assert endpoint.kinds == ["plan", "fill", "answer"]


async def test_what_wants_to_be_left_alone_for_an_hour_is_not_called_again(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, tmp_path: Path
) -> None:
    endpoint.script(
        plan=[steps({"description": "light the lamp 点灯", "tool": "lamp"})],
        fill=[fills(s1={"label": "大厅"})],
        decide=[{"action": "execute_tool", "arguments": {"s1": {"label": "大厅"}}}],
    )
    folders = lamps(tmp_path / "lamps", 3600.0)
    report = await ask_scripted(
        orchestrator_with, endpoint, "light the lamp", tool_folders=folders, topk=1, max_replans=0
    )
    assert (workspace / "calls.log").read_text(encoding="utf-8").split() == ["大厅"]
    assert report.status == "failed"
    assert "for the moment" not in endpoint.prompts("decide")[0].split("What failed:")[1]


@pytest.mark.parametrize(
    ("question", "said"), [("What does the report say?", "All is well."), ("报告说什么？", "一切都好。")]
)
async def test_a_slip_is_put_right_without_a_model_call(
    *, orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, said: str
) -> None:
    (workspace / "report.md").write_text(said, encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": "read reprot.md 读取", "tool": "read_file"})],
        fill=[fills(s1={"file_path": "reprot.md"})],
        answer=[said],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.status, report.steps[0].arguments) == ("answered", {"path": "report.md"})
    assert endpoint.kinds == ["plan", "fill", "answer"]
    assert [decision.way for decision in report.decisions] == [
        "adjusted",
        "done",
    ]  # the field had its right name at once


async def test_endless_code_is_run_once(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    endpoint.script(
        plan=[steps({"description": "run the code 运行", "tool": "python_executor"})],
        fill=[fills(s1={"code": "while True:\n    pass", "timeout": 1})],
        decide=[{"action": "complete"}],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "Run this Python: while True: pass", auto_approve=True)
    assert (report.status, report.steps[0].attempts, report.steps[0].error_type) == ("failed", 1, "timeout")


# Items


def choosy(bench: Bench, passing: dict[str, tuple[FailureKind, int]]) -> None:
    """A tool that fails for some items: of which kind, and how often."""
    left = {item: times for item, (_, times) in passing.items()}

    async def work(arguments: dict[str, Any], context: ToolContext) -> Any:
        item = str(arguments["path"])
        if left.get(item, 0):
            left[item] -= 1
            raise ToolFailed(f"{item} 不行", kind=passing[item][0])
        return {"path": item}

    bench.tool("看", work)


def each(*, over: str) -> Any:
    step, assignment = task("s2", "看", over, over=over, path=".rows")
    assignment.arguments = {"path": "{{item}}"}
    return step, assignment


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "unavailable"])
async def test_an_item_whose_failure_may_pass_is_tried_again(bench: Bench, kind: FailureKind) -> None:
    choosy(bench, {"乙": (kind, 2)})
    context = await bench.round(task("s1", "echo", rows=["a", "乙", "c"]), each(over="s1"))
    verdict = context.steps["s2"].verdict
    assert verdict is not None
    assert verdict.verified
    assert [arguments["path"] for _, name, arguments in bench.calls if name == "看"].count("乙") == 3


async def test_an_item_that_is_a_slip_is_put_right(bench: Bench, workspace: Path) -> None:
    (workspace / "report.md").write_text("好", encoding="utf-8")
    choosy(bench, {"reprot.md": ("not_found", 9)})
    context = await bench.round(task("s1", "echo", rows=["a", "reprot.md"]), each(over="s1"))
    assert [arguments["path"] for _, name, arguments in bench.calls if name == "看"] == ["a", "reprot.md", "report.md"]
    verdict = context.steps["s2"].verdict
    assert verdict is not None
    assert verdict.verified


async def test_an_item_that_stays_lost_is_named_with_its_reason_and_repeats_nothing(bench: Bench) -> None:
    choosy(bench, {"乙": ("not_found", 9), "c": ("timeout", 9)})
    bench.options = RunOptions(retry_delay=0, max_attempts=2)
    context = await bench.round(task("s1", "echo", rows=["a", "乙", "c"]), each(over="s1"))
    made = [arguments["path"] for _, name, arguments in bench.calls if name == "看"]
    assert sorted(made) == ["a", "c", "c", "乙"]
    assert context.repeats == []
    verdict = context.steps["s2"].verdict
    assert verdict is not None
    assert verdict.issues == ["2 of 3 items failed: 乙 (乙 不行), c (c 不行)"]
