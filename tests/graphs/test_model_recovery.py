"""Something failed: what the model is told, what it may choose, and what is refused whatever it says (R6, R7)."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.app.orchestrator import Orchestrator
from switchyard.app.report import RunReport
from tests.conftest import OpenOrchestrator
from tests.support.counting_tools import calls, write_counting_tools
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps
from tests.support.hub_tools import failing, made

BREAK = steps({"description": 'break "cup"', "tool": "break"})
BREAK_CUP = fills(s1={"label": "cup"})
NOT_KNOWN = ["I do not know. 我不知道。"]
"""What a model says that is asked to reason where no tool is left."""


@pytest.fixture
def counting(tmp_path: Path) -> list[Path]:
    return [write_counting_tools(tmp_path / "counting")]


@pytest.mark.parametrize(
    ("question", "task", "answer"),
    [
        ("What do the notes say?", "read file note.md", "Buy milk."),
        ("笔记里写了什么？", "读取文件 note.md", "买牛奶。"),
    ],
)
async def test_new_arguments_from_the_model_succeed(
    *, orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, task: str, answer: str
) -> None:
    (workspace / "todo.md").write_text(answer, encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": task, "tool": "read_file"})],
        fill=[fills(s1={"path": "note.md"})],
        decide=[{"action": "execute_tool", "reason": "a typo", "arguments": {"s1": {"path": "todo.md"}}}],
        answer=[answer],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "answered"
    assert report.answer.startswith(answer)
    assert endpoint.kinds == ["plan", "fill", "decide", "answer"]
    assert report.steps[0].arguments == {"path": "todo.md"}
    assert report.steps[0].attempts == 2
    assert [(decision.action, decision.by) for decision in report.decisions] == [
        ("execute_tool", "model"),
        ("complete", "rules"),
    ]
    assert not report.downgrades


async def test_the_model_is_told_what_failed_what_to_avoid_and_what_is_allowed(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "calculate 15% of 2480", "tool": "calculate"},
                {"description": "读取文件 没有.md", "tool": "read_file"},
            )
        ],
        fill=[fills(s1={"expression": "15% of 2480"}, s2={"path": "没有.md"})],
        decide=[{"action": "complete", "reason": "enough"}],
        answer=["372"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "15% of 2480, 还有没有.md")
    prompt = endpoint.prompts("decide")[0]
    finished, rest = prompt.split("Steps so far:")[1].split("What failed:")
    failures, allowed = rest.split("Allowed:")
    assert '- s2: read_file({"path": "没有.md"}): not_found: <data>' in failures
    assert '"value": 372' in finished
    actions = [line.split()[1] for line in allowed.splitlines() if line.startswith("- ")]
    assert actions == ["execute_tool", "replan", "complete"]  # no other tool finds a file that is not there
    assert "[done] calculate" in prompt
    assert "[failed] read_file" in prompt
    assert report.status == "partial"


async def test_the_same_failing_call_is_never_made_twice(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, counting: list[Path]
) -> None:
    again = {"action": "execute_tool", "reason": "once more 再试", "arguments": {"s1": {"label": " cup ", "ms": 0}}}
    endpoint.script(plan=[BREAK], fill=[BREAK_CUP], decide=[again])
    settings: dict[str, Any] = {"tool_folders": counting, "max_replans": 0, "topk": 1}
    report = await ask_scripted(orchestrator_with, endpoint, "break a cup", **settings)
    assert calls(workspace) == ["start s1 cup"]
    assert report.status == "failed"
    assert report.steps[0].error == "cup is broken"
    assert "cup is broken" in report.answer


async def test_a_new_plan_does_not_repeat_the_failing_call_either(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, counting: list[Path]
) -> None:
    other_words = steps({"description": "break the cup after all 还是打碎", "tool": "break"})
    endpoint.script(
        plan=[BREAK, other_words],
        fill=[BREAK_CUP, fills(s1_2={"label": "cup"})],
        decide=[{"action": "replan"}],
        reason=NOT_KNOWN,
    )
    report = await ask_scripted(orchestrator_with, endpoint, "break a cup", tool_folders=counting, max_replans=1)
    assert calls(workspace) == ["start s1 cup"]
    assert report.status == "failed"
    assert report.limits_hit == ["replans"]


@pytest.mark.parametrize("action", ["switch_tool", "replan"])
async def test_a_forbidden_action_falls_back_with_a_downgrade(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, counting: list[Path], action: str
) -> None:
    endpoint.script(plan=[BREAK], fill=[BREAK_CUP], decide=[{"action": action}], reason=NOT_KNOWN)
    report = await ask_scripted(
        orchestrator_with, endpoint, 'break "cup" 打碎', tool_folders=counting, topk=1, max_replans=0
    )
    assert report.status == "failed"
    assert [downgrade.reason for downgrade in report.downgrades] == [f"{action} is not allowed now"]
    assert report.decisions[0].by == "rules"


@pytest.mark.parametrize(
    "choice",
    [
        pytest.param({"action": "execute_tool", "arguments": {}}, id="no arguments"),
        pytest.param({"action": "execute_tool", "arguments": {"s9": {"label": "x"}}}, id="another step"),
        pytest.param({"action": "dance"}, id="no such action"),
        pytest.param("just try again 再试一次", id="no JSON"),
    ],
)
async def test_a_choice_that_cannot_be_used_falls_back_with_a_downgrade(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, counting: list[Path], choice: Any
) -> None:
    endpoint.script(plan=[BREAK], fill=[BREAK_CUP], decide=[choice], reason=NOT_KNOWN)
    report = await ask_scripted(
        orchestrator_with, endpoint, "break a cup 打碎", tool_folders=counting, topk=1, max_replans=0
    )
    assert report.status == "failed"
    assert [downgrade.agent for downgrade in report.downgrades] == ["coordination"]
    assert calls(workspace) == ["start s1 cup"]


@pytest.mark.parametrize(
    ("question", "task"), [("break or tally the cup", "break or tally the cup"), ("损坏或计数杯子", "损坏或计数杯子")]
)
async def test_switching_goes_to_the_next_candidate(
    *,
    orchestrator_with: OpenOrchestrator,
    endpoint: Endpoint,
    workspace: Path,
    counting: list[Path],
    question: str,
    task: str,
) -> None:
    endpoint.script(
        plan=[steps({"description": task})],
        rank=[{"choices": {"s1": ["break", "tally", "get_time"]}}],
        fill=[BREAK_CUP, fills(s1={"label": "杯子"})],
        decide=[{"action": "switch_tool", "reason": "another way"}],
        answer=["counted 已计数"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, tool_folders=counting)
    assert endpoint.kinds == ["plan", "rank", "fill", "decide", "fill", "answer"]
    assert calls(workspace) == ["start s1 cup", "start s1 杯子", "end s1 杯子"]
    assert report.steps[0].tool == "tally"
    assert report.status == "answered"
    assert "break:" not in endpoint.prompts("fill")[1].split("Question:")[0]
    assert "Tried before, in vain" in endpoint.prompts("answer")[0]


async def replanned(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, counting: list[Path], second: dict[str, Any]
) -> RunReport:
    first = steps({"description": 'tally "apples"', "tool": "tally"}, {"description": 'break "cup"', "tool": "break"})
    endpoint.script(
        plan=[first, second],
        rank=[{"choices": {}}],
        fill=[fills(s1={"label": "apples"}, s2={"label": "cup"}), fills(s3={"label": "杯子"})],
        decide=[{"action": "replan", "reason": "another way"}, {"action": "complete"}],
        answer=["done 好了"],
    )
    return await ask_scripted(
        orchestrator_with, endpoint, 'tally "apples" and 损坏杯子', tool_folders=counting, max_replans=1
    )


async def test_a_new_plan_keeps_finished_steps_and_knows_what_happened(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, counting: list[Path]
) -> None:
    second = {"steps": [{"id": "s3", "description": '计数 "杯子"', "tool": "tally", "dependencies": ["s1"]}]}
    report = await replanned(orchestrator_with, endpoint, counting, second)
    assert report.status == "answered"
    assert [(step.id, step.success) for step in report.steps] == [("s1", True), ("s3", True), ("s2", False)]
    assert report.plan.revision == 2
    assert sorted(calls(workspace)) == [
        "end s1 apples",
        "end s3 杯子",
        "start s1 apples",
        "start s2 cup",
        "start s3 杯子",
    ]
    prompt = endpoint.prompts("plan")[1]
    finished, failed = prompt.split("What failed")
    assert "- s1 (tally):" in finished
    assert '- s2: break({"label": "cup"}): not_found: <data>cup is broken' in failed


async def test_a_plan_that_repeats_the_failed_one_is_rejected(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, counting: list[Path]
) -> None:
    same = steps({"description": 'tally "apples"', "tool": "tally"}, {"description": 'Break "cup"!', "tool": "break"})
    report = await replanned(orchestrator_with, endpoint, counting, same)
    assert "it repeats a plan that did not work" in report.downgrades[0].reason
    assert calls(workspace).count("start s1 apples") == 1
    assert calls(workspace).count("start s2 cup") == 1


async def test_when_no_new_plan_is_found_the_old_one_can_still_be_mended(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    (workspace / "todo.md").write_text("buy milk", encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": "读取文件 note.md"})],  # the same again, and the same as the rules would make
        rank=[{"choices": {"s1": ["read_file"]}}],
        fill=[fills(s1={"path": "note.md"})],
        decide=[
            {"action": "replan"},
            {"action": "execute_tool", "arguments": {"s1": {"path": "todo.md"}}},
        ],
        answer=["buy milk"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "读取文件 note.md")
    assert report.status == "answered"
    assert report.answer == "buy milk\n\n“note.md”行不通，改用了“todo.md”。"
    assert endpoint.kinds == ["plan", "rank", "fill", "decide", "plan", "plan", "decide", "answer"]
    assert "cannot be followed: it repeats a plan that did not work." in endpoint.prompts("plan")[2]


async def test_one_steps_new_arguments_do_not_run_another_failed_step_again(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    (workspace / "b.md").write_text("乙", encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": "read file a.md", "tool": "read_file"},
                {"description": "读取文件 bb.md", "tool": "read_file"},
            )
        ],
        fill=[fills(s1={"path": "a.md"}, s2={"path": "bb.md"})],
        decide=[{"action": "execute_tool", "arguments": {"s2": {"path": "b.md"}}}, {"action": "complete"}],
        answer=["乙, and a.md is missing"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "What is in a.md and bb.md?")
    assert report.status == "partial"
    assert [step.success for step in report.steps] == [False, True]
    assert {failure.step_id for failure in report.failures} == {"s1", "s2"}


@pytest.mark.parametrize("question", ["How many lines does notes.md have?", "notes.md 有多少行？"])
async def test_where_a_model_leads_nowhere_the_rules_reading_is_carried_out(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str
) -> None:
    (workspace / "notes.md").write_text("一\n二\n三\n", encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": question, "tool": "read_file"})],
        fill=[fills(s1={"path": "missing/zzz.txt"})],
        decide=[{"action": "complete"}],
        answer=["It has 3 lines. 3 行"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.status, report.plan.by) == ("answered", "rules")
    assert "3" in report.answer
    assert [decision.way for decision in report.decisions] == ["last_resort", "done"]


@pytest.mark.parametrize("question", ["What do the stars say about me?", "星象怎么说我？"])
async def test_what_the_rules_do_not_read_whole_is_no_last_resort(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "read_file"})],
        fill=[fills(s1={"path": "missing/zzz.txt"})],
        decide=[{"action": "complete"}],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "failed"
    assert "last_resort" not in [decision.way for decision in report.decisions]


@pytest.mark.parametrize("question", ["Read nots.md, think about it, write it up", "读 nots.md，想一想，写下来"])
async def test_what_waited_for_a_mended_step_is_done_to_the_last(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str
) -> None:
    (workspace / "zz.md").write_text("buy milk 买牛奶", encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": question, "tool": "read_file"},
                {"description": question, "tool": "none", "dependencies": ["s1"]},
                {"description": question, "tool": "write_to_file", "dependencies": ["s2"]},
            )
        ],
        fill=[fills(s1={"path": "nots.md"}, s3={"path": "out.md", "content": "{{s2}}"})],
        decide=[{"action": "execute_tool", "arguments": {"path": "zz.md"}}],  # flat: there is one step it can be
        reason=["milk 牛奶"],
        answer=["written 已写好"],
    )
    await ask_scripted(orchestrator_with, endpoint, question, auto_approve=True)
    assert (workspace / "out.md").read_text(encoding="utf-8").strip() == "milk 牛奶"


@pytest.mark.parametrize("question", ["What is 15% of 2480?", "2480的15%是多少？"])
async def test_flat_arguments_are_those_of_the_only_step(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(
        plan=[{"plan": [{"description": question, "tool": "calculate"}]}],
        fill=[{"arguments": {"expression": "15% of 2480"}}],
        answer=["372"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.status, report.answer, endpoint.kinds) == ("answered", "372", ["plan", "fill", "answer"])


# reasoning as the last resort


WEATHER = [("What is the weather in Paris?", "Paris"), ("巴黎的天气怎么样？", "巴黎")]


def with_weather(opened: Orchestrator) -> None:
    broken = failing("the station is broken", "crash")
    takes = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    opened.hub.registry.add(made("weather", broken, takes=takes, description="Weather of a city. 查询城市的天气。"))


@pytest.mark.parametrize(("question", "city"), WEATHER)
@pytest.mark.parametrize("decided", [{"action": "replan"}, "I am not sure"], ids=["another", "nothing"])
async def test_where_no_tool_is_left_a_model_says_what_it_knows_and_that_is_marked(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, city: str, decided: Any
) -> None:
    plan = steps({"description": question, "tool": "weather", "arguments": {"city": city}})
    endpoint.script(plan=[plan], decide=[decided], reason=["mild"], answer=["mild\nOPEN: none"])
    async with orchestrator_with(base_url=endpoint.url, model="scripted", max_replans=0) as opened:
        with_weather(opened)
        report = await opened.ask(question)
    assert report.status == "partial"
    assert [decision.way for decision in report.decisions] == ["reason", "done"]
    assert "mild" in report.answer
    assert "nverified" in report.answer or "未经核实" in report.answer


@pytest.mark.parametrize(("question", "city"), WEATHER)
@pytest.mark.parametrize("knows", ["I do not know.", "我不知道。"])
async def test_where_a_model_knows_nothing_either_the_tools_failure_is_told(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, city: str, knows: str
) -> None:
    plan = steps({"description": question, "tool": "weather", "arguments": {"city": city}})
    endpoint.script(plan=[plan], decide=["I am not sure"], reason=[knows], answer=["mild"])
    async with orchestrator_with(base_url=endpoint.url, model="scripted", max_replans=0) as opened:
        with_weather(opened)
        report = await opened.ask(question)
    assert report.status == "failed"
    assert "the station is broken" in report.answer
    assert endpoint.kinds.count("reason") == 1
