"""What a model's plan may look like, and how its steps get their arguments (R1.2, R2.2, R1.6)."""

from pathlib import Path

import pytest

from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps

BILINGUAL = [
    pytest.param("What is 3^7, and then add 14%?", "2493.18 it is.", id="en"),
    pytest.param("3的7次方加上14%是多少？", "是2493.18。", id="zh"),
]


@pytest.mark.parametrize(
    ("question", "answer"), [("Say hello", "Hello!"), ("说你好", "你好！"), ("Who wrote Hamlet?", "Shakespeare.")]
)
async def test_a_direct_answer_costs_one_call(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str
) -> None:
    endpoint.script(plan=[{"answer": answer}])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.answer == answer
    assert report.status == "answered"
    assert endpoint.kinds == ["plan"]
    assert report.usage.model_calls == 1
    assert report.steps == []


@pytest.mark.parametrize(
    ("question", "asked", "reply", "answer"),
    [
        ("Read the file", "Which file?", "notes.md", "It says: buy milk."),
        ("读一下那个文件", "哪个文件？", "notes.md", "内容是 buy milk。"),
    ],
)
async def test_the_planner_asks_and_the_reply_continues_the_run(
    *,
    orchestrator_with: OpenOrchestrator,
    endpoint: Endpoint,
    workspace: Path,
    question: str,
    asked: str,
    reply: str,
    answer: str,
) -> None:
    (workspace / "notes.md").write_text("buy milk", encoding="utf-8")
    endpoint.script(
        plan=[{"ask_user": asked}, steps({"description": "read file notes.md", "tool": "read_file"})],
        fill=[fills(s1={"path": "notes.md"})],
        answer=[answer],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        waiting = await opened.ask(question, thread_id="t")
        assert waiting.status == "waiting"
        assert waiting.waiting_for == asked
        report = await opened.resume("t", reply)
    assert report.status == "answered"
    assert report.answer == answer
    assert report.run_id == waiting.run_id
    assert endpoint.kinds == ["plan", "plan", "fill", "answer"]
    assert endpoint.prompts("plan")[0].endswith(f"Question: {question}\n")
    for kind, position in (("plan", 1), ("fill", 0), ("answer", 0)):
        assert f"({asked} {reply})" in endpoint.prompts(kind)[position]


async def test_a_question_that_was_answered_is_not_asked_again_by_a_new_plan(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    (workspace / "笔记.md").write_text("买牛奶", encoding="utf-8")
    endpoint.script(
        plan=[
            {"ask_user": "哪个文件？"},
            steps({"description": "读取文件 notes.md", "tool": "read_file"}),
            steps({"description": "读取文件 笔记.md", "tool": "read_file"}),
        ],
        fill=[fills(s1={"path": "notes.md"}), fills(s1_2={"path": "笔记.md"})],
        decide=[{"action": "replan", "reason": "another name"}],
        answer=["买牛奶"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        await opened.ask("读一下那个文件", thread_id="t")
        report = await opened.resume("t", "笔记")
    assert report.status == "answered"
    assert report.answer == "买牛奶"
    assert endpoint.kinds == ["plan", "plan", "fill", "decide", "plan", "fill", "answer"]
    assert "(哪个文件？ 笔记)" in endpoint.prompts("plan")[2]


async def test_a_run_that_waits_is_reported_as_itself_not_as_the_one_before(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[{"answer": "Hello!"}, {"ask_user": "哪个文件？"}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        first = await opened.ask("Say hello", thread_id="t")
        waiting = await opened.ask("读一下那个文件", thread_id="t")
    assert waiting.status == "waiting"
    assert waiting.question == "读一下那个文件"
    assert waiting.answer == ""
    assert waiting.run_id != first.run_id


@pytest.mark.parametrize("said", ["Hi there.", "你好。"])
@pytest.mark.parametrize(
    "thought", ["<think>inner 心里话</think>", "<think>inner 心里话</think>\n\n", "inner 心里话</think>"]
)
async def test_what_the_planner_thinks_inside_its_json_is_not_told(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, thought: str, said: str
) -> None:
    endpoint.script(plan=[{"answer": thought + said}, {"ask_user": thought + said}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await opened.ask("Say hello")
        waiting = await opened.ask("读一下那个文件", thread_id="t")
    assert (report.status, report.answer) == ("answered", said)
    assert (waiting.status, waiting.waiting_for) == ("waiting", said)


async def test_a_planner_that_only_thinks_has_said_nothing(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[{"answer": "<think>算一下</think>"}], answer=["4"])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await opened.ask("2+2等于多少")
    assert report.answer == "4"
    assert any("the model's plan was rejected" in downgrade.reason for downgrade in report.downgrades)


async def test_a_plan_that_is_shown_has_no_thoughts(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    endpoint.script(plan=[steps({"description": "<think>哪个？</think>读取文件 notes.md", "tool": "read_file"})])
    async with orchestrator_with(base_url=endpoint.url, model="scripted", plan_only=True) as opened:
        report = await opened.ask("读一下 notes.md")
    assert report.answer == "s1. 读取文件 notes.md [read_file]"


async def test_a_planner_that_asks_again_is_taken_at_its_word(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[{"ask_user": "Which one?"}, {"ask_user": "But which? 哪个？"}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        await opened.ask("Do it", thread_id="t")
        report = await opened.resume("t", "the red one")
    assert report.answer == "But which? 哪个？"
    assert endpoint.kinds == ["plan", "plan"]


@pytest.mark.parametrize(("question", "answer"), BILINGUAL)
@pytest.mark.parametrize("dependencies", [["s1"], []], ids=["said", "left out"])
async def test_a_reference_takes_the_result_of_an_earlier_step(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str, dependencies: list[str]
) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "calculate 3^7", "tool": "calculate"},
                {"description": "calculate: 加上 14%", "tool": "calculate", "dependencies": dependencies},
            )
        ],
        fill=[fills(s1={"expression": "3^7"}, s2={"expression": "{{s1.value}} + 14%"})],
        answer=[answer],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.answer == answer
    assert report.steps[1].arguments == {"expression": "2187 + 14%"}
    assert report.steps[1].result["value"] == pytest.approx(2493.18)
    assert report.plan.steps[1].dependencies == ["s1"]


async def test_references_in_a_circle_end_in_an_answer(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "one more than the second 第二个加一", "tool": "calculate"},
                {"description": "自己加一", "tool": "calculate"},
            )
        ],
        fill=[fills(s1={"expression": "{{s2.value}} + 1"}, s2={"expression": "{{s1.value}} + 1"})],
        decide=[{"action": "complete"}],
        answer=["That cannot be done. 做不到。"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "What is one more than itself? 自己加一？")
    assert report.status == "failed"
    assert [step.success for step in report.steps] == [False, False]


@pytest.mark.parametrize(
    ("question", "task"), [("Read the file that the list names", "read file"), ("读取清单里写的文件", "读取文件")]
)
async def test_late_arguments_are_written_when_the_result_is_there(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, task: str
) -> None:
    (workspace / "list.txt").write_text("the second line names it\n目标：target.md\n", encoding="utf-8")
    (workspace / "target.md").write_text("found it 找到了", encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": f"{task} list.txt", "tool": "read_file"},
                {"description": f"{task} it names", "tool": "read_file", "dependencies": ["s1"]},
            )
        ],
        fill=[{"calls": [{"step": "s1", "arguments": {"path": "list.txt"}}, {"step": "s2", "late": True}]}],
        late=[{"arguments": {"path": "target.md"}}],
        answer=["found it 找到了"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert endpoint.kinds == ["plan", "fill", "late", "answer"]
    prompt = endpoint.prompts("late")[0]
    assert "目标：target.md" in prompt
    assert "path (string, required)" in prompt
    assert report.steps[1].arguments == {"path": "target.md"}
    assert report.status == "answered"


async def test_late_arguments_nobody_can_write_fail_with_a_reason(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(
        plan=[steps({"description": "读取文件", "tool": "read_file"})],
        fill=[{"calls": [{"step": "s1", "late": True}]}],
        late=[{"arguments": {}, "missing": ["path"]}],
        decide=[{"action": "complete"}],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "Read it 读一下")
    assert report.status == "failed"
    assert report.steps[0].error_type == "bad_arguments"
    assert "path" in (report.steps[0].error or "")


@pytest.mark.parametrize(
    ("question", "answer"), [("How long are the files?", "Three words each."), ("这些文件有多长？", "每个三个词。")]
)
async def test_a_step_for_each_item_runs_once_per_item_up_to_the_bound(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, answer: str
) -> None:
    for number in range(5):
        (workspace / f"文件{number}.md").write_text(f"text of {number}", encoding="utf-8")
    loop = {"step": "s1", "path": ".entries"}
    endpoint.script(
        plan=[
            steps(
                {"description": "list the files in the folder", "tool": "list_dir"},
                {"description": "read each file", "tool": "read_file", "for_each": loop},
            )
        ],
        fill=[fills(s1={}, s2={"path": "{{item.path}}"})],
        answer=[answer],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, max_items=3)
    assert endpoint.kinds == ["plan", "fill", "answer"]
    assert [result["text"] for result in report.steps[1].result] == ["text of 0", "text of 1", "text of 2"]
    assert report.steps[1].issues == ["2 more left out"]
    assert report.usage.tool_calls == 4
    assert report.answer == answer


@pytest.mark.parametrize(("question", "thought"), [("Is 372 a lot?", "Not really."), ("372算多吗？", "不算多。")])
async def test_a_step_without_a_tool_is_reasoned_by_the_model(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, thought: str
) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "calculate 15% of 2480", "tool": "calculate"},
                {"description": "say whether it is a lot", "tool": "none", "dependencies": ["s1"]},
            )
        ],
        fill=[fills(s1={"expression": "15% of 2480"})],
        reason=[thought],
        answer=[thought],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert endpoint.kinds == ["plan", "fill", "reason", "answer"]
    assert '"value": 372' in endpoint.prompts("reason")[0]
    assert report.steps[1].result == thought
    assert report.steps[1].source == "model"
    assert report.status == "answered"


async def test_steps_that_wait_for_each_other_are_rejected_and_the_rules_plan(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "calculate", "tool": "calculate", "dependencies": ["s2"]},
                {"description": "计算", "tool": "calculate", "dependencies": ["s1"]},
            )
        ],
        rank=[{"choices": {"s1": ["calculate"]}}],
        fill=[fills(s1={"expression": "15% of 2480"})],
        answer=["372"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "What is 15% of 2480?")
    assert report.answer == "372"
    assert "wait for each other" in report.downgrades[0].reason
    assert len(report.steps) == 1


async def test_an_unknown_dependency_is_left_out(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    endpoint.script(
        plan=[steps({"description": "计算 15% of 2480", "tool": "calculate", "dependencies": ["s7", "s1"]})],
        fill=[fills(s1={"expression": "15% of 2480"})],
        answer=["372"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "What is 15% of 2480? 多少？")
    assert report.status == "answered"
    assert report.plan.steps[0].dependencies == []
    assert not report.downgrades
